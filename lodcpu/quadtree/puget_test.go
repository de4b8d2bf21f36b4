package quadtree_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/quadtree"
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

// TestPugetSound measures the promise on a real map.
func TestPugetSound(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	f := pugetSound(t)
	for _, tile := range []int{129, 1025} {
		w := testworld.New(f, tile, 0, 0)
		s := whole(w)
		for _, tau := range []float64{1, 2, 4, 8} {
			for i, v := range pugetViews(f, tau) {
				law := v.Law(&w.World)
				m, c := s.draw(t, lodcpu.List, &law)
				e := meshcheck.ScreenError(f, 0, 0, m, camera(&v))
				n, first := meshcheck.Watertight(&w.World, m, s.drawn)
				t.Logf("tile %d, view %d, tau %g: %.3f px, %d triangles", tile, i, tau, e.Worst, c.Triangles)
				if e.Worst > tau || e.Worst < tau/2 || e.Uncovered > 0 || n > 0 {
					t.Errorf("tile %d, view %d, tau %g: %.3f px, %d uncovered, %d faults: %s", tile, i, tau, e.Worst, e.Uncovered, n, first)
				}
			}
		}
	}
}

// BenchmarkBesideSoar refines the same views by this package and by soar in turn,
// and compares the time a triangle.
func BenchmarkBesideSoar(b *testing.B) {
	f := pugetSound(b)
	w := testworld.New(f, 129, 0, 0)
	s := whole(w)
	for _, topology := range topologies {
		for _, tau := range []float64{1, 2, 4} {
			for i, v := range pugetViews(f, tau) {
				b.Run(fmt.Sprintf("%v/view%d/tau%g", topology, i, tau), func(b *testing.B) {
					law := v.Law(&w.World)
					c := s.compare(b, &law, quadtree.New(w.Layout(), topology), soar.New(w.Layout(), topology))
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(float64(c[0].triangles), "triangles")
					b.ReportMetric(float64(c[0].triangles)/float64(c[1].triangles), "triangles/soar's")
					b.ReportMetric(c[0].each(), "ns/triangle")
					b.ReportMetric(c[1].each(), "soar-ns/triangle")
				})
			}
		}
	}
}

// spent is what a refiner took for all tiles.
type spent struct {
	triangles int
	time      time.Duration
}

// each returns nanoseconds a triangle.
func (s spent) each() float64 { return float64(s.time.Nanoseconds()) / float64(s.triangles) }

// compare refines the world tile by tile by some refiners in turn, and returns the
// least time of each for every tile, added up: on a machine that has other work to
// do no frame goes undisturbed, but most tiles do.
func (s *scene) compare(b *testing.B, law *lodcpu.Law, refiners ...lodcpu.Refiner) []spent {
	type work struct {
		tile *terrain.Tile
		near lodcpu.Neighbourhood
	}
	var list []work
	for k := range s.levels {
		list = append(list, work{s.Tile(k, 0), s.near(k)})
	}
	sum := make([]spent, len(refiners))
	best := make([][]time.Duration, len(refiners))
	most := 0
	for i, r := range refiners {
		best[i] = make([]time.Duration, len(list))
		most = max(most, r.MaxIndices(0))
	}
	dst := make([]uint32, most)
	for b.Loop() {
		for i, r := range refiners {
			sum[i] = spent{}
			for k := range list {
				start := time.Now()
				c, _ := r.Refine(dst, list[k].tile, &list[k].near, law)
				if d := time.Since(start); best[i][k] == 0 || d < best[i][k] {
					best[i][k] = d
				}
				sum[i].triangles += c.Triangles
				sum[i].time += best[i][k]
			}
		}
	}
	return sum
}
