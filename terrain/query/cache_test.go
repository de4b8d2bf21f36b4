package query_test

import (
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
	"github.com/vkterrain/vkterrain/terrain/query"
)

// TestCacheIsBounded looks at all tiles in any order, with room for all, some and
// none, and more goroutines than tiles are kept.
func TestCacheIsBounded(t *testing.T) {
	w := rough(200, 200, 0, 3)
	full := meshOf(w, 0)
	each := samplerOf(t, w, query.Options{}).EntryBytes()
	for _, c := range []struct {
		bytes int64
		most  int
	}{{0, 49}, {each * 5, 5}, {each*6 - 1, 5}, {1, 2}} {
		s := samplerOf(t, w, query.Options{CacheBytes: c.bytes})
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(g), 1))
				for range 80 {
					x, z := point(rng, w)
					y, ok, err := s.Height(x, z)
					want, _, drawn := full.height(x, z, 1e-12)
					if err != nil || ok != drawn || ok && math.Abs(y-want) > 1e-3 {
						t.Errorf("%g, %g: %g %v %v, want %g %v", x, z, y, ok, err, want, drawn)
						return
					}
					if g%4 == 0 {
						if _, err := s.Cast(anyRay(rng, w)); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		wg.Wait()
		if now, most := s.Kept(); now > most || most != c.most {
			t.Errorf("%d bytes: %d tiles of %d, want at most %d", c.bytes, now, most, c.most)
		}
	}
}

// flaky fails while it is told to, but for the directory.
type flaky struct {
	f    *os.File
	fail atomic.Bool
}

var errDisk = errors.New("disk on fire")

func (f *flaky) ReadAt(b []byte, off int64) (int, error) {
	if f.fail.Load() {
		return 0, errDisk
	}
	return f.f.ReadAt(b, off)
}

