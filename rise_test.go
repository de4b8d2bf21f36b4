package vkterrain_test

import (
	"math"
	"testing"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// TestLevelsRise loads a world level by level, a few tiles a frame. Vertices of seams are
// at one height whichever tile they belong to, no background shows, nothing moves far
// from one frame to the next, and in the end all is where it belongs.
func TestLevelsRise(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, testworld.Rough(129, 129, 9), 33, 0, 0)
	look := &pipeline.Look{View: pipeline.LOD, DrawAll: true, Clear: &[3]uint8{255, 0, 255}}
	v := view(640.3, 700, 640.7, 20, -90, 128, 128, 0.25)
	jumps := map[bool]float64{}
	options := []vkterrain.Options{{}, {Rise: 20}, {Rise: 20, Anchored: true, Morph: 0.5}, {Rise: 20, Anchored: true}, {Rise: 20, Morph: 0.5}, {Rise: 20, Algorithm: vkterrain.Quadtree}}
	for _, o := range options[:nightly(3, len(options))] {
		o.UploadBytes, o.Loaders = 4096, 1
		s := newStage(t, dev, path, 128, 128, o)
		var before []float64
		worst, seen := 0.0, 0
		for frame := range 400 {
			img := s.frame(v, look, true)
			heights := map[[2]float64]float64{}
			mesh := s.ter.Mesh()
			for _, p := range mesh.Vertices {
				at := [2]float64{p[0], p[2]}
				if y, ok := heights[at]; ok && y != p[1] {
					t.Fatalf("%+v, frame %d: a vertex at (%g, %g) is %g and %g m high", o, frame, p[0], p[2], y, p[1])
				}
				heights[at] = p[1]
			}
			st := s.ter.Stats()
			if st.Tiles == 16 {
				now := testworld.Surface(s.ter.World(), mesh.Vertices, mesh.Triangles)
				for i := range before {
					worst = max(worst, math.Abs(now[i]-before[i]))
				}
				before = now
			}
			if st.Tiles == 16 && magenta(img) > 0 {
				t.Errorf("%+v, frame %d: background shows at %d pixels", o, frame, magenta(img))
			}
			if st.Rising {
				seen++
			}
			if frame > 100 && s.ter.Settled() && !st.Rising {
				break
			}
		}
		if (seen > 20) != (o.Rise > 0) || s.ter.Stats().Rising {
			t.Errorf("%+v: %d frames of rising levels", o, seen)
		}
		if c, err := s.ter.Check(); err != nil || c.MeasuredErrorPx > 0.25 || c.Cracks > 0 {
			t.Errorf("%+v: in the end %.3f px, %d cracks: %v", o, c.MeasuredErrorPx, c.Cracks, err)
		}
		jumps[o.Rise > 0] = max(jumps[o.Rise > 0], worst)
	}
	if jumps[true] > jumps[false]/4 {
		t.Error("levels jump")
	}
	t.Logf("largest move of the surface in a frame: %.2f m with, %.2f m without", jumps[true], jumps[false])
}
