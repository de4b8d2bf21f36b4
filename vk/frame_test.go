package vk_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// bothQueues runs a test with uploads in the graphics submission, and with
// uploads on a timeline of their own.
func bothQueues(t *testing.T, f func(t *testing.T, e *vktest.Env)) {
	for _, split := range []bool{false, true} {
		t.Run(fmt.Sprintf("split=%v", split), func(t *testing.T) {
			f(t, vktest.New(t, vk.DeviceInfo{SplitTransfer: split}))
		})
	}
}

func newBuffer(t testing.TB, dev *vk.Device, info vk.BufferInfo) *vk.Buffer {
	t.Helper()
	b := must[vk.Buffer](t)(dev.NewBuffer(info))
	vktest.Destroy(t, dev, &b)
	return &b
}

func submit(t testing.TB, f *vk.Frame) {
	t.Helper()
	if err := f.Submit(); err != nil {
		t.Fatal(err)
	}
}

// TestUploadRoundTrip sends bytes through staging, the release and acquire
// halves, a device-local buffer and back.
func TestUploadRoundTrip(t *testing.T) {
	bothQueues(t, func(t *testing.T, e *vktest.Env) {
		const size = 1 << 16
		staging := must[*vk.Staging](t)(e.NewStaging("staging", size+size/2))
		vktest.Destroy(t, e.Device, staging)
		local := newBuffer(t, e.Device, vk.BufferInfo{Name: "local", Size: size,
			Usage: vk.UsageTransferDst | vk.UsageTransferSrc | vk.UsageStorage})
		back := newBuffer(t, e.Device, vk.BufferInfo{Name: "back", Size: size, Usage: vk.UsageTransferDst, Kind: vk.Readback})
		want := make([]byte, size)
		for round := range 5 {
			for i := range want {
				want[i] = byte(rand.Uint32())
			}
			f := must[*vk.Frame](t)(e.BeginFrame())
			offset, b, ok := staging.Reserve(size, 16)
			if !ok {
				t.Fatal("staging is full")
			}
			copy(b, want)
			f.Transfer().CopyBuffer(staging.Buffer.Handle, local.Handle, vk.BufferCopy{SrcOffset: offset, Size: size})
			f.ReleaseBuffers(local.Range(0, size))
			ticket := f.Ticket()
			staging.Submit(ticket)
			submit(t, f)
			if err := e.Transfer.Wait(ticket, -1); err != nil {
				t.Fatal(err)
			}
			staging.Release(ticket)

			f = must[*vk.Frame](t)(e.BeginFrame())
			f.AcquireBuffers(ticket, vk.Sync{Stage: vk.StageTransfer, Access: vk.AccessTransferRead}, local.Range(0, size))
			f.Cmd.CopyBuffer(local.Handle, back.Handle, vk.BufferCopy{Size: size})
			f.Cmd.BufferBarrier(vk.Sync{Stage: vk.StageTransfer, Access: vk.AccessTransferWrite},
				vk.Sync{Stage: vk.StageHost, Access: vk.AccessHostRead}, back.Range(0, size))
			submit(t, f)
			if err := e.Graphics.Wait(f.Value, time.Second*10); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(back.Bytes(), want) {
				t.Fatalf("round %d: other bytes came back", round)
			}
		}
	})
}

