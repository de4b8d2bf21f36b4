package billod_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/lodtest"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/billod"
	"github.com/vkterrain/vkterrain/terrain"
)

// TestWatertight draws mostly 3×3 tiles with any mix of loaded levels, absent tiles
// included, of all kinds of land, for any cameras and thresholds, by both rules and in
// both topologies. By the law alone it is tested with other refiners in lodcpu.
func TestWatertight(t *testing.T) {
	lands := []*land{
		newLand(t, testworld.Rough(97, 97, 1), 33, 0, 0),
		newLand(t, lodtest.Steep(testworld.Rough(97, 97, 2)), 33, 300, -700),
		newLand(t, testworld.Rough(80, 70, 3), 17, 0, 0),
		newLand(t, testworld.Punch(testworld.Rough(97, 97, 5), 9, 5), 33, 0, 0),
		newLand(t, testworld.Punch(lodtest.Steep(testworld.Rough(66, 97, 6)), 9, 6), 33, 0, 0),
		newLand(t, testworld.Rough(3, 50, 2), 33, 0, 0),
		newLand(t, testworld.Rough(9, 7, 2), 3, 0, 0),
	}
	for seed := range uint64(4) {
		lands = append(lands, newLand(t, lodtest.Spikes(97, 97, seed), 33, 0, 0))
	}
	rng := rand.New(rand.NewPCG(1, 1))
	states := 1000
	if os.Getenv("VKTERRAIN_NIGHTLY") == "1" {
		states = 20000
	} else if testing.Short() {
		states = 200
	}
	triangles := 0
	for i := range states {
		l, topology := lands[i%len(lands)], lodcpu.Topology(i/2%2)
		rule := l.rule(i/4%4 > 0, anyThresholds(rng))
		law := rule.Law(l.lawOf(rng, lodtest.View(l.World, rng, math.Exp2(rng.Float64()*6))))
		if i%5 == 0 {
			law.A += 100 * rng.Float64() // from all places an eye may move to
		}
		s := lodtest.Mix(l.World, rng)
		m, c := s.Draw(t, lodcpu.LeaveHoles(l.refiner(rule, topology), l.Layout(), topology), topology, &law)
		if n, first := s.Faults(m); n > 0 {
			t.Fatalf("state %d, levels %v, %v, classic %v, %+v: %d faults: %s", i, s.Levels, topology, rule.Classic(), rule.Thresholds(), n, first)
		}
		triangles += c.Triangles
	}
	if triangles < 300*states {
		t.Errorf("%d triangles in %d states: too little was tested", triangles, states)
	}
}

// TestStripAndListAgree: by the published tests too.
func TestStripAndListAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, f := range []*terrain.Field{testworld.Rough(65, 65, 8), lodtest.Spikes(50, 60, 3)} {
		l := newLand(t, f, 33, 0, 0)
		for range 40 {
			rule, s := l.rule(true, anyThresholds(rng)), lodtest.Mix(l.World, rng)
			law := rule.Law(l.lawOf(rng, lodtest.View(l.World, rng, 4)))
			strip, _ := s.Draw(t, l.refiner(rule, lodcpu.Strip), lodcpu.Strip, &law)
			list, _ := s.Draw(t, l.refiner(rule, lodcpu.List), lodcpu.List, &law)
			if !maps.Equal(s.Triangles(strip), s.Triangles(list)) {
				t.Fatalf("strip has %d triangles, list %d", len(strip.Triangles), len(list.Triangles))
			}
		}
	}
}

