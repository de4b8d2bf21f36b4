package vkterrain_test

import (
	"bytes"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
	"github.com/vkterrain/vkterrain/lodcpu/props"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
	"github.com/vkterrain/vkterrain/terrain/query"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// downs is a field of hills that woods grow on: side×side samples of 10 m, with bumps
// of a few metres.
func downs(side int) *terrain.Field {
	f := &terrain.Field{Width: side, Height: side, Spacing: 10, Quantum: 0.05, Samples: make([]int32, side*side)}
	for i := range f.Samples {
		x, z := float64(i%side)*10, float64(i/side)*10
		h := 180 + 45*math.Sin(x/210) + 35*math.Cos(z/190) + 6*math.Sin(x/37+z/53) + 2*math.Sin(x/11)*math.Cos(z/13)
		f.Samples[i] = int32(h / f.Quantum)
	}
	return f
}

var nature = sync.OnceValue(func() *vkterrain.Props {
	models, layers, err := props.Nature(1)
	if err != nil {
		panic(err)
	}
	return &vkterrain.Props{Models: models, Layers: layers, Seed: 1, Reach: 500}
})

// stones are things that stand everywhere, whatever the ground is like.
var stones = sync.OnceValue(func() *vkterrain.Props {
	p := &vkterrain.Props{Seed: 4, Reach: 900, Layers: []props.Layer{
		{Models: []int{0, 1}, Spacing: 23, MinScale: 1, MaxScale: 6},
		{Models: []int{2}, Spacing: 31, MinScale: 0.8, MaxScale: 2},
	}}
	for _, s := range []*progmesh.Source{props.Rock(1, 3), props.Rock(2, 3), props.Conifer(3)} {
		m, err := props.NewModel(s, progmesh.Options{})
		if err != nil {
			panic(err)
		}
		p.Models = append(p.Models, m)
	}
	return p
})

// among is a view from among the trees of downs.
func among(width, height int, tau float64) *lodcpu.View {
	return view(760, 222, 1130, 20, -7, width, height, tau)
}

// TestPropsGoldens draws woods and rocks three times in each mode.
func TestPropsGoldens(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, downs(193), 65, 0, 0)
	s := newStage(t, dev, path, 256, 256, vkterrain.Options{Props: nature(), Topology: lodcpu.List})
	for name, mode := range map[string]pipeline.ViewMode{"props": pipeline.Shaded, "props-lod": pipeline.LOD, "props-wireframe": pipeline.Wireframe, "props-normals": pipeline.Normals} {
		look := &pipeline.Look{View: mode}
		v := among(256, 256, 2)
		s.settle(v, look)
		for range 3 {
			vktest.Golden(t, s.frame(v, look, true), "testdata/golden/"+name+".png")
		}
	}
	if st := s.ter.Stats().Props; st.Instances < 200 || st.Tau != 2 || st.Draws < 10 || st.Dropped > 0 {
		t.Errorf("%+v", st)
	}
}

