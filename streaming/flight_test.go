package streaming_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vkterrain/vkterrain/internal/lodtest"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// flight is a random flight over a world that is read by random means.
type flight struct {
	t    *testing.T
	d    *onDisk
	rng  *rand.Rand
	m    *streaming.Manager
	g    *gpu
	disk *disk

	eye      [3]float64 // in tiles; metres
	speed    [2]float64
	cameras  []streaming.Camera
	shown    int
	changes  uint64
	watched  int // frames whose mesh was looked at
	strategy streaming.StrategyID
	budget   streaming.Budget
}

// begin opens the world as the seed says.
func beginFlight(t *testing.T, d *onDisk, seed uint64) *flight {
	rng := rand.New(rand.NewPCG(seed, 17))
	f := &flight{t: t, d: d, rng: rng, disk: &disk{data: d.disk.data, delay: time.Duration(rng.IntN(4)*rng.IntN(15)) * time.Millisecond}}
	file, err := chunkfile.Open(f.disk, int64(len(f.disk.data)))
	if err != nil {
		t.Fatal(err)
	}
	var src streaming.Source = file
	if seed%3 == 0 {
		src = plain{file}
	}
	if seed%4 < 2 {
		f.budget = streaming.Budget{GPUBytes: 16*bytes2 + int64(1+rng.IntN(9))*bytes0}
	}
	if seed%4 == 1 {
		f.budget.CPUBytes = f.budget.GPUBytes + 30*bytes0
	}
	f.strategy = []streaming.StrategyID{streaming.ByDistance, streaming.ByScreenError, streaming.Predictive, streaming.PinnedRegions}[rng.IntN(4)]
	f.m = streaming.New(src, streaming.Options{
		Loaders: 1 + rng.IntN(4), Reads: 1 + rng.IntN(8), InFlight: rng.IntN(2) * (8 + rng.IntN(20)), HoldUpdates: 20, HoldMargin: -1,
		Timeout: 300 * time.Millisecond, Budget: f.budget, Sinking: sinkSlowly(t, rng.IntN(2)*rng.IntN(30)).sinking(),
	})
	if err := f.m.SetStrategy(f.strategy); err != nil {
		t.Fatal(err)
	}
	f.g = newGPU(t, f.m, d.fake)
	f.g.truth, f.g.late, f.g.budget = d.truth, rng.IntN(4), int64(rng.IntN(3))*8000
	f.eye = [3]float64{rng.Float64() * 4, rng.Float64() * 4, 100}
	return f
}

// disturb lets reads fail, hang for a while, and bring wrong bytes.
func (f *flight) disturb() {
	f.disk.breaks(func(b []byte, _ int64) error {
		f.disk.mu.Lock()
		what := f.rng.IntN(30)
		f.disk.mu.Unlock()
		switch what {
		case 0:
			return errors.New("input/output error")
		case 1:
			b[len(b)/2] ^= 1
		case 2:
			time.Sleep(time.Second)
		case 3:
			time.Sleep(20 * time.Millisecond)
		}
		return nil
	})
}

// move moves the camera, or lets it leap.
func (f *flight) move() {
	f.disk.mu.Lock() // whose faults come from the same numbers
	defer f.disk.mu.Unlock()
	switch f.rng.IntN(60) {
	case 0:
		f.eye = [3]float64{f.rng.Float64() * 4, f.rng.Float64() * 4, f.rng.Float64() * 800}
	case 1:
		f.speed = [2]float64{f.rng.Float64()*4 - 2, f.rng.Float64()*4 - 2} // tiles a second
	case 2:
		f.g.late = f.rng.IntN(4)
	}
	f.eye[0] += f.speed[0] / 60
	f.eye[1] += f.speed[1] / 60
	f.cameras = f.cameras[:0]
	law := f.d.lookFrom(f.eye[0], f.eye[1], f.eye[2], 12)
	view := &lodcpu.View{Eye: law.Eye, Pitch: -0.3, Yaw: f.eye[0], FovY: 1, Width: 640, Height: 360, Tau: 12}
	f.cameras = append(f.cameras, streaming.Camera{Law: law, View: view, Velocity: [3]float64{f.speed[0] * 320, 0, f.speed[1] * 320}})
}

// data is what the strategy is told.
func (f *flight) data() any {
	if f.strategy == streaming.PinnedRegions {
		return []streaming.Region{{MinX: -1000 + 1, MinZ: 500 + 1, MaxX: -1000 + 319, MaxZ: 500 + 319, Level: 0}}
	}
	return nil
}

