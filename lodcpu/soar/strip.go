package soar

// strip writes the whole tile as one generalised triangle strip around its
// centre, in the order of the article.
func (w *walk) strip() {
	i := len(w.tiers) - 1
	r := &w.plan.tiers[i].rings[0]
	// The walk begins as if corner 0 had been written twice. Only the second
	// is: a first index of even parity.
	first := r[southWest]
	if len(w.dst) < 1 {
		w.full = true
		return
	}
	w.dst[0], w.n = first, 1
	w.tail, w.head, w.swap = first, first, 0
	number := w.tiers[i].fan(0, 0)
	for _, e := range [4]struct {
		bit         uint8
		corner, end int
	}{{fanSouth, southWest, southEast}, {fanEast, southEast, northEast}, {markNorth, northEast, northWest}, {markWest, northWest, southWest}} {
		middle := r[(e.corner+7)%8]
		if number&e.bit != 0 {
			w.stripQuarter(i, 0, e.corner, e.end, middle)
			w.append(r[centre], 0)
			w.stripQuarter(i, 0, e.end, e.corner, middle)
		} else {
			w.leaf(r[centre], r[e.corner], r[e.end], 0)
		}
		w.append(r[e.end], 1)
	}
}

// stripHalf visits half of block b of tier i, which is split: the triangle whose
// right angle is at a corner. It enters at the next corner clockwise, the end of
// the strip so far, and leaves at the one counter-clockwise, which is not written.
func (w *walk) stripHalf(i int, b block, corner int) {
	f := &w.tiers[i]
	number := f.fan(b, 0)
	r := &w.plan.tiers[i].rings[b.number()]
	before, after := (corner+2)&7, (corner+6)&7
	if number&middleBit[(corner+1)&7] != 0 {
		middle := r[(corner+1)&7]
		w.stripQuarter(i, b, before, corner, middle)
		w.append(r[centre], 0)
		w.stripQuarter(i, b, corner, before, middle)
	} else {
		w.leaf(r[centre], r[before], r[corner], 0)
	}
	w.append(r[corner], 1)
	if number&middleBit[(corner+7)&7] != 0 {
		middle := r[(corner+7)&7]
		w.stripQuarter(i, b, corner, after, middle)
		w.append(r[centre], 0)
		w.stripQuarter(i, b, after, corner, middle)
	} else {
		w.leaf(r[centre], r[corner], r[after], 0)
	}
}

// middleBit is the bit of a fan's number by the middle's place in the ring.
var middleBit = [8]uint8{north: markNorth, east: fanEast, south: fanSouth, west: markWest}

// quarterAt is the quarter of a block by the place of the corner that it holds.
var quarterAt = [8]int{northWest: 0, northEast: 1, southWest: 2, southEast: 3}

// stripQuarter visits half of the quarter of block b that holds a corner. The right
// angle is at the middle of the block's edge from there to the other corner.
func (w *walk) stripQuarter(i int, b block, corner, other int, middle uint32) {
	if i > w.bottom {
		f := &w.tiers[i-1]
		q := b.quarter(quarterAt[corner])
		if f.marks[q.row()*(f.side+1)+q.column()]&markCentre != 0 {
			w.stripHalf(i-1, q, other)
			return
		}
	}
	r := &w.plan.tiers[i].rings[b.number()]
	w.leaf(middle, r[corner], r[centre], 1)
}

// leaf writes a triangle that is not split.
func (w *walk) leaf(apex, l, r uint32, parity int) {
	if w.padded && w.hasNoArea(apex, l, r) {
		w.flat++
	}
	w.append(apex, parity)
}

// append adds index v with its parity. Two of one parity in a row have the last
// but one repeated between them, which swaps the winding. What was written is
// kept here, never read back: the buffer may be write-combined memory.
func (w *walk) append(v uint32, parity int) {
	if v == w.tail || v == w.head {
		return
	}
	n := w.n
	if n+2 > len(w.dst) {
		w.lastIndex(v, parity)
		return
	}
	d := w.dst[n : n+2 : n+2]
	if parity == w.swap {
		d[0], d[1] = w.tail, v
		w.n = n + 2
	} else {
		d[0] = v
		w.tail = w.head
		w.n = n + 1
	}
	w.head, w.swap = v, parity
}

// lastIndex is append where the buffer has room for one index or none.
func (w *walk) lastIndex(v uint32, parity int) {
	if parity == w.swap || w.n >= len(w.dst) {
		w.full = true
		return
	}
	w.dst[w.n] = v
	w.n++
	w.tail, w.head, w.swap = w.head, v, parity
}
