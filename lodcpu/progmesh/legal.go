package progmesh

// legal says whether p, whose star is in b.star, may collapse onto q. It leaves in scratch
// what vertices go where.
func (b *builder) legal(p, q int32) bool {
	if len(b.star.ring)+int(b.room(q).to) > maxFaces {
		return false
	}
	e := edgeTo(b.star.ring, q)
	return b.sheet(p, q, &e) && b.match(p, q, &e) && b.upright(&e) && (b.o.Allow == nil || b.allowed(q, &e))
}

// allowed asks whoever gave the options.
func (b *builder) allowed(q int32, e *edge) bool {
	s := &b.scratch
	s.triangles = s.triangles[:0]
	ring := b.star.ring
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
	ring, theirs, common := b.star.ring, b.ring(q), 0
	for i := range ring {
		r := ring[i].to
		if r == e.tips[0] || r == e.tips[1] {
			common++
			continue
		}
		for k := range theirs {
			if theirs[k].to == r {
				return false
			}
		}
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
	for _, w := range b.star.ring {
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
	if h := b.hubs[p]; h != nil {
		return h.uses[corner] == 1
	}
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
// it was at first, none becomes a needle, and those that faced up go on to. It leaves in
// scratch the sum of all normals, of before and after.
func (b *builder) upright(e *edge) bool {
	ring, near := b.star.ring, b.star.near[:len(b.star.ring)]
	to, up := near[e.spoke], vector{}
	for i := range ring {
		f := ring[i].face
		if f < 0 {
			break
		}
		x, y := near[i], near[after(ring, i)]
		now := x.cross(y)
		up = up.plus(now)
		if e.has(f) {
			continue
		}
		n := x.minus(to).cross(y.minus(to))
		up = up.plus(n)
		length, first := n.length(), b.pasts[f].normal.long()
		if b.up != (vector{}) && first.dot(b.up) > 0 && !(n.dot(b.up) > leastSlope*length) {
			return false // it faced up
		}
		if b.o.AllowFlips {
			continue
		}
		if first != (vector{}) && first.dot(n) < leastSlope*length || now != (vector{}) && !(now.dot(n) >= mostTurn*now.length()*length && length > 0) {
			return false
		}
		if thin := fat(length, to, x, y); thin < thinnest && thin < fat(now.length(), vector{}, x, y) {
			return false
		}
	}
	b.scratch.up = up
	return true
}

// fat returns a face's area, given doubled, over the squares of its sides.
func fat(area float64, p, x, y vector) float64 {
	u, v, w := x.minus(p), y.minus(p), y.minus(x)
	squares := u.dot(u) + v.dot(v) + w.dot(w)
	if !(squares > 0) {
		return 0
	}
	return area / squares
}
