package chunkfile

import (
	"fmt"
	"slices"

	"github.com/vkterrain/vkterrain/terrain"
)

// Place returns where the chunk of a level lies: in which of the world's files, from
// which byte on, and how many bytes. They are 0 where the file lacks the level. It
// panics if there is no such tile or level.
func (r *Reader) Place(k terrain.Key, level terrain.Level) (file int, offset, size int64) {
	i := r.chunk("Place", k, level)
	c := r.tileChunks(i)[level]
	for i >= r.files[file].tiles {
		file++
	}
	return file, c.off, int64(c.stored)
}

// ReadRange fills b with the bytes of a file from offset on: with those of any number of
// chunks at a time, see Place. Any goroutine may call it.
func (r *Reader) ReadRange(file int, b []byte, offset int64) error {
	if file >= len(r.files) { // it was that of another file in this one's place
		return fmt.Errorf("%d bytes of file %d of %d: %w", len(b), file, len(r.files), ErrMissing)
	}
	if err := readFull(r.files[file].r, b, offset); err != nil {
		return readError(fmt.Sprintf("%d bytes", len(b)), offset, err)
	}
	return nil
}

// DecodeLevel is ReadLevel of a chunk that has been read, see ReadRange.
func (r *Reader) DecodeLevel(d *Decoder, verts []terrain.Vertex, k terrain.Key, level terrain.Level, chunk []byte) error {
	c := r.tileChunks(r.chunk("DecodeLevel", k, level))[level]
	if c.stored == 0 || len(chunk) != int(c.stored) {
		return fmt.Errorf("%s: %d bytes of %d: %w", chunkName(k, level), len(chunk), c.stored, ErrMissing)
	}
	d.chunk = append(slices.Grow(d.chunk[:0], len(chunk)+bitSlack), chunk...)
	if checksum(d.chunk) != c.crc {
		return corrupt(chunkName(k, level), c.off, "checksum does not match")
	}
	return r.decodeChunk(d, verts, k, level, c)
}

// decodeChunk decodes the chunk in d.chunk.
func (r *Reader) decodeChunk(d *Decoder, verts []terrain.Vertex, k terrain.Key, level terrain.Level, c entry) error {
	var err error
	if r.version == oldVersion {
		d.old.unpack = &d.unpack
		err = d.old.decode(r.world, verts, level, d.chunk[:c.heights], d.chunk[c.heights:])
	} else {
		err = d.decode(r.world, r.tables, verts, k, level, d.chunk[:c.heights], d.chunk[c.heights:])
	}
	if err != nil {
		return corrupt(chunkName(k, level), c.off, "%v", err)
	}
	return nil
}
