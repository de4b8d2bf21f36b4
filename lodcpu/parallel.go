package lodcpu

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Parallel is a picture by parallel rays, such as what a sun sees.
type Parallel struct {
	Middle        mgl64.Vec3 // metres: what is in the middle of the picture, half-way into its depth
	Yaw, Pitch    float64    // radians, as of a [View]: where the rays go
	Span          float64    // metres that the picture is high
	Reach         float64    // metres that are shown before the middle, and behind it
	Width, Height int        // pixels
	Tau           float64    // largest error in pixels, across the rays and along them
}

// View returns a view that levels of detail and culling may be those of: from far off, with
// all that p shows in its picture. It keeps p's tolerance in p's picture, whatever the direction of
// errors, so in its depths too.
func (p *Parallel) View() (View, error) {
	if !(p.Span > 0 && p.Reach > 0) || math.IsInf(p.Span, 0) || math.IsInf(p.Reach, 0) {
		return View{}, fmt.Errorf("a parallel picture of %g metres, %g deep: must be above 0", p.Span, 2*p.Reach)
	}
	if p.Width <= 0 || p.Height <= 0 {
		return View{}, errors.New("a parallel picture without pixels")
	}
	// The farther off, the more alike are the distances, and the less is refined for nothing;
	// but distances are to be told apart, and fields of view have a least.
	apart := p.apart()
	v := View{Yaw: p.Yaw, Pitch: p.Pitch, Width: p.Width, Height: p.Height, Isotropic: true}
	_, _, forward := v.Basis()
	v.Eye = p.Middle.Sub(forward.Mul(apart))
	// Its pixels are smallest in front. An error there covers, of its own, the share of p's
	// pixels that it covers farthest off; and a law's distances are from the eye, so at most
	// the depth of the farthest times what slants there.
	near, far := apart-p.Reach, apart+p.Reach
	v.FovY = 2 * math.Atan(p.Span/2/near)
	v.Tau = p.Tau * near / far
	return v, v.Check()
}

// apart returns how far the eye of p's view is from its middle, metres.
func (p *Parallel) apart() float64 {
	radius := max(p.Reach, p.Span/2*math.Hypot(1, float64(p.Width)/float64(p.Height)))
	return p.Reach + min(15*radius, 400*p.Span)
}

// ClipMatrix returns what takes p to clip space, y down, of places relative to the eye of its
// view: depth is 1 Reach before the middle and 0 as much behind it.
func (p *Parallel) ClipMatrix() mgl64.Mat4 {
	v := View{Yaw: p.Yaw, Pitch: p.Pitch}
	right, up, forward := v.Basis()
	b := p.Span / 2
	a := b * float64(p.Width) / float64(p.Height)
	return mgl64.Mat4FromRows(
		right.Mul(1/a).Vec4(0),
		up.Mul(-1/b).Vec4(0),
		forward.Mul(-0.5/p.Reach).Vec4(0.5+p.apart()*0.5/p.Reach),
		mgl64.Vec4{0, 0, 0, 1},
	)
}

// Mirrored returns the view that a level mirror at that height shows, upside down: the
// lowest row of its picture is the highest of the mirror's.
func (v *View) Mirrored(height float64) View {
	m := *v
	m.Eye[1], m.Pitch = 2*height-v.Eye[1], -v.Pitch
	return m
}

// ClipAbove is [View.ClipMatrix] of an eye that is below a height, as that of [View.Mirrored]
// is: what lies lower than the height is clipped, in place of what is too near. Depth is 1 there
// and gets less with the distance, but is not 0 at infinity.
func (v *View) ClipAbove(height float64) mgl64.Mat4 {
	right, up, forward := v.Basis()
	a, b := v.halfSize()
	// How much a ray of depth 1 rises at most: so much less than 1 remains of the depth.
	rise := max(forward[1]+math.Abs(a*right[1])+math.Abs(b*up[1]), 1e-3)
	k := 1 / rise
	return mgl64.Mat4FromRows(
		right.Mul(1/a).Vec4(0),
		up.Mul(-1/b).Vec4(0),
		forward.Sub(mgl64.Vec3{0, k, 0}).Vec4(-k*(v.Eye[1]-height)),
		forward.Vec4(0),
	)
}
