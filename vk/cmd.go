package vk

/*
#include "shim.h"

// The calls below keep no pointer and never call Go, so that arguments stay on
// the stack and a frame allocates nothing.
#cgo noescape vkt_cmd_label
#cgo nocallback vkt_cmd_label
#cgo nocallback vkt_cmd_label_end
#cgo nocallback vkt_cmd_reset_queries
#cgo nocallback vkt_cmd_timestamp
#cgo nocallback vkt_cmd_query
#cgo noescape vkt_cmd_begin_rendering
#cgo nocallback vkt_cmd_begin_rendering
#cgo nocallback vkt_cmd_end_rendering
#cgo noescape vkt_cmd_viewport
#cgo nocallback vkt_cmd_viewport
#cgo noescape vkt_cmd_scissor
#cgo nocallback vkt_cmd_scissor
#cgo noescape vkt_cmd_clear_depth
#cgo nocallback vkt_cmd_clear_depth
#cgo nocallback vkt_cmd_pipeline
#cgo noescape vkt_cmd_sets
#cgo nocallback vkt_cmd_sets
#cgo noescape vkt_cmd_push
#cgo nocallback vkt_cmd_push
#cgo nocallback vkt_cmd_index
#cgo nocallback vkt_cmd_vertex
#cgo nocallback vkt_cmd_draw
#cgo nocallback vkt_cmd_draw_indexed
#cgo nocallback vkt_cmd_draw_indirect
#cgo nocallback vkt_cmd_draw_indirect_count
#cgo nocallback vkt_cmd_dispatch
#cgo noescape vkt_cmd_copy_buffer
#cgo nocallback vkt_cmd_copy_buffer
#cgo noescape vkt_cmd_copy_image
#cgo nocallback vkt_cmd_copy_image
#cgo nocallback vkt_cmd_blit
#cgo noescape vkt_cmd_image_barrier
#cgo nocallback vkt_cmd_image_barrier
#cgo noescape vkt_cmd_buffer_barrier
#cgo nocallback vkt_cmd_buffer_barrier
#cgo nocallback vkt_cmd_memory_barrier
*/
import "C"

import (
	"unsafe"

	"github.com/vulkan-go/vulkan"
)

// CommandBuffer records commands. Its methods must be called between BeginFrame
// and Submit, from the goroutine that uses the device, and allocate nothing.
// What they use must stay alive until the frame's value is reached.
type CommandBuffer struct {
	Handle vulkan.CommandBuffer

	dev   *Device
	d     *C.vkt_device
	c     C.VkCommandBuffer
	slot  *frameSlot // nil unless the frame's main one
	calls int
	depth int // open labels
	timed [8]int8

	failed Result // below 0: a pass could not begin, and what is recorded is not submitted
}

// end ends recording. What has failed is forgotten.
func (c *CommandBuffer) end(op string) error {
	r := Result(C.vkt_commands_end(c.d, c.c))
	if c.failed < 0 {
		r, op, c.failed = c.failed, "begin a pass", resultSuccess
	}
	if r < 0 {
		return fail(op, r)
	}
	return nil
}

// labelColors are for the levels of nesting, as tools show them.
var labelColors = [4][4]float32{{0.35, 0.65, 0.95, 1}, {0.45, 0.8, 0.45, 1}, {0.95, 0.75, 0.3, 1}, {0.85, 0.5, 0.8, 1}}

// BeginLabel opens a named region for tools. Names beyond 127 bytes are cut.
func (c *CommandBuffer) BeginLabel(name string) {
	color := &labelColors[c.depth&3]
	C.vkt_cmd_label(c.d, c.c, text(name), C.size_t(len(name)), (*C.float)(&color[0]))
	c.depth++
	c.calls++
}

// EndLabel closes the last region.
func (c *CommandBuffer) EndLabel() {
	if c.depth == 0 {
		panic("vk: EndLabel without BeginLabel")
	}
	C.vkt_cmd_label_end(c.d, c.c)
	c.depth--
	c.calls++
}

