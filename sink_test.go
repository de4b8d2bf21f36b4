package vkterrain_test

import (
	"errors"
	"math"
	"testing"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// sinking is a world whose levels are given up though the view shows them.
type sinking struct {
	*stage
	view   *lodcpu.View
	before []float64 // the surface of the last frame
	worst  float64   // its largest move in a frame, metres
	frames int       // in which a level sank
	drawn  int       // frames
}

// draw draws a frame and measures how far the surface moves. Vertices of seams must be at
// one height, and no background show.
func (s *sinking) draw() {
	s.t.Helper()
	look := &pipeline.Look{View: pipeline.LOD, DrawAll: true, Clear: &[3]uint8{255, 0, 255}}
	s.drawn++
	img := s.frame(s.view, look, s.drawn%4 == 0)
	mesh := s.ter.Mesh()
	heights := map[[2]float64]float64{}
	for _, p := range mesh.Vertices {
		at := [2]float64{p[0], p[2]}
		if y, ok := heights[at]; ok && y != p[1] {
			s.t.Fatalf("a vertex at (%g, %g) is %g and %g m high", p[0], p[2], y, p[1])
		}
		heights[at] = p[1]
	}
	if img != nil && magenta(img) > 0 {
		s.t.Errorf("background shows at %d pixels", magenta(img))
	}
	now := testworld.Surface(s.ter.World(), mesh.Vertices, mesh.Triangles)
	for i := range s.before {
		s.worst = max(s.worst, math.Abs(now[i]-s.before[i]))
	}
	s.before = now
	if s.ter.Stats().Streaming.Sinking > 0 {
		s.frames++
	}
}

// still draws until nothing moves and nothing is to go any more.
func (s *sinking) still() {
	s.t.Helper()
	for range 600 {
		s.draw()
		if st := s.ter.Stats(); s.ter.Settled() && !st.Rising && st.Streaming.Sinking+st.Streaming.Unloading == 0 {
			return
		}
	}
	s.t.Fatalf("something moves still: %+v", s.ter.Stats().Streaming)
}

// newSinking opens the world with all levels loaded.
func newSinking(t *testing.T, o vkterrain.Options) *sinking {
	t.Helper()
	o.Sync, o.Strategy = true, "none"
	s := &sinking{
		stage: newStage(t, vktest.Device(t), bakeWorld(t, testworld.Rough(129, 129, 9), 33, 0, 0), 128, 128, o),
		view:  view(640.3, 700, 640.7, 20, -90, 128, 128, 0.25),
	}
	s.load(func(terrain.Key) terrain.Level { return 0 })
	for range 10 { // tiles arrive together, and are as they are
		s.frame(s.view, &pipeline.Look{DrawAll: true}, false)
	}
	s.still()
	s.before, s.worst, s.frames = nil, 0, 0
	s.draw()
	return s
}

// load asks for levels of all tiles.
func (s *sinking) load(level func(k terrain.Key) terrain.Level) {
	nx, ny := s.ter.World().Tiles()
	for i := range int32(nx * ny) {
		k := terrain.Key{X: i % int32(nx), Y: i / int32(nx)}
		s.ter.Streaming().Load(k.X, k.Y, level(k), false)
	}
}

// TestLevelsSink gives up levels that the view shows: one tile after the other, then all. The
// surface sinks to what is left; both sides of seams agree; and one that is wanted again
// before it has sunk turns round, and is not read again.
func TestLevelsSink(t *testing.T) {
	jumps := map[bool]float64{}
	options := []vkterrain.Options{{}, {Rise: 12}, {Rise: 12, Anchored: true, Morph: 0.5}, {Rise: 12, Anchored: true}, {Rise: 12, Morph: 0.5}, {Rise: 12, Algorithm: vkterrain.Quadtree}}
	for _, o := range options[:nightly(3, len(options))] {
		s := newSinking(t, o)
		full := s.before
		s.load(func(k terrain.Key) terrain.Level { return terrain.Level((k.X + 2*k.Y) % 3) })
		s.still()
		s.load(func(terrain.Key) terrain.Level { return 2 })
		s.still()
		if st := s.ter.Stats(); (s.frames > 3*o.Rise) != (o.Rise > 0) || st.Streaming.Loaded != 16 {
			t.Errorf("%+v: %d frames of sinking levels, then %+v", o, s.frames, st.Streaming)
		}
		jumps[o.Rise > 0] = max(jumps[o.Rise > 0], s.worst)

		s.load(func(terrain.Key) terrain.Level { return 0 })
		s.still()
		if o.Rise == 0 {
			continue
		}
		s.worst = 0
		reads := s.ter.Stats().Streaming.Reads
		for _, frames := range []int{4, 5, 1} {
			s.load(func(terrain.Key) terrain.Level { return 1 })
			for range frames {
				s.draw()
			}
			s.load(func(terrain.Key) terrain.Level { return 0 })
			s.draw()
		}
		s.still()
		if again := s.ter.Stats().Streaming.Reads - reads; again > 0 {
			t.Errorf("%+v: %d levels read again that had not gone", o, again)
		}
		jumps[true] = max(jumps[true], s.worst)
		for i := range full {
			if s.before[i] != full[i] {
				t.Fatalf("%+v: in the end sample %d is %g m high, was %g", o, i, s.before[i], full[i])
			}
		}
		if c, err := s.ter.Check(); err != nil || c.MeasuredErrorPx > 0.25 || c.Cracks > 0 {
			t.Errorf("%+v: in the end %.3f px, %d cracks: %v", o, c.MeasuredErrorPx, c.Cracks, err)
		}
	}
	if jumps[true] > jumps[false]/4 {
		t.Error("levels jump")
	}
	t.Logf("largest move of the surface in a frame: %.2f m with, %.2f m without", jumps[true], jumps[false])
}

// TestSunkUnseen: what goes while it sinks, because nobody looks any more, is at its height
// when it has come again.
func TestSunkUnseen(t *testing.T) {
	for _, o := range []vkterrain.Options{{Rise: 12}, {Rise: 12, Anchored: true}} {
		s := newSinking(t, o)
		full := s.before
		s.load(func(terrain.Key) terrain.Level { return 2 })
		for range 4 {
			s.draw()
		}
		if s.frames == 0 {
			t.Fatal("nothing sinks")
		}
		away := *s.view
		away.Pitch = math.Pi / 2
		for _, v := range []*lodcpu.View{&away, s.view} { // frames that draw nothing show nothing either
			s.load(func(terrain.Key) terrain.Level { return 2 })
			s.loadUntil(v, 16)
			s.load(func(terrain.Key) terrain.Level { return 0 })
			s.loadUntil(v, 3*16)
			s.still()
			for i := range full {
				if s.before[i] != full[i] {
					t.Fatalf("%+v: sample %d is %g m high, was %g", o, i, s.before[i], full[i])
				}
			}
		}
	}
}

// loadUntil loads for a view, and draws nothing, until so many levels are there.
func (s *sinking) loadUntil(v *lodcpu.View, levels int) {
	s.t.Helper()
	for range 500 {
		f, err := s.dev.BeginFrame()
		if err != nil {
			s.t.Fatal(err)
		}
		if err := errors.Join(s.ter.Load(f, v), f.Submit()); err != nil {
			s.t.Fatal(err)
		}
		if s.ter.Stats().Streaming.Loaded == levels {
			return
		}
	}
	s.t.Fatalf("not %d levels: %+v", levels, s.ter.Stats().Streaming)
}
