package lodcpu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/vkterrain/vkterrain/internal/lodtest"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/billod"
	"github.com/vkterrain/vkterrain/lodcpu/quadtree"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
	"github.com/vkterrain/vkterrain/meshcheck"
	"github.com/vkterrain/vkterrain/terrain"
)

// refiners are the algorithms that keep the law. What is tested here is tested of
// each, in both topologies.
var refiners = []struct {
	name string
	make func(*terrain.Layout, lodcpu.Topology) lodcpu.Refiner
}{
	{"soar", func(l *terrain.Layout, t lodcpu.Topology) lodcpu.Refiner { return soar.New(l, t) }},
	{"quadtree", func(l *terrain.Layout, t lodcpu.Topology) lodcpu.Refiner { return quadtree.New(l, t) }},
	{"billod", func(l *terrain.Layout, t lodcpu.Topology) lodcpu.Refiner { return billod.New(l, t) }},
}

// each runs a test for each algorithm and topology; what it is given makes refiners
// that leave holes.
func each(t *testing.T, test func(t *testing.T, topology lodcpu.Topology, refiner func(*terrain.Layout) lodcpu.Refiner)) {
	for _, r := range refiners {
		for _, topology := range lodtest.Topologies {
			t.Run(r.name+"/"+topology.String(), func(t *testing.T) {
				t.Parallel()
				test(t, topology, func(l *terrain.Layout) lodcpu.Refiner {
					return lodcpu.LeaveHoles(r.make(l, topology), l, topology)
				})
			})
		}
	}
}

// many returns how many times to do something: few with -short, and many in the
// nightly run, see make test-nightly.
func many(few, usual, nightly int) int {
	switch {
	case os.Getenv("VKTERRAIN_NIGHTLY") == "1":
		return nightly
	case testing.Short():
		return few
	}
	return usual
}

// worlds are small ones of all kinds, mostly of 3×3 tiles: rough, of twenty times
// the relief, of lone spikes, of odd sizes, with holes.
var worlds = sync.OnceValue(func() (all []*testworld.World) {
	add := func(f *terrain.Field, tile int) { all = append(all, testworld.New(f, tile, 300, -700)) }
	add(testworld.Rough(97, 97, 1), 33)
	add(lodtest.Steep(testworld.Rough(97, 97, 2)), 33)
	add(testworld.Rough(80, 70, 3), 33)
	add(lodtest.Steep(testworld.Rough(66, 97, 4)), 33)
	add(testworld.Punch(testworld.Rough(97, 97, 5), 9, 5), 33)
	add(testworld.Punch(lodtest.Steep(testworld.Rough(90, 97, 6)), 9, 6), 33)
	add(testworld.Rough(49, 49, 7), 17)
	add(testworld.Punch(lodtest.Spikes(97, 70, 8), 5, 8), 33)
	for seed := range uint64(4) {
		add(lodtest.Spikes(97, 97, seed), 33)
	}
	return all
})

// state is something to be drawn.
type state struct {
	*lodtest.Scene
	view  *lodcpu.View
	law   lodcpu.Law
	about string
}

// anyState is the state of a number: any view, tolerance and margin, with or without
// culling, of a world with any levels loaded.
func anyState(i int) *state {
	rng := rand.New(rand.NewPCG(uint64(i), 0x57a7e))
	w := worlds()[i%len(worlds())]
	s := &state{view: lodtest.View(w, rng, math.Exp2(rng.Float64()*7-1))}
	if rng.IntN(3) == 0 {
		s.view.Eye[1] *= math.Exp(4 * rng.Float64())
	}
	a := lodcpu.Anchor{}
	if rng.IntN(2) == 0 {
		a = lodcpu.Anchor{Margin: math.Exp(6 * rng.Float64()), Tilt: rng.Float64() * math.Pi}
	}
	s.law = s.view.AnchorLaw(&w.World, a)
	culled := rng.IntN(2) == 0
	if culled {
		s.law.Cull = s.view.Cull(s.law.Eye)
	}
	switch rng.IntN(8) {
	case 0:
		s.Scene = lodtest.Whole(w)
	case 1:
		s.Scene = lodtest.Needed(w, &s.law)
	default:
		s.Scene = lodtest.Mix(w, rng)
	}
	s.about = fmt.Sprintf("state %d: %d×%d, tiles of %d, levels %v, culled %v, anchor %+v, view %+v",
		i, w.Width, w.Height, w.TileSize, s.Levels, culled, a, *s.view)
	return s
}

// TestStates draws any states: each must be one sheet over the drawn tiles, with
// every inner edge used exactly twice, no T-junction, no overlap, all triangles
// facing up and the area exact; but for its holes.
func TestStates(t *testing.T) {
	n := many(60, 300, 10000)
	each(t, func(t *testing.T, topology lodcpu.Topology, refiner func(*terrain.Layout) lodcpu.Refiner) {
		triangles, anchored := 0, 0
		for i := range n {
			s := anyState(i)
			m, _ := s.Draw(t, refiner(s.Layout()), topology, &s.law)
			if faults, first := s.Faults(m); faults > 0 {
				t.Fatalf("%s: %d faults: %s", s.about, faults, first)
			}
			triangles += len(m.Triangles)
			if s.law.A > 0 {
				anchored++
			}
		}
		t.Logf("%d states, %d triangles, %d with a margin", n, triangles, anchored)
		if triangles < 500*n || anchored < n/4 {
			t.Errorf("%d triangles, %d states with a margin: too little was tested", triangles, anchored)
		}
	})
}

