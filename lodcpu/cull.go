package lodcpu

import "github.com/go-gl/mathgl/mgl64"

// Cull is the sides of a picture, for refiners that leave out what lies beyond
// them. The zero value leaves out nothing.
//
// A vertex is visible if a ball around it meets all four half spaces; there is no
// near and no far plane. The ball's radius is [Law.Ball] of the vertex's order
// plus its coefficient in metres: it holds all descendants of the vertex, and what
// is drawn in their place when they are left out. So every sample in the picture
// is drawn as it would be without culling, and nothing that is drawn wrongly
// pokes into the picture. A child's ball lies inside its parent's: a visible
// vertex has visible ancestors, whoever asks, and the mesh stays watertight.
type Cull struct {
	planes [4]side
	sides  Sides
}

// side is a plane: the inward unit normal, and how far inside the law's eye is, in
// metres.
type side struct{ x, y, z, at float64 }

// Sides is a set of sides of a picture: those that may still cut something.
type Sides uint8

// Cull returns the sides of v's picture for a law whose eye is at eye. That is
// v.Eye but where the levels of detail are those of another view.
func (v *View) Cull(eye mgl64.Vec3) Cull {
	f := v.Frustum()
	c := Cull{sides: 1<<len(Cull{}.planes) - 1}
	for i := range c.planes {
		n := f.planes[i].Normalize()
		c.planes[i] = side{n[0], n[1], n[2], n.Dot(eye.Sub(v.Eye))}
	}
	return c
}

// Sides returns all sides that there are: what the root of a descent has to ask.
func (c *Cull) Sides() Sides { return c.sides }

// Plane returns one of the sides: a point (x, y, z) metres from the law's eye is
// nx·x + ny·y + nz·z + at metres inside.
func (c *Cull) Plane(side int) (nx, ny, nz, at float64) {
	p := &c.planes[side]
	return p.x, p.y, p.z, p.at
}

// Sees says whether the ball of radius r around (x, y, z), as seen from the law's
// eye, meets the half spaces of the sides asked. cut is those of them that the
// ball is not wholly inside of. No ball inside this one, of the radius that
// [Law.Ball] asks, is outside of another: descendants need ask no more than cut,
// and the verdict is the same. The radius has more in it than rounding takes away.
func (c *Cull) Sees(ask Sides, x, y, z, r float64) (cut Sides, visible bool) {
	for i := range c.planes {
		if ask>>i&1 == 0 {
			continue
		}
		p := &c.planes[i]
		// The conversions keep products from being fused with sums.
		d := float64(p.x*x) + float64(p.y*y) + float64(p.z*z) + p.at
		if d < -r {
			return 0, false
		}
		if d < r {
			cut |= 1 << i
		}
	}
	return cut, true
}

// Ball returns the radius in metres of the ball of a vertex of the order without
// its coefficient, see [Cull]. It reaches one cell farther than the vertex's
// descendants: between two samples, one of them in the picture, the surface is
// drawn as finely as if both were.
func (l *Law) Ball(order int) float64 {
	return float64(l.Extent[order]) + float64(l.Extent[1])
}
