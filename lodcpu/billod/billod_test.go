package billod_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/billod"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
	"github.com/vkterrain/vkterrain/meshcheck"
	"github.com/vkterrain/vkterrain/terrain"
)

// TestWatertight draws 3×3 tiles with any mix of loaded levels, absent tiles included,
// for many cameras and thresholds, by both rules and in both topologies.
func TestWatertight(t *testing.T) {
	fields := []*terrain.Field{testworld.Rough(97, 97, 1), steep(97, 97, 2), testworld.Rough(80, 70, 3), steep(66, 97, 4)}
	for seed := range uint64(4) {
		fields = append(fields, spikes(97, 97, seed))
	}
	var lands []*land
	for i, f := range fields {
		lands = append(lands, newLand(t, f, []int{33, 33, 17, 33}[i%4], 0, 0))
	}
	rng := rand.New(rand.NewPCG(1, 1))
	states := 1000
	if testing.Short() {
		states = 100
	}
	for i := range states {
		l, topology := lands[i%len(lands)], lodcpu.Topology(i/2%2)
		rule := billod.NewRule(&l.World.World, i/4%3 > 0, anyThresholds(rng))
		law := rule.Law(l.lawOf(rng, l.anyView(rng, math.Exp2(rng.Float64()*6))))
		s := l.mix(rng)
		m, _ := l.draw(t, s, l.refiner(rule, topology), topology, &law)
		l.whole(t, m, s, "state", i, topology, rule.Classic(), rule.Thresholds())
	}
}

// TestWatertightOddSizes does the same for sources that are no multiple of the tile,
// and tiny tiles.
func TestWatertightOddSizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, size := range [][2]int{{66, 65}, {98, 49}, {2, 2}, {3, 50}} {
		for _, tile := range []int{33, 17, 3} {
			l := newLand(t, testworld.Rough(size[0], size[1], 2), tile, 0, 0)
			for i := range 20 {
				s := l.mix(rng)
				rule := billod.NewRule(&l.World.World, i%2 > 0, anyThresholds(rng))
				law := rule.Law(l.lawOf(rng, l.anyView(rng, 2)))
				for _, topology := range topologies {
					m, _ := l.draw(t, s, l.refiner(rule, topology), topology, &law)
					l.whole(t, m, s, size, tile, topology, rule.Classic())
				}
			}
		}
	}
}

// TestWatertightButForHoles leaves the triangles at holes out.
func TestWatertightButForHoles(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 14))
	for seed := range uint64(4) {
		l := newLand(t, testworld.Punch(testworld.Rough(97+20*int(seed%2), 97, seed), 9, seed), 33, 300, -700)
		for i := range 30 {
			topology := lodcpu.Topology(i % 2)
			rule := billod.NewRule(&l.World.World, i/2%2 > 0, anyThresholds(rng))
			law := rule.Law(l.lawOf(rng, l.anyView(rng, math.Exp2(rng.Float64()*4))))
			s := l.mix(rng)
			m, _ := l.draw(t, s, lodcpu.LeaveHoles(l.refiner(rule, topology), l.Layout(), topology), topology, &law)
			if n, first := meshcheck.WatertightBut(&l.World.World, m, s.drawn, l.Field); n > 0 {
				t.Fatalf("levels %v, %v: %d faults: %s", s, topology, n, first)
			}
		}
	}
}

// TestSameAsBisection: by a view's law the nodes are those of the bisection. Only the
// order of the triangles is another.
func TestSameAsBisection(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, f := range []*terrain.Field{testworld.Rough(97, 97, 8), spikes(80, 97, 1), steep(70, 60, 2)} {
		l := newLand(t, f, 33, 0, 0)
		for i := range 60 {
			s, topology := l.mix(rng), lodcpu.Topology(i%2)
			law := l.lawOf(rng, l.anyView(rng, math.Exp2(rng.Float64()*5)))
			m, c := l.draw(t, s, billod.New(l.Layout(), topology), topology, &law)
			want, d := l.draw(t, s, soar.New(l.Layout(), lodcpu.List), lodcpu.List, &law)
			got := l.grid(m)
			if c.Triangles != d.Triangles || len(got) != d.Triangles {
				t.Fatalf("%d triangles, %d by bisection", c.Triangles, d.Triangles)
			}
			for tri := range l.grid(want) {
				if !got[tri] {
					t.Fatalf("triangle %v of the bisection is missing", tri)
				}
			}
		}
	}
}