// TestScreenError measures the promise of the bounded rule, whatever thresholds ask for
// beside it: no full-resolution sample in view is drawn more than tau pixels off.
func TestScreenError(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	l := newLand(t, testworld.Rough(200, 150, 4), 65, 5000, -3000)
	for _, tau := range []float64{1, 2, 4, 8} {
		worst, least := 0.0, math.MaxInt
		for cam := range 12 {
			v := lodtest.View(l.World, rng, tau)
			rule := l.rule(false, billod.Thresholds{Near: float64(cam%3) * 60, Far: float64(cam%2) * 100, MinimalDepth: cam % 4})
			law, topology := rule.Law(v.Law(&l.World.World)), lodcpu.Topology(cam%2)
			if cam%4 > 0 {
				law.Cull = v.Cull(v.Eye)
			}
			m, c := l.Draw(t, l.refiner(rule, topology), topology, &law)
			e := l.Error(m, v)
			if e.Worst > tau || e.Uncovered > 0 {
				t.Fatalf("tau %g, view %+v: %.3f px at %v, %d samples uncovered", tau, *v, e.Worst, e.At, e.Uncovered)
			}
			worst, least = max(worst, e.Worst), min(least, c.Triangles)
		}
		if full := 2 * 199 * 149; worst < tau/4 || least > full*2/3 {
			t.Errorf("tau %g: worst %.3f px with %d triangles: nothing was tested", tau, worst, least)
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
		v := lodtest.View(l.World, rng, 2+6*rng.Float64())
		v.Eye[1] += 1500 * rng.Float64()
		th := anyThresholds(rng)
		if th.Detail /= 4; i%4 == 1 {
			th = billod.Thresholds{Far: math.Exp2(rng.Float64() * 12)} // deviations alone
		}
		rule := l.rule(i%2 > 0, th)
		law := rule.Law(v.Law(&l.World.World))
		if i%3 > 0 {
			law.Cull = v.Cull(v.Eye)
		}
		needs := rule.Needs(law, deviation)
		s := lodtest.Needed(l.World, &needs)
		for _, level := range s.Levels {
			spared += int(level)
		}
		m, _ := s.Draw(t, l.refiner(rule, lodcpu.List), lodcpu.List, &law)
		want, _ := l.draw(t, rule, lodcpu.List, &law)
		if got := s.Triangles(m); !maps.Equal(got, want) {
			t.Fatalf("classic %v, %+v: %d triangles, %d with all levels", rule.Classic(), th, len(got), len(want))
		}
	}
	if spared == 0 {
		t.Error("every tile needed its finest level: nothing was tested")
	}
}

// plain is flat land of 33×33 samples.
func plain(spacing float64) *terrain.Field {
	return &terrain.Field{Width: 33, Height: 33, Spacing: spacing, Quantum: 1, Samples: make([]int32, 33*33)}
}

// lawAt is the law of a view from a place.
func (l *land) lawAt(x, y, z float64) lodcpu.Law {
	return (&lodcpu.View{Eye: mgl64.Vec3{x, y, z}, FovY: 1, Width: 100, Height: 100, Tau: 1}).Law(&l.World.World)
}

// TestFlatGrid checks numbers where nothing but the grid counts.
func TestFlatGrid(t *testing.T) {
	l := newLand(t, plain(1), 33, 0, 0)
	afar, full := l.lawAt(0, 1e6, 0), lodcpu.FullLaw(&l.World.World)
	for _, topology := range lodtest.Topologies {
		for classic, least := range map[bool]int{false: 4, true: 2} {
			rule := l.rule(classic, billod.Thresholds{})
			law := rule.Law(full)
			if _, c := l.draw(t, rule, topology, &law); c.Triangles != 2*32*32 {
				t.Errorf("%v: %d triangles in all", topology, c.Triangles)
			}
			// A node without edge vertices is as many triangles as the tile: one for each
			// depth more makes four of it.
			for depth := range 5 {
				rule.Set(billod.Thresholds{MinimalDepth: depth})
				law := rule.Law(afar)
				if _, c := l.draw(t, rule, topology, &law); c.Triangles != least<<(2*depth) {
					t.Errorf("%v, classic %v, depth %d: %d triangles, want %d", topology, classic, depth, c.Triangles, least<<(2*depth))
				}
			}
		}
	}
}

// TestFlatLandByThePublishedTests: near everything is shown but edge vertices of the
// finest nodes, which lie in the middle of their edges; and a node without edge
// vertices is divided as the node above is there, through its centre.
func TestFlatLandByThePublishedTests(t *testing.T) {
	l := newLand(t, plain(1), 33, 0, 0)
	for _, topology := range lodtest.Topologies {
		rule := l.rule(true, billod.Thresholds{Near: 1000})
		law := rule.Law(l.lawAt(16, 5, 16))
		if _, c := l.draw(t, rule, topology, &law); c.Triangles != 2*16*16 {
			t.Errorf("%d triangles of finest nodes, want two each", c.Triangles)
		}
		rule.Set(billod.Thresholds{MinimalDepth: 1})
		law = rule.Law(l.lawAt(16, 5, 16))
		triangles, _ := l.draw(t, rule, topology, &law)
		for tri := range triangles {
			if !slices.Contains(tri[:], [2]int{16, 16}) {
				t.Errorf("triangle %v of a child is not at the tile's centre", tri)
			}
		}
	}
}

// TestNothingAskedNothingShown: a threshold of 0 shows nothing, however near the eye is,
// nor does anything else show what is flat.
func TestNothingAskedNothingShown(t *testing.T) {
	for _, c := range []struct {
		field      *terrain.Field
		thresholds billod.Thresholds
	}{{testworld.Rough(33, 33, 1), billod.Thresholds{}}, {plain(10), billod.Thresholds{Detail: 1e6}}, {plain(10), billod.Thresholds{Far: 1e6}}} {
		l := newLand(t, c.field, 33, 0, 0)
		rule := l.rule(true, c.thresholds)
		law := rule.Law(l.lawAt(160, 5, 160))
		if _, got := l.draw(t, rule, lodcpu.List, &law); got.Triangles != 2 {
			t.Errorf("%+v: %d triangles, want the tile's 2", c.thresholds, got.Triangles)
		}
	}
}

// TestFinestEdgeVertices: of those nothing but the delta decides, whatever the near
// threshold.
func TestFinestEdgeVertices(t *testing.T) {
	l := newLand(t, testworld.Rough(65, 65, 3), 33, 0, 0)
	th := billod.Thresholds{Near: 200, Detail: 40}
	eye := mgl64.Vec3{320, 150, 320}
	rule := l.rule(true, th)
	law := rule.Law(l.lawAt(eye[0], eye[1], eye[2]))
	triangles, _ := l.draw(t, rule, lodcpu.List, &law)
	got, a := corners(triangles), &article{l.Field, th, eye}
	shown, not := 0, 0
	for z := range 65 {
		for x := range 65 {
			dx, dz := x&1, z&1
			if dx == dz {
				continue
			}
			distance, middle := a.at(x, z).Sub(eye).Len(), a.at(x-dx, z-dz).Add(a.at(x+dx, z+dz)).Mul(0.5)
			reach := th.Detail * math.Abs(a.at(x, z)[1]-middle[1])
			switch is := got[[2]int{x, z}]; {
			case is && distance > 1.01*reach+float64(l.Radius[0])+1e-6, !is && distance < reach:
				t.Errorf("vertex %d,%d at %g m, reach %g m: %v", x, z, distance, reach, is)
			case is:
				shown++
			default:
				not++
			}
		}
	}
	if shown < 100 || not < 100 {
		t.Errorf("%d shown, %d not: nothing was tested", shown, not)
	}
}

// TestMeasuresArrive: what is refined follows the measures that are there.
func TestMeasuresArrive(t *testing.T) {
	l := newLand(t, testworld.Rough(33, 33, 3), 33, 0, 0)
	k := terrain.Key{}
	all, none := l.measures.Of(k), make([]byte, len(l.measures.Of(k)))
	rule := l.rule(true, billod.Thresholds{Far: 1000, Detail: 50})
	law := rule.Law(l.lawAt(160, 100, 160))
	_, much := l.draw(t, rule, lodcpu.List, &law)
	l.measures.Put(k, none)
	_, little := l.draw(t, rule, lodcpu.List, &law)
	l.measures.Put(k, all)
	_, again := l.draw(t, rule, lodcpu.List, &law)
	if little.Triangles != 2 || much.Triangles < 100 || again != much {
		t.Errorf("%+v, without measures %+v, and with them again %+v", much, little, again)
	}
}

// TestScale: a share of a rule shows what thresholds of that share show.
func TestScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 2))
	l := newLand(t, testworld.Rough(97, 97, 1), 33, 0, 0)
	for i := range 20 {
		th := anyThresholds(rng)
		half := billod.Thresholds{Near: th.Near / 2, Far: th.Far / 2, Detail: th.Detail / 2, MinimalDepth: th.MinimalDepth}
		scaled, rule := l.rule(i%2 > 0, th), l.rule(i%2 > 0, half)
		law := lodtest.View(l.World, rng, 3).Law(&l.World.World)
		whole := scaled.Law(law)
		l.draw(t, scaled, lodcpu.List, &whole) // what is kept of this must be forgotten
		scaled.Scale(0.5)
		a, b := scaled.Law(law), rule.Law(law)
		if na, nb := scaled.Needs(a, 0.3), rule.Needs(b, 0.3); na.A != nb.A || na.B != nb.B {
			t.Errorf("needs %v and %v, or %v and %v", na.A, na.B, nb.A, nb.B)
		}
		got, _ := l.draw(t, scaled, lodcpu.List, &a)
		if want, _ := l.draw(t, rule, lodcpu.List, &b); !maps.Equal(got, want) {
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
	near := l.Near(terrain.Key{})
	dst := make([]uint32, 24)
	for _, c := range []struct {
		classic bool
		law     lodcpu.Law
		want    []uint32
	}{
		{false, l.lawAt(0, 1e6, 0), []uint32{c, sw, se, c, se, ne, c, ne, nw, c, nw, sw}},
		{true, l.lawAt(0, 1e6, 0), []uint32{se, ne, nw, se, nw, sw}},
		{false, lodcpu.FullLaw(&l.World.World), []uint32{c, sw, s, c, s, se, c, se, e, c, e, ne, c, ne, n, c, n, nw, c, nw, w, c, w, sw}},
		{true, lodcpu.FullLaw(&l.World.World), []uint32{c, sw, s, c, s, se, c, se, e, c, e, ne, c, ne, n, c, n, nw, c, nw, w, c, w, sw}},
	} {
		rule := l.rule(c.classic, billod.Thresholds{})
		law := rule.Law(c.law)
		got, ok := l.refiner(rule, lodcpu.List).Refine(dst, l.Tile(terrain.Key{}, 0), &near, &law)
		if !ok || !slices.Equal(dst[:got.Indices], c.want) {
			t.Errorf("classic %v: %v, want %v", c.classic, dst[:got.Indices], c.want)
		}
	}
}

// TestRepeats: a refiner keeps nothing of what it did before, dst is not read, and how
// long it is decides nothing but whether there is room.
func TestRepeats(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for i, size := range [][2]int{{65, 65}, {50, 60}, {65, 65}, {50, 60}} {
		l, topology := newLand(t, testworld.Rough(size[0], size[1], 1), 33, 0, 0), lodcpu.Topology(i/2)
		rule := l.rule(true, billod.Thresholds{})
		used := l.refiner(rule, topology)
		a, b := make([]uint32, used.MaxIndices(0)), make([]uint32, used.MaxIndices(0))
		for range 30 {
			rule.Set(anyThresholds(rng))
			law, s := rule.Law(l.lawOf(rng, lodtest.View(l.World, rng, 4))), lodtest.Mix(l.World, rng)
			for k, level := range s.Levels {
				for i := range a {
					a[i] = rng.Uint32()
				}
				tile, near := l.Tile(k, terrain.Level(level)), s.Near(k)
				c, _ := used.Refine(a, tile, &near, &law)
				d, _ := l.refiner(rule, topology).Refine(b, tile, &near, &law)
				if c != d || !slices.Equal(a[:c.Indices], b[:d.Indices]) {
					t.Fatalf("%v tile %v: %+v, and %+v by a new refiner", topology, k, c, d)
				}
				if d, ok := used.Refine(b[:c.Indices:c.Indices], tile, &near, &law); !ok || d != c {
					t.Fatalf("%v tile %v: %d indices do not fit where they need to", topology, k, c.Indices)
				}
				for n := c.Indices - 1; n >= 0; n -= 1 + rng.IntN(1+c.Indices/3) {
					if _, ok := used.Refine(b[:n:n], tile, &near, &law); ok {
						t.Fatalf("%v tile %v: %d indices accepted, %d needed", topology, k, n, c.Indices)
					}
				}
			}
		}
	}
}

func TestRefineDoesNotAllocate(t *testing.T) {
	l := newLand(t, testworld.Rough(129, 129, 1), 65, 0, 0)
	l.Levels[terrain.Key{X: 1}] = 2
	near, tile := l.Near(terrain.Key{}), l.Tile(terrain.Key{}, 0)
	v := lodtest.View(l.World, rand.New(rand.NewPCG(1, 1)), 1)
	for i := range 4 {
		rule := l.rule(i%2 > 0, billod.Thresholds{Near: 100, Far: 1000, Detail: 100, MinimalDepth: 2})
		r, law := l.refiner(rule, lodcpu.Topology(i/2)), new(lodcpu.Law)
		dst := make([]uint32, r.MaxIndices(0))
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
	rule := l.rule(true, billod.Thresholds{})
	near := lodcpu.Neighbourhood{}
	for want, f := range map[string]func(){
		"billod: neighbourhood claims a finer level than the tile holds": func() {
			l.refiner(rule, lodcpu.List).Refine(nil, l.Tile(terrain.Key{}, 1), &near, &law)
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
