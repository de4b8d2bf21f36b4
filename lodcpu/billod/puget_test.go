package billod_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/billod"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
	"github.com/vkterrain/vkterrain/meshcheck"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/raster"
)

// pugetSound is a real map of 1025² samples, 160 m apart, 0.1 m a unit.
func pugetSound(t testing.TB) *terrain.Field {
	t.Helper()
	src, err := raster.Open(shared.Path(t, "data/png16/ps_height_1k.png"), raster.Options{Spacing: 160, HeightUnit: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	return &src.Field
}

// pugetViews are a fly-over and an overview, 1920×1080 with 60 degrees across.
func pugetViews(f *terrain.Field, tau float64) [2]lodcpu.View {
	side := float64(f.Width-1) * f.Spacing
	_, hi, _ := f.Stats()
	fov := 2 * math.Atan(math.Tan(math.Pi/6)*1080/1920)
	v := func(eye mgl64.Vec3, pitch float64) lodcpu.View {
		return lodcpu.View{Eye: eye, Pitch: pitch, FovY: fov, Width: 1920, Height: 1080, Tau: tau}
	}
	top, ground := float64(hi)*f.Quantum+0.35*side, float64(f.At(512, 512))*f.Quantum
	return [2]lodcpu.View{
		v(mgl64.Vec3{side / 2, ground + 8*f.Spacing, side / 2}, -10*math.Pi/180),
		v(mgl64.Vec3{side / 2, top, side}, -math.Atan2(top-ground, side/2)),
	}
}

// TestPugetSound measures the promise on a real map, and says what the published
// tests make of it, which promise nothing.
func TestPugetSound(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	f := pugetSound(t)
	l := newLand(t, f, 129, 0, 0)
	measure := func(v *lodcpu.View, rule *billod.Rule) (e meshcheck.Errors, triangles int) {
		law := rule.Law(v.Law(&l.World.World))
		m, c := l.draw(t, l.all(), l.refiner(rule, lodcpu.List), lodcpu.List, &law)
		l.whole(t, m, l.all(), v.Tau, rule.Classic())
		return meshcheck.ScreenError(f, 0, 0, m, camera(v)), c.Triangles
	}
	for i, tau := range []float64{1, 4, 2, 8} {
		for k, v := range pugetViews(f, tau) {
			e, n := measure(&v, billod.NewRule(&l.World.World, false, billod.Thresholds{}))
			t.Logf("view %d, tau %g: %.3f px, %d triangles", k, tau, e.Worst, n)
			if e.Worst > tau || e.Worst < tau/2 || e.Uncovered > 0 {
				t.Errorf("view %d, tau %g: %.3f px, %d uncovered", k, tau, e.Worst, e.Uncovered)
			}
			if i == k {
				e, n := measure(&v, billod.NewRule(&l.World.World, true, billod.Default(&l.World.World)))
				t.Logf("view %d, published tests: %.3f px, %d triangles", k, e.Worst, n)
			}
		}
	}
}

// BenchmarkBesideSoar refines the same views by both rules and by soar in turn, and
// compares the time a triangle.
func BenchmarkBesideSoar(b *testing.B) {
	f := pugetSound(b)
	l := newLand(b, f, 129, 0, 0)
	for _, topology := range topologies {
		for _, tau := range []float64{1, 2, 4} {
			for i, v := range pugetViews(f, tau) {
				b.Run(fmt.Sprintf("%v/view%d/tau%g", topology, i, tau), func(b *testing.B) {
					law := v.Law(&l.World.World)
					rule := billod.NewRule(&l.World.World, true, scaled(&l.World.World, tau))
					published := rule.Law(law)
					c := l.compare(b,
						task{billod.New(l.Layout(), topology), &law}, task{l.refiner(rule, topology), &published},
						task{soar.New(l.Layout(), topology), &law})
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(float64(c[0].triangles), "triangles")
					b.ReportMetric(c[0].each(), "ns/triangle")
					b.ReportMetric(float64(c[1].triangles), "classic-triangles")
					b.ReportMetric(c[1].each(), "classic-ns/triangle")
					b.ReportMetric(c[2].each(), "soar-ns/triangle")
				})
			}
		}
	}
}

// task is to refine all tiles.
type task struct {
	lodcpu.Refiner
	law *lodcpu.Law
}

// spent is what a refiner took for all tiles.
type spent struct {
	triangles int
	time      time.Duration
}

// each returns nanoseconds a triangle.
func (s spent) each() float64 { return float64(s.time.Nanoseconds()) / float64(s.triangles) }

// compare does tasks in turn and returns the least time of each.
func (l *land) compare(b *testing.B, tasks ...task) []spent {
	type work struct {
		tile *terrain.Tile
		near lodcpu.Neighbourhood
	}
	var list []work
	all := l.all()
	for k := range all {
		list = append(list, work{l.Tile(k, 0), all.near(k)})
	}
	best := make([]spent, len(tasks))
	dst := make([]uint32, tasks[0].MaxIndices(0))
	for b.Loop() {
		for i, t := range tasks {
			now, start := spent{}, time.Now()
			for k := range list {
				c, _ := t.Refine(dst, list[k].tile, &list[k].near, t.law)
				now.triangles += c.Triangles
			}
			if now.time = time.Since(start); best[i].time == 0 || now.time < best[i].time {
				best[i] = now
			}
		}
	}
	return best
}

// scaled are the default thresholds divided by tau.
func scaled(w *terrain.World, tau float64) billod.Thresholds {
	t := billod.Default(w)
	t.Far, t.Detail = t.Far/tau, t.Detail/tau
	return t
}
