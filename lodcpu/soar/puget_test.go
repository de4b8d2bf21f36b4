package soar_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
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
func pugetViews(f *terrain.Field, tau float64) map[string]*lodcpu.View {
	side := float64(f.Width-1) * f.Spacing
	_, hi, _ := f.Stats()
	fov := 2 * math.Atan(math.Tan(math.Pi/6)*1080/1920)
	v := func(eye mgl64.Vec3, pitch float64) *lodcpu.View {
		return &lodcpu.View{Eye: eye, Pitch: pitch, FovY: fov, Width: 1920, Height: 1080, Tau: tau}
	}
	top := float64(hi)*f.Quantum + 0.35*side
	return map[string]*lodcpu.View{
		"fly-over": v(mgl64.Vec3{side / 2, float64(f.At(512, 512))*f.Quantum + 8*f.Spacing, side / 2}, -10*math.Pi/180),
		"overview": v(mgl64.Vec3{side / 2, top, side}, -math.Atan2(top-float64(f.At(512, 512))*f.Quantum, side/2)),
	}
}

func BenchmarkPugetSound(b *testing.B) {
	f := pugetSound(b)
	w := testworld.New(f, 129, 0, 0)
	for name, v := range pugetViews(f, 1) {
		for _, topology := range []lodcpu.Topology{lodcpu.List, lodcpu.Strip} {
			b.Run(name+"/"+topology.String(), func(b *testing.B) { benchRefine(b, w, v, topology) })
		}
	}
}
