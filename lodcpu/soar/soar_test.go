package soar_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
	"github.com/vkterrain/vkterrain/meshcheck"
	"github.com/vkterrain/vkterrain/terrain"
)

// scene is a world with a level loaded in every tile.
type scene struct {
	*testworld.World
	levels map[terrain.Key]int8
}

func (s *scene) near(k terrain.Key) lodcpu.Neighbourhood {
	var n lodcpu.Neighbourhood
	for i := range n {
		l, ok := s.levels[terrain.Key{X: k.X + int32(i%3) - 1, Y: k.Y + int32(i/3) - 1}]
		if !ok {
			l = lodcpu.Absent
		}
		n[i] = l
	}
	return n
}

func (s *scene) drawn(k terrain.Key) bool { _, ok := s.levels[k]; return ok }

// mesh refines every tile and returns what would be drawn.
func (s *scene) mesh(t testing.TB, topology lodcpu.Topology, law *lodcpu.Law) (*meshcheck.Mesh, lodcpu.Counts) {
	layout := s.Layout()
	r := soar.New(layout, topology)
	dst := make([]uint32, r.MaxIndices(0))
	m := &meshcheck.Mesh{}
	var sum lodcpu.Counts
	for k, level := range s.levels {
		tile, near := s.Tile(k, terrain.Level(level)), s.near(k)
		c, ok := r.Refine(dst[:r.MaxIndices(terrain.Level(level))], tile, &near, law)
		if !ok {
			t.Fatalf("tile %v level %d: MaxIndices is too small", k, level)
		}
		first := uint32(len(m.Vertices))
		for id, p := range layout.Grid[:len(tile.Verts)] {
			x := min(int(k.X)*layout.Cells+int(p.X), s.Width-1)
			z := min(int(k.Y)*layout.Cells+int(p.Z), s.Height-1)
			m.Vertices = append(m.Vertices, [3]float64{
				s.OriginX + float64(x)*s.Spacing,
				float64(float32(tile.Info.Base+int32(tile.Verts[id].Height)) * float32(s.Quantum)),
				s.OriginZ + float64(z)*s.Spacing,
			})
		}
		triangles := 0
		lodcpu.Triangles(topology, dst[:c.Indices], func(a, b, c uint32) {
			if topology == lodcpu.Strip && flat(m, first+a, first+b, first+c) {
				return
			}
			triangles++
			m.Triangles = append(m.Triangles, [3]uint32{first + a, first + b, first + c})
		})
		if triangles != c.Triangles {
			t.Fatalf("tile %v: counted %d triangles, wrote %d", k, c.Triangles, triangles)
		}
		sum.Add(c)
	}
	return m, sum
}

// flat says whether a triangle has no area seen from above.
func flat(m *meshcheck.Mesh, a, b, c uint32) bool {
	p, q, r := m.Vertices[a], m.Vertices[b], m.Vertices[c]
	return (q[0]-p[0])*(r[2]-p[2]) == (r[0]-p[0])*(q[2]-p[2])
}

// culled returns the law of a view, and in three of four cases what culls to it or
// to another view's picture.
func culled(v *lodcpu.View, w *terrain.World, rng *rand.Rand) lodcpu.Law {
	law := v.Law(w)
	switch rng.IntN(4) {
	case 0:
	case 1:
		other := *v
		other.Yaw += rng.Float64() * 2
		other.Eye[0] += 100 * rng.NormFloat64()
		law.Cull = other.Cull(v.Eye)
	default:
		law.Cull = v.Cull(v.Eye)
	}
	return law
}

func randomView(rng *rand.Rand, f *terrain.Field, tau float64) *lodcpu.View {
	w, h := float64(f.Width)*f.Spacing, float64(f.Height)*f.Spacing
	return &lodcpu.View{
		Eye: mgl64.Vec3{(rng.Float64()*1.4 - 0.2) * w, rng.Float64()*600 - 20, (rng.Float64()*1.4 - 0.2) * h},
		Yaw: rng.Float64() * 7, Pitch: (rng.Float64()*1.3 - 1) * math.Pi / 2,
		FovY: 0.3 + rng.Float64(), Width: 200 + rng.IntN(1700), Height: 200 + rng.IntN(900), Tau: tau,
	}
}

