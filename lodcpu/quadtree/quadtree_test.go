package quadtree_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/quadtree"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
	"github.com/vkterrain/vkterrain/meshcheck"
	"github.com/vkterrain/vkterrain/terrain"
)

// scene is a world with a level loaded in every tile.
type scene struct {
	*testworld.World
	levels map[terrain.Key]int8
}

// whole is a world with all levels loaded.
func whole(w *testworld.World) *scene {
	s := &scene{w, map[terrain.Key]int8{}}
	for k := range w.Infos {
		s.levels[k] = 0
	}
	return s
}

func (s *scene) near(k terrain.Key) (n lodcpu.Neighbourhood) {
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

// mesh refines every tile by r and returns what would be drawn.
func (s *scene) mesh(t testing.TB, r lodcpu.Refiner, topology lodcpu.Topology, law *lodcpu.Law) (*meshcheck.Mesh, lodcpu.Counts) {
	layout := s.Layout()
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

// draw is mesh by a new refiner of this package.
func (s *scene) draw(t testing.TB, topology lodcpu.Topology, law *lodcpu.Law) (*meshcheck.Mesh, lodcpu.Counts) {
	return s.mesh(t, quadtree.New(s.Layout(), topology), topology, law)
}

// flat says whether a triangle has no area seen from above.
func flat(m *meshcheck.Mesh, a, b, c uint32) bool {
	p, q, r := m.Vertices[a], m.Vertices[b], m.Vertices[c]
	return (q[0]-p[0])*(r[2]-p[2]) == (r[0]-p[0])*(q[2]-p[2])
}

// area returns the area of a mesh seen from above, in cells: of triangles that
// face down it is below 0.
func (s *scene) area(m *meshcheck.Mesh) (sum float64) {
	for _, t := range m.Triangles {
		p, q, r := m.Vertices[t[0]], m.Vertices[t[1]], m.Vertices[t[2]]
		sum += ((q[2]-p[2])*(r[0]-p[0]) - (q[0]-p[0])*(r[2]-p[2])) / 2
	}
	return sum / (s.Spacing * s.Spacing)
}

func anyView(rng *rand.Rand, f *terrain.Field, tau float64) *lodcpu.View {
	w, h := float64(f.Width)*f.Spacing, float64(f.Height)*f.Spacing
	return &lodcpu.View{
		Eye: mgl64.Vec3{(rng.Float64()*1.4 - 0.2) * w, rng.Float64()*600 - 20, (rng.Float64()*1.4 - 0.2) * h},
		Yaw: rng.Float64() * 7, Pitch: (rng.Float64()*1.3 - 1) * math.Pi / 2,
		FovY: 0.3 + rng.Float64(), Width: 200 + rng.IntN(1700), Height: 200 + rng.IntN(900), Tau: tau,
	}
}

func camera(v *lodcpu.View) *meshcheck.Camera {
	return &meshcheck.Camera{Eye: v.Eye, Yaw: v.Yaw, Pitch: v.Pitch, FovY: v.FovY, Width: v.Width, Height: v.Height}
}

// spikes is a plain with a few samples and patches that are not: what is active
// lies close together, with all kinds of neighbours.
func spikes(w, h int, seed uint64) *terrain.Field {
	rng := rand.New(rand.NewPCG(seed, 0x591c))
	f := &terrain.Field{Width: w, Height: h, Spacing: 10, Quantum: 0.125, Samples: make([]int32, w*h)}
	for range 6 {
		x, z, r := rng.IntN(w), rng.IntN(h), rng.IntN(2)
		for i := max(0, z-r); i <= min(h-1, z+r); i++ {
			for j := max(0, x-r); j <= min(w-1, x+r); j++ {
				f.Samples[i*w+j] = int32(rng.IntN(200))
			}
		}
	}
	return f
}

var topologies = []lodcpu.Topology{lodcpu.Strip, lodcpu.List}

// TestWatertight draws 2×2 tiles with every mix of loaded levels, absent
// tiles included, for many cameras, in both topologies.
func TestWatertight(t *testing.T) {
	steep := testworld.Rough(65, 65, 2)
	for i := range steep.Samples {
		steep.Samples[i] *= 20
	}
	worlds := []*testworld.World{testworld.New(testworld.Rough(65, 65, 1), 33, 0, 0), testworld.New(steep, 33, 0, 0)}
	for seed := range uint64(7) {
		worlds = append(worlds, testworld.New(spikes(65, 65, seed), 33, 0, 0))
	}
	choices := worlds[0].Layout().Levels + 1 // and absent
	keys := []terrain.Key{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 0, Y: 1}, {X: 1, Y: 1}}
	rng := rand.New(rand.NewPCG(1, 1))
	cameras := 100
	if testing.Short() {
		cameras = 10
	}
	meshes := 0
	for cam := range cameras {
		w := worlds[cam%len(worlds)]
		law := anyView(rng, w.Field, math.Exp2(rng.Float64()*6)).Law(&w.World)
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
			mesh, _ := s.draw(t, topology, &law)
			if n, first := meshcheck.Watertight(&w.World, mesh, s.drawn); n > 0 {
				t.Fatalf("camera %d, levels %v, %v: %d faults: %s", cam, s.levels, topology, n, first)
			}
			if a := s.area(mesh); a != float64(32*32*len(s.levels)) {
				t.Fatalf("camera %d, levels %v, %v: area of %g cells", cam, s.levels, topology, a)
			}
			meshes++
		}
	}
	t.Logf("%d meshes", meshes)
}

