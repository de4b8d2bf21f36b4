package streaming_test

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// plainAtlas is an endless world of flat tiles, 320 m wide, without those whose number of
// column and row are both multiples of 5.
type plainAtlas struct {
	world terrain.World
	delay time.Duration
	fails atomic.Bool
	asked atomic.Int64
}

func newPlainAtlas() *plainAtlas {
	a := &plainAtlas{world: terrain.World{TileSize: 33, Spacing: 10, Quantum: 1, Endless: true}}
	a.world.Radius = make([]float32, a.world.Layout().Orders())
	return a
}

var errNoGround = errors.New("no ground")

func (a *plainAtlas) World() *terrain.World     { return &a.world }
func (a *plainAtlas) Tiles() []terrain.TileInfo { return nil }
func (a *plainAtlas) hole(k terrain.Key) bool   { return k.X%5 == 0 && k.Y%5 == 0 }
func (a *plainAtlas) ReadLevel(*chunkfile.Decoder, []terrain.Vertex, terrain.Key, terrain.Level) error {
	return nil
}

func (a *plainAtlas) Info(k terrain.Key) (*terrain.TileInfo, error) {
	a.asked.Add(1)
	time.Sleep(a.delay)
	if a.fails.Load() {
		return nil, errNoGround
	}
	if a.hole(k) {
		return nil, nil
	}
	return &terrain.TileInfo{Key: k}, nil
}

// paging is a pager with its manager.
type paging struct {
	t     *testing.T
	atlas *plainAtlas
	m     *streaming.Manager
	p     *streaming.Pager
	now   time.Time
	told  int
}

func newPaging(t *testing.T, o streaming.Paging) *paging {
	s := &paging{t: t, atlas: newPlainAtlas(), now: time.Unix(0, 0)}
	s.m = streaming.New(s.atlas, streaming.Options{Sync: true})
	o.Now = func() time.Time { return s.now }
	o.Failed = func(terrain.Key, error) { s.told++ }
	s.p = streaming.NewPager(s.m, s.atlas, o)
	t.Cleanup(func() {
		s.p.Close()
		if err := s.m.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// frame updates pager and manager, for eyes at places in tiles.
func (s *paging) frame(eyes ...[2]float64) {
	var at []mgl64.Vec3
	for _, e := range eyes {
		at = append(at, mgl64.Vec3{e[0] * 320, 50, e[1] * 320})
	}
	s.p.Update(at...)
	s.m.AutoUpdate(nil)
	s.m.Evictions(func(t *streaming.Tile, level terrain.Level) { s.m.Unloaded(t, level) })
}

// there lists the tiles of the manager around a place.
func (s *paging) there(x, y, reach int32) (keys []terrain.Key) {
	for dy := -reach; dy <= reach; dy++ {
		for dx := -reach; dx <= reach; dx++ {
			if k := (terrain.Key{X: x + dx, Y: y + dy}); s.m.Tile(k) != nil {
				keys = append(keys, k)
			}
		}
	}
	return keys
}

// TestPagerLoadsAndHolds: tiles come within one distance and go beyond another.
func TestPagerLoadsAndHolds(t *testing.T) {
	s := newPaging(t, streaming.Paging{Load: 640, Hold: 1280, Sync: true})
	s.frame([2]float64{0.5, 0.5})
	if got := len(s.there(0, 0, 9)); got != 5*5-1 { // a hole in the middle
		t.Fatalf("%d tiles, want 24", got)
	}
	asked := s.atlas.asked.Load()
	s.frame([2]float64{2.5, 0.5}) // two columns come, none goes
	if got := len(s.there(0, 0, 9)); got != 7*5-1 {
		t.Errorf("%d tiles, want 34", got)
	}
	if n := s.atlas.asked.Load() - asked; n != 10 {
		t.Errorf("%d tiles asked for, want 10", n)
	}
	s.frame([2]float64{0.5, 0.5})
	if s.atlas.asked.Load() != asked+10 {
		t.Error("tiles that were there have been asked for again")
	}
	s.frame([2]float64{1000.5, -1000.5}) // a leap
	s.frame([2]float64{1000.5, -1000.5})
	if got := s.there(0, 0, 9); len(got) != 0 {
		t.Errorf("still there: %v", got)
	}
	if got := len(s.there(1000, -1001, 9)); got != 5*5-1 {
		t.Errorf("%d tiles after a leap", got)
	}
	if n := s.m.Stats().Tiles; n != 24 {
		t.Errorf("the manager has %d tiles", n)
	}
}

// TestPagerManyCameras: what one camera has left is there for the other.
func TestPagerManyCameras(t *testing.T) {
	s := newPaging(t, streaming.Paging{Load: 320, Hold: 320, Sync: true})
	a, b := [2]float64{1.5, 1.5}, [2]float64{101.5, -99.5}
	s.frame(a, b)
	if na, nb := len(s.there(1, 1, 9)), len(s.there(101, -100, 9)); na != 8 || nb != 8 {
		t.Errorf("%d and %d tiles", na, nb)
	}
	for range 3 {
		s.frame(b)
	}
	if na, nb := len(s.there(1, 1, 9)), len(s.there(101, -100, 9)); na != 0 || nb != 8 {
		t.Errorf("%d and %d tiles after one camera has ended", na, nb)
	}
}

// TestPagerFails: a tile that cannot be asked for is asked for again, later and later.
func TestPagerFails(t *testing.T) {
	s := newPaging(t, streaming.Paging{Load: 100, Hold: 100, Sync: true})
	s.atlas.fails.Store(true)
	at := [2]float64{2.5, 2.5}
	s.frame(at)
	for range 10 {
		s.frame(at)
	}
	if n := s.atlas.asked.Load(); n != 1 || s.told != 1 {
		t.Fatalf("asked %d times, told %d times", n, s.told)
	}
	s.now = s.now.Add(time.Second)
	s.frame(at)
	s.now = s.now.Add(time.Second)
	s.frame(at)
	if n := s.atlas.asked.Load(); n != 2 || s.told != 1 {
		t.Fatalf("asked %d times, told %d times", n, s.told)
	}
	s.atlas.fails.Store(false)
	s.now = s.now.Add(2 * time.Second)
	s.frame(at)
	if len(s.there(2, 2, 1)) != 1 {
		t.Error("not there though it can be had")
	}
}

// TestPagerInTheBackground flies at random while tiles take their time: no frame waits,
// and when all is quiet there is what there is for one who has never moved.
func TestPagerInTheBackground(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 3))
			s := newPaging(t, streaming.Paging{Load: 960, Hold: 1600, Loaders: 1 + int(seed%3)})
			s.atlas.delay = time.Duration(rng.IntN(40)) * time.Millisecond
			x, y := 0.5, 0.5
			for range 300 {
				x, y = x+rng.NormFloat64(), y+rng.NormFloat64()
				if rng.IntN(50) == 0 {
					x += 400 * (rng.Float64() - 0.5)
				}
				s.atlas.fails.Store(rng.IntN(20) == 0)
				start := time.Now()
				s.frame([2]float64{x, y})
				if time.Since(start) > 0 {
					t.Fatal("a frame has waited")
				}
				time.Sleep(16 * time.Millisecond)
				s.now = s.now.Add(16 * time.Millisecond)
			}
			s.atlas.fails.Store(false)
			for range 2000 {
				s.frame([2]float64{x, y})
				time.Sleep(16 * time.Millisecond)
				s.now = s.now.Add(16 * time.Millisecond)
			}
			if !s.p.Settled() {
				t.Error("not settled")
			}
			near := map[terrain.Key]bool{}
			for _, k := range s.there(int32(x), int32(y), 20) {
				near[k] = true
			}
			fresh := newPaging(t, streaming.Paging{Load: 960, Hold: 1600, Sync: true})
			fresh.frame([2]float64{x, y})
			for _, k := range fresh.there(int32(x), int32(y), 20) {
				if !near[k] {
					t.Errorf("seed %d: tile %v is missing", seed, k)
				}
			}
			if n := s.m.Stats().Tiles; n != len(near) || n > 144 {
				t.Errorf("seed %d: %d tiles, %d near: %v", seed, n, len(near), slices.Collect(maps.Keys(near)))
			}
		})
	}
}

