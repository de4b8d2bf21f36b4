package vk

import "github.com/vulkan-go/vulkan"

// Format is a texel format.
type Format int32

// The formats this project uses.
const (
	FormatNone       = Format(vulkan.FormatUndefined)
	FormatR8         = Format(vulkan.FormatR8Unorm)
	FormatRG8        = Format(vulkan.FormatR8g8Unorm)
	FormatRG8Snorm   = Format(vulkan.FormatR8g8Snorm)
	FormatRGBA8      = Format(vulkan.FormatR8g8b8a8Unorm)
	FormatRGBA8SRGB  = Format(vulkan.FormatR8g8b8a8Srgb)
	FormatRGBA8Uint  = Format(vulkan.FormatR8g8b8a8Uint)
	FormatBGRA8      = Format(vulkan.FormatB8g8r8a8Unorm)
	FormatBGRA8SRGB  = Format(vulkan.FormatB8g8r8a8Srgb)
	FormatR16        = Format(vulkan.FormatR16Unorm)
	FormatR16Uint    = Format(vulkan.FormatR16Uint)
	FormatRG16Uint   = Format(vulkan.FormatR16g16Uint)
	FormatRGBA16Uint = Format(vulkan.FormatR16g16b16a16Uint)
	FormatRGBA16F    = Format(vulkan.FormatR16g16b16a16Sfloat)
	FormatR32Uint    = Format(vulkan.FormatR32Uint)
	FormatRG32Uint   = Format(vulkan.FormatR32g32Uint)
	FormatR32F       = Format(vulkan.FormatR32Sfloat)
	FormatRG32F      = Format(vulkan.FormatR32g32Sfloat)
	FormatRGB32F     = Format(vulkan.FormatR32g32b32Sfloat)
	FormatRGBA32F    = Format(vulkan.FormatR32g32b32a32Sfloat)
	FormatD32        = Format(vulkan.FormatD32Sfloat)
	FormatD16        = Format(vulkan.FormatD16Unorm)
)

// isDepth says whether f has a depth aspect (and, of ours, no colour).
func (f Format) isDepth() bool { return f == FormatD32 || f == FormatD16 }

// TexelSize gives the bytes of one texel, or 0 for a format it does not know.
func (f Format) TexelSize() int {
	switch f {
	case FormatR8:
		return 1
	case FormatRG8, FormatRG8Snorm, FormatR16, FormatR16Uint, FormatD16:
		return 2
	case FormatRGBA8, FormatRGBA8SRGB, FormatRGBA8Uint, FormatBGRA8, FormatBGRA8SRGB,
		FormatRG16Uint, FormatR32Uint, FormatR32F, FormatD32:
		return 4
	case FormatRGBA16Uint, FormatRGBA16F, FormatRG32Uint, FormatRG32F:
		return 8
	case FormatRGB32F:
		return 12
	case FormatRGBA32F:
		return 16
	}
	return 0
}

// BufferUsage is a set of ways a buffer may be used.
type BufferUsage uint32

// Ways to use a buffer.
const (
	UsageTransferSrc = BufferUsage(vulkan.BufferUsageTransferSrcBit)
	UsageTransferDst = BufferUsage(vulkan.BufferUsageTransferDstBit)
	UsageUniform     = BufferUsage(vulkan.BufferUsageUniformBufferBit)
	UsageStorage     = BufferUsage(vulkan.BufferUsageStorageBufferBit)
	UsageIndex       = BufferUsage(vulkan.BufferUsageIndexBufferBit)
	UsageVertex      = BufferUsage(vulkan.BufferUsageVertexBufferBit)
	UsageIndirect    = BufferUsage(vulkan.BufferUsageIndirectBufferBit)
)

// ImageUsage is a set of ways an image may be used.
type ImageUsage uint32

// Ways to use an image.
const (
	ImageTransferSrc = ImageUsage(vulkan.ImageUsageTransferSrcBit)
	ImageTransferDst = ImageUsage(vulkan.ImageUsageTransferDstBit)
	ImageSampled     = ImageUsage(vulkan.ImageUsageSampledBit)
	ImageStorage     = ImageUsage(vulkan.ImageUsageStorageBit)
	ImageColor       = ImageUsage(vulkan.ImageUsageColorAttachmentBit)
	ImageDepth       = ImageUsage(vulkan.ImageUsageDepthStencilAttachmentBit)
	ImageTransient   = ImageUsage(vulkan.ImageUsageTransientAttachmentBit)
)

// Layout is an image layout.
type Layout int32

// Image layouts.
const (
	LayoutUndefined   = Layout(vulkan.ImageLayoutUndefined)
	LayoutGeneral     = Layout(vulkan.ImageLayoutGeneral)
	LayoutColor       = Layout(vulkan.ImageLayoutColorAttachmentOptimal)
	LayoutDepth       = Layout(vulkan.ImageLayoutDepthStencilAttachmentOptimal)
	LayoutShaderRead  = Layout(vulkan.ImageLayoutShaderReadOnlyOptimal)
	LayoutTransferSrc = Layout(vulkan.ImageLayoutTransferSrcOptimal)
	LayoutTransferDst = Layout(vulkan.ImageLayoutTransferDstOptimal)
	LayoutPresent     = Layout(vulkan.ImageLayoutPresentSrc)
)

// Stage is a set of pipeline stages.
type Stage uint32

