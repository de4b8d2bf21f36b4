package streaming_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
)

// Bytes of a tile of newFake down to levels 2, 1 and 0.
const (
	bytes2 = 81 * 8
	bytes1 = 289 * 8
	bytes0 = 1089 * 8
)

// TestCaps flies where everything that is wanted takes several times what is allowed: no
// byte too many at any time, whatever is under way; nothing that is seen goes away; and at
// rest all of the cap is of use.
func TestCaps(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 5))
		synctest.Test(t, func(t *testing.T) {
			f := newFake(8)
			f.delay = time.Duration(rng.IntN(30)) * time.Millisecond
			b := streaming.Budget{CPUBytes: 64*bytes2 + 9*bytes0, GPUBytes: 64*bytes2 + 6*bytes0}
			switch seed % 3 {
			case 1:
				b.GPUBytes = 0
			case 2:
				b.CPUBytes = 0
			}
			hits, hold := 0, rng.IntN(40)
			if seed > 2 {
				hold = 1e6 // what is kept for ever gives way all the same
			}
			m := streaming.New(f, streaming.Options{Loaders: 3, HoldMargin: -1, HoldUpdates: hold, Budget: b, Listener: streaming.Listener{
				BudgetHit: func(_ streaming.Cap, wanted, allowed int64) {
					if hits++; wanted <= allowed {
						t.Errorf("wants %d of %d bytes", wanted, allowed)
					}
				},
			}})
			g := newGPU(t, m, f)
			g.late = int(seed % 4)
			shown, most := 0, int64(0)
			frame := func(law *lodcpu.Law) {
				g.draw(law)
				if cpu := streaming.CPUBytes(m); b.CPUBytes > 0 && cpu > b.CPUBytes || b.GPUBytes > 0 && g.bytes > b.GPUBytes {
					t.Fatalf("seed %d: %d bytes CPU, %d GPU of %+v", seed, cpu, g.bytes, b)
				}
				if n := len(m.Tiles()); n < shown {
					t.Fatalf("%d tiles shown after %d", n, shown)
				} else {
					shown = n
				}
				most = max(most, g.bytes)
				time.Sleep(time.Second / 60)
			}
			var law *lodcpu.Law
			x, z := rng.Float64()*8, rng.Float64()*8
			for i := range 500 {
				if i%100 == 99 { // a leap
					x, z = rng.Float64()*8, rng.Float64()*8
				}
				x += 0.05
				law = f.lookFrom(x, z, 100, 4)
				frame(law)
			}
			for range 400 {
				frame(law)
			}
			s := m.Stats()
			if !m.Settled() || s.Limited == 0 || hits == 0 || shown != 64 || s.WantedBytes < 2*g.bytes {
				t.Fatalf("seed %d: %d hits, %+v", seed, hits, s)
			}
			fresh := streaming.NewManual(f, streaming.Options{Budget: b, Loaders: 3})
			fresh.Update(law)
			goals := map[terrain.Key]int8{}
			held := int64(0)
			for _, tile := range streaming.All(fresh.Manager) {
				goals[tile.Info.Key] = int8(streaming.Goal(tile))
				held += []int64{bytes0, bytes1, bytes2}[streaming.Goal(tile)]
			}
			got := loaded(m)
			if seed < 3 && !maps.Equal(got, goals) || g.bytes < held-bytes0 || b.CPUBytes == 0 && held < b.GPUBytes-bytes0 {
				t.Errorf("seed %d: %d bytes of %+v: %v, want %v", seed, held, b, got, goals)
			}
			closed(t, m)
		})
	}
}

// TestCapsDoNotMatter: where everything fits, all is as without.
func TestCapsDoNotMatter(t *testing.T) {
	f := newFake(4)
	f.delay = time.Millisecond
	b := streaming.Budget{CPUBytes: 17 * bytes0, GPUBytes: 16 * bytes0, Reads: 1}
	b.CPUBytes += 2 * bytes1
	m := streaming.New(f, streaming.Options{Loaders: 4, Budget: b})
	defer closed(t, m)
	g := newGPU(t, m, f)
	law := f.lookFrom(2, 2, 100, 5)
	g.settle(law)
	if got, want := loaded(m), f.wants(law); !maps.Equal(got, want) || m.Stats().Limited != 0 || f.most != 1 {
		t.Errorf("%v, want %v; %+v, %d reads at a time", got, want, m.Stats(), f.most)
	}
}

// TestCapChanges makes caps smaller and larger while nothing moves.
func TestCapChanges(t *testing.T) {
	f := newFake(4)
	m := streaming.New(f, streaming.Options{Loaders: 2, HoldUpdates: 1e6})
	defer closed(t, m)
	g := newGPU(t, m, f)
	law := f.lookFrom(2, 2, 100, 1)
	g.settle(law)
	all := g.bytes
	for _, b := range []streaming.Budget{{GPUBytes: all / 2}, {CPUBytes: all / 3}, {GPUBytes: all / 4, CPUBytes: all}, {}} {
		m.SetBudget(b)
		for range 200 {
			g.draw(law)
			_ = m.Wait(t.Context())
		}
		room := all
		if b.GPUBytes > 0 {
			room = b.GPUBytes
		}
		if b.CPUBytes > 0 {
			room = min(room, b.CPUBytes-2*bytes1)
		}
		if g.bytes > room || g.bytes < room-bytes0 || !m.Settled() {
			t.Errorf("%+v: %d bytes, room for %d: %+v", b, g.bytes, room, m.Stats())
		}
	}
}

