package progmesh_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
)

// TestExtremeMeshes reduces and measures small meshes of any triangles, whose coordinates
// are as large, as small and as different as a float32 can be: it ends, and what it says
// is in order.
func TestExtremeMeshes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 100_000 {
		s := extreme(rng)
		o := progmesh.Options{Cost: progmesh.Cost(rng.IntN(2)), Border: progmesh.Border(rng.IntN(3)), Measure: true}
		if rng.IntN(3) == 0 {
			o.Up = [3]float64{rng.Float64() * 1e308, -1e308, 0}
		}
		m, err := progmesh.Build(s, o)
		if err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
		for n := m.Least(); n <= m.Vertices(); n++ {
			if e := m.Error(n); !(e >= 0) || math.IsInf(e, 0) {
				t.Fatalf("%+v: an error of %v with %d vertices", s, e, n)
			}
			indices := make([]uint32, m.IndexCount(n))
			m.Indices(indices, n)
			for _, i := range indices {
				if int(i) >= n {
					t.Fatalf("%+v: vertex %d of %d", s, i, n)
				}
			}
		}
	}
}

// extreme returns a mesh of up to 32 vertices.
func extreme(rng *rand.Rand) *progmesh.Source {
	s := &progmesh.Source{}
	n := 1 + rng.IntN(1<<rng.IntN(6))
	scale, kind := []float64{1, 1e-38, 1e38, 1e-45, 3e38, 1e20}[rng.IntN(6)], rng.IntN(3)
	number := func() float32 {
		switch kind {
		case 0:
			return float32(min(float64(rng.IntN(4))*scale, math.MaxFloat32))
		case 1:
			return float32((rng.Float64() - 0.5) * scale)
		}
		return float32(math.Exp(rng.Float64()*170-85)) * float32(1-2*rng.IntN(2))
	}
	for range n {
		s.Positions = append(s.Positions, [3]float32{number(), number(), number()})
	}
	for range rng.IntN(4 * n) {
		a := uint32(rng.IntN(n))
		b, c := uint32(rng.IntN(n)), uint32(rng.IntN(n))
		if rng.IntN(2) == 0 {
			b, c = (a+1)%uint32(n), (a+2)%uint32(n)
		}
		s.Triangles = append(s.Triangles, [3]uint32{a, b, c})
	}
	return s
}
