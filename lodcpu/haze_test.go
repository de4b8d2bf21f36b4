package lodcpu_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vkterrain/vkterrain/internal/lodtest"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// TestHazeHides: what is seen of errors through the air is within the tolerance, of all
// refiners, with the levels that the law needs alone, and of what an anchor holds; errors
// behind the air are larger, and triangles fewer.
func TestHazeHides(t *testing.T) {
	w := testworld.New(testworld.Rough(257, 257, 6), 33, 0, 0)
	each(t, func(t *testing.T, topology lodcpu.Topology, refiner func(*terrain.Layout) lodcpu.Refiner) {
		rng := rand.New(rand.NewPCG(5, 3))
		worst, bare, with, without := 0.0, 0.0, 0, 0
		for cam := range many(12, 20, 100) {
			v := lodtest.View(w, rng, 1+3*rng.Float64())
			v.Haze = math.Exp2(-5 - 5*rng.Float64()) // two thirds are lost over 32 m to 1 km
			law := v.Law(&w.World)
			if cam%3 == 0 {
				v.Pitch = min(max(v.Pitch, -1), 1)
				law = v.AnchorLaw(&w.World, lodcpu.Anchor{Margin: 50, Tilt: 0.1})
				v.Eye[0] += 35
				v.Eye[1] += 35
			}
			s := lodtest.Needed(w, &law)
			m, c := s.Draw(t, refiner(w.Layout()), topology, &law)
			e := s.Error(m, v)
			if e.Worst > v.Tau || e.Uncovered > 0 {
				t.Fatalf("%+v: %.3f px at %v, %d uncovered", *v, e.Worst, e.At, e.Uncovered)
			}
			if n, first := s.Faults(m); n > 0 {
				t.Fatalf("%+v: %d faults: %s", *v, n, first)
			}
			worst, bare, with = max(worst, e.Worst/v.Tau), max(bare, e.Bare/v.Tau), with+c.Triangles
			law.Haze = 0
			_, c = lodtest.Needed(w, &law).Draw(t, refiner(w.Layout()), topology, &law)
			without += c.Triangles
		}
		t.Logf("worst %.3f and %.3f of the tolerance, %.3f of the triangles", worst, bare, float64(with)/float64(without))
		if worst < 0.25 || bare < 1.5 || bare > 2*math.E || with > without*3/4 {
			t.Error("nothing was tested, or tolerances grow too much")
		}
	})
}

// TestReach compares the reach of coefficients with what it bounds from above.
func TestReach(t *testing.T) {
	l := lodcpu.Law{B: 800, Haze: 1e-4}
	for c := 1e-3; c < 1e6; c *= 1.3 {
		x := l.Reach(c)
		if need := l.B * c; x*math.Exp(l.Haze*x) < need*(1-1e-9) {
			t.Errorf("c = %g m: reaches %g m, where less is hidden", c, x)
		}
		if got := l.Hidden(x); math.Abs(got-c) > 1e-9*c {
			t.Errorf("%g m hide %g m, want %g", x, got, c)
		}
	}
	if l.Haze = 0; l.Reach(3) != 2400 || !math.IsInf(l.Reach(math.Inf(1)), 1) {
		t.Error("haze though there is none")
	}
}
