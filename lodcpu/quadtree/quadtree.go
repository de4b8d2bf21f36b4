package quadtree

import (
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// Refiner refines tiles of one size into one topology. Use one per goroutine.
type Refiner struct {
	layout   *terrain.Layout
	topology lodcpu.Topology
	walk     walk
	dx, dz   []float64
	tiers    []tier
}

// tier is the nodes of one spacing. They are named by column and row among them,
// and by their place on the Morton curve.
//
// The vertices that a tier's nodes have and no coarser ones are their centres and
// edge midpoints. Their ids are one after the other, three a node along the curve:
// the midpoints in the north and in the west, and the centre. Midpoints in the
// south and the east are those of the next nodes; behind the last node come those
// of the tile's side in the east, and then in the south.
type tier struct {
	s      int      // spacing, in cells
	side   int      // nodes a side
	stride int      // of marks
	marks  []mark   // of all nodes, row by row; one row and one column more for the tile's sides
	splits []node   // that are split, those for their own sake first
	level  int      // id of the first vertex
	ids    []uint32 // of all of them, where they are not in that order; or nil

	dx, dz []float64 // from the eye to every column and row of spacing s, metres
	xx, zz []float64 // their squares
}

// node is one of a tier.
type node struct {
	m       uint32 // place on the Morton curve
	i, j    uint16 // column, row
	centres mark   // of its four squares, along the curve: those that are active

	ask lodcpu.Sides // of the picture, that its vertices have to ask
}

// square returns the c-th square of a node, along the curve.
func (n node) square(c uint32) node {
	return node{m: 4*n.m + c, i: 2*n.i + uint16(c&1), j: 2*n.j + uint16(c>>1)}
}

// sides says which sides of a node are on the tile's.
func (t *tier) sides(n node) (m mark) {
	if n.j == 0 {
		m |= north
	}
	if n.i == 0 {
		m |= west
	}
	if int(n.j) == t.side-1 {
		m |= southSide
	}
	if int(n.i) == t.side-1 {
		m |= eastSide
	}
	return m
}

// mark says of a node whether it is split, and of its midpoints in the north and
// in the west whether they are drawn. Of those on the sides of a tile it also says
// whether they are active.
type mark uint8

const (
	southSide mark = 1 << iota // in the order of a fan
	eastSide
	north
	west
	split
	northActive
	westActive
)

// toOther takes the north of a node to the south of the one beside it.
const toOther = 2

// toActive takes what is drawn to what is active.
const toActive = 3

// New returns a refiner for tiles of the given layout.
func New(layout *terrain.Layout, topology lodcpu.Topology) *Refiner {
	r := &Refiner{
		layout: layout, topology: topology,
		dx: make([]float64, layout.Size), dz: make([]float64, layout.Size),
		tiers: make([]tier, layout.Log2),
	}
	for i := range r.tiers {
		side := layout.Cells >> (i + 1)
		t := &r.tiers[i]
		*t = tier{
			s: 1 << i, side: side, stride: side + 1,
			marks: make([]mark, (side+1)*(side+1)), splits: make([]node, 0, side*side),
			dx: make([]float64, 2*side+1), dz: make([]float64, 2*side+1),
			xx: make([]float64, 2*side+1), zz: make([]float64, 2*side+1),
		}
		if i < layout.Levels-1 {
			t.level, _ = layout.Range(terrain.Level(i))
		} else {
			t.ids = t.coarse(layout)
		}
	}
	return r
}

// coarse returns the ids of a tier's vertices, where a level holds those of several
// tiers.
func (t *tier) coarse(layout *terrain.Layout) []uint32 {
	ids := make([]uint32, 3*t.side*t.side+2*t.side)
	id := func(x, z int) uint32 { return layout.ID[z*t.s*layout.Size+x*t.s] }
	for j := range t.side {
		for i := range t.side {
			m := 3 * morton(i, j)
			ids[m], ids[m+1], ids[m+2] = id(2*i+1, 2*j), id(2*i, 2*j+1), id(2*i+1, 2*j+1)
		}
		end := 3*t.side*t.side + j
		ids[end], ids[end+t.side] = id(2*t.side, 2*j+1), id(2*j+1, 2*t.side)
	}
	return ids
}

// id returns the id of the k-th vertex of a tier.
func (t *tier) id(k int) uint32 {
	if t.ids != nil {
		return t.ids[k]
	}
	return uint32(t.level + k)
}

// Places on the Morton curve have columns in every other bit, and rows in those
// between.
const (
	columns = 0x55555555
	rows    = 0xaaaaaaaa
)

// morton returns the place of column i, row j on the curve.
func morton(i, j int) (m uint32) {
	for bit := range 16 {
		m |= uint32(i>>bit&1)<<(2*bit) | uint32(j>>bit&1)<<(2*bit+1)
	}
	return m
}

// beside returns the place of the node di columns and dj rows from that at m, each
// -1, 0 or 1.
func beside(m uint32, di, dj int) uint32 {
	switch {
	case di > 0:
		return ((m|rows)+1)&columns | m&rows
	case di < 0:
		return ((m&columns)-1)&columns | m&rows
	case dj > 0:
		return ((m|columns)+1)&rows | m&columns
	}
	return ((m&rows)-1)&rows | m&columns
}

// MaxIndices returns the most indices a tile loaded to level can need.
func (r *Refiner) MaxIndices(level terrain.Level) int {
	side := r.layout.Cells >> level
	triangles := 2 * side * side
	if r.topology == lodcpu.List {
		return 3 * triangles
	}
	// Two a triangle, one to begin a fan and three to join it to the last one; a
	// fan, or the part of one between two squares, has two triangles at least.
	return 4 * triangles
}

// Refine implements [lodcpu.Refiner].
func (r *Refiner) Refine(dst []uint32, t *terrain.Tile, near *lodcpu.Neighbourhood, law *lodcpu.Law) (c lodcpu.Counts, ok bool) {
	w := r.start(dst, t, near, law)
	w.ask()
	for i := w.finest + 1; i < len(w.tiers); i++ {
		w.force(i)
	}
	w.draw()
	c = lodcpu.Counts{Indices: w.n, Triangles: w.triangles}
	switch {
	case r.topology == lodcpu.Strip:
		c.Degenerates = max(w.n-2, 0) - c.Triangles
	case w.padded:
		c.Degenerates = w.flat
	default:
		c.Triangles = w.n / 3
	}
	return c, !w.full
}

// start sets up the walk over one tile.
func (r *Refiner) start(dst []uint32, t *terrain.Tile, near *lodcpu.Neighbourhood, law *lodcpu.Law) *walk {
	level := min(near.Level(), terrain.Level(r.layout.Levels-1))
	if level < t.Level {
		panic("quadtree: neighbourhood claims a finer level than the tile holds")
	}
	w := &r.walk
	w.dst, w.n, w.verts, w.layout, w.key, w.law = dst, 0, t.Verts, r.layout, t.Info.Key, *law
	w.cells, w.tiers, w.finest, w.dx, w.dz = r.layout.Cells, r.tiers, int(level), r.dx, r.dz
	share, far := law.Hazed()
	w.rule = rule{law.B, share, far, law.Quantum, law.Eye[1], t.Info.Base}
	for i := range r.layout.Orders() {
		w.reaches[i] = law.A + float64(law.Radius[i])
	}
	w.rimX = law.RimColumn - int(t.Info.Key.X)*r.layout.Cells
	w.rimZ = law.RimLine - int(t.Info.Key.Y)*r.layout.Cells
	w.padded = w.rimX < r.layout.Cells || w.rimZ < r.layout.Cells
	w.strip = r.topology == lodcpu.Strip
	w.full, w.tail, w.triangles, w.flat = false, 0, 0, 0
	if w.mixed = near.Mixed(); w.mixed {
		for i := w.finest; i < r.layout.Log2; i++ {
			w.reach[i] = near.Reach(1 << i)
		}
	}
	return w
}

// walk is the work on one tile.
type walk struct {
	dst    []uint32
	n      int
	verts  []terrain.Vertex
	layout *terrain.Layout
	key    terrain.Key

	law     lodcpu.Law
	rule    rule
	reaches [24]float64 // A and the radius, by order
	dx, dz  []float64   // scratch of enter
	cells   int
	tiers   []tier
	finest  int // tier of the finest level loaded: its nodes cannot be split

	rimX, rimZ int
	padded     bool // part of the tile lies beyond the rim of the source
	mixed      bool // a neighbour is coarser: ask reach
	strip      bool
	full       bool   // dst was too short
	tail       uint32 // strip: the last index
	triangles  int    // of some area, where they are counted
	flat       int    // of none, in the padding
	reach      [12]lodcpu.Reach
	blocks     [12]block // of the nodes that are being drawn, by tier
}

// free says whether the squares of node n of tier k, and the centres of theirs, lie
// so far from coarser neighbours that all of them are eligible.
func (w *walk) free(k int, n node) bool {
	if !w.mixed {
		return true
	}
	r := &w.reach[max(k-2, w.finest)]
	most := max(r.North, r.West, r.East, r.South, r.NorthWest, r.NorthEast, r.SouthWest, r.SouthEast)
	side, i, j := 2*w.tiers[k].s, int(n.i), int(n.j)
	return min(i, j)*side > most && w.cells-(max(i, j)+1)*side > most
}
