package vkterrain_test

import (
	"fmt"
	"image"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/props"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/testlayer"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// views draws one frame of several views; with readback it waits and returns the picture.
func (s *stage) views(views []vkterrain.View, readback bool) *image.RGBA {
	f, err := s.dev.BeginFrame()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.ter.PrepareViews(f, views); err != nil {
		s.t.Fatal(err)
	}
	s.target.Begin(f.Cmd, [4]float32{1, 0, 1, 1}, 0)
	for i := range views {
		s.ter.DrawView(f.Cmd, i)
	}
	s.target.End(f.Cmd)
	if readback {
		s.target.RecordReadback(f.Cmd)
	}
	s.calls = f.Calls()
	if err := f.Submit(); err != nil {
		s.t.Fatal(err)
	}
	if !readback {
		return nil
	}
	if err := s.dev.Graphics.Wait(f.Value, -1); err != nil {
		s.t.Fatal(err)
	}
	return s.target.Picture()
}

// settleViews loads until all that the views need is there.
func (s *stage) settleViews(views []vkterrain.View) {
	for range 2000 {
		f, err := s.dev.BeginFrame()
		if err != nil {
			s.t.Fatal(err)
		}
		if err := s.ter.LoadViews(f, views); err != nil {
			s.t.Fatal(err)
		}
		if err := f.Submit(); err != nil {
			s.t.Fatal(err)
		}
		if s.ter.Settled() {
			return
		}
		time.Sleep(time.Millisecond) // the loaders are at work
	}
	s.t.Fatal("not settled after 2000 frames")
}

// split is two halves of a picture, by two algorithms and two tolerances.
func split(v *lodcpu.View, look pipeline.Look) []vkterrain.View {
	left := vkterrain.View{View: *v, Look: look}
	left.Width /= 2
	right := left
	right.X, right.Algorithm, right.Tau = left.Width, new(vkterrain.Quadtree), 4*v.Tau
	return []vkterrain.View{left, right}
}

// inset is a view, and in its corner what it draws, from above.
func inset(v, above *lodcpu.View, look pipeline.Look) []vkterrain.View {
	small := vkterrain.View{View: *above, LOD: v, Look: pipeline.Look{View: pipeline.Wireframe, DrawAll: true, Clear: &[3]uint8{24, 28, 36}}}
	small.Width, small.Height = v.Width/3, v.Height/3
	small.X, small.Y = v.Width-small.Width-8, 8
	return []vkterrain.View{{View: *v, Look: look}, small}
}

// eyes is a picture for the left eye beside one for the right.
func eyes(v *lodcpu.View, apart float64, look pipeline.Look) []vkterrain.View {
	half := *v
	half.Width /= 2
	two := half.Stereo(apart)
	return []vkterrain.View{{View: two[0], Look: look}, {View: two[1], X: half.Width, Look: look, Shares: true}}
}

// TestViewGoldens draws several views a frame, three times each, and compares with the
// picture kept; and keeps the bound in each view.
func TestViewGoldens(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, hills(), 65, 0, 0)
	over := view(1280, 420, 2900, 0, -14, 384, 256, 1)
	above := view(1280, 3200, 1280, 0, -90, 0, 0, 1)
	for name, views := range map[string][]vkterrain.View{
		"views-split":  split(over, pipeline.Look{View: pipeline.Wireframe, Clear: &[3]uint8{150, 180, 210}}),
		"views-inset":  inset(over, above, pipeline.Look{Sea: true}),
		"views-stereo": eyes(over, 60, pipeline.Look{}),
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, dev, path, 384, 256, vkterrain.Options{Morph: 0.5, UploadBytes: -1})
			s.settleViews(views)
			for range 3 {
				vktest.Golden(t, s.views(views, true), "testdata/golden/"+name+".png")
			}
			s.checkViews(views)
		})
	}
}

// checkViews measures each view.
func (s *stage) checkViews(views []vkterrain.View) (worst float64) {
	s.t.Helper()
	for i := range views {
		c, err := s.ter.CheckView(i)
		if err != nil {
			s.t.Fatal(err)
		}
		st := s.ter.ViewStats(i)
		if views[i].LOD == nil && c.MeasuredErrorPx > views[i].Tau || c.Cracks > 0 || c.Uncovered > 0 {
			s.t.Errorf("view %d: %.3f px of %g, %d cracks %s, %d uncovered; %+v", i, c.MeasuredErrorPx, views[i].Tau, c.Cracks, c.FirstCrack, c.Uncovered, st)
		}
		worst = max(worst, c.MeasuredErrorPx/views[i].Tau)
	}
	return worst
}

