package lodcpu

import "github.com/go-gl/mathgl/mgl64"

// Frustum is the four side planes of a view, through the eye. There is no near
// or far plane: what is behind the eye is outside two opposite sides.
type Frustum struct {
	eye    mgl64.Vec3
	planes [5]mgl64.Vec3 // inward normals; the fifth is the view direction
	most   [5][3]uint8   // for each, the places in a seenBox of what of a box lies farthest inside
}

// Frustum returns the frustum of the view.
func (v *View) Frustum() Frustum {
	right, up, forward := v.Basis()
	a, b := v.halfSize()
	f := Frustum{eye: v.Eye, planes: [5]mgl64.Vec3{
		forward.Mul(a).Add(right), forward.Mul(a).Sub(right),
		forward.Mul(b).Add(up), forward.Mul(b).Sub(up),
		forward,
	}}
	for i := range f.planes {
		for axis, n := range f.planes[i] {
			f.most[i][axis] = uint8(axis)
			if n > 0 {
				f.most[i][axis] += atMost
			}
		}
	}
	return f
}

// seenBox is where the planes of a box lie as seen from the eye: the least in the first
// three, the largest from atMost on. An index into it may be masked.
type seenBox [8]float64

const atMost = 4

// place fills c for a box. A copy of c would wait for what has just been stored.
func (f *Frustum) place(c *seenBox, lo, hi *mgl64.Vec3) {
	e := &f.eye
	c[0], c[1], c[2] = lo[0]-e[0], lo[1]-e[1], lo[2]-e[2]
	c[atMost], c[atMost+1], c[atMost+2] = hi[0]-e[0], hi[1]-e[1], hi[2]-e[2]
}

// inside returns how far along the normal of a plane the corner of c is that lies farthest
// inside of it, and with turn atMost the one that lies farthest outside, times the normal's
// length.
func inside(n *mgl64.Vec3, most *[3]uint8, c *seenBox, turn uint8) float64 {
	// The conversions keep products from being fused with sums.
	return float64(n[0]*c[(most[0]^turn)&7]) + float64(n[1]*c[(most[1]^turn)&7]) + float64(n[2]*c[(most[2]^turn)&7])
}

// Sees says whether the box may be visible: false only if it lies wholly
// outside one of the planes.
func (f *Frustum) Sees(lo, hi mgl64.Vec3) bool { return f.sees(&lo, &hi) }

func (f *Frustum) sees(lo, hi *mgl64.Vec3) bool {
	var c seenBox
	f.place(&c, lo, hi)
	for i := range f.planes {
		if inside(&f.planes[i], &f.most[i], &c, 0) < 0 {
			return false
		}
	}
	return true
}

// look says what of the boxes within this one Sees says is seen.
func (f *Frustum) look(lo, hi *mgl64.Vec3) look {
	var c seenBox
	f.place(&c, lo, hi)
	l := looksAll
	for i := range f.planes {
		if inside(&f.planes[i], &f.most[i], &c, 0) < 0 {
			return looksNone
		}
		if inside(&f.planes[i], &f.most[i], &c, atMost) < 0 {
			l = looksSome
		}
	}
	return l
}
