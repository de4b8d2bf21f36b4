package streaming_test

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// chess wants the finest level of every second tile, and nothing of the others.
type chess struct{ aims int }

func (c *chess) Aim(s *streaming.Scene) {
	c.aims++
	for _, t := range s.Tiles {
		if (t.Info.Key.X+t.Info.Key.Y)%2 == 0 {
			s.Want(t, 0, 0)
		} else {
			s.Want(t, streaming.None, streaming.None)
		}
	}
}

// TestStrategiesChange changes the strategy in flight: by id, by name, to one's own, and
// none freezes what there is.
func TestStrategiesChange(t *testing.T) {
	f := newFake(4)
	changes := 0
	count := func(*streaming.Tile, terrain.Level) { changes++ }
	m := streaming.New(f, streaming.Options{Sync: true, HoldUpdates: -1, HoldMargin: -1, Listener: streaming.Listener{
		LevelPrepared: count, LevelEvicted: count, LevelLoaded: count, LevelUnloaded: count,
	}})
	defer closed(t, m)
	g := newGPU(t, m, f)
	here, there := f.within(0, 0, 300), f.within(4, 4, 300)
	if id, name := m.Strategy(); id != 1 || name != "distance" {
		t.Fatalf("begins with %d %s", id, name)
	}
	own := &chess{}
	m.Register(7, "chess", own)
	for _, step := range []struct {
		set  func() error
		law  *lodcpu.Law
		want map[terrain.Key]int8 // nil is what it was
	}{
		{func() error { return nil }, here, f.wants(here)},
		{func() error { return m.SetStrategy(streaming.NoStrategy) }, there, nil},
		{func() error { return m.SetStrategyNamed("distance") }, there, f.wants(there)},
		{func() error { return m.SetStrategyNamed("chess") }, there, map[terrain.Key]int8{}},
		{func() error { return m.SetStrategyNamed("none") }, here, nil},
		{func() error { return m.SetStrategy(1) }, here, f.wants(here)},
	} {
		before, was := changes, loaded(m)
		if err := step.set(); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			g.draw(step.law)
		}
		_, name := m.Strategy()
		switch got := loaded(m); {
		case step.want == nil && (changes != before || !maps.Equal(got, was)):
			t.Errorf("%s: %d changes", name, changes-before)
		case name == "chess":
			for k, level := range got {
				if level != 0 || (k.X+k.Y)%2 != 0 {
					t.Errorf("%s: tile %v is at %d", name, k, level)
				}
			}
			if len(got) != 8 || own.aims != 1 {
				t.Errorf("%s: %d tiles, aimed %d times", name, len(got), own.aims)
			}
		case step.want != nil && !maps.Equal(got, step.want):
			t.Errorf("%s: %v, want %v", name, got, step.want)
		}
	}
	for _, err := range []error{m.SetStrategy(9), m.SetStrategyNamed("x")} {
		if err == nil || !strings.Contains(err.Error(), "no strategy") || !strings.Contains(err.Error(), ": there are 0 none, 1 distance, 7 chess, ") ||
			!strings.HasSuffix(err.Error(), " pinned, 4294967294 predictive, 4294967295 screen-error") {
			t.Errorf("error %v", err)
		}
	}
	for _, bad := range []func(){
		func() { m.Register(1, "a", own) }, func() { m.Register(7, "b", own) }, func() { m.Register(8, "chess", own) },
		func() { m.Register(streaming.PinnedRegions, "c", own) },
	} {
		if !panics(bad) {
			t.Error("a strategy is registered twice")
		}
	}
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

