package chunkfile

import "github.com/vkterrain/vkterrain/terrain"

// Verify reads the whole world and calls report for every damaged chunk: one
// whose bytes do not match their checksum, that does not decode, or that
// contradicts its tile's directory entry. The error is that of reading, not of
// damage. Shards that are missing or damaged as a whole are among [Reader.Problems].
func (r *Reader) Verify(report func(ChunkError)) error {
	d := NewDecoder()
	verts := make([]terrain.Vertex, len(r.layout.Grid))
	for i := range r.tiles {
		r.verifyTile(d, verts, i, report)
	}
	return nil
}

// verifyLayers checks the layers of a level. What they decode to depends on the
// coarser levels; any bytes decode to something, so that does no harm.
func (r *Reader) verifyLayers(d *Decoder, i int, level terrain.Level, report func(ChunkError)) {
	k := r.tiles[i].Key
	for layer, l := range r.world.Layers {
		d.layer = sized(d.layer, r.layout.Count(level)*l.Bytes)
		if err := r.ReadLayer(d, d.layer, k, level, layer); err != nil {
			report(ChunkError{k, level, err})
		}
	}
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
		r.verifyLayers(d, i, level, report)
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
