package lodcpu_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/vkterrain/vkterrain/internal/flight"
	"github.com/vkterrain/vkterrain/internal/lodtest"
	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/meshcheck"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/raster"
	"github.com/vkterrain/vkterrain/terrain/synth"
)

// route is a recorded flight over a land.
type route struct {
	path  string // of the flight, from the root
	field func(t *testing.T) *terrain.Field
}

var routes = map[string]route{
	"puget": {"lodcpu/testdata/flights/puget.json", func(t *testing.T) *terrain.Field { return lodtest.PugetSound(t) }},
	"n44w072": {"lodcpu/testdata/flights/n44w072.json", func(t *testing.T) *terrain.Field {
		src, err := raster.Open(shared.Path(t, "data/hgt/N44W072.hgt"), raster.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return &src.Field
	}},
	// The land that the program makes by default; it is the same at any spacing.
	"coast": {"cmd/vkterrain/flights/coast.json", func(t *testing.T) *terrain.Field {
		cells := many(256, 256, 2048)
		f, err := synth.Generate(context.Background(), synth.Options{Width: cells + 1, Height: cells + 1, Spacing: 61440 / float64(cells), Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}},
}

// views returns so many of the flight, evenly in time.
func (r *route) views(t *testing.T, f *terrain.Field, n int) []lodcpu.View {
	t.Helper()
	file, err := os.Open(filepath.Join(shared.Root(t), filepath.FromSlash(r.path)))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p, err := flight.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	p.Resolve(func(x, z float64) float64 {
		return float64(f.At(int(x/f.Spacing), int(z/f.Spacing))) * f.Quantum
	}, 25)
	views := make([]lodcpu.View, n)
	for i := range views {
		views[i] = lodcpu.View{Width: 1280, Height: 720, Tau: 1}
		p.At(p.Duration() * float64(i) / float64(max(1, n-1))).Apply(&views[i])
	}
	return views
}

// tolerances are those of the flights, in pixels.
var tolerances = []float64{0.5, 1, 2, 4, 8}

// TestFlights measures the error of every frame of three recorded flights, by each
// refiner: with one tolerance after the other, and by make test-nightly of many more
// frames with all.
func TestFlights(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	for name, r := range routes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := r.field(t)
			s := lodtest.Whole(testworld.New(f, 129, 0, 0))
			views := r.views(t, f, many(10, 30, 200))
			check := meshcheck.NewChecker(f, 0, 0)
			for _, a := range refiners {
				refiner := a.make(s.Layout(), lodcpu.List)
				var results [5]flightError
				for i, v := range views {
					for k, tau := range tolerances {
						if v.Tau = tau; many(0, 0, 1) == 1 || i%len(tolerances) == k {
							results[k].measure(t, s, refiner, check, v, i%2 == 1)
						}
					}
				}
				for k, e := range results {
					t.Logf("%s, tau %g px: at most %.3f px in %d frames; of %d samples: %v", a.name, tolerances[k], e.worst, e.frames, e.all.Total(), &e.all)
					if e.worst < tolerances[k]/2 {
						t.Errorf("%s, tau %g px: %.3f px at most: nothing was tested", a.name, tolerances[k], e.worst)
					}
				}
			}
		})
	}
}

// flightError is what was measured of some frames.
type flightError struct {
	frames int
	worst  float64
	all    meshcheck.Histogram
}

// measure draws a frame with culling: by the law of the view, or by that of an
// anchor 200 m behind it, which is the edge of its margin.
func (e *flightError) measure(t *testing.T, s *lodtest.Scene, r lodcpu.Refiner, check *meshcheck.Checker, v lodcpu.View, anchored bool) {
	law := v.Law(&s.World.World)
	if anchored {
		const margin = 200
		anchor := v
		_, _, forward := v.Basis()
		anchor.Eye = v.Eye.Sub(forward.Mul(margin * (1 - 1e-9)))
		law = anchor.AnchorLaw(&s.World.World, lodcpu.Anchor{Margin: margin, Tilt: 0.1})
	}
	law.Cull = v.Cull(law.Eye)
	m, _ := s.Draw(t, r, lodcpu.List, &law)
	got := check.ScreenError(m, lodtest.Camera(&v))
	if got.Worst > v.Tau || got.Uncovered > 0 || math.IsNaN(got.Worst) {
		t.Errorf("tau %g, anchored %v, view %+v: %.3f px at %v, %d samples uncovered", v.Tau, anchored, v, got.Worst, got.At, got.Uncovered)
	}
	e.frames++
	e.worst = max(e.worst, got.Worst)
	e.all.Add(&got.Histogram)
}
