package chunkfile

import "github.com/vkterrain/vkterrain/terrain"

// Verify reads the whole file and calls report for every damaged chunk: one
// whose bytes do not match their checksum, that does not decode, or that
// contradicts its tile's directory entry. The error is that of reading, not of
// damage.
func (r *Reader) Verify(report func(ChunkError)) error {
	d := NewDecoder()
	verts := make([]terrain.Vertex, len(r.layout.Grid))
	for i := range r.tiles {
		r.verifyTile(d, verts, i, report)
	}
	return nil
}

func (r *Reader) verifyTile(d *Decoder, verts []terrain.Vertex, i int, report func(ChunkError)) {
	t := &r.tiles[i]
	whole := true // all coarser levels are
	lo, hi := int32(0xffff), int32(0)
	for l := r.layout.Levels - 1; l >= 0; l-- {
		level := terrain.Level(l)
		c := r.tileChunks(i)[level]
		if c.stored == 0 {
			return // a repaired file lacks it
		}
		var err error
		if whole {
			err = r.ReadLevel(d, verts, t.Key, level)
		} else {
			// It cannot be predicted any more, but its bytes can be checked.
			err = r.readChunk(d, i, c, chunkName, t.Key, level)
		}
		if err != nil {
			whole = false
			report(ChunkError{t.Key, level, err})
			continue
		}
		if !whole {
			continue
		}
		first, end := r.layout.Range(level)
		for _, v := range verts[first:end] {
			lo, hi = min(lo, int32(v.Height)), max(hi, int32(v.Height))
		}
		if l == 0 && (t.Base+lo != t.Min || t.Base+hi != t.Max) {
			report(ChunkError{t.Key, level, corrupt(chunkName(t.Key, level), c.off,
				"heights %d to %d, the directory says %d to %d", t.Base+lo, t.Base+hi, t.Min, t.Max)})
		}
	}
}
