package vk

/*
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/vulkan-go/vulkan"
)

// DeviceInfo describes a Device. The zero value works.
type DeviceInfo struct {
	GPU            string  // index, part of the name, or "" for the best
	Surface        Surface // what it must be able to present to; may be zero
	FramesInFlight int     // 0 means 2
	Name           string
	// SplitTransfer gives uploads submissions and a timeline of their own even
	// where the GPU has one queue only. For tests.
	SplitTransfer bool
}

// Device is a logical device with its queues, memory and frames. One goroutine
// at a time may use it and what is made from it.
type Device struct {
	// Graphics and Transfer are the same queue where the GPU has no separate
	// one. The code above is the same either way.
	Graphics, Transfer *Queue
	Features           Features
	Limits             Limits
	GPU                GPU
	FramesInFlight     int

	in       *Instance
	c        *C.vkt_device
	present  *Queue
	memory   allocator
	live     map[liveKey]string
	deletion []retired
	slots    []frameSlot
	frames   uint64 // begun so far
	open     *frameSlot
	once     immediate
	broken   error  // a frame could not be submitted: its value will never be reached
	inject   Result // tests: what submissions answer instead of being made
}

// liveKey is an object that somebody must destroy.
type liveKey struct {
	kind   kind
	handle uint64
}

// kind is what vkt_destroy wants to know.
type kind int32

const (
	kindBuffer         kind = C.VKT_BUFFER
	kindImage          kind = C.VKT_IMAGE
	kindView           kind = C.VKT_VIEW
	kindSampler        kind = C.VKT_SAMPLER
	kindPipeline       kind = C.VKT_PIPELINE
	kindPipelineLayout kind = C.VKT_PIPELINE_LAYOUT
	kindSetLayout      kind = C.VKT_SET_LAYOUT
	kindPool           kind = C.VKT_DESCRIPTOR_POOL
	kindCache          kind = C.VKT_PIPELINE_CACHE
	kindSemaphore      kind = C.VKT_SEMAPHORE
	kindCommands       kind = C.VKT_COMMAND_POOL
	kindQueries        kind = C.VKT_QUERY_POOL
	kindSwapchain      kind = C.VKT_SWAPCHAIN_KHR
	kindMemory         kind = C.VKT_MEMORY
)

var kindNames = map[kind]string{
	kindBuffer: "buffer", kindImage: "image", kindSampler: "sampler", kindPipeline: "pipeline",
	kindPipelineLayout: "pipeline layout", kindSetLayout: "set layout", kindPool: "descriptor sets",
	kindCache: "pipeline cache", kindSwapchain: "swapchain",
}

// NewDevice makes a device on the GPU that fits. It fails with ErrNoDevice,
// naming for each GPU what is missing.
func (in *Instance) NewDevice(info DeviceInfo) (dev *Device, err error) {
	gpus, err := in.GPUs()
	if err != nil {
		return nil, err
	}
	gpu, err := pickGPU(gpus, info.GPU)
	if err != nil {
		return nil, err
	}
	var present func(int) bool
	if info.Surface.Handle != nil {
		present = func(family int) bool {
			return C.vkt_present_support(in.c, gpu.c.handle, C.uint32_t(family), C.VkSurfaceKHR(raw(info.Surface.Handle))) != 0
		}
	}
	plan, ok := selectQueues(families(gpu.c), present)
	if !ok {
		return nil, fmt.Errorf("vk: %w: %s has no queue that presents to the window", ErrNoDevice, gpu.Name)
	}
	d := &Device{in: in, GPU: *gpu, Features: gpu.Features, Limits: gpu.Limits, FramesInFlight: info.FramesInFlight,
		live: make(map[liveKey]string)}
	if d.FramesInFlight <= 0 {
		d.FramesInFlight = 2
	}
	d.Features.DebugUtils = in.DebugUtils
	var ci C.vkt_device_info
	ci.swapchain = C.uint32_t(boolC(present != nil && gpu.Features.Swapchain))
	for _, f := range []int{plan.graphics, plan.transfer, plan.present} {
		if !slices.Contains(ci.families[:ci.family_count], C.uint32_t(f)) {
			ci.families[ci.family_count] = C.uint32_t(f)
			ci.family_count++
		}
	}
	if r := Result(C.vkt_device_create(in.c, gpu.c, &ci, &d.c)); r < 0 {
		return nil, fail("create device on "+gpu.Name, r)
	}
	defer func() {
		if err != nil {
			d.Destroy()
		}
	}()
	d.memory.init(d)
	if err := d.openQueues(plan, info.SplitTransfer); err != nil {
		return nil, err
	}
	if err := d.openFrames(); err != nil {
		return nil, err
	}
	if info.Name != "" {
		d.name(C.VK_OBJECT_TYPE_DEVICE, uint64(uintptr(unsafe.Pointer(C.vkt_device_handle(d.c)))), info.Name)
	}
	in.Messages()
	return d, nil
}

func (d *Device) openQueues(plan queuePlan, split bool) (err error) {
	if d.Graphics, err = d.newQueue("graphics", plan.graphics); err != nil {
		return err
	}
	d.Transfer, d.present = d.Graphics, d.Graphics
	d.Features.TransferOwnership = plan.transfer != plan.graphics
	d.Features.SeparateTransfer = split || plan.transfer != plan.graphics
	if d.Features.SeparateTransfer {
		if d.Transfer, err = d.newQueue("transfer", plan.transfer); err != nil {
			return err
		}
	}
	if plan.present != plan.graphics {
		d.present, err = d.newQueue("present", plan.present)
	}
	return err
}

// Destroy waits until the GPU is idle, then frees the device and what it keeps
// for itself. The caller must have destroyed everything it made; see Leaks. It
// works after ErrDeviceLost, and may be called twice.
func (d *Device) Destroy() {
	if d.c == nil {
		return
	}
	C.vkt_wait_idle(d.c)
	d.drain(^uint64(0), ^uint64(0))
	d.closeFrames()
	for _, q := range []*Queue{d.Graphics, d.Transfer, d.present} {
		q.destroy()
	}
	d.memory.destroy()
	C.vkt_device_destroy(d.c)
	d.c = nil
	d.in.Messages()
}

// WaitIdle waits until the GPU has nothing to do: for shutdown, resizing and
// tests, never for a frame.
func (d *Device) WaitIdle() error {
	if r := Result(C.vkt_wait_idle(d.c)); r < 0 {
		return fail("wait idle", r)
	}
	return nil
}

// Collect frees retired objects whose time has come, as BeginFrame does.
func (d *Device) Collect() {
	graphics, _ := d.Graphics.Completed()
	transfer, _ := d.Transfer.Completed()
	d.drain(graphics, transfer)
}

// Leaks names the objects that nobody has destroyed or retired yet.
func (d *Device) Leaks() []string {
	var names []string
	for k, name := range d.live {
		names = append(names, kindNames[k.kind]+" "+name)
	}
	slices.Sort(names)
	return names
}

// Handles gives the VkPhysicalDevice and VkDevice, for tools.
func (d *Device) Handles() (vulkan.PhysicalDevice, vulkan.Device) {
	return as[vulkan.PhysicalDevice](uint64(uintptr(unsafe.Pointer(d.GPU.c.handle)))),
		as[vulkan.Device](uint64(uintptr(unsafe.Pointer(C.vkt_device_handle(d.c)))))
}

// Name gives a handle of vulkan-go's types a name for tools. It panics on
// other types.
func (d *Device) Name(handle any, name string) {
	switch h := handle.(type) {
	case vulkan.Buffer:
		d.name(C.VK_OBJECT_TYPE_BUFFER, raw(h), name)
	case vulkan.Image:
		d.name(C.VK_OBJECT_TYPE_IMAGE, raw(h), name)
	case vulkan.ImageView:
		d.name(C.VK_OBJECT_TYPE_IMAGE_VIEW, raw(h), name)
	case vulkan.Sampler:
		d.name(C.VK_OBJECT_TYPE_SAMPLER, raw(h), name)
	case vulkan.DescriptorSet:
		d.name(C.VK_OBJECT_TYPE_DESCRIPTOR_SET, raw(h), name)
	case vulkan.Pipeline:
		d.name(C.VK_OBJECT_TYPE_PIPELINE, raw(h), name)
	case vulkan.CommandBuffer:
		d.name(C.VK_OBJECT_TYPE_COMMAND_BUFFER, raw(h), name)
	default:
		panic(fmt.Sprintf("vk: Name of a %T", handle))
	}
}

func (d *Device) name(objectType C.VkEnum, handle uint64, name string) {
	if name != "" {
		C.vkt_name(d.c, objectType, C.uint64_t(handle), text(name), C.size_t(len(name)))
	}
}

// born notes an object, and names it. d.dies is its end.
func (d *Device) born(k kind, objectType C.VkEnum, handle uint64, name string) {
	d.live[liveKey{k, handle}] = name
	d.name(objectType, handle, name)
	d.in.Messages()
}

// dies destroys an object now.
func (d *Device) dies(k kind, handle uint64) {
	if handle == 0 {
		return
	}
	C.vkt_destroy(d.c, C.int32_t(k), C.uint64_t(handle))
	delete(d.live, liveKey{k, handle})
}

// text points to the bytes of s, which the shim copies.
func text(s string) *C.char { return (*C.char)(unsafe.Pointer(unsafe.StringData(s))) }
