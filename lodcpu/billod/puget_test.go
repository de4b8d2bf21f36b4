package billod_test

import (
	"fmt"
	"testing"

	"github.com/vkterrain/vkterrain/internal/lodtest"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/billod"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
	"github.com/vkterrain/vkterrain/meshcheck"
	"github.com/vkterrain/vkterrain/terrain"
)

// TestPugetSound measures the promise on a real map, and says what the published
// tests make of it, which promise nothing.
func TestPugetSound(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	f := lodtest.PugetSound(t)
	l := newLand(t, f, 129, 0, 0)
	measure := func(v *lodcpu.View, rule *billod.Rule) (e meshcheck.Errors, triangles int) {
		law := rule.Law(v.Law(&l.World.World))
		m, c := l.Draw(t, l.refiner(rule, lodcpu.List), lodcpu.List, &law)
		if n, first := l.Faults(m); n > 0 {
			t.Errorf("tau %g, classic %v: %d faults: %s", v.Tau, rule.Classic(), n, first)
		}
		return l.Error(m, v), c.Triangles
	}
	for i, tau := range []float64{1, 4, 2, 8} {
		for k, v := range lodtest.PugetViews(f, tau) {
			e, n := measure(&v, l.rule(false, billod.Thresholds{}))
			t.Logf("view %d, tau %g: %.3f px, %d triangles", k, tau, e.Worst, n)
			if e.Worst > tau || e.Worst < tau/2 || e.Uncovered > 0 {
				t.Errorf("view %d, tau %g: %.3f px, %d uncovered", k, tau, e.Worst, e.Uncovered)
			}
			if i == k {
				e, n := measure(&v, l.rule(true, billod.Default(&l.World.World)))
				t.Logf("view %d, published tests: %.3f px, %d triangles", k, e.Worst, n)
			}
		}
	}
}

// ruled is a refiner that goes by a law of its own.
type ruled struct {
	lodcpu.Refiner
	law lodcpu.Law
}

func (r *ruled) Refine(dst []uint32, t *terrain.Tile, near *lodcpu.Neighbourhood, _ *lodcpu.Law) (lodcpu.Counts, bool) {
	return r.Refiner.Refine(dst, t, near, &r.law)
}

// BenchmarkBesideSoar refines the same views by both rules and by soar in turn, and
// compares the time a triangle.
func BenchmarkBesideSoar(b *testing.B) {
	f := lodtest.PugetSound(b)
	l := newLand(b, f, 129, 0, 0)
	for _, topology := range lodtest.Topologies {
		for _, tau := range []float64{1, 2, 4} {
			for i, v := range lodtest.PugetViews(f, tau) {
				b.Run(fmt.Sprintf("%v/view%d/tau%g", topology, i, tau), func(b *testing.B) {
					law := v.Law(&l.World.World)
					th := billod.Default(&l.World.World)
					th.Far, th.Detail = th.Far/tau, th.Detail/tau
					rule := l.rule(true, th)
					c := l.Compare(b, &law, billod.New(l.Layout(), topology),
						&ruled{l.refiner(rule, topology), rule.Law(law)}, soar.New(l.Layout(), topology))
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(float64(c[0].Triangles), "triangles")
					b.ReportMetric(c[0].Each(), "ns/triangle")
					b.ReportMetric(float64(c[1].Triangles), "classic-triangles")
					b.ReportMetric(c[1].Each(), "classic-ns/triangle")
					b.ReportMetric(c[2].Each(), "soar-ns/triangle")
				})
			}
		}
	}
}
