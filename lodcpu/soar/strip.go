package soar

// A strip is made in two steps. The squares are walked in the article's order,
// which lists vertices, some of them more than once. Then each is appended to the
// strip, unless it is one of the last two, with what it takes to keep the winding.

// even marks a vertex that the strip must have at an even place, but for swaps:
// the centre of a block as long as its half is walked.
const even = 1 << 31

// Events are vertices to be appended. They are flushed when only room for those of
// one half of a block a tier is left.
const (
	halfEvents = 8
	manyEvents = 1024
)

type events struct {
	list [manyEvents + halfEvents*(maxTiers+1)]uint32
	n    int
}

func (e *events) add(v uint32) {
	e.list[e.n] = v
	e.n++
}

// strip writes the whole tile as one generalised triangle strip around its
// centre, in the order of the article.
func (w *walk) strip() {
	for i := w.bottom; i < len(w.tiers); i++ {
		f := &w.tiers[i]
		w.triangles += f.number(f.open, f.openKids) + f.number(f.careful, f.carefulKids)
		if w.padded {
			w.countFlat(i, f.open, f.openKids)
			w.countFlat(i, f.careful, f.carefulKids)
		}
	}
	top := len(w.tiers) - 1
	r := &w.plan.tiers[top].rings[0]
	// The walk begins as if corner 0 had been written twice. Only the second
	// is: a first index of even parity.
	if len(w.dst) < 1 {
		w.full = true
		return
	}
	w.dst[0], w.n = r[southWest], 1
	w.tail, w.head, w.parity = r[southWest], r[southWest], 0
	number := w.tiers[top].numbers[0]
	w.events.n = 0
	for _, corner := range [4]int{southWest, southEast, northEast, northWest} {
		end := (corner + 6) & 7
		if number&middleBit[(corner+7)&7] != 0 {
			middle := r[(corner+7)&7]
			w.quarter(top, 0, number, corner, end, middle)
			w.events.add(r[centre] | even)
			w.quarter(top, 0, number, end, corner, middle)
		} else {
			w.events.add(r[centre] | even)
		}
		w.events.add(r[end])
	}
	w.flush()
}

// number keeps the numbers of the fans of blocks, and returns their triangles.
func (f *found) number(blocks []block, kids []uint8) (triangles int) {
	n := 0
	for i, b := range blocks {
		number := f.fan(b, kids[i])
		f.numbers[b.number()] = number
		n += int(fans[number].n)
	}
	return n / 3
}

// countFlat counts the triangles of blocks that have no area.
func (w *walk) countFlat(i int, blocks []block, kids []uint8) {
	rings := w.plan.tiers[i].rings
	for _, b := range blocks {
		f, r := &fans[w.tiers[i].numbers[b.number()]], &rings[b.number()]
		for j := 0; j < int(f.n); j += 3 {
			if w.hasNoArea(r[f.places[j]], r[f.places[j+1]], r[f.places[j+2]]) {
				w.flat++
			}
		}
	}
}

// middleBit is the bit of a fan's number by the middle's place in the ring.
var middleBit = [8]uint8{north: markNorth, east: fanEast, south: fanSouth, west: markWest}

// quarterAt is the quarter of a block by the place of the corner that it holds.
var quarterAt = [8]uint8{northWest: 0, northEast: 1, southWest: 2, southEast: 3}

// quarterBit is its bit in a fan's number.
var quarterBit = [8]uint8{northWest: 1 << fanKids, northEast: 2 << fanKids, southWest: 4 << fanKids, southEast: 8 << fanKids}

// half walks half of block b of tier i, which is split: the triangle whose
// right angle is at a corner. It enters at the next corner clockwise and leaves at
// the one counter-clockwise.
func (w *walk) half(i, b, corner int) {
	number := w.tiers[i].numbers[b]
	r := &w.plan.tiers[i].rings[b]
	if w.events.n >= manyEvents {
		w.flush()
	}
	before, after := (corner+2)&7, (corner+6)&7
	c, first, last := r[centre]|even, r[(corner+1)&7], r[(corner+7)&7]
	if number&(quarterBit[before]|quarterBit[corner]|quarterBit[after]) == 0 {
		// Where a middle is not active, nothing is counted for it.
		n := w.events.n
		d := (*[halfEvents]uint32)(w.events.list[n:])
		x, y := one[number&middleBit[(corner+1)&7]&15], one[number&middleBit[(corner+7)&7]&15]
		d[0] = first
		d[x&7] = c
		d[(x+1)&7] = first
		x *= 2
		d[(x+1)&7] = r[corner&7]
		d[(x+2)&7] = last
		d[(x+y+2)&7] = c
		d[(x+y+3)&7] = last
		w.events.n = n + x + 2*y + 3
		return
	}
	if number&middleBit[(corner+1)&7] != 0 {
		w.quarter(i, b, number, before, corner, first)
		w.events.add(c)
		w.quarter(i, b, number, corner, before, first)
	} else {
		w.events.add(c)
	}
	w.events.add(r[corner])
	if number&middleBit[(corner+7)&7] != 0 {
		w.quarter(i, b, number, corner, after, last)
		w.events.add(c)
		w.quarter(i, b, number, after, corner, last)
	} else {
		w.events.add(c)
	}
}

// one is 1 for a bit that is set.
var one = [16]int{1: 1, 2: 1, 4: 1, 8: 1}

// quarter walks half of the quarter of block b that holds a corner. The right
// angle is at the middle of the block's edge from there to the other corner.
func (w *walk) quarter(i, b int, number uint8, corner, other int, middle uint32) {
	if number&quarterBit[corner&7] != 0 {
		w.half(i-1, 4*b+int(quarterAt[corner&7]), other)
	} else {
		w.events.add(middle)
	}
}

// flush appends what there is to the strip.
func (w *walk) flush() {
	list := w.events.list[:w.events.n]
	w.events.n = 0
	w.appendEvents(list)
}

// appendEventsGo appends vertices. Two of one parity in a row have the last
// but one repeated between them, which swaps the winding. What was written is
// kept here, never read back: the buffer may be write-combined memory.
func (w *walk) appendEventsGo(list []uint32) {
	for _, event := range list {
		v, parity := event&^even, 1-event>>31
		if v == w.tail || v == w.head {
			continue
		}
		if parity == w.parity {
			w.put(w.tail)
		} else {
			w.tail = w.head
		}
		w.put(v)
		w.head, w.parity = v, parity
	}
}

func (w *walk) put(v uint32) {
	if w.n >= len(w.dst) {
		w.full = true
		return
	}
	w.dst[w.n] = v
	w.n++
}