// TestEyesKeepTheBound: one mesh keeps the tolerance for both eyes, near and far apart,
// with vertices on their way and without, refined for the frame and for anchors.
func TestEyesKeepTheBound(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, testworld.Rough(257, 257, 3), 65, 300, -900)
	for _, o := range []vkterrain.Options{{}, {Morph: 1}, {Algorithm: vkterrain.Quadtree}, {Morph: 1, Anchored: true}} {
		t.Run(fmt.Sprintf("%v/morph %v/anchored %v", o.Algorithm, o.Morph, o.Anchored), func(t *testing.T) {
			o.UploadBytes, o.Levels = -1, func(terrain.Key) terrain.Level { return 0 }
			s := newStage(t, dev, path, 64, 64, o)
			worst, shared := 0.0, 0
			for i, apart := range []float64{0.065, 1, 20, 200} {
				v := view(1500, 400, 300, 60*float64(i), -20, 1280, 720, 2)
				views := eyes(v, apart, pipeline.Look{})
				s.settleViews(views)
				s.views(views, true)
				worst = max(worst, s.checkViews(views))
				if s.ter.ViewStats(1).Shared {
					shared++
				}
				if a, b := s.ter.ViewStats(0), s.ter.ViewStats(1); !o.Anchored && (a.Counts != b.Counts || b.IndexBytes != 0) {
					t.Errorf("%+v for one eye, %+v for the other", a, b)
				}
			}
			if t.Logf("worst: %.3f of the tolerance", worst); worst < 0.3 || shared != 4 {
				t.Errorf("%.3f of the tolerance at worst, %d of 4 shared", worst, shared)
			}
		})
	}
}

// TestEyesInLayers: what is drawn for both eyes at once is what is drawn for each, by hardly
// more than half the calls. Where the driver errs with what is clipped, nothing is.
func TestEyesInLayers(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, hills(), 65, 0, 0)
	const w, h = 160, 120
	v := view(1280, 420, 2900, 10, -14, w, h, 2)
	whole := dev.Features.MultiviewUnclipped
	if whole {
		dev.Features.Multiview = true
		v = view(1280, 4500, 1280, 10, -90, w, h, 4)
	}
	for _, c := range []struct {
		name string
		o    vkterrain.Options
		look pipeline.Look
	}{
		{"shaded", vkterrain.Options{Morph: 0.5}, pipeline.Look{Sea: true}},
		{"list", vkterrain.Options{Topology: lodcpu.List, Algorithm: vkterrain.Quadtree}, pipeline.Look{View: pipeline.Wireframe}},
		{"anchored", vkterrain.Options{Anchored: true, Margin: 50, Timed: true}, pipeline.Look{View: pipeline.LOD, Lines: true}},
		{"low", vkterrain.Options{}, pipeline.Look{Quality: pipeline.Low, Clear: &[3]uint8{9, 8, 7}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if whole {
				c.look.Sea, c.look.Lines = false, false
				if c.look.View == pipeline.Wireframe {
					c.look.View = pipeline.Morph
				}
			}
			s := newStage(t, dev, path, w, h, c.o)
			both := v.Stereo(40)
			eyes := []vkterrain.View{{View: both[0], Look: c.look}, {View: both[1], Look: c.look, Shares: true, Apart: true}}
			s.settleViews(eyes)
			for range 30 {
				s.views(eyes, false)
			}
			for c.o.Anchored && !s.ter.Stats().Anchored {
				time.Sleep(time.Millisecond)
				s.views(eyes, false)
			}
			var apart [2]*image.RGBA
			calls := 0
			for i := range apart {
				apart[i] = s.draw(s.target, eyes, i)
				calls += s.calls
			}
			eyes[1].Layered = true
			if !dev.Features.Multiview {
				f, err := dev.BeginFrame()
				if err != nil {
					t.Fatal(err)
				}
				if err := s.ter.PrepareViews(f, eyes); err == nil || !strings.Contains(err.Error(), "several layers") {
					t.Error(err)
				}
				if err := f.Submit(); err != nil {
					t.Fatal(err)
				}
				return
			}
			target, err := dev.NewTarget(vk.TargetInfo{Name: "eyes", Width: w, Height: h, Layers: 2})
			if err != nil {
				t.Fatal(err)
			}
			vktest.Destroy(t, dev, target)
			for range 20 { // by general pipelines, and by those of the look
				s.draw(target, eyes, 0)
				for i, want := range apart {
					if d := differing(want, target.Layer(i)); d > 0 {
						t.Fatalf("eye %d: %.3f %% of the picture differ", i, 100*d)
					}
				}
			}
			if differing(apart[0], apart[1]) == 0 || 3*s.calls > 2*calls {
				t.Errorf("%d calls for both eyes, %d for each by itself", s.calls, calls)
			}
			if st := s.ter.ViewStats(0); st.Anchored != c.o.Anchored {
				t.Errorf("anchored: %v", st.Anchored)
			}
			if c.name != "shaded" {
				return
			}
			if check, err := s.ter.CheckView(1); err != nil || check.MeasuredErrorPx > 2 || check.CheckedSamples < 1000 {
				t.Errorf("%+v %v", check, err)
			}
		})
	}
}

