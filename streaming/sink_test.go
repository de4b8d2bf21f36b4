package streaming_test

import (
	"testing"

	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
)

// sinker lets each level sink for some frames.
type sinker struct {
	t      *testing.T
	frames int
	since  map[streaming.Asked]int // how often it was asked
	stayed int
}

func sinkSlowly(t *testing.T, frames int) *sinker {
	return &sinker{t: t, frames: frames, since: map[streaming.Asked]int{}}
}

func (s *sinker) sinking() streaming.Sinking {
	if s.frames == 0 {
		return streaming.Sinking{}
	}
	return streaming.Sinking{
		Sink: func(t *streaming.Tile, level terrain.Level) bool {
			a := streaming.Asked{Key: t.Info.Key, Level: level}
			if t.State(level) != streaming.Loaded {
				s.t.Errorf("%v sinks, which is %v", a, t.State(level))
			}
			if s.since[a]++; s.since[a] > s.frames {
				delete(s.since, a)
				return true
			}
			return false
		},
		Stay: func(t *streaming.Tile, level terrain.Level) {
			s.stayed++
			delete(s.since, streaming.Asked{Key: t.Info.Key, Level: level})
		},
	}
}

// sinkingTile returns a tile of which all levels are loaded, of a manager with its gpu.
func sinkingTile(t *testing.T, frames int, b streaming.Budget) (*streaming.Tile, *gpu, *sinker) {
	f := newFake(1)
	s := sinkSlowly(t, frames)
	m := streaming.New(f, streaming.Options{Sync: true, Sinking: s.sinking(), Budget: b})
	if err := m.SetStrategy(streaming.NoStrategy); err != nil {
		t.Fatal(err)
	}
	tile := m.Tile(terrain.Key{})
	tile.Load(0, true)
	g := newGPU(t, m, f)
	for range 4 {
		g.draw()
	}
	if tile.Loaded != 0 {
		t.Fatalf("level %d is loaded", tile.Loaded)
	}
	return tile, g, s
}

// TestSinking gives up two levels: they sink one after the other, and until then are drawn
// and in memory.
func TestSinking(t *testing.T) {
	tile, g, _ := sinkingTile(t, 3, streaming.Budget{})
	tile.Load(2, false)
	for frame, want := range []terrain.Level{0, 0, 0, 1, 1, 1, 2, 2} {
		g.draw()
		if tile.Loaded != want || (g.m.Stats().Sinking == 1) != (want < 2) || want < 2 && tile.Prepared != 0 {
			t.Fatalf("frame %d: level %d is loaded, %d prepared, want %d: %+v", frame, tile.Loaded, tile.Prepared, want, g.m.Stats())
		}
	}
	for range 3 {
		g.draw()
	}
	if tile.Prepared != 2 || g.bytes != bytes2 || g.m.Stats().Abrupt != 0 {
		t.Errorf("level %d is prepared, %d bytes on the GPU: %+v", tile.Prepared, g.bytes, g.m.Stats())
	}
}

// TestSinkingStays wants a level again before it has sunk: it was there all the time.
func TestSinkingStays(t *testing.T) {
	tile, g, s := sinkingTile(t, 3, streaming.Budget{})
	reads := g.m.Stats().Reads
	for range 4 {
		tile.Load(1, false)
		g.draw()
		g.draw()
		tile.Load(0, false)
		g.draw()
		g.draw()
	}
	if st := g.m.Stats(); s.stayed != 4 || tile.Loaded != 0 || st.Reads != reads || st.Sinking != 0 || st.Evictions != 0 {
		t.Errorf("it stayed %d times, level %d is loaded, %+v", s.stayed, tile.Loaded, st)
	}
}

// TestSinkingEnds ends what sinks: a budget takes the room at once, a tile that is removed
// goes as a whole, and what a lost device had need not sink.
func TestSinkingEnds(t *testing.T) {
	t.Run("budget", func(t *testing.T) {
		tile, g, _ := sinkingTile(t, 1000, streaming.Budget{})
		tile.Load(1, false)
		g.draw()
		g.m.SetBudget(streaming.Budget{GPUBytes: bytes1})
		for range 4 {
			g.draw()
		}
		if st := g.m.Stats(); tile.Loaded != 1 || g.bytes != bytes1 || st.Abrupt != 1 || st.Sinking != 0 {
			t.Errorf("level %d is loaded, %d bytes: %+v", tile.Loaded, g.bytes, st)
		}
	})
	t.Run("removed", func(t *testing.T) {
		tile, g, _ := sinkingTile(t, 1000, streaming.Budget{})
		tile.Load(1, false)
		g.draw()
		g.m.Remove(tile)
		for range 4 {
			g.draw()
		}
		if st := g.m.Stats(); g.m.Tile(terrain.Key{}) != nil || st.Sinking != 0 || st.Abrupt != 0 {
			t.Errorf("it is there still: %+v", st)
		}
	})
	t.Run("device lost", func(t *testing.T) {
		tile, g, _ := sinkingTile(t, 1000, streaming.Budget{})
		tile.Load(1, false)
		g.draw()
		g.m.DeviceLost()
		g.sent, g.gone, g.bytes = nil, nil, 0
		clear(g.held)
		for range 4 {
			g.draw()
		}
		if st := g.m.Stats(); tile.Loaded != 1 || tile.Prepared != 1 || st.Sinking != 0 {
			t.Errorf("level %d is loaded, %d prepared: %+v", tile.Loaded, tile.Prepared, st)
		}
	})
}