// frame draws one frame, and checks all that must hold in each.
func (f *flight) frame() {
	f.t.Helper()
	before := time.Now()
	f.g.drawWith(func() { f.m.AutoUpdate(f.data(), f.cameras...) })
	if waited := time.Since(before); waited != 0 {
		f.t.Fatalf("a frame waits %v", waited)
	}
	if c := streaming.CPUBytes(f.m); f.budget.CPUBytes > 0 && c > f.budget.CPUBytes || f.budget.GPUBytes > 0 && f.g.bytes > f.budget.GPUBytes {
		f.t.Fatalf("%d bytes CPU, %d GPU of %+v", c, f.g.bytes, f.budget)
	}
	n := len(f.m.Tiles())
	if n < f.shown {
		f.t.Fatalf("%d tiles shown after %d", n, f.shown)
	}
	f.shown = n
	// What is drawn is one sheet, whatever levels lie side by side.
	if now := f.m.Stats().Changes; now != f.changes && f.g.frame%8 == 0 {
		f.changes = now
		f.watched++
		scene := &lodtest.Scene{World: f.d.world, Levels: loaded(f.m)}
		mesh, _ := scene.Draw(f.t, soar.New(f.d.world.Layout(), lodcpu.List), lodcpu.List, f.cameras[0].Law)
		if faults, first := scene.Faults(mesh); faults != 0 {
			f.t.Fatalf("frame %d: %d faults, as %s", f.g.frame, faults, first)
		}
	}
	time.Sleep(time.Second / 60)
}

// state says all that there is of each tile: its levels too, if nothing is kept that need
// not be there.
func state(m *streaming.Manager, exact bool) string {
	s := ""
	for _, t := range streaming.All(m) {
		if !exact {
			if t.Loaded > streaming.Goal(t) || t.Prepared < streaming.Kept(t) {
				s += fmt.Sprintf("loaded %d, prepared %d of ", t.Loaded, t.Prepared)
			}
			s += fmt.Sprintf("%v: target %d goal %d\n", t.Info.Key, t.Target, streaming.Goal(t))
			continue
		}
		s += fmt.Sprintf("%v: target %d goal %d prepared %d loaded %d near %v\n", t.Info.Key, t.Target, streaming.Goal(t), t.Prepared, t.Loaded, t.Near)
	}
	return s
}

// TestAnyFlight flies at random with random loaders, delays, faults, strategies and
// budgets. In every frame nothing waits, caps hold, and nothing that was shown is lost;
// two seconds after the last movement all is as if it had been made from scratch.
func TestAnyFlight(t *testing.T) {
	d := newDisk(t, 4)
	flights := uint64(20)
	if testing.Short() {
		flights = 6
	}
	watched, failures, stuck := 0, uint64(0), 0
	for seed := range flights {
		synctest.Test(t, func(t *testing.T) {
			f := beginFlight(t, d, seed)
			defer closed(t, f.m)
			for range 4 {
				f.disturb()
				for range 60 {
					f.move()
					f.frame()
					stuck = max(stuck, f.m.Stats().Stuck)
				}
				f.disk.breaks(nil)
				for range 180 { // what failed for the fifth time is tried after 1.6 s
					f.frame()
				}
			}
			for range 12 * 60 { // what failed often waits for ten seconds
				f.frame()
			}
			if !f.m.Settled() || f.m.Stats().Stuck > 0 {
				t.Fatalf("seed %d: %+v", seed, f.m.Stats())
			}
			scratch := streaming.New(d.file, streaming.Options{Sync: true, HoldUpdates: 20, HoldMargin: -1, Budget: f.budget})
			if err := scratch.SetStrategy(f.strategy); err != nil {
				t.Fatal(err)
			}
			g := newGPU(t, scratch, d.fake)
			g.truth = d.truth
			for range 60 {
				g.drawWith(func() { scratch.AutoUpdate(f.data(), f.cameras...) })
			}
			rooms := f.budget.CPUBytes > 0                 // what readers take is less there
			exact := f.strategy != streaming.ByScreenError // which keeps what may come into view
			if got, want := state(f.m, exact), state(scratch, exact); got != want && !rooms {
				t.Fatalf("seed %d, strategy %d, %+v:\n%s\nwant\n%s", seed, f.strategy, f.budget, got, want)
			}
			if f.g.bytes != g.bytes && !rooms && exact || f.shown != 16 {
				t.Errorf("seed %d: %d bytes, want %d", seed, f.g.bytes, g.bytes)
			}
			watched += f.watched
			failures += f.m.Stats().Failures
			closed(t, scratch)
		})
	}
	if t.Logf("%d meshes, %d failures, %d stuck at a time", watched, failures, stuck); watched < int(flights) || failures < flights || stuck == 0 {
		t.Errorf("%d meshes, %d failures, %d stuck: too tame", watched, failures, stuck)
	}
}

