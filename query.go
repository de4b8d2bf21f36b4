package vkterrain

import "github.com/vkterrain/vkterrain/terrain"

// GroundHeight returns the height in metres of the ground at world position
// (x, z): that of the triangles which the finest level in CPU memory makes
// there. ok is false outside the world and where nothing is loaded yet. The
// goroutine that calls Prepare may call it, between any two calls. It costs a
// few lookups and allocates nothing.
func (t *Terrain) GroundHeight(x, z float64) (y float64, ok bool) {
	w := t.world
	gx, gz := (x-w.OriginX)/w.Spacing, (z-w.OriginZ)/w.Spacing
	if !(gx >= 0 && gz >= 0 && gx <= float64(w.Width-1) && gz <= float64(w.Height-1)) {
		return 0, false
	}
	cells := w.TileSize - 1
	nx, ny := w.Tiles()
	k := terrain.Key{X: int32(min(int(gx)/cells, nx-1)), Y: int32(min(int(gz)/cells, ny-1))}
	tile := t.stream.Tile(k)
	if tile == nil || tile.CPU == nil {
		return 0, false
	}
	x0, z0 := int(k.X)*cells, int(k.Y)*cells
	step := 1 << tile.CPU.Level
	cx, u := along(gx-float64(x0), w.Width-1-x0, step)
	cz, v := along(gz-float64(z0), w.Height-1-z0, step)

	size, ids := w.TileSize, w.Layout().ID
	at := func(x, z int) float64 {
		q := tile.Info.Base + int32(tile.CPU.Verts[ids[z*size+x]].Height)
		return float64(float32(q) * float32(w.Quantum))
	}
	nw, ne := at(cx, cz), at(cx+step, cz)
	sw, se := at(cx, cz+step), at(cx+step, cz+step)
	// Bisection cuts a square through the corner that is the centre of the next
	// coarser one: both coordinates odd.
	if (cx/step+cz/step)%2 == 0 {
		if u > v {
			return nw + u*(ne-nw) + v*(se-ne), true
		}
		return nw + v*(sw-nw) + u*(se-sw), true
	}
	if u+v < 1 {
		return nw + u*(ne-nw) + v*(sw-nw), true
	}
	return se + (1-u)*(sw-se) + (1-v)*(ne-se), true
}

// along finds, on one axis of a tile, the square of step cells that holds p: its
// first column, and where p is in it, 0 to 1. What lies beyond the rim of the
// source is drawn on the rim, so the last square may be narrower.
func along(p float64, rim, step int) (first int, share float64) {
	rim = max(rim, 1)
	first = min(int(p), rim-1) &^ (step - 1)
	return first, (p - float64(first)) / float64(min(step, rim-first))
}
