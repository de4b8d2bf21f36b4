package vkterrain_test

import (
	"testing"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// TestHaze: what the air hides is drawn coarser, and as it is seen it keeps the tolerance,
// refined for the frame and for anchors, with vertices that move; and the picture changes
// little by that.
func TestHaze(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, hills(), 65, 0, 0)
	look := &pipeline.Look{Blue: 1.0 / 700}
	clear := view(1280, 420, 2900, 0, -14, 192, 128, 1)
	hazy := *clear
	hazy.Haze = look.Extinction(nil, hazy.Eye[1])
	for name, o := range map[string]vkterrain.Options{"frames": {}, "anchored": {Anchored: true, Margin: 50, Morph: 0.5}} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, dev, path, 192, 128, o)
			s.settle(clear, look)
			all := s.frame(clear, look, true)
			triangles := s.ter.Stats().Triangles
			s.settle(&hazy, look)
			img := s.frame(&hazy, look, true)
			c, err := s.ter.Check()
			if err != nil {
				t.Fatal(err)
			}
			if c.MeasuredErrorPx > hazy.Tau || c.Cracks > 0 || c.Uncovered > 0 {
				t.Errorf("%.3f px of %g, %d cracks %s, %d uncovered", c.MeasuredErrorPx, hazy.Tau, c.Cracks, c.FirstCrack, c.Uncovered)
			}
			if n := s.ter.Stats().Triangles; c.BareErrorPx < 1.2*hazy.Tau || !o.Anchored && n > triangles*9/10 {
				t.Errorf("%d triangles of %d, error %.3f px without haze: nothing is hidden", n, triangles, c.BareErrorPx)
			}
			if mean, p99, _ := vktest.Compare(img, all); mean > 2 || p99 > 40 {
				t.Errorf("the picture changes by %.2f, 99th percentile %d", mean, p99)
			}
		})
	}
}

// TestExtinction: air hides the less the higher the eye is, and none does not.
func TestExtinction(t *testing.T) {
	s := newStage(t, vktest.Device(t), bakeWorld(t, hills(), 65, 0, 0), 64, 64, vkterrain.Options{})
	w := s.ter.World()
	last := 1.0
	for _, y := range []float64{0, 2000, 5000, 20000} {
		thin, thick := (&pipeline.Look{}).Extinction(w, y), (&pipeline.Look{Haze: 1e-3}).Extinction(w, y)
		if thin <= 0 || thin > 2e-5 || thick <= thin && y < 20000 || thick > last {
			t.Errorf("%g m high: %g and %g a metre", y, thin, thick)
		}
		last = thick
	}
	if (&pipeline.Look{Haze: -1}).Extinction(w, 0) != 0 || (&pipeline.Look{Blue: 3e-4}).Extinction(w, 0) != 3e-4 {
		t.Error("no air, or blue distance, is not what it is")
	}
}
