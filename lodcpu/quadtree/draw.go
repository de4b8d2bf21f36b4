package quadtree

// block is the vertices of a node and its four squares, row by row.
type block [25]uint32

// square is those of one square, as they lie in a block: a row is five long.
type square [13]uint32

// Places in a square.
const (
	atNorthWest, atNorth, atNorthEast = 0, 1, 2
	atWest, atCentre, atEast          = 5, 6, 7
	atSouthWest, atSouth, atSouthEast = 10, 11, 12
)

// draw writes the fans of the tile.
func (w *walk) draw() {
	layout, top := w.layout, len(w.tiers)-1
	half, all := layout.Cells/2, layout.Cells
	id := func(x, z int) uint32 { return layout.ID[z*layout.Size+x] }
	s := &square{
		id(0, 0), id(half, 0), id(all, 0), 0, 0,
		id(0, half), id(half, half), id(all, half), 0, 0,
		id(0, all), id(half, all), id(all, all),
	}
	t := &w.tiers[top]
	if t.marks[0]&split != 0 {
		w.drawSquares(top, node{}, s)
		return
	}
	w.drawFan(top, 0, 0, s)
}

// drawSquares writes what the squares of a node of tier i are split into, or
// their own fans.
func (w *walk) drawSquares(i int, p node, s *square) {
	if !w.free(i, p) {
		w.drawEligible(i, p, s)
		return
	}
	t := &w.tiers[i-1]
	b := &w.blocks[i]
	w.fill(b, t, p, s)
	at := 2*int(p.j)*t.stride + 2*int(p.i)
	first, second, third := (*[3]mark)(t.marks[at:]), (*[3]mark)(t.marks[at+t.stride:]), (*[2]mark)(t.marks[at+2*t.stride:])
	n := node{m: 4 * p.m, i: 2 * p.i, j: 2 * p.j}
	if m := first[0]; m&split != 0 {
		w.drawSquares(i-1, n, (*square)(b[0:]))
	} else {
		w.fan((*square)(b[0:]), m&(north|west)|(second[0]&north|first[1]&west)>>toOther, 0)
	}
	if m := first[1]; m&split != 0 {
		w.drawSquares(i-1, node{m: n.m + 1, i: n.i + 1, j: n.j}, (*square)(b[2:]))
	} else {
		w.fan((*square)(b[2:]), m&(north|west)|(second[1]&north|first[2]&west)>>toOther, 0)
	}
	if m := second[0]; m&split != 0 {
		w.drawSquares(i-1, node{m: n.m + 2, i: n.i, j: n.j + 1}, (*square)(b[10:]))
	} else {
		w.fan((*square)(b[10:]), m&(north|west)|(third[0]&north|second[1]&west)>>toOther, 0)
	}
	if m := second[1]; m&split != 0 {
		w.drawSquares(i-1, node{m: n.m + 3, i: n.i + 1, j: n.j + 1}, (*square)(b[12:]))
	} else {
		w.fan((*square)(b[12:]), m&(north|west)|(third[1]&north|second[2]&west)>>toOther, 0)
	}
}

// fill gathers the vertices of node p of the tier above t.
func (w *walk) fill(b *block, t *tier, p node, s *square) {
	own := 12 * int(p.m)
	end := 3 * t.side * t.side
	east, eastStep := 12*int(beside(p.m, 1, 0))+1, 6
	if int(p.i) == t.side/2-1 {
		east, eastStep = end+2*int(p.j), 1
	}
	south, southStep := 12*int(beside(p.m, 0, 1)), 3
	if int(p.j) == t.side/2-1 {
		south, southStep = end+t.side+2*int(p.i), 1
	}
	if t.ids != nil {
		w.fillCoarse(b, t, s, [5]int{own, east, eastStep, south, southStep})
		return
	}
	o, e, es, so, ss := uint32(t.level+own), uint32(t.level+east), uint32(eastStep), uint32(t.level+south), uint32(southStep)
	*b = block{
		s[atNorthWest], o, s[atNorth], o + 3, s[atNorthEast],
		o + 1, o + 2, o + 4, o + 5, e,
		s[atWest], o + 6, s[atCentre], o + 9, s[atEast],
		o + 7, o + 8, o + 10, o + 11, e + es,
		s[atSouthWest], so, s[atSouth], so + ss, s[atSouthEast],
	}
}

