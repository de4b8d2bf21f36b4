package vkterrain_test

import (
	"math"
	"testing"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// TestCheckFindsWhatIsPlanted draws a plain with one spike on it, and then without
// the level that holds the spike: 30 m seen level from 250 m are 30·kappa/250 pixels.
func TestCheckFindsWhatIsPlanted(t *testing.T) {
	dev := vktest.Device(t)
	f := &terrain.Field{Width: 65, Height: 65, Spacing: 10, Quantum: 0.5, Samples: make([]int32, 65*65)}
	f.Samples[31*65+33] = 60
	path := bakeWorld(t, f, 65, 0, 0)
	v := view(330, 0.25, 560, 0, 0, 640, 480, 1)
	for level, want := range []float64{0, 30 * v.Kappa() / 250} {
		s := newStage(t, dev, path, 64, 64, vkterrain.Options{Levels: func(terrain.Key) terrain.Level { return terrain.Level(level) }})
		s.settle(v, &pipeline.Look{})
		c, err := s.ter.Check()
		if err != nil || c.Cracks > 0 || c.Uncovered > 0 || c.Picture.Pinholes > 0 {
			t.Fatalf("level %d: %+v %v", level, c, err)
		}
		if math.Abs(c.MeasuredErrorPx-want) > 1e-6 {
			t.Errorf("level %d: %g px measured, %g planted", level, c.MeasuredErrorPx, want)
		}
		off := 0 // samples
		for i, n := range c.Histogram {
			if c.Histogram.Edge(i) > v.Tau {
				off += n
			}
		}
		if off != level || c.Histogram.Total() != c.CheckedSamples {
			t.Errorf("level %d: %d samples are off in %v", level, off, &c.Histogram)
		}
		if level == 1 && (c.Picture.Worst < 1 || c.Picture.Worst > want) || level == 0 && c.Picture.Worst > 1e-6 {
			t.Errorf("level %d: the picture is %g px off, the sample %g", level, c.Picture.Worst, want)
		}
	}
}
