package lodcpu_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/lodtest"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/meshcheck"
	"github.com/vkterrain/vkterrain/terrain"
)

// TestScreenError measures the promise: no full-resolution sample in view is drawn
// more than tau pixels off, with and without culling, from where the law's eye is
// and from the edge of its margin.
func TestScreenError(t *testing.T) {
	n := many(6, 12, 200)
	each(t, func(t *testing.T, topology lodcpu.Topology, refiner func(*terrain.Layout) lodcpu.Refiner) {
		rng := rand.New(rand.NewPCG(9, 9))
		for _, size := range [][2]int{{257, 257}, {200, 150}} {
			w := testworld.New(testworld.Rough(size[0], size[1], 4), 65, 5000, -3000)
			s := lodtest.Whole(w)
			for _, tau := range []float64{0.5, 1, 2, 4, 8} {
				worst, least := 0.0, math.MaxInt
				for cam := range n {
					v := lodtest.View(w, rng, tau)
					law := v.Law(&w.World)
					if cam%3 == 0 {
						law = v.AnchorLaw(&w.World, lodcpu.Anchor{Margin: 100, Tilt: 0.5})
						step := mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
						v.Eye = v.Eye.Add(step.Normalize().Mul(100))
						v.Pitch = max(-math.Pi/2, min(v.Pitch+rng.Float64()-0.5, math.Pi/2))
						v.Yaw = rng.Float64() * 7
					}
					if cam%2 == 0 {
						law.Cull = v.Cull(law.Eye)
					}
					m, c := s.Draw(t, refiner(w.Layout()), topology, &law)
					e := s.Error(m, v)
					if e.Worst > tau || e.Uncovered > 0 {
						t.Fatalf("tau %g, camera %d, view %+v: %.3f px at %v, %d samples uncovered", tau, cam, *v, e.Worst, e.At, e.Uncovered)
					}
					worst, least = max(worst, e.Worst), min(least, c.Triangles)
				}
				full := 2 * (size[0] - 1) * (size[1] - 1)
				t.Logf("%v tau %g: worst %.3f px, from %d of %d triangles", size, tau, worst, least, full)
				if worst < tau/4 || least > full*2/3 {
					t.Errorf("%v tau %g: worst %.3f px with %d triangles: nothing was tested", size, tau, worst, least)
				}
			}
		}
	})
}

// TestNeededLevelsSuffice loads only what Law.Needs asks for, balanced to one
// level between neighbours: what is drawn is as good as with all levels.
func TestNeededLevelsSuffice(t *testing.T) {
	w := testworld.New(testworld.Rough(257, 257, 6), 33, 0, 0)
	each(t, func(t *testing.T, topology lodcpu.Topology, refiner func(*terrain.Layout) lodcpu.Refiner) {
		rng := rand.New(rand.NewPCG(11, 2))
		spared := 0
		for range many(10, 20, 100) {
			v := lodtest.View(w, rng, 2+6*rng.Float64())
			v.Eye[1] += 1500 * rng.Float64()
			law := v.Law(&w.World)
			s := lodtest.Needed(w, &law)
			for _, l := range s.Levels {
				spared += int(l)
			}
			m, _ := s.Draw(t, refiner(w.Layout()), topology, &law)
			if e := s.Error(m, v); e.Worst > v.Tau || e.Uncovered > 0 {
				t.Fatalf("%+v: %.3f px, %d uncovered", *v, e.Worst, e.Uncovered)
			}
			if n, first := s.Faults(m); n > 0 {
				t.Fatalf("%+v: %d faults: %s", *v, n, first)
			}
		}
		if spared == 0 {
			t.Error("every tile needed its finest level: nothing was tested")
		}
	})
}

