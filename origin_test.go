package vkterrain_test

import (
	"image"
	"math"
	"testing"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// TestFarFromTheOrigin draws the same land at the origin and 8192 squares of 12 km east
// and south of it, from eyes that go round by a metre: the same triangles, and pictures
// that do not differ. Case PREC-1.
func TestFarFromTheOrigin(t *testing.T) {
	dev := vktest.Device(t)
	const far = 8192 * 12000 // a multiple of what the pattern of the ground repeats after
	draw := func(origin float64) (pictures []*image.RGBA, counts []int) {
		s := newStage(t, dev, bakeWorld(t, testworld.Rough(129, 129, 9), 33, origin, origin), 128, 96, vkterrain.Options{Morph: 0.5})
		for i := range 8 {
			sin, cos := math.Sincos(float64(i) * math.Pi / 4)
			v := view(origin+640+cos, 260, origin+1100+sin, 10, -12, 128, 96, 1)
			look := &pipeline.Look{}
			s.settle(v, look)
			pictures, counts = append(pictures, s.frame(v, look, true)), append(counts, s.ter.Stats().Triangles)
		}
		return pictures, counts
	}
	want, triangles := draw(0)
	got, same := draw(far)
	for i := range want {
		if d := differing(want[i], got[i]); d > 0.001 || triangles[i] != same[i] {
			t.Errorf("eye %d: %.2f %% of the pixels differ, %d triangles of %d", i, 100*d, same[i], triangles[i])
		}
	}
}
