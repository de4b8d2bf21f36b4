package soar

import "github.com/vkterrain/vkterrain/lodcpu"

// listTriangle refines triangle (apex, l, r), whose hypotenuse l–r would be
// split at the given order. It is wound counter-clockwise seen from above, and
// so are its children.
func (w *walk) listTriangle(apex, l, r vertex, order int, ask lodcpu.Sides) {
	if m, cut, active := w.split(l, r, order, ask); active {
		w.listSplit(apex, l, r, m, order-1, cut)
	} else {
		w.emit(apex, l, r)
	}
}

// listSplit refines the two halves of a triangle that is split at m. Leaves are
// written by their parent: half of all calls are saved.
func (w *walk) listSplit(apex, l, r, m vertex, order int, ask lodcpu.Sides) {
	if c, cut, active := w.split(apex, l, order, ask); active {
		w.listSplit(m, apex, l, c, order-1, cut)
	} else {
		w.emit(m, apex, l)
	}
	if c, cut, active := w.split(r, apex, order, ask); active {
		w.listSplit(m, r, apex, c, order-1, cut)
	} else {
		w.emit(m, r, apex)
	}
}

// emit writes one triangle.
func (w *walk) emit(a, b, c vertex) {
	w.leaves++
	if w.padded && w.hasNoArea(a, b, c) {
		w.flat++
		return
	}
	n := w.n
	if n+3 > len(w.dst) {
		w.full = true
		return
	}
	d := w.dst[n : n+3 : n+3]
	d[0], d[1], d[2] = uint32(a), uint32(b), uint32(c)
	w.n = n + 3
}
