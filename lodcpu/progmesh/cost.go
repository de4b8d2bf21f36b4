package progmesh

import "math"

// weighAll finds the cheapest collapse of each point and puts it into the queue, legal or
// not: that is looked at when its turn comes. It is a lower bound till then.
func (b *builder) weighAll() {
	entries := make([]entry, 0, len(b.heads))
	for i := range b.heads {
		p, h := int32(i), &b.heads[i]
		if h.queued = none; h.kind&fixed != 0 || b.room(p).to == 0 {
			continue
		}
		b.gather(&b.star, p)
		c := b.cheapest(p, &b.star)
		h.target, h.key, h.queued = c.point(), c.key(), c.key()
		entries = append(entries, entryOf(h.key, p))
	}
	b.queue = newQueue(entries)
}

// weigh finds the cheapest collapse of p again.
func (b *builder) weigh(p int32) {
	h := &b.heads[p]
	if h.kind&fixed != 0 || b.room(p).to == 0 {
		return
	}
	b.gather(&b.other, p)
	best := b.cheapest(p, &b.other)
	if h.kind&stuck != 0 {
		h.kind &^= stuck
		b.isStuck[p] = false
		b.stuck--
	}
	b.aim(p, best)
}

// cheapest returns the cheapest collapse of a point that may go, and its star: where to,
// and what for.
func (b *builder) cheapest(p int32, s *star) entry {
	best := last
	for _, c := range b.choices(p, s) {
		best = min(best, c)
	}
	return best
}

// aim says what is the cheapest collapse of a point. If that is more than it waits for, it
// is put where it belongs when it comes to the top of the queue.
func (b *builder) aim(p int32, c entry) {
	h := &b.heads[p]
	h.target, h.key, h.kind = c.point(), c.key(), h.kind&^stale
	if h.key < h.queued {
		h.queued = h.key
		b.queue.push(entryOf(h.key, p))
	}
}

// choices returns the collapses of a point that may go, and its star. The next call
// overwrites them.
func (b *builder) choices(p int32, star *star) []entry {
	s := &b.scratch
	ring := star.ring
	if cap(s.choices) < len(ring) {
		s.choices, s.bends = make([]entry, 2*len(ring)), make([]float64, 2*len(ring))
	}
	choices, near, weight := s.choices[:len(ring)], star.near[:len(ring)], b.weight(p)
	b.weighed += len(ring)
	if b.o.Cost == Quadric {
		b.quadrics[p].choices(choices, b.quadrics, star, real(weight))
		return choices
	}
	bends := s.bends[:len(ring)]
	b.bend(star, bends)
	if line := b.line(p); line.found {
		for i, r := range ring {
			if line.has(r.to) {
				bends[i] = max(bends[i], line.turn(b, p, r.to))
			}
		}
	}
	for i, r := range ring {
		squared := near[i].dot(near[i])
		choices[i] = entryOf(keyOf(float32(math.Sqrt(squared)*(bends[i]+weight)), float32(squared)), r.to)
	}
	return choices
}

// whole is the cosine of no angle. Cosines are whole numbers, which the processor compares
// without a branch.
const whole = 1 << 50

// bend fills in how far the surface of a star bends away from the faces at the edge to
// each neighbour: the largest, over the star's faces, of the least (1 − n·n')/2 over
// those of the edge.
func (b *builder) bend(star *star, bends []float64) {
	n := len(star.ring)
	open := star.ring[n-1].face < 0
	if open {
		n--
	}
	normals := b.normals(star, n)
	s := &b.scratch
	if cap(s.cosines) < n {
		s.cosines = make([]int64, 2*n)
	}
	least := s.cosines[:n] // by edge, of the larger cosines of the faces beside it
	for i := range least {
		least[i] = whole
	}
	last := int64(whole) // at the end of a border
	for _, f := range normals {
		before := int64(f.dot(normals[n-1]))
		last = min(last, before)
		if open {
			before = -whole
		}
		for i, g := range normals[:len(least)] {
			c := int64(f.dot(g))
			least[i] = min(least[i], max(before, c))
			before = c
		}
	}
	for i, c := range least {
		bends[i] = bendOf(c)
	}
	if open {
		bends[n] = bendOf(last)
	}
}

// bendOf returns (1 − c) / 2.
func bendOf(c int64) float64 { return float64(min(whole-c, 2*whole)) * (0.5 / whole) }

// normals returns those of the n faces of a star, as long as the root of whole. The next
// call overwrites them.
func (b *builder) normals(star *star, n int) []vector {
	const long = 1 << 25
	s := &b.scratch
	if cap(s.normals) < n {
		s.normals = make([]vector, 2*n)
	}
	normals, near := s.normals[:n], star.near
	x := near[0]
	for i := range normals {
		y := near[0]
		if i+1 < len(near) {
			y = near[i+1]
		}
		f := x.cross(y)
		if l := f.dot(f); l > 0 {
			f = f.times(long / math.Sqrt(l))
		}
		normals[i], x = f, y
	}
	return normals
}

// line is the two neighbours of a point along a border or seam.
type line struct {
	a, b  int32
	found bool
}

