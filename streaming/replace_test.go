package streaming_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
)

// edited returns the world of newFake(n), but for a hill around sample (x, z), and what
// of its tiles is another than in old.
func edited(old *fake, n, x, z int) (*fake, []streaming.Replacement) {
	f := testworld.Rough(32*n+1, 32*n+1, 5)
	for dz := -3; dz <= 3; dz++ {
		for dx := -3; dx <= 3; dx++ {
			f.Samples[(z+dz)*f.Width+x+dx] += int32(500 - 20*(dx*dx+dz*dz))
		}
	}
	now := &fake{world: testworld.New(f, 33, -1000, 500)}
	layout := now.world.Layout()
	var all []streaming.Replacement
	for i := range old.tiles {
		k := old.tiles[i].Key
		info := now.world.Infos[k]
		now.tiles = append(now.tiles, *info)
		a, b := old.world.Tile(k, 0).Verts, now.world.Tile(k, 0).Verts
		r := streaming.Replacement{Info: info}
		for l := range layout.Levels {
			if lo, hi := layout.Range(terrain.Level(l)); !slices.Equal(a[lo:hi], b[lo:hi]) {
				r.Levels |= 1 << l
			}
		}
		if r.Levels != 0 || !reflect.DeepEqual(info, &old.tiles[i]) {
			all = append(all, r)
		}
	}
	return now, all
}

// swapper is a pipeline that keeps what it was given, to compare it with the world
// that is shown.
type swapper struct {
	t     *testing.T
	m     *streaming.Manager
	rng   *rand.Rand
	shown *fake
	now   map[streaming.Asked][]terrain.Vertex
	next  map[streaming.Asked][]terrain.Vertex // of tiles that are to be others
	sent  []streaming.Upload
	gone  []sent
	old   []uint16 // levels of tiles that have become others
	bytes int      // of replacements
}

// draw is one frame, in which some uploads arrive.
func (g *swapper) draw(next *fake, l int) {
	g.t.Helper()
	height := 300.0
	if l%7 > 3 { // from there nothing is needed that is fine
		height = 1e6
	}
	for len(g.gone) > 0 && g.rng.IntN(3) > 0 {
		g.m.Unloaded(g.gone[0].tile, g.gone[0].level)
		g.gone = g.gone[1:]
	}
	for len(g.old) > 0 && g.rng.IntN(3) > 0 {
		g.m.Superseded(g.old[0])
		g.old = g.old[1:]
	}
	g.m.Update(g.shown.lookFrom(1+float64(l%40)/20, 2, height, 4))
	g.m.Evictions(func(t *streaming.Tile, level terrain.Level) {
		delete(g.now, streaming.Asked{Key: t.Info.Key, Level: level})
		g.gone = append(g.gone, sent{tile: t, level: level})
	})
	for len(g.sent) > 0 && g.rng.IntN(3) > 0 {
		u := g.sent[0]
		g.sent = g.sent[1:]
		if a := (streaming.Asked{Key: u.Tile.Info.Key, Level: u.Level}); u.Info != nil {
			g.next[a] = u.Verts
			g.m.Replaced(u.Tile, u.Level)
		} else {
			g.now[a] = u.Verts
			g.m.Loaded(u.Tile, u.Level)
		}
	}
	if g.m.Exchange(func(t *streaming.Tile, levels uint16) {
		g.old = append(g.old, levels)
		for l := range terrain.Level(terrain.MaxLevels) {
			a := streaming.Asked{Key: t.Info.Key, Level: l}
			if verts, ok := g.next[a]; ok != (levels>>l&1 == 1) {
				g.t.Errorf("tile %v level %d has arrived: %v", a.Key, l, ok)
			} else if ok {
				g.now[a] = verts
			}
		}
	}) {
		g.shown = next
		clear(g.next)
	}
	g.m.Uploads(int64(g.rng.IntN(20000)), func(u streaming.Upload) bool {
		if g.rng.IntN(5) == 0 {
			return false
		}
		if u.Info != nil {
			g.bytes += len(u.Verts) * terrain.VertexBytes
		}
		u.Verts = slices.Clone(u.Verts)
		g.sent = append(g.sent, u)
		return true
	})
	if err := streaming.Check(g.m); err != nil {
		g.t.Fatal(err)
	}
	if err := g.check(); err != nil {
		g.t.Fatal(err)
	}
}

// check wants everything that is drawn to be of one world.
func (g *swapper) check() error {
	layout := g.shown.world.Layout()
	for _, t := range g.m.Tiles() {
		truth := g.shown.world.Tile(t.Info.Key, 0)
		if !reflect.DeepEqual(t.Info, truth.Info) || t.CPU.Info != t.Info {
			return fmt.Errorf("tile %v is said to be another", t.Info.Key)
		}
		if !slices.Equal(t.CPU.Verts, truth.Verts[:layout.Count(t.Prepared)]) {
			return fmt.Errorf("tile %v in memory is another", t.Info.Key)
		}
		for l := t.Loaded; int(l) < layout.Levels; l++ {
			lo, hi := layout.Range(l)
			if !slices.Equal(g.now[streaming.Asked{Key: t.Info.Key, Level: l}], truth.Verts[lo:hi]) {
				return fmt.Errorf("tile %v level %d is drawn as another", t.Info.Key, l)
			}
		}
	}
	return nil
}