// TestWatertight draws 2×2 tiles with every mix of loaded levels, absent
// tiles included, for 100 cameras, in both topologies.
func TestWatertight(t *testing.T) {
	f := testworld.Rough(65, 65, 1)
	w := testworld.New(f, 33, 0, 0)
	choices := w.Layout().Levels + 1 // and absent
	keys := []terrain.Key{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 0, Y: 1}, {X: 1, Y: 1}}
	rng := rand.New(rand.NewPCG(1, 1))
	cameras := 100
	if testing.Short() {
		cameras = 10
	}
	meshes := 0
	for cam := range cameras {
		v := randomView(rng, f, math.Exp2(rng.Float64()*6))
		law := culled(v, &w.World, rng)
		for mix := range choices * choices * choices * choices {
			s := &scene{w, map[terrain.Key]int8{}}
			m := mix
			for _, k := range keys {
				if l := m % choices; l > 0 {
					s.levels[k] = int8(l - 1)
				}
				m /= choices
			}
			if len(s.levels) == 0 || (len(s.levels) < 4 && cam%10 != 0) {
				continue
			}
			topology := lodcpu.Topology((mix + cam) % 2)
			mesh, _ := s.mesh(t, topology, &law)
			if n, first := meshcheck.Watertight(&w.World, mesh, s.drawn); n > 0 {
				t.Fatalf("camera %d, levels %v, %v: %d faults: %s", cam, s.levels, topology, n, first)
			}
			meshes++
		}
	}
	t.Logf("%d meshes", meshes)
}

// TestWatertightPadded does the same for a source that is no multiple of the
// tile, over 4×3 tiles with random levels.
func TestWatertightPadded(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, size := range [][2]int{{100, 70}, {66, 65}, {98, 49}, {2, 2}, {3, 50}} {
		f := testworld.Rough(size[0], size[1], 2)
		w := testworld.New(f, 33, 0, 0)
		for range 40 {
			s := &scene{w, map[terrain.Key]int8{}}
			for k := range w.Infos {
				s.levels[k] = int8(rng.IntN(w.Layout().Levels))
			}
			law := culled(randomView(rng, f, 2), &w.World, rng)
			for _, topology := range []lodcpu.Topology{lodcpu.Strip, lodcpu.List} {
				m, _ := s.mesh(t, topology, &law)
				if n, first := meshcheck.Watertight(&w.World, m, s.drawn); n > 0 {
					t.Fatalf("%v levels %v, %v: %d faults: %s", size, s.levels, topology, n, first)
				}
			}
		}
	}
}

// TestScreenError measures the promise: no full-resolution sample in view is
// drawn more than tau pixels off.
func TestScreenError(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, size := range [][2]int{{257, 257}, {200, 150}} {
		f := testworld.Rough(size[0], size[1], 4)
		w := testworld.New(f, 65, 5000, -3000)
		s := &scene{w, map[terrain.Key]int8{}}
		for k := range w.Infos {
			s.levels[k] = 0
		}
		full, _ := s.mesh(t, lodcpu.List, ptr(lodcpu.FullLaw(&w.World)))
		for _, tau := range []float64{1, 2, 4, 8} {
			worst, least := 0.0, math.MaxInt
			for cam := range 25 {
				v := randomView(rng, f, tau)
				v.Eye[0] += 5000
				v.Eye[2] -= 3000
				law := v.Law(&w.World)
				m, c := s.mesh(t, lodcpu.Topology(cam%2), &law)
				e := meshcheck.ScreenError(f, w.OriginX, w.OriginZ, m, camera(v))
				if e.Worst > tau || e.Uncovered > 0 {
					t.Fatalf("tau %g, view %+v: %.3f px at %v, %d samples uncovered", tau, *v, e.Worst, e.At, e.Uncovered)
				}
				worst, least = max(worst, e.Worst), min(least, c.Triangles)
			}
			t.Logf("%v tau %g: worst %.3f px, from %d of %d triangles", size, tau, worst, least, len(full.Triangles))
			if worst < tau/3 || least > len(full.Triangles)/2 {
				t.Errorf("%v tau %g: worst %.3f px with %d triangles: nothing was tested", size, tau, worst, least)
			}
		}
	}
}