// TestManual is the article's interface.
func TestManual(t *testing.T) {
	f := newFake(3)
	m := streaming.New(f, streaming.Options{Loaders: 2})
	defer closed(t, m)
	if err := m.SetStrategy(streaming.NoStrategy); err != nil {
		t.Fatal(err)
	}
	g := newGPU(t, m, f)
	law := f.within(1, 1, 1000)
	g.settle(law)
	if len(m.Tiles()) != 0 {
		t.Fatal("something is loaded that nobody asked for")
	}
	tile := m.Tile(terrain.Key{X: 1, Y: 2})
	want := func(target, prepared terrain.Level, what string) {
		t.Helper()
		if tile.Target != target || tile.Prepared != prepared {
			t.Fatalf("%s: target %d, prepared %d; want %d, %d", what, tile.Target, tile.Prepared, target, prepared)
		}
	}
	for level := terrain.Level(3); level > 0; level-- {
		m.IncreaseLevel(1, 2, true)
		want(level-1, level-1, "increase, at once")
	}
	tile.IncreaseLevel(true)
	want(0, 0, "there is nothing finer")
	g.settle(law)
	if got := loaded(m); !maps.Equal(got, map[terrain.Key]int8{{X: 1, Y: 2}: 0}) {
		t.Fatalf("%v", got)
	}
	m.DecreaseLevel(1, 2)
	g.draw(law)
	if want(1, 0, "a frame may read it"); tile.Loaded != 1 {
		t.Fatalf("%d is drawn", tile.Loaded)
	}
	g.draw(law)
	want(1, 1, "decrease")
	tile.Load(0, false)
	want(0, 1, "not at once")
	tile.DecreaseLevel()
	tile.Load(0, true) // a loader may have it
	want(0, 0, "at once")
	for range 3 {
		tile.DecreaseLevel()
	}
	g.draw(law)
	g.draw(law)
	want(streaming.None, streaming.None, "nothing")
	if m.Load(0, 3, 0, true) || m.IncreaseLevel(-1, 0, true) || m.DecreaseLevel(3, 0) {
		t.Error("there is a tile beyond the world")
	}
	m.Load(0, 0, 9, true)
	if tile = m.Tile(terrain.Key{}); tile.Prepared != 2 {
		t.Errorf("the coarsest level is %d", tile.Prepared)
	}
	if err := m.SetStrategy(streaming.ByDistance); err != nil {
		t.Fatal(err)
	}
	g.settle(law)
	if got := loaded(m); !maps.Equal(got, f.wants(law)) {
		t.Errorf("%v", got)
	}
}

// TestLoadWaitsForLoader asks at once for what a loader has.
func TestLoadWaitsForLoader(t *testing.T) {
	f := newFake(1)
	f.delay = 20 * time.Millisecond
	m := streaming.New(f, streaming.Options{Loaders: 2})
	defer closed(t, m)
	m.Update(f.within(0, 0, 100))
	m.Load(0, 0, 0, true)
	if tile := m.Tile(terrain.Key{}); tile.Prepared != 0 || len(f.log) != 3 {
		t.Errorf("level %d, reads %v", tile.Prepared, f.log)
	}
	f.fail = func(terrain.Key, terrain.Level) (int, error) { return 0, chunkfile.ErrCorrupt }
	m.Load(0, 0, streaming.None, false)
	m.Evictions(func(*streaming.Tile, terrain.Level) {})
	m.Load(0, 0, 0, true) // ends
	if s := m.Stats(); s.Failed != 1 {
		t.Errorf("%+v", s)
	}
}

// targets returns the targets of all tiles.
func targets(m *streaming.Manager) map[terrain.Key]int8 {
	all := map[terrain.Key]int8{}
	for _, t := range streaming.All(m) {
		all[t.Info.Key] = int8(t.Target)
	}
	return all
}

func TestBuiltInStrategies(t *testing.T) {
	f := newFake(8)
	law := f.lookFrom(1, 6, 200, 20)
	view := &lodcpu.View{Eye: law.Eye, Pitch: -0.3, FovY: 1, Width: 640, Height: 360, Tau: 20}
	east := streaming.Camera{Law: law, View: view, Velocity: mgl64.Vec3{320}}
	soon, later := f.lookFrom(2, 6, 200, 20), f.lookFrom(3, 6, 200, 20)
	aim := func(id streaming.StrategyID, data any, cameras ...streaming.Camera) map[terrain.Key]int8 {
		m := streaming.New(f, streaming.Options{Loaders: 1})
		defer closed(t, m)
		if err := m.SetStrategy(id); err != nil {
			t.Fatal(err)
		}
		m.AutoUpdate(data, cameras...)
		return targets(m)
	}
	plain := f.wants(law)
	if got := aim(streaming.ByDistance, streaming.HoldDistance(1e9), east); !maps.Equal(got, plain) {
		t.Errorf("distance: %v, want %v", got, plain)
	}
	if got, want := aim(streaming.Predictive, nil, east), f.wants(law, soon, later); !maps.Equal(got, want) || maps.Equal(got, plain) {
		t.Errorf("predictive: %v, want %v", got, want)
	}
	if got, want := aim(streaming.Predictive, time.Second, east), f.wants(law, f.lookFrom(1.5, 6, 200, 20), soon); !maps.Equal(got, want) {
		t.Errorf("predictive, a second ahead: %v, want %v", got, want)
	}
	regions := []streaming.Region{{MinX: -1000 + 7.5*320, MinZ: 500 + 7.5*320, MaxX: 1e6, MaxZ: 1e6, Level: 0}}
	got := aim(streaming.PinnedRegions, regions, east)
	if got[terrain.Key{X: 7, Y: 7}] != 0 || plain[terrain.Key{X: 7, Y: 7}] == 0 || got[terrain.Key{X: 6, Y: 6}] > 1 {
		t.Errorf("pinned: %v", got)
	}
	if got := aim(streaming.ByScreenError, nil, streaming.Camera{Law: law}); !maps.Equal(got, plain) {
		t.Errorf("screen error: %v, want %v", got, plain)
	}
	coarser, frustum := 0, view.Frustum()
	for k, level := range aim(streaming.ByScreenError, nil, east) {
		lo, hi := law.Bounds(f.world.Layout(), f.world.Infos[k])
		if level > plain[k] && !frustum.Sees(lo, hi) {
			coarser++
		} else if level != plain[k] {
			t.Errorf("screen error: tile %v is at %d, want %d", k, level, plain[k])
		}
	}
	if coarser == 0 {
		t.Error("screen error: all that is not seen is as fine")
	}
	two := aim(streaming.ByDistance, nil, east, streaming.Camera{Law: later})
	if want := f.wants(law, later); !maps.Equal(two, want) {
		t.Errorf("two cameras: %v, want %v", two, want)
	}
}

