package lodcpu_test

import (
	"math"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/lodcpu"
)

// mountains says what a view takes at a tolerance, in a land where detail grows with
// the given power.
func mountains(tau, scale, power float64) lodcpu.Counts {
	n := int(scale*math.Pow(tau, -power)) + 8
	return lodcpu.Counts{Triangles: n, Indices: 3 * n}
}

// TestGovernorKeepsTheBudget: after a few tries every frame is within it, whatever the
// land, and not far below; and when there is less to draw the tolerance comes back.
func TestGovernorKeepsTheBudget(t *testing.T) {
	for _, power := range []float64{0.8, 1.3, 1.7, 2} {
		g := lodcpu.Governor{Budget: lodcpu.Budget{Triangles: 50_000}}
		changes, last := 0, 0.0
		for frame := range 2000 {
			scale := 4e5
			if frame >= 1000 {
				scale = 2e4
			}
			tries := 0
			c := mountains(g.Tau(1), scale, power)
			for g.Judge(c, 0) {
				if tries++; tries > 30 {
					t.Fatalf("power %g, frame %d: no end", power, frame)
				}
				c = mountains(g.Tau(1), scale, power)
			}
			if c.Triangles > 50_000 {
				t.Fatalf("power %g, frame %d: %d triangles", power, frame, c.Triangles)
			}
			if frame == 900 && c.Triangles < 35_000 {
				t.Errorf("power %g: only %d triangles of 50,000", power, c.Triangles)
			}
			if frame > 300 && frame < 1000 && g.Tau(1) != last {
				changes++
			}
			last = g.Tau(1)
		}
		if changes > 0 {
			t.Errorf("power %g: the tolerance changed %d times while nothing did", power, changes)
		}
		if g.Raised() || g.Tau(1) != 1 {
			t.Errorf("power %g: tolerance %g a thousand frames after the crowd", power, g.Tau(1))
		}
	}
}

// TestGovernorGivesUp: what cannot be reached is not tried for ever.
func TestGovernorGivesUp(t *testing.T) {
	g := lodcpu.Governor{Budget: lodcpu.Budget{Indices: 10}}
	tries := 0
	for g.Judge(lodcpu.Counts{Triangles: 100, Indices: 300}, 0) {
		tries++
	}
	if tries == 0 || tries > 20 || g.Tau(1) > 32 {
		t.Errorf("%d tries, tolerance %g", tries, g.Tau(1))
	}
	if g.Judge(lodcpu.Counts{Triangles: 100, Indices: 300}, 0) {
		t.Error("tried again in the next frame")
	}
}

// TestGovernorOfTime raises the tolerance of the next frames only.
func TestGovernorOfTime(t *testing.T) {
	g := lodcpu.Governor{Budget: lodcpu.Budget{Refine: time.Millisecond}}
	if g.Judge(lodcpu.Counts{}, 4*time.Millisecond) {
		t.Error("a frame that took too long is to take longer")
	}
	if tau := g.Tau(1); tau != 2 {
		t.Errorf("tolerance %g after four times the time, want 2", tau)
	}
	for range 31 * 8 {
		g.Judge(lodcpu.Counts{}, time.Microsecond)
	}
	if g.Raised() {
		t.Errorf("tolerance %g when there is time again", g.Tau(1))
	}
}
