package progmesh

import "math"

// meter measures, while a mesh is reduced, how far what is left is from what was there
// at first. It does so at some counts; between two of them the bounds of the collapses
// add up from what was measured last.
//
// What it returns is a bound: a piece of one surface counts as done only if all its
// corners are near enough to one triangle of the other, so that all of it is, as the
// distance to a triangle is convex. A face that is left is not looked at while what was
// found for it last, and what the collapses since have moved, keep it near enough; nor is a
// face of the full surface while all that it was found near to is what it was.
type meter struct {
	b      *builder
	full   *tree
	now    *tree
	beside [][3]int32 // by face at first: those across its sides, or −1
	place  []int32    // by face: its place in now, or −1
	faces  []int32    // by place in now, as are points
	points [][3]int32
	sure   [][3]int32 // by face at first: all that it was near to, or −1
	hints  []int32    // by point: a face that was near it, or −1 if it has none
	heirs  []int32    // by face: one next to where it was when it went, or itself
	moves  []move     // by face
	next   int        // vertices at which to measure next
	last   float64    // the bound then
	worst  float64    // of moves since
	total  float64    // bound of all that was moved, from the first collapse on
	far    float64    // distance that is known to be reached, or was before
	stack  []piece
	seen   marks // faces
	walked []int32
	up     vector  // where most of the full surface looks
	used   []int32 // by place in a tree
}

// move is how far a face may have moved: since the last measurement, and from the nearest
// point of what was there at first.
type move struct{ since, back float32 }

const (
	ladder    = 0.8  // vertices from one measurement to the next
	tolerance = 0.05 // of a distance that is measured
	least     = 1e-6 // distance that does not count
)

func newMeter(b *builder) *meter {
	m := &meter{b: b, next: int(float64(b.left) * ladder)}
	n := len(b.faces)
	m.moves, m.beside = make([]move, n), make([][3]int32, n)
	m.place, m.heirs, m.sure, m.hints = make([]int32, n), make([]int32, n), make([][3]int32, n), make([]int32, len(b.heads))
	all, area := make([]triangle, n), vector{}
	for p := range m.hints {
		m.hints[p] = -1
	}
	for f, face := range b.faces {
		m.heirs[f], m.sure[f] = int32(f), [3]int32{int32(f), int32(f), int32(f)}
		for k, p := range face {
			m.hints[p] = int32(f)
			m.beside[f][k] = b.across(p, face[(k+1)%3], int32(f))
			all[f][k] = b.point(p)
		}
		area = area.plus(all[f][1].minus(all[f][0]).cross(all[f][2].minus(all[f][0])))
	}
	m.up = b.up
	if b.up == (vector{}) {
		m.up = area.axis()
	}
	m.full, m.seen.in = newTree(all), make([]uint32, n)
	return m
}

// across returns the face on the other side of an edge of face f, or −1 if there is none
// or it is not easily found.
func (b *builder) across(p, q, f int32) int32 {
	if b.heads[p].kind&fixed != 0 {
		if p, q = q, p; b.heads[p].kind&fixed != 0 {
			return -1
		}
	}
	e := edgeTo(b.ring(p), q)
	other := e.faces[0]
	if other == f {
		other = e.faces[1]
	}
	return max(other, -1)
}

// before returns how far the faces of a ring may have moved, at most.
func (m *meter) before(ring []spoke) (all move) {
	for i := range ring {
		if f := ring[i].face; f >= 0 {
			all.since, all.back = max(all.since, m.moves[f].since), max(all.back, m.moves[f].back)
		}
	}
	return all
}

