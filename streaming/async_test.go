package streaming_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vkterrain/vkterrain/streaming"
)

// TestNoWaiting runs in virtual time, which stands still unless somebody waits.
func TestNoWaiting(t *testing.T) {
	for _, loaders := range []int{1, 2, 4} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(9)
			f.delay = 50 * time.Millisecond
			m := streaming.New(f, streaming.Options{Loaders: loaders})
			g := newGPU(t, m, f)
			start := time.Now()
			bound := 81 * f.delay / time.Duration(loaders) * 3 / 2
			all := time.Duration(0)
			for i := range 600 {
				before := time.Now()
				g.draw(f.lookFrom(float64(i)/60, 4, 100, 10))
				if waited := time.Since(before); waited != 0 {
					t.Fatalf("frame %d waited %v", i, waited)
				}
				if all == 0 && len(m.Tiles()) == 81 {
					all = time.Since(start)
				}
				time.Sleep(16 * time.Millisecond)
			}
			if all == 0 || all > bound {
				t.Errorf("%d loaders: all tiles shown after %v, want %v", loaders, all, bound)
			}
			if f.most != loaders {
				t.Errorf("%d reads at a time with %d loaders", f.most, loaders)
			}
			closed(t, m)
		})
	}
}

// TestTeleport jumps while reads are on their way; two seconds later all that
// is wanted is there.
func TestTeleport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(6)
		f.delay = 5 * time.Millisecond
		m := streaming.New(f, streaming.Options{Loaders: 4, HoldUpdates: 10})
		g := newGPU(t, m, f)
		g.late = 2
		rng := rand.New(rand.NewPCG(3, 3))
		shown := 0
		for jump := range 150 {
			law := f.lookFrom(rng.Float64()*6, rng.Float64()*6, rng.Float64()*500, 5)
			frames := rng.IntN(6)
			if jump%10 == 0 {
				frames = 125
			}
			for range frames {
				g.draw(law)
				time.Sleep(16 * time.Millisecond)
				if n := len(m.Tiles()); n < shown {
					t.Fatalf("jump %d: %d tiles shown after %d", jump, n, shown)
				} else {
					shown = n
				}
			}
			if frames < 100 {
				continue
			}
			if !m.Settled() {
				t.Fatalf("jump %d: not settled: %+v", jump, m.Stats())
			}
			for k, want := range f.wants(law) {
				if got := loaded(m)[k]; got > want {
					t.Fatalf("jump %d: tile %v is at %d, want %d", jump, k, got, want)
				}
			}
		}
		if s := m.Stats(); s.Dropped == 0 || s.Evictions == 0 {
			t.Errorf("too tame: %+v", s)
		}
		closed(t, m)
	})
}

// TestCloseAnyTime closes while everything is going on.
func TestCloseAnyTime(t *testing.T) {
	before := runtime.NumGoroutine()
	rng := rand.New(rand.NewPCG(9, 9))
	for range 60 {
		f := newFake(4)
		f.delay = time.Duration(rng.IntN(3)) * time.Millisecond
		m := streaming.New(f, streaming.Options{Loaders: 1 + rng.IntN(6)})
		g := newGPU(t, m, f)
		end := time.Now().Add(time.Duration(rng.IntN(20)) * time.Millisecond)
		for i := 0; time.Now().Before(end); i++ {
			g.draw(f.lookFrom(float64(i%50)/10, 2, 100, 5))
		}
		start := time.Now()
		closed(t, m)
		closed(t, m)
		if d := time.Since(start); d > time.Second {
			t.Fatalf("closing took %v", d)
		}
		m.Update(f.lookFrom(0, 0, 0, 1)) // harmless
		m.Evictions(nil)
		_ = m.Wait(t.Context())
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, were %d", runtime.NumGoroutine(), before)
}

func TestCloseGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(1)
		f.delay = time.Hour
		m := streaming.New(f, streaming.Options{Loaders: 2})
		m.Update(f.lookFrom(0, 0, 0, 1))
		synctest.Wait()
		start := time.Now()
		if err := m.Close(); err == nil || time.Since(start) >= time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		time.Sleep(2 * time.Hour) // the bubble wants its goroutines to end
	})
}