// TestCulledPictureIsTheSame measures with and without culling: each sample in the
// picture is drawn as well, in fewer triangles.
func TestCulledPictureIsTheSame(t *testing.T) {
	w := testworld.New(testworld.Rough(257, 257, 4), 65, 0, 0)
	s := lodtest.Whole(w)
	each(t, func(t *testing.T, topology lodcpu.Topology, refiner func(*terrain.Layout) lodcpu.Refiner) {
		rng := rand.New(rand.NewPCG(9, 1))
		all, kept := 0, 0
		for range many(6, 15, 100) {
			v := lodtest.View(w, rng, math.Exp2(rng.Float64()*4))
			law := v.Law(&w.World)
			whole, a := s.Draw(t, refiner(w.Layout()), topology, &law)
			law.Cull = v.Cull(v.Eye)
			part, b := s.Draw(t, refiner(w.Layout()), topology, &law)
			want, got := s.Error(whole, v), s.Error(part, v)
			if want.Checked != got.Checked || got.Uncovered > 0 || got.Worst > v.Tau {
				t.Fatalf("view %+v: %+v, not culled %+v", *v, got, want)
			}
			pokes(t, s, v, whole, part)
			all, kept = all+a.Triangles, kept+b.Triangles
		}
		t.Logf("%d of %d triangles", kept, all)
		if kept > all*8/10 {
			t.Errorf("%d of %d triangles are left", kept, all)
		}
	})
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
	s := lodtest.Whole(w)
	each(t, func(t *testing.T, topology lodcpu.Topology, refiner func(*terrain.Layout) lodcpu.Refiner) {
		rng := rand.New(rand.NewPCG(7, 7))
		for range 50 {
			v := lodtest.View(w, rng, 1)
			v.Eye[1], v.Pitch, v.FovY = 100+rng.Float64(), 0, 0.3
			law := v.Law(&w.World)
			whole, _ := s.Draw(t, refiner(w.Layout()), topology, &law)
			law.Cull = v.Cull(v.Eye)
			part, _ := s.Draw(t, refiner(w.Layout()), topology, &law)
			pokes(t, s, v, whole, part)
		}
	})
}

