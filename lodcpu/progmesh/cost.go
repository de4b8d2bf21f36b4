package progmesh

import (
	"math"
	"slices"
)

// choice is a collapse of a point.
type choice struct {
	target       int32
	cost, length float64
}

func (c choice) less(d choice) bool {
	if c.cost != d.cost {
		return c.cost < d.cost
	}
	if c.length != d.length {
		return c.length < d.length
	}
	return c.target < d.target
}

// neighbours appends the points that share a face with p to dst.
func (b *builder) neighbours(dst []int32, p int32) []int32 {
	b.seen.clear()
	for _, f := range b.around[p] {
		x, y := b.others(f, p)
		if b.seen.add(x) {
			dst = append(dst, x)
		}
		if b.seen.add(y) {
			dst = append(dst, y)
		}
	}
	return dst
}

// weigh finds the cheapest collapse of p and puts it into the queue, legal or not:
// that is looked at when its turn comes. It is a lower bound till then.
func (b *builder) weigh(p int32) {
	if b.kinds[p]&fixed != 0 || len(b.around[p]) == 0 {
		return
	}
	choices := b.choices(p)
	best := choices[0]
	for _, c := range choices[1:] {
		if c.less(best) {
			best = c
		}
	}
	b.kinds[p] &^= stuck
	b.targets[p] = best.target
	b.queue.set(p, best.cost, best.length)
}

// choice returns the collapse of p onto q by its quadrics.
func (b *builder) choice(p, q int32) choice {
	b.weighed++
	edge := b.positions[q].minus(b.positions[p])
	squared := edge.dot(edge)
	return choice{q, b.distance(p, q) + b.weights[p]*squared, math.Sqrt(squared)}
}

// choices returns the collapses of p. The next call overwrites them.
func (b *builder) choices(p int32) []choice {
	s := &b.scratch
	s.choices = s.choices[:0]
	if b.o.Cost == Quadric {
		s.next = b.neighbours(s.next[:0], p)
		for _, q := range s.next {
			s.choices = append(s.choices, b.choice(p, q))
		}
		return s.choices
	}
	b.bends(p)
	b.weighed += len(s.next)
	line := b.line(p)
	for i, q := range s.next {
		length := b.positions[q].minus(b.positions[p]).length()
		bend := s.bends[i]
		if line.has(q) {
			bend = max(bend, line.turn(b, p, q))
		}
		s.choices = append(s.choices, choice{q, length * (bend + b.weights[p]), length})
	}
	return s.choices
}

// bends fills in p's neighbours and how far the surface at p bends away from the
// faces at the edge to each: the largest, over the faces at p, of the least
// (1 − n·n')/2 over those of the edge.
func (b *builder) bends(p int32) {
	s := &b.scratch
	s.next = b.neighbours(s.next[:0], p)
	around := b.around[p]
	n := len(around)
	s.apart = slices.Grow(s.apart[:0], n*n)[:n*n]
	for i, f := range around {
		s.apart[i*n+i] = (1 - b.normals[f].dot(b.normals[f])) / 2
		for j, g := range around[:i] {
			d := (1 - b.normals[f].dot(b.normals[g])) / 2
			s.apart[i*n+j], s.apart[j*n+i] = d, d
		}
	}
	s.bends = s.bends[:0]
	for _, q := range s.next {
		s.sides = s.sides[:0]
		for i, f := range around {
			if b.has(f, q) {
				s.sides = append(s.sides, int32(i))
			}
		}
		worst := 0.0
		if len(s.sides) == 2 {
			one, two := s.apart[int(s.sides[0])*n:][:n], s.apart[int(s.sides[1])*n:][:n]
			for i, d := range one {
				worst = max(worst, min(d, two[i]))
			}
			s.bends = append(s.bends, worst)
			continue
		}
		for i := range n {
			least := 1.0
			for _, g := range s.sides {
				least = min(least, s.apart[int(g)*n+i])
			}
			worst = max(worst, least)
		}
		s.bends = append(s.bends, worst)
	}
}

// line is the two neighbours of a point along a border or seam.
type line struct {
	a, b  int32
	found bool
}

// line returns the neighbours of p along the border, or else the seam, that p is a
// part of; none where it is an end or a crossing.
func (b *builder) line(p int32) line {
	if b.unchecked || b.kinds[p]&(rim|seamed) == 0 || b.kinds[p]&rim != 0 && b.o.Border == BorderFree {
		return line{}
	}
	var ends [2]int32
	n := 0
	for _, f := range b.around[p] {
		x, y := b.others(f, p)
		for _, q := range [2]int32{x, y} {
			if b.onLine(p, q, f) {
				if n < 2 {
					ends[n] = q
				}
				n++
			}
		}
	}
	if b.kinds[p]&rim == 0 { // each edge of a seam was met from both sides
		n /= 2
		ends[1] = b.otherEnd(p, ends[0])
	}
	return line{ends[0], ends[1], n == 2}
}