// TestHoldDistance keeps what has been loaded for as far as the data says.
func TestHoldDistance(t *testing.T) {
	f := newFake(3)
	m := streaming.New(f, streaming.Options{Sync: true, HoldUpdates: -1})
	defer closed(t, m)
	g := newGPU(t, m, f)
	g.settle(f.within(0, 0, 100))
	tile := m.Tile(terrain.Key{})
	for _, c := range []struct {
		hold float64
		want terrain.Level
	}{{700, 0}, {660, 0}, {500, 2}} { // the tile is 640 m away, and 540 farther than the law reaches
		for range 3 {
			m.AutoUpdate(streaming.HoldDistance(c.hold), streaming.Camera{Law: f.within(-2, 0, 100)})
			g.draw(f.within(-2, 0, 100))
		}
		if tile.Loaded != c.want {
			t.Errorf("held %g m farther: level %d, want %d", c.hold, tile.Loaded, c.want)
		}
	}
}

// TestStrategiesDoNotAllocate flies.
func TestStrategiesDoNotAllocate(t *testing.T) {
	f := newFake(6)
	regions := any([]streaming.Region{{MaxX: 300, MaxZ: 300}})
	for _, id := range []streaming.StrategyID{0, 1, streaming.ByScreenError, streaming.Predictive, streaming.PinnedRegions} {
		m := streaming.New(f, streaming.Options{Sync: true})
		if err := m.SetStrategy(id); err != nil {
			t.Fatal(err)
		}
		g := newGPU(t, m, f)
		var cameras [2][1]streaming.Camera
		for i := range cameras {
			law := f.lookFrom(3+float64(i)/1000, 3, 100, 20)
			v := &lodcpu.View{Eye: law.Eye, Pitch: -0.3, FovY: 1, Width: 640, Height: 360, Tau: 20}
			cameras[i][0] = streaming.Camera{Law: law, View: v, Velocity: mgl64.Vec3{1, 0, 0}, Turn: 0.1}
			g.settle(law)
		}
		data := regions
		if id != streaming.PinnedRegions {
			data = nil
		}
		i := 0
		retire := func(*streaming.Tile, terrain.Level) {}
		frame := func() {
			i++
			m.AutoUpdate(data, cameras[i%2][:]...)
			m.Evictions(retire)
			m.Uploads(0, func(streaming.Upload) bool { return true })
		}
		for range 300 {
			frame()
		}
		if allocs := testing.AllocsPerRun(200, frame); allocs != 0 {
			_, name := m.Strategy()
			t.Errorf("%s: %g allocations a frame", name, allocs)
		}
		closed(t, m)
	}
}

// endless is a world without an end, whose vertices know where they belong.
type endless struct {
	*wide
	held chan struct{} // if not nil, reads wait for it
}

func (e *endless) Tiles() []terrain.TileInfo { return nil }

func (e *endless) info(x, y int32) *terrain.TileInfo {
	i := e.wide.tiles[0]
	i.Key = terrain.Key{X: x, Y: y}
	return &i
}

func mark(k terrain.Key) uint16 { return uint16(uint32(k.X)*40503 ^ uint32(k.Y)*2654435) }

func (e *endless) ReadLevel(_ *chunkfile.Decoder, verts []terrain.Vertex, k terrain.Key, level terrain.Level) error {
	if e.held != nil {
		<-e.held
	}
	lo, _ := e.w.Layout().Range(level)
	for i := range verts[lo:] {
		verts[lo+i].Height = mark(k)
	}
	return nil
}

