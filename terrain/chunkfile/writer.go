package chunkfile

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/vkterrain/vkterrain/terrain"
)

// Writer writes a world file. What is at the path stays as it is until Close
// has written everything: then the new file takes its place in one step.
// A Writer is for one goroutine.
type Writer struct {
	path  string
	file  *os.File
	buf   *bufio.Writer
	world *terrain.World
	enc   *Encoder // of WriteTile, made when needed
	dir   []byte
	first int64  // where the first chunk is
	off   int64  // where the next one goes
	crc   uint32 // of all between
	tiles int    // written so far
	stats *Stats
	err   error // the first one; everything after it fails with it
}

// tempName is where the file for path grows. The name is always the same, so
// that what a killed program left is removed by the next one.
func tempName(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".partial")
}

// Create begins a world file at path. Exactly one of Close and Abort must follow.
func Create(path string, w *terrain.World) (*Writer, error) {
	if err := checkPlace(path, w); err != nil {
		return nil, err
	}
	tmp := tempName(path)
	if err := os.Remove(tmp); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	f, err := os.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	wr := newWriter(path, f, w)
	hold(f)
	if _, err := f.Seek(wr.off, io.SeekStart); err != nil {
		wr.Abort()
		return nil, err
	}
	return wr, nil
}

// checkPlace says why w cannot be written to path.
func checkPlace(path string, w *terrain.World) error {
	if msg := checkWorld(w); msg != "" {
		return fmt.Errorf("%s: %s", path, msg)
	}
	if len(w.Radius) > maxOrders {
		return fmt.Errorf("%s: %d radii, at most %d", path, len(w.Radius), maxOrders)
	}
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file", path)
	}
	return nil
}

// newWriter returns a Writer of which nothing is written.
func newWriter(path string, f *os.File, w *terrain.World) *Writer {
	first := int64(headerLen(w)) + int64(tileCount(w))*int64(entryLen(w.Layout()))
	return &Writer{path: path, file: f, buf: bufio.NewWriterSize(f, 1<<20), world: w, first: first, off: first, stats: newStats(w, 0)}
}

// WriteTile codes and writes the next tile in row-major order.
func (w *Writer) WriteTile(info *terrain.TileInfo, verts []terrain.Vertex) error {
	if w.enc == nil {
		w.enc = NewEncoder(w.world)
	}
	return w.WriteEncoded(w.enc.EncodeTile(info, verts))
}

// WriteEncoded writes the next tile in row-major order. It panics if another
// tile is next.
func (w *Writer) WriteEncoded(e *Encoded) error {
	nx, _ := w.world.Tiles()
	if want := (terrain.Key{X: int32(w.tiles % nx), Y: int32(w.tiles / nx)}); e.Info.Key != want {
		panic(fmt.Sprintf("chunkfile: tile %v written where %v is next", e.Info.Key, want))
	}
	if w.err != nil {
		return w.err
	}
	if msg := checkTile(w.world, &e.Info); msg != "" {
		return w.fail(fmt.Errorf("%s: tile %v: %s", w.path, e.Info.Key, msg))
	}
	for l := range e.chunks {
		e.chunks[l].off += w.off
	}
	w.dir = appendTile(w.dir, &e.Info, e.chunks)
	w.stats.add(e.chunks)
	w.off += int64(len(e.data))
	w.crc = crc32.Update(w.crc, castagnoli, e.data)
	w.tiles++
	if _, err := w.buf.Write(e.data); err != nil {
		return w.fail(err)
	}
	return nil
}

func (w *Writer) fail(err error) error {
	if w.err == nil {
		w.err = err
	}
	return err
}

// Close completes the file, makes it durable and puts it in place. After an
// error the place is as it was.
func (w *Writer) Close() error {
	if w.file == nil {
		return w.err
	}
	err := w.err
	if err == nil {
		err = w.finish()
	}
	if err != nil {
		w.Abort()
		return err
	}
	w.file = nil
	return nil
}

func (w *Writer) finish() error {
	if w.tiles != tileCount(w.world) {
		return fmt.Errorf("%s: %d tiles written, the world has %d", w.path, w.tiles, tileCount(w.world))
	}
	if err := w.buf.Flush(); err != nil {
		return err
	}
	head := appendHeader(nil, w.world, w.off, checksum(w.dir))
	if _, err := w.file.WriteAt(append(head, w.dir...), 0); err != nil {
		return err
	}
	if err := w.file.Sync(); err != nil {
		return err
	}
	tmp := w.file.Name()
	// Another program may have started on the same path and taken the name.
	ours, err := w.file.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Stat(tmp); err != nil || !os.SameFile(ours, there) {
		return fmt.Errorf("%s: another program writes this file", w.path)
	}
	if err := w.file.Close(); err != nil {
		return err
	}
	if err := os.Rename(tmp, w.path); err != nil {
		return err
	}
	w.stats.BytesTotal = w.off
	return syncDir(filepath.Dir(w.path))
}

// syncDir makes a rename durable, where the system can.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	_ = d.Sync() // some file systems refuse; the rename itself has happened
	return nil
}

// Stats returns the sizes of the file after Close.
func (w *Writer) Stats() Stats { return w.stats.done() }

// Abort removes what was written. After Close it does nothing.
func (w *Writer) Abort() {
	if w.file == nil {
		return
	}
	ours, err := w.file.Stat()
	w.file.Close()
	if there, err2 := os.Stat(w.file.Name()); err == nil && err2 == nil && os.SameFile(ours, there) {
		os.Remove(w.file.Name())
	}
	w.file = nil
	w.fail(os.ErrClosed)
}
