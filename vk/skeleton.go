package vk

import (
	"image"
	"time"
	"unsafe"

	"github.com/vulkan-go/vulkan"
)

type ValidationMode int

const (
	ValidationOff ValidationMode = iota
	ValidationOn
	ValidationRequire
)

type Severity int

const (
	SeverityVerbose Severity = iota
	SeverityInfo
	SeverityWarning
	SeverityError
)

type Message struct {
	Severity Severity
	VUID     string
	Text     string
}

type InstanceInfo struct {
	App                 string
	Extensions          []string
	Validation          ValidationMode
	SyncValidation      bool
	OnMessage           func(Message)
	GetInstanceProcAddr unsafe.Pointer
}

type Instance struct{}

type Surface struct{ Handle vulkan.Surface }

type GPU struct {
	Name, Driver, DriverInfo string
	Missing                  []string
}

func NewInstance(info InstanceInfo) (*Instance, error)          { panic("todo") }
func (in *Instance) GPUs() ([]GPU, error)                       { panic("todo") }
func (in *Instance) Handle() vulkan.Instance                    { panic("todo") }
func (in *Instance) AdoptSurface(ptr uintptr) Surface           { panic("todo") }
func (in *Instance) DestroySurface(s *Surface)                  { panic("todo") }
func (in *Instance) Destroy()                                   { panic("todo") }
func (in *Instance) NewDevice(info DeviceInfo) (*Device, error) { panic("todo") }

type DeviceInfo struct {
	GPU            string
	Surface        Surface
	FramesInFlight int
	Name           string
	SplitTransfer  bool // use a second timeline for transfers even on one queue (tests)
}

type Features struct {
	FillModeNonSolid, DrawIndirectCount, SamplerAnisotropy        bool
	NonSemanticInfo, MemoryBudget, Timestamps, PipelineStatistics bool
	PartiallyBound, NonUniformIndexing                            bool
	DebugUtils                                                    bool
}

type Limits struct {
	MinStorageAlign, MinUniformAlign uint64
	MaxStorageRange                  uint64
	MaxPushConstants                 uint32
	MaxDrawIndirectCount             uint32
	TimestampPeriod                  float32
	MaxSamples                       uint32
	MaxImage                         uint32
	MaxAnisotropy                    float32
}

type Device struct {
	Graphics, Transfer *Queue
	Features           Features
	Limits             Limits
	GPU                GPU
	FramesInFlight     int
}

func (d *Device) Destroy()                                                          { panic("todo") }
func (d *Device) Leaks() []string                                                   { panic("todo") }
func (d *Device) MemoryStats() MemoryStats                                          { panic("todo") }
func (d *Device) NewBuffer(info BufferInfo) (Buffer, error)                         { panic("todo") }
func (d *Device) NewImage(info ImageInfo) (Image, error)                            { panic("todo") }
func (d *Device) NewSampler(info SamplerInfo) (Sampler, error)                      { panic("todo") }
func (d *Device) NewStaging(name string, size uint64) (*Staging, error)             { panic("todo") }
func (d *Device) Retire(b *Buffer, value uint64)                                    { panic("todo") }
func (d *Device) RetireImage(i *Image, value uint64)                                { panic("todo") }
func (d *Device) RetirePipeline(p *Pipeline, value uint64)                          { panic("todo") }
func (d *Device) BeginFrame() (*Frame, error)                                       { panic("todo") }
func (d *Device) Immediate(record func(*CommandBuffer)) error                       { panic("todo") }
func (d *Device) NewSetLayout(name string, bindings ...Binding) (*SetLayout, error) { panic("todo") }
func (d *Device) NewSets(name string, layout *SetLayout, count int) (*Sets, error)  { panic("todo") }
func (d *Device) NewPipelineLayout(name string, push []PushRange, sets ...*SetLayout) (*PipelineLayout, error) {
	panic("todo")
}
func (d *Device) NewGraphicsPipeline(info GraphicsInfo) (*Pipeline, error)       { panic("todo") }
func (d *Device) NewComputePipeline(info ComputeInfo) (*Pipeline, error)         { panic("todo") }
func (d *Device) NewPipelineCache(data []byte) (*PipelineCache, error)           { panic("todo") }
func (d *Device) NewTarget(info TargetInfo) (*Target, error)                     { panic("todo") }
func (d *Device) NewSwapchain(info SwapchainInfo) (*Swapchain, error)            { panic("todo") }
func (d *Device) WriteBuffers(set Set, binding, first uint32, buffers ...Buffer) { panic("todo") }
func (d *Device) WriteBufferRanges(set Set, binding, first uint32, ranges ...BufferRange) {
	panic("todo")
}
func (d *Device) WriteImages(set Set, binding, first uint32, s Sampler, images ...*Image) {
	panic("todo")
}