// fillCoarse is fill where a tier's ids are in a table: from own on, and from east
// and from south in steps.
func (w *walk) fillCoarse(b *block, t *tier, s *square, k [5]int) {
	o, e, so := t.ids[k[0]:][:12], t.ids[k[1]:], t.ids[k[3]:]
	*b = block{
		s[atNorthWest], o[0], s[atNorth], o[3], s[atNorthEast],
		o[1], o[2], o[4], o[5], e[0],
		s[atWest], o[6], s[atCentre], o[9], s[atEast],
		o[7], o[8], o[10], o[11], e[k[2]],
		s[atSouthWest], so[0], s[atSouth], so[k[4]], s[atSouthEast],
	}
}

// drawEligible is drawSquares near a coarser neighbour: only squares whose centre
// is eligible are there, and what is left of the node is drawn by its own fan.
func (w *walk) drawEligible(i int, p node, s *square) {
	t := &w.tiers[i-1]
	b := &w.blocks[i]
	w.fill(b, t, p, s)
	squares := mark(0)
	for c := range 4 {
		n := node{m: 4*p.m + uint32(c), i: 2*p.i + uint16(c&1), j: 2*p.j + uint16(c>>1)}
		x, z := (2*int(n.i)+1)*t.s, (2*int(n.j)+1)*t.s
		if !w.reach[i-1].Eligible(x, z, w.cells) {
			continue
		}
		squares |= [4]mark{4, 2, 8, 1}[c] // in the order of a fan, behind south
		q := (*square)(b[(c&1)*2+(c>>1)*10:])
		if t.marks[int(n.j)*t.stride+int(n.i)]&split != 0 {
			w.drawSquares(i-1, n, q)
		} else {
			w.drawFan(i-1, int(n.i), int(n.j), q)
		}
	}
	if squares != 0b1111 {
		w.fan(s, w.drawn(i, int(p.i), int(p.j)), squares)
	}
}

// drawFan writes the fan of any node.
func (w *walk) drawFan(i, col, row int, s *square) { w.fan(s, w.drawn(i, col, row), 0) }

// drawn says which midpoints of a node are drawn.
func (w *walk) drawn(i, col, row int) mark {
	t := &w.tiers[i]
	at := row*t.stride + col
	m := t.marks[at]&(north|west) | (t.marks[at+t.stride]&north|t.marks[at+1]&west)>>toOther
	if !w.mixed {
		return m
	}
	reach, x, z, s := &w.reach[i], (2*col+1)*t.s, (2*row+1)*t.s, t.s
	for k, d := range [4][2]int{{0, s}, {s, 0}, {0, -s}, {-s, 0}} {
		if m>>k&1 != 0 && !reach.Eligible(x+d[0], z+d[1], w.cells) {
			m &^= 1 << k
		}
	}
	return m
}

// fan writes the fan of a square with the midpoints given, counter-clockwise seen
// from above, but for the squares of it that are drawn by themselves.
func (w *walk) fan(s *square, midpoints, squares mark) {
	if w.strip || w.padded || squares != 0 || w.n+24 > len(w.dst) {
		w.runs(s, midpoints, squares)
		return
	}
	c := s[atCentre]
	sw, se, ne, nw := s[atSouthWest], s[atSouthEast], s[atNorthEast], s[atNorthWest]
	switch midpoints {
	case 0:
		d := (*[12]uint32)(w.dst[w.n:])
		d[0], d[1], d[2] = c, sw, se
		d[3], d[4], d[5] = c, se, ne
		d[6], d[7], d[8] = c, ne, nw
		d[9], d[10], d[11] = c, nw, sw
		w.n += 12
	case southSide | eastSide | north | west:
		so, ea, no, we := s[atSouth], s[atEast], s[atNorth], s[atWest]
		d := (*[24]uint32)(w.dst[w.n:])
		d[0], d[1], d[2], d[3], d[4], d[5] = c, sw, so, c, so, se
		d[6], d[7], d[8], d[9], d[10], d[11] = c, se, ea, c, ea, ne
		d[12], d[13], d[14], d[15], d[16], d[17] = c, ne, no, c, no, nw
		d[18], d[19], d[20], d[21], d[22], d[23] = c, nw, we, c, we, sw
		w.n += 24
	default:
		d, n := w.dst[w.n:], 0
		n += side(d, c, sw, s[atSouth], se, midpoints)
		n += side(d[n:], c, se, s[atEast], ne, midpoints>>1)
		n += side(d[n:], c, ne, s[atNorth], nw, midpoints>>2)
		n += side(d[n:], c, nw, s[atWest], sw, midpoints>>3)
		w.n += n
	}
}

