package streaming_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
)

// TestTransitions is the state machine once more, as a table: what is not in it
// is refused and changes nothing.
func TestTransitions(t *testing.T) {
	want := strings.Fields(`
		absent/request:preparing=post
		absent/lost:absent=nothing
		preparing/read:prepared=adopt
		preparing/drop:absent=discard
		preparing/fail:failed=report
		preparing/cancel:cancelled=call
		preparing/expire:stuck=abandon
		preparing/lost:preparing=nothing
		cancelled/request:preparing=resume
		cancelled/read:absent=discard
		cancelled/drop:absent=discard
		cancelled/fail:absent=discard
		cancelled/expire:stuck=abandon
		cancelled/lost:cancelled=nothing
		stuck/read:failed=discard
		stuck/drop:failed=discard
		stuck/fail:failed=discard
		stuck/lost:stuck=nothing
		prepared/take:uploading=count-GPU
		prepared/unprepare:absent=free
		prepared/lost:prepared=nothing
		uploading/reached:loaded=show
		uploading/lost:prepared=uncount-GPU
		loaded/unload:unloading=hide
		loaded/lost:prepared=uncount-GPU
		unloading/gone:prepared=uncount-GPU
		unloading/lost:prepared=uncount-GPU
		failed/request:preparing=post
		failed/drop:absent=nothing
		failed/lost:failed=nothing`)
	var got []string
	for s := range streaming.States {
		for e := range streaming.Events {
			next, state, event, action := streaming.Step(s, e)
			if action == "refuse" {
				if next != s {
					t.Errorf("%s refuses %s, but changes", state, event)
				}
				continue
			}
			_, to, _, _ := streaming.Step(next, 0)
			got = append(got, state+"/"+event+":"+to+"="+strings.ReplaceAll(action, " ", "-"))
		}
	}
	if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// TestDiagram wants the drawing of the state machine to be what it does.
func TestDiagram(t *testing.T) {
	text, err := os.ReadFile("../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, drawing, ok := strings.Cut(string(text), "stateDiagram-v2\n")
	if drawing, _, _ = strings.Cut(drawing, "```"); !ok {
		t.Fatal("there is no drawing")
	}
	var drawn, want []string
	for line := range strings.Lines(drawing) {
		var from, to, label string
		if n, _ := fmt.Sscanf(line, "%s --> %s : %s", &from, &to, &label); n != 3 || from == "[*]" {
			continue
		}
		_, events, _ := strings.Cut(strings.TrimSpace(line), " : ")
		for event := range strings.SplitSeq(events, ", ") {
			drawn = append(drawn, strings.ToLower(from+" "+event+" "+to))
		}
	}
	for s := range streaming.States {
		for e := range streaming.Events {
			next, from, event, _ := streaming.Step(s, e)
			if _, to, _, _ := streaming.Step(next, 0); next != s {
				want = append(want, from+" "+event+" "+to)
			}
		}
	}
	slices.Sort(drawn)
	if slices.Sort(want); !slices.Equal(drawn, want) {
		t.Errorf("drawn are\n%s\nwant\n%s", strings.Join(drawn, "\n"), strings.Join(want, "\n"))
	}
}

// play lets bytes say what happens next to a manager, and checks it all the
// time.
func play(t *testing.T, script []byte) {
	f := newFake(3, terrain.Key{X: 2, Y: 1})
	failing := false
	f.fail = func(terrain.Key, terrain.Level) (int, error) {
		if failing {
			return 7, errors.New("script says so")
		}
		return 0, nil
	}
	now := time.Unix(0, 0)
	told := map[streaming.Asked]string{}
	tell := func(what string, after ...string) func(*streaming.Tile, terrain.Level) {
		return func(tile *streaming.Tile, level terrain.Level) {
			a := streaming.Asked{Key: tile.Info.Key, Level: level}
			if !slices.Contains(after, told[a]) {
				t.Fatalf("told %s of %v after %q", what, a, told[a])
			}
			told[a] = what
		}
	}
	arg := func(n int) int {
		if len(script) == 0 {
			return 0
		}
		b := script[0]
		script = script[1:]
		return int(b) % n
	}
	sinking := map[streaming.Asked]bool{}
	m := streaming.NewManual(f, streaming.Options{
		InFlight: 4, HoldUpdates: 3, Now: func() time.Time { return now },
		Sinking: streaming.Sinking{
			Sink: func(tile *streaming.Tile, level terrain.Level) bool {
				if s := tile.State(level); s != streaming.Loaded {
					t.Fatalf("level %d of tile %v sinks, which is %v", level, tile.Info.Key, s)
				}
				sunk := arg(3) == 0
				sinking[streaming.Asked{Key: tile.Info.Key, Level: level}] = !sunk
				return sunk
			},
			Stay: func(tile *streaming.Tile, level terrain.Level) {
				if a := (streaming.Asked{Key: tile.Info.Key, Level: level}); !sinking[a] || tile.State(level) != streaming.Loaded {
					t.Fatalf("%v stays, which does not sink, and is %v", a, tile.State(level))
				}
			},
		},
		Listener: streaming.Listener{
			LevelPrepared: tell("prepared", "", "evicted", "failed"),        // also when it has hung
			LevelLoaded:   tell("loaded", "prepared", "loaded", "unloaded"), // again after a lost device
			LevelUnloaded: tell("unloaded", "loaded"),
			LevelEvicted:  tell("evicted", "prepared", "unloaded", "loaded"),
			LevelFailed: func(tile *streaming.Tile, level terrain.Level, _ error) {
				tell("failed", "", "evicted")(tile, level)
			},
			TileRemoved: func(tile *streaming.Tile) {
				for l := range terrain.Level(3) {
					delete(told, streaming.Asked{Key: tile.Info.Key, Level: l})
				}
			},
		},
	})
	type upload struct {
		tile  *streaming.Tile
		level terrain.Level
	}
	var uploads, leaving []upload
	law := f.lookFrom(1, 1, 100, 10)
	put := func(room int) {
		m.Uploads(0, func(u streaming.Upload) bool {
			if room--; room < 0 {
				return false
			}
			uploads = append(uploads, upload{u.Tile, u.Level})
			return true
		})
	}
	arrive := func(i int) {
		m.Loaded(uploads[i].tile, uploads[i].level)
		uploads = slices.Delete(uploads, i, i+1)
	}
	retire := func(tile *streaming.Tile, level terrain.Level) {
		if s := tile.State(level); s != streaming.Unloading {
			t.Fatalf("retires a level that is %v", s)
		}
		leaving = append(leaving, upload{tile, level})
	}
	left := func(i int) {
		m.Unloaded(leaving[i].tile, leaving[i].level)
		leaving = slices.Delete(leaving, i, i+1)
	}
	check := func() {
		if err := m.Check(); err != nil {
			t.Fatal(err)
		}
	}
	var hanging []func() // reads
	var capped streaming.Budget
	for len(script) > 0 {
		switch arg(16) {
		case 0:
			law = f.lookFrom(float64(arg(60))/10-1.5, float64(arg(60))/10-1.5, 100, 1+float64(arg(50)))
			m.Update(law)
		case 1:
			m.Update(law)
		case 2, 3:
			failing = arg(5) == 0
			if n := len(m.Pending()); n > 0 {
				m.Read(arg(n))
			}
			failing = false
		case 4:
			put(arg(8))
		case 5:
			if n := len(uploads); n > 0 {
				arrive(arg(n))
			}
		case 6:
			m.Evictions(retire)
		case 7:
			if arg(4) == 0 {
				m.DeviceLost()
				uploads, leaving = nil, nil
			}
		case 9:
			if n := len(leaving); n > 0 {
				left(arg(n))
			}
		case 10: // a strategy
			if err := m.SetStrategy([]streaming.StrategyID{0, 1, streaming.ByScreenError, streaming.Predictive, streaming.PinnedRegions}[arg(5)]); err != nil {
				t.Fatal(err)
			}
		case 11: // by hand, at once too
			x, y := int32(arg(3)), int32(arg(3))
			switch sync := arg(2) == 0 && len(m.Pending()) == 0 && len(hanging) == 0; arg(3) { // or it would wait for the script
			case 0:
				m.Load(x, y, terrain.Level(arg(4)), sync)
			case 1:
				m.IncreaseLevel(x, y, sync)
			default:
				m.DecreaseLevel(x, y)
			}
		case 12: // a budget
			capped = streaming.Budget{CPUBytes: int64(arg(2)) * int64(20000+arg(200)*400), GPUBytes: int64(arg(2)) * int64(6000+arg(100)*400), Reads: arg(4)}
			m.SetBudget(capped)
		case 13: // a read that does not return for a long time
			if n := len(m.Pending()); n > 0 {
				hanging = append(hanging, m.Hang(arg(n)))
			}
		case 14:
			if n := len(hanging); n > 0 {
				i := arg(n)
				hanging[i]()
				hanging = slices.Delete(hanging, i, i+1)
			}
		case 15: // a tile goes, or comes back
			if k := (terrain.Key{X: int32(arg(3)), Y: int32(arg(3))}); streaming.Present(m.Manager, k) {
				m.Remove(m.Tile(k))
			} else if k != (terrain.Key{X: 2, Y: 1}) {
				m.Add(f.world.Infos[k])
			}
		case 8:
			now = now.Add(time.Duration(arg(256)) * 20 * time.Millisecond)
			seed := uint64(arg(4))
			rng := rand.New(rand.NewPCG(seed, 1))
			m.SetFixed(func(terrain.Key) (terrain.Level, bool) {
				level := terrain.Level(rng.IntN(5))
				if level == 4 {
					level = streaming.None
				}
				return level, seed > 1
			})
		}
		check()
	}
	// Whatever has happened, it comes to rest, with the right samples.
	m.SetFixed(nil)
	m.SetBudget(streaming.Budget{})
	if err := m.SetStrategy(streaming.ByDistance); err != nil {
		t.Fatal(err)
	}
	for _, back := range hanging {
		back()
	}
	for i := range f.tiles {
		if k := f.tiles[i].Key; !streaming.Present(m.Manager, k) {
			m.Add(&f.tiles[i])
		}
	}
	for i := 0; i < 200 && (i < 10 || !m.Settled()); i++ { // time enough to evict
		now = now.Add(time.Minute)
		for len(leaving) > 0 {
			left(0)
		}
		m.Update(law)
		m.Evictions(retire)
		for range m.Pending() {
			m.Read(0)
		}
		put(1000)
		for len(uploads) > 0 {
			arrive(0)
		}
		check()
	}
	if !m.Settled() {
		t.Fatalf("not settled: %+v", m.Stats())
	}
	for k, want := range f.wants(law) {
		tile := m.Tile(k)
		if tile.Target != terrain.Level(want) || tile.Loaded > tile.Target || tile.Loaded < streaming.Kept(tile) {
			t.Fatalf("tile %v: target %d, loaded %d, want %d", k, tile.Target, tile.Loaded, want)
		}
		if !slices.Equal(tile.CPU.Verts, f.world.Tile(k, tile.Prepared).Verts) {
			t.Fatalf("tile %v has wrong samples", k)
		}
	}
}

func TestStateMachine(t *testing.T) {
	const seed = 11
	rng := rand.New(rand.NewPCG(seed, 0))
	scripts := 200
	if testing.Short() {
		scripts = 60
	}
	for i := range scripts {
		script := make([]byte, 50+rng.IntN(600))
		for j := range script {
			script[j] = byte(rng.Uint32())
		}
		if play(t, script); t.Failed() {
			t.Fatalf("seed %d, script %d", seed, i)
		}
	}
}

func FuzzStateMachine(f *testing.F) {
	f.Add([]byte{0, 10, 10, 1, 2, 1, 0, 2, 1, 0, 1, 4, 7, 5, 0, 7, 0})
	f.Add([]byte{0, 10, 10, 1, 13, 0, 8, 255, 1, 1, 1, 14, 0, 10, 0, 11, 0, 0, 1, 0, 12, 1, 9, 1, 9, 15, 0, 0, 1, 6, 15, 0, 0})
	f.Add([]byte{8, 1, 3, 1, 2, 0, 0, 2, 0, 0, 1, 4, 3, 5, 0, 8, 0, 2, 1, 1, 1, 1, 6})
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) < 2000 {
			play(t, script)
		}
	})
}

func TestMisusePanics(t *testing.T) {
	f := newFake(1)
	m := streaming.New(f, streaming.Options{Sync: true})
	defer closed(t, m)
	m.Update(f.within(0, 0, 1))
	defer func() {
		if s, _ := recover().(string); s != "streaming: reached of level 2 of tile 0,0, which is prepared" {
			t.Errorf("panics with %q", s)
		}
	}()
	m.Loaded(m.Tile(terrain.Key{}), 2)
}