type MemoryStats struct {
	Allocations    int
	Reserved, Used uint64
	Heaps          []HeapStats
}
type HeapStats struct {
	Size, Reserved, Used, Budget uint64
	DeviceLocal                  bool
}

type Queue struct{ Family uint32 }

func (q *Queue) Completed() (uint64, error)                     { panic("todo") }
func (q *Queue) Wait(value uint64, timeout time.Duration) error { panic("todo") }

type Buffer struct {
	Handle vulkan.Buffer
	Size   uint64
}

func (b *Buffer) Bytes() []byte                         { panic("todo") }
func (b *Buffer) Destroy()                              { panic("todo") }
func (b *Buffer) Range(offset, size uint64) BufferRange { panic("todo") }

type Image struct {
	Handle        vulkan.Image
	View          vulkan.ImageView
	Width, Height uint32
	Format        Format
}

func (i *Image) Destroy() { panic("todo") }

type Sampler struct{ Handle vulkan.Sampler }

func (s *Sampler) Destroy() { panic("todo") }

type SetLayout struct{ Handle vulkan.DescriptorSetLayout }

func (l *SetLayout) Destroy() { panic("todo") }

type Set struct{ Handle vulkan.DescriptorSet }
type Sets struct{ Set []Set }

func (s *Sets) Destroy() { panic("todo") }

type PipelineLayout struct{ Handle vulkan.PipelineLayout }

func (l *PipelineLayout) Destroy() { panic("todo") }

type Pipeline struct{ Handle vulkan.Pipeline }

func (p *Pipeline) Destroy() { panic("todo") }

type PipelineCache struct{ Handle vulkan.PipelineCache }

func (c *PipelineCache) Data() ([]byte, error) { panic("todo") }
func (c *PipelineCache) Destroy()              { panic("todo") }

type Staging struct{ Buffer Buffer }

func (s *Staging) Reserve(n, align uint64) (offset uint64, b []byte, ok bool) { panic("todo") }
func (s *Staging) Submit(value uint64)                                        { panic("todo") }
func (s *Staging) Release(completed uint64)                                   { panic("todo") }
func (s *Staging) Destroy()                                                   { panic("todo") }

type PassTime struct {
	Name string
	Time time.Duration
}
type Statistics struct {
	InputVertices, InputPrimitives, VertexInvocations, ClipInvocations, ClipPrimitives, FragmentInvocations uint64
}
type Frame struct {
	Cmd        *CommandBuffer
	Slot       int
	Value      uint64
	Times      []PassTime
	Statistics Statistics
}

func (f *Frame) Transfer() *CommandBuffer                                      { panic("todo") }
func (f *Frame) Ticket() uint64                                                { panic("todo") }
func (f *Frame) ReleaseBuffers(ranges ...BufferRange)                          { panic("todo") }
func (f *Frame) AcquireBuffers(ticket uint64, dst Sync, ranges ...BufferRange) { panic("todo") }
func (f *Frame) Calls() int                                                    { panic("todo") }
func (f *Frame) Submit() error                                                 { panic("todo") }

type CommandBuffer struct{ Handle vulkan.CommandBuffer }