// TestPagerCloses while tiles are being asked for.
func TestPagerCloses(t *testing.T) {
	s := newPaging(t, streaming.Paging{Load: 5000, Hold: 5000, Loaders: 4})
	s.atlas.delay = 10 * time.Millisecond
	s.frame([2]float64{0.5, 0.5})
	start := time.Now()
	s.p.Close()
	if d := time.Since(start); d > time.Second {
		t.Errorf("it takes %v to close", d)
	}
}

// TestPagerSpreads: what comes and goes as a camera moves on does so a little a frame, and
// all of it soon.
func TestPagerSpreads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPaging(t, streaming.Paging{Load: 3200, Hold: 3520, Loaders: 8})
		settle := func(at [2]float64) (frames, most, least int) {
			for frames = 0; frames == 0 || !s.p.Settled() || frames < 64; frames++ {
				before := s.m.Stats()
				s.frame(at)
				after := s.m.Stats()
				came := int(after.Added - before.Added)
				most, least = max(most, came), max(least, before.Tiles+came-after.Tiles)
				time.Sleep(16 * time.Millisecond)
			}
			return frames, most, least
		}
		settle([2]float64{0.5, 0.5})
		tiles := s.m.Stats().Tiles
		frames, most, gone := settle([2]float64{4.5, 0.5})
		if most > 4 || most == 0 || gone > tiles/16 || gone == 0 || frames > 70 {
			t.Errorf("%d frames, in one of which %d tiles came, in one %d of %d went", frames, most, gone, tiles)
		}
		if n := len(s.there(4, 0, 10)); n < 21*21-25 {
			t.Errorf("%d tiles are there", n)
		}
	})
}
