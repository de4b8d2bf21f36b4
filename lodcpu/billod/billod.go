package billod

import (
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// Refiner refines tiles of one size into one topology. Use one per goroutine.
type Refiner struct {
	layout   *terrain.Layout
	topology lodcpu.Topology
	classic  *classic // nil: by the law

	shift  uint     // bits of a packed position's column
	ids    []uint32 // packed position -> vertex id
	dx, dz []float64
	stack  []node // one is drawn, and up to three more wait for each depth
	walk   walk
}

// New returns a refiner for tiles of the given layout that keeps the bound of the law.
func New(layout *terrain.Layout, topology lodcpu.Topology) *Refiner {
	r := &Refiner{
		layout: layout, topology: topology, shift: uint(layout.Log2) + 1,
		dx: make([]float64, layout.Size), dz: make([]float64, layout.Size),
		stack: make([]node, 3*layout.Log2+1),
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
	// Two a triangle, one to begin a run and three to join it to the last one; a run
	// has two triangles at least.
	return 4 * triangles
}

// Refine implements [lodcpu.Refiner].
func (r *Refiner) Refine(dst []uint32, t *terrain.Tile, near *lodcpu.Neighbourhood, law *lodcpu.Law) (c lodcpu.Counts, ok bool) {
	w := r.start(dst, t, near, law)
	n := uint64(r.layout.Cells)
	w.stack[0] = node{
		ask:     w.cull.Sides(),
		centre:  w.vertex(n/2<<r.shift | n/2),
		corners: [4]vertex{w.vertex(n << r.shift), w.vertex(n<<r.shift | n), w.vertex(n), w.vertex(0)},
		order:   2*r.layout.Log2 - 2,
	}
	for w.depth = 1; w.depth > 0; {
		w.next()
	}
	c = lodcpu.Counts{Indices: w.n, Triangles: w.triangles, Degenerates: w.flat}
	if r.topology == lodcpu.Strip {
		c.Degenerates = max(w.n-2, 0) - c.Triangles
	}
	return c, !w.full
}

// start sets up the walk over one tile.
func (r *Refiner) start(dst []uint32, t *terrain.Tile, near *lodcpu.Neighbourhood, law *lodcpu.Law) *walk {
	level := min(near.Level(), terrain.Level(r.layout.Levels-1))
	if level < t.Level {
		panic("billod: neighbourhood claims a finer level than the tile holds")
	}
	w := &r.walk
	*w = walk{
		dst: dst, verts: t.Verts, ids: r.ids,
		dx: r.dx, dz: r.dz, shift: r.shift, mask: 1<<r.shift - 1,
		base: t.Info.Base, quantum: law.Quantum, eyeY: law.Eye[1], b: law.B, cull: law.Cull,
		last: 2 * int(level), cells: r.layout.Cells,
		rimX:  int(law.RimColumn) - int(t.Info.Key.X)*r.layout.Cells,
		rimZ:  int(law.RimLine) - int(t.Info.Key.Y)*r.layout.Cells,
		strip: r.topology == lodcpu.Strip,
		mixed: near.Mixed(), reach: w.reach, stack: r.stack,
	}
	w.padded = w.rimX < r.layout.Cells || w.rimZ < r.layout.Cells
	for order, radius := range law.Radius {
		w.reaches[order], w.balls[order] = law.A+float64(radius), law.Ball(order)
	}
	if r.classic != nil {
		r.classic.start(w, t, law)
	}
	w.touched = touch(t.Verts[:min(r.layout.Count(law.Needs(r.layout, t.Info)), len(t.Verts))])
	law.AxisOffsets(r.layout, t.Info.Key, 1<<level, r.dx, r.dz)
	if w.mixed {
		for i := int(level); i < r.layout.Log2; i++ {
			w.reach[i] = near.Reach(1 << i)
		}
	}
	return w
}

// touch reads one vertex of each cache line, in order, so that the hardware
// fetches ahead. It returns what it read lest it be optimised away.
func touch(verts []terrain.Vertex) (sum uint16) {
	for i := 0; i < len(verts); i += 64 / terrain.VertexBytes {
		sum += verts[i].Coef
	}
	return sum
}

// vertex packs a grid position (upper 32 bits: row<<shift | column) and an id
// (lower 32). Half the sum of two positions is the position between them.
type vertex uint64

// maxOrders is the number of orders of the largest tile.
const maxOrders = 22

// walk is the descent over one tile.
type walk struct {
	dst   []uint32
	n     int
	verts []terrain.Vertex
	ids   []uint32

	dx, dz        []float64 // metres from the eye to columns and rows
	shift         uint
	mask          uint64
	base          int32
	quantum, eyeY float64
	b             float64
	reaches       [maxOrders]float64 // of a coefficient of 0, by order
	balls         [maxOrders]float64 // see [lodcpu.Law.Ball]
	cull          lodcpu.Cull
	last          int // finest order loaded

	// By the published tests only.
	measures []byte // nil: by the law
	far      float64
	deltas   [maxOrders]float64 // what reaches is to deltas
	least    [maxOrders]float64 // whatever a vertex measures

	cells      int
	rimX, rimZ int
	padded     bool // part of the tile lies beyond the rim of the source
	mixed      bool // a neighbour is coarser: ask reach
	strip      bool
	full       bool   // dst was too short
	tail       uint32 // strip: the last index
	touched    uint16 // see touch
	triangles  int    // of some area
	flat       int    // of none, in the padding
	reach      [12]lodcpu.Reach

	stack []node
	depth int
}

func (w *walk) vertex(pos uint64) vertex { return vertex(pos<<32 | uint64(w.ids[pos])) }

// between returns the vertex in the middle of l and r, and whether it is shown; of the
// sides of the picture in ask, cut is those that its descendants must ask.
func (w *walk) between(l, r vertex, order int, ask lodcpu.Sides) (m vertex, cut lodcpu.Sides, shown bool) {
	if order < w.last {
		return 0, 0, false
	}
	pos := (uint64(l)>>32 + uint64(r)>>32) >> 1
	id := w.ids[pos]
	x, z := pos&w.mask, pos>>w.shift
	v := &w.verts[id]
	dx, dy, dz := w.dx[x], float64(w.base+int32(v.Height))*w.quantum-w.eyeY, w.dz[z]
	var reach float64
	if w.measures == nil {
		reach = w.b*float64(terrain.CoefMetres(v.Coef)) + w.reaches[order]
	} else {
		reach = w.measured(id, order)
	}
	if float64(dx*dx)+float64(dz*dz)+float64(dy*dy) >= reach*reach {
		return 0, 0, false
	}
	if ask != 0 {
		visible := false
		if cut, visible = w.cull.Sees(ask, dx, dy, dz, w.balls[order]+float64(terrain.CoefMetres(v.Coef))); !visible {
			return 0, 0, false
		}
	}
	if w.mixed && !w.reach[order>>1].Eligible(int(x), int(z), w.cells) {
		return 0, 0, false
	}
	return vertex(pos<<32 | uint64(id)), cut, true
}

// node is a node that is shown.
type node struct {
	centre  vertex
	corners [4]vertex // south-west, south-east, north-east, north-west
	order   int       // of its edge midpoints; that of its children's centres is the next
	parent  int       // the corner that is the centre of the node above
	ask     lodcpu.Sides
}

// next draws the node on top of the stack, and puts its children there.
func (w *walk) next() {
	w.depth--
	n := w.stack[w.depth]
	var mids [4]vertex // south, east, north, west
	var cut [4]lodcpu.Sides
	var shown [4]bool
	for i := range mids {
		mids[i], cut[i], shown[i] = w.between(n.corners[i], n.corners[(i+1)&3], n.order, n.ask)
	}
	if w.measures != nil && !(shown[0] || shown[1] || shown[2] || shown[3]) {
		w.square(&n)
		return
	}
	var below [4]bool
	for i := range below {
		if !shown[i] || !shown[(i+3)&3] {
			continue // a child is shown only if the midpoints on both sides of it are
		}
		centre, ask, there := w.between(n.centre, n.corners[i], n.order-1, cut[i]&cut[(i+3)&3])
		if below[i] = there; there {
			child := &w.stack[w.depth]
			w.depth++
			child.centre, child.order, child.parent, child.ask = centre, n.order-2, (i+2)&3, ask
			child.corners[i], child.corners[(i+1)&3] = n.corners[i], mids[i]
			child.corners[(i+2)&3], child.corners[(i+3)&3] = n.centre, mids[(i+3)&3]
		}
	}
	if w.strip {
		w.fanStrip(&n, &mids, &shown, &below)
	} else {
		w.fanList(&n, &mids, &shown, &below)
	}
}