// TestCulledPictureIsTheSame measures with and without culling: each sample in the
// picture must be drawn at the same height, in far fewer triangles.
func TestCulledPictureIsTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	f := testworld.Rough(257, 257, 4)
	w := testworld.New(f, 65, 0, 0)
	s := &scene{w, map[terrain.Key]int8{}}
	for k := range w.Infos {
		s.levels[k] = 0
	}
	all, kept := 0, 0
	for cam := range 60 {
		v := randomView(rng, f, math.Exp2(rng.Float64()*4))
		law := v.Law(&w.World)
		whole, a := s.mesh(t, lodcpu.Topology(cam%2), &law)
		law.Cull = v.Cull(v.Eye)
		part, b := s.mesh(t, lodcpu.Topology(cam%2), &law)
		if n, first := meshcheck.Watertight(&w.World, part, s.drawn); n > 0 {
			t.Fatalf("view %+v: %d faults: %s", *v, n, first)
		}
		want := meshcheck.ScreenError(f, 0, 0, whole, camera(v))
		got := meshcheck.ScreenError(f, 0, 0, part, camera(v))
		if want != got || got.Worst > v.Tau {
			t.Fatalf("view %+v: %+v, not culled %+v", *v, got, want)
		}
		pokes(t, f, v, drawnHeights(f, whole), drawnHeights(f, part))
		all, kept = all+a.Triangles, kept+b.Triangles
	}
	t.Logf("%d of %d triangles", kept, all)
	if kept > all*7/10 {
		t.Errorf("%d of %d triangles are left", kept, all)
	}
}

// TestHollowsDoNotPoke looks over pillars between which every vertex is deep: left
// out because it is below the picture, it would be drawn as high as they are.
func TestHollowsDoNotPoke(t *testing.T) {
	f := &terrain.Field{Width: 33, Height: 33, Spacing: 10, Quantum: 1, Samples: make([]int32, 33*33)}
	for z := 0; z < 33; z += 2 {
		for x := 0; x < 33; x += 2 {
			f.Samples[z*33+x] = 100
		}
	}
	w := testworld.New(f, 33, 0, 0)
	s := &scene{w, map[terrain.Key]int8{{}: 0}}
	rng := rand.New(rand.NewPCG(7, 7))
	for range 50 {
		v := randomView(rng, f, 1)
		v.Eye[1], v.Pitch, v.FovY = 100+rng.Float64(), 0, 0.3
		law := v.Law(&w.World)
		whole, _ := s.mesh(t, lodcpu.List, &law)
		law.Cull = v.Cull(v.Eye)
		part, _ := s.mesh(t, lodcpu.List, &law)
		pokes(t, f, v, drawnHeights(f, whole), drawnHeights(f, part))
	}
}

// pokes fails where a sample is drawn otherwise than without culling, and in the
// picture.
func pokes(t *testing.T, f *terrain.Field, v *lodcpu.View, whole, part []float64) {
	t.Helper()
	for i, h := range part {
		if h == whole[i] {
			continue
		}
		p := mgl64.Vec3{float64(i%f.Width) * f.Spacing, h, float64(i/f.Width) * f.Spacing}
		if x, y, _, ok := v.Project(p); ok && x >= 0 && y >= 0 && x <= float64(v.Width) && y <= float64(v.Height) {
			t.Fatalf("view %+v: what is drawn of sample %d in place of %g m pokes into the picture at %g m", *v, i, whole[i], h)
		}
	}
}

// drawnHeights returns the height of a mesh at every sample, in metres.
func drawnHeights(f *terrain.Field, m *meshcheck.Mesh) []float64 {
	heights := make([]float64, f.Width*f.Height)
	for _, tri := range m.Triangles {
		a, b, c := m.Vertices[tri[0]], m.Vertices[tri[1]], m.Vertices[tri[2]]
		area := (b[0]-a[0])*(c[2]-a[2]) - (c[0]-a[0])*(b[2]-a[2])
		for z := min(a[2], b[2], c[2]); z <= max(a[2], b[2], c[2]); z += f.Spacing {
			for x := min(a[0], b[0], c[0]); x <= max(a[0], b[0], c[0]); x += f.Spacing {
				wb := ((x-a[0])*(c[2]-a[2]) - (c[0]-a[0])*(z-a[2])) / area
				wc := ((b[0]-a[0])*(z-a[2]) - (x-a[0])*(b[2]-a[2])) / area
				if wb >= 0 && wc >= 0 && wb+wc <= 1 {
					heights[int(z/f.Spacing)*f.Width+int(x/f.Spacing)] = a[1] + wb*(b[1]-a[1]) + wc*(c[1]-a[1])
				}
			}
		}
	}
	return heights
}