// breaks are ways to break what refiners rely on, or what they make, and what must
// be found then. Some spoil a state, others the mesh.
var breaks = []struct {
	name, want string
	spoil      func(s *state)
	mesh       func(m *meshcheck.Mesh)
}{
	{name: "coefficients are not nested", want: "one side", spoil: func(s *state) { respell(s, unnest) }},
	{name: "radii are not nested", want: "one side", spoil: func(s *state) {
		s.law.Radius, s.law.A = make([]float32, len(s.law.Radius)), 0
		s.law.Extent = s.law.Radius
	}},
	{name: "nobody asks what neighbours have", want: "one side", spoil: func(s *state) {
		s.Spoil = func(_ terrain.Key, near *lodcpu.Neighbourhood, _ *lodcpu.Law) {
			for i := range near {
				near[i] = min(near[i], near[lodcpu.Own])
			}
		}
	}},
	{name: "tiles have anchors of their own", want: "one side", spoil: func(s *state) {
		s.Spoil = func(k terrain.Key, _ *lodcpu.Neighbourhood, law *lodcpu.Law) { law.Eye[0] += 100 * float64(k.X-k.Y) }
	}},
	{name: "tiles have pictures of their own", want: "one side", spoil: func(s *state) {
		s.Spoil = func(k terrain.Key, _ *lodcpu.Neighbourhood, law *lodcpu.Law) {
			v := *s.view
			v.Yaw += float64(k.X - k.Y)
			law.Cull = v.Cull(law.Eye)
		}
	}},
	{name: "a seam has two heights", want: "m high", spoil: func(s *state) { respell(s, lift) }},
	{name: "holes are drawn over", want: "touches the hole", spoil: func(s *state) {
		respell(s, func(tile *terrain.Tile) {
			for i := range tile.Verts {
				tile.Verts[i].SkyView = max(tile.Verts[i].SkyView, 1)
			}
		})
	}},
	{name: "a triangle is missing", want: "one side", mesh: func(m *meshcheck.Mesh) { m.Triangles = m.Triangles[:len(m.Triangles)-1] }},
	{name: "a triangle is there twice", want: "used 2 times", mesh: func(m *meshcheck.Mesh) {
		m.Triangles = append(m.Triangles, m.Triangles[len(m.Triangles)/2])
	}},
	{name: "a triangle faces down", want: "does not face up", mesh: func(m *meshcheck.Mesh) {
		t := &m.Triangles[len(m.Triangles)/2]
		t[0], t[1] = t[1], t[0]
	}},
	{name: "triangles overlap", want: "used 2 times", mesh: func(m *meshcheck.Mesh) {
		// The quad of two neighbours is cut the other way as well.
		apex := map[[2]uint32]uint32{}
		for _, t := range m.Triangles {
			for i, p := range t {
				q, r := t[(i+1)%3], t[(i+2)%3]
				if d, ok := apex[[2]uint32{q, p}]; ok {
					m.Triangles = append(m.Triangles, [3]uint32{p, d, r}, [3]uint32{d, q, r})
					return
				}
				apex[[2]uint32{p, q}] = r
			}
		}
	}},
}

// respell gives a state a world of its own and changes its tiles.
func respell(s *state, change func(*terrain.Tile)) {
	w := testworld.New(s.Field, s.TileSize, s.OriginX, s.OriginZ)
	for k := range w.Infos {
		change(w.Tile(k, 0))
	}
	s.World = w
}

// unnest makes a third of the coefficients nothing.
func unnest(tile *terrain.Tile) {
	for i := 9 * 9; i < len(tile.Verts); i += 3 {
		tile.Verts[i].Coef = 0
	}
}

// lift raises every other tile by its own.
func lift(tile *terrain.Tile) {
	if (tile.Info.Key.X+tile.Info.Key.Y)%2 == 0 {
		return
	}
	for i := range tile.Verts {
		tile.Verts[i].Height ^= 1
	}
}

// TestBrokenRulesAreSeen breaks rules on purpose and wants that found, by the
// algorithm and in the topology of any test.
func TestBrokenRulesAreSeen(t *testing.T) {
	each(t, func(t *testing.T, topology lodcpu.Topology, refiner func(*terrain.Layout) lodcpu.Refiner) {
		for _, b := range breaks {
			found, tried := 0, 0
			for i := 0; tried < 120 && found < 3; i++ {
				s := anyState(i)
				if s.Broken = b.spoil != nil; s.Broken {
					b.spoil(s)
				}
				m, _ := s.Draw(t, refiner(s.Layout()), topology, &s.law)
				if len(m.Triangles) < 20 {
					continue
				}
				if b.mesh != nil {
					b.mesh(m)
				}
				tried++
				if n, first := s.Faults(m); n > 0 && strings.Contains(first, b.want) {
					found++
				}
			}
			if found < 3 {
				t.Errorf("%s: found in %d of %d states", b.name, found, tried)
			}
		}
	})
}
