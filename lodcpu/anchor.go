package lodcpu

import (
	"math"

	"github.com/vkterrain/vkterrain/terrain"
)

// Anchor says for which views a mesh is made that is to serve more than one.
type Anchor struct {
	Margin float64 // metres that the eye may be away from where it was
	Tilt   float64 // radians that the pitch may differ; π and more is any
}

// AnchorLaw returns a law that keeps the screen error at or below v.Tau for every
// view that is within the margin and the tilt of a, and otherwise as v: in
// whatever direction it looks. A vertex that is active for such a view is active for
// the anchor: |anchor − p| is at most |eye − p| + margin.
func (v *View) AnchorLaw(w *terrain.World, a Anchor) Law {
	l := placedLaw(w)
	l.Eye, l.A, l.Haze = v.Eye, a.Margin, v.Haze
	least, most := max(v.Pitch-a.Tilt, -math.Pi/2), min(v.Pitch+a.Tilt, math.Pi/2)
	s := v.sight()
	l.B = v.errorFactor(&s, least, most, w.Holes)
	return l
}

// Covers says whether a mesh made by l holds every vertex that is active under o, of
// the same world. o's radii must be those of l.
func (l *Law) Covers(o *Law) bool {
	return l.B >= o.B && max(l.Haze, 0) <= max(o.Haze, 0) && l.A >= o.A+l.Eye.Sub(o.Eye).Len()*(1+1e-9)
}

// errorFactor returns B of the law, see [View.Law], for samples in a part of the
// picture of views whose pitch is between the two given.
func (v *View) errorFactor(s *sight, least, most float64, holes bool) float64 {
	a, b := v.halfSize()
	diagonal := math.Sqrt(1 + a*a + b*b)
	steepest := max(math.Abs(math.Sin(least)), math.Abs(math.Sin(most)))
	more := 1.0 // the tolerance, by how much it grows far away
	if v.Haze > 0 {
		more = 1 / hazeShare
	}
	factor := v.Kappa()/v.Tau*s.stretch(least, most) + more*steepest*diagonal
	if holes || v.Isotropic {
		flattest := 1.0
		if least > 0 || most < 0 {
			flattest = max(math.Cos(least), math.Cos(most))
		}
		factor = max(factor, v.Kappa()/v.Tau*diagonal*diagonal+more*(flattest*diagonal+1))
	}
	return factor
}
