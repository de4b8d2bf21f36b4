package vk_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/testlayer"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// shapes are devices that people have, and what is not as it is on the one that there is.
var shapes = []testlayer.Shape{
	{Without: []string{"fillModeNonSolid", "drawIndirectCount", "samplerAnisotropy", "pipelineStatisticsQuery", "shaderInt64", "timestamps", "VK_EXT_memory_budget"}},
	{API: "1.2"},
	{Queues: "gc,t", Slow: "1,3", Memory: "256,1024"},
	{Queues: "t,gc", Memory: "256,1024,16"},
	{Memory: "64", Without: []string{"VK_KHR_shader_non_semantic_info"}},
	{Without: []string{"dynamicRendering"}},
	{API: "1.2", Without: []string{"VK_KHR_dynamic_rendering", "multiview"}},
}

// TestShapes draws, uploads and reads back on devices of every shape.
func TestShapes(t *testing.T) {
	l := testlayer.Build(t)
	for _, shape := range shapes {
		t.Run(shape.String(), func(t *testing.T) {
			l.Run(t, shape, "^Test(ShapeIsShown|Triangle|UploadRoundTrip|FramesInFlight|Images|Memory|Compute|Labels)$")
		})
	}
}

// TestShapeIsShown says that the device is what the layer makes of it.
func TestShapeIsShown(t *testing.T) {
	current := testlayer.Current()
	if current == "" {
		t.Skip("runs under a layer")
	}
	i := slices.IndexFunc(shapes, func(s testlayer.Shape) bool { return s.String() == current })
	if i < 0 {
		t.Fatalf("no shape is %q", current)
	}
	e := vktest.New(t, vk.DeviceInfo{})
	shape, f := shapes[i], e.Features
	for name, has := range map[string]bool{"fillModeNonSolid": f.FillModeNonSolid, "drawIndirectCount": f.DrawIndirectCount,
		"samplerAnisotropy": f.SamplerAnisotropy, "pipelineStatisticsQuery": f.PipelineStatistics, "shaderInt64": f.ShaderInt64,
		"timestamps": f.Timestamps, "VK_EXT_memory_budget": f.MemoryBudget} {
		if has && slices.Contains(shape.Without, name) {
			t.Errorf("%s is there", name)
		}
	}
	if f.MemoryBudget != (shape.Memory != "") {
		t.Errorf("memory budget: %t", f.MemoryBudget)
	}
	if api := e.GPU.API; shape.API != "" && !strings.HasPrefix(api, shape.API) {
		t.Errorf("Vulkan %s", api)
	}
	if want := strings.Count(shape.Memory, ",") + 1; shape.Memory != "" && len(e.GPU.Heaps) != want {
		t.Errorf("heaps %v, want %d", e.GPU.Heaps, want)
	}
}

// TestRefusedShapes asks for a device where something is missing that nothing replaces.
func TestRefusedShapes(t *testing.T) {
	if testlayer.Current() != "" {
		e := instance(t)
		_, err := e.NewDevice(vk.DeviceInfo{})
		if !errors.Is(err, vk.ErrNoDevice) || !strings.Contains(err.Error(), "lacks") {
			t.Errorf("device: %v", err)
		}
		return
	}
	l := testlayer.Build(t)
	for _, shape := range []testlayer.Shape{
		{Without: []string{"timelineSemaphore"}},
		{API: "1.0"},
	} {
		t.Run(shape.String(), func(t *testing.T) { l.Run(t, shape, "^TestRefusedShapes$") })
	}
}

func instance(t *testing.T) *vk.Instance {
	t.Helper()
	in, err := vk.NewInstance(vk.InstanceInfo{App: t.Name()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(in.Destroy)
	return in
}