// TestErrorsAreReturned: each query of a tile that cannot be read says so, and
// works again once it can.
func TestErrorsAreReturned(t *testing.T) {
	w := rough(97, 97, 0, 3)
	file, err := os.Open(fileOf(t, w))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		t.Fatal(err)
	}
	disk := &flaky{f: file}
	r, err := chunkfile.Open(disk, size)
	if err != nil {
		t.Fatal(err)
	}
	s := query.NewSampler(r, query.Options{CacheBytes: 1})
	x, z := originX+400, originZ+50 // tile 1,0
	ray := query.Ray{Origin: [3]float64{x, 1e4, z}, Direction: [3]float64{0, -1, 0}}
	for range 3 {
		disk.fail.Store(true)
		_, _, e0 := s.Height(x, z)
		_, e1 := s.At(x, z)
		_, e2 := s.Cast(ray)
		e3 := s.Heights(make([]float64, 2), []query.Point{{X: originX - 1}, {X: x, Z: z}})
		e4 := s.Grounds(make([]query.Ground, 1), []query.Point{{X: x, Z: z}})
		e5 := s.CastAll(make([]query.Hit, 1), []query.Ray{ray})
		for i, err := range []error{e0, e1, e2, e3, e4, e5} {
			if !errors.Is(err, errDisk) || !strings.Contains(err.Error(), "tile 1,0") || strings.Contains(err.Error(), "\n") {
				t.Errorf("query %d: %v", i, err)
			}
		}
		disk.fail.Store(false)
		for i := range 5 {
			if _, ok, err := s.Height(x+float64(i%3-1)*300, z); !ok || err != nil {
				t.Errorf("after the failure: %v %v", ok, err)
			}
		}
		for i := range 9 { // so that the tile goes
			if _, _, err := s.Height(originX+float64(i%3)*320+5, originZ+645); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestDamageIsFound: a bit that is turned makes an error, not a height.
func TestDamageIsFound(t *testing.T) {
	w := rough(97, 97, 0, 3)
	path := fileOf(t, w)
	damage(t, path, 0.6)
	s := query.NewSampler(open(t, path), query.Options{})
	failed := 0
	for k := range w.Infos {
		_, ok, err := s.Height(originX+float64(k.X)*320+5, originZ+float64(k.Y)*320+5)
		if err != nil {
			failed++
			if !errors.Is(err, chunkfile.ErrCorrupt) {
				t.Errorf("tile %v: %v", k, err)
			}
		} else if !ok {
			t.Errorf("tile %v: no ground", k)
		}
	}
	if failed != 1 {
		t.Errorf("%d tiles could not be read, want 1", failed)
	}
}

// TestBatches: a batch answers what single queries do.
func TestBatches(t *testing.T) {
	w := rough(97, 97, 9, 5)
	s, l := samplerOf(t, w, query.Options{}), loadedOf(w, level(1))
	rng := rand.New(rand.NewPCG(5, 5))
	points, rays := make([]query.Point, 500), make([]query.Ray, 200)
	for i := range points {
		points[i].X, points[i].Z = point(rng, w)
	}
	for i := range rays {
		rays[i] = anyRay(rng, w)
	}
	for from, batch := range map[string]struct {
		one     source
		heights func([]float64, []query.Point) error
		grounds func([]query.Ground, []query.Point) error
		cast    func([]query.Hit, []query.Ray) error
	}{
		"file": {fromFile{t, s}, s.Heights, s.Grounds, s.CastAll},
		"memory": {fromMemory{l},
			func(h []float64, p []query.Point) error { l.Heights(h, p); return nil },
			func(g []query.Ground, p []query.Point) error { l.Grounds(g, p); return nil },
			func(h []query.Hit, r []query.Ray) error { l.CastAll(h, r); return nil }},
	} {
		heights, grounds, hits := make([]float64, len(points)), make([]query.Ground, len(points)), make([]query.Hit, len(rays))
		if err := errors.Join(batch.heights(heights, points), batch.grounds(grounds, points), batch.cast(hits, rays)); err != nil {
			t.Fatal(err)
		}
		for i, p := range points {
			y, ok := batch.one.height(p.X, p.Z)
			if ok == math.IsNaN(heights[i]) || ok && y != heights[i] || grounds[i] != batch.one.at(p.X, p.Z) {
				t.Fatalf("%s: %v: %g and %+v, alone %g %v", from, p, heights[i], grounds[i], y, ok)
			}
		}
		for i, r := range rays {
			if h := batch.one.cast(r); h != hits[i] {
				t.Fatalf("%s: %+v: %+v, alone %+v", from, r, hits[i], h)
			}
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: a batch with too few results was taken", from)
				}
			}()
			_ = batch.heights(heights[:1], points)
		}()
	}
}

// TestQueriesDoNotAllocate: nothing, once all tiles have been seen.
func TestQueriesDoNotAllocate(t *testing.T) {
	w := rough(129, 129, 3, 5)
	s, l := samplerOf(t, w, query.Options{CacheBytes: 1}), loadedOf(w, level(1))
	points := make([]query.Point, 20)
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range points {
		points[i].X, points[i].Z = point(rng, w)
	}
	rays := []query.Ray{
		{Origin: [3]float64{originX - 10, 300, originZ - 10}, Direction: [3]float64{1, -0.3, 1}},
		{Origin: [3]float64{originX + 400, 300, originZ + 500}, Direction: [3]float64{-1, -0.1, 0.2}},
	}
	heights, grounds, hits := make([]float64, len(points)), make([]query.Ground, len(points)), make([]query.Hit, len(rays))
	for name, ask := range map[string]func(){
		"Sampler, single": func() {
			for _, p := range points {
				_, _, _ = s.Height(p.X, p.Z)
				_, _ = s.At(p.X, p.Z)
			}
			_, _ = s.Cast(rays[0])
		},
		"Sampler, batch": func() {
			_, _, _ = s.Heights(heights, points), s.Grounds(grounds, points), s.CastAll(hits, rays)
		},
		"Loaded, single": func() {
			for _, p := range points {
				l.Height(p.X, p.Z)
				l.At(p.X, p.Z)
			}
			l.Cast(rays[0])
		},
		"Loaded, batch": func() { l.Heights(heights, points); l.Grounds(grounds, points); l.CastAll(hits, rays) },
	} {
		if n := testing.AllocsPerRun(20, ask); n != 0 && !raceEnabled {
			t.Errorf("%s: %g allocations", name, n)
		}
	}
}

