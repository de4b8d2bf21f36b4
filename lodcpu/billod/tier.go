package billod

import (
	"math"
	"math/bits"
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
	// centres are those of the rings, closer together.
	centres []uint32
	nodes   []node
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

var allTiers sync.Map // *terrain.Layout -> []tier

// tiersFor returns the tiers of a layout, finest first, without what is of one tile. Safe
// for concurrent use.
func tiersFor(l *terrain.Layout) []tier {
	if t, ok := allTiers.Load(l); ok {
		return t.([]tier)
	}
	tiers := make([]tier, l.Log2)
	for i := range tiers {
		s, side := 1<<i, l.Cells>>(i+1)
		t := tier{s: s, side: side, rings: make([]ring, side*side), centres: make([]uint32, side*side)}
		for at := range t.rings {
			x, z := (2*(at%side)+1)*s, (2*(at/side)+1)*s
			for k, d := range [9][2]int{{-1, 1}, {0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {0, 0}} {
				t.rings[at][k] = l.ID[(z+d[1]*s)*l.Size+x+d[0]*s]
			}
			t.centres[at] = t.rings[at][centre]
		}
		tiers[i] = t
	}
	t, _ := allTiers.LoadOrStore(l, tiers)
	return t.([]tier)
}

// askEdges marks which edge vertices of the nodes of tier i are shown. One can be shown
// only if the nodes on both sides of its edge are, so it is asked of one of them.
func (w *walk) askEdges(i int) {
	t := &w.tiers[i]
	clear(t.marks)
	if i < w.finest {
		return
	}
	radius := w.radius[2*i]
	for _, n := range t.nodes {
		column, row := n.place()
		r, at := &t.rings[row*t.side+column], row*(t.side+1)+column
		x, z := 2*column*t.s, 2*row*t.s
		if w.mixed || n.ask() != 0 || column == t.side-1 || row == t.side-1 {
			w.askCareful(t, n, i)
			continue
		}
		t.marks[at] |= w.inside(r[north], x+t.s, z, radius)<<2 | w.inside(r[west], x, z+t.s, radius)<<3
	}
}

// askCareful is askEdges for a node at the tile's east or south, or of which more than the
// distance has to be asked.
func (w *walk) askCareful(t *tier, n node, i int) {
	column, row := n.place()
	r, at := &t.rings[row*t.side+column], row*(t.side+1)+column
	x, z := 2*column*t.s, 2*row*t.s
	for _, e := range [4]struct {
		asked bool
		id    uint32
		x, z  int
		at    int
		mark  uint8
	}{
		{true, r[north], x + t.s, z, at, markNorth},
		{true, r[west], x, z + t.s, at, markWest},
		{column == t.side-1, r[east], x + 2*t.s, z + t.s, at + 1, markWest},
		{row == t.side-1, r[south], x + t.s, z + 2*t.s, at + t.side + 1, markNorth},
	} {
		if e.asked {
			if _, shown := w.test(e.id, e.x, e.z, 2*i, n.ask()); shown {
				t.marks[e.at] |= e.mark
			}
		}
	}
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
	column, row = 2*column, 2*row
	if w.mixed || parent.ask() != 0 {
		return w.askCarefulChildren(i, t, parent, some)
	}
	x, z, radius := (2*column+1)*t.s, (2*row+1)*t.s, w.radius[2*i+1]
	at := row*t.side + column
	north, south := t.centres[at:at+2:at+2], t.centres[at+t.side:][:2:2]
	kids = some & (w.inside(south[0], x, z+2*t.s, radius) | w.inside(south[1], x+2*t.s, z+2*t.s, radius)<<1 |
		w.inside(north[1], x+2*t.s, z, radius)<<2 | w.inside(north[0], x, z, radius)<<3)
	for _, d := range children[kids][:bits.OnesCount8(kids)] {
		t.nodes = append(t.nodes, nodeAt(column, row, 0)+d)
	}
	return kids
}

// askCarefulChildren is askChildren where more than the distance has to be asked.
func (w *walk) askCarefulChildren(i int, t *tier, parent node, some uint8) (kids uint8) {
	column, row := parent.place()
	for k, d := range children[15] {
		if some>>k&1 == 0 {
			continue
		}
		n := nodeAt(2*column, 2*row, 0) + d
		c, r := n.place()
		cut, shown := w.test(t.centres[r*t.side+c], (2*c+1)*t.s, (2*r+1)*t.s, 2*i+1, parent.ask())
		if shown {
			kids |= 1 << k
			t.nodes = append(t.nodes, nodeAt(c, r, cut))
		}
	}
	return kids
}

// children are what sets of children add to the place of the north-western one.
var children = func() (all [16][4]node) {
	for set := range all {
		n := 0
		for k, d := range [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
			if set>>k&1 != 0 {
				all[set][n] = nodeAt(d[0], d[1], 0)
				n++
			}
		}
	}
	return all
}()

// test says whether the vertex at (x, z), of an order, is shown; of the sides of the
// picture in ask, cut is those that its descendants must ask.
func (w *walk) test(id uint32, x, z, order int, ask lodcpu.Sides) (cut lodcpu.Sides, shown bool) {
	if w.inside(id, x, z, w.radius[order]) == 0 {
		return 0, false
	}
	if ask != 0 {
		v := &w.verts[id]
		dy := float64(w.base+int32(v.Height))*w.quantum - w.eyeY
		if cut, shown = w.cull.Sees(ask, w.dx[x], dy, w.dz[z], w.balls[order]+float64(terrain.CoefMetres(v.Coef))); !shown {
			return 0, false
		}
	}
	return cut, !w.mixed || w.near[order>>1].Eligible(x, z, w.cells)
}

// inside returns 1 if the eye is in reach of the vertex at (x, z), otherwise 0.
func (w *walk) inside(id uint32, x, z int, radius float64) (in uint8) {
	dy := float64(w.base+int32(w.verts[id].Height))*w.quantum - w.eyeY
	reach := float64(w.metres[id]) + radius
	if w.dxx[x]+w.dzz[z]+float64(dy*dy) < reach*math.Abs(reach) {
		in = 1
	}
	return in
}
