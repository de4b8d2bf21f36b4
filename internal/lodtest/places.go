package lodtest

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/raster"
)

// PugetSound is a real map of 1025² samples, 160 m apart, 0.1 m a unit.
func PugetSound(t testing.TB) *terrain.Field {
	t.Helper()
	src, err := raster.Open(shared.Path(t, "data/png16/ps_height_1k.png"), raster.Options{Spacing: 160, HeightUnit: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	return &src.Field
}

// PugetViews are the cameras A, a fly-over, and B, an overview, of Puget Sound:
// 1920×1080 pixels with 60 degrees across.
func PugetViews(f *terrain.Field, tau float64) [2]lodcpu.View {
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

// Spent is what a refiner took for all tiles of a scene.
type Spent struct {
	lodcpu.Counts
	Time time.Duration
}

// Each returns nanoseconds a triangle.
func (s Spent) Each() float64 { return float64(s.Time.Nanoseconds()) / float64(s.Triangles) }

// Compare refines the tiles of s one after the other, each by some refiners in turn,
// and returns the least time of each for every tile, added up: on a machine that
// has other work to do no frame goes undisturbed, but most tiles do.
func (s *Scene) Compare(b *testing.B, law *lodcpu.Law, refiners ...lodcpu.Refiner) []Spent {
	type work struct {
		tile *terrain.Tile
		near lodcpu.Neighbourhood
		best []time.Duration
	}
	var list []work
	for k, level := range s.Levels {
		list = append(list, work{s.Tile(k, terrain.Level(level)), s.Near(k), make([]time.Duration, len(refiners))})
	}
	most := 0
	for _, r := range refiners {
		most = max(most, r.MaxIndices(0))
	}
	dst := make([]uint32, most)
	sum := make([]Spent, len(refiners))
	for b.Loop() {
		clear(sum)
		for k := range list {
			t := &list[k]
			for i, r := range refiners {
				start := time.Now()
				c, _ := r.Refine(dst, t.tile, &t.near, law)
				if d := time.Since(start); t.best[i] == 0 || d < t.best[i] {
					t.best[i] = d
				}
				sum[i].Add(c)
				sum[i].Time += t.best[i]
			}
		}
	}
	return sum
}
