package props

import (
	"math"
	"math/rand/v2"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
)

// Materials are what the first texture coordinate of a vertex says. The second one says
// how open it lies to the light, from 0 (inside) to 1; for Painted it is a colour.
const (
	Stone   = 0
	Bark    = 1
	Needles = 2
	Painted = 3
)

// Paint gives all vertices of a mesh a colour, sRGB, in place of texture coordinates.
func Paint(s *progmesh.Source, colour [3]uint8) {
	s.UVs = make([][2]float32, len(s.Positions))
	n := int(colour[0])<<16 | int(colour[1])<<8 | int(colour[2])
	for i := range s.UVs {
		s.UVs[i] = [2]float32{Painted, float32(n)}
	}
}

// Rock returns a closed mesh of a boulder about 2 m across that stands on height 0, its
// lower part below. detail is 0 to 6: 10·4^detail + 2 vertices. The same seed is the
// same rock.
func Rock(seed uint64, detail int) *progmesh.Source {
	rng := rand.New(rand.NewPCG(seed, 1))
	planes := make([]mgl64.Vec3, 18) // directions, as long as their distance
	for i := range planes {
		planes[i] = direction(rng).Mul(0.72 + 0.35*rng.Float64())
	}
	waves := make([]mgl64.Vec3, 6)
	for i := range waves {
		waves[i] = direction(rng).Mul(3 * math.Pow(1.6, float64(i)))
	}
	stretch := mgl64.Vec3{0.85 + 0.4*rng.Float64(), 0.55 + 0.3*rng.Float64(), 0.85 + 0.4*rng.Float64()}
	s := sphere(min(max(detail, 0), 6))
	for i, p := range s.Positions {
		d := mgl64.Vec3{float64(p[0]), float64(p[1]), float64(p[2])}.Normalize()
		r := 1.15
		for _, n := range planes {
			if along := d.Dot(n); along > 0 {
				r = min(r, n.Dot(n)/along)
			}
		}
		for k, w := range waves {
			r += 0.03 * math.Sin(d.Dot(w)+float64(k)) / float64(k+1)
		}
		s.Positions[i] = [3]float32{float32(r * d[0] * stretch[0]), float32(r*d[1]*stretch[1] + 0.35), float32(r * d[2] * stretch[2])}
	}
	s.UVs = make([][2]float32, len(s.Positions))
	for i := range s.UVs {
		s.UVs[i] = [2]float32{Stone, 1}
	}
	return s
}

func direction(rng *rand.Rand) mgl64.Vec3 {
	for {
		d := mgl64.Vec3{rng.Float64()*2 - 1, rng.Float64()*2 - 1, rng.Float64()*2 - 1}
		if l := d.Len(); l > 0.1 && l < 1 {
			return d.Mul(1 / l)
		}
	}
}

