package progmesh

import "math"

// meter measures, while a mesh is reduced, how far what is left is from what was there
// at first. It does so at some counts; between two of them the bounds of the collapses
// add up from what was measured last.
//
// What it returns is a bound: a piece of one surface counts as done only if all its
// corners are near enough to one triangle of the other, so that all of it is, as the
// distance to a triangle is convex.
type meter struct {
	b     *builder
	full  *tree
	now   *tree
	place []int32   // by face: its place in now, or −1
	faces []int32   // by place in now
	hints []int32   // by face: one that was near it
	heirs []int32   // by face: one next to where it was when it went, or itself
	since []float32 // by face: a bound of how far it has moved since it was measured last
	next  int       // vertices at which to measure next
	last  float64   // the bound then
	worst float64   // of since
	total float64   // bound of all that was moved, from the first collapse on
	least float64   // lengths that do not count
	far   float64   // distance that is known to be reached, or was before
	stack []piece
}

const (
	ladder    = 0.8  // vertices from one measurement to the next
	tolerance = 0.05 // of a distance that is measured
)

// piece is a convex polygon, a part of a triangle.
type piece struct {
	corners [12]vector
	n       int
}

func newMeter(b *builder) *meter {
	m := &meter{b: b, least: 1e-6, next: int(float64(b.left) * ladder)}
	n := len(b.faces)
	m.since = make([]float32, n)
	m.place, m.hints, m.heirs = make([]int32, n), make([]int32, n), make([]int32, n)
	all := make([]triangle, n)
	for f, face := range b.faces {
		m.hints[f], m.heirs[f] = int32(f), int32(f)
		all[f] = triangle{b.point(face[0]), b.point(face[1]), b.point(face[2])}
	}
	m.full = newTree(all)
	return m
}

// gone notes where faces have gone to in a collapse: to another one of the ring.
func (m *meter) gone(ring []spoke, e *edge) {
	heir := int32(-1)
	for _, s := range ring {
		if s.face >= 0 && !e.has(s.face) {
			heir = s.face
		}
	}
	for i := range e.sides {
		if heir >= 0 {
			m.heirs[e.faces[i]] = heir
		}
	}
}

// bound returns a bound after a collapse: the less of what it is from the first collapse
// on and from the last measurement.
func (m *meter) bound(total, since float64) float64 {
	m.total, m.worst = total, max(m.worst, since)
	return min(total, m.last+m.worst)
}

// heir returns what has come of a face.
func (m *meter) heir(f int32) int32 {
	for m.heirs[f] != f {
		m.heirs[f] = m.heirs[m.heirs[f]]
		f = m.heirs[f]
	}
	return f
}

// measure returns a bound of the distance between the surfaces, either way, and counts
// what collapses move from there on.
func (m *meter) measure() float64 {
	m.next = int(float64(m.b.left) * ladder)
	before := min(m.total, m.last+m.worst)
	if m.list(); len(m.now.triangles) > 0 {
		m.sweepAll()
		before = min(before, m.limit())
	}
	m.last, m.worst = before, 0
	clear(m.since)
	return m.last
}

// sweepAll looks at all of both surfaces.
func (m *meter) sweepAll() {
	m.probe()
	for f := range m.full.triangles {
		p := piece{n: 3}
		copy(p.corners[:], m.full.triangles[f][:])
		guess := int(m.place[m.heir(m.hints[f])])
		if guess >= 0 && m.now.triangles[guess].most(&p) <= m.limit() {
			continue
		}
		m.sweep(p, m.now, guess)
	}
	for i := range m.now.triangles {
		p := piece{n: 3}
		copy(p.corners[:], m.now.triangles[i][:])
		m.sweep(p, m.full, -1)
	}
}

// probe makes far at least the distance of the points that have gone, and of the
// middles of triangles: what is less is not worth a closer look.
func (m *meter) probe() {
	m.b.seen.clear()
	for f, face := range m.b.faces {
		k := int(m.place[m.heir(m.hints[f])])
		for c, p := range face {
			if m.b.room(p).to > 0 || !m.b.seen.add(p) {
				continue
			}
			near, squared := m.now.nearest(m.full.triangles[f][c], k)
			m.far, k = max(m.far, math.Sqrt(squared)), near
		}
		if k >= 0 {
			m.hints[f] = m.faces[k]
		}
	}
	k := -1
	for i := range m.now.triangles {
		t := &m.now.triangles[i]
		near, squared := m.full.nearest(t[0].plus(t[1]).plus(t[2]).times(1.0/3), k)
		m.far, k = max(m.far, math.Sqrt(squared)), near
	}
}

// list makes a tree of what is left.
func (m *meter) list() {
	var all []triangle
	m.faces = m.faces[:0]
	for f := range m.place {
		m.place[f] = -1
	}
	for i := range m.b.heads {
		p := int32(i)
		ring := m.b.ring(p)
		for k, s := range ring {
			if s.face < 0 {
				continue
			}
			if c := ring[after(ring, k)].to; p < s.to && p < c {
				m.place[s.face] = int32(len(all))
				m.faces = append(m.faces, s.face)
				all = append(all, triangle{m.b.point(p), m.b.point(s.to), m.b.point(c)})
			}
		}
	}
	m.now = newTree(all)
}

