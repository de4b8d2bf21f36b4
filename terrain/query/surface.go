package query

import (
	"math"

	"github.com/vkterrain/vkterrain/terrain"
)

// surface is the triangles of one tile at one level. It holds its heights either
// row by row or as vertices in the order of ids.
type surface struct {
	g      *grid
	info   *terrain.TileInfo
	level  terrain.Level
	step   int // cells between two vertices
	x0, z0 int // first column and row in the world

	heights []uint16         // level 0, row by row, or
	hole    []uint64         // a bit a sample, if the tile has holes
	verts   []terrain.Vertex // by id

	bounds pyramid[uint16] // of blocks of 2×2 cells, if it has heights
}

// place sets all that follows from the tile and the level.
func (s *surface) place(g *grid, info *terrain.TileInfo, level terrain.Level) {
	s.g, s.info, s.level, s.step = g, info, level, 1<<level
	s.x0, s.z0 = int(info.Key.X)*g.layout.Cells, int(info.Key.Y)*g.layout.Cells
}

// meets says whether a place that was looked for there is in the tile: on a torus
// another one may be.
func (s *surface) meets(at place) bool { return !s.g.world.Endless || s.has(at) }

// corner is one vertex: its height in metres, as it is drawn.
type corner struct {
	y    float64
	hole bool
}

func (s *surface) at(x, z int) corner {
	i := z*s.g.layout.Size + x
	var h uint16
	var hole bool
	if s.verts == nil {
		h = s.heights[i]
		hole = s.info.Holes && s.hole[i/64]>>(i%64)&1 == 1
	} else {
		v := &s.verts[s.g.layout.ID[i]]
		h, hole = v.Height, s.info.Holes && v.Hole()
	}
	return corner{float64(float32(s.info.Base+int32(h)) * float32(s.g.world.Quantum)), hole}
}

// square is the four corners of a square and how it is cut: bisection cuts through
// the corner that is the centre of the next coarser square, where both coordinates
// are odd.
type square struct {
	nw, ne, sw, se corner
	falling        bool // from north-west to south-east
}

func (s *surface) square(x, z int) square {
	return square{
		nw: s.at(x, z), ne: s.at(x+s.step, z), sw: s.at(x, z+s.step), se: s.at(x+s.step, z+s.step),
		falling: (x/s.step+z/s.step)%2 == 0,
	}
}

// plane is the height at a point and how it changes along the axes, in metres
// across the square.
type plane struct{ y, du, dv float64 }

// plane returns the surface at (u, v) in the square, 0 to 1 eastward and
// southward; ok is false in a hole.
func (q *square) plane(u, v float64) (plane, bool) {
	if q.falling {
		if u >= v && !(q.nw.hole || q.ne.hole || q.se.hole) {
			du, dv := q.ne.y-q.nw.y, q.se.y-q.ne.y
			return plane{q.nw.y + u*du + v*dv, du, dv}, true
		}
		if u <= v && !(q.nw.hole || q.sw.hole || q.se.hole) {
			du, dv := q.se.y-q.sw.y, q.sw.y-q.nw.y
			return plane{q.nw.y + u*du + v*dv, du, dv}, true
		}
		return plane{}, false
	}
	if u+v <= 1 && !(q.nw.hole || q.ne.hole || q.sw.hole) {
		du, dv := q.ne.y-q.nw.y, q.sw.y-q.nw.y
		return plane{q.nw.y + u*du + v*dv, du, dv}, true
	}
	if u+v >= 1 && !(q.se.hole || q.ne.hole || q.sw.hole) {
		du, dv := q.se.y-q.sw.y, q.se.y-q.ne.y
		return plane{q.se.y - (1-u)*du - (1-v)*dv, du, dv}, true
	}
	return plane{}, false
}

// spot is the surface at a point.
type spot struct{ y, dx, dz float64 } // metres; metres a metre

// spot returns the surface at a place; ok is false in a hole.
func (s *surface) spot(at place) (p spot, ok bool) {
	x, u := s.along(at.x-float64(s.x0), s.g.lastX-s.x0)
	z, v := s.along(at.z-float64(s.z0), s.g.lastZ-s.z0)
	if p, ok = s.within(x, z, u, v); ok {
		return p, true
	}
	// A triangle of another square may have the point on its border.
	west, north := u == 0 && x > 0, v == 0 && z > 0
	if west {
		p, ok = s.within(x-s.step, z, 1, v)
	}
	if north && !ok {
		p, ok = s.within(x, z-s.step, u, 1)
	}
	if west && north && !ok {
		p, ok = s.within(x-s.step, z-s.step, 1, 1)
	}
	return p, ok
}

// along finds, on one axis of the tile, the square that holds p: its first column,
// and where p is in it, 0 to 1. rim is the last column of the source.
func (s *surface) along(p float64, rim int) (first int, share float64) {
	rim = min(max(rim, 1), s.g.layout.Cells)
	first = min(int(p), rim-1) &^ (s.step - 1)
	return first, (p - float64(first)) / float64(s.width(first, rim))
}

// width returns the cells that a square covers on one axis. What lies beyond the
// rim of the source is drawn on the rim, so the last square may be narrower.
func (s *surface) width(first, rim int) int { return min(s.step, max(rim, 1)-first) }

// within returns the surface at (u, v) in the square at column x, row z.
func (s *surface) within(x, z int, u, v float64) (spot, bool) {
	q, w := s.square(x, z), s.g.world
	p, ok := q.plane(u, v)
	wide := float64(s.width(x, s.g.lastX-s.x0)) * w.Spacing
	high := float64(s.width(z, s.g.lastZ-s.z0)) * w.Spacing
	return spot{p.y, p.du / wide, p.dv / high}, ok
}

// bound returns the metres that the full resolution may be off: the largest
// coefficient of what the level leaves out.
func (s *surface) bound() float64 {
	worst := s.g.world.MaxError
	for _, c := range s.info.Coef[:s.level] {
		worst = max(worst, float64(c))
	}
	return worst
}

// ground returns all that is known of a spot.
func (s *surface) ground(p spot) Ground {
	return Ground{
		OK: true, Height: p.y, Normal: upward(p.dx, p.dz), Slope: math.Atan(math.Hypot(p.dx, p.dz)),
		Error: s.bound(), Tile: s.info.Key, Level: s.level,
	}
}
