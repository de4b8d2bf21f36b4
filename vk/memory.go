package vk

/*
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/vkterrain/vkterrain/vk/suballoc"
)

// blockSize is what one allocation from the driver holds; heaps below eight
// blocks get smaller ones.
const blockSize = 64 << 20

// mappedSize is what one allocation of memory holds that stays mapped, at most, so that
// little of it is: debuggers keep all of that in their captures.
const mappedSize = 8 << 20

// MemoryStats is what a device has allocated, in bytes.
type MemoryStats struct {
	Allocations    int // from the driver
	Reserved, Used uint64
	Mapped         uint64 // of what is reserved, for as long as it is
	Heaps          []HeapStats
}

// HeapStats is one heap of MemoryStats, in bytes.
type HeapStats struct {
	Size, Reserved, Used uint64
	// Budget and Usage are what the driver says about the whole process, or 0.
	Budget, Usage uint64
	DeviceLocal   bool
}

// allocation is a piece of device memory.
type allocation struct {
	block  *memoryBlock
	span   suballoc.Span
	mapped unsafe.Pointer
	size   uint64
}

// memoryBlock is one allocation from the driver.
type memoryBlock struct {
	memory    C.VkDeviceMemory
	mapped    unsafe.Pointer
	size      uint64
	typ       int
	images    bool
	dedicated bool
	sub       *suballoc.Block // nil when dedicated
}

// allocator divides device memory. Buffers and images never share a block, so
// bufferImageGranularity does not matter.
type allocator struct {
	dev    *Device
	types  []memoryType
	heaps  []Heap
	blocks []*memoryBlock
	made   int // so far
}

// memoryType is what ranking looks at.
type memoryType struct {
	flags uint32
	heap  int
}

// Property flags of memory types.
const (
	memDeviceLocal = 1 << iota
	memHostVisible
	memHostCoherent
	memHostCached
	memLazy
	memProtected
)

func (a *allocator) init(d *Device) {
	a.dev, a.heaps = d, d.GPU.Heaps
	c := d.GPU.c
	for _, t := range c.types[:c.type_count] {
		a.types = append(a.types, memoryType{uint32(t.propertyFlags), int(t.heapIndex)})
	}
}

// rankTypes orders the memory types of bits that kind can live in, best first.
// gpuReads says that shaders read an Upload buffer, so that mapped device
// memory is worth taking where it is plenty.
func rankTypes(types []memoryType, heaps []Heap, bits uint32, kind MemoryKind, gpuReads bool) []int {
	type ranked struct{ index, score int }
	var list []ranked
	for i, t := range types {
		if bits&(1<<i) == 0 || t.flags&(memLazy|memProtected) != 0 {
			continue
		}
		score := 0
		local, visible := t.flags&memDeviceLocal != 0, t.flags&memHostVisible != 0
		coherent, cached := t.flags&memHostCoherent != 0, t.flags&memHostCached != 0
		switch kind {
		case DeviceLocal:
			if local {
				score += 8
			}
			if !visible {
				score++
			}
		case Upload:
			if !visible || !coherent {
				continue
			}
			if !cached {
				score += 2 // write-combined
			}
			switch {
			case !local:
				score += 4
			case gpuReads && heaps[t.heap].Size >= 1<<30:
				score += 8
			}
		case Readback:
			if !visible || !coherent {
				continue
			}
			if cached {
				score += 8
			}
			if !local {
				score++
			}
		}
		list = append(list, ranked{i, score})
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return b.score - a.score })
	out := make([]int, len(list))
	for i, r := range list {
		out[i] = r.index
	}
	return out
}

// blockFor gives the block size for a heap.
func blockFor(heap uint64) uint64 {
	if heap < 8*blockSize {
		return max(heap/8, 1<<20)
	}
	return blockSize
}

// alloc finds memory. buffer or image is what it is for, should it get memory
// of its own. It goes on to the next type when one is full, or has no more of what the
// driver grants this process, where it says so; only if that is so of all is it exceeded.
func (a *allocator) alloc(req *C.vkt_requirements, kind MemoryKind, gpuReads bool, buffer C.VkBuffer, image C.VkImage) (allocation, Result) {
	types := rankTypes(a.types, a.heaps, uint32(req.types), kind, gpuReads)
	m, r := a.allocOf(types, kind, a.dev.Features.MemoryBudget, req, buffer, image)
	if r < 0 && a.dev.Features.MemoryBudget {
		return a.allocOf(types, kind, false, req, buffer, image)
	}
	return m, r
}

// allocOf finds memory of one of some types, if granted only what the driver grants.
func (a *allocator) allocOf(types []int, kind MemoryKind, granted bool, req *C.vkt_requirements, buffer C.VkBuffer, image C.VkImage) (allocation, Result) {
	last := resultOutOfDeviceMemory
	for _, typ := range types {
		m, r := a.allocFrom(typ, kind != DeviceLocal, granted, uint64(req.size), uint64(req.alignment), buffer, image)
		if r >= 0 {
			return m, resultSuccess
		}
		if last = r; r != resultOutOfDeviceMemory && r != resultOutOfHostMemory {
			break
		}
	}
	return allocation{}, last
}

// grants says whether the driver grants so much more of a type's heap.
func (a *allocator) grants(typ int, size uint64) bool {
	budget, usage := a.dev.budgets()
	heap := a.types[typ].heap
	return uint64(usage[heap])+size <= uint64(budget[heap])
}

func (a *allocator) allocFrom(typ int, mapped, granted bool, size, align uint64, buffer C.VkBuffer, image C.VkImage) (allocation, Result) {
	images := image != 0
	block := blockFor(a.heaps[a.types[typ].heap].Size)
	if mapped {
		block = min(block, mappedSize)
	}
	if size <= block/2 {
		for _, b := range a.blocks {
			if b.typ == typ && b.images == images && (b.mapped != nil) == mapped && !b.dedicated {
				if span, ok := b.sub.Alloc(size, align); ok {
					return b.piece(span), resultSuccess
				}
			}
		}
		if granted && !a.grants(typ, block) {
			return allocation{}, resultOutOfDeviceMemory
		}
		if b, r := a.newBlock(typ, block, images, mapped, 0, 0); r >= 0 {
			b.sub = suballoc.New(block)
			span, _ := b.sub.Alloc(size, align)
			return b.piece(span), resultSuccess
		}
	}
	if granted && !a.grants(typ, size) {
		return allocation{}, resultOutOfDeviceMemory
	}
	b, r := a.newBlock(typ, size, images, mapped, buffer, image)
	if r < 0 {
		return allocation{}, r
	}
	b.dedicated = true
	return b.piece(suballoc.Span{Size: size}), resultSuccess
}

func (b *memoryBlock) piece(span suballoc.Span) allocation {
	m := allocation{block: b, span: span, size: span.Size}
	if b.mapped != nil {
		m.mapped = unsafe.Add(b.mapped, span.Offset)
	}
	return m
}

func (a *allocator) newBlock(typ int, size uint64, images, mapped bool, buffer C.VkBuffer, image C.VkImage) (*memoryBlock, Result) {
	b := &memoryBlock{size: size, typ: typ, images: images}
	if r := Result(C.vkt_memory_alloc(a.dev.c, C.uint64_t(size), C.uint32_t(typ), buffer, image, &b.memory)); r < 0 {
		return nil, r
	}
	if mapped {
		if r := Result(C.vkt_memory_map(a.dev.c, b.memory, &b.mapped)); r < 0 {
			C.vkt_destroy(a.dev.c, C.VKT_MEMORY, C.uint64_t(b.memory))
			return nil, r
		}
	}
	a.made++
	a.dev.name(C.VK_OBJECT_TYPE_DEVICE_MEMORY, uint64(b.memory), fmt.Sprintf("memory[%d] type %d", a.made, typ))
	a.blocks = append(a.blocks, b)
	return b, resultSuccess
}

// free gives a piece back. One empty block of each sort is kept, so that a
// steady rhythm of making and freeing does not reach the driver.
func (a *allocator) free(m allocation) {
	b := m.block
	if b == nil {
		return
	}
	if !b.dedicated {
		b.sub.Free(m.span)
		if b.sub.Count() > 0 {
			return
		}
		spare := slices.ContainsFunc(a.blocks, func(o *memoryBlock) bool {
			return o != b && o.typ == b.typ && o.images == b.images && (o.mapped != nil) == (b.mapped != nil) && !o.dedicated && o.sub.Count() == 0
		})
		if !spare {
			return
		}
	}
	C.vkt_destroy(a.dev.c, C.VKT_MEMORY, C.uint64_t(b.memory))
	i := slices.Index(a.blocks, b)
	a.blocks = slices.Delete(a.blocks, i, i+1)
}

func (a *allocator) destroy() {
	for _, b := range a.blocks {
		C.vkt_destroy(a.dev.c, C.VKT_MEMORY, C.uint64_t(b.memory))
	}
	a.blocks = nil
}

// MemoryStats counts what is allocated.
func (d *Device) MemoryStats() MemoryStats {
	s := MemoryStats{Allocations: len(d.memory.blocks), Heaps: make([]HeapStats, len(d.memory.heaps))}
	for i, h := range d.memory.heaps {
		s.Heaps[i].Size, s.Heaps[i].DeviceLocal = h.Size, h.DeviceLocal
	}
	for _, b := range d.memory.blocks {
		used := b.size
		if !b.dedicated {
			used = b.sub.Used()
		}
		if b.mapped != nil {
			s.Mapped += b.size
		}
		h := &s.Heaps[d.memory.types[b.typ].heap]
		h.Reserved += b.size
		h.Used += used
		s.Reserved += b.size
		s.Used += used
	}
	if d.Features.MemoryBudget {
		budget, usage := d.budgets()
		for i := range s.Heaps {
			s.Heaps[i].Budget, s.Heaps[i].Usage = uint64(budget[i]), uint64(usage[i])
		}
	}
	return s
}

// budgets returns what the driver grants this process of each heap, and what it uses.
func (d *Device) budgets() (budget, usage [16]C.uint64_t) {
	C.vkt_memory_budget(d.in.c, d.GPU.c.handle, &budget[0], &usage[0])
	return budget, usage
}
