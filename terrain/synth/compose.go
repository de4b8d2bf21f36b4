package synth

import (
	"math"
	"slices"
)

// plan is the composition of a world: where land rises, how hard it is, and
// where the sea lies. It is a function of position in units of the map's
// longer side, so that any resolution of one extent shows the same land.
type plan struct {
	seed       uint64
	unit       float64 // metres that are 1 in plan coordinates
	vast       bool    // the map is longer than one unit
	ox, oz     float64 // plan coordinates of the map's centre
	dirX, dirZ float64 // towards the inland
	sea        float64 // value of continent at the coast
	relief     float64 // 1 for a world of 60 km
}

// newPlan makes the composition for a map of the given size in metres. nx and
// nz are the resolution at which the share of the sea is settled.
func newPlan(seed uint64, sx, sz float64, nx, nz int) *plan {
	p := &plan{seed: mix(seed ^ 0x5851f42d4c957f2d)}
	long := max(sx, sz)
	// A world larger than maxUnit shows more ranges instead of larger ones.
	const maxUnit = 160e3
	p.unit, p.vast = min(long, maxUnit), long > maxUnit
	p.ox, p.oz = sx/p.unit/2, sz/p.unit/2
	p.relief = min(math.Sqrt(p.unit/60e3), 1.3)
	g := gradients[mix(p.seed+1)>>56]
	p.dirX, p.dirZ = g[0], g[1]

	share := 0.17 + float64(0.09*float64(mix(p.seed+2)>>40)/(1<<24))
	c := make([]float64, 0, nx*nz)
	for j := range nz {
		for i := range nx {
			x := sx / p.unit * float64(i) / float64(max(nx-1, 1))
			z := sz / p.unit * float64(j) / float64(max(nz-1, 1))
			c = append(c, p.continent(x, z))
		}
	}
	slices.Sort(c)
	p.sea = c[int(float64(len(c)-1)*share)]
	return p
}

// warp bends plan coordinates so that nothing keeps a straight line.
func (p *plan) warp(x, z float64) (float64, float64) {
	s := p.seed + 10
	wx := fbm(float64(x*1.9)+3.1, float64(z*1.9)+8.7, 4, 0.5, s)
	wz := fbm(float64(x*1.9)-5.3, float64(z*1.9)+1.9, 4, 0.5, s+1)
	return x + float64(0.13*wx), z + float64(0.13*wz)
}

// continent grows inland; over a short way its slope is about 1.
func (p *plan) continent(x, z float64) float64 {
	wx, wz := p.warp(x, z)
	x, z = wx-p.ox, wz-p.oz
	t := float64(x*p.dirX) + float64(z*p.dirZ)
	n := fbm(float64(x*1.7)+4.4, float64(z*1.7)-2.2, 7, 0.55, p.seed+20)
	if p.vast {
		return float64(0.2*t) + float64(0.34*n) // seas between many lands
	}
	return t + float64(0.28*n)
}

// site is what the erosion needs to know about a place.
type site struct {
	inland float64 // plan units from the coast, negative in the sea
	uplift float64 // 0 plain to about 1 axis of a range
	soft   float64 // erodibility, about 1
	talus  float64 // tangent of the steepest lasting slope
	base   float64 // metres by which the coast has drowned
}

// at describes a place in metres from the north-west corner of the map.
func (p *plan) at(mx, mz float64) site {
	x, z := mx/p.unit, mz/p.unit
	s := site{inland: p.continent(x, z) - p.sea}
	wx, wz := p.warp(x, z)
	t := s.inland

	// Two curved belts run along the coast, at a distance that wanders: where
	// the first comes near, mountains meet the sea.
	wander := fbm(float64(wx*1.3)+9, float64(wz*1.3)-4, 2, 0.5, p.seed+30)
	a := belt(t-0.30-float64(0.24*wander), 0.17)
	b := belt(t-0.70-float64(0.12*wander), 0.13)
	// Along a belt massifs follow passes.
	mass := fbm(float64(wx*2.6)-1, float64(wz*2.6)+6, 4, 0.55, p.seed+31)
	u := float64(a*(0.72+float64(0.55*mass))) + float64(b*(0.62+float64(0.5*mass)))
	// Ridged detail makes chains of the belts.
	r := 1 - math.Abs(fbm(wx*4.1, float64(wz*4.1)+3, 4, 0.5, p.seed+32))
	u *= 0.55 + float64(0.6*float64(r*r))
	hills := 0.5 + float64(0.5*fbm(float64(wx*3.3)+2, wz*3.3, 3, 0.5, p.seed+33))
	u = max(u, 0) + 0.008 + float64(0.10*float64(max(hills-0.3, 0)*(0.45+float64(0.55*smooth(0.0, 0.2, t)))))
	ria := smooth(-0.25, 0.4, fbm(float64(wx*2.2)-7, float64(wz*2.2)+5, 2, 0.5, p.seed+36)+float64(0.5*a))
	s.uplift = u * smooth(-0.01, 0.10-float64(0.07*ria), t)

	k := fbm(wx*6.1, wz*6.1, 4, 0.6, p.seed+34)
	s.soft = 1 + float64(0.45*min(max(k, -1), 1))
	rock := fbm(float64(wx*13)+5, wz*13, 5, 0.65, p.seed+35)
	s.talus = 0.80 + float64(0.26*min(max(rock, -1.2), 1.4)) + float64(0.22*smooth(0.2, 0.7, u))
	s.base = p.relief * (5 + float64(110*ria))
	return s
}

// belt is a smooth bump of height 1 and the given half width.
func belt(d, width float64) float64 {
	d /= width
	q := 1 - float64(d*d)
	if q <= 0 {
		return 0
	}
	return float64(q*q) * (1 + float64(0.2*d))
}

// floor is the bed of the sea at a place: a gentle shelf, its edge, the slope.
func (p *plan) floor(s site, mx, mz float64) float64 {
	d := max(-s.inland, 0)
	x, z := mx/p.unit, mz/p.unit
	n := fbm(x*9, z*9, 4, 0.5, p.seed+40)
	h := float64(260*d) + float64(120*smooth(0.14, 0.30, d+float64(0.03*n))) + float64(7*float64(n*smooth(0, 0.05, d)))
	return -s.base - float64(p.relief*h)
}
