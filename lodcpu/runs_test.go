package lodcpu_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/lodtest"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// cutTile is a tile of a state with its indices, cut.
type cutTile struct {
	tile    *terrain.Tile
	runs    *lodcpu.Runs
	indices []uint32
	counts  lodcpu.Counts
}

// cutTiles refines the tiles of a state by a team, with runs.
func cutTiles(t *testing.T, s *state, topology lodcpu.Topology, newRefiner func() lodcpu.Refiner) (tiles []cutTile) {
	t.Helper()
	team := lodcpu.NewTeam(1, newRefiner)
	defer team.Close()
	var jobs []lodcpu.Job
	for k, level := range s.Levels {
		runs := &lodcpu.Runs{Layout: s.Layout(), Topology: topology}
		tile := *s.Tile(k, terrain.Level(level))
		info := *tile.Info
		info.Min -= info.Base % 50 // a box may be larger
		tile.Info = &info
		jobs = append(jobs, lodcpu.Job{Tile: &tile, Near: s.Near(k), Expect: len(jobs) % 2 * 5000, Runs: runs})
	}
	dst, spans := make([]uint32, 300_000), make([]lodcpu.Span, len(jobs))
	if _, _, ok := team.Refine(dst, jobs, &s.law, spans); !ok {
		t.Fatal("too little room")
	}
	for i, e := range spans {
		tiles = append(tiles, cutTile{jobs[i].Tile, jobs[i].Runs, dst[e.First : e.First+e.Indices], e.Counts})
	}
	return tiles
}

// TestRunsHoldAll: indices that are cut are what a refiner writes, and a view that sees
// all of them draws all of them, as one range.
func TestRunsHoldAll(t *testing.T) {
	each(t, func(t *testing.T, topology lodcpu.Topology, refiner func(*terrain.Layout) lodcpu.Refiner) {
		for i := range many(10, 40, 1000) {
			s := anyState(i)
			one := refiner(s.Layout())
			want := make([]uint32, one.MaxIndices(0))
			for _, c := range cutTiles(t, s, topology, func() lodcpu.Refiner { return refiner(s.Layout()) }) {
				key := c.tile.Info.Key
				near := s.Near(key)
				counts, _ := one.Refine(want, c.tile, &near, &s.law)
				if counts != c.counts || !slices.Equal(want[:counts.Indices], c.indices) {
					t.Fatalf("%s, tile %v: other indices than without runs", s.about, key)
				}
				ranges := c.runs.Visible(&lodcpu.Sight{}, nil)
				if counts.Indices == 0 && len(ranges) == 0 {
					continue
				}
				all := lodcpu.Range{Indices: counts.Indices, Triangles: counts.Triangles}
				if len(ranges) != 1 || topology == lodcpu.List && ranges[0] != all || ranges[0].First != 0 || ranges[0].Indices != all.Indices || ranges[0].Triangles != all.Triangles {
					t.Fatalf("%s, tile %v: %+v, want %+v", s.about, key, ranges, all)
				}
			}
		}
	})
}

// TestRunsLeaveOutNothingVisible turns the head: what is left out is outside the
// picture, also where vertices are drawn above or below their own heights.
func TestRunsLeaveOutNothingVisible(t *testing.T) {
	each(t, func(t *testing.T, topology lodcpu.Topology, refiner func(*terrain.Layout) lodcpu.Refiner) {
		rng := rand.New(rand.NewPCG(6, 20))
		kept, left, parts := 0, 0, 0
		for i := range many(10, 60, 2000) {
			s := anyState(i)
			s.law.Cull = lodcpu.Cull{}
			tiles := cutTiles(t, s, topology, func() lodcpu.Refiner { return refiner(s.Layout()) })
			for range 3 {
				v := lodtest.View(s.World, rng, 1)
				look := looker{state: s, view: v, picture: newPicture(v), topology: topology, astray: float64(rng.IntN(2)) * 20 * rng.Float64(), rng: rng}
				for _, c := range tiles {
					k, l, p := look.at(t, &c)
					kept, left, parts = kept+k, left+l, parts+p
				}
			}
		}
		if kept < 1000 || left < 1000 || parts < 20 {
			t.Errorf("%d triangles kept and %d left out of %d tiles drawn in part: nothing was tested", kept, left, parts)
		}
	})
}

// looker looks at tiles.
type looker struct {
	*state
	view     *lodcpu.View
	picture  *picture
	topology lodcpu.Topology
	astray   float64 // metres that vertices may be drawn too high or too low
	rng      *rand.Rand
}

// at fails if a triangle of a tile is in the picture that would not be drawn. It
// returns how many are drawn and how many are not, of a tile that is drawn in part.
func (l *looker) at(t *testing.T, c *cutTile) (kept, left, parts int) {
	sight := l.view.NewSight()
	seen, whole := sight.Tile(c.runs, l.astray)
	if whole {
		return 0, 0, 0
	}
	var ranges []lodcpu.Range
	if seen {
		ranges = c.runs.Visible(&sight, nil)
	}
	drawn := map[[3]uint32]bool{}
	triangles := 0
	for i, e := range ranges {
		if e.Indices <= 0 || e.First+e.Indices > len(c.indices) || i > 0 && e.First < ranges[i-1].First+ranges[i-1].Indices-2 || l.topology == lodcpu.Strip && e.First%2 != 0 {
			t.Fatalf("%s: ranges %+v of %d indices", l.about, ranges, len(c.indices))
		}
		lodcpu.Triangles(l.topology, c.indices[e.First:e.First+e.Indices], func(a, b, c uint32) { drawn[[3]uint32{a, b, c}] = true })
		triangles += e.Triangles
	}
	lodcpu.Triangles(l.topology, c.indices, func(i, j, k uint32) {
		switch {
		case drawn[[3]uint32{i, j, k}]:
			kept++
			return
		case l.picture.has(l.place(c, i), l.place(c, j), l.place(c, k)):
			t.Fatalf("%s, seen from %+v: triangle %d %d %d of tile %v is in the picture, but not drawn: ranges %+v", l.about, *l.view, i, j, k, c.tile.Info.Key, ranges)
		}
		left++
	})
	if of := c.runs.Of(ranges); of.Triangles != triangles || l.padding(c) == 0 && triangles != kept {
		t.Fatalf("%s: %d triangles counted, %d summed, %d drawn", l.about, of.Triangles, triangles, kept)
	}
	if kept > 0 && left > 0 {
		parts++
	}
	return kept, left, parts
}

// padding returns how many cells of a tile lie beyond the rim of the source.
func (l *looker) padding(c *cutTile) int {
	k, cells := c.tile.Info.Key, l.Layout().Cells
	return max((int(k.X)+1)*cells-(l.Width-1), (int(k.Y)+1)*cells-(l.Height-1), 0)
}

// place is where a vertex may be drawn, in camera space.
func (l *looker) place(c *cutTile, id uint32) mgl64.Vec3 {
	p := mgl64.Vec3(l.Corner(c.tile, id))
	y := p[1] + l.astray*(2*l.rng.Float64()-1)
	info := c.tile.Info
	p[1] = math.Min(math.Max(y, float64(info.Min)*l.Quantum), float64(info.Max)*l.Quantum)
	return l.picture.turn(p)
}