// Pipeline stages.
const (
	StageTop            = Stage(vulkan.PipelineStageTopOfPipeBit)
	StageIndirect       = Stage(vulkan.PipelineStageDrawIndirectBit)
	StageVertexInput    = Stage(vulkan.PipelineStageVertexInputBit)
	StageVertexShader   = Stage(vulkan.PipelineStageVertexShaderBit)
	StageFragmentShader = Stage(vulkan.PipelineStageFragmentShaderBit)
	StageEarlyDepth     = Stage(vulkan.PipelineStageEarlyFragmentTestsBit)
	StageLateDepth      = Stage(vulkan.PipelineStageLateFragmentTestsBit)
	StageColorOutput    = Stage(vulkan.PipelineStageColorAttachmentOutputBit)
	StageCompute        = Stage(vulkan.PipelineStageComputeShaderBit)
	StageTransfer       = Stage(vulkan.PipelineStageTransferBit)
	StageHost           = Stage(vulkan.PipelineStageHostBit)
	StageBottom         = Stage(vulkan.PipelineStageBottomOfPipeBit)
	StageAll            = Stage(vulkan.PipelineStageAllCommandsBit)
)

// Access is a set of memory accesses.
type Access uint32

// Memory accesses.
const (
	AccessIndirectRead  = Access(vulkan.AccessIndirectCommandReadBit)
	AccessIndexRead     = Access(vulkan.AccessIndexReadBit)
	AccessVertexRead    = Access(vulkan.AccessVertexAttributeReadBit)
	AccessUniformRead   = Access(vulkan.AccessUniformReadBit)
	AccessShaderRead    = Access(vulkan.AccessShaderReadBit)
	AccessShaderWrite   = Access(vulkan.AccessShaderWriteBit)
	AccessColorRead     = Access(vulkan.AccessColorAttachmentReadBit)
	AccessColorWrite    = Access(vulkan.AccessColorAttachmentWriteBit)
	AccessDepthRead     = Access(vulkan.AccessDepthStencilAttachmentReadBit)
	AccessDepthWrite    = Access(vulkan.AccessDepthStencilAttachmentWriteBit)
	AccessTransferRead  = Access(vulkan.AccessTransferReadBit)
	AccessTransferWrite = Access(vulkan.AccessTransferWriteBit)
	AccessHostRead      = Access(vulkan.AccessHostReadBit)
	AccessHostWrite     = Access(vulkan.AccessHostWriteBit)
	AccessMemoryRead    = Access(vulkan.AccessMemoryReadBit)
	AccessMemoryWrite   = Access(vulkan.AccessMemoryWriteBit)
)

// ShaderStage is a set of shader stages.
type ShaderStage uint32

// Shader stages.
const (
	ShaderVertex   = ShaderStage(vulkan.ShaderStageVertexBit)
	ShaderFragment = ShaderStage(vulkan.ShaderStageFragmentBit)
	ShaderCompute  = ShaderStage(vulkan.ShaderStageComputeBit)
)

// DescriptorType is what a binding holds.
type DescriptorType int32

// Descriptor types.
const (
	CombinedImageSampler = DescriptorType(vulkan.DescriptorTypeCombinedImageSampler)
	StorageImage         = DescriptorType(vulkan.DescriptorTypeStorageImage)
	UniformBuffer        = DescriptorType(vulkan.DescriptorTypeUniformBuffer)
	StorageBuffer        = DescriptorType(vulkan.DescriptorTypeStorageBuffer)
	UniformBufferDynamic = DescriptorType(vulkan.DescriptorTypeUniformBufferDynamic)
	StorageBufferDynamic = DescriptorType(vulkan.DescriptorTypeStorageBufferDynamic)
)

// Topology is how indices form primitives.
type Topology int32

// Topologies. The zero value is the triangle list.
const (
	TriangleList Topology = iota
	TriangleStrip
	LineList
	LineStrip
)

// Cull is which faces are dropped.
type Cull int32

// Culling modes.
const (
	CullNone  = Cull(vulkan.CullModeNone)
	CullFront = Cull(vulkan.CullModeFrontBit)
	CullBack  = Cull(vulkan.CullModeBackBit)
)

// Compare is a depth comparison. The zero value is GreaterOrEqual, which
// reversed-Z wants.
type Compare int32

// Depth comparisons.
const (
	GreaterOrEqual Compare = iota
	Less
	Equal
	LessOrEqual
	Greater
	NotEqual
	Always
)

// Filter is how texels are interpolated.
type Filter int32

// Filters.
const (
	Nearest = Filter(vulkan.FilterNearest)
	Linear  = Filter(vulkan.FilterLinear)
)

// Address is what lies beyond the rim of a texture.
type Address int32

// Address modes.
const (
	Repeat         = Address(vulkan.SamplerAddressModeRepeat)
	MirroredRepeat = Address(vulkan.SamplerAddressModeMirroredRepeat)
	ClampToEdge    = Address(vulkan.SamplerAddressModeClampToEdge)
)

// IndexType is the width of an index.
type IndexType int32

// Index widths.
const (
	Index16 = IndexType(vulkan.IndexTypeUint16)
	Index32 = IndexType(vulkan.IndexTypeUint32)
)

// LoadOp is what happens to an attachment when a pass begins.
type LoadOp int32

// Load operations. The zero value clears.
const (
	LoadClear LoadOp = iota
	LoadKeep
	LoadDiscard
)

// StoreOp is what happens to an attachment when a pass ends.
type StoreOp int32

// Store operations. The zero value keeps the result.
const (
	StoreKeep StoreOp = iota
	StoreDiscard
)