// pokes fails where a sample is drawn otherwise than without culling, and in the
// picture.
func pokes(t *testing.T, s *lodtest.Scene, v *lodcpu.View, whole, part *meshcheck.Mesh) {
	t.Helper()
	f, want := s.Field, drawnHeights(s.Field, whole)
	for i, h := range drawnHeights(f, part) {
		if h == want[i] {
			continue
		}
		p := mgl64.Vec3{float64(i%f.Width) * f.Spacing, h, float64(i/f.Width) * f.Spacing}
		if x, y, _, ok := v.Project(p); ok && x >= 0 && y >= 0 && x <= float64(v.Width) && y <= float64(v.Height) {
			t.Fatalf("view %+v: what is drawn of sample %d in place of %g m pokes into the picture at %g m", *v, i, want[i], h)
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

// TestStripAndListAgree: any state is the same triangles in both topologies.
func TestStripAndListAgree(t *testing.T) {
	for _, r := range refiners {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			for i := range many(20, 100, 2000) {
				s := anyState(i)
				strip, _ := s.Draw(t, r.make(s.Layout(), lodcpu.Strip), lodcpu.Strip, &s.law)
				list, _ := s.Draw(t, r.make(s.Layout(), lodcpu.List), lodcpu.List, &s.law)
				a, b := s.Triangles(strip), s.Triangles(list)
				if len(a) != len(b) {
					t.Fatalf("%s: strip has %d triangles, list %d", s.about, len(a), len(b))
				}
				for k := range a {
					if !b[k] {
						t.Fatalf("%s: triangle %v is in the strip only", s.about, k)
					}
				}
			}
		})
	}
}

// TestRepeats: a refiner keeps nothing of what it did before, dst is not read, and
// how long it is decides nothing but whether there is room.
func TestRepeats(t *testing.T) {
	each(t, func(t *testing.T, topology lodcpu.Topology, refiner func(*terrain.Layout) lodcpu.Refiner) {
		rng := rand.New(rand.NewPCG(7, 1))
		used := map[*terrain.Layout]lodcpu.Refiner{}
		for i := range many(20, 60, 500) {
			s := anyState(i)
			layout := s.Layout()
			if used[layout] == nil {
				used[layout] = refiner(layout)
			}
			a, b := make([]uint32, used[layout].MaxIndices(0)), make([]uint32, used[layout].MaxIndices(0))
			for k, level := range s.Levels {
				for i := range a {
					a[i] = rng.Uint32()
				}
				tile, near := s.Tile(k, terrain.Level(level)), s.Near(k)
				c, _ := used[layout].Refine(a, tile, &near, &s.law)
				d, _ := refiner(layout).Refine(b, tile, &near, &s.law)
				if c != d || !slices.Equal(a[:c.Indices], b[:d.Indices]) {
					t.Fatalf("%s, tile %v: %+v, and %+v by a new refiner", s.about, k, c, d)
				}
				clear(b)
				if e, ok := used[layout].Refine(b[:c.Indices], tile, &near, &s.law); !ok || e != c || !slices.Equal(a[:c.Indices], b[:c.Indices]) {
					t.Fatalf("%s, tile %v: %d indices do not fit where they need to, or are others", s.about, k, c.Indices)
				}
				for n := c.Indices - 1; n >= 0; n -= 1 + rng.IntN(1+c.Indices/3) {
					if _, ok := used[layout].Refine(b[:n:n], tile, &near, &s.law); ok {
						t.Fatalf("%s, tile %v: %d indices accepted, %d needed", s.about, k, n, c.Indices)
					}
				}
			}
		}
	})
}

// TestRefineDoesNotAllocate: not on the frame path, whatever the state.
func TestRefineDoesNotAllocate(t *testing.T) {
	for _, r := range refiners {
		for _, topology := range lodtest.Topologies {
			for i := range 40 {
				s := anyState(i)
				refiner := r.make(s.Layout(), topology)
				dst := make([]uint32, refiner.MaxIndices(0))
				for k, level := range s.Levels {
					tile, near := s.Tile(k, terrain.Level(level)), s.Near(k)
					if n := testing.AllocsPerRun(2, func() { refiner.Refine(dst, tile, &near, &s.law) }); n != 0 {
						t.Fatalf("%s, %v, %s, tile %v: %g allocations", r.name, topology, s.about, k, n)
					}
					narrow, small := lodcpu.Narrow(lodcpu.LeaveHoles(refiner, s.Layout(), topology), s.Layout()), make([]uint16, len(dst))
					if n := testing.AllocsPerRun(2, func() { narrow.Refine(small, tile, &near, &s.law) }); n != 0 {
						t.Fatalf("%s, %v, %s, tile %v: %g allocations in 16 bits", r.name, topology, s.about, k, n)
					}
					break
				}
			}
		}
	}
}

// TestFlatGrid checks the triangles where nothing but the grid counts: all there can
// be, and the least.
func TestFlatGrid(t *testing.T) {
	f := &terrain.Field{Width: 33, Height: 33, Spacing: 1, Quantum: 1, Samples: make([]int32, 33*33)}
	w := testworld.New(f, 33, 0, 0)
	s := lodtest.Whole(w)
	each(t, func(t *testing.T, topology lodcpu.Topology, refiner func(*terrain.Layout) lodcpu.Refiner) {
		law := lodcpu.FullLaw(&w.World)
		m, c := s.Draw(t, refiner(w.Layout()), topology, &law)
		if n, first := s.Faults(m); n > 0 || c.Triangles != 2*32*32 {
			t.Errorf("%d triangles, %d faults: %s", c.Triangles, n, first)
		}
		law = (&lodcpu.View{Eye: mgl64.Vec3{0, 1e6, 0}, FovY: 1, Width: 100, Height: 100, Tau: 1}).Law(&w.World)
		m, c = s.Draw(t, refiner(w.Layout()), topology, &law)
		if n, first := s.Faults(m); n > 0 || c.Triangles > 8 {
			t.Errorf("from afar %d triangles, %d faults: %s", c.Triangles, n, first)
		}
	})
}

// TestFinerThanTheTile: a neighbourhood that claims what the tile does not hold is a
// mistake of the caller.
func TestFinerThanTheTile(t *testing.T) {
	w := worlds()[0]
	law := lodcpu.FullLaw(&w.World)
	each(t, func(t *testing.T, _ lodcpu.Topology, refiner func(*terrain.Layout) lodcpu.Refiner) {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		refiner(w.Layout()).Refine(nil, w.Tile(terrain.Key{}, 1), &lodcpu.Neighbourhood{}, &law)
	})
}
