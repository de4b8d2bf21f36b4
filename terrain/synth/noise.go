package synth

import "math"

// Everything random here is a hash of a lattice point and a seed: no state, so
// that any row can be computed by any goroutine.

// mix is a bijective finaliser with full avalanche.
func mix(h uint64) uint64 {
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	h ^= h >> 29
	h *= 0xa0761d6478bd642f
	return h ^ h>>32
}

// hash2 hashes a lattice point.
func hash2(x, y int, seed uint64) uint64 {
	return mix(uint64(int64(x))*0x9e3779b97f4a7c15 ^ uint64(int64(y))*0xe7037ed1a0b428db ^ seed)
}

// gradients are 256 directions. They come from repeated rotation by exact
// constants, because math.Sin may differ between machines in its last bit.
var gradients = func() (g [256][2]float64) {
	const c, s = 0.99969881869620422, 0.024541228522912288 // of 2π/256
	x, y := 1.0, 0.0
	for i := range g {
		g[i] = [2]float64{x, y}
		x, y = float64(x*c)-float64(y*s), float64(x*s)+float64(y*c)
	}
	return g
}()

// noise is gradient noise with zeros on the lattice, about -1 to 1.
func noise(x, y float64, seed uint64) float64 {
	fx, fy := math.Floor(x), math.Floor(y)
	ix, iy := int(fx), int(fy)
	x, y = x-fx, y-fy
	u, v := fade(x), fade(y)
	a := corner(ix, iy, x, y, seed)
	b := corner(ix+1, iy, x-1, y, seed)
	c := corner(ix, iy+1, x, y-1, seed)
	d := corner(ix+1, iy+1, x-1, y-1, seed)
	return 1.5 * lerp(lerp(a, b, u), lerp(c, d, u), v)
}

func corner(ix, iy int, x, y float64, seed uint64) float64 {
	g := &gradients[hash2(ix, iy, seed)>>56]
	return float64(g[0]*x) + float64(g[1]*y)
}

func fade(t float64) float64 {
	return float64(t*t) * float64(t*(float64(t*(float64(t*6)-15))+10))
}

func lerp(a, b, t float64) float64 { return a + float64(float64(b-a)*t) }

// fbm sums octaves of noise, each turned against the one before so that
// lattices do not line up, and falling by gain in amplitude.
func fbm(x, y float64, octaves int, gain float64, seed uint64) float64 {
	const c, s = 1.6, 1.2 // a turn by 36.87° and a scale by 2
	sum, amp := 0.0, 1.0
	for i := range octaves {
		sum += float64(amp * noise(x, y, seed+uint64(i)*0x632be59bd9b4e019))
		x, y = float64(x*c)-float64(y*s)+17.3, float64(x*s)+float64(y*c)-9.1
		amp *= gain
	}
	return sum
}

// smooth is smoothstep between the edges a and b.
func smooth(a, b, x float64) float64 {
	t := min(max((x-a)/(b-a), 0), 1)
	return float64(t*t) * (3 - float64(2*t))
}
