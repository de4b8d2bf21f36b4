package lodcpu

import "math"

// Air hides errors: what of an error e at distance d is seen through air of extinction Haze
// is e·exp(−Haze·d), so what must be at most tau there may be larger by the inverse. Where it
// is, distances that coefficients reach are those that solve
//
//	x·exp(Haze·x) = B·c
//
// in place of B·c. The solution is a concave function of c: it is nowhere above its tangents,
// of which a law takes two, that at 0, which is B·c, and that where x is 1/Haze:
//
//	reach = min(B·c, (0.5·B·c)/e + 0.5/Haze)
//
// This grows with c, so laws are nested as they are without, and it is never less than what
// is needed: the bound holds for errors as they are seen. The tolerance grows by a factor of
// 2e at most, which is how much the part of B that belongs to no tolerance is larger by.
const (
	hazeShare = 0.5 / math.E
	hazeFar   = 0.5 * (1 + 1e-12)
)

// Hazed returns what [Law.Reach] is made of: min(B·c, share·B·c + far). Without haze that is
// B·c.
func (l *Law) Hazed() (share, far float64) {
	if l.Haze <= 0 {
		return 1, 0
	}
	return hazeShare, hazeFar / l.Haze
}

// Reach returns how far coefficient c, metres, reaches beyond A and the radius, metres.
func (l *Law) Reach(c float64) float64 {
	share, far := l.Hazed()
	t := float64(l.B * c)
	return min(t, float64(t*share)+far)
}

// Hidden returns the largest coefficient in metres that reaches no farther than d metres, but
// for rounding.
func (l *Law) Hidden(d float64) float64 {
	share, far := l.Hazed()
	return max(d, (d-far)/share) / l.B
}