// TestReplace edits a world again and again while a view moves over it, levels come and
// go, reads fail, and the device is lost: at no time tiles of two worlds are drawn
// together, and only what differs is uploaded again.
func TestReplace(t *testing.T) {
	const n = 4
	first := newFake(n)
	worlds := []*fake{first}
	lists := [][]streaming.Replacement{nil}
	for _, at := range [][2]int{{40, 40}, {64, 64}, {100, 20}} {
		f, list := edited(first, n, at[0], at[1])
		if len(list) == 0 || len(list) == len(first.tiles) {
			t.Fatalf("%d tiles are edited", len(list))
		}
		f.fail = func(k terrain.Key, level terrain.Level) (int, error) {
			if k.X == 1 && level == 0 && rand.IntN(4) == 0 {
				return 3, errors.New("the disk")
			}
			return 0, nil
		}
		worlds, lists = append(worlds, f), append(lists, list)
	}
	seeds := uint64(4)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		clock := time.Now()
		first.delay = time.Duration(seed%2) * time.Millisecond
		m := streaming.New(first, streaming.Options{Loaders: 2, HoldUpdates: -1, HoldMargin: -1, Sync: seed%3 == 2, Now: func() time.Time { return clock }})
		g := &swapper{t: t, m: m, rng: rand.New(rand.NewPCG(seed, 1)), shown: first, now: map[streaming.Asked][]terrain.Vertex{}, next: map[streaming.Asked][]terrain.Vertex{}}
		at, changes := 0, 0
		for frame := range 600 {
			if !m.Replacing() && (frame > 0 && frame < 4 || g.rng.IntN(10) == 0) {
				to := 0 // back to the first world, or on to another
				list := back(first, lists[at])
				if at == 0 {
					to = 1 + g.rng.IntN(len(worlds)-1)
					list = lists[to]
				}
				m.Replace(worlds[to], list)
				at = to
				changes++
			}
			if len(g.sent) > 0 && g.rng.IntN(30) == 0 {
				m.DeviceLost()
				g.sent, g.gone, g.old = nil, nil, nil
				clear(g.now)
				clear(g.next)
			}
			g.draw(worlds[at], frame)
			clock = clock.Add(20 * time.Millisecond)
			time.Sleep(200 * time.Microsecond) // the loaders are at work
		}
		for range 200 { // whatever has happened, it comes to an end
			clock = clock.Add(time.Second)
			time.Sleep(200 * time.Microsecond)
			g.draw(worlds[at], 0)
		}
		if m.Replacing() {
			t.Errorf("seed %d: tiles are never replaced", seed)
		}
		if st := m.Stats(); changes < 5 || g.bytes == 0 || st.Replaced == 0 {
			t.Errorf("seed %d: %d changes, %d bytes: nothing was tested", seed, changes, g.bytes)
		}
		closed(t, m)
	}
}

// back returns list with the tiles of old.
func back(old *fake, list []streaming.Replacement) []streaming.Replacement {
	out := slices.Clone(list)
	for i := range out {
		out[i].Info = old.world.Infos[out[i].Info.Key]
	}
	return out
}

// TestReplaceWaitsForReads: a tile that is being read when it is to become another is
// not exchanged before the loader is done with it, and what that read is not used.
func TestReplaceWaitsForReads(t *testing.T) {
	first := newFake(2)
	next, list := edited(first, 2, 32, 32)
	m := streaming.NewManual(first, streaming.Options{InFlight: 8})
	law := first.lookFrom(1, 1, 300, 4)
	m.Update(law)
	if len(m.Pending()) != 4 || len(list) != 4 {
		t.Fatalf("%v are read, %d tiles change", m.Pending(), len(list))
	}
	m.Replace(next, list)
	take := func(*streaming.Tile, uint16) {}
	for len(m.Pending()) > 0 {
		if m.Exchange(take) {
			t.Fatalf("exchanged while %v are read", m.Pending())
		}
		m.Read(0)
		m.Update(law)
		if len(m.Pending()) > 3 {
			t.Fatal("tiles are read that are to become others")
		}
	}
	if !m.Exchange(take) || m.Replacing() {
		t.Fatal("not exchanged after all")
	}
	for m.Update(law); len(m.Pending()) > 0; m.Update(law) {
		m.Read(0)
	}
	for _, tile := range streaming.All(m.Manager) {
		if k := tile.Info.Key; tile.Prepared != 0 || tile.CPU.Info != tile.Info || !slices.Equal(tile.CPU.Verts, next.world.Tile(k, 0).Verts) {
			t.Errorf("tile %v is not that of the new world", k)
		}
	}
	if err := m.Check(); err != nil {
		t.Error(err)
	}
}
