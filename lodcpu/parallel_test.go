package lodcpu_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
)

// anyParallel returns a random parallel picture.
func anyParallel(rng *rand.Rand) *lodcpu.Parallel {
	return &lodcpu.Parallel{
		Middle: mgl64.Vec3{1e4 * rng.Float64(), 1e3 * rng.Float64(), 1e4 * rng.Float64()},
		Yaw:    7 * rng.Float64(), Pitch: -math.Pi / 2 * rng.Float64(),
		Span: math.Exp(9 * rng.Float64()), Reach: math.Exp(9 * rng.Float64()),
		Width: 16 + rng.IntN(2000), Height: 16 + rng.IntN(2000), Tau: 0.1 + 8*rng.Float64(),
	}
}

// TestParallelKeepsTheTolerance: whatever is left out of what a parallel picture shows is, in
// any direction, off by no more than its tolerance; it is in the picture of its view; and where
// the matrix says.
func TestParallelKeepsTheTolerance(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	w := &testworld.New(testworld.Rough(65, 65, 1), 33, 0, 0).World
	worst := 0.0
	for range 300 {
		p := anyParallel(rng)
		v, err := p.View()
		if err != nil {
			t.Fatal(err)
		}
		law, frustum, clip := v.Law(w), v.Frustum(), p.ClipMatrix()
		right, up, forward := v.Basis()
		for range 200 {
			// A place that is shown: x and y from −1 to 1, z from 0 to 1.
			x, y, z := 2*rng.Float64()-1, 2*rng.Float64()-1, rng.Float64()
			at := p.Middle.Add(right.Mul(x * p.Span / 2 * float64(p.Width) / float64(p.Height))).
				Add(up.Mul(-y * p.Span / 2)).Add(forward.Mul((1 - 2*z) * p.Reach))
			got := clip.Mul4x1(at.Sub(v.Eye).Vec4(1))
			if want := (mgl64.Vec4{x, y, z, 1}); got.Sub(want).Len() > 1e-6 {
				t.Fatalf("%+v: %v is at %v, want %v", p, at, got, want)
			}
			if !frustum.Sees(at, at) {
				t.Fatalf("%+v: %v is not in the picture of %+v", p, at, v)
			}
			// The largest coefficient that the law leaves out there.
			c := law.Eye.Sub(at).Len() / law.B
			pixels := c * float64(p.Height) / p.Span
			if worst = max(worst, pixels/p.Tau); pixels > p.Tau*(1+1e-9) {
				t.Fatalf("%+v: %g m at %v are %g pixels", p, c, at, pixels)
			}
		}
	}
	if worst < 0.8 {
		t.Errorf("at most %.2f of the tolerance is used", worst)
	}
	for _, p := range []lodcpu.Parallel{{}, {Span: 1, Reach: 1}, {Span: -1, Reach: 1, Width: 1, Height: 1, Tau: 1}, {Span: 1, Reach: 1, Width: 1, Height: 1}} {
		if v, err := p.View(); err == nil {
			t.Errorf("%+v gives %+v", p, v)
		}
	}
}

// TestClipAbove: what a mirror shows is where the mirrored view has it, what is under the mirror
// is clipped, and depth gets less along each ray but stays above 0.
func TestClipAbove(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	above, below := 0, 0
	for range 300 {
		v := anyView(rng)
		level := v.Eye[1] - 1 - 500*rng.Float64()
		m := v.Mirrored(level)
		back := m.Mirrored(level)
		if math.Abs(back.Eye[1]-v.Eye[1]) > 1e-6 || back.Pitch != v.Pitch || m.Eye[1] >= level {
			t.Fatalf("mirrored at %g: %+v", level, m)
		}
		plain, clip := m.ClipMatrix(0.1), m.ClipAbove(level)
		right, up, forward := m.Basis()
		b := math.Tan(m.FovY / 2)
		a := b * float64(m.Width) / float64(m.Height)
		for range 50 {
			ray := forward.Add(right.Mul(a * (2*rng.Float64() - 1))).Add(up.Mul(b * (2*rng.Float64() - 1)))
			last := math.Inf(1)
			for d := 1.0; d < 1e6; d *= 3 {
				p := ray.Mul(d)
				want, got := plain.Mul4x1(p.Vec4(1)), clip.Mul4x1(p.Vec4(1))
				if got[0] != want[0] || got[1] != want[1] || got[3] != want[3] {
					t.Fatalf("%v is at %v, not at %v", p, got, want)
				}
				if h := m.Eye[1] + p[1] - level; h > 0.01 {
					above++
					if got[2] < -1e-9*d || got[2] > got[3] {
						t.Fatalf("%g m above: depth %v", h, got[2]/got[3])
					}
				} else if h < -0.01 {
					below++
					if got[2] <= got[3] {
						t.Fatalf("%g m below: depth %v", h, got[2]/got[3])
					}
				}
				if z := got[2] / got[3]; z >= last {
					t.Fatalf("depth %v at %g m, %v nearer", z, d, last)
				} else {
					last = z
				}
			}
			// What the mirror shows: the way from the real eye is as long.
			at := m.Eye.Add(ray.Mul(700))
			x, y, _, ok := m.Project(at)
			at[1] = 2*level - at[1]
			if rx, ry, _, real := v.Project(at); !ok || !real || math.Abs(x-rx) > 1e-6*math.Abs(x)+1e-6 || math.Abs(float64(v.Height)-y-ry) > 1e-5*math.Abs(y)+1e-5 {
				t.Fatalf("%v, %v in the mirrored picture is %v, %v in the mirror", x, y, rx, ry)
			}
		}
	}
	if above < 1000 || below < 1000 {
		t.Errorf("%d places above, %d below", above, below)
	}
}
