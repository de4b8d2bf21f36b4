package progmesh

import "math"

// piece is a convex polygon, a part of a triangle.
type piece struct {
	corners [10]vector
	n       int
	guess   int32 // a triangle that it may be near, or −1
}

func (t *triangle) piece(guess int32) piece {
	p := piece{n: 3, guess: guess}
	copy(p.corners[:], t[:])
	return p
}

// outside returns, as bits, which sides of a prism each corner lies beyond.
func (t *triangle) outside(over *prism) (out [3]uint8) {
	for i, c := range t {
		for k := range over.sides {
			if side := &over.sides[k]; c.dot(side.n)-side.at > -slack {
				out[i] |= 1 << k
			}
		}
	}
	return out
}

// within returns what of a piece lies over a triangle.
func (p piece) within(over *prism) piece {
	for k := range over.sides {
		if side := &over.sides[k]; p.n > 0 {
			p = p.cut(side.n.times(-1), -side.at-slack)
		}
	}
	return p
}

// most returns the largest distance of a piece's points to a triangle, or one that is
// more than enough.
func (t *triangle) most(p *piece, enough float64) float64 {
	worst := 0.0
	for i := range p.n {
		if worst = max(worst, t.squared(p.corners[i])); worst > enough*enough {
			break
		}
	}
	return math.Sqrt(worst)
}

// divide appends the parts of a piece that is not near enough to its nearest triangle.
func (p *piece) divide(t *prism, dst []piece) []piece {
	if p.n > 6 {
		return p.fan(dst)
	}
	out, beyond := p.beside(t)
	if beyond >= 0 {
		return p.halves(dst)
	}
	parts, inside := p.split(t, &out, dst)
	if len(parts) == len(dst) {
		return p.halves(dst)
	}
	for i := range parts[len(dst):] {
		parts[len(dst)+i].guess = p.guess
	}
	if inside.n >= 3 {
		parts = append(parts, inside)
	}
	return parts
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

// prism is what lies over a triangle: three planes that stand upright on its edges, their
// normals looking out, and the triangle's own.
type prism struct {
	sides [3]plane
	up    plane
}

// plane is a unit normal, and what it is times a point of the plane. Without a normal there
// is no plane.
type plane struct {
	n  vector
	at float64
}

func (t *triangle) prism() prism {
	n := t[1].minus(t[0]).cross(t[2].minus(t[0])).unit()
	p := t.along(n)
	p.up = plane{n, n.dot(t[0])}
	return p
}

// along returns a prism along a direction, without the triangle's plane.
func (t *triangle) along(up vector) (p prism) {
	for k := range 3 {
		side := t[(k+1)%3].minus(t[k]).cross(up).unit()
		p.sides[k] = plane{side, side.dot(t[k])}
	}
	return p
}

// beside returns how far a piece reaches out of a prism on each side. If all of it lies
// beyond one it says which, else −1.
func (p *piece) beside(t *prism) (out [3]float64, beyond int) {
	for k := range t.sides {
		side := &t.sides[k]
		lo, hi := math.Inf(1), math.Inf(-1)
		for i := range p.n {
			d := p.corners[i].dot(side.n) - side.at
			if d < lo {
				lo = d
			}
			if d > hi {
				hi = d
			}
		}
		if lo > -2*slack {
			return out, k
		}
		out[k] = hi
	}
	return out, -1
}

// height returns how far a piece is from a prism's triangle at most, which it lies over.
func (p *piece) height(t *prism) (d float64) {
	for i := range p.n {
		d = max(d, math.Abs(p.corners[i].dot(t.up.n)-t.up.at))
	}
	return d
}

// split appends the parts of a piece that do not lie over a triangle, their guesses being
// the sides that they lie beyond, and returns what does.
func (p *piece) split(t *prism, out *[3]float64, dst []piece) (parts []piece, inside piece) {
	inside = *p
	for k := range t.sides {
		if out[k] < 2*slack { // no more than rounding
			continue
		}
		side := &t.sides[k]
		if part := inside.cut(side.n, side.at+slack); part.n >= 3 {
			part.guess = int32(k)
			dst = append(dst, part)
		}
		if inside = inside.cut(side.n.times(-1), -side.at-slack); inside.n < 3 {
			break
		}
	}
	return dst, inside
}

// cut returns the part of a piece that is ahead of a plane. It has no corners if there is
// none.
func (p *piece) cut(n vector, at float64) (part piece) {
	part.guess = p.guess
	last := p.corners[p.n-1]
	from := last.dot(n) - at
	for i := range p.n {
		c := p.corners[i]
		to := c.dot(n) - at
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
		t := piece{n: 3, guess: p.guess}
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
		if part := p.cut(side, side.dot(middle)); part.n >= 3 {
			dst = append(dst, part)
		}
	}
	return dst
}
