package vkterrain_test

import (
	"image/color"
	"testing"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// TestUnlit wants one colour where there is ground, and the clear colour elsewhere.
func TestUnlit(t *testing.T) {
	s := newStage(t, vktest.Device(t), bakeWorld(t, testworld.Rough(65, 65, 3), 33, 0, 0), 96, 64, vkterrain.Options{UploadBytes: -1, Sync: true})
	v := view(300, 150, 700, 0, -10, 96, 64, 1)
	clear := &[3]uint8{255, 0, 255}
	s.settle(v, &pipeline.Look{})
	ground := s.frame(v, &pipeline.Look{View: pipeline.Normals, Clear: clear}, true)
	unlit := s.frame(v, &pipeline.Look{View: pipeline.Unlit, Clear: clear}, true)
	none, seen := color.RGBA{255, 0, 255, 255}, map[color.RGBA]int{}
	for y := range 64 {
		for x := range 96 {
			c := unlit.RGBAAt(x, y)
			seen[c]++
			if (c == none) != (ground.RGBAAt(x, y) == none) {
				t.Fatalf("pixel %d, %d is %v, and %v with normals", x, y, c, ground.RGBAAt(x, y))
			}
		}
	}
	if len(seen) != 2 || seen[none] == 0 || seen[color.RGBA{128, 140, 128, 255}] == 0 {
		t.Errorf("colours %v, want two", seen)
	}
}