func (c *CommandBuffer) BeginLabel(name string)                          { panic("todo") }
func (c *CommandBuffer) EndLabel()                                       { panic("todo") }
func (c *CommandBuffer) BeginPass(name string)                           { panic("todo") }
func (c *CommandBuffer) EndPass()                                        { panic("todo") }
func (c *CommandBuffer) BeginStatistics()                                { panic("todo") }
func (c *CommandBuffer) EndStatistics()                                  { panic("todo") }
func (c *CommandBuffer) BeginRendering(r *Rendering)                     { panic("todo") }
func (c *CommandBuffer) EndRendering()                                   { panic("todo") }
func (c *CommandBuffer) SetViewport(v Viewport)                          { panic("todo") }
func (c *CommandBuffer) SetScissor(s Scissor)                            { panic("todo") }
func (c *CommandBuffer) BindPipeline(p *Pipeline)                        { panic("todo") }
func (c *CommandBuffer) BindSets(p *Pipeline, first uint32, sets ...Set) { panic("todo") }
func (c *CommandBuffer) PushConstants(l *PipelineLayout, stages ShaderStage, offset uint32, data []byte) {
	panic("todo")
}
func (c *CommandBuffer) BindIndexBuffer(b vulkan.Buffer, offset uint64, t IndexType) { panic("todo") }
func (c *CommandBuffer) BindVertexBuffer(binding uint32, b vulkan.Buffer, offset uint64) {
	panic("todo")
}
func (c *CommandBuffer) Draw(vertices, instances, firstVertex, firstInstance uint32) { panic("todo") }
func (c *CommandBuffer) DrawIndexed(indices, instances, firstIndex uint32, vertexOffset int32, firstInstance uint32) {
	panic("todo")
}
func (c *CommandBuffer) DrawIndexedIndirect(b vulkan.Buffer, offset uint64, count, stride uint32) {
	panic("todo")
}
func (c *CommandBuffer) DrawIndexedIndirectCount(b vulkan.Buffer, offset uint64, count vulkan.Buffer, countOffset uint64, max, stride uint32) {
	panic("todo")
}
func (c *CommandBuffer) Dispatch(x, y, z uint32)                                  { panic("todo") }
func (c *CommandBuffer) CopyBuffer(src, dst vulkan.Buffer, regions ...BufferCopy) { panic("todo") }
func (c *CommandBuffer) CopyBufferToImage(src vulkan.Buffer, dst *Image, regions ...ImageCopy) {
	panic("todo")
}
func (c *CommandBuffer) CopyImageToBuffer(src *Image, dst vulkan.Buffer, regions ...ImageCopy) {
	panic("todo")
}
func (c *CommandBuffer) BlitImage(src, dst *Image, filter Filter)           { panic("todo") }
func (c *CommandBuffer) ImageBarrier(b ImageBarrier)                        { panic("todo") }
func (c *CommandBuffer) BufferBarrier(src, dst Sync, ranges ...BufferRange) { panic("todo") }
func (c *CommandBuffer) MemoryBarrier(src, dst Sync)                        { panic("todo") }

type TargetInfo struct {
	Name          string
	Width, Height uint32
	Samples       uint32
}
type Target struct {
	Color, Depth, Multi Image
}

func (t *Target) Begin(c *CommandBuffer, clear [4]float32, depth float32) { panic("todo") }
func (t *Target) End(c *CommandBuffer)                                    { panic("todo") }
func (t *Target) RecordReadback(c *CommandBuffer)                         { panic("todo") }
func (t *Target) Picture() *image.RGBA                                    { panic("todo") }
func (t *Target) Readback() (*image.RGBA, error)                          { panic("todo") }
func (t *Target) Destroy()                                                { panic("todo") }

type Status int

const (
	Ready Status = iota
	Resized
	NotReady
)

type SwapchainInfo struct {
	Surface       Surface
	Width, Height uint32
	VSync         bool
}
type Swapchain struct {
	Format        Format
	Width, Height uint32
}

func (s *Swapchain) Acquire(f *Frame) (*Image, Status, error)    { panic("todo") }
func (s *Swapchain) Present(f *Frame) (Status, error)            { panic("todo") }
func (s *Swapchain) Resize(width, height uint32) (Status, error) { panic("todo") }
func (s *Swapchain) Destroy()                                    { panic("todo") }
