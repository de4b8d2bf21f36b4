package vkterrain_test

import (
	"context"
	"image"
	"math"
	"path/filepath"
	"testing"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/billod"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/terrain/edit"
	"github.com/vkterrain/vkterrain/terrain/synth"
	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// measured bakes f with what the published tests of BilLOD need.
func measured(t testing.TB, f *terrain.Field, tile int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "measured.vkt")
	if _, err := bake.Bake(context.Background(), f, bake.Options{TileSize: tile, Layers: []string{bake.LayerColour, bake.LayerBilLOD}}, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// frozen draws v with the levels of detail of lod.
func (s *stage) frozen(v, lod *lodcpu.View, look *pipeline.Look) *image.RGBA {
	f, err := s.dev.BeginFrame()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.ter.PrepareFrozen(f, v, lod, look); err != nil {
		s.t.Fatal(err)
	}
	s.target.Begin(f.Cmd, [4]float32{}, 0)
	s.ter.Draw(f.Cmd)
	s.target.End(f.Cmd)
	s.target.RecordReadback(f.Cmd)
	if err := f.Submit(); err != nil {
		s.t.Fatal(err)
	}
	if err := s.dev.Graphics.Wait(f.Value, -1); err != nil {
		s.t.Fatal(err)
	}
	return s.target.Picture()
}

// sound fails t if the last frame has a crack.
func (s *stage) sound() (c vkterrain.Check) {
	s.t.Helper()
	c, err := s.ter.Check()
	if err != nil || c.Cracks > 0 || c.Uncovered > 0 || c.CheckedSamples < 1000 {
		s.t.Errorf("%+v %v", c, err)
	}
	return c
}

// density returns how many triangles a mesh has between two distances from a place, for
// each 1000 m² of the ring.
func density(m *vkterrain.Mesh, x, z, least, most float64) float64 {
	n := 0
	for _, t := range m.Triangles {
		cx, cz := 0.0, 0.0
		for _, v := range t {
			cx, cz = cx+m.Vertices[v][0]/3, cz+m.Vertices[v][2]/3
		}
		if r := math.Hypot(cx-x, cz-z); r >= least && r < most {
			n++
		}
	}
	return 1000 * float64(n) / (math.Pi * (most*most - least*least))
}

// TestBilLODCone draws the article's cone: many triangles at its foot and its top, few
// on the plain and on its sides.
func TestBilLODCone(t *testing.T) {
	f, err := synth.Cone(129)
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, vktest.Device(t), measured(t, f, 129), 384, 256, vkterrain.Options{
		Algorithm: vkterrain.BilLOD, Classic: true, Topology: lodcpu.List,
		Thresholds: billod.Thresholds{Far: 14000, Detail: 150, MinimalDepth: 1},
	})
	v := view(512, 700, 1350, 0, -38, 384, 256, 1)
	look := &pipeline.Look{View: pipeline.Wireframe}
	s.settle(v, look)
	vktest.Golden(t, s.frame(v, look, true), "testdata/golden/billod_cone.png")
	s.sound()
	m := s.ter.Mesh()
	side, foot, plain := density(m, 512, 512, 60, 250), density(m, 512, 512, 280, 330), density(m, 512, 512, 380, 512)
	t.Logf("%d triangles; for 1000 m² of sides %.2f, of the foot %.2f, of the plain %.2f", len(m.Triangles), side, foot, plain)
	if foot < 2*side || foot < 4*plain {
		t.Error("the foot has not many more triangles than all else")
	}
}

// TestBilLODCrater stands in the article's crater, freezes the levels of detail and
// looks at them from above: all of it near the crater, less and less farther off.
func TestBilLODCrater(t *testing.T) {
	f, err := synth.Crater(257)
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, vktest.Device(t), measured(t, f, 65), 384, 384, vkterrain.Options{
		Algorithm: vkterrain.BilLOD, Classic: true, Topology: lodcpu.List,
		Thresholds: billod.Thresholds{Near: 150, Far: 6000, Detail: 40},
	})
	inside, above := view(1024, -60, 1024, 0, 0, 384, 384, 1), view(1024, 2300, 1024, 0, -90, 384, 384, 1)
	look := &pipeline.Look{View: pipeline.Wireframe, DrawAll: true}
	s.settle(inside, look)
	vktest.Golden(t, s.frozen(above, inside, look), "testdata/golden/billod_crater.png")
	s.sound()
	m := s.ter.Mesh()
	near, bowl, far := density(m, 1024, 1024, 0, 150), density(m, 1024, 1024, 150, 350), density(m, 1024, 1024, 500, 1024)
	t.Logf("%d triangles; for 1000 m² near the eye %.2f, in the crater %.2f, beyond it %.2f", len(m.Triangles), near, bowl, far)
	if near < 7 || near < bowl || bowl < 2*far {
		t.Error("detail does not diminish with the distance")
	}
}

