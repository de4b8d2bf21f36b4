package progmesh

import "math"

// triangle is a face by its corners.
type triangle [3]vector

// tree finds the triangles near a point. Those that follow each other should lie near
// each other: it is a binary tree of boxes over their places.
type tree struct {
	triangles []triangle
	prisms    []prism // of triangles
	boxes     []box   // of node i; its halves are 2i+1 and 2i+2
}

type box struct{ lo, hi vector }

// leaf is the most triangles in a box that is not halved.
const leaf = 4

func newTree(triangles []triangle) *tree {
	t := &tree{triangles: triangles, prisms: make([]prism, len(triangles))}
	for i := range triangles {
		t.prisms[i] = triangles[i].prism()
	}
	nodes := 1
	for n := len(triangles); n > leaf; n = (n + 1) / 2 {
		nodes = 2*nodes + 1
	}
	t.boxes = make([]box, nodes)
	t.fill(0, 0, len(triangles))
	return t
}

// fill makes the box of a node, whose triangles are those of places lo to hi.
func (t *tree) fill(node, lo, hi int) box {
	b := box{vector{math.Inf(1), math.Inf(1), math.Inf(1)}, vector{math.Inf(-1), math.Inf(-1), math.Inf(-1)}}
	if hi-lo <= leaf {
		for _, c := range t.triangles[lo:hi] {
			for _, p := range c {
				b = b.with(box{p, p})
			}
		}
	} else {
		mid := (lo + hi) / 2
		b = t.fill(2*node+1, lo, mid).with(t.fill(2*node+2, mid, hi))
	}
	t.boxes[node] = b
	return b
}

func (b box) with(c box) box {
	return box{
		vector{min(b.lo.x, c.lo.x), min(b.lo.y, c.lo.y), min(b.lo.z, c.lo.z)},
		vector{max(b.hi.x, c.hi.x), max(b.hi.y, c.hi.y), max(b.hi.z, c.hi.z)},
	}
}

// squared returns the square of the distance of p to the box.
func (b *box) squared(p vector) float64 {
	x, y, z := beyond(p.x, b.lo.x, b.hi.x), beyond(p.y, b.lo.y, b.hi.y), beyond(p.z, b.lo.z, b.hi.z)
	return x*x + y*y + z*z
}

// beyond returns how far x is from a range.
func beyond(x, lo, hi float64) float64 {
	if x < lo {
		return lo - x
	}
	if x > hi {
		return x - hi
	}
	return 0
}

// span is a node with what remains to be looked at.
type span struct {
	node, lo, hi int
	squared      float64
}

// nearest returns the triangle nearest to p and the square of its distance. It begins
// with a guess, or −1.
func (t *tree) nearest(p vector, guess int) (best int, squared float64) {
	best, squared = guess, math.Inf(1)
	if guess >= 0 {
		squared = t.triangles[guess].squared(p)
	}
	var stack [64]span
	stack[0] = span{0, 0, len(t.triangles), t.boxes[0].squared(p)}
	for n := 1; n > 0; {
		n--
		s := stack[n]
		if s.squared >= squared {
			continue
		}
		if s.hi-s.lo <= leaf {
			for i := s.lo; i < s.hi; i++ {
				if d := t.triangles[i].squared(p); d < squared {
					best, squared = i, d
				}
			}
			continue
		}
		mid := (s.lo + s.hi) / 2
		one := span{2*s.node + 1, s.lo, mid, t.boxes[2*s.node+1].squared(p)}
		two := span{2*s.node + 2, mid, s.hi, t.boxes[2*s.node+2].squared(p)}
		if one.squared < two.squared {
			one, two = two, one
		}
		stack[n], stack[n+1] = one, two
		n += 2
	}
	return best, squared
}

// share returns a part of a length, 0 if rounding has left nothing of it.
func share(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}

// squared returns the square of the distance of p to a triangle (Ericson, Real-Time
// Collision Detection, 2005, section 5.1.5).
func (t *triangle) squared(p vector) float64 {
	ab, ac, ap := t[1].minus(t[0]), t[2].minus(t[0]), p.minus(t[0])
	d1, d2 := ab.dot(ap), ac.dot(ap)
	if d1 <= 0 && d2 <= 0 {
		return ap.dot(ap)
	}
	bp := p.minus(t[1])
	d3, d4 := ab.dot(bp), ac.dot(bp)
	if d3 >= 0 && d4 <= d3 {
		return bp.dot(bp)
	}
	vc := d1*d4 - d3*d2
	if vc <= 0 && d1 >= 0 && d3 <= 0 {
		return off(ap, ab, share(d1, d1-d3))
	}
	cp := p.minus(t[2])
	d5, d6 := ab.dot(cp), ac.dot(cp)
	if d6 >= 0 && d5 <= d6 {
		return cp.dot(cp)
	}
	vb := d5*d2 - d1*d6
	if vb <= 0 && d2 >= 0 && d6 <= 0 {
		return off(ap, ac, share(d2, d2-d6))
	}
	va := d3*d6 - d5*d4
	if va <= 0 && d4 >= d3 && d5 >= d6 {
		return off(bp, t[2].minus(t[1]), share(d4-d3, (d4-d3)+(d5-d6)))
	}
	n := ab.cross(ac)
	const needle = 1e-12 // squared sine of the angle below which rounding decides
	if l := n.dot(n); l > needle*ab.dot(ab)*ac.dot(ac) {
		d := n.dot(ap)
		return d * d / l
	}
	// It has next to no area: it is its sides.
	return min(toSide(ap, ab), toSide(ap, ac), toSide(bp, t[2].minus(t[1])))
}

// toSide returns the square of the distance of a point to a side, both from its start.
func toSide(p, side vector) float64 {
	part := 0.0
	if l := side.dot(side); l > 0 {
		part = min(max(p.dot(side)/l, 0), 1)
	}
	return off(p, side, part)
}

// off returns the square of what is left of a vector less a part of another.
func off(from, along vector, part float64) float64 {
	d := from.minus(along.times(part))
	return d.dot(d)
}
