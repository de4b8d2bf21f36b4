package streaming_test

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
)

func TestCoarsestThenNearest(t *testing.T) {
	f := newFake(5)
	m := streaming.NewManual(f, streaming.Options{InFlight: 3})
	law := f.lookFrom(1.2, 3.7, 300, 1)
	var asked []streaming.Asked
	for {
		m.Update(law)
		if len(m.Pending()) == 0 {
			break
		}
		asked = append(asked, m.Pending()[0])
		m.Read(0)
	}
	if want := f.wants(law); len(asked) <= len(f.tiles) || len(want) != 25 {
		t.Fatalf("%d levels read", len(asked))
	}
	coarsest := terrain.Level(f.world.Layout().Levels - 1)
	for i, a := range asked {
		if (a.Level == coarsest) != (i < len(f.tiles)) {
			t.Fatalf("read %d is %v", i, a)
		}
		if i > 0 && i < len(f.tiles) && distance(f, law, a.Key) < distance(f, law, asked[i-1].Key) {
			t.Fatalf("read %d: %v after a farther one", i, a)
		}
	}
	// Nothing was uploaded meanwhile. Now all of it, in order.
	var last streaming.Upload
	n := 0
	m.Uploads(0, func(u streaming.Upload) bool {
		if n++; n > 1 && (u.Level > last.Level || u.Level == last.Level &&
			distance(f, law, u.Tile.Info.Key) < distance(f, law, last.Tile.Info.Key)) {
			t.Fatalf("upload %d: tile %v level %d after %v, %d", n, u.Tile.Info.Key, u.Level, last.Tile.Info.Key, last.Level)
		}
		last = u
		return true
	})
	if n != len(asked) {
		t.Fatalf("%d uploads of %d levels", n, len(asked))
	}
}

func TestUploadBudget(t *testing.T) {
	f := newFake(2)
	m := streaming.New(f, streaming.Options{Sync: true, Fixed: func(terrain.Key) (terrain.Level, bool) { return 0, true }})
	defer closed(t, m)
	m.Update()
	for _, c := range []struct {
		budget int64
		room   int
		want   int
	}{
		{1, 100, 1},            // more than the budget, but the first
		{81 * 8 * 2, 100, 2},   // coarsest levels
		{0, 0, 0},              // no room in staging
		{81*8 + 208*8, 100, 2}, // the last coarsest, and one finer
		{0, 3, 3}, {0, 100, 4}, // all the others
	} {
		n := 0
		m.Uploads(c.budget, func(streaming.Upload) bool {
			n++
			return n <= c.room
		})
		if n = min(n, c.room); n != c.want {
			t.Fatalf("budget %d, room %d: %d uploads, want %d", c.budget, c.room, n, c.want)
		}
		if err := streaming.Check(m); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSettledLevels wants, from whatever number of loaders, what the functions
// of lodcpu ask for.
func TestSettledLevels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 12 {
		f := newFake(6, terrain.Key{X: 2, Y: 2}, terrain.Key{X: 5, Y: 0})
		laws := []*lodcpu.Law{f.lookFrom(rng.Float64()*10-2, rng.Float64()*10-2, rng.Float64()*2000, 1+rng.Float64()*30)}
		if i%3 == 0 { // a second view
			laws = append(laws, f.lookFrom(rng.Float64()*6, rng.Float64()*6, 200, 20))
		}
		want := f.wants(laws...)
		for _, o := range []streaming.Options{{Sync: true}, {Loaders: 1}, {Loaders: 3, InFlight: 20}, {Loaders: 8}} {
			m := streaming.New(f, o)
			g := newGPU(t, m, f)
			g.late, g.budget = i%3, int64(i%4)*5000
			g.settle(laws...)
			if got := loaded(m); !maps.Equal(got, want) {
				t.Fatalf("view %d, %d loaders: %v, want %v", i, o.Loaders, got, want)
			}
			for _, tile := range m.Tiles() {
				for _, n := range tile.Near {
					if n != lodcpu.Absent && max(n-tile.Near[lodcpu.Own], tile.Near[lodcpu.Own]-n) > 1 {
						t.Fatalf("tile %v near %v", tile.Info.Key, tile.Near)
					}
				}
			}
			closed(t, m)
		}
	}
}

// stream refines all that is loaded, and sorts the triangles of each tile.
func stream(f *fake, m *streaming.Manager, law *lodcpu.Law) []uint32 {
	r := soar.New(f.world.Layout(), lodcpu.List)
	var all []uint32
	for _, t := range m.Tiles() {
		dst := make([]uint32, r.MaxIndices(t.Loaded))
		c, ok := r.Refine(dst, t.CPU, &t.Near, law)
		if !ok {
			panic("bound too small")
		}
		// The order of triangles may depend on what is loaded beside.
		var triangles [][3]uint32
		for i := 0; i < c.Indices; i += 3 {
			triangles = append(triangles, [3]uint32(dst[i:]))
		}
		slices.SortFunc(triangles, func(a, b [3]uint32) int { return slices.Compare(a[:], b[:]) })
		all = append(all, uint32(t.Info.Key.X), uint32(t.Info.Key.Y))
		for _, t := range triangles {
			all = append(all, t[:]...)
		}
	}
	return all
}

// TestSamePicture flies one path with many options: the indices at its end are
// the same, though what is held besides may differ.
func TestSamePicture(t *testing.T) {
	f := newFake(6)
	var want []uint32
	for i, o := range []streaming.Options{
		{Sync: true}, {Loaders: 1}, {Loaders: 4}, {Loaders: 2, InFlight: 1, HoldUpdates: -1, HoldMargin: -1}, {Loaders: 3, HoldMargin: 2},
	} {
		m := streaming.New(f, o)
		g := newGPU(t, m, f)
		g.late = i
		var law *lodcpu.Law
		for step := range 60 {
			law = f.lookFrom(float64(step)/10, 1+float64(step)/30, 100, 15)
			g.draw(law)
		}
		g.settle(law)
		got := stream(f, m, law)
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v: %d indices, want %d", o, len(got), len(want))
		}
		closed(t, m)
	}
	if len(want) < 1000 {
		t.Fatalf("only %d indices", len(want))
	}
}

