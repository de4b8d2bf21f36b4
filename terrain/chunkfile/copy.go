package chunkfile

import (
	"bytes"
	"fmt"
	"os"
	"slices"

	"github.com/vkterrain/vkterrain/terrain"
)

// ReadEncoded returns tile k as it is stored, its layers included, after checking
// every chunk: what [Writer.WriteEncoded] makes of it in a file with the same tables
// are the same bytes. A file of version 1 gives an error that unwraps to
// [ErrUnsupported]: it has to be decoded. It panics if there is no such tile.
func (r *Reader) ReadEncoded(k terrain.Key) (*Encoded, error) {
	i := r.chunk("ReadEncoded", k, 0)
	if r.version != version {
		return nil, unsupported(8, "tiles of format version %d are not copied", r.version)
	}
	e := &Encoded{Info: r.tiles[i], chunks: slices.Clone(r.tileChunks(i)), layers: slices.Clone(r.tileLayers(i))}
	size := int64(0)
	e.each(func(c *entry) { size += int64(c.stored) })
	first := e.chunks[len(e.chunks)-1].off
	e.data = make([]byte, size)
	if err := readFull(r.fileOf(i), e.data, first); err != nil {
		return nil, readError(fmt.Sprintf("tile %v", k), first, err)
	}
	at := int64(0)
	for level := len(e.chunks) - 1; level >= 0; level-- {
		var err error
		e.eachOf(level, func(c *entry) {
			if data := e.data[at:][:c.stored]; err == nil && c.stored > 0 && checksum(data) != c.crc {
				err = corrupt(chunkName(k, terrain.Level(level)), first+at, "checksum does not match")
			}
			at += int64(c.stored)
		})
		if err != nil {
			return nil, err
		}
	}
	return e, nil
}

// eachOf calls do with the entries of a level in the order of their bytes.
func (e *Encoded) eachOf(level int, do func(c *entry)) {
	do(&e.chunks[level])
	per := len(e.layers) / len(e.chunks)
	for i := range per {
		do(&e.layers[level*per+i])
	}
}

func (e *Encoded) each(do func(c *entry)) {
	for level := len(e.chunks) - 1; level >= 0; level-- {
		e.eachOf(level, do)
	}
}

// LevelBytes returns the size of the chunk of a level, 0 if there is none.
func (e *Encoded) LevelBytes(level terrain.Level) int64 {
	if int(level) >= len(e.chunks) {
		return 0
	}
	return int64(e.chunks[level].stored)
}

// ReadLevel is [Reader.ReadLevel] of a tile that is in memory, of world w, coded
// with tables t.
func (e *Encoded) ReadLevel(d *Decoder, w *terrain.World, t *Tables, verts []terrain.Vertex, level terrain.Level) error {
	name := chunkName(e.Info.Key, level)
	if n := w.Layout().Count(level); len(verts) < n {
		panic(fmt.Sprintf("chunkfile: ReadLevel of %s needs %d vertices, got %d", name, n, len(verts)))
	}
	at := int64(0)
	for l := len(e.chunks) - 1; l > int(level); l-- {
		e.eachOf(l, func(c *entry) { at += int64(c.stored) })
	}
	c := e.chunks[level]
	if c.stored == 0 {
		return fmt.Errorf("%s: %w", name, ErrMissing)
	}
	d.chunk = append(slices.Grow(d.chunk[:0], int(c.stored)+bitSlack), e.data[at:][:c.stored]...)
	if err := d.decode(w, t, verts, e.Info.Key, level, d.chunk[:c.heights], d.chunk[c.heights:]); err != nil {
		return corrupt(name, 0, "%v", err)
	}
	return nil
}

// ShardRows returns how many rows of tiles the first shard of a world has, 0 if the
// world is one file.
func (r *Reader) ShardRows() int {
	if len(r.files) < 2 {
		return 0
	}
	return r.files[0].tiles / r.nx
}

// Whole says whether the file has all tiles of its world.
func (r *Reader) Whole() bool { return !slices.Contains(r.at, -1) }

// Hold marks f as this program's as long as it is open, where the system can. It
// returns false where another program, or another opening of the file, has done so.
func Hold(f *os.File) bool { return hold(f) }

// Same says whether two tiles are stored as the same bytes.
func (e *Encoded) Same(o *Encoded) bool { return bytes.Equal(e.data, o.data) }