// TestPropsBudget: terrain and props together never take more than the budget, and the
// terrain is drawn as without them.
func TestPropsBudget(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, downs(193), 65, 0, 0)
	for _, anchored := range []bool{false, true} {
		budget := lodcpu.Budget{Triangles: 12_000, Indices: 24_000}
		fixed := func(terrain.Key) terrain.Level { return 0 }
		o := vkterrain.Options{Anchored: anchored, UploadBytes: -1, Budget: budget, Levels: fixed}
		bare := newStage(t, dev, path, 64, 64, o)
		o.Props = stones()
		s := newStage(t, dev, path, 64, 64, o)
		look := &pipeline.Look{}
		raised, drawn, none := 0, 0, 0
		for i := range 120 {
			a := float64(i) / 120
			v := view(960+500*math.Sin(4*a), 230+250*a*a, 960+500*math.Cos(4*a), 300*a, -25, 640, 480, 1)
			if i == 0 {
				bare.settle(v, look)
				s.settle(v, look)
			}
			bare.frame(v, look, false)
			s.frame(v, look, i%10 == 0) // now and then frames are not in flight together
			st := s.ter.Stats()
			p := st.Props
			if st.Triangles+p.Triangles > budget.Triangles || st.Indices+p.Indices > budget.Indices {
				t.Fatalf("anchored %v, frame %d: %d + %d triangles, %d + %d indices", anchored, i, st.Triangles, p.Triangles, st.Indices, p.Indices)
			}
			if want := bare.ter.Stats(); !anchored && (st.Counts != want.Counts || st.Tau != want.Tau) {
				t.Fatalf("frame %d: the terrain is drawn with %+v by %v px, without props with %+v by %v px", i, st.Counts, st.Tau, want.Counts, want.Tau)
			}
			if p.Tau < st.Tau {
				t.Fatalf("frame %d: props within %v px, the terrain within %v", i, p.Tau, st.Tau)
			}
			if p.Tau > st.Tau {
				raised++
			}
			if p.Instances > 0 {
				drawn++
			} else {
				none++
			}
		}
		t.Logf("anchored %v: raised in %d frames, drawn in %d, none in %d", anchored, raised, drawn, none)
		if raised == 0 || drawn == 0 {
			t.Errorf("anchored %v: raised in %d frames, drawn in %d: nothing was exercised", anchored, raised, drawn)
		}
	}
}

// TestPropsSteadyFrame: a frame with things allocates nothing, and takes as many Vulkan
// calls for few as for many, of one model or of eight.
func TestPropsSteadyFrame(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, downs(193), 65, 0, 0)
	one := *stones()
	one.Layers = one.Layers[1:]
	var calls []int
	for _, p := range []*vkterrain.Props{&one, nature()} {
		for _, anchored := range []bool{false, true} {
			s := newStage(t, dev, path, 64, 64, vkterrain.Options{UploadBytes: -1, Props: p, Anchored: anchored})
			look := &pipeline.Look{}
			v := among(64, 64, 4)
			s.settle(v, look)
			for range 40 { // general pipelines are made meanwhile
				s.frame(v, look, false)
			}
			step, call := 0.0, 0
			allocs := testing.AllocsPerRun(50, func() {
				step++
				v.Eye[0] += 1e-4 * step
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
				call = f.Calls()
				if err := f.Submit(); err != nil {
					t.Fatal(err)
				}
			})
			st := s.ter.Stats()
			if allocs != 0 || st.Props.Instances == 0 || st.Anchored != anchored {
				t.Errorf("anchored %v: %g allocations a frame, %+v", anchored, allocs, st.Props)
			}
			t.Logf("%d instances, %d draws, %d calls", st.Props.Instances, st.Props.Draws, call)
			calls = append(calls, call)
		}
	}
	if calls[0] != calls[2] || calls[1] != calls[3] {
		t.Errorf("Vulkan calls of one model and of eight: %v", calls)
	}
}

// TestPropsAreTheSame: pictures do not depend on how, or on the way on which, things
// were made.
func TestPropsAreTheSame(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, downs(193), 65, 0, 0)
	var want []byte
	for i, o := range []vkterrain.Options{{}, {Sync: true}, {Loaders: 1}, {Anchored: true}} {
		o.Props = nature()
		s := newStage(t, dev, path, 128, 128, o)
		look := &pipeline.Look{}
		if i > 0 { // come from elsewhere
			for k := range 10 {
				s.frame(view(1900-100*float64(k), 400, 100+80*float64(k), 200, -20, 128, 128, 16), look, false)
			}
		}
		v := among(128, 128, 2)
		s.settle(v, look)
		got := s.frame(v, look, true).Pix
		if want == nil {
			want = bytes.Clone(got)
		} else if !o.Anchored && !bytes.Equal(got, want) {
			t.Errorf("%+v: another picture", o)
		}
		if st := s.ter.Stats().Props; st.Instances < 100 {
			t.Errorf("%+v", st)
		}
	}
}

