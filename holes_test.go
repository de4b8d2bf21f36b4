package vkterrain_test

import (
	"image"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// punched is the land that most tests draw, with holes.
func punched() *terrain.Field { return testworld.Punch(hills(), 9, 3) }

// TestHoles draws a world with holes before a magenta background, in both
// topologies: the pictures are the ones kept, and nothing but the holes is open.
func TestHoles(t *testing.T) {
	dev := vktest.Device(t)
	f := punched()
	path := bakeWorld(t, f, 65, 0, 0)
	for _, topology := range []lodcpu.Topology{lodcpu.Strip, lodcpu.List} {
		s := newStage(t, dev, path, 256, 256, vkterrain.Options{Topology: topology})
		for _, c := range []struct {
			name string
			view *lodcpu.View
			mode pipeline.ViewMode
		}{
			{"holes", view(1280, 1100, 2900, 0, -35, 256, 256, 1), pipeline.Shaded},
			{"holes_above", view(1280, 3200, 1280, 0, -90, 256, 256, 1), pipeline.Shaded},
			{"holes_wireframe", view(1280, 1100, 2900, 0, -35, 256, 256, 4), pipeline.Wireframe},
		} {
			if c.mode == pipeline.Wireframe && topology == lodcpu.Strip {
				continue // the levels that tint it are those of other corners
			}
			look := &pipeline.Look{View: c.mode, Clear: &[3]uint8{255, 0, 255}}
			s.settle(c.view, look)
			img := s.frame(c.view, look, true)
			vktest.Golden(t, img, "testdata/golden/"+c.name+".png")
			if k, err := s.ter.Check(); err != nil || k.MeasuredErrorPx > c.view.Tau || k.Cracks > 0 || k.Uncovered > 0 || k.CheckedSamples < 1000 {
				t.Errorf("%s, %v: %+v %v", c.name, topology, k, err)
			}
			if c.view.Pitch < -1.5 {
				checkOpen(t, f, c.view, img)
			}
		}
	}
}

// checkOpen looks down on f: the background shows in the middle of holes, and
// nowhere in the middle of land.
func checkOpen(t *testing.T, f *terrain.Field, v *lodcpu.View, img *image.RGBA) {
	t.Helper()
	open, land := 0, 0
	for z := 3; z < f.Height-3; z++ {
		for x := 3; x < f.Width-3; x++ {
			holes := 0
			for dz := -3; dz <= 3; dz++ {
				for dx := -3; dx <= 3; dx++ {
					if f.Void[(z+dz)*f.Width+x+dx] {
						holes++
					}
				}
			}
			px, py, _, ok := v.Project(mgl64.Vec3{float64(x) * f.Spacing, float64(f.At(x, z)) * f.Quantum, float64(z) * f.Spacing})
			if !ok || px < 0 || py < 0 || px >= 256 || py >= 256 || holes > 0 && holes < 49 {
				continue
			}
			p := img.RGBAAt(int(px), int(py))
			magenta := p.R == 255 && p.G == 0 && p.B == 255
			if magenta != (holes > 0) {
				t.Fatalf("sample %d, %d: background shows: %v, %d of 49 samples around it are holes", x, z, magenta, holes)
			}
			if holes > 0 {
				open++
			} else {
				land++
			}
		}
	}
	if open < 100 || land < 1000 {
		t.Errorf("%d samples in holes, %d on land: nothing was tested", open, land)
	}
}

// TestHolesOfPartlyLoadedWorlds draws mixes of levels: the sheet is closed but for
// the holes that each level knows.
func TestHolesOfPartlyLoadedWorlds(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, punched(), 33, 0, 0)
	for seed := range 4 {
		s := newStage(t, dev, path, 64, 64, vkterrain.Options{
			Topology: lodcpu.Topology(seed % 2),
			Levels: func(k terrain.Key) terrain.Level {
				return terrain.Level((uint32(k.X)*7 + uint32(k.Y)*13 + uint32(seed)*5) % 3)
			},
		})
		v := view(1280, 3200, 1280, 0, -90, 64, 64, 0.5)
		s.settle(v, &pipeline.Look{DrawAll: true})
		if k, err := s.ter.Check(); err != nil || k.Cracks > 0 {
			t.Errorf("mix %d: %+v %v", seed, k, err)
		}
	}
}

// TestHolesAreNoGround: queries and fields know the holes of a file.
func TestHolesAreNoGround(t *testing.T) {
	dev := vktest.Device(t)
	f := punched()
	s := newStage(t, dev, bakeWorld(t, f, 65, 0, 0), 64, 64, vkterrain.Options{Levels: func(terrain.Key) terrain.Level { return 0 }})
	s.settle(view(1280, 3200, 1280, 0, -90, 64, 64, 1), &pipeline.Look{})
	read, err := vkterrain.ReadField(s.ter.Reader())
	if err != nil {
		t.Fatal(err)
	}
	for i, void := range f.Void {
		x, z := i%f.Width, i/f.Width
		y, ok := s.ter.GroundHeight(float64(x)*f.Spacing, float64(z)*f.Spacing)
		if read.Void == nil || read.Void[i] != void || !void && read.Samples[i] != f.Samples[i] {
			t.Fatalf("sample %d, %d is read as %d, a hole: %v", x, z, read.Samples[i], read.Void != nil && read.Void[i])
		}
		if want := float64(f.Samples[i]) * f.Quantum; ok && (void || math.Abs(y-want) > 1e-3) {
			t.Fatalf("ground of %g m at sample %d, %d, is %g, a hole: %v", y, x, z, want, void)
		}
	}
}
