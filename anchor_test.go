package vkterrain_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// TestAnchoredFlightKeepsTheBound flies over a world that is loaded and measures
// frames: at all distances from the anchors, and with vertices on their way.
func TestAnchoredFlightKeepsTheBound(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, testworld.Rough(257, 257, 3), 65, 300, -900)
	for _, morph := range []float64{0, 1} {
		t.Run(fmt.Sprint("morph ", morph), func(t *testing.T) {
			s := newStage(t, dev, path, 64, 64, vkterrain.Options{
				Anchored: true, Morph: morph, Workers: 2, UploadBytes: -1, Levels: func(terrain.Key) terrain.Level { return 0 },
			})
			look := &pipeline.Look{}
			worst, anchored, frames := 0.0, 0, 240
			for i := range frames {
				a := float64(i) / 240
				v := view(300+2560*a, 300+100*math.Sin(9*a), 400+900*math.Sin(5*a), 300*a, -25+15*math.Sin(8*a), 1280, 720, 2)
				if i == 0 {
					s.settle(v, look)
				}
				s.frame(v, look, true) // waits, as a display does
				st := s.ter.Stats()
				if st.Anchored {
					anchored++
				}
				if i%20 > 0 {
					continue
				}
				c, err := s.ter.Check()
				if err != nil {
					t.Fatal(err)
				}
				if c.MeasuredErrorPx > 2 || c.Cracks > 0 || c.Uncovered > 0 {
					t.Fatalf("frame %d, anchored %v: %.3f px, %d cracks, %d uncovered: %s", i, st.Anchored, c.MeasuredErrorPx, c.Cracks, c.Uncovered, c.FirstCrack)
				}
				worst = max(worst, c.MeasuredErrorPx)
			}
			st := s.ter.Stats()
			t.Logf("worst %.3f px; %d of %d frames anchored, %d late, %d meshes, %v to make them", worst, anchored, frames, st.Late, st.Anchors.Built, st.Anchors.Refine)
			if worst < 0.7 || anchored < frames*8/10 || st.Anchors.Built < 2 || st.Anchors.Built > frames/4 {
				t.Errorf("worst %.3f px, %d of %d frames anchored, %d meshes", worst, anchored, frames, st.Anchors.Built)
			}
		})
	}
}

// TestAnchoredStreamingFlight is [TestStreamingFlight] with anchors: levels come and go
// under the meshes, and what a mesh shows stays until another is shown.
func TestAnchoredStreamingFlight(t *testing.T) {
	dev := vktest.Device(t)
	s := newStage(t, dev, bakeWorld(t, testworld.Rough(513, 513, 3), 65, 0, 0), 128, 96, vkterrain.Options{
		UploadBytes: 1 << 16, Anchored: true, Morph: 1, Workers: 2,
	})
	look := &pipeline.Look{Clear: &[3]uint8{255, 0, 255}, View: pipeline.LOD}
	for i := range 500 {
		a := float64(i) / 600
		v := view(2560+2400*math.Sin(a*9), 300+200*math.Cos(a*31), 2560+2400*math.Cos(a*9), a*700, -20, 128, 96, 2)
		s.frame(v, look, false)
		if i%150 == 100 {
			if c, err := s.ter.Check(); err != nil || c.Cracks > 0 {
				t.Fatalf("frame %d: %d cracks: %s %v", i, c.Cracks, c.FirstCrack, err)
			}
		}
	}
	st := s.ter.Stats()
	t.Logf("%d meshes, %d frames late, %d evictions", st.Anchors.Built, st.Late, st.Streaming.Evictions)
	if st.Streaming.Evictions == 0 || st.Anchors.Built < 5 {
		t.Errorf("nothing was exercised: %+v", st)
	}
}

