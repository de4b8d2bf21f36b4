package vk_test

import (
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// TestCompute adds two buffers of one descriptor array.
func TestCompute(t *testing.T) {
	e := vktest.New(t, vk.DeviceInfo{})
	if !e.Features.DynamicIndexing {
		t.Skip("no arrays of storage buffers")
	}
	const n = 256
	a := newBuffer(t, e.Device, vk.BufferInfo{Name: "a", Size: 4 * n, Usage: vk.UsageStorage, Kind: vk.Upload})
	b := newBuffer(t, e.Device, vk.BufferInfo{Name: "b", Size: 4 * n, Usage: vk.UsageStorage | vk.UsageTransferSrc, Kind: vk.Upload})
	back := newBuffer(t, e.Device, vk.BufferInfo{Name: "back", Size: 4 * n, Usage: vk.UsageTransferDst, Kind: vk.Readback})
	layout := must[*vk.SetLayout](t)(e.NewSetLayout("add", vk.Binding{Type: vk.StorageBuffer, Count: 2, Stages: vk.ShaderCompute}))
	sets := must[*vk.Sets](t)(e.NewSets("add", layout, e.FramesInFlight))
	shape := must[*vk.PipelineLayout](t)(e.NewPipelineLayout("add", nil, layout))
	cache := must[*vk.PipelineCache](t)(e.NewPipelineCache(nil))
	p := must[*vk.Pipeline](t)(e.NewComputePipeline(vk.ComputeInfo{Name: "add", Layout: shape, SPV: addComp, Cache: cache}))
	vktest.Destroy(t, e.Device, p, cache, shape, sets, layout)
	if data, err := cache.Data(); err != nil || len(data) == 0 {
		t.Errorf("pipeline cache: %d bytes, %v", len(data), err)
	}
	for i := range n {
		binary.LittleEndian.PutUint32(a.Bytes()[4*i:], uint32(i))
		binary.LittleEndian.PutUint32(b.Bytes()[4*i:], 1000)
	}
	e.WriteBuffers(sets.Set[0], 0, 0, *a, *b)
	err := e.Immediate(func(c *vk.CommandBuffer) {
		c.BindPipeline(p)
		c.BindSets(p, 0, sets.Set[0])
		c.Dispatch(n/64, 1, 1)
		c.MemoryBarrier(vk.Sync{Stage: vk.StageCompute, Access: vk.AccessShaderWrite}, vk.Sync{Stage: vk.StageTransfer, Access: vk.AccessTransferRead})
		c.CopyBuffer(b.Handle, back.Handle, vk.BufferCopy{Size: 4 * n})
		c.MemoryBarrier(vk.Sync{Stage: vk.StageTransfer, Access: vk.AccessTransferWrite}, vk.Sync{Stage: vk.StageHost, Access: vk.AccessHostRead})
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if got := binary.LittleEndian.Uint32(back.Bytes()[4*i:]); got != uint32(1000+i) {
			t.Fatalf("element %d is %d", i, got)
		}
	}
}

// TestLabels nests regions and passes, with names that are empty, long and not
// ASCII.
func TestLabels(t *testing.T) {
	e := vktest.New(t, vk.DeviceInfo{})
	names := []string{"frame", "refine soar", "tile 3,-2", "", "Gelände · höhe", strings.Repeat("long ", 100), "upload"}
	f := must[*vk.Frame](t)(e.BeginFrame())
	for _, name := range names {
		f.Cmd.BeginPass(name)
	}
	for range names {
		f.Cmd.EndPass()
	}
	f.Transfer().BeginLabel("upload")
	f.Transfer().EndLabel()
	submit(t, f)
	for range e.FramesInFlight {
		f = must[*vk.Frame](t)(e.BeginFrame())
		times := f.Times
		if f.Slot == 0 && e.Features.Timestamps {
			for i, name := range names {
				if len(times) != len(names) || times[i].Name != name || times[i].Time < 0 || times[i].Time > times[0].Time {
					t.Fatalf("times %v", times)
				}
			}
		}
		submit(t, f)
	}
}

// TestImages uploads a picture, scales it and reads it back.
func TestImages(t *testing.T) {
	e := vktest.New(t, vk.DeviceInfo{})
	image := func(name string, size uint32) *vk.Image {
		i := must[vk.Image](t)(e.NewImage(vk.ImageInfo{Name: name, Width: size, Height: size, Format: vk.FormatRGBA8,
			Usage: vk.ImageTransferSrc | vk.ImageTransferDst | vk.ImageSampled}))
		vktest.Destroy(t, e.Device, &i)
		return &i
	}
	small, large := image("small", 2), image("large", 4)
	up := newBuffer(t, e.Device, vk.BufferInfo{Name: "up", Size: 16, Usage: vk.UsageTransferSrc, Kind: vk.Upload})
	back := newBuffer(t, e.Device, vk.BufferInfo{Name: "back", Size: 64, Usage: vk.UsageTransferDst, Kind: vk.Readback})
	sampler := must[vk.Sampler](t)(e.NewSampler(vk.SamplerInfo{Name: "sampler", Min: vk.Linear, Mag: vk.Linear, Anisotropy: 4, Address: vk.ClampToEdge}))
	vktest.Destroy(t, e.Device, &sampler)
	for i := range 16 {
		up.Bytes()[i] = byte(10 * (i / 4))
	}
	none, write, read := vk.Sync{Stage: vk.StageTop}, vk.Sync{Stage: vk.StageTransfer, Access: vk.AccessTransferWrite}, vk.Sync{Stage: vk.StageTransfer, Access: vk.AccessTransferRead}
	err := e.Immediate(func(c *vk.CommandBuffer) {
		c.ImageBarrier(vk.ImageBarrier{Image: small, New: vk.LayoutTransferDst, Src: none, Dst: write})
		c.ImageBarrier(vk.ImageBarrier{Image: large, New: vk.LayoutTransferDst, Src: none, Dst: write})
		c.CopyBufferToImage(up.Handle, small, vk.ImageCopy{Width: 2, Height: 2})
		c.ImageBarrier(vk.ImageBarrier{Image: small, Old: vk.LayoutTransferDst, New: vk.LayoutTransferSrc, Src: write, Dst: read})
		c.BlitImage(small, large, vk.Nearest)
		c.ImageBarrier(vk.ImageBarrier{Image: large, Old: vk.LayoutTransferDst, New: vk.LayoutTransferSrc, Src: write, Dst: read})
		c.CopyImageToBuffer(large, back.Handle, vk.ImageCopy{Width: 4, Height: 4})
		c.BufferBarrier(write, vk.Sync{Stage: vk.StageHost, Access: vk.AccessHostRead}, back.Range(0, 64))
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 16 {
		if got, want := back.Bytes()[4*i], byte(10*(i/8*2+i%4/2)); got != want {
			t.Errorf("pixel %d is %d, want %d", i, got, want)
		}
	}
}

// TestMemory makes many buffers from few allocations.
func TestMemory(t *testing.T) {
	e := vktest.New(t, vk.DeviceInfo{})
	before := e.MemoryStats()
	var all []*vk.Buffer
	for i := range 300 {
		b := must[vk.Buffer](t)(e.NewBuffer(vk.BufferInfo{Name: "many", Size: uint64(1 + i*977), Usage: vk.UsageStorage, Kind: vk.MemoryKind(i % 3)}))
		all = append(all, &b)
	}
	if s := e.MemoryStats(); s.Allocations > before.Allocations+8 || s.Used <= before.Used || s.Used > s.Reserved {
		t.Errorf("300 buffers: %+v", s)
	}
	if n := len(e.Leaks()); n != 300 {
		t.Errorf("%d objects alive, want 300", n)
	}
	for _, b := range all {
		b.Destroy()
		b.Destroy() // of a zero buffer
	}
	if s := e.MemoryStats(); s.Used != before.Used {
		t.Errorf("in use after all is destroyed: %+v", s)
	}
}

// TestOutOfMemory asks for more than there is.
func TestOutOfMemory(t *testing.T) {
	e := vktest.New(t, vk.DeviceInfo{})
	_, err := e.NewBuffer(vk.BufferInfo{Name: "huge", Size: 1 << 45, Usage: vk.UsageStorage})
	e.Expect() // the layer warns of the size
	if !errors.Is(err, vk.ErrOutOfMemory) {
		t.Errorf("32 TiB: %v", err)
	}
	if n := len(e.Leaks()); n != 0 {
		t.Errorf("%d objects alive after a failure", n)
	}
}

// TestMessages provokes a message, to see that the others would be seen.
func TestMessages(t *testing.T) {
	e := vktest.New(t, vk.DeviceInfo{})
	if !e.Instance.Validation {
		t.Skip("no validation layer")
	}
	a := newBuffer(t, e.Device, vk.BufferInfo{Name: "the culprit", Size: 64, Usage: vk.UsageTransferSrc | vk.UsageTransferDst})
	err := e.Immediate(func(c *vk.CommandBuffer) {
		c.CopyBuffer(a.Handle, a.Handle, vk.BufferCopy{Size: 4, DstOffset: 8})
		c.CopyBuffer(a.Handle, a.Handle, vk.BufferCopy{SrcOffset: 8, Size: 4, DstOffset: 16}) // no barrier
	})
	if err != nil {
		t.Fatal(err)
	}
	all := e.Expect()
	if !e.Instance.SyncValidation {
		t.Skip("no synchronisation validation")
	}
	if len(all) != 1 || all[0].VUID != "SYNC-HAZARD-READ-AFTER-WRITE" || all[0].Severity != vk.SeverityError || !strings.Contains(all[0].Text, "the culprit") {
		t.Errorf("messages %v", all)
	}
}

// TestTimeout waits for a value nobody has submitted.
func TestTimeout(t *testing.T) {
	e := vktest.New(t, vk.DeviceInfo{})
	if err := e.Graphics.Wait(1000, time.Millisecond); !errors.Is(err, vk.ErrTimeout) {
		t.Error(err)
	}
}

// TestTwoDevices uses two instances side by side.
func TestTwoDevices(t *testing.T) {
	a, b := vktest.Device(t), vktest.Device(t)
	for range 5 {
		for _, d := range []*vk.Device{a, b} {
			submit(t, must[*vk.Frame](t)(d.BeginFrame()))
		}
	}
}

// TestNoDriver runs itself where no driver is found.
func TestNoDriver(t *testing.T) {
	if os.Getenv("VKTERRAIN_NO_DRIVER_CHILD") != "" {
		in, err := vk.NewInstance(vk.InstanceInfo{})
		if err == nil {
			defer in.Destroy()
			_, err = in.NewDevice(vk.DeviceInfo{})
		}
		if !errors.Is(err, vk.ErrNoDevice) || !strings.Contains(err.Error(), "mesa-vulkan-drivers") {
			t.Errorf("without drivers: %v", err)
		}
		return
	}
	vktest.Device(t) // there must be a loader
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestNoDriver$")
	cmd.Env = append(os.Environ(), "VKTERRAIN_NO_DRIVER_CHILD=1", "VK_ICD_FILENAMES=/nonexistent.json", "VK_DRIVER_FILES=/nonexistent.json", "VKTERRAIN_REQUIRE_GPU=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestGPUs(t *testing.T) {
	e := vktest.New(t, vk.DeviceInfo{})
	gpus := must[[]vk.GPU](t)(e.Instance.GPUs())
	for i, g := range gpus {
		t.Logf("%d %s (%v), driver %s %s, Vulkan %s, lacks %v, %+v", i, g.Name, g.Type, g.Driver, g.DriverInfo, g.API, g.Missing, g.Features)
		if g.Index != i || g.Name == "" || len(g.Heaps) == 0 || i > 0 && g.Type < gpus[i-1].Type {
			t.Errorf("GPU %d: %+v", i, g)
		}
	}
	if _, err := e.Instance.NewDevice(vk.DeviceInfo{GPU: "no such GPU"}); !errors.Is(err, vk.ErrNoDevice) {
		t.Error(err)
	}
}

// TestDeviceLost loses the device in a frame: the error comes at once and stays,
// nothing waits for what will not happen, and Destroy works.
func TestDeviceLost(t *testing.T) {
	bothQueues(t, func(t *testing.T, e *vktest.Env) {
		w := newFrameWork(t, e)
		for range 5 {
			w.frame()
		}
		extra := must[vk.Buffer](t)(e.NewBuffer(vk.BufferInfo{Name: "extra", Size: 64, Usage: vk.UsageStorage}))
		f := must[*vk.Frame](t)(e.BeginFrame())
		e.Retire(&extra, f.Value)
		vk.Lose(e.Device)
		if err := f.Submit(); !errors.Is(err, vk.ErrDeviceLost) {
			t.Errorf("Submit: %v", err)
		}
		for range 3 {
			if _, err := e.BeginFrame(); !errors.Is(err, vk.ErrDeviceLost) {
				t.Errorf("BeginFrame: %v", err)
			}
		}
		// Destroy, in Cleanup, frees what was retired for the frame that never ran.
		if n := len(e.Leaks()); n == 0 {
			t.Error("the other objects are gone")
		}
	})
}