// draw draws one of several views into a target and waits for its picture.
func (s *stage) draw(target *vk.Target, views []vkterrain.View, i int) *image.RGBA {
	s.t.Helper()
	f, err := s.dev.BeginFrame()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.ter.PrepareViews(f, views); err != nil {
		s.t.Fatal(err)
	}
	before := f.Calls()
	target.Begin(f.Cmd, [4]float32{1, 0, 1, 1}, 0)
	s.ter.DrawView(f.Cmd, i)
	target.End(f.Cmd)
	s.calls = f.Calls() - before
	target.RecordReadback(f.Cmd)
	if err := f.Submit(); err != nil {
		s.t.Fatal(err)
	}
	if err := s.dev.Graphics.Wait(f.Value, -1); err != nil {
		s.t.Fatal(err)
	}
	return target.Picture()
}

// TestEyesOnOtherDevices does it where a draw goes to one layer, and under Vulkan 1.2.
func TestEyesOnOtherDevices(t *testing.T) {
	l := testlayer.Build(t)
	for _, shape := range []testlayer.Shape{{Without: []string{"multiview"}}, {API: "1.2"}} {
		t.Run(shape.String(), func(t *testing.T) { l.Run(t, shape, "^TestEyesInLayers$") })
	}
}

// TestEyeByItself: the picture of an eye that shares its mesh is what it is alone, but for
// triangles that its mesh has more.
func TestEyeByItself(t *testing.T) {
	dev := vktest.Device(t)
	s := newStage(t, dev, bakeWorld(t, testworld.Rough(129, 129, 3), 33, 1e6, -1e6), 256, 128, vkterrain.Options{UploadBytes: -1, Levels: func(terrain.Key) terrain.Level { return 0 }})
	look := pipeline.Look{View: pipeline.LOD, Clear: &[3]uint8{255, 0, 255}}
	views := eyes(view(1e6+640, 300, -1e6+1290, 10, -15, 256, 128, 0.02), 25, look)
	s.settleViews(views)
	both := s.views(views, true)
	for i := range views {
		alone := views[i]
		alone.Shares, alone.Look.DrawAll = false, true
		one := s.views([]vkterrain.View{alone}, true)
		at := image.Rect(alone.X, 0, alone.X+alone.Width, alone.Height)
		if d := differing(crop(one, at), crop(both, at)); d > 0.002 {
			t.Errorf("eye %d: %.2f %% of the picture differ", i, 100*d)
		}
	}
	if d := differing(crop(both, image.Rect(0, 0, 128, 128)), crop(both, image.Rect(128, 0, 256, 128))); d < 0.02 {
		t.Errorf("both eyes see the same but for %.2f %%", 100*d)
	}
}

// crop copies a part of a picture.
func crop(img *image.RGBA, r image.Rectangle) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, r.Dx(), r.Dy()))
	for y := range r.Dy() {
		copy(out.Pix[y*out.Stride:(y+1)*out.Stride], img.Pix[img.PixOffset(r.Min.X, r.Min.Y+y):])
	}
	return out
}