// TestNeededLevelsSuffice loads only what Law.Needs asks for, balanced to one
// level between neighbours, and measures the error again.
func TestNeededLevelsSuffice(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	f := testworld.Rough(257, 257, 6)
	w := testworld.New(f, 33, 0, 0)
	spared := 0
	for range 60 {
		v := randomView(rng, f, 2+6*rng.Float64())
		v.Eye[1] += 1500 * rng.Float64()
		law := v.Law(&w.World)
		s := &scene{w, map[terrain.Key]int8{}}
		for k, info := range w.Infos {
			s.levels[k] = int8(law.Needs(w.Layout(), info))
		}
		testworld.Balance(s.levels)
		for _, l := range s.levels {
			spared += int(l)
		}
		m, _ := s.mesh(t, lodcpu.List, &law)
		all := &scene{w, map[terrain.Key]int8{}}
		for k := range w.Infos {
			all.levels[k] = 0
		}
		if same, _ := all.mesh(t, lodcpu.List, &law); len(same.Triangles) != len(m.Triangles) {
			t.Fatalf("%d triangles with the needed levels, %d with all", len(m.Triangles), len(same.Triangles))
		}
		if e := meshcheck.ScreenError(f, 0, 0, m, camera(v)); e.Worst > v.Tau || e.Uncovered > 0 {
			t.Fatalf("%+v: %.3f px, %d uncovered", *v, e.Worst, e.Uncovered)
		}
	}
	if spared == 0 {
		t.Error("every tile needed its finest level: nothing was tested")
	}
}

func TestStripAndListAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, size := range [][2]int{{65, 65}, {50, 60}} {
		f := testworld.Rough(size[0], size[1], 8)
		w := testworld.New(f, 33, 0, 0)
		for range 50 {
			s := &scene{w, map[terrain.Key]int8{}}
			for _, k := range []terrain.Key{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 0, Y: 1}, {X: 1, Y: 1}} {
				s.levels[k] = int8(rng.IntN(3))
			}
			law := culled(randomView(rng, f, 4), &w.World, rng)
			strip, _ := s.mesh(t, lodcpu.Strip, &law)
			list, _ := s.mesh(t, lodcpu.List, &law)
			a, b := triangleSet(strip), triangleSet(list)
			if len(a) != len(b) || len(a) == 0 {
				t.Fatalf("strip has %d triangles, list %d", len(a), len(b))
			}
			for k := range a {
				if !b[k] {
					t.Fatalf("triangle %v is in the strip only", k)
				}
			}
		}
	}
}

// triangleSet names every triangle by its corners in world space, rotated so
// that the least comes first: the winding is kept.
func triangleSet(m *meshcheck.Mesh) map[[3][3]float64]bool {
	less := func(a, b [3]float64) bool { return a[0] < b[0] || a[0] == b[0] && a[2] < b[2] }
	set := map[[3][3]float64]bool{}
	for _, tri := range m.Triangles {
		p := [3][3]float64{m.Vertices[tri[0]], m.Vertices[tri[1]], m.Vertices[tri[2]]}
		for less(p[1], p[0]) || less(p[2], p[0]) {
			p = [3][3]float64{p[1], p[2], p[0]}
		}
		set[p] = true
	}
	return set
}

// TestFlatGrid checks area and orientation where nothing but the grid counts.
func TestFlatGrid(t *testing.T) {
	f := &terrain.Field{Width: 33, Height: 33, Spacing: 1, Quantum: 1, Samples: make([]int32, 33*33)}
	w := testworld.New(f, 33, 0, 0)
	s := &scene{w, map[terrain.Key]int8{{}: 0}}
	for _, topology := range []lodcpu.Topology{lodcpu.Strip, lodcpu.List} {
		law := lodcpu.FullLaw(&w.World)
		m, c := s.mesh(t, topology, &law)
		if n, first := meshcheck.Watertight(&w.World, m, s.drawn); n > 0 || c.Triangles != 2*32*32 {
			t.Errorf("%v: %d triangles, %d faults: %s", topology, c.Triangles, n, first)
		}
		law = (&lodcpu.View{Eye: mgl64.Vec3{0, 1e6, 0}, FovY: 1, Width: 100, Height: 100, Tau: 1}).Law(&w.World)
		if _, c := s.mesh(t, topology, &law); c.Triangles != 4 {
			t.Errorf("%v from afar: %d triangles, want the tile's 4", topology, c.Triangles)
		}
	}
}

func TestShortBufferIsRefused(t *testing.T) {
	f := testworld.Rough(33, 33, 1)
	w := testworld.New(f, 33, 0, 0)
	law := lodcpu.FullLaw(&w.World)
	near := (&scene{w, map[terrain.Key]int8{{}: 0}}).near(terrain.Key{})
	for _, topology := range []lodcpu.Topology{lodcpu.Strip, lodcpu.List} {
		r := soar.New(w.Layout(), topology)
		dst := make([]uint32, r.MaxIndices(0))
		c, ok := r.Refine(dst, w.Tile(terrain.Key{}, 0), &near, &law)
		if !ok {
			t.Fatal("full buffer refused")
		}
		for _, n := range []int{0, 1, 2, 3, 100, c.Indices - 1} {
			if _, ok := r.Refine(dst[:n], w.Tile(terrain.Key{}, 0), &near, &law); ok {
				t.Errorf("%v: %d indices accepted, %d needed", topology, n, c.Indices)
			}
		}
	}
}