// BeginPass opens a named region and, in a frame's Cmd, measures it; see
// Frame.Times. Passes may nest 8 deep with labels.
func (c *CommandBuffer) BeginPass(name string) {
	level := c.depth
	c.BeginLabel(name)
	if level >= len(c.timed) {
		panic("vk: passes nest too deep")
	}
	c.timed[level] = -1
	s := c.slot
	if s == nil || s.timestamps == 0 || s.passCount == maxPasses {
		return
	}
	i := s.passCount
	s.passes[i], s.levels[i] = name, uint8(level)
	s.passCount++
	c.timed[level] = int8(i)
	C.vkt_cmd_timestamp(c.d, c.c, C.VkFlags(StageTop), s.timestamps, C.uint32_t(2*i))
	c.calls++
}

// EndPass closes the last pass.
func (c *CommandBuffer) EndPass() {
	if c.depth == 0 {
		panic("vk: EndPass without BeginPass")
	}
	if i := c.timed[c.depth-1]; i >= 0 && c.slot != nil && c.slot.timestamps != 0 {
		C.vkt_cmd_timestamp(c.d, c.c, C.VkFlags(StageBottom), c.slot.timestamps, C.uint32_t(2*int(i)+1))
		c.calls++
	}
	c.EndLabel()
}

// BeginStatistics starts counting what the pipeline does, once per frame and
// outside of a rendering; see Frame.Statistics. It does nothing without
// Features.PipelineStatistics.
func (c *CommandBuffer) BeginStatistics() {
	if c.slot != nil && c.slot.stats != 0 && !c.slot.statsUsed {
		C.vkt_cmd_query(c.d, c.c, c.slot.stats, 1)
		c.slot.statsUsed = true
		c.calls++
	}
}

// EndStatistics stops counting.
func (c *CommandBuffer) EndStatistics() {
	if c.slot != nil && c.slot.statsUsed {
		C.vkt_cmd_query(c.d, c.c, c.slot.stats, 0)
		c.calls++
	}
}

// BeginRendering starts a pass of drawing.
func (c *CommandBuffer) BeginRendering(r *Rendering) {
	color, depth := r.Color.c(), r.Depth.c()
	if r := Result(C.vkt_cmd_begin_rendering(c.d, c.c, C.uint32_t(r.Width), C.uint32_t(r.Height), C.uint32_t(r.ViewMask), &color, &depth)); r < 0 {
		c.failed = r
	}
	c.calls++
}

func (a *Attachment) c() (v C.vkt_attachment) {
	if a.Image == nil {
		return v
	}
	v.view = C.VkImageView(raw(a.Image.View))
	v.format, v.samples = C.VkEnum(a.Image.Format), C.uint32_t(a.Image.Samples)
	if a.Resolve != nil {
		v.resolve = C.VkImageView(raw(a.Resolve.View))
	}
	v.load = [...]C.VkEnum{LoadClear: 1, LoadKeep: 0, LoadDiscard: 2}[a.Load]
	v.store = C.VkEnum(a.Store)
	for i, x := range a.Clear {
		v.clear[i] = C.float(x)
	}
	return v
}

// EndRendering ends the pass of drawing.
func (c *CommandBuffer) EndRendering() {
	if c.failed < 0 {
		return
	}
	C.vkt_cmd_end_rendering(c.d, c.c)
	c.calls++
}

// SetViewport says where clip space lands.
func (c *CommandBuffer) SetViewport(v Viewport) {
	C.vkt_cmd_viewport(c.d, c.c, (*C.VkViewport)(unsafe.Pointer(&v)))
	c.calls++
}

// SetScissor says which pixels may be written.
func (c *CommandBuffer) SetScissor(s Scissor) {
	C.vkt_cmd_scissor(c.d, c.c, (*C.VkRect2D)(unsafe.Pointer(&s)))
	c.calls++
}

// ClearDepth clears the depth of a part of what is being drawn to.
func (c *CommandBuffer) ClearDepth(r Scissor, depth float32) {
	C.vkt_cmd_clear_depth(c.d, c.c, (*C.VkRect2D)(unsafe.Pointer(&r)), C.float(depth))
	c.calls++
}

// BindPipeline chooses the pipeline.
func (c *CommandBuffer) BindPipeline(p *Pipeline) {
	C.vkt_cmd_pipeline(c.d, c.c, p.point, C.VkPipeline(raw(p.Handle)))
	c.calls++
}

// BindSets gives descriptor sets, up to 8, to pipelines with p's layout and of
// p's sort.
func (c *CommandBuffer) BindSets(p *Pipeline, first uint32, sets ...Set) {
	var h [8]C.VkDescriptorSet
	for i, s := range sets {
		h[i] = C.VkDescriptorSet(raw(s.Handle))
	}
	C.vkt_cmd_sets(c.d, c.c, p.point, C.VkPipelineLayout(raw(p.Layout.Handle)), C.uint32_t(first), &h[0], C.uint32_t(len(sets)), nil, 0)
	c.calls++
}