// line returns the neighbours of p along the border, or else the seam, that p is a
// part of; none where it is an end or a crossing.
func (b *builder) line(p int32) line {
	kind := b.heads[p].kind
	if kind&(rim|seamed) == 0 || kind&rim != 0 && b.o.Border == BorderFree {
		return line{}
	}
	ring := b.ring(p)
	last := ring[len(ring)-1]
	if kind&rim != 0 {
		return line{ring[0].to, last.to, true}
	}
	l, n := line{}, 0
	for _, s := range ring {
		if b.corner(s.face, p) != b.corner(last.face, p) {
			l.a, l.b = l.b, s.to
			n++
		}
		last = s
	}
	l.found = n == 2
	return l
}

func (l line) has(q int32) bool { return l.found && (q == l.a || q == l.b) }

// turn returns how far the line bends at p, from 0 to 1, as a surface would.
func (l line) turn(b *builder, p, q int32) float64 {
	other := l.a
	if other == q {
		other = l.b
	}
	at := b.point(p)
	along := b.point(q).minus(at).unit()
	return (1 - along.dot(at.minus(b.point(other)).unit())) / 2
}

// quadric is the weighted sum of the squared distances to planes, as a function of the way
// from the point that it is of: the upper half of a
// symmetric matrix, a vector, and a constant; and the sum of weights. As it is about the
// point, no digits are lost to how far that is from others.
type quadric struct {
	xx, xy, xz, yy, yz, zz real
	x, y, z                real
	c, w                   real
}

type real = float32

// add adds a quadric of the same point.
func (q *quadric) add(r *quadric) {
	q.xx += r.xx
	q.xy += r.xy
	q.xz += r.xz
	q.yy += r.yy
	q.yz += r.yz
	q.zz += r.zz
	q.x += r.x
	q.y += r.y
	q.z += r.z
	q.c += r.c
	q.w += r.w
}

// move makes a quadric one of another point, some way off.
func (q *quadric) move(way vector) {
	x, y, z := real(way.x), real(way.y), real(way.z)
	c := q.at(short{x, y, z})
	q.x += q.xx*x + q.xy*y + q.xz*z
	q.y += q.xy*x + q.yy*y + q.yz*z
	q.z += q.xz*x + q.yz*y + q.zz*z
	q.c = c
}

// at returns the weighted sum of squared distances some way off.
func (q *quadric) at(p short) real {
	x := q.xx*p.x + 2*(q.xy*p.y+q.xz*p.z+q.x)
	y := q.yy*p.y + 2*(q.yz*p.z+q.y)
	z := q.zz*p.z + 2*q.z
	return max(x*p.x+y*p.y+z*p.z+q.c, 0)
}

// onto returns the key of a collapse onto a point some way off: the mean squared distance
// to the planes that both stand for, and a weight that is added.
func (q *quadric) onto(to *quadric, way short, weight real) uint32 {
	squared := way.x*way.x + way.y*way.y + way.z*way.z
	cost := q.at(way) + to.c
	if w := q.w + to.w; w > 0 {
		cost /= w
	}
	return keyOf(cost+weight*squared, squared)
}

// choices fills in the collapses onto all points of a star.
func (q *quadric) choices(dst []entry, of []quadric, star *star, weight real) {
	near := star.near[:len(dst)]
	for i, r := range star.ring[:len(dst)] {
		dst[i] = entryOf(q.onto(&of[r.to], near[i].short(), weight), r.to)
	}
}

// plane adds the plane with unit normal n through the point.
func (q *quadric) plane(n short, w real) {
	x, y, z := n.x*w, n.y*w, n.z*w
	q.xx += x * n.x
	q.xy += x * n.y
	q.xz += x * n.z
	q.yy += y * n.y
	q.yz += y * n.z
	q.zz += z * n.z
	q.w += w
}

// lineWeight is how much heavier the planes that stand upright on borders and seams
// are than those of the faces there.
const lineWeight = 4

// sumQuadrics adds up each point's planes, weighted by area. Borders and seams have
// a plane that stands upright on each of their edges.
func (b *builder) sumQuadrics() {
	b.quadrics = make([]quadric, len(b.heads))
	for f, face := range b.faces {
		normal := b.pasts[f].normal
		area := real(b.normal(face[0], face[1], face[2]).length() / 2)
		for _, p := range face {
			b.quadrics[p].plane(normal, area)
		}
		for k, p := range face {
			q := face[(k+1)%3]
			if b.heads[p].kind&(rim|seamed) == 0 || b.heads[q].kind&(rim|seamed) == 0 || !b.lies(p, q, int32(f)) {
				continue
			}
			edge := b.point(q).minus(b.point(p))
			upright, w := edge.cross(normal.long()).unit().short(), real(lineWeight*edge.dot(edge))
			b.quadrics[p].plane(upright, w)
			b.quadrics[q].plane(upright, w)
		}
	}
}

// lies says whether the edge from p to q, one of face f's, is of a seam, or of a
// border that is to stay.
func (b *builder) lies(p, q, f int32) bool {
	ring := b.ring(p)
	if len(ring) > 2*maxFaces {
		return false
	}
	for i := range ring {
		if g := ring[i].face; g >= 0 && g != f && (ring[i].to == q || ring[after(ring, i)].to == q) {
			return b.corner(g, p) != b.corner(f, p) || b.corner(g, q) != b.corner(f, q)
		}
	}
	return b.o.Border != BorderFree
}
