package lodcpu_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
)

// TestEyesCoverEach: the law of several eyes covers that of each, and the picture that
// holds all of theirs sees every point that one of them sees.
func TestEyesCoverEach(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 3))
	w := testworld.New(testworld.Rough(129, 129, 7), 33, 0, 0).World
	seen := 0
	for range 200 {
		v := anyView(rng)
		v.Eye = mgl64.Vec3{rng.Float64() * 1280, rng.Float64() * 900, rng.Float64() * 1280}
		eyes := v.Stereo(math.Exp(6 * (rng.Float64() - 0.5)))
		law, all := lodcpu.EyesLaw(&w, eyes[:]), lodcpu.EyesView(eyes[:])
		whole := all.Frustum()
		for i := range eyes {
			one := eyes[i].Law(&w)
			if !law.Covers(&one) {
				t.Fatalf("eye %d of %+v: A %v, B %v do not cover B %v", i, *v, law.A, law.B, one.B)
			}
			f := eyes[i].Frustum()
			for range 200 {
				p := eyes[i].Eye.Add(mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Mul(math.Exp(8 * rng.Float64())))
				if !f.Sees(p, p) {
					continue
				}
				if seen++; !whole.Sees(p, p) {
					t.Fatalf("eye %d of %+v sees %v, the view of both does not", i, *v, p)
				}
			}
		}
	}
	if seen < 1000 {
		t.Errorf("only %d points were seen", seen)
	}
	one := lodcpu.View{Eye: mgl64.Vec3{1, 2, 3}, FovY: 1, Width: 10, Height: 10, Tau: 1}
	if got := lodcpu.EyesView([]lodcpu.View{one}); got != one {
		t.Errorf("of one view: %+v", got)
	}
}
