package query

import (
	"math"
	"slices"

	"github.com/vkterrain/vkterrain/terrain"
)

// grid is how a world is cut into tiles and squares.
type grid struct {
	world  *terrain.World
	layout *terrain.Layout
	nx, nz int // tiles; of an endless world as many as there is room for, powers of two
	bounds pyramid[int32]

	lastX, lastZ int // column and row of samples
}

// newTorus returns a grid of an endless world, with room for at least side×side tiles.
// One takes the place of the one that lies a multiple of that away.
func newTorus(w *terrain.World, side int) *grid {
	g := &grid{world: w, layout: w.Layout(), nx: 1}
	g.lastX, g.lastZ = w.Rim()
	for g.nx < side {
		g.nx *= 2
	}
	g.nz = g.nx
	return g
}

func newGrid(w *terrain.World, tiles []terrain.TileInfo) *grid {
	g := &grid{world: w, layout: w.Layout()}
	g.lastX, g.lastZ = w.Rim()
	g.nx, g.nz = w.Tiles()
	g.bounds = newPyramid[int32](g.nx, g.nz)
	for i := range tiles {
		if t := &tiles[i]; w.Has(t.Key) {
			g.bounds.set(int(t.Key.X), int(t.Key.Y), span[int32]{t.Min, t.Max})
		}
	}
	g.bounds.build()
	return g
}

// widened returns g with bounds that hold tiles as well.
func (g *grid) widened(tiles []*terrain.TileInfo) *grid {
	w := *g
	w.bounds.spans = slices.Clone(g.bounds.spans)
	for _, t := range tiles {
		if x, z := int(t.Key.X), int(t.Key.Y); g.world.Has(t.Key) {
			s := w.bounds.at(0, x, z)
			w.bounds.set(x, z, span[int32]{min(s.lo, t.Min), max(s.hi, t.Max)})
		}
	}
	w.bounds.build()
	return &w
}

// index returns the place of tile k in a table of all tiles.
func (g *grid) index(k terrain.Key) int { return g.indexAt(int(k.X), int(k.Y)) }

func (g *grid) indexAt(x, z int) int {
	if g.world.Endless {
		return z&(g.nz-1)*g.nx + x&(g.nx-1)
	}
	return z*g.nx + x
}

func (g *grid) key(i int) terrain.Key {
	return terrain.Key{X: int32(i % g.nx), Y: int32(i / g.nx)}
}

// column returns the world position of a grid column. What lies beyond the rim of
// the source is drawn on the rim.
func (g *grid) column(i int) float64 {
	return g.world.OriginX + float64(float64(min(i, g.lastX))*g.world.Spacing)
}

func (g *grid) row(i int) float64 {
	return g.world.OriginZ + float64(float64(min(i, g.lastZ))*g.world.Spacing)
}

// place is a point in units of the grid and the tile that holds it.
type place struct {
	x, z float64
	tile int
}

// locate finds a point; ok is false outside the world. A point on a seam is said
// to be in the tile east or south of it, if there is one.
func (g *grid) locate(p Point) (at place, ok bool) {
	w := g.world
	at.x, at.z = (p.X-w.OriginX)/w.Spacing, (p.Z-w.OriginZ)/w.Spacing
	if w.Endless {
		if !(math.Abs(at.x) < 1<<52 && math.Abs(at.z) < 1<<52) {
			return at, false
		}
		at.tile = g.indexAt(int(math.Floor(at.x))>>g.layout.Log2, int(math.Floor(at.z))>>g.layout.Log2)
		return at, true
	}
	if !(at.x >= 0 && at.z >= 0 && at.x <= float64(w.Width-1) && at.z <= float64(w.Height-1)) {
		return at, false
	}
	x, z := min(int(at.x)>>g.layout.Log2, g.nx-1), min(int(at.z)>>g.layout.Log2, g.nz-1)
	at.tile = z*g.nx + x
	return at, true
}

// others returns the tiles beside at.tile that hold the point too, which is then
// on a seam: 0, 1 or 3 of them.
func (g *grid) others(at place) (tiles [3]int, n int) {
	if g.world.Endless {
		return g.othersOnTorus(at)
	}
	x, z := at.tile%g.nx, at.tile/g.nx
	west := x > 0 && at.x == float64(x*g.layout.Cells)
	north := z > 0 && at.z == float64(z*g.layout.Cells)
	if west {
		tiles[n] = at.tile - 1
		n++
	}
	if north {
		tiles[n] = at.tile - g.nx
		n++
	}
	if west && north {
		tiles[n] = at.tile - g.nx - 1
		n++
	}
	return tiles, n
}

func (g *grid) othersOnTorus(at place) (tiles [3]int, n int) {
	column, row := int(math.Floor(at.x)), int(math.Floor(at.z))
	x, z := column>>g.layout.Log2, row>>g.layout.Log2
	west, north := at.x == float64(x*g.layout.Cells), at.z == float64(z*g.layout.Cells)
	for _, d := range [3][2]bool{{true, false}, {false, true}, {true, true}} {
		if (!d[0] || west) && (!d[1] || north) {
			tiles[n] = g.indexAt(x-one(d[0]), z-one(d[1]))
			n++
		}
	}
	return tiles, n
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// upward returns the unit normal of a plane that rises by dx metres a metre
// eastward and by dz southward.
func upward(dx, dz float64) [3]float64 {
	s := 1 / math.Sqrt(1+dx*dx+dz*dz)
	return [3]float64{-dx * s, s, -dz * s}
}
