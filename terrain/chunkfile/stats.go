package chunkfile

import "github.com/vkterrain/vkterrain/terrain"

// Stats are the sizes of a world file, in bytes unless they say otherwise.
type Stats struct {
	Tiles, TileSize, Levels int

	Samples      int64   // of the source
	BytesTotal   int64   // the whole file
	BytesHeights int64   // all height sections
	BytesByLevel []int64 // chunks by level, finest first
	BytesLayers  int64   // all layers
	RawBytes     int64   // a float32 height and a float32 delta a sample
	SavedRatio   float64 // 1 - BytesHeights/RawBytes
}

// Stats returns the sizes of the file. They come from the directory alone.
func (r *Reader) Stats() Stats {
	s := newStats(r.world, r.size)
	for i := range r.tiles {
		s.add(r.tileChunks(i), r.tileLayers(i))
	}
	return s.done()
}

func newStats(w *terrain.World, size int64) *Stats {
	return &Stats{
		Tiles: tileCount(w), TileSize: w.TileSize, Levels: w.Layout().Levels,
		Samples: int64(w.Width) * int64(w.Height), BytesTotal: size,
		BytesByLevel: make([]int64, w.Layout().Levels),
	}
}

func (s *Stats) add(chunks, layers []entry) {
	for l, c := range chunks {
		s.BytesByLevel[l] += int64(c.stored)
		s.BytesHeights += int64(c.heights)
	}
	for _, l := range layers {
		s.BytesLayers += int64(l.stored)
	}
}

func (s *Stats) done() Stats {
	s.RawBytes = 8 * s.Samples
	s.SavedRatio = 1 - float64(s.BytesHeights)/float64(s.RawBytes)
	return *s
}
