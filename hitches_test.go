package vkterrain_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/watch"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/endless"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// hitchFlight is a flight of 60 frames a second over a world that is many times
// as large as what may be loaded of it.
type hitchFlight struct {
	*stage
	thread int64         // that draws
	own    atomic.Int64  // pieces of work that it did itself
	reads  atomic.Uint64 // by anybody
	failed atomic.Uint64
	delay  time.Duration
	fail   float64 // share of the reads

	at     *lodcpu.View
	capped bool
	speed  float64 // metres a second
	every  int     // frames between checks
	start  streaming.Stats
	times  []float64 // of the thread, microseconds
	flown  int       // frames
	high   float64   // metres
}

const (
	hitchGPU = 40 << 10 // bytes
	hitchCPU = 320 << 10
)

var atNight = os.Getenv("VKTERRAIN_NIGHTLY") == "1"

var hitchBudget = streaming.Budget{GPUBytes: hitchGPU, CPUBytes: hitchCPU}

var errHitch = errors.New("made to fail")

// before makes reads slow and lets some fail.
func (h *hitchFlight) before(w streaming.Work, _ terrain.Key, _ terrain.Level) error {
	if int64(watch.ThreadID()) == h.thread {
		h.own.Add(1)
	}
	if w == streaming.Decoding {
		return nil
	}
	time.Sleep(h.delay)
	if n := h.reads.Add(1); rand.New(rand.NewPCG(3, n)).Float64() < h.fail {
		h.failed.Add(1)
		return errHitch
	}
	return nil
}

// newHitchFlight opens the world. The goroutine has a thread of its own from here on.
func newHitchFlight(t *testing.T, budget streaming.Budget, delay time.Duration, fail float64) *hitchFlight {
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	h := &hitchFlight{thread: int64(watch.ThreadID()), delay: delay, fail: fail, at: view(0, 0, 0, 0, -60, 128, 96, 0.5), capped: budget != streaming.Budget{}, speed: 200, every: 60}
	src := endlessSource(t, hillsWithoutEnd(), endless.Options{Kept: 300})
	dev := vktest.Device(t)
	if atNight { // the time that validation takes is not ours
		dev = newLossy(t)
		t.Cleanup(dev.Destroy)
	}
	h.stage = endlessStage(t, dev, src, vkterrain.Paging{Load: 4500, Loaders: 4}, vkterrain.Options{
		StreamingBudget: budget, Before: h.before, Loaders: 16,
	})
	return h
}

// view returns the view of frame i: it looks down on nothing but ground.
func (h *hitchFlight) view(i int) *lodcpu.View {
	z := -h.speed / 60 * float64(i)
	x := 150 * math.Sin(z/600)
	h.at.Eye, h.at.Yaw = mgl64.Vec3{x, h.ground(x, z) + 1000, z}, 0.25*math.Sin(z/900)
	return h.at
}

// ground returns about how high the ground is.
func (h *hitchFlight) ground(x, z float64) float64 {
	g, ok := h.ter.GroundHeight(x, z)
	if !ok {
		return h.high // of where it was before
	}
	h.high = g
	return g
}

var magentaSky = pipeline.Look{View: pipeline.LOD, Clear: &[3]uint8{255, 0, 255}}

// steady is a frame that must not wait; during may be nil.
func (h *hitchFlight) steady(i int, during func()) {
	began := watch.ThreadTime()
	h.frame(h.view(i), &magentaSky, false)
	if took := watch.ThreadTime() - began; i%h.every != 1 { // a check leaves the caches to others
		h.times = append(h.times, float64(took.Nanoseconds())/1000)
	}
	if during != nil {
		during()
	}
}

// check says what is wrong with what was drawn last.
func (h *hitchFlight) check(i int) {
	h.t.Helper()
	st := h.ter.Stats()
	if s := &st.Streaming; h.capped && (s.GPUBytes > hitchGPU || st.BytesVertices > hitchGPU || s.CPUTotal() > hitchCPU) {
		h.t.Fatalf("frame %d: %d and %d bytes on the GPU, of %d; %d on the CPU, of %d", i, s.GPUBytes, st.BytesVertices, hitchGPU, s.CPUTotal(), hitchCPU)
	}
	if i%h.every != 0 {
		return
	}
	if n := magenta(h.frame(h.view(i), &magentaSky, true)); n > 0 {
		h.t.Fatalf("frame %d: background shows at %d pixels", i, n)
	}
	if i%(4*h.every) == 0 {
		if c, err := h.ter.Check(); err != nil || c.Cracks > 0 || c.Uncovered > 0 {
			h.t.Fatalf("frame %d: %+v, %v", i, c, err)
		}
	}
}

