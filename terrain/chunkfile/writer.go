package chunkfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vkterrain/vkterrain/terrain"
)

// WriterOptions say how to write a world. The zero value works.
type WriterOptions struct {
	// Tables code all tiles; nil means [DefaultTables].
	Tables *Tables

	// ShardRows, if above 0, splits the world into shards of so many rows of tiles,
	// files of their own beside the path, which then gets a manifest.
	ShardRows int

	// Ready, if set, is called by Close when the world is complete and durable under
	// the name of another file beside the path, just before it takes its place. An
	// error keeps it from doing so.
	Ready func(name string) error
}

// Writer writes a world. What is at the path stays as it is until Close
// has written everything: then the new file takes its place in one step.
// A Writer is for one goroutine.
type Writer struct {
	path  string
	o     WriterOptions
	world *terrain.World
	enc   *Encoder // of WriteTile, made when needed
	tiles int      // written so far, in all files
	stats *Stats
	err   error // the first one; everything after it fails with it

	// The file that is being written.
	file *os.File
	buf  *bufio.Writer
	dir  []byte
	off  int64  // where the next chunk goes
	crc  uint32 // of all chunks
	from int    // row of tiles it begins with

	done  []shardPart // shards whose chunks are written, under temporary names
	claim *os.File    // of a world in shards: the manifest to be; who made it last may write
}

// shardPart is a shard before its tail is written: what that says of the world is
// known last.
type shardPart struct {
	From, Row int // rows of tiles
	Off       int64
	Dir       []byte

	entry shardEntry
}

// tempName is where the file for path grows. The name is always the same, so
// that what a killed program left is removed by the next one.
func tempName(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".partial")
}

// tempShard is where shard number i grows.
func tempShard(path string, i int) string { return fmt.Sprintf("%s-%04d", tempName(path), i) }

// shardName is the name of a shard. Its checksum is in it, so that the shards of
// two worlds never take each other's places.
func shardName(path string, i int, crc uint32) string {
	base := filepath.Base(path)
	ext := filepath.Ext(base)
	return fmt.Sprintf("%s-%04d-%08x%s", strings.TrimSuffix(base, ext), i, crc, ext)
}

// Create begins a world at path. Exactly one of Close and Abort must follow. o may
// be nil.
func Create(path string, w *terrain.World, o *WriterOptions) (*Writer, error) {
	wr, err := newWriter(path, w, o)
	if err != nil {
		return nil, err
	}
	wr.removeStale()
	if err := wr.stake(); err != nil {
		return nil, err
	}
	if err := wr.begin(); err != nil {
		wr.unstake()
		return nil, err
	}
	return wr, nil
}

// removeStale removes shards that a killed program was writing.
func (w *Writer) removeStale() {
	dir, prefix := filepath.Split(tempName(w.path) + "-")
	for _, name := range w.beside() {
		if number, ok := strings.CutPrefix(name, prefix); ok && len(number) >= 4 && isNumber(number, 10) {
			os.Remove(filepath.Join(dir, name))
		}
	}
}

