package vk

/*
#include "shim.h"
#cgo noescape vkt_write_buffers
#cgo nocallback vkt_write_buffers
#cgo nocallback vkt_write_image
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/vulkan-go/vulkan"
)

// maxBindings is how many bindings the shim's arrays hold.
const maxBindings = 16

// SetLayout is the shape of a descriptor set.
type SetLayout struct {
	Handle   vulkan.DescriptorSetLayout
	dev      *Device
	bindings []C.vkt_binding
}

// NewSetLayout makes a layout of up to 16 bindings.
func (d *Device) NewSetLayout(name string, bindings ...Binding) (*SetLayout, error) {
	if len(bindings) == 0 || len(bindings) > maxBindings {
		panic(fmt.Sprintf("vk: set layout %s with %d bindings", name, len(bindings)))
	}
	l := &SetLayout{dev: d}
	for _, b := range bindings {
		l.bindings = append(l.bindings, C.vkt_binding{binding: C.uint32_t(b.Binding), _type: C.VkEnum(b.Type),
			count: C.uint32_t(max(1, b.Count)), stages: C.VkFlags(b.Stages),
			partial: C.VkFlags(boolC(b.Partial && d.Features.PartiallyBound))})
	}
	var c C.VkDescriptorSetLayout
	if r := Result(C.vkt_set_layout_create(d.c, &l.bindings[0], C.uint32_t(len(bindings)), &c)); r < 0 {
		return nil, fail("create set layout "+name, r)
	}
	l.Handle = as[vulkan.DescriptorSetLayout](uint64(c))
	d.born(kindSetLayout, C.VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, uint64(c), name)
	return l, nil
}

// Destroy frees the layout now; pipelines and sets made with it live on.
func (l *SetLayout) Destroy() {
	if l.dev != nil {
		l.dev.dies(kindSetLayout, raw(l.Handle))
		*l = SetLayout{}
	}
}

// typeOf finds the type of a binding.
func (l *SetLayout) typeOf(binding uint32) C.VkEnum {
	for i := range l.bindings {
		if uint32(l.bindings[i].binding) == binding {
			return l.bindings[i]._type
		}
	}
	panic(fmt.Sprintf("vk: no binding %d in this set", binding))
}

// Set is a descriptor set.
type Set struct {
	Handle vulkan.DescriptorSet
	layout *SetLayout
}

// Sets is a pool with descriptor sets of one layout, e.g. one per frame slot.
type Sets struct {
	Set  []Set
	dev  *Device
	pool uint64
}

// NewSets makes count sets. The layout must outlive them.
func (d *Device) NewSets(name string, layout *SetLayout, count int) (*Sets, error) {
	var pool C.VkDescriptorPool
	sets := make([]C.VkDescriptorSet, count)
	r := Result(C.vkt_sets_create(d.c, &layout.bindings[0], C.uint32_t(len(layout.bindings)),
		C.VkDescriptorSetLayout(raw(layout.Handle)), C.uint32_t(count), &pool, &sets[0]))
	if r < 0 {
		return nil, fail("create descriptor sets "+name, r)
	}
	d.born(kindPool, C.VK_OBJECT_TYPE_DESCRIPTOR_POOL, uint64(pool), name)
	s := &Sets{dev: d, pool: uint64(pool)}
	for i, c := range sets {
		s.Set = append(s.Set, Set{as[vulkan.DescriptorSet](uint64(c)), layout})
		d.name(C.VK_OBJECT_TYPE_DESCRIPTOR_SET, uint64(c), fmt.Sprintf("%s[%d]", name, i))
	}
	return s, nil
}

// Destroy frees the sets now. The caller proves that the GPU is done.
func (s *Sets) Destroy() {
	if s.dev != nil {
		s.dev.dies(kindPool, s.pool)
		*s = Sets{}
	}
}

// WriteBuffers points array elements from first on at whole buffers. The GPU
// must not be using the set. It does not allocate for up to 16 buffers.
func (d *Device) WriteBuffers(set Set, binding, first uint32, buffers ...Buffer) {
	var ranges [16]BufferRange
	for len(buffers) > 0 {
		n := min(len(buffers), len(ranges))
		for i, b := range buffers[:n] {
			ranges[i] = BufferRange{b.Handle, 0, b.Size}
		}
		d.WriteBufferRanges(set, binding, first, ranges[:n]...)
		buffers, first = buffers[n:], first+uint32(n)
	}
}

// WriteBufferRanges points array elements from first on at parts of buffers,
// whose offsets must be multiples of Limits.StorageAlign or UniformAlign. The
// GPU must not be using the set. It does not allocate.
func (d *Device) WriteBufferRanges(set Set, binding, first uint32, ranges ...BufferRange) {
	if len(ranges) == 0 {
		return
	}
	C.vkt_write_buffers(d.c, C.VkDescriptorSet(raw(set.Handle)), C.uint32_t(binding), C.uint32_t(first),
		set.layout.typeOf(binding), (*C.vkt_range)(unsafe.Pointer(&ranges[0])), C.uint32_t(len(ranges)))
}

// WriteImages points array elements from first on at images, which must be in
// LayoutShaderRead when they are read, or LayoutGeneral for storage images. The
// GPU must not be using the set.
func (d *Device) WriteImages(set Set, binding, first uint32, s Sampler, images ...*Image) {
	t := set.layout.typeOf(binding)
	layout := C.VkEnum(C.VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL)
	if t == C.VK_DESCRIPTOR_TYPE_STORAGE_IMAGE {
		layout = C.VK_IMAGE_LAYOUT_GENERAL
	}
	for i, img := range images {
		C.vkt_write_image(d.c, C.VkDescriptorSet(raw(set.Handle)), C.uint32_t(binding), C.uint32_t(first)+C.uint32_t(i), t,
			C.VkSampler(raw(s.Handle)), C.VkImageView(raw(img.View)), layout)
	}
}
