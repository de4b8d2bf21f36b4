// Package soar refines a tile by longest-edge bisection, as SOAR does: right
// isosceles triangles are split, from the coarsest on, until the vertex that would
// split one is not active.
//
// The hierarchy, and the single generalised triangle strip per tile, are those
// of Lindstrom and Pascucci, "Terrain Simplification Simplified: A General
// Framework for View-Dependent Out-of-Core Visualization", IEEE TVCG 8(3),
// 2002. The activation test is the law of package lodcpu, whose coefficients
// bound the error of what is drawn.
//
// The article descends one triangle after the other, and asks about each vertex
// from both of its triangles. Here a tile is descended tier by tier: for a square
// whose centre is active, the twelve vertices of its four quarters are asked
// together, and which of them are active is kept, a byte a square. What is drawn of
// a square follows from eight bits: which midpoints of its edges and which centres
// of its quarters are active. So lists are written from a table of fans. Strips
// walk the squares in the article's order.
package soar

import (
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// Refiner refines tiles of one size into one topology. Use one per goroutine.
type Refiner struct {
	layout   *terrain.Layout
	topology lodcpu.Topology
	walk     walk
}

// New returns a refiner for tiles of the given layout.
func New(layout *terrain.Layout, topology lodcpu.Topology) *Refiner {
	r := &Refiner{layout: layout, topology: topology}
	w := &r.walk
	w.plan = planFor(layout)
	w.coarse = make([]terrain.Vertex, len(w.plan.coarse))
	w.xs, w.zs = make([]float64, layout.Size), make([]float64, layout.Size)
	w.seamsOf = make([]uint64, max(layout.Cells/4, 1)*max(layout.Cells/4, 1)) // blocks of all tiers but the finest
	w.tiers = make([]found, len(w.plan.tiers))
	for i, t := range w.plan.tiers {
		w.tiers[i] = newFound(&t)
	}
	return r
}

// MaxIndices returns the most indices a tile loaded to level can need.
func (r *Refiner) MaxIndices(level terrain.Level) int {
	side := r.layout.Cells >> level
	triangles := 2 * side * side
	if r.topology == lodcpu.List {
		return 3 * triangles
	}
	// Each triangle appends its apex and at most one swap, each root its corner.
	return 2 * (triangles + 6)
}

// Refine implements [lodcpu.Refiner].
func (r *Refiner) Refine(dst []uint32, t *terrain.Tile, near *lodcpu.Neighbourhood, law *lodcpu.Law) (c lodcpu.Counts, ok bool) {
	return refine(r, dst, t, near, law)
}

// Narrow returns r for indices of 16 bits, which must be enough for its layout; it
// shares the memory of r.
func (r *Refiner) Narrow() lodcpu.RefinerOf[uint16] { return (*narrow)(r) }

// narrow is a refiner that writes indices of 16 bits.
type narrow Refiner

func (n *narrow) MaxIndices(level terrain.Level) int { return (*Refiner)(n).MaxIndices(level) }

func (n *narrow) Refine(dst []uint16, t *terrain.Tile, near *lodcpu.Neighbourhood, law *lodcpu.Law) (c lodcpu.Counts, ok bool) {
	return refine((*Refiner)(n), dst, t, near, law)
}

func refine[I lodcpu.Index](r *Refiner, dst []I, t *terrain.Tile, near *lodcpu.Neighbourhood, law *lodcpu.Law) (c lodcpu.Counts, ok bool) {
	w := writing[I]{walk: &r.walk, dst: dst}
	w.start(t, near, law)
	w.descend()
	if r.topology == lodcpu.List {
		w.list()
		return lodcpu.Counts{Indices: w.n, Triangles: w.n / 3, Degenerates: w.flat}, !w.full
	}
	w.strip()
	c = lodcpu.Counts{Indices: w.n, Triangles: w.triangles - w.flat}
	c.Degenerates = max(w.n-2, 0) - c.Triangles
	return c, !w.full
}

// writing is where the indices of a walk go.
type writing[I lodcpu.Index] struct {
	*walk
	dst  []I
	n    int
	full bool // dst was too short
}

// walk is the work on one tile.
type walk struct {
	question
	plan  *plan
	tiers []found
	// finest is the finest tier that may have active vertices, bottom the finest
	// whose vertices have been asked.
	finest, bottom int

	rimX, rimZ int  // last column and row of the source, in the tile
	padded     bool // part of the tile lies beyond the rim of the source
	triangles  int  // strip: triangles, with or without area
	flat       int  // triangles without area, in the padding

	// Of a strip.
	tail, head uint32 // its last two indices
	parity     uint32 // of the last
	items      [mostItems]item
	many       int // items
	stripTiers [maxTiers]stripTier
}

// start sets up the walk over one tile.
func (w *walk) start(t *terrain.Tile, near *lodcpu.Neighbourhood, law *lodcpu.Law) {
	l := w.plan.layout
	level := min(near.Level(), terrain.Level(l.Levels-1))
	if level < t.Level {
		panic("soar: neighbourhood claims a finer level than the tile holds")
	}
	w.finest = int(max(level, law.Needs(l, t.Info)))
	w.prefetch(t)
	w.question.start(l, t, near, law, w.finest)
	w.rimX = law.RimColumn - int(t.Info.Key.X)*l.Cells
	w.rimZ = law.RimLine - int(t.Info.Key.Y)*l.Cells
	w.padded = w.rimX < l.Cells || w.rimZ < l.Cells
	w.triangles, w.flat = 0, 0
}

// hasNoArea says whether a triangle collapses when its corners are clamped to
// the rim of the source.
func (w *walk) hasNoArea(a, b, c uint32) bool {
	ax, az := w.clamped(a)
	bx, bz := w.clamped(b)
	cx, cz := w.clamped(c)
	return (bx-ax)*(cz-az) == (cx-ax)*(bz-az)
}

func (w *walk) clamped(id uint32) (x, z int) {
	p := w.plan.layout.Grid[id]
	return min(int(p.X), w.rimX), min(int(p.Z), w.rimZ)
}