// TestFramesInFlight runs 500 frames that make and retire buffers while the
// GPU uses them.
func TestFramesInFlight(t *testing.T) {
	bothQueues(t, func(t *testing.T, e *vktest.Env) {
		before := e.MemoryStats()
		var last uint64
		for i := range 500 {
			f := must[*vk.Frame](t)(e.BeginFrame())
			if f.Slot != i%2 || f.Value != last+1 {
				t.Fatalf("frame %d has slot %d and value %d after %d", i, f.Slot, f.Value, last)
			}
			last = f.Value
			a := must[vk.Buffer](t)(e.NewBuffer(vk.BufferInfo{Name: "a", Size: 4096, Usage: vk.UsageTransferSrc, Kind: vk.Upload}))
			b := must[vk.Buffer](t)(e.NewBuffer(vk.BufferInfo{Name: "b", Size: 4096, Usage: vk.UsageTransferDst}))
			cmd := f.Cmd
			if i%3 == 0 {
				cmd = f.Transfer()
			}
			cmd.CopyBuffer(a.Handle, b.Handle, vk.BufferCopy{Size: 4096})
			e.Retire(&a, f.Value)
			e.Retire(&b, f.Value)
			if a.Handle != nil || b.Size != 0 {
				t.Fatal("a retired buffer is not zero")
			}
			submit(t, f)
			if used := e.MemoryStats().Used - before.Used; used > 3*2*4096 {
				t.Fatalf("%d bytes in use with two frames in flight", used)
			}
		}
		if err := e.WaitIdle(); err != nil {
			t.Fatal(err)
		}
		e.Collect()
		if after := e.MemoryStats(); after.Used != before.Used || after.Allocations > before.Allocations+4 {
			t.Errorf("memory before %+v, after %+v", before, after)
		}
	})
}

// frameWork records one frame with every call a frame of ours has.
type frameWork struct {
	e       *vktest.Env
	target  *vk.Target
	p       *vk.Pipeline
	upload  *vk.Buffer
	local   *vk.Buffer
	staging *vk.Staging
	draws   int
	calls   int
	waiting uint64 // ticket
	value   uint64 // of the frame that acquired last
	ranges  []vk.BufferRange
	err     error
}

func newFrameWork(t testing.TB, e *vktest.Env) *frameWork {
	w := &frameWork{e: e, draws: 1}
	w.target = must[*vk.Target](t)(e.NewTarget(vk.TargetInfo{Name: "target", Width: 16, Height: 16}))
	vktest.Destroy(t, e.Device, w.target)
	w.p = trianglePipeline(t, e.Device, 1)
	w.upload = newBuffer(t, e.Device, vk.BufferInfo{Name: "ring", Size: 1 << 16, Kind: vk.Upload, Usage: vk.UsageIndex | vk.UsageIndirect})
	w.local = newBuffer(t, e.Device, vk.BufferInfo{Name: "local", Size: 1 << 12, Usage: vk.UsageTransferDst | vk.UsageStorage})
	w.staging = must[*vk.Staging](t)(e.NewStaging("staging", 1<<16))
	vktest.Destroy(t, e.Device, w.staging)
	w.ranges = []vk.BufferRange{w.local.Range(0, 1<<12)}
	for i := range uint32(3) {
		binary.LittleEndian.PutUint32(w.upload.Bytes()[4*i:], i)
	}
	for i := range 1000 { // indirect commands behind the indices
		binary.LittleEndian.PutUint32(w.upload.Bytes()[64+20*i:], 3)
		binary.LittleEndian.PutUint32(w.upload.Bytes()[64+20*i+4:], 1)
	}
	return w
}

