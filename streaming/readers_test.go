package streaming_test

import (
	"math"
	"slices"
	"testing"

	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
)

// readers look at everything that was ever published until they are told to go.
type readers struct {
	now    uint64
	passed uint64 // numbers below it have
	seen   []seen
}

type seen struct {
	tile   *terrain.Tile
	verts  []terrain.Vertex // as they were
	number uint64           // in which it was taken away, if it was
}

func (r *readers) Now() uint64            { return r.now }
func (r *readers) Passed(old uint64) bool { return old < r.passed }

// publish is what a listener does.
func (r *readers) publish(t *streaming.Tile, _ terrain.Level) {
	for i := range r.seen {
		if s := &r.seen[i]; s.tile.Info == t.Info && s.tile != t.CPU && s.number == math.MaxUint64 {
			s.number = r.now
		}
	}
	if t.CPU != nil {
		r.seen = append(r.seen, seen{t.CPU, slices.Clone(t.CPU.Verts), math.MaxUint64})
	}
}

// TestReadersKeepWhatTheyLookAt loads and evicts while readers look at old
// vertices: none may change before they have gone, and then memory is used again.
func TestReadersKeepWhatTheyLookAt(t *testing.T) {
	f, r := newFake(4), &readers{}
	m := streaming.New(f, streaming.Options{
		Sync: true, HoldUpdates: -1, HoldMargin: -1, Readers: r,
		Listener: streaming.Listener{LevelPrepared: r.publish, LevelEvicted: r.publish},
	})
	defer closed(t, m)
	g := newGPU(t, m, f)
	pooled := int64(0)
	for i := range 60 {
		x := float64(i%12) / 3
		g.draw(f.within(x, 4-x, 400))
		r.now++
		if i%3 == 2 {
			r.passed = r.now - 2 // those of the last two draws stay
			r.seen = slices.DeleteFunc(r.seen, func(s seen) bool { return s.number < r.passed })
		}
		for _, s := range r.seen {
			if !slices.Equal(s.tile.Verts, s.verts) {
				t.Fatalf("draw %d: vertices of tile %v level %d changed under a reader", i, s.tile.Info.Key, s.tile.Level)
			}
		}
		pooled = max(pooled, m.Stats().PooledBytes)
	}
	if pooled == 0 || len(r.seen) < 16 || m.Stats().Evictions < 100 {
		t.Errorf("%d bytes pooled, %d snapshots looked at, %d evictions: nothing was tested", pooled, len(r.seen), m.Stats().Evictions)
	}
}