// TestViewsStayInTheRing flies with three views whose tolerances change wildly, more and
// fewer of them, while levels come and go and the ring grows.
func TestViewsStayInTheRing(t *testing.T) {
	dev := vktest.Device(t)
	s := newStage(t, dev, bakeWorld(t, testworld.Rough(513, 513, 3), 65, 0, 0), 192, 96, vkterrain.Options{UploadBytes: 1 << 17, Morph: 0.5, Rise: 10})
	for i := range 30 {
		a := float64(i) / 30
		v := view(2560+2400*math.Sin(a*9), 300+200*math.Cos(a*31), 2560+2400*math.Cos(a*9), a*700, -20, 192, 96, math.Exp(4*math.Sin(a*17)))
		above := view(2560, 4000, 2560, a*100, -90, 0, 0, 1)
		views := split(v, pipeline.Look{})
		views = append(views, inset(v, above, pipeline.Look{})[1], eyes(v, 2, pipeline.Look{})[0], eyes(v, 2, pipeline.Look{})[1])
		views = views[:1+i/3%len(views)]
		s.views(views, false)
		if i%6 == 5 {
			for k := range views {
				if c, err := s.ter.CheckView(k); err != nil || c.Cracks > 0 {
					t.Fatalf("frame %d, view %d: %d cracks: %s %v", i, k, c.Cracks, c.FirstCrack, err)
				}
			}
		}
	}
}

// TestSteadyViews: frames of several views allocate nothing, and make as many Vulkan calls
// for 64 tiles as for 4.
func TestSteadyViews(t *testing.T) {
	dev := vktest.Device(t)
	calls := map[int]int{}
	for _, n := range []int{2, 8} {
		s := newStage(t, dev, bakeWorld(t, testworld.Rough(n*32+1, n*32+1, 2), 33, 0, 0), 64, 64, vkterrain.Options{UploadBytes: -1})
		v := view(float64(n)*160, 300, float64(n)*160, 0, -30, 64, 64, 1)
		look := pipeline.Look{DrawAll: true, Sea: true}
		views := append(split(v, look), eyes(v, 1, look)...)
		s.settleViews(views)
		s.compiled(func() { s.views(views, false) })
		allocs := testing.AllocsPerRun(50, func() {
			for i := range views {
				views[i].Eye[0] += 1e-3
			}
			s.views(views, false)
		})
		if allocs != 0 {
			t.Errorf("%d tiles: %g allocations a frame", n*n, allocs)
		}
		if got := s.ter.Stats().Tiles; got != 4*n*n {
			t.Errorf("%d tiles drawn, want %d", got, 4*n*n)
		}
		calls[n] = s.calls
	}
	if calls[2] != calls[8] || calls[2] == 0 {
		t.Errorf("%d Vulkan calls for 4 tiles, %d for 64", calls[2], calls[8])
	}
}

// TestViewsShareTheBudget: all views together stay within it.
func TestViewsShareTheBudget(t *testing.T) {
	dev := vktest.Device(t)
	const most = 6000
	s := newStage(t, dev, bakeWorld(t, testworld.Rough(257, 257, 3), 65, 0, 0), 640, 480, vkterrain.Options{
		UploadBytes: -1, Budget: lodcpu.Budget{Triangles: most}, Levels: func(terrain.Key) terrain.Level { return 0 },
	})
	v := view(1280, 400, 2700, 0, -15, 640, 480, 0.5)
	views := append(split(v, pipeline.Look{}), eyes(v, 1, pipeline.Look{})...)
	s.settleViews(views)
	s.views(views, false)
	sum := 0
	for i := range views {
		sum += s.ter.ViewStats(i).Triangles
	}
	if got := s.ter.Stats().Triangles; got != sum || sum > most || sum < most/3 {
		t.Errorf("%d triangles, %d in all views, at most %d", got, sum, most)
	}
	for i := range views {
		c, err := s.ter.CheckView(i)
		if tau := s.ter.ViewStats(i).Tau; err != nil || c.MeasuredErrorPx > tau || tau <= 0.5 {
			t.Errorf("view %d: %.3f px of %.3f: %v", i, c.MeasuredErrorPx, tau, err)
		}
	}
}

// TestThingsInViews: each view has its own choice of what stands on the ground.
func TestThingsInViews(t *testing.T) {
	dev := vktest.Device(t)
	models, layers, err := props.Nature(1)
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, dev, bakeWorld(t, hills(), 65, 0, 0), 256, 128, vkterrain.Options{UploadBytes: -1, Sync: true, Props: &vkterrain.Props{Models: models, Layers: layers}})
	views := split(view(1280, 250, 1400, 0, -10, 256, 128, 1), pipeline.Look{})
	s.settleViews(views)
	s.views(views, false)
	s.views(views, true)
	a, b := s.ter.ViewStats(0).Props, s.ter.ViewStats(1).Props
	if a.Triangles <= b.Triangles || b.Triangles == 0 || s.ter.Stats().Props.Triangles != a.Triangles+b.Triangles {
		t.Errorf("%+v within a pixel, %+v within four", a, b)
	}
}

