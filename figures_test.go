package vkterrain_test

import (
	"testing"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/hud"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// TestFigures: what is told of a frame is what it did, and what limits it; and telling takes
// nothing from the heap.
func TestFigures(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, testworld.Rough(257, 257, 3), 65, 0, 0)
	for _, c := range []struct {
		name   string
		o      vkterrain.Options
		tau    bool // is above what was asked
		wanted bool // more than fits
	}{
		{"free", vkterrain.Options{}, false, false},
		{"budget", vkterrain.Options{Budget: lodcpu.Budget{Triangles: 3000}}, true, false},
		{"cap", vkterrain.Options{StreamingBudget: streaming.Budget{GPUBytes: 200 << 10}}, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.UploadBytes = -1
			s := newStage(t, dev, path, 64, 64, c.o)
			v, look := view(1280, 300, 1280, 0, -30, 1280, 720, 1), &pipeline.Look{}
			s.settle(v, look)
			s.frame(v, look, true)
			var f hud.Figures
			s.ter.Figures(&f)
			st := s.ter.Stats()
			if f.Triangles != st.Triangles || f.Triangles == 0 || f.Tiles != st.Tiles || f.Views != 1 || f.TauAsked != 1 {
				t.Errorf("%+v", f)
			}
			if (f.TauKept > 1) != c.tau || (f.Wanted > 0) != c.wanted {
				t.Errorf("%g px are kept, %d bytes wanted", f.TauKept, f.Wanted)
			}
			tiles := 0
			for _, n := range f.Levels {
				tiles += n
			}
			if m := f.Memory[0]; tiles != st.Streaming.Shown || m.Bytes == 0 || m.Most != c.o.StreamingBudget.GPUBytes || m.Most > 0 && m.Bytes > m.Most {
				t.Errorf("%d tiles by level, %d shown; %+v", tiles, st.Streaming.Shown, m)
			}
			if allocs := testing.AllocsPerRun(20, func() { s.ter.Figures(&f) }); allocs != 0 {
				t.Errorf("%g allocations", allocs)
			}
		})
	}
}