// TestPropsStandOnTheGround wants their feet on the ground of the full resolution, and
// what is drawn of it no more than tau pixels above or below them.
func TestPropsStandOnTheGround(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, downs(193), 65, 0, 0)
	r, err := chunkfile.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	sampler := query.NewSampler(r, query.Options{})
	for _, anchored := range []bool{false, true} {
		s := newStage(t, dev, path, 64, 64, vkterrain.Options{UploadBytes: -1, Props: stones(), Anchored: anchored})
		worst, n := 0.0, 0
		for _, tau := range []float64{1, 8} {
			v := among(800, 600, tau)
			s.settle(v, &pipeline.Look{})
			mesh := s.ter.Mesh()
			for _, i := range vkterrain.ShownProps(s.ter) {
				g, err := sampler.At(i.Position[0], i.Position[2])
				if err != nil || !g.OK || math.Abs(g.Height-i.Position[1]) > 1e-9 {
					t.Fatalf("%+v: the ground is %+v, %v", i, g, err)
				}
				y, ok := drawnAt(mesh, i.Position[0], i.Position[2])
				ax, ay, _, seen := v.Project(i.Position)
				bx, by, _, _ := v.Project(mgl64.Vec3{i.Position[0], y, i.Position[2]})
				if !ok || !seen || ax < 0 || ay < 0 || ax > 800 || ay > 600 {
					continue
				}
				n++
				off := math.Hypot(bx-ax, by-ay)
				worst = max(worst, off/tau)
				if off > tau {
					t.Fatalf("anchored %v, tau %v: the ground of %+v is drawn %v px off", anchored, tau, i, off)
				}
			}
		}
		t.Logf("anchored %v: %d feet, %.2f of tau at most", anchored, n, worst)
		if n < 200 || worst < 0.1 {
			t.Errorf("%d feet, %v of tau at most: nothing was exercised", n, worst)
		}
	}
}

// drawnAt returns the height of a mesh at a place.
func drawnAt(m *vkterrain.Mesh, x, z float64) (y float64, ok bool) {
	for _, tri := range m.Triangles {
		a, b, c := m.Vertices[tri[0]], m.Vertices[tri[1]], m.Vertices[tri[2]]
		area := (b[0]-a[0])*(c[2]-a[2]) - (c[0]-a[0])*(b[2]-a[2])
		u := ((x-a[0])*(c[2]-a[2]) - (c[0]-a[0])*(z-a[2])) / area
		w := ((b[0]-a[0])*(z-a[2]) - (x-a[0])*(b[2]-a[2])) / area
		if u >= 0 && w >= 0 && u+w <= 1 {
			return a[1] + u*(b[1]-a[1]) + w*(c[1]-a[1]), true
		}
	}
	return 0, false
}

// TestPropsFarAway draws things 10,000 km from the origin as near it.
func TestPropsFarAway(t *testing.T) {
	dev := vktest.Device(t)
	look := &pipeline.Look{View: pipeline.LOD}
	var near []byte
	for _, origin := range []float64{0, 1e7} {
		s := newStage(t, dev, bakeWorld(t, downs(129), 33, origin, -origin), 256, 256, vkterrain.Options{Props: stones()})
		v := view(origin+640.3, 300, -origin+1100.7, 10, -15, 256, 256, 2)
		s.settle(v, look)
		img := s.frame(v, look, true)
		if st := s.ter.Stats().Props; st.Instances < 100 {
			t.Errorf("%+v", st)
		}
		if near == nil {
			near = bytes.Clone(img.Pix)
			continue
		}
		other := *img
		other.Pix = near
		if d := differing(img, &other); d > 0.002 {
			t.Errorf("%.3f %% of the picture differ", 100*d)
		}
	}
}

