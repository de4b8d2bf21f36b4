package soar

import (
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// question is what decides on the vertices of one tile: law, picture and what
// the neighbours have loaded.
type question struct {
	verts  []terrain.Vertex
	coarse []terrain.Vertex // copies, see plan
	size   int              // samples a side
	xs, zs []float64        // metres from the eye to columns and rows of one tier, where axes has been
	base   int32
	x0, z0 int // column and row of the tile's first vertex in the world
	law    lodcpu.Law

	reach  [2 * maxTiers]float64 // A + r by order
	share  float64               // see lodcpu.Law.Hazed
	far    float64
	ball   [2 * maxTiers]float64 // see lodcpu.Law.Ball
	sides  lodcpu.Sides          // of the picture
	planes [4][4]float64         // the same, if any

	near  [maxTiers]lodcpu.Reach
	mixed bool // a neighbour is coarser: ask near
	zone  [9]int

	seamsOf []uint64 // of blocks, for a kernel
}

// maxTiers is the number of tiers of the largest tile.
const maxTiers = 11

// start sets up for a tile whose tiers from finest on are asked.
func (q *question) start(l *terrain.Layout, t *terrain.Tile, near *lodcpu.Neighbourhood, law *lodcpu.Law, finest int) {
	q.verts, q.size, q.base = t.Verts, l.Size, t.Info.Base
	q.x0, q.z0 = int(t.Info.Key.X)*l.Cells, int(t.Info.Key.Y)*l.Cells
	q.law, q.sides = *law, law.Cull.Sides()
	q.share, q.far = law.Hazed()
	for i := range q.planes {
		p := &q.planes[i]
		p[0], p[1], p[2], p[3] = law.Cull.Plane(i)
	}
	for o := 2 * finest; o < l.Orders(); o++ {
		q.reach[o] = law.A + float64(law.Radius[o])
		q.ball[o] = law.Ball(o)
	}
	if q.mixed = near.Mixed(); q.mixed {
		for i := finest; i < l.Log2; i++ {
			q.near[i] = near.Reach(1 << i)
		}
		for i, level := range near {
			if q.zone[i] = 0; level > near[lodcpu.Own] {
				q.zone[i] = 1 << level
			}
		}
	}
}

// axes fills xs and zs for the blocks of tier i in a.
func (q *question) axes(i int, a area) {
	l := &q.law
	offsets(q.xs[2*a.west:2*a.east+3], q.x0+2*a.west<<i, 1<<i, l.RimColumn, l.OriginX, l.Spacing, l.Eye[0])
	offsets(q.zs[2*a.north:2*a.south+3], q.z0+2*a.north<<i, 1<<i, l.RimLine, l.OriginZ, l.Spacing, l.Eye[2])
}

// offsets fills dst with what lodcpu.Law.OffsetX returns, to the last bit, of every
// step-th column from first on.
func offsets(dst []float64, first, step, rim int, origin, spacing, eye float64) {
	inside := 0
	if first <= rim {
		inside = min((rim-first)/step+1, len(dst))
	}
	column := float64(first) // whole numbers: sums are exact
	for i := range dst[:inside] {
		dst[i] = origin + float64(column*spacing) - eye
		column += float64(step)
	}
	for i := range dst[inside:] {
		dst[inside+i] = origin + float64(float64(rim)*spacing) - eye
	}
}

// ask says whether vertex v in a column and a row of the tier of its order is active;
// of the sides of the picture in sides, cut is those that its descendants must ask.
func (q *question) ask(v *terrain.Vertex, column, row, order int, sides lodcpu.Sides) (cut lodcpu.Sides, active bool) {
	c := float64(terrain.CoefMetres(v.Coef))
	dx, dz := q.xs[column], q.zs[row]
	dy := float64(float64(q.base+int32(v.Height))*q.law.Quantum) - q.law.Eye[1]
	t := float64(c * q.law.B)
	reach := min(t, float64(t*q.share)+q.far) + q.reach[order]
	if float64(dx*dx)+float64(dz*dz)+float64(dy*dy) >= float64(reach*reach) {
		return 0, false
	}
	if i := order >> 1; q.mixed && !q.near[i].Eligible(column<<i, row<<i, q.size-1) {
		return 0, false
	}
	if sides == 0 {
		return 0, true
	}
	return q.law.Cull.Sees(sides, dx, dy, dz, q.ball[order]+c)
}

// care is what must be asked of a block's descendants beside the law: sides of
// the picture, and whether they are loaded on both sides of a seam.
type care uint8

const (
	careSides = 1<<4 - 1
	careSeams = 1 << 4
)

// rootCare returns the care of the whole tile.
func (q *question) rootCare() care {
	c := care(q.sides)
	if q.mixed {
		c |= careSeams
	}
	return c
}

// seams says whether some vertex of the square of a side from (x, z) on may be too
// close to a coarser neighbour.
func (q *question) seams(x, z, side int) bool {
	c := q.size - 1
	e, s := c-x-side, c-z-side
	t := &q.zone
	return z < t[1] || x < t[3] || e < t[5] || s < t[7] ||
		max(x, z) < t[0] || max(e, z) < t[2] || max(x, s) < t[6] || max(e, s) < t[8]
}

// anywhere is seamsAt of a block that is far from coarser neighbours.
const anywhere = 0xfff << 32

// seamsAt says of the quarters of block b, which are blocks of tier i, which of their
// twelve vertices are eligible, three bits a quarter from bit 32 on; and which of them
// are so close to a coarser neighbour that their descendants must be asked, careSeams
// in a byte a quarter.
func (q *question) seamsAt(i int, b block) (seams uint64) {
	s := 1 << i
	reach := &q.near[i]
	for k := range 4 {
		child := b.quarter(k)
		x, z := 2*child.column()*s, 2*child.row()*s
		for j, d := range [3][2]int{{s, 0}, {0, s}, {s, s}} {
			if reach.Eligible(x+d[0], z+d[1], q.size-1) {
				seams |= 1 << (32 + 3*k + j)
			}
		}
		if q.seams(x, z, 2*s) {
			seams |= careSeams << (8 * k)
		}
	}
	return seams
}
