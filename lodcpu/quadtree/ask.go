package quadtree

import (
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// rule is the law for a tile, but for what it asks of an order.
type rule struct {
	b, share, far float64 // see lodcpu.Law.Hazed
	quantum, eyeY float64
	base          int32
}

// asks is 1 if a vertex is active, and 0 if not, so that none need branch. Its
// distance from the eye seen from above is given squared, in m²; reach is A and the
// radius of its order.
func (l rule) asks(v *terrain.Vertex, square, reach float64) (active mark) {
	dy := float64(l.base+int32(v.Height))*l.quantum - l.eyeY
	t := l.b * float64(terrain.CoefMetres(v.Coef))
	reach += min(t, t*l.share+l.far)
	if square+float64(dy*dy) < reach*reach {
		active = 1
	}
	return active
}

// ask marks the nodes from the top on that the law reaches, and lists those that
// it splits.
func (w *walk) ask() {
	for i := range w.tiers {
		w.tiers[i].splits = w.tiers[i].splits[:0]
	}
	top := len(w.tiers) - 1
	w.enter(top)
	if top > w.finest {
		w.enter(top - 1)
	}
	// The midpoints of a tile's sides are drawn in any case, but at the finest level
	// of the world.
	sides := southSide | eastSide | north | west
	if top == 0 {
		sides = 0
	}
	w.askNode(top, node{ask: w.law.Cull.Sides()}, true, sides)
	for i := top - 1; i >= w.finest && len(w.tiers[i+1].splits) > 0; i-- {
		if i > w.finest {
			w.enter(i - 1)
		}
		w.askTier(i)
	}
}

// enter makes a tier ready to be asked.
func (w *walk) enter(i int) {
	t := &w.tiers[i]
	clear(t.marks)
	w.law.AxisOffsets(w.layout, w.key, t.s, w.dx, w.dz)
	dx, dz := t.dx, t.dz[:len(t.dx)]
	xx, zz := t.xx[:len(t.dx)], t.zz[:len(t.dx)]
	for k := range dx {
		x, z := w.dx[k*t.s], w.dz[k*t.s]
		dx[k], dz[k], xx[k], zz[k] = x, z, x*x, z*z
	}
}

// askTier asks the squares of all nodes of the tier above that are split.
func (w *walk) askTier(i int) {
	t := &w.tiers[i]
	plain := t.ids == nil && (i == w.finest || w.tiers[i-1].ids == nil)
	for _, p := range w.tiers[i+1].splits {
		switch {
		case !plain || p.ask != 0 || !w.free(i+1, p):
			w.askSquares(i, p)
		case i > w.finest:
			w.askInner(i, p)
		default:
			w.askLast(i, p)
		}
	}
}

// askLast asks the squares of a node that cannot be split. A square whose centre is
// not active has no active midpoint.
func (w *walk) askLast(i int, p node) {
	t, l, reach := &w.tiers[i], w.rule, w.reaches[2*i]
	verts := (*[12]terrain.Vertex)(w.verts[t.level+12*int(p.m):])
	xx, zz := (*[4]float64)(t.xx[4*int(p.i):]), (*[4]float64)(t.zz[4*int(p.j):])
	at := 2*int(p.j)*t.stride + 2*int(p.i)
	first, second := (*[2]mark)(t.marks[at:]), (*[2]mark)(t.marks[at+t.stride:])
	if p.centres&1 != 0 {
		first[0] = l.asks(&verts[0], xx[1]+zz[0], reach)*north | l.asks(&verts[1], xx[0]+zz[1], reach)*west
	}
	if p.centres&2 != 0 {
		first[1] = l.asks(&verts[3], xx[3]+zz[0], reach)*north | l.asks(&verts[4], xx[2]+zz[1], reach)*west
	}
	if p.centres&4 != 0 {
		second[0] = l.asks(&verts[6], xx[1]+zz[2], reach)*north | l.asks(&verts[7], xx[0]+zz[3], reach)*west
	}
	if p.centres&8 != 0 {
		second[1] = l.asks(&verts[9], xx[3]+zz[2], reach)*north | l.asks(&verts[10], xx[2]+zz[3], reach)*west
	}
	if sides := w.tiers[i+1].sides(p); sides != 0 {
		w.askSides(i, p, sides)
	}
}

// askInner asks the squares of a node, and whether they are split.
func (w *walk) askInner(i int, p node) {
	t, below := &w.tiers[i], &w.tiers[i-1]
	l, middles, centres := w.rule, w.reaches[2*i], w.reaches[2*i-1]
	sides := w.tiers[i+1].sides(p)
	for c := range uint32(4) {
		if p.centres>>c&1 == 0 {
			continue
		}
		n := p.square(c)
		own := (*[2]terrain.Vertex)(w.verts[t.level+3*int(n.m):])
		xx, zz := (*[2]float64)(t.xx[2*int(n.i):]), (*[2]float64)(t.zz[2*int(n.j):])
		m := l.asks(&own[0], xx[1]+zz[0], middles)*north | l.asks(&own[1], xx[0]+zz[1], middles)*west
		verts := (*[12]terrain.Vertex)(w.verts[below.level+12*int(n.m):])
		ex, ez := (*[4]float64)(below.xx[4*int(n.i):]), (*[4]float64)(below.zz[4*int(n.j):])
		n.centres = l.asks(&verts[2], ex[1]+ez[1], centres) | l.asks(&verts[5], ex[3]+ez[1], centres)<<1 |
			l.asks(&verts[8], ex[1]+ez[3], centres)<<2 | l.asks(&verts[11], ex[3]+ez[3], centres)<<3
		if n.centres != 0 {
			m |= split
			t.splits = append(t.splits, n)
		}
		t.marks[int(n.j)*t.stride+int(n.i)] = m
	}
	if sides != 0 {
		w.askSides(i, p, sides)
	}
}

// askSides does for the squares of node p that lie on the given sides of the tile
// what askNode does for any.
func (w *walk) askSides(i int, p node, sides mark) {
	t, q := &w.tiers[i], w.drawnSides(i, p)
	for c := range uint32(4) {
		n := p.square(c)
		sides := t.sides(n)
		if sides == 0 {
			continue
		}
		active := t.marks[int(n.j)*t.stride+int(n.i)] & (north | west)
		if p.centres>>c&1 != 0 {
			active |= w.far(i, n, sides)
		}
		w.enterMarks(i, n, active, sides, q)
	}
}

// askSquares asks the squares of any node.
func (w *walk) askSquares(i int, p node) {
	q := w.drawnSides(i, p)
	for c := range uint32(4) {
		n, reached := p.square(c), p.centres>>c&1 != 0
		if n.ask = p.ask; reached && n.ask != 0 {
			t := &w.tiers[i]
			n.ask, _ = w.sees(2*i+1, t.id(3*int(n.m)+2), t.dx[2*n.i+1], t.dz[2*n.j+1], n.ask)
		}
		w.askNode(i, n, reached, q)
	}
}

// askNode asks any node. reached says whether its centre is active: if not, nothing
// of it is. Those of its sides that are the tile's, and in q, have their midpoints
// drawn.
func (w *walk) askNode(i int, n node, reached bool, q mark) {
	t := &w.tiers[i]
	sides, active := t.sides(n), mark(0)
	if reached {
		active = w.near(i, n) | w.far(i, n, sides)
	}
	if reached && i > w.finest {
		if n.centres = w.centres(i, n); n.centres != 0 {
			t.splits = append(t.splits, n)
			t.marks[int(n.j)*t.stride+int(n.i)] = split
		}
	}
	w.enterMarks(i, n, active, sides, q)
}

// drawnSides says which sides of the tile, if node p of the tier above i lies at
// them, have the midpoints of its squares drawn: where p's is active. At the finest
// level of the world they are asked themselves.
func (w *walk) drawnSides(i int, p node) mark {
	if i == 0 {
		return 0
	}
	t := &w.tiers[i+1]
	at := int(p.j)*t.stride + int(p.i)
	return t.marks[at]>>toActive&(north|west) | t.marks[at+t.stride]>>toActive&north>>toOther | t.marks[at+1]>>toActive&west>>toOther
}

// enterMarks marks which midpoints of a node are active and drawn, and splits it if
// one on the tile's sides is active.
func (w *walk) enterMarks(i int, n node, active, sides, q mark) {
	t := &w.tiers[i]
	at := int(n.j)*t.stride + int(n.i)
	drawn := active | q&sides
	active &= sides
	if active != 0 && i > w.finest && t.marks[at]&split == 0 {
		t.splits = append(t.splits, n)
		t.marks[at] |= split
	}
	t.marks[at] |= drawn&(north|west) | active&(north|west)<<toActive
	// The tile's other sides have a row and a column of their own.
	if sides&southSide != 0 {
		t.marks[at+t.stride] = (drawn&southSide | active&southSide<<toActive) << toOther
	}
	if sides&eastSide != 0 {
		t.marks[at+1] = (drawn&eastSide | active&eastSide<<toActive) << toOther
	}
}

// near says which midpoints of a node in the north and the west are active.
func (w *walk) near(i int, n node) (m mark) {
	t, k := &w.tiers[i], 3*int(n.m)
	if w.active(i, 2*i, t.id(k), 2*int(n.i)+1, 2*int(n.j), n.ask) {
		m |= north
	}
	if w.active(i, 2*i, t.id(k+1), 2*int(n.i), 2*int(n.j)+1, n.ask) {
		m |= west
	}
	return m
}

// far says which midpoints of a node on the sides of the tile in the south and the
// east are active.
func (w *walk) far(i int, n node, sides mark) (m mark) {
	t := &w.tiers[i]
	k := 3 * t.side * t.side
	if sides&southSide != 0 && w.active(i, 2*i, t.id(k+t.side+int(n.i)), 2*int(n.i)+1, 2*t.side, n.ask) {
		m |= southSide
	}
	if sides&eastSide != 0 && w.active(i, 2*i, t.id(k+int(n.j)), 2*t.side, 2*int(n.j)+1, n.ask) {
		m |= eastSide
	}
	return m
}

// centres says which centres of a node's squares are active, along the curve.
func (w *walk) centres(i int, n node) (m mark) {
	below := &w.tiers[i-1]
	for c := range 4 {
		id := below.id(3*(4*int(n.m)+c) + 2)
		if w.active(i-1, 2*i-1, id, 4*int(n.i)+c&1*2+1, 4*int(n.j)+c>>1*2+1, n.ask) {
			m |= 1 << c
		}
	}
	return m
}

// active says whether a vertex is active and eligible. It has a place among those
// of the spacing of tier i, and an order.
func (w *walk) active(i, order int, id uint32, x, z int, ask lodcpu.Sides) bool {
	t := &w.tiers[i]
	if w.rule.asks(&w.verts[id], t.xx[x]+t.zz[z], w.reaches[order]) == 0 {
		return false
	}
	if ask != 0 {
		if _, visible := w.sees(order, id, t.dx[x], t.dz[z], ask); !visible {
			return false
		}
	}
	return !w.mixed || w.reach[i].Eligible(x*t.s, z*t.s, w.cells)
}

// sees asks for the given sides of the picture whether a vertex is visible, and
// returns those that its descendants must ask.
func (w *walk) sees(order int, id uint32, dx, dz float64, ask lodcpu.Sides) (cut lodcpu.Sides, visible bool) {
	v := &w.verts[id]
	dy := float64(w.rule.base+int32(v.Height))*w.rule.quantum - w.rule.eyeY
	return w.law.Cull.Sees(ask, dx, dy, dz, w.law.Ball(order)+float64(terrain.CoefMetres(v.Coef)))
}

// force splits the nodes of the tier above that split ones of tier i lie beside,
// and draws the midpoints of these. Those on the sides of the tile go by a rule of
// their own.
func (w *walk) force(i int) {
	t := &w.tiers[i]
	for _, n := range t.splits {
		at, sides := int(n.j)*t.stride+int(n.i), t.sides(n)
		t.marks[at] |= (north | west) &^ sides
		if sides&southSide == 0 {
			t.marks[at+t.stride] |= north
		}
		if sides&eastSide == 0 {
			t.marks[at+1] |= west
		}
		if i+1 < len(w.tiers) {
			w.tiers[i+1].forceBeside(n)
		}
	}
}

// forceBeside splits the two nodes beside the parent of n that n lies at, if they
// are in the tile.
func (t *tier) forceBeside(n node) {
	i, j := int(n.i)/2, int(n.j)/2
	at := j*t.stride + i
	if di := int(n.i)&1*2 - 1; i+di >= 0 && i+di < t.side && t.marks[at+di]&split == 0 {
		t.marks[at+di] |= split
		t.splits = append(t.splits, node{m: beside(n.m/4, di, 0), i: uint16(i + di), j: uint16(j)})
	}
	if dj := int(n.j)&1*2 - 1; j+dj >= 0 && j+dj < t.side && t.marks[at+dj*t.stride]&split == 0 {
		t.marks[at+dj*t.stride] |= split
		t.splits = append(t.splits, node{m: beside(n.m/4, 0, dj), i: uint16(i), j: uint16(j + dj)})
	}
}