func (w *frameWork) frame() {
	f, err := w.e.BeginFrame()
	if err != nil {
		w.err = err
		return
	}
	if w.waiting != 0 && w.e.Transfer.Reached(w.waiting) {
		f.AcquireBuffers(w.waiting, vk.Sync{Stage: vk.StageVertexShader, Access: vk.AccessShaderRead}, w.ranges...)
		w.staging.Release(w.waiting)
		w.waiting, w.value = 0, f.Value
	} else if w.waiting == 0 && w.e.Graphics.Reached(w.value) {
		if offset, b, ok := w.staging.Reserve(1<<12, 16); ok {
			b[0] = 1
			up := f.Transfer()
			up.BeginLabel("upload")
			up.BufferBarrier(vk.Sync{Stage: vk.StageTransfer}, vk.Sync{Stage: vk.StageTransfer, Access: vk.AccessTransferWrite}, w.ranges...)
			up.CopyBuffer(w.staging.Buffer.Handle, w.local.Handle, vk.BufferCopy{SrcOffset: offset, Size: 1 << 12})
			f.ReleaseBuffers(w.ranges...)
			up.EndLabel()
			w.waiting = f.Ticket()
			w.staging.Submit(w.waiting)
		}
	}
	red := [4]float32{1, 0, 0, 1}
	f.Cmd.BeginPass("scene")
	w.target.Begin(f.Cmd, [4]float32{}, 0)
	f.Cmd.BindPipeline(w.p)
	vk.Push(f.Cmd, w.p.Layout, vk.ShaderVertex, &red)
	f.Cmd.BindIndexBuffer(w.upload.Handle, 0, vk.Index32)
	f.Cmd.DrawIndexedIndirect(w.upload.Handle, 64, uint32(w.draws), 20)
	f.Cmd.DrawIndexed(3, 1, 0, 0, 0)
	w.target.End(f.Cmd)
	w.target.RecordReadback(f.Cmd)
	f.Cmd.EndPass()
	w.calls = f.Calls()
	w.err = f.Submit()
}

func TestFrameDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	bothQueues(t, func(t *testing.T, e *vktest.Env) {
		w := newFrameWork(t, e)
		for range 20 {
			w.frame()
		}
		if n := testing.AllocsPerRun(200, w.frame); n != 0 {
			t.Errorf("%v allocations per frame", n)
		}
		if w.err != nil {
			t.Fatal(w.err)
		}
	})
}

func TestCallsDoNotGrowWithDraws(t *testing.T) {
	e := vktest.New(t, vk.DeviceInfo{})
	w := newFrameWork(t, e)
	for range 2 * e.FramesInFlight { // the first uploads of a slot are not measured
		w.frame()
	}
	var calls []int
	for _, w.draws = range []int{1, 1000} {
		calls = append(calls, 0)
		for range 2 { // one that uploads, and one that acquires
			if err := e.WaitIdle(); err != nil {
				t.Fatal(err)
			}
			w.frame()
			calls[len(calls)-1] += w.calls
		}
	}
	if w.err != nil || calls[0] != calls[1] {
		t.Errorf("calls %v, %v", calls, w.err)
	}
}

// TestGarbageCollection lets the collector run all the time while frames are
// recorded and submitted.
func TestGarbageCollection(t *testing.T) {
	e := vktest.New(t, vk.DeviceInfo{SplitTransfer: true})
	w := newFrameWork(t, e)
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		var keep [][]byte
		for !stop.Load() {
			keep = append(keep[:len(keep)%50], bytes.Repeat([]byte{0xee}, 1<<12))
			runtime.GC()
		}
	}()
	for range 200 {
		w.frame()
		if w.err != nil {
			t.Fatal(w.err)
		}
	}
	stop.Store(true)
	<-done
	if _, err := w.target.Readback(); err != nil {
		t.Fatal(err)
	}
}

func TestMisuse(t *testing.T) {
	e := vktest.New(t, vk.DeviceInfo{})
	panics := func(name string, f func()) {
		t.Helper()
		defer func() {
			t.Helper()
			if recover() == nil {
				t.Errorf("%s does not panic", name)
			}
		}()
		f()
	}
	local := newBuffer(t, e.Device, vk.BufferInfo{Name: "local", Size: 16, Usage: vk.UsageStorage})
	panics("Bytes of a local buffer", func() { local.Bytes() })
	panics("a range beyond the end", func() { local.Range(8, 9) })
	panics("a buffer of no size", func() { _, _ = e.NewBuffer(vk.BufferInfo{Usage: vk.UsageStorage}) })
	f := must[*vk.Frame](t)(e.BeginFrame())
	panics("a second BeginFrame", func() { _, _ = e.BeginFrame() })
	panics("EndLabel first", f.Cmd.EndLabel)
	submit(t, f)
	panics("a second Submit", func() { _ = f.Submit() })
}
