package lodcpu_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/lodtest"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
	"github.com/vkterrain/vkterrain/terrain"
)

// camerasOf are cameras A and B over any land.
func camerasOf(f *terrain.Field, tau float64) [2]lodcpu.View {
	width, depth := float64(f.Width-1)*f.Spacing, float64(f.Height-1)*f.Spacing
	_, hi, _ := f.Stats()
	ground := float64(f.At(f.Width/2, f.Height/2)) * f.Quantum
	top := float64(hi)*f.Quantum + 0.35*width
	v := lodcpu.View{Eye: mgl64.Vec3{width / 2, ground + 8*f.Spacing, depth / 2}, Pitch: -10 * math.Pi / 180,
		FovY: 2 * math.Atan(math.Tan(math.Pi/6)*1080/1920), Width: 1920, Height: 1080, Tau: tau}
	above := v
	above.Eye, above.Pitch = mgl64.Vec3{width / 2, top, depth}, -math.Atan2(top-ground, depth/2)
	return [2]lodcpu.View{v, above}
}

// counter counts the triangles of a land with all levels, whether in view or not.
type counter struct {
	*lodtest.Scene
	refiner *soar.Refiner
	dst     []uint32
}

func newCounter(f *terrain.Field) *counter {
	c := &counter{Scene: lodtest.Whole(testworld.New(f, 129, 0, 0))}
	c.refiner = soar.New(c.Layout(), lodcpu.List)
	c.dst = make([]uint32, c.refiner.MaxIndices(0))
	return c
}

// of returns how many triangles a law needs, and the mean over them of 1/distance, 1/m, by
// tile.
func (c *counter) of(law *lodcpu.Law) (triangles int, spread float64) {
	for k, info := range c.Infos {
		near := c.Near(k)
		got, _ := c.refiner.Refine(c.dst, c.Tile(k, 0), &near, law)
		triangles += got.Triangles
		spread += float64(got.Triangles) * 2 / (law.Distance(c.Layout(), info) + law.Farthest(c.Layout(), info))
	}
	return triangles, spread / float64(max(triangles, 1))
}

// TestMarginCosts measures how many more triangles an anchor's mesh has than one for a
// single view, by its margin, and by how it covers other headings: the first is never much
// more than the rule says by which margins are chosen. It prints rows of a table in
// docs/refine.md.
func TestMarginCosts(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	for name, r := range routes {
		f := r.field(t)
		c := newCounter(f)
		for _, tau := range []float64{1, 4} {
			for i, v := range camerasOf(f, tau) {
				law := v.Law(&c.World.World)
				single, spread := c.of(&law)
				more := func(l lodcpu.Law) float64 {
					n, _ := c.of(&l)
					return 100 * (float64(n)/float64(single) - 1)
				}
				row := ""
				for _, margin := range []float64{50, 100, 200, 400, 800} {
					l := law
					l.A += margin
					m := more(l)
					row += fmt.Sprintf("%.2f | ", m)
					if most := 100 * 2.3 * margin * spread * 1.05; m > most {
						t.Errorf("%s, camera %c, tau %g: margin %g m takes %.2f %% more triangles, at most %.2f expected", name, 'A'+i, tau, margin, m, most)
					}
				}
				slack := law
				slack.B *= 1.003
				t.Logf("| %s | %c | %g | %d | %s%.0f | %.2f | %.2f |", name, 'A'+i, tau, single, row, 0.022/2.3/spread,
					more(slack), more(v.AnchorLaw(&c.World.World, lodcpu.Anchor{Tilt: 4 * math.Pi / 180})))
			}
		}
	}
}

// BenchmarkAnchorAgainstSingle compares, a frame of a flight at 200 m/s and 60 frames a
// second, what it takes to refine what is in view with what an anchor takes: its part of
// making a mesh with pieces, for as many frames as its margin lasts, and culling. Times
// are the least of many in turns. It prints rows of a table in docs/refine.md.
func BenchmarkAnchorAgainstSingle(b *testing.B) {
	for name, r := range routes {
		f := r.field(b)
		c := newCounter(f)
		for i, v := range camerasOf(f, 1) {
			b.Run(fmt.Sprintf("%s/%c", name, 'A'+i), func(b *testing.B) { compareAnchor(b, c, &v) })
		}
	}
}

// compareAnchor is the benchmark for one view.
func compareAnchor(b *testing.B, c *counter, v *lodcpu.View) {
	law := v.Law(&c.World.World)
	_, spread := c.of(&law)
	margin := 0.022 / 2.3 / spread
	anchor, single := law, law
	anchor.A, anchor.B, single.Cull = margin, law.B*1.003, v.Cull(v.Eye)
	var all, seen []lodcpu.Job
	runs := make([]lodcpu.Runs, len(c.Infos))
	frustum := v.Frustum()
	for k, info := range c.Infos {
		runs[len(all)] = lodcpu.Runs{Layout: c.Layout(), Topology: lodcpu.List}
		j := lodcpu.Job{Tile: c.Tile(k, 0), Near: c.Near(k), Expect: c.refiner.MaxIndices(0), Runs: &runs[len(all)]}
		all = append(all, j)
		if lo, hi := law.Bounds(c.Layout(), info); frustum.Sees(lo, hi) {
			j.Runs = nil
			seen = append(seen, j)
		}
	}
	team := lodcpu.NewTeam(1, func() lodcpu.RefinerOf[uint16] { return lodcpu.Narrow(c.refiner, c.Layout()) })
	defer team.Close()
	dst, spans := make([]uint16, lodcpu.Room(all)), make([]lodcpu.Span, len(all))
	var ranges []lodcpu.Range
	var one, mesh, drawn lodcpu.Counts
	var least [3]time.Duration
	for b.Loop() {
		for k, work := range [3]func(){
			func() { one, _, _ = team.Refine(dst, seen, &single, spans) },
			func() { mesh, _, _ = team.Refine(dst, all, &anchor, spans) },
			func() { drawn, ranges = cullAnchor(v, all, spans, ranges[:0]) },
		} {
			start := time.Now()
			work()
			if d := time.Since(start); least[k] == 0 || d < least[k] {
				least[k] = d
			}
		}
	}
	frames := min(1.8*margin/(200.0/60), 600)
	us := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
	part := us(least[1]) / frames
	b.Logf("| %d | %.0f | %d | %.0f | %.0f | %.0f | %.1f | %.1f | 1/%.0f | 1/%.0f | %.3f |", one.Triangles, us(least[0]), mesh.Triangles, us(least[1]), margin, frames,
		part, us(least[2]), us(least[0])/part, us(least[0])/(part+us(least[2])), float64(drawn.Triangles)/float64(one.Triangles))
	b.ReportMetric(0, "ns/op")
}

// cullAnchor culls the mesh of an anchor, and returns what is drawn of it.
func cullAnchor(v *lodcpu.View, jobs []lodcpu.Job, spans []lodcpu.Span, ranges []lodcpu.Range) (drawn lodcpu.Counts, _ []lodcpu.Range) {
	sight := v.NewSight()
	for i := range jobs {
		seen, whole := sight.Tile(jobs[i].Runs, 0)
		switch {
		case whole:
			drawn.Add(spans[i].Counts)
		case seen:
			first := len(ranges)
			ranges = jobs[i].Runs.Visible(&sight, ranges)
			drawn.Add(jobs[i].Runs.Of(ranges[first:]))
		}
	}
	return drawn, ranges
}
