package vkterrain_test

import (
	"math"
	"testing"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// TestBudget: no frame of a flight takes more than the budget, each keeps the bound that
// it tells, and where there is little to see that is the one asked.
func TestBudget(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, testworld.Rough(513, 513, 3), 65, 0, 0)
	for _, anchored := range []bool{false, true} {
		s := newStage(t, dev, path, 64, 64, vkterrain.Options{
			Anchored: anchored, UploadBytes: -1, Budget: lodcpu.Budget{Triangles: 20_000, Indices: 45_000},
			Levels: func(terrain.Key) terrain.Level { return 0 },
		})
		look := &pipeline.Look{}
		least, most := math.Inf(1), 0.0
		for i := range 150 {
			a := float64(i) / 150
			v := view(2560, 150+300*math.Sin(5*a), 2560+1200*a, 500*a, -70*math.Sin(4*a), 640, 480, 3)
			if i == 0 {
				s.settle(v, look)
			}
			s.frame(v, look, true)
			st := s.ter.Stats()
			if st.Triangles > 20_000 || st.Indices > 45_000 {
				t.Fatalf("anchored %v, frame %d: %d triangles, %d indices", anchored, i, st.Triangles, st.Indices)
			}
			least, most = min(least, st.Tau), max(most, st.Tau)
			if i%30 != 15 {
				continue
			}
			if c, err := s.ter.Check(); err != nil || c.MeasuredErrorPx > st.Tau || c.Cracks > 0 {
				t.Fatalf("anchored %v, frame %d: bound %.2f px, measured %.2f, %d cracks: %v", anchored, i, st.Tau, c.MeasuredErrorPx, c.Cracks, err)
			}
		}
		t.Logf("anchored %v: bounds from %.2f to %.2f px, %d frames late", anchored, least, most, s.ter.Stats().Late)
		if most < 4 || most > 40 || least > 6 {
			t.Errorf("anchored %v: bounds from %.2f to %.2f px", anchored, least, most)
		}
	}
}
