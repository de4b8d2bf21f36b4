package progmesh

import "math"

// spoke is a neighbour of a point and the face between it and the next neighbour,
// or −1 if there is none.
//
// Those of a point that may go are in order, counter-clockwise seen from the front. At
// the border they begin at one end of it and end at the other with −1; elsewhere the
// first follows the last. Those of a fixed point are pairs, one for each face, the
// second with −1.
type spoke struct{ to, face int32 }

// head is a point: where it is, where its spokes are, and where it would go. It is half a
// line of the cache.
type head struct {
	at     short
	first  int32  // of its spokes; the one before says how many there are, and room for
	target int32  // where it would go
	key    uint32 // what that costs, or less if it is stale
	queued uint32 // the least of its keys in the queue, or none
	kind   kind
}

// ring returns the spokes of p.
func (b *builder) ring(p int32) []spoke {
	first := b.heads[p].first
	n := b.spokes[first-1].to
	return b.spokes[first : first+n : first+n]
}

// room returns how many spokes p has and room for.
func (b *builder) room(p int32) *spoke { return &b.spokes[b.heads[p].first-1] }

// star is a copy of the spokes of a point, and where its neighbours are from there.
type star struct {
	ring []spoke
	near []vector
}

// gather fills in the star of p.
func (b *builder) gather(s *star, p int32) {
	from, heads := b.ring(p), b.heads
	if cap(s.ring) < len(from) || cap(s.near) < len(from) {
		s.ring, s.near = make([]spoke, 2*len(from)), make([]vector, 2*len(from))
	}
	ring, near := s.ring[:len(from)], s.near[:len(from)]
	s.ring, s.near = ring, near
	at := heads[p].at.long()
	for i, r := range from {
		ring[i], near[i] = r, heads[r.to].at.long().minus(at)
	}
}

// after returns the place after i in a ring.
func after(ring []spoke, i int) int {
	if i++; i < len(ring) {
		return i
	}
	return 0
}

// list fills in the spokes of all points, in pairs.
func (b *builder) list() {
	rooms := make([]int32, len(b.heads))
	for _, f := range b.faces {
		for _, p := range f {
			rooms[p] += 2
		}
	}
	at := int32(1)
	for p, room := range rooms {
		b.heads[p].first = at
		at += room + 1
	}
	b.spokes = make([]spoke, at)
	for f, face := range b.faces {
		for k, p := range face {
			first := b.heads[p].first
			n := &b.spokes[first-1].to
			b.spokes[first+*n] = spoke{face[(k+1)%3], int32(f)}
			b.spokes[first+*n+1] = spoke{face[(k+2)%3], -1}
			*n += 2
		}
	}
}

// classify finds the points at borders, puts spokes in order, and finds the points that
// must not go: those whose faces are no single fan that winds one way.
func (b *builder) classify() {
	for i := range b.heads {
		p := int32(i)
		ring, kind := b.ring(p), &b.heads[p].kind
		whole := len(ring) <= 2*maxFaces && round(ring)
		if !whole {
			start, fan := b.begin(ring)
			if start >= 0 {
				*kind |= rim
			}
			whole = len(ring) <= 2*maxFaces && fan && chain(ring, start)
		}
		if !whole || math.IsInf(b.weight(p), 1) || *kind&rim != 0 && b.o.Border == BorderLock {
			*kind |= fixed
			continue
		}
		n := len(ring) / 2
		for i := range n {
			ring[i] = ring[2*i]
		}
		if *kind&rim != 0 {
			ring[n] = ring[2*n-1]
			n++
		}
		b.room(p).to = int32(n)
	}
}

// round says whether pairs of spokes go round once, as nearly all do, and puts them in
// order.
func round(ring []spoke) bool {
	if n := len(ring); n == 0 || !chain(ring, -1) || ring[n-1].to != ring[0].to {
		return false
	}
	for i := 0; i < len(ring); i += 2 {
		for k := 0; k < i; k += 2 {
			if ring[k].to == ring[i].to {
				return false
			}
		}
	}
	return true
}

