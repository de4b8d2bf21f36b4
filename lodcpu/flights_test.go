package lodcpu_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
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
	field func(t testing.TB) *terrain.Field
}

var routes = map[string]route{
	"puget": {"lodcpu/testdata/flights/puget.json", func(t testing.TB) *terrain.Field { return lodtest.PugetSound(t) }},
	"n44w072": {"lodcpu/testdata/flights/n44w072.json", func(t testing.TB) *terrain.Field {
		src, err := raster.Open(shared.Path(t, "data/hgt/N44W072.hgt"), raster.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return &src.Field
	}},
	// The land that the program makes by default; it is the same at any spacing.
	"coast": {"cmd/vkterrain/flights/coast.json", func(t testing.TB) *terrain.Field {
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

// How a frame of a flight is drawn: by its own law or at the edge of an anchor's margin,
// and with vertices on their way to their heights.
const (
	ofAnchor = 1 << iota
	morphing
	ways
)

// TestFlights measures the error of every frame of three recorded flights, by each
// refiner: with one tolerance and in one way after the other, and by make test-nightly
// many more frames with all tolerances. It prints the largest errors in pixels: of meshes
// for one view, at the edge of an anchor's margin, and both while vertices move.
func TestFlights(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	for name, r := range routes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := r.field(t)
			s := lodtest.Whole(testworld.New(f, 129, 0, 0))
			views := r.views(t, f, many(10, 20, 60))
			check := meshcheck.NewChecker(f, 0, 0)
			for _, a := range refiners {
				refiner := a.make(s.Layout(), lodcpu.List)
				var results [5]flightError
				for i, v := range views {
					for k, tau := range tolerances {
						if v.Tau = tau; many(0, 0, 1) == 1 || i%len(tolerances) == k {
							results[k].measure(t, s, refiner, check, v, flightWay(a.name, i+k))
						}
					}
				}
				for k, e := range results {
					t.Logf("| %s | %s | %g %s", name, a.name, tolerances[k], e.row())
					t.Logf("%s, tau %g px: of %d samples %v", a.name, tolerances[k], e.all.Total(), &e.all)
					if e.most() < tolerances[k]/2 {
						t.Errorf("%s, tau %g px: %.3f px at most: nothing was tested", a.name, tolerances[k], e.most())
					}
				}
			}
		})
	}
}

// flightWay returns the i-th way to draw by an algorithm: vertices of the quadtree do not
// move.
func flightWay(algorithm string, i int) int {
	if algorithm == "quadtree" {
		return i % morphing
	}
	return i % ways
}

// flightError is what was measured of some frames.
type flightError struct {
	frames [ways]int
	worst  [ways]float64 // pixels
	moving int           // vertices on their way
	all    meshcheck.Histogram
}

func (e *flightError) most() float64 { return slices.Max(e.worst[:]) }

// row is the errors as a row of a table: the largest by each way, how many frames were
// drawn, and how many vertices were on their way.
func (e *flightError) row() string {
	s, frames := "", 0
	for way, n := range e.frames {
		frames += n
		if n == 0 {
			s += "| – "
		} else {
			s += fmt.Sprintf("| %.3f ", e.worst[way])
		}
	}
	return s + fmt.Sprintf("| %d | %d |", frames, e.moving)
}

// measure draws a frame with culling: by the law of the view, or by that of an
// anchor 200 m behind it, which is the edge of its margin.
func (e *flightError) measure(t *testing.T, s *lodtest.Scene, r lodcpu.Refiner, check *meshcheck.Checker, v lodcpu.View, way int) {
	frame := v.Law(&s.World.World)
	law := frame
	if way&ofAnchor != 0 {
		const margin = 200
		anchor := v
		_, _, forward := v.Basis()
		anchor.Eye = v.Eye.Sub(forward.Mul(margin * (1 - 1e-9)))
		law = anchor.AnchorLaw(&s.World.World, lodcpu.Anchor{Margin: margin, Tilt: 0.1})
	}
	own := *s
	if way&morphing != 0 {
		m := lodcpu.NewMorph(&s.World.World, 0.5)
		frame.Radius, law.Radius = m.Radius, m.Radius
		own.At = func(tile *terrain.Tile, id uint32) float64 {
			y := m.Height(&frame, s.Layout(), tile, &lodcpu.Rise{}, id)
			if math.Abs(y-float64(tile.Info.Base+int32(tile.Verts[id].Height))*s.Quantum) > 1e-3 {
				e.moving++
			}
			return y
		}
	}
	law.Cull = v.Cull(law.Eye)
	m, _ := own.Draw(t, r, lodcpu.List, &law)
	got := check.ScreenError(m, lodtest.Camera(&v))
	if got.Worst > v.Tau || got.Uncovered > 0 || math.IsNaN(got.Worst) {
		t.Errorf("tau %g, way %d, view %+v: %.3f px at %v, %d samples uncovered", v.Tau, way, v, got.Worst, got.At, got.Uncovered)
	}
	e.frames[way]++
	e.worst[way] = max(e.worst[way], got.Worst)
	e.all.Add(&got.Histogram)
}