// sphere returns an icosahedron whose triangles are divided in four so many times.
func sphere(detail int) *progmesh.Source {
	const g = 1.618033988749895
	s := &progmesh.Source{
		Positions: [][3]float32{{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0}, {0, -1, g}, {0, 1, g}, {0, -1, -g}, {0, 1, -g}, {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}},
		Triangles: [][3]uint32{
			{0, 11, 5}, {0, 5, 1}, {0, 1, 7}, {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
			{3, 9, 4}, {3, 4, 2}, {3, 2, 6}, {3, 6, 8}, {3, 8, 9}, {4, 9, 5}, {2, 4, 11}, {6, 2, 10}, {8, 6, 7}, {9, 8, 1},
		},
	}
	for range detail {
		middles := map[[2]uint32]uint32{}
		middle := func(a, b uint32) uint32 {
			key := [2]uint32{min(a, b), max(a, b)}
			at, ok := middles[key]
			if !ok {
				at = uint32(len(s.Positions))
				middles[key] = at
				p, q := s.Positions[a], s.Positions[b]
				m := mgl64.Vec3{float64(p[0]) + float64(q[0]), float64(p[1]) + float64(q[1]), float64(p[2]) + float64(q[2])}.Normalize().Mul(1.902)
				s.Positions = append(s.Positions, [3]float32{float32(m[0]), float32(m[1]), float32(m[2])})
			}
			return at
		}
		var finer [][3]uint32
		for _, t := range s.Triangles {
			a, b, c := middle(t[0], t[1]), middle(t[1], t[2]), middle(t[2], t[0])
			finer = append(finer, [3]uint32{t[0], a, c}, [3]uint32{t[1], b, a}, [3]uint32{t[2], c, b}, [3]uint32{a, b, c})
		}
		s.Triangles = finer
	}
	return s
}

// Conifer returns a mesh of a spruce about 8 m high that stands on height 0: a trunk and
// tiers of needles, each a closed mesh. The same seed is the same tree.
func Conifer(seed uint64) *progmesh.Source {
	rng := rand.New(rand.NewPCG(seed, 2))
	s := &progmesh.Source{}
	height := 7 + 2*rng.Float64()
	lean := [2]float64{rng.Float64()*0.3 - 0.15, rng.Float64()*0.3 - 0.15}
	lathe(s, Bark, 9, lean, []ring{{-0.4, 0.28, 0, 0, 1}, {0, 0.2, 0, 0, 1}, {height * 0.3, 0.14, 0, 0, 0.4}, {height * 0.9, 0.03, 0, 0, 0.4}})
	tiers := 6 + rng.IntN(3)
	for i := range tiers {
		at := float64(i) / float64(tiers)
		wide := (1 - at*0.86) * (1.5 + 0.25*rng.Float64())
		low := height * (0.14 + 0.8*at)
		high := low + height*(0.24-0.08*at)
		turn, drop := rng.Float64()*7, wide*(0.22+0.1*rng.Float64())
		lathe(s, Needles, 18, lean, []ring{{low + 0.12, 0.1, 0, turn, 0}, {low, wide, drop, turn, 1}, {(2*low + high) / 3, wide * 0.5, drop / 3, turn, 0.6}, {high, 0.03, 0, turn, 0.3}})
	}
	return s
}

// ring is a ring of a lathed mesh: every other corner hangs lower by drop and lies
// farther out.
type ring struct{ y, radius, drop, turn, open float64 }

// lathe appends a closed mesh of rings from below to above. Normals of needles look out
// and up, those on their underside too: what is left of a tier is lit alike then.
func lathe(s *progmesh.Source, material float32, sides int, lean [2]float64, rings []ring) {
	rise := 0.0
	if material == Needles {
		rise = 0.7
	}
	add := func(x, y, z, open float64, normal mgl64.Vec3) uint32 {
		n := normal.Normalize()
		s.Normals = append(s.Normals, [3]float32{float32(n[0]), float32(n[1]), float32(n[2])})
		k := y * y * 0.02
		s.Positions = append(s.Positions, [3]float32{float32(x + lean[0]*k), float32(y), float32(z + lean[1]*k)})
		s.UVs = append(s.UVs, [2]float32{material, float32(open)})
		return uint32(len(s.Positions) - 1)
	}
	var last []uint32
	for i, r := range rings {
		now := make([]uint32, sides)
		for k := range now {
			sin, cos := math.Sincos(2*math.Pi*float64(k)/float64(sides) + r.turn)
			y, radius := r.y, r.radius
			if r.drop > 0 && k%2 == 1 {
				y, radius = y-r.drop, radius*1.12
			}
			now[k] = add(radius*cos, y, -radius*sin, r.open, mgl64.Vec3{cos, rise, -sin})
		}
		if i == 0 {
			foot := add(0, r.y+1e-3, 0, 0, mgl64.Vec3{0, -1, 0})
			for k := range now {
				s.Triangles = append(s.Triangles, [3]uint32{foot, now[(k+1)%sides], now[k]})
			}
		}
		for k := range last {
			l := (k + 1) % sides
			s.Triangles = append(s.Triangles, [3]uint32{last[k], last[l], now[k]}, [3]uint32{last[l], now[l], now[k]})
		}
		last = now
	}
	top := add(0, rings[len(rings)-1].y+0.05, 0, 1, mgl64.Vec3{0, 1, 0})
	for k := range last {
		s.Triangles = append(s.Triangles, [3]uint32{last[k], last[(k+1)%sides], top})
	}
}
