package billod

import (
	"math"

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
	dx, dz   []float64
	walk     walk
}

// NewClassic returns a refiner for tiles of the given layout that tests as published,
// with the thresholds and the measures that rule and measures have at each call. Laws
// must come from the rule, see [Rule.Law].
func NewClassic(layout *terrain.Layout, topology lodcpu.Topology, rule *Rule, measures *Measures) *Classic {
	r := &Classic{
		layout: layout, topology: topology, rule: rule, measures: measures,
		dx: make([]float64, layout.Size), dz: make([]float64, layout.Size),
	}
	for i, rings := range ringsFor(layout) {
		side := layout.Cells >> (i + 1)
		r.tiers = append(r.tiers, tier{
			s: 1 << i, side: side, rings: rings,
			marks: make([]uint8, (side+1)*(side+1)), nodes: make([]node, 0, side*side),
		})
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
	measures := r.measures.Of(t.Info.Key)
	if len(measures) < MeasureBytes*len(t.Verts) {
		panic("billod: measures of tile " + t.Info.Key.String() + " are missing")
	}
	w := &r.walk
	*w = walk{
		dst: dst, verts: t.Verts, measures: measures, tiers: r.tiers, grid: r.layout.Grid,
		dx: r.dx, dz: r.dz, cells: r.layout.Cells,
		base: t.Info.Base, quantum: law.Quantum, eyeY: law.Eye[1], cull: law.Cull,
		far: r.rule.share * r.rule.thresholds.Far, detail: law.B, finest: int(level),
		rimX:  int(law.RimColumn) - int(t.Info.Key.X)*r.layout.Cells,
		rimZ:  int(law.RimLine) - int(t.Info.Key.Y)*r.layout.Cells,
		strip: r.topology == lodcpu.Strip,
		mixed: near.Mixed(), near: w.near,
	}
	w.padded = w.rimX < r.layout.Cells || w.rimZ < r.layout.Cells
	w.reaches(law, r.rule.Near())
	law.AxisOffsets(r.layout, t.Info.Key, 1<<level, r.dx, r.dz)
	if w.mixed {
		for i := int(level); i < r.layout.Log2; i++ {
			w.near[i] = near.Reach(1 << i)
		}
	}
	return w
}

// reaches fills in how far vertices of the orders reach.
func (w *walk) reaches(law *lodcpu.Law, near float64) {
	// What the law reaches farther than was published, as from all places an eye may
	// move to.
	more := law.A - near
	for order, radius := range law.Radius {
		o := &w.orders[order]
		o.deviation, o.delta, o.ball = law.A+float64(radius), more+float64(radius), law.Ball(order)
		if o.least = 0; near > 0 || math.IsInf(o.deviation, 1) {
			o.least = o.deviation
		}
	}
	if !math.IsInf(more, 1) {
		// There is no child below an edge vertex of the finest nodes.
		w.orders[0].least = 0
	}
}

// order is what is the same for all vertices of one.
type order struct {
	deviation float64 // reach of a deviation of 0, metres
	delta     float64 // that of a delta of 0
	least     float64 // whatever a vertex measures
	ball      float64 // see [lodcpu.Law.Ball]
}

// maxOrders is the number of orders of the largest tile.
const maxOrders = 22

// walk is the work on one tile.
type walk struct {
	dst      []uint32
	n        int
	verts    []terrain.Vertex
	measures []byte
	tiers    []tier
	grid     []terrain.GridPos

	dx, dz        []float64 // metres from the eye to columns and rows
	cells         int
	base          int32
	quantum, eyeY float64
	far, detail   float64
	orders        [maxOrders]order
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
