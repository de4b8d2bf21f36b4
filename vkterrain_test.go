package vkterrain_test

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// TestGoldens draws each kind of picture three times and compares it with the
// picture kept for it.
func TestGoldens(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, hills(), 65, 0, 0)
	over := view(1280, 420, 2900, 0, -14, 256, 256, 1)
	for _, c := range []struct {
		name string
		topo lodcpu.Topology
		look pipeline.Look
	}{
		{"shaded", lodcpu.Strip, pipeline.Look{}},
		{"shaded", lodcpu.List, pipeline.Look{}},
		{"evening", lodcpu.Strip, pipeline.Look{Sun: pipeline.SunFrom(290*math.Pi/180, 12*math.Pi/180)}},
		{"morning", lodcpu.Strip, pipeline.Look{Sun: pipeline.SunAt(7), Sea: true}},
		{"blue", lodcpu.Strip, pipeline.Look{Blue: 1.0 / 2500, Sea: true}},
		{"thick", lodcpu.Strip, pipeline.Look{Haze: pipeline.Visibility(4000)}},
		{"low", lodcpu.Strip, pipeline.Look{Quality: pipeline.Low}},
		{"sea", lodcpu.Strip, pipeline.Look{Sea: true}},
		{"wireframe", lodcpu.List, pipeline.Look{View: pipeline.Wireframe}},
		{"lod", lodcpu.Strip, pipeline.Look{View: pipeline.LOD}},
		{"error", lodcpu.Strip, pipeline.Look{View: pipeline.Error}},
		{"normals", lodcpu.List, pipeline.Look{View: pipeline.Normals}},
		{"clear", lodcpu.List, pipeline.Look{Clear: &[3]uint8{0x33, 0x66, 0x99}, Haze: -1}},
	} {
		t.Run(c.name+"/"+c.topo.String(), func(t *testing.T) {
			s := newStage(t, dev, path, 256, 256, vkterrain.Options{Topology: c.topo})
			s.settle(over, &c.look)
			for range 3 {
				vktest.Golden(t, s.frame(over, &c.look, true), "testdata/golden/"+c.name+".png")
			}
		})
	}
}

// TestSamples draws with four samples a pixel: ridges before the sky have no steps.
func TestSamples(t *testing.T) {
	dev := vktest.Device(t)
	if dev.Limits.SampleCounts&4 == 0 {
		t.Skip("no four samples a pixel")
	}
	s := newStage(t, dev, bakeWorld(t, hills(), 65, 0, 0), 256, 256, vkterrain.Options{Samples: 4})
	v := view(1280, 420, 2900, 0, -14, 256, 256, 1)
	look := &pipeline.Look{}
	s.settle(v, look)
	vktest.Golden(t, s.frame(v, look, true), "testdata/golden/samples.png")
}

// TestSunMoves: when the sun has moved, shadows follow within some frames, to the bits of
// those made in place, and none fall where they are not wanted.
func TestSunMoves(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, hills(), 65, 0, 0)
	v := view(1280, 420, 2900, 0, -14, 128, 128, 2)
	evening := &pipeline.Look{Sun: pipeline.SunFrom(5, 0.2)}
	fresh := func(o vkterrain.Options) *image.RGBA {
		s := newStage(t, dev, path, 128, 128, o)
		s.settle(v, evening)
		return s.frame(v, evening, true)
	}
	want := fresh(vkterrain.Options{})
	if d := differing(want, fresh(vkterrain.Options{NoShadows: true})); d < 0.1 {
		t.Errorf("%.1f %% of the picture change by shadows", 100*d)
	}
	s := newStage(t, dev, path, 128, 128, vkterrain.Options{})
	morning := &pipeline.Look{Sun: pipeline.SunAt(8)}
	s.settle(v, morning)
	for range 40 {
		s.frame(v, morning, false)
	}
	for i := range 200 {
		if d := differing(want, s.frame(v, evening, true)); d == 0 {
			return
		} else if i == 199 {
			t.Errorf("%.1f %% of the picture are not those of the evening", 100*d)
		}
		time.Sleep(time.Millisecond)
	}
}

