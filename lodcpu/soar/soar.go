// Package soar refines a tile by longest-edge bisection, as SOAR does: a
// top-down descent over right isosceles triangles that stops where the vertex
// that would split one is not active.
//
// The hierarchy, and the single generalised triangle strip per tile, are those
// of Lindstrom and Pascucci, "Terrain Simplification Simplified: A General
// Framework for View-Dependent Out-of-Core Visualization", IEEE TVCG 8(3),
// 2002. The activation test is the law of package lodcpu, whose coefficients
// bound the error of what is drawn.
package soar

import (
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// Refiner refines tiles of one size into one topology. Use one per goroutine.
type Refiner struct {
	layout   *terrain.Layout
	topology lodcpu.Topology
	shift    uint     // bits of a packed position's column
	ids      []uint32 // packed position -> vertex id
	walk     walk
	dx, dz   []float64
}

// New returns a refiner for tiles of the given layout.
func New(layout *terrain.Layout, topology lodcpu.Topology) *Refiner {
	r := &Refiner{
		layout: layout, topology: topology,
		shift: uint(layout.Log2) + 1,
		dx:    make([]float64, layout.Size), dz: make([]float64, layout.Size),
	}
	r.ids = make([]uint32, (layout.Cells<<r.shift)+layout.Size)
	for id, p := range layout.Grid {
		r.ids[int(p.Z)<<r.shift|int(p.X)] = uint32(id)
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
	w := r.start(dst, t, near, law)
	n := uint64(r.layout.Cells)
	sw, se := w.vertex(n<<r.shift), w.vertex(n<<r.shift|n)
	nw, ne := w.vertex(0), w.vertex(n)
	centre := w.vertex(n/2<<r.shift | n/2)
	top := 2*r.layout.Log2 - 2
	if r.topology == lodcpu.List {
		for _, e := range [4][2]vertex{{sw, se}, {se, ne}, {ne, nw}, {nw, sw}} {
			w.listTriangle(centre, e[0], e[1], top, w.cull.Sides())
		}
	} else {
		w.strip(centre, [4]vertex{sw, se, ne, nw}, top)
	}
	c = lodcpu.Counts{Indices: w.n, Triangles: w.leaves - w.flat}
	if r.topology == lodcpu.List {
		c.Degenerates = w.flat
	} else {
		c.Degenerates = max(w.n-2, 0) - c.Triangles
	}
	return c, !w.full
}

// start sets up the walk over one tile.
func (r *Refiner) start(dst []uint32, t *terrain.Tile, near *lodcpu.Neighbourhood, law *lodcpu.Law) *walk {
	level := min(near.Level(), terrain.Level(r.layout.Levels-1))
	if level < t.Level {
		panic("soar: neighbourhood claims a finer level than the tile holds")
	}
	w := &r.walk
	*w = walk{
		dst: dst, verts: t.Verts, ids: r.ids,
		dx: r.dx, dz: r.dz, shift: r.shift, mask: 1<<r.shift - 1,
		base: t.Info.Base, quantum: law.Quantum, eyeY: law.Eye[1],
		a: law.A, b: law.B, radius: law.Radius, cull: law.Cull,
		last: 2 * int(level), cells: r.layout.Cells,
		rimX:  int(law.RimColumn) - int(t.Info.Key.X)*r.layout.Cells,
		rimZ:  int(law.RimLine) - int(t.Info.Key.Y)*r.layout.Cells,
		mixed: near.Mixed(), reach: w.reach,
	}
	w.padded = w.rimX < r.layout.Cells || w.rimZ < r.layout.Cells
	w.touched = touch(t.Verts[:min(r.layout.Count(law.Needs(r.layout, t.Info)), len(t.Verts))])
	law.AxisOffsets(r.layout, t.Info.Key, 1<<level, r.dx, r.dz)
	for o := w.last; o < len(law.Radius); o++ {
		w.ball[o] = law.Ball(o)
	}
	if w.mixed {
		for i := int(level); i < r.layout.Log2; i++ {
			w.reach[i] = near.Reach(1 << i)
		}
	}
	return w
}

// touch reads one vertex of each cache line, in order, so that the hardware
// fetches ahead; the descent's own accesses are too scattered for that. It
// returns what it read lest it be optimised away.
func touch(verts []terrain.Vertex) (sum uint16) {
	for i := 0; i < len(verts); i += 64 / terrain.VertexBytes {
		sum += verts[i].Coef
	}
	return sum
}

// vertex packs a grid position (upper 32 bits: row<<shift | column) and an id
// (lower 32). Half the sum of two positions is the position between them.
type vertex uint64

// walk is the descent over one tile.
type walk struct {
	dst   []uint32
	n     int
	verts []terrain.Vertex
	ids   []uint32

	dx, dz        []float64   // metres from the eye to columns and rows
	ball          [32]float64 // see Law.Ball
	cull          lodcpu.Cull
	shift         uint
	mask          uint64
	base          int32
	quantum, eyeY float64
	a, b          float64
	radius        []float32
	last          int // finest order loaded

	cells      int
	rimX, rimZ int
	padded     bool // part of the tile lies beyond the rim of the source
	mixed      bool // a neighbour is coarser: ask reach
	full       bool // dst was too short
	swap       int  // strip: the parity of the last index
	tail, head uint32
	touched    uint16 // see touch
	leaves     int    // triangles of the mesh
	flat       int    // of them without area, in the padding
	reach      [12]lodcpu.Reach
}

func (w *walk) vertex(pos uint64) vertex { return vertex(pos<<32 | uint64(w.ids[pos])) }

// split returns the vertex that splits edge l–r and whether it is active; of the
// sides of the picture in ask, cut is those that its descendants must ask.
func (w *walk) split(l, r vertex, order int, ask lodcpu.Sides) (m vertex, cut lodcpu.Sides, active bool) {
	if order < w.last {
		return 0, 0, false
	}
	pos := (uint64(l)>>32 + uint64(r)>>32) >> 1
	id := w.ids[pos]
	x, z := pos&w.mask, pos>>w.shift
	v := &w.verts[id]
	c := float64(terrain.CoefMetres(v.Coef))
	dx, dy, dz := w.dx[x], float64(w.base+int32(v.Height))*w.quantum-w.eyeY, w.dz[z]
	reach := w.a + w.b*c + float64(w.radius[order])
	if float64(dx*dx)+float64(dz*dz)+float64(dy*dy) >= reach*reach {
		return 0, 0, false
	}
	if ask != 0 {
		visible := false
		if cut, visible = w.cull.Sees(ask, dx, dy, dz, w.ball[order]+c); !visible {
			return 0, 0, false
		}
	}
	if w.mixed && !w.reach[order>>1].Eligible(int(x), int(z), w.cells) {
		return 0, 0, false
	}
	return vertex(pos<<32 | uint64(id)), cut, true
}

// hasNoArea says whether a triangle collapses when its corners are clamped to
// the rim of the source.
func (w *walk) hasNoArea(a, b, c vertex) bool {
	ax, az := w.clamped(a)
	bx, bz := w.clamped(b)
	cx, cz := w.clamped(c)
	return (bx-ax)*(cz-az) == (cx-ax)*(bz-az)
}

func (w *walk) clamped(v vertex) (x, z int) {
	pos := uint64(v) >> 32
	return min(int(pos&w.mask), w.rimX), min(int(pos>>w.shift), w.rimZ)
}