// TestPropsFollowEdits raises the ground below things.
func TestPropsFollowEdits(t *testing.T) {
	dev := vktest.Device(t)
	s, session := editStage(t, dev, bakeWorld(t, downs(129), 33, 0, 0), vkterrain.Options{UploadBytes: -1, Props: stones()})
	v, look := view(640, 300, 900, 0, -20, 64, 64, 1), &pipeline.Look{}
	s.settle(v, look)
	before := heightsOf(s.ter)
	raise(t, session, 64, 64, 10, 600)
	for s.ter.Shown() != session.Now() {
		s.frame(v, look, false)
	}
	s.settle(v, look)
	up := 0
	for at, y := range heightsOf(s.ter) {
		was, ok := before[at]
		inside := math.Hypot(at[0]-640, at[1]-640) < 85
		if ok && inside && y > was+1 {
			up++
		} else if !ok || inside != (y != was) && math.Hypot(at[0]-640, at[1]-640) > 110 {
			t.Fatalf("at %v: %v m, before %v", at, y, was)
		}
	}
	if up < 20 {
		t.Errorf("%d things were raised", up)
	}
}

func heightsOf(ter *vkterrain.Terrain) map[[2]float64]float64 {
	heights := map[[2]float64]float64{}
	for _, i := range vkterrain.ShownProps(ter) {
		heights[[2]float64{i.Position[0], i.Position[2]}] = i.Position[1]
	}
	return heights
}

// TestSetProps changes what stands there while frames are in flight, and closes while
// plots are being made.
func TestSetProps(t *testing.T) {
	dev := vktest.Device(t)
	s := newStage(t, dev, bakeWorld(t, downs(193), 65, 0, 0), 64, 64, vkterrain.Options{})
	v, look := among(64, 64, 8), &pipeline.Look{Lines: true}
	for i := range 40 {
		if i%4 == 0 {
			if err := s.ter.SetProps([]*vkterrain.Props{nature(), nil, stones()}[i/4%3]); err != nil {
				t.Fatal(err)
			}
		}
		v.Eye[0] += 20
		s.frame(v, look, false)
	}
	s.settle(v, look)
	if st := s.ter.Stats().Props; st.Instances == 0 {
		t.Errorf("%+v", st)
	}
	if err := s.ter.SetProps(nil); err != nil {
		t.Fatal(err)
	}
	s.frame(v, look, false)
	if st := s.ter.Stats().Props; st != (vkterrain.PropStats{}) {
		t.Errorf("%+v", st)
	}
	bad := *stones()
	bad.Reach = math.Inf(1)
	if err := s.ter.SetProps(&bad); err == nil || !strings.Contains(err.Error(), "reach") {
		t.Errorf("%v", err)
	}
	bad.Reach, bad.Models = 0, bad.Models[:1]
	if err := s.ter.SetProps(&bad); err == nil || !strings.Contains(err.Error(), "model 1 of 1") {
		t.Errorf("%v", err)
	}
	bad = *stones()
	bad.Layers = []props.Layer{{Models: []int{0}, Spacing: 1e-3}}
	if err := s.ter.SetProps(&bad); err == nil || !strings.Contains(err.Error(), "places") {
		t.Errorf("%v", err)
	}
	bad = *stones()
	bad.Models = []*props.Model{bad.Models[0], {}, nil}
	if err := s.ter.SetProps(&bad); err == nil || !strings.Contains(err.Error(), "model 1: there is none") {
		t.Errorf("%v", err)
	}
	if err := nature().Check(&terrain.World{Endless: true}); err != nil {
		t.Error(err)
	}
	bad = *stones()
	bad.Reach = 1e6
	if err := bad.Check(&terrain.World{Endless: true}); err == nil || !strings.Contains(err.Error(), "places") {
		t.Errorf("%v", err)
	}
	if err := s.ter.SetProps(nature()); err != nil {
		t.Fatal(err)
	}
	s.frame(v, look, false)
}

