package billod

// fan writes the triangles from a node's centre to its rim, counter-clockwise seen from
// above, but for those that a child covers.
func (w *walk) fan(r *ring, edges, kids uint8) {
	f := &fans[int(edges)|int(kids)<<4]
	switch {
	case w.strip:
		from := uint8(0)
		for _, end := range f.ends[:f.runs] {
			w.run(r, centre, f.rim[from:end])
			from = end
		}
	case w.padded:
		w.padded3(r, f.list[:f.n])
	default:
		w.list(r, f.list[:f.n])
	}
}

// square writes a node of which no edge vertex is shown: two triangles, divided as the
// node above was there.
func (w *walk) square(r *ring, column, row int) {
	f := &squares[column&1|row&1<<1]
	switch {
	case w.strip:
		w.run(r, f[0], []uint8{f[1], f[2], f[5]})
	case w.padded:
		w.padded3(r, f[:])
	default:
		w.list(r, f[:])
	}
}

// squares are the triangles of squares, by their columns and rows modulo 2: the first
// corner of both is that at the centre of the node above.
var squares = [4][6]uint8{
	{southEast, northEast, northWest, southEast, northWest, southWest},
	{southWest, southEast, northEast, southWest, northEast, northWest},
	{northEast, northWest, southWest, northEast, southWest, southEast},
	{northWest, southWest, southEast, northWest, southEast, northEast},
}

// fan is what is drawn of a node with some edge vertices and children, as places of its
// ring.
type fan struct {
	list [24]uint8 // triangles
	n    uint8

	// The same as runs along the rim, one for each row of neighbours.
	rim  [12]uint8
	ends [4]uint8
	runs uint8
}

// fans are all of them, by edge vertices, and 16 times the children.
var fans = func() (all [256]fan) {
	for number := range all {
		edges, kids := number&15, number>>4
		if kids&^int(pairs[edges]) == 0 {
			all[number] = newFan(edges, kids)
		}
	}
	return all
}()

func newFan(edges, kids int) (f fan) {
	start, end := uint8(0), uint8(0) // of a run
	add := func(place int) {
		f.rim[end] = uint8(place)
		end++
	}
	finish := func() {
		if end-start < 2 { // between two children
			end = start
			return
		}
		f.ends[f.runs] = end
		f.runs++
		start = end
	}
	for k := range 4 { // corner k, and the edge behind it
		if kids>>k&1 == 0 {
			add(2 * k)
		}
		if edges>>k&1 == 0 {
			continue
		}
		add(2*k + 1)
		if kids>>((k+1)&3)&1 != 0 {
			finish()
		}
	}
	if kids&1 == 0 {
		add(southWest)
	}
	finish()
	from := uint8(0)
	for _, end := range f.ends[:f.runs] {
		for i := from + 1; i < end; i++ {
			f.list[f.n], f.list[f.n+1], f.list[f.n+2] = centre, f.rim[i-1], f.rim[i]
			f.n += 3
		}
		from = end
	}
	return f
}

// list writes triangles.
func (w *walk) list(r *ring, places []uint8) {
	if len(places) > len(w.dst)-w.n {
		w.full = true
		return
	}
	d := w.dst[w.n:][:len(places)]
	for i, p := range places {
		d[i] = r[p]
	}
	w.n += len(places)
	w.triangles += len(places) / 3
}

// padded3 is list where triangles may have no area.
func (w *walk) padded3(r *ring, places []uint8) {
	for p := places; len(p) >= 3; p = p[3:] {
		a, b, c := r[p[0]], r[p[1]], r[p[2]]
		if w.hasNoArea(a, b, c) {
			w.flat++
			continue
		}
		if w.n+3 > len(w.dst) {
			w.full = true
			return
		}
		d := w.dst[w.n : w.n+3 : w.n+3]
		d[0], d[1], d[2] = a, b, c
		w.n += 3
		w.triangles++
	}
}

// run appends the triangles between a vertex and places of a rim to the strip, the last
// first: the vertex between any two of them. That makes every other triangle degenerate,
// and all others even.
func (w *walk) run(r *ring, apex uint8, rim []uint8) {
	n := 2*len(rim) - 1
	if w.n > 0 {
		n += 3
	}
	if n > len(w.dst)-w.n {
		w.full = true
		return
	}
	d := w.dst[w.n : w.n+n]
	last := len(rim) - 1
	if w.n > 0 {
		d[0], d[1], d[2] = w.tail, w.tail, r[rim[last]]
		d = d[3:]
	}
	a, from := r[apex], r[rim[last]]
	for rest := rim[:last]; len(rest) > 0 && len(d) > 2; rest, d = rest[:len(rest)-1], d[2:] {
		d[0], d[1] = from, a
		to := r[rest[len(rest)-1]]
		if !w.padded || !w.hasNoArea(a, to, from) {
			w.triangles++
		}
		from = to
	}
	w.tail = from
	d[0] = w.tail
	w.n += n
}

// hasNoArea says whether a triangle collapses when its corners are clamped to the rim
// of the source.
func (w *walk) hasNoArea(a, b, c uint32) bool {
	ax, az := w.clamped(a)
	bx, bz := w.clamped(b)
	cx, cz := w.clamped(c)
	return (bx-ax)*(cz-az) == (cx-ax)*(bz-az)
}

func (w *walk) clamped(id uint32) (x, z int) {
	p := w.grid[id]
	return min(int(p.X), w.rimX), min(int(p.Z), w.rimZ)
}