// TestBilLODSkyline looks at mountains behind blue air, and again with the far
// threshold lowered: the line of the mountains stays, in far fewer triangles.
func TestBilLODSkyline(t *testing.T) {
	f, err := synth.Generate(context.Background(), synth.Options{Width: 257, Height: 257, Spacing: 120, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, vktest.Device(t), measured(t, f, 65), 512, 192, vkterrain.Options{
		Algorithm: vkterrain.BilLOD, Classic: true, Topology: lodcpu.List,
	})
	th := billod.Default(s.ter.World())
	v := view(15000, 900, 28000, -5, 1, 512, 192, 1)
	look := &pipeline.Look{Haze: 5e-5}
	picture := func(far float64, golden string) (*image.RGBA, int) {
		th.Far = far
		s.ter.SetThresholds(th)
		s.settle(v, look)
		img := s.frame(v, look, true)
		vktest.Golden(t, img, "testdata/golden/"+golden)
		s.sound()
		return img, s.ter.Stats().Triangles
	}
	fine, many := picture(th.Far, "billod_skyline.png")
	th.Detail /= 8
	coarse, few := picture(th.Far/64, "billod_skyline_far.png")
	mean, _, _ := vktest.Compare(fine, coarse)
	t.Logf("%d triangles, %d with the far threshold lowered; pictures differ by %.2f on average", many, few, mean)
	if many < few+1300 || mean > 6 || math.IsNaN(mean) {
		t.Errorf("%d triangles, and %d; pictures differ by %.2f", many, few, mean)
	}
}

// TestBilLODKeepsTheTolerance: what is drawn is what SOAR draws, by both topologies; a
// near threshold adds to it. By the published tests there is no bound, nor a crack.
func TestBilLODKeepsTheTolerance(t *testing.T) {
	dev := vktest.Device(t)
	path := measured(t, hills(), 65)
	over, look := view(1280, 1900, 2100, 15, -75, 256, 256, 12), &pipeline.Look{}
	draw := func(o vkterrain.Options) (*stage, vkterrain.Check, int) {
		s := newStage(t, dev, path, 256, 256, o)
		s.settle(over, look)
		s.frame(over, look, false)
		c, st := s.sound(), s.ter.Stats()
		if mesh := s.ter.Mesh(); len(mesh.Triangles) != st.Triangles || st.Algorithm != o.Algorithm {
			t.Errorf("%+v: %d triangles drawn by %v, %d in the mesh", o, st.Triangles, st.Algorithm, len(mesh.Triangles))
		}
		return s, c, st.Triangles
	}
	_, _, soar := draw(vkterrain.Options{})
	for _, topology := range []lodcpu.Topology{lodcpu.Strip, lodcpu.List} {
		s, c, n := draw(vkterrain.Options{Algorithm: vkterrain.BilLOD, Topology: topology})
		if n != soar || c.MeasuredErrorPx > over.Tau || c.MeasuredErrorPx < over.Tau/3 {
			t.Errorf("%v: %d triangles, %d by SOAR: %+v", topology, n, soar, c)
		}
		s.ter.SetThresholds(billod.Thresholds{Near: 1500})
		s.settle(over, look)
		s.frame(over, look, false)
		if more := s.ter.Stats().Triangles; more < n*5/4 || s.sound().MeasuredErrorPx > over.Tau || s.ter.Thresholds().Near != 1500 {
			t.Errorf("%v: %d triangles, %d with a near threshold", topology, n, more)
		}
		_, c, few := draw(vkterrain.Options{Algorithm: vkterrain.BilLOD, Topology: topology, Classic: true, Thresholds: billod.Thresholds{Far: 100, Detail: 0.5}})
		if few >= n || c.MeasuredErrorPx < over.Tau {
			t.Errorf("%v: %d triangles by the published tests: %+v", topology, few, c)
		}
	}
}

// TestNoHolesByBilLOD looks down on mixes of levels of a world with holes, before a
// magenta background.
func TestNoHolesByBilLOD(t *testing.T) {
	dev := vktest.Device(t)
	plain, holed := measured(t, hills(), 33), measured(t, punched(), 33)
	open := 0
	for seed := range 4 {
		o := vkterrain.Options{
			Algorithm: vkterrain.BilLOD, Classic: seed < 2, Thresholds: billod.Thresholds{Near: 300, Far: 4000, Detail: 20}, Topology: lodcpu.Topology(seed % 2),
			Levels: func(k terrain.Key) terrain.Level {
				return terrain.Level((uint32(k.X)*7 + uint32(k.Y)*13 + uint32(seed)*5) % 3)
			},
		}
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

// TestBilLODFlight flies over a world that streams in and out while thresholds turn, by
// the published tests: measures come and go with the levels.
func TestBilLODFlight(t *testing.T) {
	dev := vktest.Device(t)
	s := newStage(t, dev, measured(t, testworld.Rough(513, 513, 3), 65), 128, 96, vkterrain.Options{
		UploadBytes: 1 << 16, Algorithm: vkterrain.BilLOD, Classic: true,
	})
	look := &pipeline.Look{}
	for i := range 600 {
		a := float64(i) / 600
		v := view(2560+2400*math.Sin(a*9), 300+200*math.Cos(a*31), 2560+2400*math.Cos(a*9), a*700, -20, 128, 96, 2)
		s.ter.SetThresholds(billod.Thresholds{Near: 60, Far: 400 + 400*math.Sin(a*50), Detail: 3, MinimalDepth: i / 300})
		s.frame(v, look, false)
		if i%100 == 99 {
			if c, err := s.ter.Check(); err != nil || c.Cracks > 0 {
				t.Fatalf("frame %d: %+v %v", i, c, err)
			}
		}
	}
	if st := s.ter.Stats(); st.Streaming.Evictions == 0 || st.Triangles == 0 {
		t.Errorf("nothing was exercised: %+v", st.Streaming)
	}
}

// TestBilLODAnchored: meshes made in the background keep the bound with a near threshold,
// which may turn, and with vertices on their way; the published tests are done frame by
// frame.
func TestBilLODAnchored(t *testing.T) {
	dev := vktest.Device(t)
	path := measured(t, hills(), 65)
	over, look := view(1280, 900, 2100, 15, -45, 256, 256, 6), &pipeline.Look{}
	for _, classic := range []bool{false, true} {
		s := newStage(t, dev, path, 256, 256, vkterrain.Options{
			Algorithm: vkterrain.BilLOD, Anchored: true, Classic: classic, Morph: 1, Thresholds: billod.Thresholds{Far: 1000, Detail: 10},
		})
		before := 0
		for _, near := range []float64{0, 1200} {
			th := s.ter.Thresholds()
			th.Near = near
			s.ter.SetThresholds(th)
			s.settle(over, look)
			for range 5 {
				over.Eye[0] += 3
				s.frame(over, look, false)
			}
			c, st := s.sound(), s.ter.Stats()
			if rising := s.rising() > 0; rising == classic || st.Anchored == classic || st.Triangles < before*5/4 || !classic && c.MeasuredErrorPx > over.Tau {
				t.Errorf("classic %v, near %g: %d triangles, before %d, anchored %v: %+v", classic, near, st.Triangles, before, st.Anchored, c)
			}
			before = st.Triangles
		}
	}
}

// rising returns how many vertices of the last frame are off their own heights.
func (s *stage) rising() (n int) {
	f, err := vkterrain.ReadField(s.ter.Reader())
	if err != nil {
		s.t.Fatal(err)
	}
	for _, v := range s.ter.Mesh().Vertices {
		x, z := int(math.Round(v[0]/f.Spacing)), int(math.Round(v[2]/f.Spacing))
		if math.Abs(v[1]-float64(f.At(x, z))*f.Quantum) > 0.01 {
			n++
		}
	}
	return n
}

// TestBilLODWithinABudget: a budget shrinks thresholds too.
func TestBilLODWithinABudget(t *testing.T) {
	dev := vktest.Device(t)
	path := measured(t, hills(), 65)
	over, look := view(1280, 900, 2100, 15, -45, 256, 256, 1), &pipeline.Look{}
	for _, classic := range []bool{false, true} {
		s := newStage(t, dev, path, 256, 256, vkterrain.Options{
			Algorithm: vkterrain.BilLOD, Classic: classic, Budget: lodcpu.Budget{Triangles: 3000},
			Thresholds: billod.Thresholds{Near: 1000, Far: 10000, Detail: 100},
		})
		s.settle(over, look)
		s.frame(over, look, false)
		s.sound()
		if st := s.ter.Stats(); st.Triangles > 3000 || st.Triangles < 500 {
			t.Errorf("classic %v: %d triangles", classic, st.Triangles)
		}
	}
}

// TestBilLODRefuses: what cannot be done is said when a world is opened.
func TestBilLODRefuses(t *testing.T) {
	dev := vktest.Device(t)
	for want, o := range map[string]vkterrain.Options{
		"the published tests of BilLOD need measures that the world has not kept: bake it with --algo billod": {Classic: true},
		"near threshold of -1 m: must be 0 or more":                                                           {Thresholds: billod.Thresholds{Near: -1}},
	} {
		o.Algorithm = vkterrain.BilLOD
		o.ColorFormat, o.DepthFormat = vk.FormatRGBA8, vk.FormatD32
		if ter, err := vkterrain.Open(bakeWorld(t, testworld.Rough(33, 33, 1), 33, 0, 0), dev, o); err == nil || err.Error() != want {
			t.Errorf("opened %v with %v, want %s", ter, err, want)
		}
	}
	session, err := edit.Open(measured(t, testworld.Rough(33, 33, 1), 33), edit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	_, err = vkterrain.OpenSession(session, dev, vkterrain.Options{Algorithm: vkterrain.BilLOD, Classic: true})
	if err == nil || err.Error() != "the published tests of BilLOD do not follow edits" {
		t.Error(err)
	}
}