// TestSetModels draws coarser models in place of those that stand there, which stay where
// they are, and finer ones again, without a frame in which there are none.
func TestSetModels(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, downs(193), 65, 0, 0)
	s := newStage(t, dev, path, 64, 64, vkterrain.Options{Props: stones()})
	v, look := among(256, 256, 0.5), &pipeline.Look{}
	s.settle(v, look)
	full := s.ter.Stats().Props
	coarse := make([]*props.Model, len(stones().Models))
	for i, m := range stones().Models {
		c := *m
		c.Levels = m.Levels[len(m.Levels)-1:]
		coarse[i] = &c
	}
	for _, step := range []struct {
		models []*props.Model
		fits   func(p vkterrain.PropStats) bool
	}{
		{coarse, func(p vkterrain.PropStats) bool { return p.Triangles < full.Triangles/2 }},
		{stones().Models, func(p vkterrain.PropStats) bool { return p.Triangles == full.Triangles }},
	} {
		if err := s.ter.SetModels(step.models); err != nil {
			t.Fatal(err)
		}
		s.frame(v, look, true)
		if p := s.ter.Stats().Props; p.Instances != full.Instances || !step.fits(p) {
			t.Errorf("%d instances of %d triangles; first %d of %d", p.Instances, p.Triangles, full.Instances, full.Triangles)
		}
	}
	large := *coarse[0]
	large.Radius *= 2
	for _, models := range [][]*props.Model{nil, coarse[1:], {&large, coarse[1], coarse[2]}, {nil, coarse[1], coarse[2]}} {
		if err := s.ter.SetModels(models); err == nil {
			t.Errorf("took %v", models)
		}
	}
	s.frame(v, look, true)
	if p := s.ter.Stats().Props; p.Triangles != full.Triangles {
		t.Errorf("%d triangles after what it did not take; first %d", p.Triangles, full.Triangles)
	}
	if err := s.ter.SetProps(nil); err != nil {
		t.Fatal(err)
	}
	if err := s.ter.SetModels(coarse); err == nil {
		t.Error("took models of nothing")
	}
}

// TestPropsFarReach: plots are no great part of the world, however far things stand. So
// frames and Close need not wait for one.
func TestPropsFarReach(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, downs(257), 33, 0, 0)
	for _, reach := range []float64{1e4, 1e9, 1e300} {
		p := *stones()
		p.Reach = reach
		p.Layers = []props.Layer{{Models: []int{0}, Spacing: 1}}
		s := newStage(t, dev, path, 64, 64, vkterrain.Options{Props: &p})
		v, look := among(64, 64, 64), &pipeline.Look{}
		for i := 0; s.ter.Stats().Props.Plots == 0; i++ {
			if i == 5000 {
				t.Fatalf("reach %v: no plot in %d frames", reach, i)
			}
			s.frame(v, look, false)
		}
		start := time.Now()
		if err := s.ter.SetProps(nil); err != nil || time.Since(start) > 500*time.Millisecond {
			t.Errorf("reach %v: it ends after %v: %v", reach, time.Since(start), err)
		}
	}
}

// TestPropsLeap: an eye that leaps leaves nothing behind that is still to be made.
func TestPropsLeap(t *testing.T) {
	dev := vktest.Device(t)
	p := *nature()
	p.Reach = 600
	s := newStage(t, dev, bakeWorld(t, downs(513), 33, 0, 0), 64, 64, vkterrain.Options{Props: &p})
	for i := range 60 {
		a := float64(i)
		s.frame(view(2560+2000*math.Sin(1.7*a), 300, 2560+2000*math.Cos(2.3*a), 0, 0, 64, 64, 8), &pipeline.Look{}, false)
		if pending, plots := vkterrain.PropsToMake(s.ter); pending > plots {
			t.Fatalf("frame %d: %d plots are to be made, there are %d", i, pending, plots)
		}
	}
}

// TestPropsStream flies among things while ground and plots come and go.
func TestPropsStream(t *testing.T) {
	dev := vktest.Device(t)
	p := *nature()
	p.Reach = 300
	s := newStage(t, dev, bakeWorld(t, downs(257), 33, 0, 0), 96, 64, vkterrain.Options{UploadBytes: 1 << 15, Props: &p})
	look := &pipeline.Look{}
	most, least := 0, math.MaxInt
	for i := range 120 {
		a := float64(i) / 120
		s.frame(view(300+1900*a, 330, 1280+400*math.Sin(9*a), 90-60*a, -10, 96, 64, 8), look, false)
		if n := s.ter.Stats().Props.Plots; i > 40 {
			most, least = max(most, n), min(least, n)
		}
	}
	t.Logf("%d to %d plots", least, most)
	if most < 100 || least < 20 {
		t.Errorf("%d to %d plots", least, most)
	}
}