// fly flies so many frames more, no faster than the flight does, and says what they waited for
// and allocated.
func (h *hitchFlight) fly(frames int, plant map[int]func()) watch.Report {
	warmUp := 60 // pipelines are compiled meanwhile
	if atNight {
		warmUp = 600
	}
	h.times = make([]float64, 0, frames+warmUp)
	w := watch.New("vkterrain_test.(*hitchFlight).steady")
	for range warmUp {
		h.steady(h.flown, nil)
		time.Sleep(10 * time.Millisecond)
	}
	w.Start()
	h.start, h.times = h.ter.Stats().Streaming, h.times[:0]
	h.own.Store(0)
	began := time.Now()
	for i := range frames {
		time.Sleep(time.Until(began.Add(time.Duration(i) * time.Second / 60)))
		h.steady(h.flown+i, plant[i])
		h.check(h.flown + i)
	}
	h.flown += frames
	r := w.Stop()
	r.Waits += h.own.Load() + int64(h.ter.Stats().Streaming.Waits-h.start.Waits)
	return r
}

// TestFlightWithoutAHitch flies a minute at 200 m/s (two kilometres in two seconds where
// VKTERRAIN_NIGHTLY is not set) over
// a world of at least 20 times the cap of the GPU: no frame waits, allocates, is over a cap,
// or shows what is behind the ground; on any medium. In the long form no frame is much
// slower than others either, by the processor time of its thread.
func TestFlightWithoutAHitch(t *testing.T) {
	frames := 120
	if atNight {
		frames = 3600
	}
	for _, c := range []struct {
		name  string
		delay time.Duration
		fail  float64
	}{{name: "fast"}, {name: "50 ms a read", delay: 50 * time.Millisecond}, {name: "1 % fails", fail: 0.01}} {
		t.Run(c.name, func(t *testing.T) {
			h := newHitchFlight(t, hitchBudget, c.delay, c.fail)
			if !atNight {
				h.speed, h.every = 1000, 15 // so that there is something to load
			}
			h.settle(h.view(0), &magentaSky)
			r := h.fly(frames, nil)
			for range 2 { // a slow machine compiles pipelines still
				if r.Allocations > 0 && r.Waits == 0 {
					t.Logf("flies on: %+v", r)
					r = h.fly(frames, nil)
				}
			}
			st := h.ter.Stats().Streaming
			world := int64(st.Added) * 33 * 33 * terrain.VertexBytes
			reads := st.Reads - h.start.Reads
			slices.Sort(h.times)
			at := func(p float64) float64 { return h.times[int(p*float64(len(h.times)-1))] }
			t.Logf("world of %d bytes, %.1f caps; %d levels read, %d failures; thread time p50 %.0f us, p99 %.2f, max %.2f of it",
				world, float64(world)/hitchGPU, reads, st.Failures-h.start.Failures, at(0.5), at(0.99)/at(0.5), at(1)/at(0.5))
			if r.Waits > 0 || r.Allocations > 0 {
				t.Errorf("%+v", r)
			}
			if world < 20*hitchGPU || st.Limited == 0 || reads == 0 || st.GPUBytes < hitchGPU*3/4 {
				t.Errorf("the cap did not bite: a world of %d bytes, %d tiles limited, %d levels read: %+v", world, st.Limited, reads, st)
			}
			if atNight && c.fail > 0 && h.failed.Load() == 0 {
				t.Error("nothing failed")
			}
			// These frames are so short that what an upload adds, a submission, is much of one:
			// TestBenchOfAMinute of the program is stricter.
			if atNight && watch.HasThread && (at(0.99) > 2.5*at(0.5) || at(1) > 5*at(0.5)) {
				t.Errorf("frames of %.0f us: p99 is %.2f of it, max %.2f", at(0.5), at(0.99)/at(0.5), at(1)/at(0.5))
			}
		})
	}
}

// TestWaitsOfFramesAreSeen plants waits in a flight, which are counted.
func TestWaitsOfFramesAreSeen(t *testing.T) {
	var held sync.Mutex
	for name, plant := range map[string]func(h *hitchFlight){
		"a level that is loaded at once": func(h *hitchFlight) {
			for _, tile := range h.ter.Streaming().Tiles() {
				if tile.Prepared > 0 {
					tile.Load(tile.Prepared-1, true)
					return
				}
			}
		},
		"a lock": func(*hitchFlight) {
			held.Lock()
			time.AfterFunc(30*time.Millisecond, held.Unlock)
			held.Lock()
			held.Unlock()
		},
		"a channel": func(*hitchFlight) { <-time.After(10 * time.Millisecond) },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHitchFlight(t, streaming.Budget{}, 0, 0)
			h.settle(h.view(0), &magentaSky)
			r := h.fly(3, map[int]func(){1: func() { plant(h) }})
			if r.Waits == 0 {
				t.Error("not seen")
			}
			t.Logf("%d waits: %s", r.Waits, r.Waited)
		})
	}
}