// TestTeleport500 jumps between ten places, most often before anything has come, and
// zooms out: what is coarse stays meanwhile, and two seconds later everything is there. Case STREAM-3.
func TestTeleport500(t *testing.T) {
	d := newDisk(t, 6)
	jumps := 500
	if testing.Short() {
		jumps = 100
	}
	synctest.Test(t, func(t *testing.T) {
		disk := &disk{data: d.disk.data, delay: 8 * time.Millisecond}
		file, err := chunkfile.Open(disk, int64(len(disk.data)))
		if err != nil {
			t.Fatal(err)
		}
		m := streaming.New(file, streaming.Options{Loaders: 2, HoldUpdates: 10})
		g := newGPU(t, m, d.fake)
		g.truth, g.late = d.truth, 2
		rng := rand.New(rand.NewPCG(3, 3))
		var spots [10]*lodcpu.Law
		for i := range spots {
			spots[i] = d.lookFrom(rng.Float64()*6, rng.Float64()*6, []float64{50, 500, 5000}[i%3], 5)
		}
		shown := 0
		for jump := range jumps {
			law := spots[rng.IntN(10)]
			frames := rng.IntN(4)
			if jump%50 == 49 {
				frames = 120
			}
			for range frames {
				g.draw(law)
				time.Sleep(time.Second / 60)
				if n := len(m.Tiles()); n < shown {
					t.Fatalf("jump %d: %d tiles shown after %d", jump, n, shown)
				} else {
					shown = n
				}
			}
			if frames < 100 {
				continue
			}
			got := loaded(m)
			for k, want := range d.wants(law) {
				if level, ok := got[k]; !ok || level > want {
					t.Fatalf("jump %d: tile %v is at %d, want %d: %+v", jump, k, level, want, m.Stats())
				}
			}
		}
		if s := m.Stats(); shown != 36 || s.Dropped == 0 || s.Evictions == 0 {
			t.Errorf("too tame: %+v", s)
		}
		closed(t, m)
	})
}

// TestOscillation moves half a metre to and fro around every distance at which some
// tile's level changes: that is two changes a tile at most, and none by no strategy. Case POP-1.
func TestOscillation(t *testing.T) {
	f := newFake(4)
	layout := f.world.Layout()
	frames := 600
	if testing.Short() {
		frames = 60
	}
	for y := range int32(4) {
		for level := range terrain.Level(layout.Levels - 1) {
			tile := f.world.Infos[terrain.Key{Y: y}]
			law := f.lookFrom(0, float64(y)+0.5, 0, 6)
			law.Eye[1] = float64(tile.Min) * f.world.Quantum
			reach := law.A + law.B*float64(tile.Coef[level]) + float64(law.Radius[2*level+1])
			at := f.world.OriginX - reach // west of the world
			var laws [2]lodcpu.Law
			for i := range laws {
				laws[i] = *law
				laws[i].Eye[0] = at + float64(i) - 0.5
			}
			if laws[0].Needs(layout, tile) == laws[1].Needs(layout, tile) {
				t.Fatalf("tile 0,%d: %g m is no threshold of level %d", y, reach, level)
			}
			for _, strategy := range []streaming.StrategyID{streaming.ByDistance, streaming.NoStrategy, streaming.ByScreenError} {
				changes := map[terrain.Key]int{}
				count := func(tile *streaming.Tile, _ terrain.Level) { changes[tile.Info.Key]++ }
				m := streaming.New(f, streaming.Options{Sync: true, HoldUpdates: 3, Listener: streaming.Listener{LevelLoaded: count, LevelUnloaded: count}})
				g := newGPU(t, m, f)
				g.settle(&laws[0])
				if err := m.SetStrategy(strategy); err != nil {
					t.Fatal(err)
				}
				clear(changes)
				for i := range frames {
					g.draw(&laws[i/(1+i%7)%2])
				}
				for k, n := range changes {
					if n > 2 || strategy == streaming.NoStrategy && n > 0 {
						t.Errorf("level %d of tile 0,%d, strategy %d: tile %v changes %d times", level, y, strategy, k, n)
					}
				}
				closed(t, m)
			}
		}
	}
}

