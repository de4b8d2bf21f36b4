package flight

import "math"

// liftRate is how often a second the height above the ground is looked at.
const liftRate = 30

// liftWindow is how long before and after an obstacle the eye rises, seconds.
const liftWindow = 1.5

// Resolve makes the heights of all keys absolute, and lifts the camera smoothly
// wherever the path would come closer than clearance metres to the ground, which
// ground gives for a world position.
func (p *Path) Resolve(ground func(x, z float64) float64, clearance float64) {
	p.lift = nil
	for i := range p.Keys {
		if k := &p.Keys[i]; k.Above {
			k.Eye[1] += ground(k.Eye[0], k.Eye[2])
			k.Above = false
		}
	}
	n := int(math.Ceil(p.Duration()*liftRate)) + 1
	need := make([]float64, n)
	low := false
	for i := range need {
		eye := p.spline(float64(i) / liftRate).Eye
		need[i] = max(0, ground(eye[0], eye[2])+clearance-eye[1])
		low = low || need[i] > 0
	}
	if !low {
		return
	}
	// The largest need nearby, then its mean nearby: never below the need.
	const w = int(liftWindow * liftRate)
	highest, mean := make([]float64, n), make([]float64, n)
	for i := range need {
		for j := max(0, i-w); j <= min(n-1, i+w); j++ {
			highest[i] = max(highest[i], need[j])
		}
	}
	for i := range need {
		lo, hi := max(0, i-w), min(n-1, i+w)
		for j := lo; j <= hi; j++ {
			mean[i] += highest[j] / float64(hi-lo+1)
		}
	}
	p.lift = mean
}

func (p *Path) liftAt(t float64) float64 {
	if len(p.lift) == 0 {
		return 0
	}
	f := max(0, min(float64(len(p.lift)-1), t*liftRate))
	i := min(int(f), len(p.lift)-2)
	if i < 0 {
		return p.lift[0]
	}
	f -= float64(i)
	return p.lift[i]*(1-f) + p.lift[i+1]*f
}

// New returns a flight through keys, which must be those of one.
func New(name string, keys ...Key) *Path {
	p := &Path{Name: name, Keys: keys}
	if err := p.prepare(); err != nil {
		panic("flight: " + err.Error())
	}
	return p
}

// Orbit returns a flight of some seconds once around a point at a distance, at
// one height, looking at the point.
func Orbit(name string, centre [3]float64, distance, height, seconds float64) *Path {
	p := &Path{Name: name}
	const n = 16
	for i := range n + 1 {
		a := 2 * math.Pi * float64(i) / n
		k := Key{T: seconds * float64(i) / n, Yaw: -a * 180 / math.Pi}
		k.Eye = [3]float64{centre[0] + distance*math.Sin(a), height, centre[2] + distance*math.Cos(a)}
		k.Pitch = math.Atan2(centre[1]-height, distance) * 180 / math.Pi
		p.Keys = append(p.Keys, k)
		if i%2 == 0 && i < n {
			p.Stills = append(p.Stills, Still{T: k.T})
		}
	}
	if err := p.prepare(); err != nil {
		panic("flight: " + err.Error())
	}
	return p
}
