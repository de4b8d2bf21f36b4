package vk

/*
#include "shim.h"
*/
import "C"

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// GPUType orders GPUs: the smaller the better.
type GPUType int

// Types of GPU.
const (
	Discrete GPUType = iota
	Integrated
	Virtual
	CPU
	OtherGPU
)

// String gives one word.
func (t GPUType) String() string {
	switch t {
	case Discrete:
		return "discrete"
	case Integrated:
		return "integrated"
	case Virtual:
		return "virtual"
	case CPU:
		return "cpu"
	}
	return "other"
}

// Heap is a memory heap of a GPU, in bytes.
type Heap struct {
	Size        uint64
	DeviceLocal bool
}

// Features are what a device can do beyond what is required.
type Features struct {
	FillModeNonSolid      bool // GraphicsInfo.Lines
	MultiDraw             bool // DrawIndexedIndirect of several commands, with any FirstInstance
	DrawIndirectCount     bool // DrawIndexedIndirectCount
	SamplerAnisotropy     bool
	NonSemanticInfo       bool // shaders with debug information
	MemoryBudget          bool // HeapStats.Budget
	Timestamps            bool // Frame.Times
	Calibrated            bool // Clock reads both clocks at once
	PipelineStatistics    bool // BeginStatistics
	PartiallyBound        bool // Binding.Partial
	DynamicIndexing       bool // arrays of storage buffers with a uniform index
	NonUniformIndexing    bool // arrays of storage buffers with any index
	FullIndex             bool // indices beyond 2^24-1
	ShaderInt64           bool
	Multiview             bool // GraphicsInfo.ViewMask, Rendering.ViewMask
	MultiviewUnclipped    bool // the same without Multiview, right only for what need not be clipped
	SeparateTransfer      bool // uploads run on a queue of their own
	TransferOwnership     bool // and that queue is of another family
	DebugUtils, Swapchain bool
}

// Limits of a device that this project looks at.
type Limits struct {
	StorageAlign, UniformAlign uint64 // of offsets, bytes
	StorageRange               uint64 // bytes one binding can show
	CopyAlign                  uint64 // of offsets, bytes, for speed
	PushConstants              uint32 // bytes
	DrawIndirectCount          uint32
	SampleCounts               uint32 // sum of the numbers of samples that colour and depth together can have; gaps occur
	ImageSize                  uint32 // pixels
	Anisotropy                 float32
	TimestampPeriod            float32 // nanoseconds per tick
	StorageBuffersPerStage     uint32
}

// UUID names a device or a driver, from one start of the system to the next.
type UUID [16]byte

// String gives the usual form, such as 6d657361-3232-2e33-2e36-000000000000.
func (u UUID) String() string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

func uuid(c [16]C.uint8_t) (u UUID) {
	for i, b := range c {
		u[i] = byte(b)
	}
	return u
}

// GPU is a physical device.
type GPU struct {
	Index              int // in the order of GPUs
	Name               string
	Type               GPUType
	Vendor, DeviceID   uint32
	Driver, DriverInfo string
	DriverVersion      uint32
	UUID, DriverUUID   UUID
	API                string // e.g. "1.3.230"
	Heaps              []Heap
	Missing            []string // what it lacks; empty: suitable
	Features           Features
	Limits             Limits

	c *C.vkt_gpu
}

// GPUs lists what is there: discrete, integrated, virtual, then CPU. An
// unsuitable GPU says what is missing.
func (in *Instance) GPUs() ([]GPU, error) {
	var c [16]C.vkt_gpu
	n := C.uint32_t(len(c))
	if r := Result(C.vkt_gpus(in.c, &c[0], &n)); r < 0 {
		return nil, fail("enumerate GPUs", r)
	}
	gpus := make([]GPU, n)
	for i := range gpus {
		gpus[i] = describeGPU(&c[i])
	}
	slices.SortStableFunc(gpus, func(a, b GPU) int { return cmp.Compare(a.Type, b.Type) })
	for i := range gpus {
		gpus[i].Index = i
	}
	in.Messages()
	return gpus, nil
}