func TestRefineDoesNotAllocate(t *testing.T) {
	f := testworld.Rough(129, 129, 1)
	w := testworld.New(f, 65, 0, 0)
	s := &scene{w, map[terrain.Key]int8{{X: 0, Y: 0}: 0, {X: 1, Y: 0}: 2}}
	near := s.near(terrain.Key{})
	law := randomView(rand.New(rand.NewPCG(1, 1)), f, 1).Law(&w.World)
	tile := w.Tile(terrain.Key{}, 0)
	for _, topology := range []lodcpu.Topology{lodcpu.Strip, lodcpu.List} {
		r := soar.New(w.Layout(), topology)
		dst := make([]uint32, r.MaxIndices(0))
		if n := testing.AllocsPerRun(20, func() { r.Refine(dst, tile, &near, &law) }); n != 0 {
			t.Errorf("%v: %g allocations", topology, n)
		}
	}
}

func camera(v *lodcpu.View) *meshcheck.Camera {
	return &meshcheck.Camera{Eye: v.Eye, Yaw: v.Yaw, Pitch: v.Pitch, FovY: v.FovY, Width: v.Width, Height: v.Height}
}

func ptr[T any](v T) *T { return &v }

func BenchmarkRefine(b *testing.B) {
	f := testworld.Rough(1025, 1025, 3)
	for _, topology := range []lodcpu.Topology{lodcpu.List, lodcpu.Strip} {
		for _, tau := range []float64{1, 4} {
			b.Run(fmt.Sprintf("%v/1025/tau%g", topology, tau), func(b *testing.B) {
				w := testworld.New(f, 129, 0, 0)
				v := &lodcpu.View{Eye: mgl64.Vec3{5120, 400, 10240}, Pitch: -0.2, FovY: 0.6, Width: 1920, Height: 1080, Tau: tau}
				benchRefine(b, w, v, topology)
			})
		}
	}
}

func benchRefine(b *testing.B, w *testworld.World, v *lodcpu.View, topology lodcpu.Topology) {
	s := &scene{w, map[terrain.Key]int8{}}
	for k := range w.Infos {
		s.levels[k] = 0
	}
	type work struct {
		tile *terrain.Tile
		near lodcpu.Neighbourhood
	}
	var list []work
	for k := range s.levels {
		list = append(list, work{w.Tile(k, 0), s.near(k)})
	}
	law := v.Law(&w.World)
	r := soar.New(w.Layout(), topology)
	dst := make([]uint32, r.MaxIndices(0))
	var sum lodcpu.Counts
	for b.Loop() {
		sum = lodcpu.Counts{}
		for i := range list {
			c, _ := r.Refine(dst, list[i].tile, &list[i].near, &law)
			sum.Add(c)
		}
	}
	sec := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(float64(sum.Triangles), "triangles")
	b.ReportMetric(sec*1e9/float64(sum.Triangles), "ns/triangle")
	b.ReportMetric(float64(sum.Triangles)/sec/1e6, "Mtri/s")
	b.ReportMetric(float64(sum.Indices)/sec/1e6, "Midx/s")
}

// BenchmarkIndexWrite refines with every vertex active: the rate at which
// indices can be written when nothing is left to decide.
func BenchmarkIndexWrite(b *testing.B) {
	w := testworld.New(testworld.Rough(129, 129, 3), 129, 0, 0)
	law := lodcpu.FullLaw(&w.World)
	near := (&scene{w, map[terrain.Key]int8{{}: 0}}).near(terrain.Key{})
	tile := w.Tile(terrain.Key{}, 0)
	for _, topology := range []lodcpu.Topology{lodcpu.List, lodcpu.Strip} {
		b.Run(topology.String(), func(b *testing.B) {
			r := soar.New(w.Layout(), topology)
			dst := make([]uint32, r.MaxIndices(0))
			var c lodcpu.Counts
			for b.Loop() {
				c, _ = r.Refine(dst, tile, &near, &law)
			}
			rate := float64(c.Indices) * float64(b.N) / b.Elapsed().Seconds()
			b.ReportMetric(rate/1e6, "Midx/s")
			b.ReportMetric(rate*4/1e6, "MB/s")
		})
	}
}
