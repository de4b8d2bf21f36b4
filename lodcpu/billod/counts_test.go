package billod_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/billod"
	"github.com/vkterrain/vkterrain/meshcheck"
	"github.com/vkterrain/vkterrain/terrain/synth"
)

// TestCounts draws one field at the five levels of detail of the article: about 7500,
// 3000, 1500, 300 and 150 vertices. It prints the table of the package comment, with
// what the same number of triangles is off by the bounded rule.
func TestCounts(t *testing.T) {
	f, err := synth.Crater(129)
	if err != nil {
		t.Fatal(err)
	}
	l := newLand(t, f, 129, 0, 0)
	v := &lodcpu.View{Eye: mgl64.Vec3{512, 300, 1400}, Pitch: -0.3, FovY: 0.9, Width: 1280, Height: 720}
	before := 0.0
	t.Log("     far   detail  vertices  triangles  error  bounded: triangles  error")
	for _, c := range []struct {
		far      float64
		vertices int
	}{{148000, 7500}, {38000, 3000}, {15000, 1500}, {2200, 300}, {1300, 150}} {
		v.Tau = 1
		rule := l.rule(true, billod.Thresholds{Far: c.far, Detail: c.far / 100})
		law := rule.Law(v.Law(&l.World.World))
		m, n := l.Draw(t, l.refiner(rule, lodcpu.List), lodcpu.List, &law)
		vertices, e := len(corners(l.Triangles(m))), l.Error(m, v)
		bounded, b := l.asMany(t, v, n.Triangles)
		t.Logf("%8.0f %8.0f %9d %10d %6.2f %19d %6.2f", c.far, c.far/100, vertices, n.Triangles, e.Worst, bounded, b.Worst)
		if off := math.Abs(float64(vertices-c.vertices)) / float64(c.vertices); off > 0.05 || e.Worst <= before {
			t.Errorf("%d vertices, want about %d; %.2f px, before %.2f", vertices, c.vertices, e.Worst, before)
		}
		before = e.Worst
	}
}

// asMany draws by the tolerance with which the law shows as many triangles as wanted.
func (l *land) asMany(t *testing.T, v *lodcpu.View, triangles int) (n int, e meshcheck.Errors) {
	t.Helper()
	least, most := 0.01, 1000.0
	own := *v
	for range 40 {
		own.Tau = math.Sqrt(least * most)
		law := own.Law(&l.World.World)
		m, c := l.Draw(t, billod.New(l.Layout(), lodcpu.List), lodcpu.List, &law)
		if c.Triangles > triangles {
			least = own.Tau
		} else {
			most = own.Tau
		}
		n, e = c.Triangles, l.Error(m, v)
	}
	return n, e
}