func TestFixed(t *testing.T) {
	f := newFake(4)
	mix := func(k terrain.Key) (terrain.Level, bool) {
		if k.Y == 3 {
			return streaming.None, true
		}
		return terrain.Level((k.X + 2*k.Y) % 3), k.Y < 2
	}
	m := streaming.New(f, streaming.Options{Fixed: mix, HoldUpdates: -1})
	defer closed(t, m)
	g := newGPU(t, m, f)
	law := f.within(2, 2, 1)
	g.settle(law)
	for _, tile := range streaming.All(m) {
		level, ok := mix(tile.Info.Key)
		if ok && tile.Loaded != level || !ok && tile.Loaded == streaming.None {
			t.Errorf("tile %v is at %d", tile.Info.Key, tile.Loaded)
		}
	}
	m.SetFixed(func(terrain.Key) (terrain.Level, bool) { return 9, true }) // the coarsest will do
	g.settle(law)
	g.draw(law)
	if s := m.Stats(); s.Loaded != 16 || s.Shown != 16 || s.Evictions == 0 {
		t.Errorf("%+v", s)
	}
	m.SetFixed(func(terrain.Key) (terrain.Level, bool) { return streaming.None, true })
	g.draw(law)
	if s := m.Stats(); s.Loaded != 0 || s.Shown != 0 || s.CPUBytes == 0 || s.GPUBytes != s.CPUBytes || s.Unloading != 16 {
		t.Errorf("%+v", s) // frames may read them
	}
	g.draw(law)
	if s := m.Stats(); s.Loaded != 0 || s.CPUBytes != 0 || s.GPUBytes != 0 || len(m.Tiles()) != 0 {
		t.Errorf("%+v", s)
	}
	m.SetFixed(nil)
	g.settle(law)
	if got := loaded(m); !maps.Equal(got, f.wants(law)) {
		t.Errorf("%v", got)
	}
}

