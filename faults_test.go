package vkterrain_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/testlayer"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// TestCallsFail lets Vulkan calls fail, one in each run of a short flight: the first of
// each function, one in the middle, and the last. Each time the program is told, and
// all that was made is destroyed.
func TestCallsFail(t *testing.T) {
	if testlayer.Current() == "" {
		testlayer.Build(t).Run(t, testlayer.Shape{}, "^TestCallsFail$")
		return
	}
	path := bakeWorld(t, testworld.Rough(65, 65, 3), 33, 0, 0)
	if err := shortFlight(t, path, func() {}); err != nil {
		t.Fatal(err)
	}
	before := map[string]int{}
	for function := range failing {
		before[function] = testlayer.Calls(t, function)
	}
	if err := shortFlight(t, path, func() {}); err != nil {
		t.Fatal(err)
	}
	in := map[string]int{}
	for function := range failing {
		in[function] = testlayer.Calls(t, function) - before[function]
	}
	for function, result := range failing {
		n := in[function]
		if n == 0 {
			t.Errorf("%s is not called: take it off the list", function)
		}
		for _, call := range distinct(0, n/2, n-1-lastDoNotCount[function]) {
			t.Run(fmt.Sprintf("%s/%d of %d", function, call+1, n), func(t *testing.T) {
				// Where other memory may do, that is tried too.
				err := shortFlight(t, path, func() { testlayer.Fail(t, function, call, 1000, result) })
				if err == nil {
					t.Error("nobody was told")
				}
				t.Log(err)
			})
		}
	}
}

func distinct(all ...int) (out []int) {
	for _, n := range all {
		if n >= 0 && (len(out) == 0 || out[len(out)-1] != n) {
			out = append(out, n)
		}
	}
	return out
}

// failing are the functions of a flight that may fail, and how.
var failing = map[string]int32{
	"vkQueueSubmit":               testlayer.DeviceLost,
	"vkGetSemaphoreCounterValue":  testlayer.DeviceLost,
	"vkAllocateMemory":            testlayer.OutOfDevice,
	"vkMapMemory":                 testlayer.OutOfHost,
	"vkCreateBuffer":              testlayer.OutOfDevice,
	"vkBindBufferMemory":          testlayer.OutOfDevice,
	"vkCreateImage":               testlayer.OutOfDevice,
	"vkBindImageMemory":           testlayer.OutOfDevice,
	"vkCreateImageView":           testlayer.OutOfHost,
	"vkCreateSemaphore":           testlayer.OutOfHost,
	"vkCreateCommandPool":         testlayer.OutOfHost,
	"vkAllocateCommandBuffers":    testlayer.OutOfHost,
	"vkBeginCommandBuffer":        testlayer.OutOfHost,
	"vkEndCommandBuffer":          testlayer.OutOfHost,
	"vkResetCommandPool":          testlayer.OutOfDevice,
	"vkCreateDescriptorSetLayout": testlayer.OutOfHost,
	"vkCreateDescriptorPool":      testlayer.OutOfDevice,
	"vkAllocateDescriptorSets":    testlayer.OutOfDevice,
	"vkCreatePipelineLayout":      testlayer.OutOfHost,
	"vkCreateShaderModule":        testlayer.OutOfHost,
	"vkCreateGraphicsPipelines":   testlayer.OutOfDevice,
}

// lastDoNotCount is how many calls nobody needs the result of: when all is closed, the
// GPU is asked whether it is done, after it was waited for.
var lastDoNotCount = map[string]int{"vkGetSemaphoreCounterValue": 4}

