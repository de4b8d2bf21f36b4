package lodcpu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/quadtree"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
	"github.com/vkterrain/vkterrain/meshcheck"
	"github.com/vkterrain/vkterrain/terrain"
)

// punched is a rough world with holes, of tiles of 33 samples a side.
func punched(w, h int, seed uint64) *testworld.World {
	return testworld.New(testworld.Punch(testworld.Rough(w, h, seed), 9, seed), 33, 300, -700)
}

// algorithms are the refiners whose triangles are left out.
var algorithms = []func(*terrain.Layout, lodcpu.Topology) lodcpu.Refiner{
	func(l *terrain.Layout, t lodcpu.Topology) lodcpu.Refiner { return soar.New(l, t) },
	func(l *terrain.Layout, t lodcpu.Topology) lodcpu.Refiner { return quadtree.New(l, t) },
}

func near(levels map[terrain.Key]int8, k terrain.Key) (n lodcpu.Neighbourhood) {
	for i := range n {
		l, ok := levels[terrain.Key{X: k.X + int32(i%3) - 1, Y: k.Y + int32(i/3) - 1}]
		if !ok {
			l = lodcpu.Absent
		}
		n[i] = l
	}
	return n
}

// anyLevels loads a random level of each tile, or level 0 of all.
func anyLevels(w *testworld.World, rng *rand.Rand, full bool) map[terrain.Key]int8 {
	levels := map[terrain.Key]int8{}
	for k := range w.Infos {
		levels[k] = int8(rng.IntN(w.Layout().Levels))
		if full {
			levels[k] = 0
		}
	}
	return levels
}

// overWorld is a random view with a part of w in it.
func overWorld(w *testworld.World, rng *rand.Rand, tau float64) *lodcpu.View {
	x, z := float64(w.Width)*w.Spacing, float64(w.Height)*w.Spacing
	return &lodcpu.View{
		Eye: mgl64.Vec3{w.OriginX + (rng.Float64()*1.4-0.2)*x, 50 + rng.Float64()*800, w.OriginZ + (rng.Float64()*1.4-0.2)*z},
		Yaw: rng.Float64() * 7, Pitch: (rng.Float64()*1.3 - 1) * math.Pi / 2,
		FovY: 0.3 + rng.Float64(), Width: 200 + rng.IntN(1700), Height: 200 + rng.IntN(900), Tau: tau,
	}
}

// triangles returns those that r makes of a tile that cover anything, each with
// its least vertex first, so that the winding is kept.
func triangles(t *testing.T, r lodcpu.Refiner, topology lodcpu.Topology, w *testworld.World, tile *terrain.Tile, n *lodcpu.Neighbourhood, law *lodcpu.Law) map[[3]uint32]bool {
	t.Helper()
	dst := make([]uint32, r.MaxIndices(n.Level()))
	c, ok := r.Refine(dst, tile, n, law)
	if !ok {
		t.Fatal("MaxIndices is too small")
	}
	set := map[[3]uint32]bool{}
	lodcpu.Triangles(topology, dst[:c.Indices], func(a, b, c uint32) {
		if p, q, r := corner(w, tile, a), corner(w, tile, b), corner(w, tile, c); (q[0]-p[0])*(r[2]-p[2]) == (r[0]-p[0])*(q[2]-p[2]) {
			return
		}
		for b < a || c < a {
			a, b, c = b, c, a
		}
		if set[[3]uint32{a, b, c}] {
			t.Fatalf("triangle %d %d %d is there twice", a, b, c)
		}
		set[[3]uint32{a, b, c}] = true
	})
	if len(set) != c.Triangles || topology == lodcpu.Strip && c.Degenerates != max(c.Indices-2, 0)-c.Triangles {
		t.Fatalf("%d triangles written, counted %+v", len(set), c)
	}
	if c.Indices > 0 {
		if _, ok := r.Refine(dst[:c.Indices-1], tile, n, law); ok {
			t.Fatalf("%d indices found room for %d", c.Indices, c.Indices-1)
		}
	}
	return set
}

// corner is where a vertex is drawn.
func corner(w *testworld.World, tile *terrain.Tile, id uint32) [3]float64 {
	p, cells := w.Layout().Grid[id], w.Layout().Cells
	x := min(int(tile.Info.Key.X)*cells+int(p.X), w.Width-1)
	z := min(int(tile.Info.Key.Y)*cells+int(p.Z), w.Height-1)
	return [3]float64{
		w.OriginX + float64(x)*w.Spacing,
		float64(float32(tile.Info.Base+int32(tile.Verts[id].Height)) * float32(w.Quantum)),
		w.OriginZ + float64(z)*w.Spacing,
	}
}

// TestLeaveHolesTakesNothingElse: what is left is what there was without the
// triangles that touch a hole, with the same winding.
func TestLeaveHolesTakesNothingElse(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	for _, size := range [][2]int{{97, 97}, {70, 84}} {
		w := punched(size[0], size[1], 5)
		left, taken := 0, 0
		for i := range 20 {
			levels := anyLevels(w, rng, false)
			law := overWorld(w, rng, 3).Law(&w.World)
			for k, level := range levels {
				tile, n := w.Tile(k, terrain.Level(level)), near(levels, k)
				for _, topology := range []lodcpu.Topology{lodcpu.Strip, lodcpu.List} {
					inner := algorithms[i%2](w.Layout(), topology)
					want := triangles(t, inner, topology, w, tile, &n, &law)
					for tri := range want {
						if tile.Verts[tri[0]].Hole() || tile.Verts[tri[1]].Hole() || tile.Verts[tri[2]].Hole() {
							delete(want, tri)
							taken++
						}
					}
					got := triangles(t, lodcpu.LeaveHoles(inner, w.Layout(), topology), topology, w, tile, &n, &law)
					if len(got) != len(want) {
						t.Fatalf("%v tile %v: %d triangles, want %d", topology, k, len(got), len(want))
					}
					for tri := range want {
						if !got[tri] {
							t.Fatalf("%v tile %v: triangle %v is missing", topology, k, tri)
						}
					}
					left += len(got)
				}
			}
		}
		if left < 1000 || taken < 1000 {
			t.Errorf("%v: %d triangles left, %d taken: nothing was tested", size, left, taken)
		}
	}
}