// side writes the triangles of a fan between two corners, with the midpoint if the
// lowest bit says so, and returns how many indices that are. It writes six anyway:
// branching takes longer.
func side(dst []uint32, centre, a, middle, b uint32, midpoints mark) int {
	has := uint32(midpoints & 1)
	d := (*[6]uint32)(dst)
	d[0], d[1], d[2] = centre, a, b^(middle^b)&-has
	d[3], d[4], d[5] = centre, middle, b
	return 3 + 3*int(has)
}

// runs is fan by any topology, into a buffer of any length.
func (w *walk) runs(s *square, midpoints, squares mark) {
	corners := [4]uint32{s[atSouthEast], s[atNorthEast], s[atNorthWest], s[atSouthWest]}
	middles := [4]uint32{s[atSouth], s[atEast], s[atNorth], s[atWest]}
	var ring [9]uint32
	n := 0
	if squares&8 == 0 {
		ring[0], n = corners[3], 1
	}
	for i := range 4 {
		if midpoints>>i&1 != 0 {
			ring[n] = middles[i]
			n++
		}
		if squares>>i&1 != 0 { // its midpoints are drawn: this run ends, another begins
			w.run(s[atCentre], ring[:n])
			n = 0
			continue
		}
		ring[n] = corners[i]
		n++
	}
	w.run(s[atCentre], ring[:n])
}

// run writes the triangles between the centre and points of the rim.
func (w *walk) run(centre uint32, ring []uint32) {
	if len(ring) < 2 {
		return
	}
	if w.strip {
		w.runStrip(centre, ring)
		return
	}
	a := ring[0]
	for _, b := range ring[1:] {
		from := a
		a = b
		if w.padded && w.hasNoArea(centre, from, b) {
			w.flat++
			continue
		}
		if w.n+3 > len(w.dst) {
			w.full = true
			return
		}
		d := w.dst[w.n : w.n+3 : w.n+3]
		d[0], d[1], d[2] = centre, from, b
		w.n += 3
		w.triangles++
	}
}

// runStrip appends the triangles to a strip, the last first: the centre between any
// two points of the rim. That makes every other triangle degenerate, and all others
// even.
func (w *walk) runStrip(centre uint32, ring []uint32) {
	n := 2*len(ring) - 1
	if w.n > 0 {
		n += 3
	}
	if w.n+n > len(w.dst) {
		w.full = true
		return
	}
	d := w.dst[w.n : w.n+n]
	if w.n > 0 {
		d[0], d[1], d[2] = w.tail, w.tail, ring[len(ring)-1]
		d = d[3:]
	}
	from := ring[len(ring)-1]
	for rest := ring[:len(ring)-1]; len(rest) > 0 && len(d) > 2; rest, d = rest[:len(rest)-1], d[2:] {
		d[0], d[1] = from, centre
		to := rest[len(rest)-1]
		if !w.padded || !w.hasNoArea(centre, to, from) {
			w.triangles++
		}
		from = to
	}
	w.tail = from
	d[0] = w.tail
	w.n += n
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
	p := w.layout.Grid[id]
	return min(int(p.X), w.rimX), min(int(p.Z), w.rimZ)
}
