package streaming_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
)

// TestBefore: work is told of before it begins, may be made to fail, and then all that did
// not is there.
func TestBefore(t *testing.T) {
	broken := errors.New("broken on purpose")
	for name, ranged := range map[string]bool{"a source": false, "files": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDisk(t, 3)
				var src streaming.Source = d.fake
				if ranged {
					src = d.file
				}
				var did [3]atomic.Int64
				bad := terrain.Key{X: 1, Y: 1}
				m := streaming.New(src, streaming.Options{
					Loaders: 2, Fixed: func(terrain.Key) (terrain.Level, bool) { return 1, true },
					Before: func(w streaming.Work, k terrain.Key, level terrain.Level) error {
						did[w].Add(1)
						time.Sleep(10 * time.Millisecond)
						if k == bad && level == 1 && w != streaming.Decoding {
							return broken
						}
						return nil
					},
				})
				for range 2000 {
					m.Update(d.lookFrom(1, 1, 50, 5))
					time.Sleep(time.Millisecond)
				}
				for _, tile := range d.tiles {
					want := terrain.Level(1)
					if tile.Key == bad {
						want = 2
					}
					if got := m.Tile(tile.Key).Prepared; got != want {
						t.Errorf("tile %v has level %d, want %d", tile.Key, got, want)
					}
				}
				if _, err := m.Tile(bad).Failure(1); !errors.Is(err, broken) {
					t.Errorf("failed because of %v", err)
				}
				if reads, decodes := did[streaming.Reading].Load(), did[streaming.Decoding].Load(); reads < 9 || ranged != (decodes > 0) {
					t.Errorf("%d reads and %d levels decoded were told of", reads, decodes)
				}
				closed(t, m)
			})
		})
	}
}

// TestWaitsAreCounted: frames wait for nothing, and what does is counted: a level that is
// read at once, standing by for a loader, a pager without goroutines, and a manager without
// loaders.
func TestWaitsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(5)
		f.delay = 20 * time.Millisecond
		m := streaming.New(f, streaming.Options{Loaders: 2})
		g := newGPU(t, m, f)
		for i := range 200 {
			g.draw(f.lookFrom(float64(i)/40, 2, 100, 10))
			time.Sleep(5 * time.Millisecond)
		}
		if n := m.Stats().Waits; n != 0 {
			t.Fatalf("%d waits of frames", n)
		}
		if err := m.SetStrategy(streaming.NoStrategy); err != nil {
			t.Fatal(err)
		}
		for _, tile := range m.Tiles() {
			if tile.Prepared > 0 {
				tile.Load(0, true)
				break
			}
		}
		at := m.Stats().Waits
		if at == 0 {
			t.Error("a level that was read at once is not counted")
		}
		for _, tile := range m.Tiles() {
			if tile.Prepared > 0 {
				tile.Load(0, false)
			}
		}
		g.drawWith(func() { m.AutoUpdate(nil) })
		if err := m.Wait(t.Context()); err != nil || m.Stats().Waits != at+1 {
			t.Errorf("%d waits after standing by for a loader, %d before: %v", m.Stats().Waits, at, err)
		}
		closed(t, m)
	})
	s := newPaging(t, streaming.Paging{Load: 640, Hold: 1280, Sync: true})
	s.frame([2]float64{0.5, 0.5})
	if st := s.m.Stats(); st.Waits < st.Added || st.Added == 0 {
		t.Errorf("%d waits, %d tiles", st.Waits, st.Added)
	}
}
