package billod

import (
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
	"github.com/vkterrain/vkterrain/terrain"
)

// New returns a refiner for tiles of the given layout that keeps the bound of the law.
// The nodes are then the blocks of package soar, whose lists are fans of nodes.
func New(layout *terrain.Layout, topology lodcpu.Topology) lodcpu.Refiner {
	return soar.New(layout, topology)
}

// Classic refines tiles of one size into one topology by the published tests. Use one
// per goroutine.
type Classic struct {
	layout   *terrain.Layout
	topology lodcpu.Topology
	rule     *Rule
	measures *Measures
	tiers    []tier
	dx, dz   []float64 // metres from the eye to columns and rows
	dxx, dzz []float64 // their squares
	walk     walk
}

// NewClassic returns a refiner for tiles of the given layout that tests as published,
// with the thresholds and the measures that rule and measures have at each call. Laws
// must come from the rule, see [Rule.Law].
func NewClassic(layout *terrain.Layout, topology lodcpu.Topology, rule *Rule, measures *Measures) *Classic {
	r := &Classic{
		layout: layout, topology: topology, rule: rule, measures: measures,
		dx: make([]float64, layout.Size), dz: make([]float64, layout.Size),
		dxx: make([]float64, layout.Size), dzz: make([]float64, layout.Size),
	}
	for _, t := range tiersFor(layout) {
		t.marks, t.nodes = make([]uint8, (t.side+1)*(t.side+1)), make([]node, 0, t.side*t.side)
		r.tiers = append(r.tiers, t)
	}
	return r
}

// MaxIndices returns the most indices a tile loaded to level can need.
func (r *Classic) MaxIndices(level terrain.Level) int {
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
func (r *Classic) Refine(dst []uint32, t *terrain.Tile, near *lodcpu.Neighbourhood, law *lodcpu.Law) (c lodcpu.Counts, ok bool) {
	w := r.start(dst, t, near, law)
	top := r.layout.Log2 - 1
	w.tiers[top].nodes = append(w.tiers[top].nodes[:0], nodeAt(0, 0, w.cull.Sides()))
	for i := top; i >= 0 && len(w.tiers[i].nodes) > 0; i-- {
		w.askEdges(i)
		w.draw(i)
	}
	c = lodcpu.Counts{Indices: w.n, Triangles: w.triangles, Degenerates: w.flat}
	if r.topology == lodcpu.Strip {
		c.Degenerates = max(w.n-2, 0) - c.Triangles
	}
	return c, !w.full
}

// start sets up the walk over one tile.
func (r *Classic) start(dst []uint32, t *terrain.Tile, near *lodcpu.Neighbourhood, law *lodcpu.Law) *walk {
	level := min(near.Level(), terrain.Level(r.layout.Levels-1))
	if level < t.Level {
		panic("billod: neighbourhood claims a finer level than the tile holds")
	}
	reaches := r.measures.reaches(r.layout, t.Info.Key, r.rule)
	if len(reaches) < len(t.Verts) {
		panic("billod: measures of tile " + t.Info.Key.String() + " are missing")
	}
	w := &r.walk
	*w = walk{
		dst: dst, verts: t.Verts, metres: reaches[:len(t.Verts)], tiers: r.tiers, grid: r.layout.Grid,
		dx: r.dx, dz: r.dz, dxx: r.dxx, dzz: r.dzz, cells: r.layout.Cells,
		base: t.Info.Base, quantum: law.Quantum, eyeY: law.Eye[1], cull: law.Cull,
		finest: int(level),
		rimX:   law.RimColumn - int(t.Info.Key.X)*r.layout.Cells,
		rimZ:   law.RimLine - int(t.Info.Key.Y)*r.layout.Cells,
		strip:  r.topology == lodcpu.Strip,
		mixed:  near.Mixed(), near: w.near,
	}
	w.padded = w.rimX < r.layout.Cells || w.rimZ < r.layout.Cells
	// What the law reaches farther than was published, as from all places an eye may
	// move to.
	more := law.A - r.rule.Near()
	for order, radius := range law.Radius {
		w.radius[order], w.balls[order] = more+float64(radius), law.Ball(order)
	}
	law.AxisOffsets(r.layout, t.Info.Key, 1<<level, r.dx, r.dz)
	for i := 0; i < len(r.dx); i += 1 << level {
		r.dxx[i], r.dzz[i] = r.dx[i]*r.dx[i], r.dz[i]*r.dz[i]
	}
	if w.mixed {
		for i := int(level); i < r.layout.Log2; i++ {
			w.near[i] = near.Reach(1 << i)
		}
	}
	return w
}

// maxOrders is the number of orders of the largest tile.
const maxOrders = 22

// walk is the work on one tile.
type walk struct {
	dst    []uint32
	n      int
	verts  []terrain.Vertex
	metres []float32 // see reaches
	tiers  []tier
	grid   []terrain.GridPos

	dx, dz        []float64
	dxx, dzz      []float64
	cells         int
	base          int32
	quantum, eyeY float64
	radius        [maxOrders]float64 // what is added to reaches, by order
	balls         [maxOrders]float64 // see [lodcpu.Law.Ball]
	cull          lodcpu.Cull
	finest        int // tier of the finest level loaded: its nodes have no children

	rimX, rimZ int
	padded     bool // part of the tile lies beyond the rim of the source
	mixed      bool // a neighbour is coarser: ask near
	strip      bool
	full       bool   // dst was too short
	tail       uint32 // strip: the last index
	triangles  int    // of some area
	flat       int    // of none, in the padding
	near       [maxOrders / 2]lodcpu.Reach
}