// TestHolesKeepTheirPromise: with every mix of levels the mesh is watertight but
// for its holes; with all levels loaded their outlines are right to the
// tolerance.
func TestHolesKeepTheirPromise(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 14))
	worst, n := 0.0, 0
	for i := range 60 {
		w := punched(97+i%2*20, 97, uint64(i%4))
		full := i%3 > 0
		levels := anyLevels(w, rng, full)
		v := overWorld(w, rng, 1+4*rng.Float64())
		v.Eye[1] *= math.Exp(6 * rng.Float64())
		law := v.Law(&w.World)
		topology := lodcpu.Topology(i / 2 % 2)
		r := lodcpu.LeaveHoles(algorithms[i/4%2](w.Layout(), topology), w.Layout(), topology)
		m := &meshcheck.Mesh{}
		for k, level := range levels {
			tile, around := w.Tile(k, terrain.Level(level)), near(levels, k)
			first := uint32(len(m.Vertices))
			for id := range tile.Verts {
				m.Vertices = append(m.Vertices, corner(w, tile, uint32(id)))
			}
			for tri := range triangles(t, r, topology, w, tile, &around, &law) {
				m.Triangles = append(m.Triangles, [3]uint32{first + tri[0], first + tri[1], first + tri[2]})
			}
		}
		if faults, first := meshcheck.WatertightBut(&w.World, m, func(terrain.Key) bool { return true }, w.Field); faults > 0 {
			t.Fatalf("levels %v, %v: %d faults: %s", levels, topology, faults, first)
		}
		if !full {
			continue
		}
		e := meshcheck.ScreenError(w.Field, w.OriginX, w.OriginZ, m, &meshcheck.Camera{
			Eye: v.Eye, Yaw: v.Yaw, Pitch: v.Pitch, FovY: v.FovY, Width: v.Width, Height: v.Height,
		})
		if e.Worst > v.Tau || e.Outline > v.Tau || e.Uncovered > 0 {
			t.Fatalf("%+v: %+v", *v, e)
		}
		worst, n = max(worst, e.Outline/v.Tau), n+e.Checked
	}
	t.Logf("outlines off by %.2f tolerances at most, over %d samples", worst, n)
	if n < 10000 || worst < 0.1 {
		t.Errorf("outlines off by %.2f tolerances over %d samples: nothing was tested", worst, n)
	}
}

func TestLeaveHolesDoesNotAllocate(t *testing.T) {
	w := punched(97, 97, 5)
	law := overWorld(w, rand.New(rand.NewPCG(1, 1)), 1).Law(&w.World)
	n := lodcpu.Neighbourhood{-1, -1, -1, -1, 0, -1, -1, -1, -1}
	for _, topology := range []lodcpu.Topology{lodcpu.Strip, lodcpu.List} {
		r := lodcpu.LeaveHoles(soar.New(w.Layout(), topology), w.Layout(), topology)
		dst := make([]uint32, r.MaxIndices(0))
		holes := 0
		for k, info := range w.Infos {
			if info.Holes {
				holes++
			}
			tile := w.Tile(k, 0)
			if got := testing.AllocsPerRun(20, func() { r.Refine(dst, tile, &n, &law) }); got != 0 {
				t.Errorf("%v tile %v: %g allocations", topology, k, got)
			}
		}
		if holes == 0 || holes == len(w.Infos) {
			t.Errorf("%d of %d tiles have holes: not both kinds were tested", holes, len(w.Infos))
		}
	}
}

// BenchmarkLeaveHoles refines tiles with holes, and the same land without.
func BenchmarkLeaveHoles(b *testing.B) {
	v := &lodcpu.View{Eye: mgl64.Vec3{2000, 400, 5000}, Pitch: -0.2, FovY: 0.9, Width: 1920, Height: 1080, Tau: 1}
	for _, holes := range []int{0, 12} {
		f := testworld.Rough(513, 513, 3)
		if holes > 0 {
			testworld.Punch(f, holes, 3)
		}
		w := testworld.New(f, 129, 0, 0)
		law, n := v.Law(&w.World), lodcpu.Neighbourhood{}
		for _, topology := range []lodcpu.Topology{lodcpu.List, lodcpu.Strip} {
			b.Run(fmt.Sprintf("%v/%d", topology, holes), func(b *testing.B) {
				r := lodcpu.LeaveHoles(soar.New(w.Layout(), topology), w.Layout(), topology)
				dst := make([]uint32, r.MaxIndices(0))
				var sum lodcpu.Counts
				var tiles []*terrain.Tile
				for k := range w.Infos {
					tiles = append(tiles, w.Tile(k, 0))
				}
				for b.Loop() {
					sum = lodcpu.Counts{}
					for _, tile := range tiles {
						c, _ := r.Refine(dst, tile, &n, &law)
						sum.Add(c)
					}
				}
				b.ReportMetric(float64(sum.Triangles), "triangles")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(sum.Triangles), "ns/triangle")
			})
		}
	}
}
