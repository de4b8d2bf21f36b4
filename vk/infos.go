package vk

import "github.com/vulkan-go/vulkan"

// MemoryKind is where a buffer lives and who may touch it.
type MemoryKind int

// Kinds of memory.
const (
	DeviceLocal MemoryKind = iota // only the GPU; the fastest
	Upload                        // mapped, coherent; the CPU only writes
	Readback                      // mapped, cached where possible; the CPU only reads
)

// BufferInfo describes a buffer.
type BufferInfo struct {
	Name  string
	Size  uint64 // bytes, above 0
	Usage BufferUsage
	Kind  MemoryKind
}

// ImageInfo describes a 2D image.
type ImageInfo struct {
	Name          string
	Width, Height uint32
	Format        Format
	Usage         ImageUsage
	Samples       uint32 // 0 means 1
	MipLevels     uint32 // 0 means 1
	Layers        uint32 // 0 means 1; above 1 makes a 2D array view
}

// SamplerInfo describes a sampler.
type SamplerInfo struct {
	Name       string
	Min, Mag   Filter
	Mip        Filter // between mip levels
	Address    Address
	Anisotropy float32 // 0 is off; clamped to the device's limit, off where it has none
	MaxLOD     float32 // 0 means every level
}

// Binding is one binding of a descriptor set.
type Binding struct {
	Binding uint32
	Type    DescriptorType
	Count   uint32 // array length; 0 means 1
	Stages  ShaderStage
	Partial bool // elements the shader does not touch may stay unwritten; needs Features.PartiallyBound
}

// PushRange is a range of push constants in bytes.
type PushRange struct {
	Stages       ShaderStage
	Offset, Size uint32
}

// VertexBinding is a vertex buffer slot.
type VertexBinding struct {
	Binding, Stride uint32
	PerInstance     bool
}

// VertexAttribute is a vertex input of a shader.
type VertexAttribute struct {
	Location, Binding uint32
	Format            Format
	Offset            uint32
}

// GraphicsInfo describes a graphics pipeline. Viewport and scissor are always
// dynamic. The front face is counter-clockwise in framebuffer space, where Y
// points down, unless FrontCW is set.
type GraphicsInfo struct {
	Name                   string
	Layout                 *PipelineLayout
	VertexSPV, FragmentSPV []byte   // FragmentSPV may be empty: depth only
	Constants              []uint32 // specialisation constants of both stages: id = index
	Bindings               []VertexBinding
	Attributes             []VertexAttribute
	Topology               Topology
	Restart                bool // the largest index cuts a strip
	Lines                  bool // polygon mode line; needs Features.FillModeNonSolid
	Cull                   Cull
	FrontCW                bool
	DepthTest, DepthWrite  bool
	DepthCompare           Compare
	DepthBias, SlopeBias   float32 // both 0: no bias
	Blend                  bool    // source alpha over
	ColorFormat            Format  // FormatNone: no colour attachment
	DepthFormat            Format  // FormatNone: no depth attachment
	Samples                uint32  // 0 means 1
	ViewMask               uint32  // layers that each draw goes to, 0 means one picture; needs Features.Multiview
	Cache                  *PipelineCache
}

// ComputeInfo describes a compute pipeline.
type ComputeInfo struct {
	Name      string
	Layout    *PipelineLayout
	SPV       []byte
	Constants []uint32
	Cache     *PipelineCache
}

// BufferRange is a part of a buffer. Its layout is that of the shim.
type BufferRange struct {
	Buffer       vulkan.Buffer
	Offset, Size uint64
}

// BufferCopy is a region of CopyBuffer. Its layout is Vulkan's.
type BufferCopy struct {
	SrcOffset, DstOffset, Size uint64
}

// ImageCopy is a region of CopyBufferToImage and CopyImageToBuffer: rows are
// packed without padding.
type ImageCopy struct {
	BufferOffset  uint64
	X, Y          int32
	Width, Height uint32
	MipLevel      uint32
	Layer         uint32
}

// Sync is where memory is touched, and how: one side of a barrier.
type Sync struct {
	Stage  Stage
	Access Access
}

// ImageBarrier moves an image (all levels and layers) from one layout and use
// to another.
type ImageBarrier struct {
	Image    *Image
	Old, New Layout
	Src, Dst Sync
}

// Attachment is a colour or depth target of a pass.
type Attachment struct {
	Image *Image // nil: no such attachment
	Load  LoadOp
	Store StoreOp
	Clear [4]float32 // colour; for depth, element 0
	// Resolve receives the resolved samples of a multisampled colour image in
	// layout LayoutColor. May be nil.
	Resolve *Image
}

// Rendering is the start of a pass over Width by Height pixels. Images must be
// in LayoutColor and LayoutDepth.
type Rendering struct {
	Width, Height uint32
	ViewMask      uint32 // as the pipelines': draws go to these layers of the images; 0 means one picture
	Color, Depth  Attachment
}

// Viewport is where clip space lands, in pixels. Its layout is Vulkan's. A
// negative height flips Y.
type Viewport struct {
	X, Y, Width, Height, MinDepth, MaxDepth float32
}

// Scissor is the rectangle that may be written, in pixels. Its layout is
// Vulkan's.
type Scissor struct {
	X, Y          int32
	Width, Height uint32
}

// DrawIndexedIndirect is the indirect command as the GPU reads it: 20 bytes.
type DrawIndexedIndirect struct {
	IndexCount, InstanceCount, FirstIndex uint32
	VertexOffset                          int32
	FirstInstance                         uint32
}
