package vkterrain_test

import (
	"testing"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// TestSettledStays: once a terrain is settled for a view, it stays so while the view does,
// and no other mesh is made for it.
func TestSettledStays(t *testing.T) {
	path := bakeWorld(t, testworld.Rough(129, 129, 9), 33, 0, 0)
	for _, o := range []vkterrain.Options{{}, {Morph: 0.5}, {Margin: 30}, {Algorithm: vkterrain.Quadtree}} {
		o.Sync, o.Anchored, o.Levels = true, true, func(terrain.Key) terrain.Level { return 0 }
		s := newStage(t, vktest.Device(t), path, 64, 64, o)
		v, look := view(640.3, 700, 640.7, 20, -90, 64, 64, 0.25), &pipeline.Look{DrawAll: true}
		s.settle(v, look)
		first := s.ter.Stats()
		for i := range 20 {
			s.frame(v, look, false)
			if st := s.ter.Stats(); !s.ter.Settled() || st.Anchors != first.Anchors || st.Triangles != first.Triangles || !st.Anchored {
				t.Fatalf("%v, morph %g, margin %g: frame %d after it was settled: settled %v, anchored %v, %d triangles of %+v, were %d of %+v",
					o.Algorithm, o.Morph, o.Margin, i, s.ter.Settled(), st.Anchored, st.Triangles, st.Anchors, first.Triangles, first.Anchors)
			}
		}
	}
}