// BindSetDynamic gives one set whose dynamic buffers start at offsets, in order
// of binding.
func (c *CommandBuffer) BindSetDynamic(p *Pipeline, index uint32, set Set, offsets ...uint32) {
	h := C.VkDescriptorSet(raw(set.Handle))
	C.vkt_cmd_sets(c.d, c.c, p.point, C.VkPipelineLayout(raw(p.Layout.Handle)), C.uint32_t(index), &h, 1,
		(*C.uint32_t)(unsafe.SliceData(offsets)), C.uint32_t(len(offsets)))
	c.calls++
}

// PushConstants writes data, a multiple of 4 bytes, at offset.
func (c *CommandBuffer) PushConstants(l *PipelineLayout, stages ShaderStage, offset uint32, data []byte) {
	C.vkt_cmd_push(c.d, c.c, C.VkPipelineLayout(raw(l.Handle)), C.VkFlags(stages), C.uint32_t(offset),
		unsafe.Pointer(unsafe.SliceData(data)), C.uint32_t(len(data)))
	c.calls++
}

// Push writes a struct without pointers as push constants from offset 0 on. Its
// layout must be the shader's.
func Push[T any](c *CommandBuffer, l *PipelineLayout, stages ShaderStage, v *T) {
	c.PushConstants(l, stages, 0, unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)))
}

// BindIndexBuffer chooses indices.
func (c *CommandBuffer) BindIndexBuffer(b vulkan.Buffer, offset uint64, t IndexType) {
	C.vkt_cmd_index(c.d, c.c, C.VkBuffer(raw(b)), C.uint64_t(offset), C.VkEnum(t))
	c.calls++
}

// BindVertexBuffer chooses vertices.
func (c *CommandBuffer) BindVertexBuffer(binding uint32, b vulkan.Buffer, offset uint64) {
	C.vkt_cmd_vertex(c.d, c.c, C.uint32_t(binding), C.VkBuffer(raw(b)), C.uint64_t(offset))
	c.calls++
}

// Draw draws vertices.
func (c *CommandBuffer) Draw(vertices, instances, firstVertex, firstInstance uint32) {
	C.vkt_cmd_draw(c.d, c.c, C.uint32_t(vertices), C.uint32_t(instances), C.uint32_t(firstVertex), C.uint32_t(firstInstance))
	c.calls++
}

// DrawIndexed draws indexed vertices.
func (c *CommandBuffer) DrawIndexed(indices, instances, firstIndex uint32, vertexOffset int32, firstInstance uint32) {
	C.vkt_cmd_draw_indexed(c.d, c.c, C.uint32_t(indices), C.uint32_t(instances), C.uint32_t(firstIndex),
		C.int32_t(vertexOffset), C.uint32_t(firstInstance))
	c.calls++
}

// DrawIndexedIndirect draws count commands (see type DrawIndexedIndirect), at
// most Limits.DrawIndirectCount; one, whose FirstInstance is 0, without Features.MultiDraw.
func (c *CommandBuffer) DrawIndexedIndirect(b vulkan.Buffer, offset uint64, count, stride uint32) {
	C.vkt_cmd_draw_indirect(c.d, c.c, C.VkBuffer(raw(b)), C.uint64_t(offset), C.uint32_t(count), C.uint32_t(stride))
	c.calls++
}

// DrawIndexedIndirectCount draws as many commands as the uint32 at countOffset
// says, at most limit. It needs Features.DrawIndirectCount.
func (c *CommandBuffer) DrawIndexedIndirectCount(b vulkan.Buffer, offset uint64, count vulkan.Buffer, countOffset uint64, limit, stride uint32) {
	if !c.dev.Features.DrawIndirectCount {
		panic("vk: DrawIndexedIndirectCount without the feature")
	}
	C.vkt_cmd_draw_indirect_count(c.d, c.c, C.VkBuffer(raw(b)), C.uint64_t(offset), C.VkBuffer(raw(count)),
		C.uint64_t(countOffset), C.uint32_t(limit), C.uint32_t(stride))
	c.calls++
}

