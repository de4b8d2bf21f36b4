package lodcpu_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// TestLawKnowsWhereTheWorldIs displaces points of a world's box that are in the
// picture, and measures what that covers: the law must allow for it, and for not
// much more.
func TestLawKnowsWhereTheWorldIs(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	w := &terrain.World{
		Width: 1001, Height: 501, TileSize: 129, Spacing: 10, Quantum: 0.5, OriginX: -3000, OriginZ: 1000,
		Min: -200, Max: 1600, MaxError: 5, Radius: make([]float32, 14),
	}
	spared, tight, seen := 0, 0, 0
	for range 1500 {
		v := anyView(rng)
		v.Eye = mgl64.Vec3{(rng.Float64()*2-0.5)*10000 - 3000, rng.Float64() * 8000, (rng.Float64()*2-0.5)*5000 + 1000}
		v.Pitch = -rng.Float64() * math.Pi / 2
		allowed := factor(v, w)
		worst := worstInBox(rng, v, w)
		if worst > allowed*(1+1e-9) {
			t.Fatalf("%+v: %.5f measured, %.5f allowed", *v, worst, allowed)
		}
		if worst == 0 {
			continue
		}
		seen++
		if allowed < v.Stretch()*0.97 {
			spared++
		}
		if worst > allowed*0.93 {
			tight++
		}
	}
	t.Logf("%d views see something, %d of them much less than the whole picture, %d allow little more than was measured", seen, spared, tight)
	if seen < 500 || spared < seen/4 || tight < seen/3 {
		t.Errorf("%d of %d views spare something, %d are tight", spared, seen, tight)
	}
}

// factor returns what the law of a view allows a displacement to cover: F.
func factor(v *lodcpu.View, w *terrain.World) float64 {
	b := math.Tan(v.FovY / 2)
	a := b * float64(v.Width) / float64(v.Height)
	return (v.Law(w).B - math.Abs(math.Sin(v.Pitch))*math.Sqrt(1+a*a+b*b)) / v.Kappa() * v.Tau
}

// worstInBox returns how much more than kappa over distance vertical displacements
// cover, at some points of the box of w that are in the picture.
func worstInBox(rng *rand.Rand, v *lodcpu.View, w *terrain.World) (worst float64) {
	for range 2000 {
		p := mgl64.Vec3{
			w.OriginX + 10000*edge(rng), (float64(w.Min) + float64(w.Max-w.Min)*edge(rng)) * w.Quantum, w.OriginZ + 5000*edge(rng),
		}
		const up = 1e-4
		px, py, _, ok := v.Project(p)
		qx, qy, _, front := v.Project(p.Add(mgl64.Vec3{0, up, 0}))
		if ok && front && px >= 0 && py >= 0 && px <= float64(v.Width) && py <= float64(v.Height) {
			worst = max(worst, math.Hypot(px-qx, py-qy)/up/v.Kappa()*p.Sub(v.Eye).Len()*(1-1e-5))
		}
	}
	return worst
}

// edge returns 0 to 1, and often one of both.
func edge(rng *rand.Rand) float64 { return min(max(rng.Float64()*1.6-0.3, 0), 1) }

func TestLawDoesNotAllocate(t *testing.T) {
	w := worlds()[0]
	v := anyView(rand.New(rand.NewPCG(1, 1)))
	v.Eye[1] = 5000
	if n := testing.AllocsPerRun(10, func() { v.Law(&w.World) }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}
