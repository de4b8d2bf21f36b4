package vkterrain_test

import (
	"bytes"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/lodtest"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// TestAnchorIsCulledUnseen draws an anchor's mesh with and without what is outside the
// picture, from anywhere and with the head turned: the pictures are the same, to the last
// bit of every pixel.
func TestAnchorIsCulledUnseen(t *testing.T) {
	dev := vktest.Device(t)
	const width, height = 128, 96
	w := testworld.New(testworld.Punch(testworld.Rough(129, 129, 3), 9, 5), 33, 0, 0)
	path := bakeWorld(t, w.Field, 33, 0, 0)
	steep := bakeWorld(t, lodtest.Steep(testworld.Rough(129, 129, 3)), 33, 0, 0)
	rng := rand.New(rand.NewPCG(7, 20))
	for _, o := range []vkterrain.Options{
		{Topology: lodcpu.List, Morph: 1, UploadBytes: -1},
		{Topology: lodcpu.Strip, Morph: 1, UploadBytes: -1},
		{Topology: lodcpu.List, Algorithm: vkterrain.Quadtree, UploadBytes: -1},
		{Topology: lodcpu.Strip, Algorithm: vkterrain.Quadtree, Rise: 1_000_000, UploadBytes: 4096, Loaders: 1},
	} {
		t.Run(fmt.Sprint(o.Algorithm, " ", o.Topology), func(t *testing.T) {
			o.Anchored, o.Margin, o.Levels = true, 200, func(terrain.Key) terrain.Level { return 0 }
			path := path
			if o.Rise > 0 {
				path = steep
			}
			s := newStage(t, dev, path, width, height, o)
			lod := view(640, 250, 640, 0, -20, width, height, 1)
			whole := &pipeline.Look{View: pipeline.LOD, Clear: &[3]uint8{255, 0, 255}, DrawAll: true}
			culled := *whole
			culled.DrawAll = false
			for o.Rise > 0 && !s.ter.Settled() {
				s.frame(lod, whole, true) // levels rise that come after others were drawn
			}
			s.settle(lod, whole)
			drawn, all, parts, pairs := 0, 0, 0, 0
			for range 24 {
				v := lodtest.View(w, rng, 1)
				v.Width, v.Height = width, height
				own := *lod
				own.Eye[0] += 100 * (rng.Float64() - 0.5)
				own.Eye[2] += 100 * (rng.Float64() - 0.5)
				if rng.IntN(2) == 0 {
					v.Eye = own.Eye // turns the head where it is
				}
				want, unculled := s.ofAnchor(v, &own, whole, 0)
				got, st := s.ofAnchor(v, &own, &culled, unculled.Anchors.Built)
				if got == nil {
					continue // there is a new one
				}
				if !bytes.Equal(want.Pix, got.Pix) {
					t.Fatalf("view %+v: with %d of %d triangles the picture is another at %.3f %% of the pixels", *v, st.Triangles, unculled.Triangles, 100*math.Max(differing(want, got), 1e-5))
				}
				pairs++
				if st.Rising != (o.Rise > 0) {
					t.Fatalf("rising: %v", st.Rising)
				}
				drawn, all = drawn+st.Triangles, all+unculled.Triangles
				if st.Draws > st.Tiles {
					parts++
				}
				if n := len(s.ter.Mesh().Triangles); n != st.Triangles {
					t.Fatalf("%d triangles drawn, the mesh has %d", st.Triangles, n)
				}
			}
			t.Logf("%d of %d triangles drawn in %d frames", drawn, all, pairs)
			if pairs < 12 || drawn > all/2 || drawn < all/50 || parts < 8 {
				t.Errorf("%d of %d triangles drawn, %d frames had tiles in several pieces", drawn, all, parts)
			}
		})
	}
}

// ofAnchor draws v with the levels of detail of lod by the mesh of an anchor, or returns
// nil if that is not the one that was made as built-th, where built is not 0.
func (s *stage) ofAnchor(v, lod *lodcpu.View, look *pipeline.Look, built int) (*image.RGBA, vkterrain.Stats) {
	s.t.Helper()
	for range 100 {
		img := s.frozen(v, lod, look)
		st := s.ter.Stats()
		switch {
		case st.Anchored && built == 0:
			return img, st
		case built > 0 && (!st.Anchored || st.Anchors.Built != built):
			return nil, st
		case st.Anchored:
			return img, st
		}
	}
	s.t.Fatal("no anchor covers the view")
	return nil, vkterrain.Stats{}
}