// TestHysteresis moves the eye to and fro across the edge of what a level
// needs.
func TestHysteresis(t *testing.T) {
	f := newFake(3)
	changes := map[streaming.Asked]int{}
	count := func(tile *streaming.Tile, level terrain.Level) {
		changes[streaming.Asked{Key: tile.Info.Key, Level: level}]++
	}
	m := streaming.New(f, streaming.Options{Sync: true, HoldUpdates: 5, Listener: streaming.Listener{LevelLoaded: count, LevelEvicted: count}})
	defer closed(t, m)
	g := newGPU(t, m, f)
	in, out := f.within(-1, 1.5, 340), f.within(-1.1, 1.5, 340) // tiles of 320 m
	if f.wants(in)[terrain.Key{Y: 1}] != 0 || f.wants(out)[terrain.Key{Y: 1}] != 2 {
		t.Fatal("the edge is not between the two")
	}
	for i := range 400 {
		if i/20%2 == 0 {
			g.draw(in)
		} else {
			g.draw(out)
		}
	}
	for a, n := range changes {
		if n > 2 {
			t.Errorf("%v changed %d times", a, n)
		}
	}
	// Far away it is given up, but not at once.
	far := f.within(-9, 1.5, 340)
	for i := range 20 {
		g.draw(far)
		if held := m.Tile(terrain.Key{Y: 1}).Loaded == 0; held != (i < 5) {
			t.Fatalf("update %d: held %v", i, held)
		}
	}
	if got := loaded(m); !maps.Equal(got, f.wants(far)) {
		t.Errorf("%v", got)
	}
}

// TestCycles wants memory and callbacks to balance. Case STREAM-5.
func TestCycles(t *testing.T) {
	f := newFake(3)
	prepared, gone, goroutines, cycles := 0, 0, runtime.NumGoroutine(), 1000
	if testing.Short() {
		cycles = 100
	}
	m := streaming.New(f, streaming.Options{Loaders: 2, HoldUpdates: -1, Listener: streaming.Listener{
		LevelPrepared: func(*streaming.Tile, terrain.Level) { prepared++ },
		LevelEvicted:  func(*streaming.Tile, terrain.Level) { gone++ },
	}})
	defer func() {
		closed(t, m)
		goroutinesEnd(t, goroutines)
	}()
	g := newGPU(t, m, f)
	all := func(level terrain.Level) func(terrain.Key) (terrain.Level, bool) {
		return func(terrain.Key) (terrain.Level, bool) { return level, true }
	}
	var before runtime.MemStats
	for i := range cycles {
		m.SetFixed(all(0))
		g.settle()
		m.SetFixed(all(streaming.None))
		g.settle()
		g.draw()
		if prepared != gone || prepared != (i+1)*27 {
			t.Fatalf("cycle %d: %d prepared, %d evicted", i, prepared, gone)
		}
		if s := m.Stats(); s.CPUBytes+s.GPUBytes+s.ReadingBytes != 0 {
			t.Fatalf("%+v", s)
		}
		f.log = f.log[:0]
		if i == 50 {
			runtime.GC()
			runtime.ReadMemStats(&before)
		}
	}
	var after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > int64(before.HeapAlloc)/50 {
		t.Errorf("the heap has grown by %d bytes from %d", grown, before.HeapAlloc)
	}
}

