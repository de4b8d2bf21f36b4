package progmesh

import "math"

// choice is a collapse of a point.
type choice struct {
	target int32
	key    uint64
}

func (c choice) less(d choice) bool { return c.key < d.key || c.key == d.key && c.target < d.target }

// weigh finds the cheapest collapse of p and puts it into the queue, legal or not:
// that is looked at when its turn comes. It is a lower bound till then.
func (b *builder) weigh(p int32) {
	h := &b.heads[p]
	if h.kind&fixed != 0 || h.n == 0 {
		return
	}
	best := b.cheapest(p)
	if h.kind&stuck != 0 {
		h.kind &^= stuck
		b.isStuck[p] = false
		b.stuck--
	}
	b.aim(p, best)
}

// cheapest returns the cheapest collapse of a point that may go.
func (b *builder) cheapest(p int32) choice {
	choices := b.choices(p)
	best := choices[0]
	for _, c := range choices[1:] {
		if c.less(best) {
			best = c
		}
	}
	return best
}

// aim puts a collapse of p into the queue.
func (b *builder) aim(p int32, c choice) {
	b.heads[p].target, b.heads[p].key = c.target, c.key
	b.queue.set(p, c.key)
}

// choice returns the collapse of p onto q by its quadrics.
func (b *builder) choice(p, q int32) choice {
	b.weighed++
	edge := b.point(q).minus(b.point(p))
	squared := edge.dot(edge)
	cost := b.distance(p, q) + b.weight(p)*squared
	return choice{q, keyOf(cost*b.scale*b.scale, math.Sqrt(squared)*b.scale)}
}

// choices returns the collapses of a point that may go. The next call overwrites
// them.
func (b *builder) choices(p int32) []choice {
	s := &b.scratch
	s.choices, s.next = s.choices[:0], b.neighbours(s.next[:0], p)
	if b.o.Cost == Quadric {
		for _, q := range s.next {
			s.choices = append(s.choices, b.choice(p, q))
		}
		return s.choices
	}
	b.bend(p)
	b.weighed += len(s.next)
	line := b.line(p)
	at := b.point(p)
	for i, q := range s.next {
		length := b.point(q).minus(at).length() * b.scale
		bend := s.bends[i]
		if line.has(q) {
			bend = max(bend, line.turn(b, p, q))
		}
		s.choices = append(s.choices, choice{q, keyOf(length*(bend+b.weight(p)), length)})
	}
	return s.choices
}

// bend fills in how far the surface at p bends away from the faces at the edge to
// each neighbour: the largest, over the faces at p, of the least (1 − n·n')/2 over
// those of the edge.
func (b *builder) bend(p int32) {
	s := &b.scratch
	ring := b.ring(p)
	n := len(ring)
	open := ring[n-1].face < 0
	if open {
		n--
	}
	cosines := b.cosines(ring[:n])
	s.bends = s.bends[:0]
	last := cosines[(n-1)*n:] // of the face before the edge
	for i := range n {
		row := cosines[i*n:][:n]
		if i == 0 && open { // an end of the border: one face
			last = row
		}
		s.bends = append(s.bends, most(last[:n], row))
		last = row
	}
	if open {
		s.bends = append(s.bends, most(last, last))
	}
}

// most returns the largest bend away from the nearer of two faces, by the cosines to
// them.
func most(one, two []float64) float64 {
	least := 1.0
	for i, c := range one {
		least = min(least, max(c, two[i]))
	}
	return min(max((1-least)/2, 0), 1)
}

// cosines returns those of the angles between the faces of a ring, by rows. The next
// call overwrites them.
func (b *builder) cosines(ring []spoke) []float64 {
	s := &b.scratch
	n := len(ring)
	if cap(s.cosines) < n*n {
		s.cosines = make([]float64, 2*n*n)
	}
	all := s.cosines[:n*n]
	s.normals = s.normals[:0]
	for i := range ring {
		f := b.normalOf(ring[i].face)
		all[i*n+i] = f.dot(f)
		row := all[i*n:][:n]
		for j, g := range s.normals {
			d := f.dot(g)
			row[j], all[j*n+i] = d, d
		}
		s.normals = append(s.normals, f)
	}
	return all
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

// quadric is the weighted sum of the squared distances to planes: the upper half of
// a symmetric matrix, a vector, and a constant.
type quadric struct {
	xx, xy, xz, yy, yz, zz float64
	x, y, z, c             float64
}

// plane adds the plane through at with unit normal n to the quadric of p.
func (b *builder) plane(p int32, n, at vector, w float64) {
	b.heads[p].w += w
	q := &b.quadrics[p]
	d := -n.dot(at)
	q.xx += w * n.x * n.x
	q.xy += w * n.x * n.y
	q.xz += w * n.x * n.z
	q.yy += w * n.y * n.y
	q.yz += w * n.y * n.z
	q.zz += w * n.z * n.z
	q.x += w * n.x * d
	q.y += w * n.y * d
	q.z += w * n.z * d
	q.c += w * d * d
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
}

// at returns the weighted sum of squared distances of p.
func (q *quadric) at(p vector) float64 {
	x := q.xx*p.x + 2*(q.xy*p.y+q.xz*p.z+q.x)
	y := q.yy*p.y + 2*(q.yz*p.z+q.y)
	z := q.zz*p.z + 2*q.z
	sum := x*p.x + y*p.y + z*p.z + q.c
	if sum > 0 {
		return sum
	}
	return 0
}

// distance returns the mean squared distance of q to the planes that p and q stand
// for.
func (b *builder) distance(p, q int32) float64 {
	w := b.heads[p].w + b.heads[q].w
	if !(w > 0) {
		return 0
	}
	return (b.quadrics[p].at(b.point(q)) + b.squares[q]) / w
}

// know fills in what p's quadric says of p.
func (b *builder) know(p int32) {
	b.squares[p] = b.quadrics[p].at(b.point(p))
}

// lineWeight is how much heavier the planes that stand upright on borders and seams
// are than those of the faces there.
const lineWeight = 4

// sumQuadrics adds up each point's planes, weighted by area. Borders and seams have
// a plane that stands upright on each of their edges.
func (b *builder) sumQuadrics() {
	b.quadrics, b.squares = make([]quadric, len(b.heads)), make([]float64, len(b.heads))
	for f, face := range b.faces {
		area := b.normal(face[0], face[1], face[2]).length() / 2
		normal := b.normalOf(int32(f))
		for _, p := range face {
			b.plane(p, normal, b.point(p), area)
		}
		for k, p := range face {
			q := face[(k+1)%3]
			if b.heads[p].kind&(rim|seamed) == 0 || b.heads[q].kind&(rim|seamed) == 0 || !b.lies(p, q, int32(f)) {
				continue
			}
			edge := b.point(q).minus(b.point(p))
			upright := edge.cross(normal).unit()
			w := lineWeight * edge.dot(edge)
			b.plane(p, upright, b.point(p), w)
			b.plane(q, upright, b.point(p), w)
		}
	}
	for p := range b.heads {
		b.know(int32(p))
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