// TestPassed: memory is free again when the queries that may look at it have
// ended, whatever came later.
func TestPassed(t *testing.T) {
	l := loadedOf(rough(33, 33, 0, 1), level(0))
	for range 5 {
		if n := l.Now(); !l.Passed(n) {
			t.Fatal("not passed without any query")
		}
		first := l.Enter()
		n := l.Now()
		later := l.Enter()
		for range 3 {
			if l.Passed(n) {
				t.Fatal("passed while a query may look")
			}
			l.Leave(later)
			later = l.Enter()
		}
		l.Leave(first)
		l.Leave(later)
		newest := l.Enter()
		if !l.Passed(n) && !l.Passed(n) {
			t.Fatal("not passed though all queries have ended that began before")
		}
		if m := l.Now(); l.Passed(m) {
			t.Fatal("passed while the newest query may look")
		}
		l.Leave(newest)
	}
}

// TestLoadedWhileLoading replaces levels all the time and writes rubbish over the
// vertices that no query can look at any more, while others ask.
func TestLoadedWhileLoading(t *testing.T) {
	w := rough(97, 97, 0, 3)
	full := meshOf(w, 0)
	levels := w.Layout().Levels
	l := loadedOf(w, level(0))
	var stop atomic.Bool
	var askers sync.WaitGroup
	var answers atomic.Int64
	for g := range 3 {
		askers.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(g), 8))
			for !stop.Load() {
				x, z := point(rng, w)
				want, _, ok := full.height(x, z, 1e-12)
				a := l.At(x, z)
				if a.OK != ok || ok && math.Abs(a.Height-want) > a.Error+1e-3 {
					t.Errorf("%g, %g: %+v, is %g", x, z, a, want)
					return
				}
				h := l.Cast(query.Ray{Origin: [3]float64{x, 1e4, z}, Direction: [3]float64{0, -1, 0}})
				if h.OK != ok || ok && math.Abs(h.Position[1]-want) > h.Error+1e-3 {
					t.Errorf("%g, %g: %+v, is %g", x, z, h, want)
					return
				}
				answers.Add(1)
			}
		})
	}
	recycled := 0
	for start := time.Now(); time.Since(start) < time.Minute && (recycled < 100 || answers.Load() < 100); {
		recycled += publishAll(l, w.Infos, func(k terrain.Key, level terrain.Level, verts []terrain.Vertex) *terrain.Tile {
			return &terrain.Tile{Info: w.Infos[k], Level: level, Verts: append(verts[:0], w.Tile(k, level).Verts...)}
		}, levels)
	}
	stop.Store(true)
	askers.Wait()
	if recycled < 100 || answers.Load() < 100 {
		t.Errorf("%d buffers used again, %d answers: nothing was tested", recycled, answers.Load())
	}
}

// publishAll publishes tiles as a loader does and uses their vertices again when
// that is allowed. It returns how often it did.
func publishAll(l *query.Loaded, infos map[terrain.Key]*terrain.TileInfo,
	load func(k terrain.Key, level terrain.Level, verts []terrain.Vertex) *terrain.Tile, levels int) (recycled int) {
	type retired struct {
		verts []terrain.Vertex
		era   uint64
	}
	var old []retired
	now := map[terrain.Key]*terrain.Tile{}
	for round := range 600 {
		for k := range infos {
			var verts []terrain.Vertex
			if len(old) > 0 && l.Passed(old[0].era) {
				verts, old = old[0].verts, old[1:]
				for i := range verts {
					verts[i] = terrain.Vertex{Height: 0xaaaa}
				}
				recycled++
			}
			tile := load(k, terrain.Level(round%levels), verts)
			l.Publish(k, tile)
			if before := now[k]; before != nil {
				old = append(old, retired{before.Verts, l.Now()})
			}
			now[k] = tile
		}
	}
	return recycled
}
