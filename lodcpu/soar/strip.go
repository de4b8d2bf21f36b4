package soar

import "github.com/vkterrain/vkterrain/lodcpu"

// strip writes the whole tile as one generalised triangle strip around its
// centre; the corners are given in the order of the walk.
func (w *walk) strip(centre vertex, corners [4]vertex, order int) {
	// The walk begins as if corner 0 had been written twice. Only the second
	// is: a first index of even parity.
	first := uint32(corners[0])
	if len(w.dst) < 1 {
		w.full = true
		return
	}
	w.dst[0], w.n = first, 1
	w.tail, w.head, w.swap = first, first, 0
	for i, l := range corners {
		r := corners[(i+1)%4]
		if m, cut, active := w.split(l, r, order, w.cull.Sides()); active {
			w.stripSplit(centre, l, r, m, order, cut)
		} else {
			w.leaf(centre, l, r, order)
		}
		w.append(uint32(r), 1)
	}
}

// stripSplit visits a triangle that is split at m in order: the half at l, the
// apex, the half at r. Parity alternates with the order, as the winding does.
// Leaves are written by their parent: half of all calls are saved.
func (w *walk) stripSplit(apex, l, r, m vertex, order int, ask lodcpu.Sides) {
	if c, cut, active := w.split(l, apex, order-1, ask); active {
		w.stripSplit(m, l, apex, c, order-1, cut)
	} else {
		w.leaf(m, l, apex, order-1)
	}
	w.append(uint32(apex), order&1)
	if c, cut, active := w.split(apex, r, order-1, ask); active {
		w.stripSplit(m, apex, r, c, order-1, cut)
	} else {
		w.leaf(m, apex, r, order-1)
	}
}

// leaf writes a triangle that is not split.
func (w *walk) leaf(apex, l, r vertex, order int) {
	w.leaves++
	if w.padded && w.hasNoArea(apex, l, r) {
		w.flat++
	}
	w.append(uint32(apex), order&1)
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