// pack moves the spokes together, with room for a few more at each point.
func (b *builder) pack() {
	const more = 2
	all := 0
	for i := range b.heads {
		all += 1 + int(b.room(int32(i)).to) + more
	}
	spokes, at := make([]spoke, all, all+all/4), int32(1)
	for i := range b.heads {
		ring := b.ring(int32(i))
		n := int32(len(ring))
		spokes[at-1] = spoke{n, n + more}
		copy(spokes[at:], ring)
		b.heads[i].first = at
		at += n + more + 1
	}
	b.spokes = spokes
}

// begin returns the pair of spokes that no other one leads to, or −1, and whether
// there is one such at most and no two begin or end alike.
func (b *builder) begin(ring []spoke) (start int, fan bool) {
	start, fan = -1, true
	b.seen.clear()
	for i := 0; i < len(ring); i += 2 {
		fan = b.seen.add(ring[i].to) && fan
	}
	b.seen.clear()
	for i := 1; i < len(ring); i += 2 {
		fan = b.seen.add(ring[i].to) && fan
	}
	for i := 0; i < len(ring); i += 2 {
		if !b.seen.has(ring[i].to) {
			fan = fan && start < 0
			start = i
		}
	}
	return start, fan
}

// chain puts pairs of spokes in order from one of them on, or from any if it is −1,
// and says whether that takes all.
func chain(ring []spoke, start int) bool {
	swap := func(i, j int) {
		ring[i], ring[j] = ring[j], ring[i]
		ring[i+1], ring[j+1] = ring[j+1], ring[i+1]
	}
	if start > 0 {
		swap(0, start)
	}
	for i := 2; i < len(ring); i += 2 {
		j := i
		for j < len(ring) && ring[j].to != ring[i-1].to {
			j += 2
		}
		if j >= len(ring) {
			return false
		}
		if j > i {
			swap(i, j)
		}
	}
	return true
}

// edge is an edge as a point that may go sees it: its one or two faces in order, and
// what lies opposite in them.
type edge struct {
	spoke int
	sides int
	faces [2]int32 // −2 for none: no face of a spoke
	tips  [2]int32 // −1 for none
}

// has says whether a face is one of the edge's.
func (e *edge) has(f int32) bool { return f == e.faces[0] || f == e.faces[1] }

// edgeTo finds the edge to q in a ring.
func edgeTo(ring []spoke, q int32) edge {
	k := 0
	for k < len(ring) && ring[k].to != q {
		k++
	}
	e := edge{spoke: k, faces: [2]int32{-2, -2}, tips: [2]int32{-1, -1}}
	if k == len(ring) {
		return e
	}
	last := len(ring) - 1
	before := k - 1
	if k == 0 {
		before = last
	}
	if f := ring[before].face; f >= 0 {
		e.faces[0], e.tips[0], e.sides = f, ring[before].to, 1
	}
	if f := ring[k].face; f >= 0 {
		e.faces[e.sides], e.tips[e.sides] = f, ring[after(ring, k)].to
		e.sides++
	}
	return e
}

// neighbours appends the points that share a face with p to dst, in order.
func (b *builder) neighbours(dst []int32, p int32) []int32 {
	ring := b.ring(p)
	if b.heads[p].kind&fixed == 0 {
		for i := range ring {
			dst = append(dst, ring[i].to)
		}
		return dst
	}
	b.seen.clear()
	for i := range ring {
		if b.seen.add(ring[i].to) {
			dst = append(dst, ring[i].to)
		}
	}
	return dst
}

// open says whether the edge from p to q has a single face.
func (b *builder) open(p, q int32) bool {
	n, ring := 0, b.ring(p)
	for i := range ring {
		if ring[i].face >= 0 && (ring[i].to == q || ring[after(ring, i)].to == q) {
			n++
		}
	}
	return n == 1
}

// joined says whether there is a face of three points.
func (b *builder) joined(p, x, y int32) bool {
	ring := b.ring(p)
	for i := range ring {
		if ring[i].face < 0 {
			continue
		}
		v, w := ring[i].to, ring[after(ring, i)].to
		if v == x && w == y || v == y && w == x {
			return true
		}
	}
	return false
}