// limit is the distance up to which nothing has to be looked at more closely.
func (m *meter) limit() float64 { return m.far*(1+tolerance) + m.least }

// most returns the largest distance of a piece's points to a triangle.
func (t *triangle) most(p *piece) float64 {
	worst := 0.0
	for i := range p.n {
		worst = max(worst, t.squared(p.corners[i]))
	}
	return math.Sqrt(worst)
}

// sweep makes far at least the largest distance of a piece's points to the triangles
// of a tree, but for the limit's tolerance.
func (m *meter) sweep(p piece, t *tree, guess int) {
	stack := append(m.stack[:0], p)
	for len(stack) > 0 {
		p = stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		middle, radius := p.middle()
		k, squared := t.nearest(middle, guess)
		guess = k
		d := math.Sqrt(squared)
		m.far = max(m.far, d)
		if d+radius <= m.limit() || t.triangles[k].most(&p) <= m.limit() {
			continue
		}
		if p.n > 6 {
			stack = p.fan(stack)
			continue
		}
		before := len(stack)
		if stack = p.outside(&t.triangles[k], stack, m.least*1e-3); len(stack) == before {
			stack = p.halves(stack)
			continue
		}
		if inside := p.inside(&t.triangles[k], m.least*1e-3); inside.n >= 3 && t.triangles[k].most(&inside) > m.limit() {
			stack = inside.halves(stack)
		}
	}
	m.stack = stack
}

// middle returns a point of the piece and how far its corners are from it at most.
func (p *piece) middle() (middle vector, radius float64) {
	for i := range p.n {
		middle = middle.plus(p.corners[i])
	}
	middle = middle.times(1 / float64(p.n))
	for i := range p.n {
		d := p.corners[i].minus(middle)
		radius = max(radius, d.dot(d))
	}
	return middle, math.Sqrt(radius)
}

// sides returns the planes that stand upright on a triangle's edges, as normals that
// look out.
func (t *triangle) sides() (out [3]vector) {
	n := t[1].minus(t[0]).cross(t[2].minus(t[0]))
	for k := range 3 {
		out[k] = t[(k+1)%3].minus(t[k]).cross(n).unit()
	}
	return out
}

// outside appends the parts of a piece that do not lie over a triangle; nothing where
// all of it lies to one side.
func (p *piece) outside(t *triangle, dst []piece, slack float64) []piece {
	rest, sides := *p, t.sides()
	for k, n := range sides {
		if p.ahead(n.times(-1), t[k]) < 2*slack {
			return dst
		}
	}
	for k, n := range sides {
		if rest.ahead(n, t[k]) < 2*slack { // no more than rounding
			continue
		}
		if part := rest.cut(n, t[k], slack); part.n >= 3 {
			dst = append(dst, part)
		}
		if rest = rest.cut(n.times(-1), t[k], -slack); rest.n < 3 {
			break
		}
	}
	return dst
}

// ahead returns how far a piece reaches beyond a plane.
func (p *piece) ahead(n, at vector) float64 {
	most := math.Inf(-1)
	for i := range p.n {
		most = max(most, p.corners[i].minus(at).dot(n))
	}
	return most
}

// inside returns the part of a piece that lies over a triangle.
func (p *piece) inside(t *triangle, slack float64) piece {
	rest := *p
	for k, n := range t.sides() {
		if rest = rest.cut(n.times(-1), t[k], -slack); rest.n < 3 {
			return piece{}
		}
	}
	return rest
}

// cut returns the part of a piece that is more than some distance ahead of a plane. It
// has no corners if there is none.
func (p *piece) cut(n, at vector, ahead float64) (part piece) {
	last := p.corners[p.n-1]
	from := last.minus(at).dot(n) - ahead
	for i := range p.n {
		c := p.corners[i]
		to := c.minus(at).dot(n) - ahead
		if (from > 0) != (to > 0) {
			part.add(last.plus(c.minus(last).times(from / (from - to))))
		}
		if to > 0 {
			part.add(c)
		}
		last, from = c, to
	}
	return part
}

func (p *piece) add(c vector) {
	p.corners[p.n] = c
	p.n++
}

// fan appends a piece's triangles.
func (p *piece) fan(dst []piece) []piece {
	for i := 2; i < p.n; i++ {
		t := piece{n: 3}
		t.corners[0], t.corners[1], t.corners[2] = p.corners[0], p.corners[i-1], p.corners[i]
		dst = append(dst, t)
	}
	return dst
}

// halves appends both halves of a piece, cut across its longest side or diagonal.
func (p *piece) halves(dst []piece) []piece {
	var a, b vector
	longest := -1.0
	for i := range p.n {
		for k := range i {
			if d := p.corners[i].minus(p.corners[k]); d.dot(d) > longest {
				longest, a, b = d.dot(d), p.corners[i], p.corners[k]
			}
		}
	}
	n, middle := b.minus(a).unit(), a.plus(b).times(0.5)
	for _, side := range [2]vector{n, n.times(-1)} {
		if part := p.cut(side, middle, 0); part.n >= 3 {
			dst = append(dst, part)
		}
	}
	return dst
}