// TestStripAndListAgree: by the published tests too.
func TestStripAndListAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, f := range []*terrain.Field{testworld.Rough(65, 65, 8), spikes(50, 60, 3)} {
		l := newLand(t, f, 33, 0, 0)
		for range 40 {
			s := l.mix(rng)
			rule := billod.NewRule(&l.World.World, true, anyThresholds(rng))
			law := rule.Law(l.lawOf(rng, l.anyView(rng, 4)))
			strip, _ := l.draw(t, s, l.refiner(rule, lodcpu.Strip), lodcpu.Strip, &law)
			list, _ := l.draw(t, s, l.refiner(rule, lodcpu.List), lodcpu.List, &law)
			a, b := l.grid(strip), l.grid(list)
			if len(a) != len(b) || len(a) != len(list.Triangles) {
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

// TestScreenError measures the promise of the bounded rule, whatever thresholds ask for
// beside it: no full-resolution sample in view is drawn more than tau pixels off.
func TestScreenError(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, size := range [][2]int{{257, 257}, {200, 150}} {
		f := testworld.Rough(size[0], size[1], 4)
		l := newLand(t, f, 65, 5000, -3000)
		for _, tau := range []float64{1, 2, 4, 8} {
			worst, least := 0.0, math.MaxInt
			for cam := range 12 {
				v := l.anyView(rng, tau)
				rule := billod.NewRule(&l.World.World, false, billod.Thresholds{Near: float64(cam%3) * 60, Far: float64(cam%2) * 100, MinimalDepth: cam % 4})
				law := rule.Law(v.Law(&l.World.World))
				if cam%4 > 0 {
					law.Cull = v.Cull(v.Eye)
				}
				topology := lodcpu.Topology(cam % 2)
				m, c := l.draw(t, l.all(), l.refiner(rule, topology), topology, &law)
				e := meshcheck.ScreenError(f, l.OriginX, l.OriginZ, m, camera(v))
				if e.Worst > tau || e.Uncovered > 0 {
					t.Fatalf("tau %g, view %+v: %.3f px at %v, %d samples uncovered", tau, *v, e.Worst, e.At, e.Uncovered)
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
}

// TestNeededLevelsSuffice: what Needs asks for is enough, by both rules: the mesh is as
// it were with all levels loaded.
func TestNeededLevelsSuffice(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	l := newLand(t, testworld.Rough(257, 257, 6), 33, 0, 0)
	deviation, spared := l.deviation(), 0
	for i := range 40 {
		v := l.anyView(rng, 2+6*rng.Float64())
		v.Eye[1] += 1500 * rng.Float64()
		th := anyThresholds(rng)
		if th.Detail /= 4; i%4 == 1 {
			th = billod.Thresholds{Far: math.Exp2(rng.Float64() * 12)} // deviations alone
		}
		rule := billod.NewRule(&l.World.World, i%2 > 0, th)
		law := rule.Law(v.Law(&l.World.World))
		if i%3 > 0 {
			law.Cull = v.Cull(v.Eye)
		}
		needs, s := rule.Needs(law, deviation), levels{}
		for k, info := range l.Infos {
			s[k] = int8(needs.Needs(l.Layout(), info))
		}
		testworld.Balance(s)
		for _, level := range s {
			spared += int(level)
		}
		r := l.refiner(rule, lodcpu.List)
		m, _ := l.draw(t, s, r, lodcpu.List, &law)
		want, _ := l.draw(t, l.all(), r, lodcpu.List, &law)
		a, b := l.grid(m), l.grid(want)
		if len(a) != len(b) {
			t.Fatalf("classic %v, %+v: %d triangles, %d with all levels", rule.Classic(), th, len(a), len(b))
		}
		for tri := range b {
			if !a[tri] {
				t.Fatalf("triangle %v is missing", tri)
			}
		}
	}
	if spared == 0 {
		t.Error("every tile needed its finest level: nothing was tested")
	}
}

// TestFlatGrid checks area, orientation and numbers where nothing but the grid counts.
func TestFlatGrid(t *testing.T) {
	f := &terrain.Field{Width: 33, Height: 33, Spacing: 1, Quantum: 1, Samples: make([]int32, 33*33)}
	l := newLand(t, f, 33, 0, 0)
	afar := (&lodcpu.View{Eye: mgl64.Vec3{0, 1e6, 0}, FovY: 1, Width: 100, Height: 100, Tau: 1}).Law(&l.World.World)
	for _, topology := range topologies {
		for classic, least := range map[bool]int{false: 4, true: 2} {
			rule := billod.NewRule(&l.World.World, classic, billod.Thresholds{})
			r := l.refiner(rule, topology)
			full := lodcpu.FullLaw(&l.World.World)
			full = rule.Law(full)
			m, c := l.draw(t, l.all(), r, topology, &full)
			l.whole(t, m, l.all(), topology, classic)
			if c.Triangles != 2*32*32 {
				t.Errorf("%v: %d triangles in all", topology, c.Triangles)
			}
			// A node without midpoints is as many triangles as the tile: one for each
			// depth more makes four of it.
			for depth := range 5 {
				rule.Set(billod.Thresholds{MinimalDepth: depth})
				law := rule.Law(afar)
				m, c := l.draw(t, l.all(), r, topology, &law)
				l.whole(t, m, l.all(), topology, classic, depth)
				if want := least << (2 * depth); c.Triangles != want {
					t.Errorf("%v, classic %v, depth %d: %d triangles, want %d", topology, classic, depth, c.Triangles, want)
				}
			}
		}
	}
}

// TestFlatLandByThePublishedTests: near everything is shown but edge vertices of the
// finest nodes, which lie in the middle of their edges; and a node without edge
// vertices is divided as the node above is there, through its centre.
func TestFlatLandByThePublishedTests(t *testing.T) {
	f := &terrain.Field{Width: 33, Height: 33, Spacing: 1, Quantum: 1, Samples: make([]int32, 33*33)}
	l := newLand(t, f, 33, 0, 0)
	law := (&lodcpu.View{Eye: mgl64.Vec3{16, 5, 16}, FovY: 1, Width: 100, Height: 100, Tau: 1}).Law(&l.World.World)
	for _, topology := range topologies {
		rule := billod.NewRule(&l.World.World, true, billod.Thresholds{Near: 1000})
		r := l.refiner(rule, topology)
		nearby := rule.Law(law)
		if _, c := l.draw(t, l.all(), r, topology, &nearby); c.Triangles != 2*16*16 {
			t.Errorf("%d triangles of finest nodes, want two each", c.Triangles)
		}
		rule.Set(billod.Thresholds{MinimalDepth: 1})
		four := rule.Law(law)
		m, _ := l.draw(t, l.all(), r, topology, &four)
		for tri := range l.grid(m) {
			if centre := [2]int{16, 16}; tri[0] != centre && tri[1] != centre && tri[2] != centre {
				t.Errorf("triangle %v of a child is not at the tile's centre", tri)
			}
		}
	}
}

// TestNothingAskedNothingShown: a threshold of 0 shows nothing, however near the eye is,
// nor does anything else show what is flat.
func TestNothingAskedNothingShown(t *testing.T) {
	flat := &terrain.Field{Width: 33, Height: 33, Spacing: 10, Quantum: 1, Samples: make([]int32, 33*33)}
	for _, c := range []struct {
		field      *terrain.Field
		thresholds billod.Thresholds
	}{{testworld.Rough(33, 33, 1), billod.Thresholds{}}, {flat, billod.Thresholds{Detail: 1e6}}, {flat, billod.Thresholds{Far: 1e6}}} {
		l := newLand(t, c.field, 33, 0, 0)
		rule := billod.NewRule(&l.World.World, true, c.thresholds)
		law := rule.Law((&lodcpu.View{Eye: mgl64.Vec3{160, 5, 160}, FovY: 1, Width: 100, Height: 100, Tau: 1}).Law(&l.World.World))
		if _, got := l.draw(t, l.all(), l.refiner(rule, lodcpu.List), lodcpu.List, &law); got.Triangles != 2 {
			t.Errorf("%+v: %d triangles, want the tile's 2", c.thresholds, got.Triangles)
		}
	}
}

// TestScale: a share of a rule shows what thresholds of that share show.
func TestScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 2))
	l := newLand(t, testworld.Rough(97, 97, 1), 33, 0, 0)
	for i := range 20 {
		th := anyThresholds(rng)
		half := billod.Thresholds{Near: th.Near / 2, Far: th.Far / 2, Detail: th.Detail / 2, MinimalDepth: th.MinimalDepth}
		scaled, rule := billod.NewRule(&l.World.World, i%2 > 0, th), billod.NewRule(&l.World.World, i%2 > 0, half)
		scaled.Scale(0.5)
		law := l.anyView(rng, 3).Law(&l.World.World)
		a, b := scaled.Law(law), rule.Law(law)
		if na, nb := scaled.Needs(a, 0.3), rule.Needs(b, 0.3); na.A != nb.A || na.B != nb.B {
			t.Errorf("needs %v and %v, or %v and %v", na.A, na.B, nb.A, nb.B)
		}
		m, _ := l.draw(t, l.all(), l.refiner(scaled, lodcpu.List), lodcpu.List, &a)
		n, _ := l.draw(t, l.all(), l.refiner(rule, lodcpu.List), lodcpu.List, &b)
		if got, want := l.grid(m), l.grid(n); !maps.Equal(got, want) {
			t.Errorf("%+v: %d triangles, %d by half of the thresholds", th, len(got), len(want))
		}
	}
}

// TestOrderOfANode: a fan begins at the south-west corner; a square is divided where
// the node above was.
func TestOrderOfANode(t *testing.T) {
	f := &terrain.Field{Width: 3, Height: 3, Spacing: 1, Quantum: 1, Samples: make([]int32, 9)}
	l := newLand(t, f, 3, 0, 0)
	id := func(x, z int) uint32 { return l.Layout().ID[z*3+x] }
	sw, s, se, e, ne, n, nw, w, c := id(0, 2), id(1, 2), id(2, 2), id(2, 1), id(2, 0), id(1, 0), id(0, 0), id(0, 1), id(1, 1)
	afar := (&lodcpu.View{Eye: mgl64.Vec3{0, 1e6, 0}, FovY: 1, Width: 100, Height: 100, Tau: 1}).Law(&l.World.World)
	full := lodcpu.FullLaw(&l.World.World)
	near := lodcpu.Neighbourhood{-1, -1, -1, -1, 0, -1, -1, -1, -1}
	dst := make([]uint32, 24)
	for _, c := range []struct {
		classic bool
		law     lodcpu.Law
		want    []uint32
	}{
		{false, afar, []uint32{c, sw, se, c, se, ne, c, ne, nw, c, nw, sw}},
		{true, afar, []uint32{sw, se, ne, sw, ne, nw}},
		{false, full, []uint32{c, sw, s, c, s, se, c, se, e, c, e, ne, c, ne, n, c, n, nw, c, nw, w, c, w, sw}},
	} {
		rule := billod.NewRule(&l.World.World, c.classic, billod.Thresholds{})
		law := rule.Law(c.law)
		got, ok := l.refiner(rule, lodcpu.List).Refine(dst, l.Tile(terrain.Key{}, 0), &near, &law)
		if !ok || !slices.Equal(dst[:got.Indices], c.want) {
			t.Errorf("%v, want %v", dst[:got.Indices], c.want)
		}
	}
}

func TestShortBufferIsRefused(t *testing.T) {
	for _, size := range [][2]int{{33, 33}, {20, 30}} {
		l := newLand(t, testworld.Rough(size[0], size[1], 1), 33, 0, 0)
		near := l.all().near(terrain.Key{})
		for i := range 4 {
			rule := billod.NewRule(&l.World.World, i%2 > 0, billod.Thresholds{Near: 100, Far: 100, Detail: 10})
			law := rule.Law((&lodcpu.View{Eye: mgl64.Vec3{100, 100, 100}, FovY: 1, Width: 100, Height: 100, Tau: 1}).Law(&l.World.World))
			r := l.refiner(rule, lodcpu.Topology(i/2))
			dst := make([]uint32, r.MaxIndices(0))
			c, ok := r.Refine(dst, l.Tile(terrain.Key{}, 0), &near, &law)
			if !ok || c.Indices < 100 {
				t.Fatalf("full buffer: %+v %v", c, ok)
			}
			if _, ok := r.Refine(dst[:c.Indices:c.Indices], l.Tile(terrain.Key{}, 0), &near, &law); !ok {
				t.Errorf("%d indices do not fit where they need to", c.Indices)
			}
			for n := c.Indices - 1; n >= 0; n -= 13 {
				if _, ok := r.Refine(dst[:n:n], l.Tile(terrain.Key{}, 0), &near, &law); ok {
					t.Errorf("%d indices accepted, %d needed", n, c.Indices)
				}
			}
		}
	}
}

// TestRepeats: a refiner keeps nothing of what it did before, and dst is not read.
func TestRepeats(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	l := newLand(t, testworld.Rough(65, 65, 1), 33, 0, 0)
	for i := range 4 {
		rule, topology := billod.NewRule(&l.World.World, i%2 > 0, anyThresholds(rng)), lodcpu.Topology(i/2)
		used := l.refiner(rule, topology)
		a, b := make([]uint32, used.MaxIndices(0)), make([]uint32, used.MaxIndices(0))
		for range 30 {
			rule.Set(anyThresholds(rng))
			law, s := rule.Law(l.lawOf(rng, l.anyView(rng, 4))), l.mix(rng)
			for k, level := range s {
				for i := range a {
					a[i] = rng.Uint32()
				}
				tile, near := l.Tile(k, terrain.Level(level)), s.near(k)
				c, _ := used.Refine(a, tile, &near, &law)
				d, _ := l.refiner(rule, topology).Refine(b, tile, &near, &law)
				if c != d || !slices.Equal(a[:c.Indices], b[:d.Indices]) {
					t.Fatalf("%v tile %v: %+v, and %+v by a new refiner", topology, k, c, d)
				}
			}
		}
	}
}

func TestRefineDoesNotAllocate(t *testing.T) {
	l := newLand(t, testworld.Rough(129, 129, 1), 65, 0, 0)
	near := levels{{X: 0, Y: 0}: 0, {X: 1, Y: 0}: 2}.near(terrain.Key{})
	v := l.anyView(rand.New(rand.NewPCG(1, 1)), 1)
	tile := l.Tile(terrain.Key{}, 0)
	for i := range 4 {
		rule := billod.NewRule(&l.World.World, i%2 > 0, billod.Thresholds{Near: 100, Far: 1000, Detail: 100, MinimalDepth: 2})
		r := l.refiner(rule, lodcpu.Topology(i/2))
		dst := make([]uint32, r.MaxIndices(0))
		law := new(lodcpu.Law)
		if n := testing.AllocsPerRun(20, func() {
			*law = rule.Law(v.Law(&l.World.World))
			r.Refine(dst, tile, &near, law)
		}); n != 0 {
			t.Errorf("classic %v: %g allocations", rule.Classic(), n)
		}
	}
}

func TestMisuse(t *testing.T) {
	l := newLand(t, testworld.Rough(33, 33, 1), 33, 0, 0)
	law := lodcpu.FullLaw(&l.World.World)
	rule := billod.NewRule(&l.World.World, true, billod.Thresholds{})
	near := lodcpu.Neighbourhood{}
	for want, f := range map[string]func(){
		"billod: neighbourhood claims a finer level than the tile holds": func() {
			billod.New(l.Layout(), lodcpu.List).Refine(nil, l.Tile(terrain.Key{}, 1), &near, &law)
		},
		"billod: measures of tile 0,0 are missing": func() {
			none := billod.NewMeasures([]terrain.TileInfo{*l.Infos[terrain.Key{}]})
			billod.NewClassic(l.Layout(), lodcpu.List, rule, none).Refine(nil, l.Tile(terrain.Key{}, 0), &near, &law)
		},
		"billod: far threshold of -1 m: must be 0 or more":   func() { rule.Set(billod.Thresholds{Far: -1}) },
		"billod: near threshold of NaN m: must be 0 or more": func() { rule.Set(billod.Thresholds{Near: math.NaN()}) },
		"billod: vertex detail of +Inf m: must be 0 or more": func() { rule.Set(billod.Thresholds{Detail: math.Inf(1)}) },
		"billod: minimal depth of -1: must be 0 or more":     func() { rule.Set(billod.Thresholds{MinimalDepth: -1}) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != want {
					t.Errorf("%s, want %s", got, want)
				}
			}()
			f()
		}()
	}
}

func TestMeasuresTruncate(t *testing.T) {
	k := terrain.Key{X: 1}
	m := billod.NewMeasures([]terrain.TileInfo{{Key: k}})
	m.Truncate(k, 5)
	if m.Of(k) != nil {
		t.Error("measures of nothing")
	}
	m.Put(k, make([]byte, 100))
	for _, n := range []int{25, 30, 9, 0} {
		m.Truncate(k, n)
		if got := len(m.Of(k)); got != min(100, 4*n) {
			t.Errorf("%d bytes left for %d vertices", got, n)
		}
	}
}