func describeGPU(c *C.vkt_gpu) GPU {
	kept := new(C.vkt_gpu)
	*kept = *c
	g := GPU{
		c: kept, Name: C.GoString(&c.name[0]), Vendor: uint32(c.vendor), DeviceID: uint32(c.device),
		Driver: C.GoString(&c.driver[0]), DriverInfo: C.GoString(&c.driver_info[0]),
		DriverVersion: uint32(c.driver_version), UUID: uuid(c.uuid), DriverUUID: uuid(c.driver_uuid),
		API: fmt.Sprintf("%d.%d.%d", c.api>>22&0x7f, c.api>>12&0x3ff, c.api&0xfff),
	}
	switch c._type {
	case 2:
		g.Type = Discrete
	case 1:
		g.Type = Integrated
	case 3:
		g.Type = Virtual
	case 4:
		g.Type = CPU
	default:
		g.Type = OtherGPU
	}
	for _, h := range c.heaps[:c.heap_count] {
		g.Heaps = append(g.Heaps, Heap{uint64(h.size), h.flags&C.VK_MEMORY_HEAP_DEVICE_LOCAL_BIT != 0})
	}
	has := func(bit C.uint32_t) bool { return c.has&bit != 0 }
	if c.api>>12 < 1<<10|2 {
		g.Missing = append(g.Missing, "Vulkan 1.2 (has "+g.API+")")
	} else {
		for _, need := range []struct {
			bit  C.uint32_t
			name string
		}{
			{C.VKT_TIMELINE, "timelineSemaphore"}, {C.VKT_DYNAMIC_INDEXING, "shaderStorageBufferArrayDynamicIndexing"},
		} {
			if !has(need.bit) {
				g.Missing = append(g.Missing, need.name)
			}
		}
	}
	plan, ok := selectQueues(families(c), nil)
	if !ok {
		g.Missing = append(g.Missing, "a queue for graphics")
	}
	g.Features = Features{
		MultiDraw:        has(C.VKT_MULTI_DRAW) && has(C.VKT_FIRST_INSTANCE),
		FillModeNonSolid: has(C.VKT_FILL_NON_SOLID), DrawIndirectCount: has(C.VKT_INDIRECT_COUNT),
		SamplerAnisotropy: has(C.VKT_ANISOTROPY), NonSemanticInfo: has(C.VKT_NON_SEMANTIC),
		MemoryBudget: has(C.VKT_MEMORY_BUDGET), PipelineStatistics: has(C.VKT_STATISTICS), Calibrated: has(C.VKT_CALIBRATED),
		PartiallyBound: has(C.VKT_PARTIALLY_BOUND), NonUniformIndexing: has(C.VKT_NON_UNIFORM),
		DynamicIndexing: has(C.VKT_DYNAMIC_INDEXING), FullIndex: has(C.VKT_FULL_INDEX),
		ShaderInt64: has(C.VKT_INT64), Multiview: has(C.VKT_MULTIVIEW), Swapchain: has(C.VKT_SWAPCHAIN),
		Timestamps:       ok && c.families[plan.graphics].timestamp_bits > 0 && c.limits.timestampPeriod > 0,
		SeparateTransfer: ok && plan.transfer != plan.graphics, TransferOwnership: ok && plan.transfer != plan.graphics,
	}
	if g.Driver == "llvmpipe" { // Mesa 22.3 draws what it clips, and lines, into the first layer only
		g.Features.Multiview, g.Features.MultiviewUnclipped = false, g.Features.Multiview
	}
	g.Limits = limits(&c.limits)
	return g
}

func limits(l *C.VkPhysicalDeviceLimits) Limits {
	return Limits{
		StorageAlign: uint64(l.minStorageBufferOffsetAlignment), UniformAlign: uint64(l.minUniformBufferOffsetAlignment),
		StorageRange: uint64(l.maxStorageBufferRange), CopyAlign: uint64(l.optimalBufferCopyOffsetAlignment),
		PushConstants: uint32(l.maxPushConstantsSize), DrawIndirectCount: uint32(l.maxDrawIndirectCount),
		SampleCounts: uint32(l.framebufferColorSampleCounts & l.framebufferDepthSampleCounts), ImageSize: uint32(l.maxImageDimension2D), Anisotropy: float32(l.maxSamplerAnisotropy),
		TimestampPeriod:        float32(l.timestampPeriod),
		StorageBuffersPerStage: uint32(l.maxPerStageDescriptorStorageBuffers),
	}
}

// is says whether sel means the GPU: by its index, its UUID, or a part of its name, the
// latter two without regard to case; "" means any.
func (g *GPU) is(sel string) bool {
	if n, err := strconv.Atoi(sel); err == nil {
		return n == g.Index
	}
	return strings.EqualFold(sel, g.UUID.String()) || strings.Contains(strings.ToLower(g.Name), strings.ToLower(sel))
}

// pickGPU finds the GPU that sel means: an index, a UUID, a part of the name without
// regard to case, or "" for the first suitable one.
func pickGPU(gpus []GPU, sel string) (*GPU, error) {
	var why []string
	if len(gpus) == 0 {
		return nil, fmt.Errorf("vk: %w: no driver found (Debian package mesa-vulkan-drivers)", ErrNoDevice)
	}
	for i := range gpus {
		g := &gpus[i]
		if !g.is(sel) {
			why = append(why, fmt.Sprintf("%d %s: not what was asked for (%q)", i, g.Name, sel))
			continue
		}
		if len(g.Missing) == 0 {
			return g, nil
		}
		why = append(why, fmt.Sprintf("%d %s: lacks %s", i, g.Name, strings.Join(g.Missing, ", ")))
	}
	return nil, fmt.Errorf("vk: %w: %s (a software driver is in Debian package mesa-vulkan-drivers)", ErrNoDevice, strings.Join(why, "; "))
}
