package lodcpu

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/terrain"
)

// EyesLaw returns a law that keeps the screen error of every sample at or below Tau in the
// picture of each view: one mesh serves both eyes of a stereo picture. It is that of an
// [Anchor] in the middle of the eyes with a margin that reaches the farthest of them, so it
// covers the law of each, see [Law.Covers]. There must be at least one view; of one it is
// [View.Law].
func EyesLaw(w *terrain.World, views []View) Law {
	if len(views) == 1 {
		return views[0].Law(w)
	}
	l := views[0].Law(w)
	middle, reach := middleOf(views)
	l.Eye, l.A = middle, reach*(1+1e-8)
	for i := range views[1:] {
		one := views[1+i].Law(w)
		l.B = max(l.B, one.B)
	}
	return l
}

// EyesView returns a view whose picture holds those of all views, which must look in the
// same direction with the same field of view and picture: what it does not see, none of them
// does. It looks from farther back. Of one view it is that view.
func EyesView(views []View) View {
	v := views[0]
	if len(views) == 1 {
		return v
	}
	// A side's plane through the eye lies the sine of half the field of view farther out for
	// each metre that the eye steps back.
	middle, reach := middleOf(views)
	_, _, forward := v.Basis()
	a, b := v.halfSize()
	v.Eye = middle.Sub(forward.Mul(reach * (1 + 1e-8) / math.Sin(math.Atan(min(a, b)))))
	return v
}

// middleOf returns a point between the eyes of views, and how far the farthest of them is.
func middleOf(views []View) (middle mgl64.Vec3, reach float64) {
	lo, hi := views[0].Eye, views[0].Eye
	for i := range views {
		for axis, x := range views[i].Eye {
			lo[axis], hi[axis] = min(lo[axis], x), max(hi[axis], x)
		}
	}
	middle = lo.Add(hi.Sub(lo).Mul(0.5))
	for i := range views {
		reach = max(reach, views[i].Eye.Sub(middle).Len())
	}
	return middle, reach
}

// Stereo returns the views of two eyes that are so many metres apart, v being between
// them. They look in v's direction: what is far away is at the same place in both pictures.
func (v *View) Stereo(apart float64) [2]View {
	right, _, _ := v.Basis()
	left, other := *v, *v
	left.Eye, other.Eye = v.Eye.Sub(right.Mul(apart/2)), v.Eye.Add(right.Mul(apart/2))
	return [2]View{left, other}
}
