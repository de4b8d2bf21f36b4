package quadtree_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/lodtest"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/quadtree"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
	"github.com/vkterrain/vkterrain/terrain"
)

// TestNothingIsLeftToChase draws worlds with all levels loaded: every triangle belongs
// to a whole fan, of a square that is nowhere beside one of less than half its side;
// and all that bisection draws is drawn.
func TestNothingIsLeftToChase(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 2))
	worlds := []*testworld.World{}
	for _, tile := range []int{129, 33} {
		worlds = append(worlds, testworld.New(testworld.Rough(129, 129, 3), tile, 0, 0))
		for seed := range uint64(10) {
			worlds = append(worlds, testworld.New(lodtest.Spikes(129, 129, seed), tile, 0, 0))
		}
	}
	for _, w := range worlds {
		s := lodtest.Whole(w)
		depths := map[int]int{}
		for range 15 {
			law := lodtest.View(w, rng, math.Exp2(rng.Float64()*7)).Law(&w.World)
			m, _ := s.Draw(t, quadtree.New(w.Layout(), lodcpu.List), lodcpu.List, &law)
			squares := fans(t, s.Triangles(m))
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
			bisected, _ := s.Draw(t, soar.New(w.Layout(), lodcpu.List), lodcpu.List, &law)
			has := map[[2]int]bool{}
			for tri := range s.Triangles(m) {
				has[tri[0]], has[tri[1]], has[tri[2]] = true, true, true
			}
			for tri := range s.Triangles(bisected) {
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
