package lodcpu

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// View is a camera and the accuracy asked of its picture.
type View struct {
	Eye           mgl64.Vec3 // metres
	Yaw           float64    // radians; 0 looks north (-Z), positive turns east
	Pitch         float64    // radians; positive looks up
	FovY          float64    // vertical field of view, radians
	Width, Height int        // picture, pixels
	Tau           float64    // largest screen error, pixels

	// Haze is the extinction of the air in 1/m, or less, where what air hides may be coarser:
	// an error at distance d counts exp(−Haze·d) times, and may be up to 2e·Tau. 0 is for a
	// picture whose every error is at most Tau. Package pipeline knows it of a look.
	Haze float64

	// Isotropic has errors of height count as if they were across the line of sight, also
	// where they are seen from above and hardly show: see [Parallel].
	Isotropic bool
}

// Limits of views: beyond them distances and bounds could not be told from infinite ones.
const (
	leastTau, mostTau = 1e-9, 1e9 // pixels
	farthest          = 1e18      // metres from the origin
)

// Check returns an error that says what is wrong with the view.
func (v *View) Check() error {
	switch {
	case v.Width <= 0 || v.Height <= 0:
		return fmt.Errorf("picture of %d×%d pixels", v.Width, v.Height)
	case !(v.FovY >= 0.1*math.Pi/180*(1-1e-9) && v.FovY <= 170*math.Pi/180*(1+1e-9)):
		return fmt.Errorf("vertical field of view of %g degrees: must be between 0.1 and 170", v.FovY*180/math.Pi)
	case !(v.Tau >= leastTau && v.Tau <= mostTau):
		return fmt.Errorf("tolerance of %g pixels: must be above 0, from %g to %g", v.Tau, leastTau, mostTau)
	case !(math.Abs(v.Pitch) <= math.Pi/2+1e-9):
		return fmt.Errorf("pitch of %g degrees: must be between -90 and 90", v.Pitch*180/math.Pi)
	}
	if !(v.Haze >= 0 && v.Haze <= 1e9) {
		return fmt.Errorf("haze of %g a metre: must be 0 or more", v.Haze)
	}
	for _, c := range [4]float64{v.Yaw, v.Eye[0], v.Eye[1], v.Eye[2]} {
		if math.IsNaN(c) || math.IsInf(c, 0) {
			return errors.New("camera position or heading is not a number")
		}
	}
	for _, c := range v.Eye {
		if math.Abs(c) > farthest {
			return fmt.Errorf("camera position %g m from the origin: must be within %g", math.Abs(c), farthest)
		}
	}
	return nil
}

// Kappa returns the pixels a radian covers in the middle of the picture.
func (v *View) Kappa() float64 { return float64(v.Height) / (2 * math.Tan(v.FovY/2)) }

// Basis returns the unit vectors of the camera in world space.
func (v *View) Basis() (right, up, forward mgl64.Vec3) {
	sy, cy := math.Sincos(v.Yaw)
	sp, cp := math.Sincos(v.Pitch)
	right = mgl64.Vec3{cy, 0, sy}
	forward = mgl64.Vec3{sy * cp, sp, -cy * cp}
	return right, right.Cross(forward), forward
}

// halfSize returns the tangents of half the horizontal and vertical field of view.
func (v *View) halfSize() (a, b float64) {
	b = math.Tan(v.FovY / 2)
	return b * float64(v.Width) / float64(v.Height), b
}

// Project returns the pixel position of a world point (x right, y down, the
// picture's corner is 0, 0) and its depth in metres; ok is false behind the eye.
func (v *View) Project(p mgl64.Vec3) (x, y, depth float64, ok bool) {
	right, up, forward := v.Basis()
	d := p.Sub(v.Eye)
	depth = d.Dot(forward)
	if depth <= 0 {
		return 0, 0, depth, false
	}
	k := v.Kappa() / depth
	return float64(v.Width)/2 + k*d.Dot(right), float64(v.Height)/2 - k*d.Dot(up), depth, true
}

// ClipMatrix returns the column-major matrix from camera-relative world space
// to Vulkan clip space: y down, reversed depth (1 at near metres, 0 at
// infinity).
func (v *View) ClipMatrix(near float64) mgl64.Mat4 {
	right, up, forward := v.Basis()
	a, b := v.halfSize()
	return mgl64.Mat4FromRows(
		right.Mul(1/a).Vec4(0),
		up.Mul(-1/b).Vec4(0),
		mgl64.Vec4{0, 0, 0, near},
		forward.Vec4(0),
	)
}

// Stretch returns F: an upper bound, over the picture, of how much more a short
// vertical displacement covers than kappa / distance pixels a metre. It is 1 in
// the middle of a level view and grows towards the corners and with pitch,
// because perspective divides by depth and not by distance.
func (v *View) Stretch() float64 {
	s := v.sight()
	return s.stretch(v.Pitch, v.Pitch)
}

// stretch is [View.Stretch] over a part of the picture, of all views whose pitch is
// between least and most.
func (s *sight) stretch(least, most float64) float64 {
	// With picture coordinates (a, b) in tangents, the square of the factor is
	// (1 + a² + b²) · (a²·w² + (u − b·w)²), where u and w are the components of
	// the vertical along the camera's up and forward: cosine and sine of the pitch. It
	// grows with |a|; both factors are convex in b, so the product of their maxima over
	// the ends of a short interval bounds it there. So is the second's maximum over
	// the pitch, see pitches.worst.
	r := newPitches(least, most)
	worst := 0.0
	for i, a := range s.a {
		if a < 0 {
			continue
		}
		lo, hi := s.row(i)
		near := 1 + a*a + max(lo*lo, hi*hi)
		worst = max(worst, near*max(r.worst(a, lo), r.worst(a, hi)))
	}
	return math.Sqrt(worst)
}

// pitches is a range of pitch, and sine and cosine of its ends.
type pitches struct {
	least, most float64
	ends        [2][2]float64
}

func newPitches(least, most float64) (r pitches) {
	r.least, r.most = least, most
	r.ends[0][0], r.ends[0][1] = math.Sincos(least)
	r.ends[1][0], r.ends[1][1] = math.Sincos(most)
	return r
}

// worst returns the largest a²·w² + (u − b·w)² over the range. It is
//
//	(1 + a² + b²)/2 + (1 − a² − b²)/2·cos 2p − b·sin 2p
//
// and largest at an end or where the derivative vanishes.
func (r *pitches) worst(a, b float64) float64 {
	at := func(w, u float64) float64 { return a*a*w*w + (u-b*w)*(u-b*w) }
	worst := max(at(r.ends[0][0], r.ends[0][1]), at(r.ends[1][0], r.ends[1][1]))
	if r.least == r.most {
		return worst
	}
	peak := math.Atan2(-b, (1-a*a-b*b)/2) / 2
	for _, p := range [3]float64{peak - math.Pi, peak, peak + math.Pi} {
		if r.least < p && p < r.most {
			worst = max(worst, at(math.Sincos(p)))
		}
	}
	return worst
}