// Dispatch runs workgroups.
func (c *CommandBuffer) Dispatch(x, y, z uint32) {
	C.vkt_cmd_dispatch(c.d, c.c, C.uint32_t(x), C.uint32_t(y), C.uint32_t(z))
	c.calls++
}

// CopyBuffer copies regions.
func (c *CommandBuffer) CopyBuffer(src, dst vulkan.Buffer, regions ...BufferCopy) {
	if len(regions) == 0 {
		return
	}
	C.vkt_cmd_copy_buffer(c.d, c.c, C.VkBuffer(raw(src)), C.VkBuffer(raw(dst)),
		(*C.VkBufferCopy)(unsafe.Pointer(&regions[0])), C.uint32_t(len(regions)))
	c.calls++
}

// CopyBufferToImage copies regions into an image in LayoutTransferDst.
func (c *CommandBuffer) CopyBufferToImage(src vulkan.Buffer, dst *Image, regions ...ImageCopy) {
	c.copyImage(src, dst, 1, regions)
}

// CopyImageToBuffer copies regions of an image in LayoutTransferSrc.
func (c *CommandBuffer) CopyImageToBuffer(src *Image, dst vulkan.Buffer, regions ...ImageCopy) {
	c.copyImage(dst, src, 0, regions)
}

func (c *CommandBuffer) copyImage(b vulkan.Buffer, i *Image, toImage C.int32_t, regions []ImageCopy) {
	if len(regions) == 0 {
		return
	}
	C.vkt_cmd_copy_image(c.d, c.c, C.VkBuffer(raw(b)), C.VkImage(raw(i.Handle)), i.aspect(), toImage,
		(*C.vkt_image_copy)(unsafe.Pointer(&regions[0])), C.uint32_t(len(regions)))
	c.calls += (len(regions) + 15) / 16
}

// BlitImage scales all of src (LayoutTransferSrc) to all of dst
// (LayoutTransferDst), level 0 of colour images.
func (c *CommandBuffer) BlitImage(src, dst *Image, filter Filter) {
	C.vkt_cmd_blit(c.d, c.c, C.VkImage(raw(src.Handle)), C.uint32_t(src.Width), C.uint32_t(src.Height),
		C.VkImage(raw(dst.Handle)), C.uint32_t(dst.Width), C.uint32_t(dst.Height), C.VkEnum(filter))
	c.calls++
}

// ImageBarrier moves an image from one layout and use to another.
func (c *CommandBuffer) ImageBarrier(b ImageBarrier) {
	v := C.vkt_image_barrier{image: C.VkImage(raw(b.Image.Handle)), old_layout: C.VkEnum(b.Old), new_layout: C.VkEnum(b.New),
		aspect:    b.Image.aspect(),
		src_stage: C.VkFlags(b.Src.Stage), src_access: C.VkFlags(b.Src.Access),
		dst_stage: C.VkFlags(b.Dst.Stage), dst_access: C.VkFlags(b.Dst.Access),
		src_family: ^C.uint32_t(0), dst_family: ^C.uint32_t(0)}
	C.vkt_cmd_image_barrier(c.d, c.c, &v)
	c.calls++
}

// BufferBarrier makes what src wrote to ranges visible to dst.
func (c *CommandBuffer) BufferBarrier(src, dst Sync, ranges ...BufferRange) {
	c.bufferBarrier(src, dst, ^uint32(0), ^uint32(0), ranges)
}

func (c *CommandBuffer) bufferBarrier(src, dst Sync, from, to uint32, ranges []BufferRange) {
	if len(ranges) == 0 {
		return
	}
	C.vkt_cmd_buffer_barrier(c.d, c.c, C.VkFlags(src.Stage), C.VkFlags(src.Access), C.VkFlags(dst.Stage), C.VkFlags(dst.Access),
		C.uint32_t(from), C.uint32_t(to), (*C.vkt_range)(unsafe.Pointer(&ranges[0])), C.uint32_t(len(ranges)))
	c.calls += (len(ranges) + 31) / 32
}

// MemoryBarrier makes everything src wrote visible to dst.
func (c *CommandBuffer) MemoryBarrier(src, dst Sync) {
	C.vkt_cmd_memory_barrier(c.d, c.c, C.VkFlags(src.Stage), C.VkFlags(src.Access), C.VkFlags(dst.Stage), C.VkFlags(dst.Access))
	c.calls++
}
