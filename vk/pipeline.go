package vk

/*
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/vulkan-go/vulkan"
)

// PipelineLayout is the shape of what a pipeline is given.
type PipelineLayout struct {
	Handle vulkan.PipelineLayout
	dev    *Device
}

// NewPipelineLayout makes a layout of sets and push constants.
func (d *Device) NewPipelineLayout(name string, push []PushRange, sets ...*SetLayout) (*PipelineLayout, error) {
	handles := make([]C.VkDescriptorSetLayout, len(sets))
	for i, s := range sets {
		handles[i] = C.VkDescriptorSetLayout(raw(s.Handle))
	}
	ranges := make([]C.VkPushConstantRange, len(push))
	for i, p := range push {
		ranges[i] = C.VkPushConstantRange{C.VkFlags(p.Stages), C.uint32_t(p.Offset), C.uint32_t(p.Size)}
	}
	var c C.VkPipelineLayout
	r := Result(C.vkt_pipeline_layout_create(d.c, unsafe.SliceData(handles), C.uint32_t(len(handles)),
		unsafe.SliceData(ranges), C.uint32_t(len(ranges)), &c))
	if r < 0 {
		return nil, fail("create pipeline layout "+name, r)
	}
	d.born(kindPipelineLayout, C.VK_OBJECT_TYPE_PIPELINE_LAYOUT, uint64(c), name)
	return &PipelineLayout{as[vulkan.PipelineLayout](uint64(c)), d}, nil
}

// Destroy frees the layout now; its pipelines must be gone from the GPU.
func (l *PipelineLayout) Destroy() {
	if l.dev != nil {
		l.dev.dies(kindPipelineLayout, raw(l.Handle))
		*l = PipelineLayout{}
	}
}

// PipelineCache remembers compiled shaders.
type PipelineCache struct {
	Handle vulkan.PipelineCache
	dev    *Device
}

// NewPipelineCache makes a cache, from data that Data gave, or nil. Drivers
// ignore data that is not theirs.
func (d *Device) NewPipelineCache(data []byte) (*PipelineCache, error) {
	var c C.VkPipelineCache
	if r := Result(C.vkt_cache_create(d.c, unsafe.Pointer(unsafe.SliceData(data)), C.size_t(len(data)), &c)); r < 0 {
		return nil, fail("create pipeline cache", r)
	}
	d.born(kindCache, C.VK_OBJECT_TYPE_PIPELINE_CACHE, uint64(c), "pipeline cache")
	return &PipelineCache{as[vulkan.PipelineCache](uint64(c)), d}, nil
}

// Data gives what to keep on disk.
func (p *PipelineCache) Data() ([]byte, error) {
	c := C.VkPipelineCache(raw(p.Handle))
	var n C.size_t
	if r := Result(C.vkt_cache_data(p.dev.c, c, &n, nil)); r < 0 {
		return nil, fail("size of pipeline cache", r)
	}
	data := make([]byte, n)
	if r := Result(C.vkt_cache_data(p.dev.c, c, &n, unsafe.Pointer(unsafe.SliceData(data)))); r < 0 {
		return nil, fail("read pipeline cache", r)
	}
	return data[:n], nil
}

// Destroy frees the cache now; pipelines live on.
func (p *PipelineCache) Destroy() {
	if p.dev != nil {
		p.dev.dies(kindCache, raw(p.Handle))
		*p = PipelineCache{}
	}
}

func (p *PipelineCache) raw() C.VkPipelineCache {
	if p == nil {
		return 0
	}
	return C.VkPipelineCache(raw(p.Handle))
}

// Pipeline is a graphics or compute pipeline.
type Pipeline struct {
	Handle vulkan.Pipeline
	Layout *PipelineLayout
	dev    *Device
	point  C.VkEnum
}

// topologies and compares map our zero-friendly enums to Vulkan's.
var (
	topologies = [...]vulkan.PrimitiveTopology{vulkan.PrimitiveTopologyTriangleList, vulkan.PrimitiveTopologyTriangleStrip,
		vulkan.PrimitiveTopologyLineList, vulkan.PrimitiveTopologyLineStrip}
	compares = [...]vulkan.CompareOp{vulkan.CompareOpGreaterOrEqual, vulkan.CompareOpLess, vulkan.CompareOpEqual,
		vulkan.CompareOpLessOrEqual, vulkan.CompareOpGreater, vulkan.CompareOpNotEqual, vulkan.CompareOpAlways}
)

// checkSPV panics on what cannot be SPIR-V: that is a build error, not a fact
// of the machine.
func checkSPV(name string, spv []byte) {
	if len(spv) < 20 || len(spv)%4 != 0 || spv[0] != 3 || spv[1] != 2 || spv[2] != 0x23 || spv[3] != 7 {
		panic(fmt.Sprintf("vk: pipeline %s: %d bytes are no SPIR-V", name, len(spv)))
	}
}

// aligned gives spv at a multiple of four, as Vulkan wants it; embedded strings
// may lie anywhere.
func aligned(spv []byte) []byte {
	if uintptr(unsafe.Pointer(unsafe.SliceData(spv)))%4 == 0 {
		return spv
	}
	words := make([]uint32, len(spv)/4)
	b := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(spv))
	copy(b, spv)
	return b
}

// NewGraphicsPipeline makes a graphics pipeline for dynamic rendering. It
// panics on malformed SPIR-V or too many constants (32).
func (d *Device) NewGraphicsPipeline(info GraphicsInfo) (*Pipeline, error) {
	c, err := d.Compile(info)
	if err != nil {
		return nil, err
	}
	return d.Take(c), nil
}

// Compiled is a graphics pipeline that the device does not know of yet. Take makes it
// one that can be bound and destroyed; what is not taken leaks.
type Compiled struct {
	name   string
	layout *PipelineLayout
	c      C.VkPipeline
}

// Take makes a pipeline of what Compile gave.
func (d *Device) Take(c *Compiled) *Pipeline {
	d.born(kindPipeline, C.VK_OBJECT_TYPE_PIPELINE, uint64(c.c), c.name)
	return &Pipeline{as[vulkan.Pipeline](uint64(c.c)), c.layout, d, C.VK_PIPELINE_BIND_POINT_GRAPHICS}
}

// Compile is the part of NewGraphicsPipeline that takes time. Unlike all else it may run
// in any goroutine, beside the one that uses the device; layout and cache must stay alive.
func (d *Device) Compile(info GraphicsInfo) (*Compiled, error) {
	checkSPV(info.Name, info.VertexSPV)
	if len(info.FragmentSPV) > 0 {
		checkSPV(info.Name, info.FragmentSPV)
	}
	if len(info.Constants) > 32 {
		panic("vk: pipeline " + info.Name + " with more than 32 constants")
	}
	if info.Lines && !d.Features.FillModeNonSolid {
		panic("vk: pipeline " + info.Name + ": Lines without Features.FillModeNonSolid")
	}
	if info.ViewMask != 0 && !d.Features.Multiview && !d.Features.MultiviewUnclipped {
		panic("vk: pipeline " + info.Name + ": ViewMask without Features.Multiview")
	}
	vs, fs := aligned(info.VertexSPV), aligned(info.FragmentSPV)
	bindings := make([]C.VkVertexInputBindingDescription, len(info.Bindings))
	for i, b := range info.Bindings {
		bindings[i] = C.VkVertexInputBindingDescription{C.uint32_t(b.Binding), C.uint32_t(b.Stride), C.VkEnum(boolC(b.PerInstance))}
	}
	attributes := make([]C.VkVertexInputAttributeDescription, len(info.Attributes))
	for i, a := range info.Attributes {
		attributes[i] = C.VkVertexInputAttributeDescription{C.uint32_t(a.Location), C.uint32_t(a.Binding), C.VkEnum(a.Format), C.uint32_t(a.Offset)}
	}
	ci := C.vkt_graphics_info{
		layout: C.VkPipelineLayout(raw(info.Layout.Handle)), cache: info.Cache.raw(),
		constants: C.uint32_t(len(info.Constants)), bindings: C.uint32_t(len(bindings)), attributes: C.uint32_t(len(attributes)),
		topology: C.VkEnum(topologies[info.Topology]), restart: boolVk(info.Restart), lines: boolVk(info.Lines),
		cull: C.VkFlags(info.Cull), front_cw: boolVk(info.FrontCW),
		depth_test: boolVk(info.DepthTest), depth_write: boolVk(info.DepthWrite),
		depth_compare: C.VkEnum(compares[info.DepthCompare]),
		depth_bias:    C.float(info.DepthBias), slope_bias: C.float(info.SlopeBias), blend: boolVk(info.Blend),
		color: C.VkEnum(info.ColorFormat), depth: C.VkEnum(info.DepthFormat), samples: C.uint32_t(max(1, info.Samples)), view_mask: C.uint32_t(info.ViewMask),
	}
	var c C.VkPipeline
	r := Result(C.vkt_graphics_create(d.c, &ci, unsafe.Pointer(&vs[0]), C.size_t(len(vs)),
		unsafe.Pointer(unsafe.SliceData(fs)), C.size_t(len(fs)), (*C.uint32_t)(unsafe.SliceData(info.Constants)),
		unsafe.SliceData(bindings), unsafe.SliceData(attributes), text(info.Name), C.size_t(len(info.Name)), &c))
	if r < 0 {
		return nil, fail("create pipeline "+info.Name, r)
	}
	return &Compiled{info.Name, info.Layout, c}, nil
}

// NewComputePipeline makes a compute pipeline. It panics on malformed SPIR-V.
func (d *Device) NewComputePipeline(info ComputeInfo) (*Pipeline, error) {
	checkSPV(info.Name, info.SPV)
	spv := aligned(info.SPV)
	var c C.VkPipeline
	r := Result(C.vkt_compute_create(d.c, C.VkPipelineLayout(raw(info.Layout.Handle)), info.Cache.raw(),
		unsafe.Pointer(&spv[0]), C.size_t(len(spv)), (*C.uint32_t)(unsafe.SliceData(info.Constants)),
		C.uint32_t(len(info.Constants)), text(info.Name), C.size_t(len(info.Name)), &c))
	if r < 0 {
		return nil, fail("create pipeline "+info.Name, r)
	}
	d.born(kindPipeline, C.VK_OBJECT_TYPE_PIPELINE, uint64(c), info.Name)
	return &Pipeline{as[vulkan.Pipeline](uint64(c)), info.Layout, d, C.VK_PIPELINE_BIND_POINT_COMPUTE}, nil
}

// Destroy frees the pipeline now. The caller proves that the GPU is done.
func (p *Pipeline) Destroy() {
	if p.dev != nil {
		p.dev.dies(kindPipeline, raw(p.Handle))
		*p = Pipeline{}
	}
}
