package progmesh

import "math"

// moved returns a bound of the distance between the faces at p before and after it
// collapses onto q, either way; ring holds p's neighbours.
//
// Seen along some direction both are fans over one polygon, of spokes from p and
// from q to the points of ring. They are linear between the spokes of both, so that
// their distance along it is greatest at p or where two spokes cross (as in Cohen,
// Manocha and Olano, "Simplifying polygonal models using successive mappings", IEEE
// Visualization 1997). Where the border turns at p, what lies between the old
// border and the new is a fan too, over the crossings of its spokes with the new
// border: nothing of it is farther off than those, and p from the new border.
//
// Where they are no such fans, it is the length of the edge: the old faces become
// the new ones when p slides along it.
func (b *builder) moved(p, q int32, ring []int32) float64 {
	length := b.positions[q].minus(b.positions[p]).length()
	fan, ok := b.fans(p, q, ring)
	if !ok {
		return length
	}
	d, ok := fan.height()
	if !ok && b.kinds[p]&rim != 0 {
		d, ok = b.toBorder(p, q, ring)
	}
	if !ok {
		return length
	}
	target := fan.spokes[fan.target]
	for i, to := range fan.spokes {
		if i == fan.target {
			continue
		}
		for _, from := range fan.spokes {
			d = max(d, crossing(from, target, to))
		}
	}
	return min(d, length)
}

// fans are the faces at p before and after its collapse, seen from above. Positions
// are relative to p, the third coordinate is the height.
type fans struct {
	spokes   []vector   // p's neighbours
	target   int        // which of them p goes to
	old, new [][2]int32 // faces, as two spokes each
}

// fans looks at a collapse from a direction that all its faces look up to. ok is
// false where there is none, or where a fan overlaps itself.
func (b *builder) fans(p, q int32, ring []int32) (f *fans, ok bool) {
	f = &b.scratch.fans
	sides, sum := 0, vector{}
	for _, g := range b.around[p] {
		sum = sum.plus(b.normal(b.faces[g]))
		if b.has(g, q) {
			sides++
			continue
		}
		x, y := b.others(g, p)
		sum = sum.plus(b.normal([3]int32{q, x, y}))
	}
	up := sum.unit()
	if up == (vector{}) || b.unchecked || sides == 2 && b.kinds[p]&rim != 0 {
		return f, false
	}
	axis := vector{1, 0, 0}
	if math.Abs(up[0]) > 0.6 {
		axis = vector{0, 1, 0}
	}
	right := axis.cross(up).unit()
	ahead := up.cross(right)
	f.spokes, f.old, f.new = f.spokes[:0], f.old[:0], f.new[:0]
	for i, r := range ring {
		d := b.positions[r].minus(b.positions[p])
		f.spokes = append(f.spokes, vector{d.dot(right), d.dot(ahead), d.dot(up)})
		if r == q {
			f.target = i
		}
	}
	for _, g := range b.around[p] {
		x, y := b.others(g, p)
		face := [2]int32{index32(ring, x), index32(ring, y)}
		f.old = append(f.old, face)
		if x != q && y != q {
			f.new = append(f.new, face)
		}
	}
	return f, f.once(vector{}, f.old) && f.once(f.spokes[f.target], f.new)
}

func index32(list []int32, v int32) int32 { return int32(index(list, v)) }

// once says whether the faces of a fan about a point all look up and go round it
// once at most.
func (f *fans) once(middle vector, faces [][2]int32) bool {
	rounds := 0
	for _, t := range faces {
		x, y := f.spokes[t[0]].minus(middle), f.spokes[t[1]].minus(middle)
		if !(x[0]*y[1]-x[1]*y[0] > 0) {
			return false
		}
		if x[1] < 0 && y[1] >= 0 {
			rounds++
		}
	}
	return rounds <= 1
}

// height returns how far p is from the new fan along the direction; ok is false if
// the fan does not reach there.
func (f *fans) height() (d float64, ok bool) {
	q := f.spokes[f.target]
	for _, t := range f.new {
		x, y := f.spokes[t[0]], f.spokes[t[1]]
		a, b, c := x[0]*y[1]-x[1]*y[0], y[0]*q[1]-y[1]*q[0], q[0]*x[1]-q[1]*x[0]
		if sum := a + b + c; a >= 0 && b >= 0 && c >= 0 && sum > 0 {
			return math.Abs(a*q[2]+b*x[2]+c*y[2]) / sum, true
		}
	}
	return 0, false
}

// toBorder returns how far p is from the border after its collapse onto q.
func (b *builder) toBorder(p, q int32, ring []int32) (d float64, ok bool) {
	for _, r := range ring {
		if r == q || !b.open(p, r) {
			continue
		}
		edge, to := b.positions[r].minus(b.positions[q]), b.positions[p].minus(b.positions[q])
		t := 0.0
		if l := edge.dot(edge); l > 0 {
			t = min(max(to.dot(edge)/l, 0), 1)
		}
		return to.minus(edge.times(t)).length(), true
	}
	return 0, false
}

// crossing returns how far two spokes are apart in height where they cross: that
// from p to one end, and that from q to another. It is 0 where they do not cross.
func crossing(end, q, other vector) float64 {
	d := other.minus(q)
	det := end[0]*d[1] - end[1]*d[0]
	if det == 0 {
		return 0
	}
	t := (q[0]*d[1] - q[1]*d[0]) / det
	s := (q[0]*end[1] - q[1]*end[0]) / det
	const slack = 1e-9
	if t < -slack || t > 1+slack || s < -slack || s > 1+slack {
		return 0
	}
	return math.Abs(t*end[2] - q[2] - s*d[2])
}