// shortFlight opens a terrain on a device of its own, draws some frames and closes
// all. It gives the first error. arm is called when there is an instance.
func shortFlight(t *testing.T, path string, arm func()) (err error) {
	t.Helper()
	var said []string
	in, err := vk.NewInstance(vk.InstanceInfo{App: t.Name(), Validation: vk.ValidationOn, SyncValidation: true, OnMessage: func(m vk.Message) {
		if m.VUID != "Loader Message" {
			said = append(said, m.Text)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	arm()
	defer func() {
		in.Destroy()
		for _, text := range said {
			// No call says that a lost device is done with its work.
			if !errors.Is(err, vk.ErrDeviceLost) || !strings.Contains(text, "in use") {
				t.Errorf("Vulkan: %s", text)
			}
		}
	}()
	dev, err := in.NewDevice(vk.DeviceInfo{})
	if err != nil {
		return err
	}
	defer func() {
		dev.WaitIdle()
		dev.Collect()
		if !errors.Is(err, vk.ErrDeviceLost) {
			for _, name := range dev.Leaks() {
				t.Errorf("left alive: %s", name)
			}
		}
		dev.Destroy()
	}()
	return fly(dev, path)
}

func fly(dev *vk.Device, path string) (err error) {
	target, err := dev.NewTarget(vk.TargetInfo{Name: "test", Width: 64, Height: 64})
	if err != nil {
		return err
	}
	defer target.Destroy()
	ter, err := vkterrain.Open(path, dev, vkterrain.Options{ColorFormat: target.Color.Format, DepthFormat: target.Depth.Format, UploadBytes: -1, Sync: true, Props: stones()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ter.Close()) }()
	for i := range 6 {
		f, err := dev.BeginFrame()
		if err != nil {
			return err
		}
		v := view(300+20*float64(i), 100, 300, float64(10*i), -20, 64, 64, 1)
		err = ter.Prepare(f, v, &pipeline.Look{Sea: true})
		if err == nil {
			target.Begin(f.Cmd, [4]float32{1, 0, 1, 1}, 0)
			ter.Draw(f.Cmd)
			target.End(f.Cmd)
		}
		if err := errors.Join(err, f.Submit()); err != nil {
			return err
		}
	}
	return nil
}

// TestRecover loses the device in flights of every kind, then the next one while it takes
// its place, and goes on with a third: the picture is the same as before, or as exact,
// and nothing is read again.
func TestRecover(t *testing.T) {
	if testlayer.Current() == "" {
		testlayer.Build(t).Run(t, testlayer.Shape{}, "^TestRecover$")
		return
	}
	for name, o := range map[string]vkterrain.Options{
		"synchronous": {},
		"anchored":    {Anchored: true},
		"rising":      {Rise: 4, Morph: 0.2},
		"BilLOD":      {Algorithm: vkterrain.BilLOD},
		"planted":     {Props: stones()},
	} {
		t.Run(name, func(t *testing.T) { recoverOnce(t, o) })
	}
}

func recoverOnce(t *testing.T, o vkterrain.Options) {
	o.UploadBytes = -1
	dev, lost := vktest.Device(t), newLossy(t) // the first is destroyed last
	s := newStage(t, lost, bakeWorld(t, testworld.Rough(257, 257, 3), 65, 0, 0), 128, 96, o)
	v, look := view(1280, 300, 1400, 30, -20, 128, 96, 2), &pipeline.Look{Sea: true}
	s.settle(v, look)
	want := s.frame(v, look, true)
	read := s.ter.Stats().BytesRead
	testlayer.Fail(t, "vkQueueSubmit", 2, 1, testlayer.DeviceLost)
	var err error
	for i := 0; i < 10 && err == nil; i++ {
		err = s.tryFrame(v, look)
	}
	if !errors.Is(err, vk.ErrDeviceLost) {
		t.Fatalf("lost: %v", err)
	}
	next, calls := newLossy(t), 0
	if o.Props != nil {
		calls = 1 // the renderer is there by then
	}
	testlayer.Fail(t, "vkQueueSubmit", calls, 1, testlayer.DeviceLost)
	if err := s.ter.Recover(next); !errors.Is(err, vk.ErrDeviceLost) {
		t.Fatalf("lost again: %v", err)
	}
	if err := s.ter.Recover(dev); err != nil {
		t.Fatal(err)
	}
	s.target.Destroy()
	lost.Destroy()
	next.Destroy()
	if s.target, err = dev.NewTarget(vk.TargetInfo{Name: "test", Width: 128, Height: 96}); err != nil {
		t.Fatal(err)
	}
	s.dev = dev
	s.settle(v, look)
	// What an anchor's mesh is made for depends on when.
	if d := differing(want, s.frame(v, look, true)); d > 0 && !o.Anchored {
		t.Errorf("%.3f %% of the picture differ", d*100)
	}
	if c, err := s.ter.Check(); err != nil || c.MeasuredErrorPx > v.Tau || c.Cracks > 0 || c.CheckedSamples < 1000 {
		t.Errorf("%+v, %v", c, err)
	}
	if now := s.ter.Stats().BytesRead; now != read {
		t.Errorf("%d bytes were read again", now-read)
	}
}

// newLossy returns a device that a test may lose. Nobody watches what validation says.
func newLossy(t *testing.T) *vk.Device {
	t.Helper()
	in, err := vk.NewInstance(vk.InstanceInfo{App: t.Name()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(in.Destroy)
	dev, err := in.NewDevice(vk.DeviceInfo{})
	if err != nil {
		t.Fatal(err)
	}
	return dev
}