// otherEnd returns the end of the seam through p that is not q.
func (b *builder) otherEnd(p, q int32) int32 {
	for _, f := range b.around[p] {
		x, y := b.others(f, p)
		for _, r := range [2]int32{x, y} {
			if r != q && b.onLine(p, r, f) {
				return r
			}
		}
	}
	return q
}

// onLine says whether the edge from p to q, one of face f's, is of the border, or
// for a point that is not at the border, of a seam.
func (b *builder) onLine(p, q, f int32) bool {
	for _, g := range b.around[p] {
		if t := &b.faces[g]; g != f && (t[0] == q || t[1] == q || t[2] == q) {
			return b.kinds[p]&rim == 0 && b.corner(g, p) != b.corner(f, p)
		}
	}
	return b.kinds[p]&rim != 0
}

func (l line) has(q int32) bool { return l.found && (q == l.a || q == l.b) }

// turn returns how far the line bends at p, from 0 to 1, as a surface would.
func (l line) turn(b *builder, p, q int32) float64 {
	other := l.a
	if other == q {
		other = l.b
	}
	along := b.positions[q].minus(b.positions[p]).unit()
	return (1 - along.dot(b.positions[p].minus(b.positions[other]).unit())) / 2
}

// quadric is the weighted sum of the squared distances to planes: the upper half of
// a symmetric matrix, a vector, a constant, and the sum of the weights.
type quadric struct {
	xx, xy, xz, yy, yz, zz float64
	x, y, z, c, w          float64
}

// plane adds the plane through p with unit normal n.
func (q *quadric) plane(n, p vector, w float64) {
	d := -n.dot(p)
	q.xx += w * n[0] * n[0]
	q.xy += w * n[0] * n[1]
	q.xz += w * n[0] * n[2]
	q.yy += w * n[1] * n[1]
	q.yz += w * n[1] * n[2]
	q.zz += w * n[2] * n[2]
	q.x += w * n[0] * d
	q.y += w * n[1] * d
	q.z += w * n[2] * d
	q.c += w * d * d
	q.w += w
}

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

// at returns the weighted sum of squared distances of p.
func (q *quadric) at(p vector) float64 {
	x := q.xx*p[0] + 2*(q.xy*p[1]+q.xz*p[2]+q.x)
	y := q.yy*p[1] + 2*(q.yz*p[2]+q.y)
	z := q.zz*p[2] + 2*q.z
	return max(x*p[0]+y*p[1]+z*p[2]+q.c, 0)
}

// distance returns the mean squared distance of q to the planes that p and q stand
// for.
func (b *builder) distance(p, q int32) float64 {
	u, v := &b.quadrics[p], &b.own[q]
	w := u.w + v.w
	if !(w > 0) {
		return 0
	}
	return (u.at(b.positions[q]) + v.squares) / w
}

// own is what a point's quadric says of the point itself.
type own struct{ squares, w float64 }

// know fills in what p's quadric says of p.
func (b *builder) know(p int32) {
	b.own[p] = own{b.quadrics[p].at(b.positions[p]), b.quadrics[p].w}
}

// lineWeight is how much heavier the planes that stand upright on borders and seams
// are than those of the faces there.
const lineWeight = 4

// sumQuadrics adds up each point's planes, weighted by area. Borders and seams have
// a plane that stands upright on each of their edges.
func (b *builder) sumQuadrics() {
	b.quadrics = make([]quadric, len(b.positions))
	for f, face := range b.faces {
		area := b.normal(face).length() / 2
		for _, p := range face {
			b.quadrics[p].plane(b.normals[f], b.positions[p], area)
		}
		for k, p := range face {
			q := face[(k+1)%3]
			if b.kinds[p]&(rim|seamed) == 0 || b.kinds[q]&(rim|seamed) == 0 || !b.lies(p, q, int32(f)) {
				continue
			}
			edge := b.positions[q].minus(b.positions[p])
			upright := edge.cross(b.normals[f]).unit()
			w := lineWeight * edge.dot(edge)
			b.quadrics[p].plane(upright, b.positions[p], w)
			b.quadrics[q].plane(upright, b.positions[p], w)
		}
	}
	b.own = make([]own, len(b.positions))
	for p := range b.own {
		b.know(int32(p))
	}
}

// lies says whether the edge from p to q, one of face f's, is of a seam, or of a
// border that is to stay.
func (b *builder) lies(p, q, f int32) bool {
	if len(b.around[p]) > maxFaces {
		return false
	}
	for _, g := range b.around[p] {
		if t := &b.faces[g]; g != f && (t[0] == q || t[1] == q || t[2] == q) {
			return b.corner(g, p) != b.corner(f, p) || b.corner(g, q) != b.corner(f, q)
		}
	}
	return b.o.Border != BorderFree
}
