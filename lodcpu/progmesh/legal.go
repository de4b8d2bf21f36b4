package progmesh

// legal says whether p may collapse onto q. It leaves in scratch what vertices go
// where.
func (b *builder) legal(p, q int32) bool {
	if b.heads[p].n+b.heads[q].n > maxFaces {
		return false
	}
	e := edgeTo(b.ring(p), q)
	return b.sheet(p, q, &e) && b.match(p, q, &e) && b.upright(p, q, &e) && (b.o.Allow == nil || b.allowed(p, q, &e))
}

// allowed asks whoever gave the options.
func (b *builder) allowed(p, q int32, e *edge) bool {
	s := &b.scratch
	s.triangles = s.triangles[:0]
	ring := b.ring(p)
	for i := range ring {
		if f := ring[i].face; f >= 0 && !e.has(f) {
			x, y := ring[i].to, ring[after(ring, i)].to
			s.triangles = append(s.triangles, [3]uint32{uint32(b.vertices[q]), uint32(b.vertices[x]), uint32(b.vertices[y])})
		}
	}
	return b.o.Allow(s.triangles)
}

// sheet says whether the mesh stays as much of a sheet as it is: the points that p
// and q have in common are those of the edge's faces, the border counted as one more
// point (the link condition of Dey and others, "Topology preserving edge
// contraction", 1999), and no face comes to lie on another.
func (b *builder) sheet(p, q int32, e *edge) bool {
	if e.sides == 0 || e.tips[0] == e.tips[1] || !b.bordered(p, q, e) {
		return false
	}
	b.seen.clear()
	for _, s := range b.ring(q) {
		b.seen.add(s.to)
	}
	ring, common := b.ring(p), 0
	for _, s := range ring {
		if s.to == q || !b.seen.has(s.to) {
			continue
		}
		if s.to != e.tips[0] && s.to != e.tips[1] {
			return false
		}
		common++
	}
	return common != 2 || len(ring) != 3 || !b.joined(p, e.tips[0], e.tips[1]) || !b.joined(q, e.tips[0], e.tips[1])
}

// bordered says whether what becomes of the border is allowed.
func (b *builder) bordered(p, q int32, e *edge) bool {
	if b.heads[p].kind&rim == 0 {
		return e.sides == 2
	}
	if e.sides == 2 {
		return b.o.Border == BorderFree && b.heads[q].kind&rim == 0
	}
	// The edge is of the border: its face must not be the last of its tip.
	return !(b.open(p, e.tips[0]) && b.open(q, e.tips[0]))
}

// match finds, for each vertex at p, the one of q that it goes to, and says whether
// there is one each, and whether no vertex beside the edge loses its last face.
func (b *builder) match(p, q int32, e *edge) bool {
	s := &b.scratch
	s.from, s.to = s.from[:0], s.to[:0]
	if b.now == nil {
		s.from, s.to = append(s.from, b.vertices[p]), append(s.to, b.vertices[q])
		return true
	}
	for i := range e.sides {
		f, tip := e.faces[i], e.tips[i]
		from, to := b.corner(f, p), b.corner(f, q)
		if at := index(s.from, from); at < 0 {
			s.from, s.to = append(s.from, from), append(s.to, to)
		} else if s.to[at] != to {
			return false
		}
		if b.heads[tip].kind&seamed != 0 && b.lastOf(f, tip) {
			return false
		}
	}
	if b.heads[p].kind&seamed == 0 {
		return true
	}
	for _, w := range b.ring(p) {
		if w.face >= 0 && index(s.from, b.corner(w.face, p)) < 0 {
			return false
		}
	}
	return true
}

func index(list []int32, v int32) int {
	for i, w := range list {
		if v == w {
			return i
		}
	}
	return -1
}

// corner returns the vertex that a face has at p.
func (b *builder) corner(f, p int32) int32 {
	if b.now == nil {
		return b.vertices[p]
	}
	t := &b.now[f]
	switch p {
	case t[0]:
		return t[3]
	case t[1]:
		return t[4]
	}
	return t[5]
}

// lastOf says whether no other face has the vertex that f has at p.
func (b *builder) lastOf(f, p int32) bool {
	corner := b.corner(f, p)
	for _, s := range b.ring(p) {
		if s.face >= 0 && s.face != f && b.corner(s.face, p) == corner {
			return false
		}
	}
	return true
}

// Limits of what becomes of a face in one collapse.
const (
	mostTurn   = 0.2  // cosine of the angle that it may turn by
	leastSlope = 1e-6 // cosine to the upward direction, and to the normal at first
	thinnest   = 1e-4 // area over the squares of its sides, but for one that is thinner already
)

// upright says whether no face turns over, compared with what it is and with what
// it was at first, none becomes a needle, and those that faced up go on to.
func (b *builder) upright(p, q int32, e *edge) bool {
	at, to := b.point(p), b.point(q)
	ring := b.ring(p)
	x := b.point(ring[0].to)
	for i := range ring {
		f := ring[i].face
		if f < 0 {
			break
		}
		last, y := x, b.point(ring[after(ring, i)].to)
		if x = y; e.has(f) {
			continue
		}
		n := last.minus(to).cross(y.minus(to))
		length := n.length()
		if b.up != (vector{}) && b.sinks(f, n, length) {
			return false
		}
		if b.o.AllowFlips {
			continue
		}
		if thin := fat(length, to, last, y); thin < thinnest && thin < fat(last.minus(at).cross(y.minus(at)).length(), at, last, y) {
			return false
		}
		if b.turns(f, n, length) {
			return false
		}
	}
	return true
}

// sinks says whether a face that faced up would no more, with a normal of some length.
func (b *builder) sinks(f int32, n vector, length float64) bool {
	return b.origin(f).dot(b.up) > 0 && !(n.dot(b.up) > leastSlope*length)
}

// turns says whether a new normal of some length is too far from what the face's is
// or was.
func (b *builder) turns(f int32, n vector, length float64) bool {
	now, first := b.normalOf(f), b.origin(f)
	if !(length > 0) {
		return now != (vector{})
	}
	return first != (vector{}) && first.dot(n) < leastSlope*length || now != (vector{}) && now.dot(n) < mostTurn*length
}

// normalOf returns a face's unit normal, origin what it was before the first collapse.
func (b *builder) normalOf(f int32) vector { return widen(b.normals[f]) }

func (b *builder) origin(f int32) vector { return widen(b.pasts[f].normal) }

// fat returns a face's area, given doubled, over the squares of its sides.
func fat(area float64, p, x, y vector) float64 {
	u, v, w := x.minus(p), y.minus(p), y.minus(x)
	squares := u.dot(u) + v.dot(v) + w.dot(w)
	if !(squares > 0) {
		return 0
	}
	return area / squares
}
