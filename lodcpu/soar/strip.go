package soar

// What a strip of a half block looks like depends on how it ends before: whether
// its last index but one is the middle of the half's first edge, the block's centre
// or the half's corner, whether its last is the corner, and of what parity that is.
// No other of the half's vertices can be among the last two: it is entered at the
// far end of its first edge, and only the block's other half may come before it.
const (
	tailFirst = 1 << iota
	tailCentre
	tailCorner
	headCorner
	odd
	manyEnds = 1 << iota
)

// Roles of vertices in a half block, and the strip's last index but one.
const (
	roleFirst  = iota // the middle of the edge where it is entered
	roleCentre        // the block's centre
	roleCorner        // the half's right angle
	roleLast          // the middle of the edge where it is left
	roleTail
	roleHead // only while tables are made
	roleEnd  // the corner where it is left, which is written after it
)

// piece is what a half block none of whose quarters is split adds to the strip.
type piece struct {
	roles            [8]uint8
	n                uint8
	tail, head, odds uint8 // how the strip ends: two roles and the parity
	_                [4]uint8
}

// pieces are all of them, by how the strip ends before, and which middles are
// active: 1 for the first, 2 for the last.
var pieces = func() (all [manyEnds][4]piece) {
	for end := range all {
		for middles := range all[end] {
			p := &all[end][middles]
			p.tail, p.head, p.odds = roleTail, roleHead, uint8(end/odd&1)
			switch {
			case end&tailFirst != 0:
				p.tail = roleFirst
			case end&tailCentre != 0:
				p.tail = roleCentre
			case end&tailCorner != 0:
				p.tail = roleCorner
			}
			if end&headCorner != 0 {
				p.head = roleCorner
			}
			side := func(active bool, middle uint8) {
				if active {
					p.append(middle, 1)
					p.append(roleCentre, 0)
					p.append(middle, 1)
				} else {
					p.append(roleCentre, 0)
				}
			}
			side(middles&1 != 0, roleFirst)
			p.append(roleCorner, 1)
			side(middles&2 != 0, roleLast)
		}
	}
	return all
}()

// append is writing.append on roles.
func (p *piece) append(role, parity uint8) {
	if role == p.tail || role == p.head {
		return
	}
	if parity == p.odds {
		p.roles[p.n] = p.tail
		p.n++
	} else {
		p.tail = p.head
	}
	p.roles[p.n] = role
	p.n++
	p.head, p.odds = role, parity
}

// item is something to append to the strip. It is half of a block and the corner
// where that is left: bit 63, the corner's parity in bit 62, the tier from bit 56 on,
// the corner with the right angle from bit 48 on, and the block's number. Or it is
// two vertices, each with its parity above: from bit 0 on, and from bit 32 on. Items
// wait on a stack.
type item uint64

const (
	itemHalf   item = 1 << 63
	itemOdd    item = 1 << 62 // the corner, or the second vertex
	itemRest   item = 1 << 61 // of a half all but its first quarter
	itemFirst  item = 1 << 31 // the parity of the first vertex
	itemTier        = 56
	itemCorner      = 48

	// mostItems are what may wait: those of the root, and of one half a tier, and
	// what may be written behind them.
	mostItems = 8 + 4*maxTiers + 1
)

// strip writes the whole tile as one generalised triangle strip around its
// centre, in the order of the article.
func (w *writing[I]) strip() {
	for i := w.bottom; i < len(w.tiers); i++ {
		f := &w.tiers[i]
		w.triangles += w.number(f, f.open, f.openKids) + w.number(f, f.careful, f.carefulKids)
		if w.padded {
			w.countFlat(i, f.open)
			w.countFlat(i, f.careful)
		}
	}
	if len(w.dst) < 1 {
		w.full = true
		return
	}
	top := len(w.tiers) - 1
	r := &w.plan.tiers[top].rings[0]
	// The walk begins as if corner 0 had been written twice. Only the second
	// is: a first index of even parity.
	w.dst[0], w.n = I(r[southWest]), 1
	w.tail, w.head, w.parity = r[southWest], r[southWest], 0
	w.pushRoot(top, r)
	w.fastStrip()
	w.plainStrip()
}

// pushRoot makes the tile's four triangles the items to be appended.
func (w *walk) pushRoot(top int, r *ring) {
	number := w.tiers[top].numbers[0]
	w.many = 0
	for _, corner := range [4]int{northWest, northEast, southEast, southWest} { // the last first
		end := (corner + 6) & 7
		w.pushSide(top, 0, number, corner, end, item(r[end])<<32|itemOdd)
	}
}

// pushSide pushes what is drawn along an edge of block b of tier i, from one corner
// to the next: two halves of quarters, or just the centre if the middle is not active.
// next is the corner where it is left.
func (w *walk) pushSide(i, b int, number uint8, from, to int, next item) {
	r := &w.plan.tiers[i].rings[b]
	place := (from + 7) & 7 // sides are walked counter-clockwise
	if number&middleBit[place] == 0 {
		w.push(item(r[centre]) | next)
		return
	}
	middle := item(r[place]) | itemFirst
	w.push(quarter(i, b, number, to, from, middle, next))
	w.push(quarter(i, b, number, from, to, middle, item(r[centre])<<32))
}

func (w *walk) push(i item) {
	w.items[w.many] = i
	w.many++
}