// TestTwoGroups lets two groups share a file, and closes one while both are flown.
func TestTwoGroups(t *testing.T) {
	d := newDisk(t, 4)
	before := runtime.NumGoroutine()
	for late := range 30 {
		synctest.Test(t, func(t *testing.T) {
			disk := &disk{data: d.disk.data, delay: 10 * time.Millisecond}
			file, err := chunkfile.Open(disk, int64(len(disk.data)))
			if err != nil {
				t.Fatal(err)
			}
			var groups [2]*streaming.Manager
			for i := range groups {
				groups[i] = streaming.New(file, streaming.Options{Loaders: 2, Reads: 4})
			}
			law := d.lookFrom(2, 2, 100, 5)
			for i := range 150 {
				d.frame(t, groups[0], law)
				if i == late {
					start := time.Now()
					closed(t, groups[1])
					if took := time.Since(start); took > 100*time.Millisecond {
						t.Errorf("closing takes %v", took)
					}
				}
				if i < late {
					d.frame(t, groups[1], law)
				}
				time.Sleep(4 * time.Millisecond)
			}
			if got, want := loaded(groups[0]), d.wants(law); !maps.Equal(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
			closed(t, groups[0])
		})
	}
	goroutinesEnd(t, before)
}

// goroutinesEnd wants no more goroutines than before, soon.
func goroutinesEnd(t *testing.T, before int) {
	t.Helper()
	for range 500 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, were %d", runtime.NumGoroutine(), before)
}

// TestCloseAnyMoment closes while files are read, in real time. Case STREAM-7.
func TestCloseAnyMoment(t *testing.T) {
	d := newDisk(t, 4)
	before := runtime.NumGoroutine()
	rng := rand.New(rand.NewPCG(4, 4))
	for range 100 {
		disk := &disk{data: d.disk.data, delay: time.Duration(rng.IntN(3)) * time.Millisecond}
		file, err := chunkfile.Open(disk, int64(len(disk.data)))
		if err != nil {
			t.Fatal(err)
		}
		m := streaming.New(file, streaming.Options{Loaders: 1 + rng.IntN(3), Reads: 1 + rng.IntN(20)})
		end := time.Now().Add(time.Duration(rng.IntN(10)) * time.Millisecond)
		for i := 0; time.Now().Before(end); i++ {
			m.Update(d.lookFrom(math.Mod(float64(i)/10, 4), 2, 100, 5))
		}
		start := time.Now()
		closed(t, m)
		if took := time.Since(start); took > time.Second {
			t.Fatalf("closing takes %v", took)
		}
	}
	goroutinesEnd(t, before)
}

// TestFlightDoesNotAllocate flies to and fro while levels come and go: what runs on the
// goroutine that draws allocates nothing, and says what loaders leave to the collector.
func TestFlightDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	f := newFake(6)
	m := streaming.NewManual(f, streaming.Options{InFlight: 16, HoldUpdates: 5, HoldMargin: -1})
	var laws []*lodcpu.Law
	for i := range 240 {
		laws = append(laws, f.within(3+2.5*math.Sin(float64(i)/240*2*math.Pi), 3, 400))
	}
	var up, gone []sent
	retire := func(tile *streaming.Tile, level terrain.Level) { gone = append(gone, sent{tile: tile, level: level}) }
	put := func(u streaming.Upload) bool { up = append(up, sent{tile: u.Tile, level: u.Level}); return true }
	frame := func(i int) {
		for _, s := range gone {
			m.Unloaded(s.tile, s.level)
		}
		gone = gone[:0]
		m.Update(laws[i%len(laws)])
		m.Evictions(retire)
		m.Uploads(1<<20, put)
		for _, s := range up {
			m.Loaded(s.tile, s.level)
		}
		up = up[:0]
		m.Tiles()
		m.Stats()
	}
	var a, b, c runtime.MemStats
	frames, garbage, reads := uint64(0), uint64(0), uint64(0)
	for i := range 5 * len(laws) {
		warm := i >= 3*len(laws)
		runtime.ReadMemStats(&a)
		before := m.Stats().Reads
		frame(i)
		runtime.ReadMemStats(&b)
		for len(m.Pending()) > 0 {
			m.Read(0)
		}
		runtime.ReadMemStats(&c)
		if warm {
			frames += b.Mallocs - a.Mallocs
			garbage += c.TotalAlloc - b.TotalAlloc
			reads += m.Stats().Reads - before
		}
	}
	// Goroutines of the runtime allocate now and then.
	if s := m.Stats(); s.Evictions < 100 || reads < 100 || frames > 8 {
		t.Errorf("%d allocations in %d frames, %d levels read, %d evicted", frames, 2*len(laws), reads, s.Evictions)
	}
	t.Logf("%d bytes of garbage for each of %d levels, the test's own included", garbage/max(reads, 1), reads)
}
