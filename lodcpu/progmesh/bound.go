package progmesh

import "math"

// moved returns a bound of the distance between the faces at p before and after it goes
// onto q, either way.
//
// Seen along some direction both are fans over one polygon, of spokes from p and from q
// to the points of the ring. They are linear between the spokes of both, so that their
// distance along it is greatest at p or where two spokes cross (as in Cohen, Manocha and
// Olano, "Simplifying polygonal models using successive mappings", IEEE Visualization
// 1997). Where the border turns at p, what lies between the old border and the new is a
// fan too, over the crossings of its spokes with the new border: nothing of it is farther
// off than those, and p from the new border.
//
// Where they are no such fans, it is the length of the edge: the old faces become
// the new ones when p slides along it.
func (b *builder) moved(p, q int32, e *edge) float64 {
	length := b.star.near[e.spoke].length()
	fan, ok := b.fans(p, e)
	if !ok {
		return length
	}
	d, ok := fan.height()
	if !ok && fan.open {
		d, ok = b.toBorder(e), true
	}
	if !ok {
		return length
	}
	return min(max(d, fan.crossings()), length)
}

// before returns the largest bound of how far the faces of a ring have moved.
func (b *builder) before(ring []spoke) (err float64) {
	for i := range ring {
		if f := ring[i].face; f >= 0 {
			err = max(err, float64(b.pasts[f].err))
		}
	}
	return err
}

// above returns a float32 that is not below x.
func above(x float64) float32 { return math.Nextafter32(float32(x), math.MaxFloat32) }

// fans are the faces at p before and after its collapse, seen from above. Positions
// are relative to p, the third coordinate is the height.
type fans struct {
	spokes []vector // p's neighbours in order
	target int      // which of them p goes to
	open   bool     // else the last is followed by the first
}

// fans looks at a collapse from a direction that all its faces look up to. ok is
// false where there is none, or where a fan overlaps itself.
func (b *builder) fans(p int32, e *edge) (f *fans, ok bool) {
	f = &b.scratch.fans
	f.open = b.heads[p].kind&rim != 0
	if f.open && e.sides == 2 {
		return f, false
	}
	f.spokes = append(f.spokes[:0], b.star.near...)
	f.target = e.spoke
	up := b.scratch.up.unit()
	if up == (vector{}) {
		return f, false
	}
	axis := vector{1, 0, 0}
	if math.Abs(up.x) > 0.6 {
		axis = vector{0, 1, 0}
	}
	right := axis.cross(up).unit()
	ahead := up.cross(right)
	for i, d := range f.spokes {
		f.spokes[i] = vector{d.dot(right), d.dot(ahead), d.dot(up)}
	}
	return f, f.once(vector{}, -1) && f.once(f.spokes[f.target], f.target)
}

// faces returns the number of faces before the collapse.
func (f *fans) faces() int {
	if f.open {
		return len(f.spokes) - 1
	}
	return len(f.spokes)
}

// face returns the spokes of one.
func (f *fans) face(i int) (x, y int) { return i, f.next(i) }

func (f *fans) next(i int) int {
	if i+1 < len(f.spokes) {
		return i + 1
	}
	return 0
}

// once says whether the faces about a point, but those of one spoke, all look up and
// go round it once at most.
func (f *fans) once(middle vector, but int) bool {
	rounds := 0
	for i := range f.faces() {
		k, l := f.face(i)
		if k == but || l == but {
			continue
		}
		x, y := f.spokes[k].minus(middle), f.spokes[l].minus(middle)
		if !(x.x*y.y-x.y*y.x > 0) {
			return false
		}
		if x.y < 0 && y.y >= 0 {
			rounds++
		}
	}
	return rounds <= 1
}

// height returns how far p is from the new fan along the direction; ok is false if
// the fan does not reach there.
func (f *fans) height() (d float64, ok bool) {
	q := f.spokes[f.target]
	for i := range f.faces() {
		k, l := f.face(i)
		if k == f.target || l == f.target {
			continue
		}
		x, y := f.spokes[k], f.spokes[l]
		a, b, c := x.x*y.y-x.y*y.x, y.x*q.y-y.y*q.x, q.x*x.y-q.y*x.x
		if sum := a + b + c; a >= 0 && b >= 0 && c >= 0 && sum > 0 {
			return math.Abs(a*q.z+b*x.z+c*y.z) / sum, true
		}
	}
	return 0, false
}

// crossings returns how far the spokes of both fans are apart, at most, where they
// cross: one of q's crosses those of p that lie between its end and q.
func (f *fans) crossings() (d float64) {
	q := f.spokes[f.target]
	for i, to := range f.spokes {
		if i == f.target {
			continue
		}
		across := to.minus(q)
		start := q.x*across.y - q.y*across.x
		first, last := f.target, i
		if start < 0 { // they are on the other side
			first, last = i, f.target
		}
		for k := f.next(first); k != last; k = f.next(k) {
			from := f.spokes[k]
			det := from.x*across.y - from.y*across.x
			// They cross if t is between 0 and 1, and s.
			if det == 0 || start*det < 0 {
				continue
			}
			if t := start / det; t <= 1+slack {
				if s := (q.x*from.y - q.y*from.x) / det; s >= -slack && s <= 1+slack {
					d = max(d, math.Abs(t*from.z-q.z-s*across.z))
				}
			}
		}
	}
	return d
}

const slack = 1e-9

// toBorder returns how far a point of the border is from it after its collapse along an
// edge of it.
func (b *builder) toBorder(e *edge) float64 {
	near := b.star.near
	other := 0
	if e.spoke == 0 {
		other = len(near) - 1
	}
	edge, to := near[other].minus(near[e.spoke]), near[e.spoke].times(-1)
	t := 0.0
	if l := edge.dot(edge); l > 0 {
		t = min(max(to.dot(edge)/l, 0), 1)
	}
	return to.minus(edge.times(t)).length()
}