// TestAnchorIsNotSeen draws one view by itself and by a mesh made for another place.
// The outline of the land is the same, to the pixel: what the mesh holds in store
// lies on the surface that the view alone would draw, on the GPU too.
func TestAnchorIsNotSeen(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, testworld.Rough(257, 257, 3), 65, 0, 0)
	look := &pipeline.Look{Clear: &[3]uint8{255, 0, 255}, View: pipeline.LOD}
	v := view(1280, 130, 1900, 10, 2, 512, 384, 4)
	o := vkterrain.Options{Morph: 1, UploadBytes: -1, Levels: func(terrain.Key) terrain.Level { return 0 }}
	alone := newStage(t, dev, path, 512, 384, o)
	alone.settle(v, look)
	want := alone.frame(v, look, true)

	o.Anchored, o.Margin = true, 300
	other := *v
	other.Eye[0] -= 200
	s := newStage(t, dev, path, 512, 384, o)
	s.settle(&other, look)
	got := s.frame(v, look, true)
	all := *look
	all.DrawAll = true
	s.frame(v, &all, false)
	alone.frame(v, &all, false)
	if st := s.ter.Stats(); !st.Anchored || st.Triangles < alone.ter.Stats().Triangles*11/10 {
		t.Fatalf("%d triangles, anchored: %v; the view alone has %d", st.Triangles, st.Anchored, alone.ter.Stats().Triangles)
	}
	wrong, sky := 0, 0
	for i := 0; i < len(want.Pix); i += 4 {
		a := want.Pix[i] == 255 && want.Pix[i+1] == 0 && want.Pix[i+2] == 255
		b := got.Pix[i] == 255 && got.Pix[i+1] == 0 && got.Pix[i+2] == 255
		if a {
			sky++
		}
		if a != b {
			wrong++
		}
	}
	if sky < 10000 || sky > 150000 || wrong > 4 {
		t.Errorf("%d pixels of the outline differ; %d pixels of sky", wrong, sky)
	}
}

// TestAnchoredSteadyFrame: frames that draw an anchor's mesh allocate nothing, nor
// do those that begin and take up a new one.
func TestAnchoredSteadyFrame(t *testing.T) {
	dev := vktest.Device(t)
	s := newStage(t, dev, bakeWorld(t, testworld.Rough(257, 257, 2), 33, 0, 0), 64, 64, vkterrain.Options{
		UploadBytes: -1, Anchored: true, Morph: 1, Workers: 2, Levels: func(terrain.Key) terrain.Level { return 0 },
	})
	look := &pipeline.Look{}
	v := view(1280, 300, 1280, 0, -30, 64, 64, 4)
	s.settle(v, look)
	fly := func() {
		v.Eye[0] += 0.5
		s.frame(v, look, false)
	}
	for range 300 {
		fly()
	}
	built := s.ter.Stats().Anchors.Built
	if allocs := testing.AllocsPerRun(200, fly); allocs != 0 {
		t.Errorf("%g allocations a frame", allocs)
	}
	if now := s.ter.Stats().Anchors.Built; now == built {
		t.Error("no mesh was made meanwhile")
	}
}

// TestAnchorsAndLeaps: after a leap, and after a change of the tolerance, the bound
// holds in the first frame.
func TestAnchorsAndLeaps(t *testing.T) {
	dev := vktest.Device(t)
	s := newStage(t, dev, bakeWorld(t, testworld.Rough(257, 257, 2), 65, 0, 0), 64, 64, vkterrain.Options{
		UploadBytes: -1, Anchored: true, Levels: func(terrain.Key) terrain.Level { return 0 },
	})
	look := &pipeline.Look{}
	for i, v := range []*lodcpu.View{
		view(200, 300, 200, 0, -30, 640, 480, 2), view(2300, 200, 2300, 90, -80, 640, 480, 2),
		view(1200, 900, 200, 50, 10, 640, 480, 1), view(200, 300, 200, 0, -30, 640, 480, 8),
	} {
		if i == 0 {
			s.settle(v, look)
		}
		for range 3 {
			s.frame(v, look, true)
			c, err := s.ter.Check()
			if err != nil || c.MeasuredErrorPx > v.Tau || c.Cracks > 0 || c.Uncovered > 0 {
				t.Errorf("view %d: %+v %v", i, c, err)
			}
		}
	}
	if s.ter.Stats().Late == 0 {
		t.Error("no leap left its anchor")
	}
}

// TestAnchorsAnywhere: the largest margin there is, the finest tolerance and the farthest
// eye have their meshes too, and so has who comes back from there.
func TestAnchorsAnywhere(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, testworld.Rough(65, 65, 2), 33, 0, 0)
	near := view(200, 300, 200, 0, -30, 64, 48, 2)
	far, fine := *near, *near
	far.Eye[0], fine.Tau = 1e18, 1e-9
	for _, margin := range []float64{0, 1, 1e308} {
		s := newStage(t, dev, path, 64, 64, vkterrain.Options{UploadBytes: -1, Anchored: true, Margin: margin})
		for i, v := range []*lodcpu.View{near, &far, near, &fine, near} {
			look := &pipeline.Look{}
			s.settle(v, look)
			s.frame(v, look, true)
			c, err := s.ter.Check()
			if st := s.ter.Stats(); err != nil || c.MeasuredErrorPx > v.Tau || c.Cracks > 0 || c.Uncovered > 0 || !st.Anchored {
				t.Errorf("margin %v, view %d: %+v %v, %+v", margin, i, c, err, st)
			}
		}
	}
}