// TestCoarseGroundIsLit: what light falls on the ground does not depend on how finely it is
// drawn. A coarse surface lies below hills, which would throw their shadows on it.
func TestCoarseGroundIsLit(t *testing.T) {
	dev := vktest.Device(t)
	s := newStage(t, dev, bakeWorld(t, hills(), 65, 0, 0), 192, 192, vkterrain.Options{})
	for _, elevation := range []float64{0.2, 0.6} {
		look := &pipeline.Look{Sun: pipeline.SunFrom(5, elevation), Haze: -1}
		draw := func(tau float64) *image.RGBA {
			v := view(1280, 12000, 1280, 0, -90, 192, 192, tau)
			v.FovY = 0.2 // from afar a place is where it is, however high it is drawn
			s.settle(v, look)
			return s.frame(v, look, true)
		}
		fine, coarse := draw(0.25), draw(4)
		dark, bright := 0, 0
		for i := 0; i < len(fine.Pix); i += 4 {
			a := int(fine.Pix[i]) + int(fine.Pix[i+1])
			b := int(coarse.Pix[i]) + int(coarse.Pix[i+1])
			if b < a*3/4 {
				dark++
			}
			if a < b*3/4 {
				bright++
			}
		}
		if most := len(fine.Pix) / 4 / 10; dark > most || bright > most {
			t.Errorf("sun %.1f high: %d pixels of the coarse picture are darker and %d brighter, of at most %d", elevation, dark, bright, most)
		}
	}
}

// TestStreamingFlight flies 600 frames, by night 2000, over a world that streams in, with
// validation and synchronisation validation on, and ends with nothing alive.
func TestStreamingFlight(t *testing.T) {
	dev := vktest.Device(t)
	s := newStage(t, dev, bakeWorld(t, testworld.Rough(513, 513, 3), 65, 0, 0), 128, 96, vkterrain.Options{UploadBytes: 1 << 16})
	look := &pipeline.Look{Sea: true, Lines: true}
	most := 0
	for i := range nightly(600, 2000) {
		a := float64(i) / 600
		v := view(2560+2400*math.Sin(a*9), 300+200*math.Cos(a*31), 2560+2400*math.Cos(a*9), a*700, -20, 128, 96, 2)
		s.frame(v, look, false)
		most = max(most, s.ter.Stats().Tiles)
	}
	st := s.ter.Stats()
	if st.Streaming.Evictions == 0 || most < 10 || st.BytesUploaded == 0 {
		t.Errorf("nothing was exercised: %d tiles at most, %+v", most, st.Streaming)
	}
}

// TestMeasuredErrorIsBelowTau loads by view and measures what is drawn.
func TestMeasuredErrorIsBelowTau(t *testing.T) {
	dev := vktest.Device(t)
	s := newStage(t, dev, bakeWorld(t, testworld.Rough(400, 300, 5), 65, 700, -900), 64, 64, vkterrain.Options{UploadBytes: -1})
	for i, tau := range []float64{1, 2, 4, 8} {
		v := view(2700, 500, 2300, float64(i)*25-30, -15, 1920, 1080, tau)
		s.settle(v, &pipeline.Look{})
		c, err := s.ter.Check()
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("tau %g: %.3f px over %d samples, %d triangles", tau, c.MeasuredErrorPx, c.CheckedSamples, s.ter.Stats().Triangles)
		if c.MeasuredErrorPx > tau || c.MeasuredErrorPx < tau/5 || c.Cracks > 0 || c.Uncovered > 0 || c.CheckedSamples < 1000 {
			t.Errorf("tau %g: %+v", tau, c)
		}
	}
}

// TestNoHoles looks down on every mix of levels before a magenta background:
// no pixel of it may show between the tiles, near the origin and 10,000 km away.
func TestNoHoles(t *testing.T) {
	dev := vktest.Device(t)
	f := testworld.Rough(129, 129, 9)
	var first *image.RGBA
	for _, origin := range []float64{0, 1e7} {
		path := bakeWorld(t, f, 33, origin, -origin)
		for seed := range 6 {
			s := newStage(t, dev, path, 256, 256, vkterrain.Options{Levels: func(k terrain.Key) terrain.Level {
				return terrain.Level((uint32(k.X)*7 + uint32(k.Y)*13 + uint32(seed)*5) % 3)
			}})
			look := &pipeline.Look{View: pipeline.LOD, Clear: &[3]uint8{255, 0, 255}}
			v := view(origin+640.3, 700, -origin+640.7, 10*float64(seed), -90, 256, 256, 3)
			s.settle(v, look)
			img := s.frame(v, look, true)
			if n := magenta(img); n > 0 {
				t.Errorf("origin %g, mix %d: background shows at %d pixels", origin, seed, n)
			}
			if seed == 0 && first == nil {
				first = img
			} else if seed == 0 {
				if d := differing(first, img); d > 0.001 {
					t.Errorf("%.3f %% of the picture differ 10,000 km from the origin", d*100)
				}
			}
		}
	}
}