// TestPropsNearby draws rocks and a few trees from a man's height.
func TestPropsNearby(t *testing.T) {
	dev := vktest.Device(t)
	s := newStage(t, dev, bakeWorld(t, downs(193), 65, 0, 0), 256, 256, vkterrain.Options{Props: stones(), Topology: lodcpu.List})
	v, look := view(620, 0, 1130, 110, -6, 256, 256, 1), &pipeline.Look{}
	s.settle(v, look)
	y, ok := s.ter.GroundHeight(v.Eye[0], v.Eye[2])
	if !ok {
		t.Fatal("no ground")
	}
	v.Eye[1] = y + 4
	s.settle(v, look)
	for range 3 {
		vktest.Golden(t, s.frame(v, look, true), "testdata/golden/props-nearby.png")
	}
}

// TestPropsAreCalm: a view that stands still keeps its tolerance under a limit, and comes
// back to the one that was asked when there is little to see.
func TestPropsAreCalm(t *testing.T) {
	dev := vktest.Device(t)
	p := *stones()
	p.MaxTriangles = 3000
	s := newStage(t, dev, bakeWorld(t, downs(129), 33, 0, 0), 64, 64, vkterrain.Options{UploadBytes: -1, Props: &p})
	v, look := view(640, 260, 1200, 0, -10, 640, 480, 1), &pipeline.Look{}
	s.settle(v, look)
	first := s.ter.Stats().Props
	if first.Tau <= 1 || first.Triangles > p.MaxTriangles || first.Instances == 0 {
		t.Fatalf("%+v", first)
	}
	for i := range 100 {
		s.frame(v, look, false)
		if now := s.ter.Stats().Props; now.Tau != first.Tau || now.Triangles != first.Triangles {
			t.Fatalf("frame %d: %+v after %+v", i, now, first)
		}
	}
	v.Pitch = 1 // the sky
	last := first.Tau
	for i := range 40 * 30 {
		s.frame(v, look, false)
		now := s.ter.Stats().Props.Tau
		if now > last || now < last/1.2 {
			t.Fatalf("frame %d: %v after %v px", i, now, last)
		}
		if last = now; now == 1 {
			if steps := 4 * math.Log2(first.Tau); float64(i) < 20*steps {
				t.Errorf("back after %d frames, %v steps", i, steps)
			}
			return
		}
	}
	t.Errorf("still at %v px", last)
}

// TestPropsOfAbsentTiles: where the host has given up a tile, nothing stands in the air; what
// stands there comes with the tile, and goes with it.
func TestPropsOfAbsentTiles(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, downs(193), 65, 0, 0)
	for _, anchored := range []bool{false, true} {
		s := newStage(t, dev, path, 64, 64, vkterrain.Options{UploadBytes: -1, Props: stones(), Strategy: "none", Anchored: anchored})
		v, look := view(960, 700, 960, 0, -89, 640, 640, 1), &pipeline.Look{}
		plots := func() int {
			for range 20 { // levels go some frames after they are given up
				s.settle(v, look)
				s.frame(v, look, false)
			}
			return s.ter.Stats().Props.Plots
		}
		load := func(level terrain.Level, keys ...terrain.Key) {
			for _, k := range keys {
				s.ter.Streaming().Tile(k).Load(level, false)
			}
		}
		var all []terrain.Key
		for y := range int32(3) {
			for x := range int32(3) {
				all = append(all, terrain.Key{X: x, Y: y})
			}
		}
		if n := plots(); n != 0 {
			t.Errorf("anchored %v: %d plots over no tile", anchored, n)
		}
		load(0, terrain.Key{X: 1, Y: 1})
		one := plots()
		load(0, all...)
		nine := plots()
		load(streaming.None, all[:8]...)
		last := plots()
		load(streaming.None, all...)
		none := plots()
		if !(one > 0 && one < nine && last > 0 && last < nine) || none != 0 {
			t.Errorf("anchored %v: plots: %d over one tile, %d over nine, %d over the last, %d over none", anchored, one, nine, last, none)
		}
	}
}
