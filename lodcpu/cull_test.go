package lodcpu_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
)

// TestCullDropsSidesForNothing walks from a ball down to smaller ones inside it:
// what is asked of the sides that are left is the verdict of all of them, a ball
// that is seen lies in one that is seen, and one that reaches into the picture is
// seen.
func TestCullDropsSidesForNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	dropped, hidden := 0, 0
	for range 20000 {
		v := anyView(rng)
		far := math.Exp2(rng.Float64() * 20)
		eye := v.Eye.Add(mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Mul(100 * float64(rng.IntN(2))))
		cull := v.Cull(eye)
		p := mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Mul(far)
		r := far * rng.Float64()
		ask, seen := cull.Sides(), true
		for r > 1e-3 {
			_, want := cull.Sees(cull.Sides(), p[0], p[1], p[2], r)
			if want && !seen {
				t.Fatal("a ball is seen, the one around it is not")
			}
			if !seen {
				hidden++
				break
			}
			cut, got := cull.Sees(ask, p[0], p[1], p[2], r)
			if got != want {
				t.Fatalf("seen: %v with sides %b, %v with all", got, ask, want)
			}
			x, y, _, ok := v.Project(eye.Add(p))
			if ok && x >= 0 && y >= 0 && x <= float64(v.Width) && y <= float64(v.Height) && !got {
				t.Fatalf("a ball around a point in the picture is not seen")
			}
			if cut != ask {
				dropped++
			}
			ask, seen = cut, got
			// A child whose ball touches this one from inside, or nearly.
			child := r * (0.3 + 0.6*rng.Float64())
			step := mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Normalize()
			p, r = p.Add(step.Mul((r-child)*(1-1e-6))), child
		}
	}
	if dropped < 1000 || hidden < 1000 {
		t.Errorf("%d sides dropped, %d balls hidden: nothing was tested", dropped, hidden)
	}
}

func TestCullOfNothing(t *testing.T) {
	var none lodcpu.Cull
	if none.Sides() != 0 {
		t.Error("the zero value asks for sides")
	}
	if cut, seen := none.Sees(none.Sides(), 1, 2, 3, 0); !seen || cut != 0 {
		t.Error("the zero value culls")
	}
}

// TestBallHoldsDescendants compares the balls of a world's vertices with their
// children's.
func TestBallHoldsDescendants(t *testing.T) {
	const cells = 32
	f := testworld.Rough(cells+1, cells+1, 3)
	w := testworld.New(f, cells+1, 0, 0)
	law := lodcpu.FullLaw(&w.World)
	at := func(x, z int) mgl64.Vec3 {
		return mgl64.Vec3{float64(x) * f.Spacing, float64(f.At(x, z)) * f.Quantum, float64(z) * f.Spacing}
	}
	for z := range cells + 1 {
		for x := range cells + 1 {
			for _, p := range testworld.Parents(x, z, cells) {
				if p[0] < 0 || p[1] < 0 || p[0] > cells || p[1] > cells || root(p[0], p[1], cells) {
					continue
				}
				d := at(x, z).Sub(at(p[0], p[1])).Len()
				if own, parent := law.Ball(order(x, z)), law.Ball(order(p[0], p[1])); d+own > parent {
					t.Fatalf("(%d,%d) in ball of %g m at %g m from parent %v, ball of %g m", x, z, own, d, p, parent)
				}
			}
		}
	}
	if law.Ball(0) < f.Spacing {
		t.Errorf("the smallest ball is %g m, less than a cell", law.Ball(0))
	}
}

// order returns the bisection order of a vertex that is no root.
func order(x, z int) int {
	s, o := (x|z)&-(x|z), 0
	for 1<<(o/2) < s {
		o += 2
	}
	if x&s != 0 && z&s != 0 {
		o++
	}
	return o
}