func magenta(img *image.RGBA) (n int) {
	for i := 0; i < len(img.Pix); i += 4 {
		if img.Pix[i] == 255 && img.Pix[i+1] == 0 && img.Pix[i+2] == 255 {
			n++
		}
	}
	return n
}

// differing returns the share of pixels that differ by more than 1 of 255.
func differing(a, b *image.RGBA) float64 {
	n := 0
	for i := 0; i < len(a.Pix); i += 4 {
		for c := range 3 {
			if d := int(a.Pix[i+c]) - int(b.Pix[i+c]); d > 1 || d < -1 {
				n++
				break
			}
		}
	}
	return float64(4*n) / float64(len(a.Pix))
}

// TestSmallAndLargeWorlds: the same land is drawn whole with samples a tenth of a
// millimetre and a hundred kilometres apart.
func TestSmallAndLargeWorlds(t *testing.T) {
	dev := vktest.Device(t)
	for _, spacing := range []float64{1e-4, 0.01, 1, 1e5} {
		f := testworld.Rough(129, 129, 9)
		f.Spacing, f.Quantum = spacing, spacing/80
		s := newStage(t, dev, bakeWorld(t, f, 33, 0, 0), 128, 128, vkterrain.Options{})
		look := &pipeline.Look{View: pipeline.LOD, Clear: &[3]uint8{255, 0, 255}}
		v := view(64*spacing, 70*spacing, 64*spacing, 0, -90, 128, 128, 1)
		s.settle(v, look)
		if n := magenta(s.frame(v, look, true)); n > 0 {
			t.Errorf("spacing %g m: background shows at %d pixels", spacing, n)
		}
	}
}

// TestClearColourIsExact checks the sky pixel of a picture without fog.
func TestClearColourIsExact(t *testing.T) {
	dev := vktest.Device(t)
	s := newStage(t, dev, bakeWorld(t, testworld.Rough(65, 65, 1), 33, 0, 0), 64, 64, vkterrain.Options{})
	look := &pipeline.Look{Clear: &[3]uint8{0x33, 0x66, 0x99}, Haze: -1}
	v := view(320, 300, 900, 0, 20, 64, 64, 2)
	s.settle(v, look)
	if got, want := s.frame(v, look, true).RGBAAt(32, 2), (color.RGBA{0x33, 0x66, 0x99, 255}); got != want {
		t.Errorf("sky pixel is %v, want %v", got, want)
	}
}

// compiled draws until nothing is compiled in the background, which takes memory, and some
// frames more.
func (s *stage) compiled(draw func()) {
	s.t.Helper()
	for i, left := 0, 40; left > 0; i++ {
		if draw(); s.ter.Stats().Compiling == 0 {
			left--
		}
		if i == 20_000 {
			s.t.Fatalf("%d pipelines are still compiled", s.ter.Stats().Compiling)
		}
	}
}

// TestSteadyFrame: once settled, a frame allocates nothing, and makes as many
// Vulkan calls for 64 tiles as for 4.
func TestSteadyFrame(t *testing.T) {
	dev := vktest.Device(t)
	calls := map[int]int{}
	for i, n := range []int{2, 8, 8} {
		o := vkterrain.Options{UploadBytes: -1, Algorithm: vkterrain.Algorithms()[i]}
		s := newStage(t, dev, bakeWorld(t, testworld.Rough(n*32+1, n*32+1, 2), 33, 0, 0), 64, 64, o)
		look := &pipeline.Look{DrawAll: true, Sea: true}
		v := view(float64(n)*160, 300, float64(n)*160, 0, -30, 64, 64, 1)
		s.settle(v, look)
		s.compiled(func() { s.frame(v, look, false) })
		step := 0.0
		allocs := testing.AllocsPerRun(50, func() {
			step++
			v.Eye[0] += 1e-4 * step // the law changes, the targets do not
			f, err := s.dev.BeginFrame()
			if err != nil {
				t.Fatal(err)
			}
			if err := s.ter.Prepare(f, v, look); err != nil {
				t.Fatal(err)
			}
			s.target.Begin(f.Cmd, [4]float32{}, 0)
			s.ter.Draw(f.Cmd)
			s.target.End(f.Cmd)
			calls[n*n] = f.Calls()
			if err := f.Submit(); err != nil {
				t.Fatal(err)
			}
		})
		if allocs != 0 {
			t.Errorf("%d tiles: %g allocations a frame", n*n, allocs)
		}
		if got := s.ter.Stats().Tiles; got != n*n {
			t.Errorf("%d tiles drawn, want %d", got, n*n)
		}
	}
	if calls[4] != calls[64] || calls[4] == 0 {
		t.Errorf("%d Vulkan calls for 4 tiles, %d for 64", calls[4], calls[64])
	}
}