// TestEndless walks over an endless world, negative columns and the last ones included:
// tiles come and go, and each has its own vertices and neighbours.
func TestEndless(t *testing.T) {
	e := &endless{wide: newWide(1)}
	removed := 0
	m := streaming.New(e, streaming.Options{Loaders: 3, HoldUpdates: -1, Listener: streaming.Listener{
		TileRemoved: func(*streaming.Tile) { removed++ },
	}})
	defer closed(t, m)
	added := 0
	var gone []sent
	frame := func(x, y int32) {
		for _, s := range gone {
			m.Unloaded(s.tile, s.level)
		}
		gone = gone[:0]
		for dy := int32(-2); dy <= 2; dy++ {
			for dx := int32(-2); dx <= 2; dx++ {
				k := terrain.Key{X: x + dx, Y: y + dy}
				if int64(x)+int64(dx) != int64(k.X) || int64(y)+int64(dy) != int64(k.Y) || streaming.Present(m, k) {
					continue
				}
				m.Add(e.info(k.X, k.Y))
				added++
			}
		}
		for _, tile := range streaming.All(m) {
			k := tile.Info.Key
			if max(abs(int64(k.X)-int64(x)), abs(int64(k.Y)-int64(y))) > 3 {
				m.Remove(tile)
			}
		}
		law := lodcpu.FullLaw(&e.w)
		law.A, law.B = 500, 0
		law.Eye = mgl64.Vec3{(float64(x) + 0.5) * 3840, 500, (float64(y) + 0.5) * 3840}
		m.Update(&law)
		m.Evictions(func(tile *streaming.Tile, level terrain.Level) { gone = append(gone, sent{tile: tile, level: level}) })
		m.Uploads(0, func(u streaming.Upload) bool {
			for _, v := range u.Verts {
				if v.Height != mark(u.Tile.Info.Key) {
					t.Fatalf("tile %v has vertices of another", u.Tile.Info.Key)
				}
			}
			sentNow = append(sentNow, sent{tile: u.Tile, level: u.Level})
			return true
		})
		for _, s := range sentNow {
			m.Loaded(s.tile, s.level)
		}
		sentNow = sentNow[:0]
		if err := streaming.Check(m); err != nil {
			t.Fatal(err)
		}
	}
	for _, from := range []terrain.Key{{X: -20, Y: 5}, {X: math.MinInt32, Y: math.MinInt32}, {X: math.MaxInt32 - 20, Y: -1}} {
		for i := range int32(60) {
			frame(from.X+i/3, from.Y)
		}
		for range 400 {
			if frame(from.X+20, from.Y); m.Settled() && len(streaming.All(m)) <= 36 {
				break
			}
			if err := m.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if s := m.Stats(); s.Shown < 15 || !m.Settled() {
			t.Errorf("from %v: %+v", from, s)
		}
	}
	if removed == 0 || added-removed != len(streaming.All(m)) {
		t.Errorf("%d tiles added, %d removed, %d left", added, removed, len(streaming.All(m)))
	}
	if !slices.ContainsFunc(streaming.All(m), func(tile *streaming.Tile) bool { return tile.Info.Key.X == math.MaxInt32 }) {
		t.Error("the last column is not there")
	}
}

var sentNow []sent

func abs(x int64) int64 { return max(x, -x) }

// TestLateReadOfRemovedTile removes a tile while it is read, and asks for another one
// at its place: what was read for the first comes to nobody.
func TestLateReadOfRemovedTile(t *testing.T) {
	e := &endless{wide: newWide(1)}
	m := streaming.NewManual(e, streaming.Options{InFlight: 4})
	law := lodcpu.FullLaw(&e.w)
	law.A, law.B = 500, 0
	nobody := func(*streaming.Tile, terrain.Level) { t.Error("retires") }
	first := m.Add(e.info(-1, -1))
	m.Update(&law)
	if len(m.Pending()) != 1 {
		t.Fatal(m.Pending())
	}
	m.Remove(first)
	m.Evictions(nobody)
	second := m.Add(e.info(0, 0))
	if second == first || first.State(4) != streaming.Cancelled {
		t.Fatalf("a tile is used again that a loader has (%v)", first.State(4))
	}
	m.Update(&law)
	m.Read(0)
	m.Update(&law)
	m.Evictions(nobody)
	if s := m.Stats(); s.Dropped != 1 || s.Reads != 0 || len(streaming.All(m.Manager)) != 1 || m.Tile(terrain.Key{X: -1, Y: -1}) != nil {
		t.Fatalf("%+v", s)
	}
	third := m.Add(e.info(5, 5))
	if third != first {
		t.Error("a tile is made anew though there is one to spare")
	}
	// Taken back before it is gone.
	m.Update(&law)
	m.Remove(third)
	if m.Add(e.info(5, 5)) != third || !panics(func() { m.Add(e.info(5, 5)) }) {
		t.Error("not taken back")
	}
	for m.Update(&law); len(m.Pending()) > 0; m.Update(&law) {
		m.Read(0)
	}
	if err := m.Check(); err != nil || third.Prepared == streaming.None || third.CPU.Verts[0].Height != mark(third.Info.Key) {
		t.Error(err, third.Prepared)
	}
}
