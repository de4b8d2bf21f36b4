package chunkfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"github.com/vkterrain/vkterrain/terrain"
)

// progress is the state of a Writer whose chunks are in the file so far.
type progress struct {
	First, Off int64
	CRC        uint32
	Tiles      int
	Stats      *Stats
	Dir        []byte
}

// State returns what [Resume] needs to go on after the tiles written so far, all
// of which are in the file then. It is no part of the format: only this version of
// the package reads it.
func (w *Writer) State() ([]byte, error) {
	if w.err != nil {
		return nil, w.err
	}
	if err := w.buf.Flush(); err != nil {
		return nil, w.fail(err)
	}
	return json.Marshal(progress{w.first, w.off, w.crc, w.tiles, w.stats, w.dir})
}

// Resume goes on with a file that a killed program left, of the same world, where
// its Writer said state. Everything that is in the file is checked. After an error
// [Create] begins anew, and removes what is there.
func Resume(path string, w *terrain.World, state []byte) (*Writer, error) {
	if err := checkPlace(path, w); err != nil {
		return nil, err
	}
	var p progress
	if err := json.Unmarshal(state, &p); err != nil {
		return nil, fmt.Errorf("%s: state of another version: %w", path, err)
	}
	f, err := os.OpenFile(tempName(path), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	wr := newWriter(path, f, w)
	if err := wr.adopt(&p); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return wr, nil
}

// adopt makes w go on after p.
func (w *Writer) adopt(p *progress) error {
	st, err := w.file.Stat()
	switch {
	case err != nil:
		return err
	case !st.Mode().IsRegular():
		return errors.New("not a regular file")
	case !hold(w.file):
		return errors.New("another program writes this file")
	case p.First != w.first || p.Off < p.First || p.Off > st.Size() && p.Tiles > 0 || p.Tiles < 0 || p.Tiles > tileCount(w.world) ||
		p.Stats == nil || len(p.Stats.BytesByLevel) != len(w.stats.BytesByLevel):
		return errors.New("state of another world")
	}
	if _, err := w.file.Seek(p.First, io.SeekStart); err != nil {
		return err
	}
	sum := crc32.New(castagnoli)
	if _, err := io.CopyN(sum, w.file, p.Off-p.First); err != nil {
		return err
	}
	if sum.Sum32() != p.CRC {
		return errors.New("what was written is damaged")
	}
	w.off, w.crc, w.tiles, w.stats, w.dir = p.Off, p.CRC, p.Tiles, p.Stats, p.Dir
	return w.file.Truncate(p.Off)
}