// beside returns the names of the files beside the path.
func (w *Writer) beside() (names []string) {
	list, err := os.ReadDir(filepath.Dir(w.path))
	if err != nil {
		return nil // whoever needs the folder hears of it
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func isNumber(s string, base int) bool {
	_, err := strconv.ParseUint(s, base, 32)
	return err == nil
}

// newWriter returns a Writer of which nothing is written.
func newWriter(path string, w *terrain.World, o *WriterOptions) (*Writer, error) {
	if msg := checkWorld(w); msg != "" {
		return nil, fmt.Errorf("%s: %s", path, msg)
	}
	if len(w.Radius) > maxOrders {
		return nil, fmt.Errorf("%s: %d radii, at most %d", path, len(w.Radius), maxOrders)
	}
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	wr := &Writer{path: path, world: w, buf: bufio.NewWriterSize(nil, 1<<20), stats: newStats(w, 0)}
	if o != nil {
		wr.o = *o
	}
	if wr.o.Tables == nil {
		wr.o.Tables = DefaultTables()
	}
	if _, ny := w.Tiles(); wr.o.ShardRows > 0 && (ny-1)/wr.o.ShardRows+1 > maxShards {
		return nil, fmt.Errorf("%s: %d rows of tiles in shards of %d: more than %d shards", path, ny, wr.o.ShardRows, maxShards)
	}
	return wr, nil
}

// tempNow is the name of the file that is being written.
func (w *Writer) tempNow() string {
	if w.o.ShardRows > 0 {
		return tempShard(w.path, len(w.done))
	}
	return tempName(w.path)
}

// stake makes w the one program that writes the shards of the path: another one that
// did so before sees that its claim is gone.
func (w *Writer) stake() error {
	if w.o.ShardRows == 0 {
		return nil
	}
	tmp := tempName(w.path)
	if err := os.Remove(tmp); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	w.claim = f
	return err
}

// unstake gives the claim up and says whether it still held.
func (w *Writer) unstake() bool {
	if w.claim == nil {
		return false
	}
	ours := w.claimed() == nil
	w.claim.Close()
	w.claim = nil
	if ours {
		os.Remove(tempName(w.path))
	}
	return ours
}

// claimed returns an error if another program has taken over.
func (w *Writer) claimed() error {
	if w.claim == nil {
		return nil
	}
	ours, err := w.claim.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Stat(tempName(w.path)); err != nil || !os.SameFile(ours, there) {
		return fmt.Errorf("%s: another program writes this file", w.path)
	}
	return nil
}

// begin begins a file.
func (w *Writer) begin() error {
	if err := w.claimed(); err != nil {
		return err
	}
	tmp := w.tempNow()
	if err := os.Remove(tmp); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	w.take(f)
	if _, err := f.Seek(headLen, io.SeekStart); err != nil {
		w.Abort()
		return err
	}
	return nil
}

// take makes f the file that is being written, without anything in it yet.
func (w *Writer) take(f *os.File) {
	hold(f)
	w.file, w.dir, w.off, w.crc = f, w.dir[:0], headLen, 0
	w.buf.Reset(f)
}

// Tables returns what all tiles must be coded with.
func (w *Writer) Tables() *Tables { return w.o.Tables }

// WriteTile codes and writes the next tile in row-major order.
func (w *Writer) WriteTile(info *terrain.TileInfo, verts []terrain.Vertex, layers ...[]byte) error {
	if w.enc == nil {
		w.enc = NewEncoder(w.world, w.o.Tables)
	}
	return w.WriteEncoded(w.enc.EncodeTile(info, verts, layers...))
}

// WriteEncoded writes the next tile in row-major order. It panics if another
// tile is next.
func (w *Writer) WriteEncoded(e *Encoded) error {
	nx, ny := w.world.Tiles()
	if want := (terrain.Key{X: int32(w.tiles % nx), Y: int32(w.tiles / nx)}); e.Info.Key != want {
		panic(fmt.Sprintf("chunkfile: tile %v written where %v is next", e.Info.Key, want))
	}
	if w.err != nil {
		return w.err
	}
	if msg := checkTile(w.world, &e.Info); msg != "" {
		return w.fail(fmt.Errorf("%s: tile %v: %s", w.path, e.Info.Key, msg))
	}
	w.dir = appendTile(w.dir, &e.Info, e.chunks, e.layers)
	w.stats.add(e.chunks, e.layers)
	w.off += int64(len(e.data))
	w.crc = crc32.Update(w.crc, castagnoli, e.data)
	w.tiles++
	if _, err := w.buf.Write(e.data); err != nil {
		return w.fail(err)
	}
	if row := w.tiles / nx; w.o.ShardRows > 0 && w.tiles%nx == 0 && row < ny && row-w.from == w.o.ShardRows {
		return w.nextShard(row)
	}
	return nil
}

// nextShard leaves the shard that ends before row and begins another.
func (w *Writer) nextShard(row int) error {
	err := w.leave(row)
	if err == nil {
		err = w.begin()
	}
	if err != nil {
		return w.fail(err)
	}
	return nil
}

// leave makes the chunks of a shard durable and keeps what its tail needs.
func (w *Writer) leave(row int) error {
	if err := w.buf.Flush(); err != nil {
		return err
	}
	if err := w.file.Sync(); err != nil {
		return err
	}
	if err := w.file.Close(); err != nil {
		return err
	}
	w.done = append(w.done, shardPart{From: w.from, Row: row, Off: w.off, Dir: bytes.Clone(w.dir)})
	w.from = row
	return nil
}

func (w *Writer) fail(err error) error {
	if w.err == nil {
		w.err = err
	}
	return err
}

// complete writes tail and header of the file and makes it durable.
func (w *Writer) complete(kind uint32, tiles rect, off int64, dir []byte) (size int64, crc uint32, err error) {
	rest := dir
	if kind != kindManifest {
		rest = append(w.o.Tables.append(nil), dir...)
	}
	plain := appendWorld(nil, w.world, tiles)
	tail := partly(append(le.AppendUint32(nil, uint32(len(plain))), plain...), rest)
	h := head{kind: kind, size: off + int64(len(tail)), tailOff: off, tailLen: int64(len(tail)), tailCRC: checksum(tail)}
	if _, err := w.file.WriteAt(tail, off); err != nil {
		return 0, 0, err
	}
	if _, err := w.file.WriteAt(h.append(nil), 0); err != nil {
		return 0, 0, err
	}
	w.stats.BytesTotal += h.size
	return h.size, h.tailCRC, w.file.Sync()
}

// Close completes the world, makes it durable and puts it in place. After an
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
	nx, ny := w.world.Tiles()
	all := rect{0, 0, nx, ny}
	if w.o.ShardRows > 0 {
		if err := w.finishShards(all); err != nil {
			return err
		}
	} else if _, _, err := w.complete(kindWorld, all, w.off, w.dir); err != nil {
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
	if w.o.Ready != nil {
		if err := w.o.Ready(tmp); err != nil {
			return err
		}
	}
	if err := w.file.Close(); err != nil {
		return err
	}
	if err := os.Rename(tmp, w.path); err != nil {
		return err
	}
	w.removeOld()
	return syncDir(filepath.Dir(w.path))
}

// finishShards completes all shards, gives them their names, and writes the
// manifest. Until that is in place, nothing refers to them.
func (w *Writer) finishShards(all rect) error {
	if err := w.leave(all.y1); err != nil {
		return err
	}
	var shards []shardEntry
	for i := range w.done {
		if err := w.claimed(); err != nil {
			return err
		}
		p := &w.done[i]
		tmp := tempShard(w.path, i)
		f, err := os.OpenFile(tmp, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		w.file = f
		e := shardEntry{tiles: rect{0, p.From, all.x1, p.Row}}
		if e.size, e.crc, err = w.complete(kindShard, e.tiles, p.Off, p.Dir); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
		e.name = shardName(w.path, i, e.crc)
		if err := os.Rename(tmp, filepath.Join(filepath.Dir(w.path), e.name)); err != nil {
			return err
		}
		p.entry = e
		shards = append(shards, e)
	}
	if err := w.claimed(); err != nil {
		return err
	}
	w.take(w.claim)
	w.claim = nil
	_, _, err := w.complete(kindManifest, all, headLen, appendShards(nil, shards))
	return err
}

// removeOld removes shards with names of this path that are none of the world that
// is there now: of the one before, or of one whose manifest was never written.
func (w *Writer) removeOld() {
	now := map[string]bool{}
	for _, s := range w.done {
		now[s.entry.name] = true
	}
	dir, base := filepath.Split(w.path)
	ext := filepath.Ext(base)
	for _, name := range w.beside() {
		rest, ok := strings.CutPrefix(name, strings.TrimSuffix(base, ext)+"-")
		rest, ok2 := strings.CutSuffix(rest, ext)
		number, crc, ok3 := strings.Cut(rest, "-")
		if ok && ok2 && ok3 && !now[name] && len(number) >= 4 && len(crc) == 8 && isNumber(number, 10) && isNumber(crc, 16) && IsShard(filepath.Join(dir, name)) {
			os.Remove(filepath.Join(dir, name))
		}
	}
}

// IsShard says whether the file at path begins like a shard, a part of a world.
func IsShard(path string) bool {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, headLen)
	return readFull(f, b, 0) == nil && string(b[:8]) == magic && le.Uint32(b[8:]) == version && le.Uint32(b[44:]) == kindShard
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

// Stats returns the sizes of the world after Close.
func (w *Writer) Stats() Stats { return w.stats.done() }

// Abort removes what was written. After Close it does nothing.
func (w *Writer) Abort() {
	if w.file == nil {
		return
	}
	ours, err := w.file.Stat()
	w.file.Close()
	there, err2 := os.Stat(w.file.Name())
	if err == nil && err2 == nil && os.SameFile(ours, there) {
		os.Remove(w.file.Name())
	}
	still := err2 == nil && os.SameFile(ours, there) // the manifest, once it is begun, is the claim itself
	if w.claim != nil {
		still = w.unstake()
	}
	if w.o.ShardRows > 0 && still {
		for i, s := range w.done {
			os.Remove(tempShard(w.path, i))
			if n := s.entry.name; n != "" && !w.inUse(n) {
				os.Remove(filepath.Join(filepath.Dir(w.path), n))
			}
		}
	}
	w.file = nil
	w.fail(os.ErrClosed)
}

// inUse says whether the world at the path has a shard of that name.
func (w *Writer) inUse(name string) bool {
	r, err := OpenFile(w.path)
	if err != nil {
		return false
	}
	defer r.Close()
	return slices.Contains(r.names, name)
}
