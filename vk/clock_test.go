package vk_test

import (
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// TestUploadTimes measures uploads and passes on the GPU: by its clock they lie between the
// recording of their frame and the moment when it was seen to be done.
func TestUploadTimes(t *testing.T) {
	bothQueues(t, func(t *testing.T, e *vktest.Env) {
		if !e.Features.Timestamps {
			t.Skip("the GPU measures no times")
		}
		gpu, at := clock(t, e)
		from := newBuffer(t, e.Device, vk.BufferInfo{Name: "from", Size: 1 << 20, Usage: vk.UsageTransferSrc, Kind: vk.Upload})
		to := newBuffer(t, e.Device, vk.BufferInfo{Name: "to", Size: 1 << 20, Usage: vk.UsageTransferDst})
		const slack = 50 * time.Millisecond // of clocks that are read by a submission
		measured := 0
		var began []time.Time
		for i := range 12 {
			began = append(began, time.Now())
			f := must[*vk.Frame](t)(e.BeginFrame())
			before := i - e.FramesInFlight
			uploads := before >= e.FramesInFlight && before%3 != 0
			if (f.Upload.Name == "upload") != uploads {
				t.Errorf("frame %d: upload %+v", before, f.Upload)
			}
			spans := f.Times
			if uploads {
				measured++
				spans = append(spans[:len(spans):len(spans)], f.Upload)
			}
			for _, p := range spans {
				start := at.Add(p.Began - gpu)
				if p.Time <= 0 || start.Before(began[before].Add(-slack)) || start.Add(p.Time).After(time.Now().Add(slack)) {
					t.Errorf("frame %d: %+v began %v after it was recorded", before, p, start.Sub(began[before]))
				}
			}
			f.Cmd.BeginPass("pass")
			if i%3 != 0 {
				f.Transfer().CopyBuffer(from.Handle, to.Handle, vk.BufferCopy{Size: 1 << 20})
			}
			f.Cmd.EndPass()
			submit(t, f)
			if err := e.Transfer.Wait(f.Ticket()-1, -1); e.Transfer != e.Graphics && err != nil {
				t.Fatal(err)
			}
		}
		if measured < 4 {
			t.Errorf("%d uploads measured", measured)
		}
	})
}

// TestClocks: where both clocks can be read at once, that is what a submission says too, to
// what it takes to come back, but closer.
func TestClocks(t *testing.T) {
	e := vktest.New(t, vk.DeviceInfo{})
	if !e.Features.Timestamps || !e.Features.Calibrated {
		t.Skip("clocks cannot be read at once")
	}
	for range 5 {
		gpu, at, ok := vk.Calibrated(e.Device)
		slow, later, err := vk.SubmittedClock(e.Device)
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		if off := (slow - gpu) - later.Sub(at); off.Abs() > 50*time.Millisecond {
			t.Errorf("the clocks differ by %v", off)
		}
	}
}

// clock reads both clocks; what a second reading says is as much later on both.
func clock(t *testing.T, e *vktest.Env) (gpu time.Duration, at time.Time) {
	t.Helper()
	gpu, at, err := e.Clock()
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond)
	later, then, err := e.Clock()
	if apart := (later - gpu - then.Sub(at)).Abs(); err != nil || apart > 5*time.Millisecond {
		t.Fatalf("the clocks go apart by %v in %v: %v", apart, then.Sub(at), err)
	}
	return gpu, at
}
