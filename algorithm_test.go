package vkterrain_test

import (
	"testing"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// TestQuadtreePicture draws the squares of the quadtree, and measures what is drawn
// by both topologies; SOAR needs fewer triangles for the same.
func TestQuadtreePicture(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, hills(), 65, 0, 0)
	over := view(1280, 1900, 2100, 15, -75, 256, 256, 12)
	look := &pipeline.Look{View: pipeline.Wireframe}
	triangles := func(algorithm vkterrain.Algorithm, topology lodcpu.Topology) int {
		s := newStage(t, dev, path, 256, 256, vkterrain.Options{Algorithm: algorithm, Topology: topology})
		s.settle(over, look)
		img := s.frame(over, look, true)
		if algorithm == vkterrain.Quadtree && topology == lodcpu.List {
			vktest.Golden(t, img, "testdata/golden/wireframe_quadtree.png")
		}
		c, err := s.ter.Check()
		if err != nil || c.MeasuredErrorPx > over.Tau || c.MeasuredErrorPx < over.Tau/3 || c.Cracks > 0 || c.Uncovered > 0 || c.CheckedSamples < 1000 {
			t.Errorf("%v, %v: %+v %v", algorithm, topology, c, err)
		}
		st := s.ter.Stats()
		if mesh := s.ter.Mesh(); len(mesh.Triangles) != st.Triangles || st.Algorithm != algorithm {
			t.Errorf("%v, %v: %d triangles drawn by %v, %d in the mesh", algorithm, topology, st.Triangles, st.Algorithm, len(mesh.Triangles))
		}
		return st.Triangles
	}
	squares := triangles(vkterrain.Quadtree, lodcpu.List)
	if strip := triangles(vkterrain.Quadtree, lodcpu.Strip); strip != squares {
		t.Errorf("%d triangles as a strip, %d as a list", strip, squares)
	}
	if soar := triangles(vkterrain.SOAR, lodcpu.List); soar >= squares {
		t.Errorf("%d triangles by SOAR, %d by the quadtree", soar, squares)
	}
}

// TestNoHolesByQuadtree looks down on mixes of levels of a world with holes of
// its own, before a magenta background.
func TestNoHolesByQuadtree(t *testing.T) {
	dev := vktest.Device(t)
	plain := bakeWorld(t, hills(), 33, 0, 0)
	holed := bakeWorld(t, punched(), 33, 0, 0)
	open := 0
	for seed := range 4 {
		o := vkterrain.Options{Algorithm: vkterrain.Quadtree, Topology: lodcpu.Topology(seed % 2), Levels: func(k terrain.Key) terrain.Level {
			return terrain.Level((uint32(k.X)*7 + uint32(k.Y)*13 + uint32(seed)*5) % 3)
		}}
		look := &pipeline.Look{View: pipeline.LOD, Clear: &[3]uint8{255, 0, 255}}
		v := view(1280, 1100, 1280, 10*float64(seed), -90, 256, 256, 3)
		s := newStage(t, dev, plain, 256, 256, o)
		s.settle(v, look)
		if n := magenta(s.frame(v, look, true)); n > 0 {
			t.Errorf("mix %d: background shows at %d pixels", seed, n)
		}
		s = newStage(t, dev, holed, 256, 256, o)
		s.settle(v, look)
		open += magenta(s.frame(v, look, true))
		if c, err := s.ter.Check(); err != nil || c.Cracks > 0 {
			t.Errorf("mix %d: %+v %v", seed, c, err)
		}
	}
	if open == 0 {
		t.Error("no hole is open")
	}
}