// TestWrongViews says what is wrong with views.
func TestWrongViews(t *testing.T) {
	dev := vktest.Device(t)
	s := newStage(t, dev, bakeWorld(t, testworld.Rough(65, 65, 1), 33, 0, 0), 64, 64, vkterrain.Options{})
	good := vkterrain.View{View: *view(320, 300, 900, 0, 20, 64, 64, 2)}
	turned, shares := good, good
	turned.Yaw, turned.Shares, shares.Shares = 1, true, true
	off, finer := good, good
	off.X, finer.Tau = -1, 0
	dev.Features.Multiview = true
	layered, elsewhere, other := good, good, good
	layered.Layered = true
	elsewhere.Layered, elsewhere.Shares, elsewhere.X = true, true, 64
	other.Layered, other.Shares, other.Look.Sea = true, true, true
	both := good
	both.Layered, both.Shares = true, true
	for _, c := range []struct {
		views []vkterrain.View
		want  string
	}{
		{nil, "no view"},
		{[]vkterrain.View{shares}, "none before it"},
		{[]vkterrain.View{good, turned}, "view 1: it shares the mesh of a view of another direction"},
		{[]vkterrain.View{good, off}, "view 1: its corner"},
		{[]vkterrain.View{good, finer}, "view 1: tolerance"},
		{[]vkterrain.View{good, layered}, "view 1: it is to be drawn at once with one whose mesh"},
		{[]vkterrain.View{good, elsewhere}, "view 1: it is to be drawn at once with one of another place"},
		{[]vkterrain.View{good, other}, "view 1: it is to be drawn at once with one of another place or look"},
		{[]vkterrain.View{good, both, shares}, "view 2: it shares the mesh of two views"},
	} {
		f, err := dev.BeginFrame()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.ter.PrepareViews(f, c.views); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
		if err := f.Submit(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDebugGoldens draws what shows how a picture is made, three times each, and compares
// with the picture kept.
func TestDebugGoldens(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, hills(), 65, 0, 0)
	over := view(1280, 420, 2900, 0, -14, 256, 256, 2)
	for name, look := range map[string]pipeline.Look{
		"debug-lines": {Lines: true}, "debug-tiles": {View: pipeline.Tiles}, "debug-boxes": {View: pipeline.Boxes}, "debug-morph": {View: pipeline.Morph},
		"debug-pixels": {View: pipeline.Pixels}, "debug-overdraw": {View: pipeline.Overdraw}, "debug-unlit": {View: pipeline.Unlit},
	} {
		t.Run(name, func(t *testing.T) {
			look.Clear = &[3]uint8{150, 180, 210} // what the sky looks like is another matter
			s := newStage(t, dev, path, 256, 256, vkterrain.Options{Morph: 1})
			s.settle(over, &look)
			for range 3 {
				vktest.Golden(t, s.frame(over, &look, true), "testdata/golden/"+name+".png")
			}
		})
	}
}

// TestPixelsAreWithinTheTolerance: what the map of the error shows is never redder than the
// tolerance is, and is somewhere as yellow.
func TestPixelsAreWithinTheTolerance(t *testing.T) {
	dev := vktest.Device(t)
	s := newStage(t, dev, bakeWorld(t, hills(), 65, 0, 0), 256, 256, vkterrain.Options{})
	look := &pipeline.Look{View: pipeline.Pixels, Clear: &[3]uint8{0, 0, 0}}
	for _, tau := range []float64{0.5, 2} {
		v := view(1280, 420, 2900, 0, -14, 256, 256, tau)
		s.settle(v, look)
		img := s.frame(v, look, true)
		red, most := 0, 0
		for i := 0; i < len(img.Pix); i += 4 {
			if r, g := int(img.Pix[i]), int(img.Pix[i+1]); r > 100 && g < r/2 {
				red++
			}
			most = max(most, int(img.Pix[i]))
		}
		if red > 0 || (most > 180) != (tau == 2) {
			t.Errorf("tau %g: %d pixels beyond 2 px, most red %d", tau, red, most)
		}
	}
}

// TestTimedPasses: the GPU's time of each draw, of two views together, and nothing of that
// takes from the heap.
func TestTimedPasses(t *testing.T) {
	dev := vktest.Device(t)
	if !dev.Features.Timestamps {
		t.Skip("the GPU measures no times")
	}
	s := newStage(t, dev, bakeWorld(t, testworld.Rough(129, 129, 2), 33, 0, 0), 64, 64, vkterrain.Options{UploadBytes: -1, Timed: true})
	views := split(view(640, 300, 640, 0, -30, 64, 64, 1), pipeline.Look{Sea: true})
	s.settleViews(views)
	for range 5 {
		s.views(views, true)
	}
	got := map[string]bool{}
	for _, p := range s.ter.Stats().Passes {
		if got[p.Name] || p.Time < 0 {
			t.Errorf("%+v", p)
		}
		got[p.Name] = true
	}
	for _, want := range []string{"terrain soar", "terrain quadtree", "sky", "sea"} {
		if !got[want] {
			t.Errorf("no time of %s: %v", want, got)
		}
	}
	s.compiled(func() { s.views(views, false) })
	if allocs := testing.AllocsPerRun(20, func() { s.views(views, false) }); allocs != 0 {
		t.Errorf("%g allocations a frame", allocs)
	}
}

// TestSnapshot judges what a frame drew while others are drawn and levels go, and finds what
// a check of the frame itself finds.
func TestSnapshot(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, testworld.Rough(257, 257, 3), 65, 0, 0)
	for _, anchored := range []bool{false, true} {
		s := newStage(t, dev, path, 64, 64, vkterrain.Options{UploadBytes: -1, Morph: 0.5, Anchored: anchored})
		field, err := vkterrain.ReadField(s.ter.Reader())
		if err != nil {
			t.Fatal(err)
		}
		v, look := view(1280, 300, 2500, 0, -20, 640, 480, 2), &pipeline.Look{}
		s.settle(v, look)
		s.frame(v, look, true)
		want, err := s.ter.Check()
		if err != nil {
			t.Fatal(err)
		}
		shot := s.ter.Snapshot(0)
		got := make(chan vkterrain.Check)
		go func() { got <- shot.Check(field) }()
		for i := range 40 {
			v.Eye[0], v.Eye[1] = float64(i)*100, 5000
			s.frame(v, look, false)
		}
		if c := <-got; c.MeasuredErrorPx != want.MeasuredErrorPx || c.CheckedSamples != want.CheckedSamples || c.Cracks > 0 || c.MeasuredErrorPx == 0 {
			t.Errorf("anchored %v: %+v, want %+v", anchored, c, want)
		}
		shot.Release()
		shot.Release()
	}
}

// TestViewsOnAnotherDevice: several views by several algorithms go on with another device.
func TestViewsOnAnotherDevice(t *testing.T) {
	dev, next := vktest.Device(t), vktest.Device(t)
	s := newStage(t, dev, bakeWorld(t, testworld.Rough(129, 129, 2), 33, 0, 0), 64, 64, vkterrain.Options{UploadBytes: -1})
	v := view(640, 300, 640, 0, -30, 64, 64, 1)
	views := append(split(v, pipeline.Look{}), eyes(v, 1, pipeline.Look{})...)
	s.settleViews(views)
	want := s.views(views, true)
	if err := s.ter.Recover(next); err != nil {
		t.Fatal(err)
	}
	s.target.Destroy()
	var err error
	if s.target, err = next.NewTarget(vk.TargetInfo{Name: "next", Width: 64, Height: 64}); err != nil {
		t.Fatal(err)
	}
	s.dev = next
	s.views(views[:1], false) // fewer, and nothing has arrived
	s.settleViews(views)
	if d := differing(want, s.views(views, true)); d > 0 {
		t.Errorf("%.2f %% of the picture differ", 100*d)
	}
	s.checkViews(views)
}

// TestRiseOfViews: a level rises over as many frames, however many views they have.
func TestRiseOfViews(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, testworld.Rough(257, 257, 2), 65, 0, 0)
	v := view(1280, 300, 2500, 0, -20, 64, 64, 8)
	look := pipeline.Look{}
	frames := map[int]int{}
	for _, views := range [][]vkterrain.View{{{View: *v, Look: look}}, append(split(v, look), eyes(v, 1, look)...)} {
		s := newStage(t, dev, path, 64, 64, vkterrain.Options{UploadBytes: -1, Rise: 20})
		s.settleViews(views)
		s.views(views, false)
		for i := range views {
			views[i].Tau /= 8
		}
		s.settleViews(views)
		for n := 0; n == 0 || s.ter.Stats().Rising; n++ {
			s.views(views, false)
			frames[len(views)]++
		}
	}
	if frames[1] != frames[4] || frames[1] < 20 {
		t.Errorf("%d frames with a view, %d with four", frames[1], frames[4])
	}
}
