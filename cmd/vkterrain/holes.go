package main

import (
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// countHoles returns how many samples of a world's source are holes. Only tiles
// that have some are read.
func countHoles(r *chunkfile.Reader) (n int64, err error) {
	w, l := r.World(), r.World().Layout()
	nx, nz := w.Tiles()
	d, verts := chunkfile.NewDecoder(), make([]terrain.Vertex, len(l.Grid))
	for i := range r.Tiles() {
		info := &r.Tiles()[i]
		if !info.Holes {
			continue
		}
		for level := l.Levels - 1; level >= 0; level-- {
			if err := r.ReadLevel(d, verts, info.Key, terrain.Level(level)); err != nil {
				return 0, err
			}
		}
		// The last column and row are the next tile's first, if there is one.
		columns, lines := l.Cells, l.Cells
		if int(info.Key.X) == nx-1 {
			columns = w.Width - int(info.Key.X)*l.Cells
		}
		if int(info.Key.Y) == nz-1 {
			lines = w.Height - int(info.Key.Y)*l.Cells
		}
		for id, p := range l.Grid {
			if verts[id].Hole() && int(p.X) < columns && int(p.Z) < lines {
				n++
			}
		}
	}
	return n, nil
}