// TestWatertightPadded does the same for a source that is no multiple of the
// tile, over 4×3 tiles with random levels: neighbours differ by any number of them.
func TestWatertightPadded(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, size := range [][2]int{{100, 70}, {66, 65}, {98, 49}, {2, 2}, {3, 50}} {
		f := testworld.Rough(size[0], size[1], 2)
		for _, tile := range []int{33, 17, 3} {
			w := testworld.New(f, tile, 0, 0)
			for range 20 {
				s := &scene{w, map[terrain.Key]int8{}}
				for k := range w.Infos {
					s.levels[k] = int8(rng.IntN(w.Layout().Levels))
				}
				law := anyView(rng, f, 2).Law(&w.World)
				for _, topology := range topologies {
					m, _ := s.draw(t, topology, &law)
					if n, first := meshcheck.Watertight(&w.World, m, s.drawn); n > 0 {
						t.Fatalf("%v levels %v, %v: %d faults: %s", size, s.levels, topology, n, first)
					}
					if a := s.area(m); a != float64((size[0]-1)*(size[1]-1)) {
						t.Fatalf("%v levels %v, %v: area of %g cells", size, s.levels, topology, a)
					}
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
		s := whole(w)
		full := lodcpu.FullLaw(&w.World)
		all, _ := s.draw(t, lodcpu.List, &full)
		for _, tau := range []float64{1, 2, 4, 8} {
			worst, least := 0.0, math.MaxInt
			for cam := range 12 {
				v := anyView(rng, f, tau)
				v.Eye[0] += 5000
				v.Eye[2] -= 3000
				law := v.Law(&w.World)
				m, c := s.draw(t, lodcpu.Topology(cam%2), &law)
				e := meshcheck.ScreenError(f, w.OriginX, w.OriginZ, m, camera(v))
				if e.Worst > tau || e.Uncovered > 0 {
					t.Fatalf("tau %g, view %+v: %.3f px at %v, %d samples uncovered", tau, *v, e.Worst, e.At, e.Uncovered)
				}
				worst, least = max(worst, e.Worst), min(least, c.Triangles)
			}
			t.Logf("%v tau %g: worst %.3f px, from %d of %d triangles", size, tau, worst, least, len(all.Triangles))
			if worst < tau/4 || least > len(all.Triangles)*2/3 {
				t.Errorf("%v tau %g: worst %.3f px with %d triangles: nothing was tested", size, tau, worst, least)
			}
		}
	}
}

// TestNeededLevelsSuffice loads only what Law.Needs asks for, balanced to one
// level between neighbours, and measures the error again.
func TestNeededLevelsSuffice(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	f := testworld.Rough(257, 257, 6)
	w := testworld.New(f, 33, 0, 0)
	spared := 0
	for range 20 {
		v := anyView(rng, f, 2+6*rng.Float64())
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
		m, _ := s.draw(t, lodcpu.List, &law)
		if e := meshcheck.ScreenError(f, 0, 0, m, camera(v)); e.Worst > v.Tau || e.Uncovered > 0 {
			t.Fatalf("%+v: %.3f px, %d uncovered", *v, e.Worst, e.Uncovered)
		}
		if n, first := meshcheck.Watertight(&w.World, m, s.drawn); n > 0 {
			t.Fatalf("%+v: %d faults: %s", *v, n, first)
		}
	}
	if spared == 0 {
		t.Error("every tile needed its finest level: nothing was tested")
	}
}

// triangles returns those of a mesh by their corners in cells, the first of them
// first, wound as drawn.
func (s *scene) triangles(m *meshcheck.Mesh) map[[3][2]int]bool {
	set := map[[3][2]int]bool{}
	for _, tri := range m.Triangles {
		var p [3][2]int
		for i, v := range tri {
			p[i] = [2]int{
				int(math.Round((m.Vertices[v][0] - s.OriginX) / s.Spacing)), int(math.Round((m.Vertices[v][2] - s.OriginZ) / s.Spacing)),
			}
		}
		for slices.Compare(p[1][:], p[0][:]) < 0 || slices.Compare(p[2][:], p[0][:]) < 0 {
			p = [3][2]int{p[1], p[2], p[0]}
		}
		set[p] = true
	}
	return set
}

func TestStripAndListAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, size := range [][2]int{{65, 65}, {50, 60}} {
		f := testworld.Rough(size[0], size[1], 8)
		w := testworld.New(f, 33, 0, 0)
		for range 50 {
			s := whole(w)
			for k := range s.levels {
				s.levels[k] = int8(rng.IntN(3))
			}
			law := anyView(rng, f, 4).Law(&w.World)
			strip, _ := s.draw(t, lodcpu.Strip, &law)
			list, _ := s.draw(t, lodcpu.List, &law)
			a, b := s.triangles(strip), s.triangles(list)
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

// TestNothingIsLeftToChase draws worlds with all levels loaded: every triangle belongs
// to a whole fan, of a square that is nowhere beside one of less than half its side;
// and all that bisection draws is drawn.
func TestNothingIsLeftToChase(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 2))
	worlds := []*testworld.World{}
	for _, tile := range []int{129, 33} {
		worlds = append(worlds, testworld.New(testworld.Rough(129, 129, 3), tile, 0, 0))
		for seed := range uint64(10) {
			worlds = append(worlds, testworld.New(spikes(129, 129, seed), tile, 0, 0))
		}
	}
	for _, w := range worlds {
		s := whole(w)
		depths := map[int]int{}
		for range 15 {
			law := anyView(rng, w.Field, math.Exp2(rng.Float64()*7)).Law(&w.World)
			m, _ := s.draw(t, lodcpu.List, &law)
			squares := fans(t, s.triangles(m))
			// spacing of the square that each cell is in
			of := make([]int, 128*128)
			for centre, spacing := range squares {
				depths[spacing]++
				for z := centre[1] - spacing; z < centre[1]+spacing; z++ {
					for x := centre[0] - spacing; x < centre[0]+spacing; x++ {
						of[z*128+x] = spacing
					}
				}
			}
			for i, spacing := range of {
				for _, j := range [2]int{i + 1, i + 128} {
					if j < len(of) && (j != i+1 || j%128 != 0) && (of[j] > 2*spacing || spacing > 2*of[j]) {
						t.Fatalf("squares of spacing %d and %d side by side at %d, %d", spacing, of[j], i%128, i/128)
					}
				}
			}
			bisected, _ := s.mesh(t, soar.New(w.Layout(), lodcpu.List), lodcpu.List, &law)
			has := map[[2]int]bool{}
			for tri := range s.triangles(m) {
				has[tri[0]], has[tri[1]], has[tri[2]] = true, true, true
			}
			for tri := range s.triangles(bisected) {
				for _, p := range tri {
					if !has[p] {
						t.Fatalf("vertex %v is drawn by bisection only", p)
					}
				}
			}
		}
		if len(depths) < 4 {
			t.Errorf("tile %d: squares of spacings %v: too few sizes", w.TileSize, depths)
		}
	}
}

// fans puts triangles together to squares, and returns the spacing by centre. The
// centre of a triangle's square is the corner whose coordinates are both odd
// multiples of the largest power of two that divides them.
func fans(t *testing.T, triangles map[[3][2]int]bool) map[[2]int]int {
	t.Helper()
	spacings, areas := map[[2]int]int{}, map[[2]int]int{}
	for tri := range triangles {
		centre, spacing := [2]int{}, math.MaxInt
		for _, p := range tri {
			s := p[0] & -p[0]
			if p[0] != 0 && p[1] != 0 && s == p[1]&-p[1] && s < spacing {
				centre, spacing = p, s
			}
		}
		// The centre's spacing is that of the whole triangle, or it is a corner of it.
		spacings[centre] = spacing
		a, b, c := tri[0], tri[1], tri[2]
		area := (b[1]-a[1])*(c[0]-a[0]) - (b[0]-a[0])*(c[1]-a[1])
		areas[centre] += area // twice that
	}
	for centre, spacing := range spacings {
		if areas[centre] != 8*spacing*spacing {
			t.Fatalf("the fan around %v of spacing %d covers %d of %d half cells", centre, spacing, areas[centre], 8*spacing*spacing)
		}
	}
	return spacings
}

// TestFlatGrid checks area and orientation where nothing but the grid counts.
func TestFlatGrid(t *testing.T) {
	f := &terrain.Field{Width: 33, Height: 33, Spacing: 1, Quantum: 1, Samples: make([]int32, 33*33)}
	w := testworld.New(f, 33, 0, 0)
	s := whole(w)
	for _, topology := range topologies {
		law := lodcpu.FullLaw(&w.World)
		m, c := s.draw(t, topology, &law)
		if n, first := meshcheck.Watertight(&w.World, m, s.drawn); n > 0 || c.Triangles != 2*32*32 || s.area(m) != 32*32 {
			t.Errorf("%v: %d triangles of %g cells, %d faults: %s", topology, c.Triangles, s.area(m), n, first)
		}
		law = (&lodcpu.View{Eye: mgl64.Vec3{0, 1e6, 0}, FovY: 1, Width: 100, Height: 100, Tau: 1}).Law(&w.World)
		if m, c := s.draw(t, topology, &law); c.Triangles != 8 || s.area(m) != 32*32 {
			t.Errorf("%v from afar: %d triangles, want the tile's 8", topology, c.Triangles)
		}
	}
}

// TestFanIsWrittenAsAList: the centre before and behind every vertex of the rim.
func TestFanIsWrittenAsAList(t *testing.T) {
	f := &terrain.Field{Width: 3, Height: 3, Spacing: 1, Quantum: 1, Samples: make([]int32, 9)}
	w := testworld.New(f, 3, 0, 0)
	law := (&lodcpu.View{Eye: mgl64.Vec3{0, 1e6, 0}, FovY: 1, Width: 100, Height: 100, Tau: 1}).Law(&w.World)
	layout := w.Layout()
	id := func(x, z int) uint32 { return layout.ID[z*3+x] }
	sw, se, ne, nw, c := id(0, 2), id(2, 2), id(2, 0), id(0, 0), id(1, 1)
	dst := make([]uint32, 24)
	near := lodcpu.Neighbourhood{-1, -1, -1, -1, 0, -1, -1, -1, -1}
	got, ok := quadtree.New(layout, lodcpu.List).Refine(dst, w.Tile(terrain.Key{}, 0), &near, &law)
	want := []uint32{c, sw, se, c, se, ne, c, ne, nw, c, nw, sw}
	if !ok || !slices.Equal(dst[:got.Indices], want) {
		t.Errorf("%v, want %v", dst[:got.Indices], want)
	}
	law = lodcpu.FullLaw(&w.World)
	s, e, n, west := id(1, 2), id(2, 1), id(1, 0), id(0, 1)
	got, ok = quadtree.New(layout, lodcpu.List).Refine(dst, w.Tile(terrain.Key{}, 0), &near, &law)
	want = []uint32{c, sw, s, c, s, se, c, se, e, c, e, ne, c, ne, n, c, n, nw, c, nw, west, c, west, sw}
	if !ok || !slices.Equal(dst[:got.Indices], want) {
		t.Errorf("%v, want %v", dst[:got.Indices], want)
	}
}

func TestShortBufferIsRefused(t *testing.T) {
	for _, size := range [][2]int{{33, 33}, {20, 30}} {
		w := testworld.New(testworld.Rough(size[0], size[1], 1), 33, 0, 0)
		law := lodcpu.FullLaw(&w.World)
		near := whole(w).near(terrain.Key{})
		for _, topology := range topologies {
			r := quadtree.New(w.Layout(), topology)
			dst := make([]uint32, r.MaxIndices(0))
			c, ok := r.Refine(dst, w.Tile(terrain.Key{}, 0), &near, &law)
			if !ok {
				t.Fatal("full buffer refused")
			}
			if _, ok := r.Refine(dst[:c.Indices], w.Tile(terrain.Key{}, 0), &near, &law); !ok {
				t.Errorf("%v: %d indices do not fit where they need to", topology, c.Indices)
			}
			for n := c.Indices - 1; n >= 0; n -= 13 {
				if _, ok := r.Refine(dst[:n:n], w.Tile(terrain.Key{}, 0), &near, &law); ok {
					t.Errorf("%v: %d indices accepted, %d needed", topology, n, c.Indices)
				}
			}
		}
	}
}

// TestRepeats: a refiner keeps nothing of what it did before, and dst is not read.
func TestRepeats(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	f := testworld.Rough(65, 65, 1)
	w := testworld.New(f, 33, 0, 0)
	for _, topology := range topologies {
		used := quadtree.New(w.Layout(), topology)
		a, b := make([]uint32, used.MaxIndices(0)), make([]uint32, used.MaxIndices(0))
		for range 50 {
			s := whole(w)
			for k := range s.levels {
				s.levels[k] = int8(rng.IntN(3))
			}
			law := anyView(rng, f, 4).Law(&w.World)
			for k, level := range s.levels {
				for i := range a {
					a[i] = rng.Uint32()
				}
				tile, near := w.Tile(k, terrain.Level(level)), s.near(k)
				c, _ := used.Refine(a, tile, &near, &law)
				d, _ := quadtree.New(w.Layout(), topology).Refine(b, tile, &near, &law)
				if c != d || !slices.Equal(a[:c.Indices], b[:d.Indices]) {
					t.Fatalf("%v tile %v: %+v, and %+v by a new refiner", topology, k, c, d)
				}
			}
		}
	}
}

func TestRefineDoesNotAllocate(t *testing.T) {
	f := testworld.Rough(129, 129, 1)
	w := testworld.New(f, 65, 0, 0)
	s := &scene{w, map[terrain.Key]int8{{X: 0, Y: 0}: 0, {X: 1, Y: 0}: 2}}
	near := s.near(terrain.Key{})
	law := anyView(rand.New(rand.NewPCG(1, 1)), f, 1).Law(&w.World)
	tile := w.Tile(terrain.Key{}, 0)
	for _, topology := range topologies {
		r := quadtree.New(w.Layout(), topology)
		dst := make([]uint32, r.MaxIndices(0))
		if n := testing.AllocsPerRun(20, func() { r.Refine(dst, tile, &near, &law) }); n != 0 {
			t.Errorf("%v: %g allocations", topology, n)
		}
	}
}

func TestFinerThanTheTile(t *testing.T) {
	w := testworld.New(testworld.Rough(33, 33, 1), 33, 0, 0)
	law := lodcpu.FullLaw(&w.World)
	defer func() {
		if got := fmt.Sprint(recover()); got != "quadtree: neighbourhood claims a finer level than the tile holds" {
			t.Error(got)
		}
	}()
	quadtree.New(w.Layout(), lodcpu.List).Refine(nil, w.Tile(terrain.Key{}, 1), &lodcpu.Neighbourhood{}, &law)
}
