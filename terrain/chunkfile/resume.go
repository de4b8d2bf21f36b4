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

// progress is the state of a Writer whose chunks are in its files so far.
type progress struct {
	Off    int64
	CRC    uint32
	Tiles  int
	Stats  *Stats
	Dir    []byte
	Tables []byte

	ShardRows, From int
	Shards          []shardPart
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
	return json.Marshal(progress{
		Off: w.off, CRC: w.crc, Tiles: w.tiles, Stats: w.stats, Dir: w.dir,
		Tables: w.o.Tables.append(nil), ShardRows: w.o.ShardRows, From: w.from, Shards: w.done,
	})
}

// Resume goes on with files that a killed program left, of the same world, where
// its Writer said state. Everything that is in the last file is checked. After an
// error [Create] begins anew, and removes what is there.
func Resume(path string, w *terrain.World, state []byte) (*Writer, error) {
	var p progress
	if err := json.Unmarshal(state, &p); err != nil {
		return nil, fmt.Errorf("%s: state of another version: %w", path, err)
	}
	tables, rest, ok := parseTables(p.Tables)
	if !ok || len(rest) != 0 {
		return nil, fmt.Errorf("%s: state of another version", path)
	}
	wr, err := newWriter(path, w, &WriterOptions{Tables: tables, ShardRows: p.ShardRows})
	if err != nil {
		return nil, err
	}
	if err := wr.adoptShards(&p); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f, err := os.OpenFile(wr.tempNow(), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if err := wr.adopt(f, &p); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := wr.stake(); err != nil {
		f.Close()
		return nil, err
	}
	return wr, nil
}

// adoptShards takes over the shards that are written.
func (w *Writer) adoptShards(p *progress) error {
	for i, s := range p.Shards {
		st, err := os.Stat(tempShard(w.path, i))
		if err != nil {
			return err
		}
		if st.Size() != s.Off {
			return errors.New("what was written is damaged")
		}
	}
	w.done = p.Shards
	return nil
}

// adopt makes w go on with f after p.
func (w *Writer) adopt(f *os.File, p *progress) error {
	st, err := f.Stat()
	switch {
	case err != nil:
		return err
	case !st.Mode().IsRegular():
		return errors.New("not a regular file")
	case !hold(f):
		return errors.New("another program writes this file")
	case p.Off < headLen || p.Off > max(st.Size(), headLen) || p.Tiles < 0 || p.Tiles > tileCount(w.world) ||
		p.Stats == nil || len(p.Stats.BytesByLevel) != len(w.stats.BytesByLevel):
		return errors.New("state of another world")
	}
	w.take(f)
	if _, err := f.Seek(headLen, io.SeekStart); err != nil {
		return err
	}
	sum := crc32.New(castagnoli)
	if _, err := io.CopyN(sum, f, p.Off-headLen); err != nil {
		return err
	}
	if sum.Sum32() != p.CRC {
		return errors.New("what was written is damaged")
	}
	w.off, w.crc, w.tiles, w.stats, w.dir, w.from = p.Off, p.CRC, p.Tiles, p.Stats, p.Dir, p.From
	return f.Truncate(p.Off)
}