// plus adds a distance.
func (a move) plus(d float64) move {
	return move{above(float64(a.since) + d), above(float64(a.back) + d)}
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

// bound returns a bound after a collapse that moves faces: the less of what it is from the
// first collapse on and from the last measurement.
func (m *meter) bound(total float64, moved move) float64 {
	m.total, m.worst = total, max(m.worst, float64(moved.since))
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
	for f := range m.moves {
		m.moves[f].since = 0
	}
	return m.last
}

// sweepAll looks at all of both surfaces.
func (m *meter) sweepAll() {
	m.probe()
	for f := range m.full.triangles {
		m.there(int32(f))
	}
	for i, f := range m.faces {
		moved := &m.moves[f]
		if float64(moved.back) > m.limit() {
			moved.back = min(moved.back, above(m.back(int32(i))))
		}
	}
}

// back returns a bound of how far triangle k of those that are left is from the full
// surface. A sheet with a border may cover it where both look most, if not along its normal.
func (m *meter) back(k int32) float64 {
	t, over := &m.now.triangles[k], &m.now.prisms[k]
	far, ok := m.covered(k, over, over.up.n)
	if slope := over.up.n.dot(m.up); !ok && slope > 0.01 {
		tilted := t.along(m.up)
		tilted.up = plane{over.up.n.times(1 / slope), over.up.at / slope}
		far, ok = m.covered(k, &tilted, m.up)
	}
	if !ok {
		far = m.sweep(t.piece(m.faces[k]), m.full)
	}
	return far
}

// covered says whether all of triangle k of those that are left is near to what of the full
// surface lies over or below it, seen along a direction, and returns how near along that.
//
// It looks at the faces over it, from one on from side to side. Seen along the direction each
// looks up, so that what is beside it lies beyond its side. If it finds one across each
// side that the triangle meets, they cover all of it: else there would be an end to what
// they cover, on the side of one of them.
func (m *meter) covered(k int32, over *prism, up vector) (far float64, ok bool) {
	t := &m.now.triangles[k]
	start := m.under(t[0].plus(t[1]).plus(t[2]).times(1.0/3), up, m.faces[k])
	if start < 0 {
		return 0, false
	}
	var farthest vector
	m.seen.clear()
	m.seen.add(start)
	stack := append(m.walked[:0], start)
	for len(stack) > 0 {
		f := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		face := &m.full.triangles[f]
		if !(m.full.prisms[f].up.n.dot(up) > 0) {
			return 0, false
		}
		if p := face.piece(0); p.height(over) > far {
			p = p.within(over) // what lies over it may be nearer
			for _, c := range p.corners[:p.n] {
				if d := c.dot(over.up.n) - over.up.at; math.Abs(d) > far {
					far, farthest = math.Abs(d), c.minus(up.times(d))
				}
			}
		}
		outside := face.outside(over)
		for side, next := range m.beside[f] {
			if outside[side]&outside[(side+1)%3] != 0 {
				continue
			}
			if next < 0 {
				return 0, false
			}
			if m.seen.add(next) {
				stack = append(stack, next)
			}
		}
	}
	if m.walked = stack; far > m.limit() { // it may be as far as it seems
		_, squared := m.full.nearest(farthest, int(start))
		m.far = max(m.far, math.Sqrt(squared))
	}
	return far + 2*slack, far <= m.limit()
}

// under returns the face of the full surface that lies over or below a point, seen along
// a direction, going there from face f; −1 if it does not find it.
func (m *meter) under(p, up vector, f int32) int32 {
	const steps = 1000
	for range steps {
		t, worst, next := &m.full.triangles[f], 0.0, f
		for k := range t {
			if d := t[(k+1)%3].minus(t[k]).cross(p.minus(t[k])).dot(up); d < worst {
				worst, next = d, m.beside[f][k]
			}
		}
		if next == f {
			return f
		}
		if f = next; f < 0 {
			break
		}
	}
	return -1
}

// there looks at a face of the full surface. It is done if what all of it was near to has
// not changed, or if it is near to what is near to its corners.
func (m *meter) there(f int32) {
	sure := &m.sure[f]
	if m.same(sure[0]) && m.same(sure[1]) && m.same(sure[2]) {
		return
	}
	face := &m.b.faces[f]
	if k := m.hints[face[0]]; k == m.hints[face[1]] && k == m.hints[face[2]] {
		*sure = [3]int32{k, k, k} // near enough to its corners, as the probe has found
		return
	}
	p := m.full.triangles[f].piece(m.place[m.heir(f)])
	tried, limit := int32(-1), m.limit()
	for _, c := range face {
		k := m.hints[c]
		if k >= 0 {
			k = m.place[k]
		}
		if k < 0 || k == tried {
			continue
		}
		if tried = k; m.now.triangles[k].most(&p, limit) <= limit {
			k = m.faces[k]
			*sure = [3]int32{k, k, k}
			return
		}
	}
	if p.guess < 0 {
		p.guess = tried
	}
	m.sweep(p, m.now)
	*sure = [3]int32{-1, -1, -1}
	if used := m.used; len(used) <= 3 {
		for i := range sure {
			sure[i] = m.faces[used[min(i, len(used)-1)]]
		}
	}
}

// same says whether a face is what it was when it was measured last.
func (m *meter) same(f int32) bool { return f >= 0 && m.place[f] >= 0 && m.moves[f].since == 0 }

// probe finds a triangle near each point that has gone, and makes far at least their
// distance: what is less is not worth a closer look.
func (m *meter) probe() {
	for i, hint := range m.hints {
		p := int32(i)
		if ring := m.b.ring(p); len(ring) > 0 && ring[0].face >= 0 { // it is there, and so are its faces
			m.hints[p] = ring[0].face
			continue
		}
		if hint < 0 {
			continue
		}
		m.hints[p] = m.heir(hint)
		at := m.b.point(p)
		k := m.approach(m.now, at, m.place[m.hints[p]])
		if k < 0 || m.now.triangles[k].squared(at) > m.limit()*m.limit() {
			near, squared := m.now.nearest(at, int(k))
			m.far, k = max(m.far, math.Sqrt(squared)), int32(near)
		}
		m.hints[p] = m.faces[k]
	}
}

// approach goes from triangle to triangle towards a point, and returns the last.
func (m *meter) approach(t *tree, p vector, k int32) int32 {
	const steps = 50
	last := int32(-1)
	for range steps {
		if k < 0 {
			break
		}
		worst, side := 0.0, -1
		for i := range t.prisms[k].sides {
			plane := &t.prisms[k].sides[i]
			if d := p.dot(plane.n) - plane.at; d > worst {
				worst, side = d, i
			}
		}
		if side < 0 {
			break
		}
		next := m.side(t, k, int32(side))
		if next < 0 || next == last {
			break
		}
		last, k = k, next
	}
	return k
}

// list makes a tree of what is left.
func (m *meter) list() {
	var all []triangle
	m.faces, m.points = m.faces[:0], m.points[:0]
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
				m.faces, m.points = append(m.faces, s.face), append(m.points, [3]int32{p, s.to, c})
				all = append(all, triangle{m.b.point(p), m.b.point(s.to), m.b.point(c)})
			}
		}
	}
	m.now = newTree(all)
}

