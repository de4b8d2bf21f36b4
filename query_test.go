package vkterrain_test

import (
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/query"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// TestGroundHeight compares with the triangles that are drawn when every vertex
// that is loaded is active.
func TestGroundHeight(t *testing.T) {
	dev := vktest.Device(t)
	const ox, oz = 700.0, -900.0
	f := testworld.Rough(117, 93, 6)
	path := bakeWorld(t, f, 33, ox, oz)
	for level := range terrain.Level(3) {
		s := newStage(t, dev, path, 64, 64, vkterrain.Options{Levels: func(terrain.Key) terrain.Level { return level }})
		look := &pipeline.Look{DrawAll: true}
		v := view(ox+500, 400, oz+500, 0, -90, 64, 64, 1e-6)
		if _, ok := s.ter.GroundHeight(ox+500, oz+500); ok {
			t.Error("ground before anything is loaded")
		}
		s.settle(v, look)
		mesh := s.ter.Mesh()
		rng := rand.New(rand.NewPCG(1, uint64(level)))
		for i := range 400 {
			x, z := ox+rng.Float64()*1160, oz+rng.Float64()*920
			if i < 50 { // on the rim
				x = ox + float64(i%2)*1160
			} else if i < 100 {
				z = oz + float64(i%2)*920
			}
			got, ok := s.ter.GroundHeight(x, z)
			want, covered := meshHeight(mesh, x, z)
			if !ok || !covered || math.Abs(got-want) > 1e-3 {
				t.Fatalf("level %d at %g, %g: %g (%v), drawn at %g (%v)", level, x, z, got, ok, want, covered)
			}
		}
		if level == 0 {
			for z := range f.Height {
				for x := range f.Width {
					want := float64(f.At(x, z)) * f.Quantum
					if got, ok := s.ter.GroundHeight(ox+float64(x)*f.Spacing, oz+float64(z)*f.Spacing); !ok || math.Abs(got-want) > 1e-9 {
						t.Fatalf("sample %d, %d: %g (%v), want %g", x, z, got, ok, want)
					}
				}
			}
		}
		for _, p := range [][2]float64{{-0.1, 5}, {5, -0.1}, {1160.1, 5}, {5, 920.1}, {math.NaN(), 5}, {5, math.Inf(1)}} {
			if y, ok := s.ter.GroundHeight(ox+p[0], oz+p[1]); ok {
				t.Errorf("ground at %g outside the world, %v", y, p)
			}
		}
	}
}

// meshHeight finds the height of a mesh at (x, z).
func meshHeight(m *vkterrain.Mesh, x, z float64) (float64, bool) {
	for _, tri := range m.Triangles {
		a, b, c := m.Vertices[tri[0]], m.Vertices[tri[1]], m.Vertices[tri[2]]
		area := (b[0]-a[0])*(c[2]-a[2]) - (c[0]-a[0])*(b[2]-a[2])
		u := ((x-a[0])*(c[2]-a[2]) - (c[0]-a[0])*(z-a[2])) / area
		v := ((b[0]-a[0])*(z-a[2]) - (x-a[0])*(b[2]-a[2])) / area
		if u >= -1e-9 && v >= -1e-9 && u+v <= 1+1e-9 {
			return a[1] + u*(b[1]-a[1]) + v*(c[1]-a[1]), true
		}
	}
	return 0, false
}

func TestGroundHeightAllocatesNothing(t *testing.T) {
	dev := vktest.Device(t)
	s := newStage(t, dev, bakeWorld(t, testworld.Rough(300, 300, 6), 257, 0, 0), 64, 64, vkterrain.Options{})
	s.settle(view(1500, 500, 1500, 0, -30, 64, 64, 2), &pipeline.Look{})
	x := 0.0
	if n := testing.AllocsPerRun(100, func() {
		x += 7
		if _, ok := s.ter.GroundHeight(x, 2*x); !ok {
			t.Fatal("no ground")
		}
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

// TestPrepareFrozen looks elsewhere with the detail of one place.
func TestPrepareFrozen(t *testing.T) {
	dev := vktest.Device(t)
	s := newStage(t, dev, bakeWorld(t, hills(), 65, 0, 0), 64, 64, vkterrain.Options{})
	look := &pipeline.Look{DrawAll: true}
	near := view(1280, 420, 2900, 0, -14, 64, 64, 4)
	s.settle(near, look)
	want := s.ter.Stats().Triangles
	far := view(1280, 9000, 1280, 0, -90, 64, 64, 4)
	for _, frozen := range []bool{true, false} {
		f, err := dev.BeginFrame()
		if err != nil {
			t.Fatal(err)
		}
		if frozen {
			err = s.ter.PrepareFrozen(f, far, near, look)
		} else {
			err = s.ter.Prepare(f, far, look)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Submit(); err != nil {
			t.Fatal(err)
		}
		if got := s.ter.Stats().Triangles; (got == want) != frozen {
			t.Errorf("frozen %v: %d triangles from afar, %d from near", frozen, got, want)
		}
	}
}

// TestQueriesWhileLoading asks from other goroutines all through a flight, during
// which levels come and go: what is answered is right to the error that it states.
func TestQueriesWhileLoading(t *testing.T) {
	dev := vktest.Device(t)
	f := testworld.Rough(257, 257, 6)
	s := newStage(t, dev, bakeWorld(t, f, 33, 0, 0), 64, 64, vkterrain.Options{})
	exact := query.NewSampler(s.ter.Reader(), query.Options{})
	var stop atomic.Bool
	var askers sync.WaitGroup
	var answers, coarse atomic.Int64
	for i := range 3 {
		askers.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(i), 3))
			for !stop.Load() {
				x, z := rng.Float64()*2560, rng.Float64()*2560
				want, _, err := exact.Height(x, z)
				g := s.ter.Loaded().At(x, z)
				if err != nil || g.OK && math.Abs(g.Height-want) > g.Error+1e-6 {
					t.Errorf("%g, %g: %+v, is %g (%v)", x, z, g, want, err)
					return
				}
				if _, ok := s.ter.GroundHeight(x, z); g.OK && !ok {
					t.Errorf("%g, %g: the ground has gone", x, z)
					return
				}
				s.ter.Loaded().Cast(query.Ray{Origin: [3]float64{x, 500, z}, Direction: [3]float64{1, -0.2, 0.5}})
				if g.OK {
					answers.Add(1)
				}
				if g.Level > 0 {
					coarse.Add(1)
				}
			}
		})
	}
	for i := range 300 {
		a := float64(i) / 300
		s.frame(view(1280+1200*math.Sin(a*9), 200, 1280+1200*math.Cos(a*9), a*700, -20, 64, 64, 8), &pipeline.Look{}, false)
		if i%10 == 0 {
			time.Sleep(time.Millisecond) // the loaders are at work
		}
	}
	stop.Store(true)
	askers.Wait()
	if st := s.ter.Stats().Streaming; answers.Load() < 100 || coarse.Load() < 10 || st.Evictions == 0 {
		t.Errorf("%d answers, %d of coarser levels, %d evictions: nothing was tested", answers.Load(), coarse.Load(), st.Evictions)
	}
}
