package lodcpu

import "github.com/go-gl/mathgl/mgl64"

// Frustum is the four side planes of a view, through the eye. There is no near
// or far plane: what is behind the eye is outside two opposite sides.
type Frustum struct {
	eye    mgl64.Vec3
	planes [5]mgl64.Vec3 // inward normals; the fifth is the view direction
}

// Frustum returns the frustum of the view.
func (v *View) Frustum() Frustum {
	right, up, forward := v.Basis()
	a, b := v.halfSize()
	return Frustum{eye: v.Eye, planes: [5]mgl64.Vec3{
		forward.Mul(a).Add(right), forward.Mul(a).Sub(right),
		forward.Mul(b).Add(up), forward.Mul(b).Sub(up),
		forward,
	}}
}

// Sees says whether the box may be visible: false only if it lies wholly
// outside one of the planes.
func (f *Frustum) Sees(lo, hi mgl64.Vec3) bool {
	for _, n := range &f.planes {
		d := 0.0
		for i := range 3 {
			// The corner farthest along the normal.
			if n[i] > 0 {
				d += n[i] * (hi[i] - f.eye[i])
			} else {
				d += n[i] * (lo[i] - f.eye[i])
			}
		}
		if d < 0 {
			return false
		}
	}
	return true
}
