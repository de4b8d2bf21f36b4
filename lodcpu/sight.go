package lodcpu

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/terrain"
)

// sightRows is how many rows of a picture are looked at one by one.
const sightRows = 256

// sight is the part of a picture in which something may be, in tangents: b is half
// the picture's height, and a is how far from the middle something is in each row,
// from the bottom up; below 0 where nothing is.
type sight struct {
	b float64
	a [sightRows]float64
}

// row returns the lower and the upper end of a row.
func (s *sight) row(i int) (low, high float64) {
	return s.b * (2*float64(i)/sightRows - 1), s.b * (2*float64(i+1)/sightRows - 1)
}

// sight returns the whole picture.
func (v *View) sight() (s sight) {
	a, b := v.halfSize()
	s.b = b
	for i := range s.a {
		s.a[i] = a
	}
	return s
}

// sightOf returns the part of the picture in which the samples of w may be: where
// the box of the world is. Looking down from high above, that leaves out much of the
// upper rows, where a vertical displacement covers most.
func (v *View) sightOf(w *terrain.World) sight {
	lo := mgl64.Vec3{w.OriginX, float64(w.Min)*w.Quantum - w.MaxError, w.OriginZ}
	hi := mgl64.Vec3{
		w.OriginX + float64(w.Width-1)*w.Spacing, float64(w.Max)*w.Quantum + w.MaxError, w.OriginZ + float64(w.Height-1)*w.Spacing,
	}
	s := v.sight()
	inside := true
	if w.Endless {
		const far = 1e9 // metres: nobody draws so much of it
		lo[0], lo[2], hi[0], hi[2] = v.Eye[0]-far, v.Eye[2]-far, v.Eye[0]+far, v.Eye[2]+far
	}
	for i := range 3 {
		inside = inside && v.Eye[i] >= lo[i] && v.Eye[i] <= hi[i]
	}
	if inside {
		return s
	}
	a, whole := s.a[0], s
	for i := range s.a {
		s.a[i] = -1
	}
	// What is seen of a body without dents is what is seen of its faces.
	for axis := range 3 {
		for _, at := range [2]float64{lo[axis], hi[axis]} {
			s.add(v.faceInPicture(lo, hi, axis, at))
		}
	}
	empty := true
	for i := range s.a {
		s.a[i] = min(s.a[i], a)
		empty = empty && s.a[i] < 0
	}
	if empty {
		return whole // so that what looks away need not load everything anew
	}
	return s
}

// add adds a face to what is in sight: in each row it reaches farthest at one of its
// edges.
func (s *sight) add(f face) {
	const more = 1e-6 // than rounding takes away
	for i := range f.n {
		p, q := f.p[i], f.p[(i+1)%f.n]
		pa, pb, qa, qb := p[0]/p[2], p[1]/p[2], q[0]/q[2], q[1]/q[2]
		if pb > qb {
			pa, pb, qa, qb = qa, qb, pa, pb
		}
		first := int(max(0, math.Floor((pb-more+s.b)/(2*s.b)*sightRows)))
		last := int(min(sightRows-1, math.Floor((qb+more+s.b)/(2*s.b)*sightRows)))
		for k := first; k <= last; k++ {
			low, high := s.row(k)
			at := func(b float64) float64 {
				if qb-pb < more {
					return max(math.Abs(pa), math.Abs(qa))
				}
				return math.Abs(pa + (qa-pa)*min(max((b-pb)/(qb-pb), 0), 1))
			}
			s.a[k] = max(s.a[k], max(at(low), at(high))+more)
		}
	}
}

// face is a convex polygon in camera space: right, up and forward.
type face struct {
	n int
	p [8]mgl64.Vec3
}

// faceInPicture returns what is in the picture of one face of a box.
func (v *View) faceInPicture(lo, hi mgl64.Vec3, axis int, at float64) face {
	right, up, forward := v.Basis()
	a, b := v.halfSize()
	f := face{n: 4}
	for i, c := range [4][2]bool{{false, false}, {true, false}, {true, true}, {false, true}} {
		p := lo
		p[axis] = at
		for k, far := range c {
			if j := (axis + 1 + k) % 3; far {
				p[j] = hi[j]
			}
		}
		d := p.Sub(v.Eye)
		f.p[i] = mgl64.Vec3{d.Dot(right), d.Dot(up), d.Dot(forward)}
	}
	for _, side := range [4]mgl64.Vec3{{1, 0, a}, {-1, 0, a}, {0, 1, b}, {0, -1, b}} {
		f = f.cut(side)
	}
	return f
}

// cut returns what a plane through the eye leaves of a face. That of all four sides
// of a picture is in front of the eye.
func (f face) cut(inward mgl64.Vec3) (left face) {
	for i := range f.n {
		p, q := f.p[i], f.p[(i+1)%f.n]
		dp, dq := p.Dot(inward), q.Dot(inward)
		if dp >= 0 {
			left.p[left.n] = p
			left.n++
		}
		if (dp >= 0) != (dq >= 0) {
			left.p[left.n] = p.Add(q.Sub(p).Mul(dp / (dp - dq)))
			left.n++
		}
	}
	return left
}