func TestFailureAndRecovery(t *testing.T) {
	for _, broken := range []error{errors.New("no such file"), io.ErrUnexpectedEOF} {
		f := newFake(3)
		bad := streaming.Asked{Key: terrain.Key{X: 1, Y: 1}, Level: 1}
		f.fail = func(k terrain.Key, level terrain.Level) (int, error) {
			if k == bad.Key && level == bad.Level {
				return 50, fmt.Errorf("read: %w", broken)
			}
			return 0, nil
		}
		now := time.Unix(1000, 0)
		var failed []streaming.Asked
		m := streaming.New(f, streaming.Options{
			Sync: true, Now: func() time.Time { return now },
			Fixed: func(terrain.Key) (terrain.Level, bool) { return 0, true },
			Listener: streaming.Listener{LevelFailed: func(tile *streaming.Tile, level terrain.Level, err error) {
				failed = append(failed, streaming.Asked{Key: tile.Info.Key, Level: level})
				if !errors.Is(err, broken) {
					t.Errorf("cause is %v", err)
				}
			}},
		})
		g := newGPU(t, m, f)
		// Tried at 0, 0.1, 0.3, 0.7, 1.5, 3.1, 6.3, 12.7 and then every 10 s.
		tries := map[int]uint64{0: 1, 99: 1, 100: 2, 299: 2, 300: 3, 700: 4, 1499: 4, 1500: 5, 3100: 6, 6300: 7, 12700: 8, 22699: 8, 22700: 9, 32700: 10}
		for ms := 0; ms <= 33000; ms++ {
			now = time.Unix(1000, int64(ms)*1e6)
			if m.Update(); ms%100 == 0 {
				g.draw()
			}
			if want, ok := tries[ms]; ok && m.Stats().Failures != want {
				t.Fatalf("after %d ms: %d attempts, want %d", ms, m.Stats().Failures, want)
			}
			if (ms == 200 || ms == 400) && m.Settled() != (ms == 400) {
				t.Fatalf("settled %v after %d ms", m.Settled(), ms)
			}
		}
		if !slices.Equal(failed, []streaming.Asked{bad}) {
			t.Fatalf("told of %v", failed)
		}
		if n, err := m.Tile(bad.Key).Failure(bad.Level); !errors.Is(err, broken) || n != 10 || m.Tile(bad.Key).State(bad.Level) != streaming.Failed {
			t.Fatalf("%v, %d", err, n)
		}
		for k, level := range loaded(m) {
			if (k == bad.Key) != (level == 2) || (k != bad.Key) != (level == 0) {
				t.Fatalf("tile %v is at %d", k, level)
			}
		}
		f.fail = nil // the file is back
		now = now.Add(time.Minute)
		g.settle()
		if s := m.Stats(); s.Loaded != 27 || s.Failed != 0 {
			t.Fatalf("%+v", s)
		}
		if _, err := m.Tile(bad.Key).Failure(bad.Level); err != nil {
			t.Fatal(err)
		}
		closed(t, m)
	}
}

// TestDropsWhatIsNotWanted holds a read back until its level is not wanted.
func TestDropsWhatIsNotWanted(t *testing.T) {
	f := newFake(1)
	m := streaming.NewManual(f, streaming.Options{HoldMargin: -1})
	near, far := f.within(0, 0, 100), f.within(50, 0, 100)
	m.Update(near)
	m.Pending()
	m.Read(0)
	m.Update(near)
	if p := m.Pending(); len(p) != 1 || p[0].Level != 1 {
		t.Fatalf("%v", p)
	}
	m.Update(far)
	m.Update(near) // wanted again before anybody looked
	m.Read(0)
	m.Update(near)
	if m.Tiles(); m.Stats().Reads != 2 {
		t.Fatalf("%+v", m.Stats())
	}
	m.Pending()
	m.Update(far)
	log := len(f.log)
	m.Read(0) // cancelled before it began
	m.Update(near)
	if s := m.Stats(); s.Dropped != 1 || len(f.log) != log || len(m.Pending()) != 1 {
		t.Fatalf("%+v, %d reads", s, len(f.log)-log)
	}
	m.Read(0)
	m.Update(far) // read, but too late
	if s := m.Stats(); s.Dropped != 2 || len(f.log) != log+1 || s.Reads != 2 {
		t.Fatalf("%+v", s)
	}
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
}

func TestDeviceLost(t *testing.T) {
	f := newFake(4)
	m := streaming.New(f, streaming.Options{Loaders: 2})
	defer closed(t, m)
	law := f.lookFrom(2, 2, 100, 5)
	g := newGPU(t, m, f)
	g.settle(law)
	want, reads := stream(f, m, law), m.Stats().Reads
	for range 2 {
		m.DeviceLost()
		if s := m.Stats(); s.Shown != 0 || s.GPUBytes != 0 || s.CPUBytes == 0 || len(m.Tiles()) != 0 || m.Settled() {
			t.Fatalf("%+v", s)
		}
		g = newGPU(t, m, f)
		g.late = 3
		g.draw(law) // lost again with everything on its way
	}
	g.settle(law)
	if !slices.Equal(stream(f, m, law), want) || m.Stats().Reads != reads {
		t.Error("not what it was")
	}
}
