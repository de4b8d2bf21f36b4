package billod

import (
	"encoding/binary"
	"sync"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// tier is the nodes of one size: the places where they may be, row by row, and those
// that are shown.
type tier struct {
	s     int // half a side, in cells
	side  int // places a side
	rings []ring
	nodes []node
	// marks say of each place which midpoints of its north and west edges are shown.
	// There is one column more, for the tile's east, and one row more.
	marks []uint8
}

// ring is the ids of a node's nine vertices: around it from the south-west corner by
// south, and its centre.
type ring [9]uint32

// Places in a ring. Corners are even, and edge vertices odd.
const (
	southWest = iota
	south
	southEast
	east
	northEast
	north
	northWest
	west
	centre
)

// Marks of the edge vertices of a node.
const (
	markSouth = 1 << iota
	markEast
	markNorth
	markWest
)

// node is the column and row of a node's place, and the sides of the picture that
// its descendants must ask.
type node uint64

func nodeAt(column, row int, ask lodcpu.Sides) node {
	return node(column | row<<16 | int(ask)<<32)
}

func (n node) place() (column, row int) { return int(n & 0xffff), int(n >> 16 & 0xffff) }
func (n node) ask() lodcpu.Sides        { return lodcpu.Sides(n >> 32) }

var allRings sync.Map // *terrain.Layout -> [][]ring

// ringsFor returns the rings of all tiers of a layout, finest first. Safe for
// concurrent use.
func ringsFor(l *terrain.Layout) [][]ring {
	if r, ok := allRings.Load(l); ok {
		return r.([][]ring)
	}
	tiers := make([][]ring, l.Log2)
	for i := range tiers {
		s, side := 1<<i, l.Cells>>(i+1)
		tiers[i] = make([]ring, side*side)
		for at := range tiers[i] {
			x, z := (2*(at%side)+1)*s, (2*(at/side)+1)*s
			for k, d := range [9][2]int{{-1, 1}, {0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {0, 0}} {
				tiers[i][at][k] = l.ID[(z+d[1]*s)*l.Size+x+d[0]*s]
			}
		}
	}
	r, _ := allRings.LoadOrStore(l, tiers)
	return r.([][]ring)
}

// askEdges marks which edge vertices of the nodes of tier i are shown. One can be shown
// only if the nodes on both sides of its edge are, so it is asked of one of them.
func (w *walk) askEdges(i int) {
	t := &w.tiers[i]
	clear(t.marks)
	if i < w.finest {
		return
	}
	for _, n := range t.nodes {
		column, row := n.place()
		r, at := &t.rings[row*t.side+column], row*(t.side+1)+column
		x, z := 2*column*t.s, 2*row*t.s
		m := uint8(0)
		if w.shows(r[north], x+t.s, z, 2*i, n.ask()) {
			m = markNorth
		}
		if w.shows(r[west], x, z+t.s, 2*i, n.ask()) {
			m |= markWest
		}
		t.marks[at] |= m
		if column == t.side-1 && w.shows(r[east], x+2*t.s, z+t.s, 2*i, n.ask()) {
			t.marks[at+1] |= markWest
		}
		if row == t.side-1 && w.shows(r[south], x+t.s, z+2*t.s, 2*i, n.ask()) {
			t.marks[at+t.side+1] |= markNorth
		}
	}
}

// shows is test of a vertex whose descendants are of no interest.
func (w *walk) shows(id uint32, x, z, order int, ask lodcpu.Sides) bool {
	_, shown := w.test(id, x, z, order, ask)
	return shown
}

// draw draws the nodes of tier i, and finds out which of their children are shown.
func (w *walk) draw(i int) {
	t := &w.tiers[i]
	var below *tier
	if i > 0 {
		below = &w.tiers[i-1]
		below.nodes = below.nodes[:0]
	}
	for _, n := range t.nodes {
		column, row := n.place()
		at := row*(t.side+1) + column
		edges := t.marks[at] | t.marks[at+1]&markWest>>2 | t.marks[at+t.side+1]&markNorth>>2
		r := &t.rings[row*t.side+column]
		if edges == 0 {
			w.square(r, column, row)
			continue
		}
		kids := uint8(0)
		if i > w.finest && pairs[edges] != 0 {
			kids = w.askChildren(i-1, below, n, pairs[edges])
		}
		w.fan(r, edges, kids)
	}
}

// Children are numbered as corners are: south-west, south-east, north-east, north-west.

// pairs says of sets of edge vertices which children have both that are at their corners.
var pairs = func() (all [16]uint8) {
	for edges := range all {
		for k, two := range [4]int{markWest | markSouth, markSouth | markEast, markEast | markNorth, markNorth | markWest} {
			if edges&two == two {
				all[edges] |= 1 << k
			}
		}
	}
	return all
}()

// askChildren returns which of some children of a node are shown, and keeps them in
// their tier, which is i.
func (w *walk) askChildren(i int, t *tier, parent node, some uint8) (kids uint8) {
	column, row := parent.place()
	for k, d := range [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
		if some>>k&1 == 0 {
			continue
		}
		c, r := 2*column+d[0], 2*row+d[1]
		cut, shown := w.test(t.rings[r*t.side+c][centre], (2*c+1)*t.s, (2*r+1)*t.s, 2*i+1, parent.ask())
		if shown {
			kids |= 1 << k
			t.nodes = append(t.nodes, nodeAt(c, r, cut))
		}
	}
	return kids
}

// test says whether the vertex at (x, z), of an order, is shown; of the sides of the
// picture in ask, cut is those that its descendants must ask. What measures 0, with all
// its descendants, is not shown however near it is, but for the near threshold.
func (w *walk) test(id uint32, x, z, order int, ask lodcpu.Sides) (cut lodcpu.Sides, shown bool) {
	m := binary.LittleEndian.Uint32(w.measures[MeasureBytes*id:])
	o := &w.orders[order]
	reach := o.least
	if deviation := uint16(m); deviation != 0 && w.far > 0 {
		reach = w.far*float64(terrain.CoefMetres(deviation)) + o.deviation
	}
	if delta := uint16(m >> 16); delta != 0 && w.detail > 0 {
		reach = max(reach, w.detail*float64(terrain.CoefMetres(delta))+o.delta)
	}
	v := &w.verts[id]
	dx, dy, dz := w.dx[x], float64(w.base+int32(v.Height))*w.quantum-w.eyeY, w.dz[z]
	if float64(dx*dx)+float64(dz*dz)+float64(dy*dy) >= reach*reach {
		return 0, false
	}
	if ask != 0 {
		if cut, shown = w.cull.Sees(ask, dx, dy, dz, o.ball+float64(terrain.CoefMetres(v.Coef))); !shown {
			return 0, false
		}
	}
	return cut, !w.mixed || w.near[order>>1].Eligible(x, z, w.cells)
}
