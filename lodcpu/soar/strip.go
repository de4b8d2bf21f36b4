package soar

// strip writes the whole tile as one generalised triangle strip around its
// centre; the corners are given in the order of the walk.
func (w *walk) strip(centre vertex, corners [4]vertex, order int) {
	// The walk begins as if corner 0 had been written twice. Only the second
	// is: a first index of even parity.
	first := uint32(corners[0])
	w.put(first)
	w.tail, w.head, w.swap = first, first, false
	for i, l := range corners {
		r := corners[(i+1)%4]
		w.stripTriangle(centre, l, r, order)
		w.append(uint32(r), true)
	}
}

// stripTriangle visits triangle (apex, l, r) in order: the half at l, the apex,
// the half at r. Parity alternates with the order, as the winding does.
func (w *walk) stripTriangle(apex, l, r vertex, order int) {
	m, active := w.split(l, r, order)
	if active {
		w.stripTriangle(m, l, apex, order-1)
	} else {
		w.leaves++
		if w.padded && w.hasNoArea(apex, l, r) {
			w.flat++
		}
	}
	w.append(uint32(apex), order&1 != 0)
	if active {
		w.stripTriangle(m, apex, r, order-1)
	}
}

// append adds index v with its parity. Two of one parity in a row have the last
// but one repeated between them, which swaps the winding. What was written is
// kept here, never read back: the buffer may be write-combined memory.
func (w *walk) append(v uint32, parity bool) {
	if v == w.tail || v == w.head {
		return
	}
	if parity == w.swap {
		w.put(w.tail)
	} else {
		w.tail = w.head
	}
	w.put(v)
	w.head, w.swap = v, parity
}

func (w *walk) put(v uint32) {
	if w.n >= len(w.dst) {
		w.full = true
		return
	}
	w.dst[w.n] = v
	w.n++
}