// exchange puts q in the place of p among the spokes of r, and takes out what is not
// between two neighbours any more.
func (b *builder) exchange(r, p, q int32, e *edge) {
	ring := b.ring(r)
	if h := b.hubs[r]; h != nil {
		b.room(r).to = b.exchangeAtHub(h, r, p, q, e)
		return
	}
	if b.heads[r].kind&fixed != 0 {
		b.room(r).to = int32(len(exchangePairs(ring, p, q, e)))
		return
	}
	k := 0
	for ring[k].to != p {
		k++
	}
	if r != e.tips[0] && r != e.tips[1] {
		ring[k].to = q
		return
	}
	if !e.has(ring[k].face) { // q comes before p
		before := k - 1
		if k == 0 {
			before = len(ring) - 1
		}
		ring[before].face = ring[k].face
	}
	copy(ring[k:], ring[k+1:])
	b.room(r).to--
}

func exchangePairs(ring []spoke, p, q int32, e *edge) []spoke {
	kept := ring[:0]
	for i := 0; i < len(ring); i += 2 {
		one, two := ring[i], ring[i+1]
		if e.has(one.face) {
			continue
		}
		if one.to == p {
			one.to = q
		}
		if two.to == p {
			two.to = q
		}
		kept = append(kept, one, two)
	}
	return kept
}

// splice gives q the faces of p but those of the edge between them.
func (b *builder) splice(p, q int32, e *edge) {
	mine, theirs := b.star.ring, b.ring(q)
	all, k := b.scratch.spokes[:0], e.spoke
	inside := b.heads[p].kind&rim == 0
	if b.heads[q].kind&fixed != 0 {
		delete(b.hubs, q) // it is none any more: see legal
		all = append(all, exchangePairs(theirs, -1, -1, e)...)
		for i := range mine {
			if f := mine[i].face; f >= 0 && !e.has(f) {
				all = append(all, mine[i], spoke{mine[after(mine, i)].to, -1})
			}
		}
		b.give(p, q, all)
		return
	}
	j := 0
	for theirs[j].to != p {
		j++
	}
	switch {
	case inside:
		at := j - 1 // the tip before p: what p has is between it and the tip after
		if j == 0 {
			theirs = theirs[:len(theirs)-1]
			at = 0
		}
		all = append(all, theirs[:at]...)
		all = between(all, mine, k)
		all = append(all, theirs[j+1:]...)
	case e.sides == 2: // q was inside and comes to the border
		all = append(all, mine[:k-1]...)
		all = between(all, theirs, j)
		all = append(all, mine[k+1:]...)
	case k == 0:
		all = append(all, theirs[:len(theirs)-2]...)
		all = append(all, mine[1:]...)
	default:
		all = append(all, mine[:k-1]...)
		all = append(all, theirs[1:]...)
	}
	b.give(p, q, all)
}

// between appends the spokes of a closed ring but the one at k and the one before it,
// from the one after it on.
func between(dst, ring []spoke, k int) []spoke {
	if k == 0 {
		return append(dst, ring[1:len(ring)-1]...)
	}
	dst = append(dst, ring[k+1:]...)
	return append(dst, ring[:k-1]...)
}

// give makes a ring, in scratch, that of q, in its own room, in that of p, which goes,
// or in new room.
func (b *builder) give(p, q int32, ring []spoke) {
	b.scratch.spokes = ring
	from, to := &b.heads[p], &b.heads[q]
	n := int32(len(ring))
	if n > b.room(q).face && n <= b.room(p).face {
		to.first, from.first = from.first, to.first
	} else if n > b.room(q).face {
		room := n + n/2
		to.first = int32(len(b.spokes)) + 1
		b.spokes = append(b.spokes, spoke{n, room})
		b.spokes = append(b.spokes, make([]spoke, room)...)
	}
	b.room(q).to, b.room(p).to = n, 0
	copy(b.spokes[to.first:], ring)
}