// limit is the distance up to which nothing has to be looked at more closely.
func (m *meter) limit() float64 { return m.far*(1+tolerance) + least }

// sweep makes far at least the largest distance of a piece's points to the triangles
// of a tree, but for the limit's tolerance, and returns a bound of it. It leaves in used
// which those are, or more than three.
func (m *meter) sweep(p piece, t *tree) (reached float64) {
	stack := append(m.stack[:0], p)
	m.used = m.used[:0]
	for len(stack) > 0 {
		p = stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		rest, d, ok := m.walk(&p, t, stack)
		if stack = rest; !ok {
			if d, ok = m.nearest(&p, t); !ok {
				stack = p.divide(&t.prisms[p.guess], stack)
				continue
			}
		}
		if len(m.used) < 4 && index(m.used, p.guess) < 0 {
			m.used = append(m.used, p.guess)
		}
		reached = max(reached, d)
	}
	m.stack = stack
	return reached + 2*slack
}

// nearest finds the triangle nearest to the middle of a piece, and says whether all of it
// is near enough, and how near.
func (m *meter) nearest(p *piece, t *tree) (d float64, ok bool) {
	middle, radius := p.middle()
	k, squared := t.nearest(middle, int(p.guess))
	p.guess = int32(k)
	d = math.Sqrt(squared)
	m.far = max(m.far, d)
	limit := m.limit()
	if d += radius; d > limit {
		d = t.triangles[k].most(p, limit)
	}
	return d, d <= limit
}

// walk cuts a piece by the triangle that it may be near to, without a look for a nearer
// one, if what lies over that is near enough: it says how near. It appends the rest, which
// may be near to those beside it. Where nothing lies over that it goes to one beside it, but
// not back: along a ridge there is room between what lies over one side and the other.
func (m *meter) walk(p *piece, t *tree, dst []piece) (rest []piece, d float64, ok bool) {
	const steps = 8
	limit, last := m.limit(), int32(-1)
	for range steps {
		if p.guess < 0 || p.n > 6 {
			return dst, 0, false
		}
		over := &t.prisms[p.guess]
		out, beyond := p.beside(over)
		if beyond < 0 {
			parts, inside := p.split(over, &out, dst)
			if d = inside.height(over) + slack; inside.n < 3 || d > limit {
				return dst, 0, false
			}
			for i := range parts[len(dst):] {
				part := &parts[len(dst)+i]
				part.guess = m.side(t, p.guess, part.guess)
			}
			return parts, d, true
		}
		k := m.side(t, p.guess, int32(beyond))
		if k < 0 || k == last {
			break
		}
		last, p.guess = p.guess, k
	}
	d = t.triangles[p.guess].most(p, limit)
	return dst, d, d <= limit
}

// side returns the triangle beside one, or −1.
func (m *meter) side(t *tree, of, side int32) int32 {
	if t == m.full {
		return m.beside[of][side]
	}
	points := &m.points[of]
	f := m.b.across(points[side], points[(side+1)%3], m.faces[of])
	if f < 0 {
		return -1
	}
	return m.place[f]
}