// plainStrip appends all items.
func (w *writing[I]) plainStrip() {
	for w.many > 0 && !w.full {
		w.many--
		it := w.items[w.many]
		if it&itemHalf == 0 {
			w.append(uint32(it&^itemFirst), uint32(it>>31&1))
			w.append(uint32(it&^itemOdd>>32), uint32(it>>62))
			continue
		}
		i, b, corner, parity := int(it>>itemTier&0x1f), int(uint32(it)), int(it>>itemCorner&7), it&itemOdd
		if it&itemRest != 0 {
			w.rest(i, b, corner, parity)
			continue
		}
		w.half(i, b, corner, parity)
	}
}

// numberGo keeps the numbers of the fans of blocks, and returns their triangles.
func (w *walk) numberGo(f *found, blocks []block, kids []uint8) (triangles int) {
	n := 0
	kids = kids[:len(blocks)]
	for i, b := range blocks {
		number := f.fan(b, kids[i])
		f.numbers[b.number()] = number
		n += int(fans[number].n)
	}
	return n / 3
}

// countFlat counts the triangles of blocks that have no area.
func (w *walk) countFlat(i int, blocks []block) {
	rings := w.plan.tiers[i].rings
	for _, b := range blocks {
		f, r := &fans[w.tiers[i].numbers[b.number()]], &rings[b.number()]
		for p := f.places[:f.n]; len(p) >= 3; p = p[3:] {
			if w.hasNoArea(r[p[0]], r[p[1]], r[p[2]]) {
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

// shapes say of the half at a corner, by the number of the block's fan, which
// middles are active and which quarters are split.
var shapes = func() (all [4][256]uint8) {
	for corner := 0; corner < 8; corner += 2 {
		for number := range all[corner/2] {
			for bit, mask := range [5]uint8{
				middleBit[(corner+1)&7], middleBit[(corner+7)&7],
				quarterBit[(corner+2)&7], quarterBit[corner], quarterBit[(corner+6)&7],
			} {
				if uint8(number)&mask != 0 {
					all[corner/2][number] |= 1 << bit
				}
			}
		}
	}
	return all
}()

// Bits of a shape.
const (
	shapeFirst = 1 << iota
	shapeLast
	shapeQuarters = 7 << iota
)

// half appends half of block b of tier i, which is split: the triangle whose
// right angle is at a corner. It is entered at the next corner clockwise and left at
// the one counter-clockwise, which has the parity given and is appended too. If a
// quarter is split, its parts are pushed instead.
func (w *writing[I]) half(i, b, corner int, parity item) {
	number := w.tiers[i].numbers[b]
	r := &w.plan.tiers[i].rings[b]
	shape := shapes[corner/2][number]
	before, after := (corner+2)&7, (corner+6)&7
	if shape&shapeQuarters == 0 {
		w.piece(r[(corner+1)&7], r[centre], r[corner&7], r[(corner+7)&7], shape)
		w.append(r[after], uint32(parity>>62))
		return
	}
	w.pushSide(i, b, number, corner, after, item(r[after])<<32|parity)
	w.pushSide(i, b, number, before, corner, item(r[corner&7])<<32|itemOdd)
}

// rest pushes a half but for its first quarter. What assembly writes at once where
// there is room is left over where there is none.
func (w *writing[I]) rest(i, b, corner int, parity item) {
	number := w.tiers[i].numbers[b]
	r := &w.plan.tiers[i].rings[b]
	before, after := (corner+2)&7, (corner+6)&7
	w.pushSide(i, b, number, corner, after, item(r[after])<<32|parity)
	w.push(quarter(i, b, number, corner, before, item(r[(corner+1)&7])|itemFirst, item(r[corner&7])<<32|itemOdd))
}

// quarter returns half of the quarter of block b that holds a corner, or what is
// drawn of it if it is not split. The right angle is at the middle of the block's
// edge from there to the other corner; next is where it is left.
func quarter(i, b int, number uint8, corner, other int, middle, next item) item {
	if number&quarterBit[corner&7] == 0 {
		return middle | next
	}
	return itemHalf | next&itemOdd | item(i-1)<<itemTier | item(other)<<itemCorner | item(4*b+int(quarterAt[corner&7]))
}

// piece appends a half block none of whose quarters is split.
func (w *writing[I]) piece(first, centre, corner, last uint32, shape uint8) {
	tail := w.tail
	end := bit(tail == first)*tailFirst + bit(tail == centre)*tailCentre + bit(tail == corner)*tailCorner +
		bit(w.head == corner)*headCorner + w.parity*odd
	p := &pieces[end&(manyEnds-1)][shape&3]
	ids := [8]uint32{roleFirst: first, roleCentre: centre, roleCorner: corner, roleLast: last, roleTail: tail}
	for _, role := range p.roles[:p.n] {
		w.put(ids[role&7])
	}
	w.tail, w.head, w.parity = ids[p.tail&7], ids[p.head&7], uint32(p.odds)
}

// bit is 1 for true.
func bit(is bool) uint32 {
	if is {
		return 1
	}
	return 0
}

// append adds index v with its parity. Two of one parity in a row have the last
// but one repeated between them, which swaps the winding. What was written is
// kept here, never read back: the buffer may be write-combined memory.
func (w *writing[I]) append(v, parity uint32) {
	if v == w.tail || v == w.head {
		return
	}
	if parity == w.parity {
		w.put(w.tail)
	} else {
		w.tail = w.head
	}
	w.put(v)
	w.head, w.parity = v, parity
}

func (w *writing[I]) put(v uint32) {
	n, dst := w.n, w.dst
	if uint(n) >= uint(len(dst)) {
		w.full = true
		return
	}
	dst[n] = I(v)
	w.n = n + 1
}
