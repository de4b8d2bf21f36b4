package billod

// fanList writes the triangles from a node's centre to its rim, counter-clockwise
// seen from above, but for those that a child covers.
func (w *walk) fanList(n *node, mids *[4]vertex, shown, below *[4]bool) {
	centre, corners := n.centre, &n.corners
	for i := range corners {
		next := (i + 1) & 3
		if !shown[i] {
			w.triangle(centre, corners[i], corners[next])
			continue
		}
		if !below[i] {
			w.triangle(centre, corners[i], mids[i])
		}
		if !below[next] {
			w.triangle(centre, mids[i], corners[next])
		}
	}
}

// fanStrip appends the same to a strip, a run for each row of neighbours.
func (w *walk) fanStrip(at *node, mids *[4]vertex, shown, below *[4]bool) {
	centre, corners := at.centre, &at.corners
	var rim [10]vertex
	n := 0
	for i := range corners {
		if !below[i] {
			rim[n] = corners[i]
			n++
		}
		if shown[i] {
			rim[n] = mids[i]
			n++
			if below[(i+1)&3] {
				w.run(centre, rim[:n])
				n = 0
			}
		}
	}
	if !below[0] {
		rim[n] = corners[0]
		n++
	}
	w.run(centre, rim[:n])
}

// square writes a node of which nothing but the corners is shown: two triangles,
// divided as the node above was there.
func (w *walk) square(n *node) {
	i, k := n.parent, &n.corners
	a, b, c, d := k[i], k[(i+1)&3], k[(i+2)&3], k[(i+3)&3]
	if w.strip {
		w.run(a, []vertex{b, c, d})
		return
	}
	w.triangle(a, b, c)
	w.triangle(a, c, d)
}

// triangle writes one triangle.
func (w *walk) triangle(a, b, c vertex) {
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
	w.triangles++
}

// run appends the triangles between a centre and points of a rim, the last first:
// the centre between any two of them. That makes every other triangle degenerate, and
// all others even.
func (w *walk) run(centre vertex, rim []vertex) {
	if len(rim) < 2 {
		return
	}
	n := 2*len(rim) - 1
	if w.n > 0 {
		n += 3
	}
	if w.n+n > len(w.dst) {
		w.full = true
		return
	}
	d := w.dst[w.n : w.n+n]
	last := len(rim) - 1
	if w.n > 0 {
		d[0], d[1], d[2] = w.tail, w.tail, uint32(rim[last])
		d = d[3:]
	}
	for i := last; i > 0; i-- {
		d[0], d[1] = uint32(rim[i]), uint32(centre)
		d = d[2:]
		if !w.padded || !w.hasNoArea(centre, rim[i-1], rim[i]) {
			w.triangles++
		}
	}
	w.tail = uint32(rim[0])
	d[0] = w.tail
	w.n += n
}

// hasNoArea says whether a triangle collapses when its corners are clamped to
// the rim of the source.
func (w *walk) hasNoArea(a, b, c vertex) bool {
	ax, az := w.clamped(a)
	bx, bz := w.clamped(b)
	cx, cz := w.clamped(c)
	return (bx-ax)*(cz-az) == (cx-ax)*(bz-az)
}

func (w *walk) clamped(v vertex) (x, z int) {
	pos := uint64(v) >> 32
	return min(int(pos&w.mask), w.rimX), min(int(pos>>w.shift), w.rimZ)
}
