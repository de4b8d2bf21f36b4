package soar

// fan is what is drawn of a split block: triangles around its centre, wound counter-
// clockwise seen from above. What is left to its quarters is not in it.
type fan struct {
	// places in the block's ring, three a triangle, the first its centre
	places [24]uint8
	n      uint8 // of places that count
	_      [7]uint8
}

// Bits of the number of a fan beside markNorth and markWest.
const (
	fanEast  = 1 << 2
	fanSouth = 1 << 3
	fanKids  = 4 // the first of the four quarters
)

// fans are all of them, by which middles of a block's edges are active and which
// of its quarters are split.
var fans = func() (all [256]fan) {
	edges := [4]struct{ bit, from, middle, to, first, second int }{
		{fanSouth, southWest, south, southEast, 2, 3},
		{fanEast, southEast, east, northEast, 3, 1},
		{markNorth, northEast, north, northWest, 1, 0},
		{markWest, northWest, west, southWest, 0, 2},
	}
	for number := range all {
		f := &all[number]
		add := func(a, b int) {
			f.places[f.n], f.places[f.n+1], f.places[f.n+2] = centre, uint8(a), uint8(b)
			f.n += 3
		}
		for _, e := range edges {
			if number&e.bit == 0 {
				add(e.from, e.to)
				continue
			}
			if number>>(fanKids+e.first)&1 == 0 {
				add(e.from, e.middle)
			}
			if number>>(fanKids+e.second)&1 == 0 {
				add(e.middle, e.to)
			}
		}
	}
	return all
}()

// fanNarrow is a fan whose places are those of the bytes of 16-bit words.
type fanNarrow struct {
	places [48]uint8
	n      uint8
	_      [15]uint8
}

// fansNarrow are all of them, by the numbers of fans.
var fansNarrow = func() (all [256]fanNarrow) {
	for number := range all {
		f, to := &fans[number], &all[number]
		to.n = f.n
		for i, p := range f.places {
			to.places[2*i], to.places[2*i+1] = 2*p, 2*p+1
		}
	}
	return all
}()

// list writes the fans of all split blocks.
func (w *writing[I]) list() {
	for i := len(w.tiers) - 1; i >= w.bottom; i-- {
		f := &w.tiers[i]
		w.listFans(i, f, f.open, f.openKids)
		w.listFans(i, f, f.careful, f.carefulKids)
	}
}

// listFans writes the fans of blocks of tier i.
func (w *writing[I]) listFans(i int, f *found, blocks []block, kids []uint8) {
	rings := ringsOf[I](&w.plan.tiers[i])
	kids = kids[:len(blocks)]
	if w.padded {
		for j, b := range blocks {
			w.paddedFan(&fans[f.fan(b, kids[j])], &rings[b.number()])
		}
		return
	}
	blocks = blocks[w.fastFans(f, blocks, kids, rings):]
	kids = kids[len(kids)-len(blocks):][:len(blocks)]
	for j, b := range blocks {
		w.plainFan(&fans[f.fan(b, kids[j])], &rings[b.number()])
	}
}

// fan returns the number of a block's fan.
func (f *found) fan(b block, kids uint8) uint8 {
	at := b.row()*(f.side+1) + b.column()
	return f.marks[at]&(markNorth|markWest) | f.marks[at+1]&markWest<<1 | f.marks[at+f.side+1]&markNorth<<3 | kids<<fanKids
}

// plainFan writes a fan.
func (w *writing[I]) plainFan(f *fan, r *ringOf[I]) {
	n := int(f.n)
	if n > len(w.dst)-w.n {
		w.full = true
		return
	}
	places := f.places[:n]
	d := w.dst[w.n:][:len(places)]
	for i, p := range places {
		d[i] = r[p]
	}
	w.n += n
}

// paddedFan is plainFan where triangles may have no area.
func (w *writing[I]) paddedFan(f *fan, r *ringOf[I]) {
	for p := f.places[:f.n]; len(p) >= 3; p = p[3:] {
		a, b, c := r[p[0]], r[p[1]], r[p[2]]
		if w.hasNoArea(uint32(a), uint32(b), uint32(c)) {
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
	}
}