// TestTooSmallForEverything: what no camera sees is done without where not even the
// coarsest levels fit.
func TestTooSmallForEverything(t *testing.T) {
	f := newFake(6)
	m := streaming.New(f, streaming.Options{Loaders: 2, Budget: streaming.Budget{GPUBytes: 20 * bytes2}})
	defer closed(t, m)
	g := newGPU(t, m, f)
	for _, at := range [][3]float64{{0, 5.9, 0.3}, {5, 3, 0.3}, {3, 5.9, 2}, {3.5, 5.9, 2}, {3, 0.5, 0.3}} { // looks north
		law := f.lookFrom(at[0], at[1], 100, 20)
		view := &lodcpu.View{Eye: law.Eye, Pitch: -0.3, FovY: at[2], Width: 640, Height: 360, Tau: 20}
		frustum := view.Frustum()
		camera := streaming.Camera{Law: law, View: view}
		for range 400 {
			m.AutoUpdate(nil, camera)
			m.Evictions(func(tile *streaming.Tile, level terrain.Level) {
				if lo, hi := law.Bounds(f.world.Layout(), tile.Info); frustum.Sees(lo, hi) && level == 2 {
					t.Errorf("tile %v goes away in view", tile.Info.Key)
				}
				g.gone = append(g.gone, sent{tile: tile, level: level})
			})
			for _, s := range g.gone {
				m.Unloaded(s.tile, s.level)
			}
			g.gone = nil
			var now []sent
			m.Uploads(0, func(u streaming.Upload) bool {
				now = append(now, sent{tile: u.Tile, level: u.Level})
				return true
			})
			for _, s := range now {
				m.Loaded(s.tile, s.level)
			}
			if s := m.Stats(); s.GPUBytes > 20*bytes2 {
				t.Fatalf("%+v", s)
			}
			_ = m.Wait(t.Context())
		}
		for _, tile := range streaming.All(m) {
			if lo, hi := law.Bounds(f.world.Layout(), tile.Info); at[2] < 1 && frustum.Sees(lo, hi) && tile.Loaded == streaming.None {
				t.Errorf("from %v: tile %v is in view and not there", at, tile.Info.Key)
			}
		}
	}
}

// TestTooSmallForWhatIsSeen: with room for a few tiles the nearest are there, with room for
// none nothing is, and nobody waits for the others.
func TestTooSmallForWhatIsSeen(t *testing.T) {
	for _, test := range []struct {
		budget streaming.Budget
		want   int
	}{
		{streaming.Budget{GPUBytes: 5*bytes2 + 1}, 5},
		{streaming.Budget{GPUBytes: 1}, 0},
		{streaming.Budget{CPUBytes: 1}, 0},
		{streaming.Budget{CPUBytes: 3*bytes2 + 2*bytes1}, 3},
	} {
		f := newFake(6)
		m := streaming.New(f, streaming.Options{Loaders: 2, Budget: test.budget})
		g := newGPU(t, m, f)
		law := f.lookFrom(0, 0, 100, 20)
		g.settle(law)
		farthest, missing, n := 0.0, math.Inf(1), 0
		for _, tile := range streaming.All(m) {
			d := law.Distance(f.world.Layout(), tile.Info)
			if tile.Loaded == streaming.None {
				missing = min(missing, d)
			} else {
				farthest = max(farthest, d)
				n++
			}
		}
		if s := m.Stats(); n != test.want || farthest > missing || s.Limited == 0 {
			t.Errorf("%+v: %d tiles, want %d; %v m away, one at %v m is missing: %+v", test.budget, n, test.want, farthest, missing, s)
		}
		closed(t, m)
	}
}

// TestTimeBudgets stops uploading and giving up when the frame's time is over.
func TestTimeBudgets(t *testing.T) {
	f := newFake(4)
	now := time.Unix(0, 0)
	m := streaming.New(f, streaming.Options{
		Sync: true, HoldUpdates: -1, HoldMargin: -1, Budget: streaming.Budget{UploadTime: 3 * time.Millisecond, FreeTime: 2 * time.Millisecond},
		Now: func() time.Time { now = now.Add(time.Millisecond); return now }, // each look takes a millisecond
	})
	defer closed(t, m)
	near, far := f.within(2, 2, 2000), f.within(100, 100, 10)
	m.Update(near)
	var up []sent
	for m.Stats().Loaded < 48 {
		n := 0
		m.Uploads(0, func(u streaming.Upload) bool {
			n++
			up = append(up, sent{tile: u.Tile, level: u.Level})
			return true
		})
		for _, s := range up {
			m.Loaded(s.tile, s.level)
		}
		if up = nil; n != 3 {
			t.Fatalf("%d uploads in a frame", n)
		}
	}
	m.Update(far)
	var gone []sent
	m.Evictions(func(tile *streaming.Tile, level terrain.Level) { gone = append(gone, sent{tile: tile, level: level}) })
	if len(gone) != 32 {
		t.Fatalf("%d levels are unloaded", len(gone))
	}
	for _, s := range gone {
		m.Unloaded(s.tile, s.level)
	}
	for tiles := 0; tiles < 16; tiles += 2 {
		before := m.Stats().Evictions
		m.Evictions(func(*streaming.Tile, terrain.Level) { t.Error("twice") })
		if n := m.Stats().Evictions - before; n != 4 { // two tiles' levels
			t.Fatalf("%d levels given up in a frame", n)
		}
	}
}
