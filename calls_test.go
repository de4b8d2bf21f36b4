package vkterrain_test

import (
	"testing"
	"time"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// TestCallsDoNotGrow counts the Vulkan calls of a frame of 1, of 100 and of 10,000 tiles,
// and says what recording and submitting takes.
func TestCallsDoNotGrow(t *testing.T) {
	dev := vktest.Device(t)
	calls := map[int]int{}
	for _, n := range []int{1, 10, 100} {
		s := newStage(t, dev, bakeWorld(t, testworld.Rough(n*8+1, n*8+1, 2), 9, 0, 0), 64, 64, vkterrain.Options{UploadBytes: -1, Sync: true})
		look := &pipeline.Look{DrawAll: true, Sea: true}
		v := view(float64(n)*40, 300+float64(n)*20, float64(n)*40, 0, -60, 64, 64, 1)
		s.settle(v, look)
		for range 4 {
			s.frame(v, look, false)
		}
		f, err := dev.BeginFrame()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.ter.Prepare(f, v, look); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		s.target.Begin(f.Cmd, [4]float32{}, 0)
		s.ter.Draw(f.Cmd)
		s.target.End(f.Cmd)
		calls[n] = f.Calls()
		if err := f.Submit(); err != nil {
			t.Fatal(err)
		}
		t.Logf("%d tiles: %d calls, recorded and submitted in %v", n*n, calls[n], time.Since(start))
		if got := s.ter.Stats().Tiles; got != n*n {
			t.Errorf("%d tiles drawn, want %d", got, n*n)
		}
	}
	if calls[1] != calls[100] || calls[1] != calls[10] || calls[1] == 0 {
		t.Errorf("calls of 1, 100 and 10,000 tiles: %v", calls)
	}
}

// TestCallsGrowWithTiles: they only do on a device that does not draw several at once.
func TestCallsGrowWithTiles(t *testing.T) {
	dev := vktest.Device(t)
	if dev.Features.MultiDraw {
		t.Skip("runs under a layer")
	}
	s := newStage(t, dev, bakeWorld(t, testworld.Rough(81, 81, 2), 9, 0, 0), 64, 64, vkterrain.Options{UploadBytes: -1, Sync: true})
	v, look := []vkterrain.View{{View: *view(400, 500, 400, 0, -60, 64, 64, 1), Look: pipeline.Look{DrawAll: true}}}, &pipeline.Look{DrawAll: true}
	s.settle(&v[0].View, look)
	if s.views(v, false); s.calls < 100 {
		t.Errorf("%d calls for 100 tiles", s.calls)
	}
}

// BenchmarkRecord records and submits frames of 64 tiles, without what they wait for.
func BenchmarkRecord(b *testing.B) {
	in, err := vk.NewInstance(vk.InstanceInfo{App: b.Name()})
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(in.Destroy)
	dev, err := in.NewDevice(vk.DeviceInfo{})
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(dev.Destroy)
	s := newStage(b, dev, bakeWorld(b, testworld.Rough(257, 257, 2), 33, 0, 0), 64, 64, vkterrain.Options{UploadBytes: -1, Sync: true})
	look := &pipeline.Look{DrawAll: true}
	v := view(1280, 300, 1280, 0, -30, 64, 64, 8)
	s.settle(v, look)
	for range 20 {
		s.frame(v, look, false)
	}
	var record, submit time.Duration
	calls := 0
	for b.Loop() {
		f, err := dev.BeginFrame()
		if err != nil {
			b.Fatal(err)
		}
		if err := s.ter.Prepare(f, v, look); err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		s.target.Begin(f.Cmd, [4]float32{}, 0)
		s.ter.Draw(f.Cmd)
		s.target.End(f.Cmd)
		record += time.Since(start)
		calls += f.Calls()
		start = time.Now()
		if err := f.Submit(); err != nil {
			b.Fatal(err)
		}
		submit += time.Since(start)
		if err := dev.WaitIdle(); err != nil { // the next one finds processors free
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(record.Nanoseconds())/float64(b.N), "ns/record")
	b.ReportMetric(float64(submit.Nanoseconds())/float64(b.N), "ns/submit")
	b.ReportMetric(float64(calls)/float64(b.N), "calls")
}
