package progmesh

// legal says whether p may collapse onto q.
func (b *builder) legal(p, q int32) bool {
	if b.unchecked {
		return true
	}
	if len(b.around[p])+len(b.around[q]) > maxFaces {
		return false
	}
	return b.sheet(p, q) && b.match(p, q) && (b.o.AllowFlips || b.upright(p, q)) && b.facing(p, q)
}

// has says whether a face has a point.
func (b *builder) has(f, p int32) bool {
	t := &b.faces[f]
	return t[0] == p || t[1] == p || t[2] == p
}

// sheet says whether the mesh stays as much of a sheet as it is: the points that p
// and q have in common are those of the edge's faces, the border counted as one more
// point (the link condition of Dey and others, "Topology preserving edge
// contraction", 1999), and no face comes to lie on another.
func (b *builder) sheet(p, q int32) bool {
	b.seen.clear()
	for _, f := range b.around[q] {
		x, y := b.others(f, q)
		b.seen.add(x)
		b.seen.add(y)
	}
	sides, tips := 0, [2]int32{-1, -1}
	for _, f := range b.around[p] {
		if !b.has(f, q) {
			continue
		}
		if sides == 2 {
			return false
		}
		x, y := b.others(f, p)
		tips[sides] = x + y - q
		sides++
	}
	if sides == 0 || tips[0] == tips[1] || !b.bordered(p, q, sides, tips[0]) {
		return false
	}
	for _, f := range b.around[p] {
		x, y := b.others(f, p)
		common := 0
		for _, r := range [2]int32{x, y} {
			if r == q || !b.seen.has(r) {
				continue
			}
			if r != tips[0] && r != tips[1] {
				return false
			}
			common++
		}
		if common == 2 && b.joined(q, x, y) {
			return false
		}
	}
	return true
}

// bordered says whether what becomes of the border is allowed.
func (b *builder) bordered(p, q int32, sides int, tip int32) bool {
	if b.kinds[p]&rim == 0 {
		return sides == 2
	}
	if sides == 2 {
		return b.o.Border == BorderFree && b.kinds[q]&rim == 0
	}
	// The edge is of the border: its face must not be the last of its tip.
	return !(b.open(p, tip) && b.open(q, tip))
}

// open says whether the edge from p to q has a single face.
func (b *builder) open(p, q int32) bool {
	n := 0
	for _, f := range b.around[p] {
		if b.has(f, q) {
			n++
		}
	}
	return n == 1
}

// joined says whether there is a face of three points.
func (b *builder) joined(p, x, y int32) bool {
	for _, f := range b.around[p] {
		if b.has(f, x) && b.has(f, y) {
			return true
		}
	}
	return false
}

// match finds, for each vertex at p, the one of q that it goes to, and says whether
// there is one each, and whether no vertex beside the edge loses its last face.
func (b *builder) match(p, q int32) bool {
	s := &b.scratch
	s.from, s.to = s.from[:0], s.to[:0]
	for _, f := range b.around[p] {
		if !b.has(f, q) {
			continue
		}
		from, to := b.corner(f, p), b.corner(f, q)
		if at := index(s.from, from); at < 0 {
			s.from, s.to = append(s.from, from), append(s.to, to)
		} else if s.to[at] != to {
			return false
		}
		x, y := b.others(f, p)
		if tip := x + y - q; b.kinds[tip]&seamed != 0 && b.lastOf(f, tip) {
			return false
		}
	}
	if b.kinds[p]&seamed == 0 {
		return true
	}
	for _, f := range b.around[p] {
		if index(s.from, b.corner(f, p)) < 0 {
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

// lastOf says whether no other face has the vertex that f has at p.
func (b *builder) lastOf(f, p int32) bool {
	for _, g := range b.around[p] {
		if g != f && b.corner(g, p) == b.corner(f, p) {
			return false
		}
	}
	return true
}

// Limits of what becomes of a face in one collapse.
const (
	mostTurn   = 0.2  // cosine of the angle that it may turn by
	leastSlope = 1e-6 // cosine to the upward direction
	thinnest   = 1e-4 // area over the squares of its sides, but for one that is thinner already
)

// upright says whether no face turns over, compared with what it is and with what
// it was at first, and none becomes a needle.
func (b *builder) upright(p, q int32) bool {
	for _, f := range b.around[p] {
		if b.has(f, q) {
			continue
		}
		x, y := b.others(f, p)
		n := b.normal([3]int32{q, x, y})
		length := n.length()
		if thin := b.fat(length, q, x, y); thin < thinnest && thin < b.fat(b.normal(b.faces[f]).length(), p, x, y) {
			return false
		}
		if !(length > 0) {
			if b.normals[f] == (vector{}) {
				continue
			}
			return false
		}
		if b.origins[f].dot(n) < 0 || b.normals[f] != (vector{}) && b.normals[f].dot(n) < mostTurn*length {
			return false
		}
	}
	return true
}

// facing says whether the faces that faced up go on to.
func (b *builder) facing(p, q int32) bool {
	up := vector(b.o.Up)
	if up == (vector{}) {
		return true
	}
	for _, f := range b.around[p] {
		if b.has(f, q) || !(b.origins[f].dot(up) > 0) {
			continue
		}
		x, y := b.others(f, p)
		n := b.normal([3]int32{q, x, y})
		if !(n.dot(up) > leastSlope*n.length()) {
			return false
		}
	}
	return true
}

// fat returns a face's area, given doubled, over the squares of its sides.
func (b *builder) fat(area float64, p, x, y int32) float64 {
	u, v, w := b.positions[x].minus(b.positions[p]), b.positions[y].minus(b.positions[p]), b.positions[y].minus(b.positions[x])
	squares := u.dot(u) + v.dot(v) + w.dot(w)
	if !(squares > 0) {
		return 0
	}
	return area / squares
}