// TestRingGrows makes the picture ten times finer from one frame to the next,
// while frames with the old ring are in flight.
func TestRingGrows(t *testing.T) {
	dev := vktest.Device(t)
	s := newStage(t, dev, bakeWorld(t, testworld.Rough(1025, 1025, 4), 129, 0, 0), 64, 64, vkterrain.Options{UploadBytes: -1, Levels: func(terrain.Key) terrain.Level { return 0 }})
	look := &pipeline.Look{DrawAll: true}
	v := view(5000, 600, 5000, 0, -30, 64, 64, 500)
	s.settle(v, look)
	for _, tau := range []float64{100, 30, 10, 3, 1, 0.3, 0.01} {
		v.Tau = tau
		s.frame(v, look, false)
		s.frame(v, look, false)
	}
	if got := s.ter.Stats(); got.Triangles < 1500000 || got.Triangles >= 2*1024*1024 {
		t.Errorf("%d triangles at a hundredth of a pixel; all but the flat ones are below %d", got.Triangles, 2*1024*1024)
	}
	if c, err := s.ter.Check(); err != nil || c.Cracks > 0 || c.MeasuredErrorPx > 0.01 {
		t.Errorf("%+v %v", c, err)
	}
}

// TestMemoryFollowsTheView: a view from afar holds a small part of the world.
func TestMemoryFollowsTheView(t *testing.T) {
	dev := vktest.Device(t)
	s := newStage(t, dev, bakeWorld(t, testworld.Rough(1025, 1025, 4), 129, 0, 0), 64, 64, vkterrain.Options{UploadBytes: -1})
	look := &pipeline.Look{}
	s.settle(view(5000, 200000, 5000, 0, -90, 1024, 768, 2), look)
	far := s.ter.Stats()
	s.settle(view(5000, 500, 5000, 0, -10, 1024, 768, 0.5), look)
	near := s.ter.Stats()
	if far.BytesVertices*4 > near.BytesVertices {
		t.Errorf("%d bytes of vertices from afar, %d from near", far.BytesVertices, near.BytesVertices)
	}
}

// TestMovedVerticesLookTheSame: when most levels have gone and what stays has been moved
// together, a picture is that of a terrain that never had more.
func TestMovedVerticesLookTheSame(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, testworld.Rough(1025, 1025, 4), 65, 0, 0)
	look := &pipeline.Look{}
	v := view(2000, 500, 2600, 30, -20, 128, 96, 4)
	fresh := newStage(t, dev, path, 128, 96, vkterrain.Options{UploadBytes: -1})
	fresh.settle(v, look)
	want := fresh.frame(v, look, true)
	s := newStage(t, dev, path, 128, 96, vkterrain.Options{UploadBytes: -1})
	s.settle(view(5000, 4000, 5000, 0, -90, 2048, 2048, 0.2), look)
	full := s.ter.Stats()
	s.settle(v, look)
	for range 250 { // until what is not needed has gone
		s.frame(v, look, false)
	}
	st := s.ter.Stats()
	if st.BytesMoved == 0 || st.BytesVertices*2 > full.BytesVertices {
		t.Errorf("%d bytes moved, %d of %d left", st.BytesMoved, st.BytesVertices, full.BytesVertices)
	}
	if d := differing(want, s.frame(v, look, true)); d > 0 {
		t.Errorf("%.3f %% of the picture differ", 100*d)
	}
}

func BenchmarkFrame(b *testing.B) {
	dev := vktest.Device(b)
	s := newStage(b, dev, bakeWorld(b, testworld.Rough(1025, 1025, 4), 129, 0, 0), 1280, 720, vkterrain.Options{UploadBytes: -1})
	for _, tau := range []float64{1, 4} {
		b.Run(fmt.Sprintf("1280x720/tau%g", tau), func(b *testing.B) {
			v, look := view(5000, 700, 9000, 0, -12, 1280, 720, tau), &pipeline.Look{}
			s.settle(v, look)
			for b.Loop() {
				s.frame(v, look, false)
			}
			st := s.ter.Stats()
			b.ReportMetric(float64(st.Triangles), "triangles")
			b.ReportMetric(float64(st.Refine.Nanoseconds())/float64(st.Triangles), "refine-ns/triangle")
		})
	}
}
