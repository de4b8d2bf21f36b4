package vkterrain_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain/endless"
	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// TestLeapsAndZooms leaps between places and zooms out while tiles are read: once there is
// something of every tile, no frame shows background, whatever is on its way; and whenever
// all has come and nothing moves, the error is within the tolerance. Case STREAM-3.
func TestLeapsAndZooms(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, testworld.Rough(257, 257, 6), 33, 0, 0)
	look := &pipeline.Look{Clear: &[3]uint8{255, 0, 255}, DrawAll: true}
	for _, o := range []vkterrain.Options{{}, {Rise: 10, Anchored: true, Morph: 0.5}} {
		o.UploadBytes, o.Loaders = 20000, 1
		s := newStage(t, dev, path, 96, 96, o)
		rng := rand.New(rand.NewPCG(2, 7))
		v := view(1280, 1500, 1280, 0, -90, 96, 96, 1)
		judged, frames := 0, 0
		frame := func() {
			frames++
			img := s.frame(v, look, frames%3 == 0)
			if st := s.ter.Stats(); img != nil && st.Streaming.Shown == 64 && magenta(img) > 0 {
				t.Fatalf("frame %d: background shows at %d pixels", frames, magenta(img))
			} else if s.ter.Settled() && !st.Rising {
				if st.Streaming.Sinking > 0 {
					t.Errorf("frame %d: by distance, %d levels sink in view", frames, st.Streaming.Sinking)
				}
				if frames%20 == 0 {
					judged++
					if c, err := s.ter.Check(); err != nil || c.MeasuredErrorPx > 1 || c.Cracks > 0 {
						t.Errorf("frame %d: %.3f px, %d cracks: %v", frames, c.MeasuredErrorPx, c.Cracks, err)
					}
				}
			}
		}
		for range 12 {
			v.Eye[0], v.Eye[2] = 400+1700*rng.Float64(), 400+1700*rng.Float64()
			v.Eye[1] = []float64{300, 600, 2000}[rng.IntN(3)]
			v.FovY = []float64{0.4, 0.9}[rng.IntN(2)]
			for range rng.IntN(4) {
				frame()
			}
		}
		v.Eye[0], v.Eye[1], v.Eye[2], v.FovY = 900, 250, 1500, 0.3
		for range 40 { // away, twenty times as far in a second
			frame()
			v.Eye[1] *= 1.06
		}
		v.Eye[0], v.Eye[1], v.Eye[2], v.FovY = 1280, 1500, 1280, 0.9
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end) && judged < 3; {
			frame()
		}
		if st := s.ter.Stats(); judged < 3 || st.Streaming.Shown != 64 {
			t.Errorf("%+v: judged %d frames, %+v", o, judged, st.Streaming)
		}
	}
}

// TestCloseAtAnyMoment closes worlds at random moments after they were opened: each ends
// soon, leaves no goroutine, and nothing that the validation layer would miss. Case STREAM-7.
func TestCloseAtAnyMoment(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, testworld.Rough(257, 257, 6), 33, 0, 0)
	src := endlessSource(t, hillsWithoutEnd(), endless.Options{})
	target, err := dev.NewTarget(vk.TargetInfo{Name: "test", Width: 64, Height: 64})
	if err != nil {
		t.Fatal(err)
	}
	defer target.Destroy()
	times, longest := nightly(16, 200), nightly(100, 500)
	rng := rand.New(rand.NewPCG(5, 5))
	before := runtime.NumGoroutine()
	for i := range times {
		o := vkterrain.Options{ColorFormat: target.Color.Format, DepthFormat: target.Depth.Format, Loaders: 1 + i%3, Anchored: i%2 == 1, Rise: i % 4 * 5, Morph: 0.5, Workers: 1 + i%2}
		if i%5 == 0 {
			o.Props = stones()
		}
		open := func() (*vkterrain.Terrain, error) { return vkterrain.Open(path, dev, o) }
		if i%3 == 0 {
			open = func() (*vkterrain.Terrain, error) {
				return vkterrain.OpenEndless(src, dev, vkterrain.Paging{Load: 3000, Loaders: 2}, o)
			}
		}
		ter, err := open()
		if err != nil {
			t.Fatal(err)
		}
		s := &stage{t: t, dev: dev, ter: ter, target: target}
		v := view(1280, 900, 1280, 0, -20, 64, 64, 1)
		for end := time.Now().Add(time.Duration(rng.IntN(longest)) * time.Millisecond); time.Now().Before(end); {
			v.Eye[0] += 20
			s.frame(v, &pipeline.Look{}, false)
		}
		start := time.Now()
		if err := ter.Close(); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("run %d: closing takes %v", i, took)
		}
	}
	for range 500 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, were %d", runtime.NumGoroutine(), before)
}
