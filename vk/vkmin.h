// The part of the Vulkan API that the shim uses, written down by hand so that
// `go install` needs no Vulkan SDK. layout_test.go compares every struct and
// every constant below with the system's vulkan_core.h where there is one, and
// reads this file to do so: keep one member list per struct, no nested structs.
//
// Handles that are not dispatchable are 64-bit integers, which is their ABI on
// every platform this builds for.
#ifndef VKT_VKMIN_H
#define VKT_VKMIN_H

#include <stddef.h>
#include <stdint.h>

typedef struct VkInstance_T *VkInstance;
typedef struct VkPhysicalDevice_T *VkPhysicalDevice;
typedef struct VkDevice_T *VkDevice;
typedef struct VkQueue_T *VkQueue;
typedef struct VkCommandBuffer_T *VkCommandBuffer;
typedef uint64_t VkBuffer, VkImage, VkImageView, VkSampler, VkDeviceMemory, VkSemaphore, VkFence;
typedef uint64_t VkShaderModule, VkPipeline, VkPipelineLayout, VkPipelineCache, VkRenderPass, VkFramebuffer;
typedef uint64_t VkDescriptorSetLayout, VkDescriptorPool, VkDescriptorSet, VkCommandPool, VkQueryPool;
typedef uint64_t VkSurfaceKHR, VkSwapchainKHR, VkDebugUtilsMessengerEXT, VkBufferView;
typedef int32_t VkResult, VkEnum;
typedef uint32_t VkFlags, VkBool32;
typedef uint64_t VkDeviceSize;
typedef void (*PFN_vkVoidFunction)(void);

enum {
	VK_SUCCESS = 0,
	VK_NOT_READY = 1,
	VK_TIMEOUT = 2,
	VK_INCOMPLETE = 5,
	VK_ERROR_OUT_OF_HOST_MEMORY = -1,
	VK_ERROR_INITIALIZATION_FAILED = -3,
	VK_ERROR_LAYER_NOT_PRESENT = -6,
	VK_ERROR_EXTENSION_NOT_PRESENT = -7,
	VK_ERROR_DEVICE_LOST = -4,
	VK_ERROR_OUT_OF_DATE_KHR = -1000001004,
	VK_SUBOPTIMAL_KHR = 1000001003,

	VK_STRUCTURE_TYPE_APPLICATION_INFO = 0,
	VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO = 1,
	VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO = 2,
	VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO = 3,
	VK_STRUCTURE_TYPE_SUBMIT_INFO = 4,
	VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO = 5,
	VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO = 9,
	VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO = 11,
	VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO = 12,
	VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO = 14,
	VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO = 15,
	VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO = 16,
	VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO = 17,
	VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO = 18,
	VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO = 19,
	VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO = 20,
	VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO = 22,
	VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO = 23,
	VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO = 24,
	VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO = 25,
	VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO = 26,
	VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO = 27,
	VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO = 28,
	VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO = 29,
	VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO = 30,
	VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO = 31,
	VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO = 32,
	VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO = 33,
	VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO = 34,
	VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET = 35,
	VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO = 37,
	VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO = 38,
	VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO = 39,
	VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO = 40,
	VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO = 42,
	VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO = 43,
	VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER = 44,
	VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER = 45,
	VK_STRUCTURE_TYPE_MEMORY_BARRIER = 46,
	VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES = 51,
	VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR = 1000001000,
	VK_STRUCTURE_TYPE_PRESENT_INFO_KHR = 1000001001,
	VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO = 1000044002,
	VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES = 1000044003,
	VK_STRUCTURE_TYPE_RENDERING_INFO = 1000044000,
	VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO = 1000044001,
	VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO = 1000053000,
	VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES = 1000053001,
	VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 = 1000059000,
	VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2 = 1000059001,
	VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2 = 1000059006,
	VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES = 1000071004,
	VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO = 1000127001,
	VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT = 1000128000,
	VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT = 1000128002,
	VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT = 1000128004,
	VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO = 1000161000,
	VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT = 1000184000,
	VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES = 1000196000,
	VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO = 1000207002,
	VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO = 1000207003,
	VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO = 1000207004,
	VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT = 1000237000,
	VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT = 1000247000,

	VK_TIME_DOMAIN_DEVICE_EXT = 0,
	VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT = 1,

	VK_QUEUE_GRAPHICS_BIT = 1,
	VK_QUEUE_COMPUTE_BIT = 2,
	VK_QUEUE_TRANSFER_BIT = 4,
	VK_MEMORY_HEAP_DEVICE_LOCAL_BIT = 1,
	VK_SEMAPHORE_TYPE_TIMELINE = 1,
	VK_QUERY_TYPE_PIPELINE_STATISTICS = 1,
	VK_QUERY_TYPE_TIMESTAMP = 2,
	VK_QUERY_RESULT_64_BIT = 1,
	VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT = 1,
	VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_PRIMITIVES_BIT = 2,
	VK_QUERY_PIPELINE_STATISTIC_VERTEX_SHADER_INVOCATIONS_BIT = 4,
	VK_QUERY_PIPELINE_STATISTIC_CLIPPING_INVOCATIONS_BIT = 32,
	VK_QUERY_PIPELINE_STATISTIC_CLIPPING_PRIMITIVES_BIT = 64,
	VK_QUERY_PIPELINE_STATISTIC_FRAGMENT_SHADER_INVOCATIONS_BIT = 128,
	VK_COMMAND_POOL_CREATE_TRANSIENT_BIT = 1,
	VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT = 1,
	VK_PIPELINE_BIND_POINT_GRAPHICS = 0,
	VK_ATTACHMENT_LOAD_OP_DONT_CARE = 2,
	VK_ATTACHMENT_STORE_OP_STORE = 0,
	VK_ATTACHMENT_STORE_OP_DONT_CARE = 1,
	VK_PIPELINE_BIND_POINT_COMPUTE = 1,
	VK_SHADER_STAGE_VERTEX_BIT = 1,
	VK_SHADER_STAGE_FRAGMENT_BIT = 16,
	VK_SHADER_STAGE_COMPUTE_BIT = 32,
	VK_IMAGE_TYPE_2D = 1,
	VK_IMAGE_VIEW_TYPE_2D = 1,
	VK_IMAGE_VIEW_TYPE_2D_ARRAY = 5,
	VK_IMAGE_ASPECT_COLOR_BIT = 1,
	VK_IMAGE_ASPECT_DEPTH_BIT = 2,
	VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL = 5,
	VK_IMAGE_LAYOUT_GENERAL = 1,
	VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL = 2,
	VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL = 3,
	VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL = 6,
	VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL = 7,
	VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT = 16,
	VK_IMAGE_USAGE_TRANSFER_SRC_BIT = 1,
	VK_IMAGE_USAGE_TRANSFER_DST_BIT = 2,
	VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER = 1,
	VK_DESCRIPTOR_TYPE_STORAGE_IMAGE = 3,
	VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT = 4,
	VK_DYNAMIC_STATE_VIEWPORT = 0,
	VK_DYNAMIC_STATE_SCISSOR = 1,
	VK_VERTEX_INPUT_RATE_INSTANCE = 1,
	VK_POLYGON_MODE_LINE = 1,
	VK_BLEND_FACTOR_ONE = 1,
	VK_BLEND_FACTOR_SRC_ALPHA = 6,
	VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA = 7,
	VK_RESOLVE_MODE_AVERAGE_BIT = 2,
	VK_SAMPLER_MIPMAP_MODE_LINEAR = 1,
	VK_COMPARE_OP_NEVER = 0,
	VK_COMPARE_OP_LESS = 1,
	VK_COMPARE_OP_GREATER_OR_EQUAL = 6,
	VK_COMPARE_OP_ALWAYS = 7,
	VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR = 1,
	VK_DEBUG_UTILS_MESSAGE_SEVERITY_VERBOSE_BIT_EXT = 0x1,
	VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT = 0x10,
	VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT = 0x100,
	VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT = 0x1000,
	VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT = 1,
	VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT = 2,
	VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT = 4,
	VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT = 2,
	VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT = 4,
	VK_OBJECT_TYPE_DEVICE = 3,
	VK_OBJECT_TYPE_QUEUE = 4,
	VK_OBJECT_TYPE_SEMAPHORE = 5,
	VK_OBJECT_TYPE_COMMAND_BUFFER = 6,
	VK_OBJECT_TYPE_DEVICE_MEMORY = 8,
	VK_OBJECT_TYPE_BUFFER = 9,
	VK_OBJECT_TYPE_IMAGE = 10,
	VK_OBJECT_TYPE_QUERY_POOL = 12,
	VK_OBJECT_TYPE_IMAGE_VIEW = 14,
	VK_OBJECT_TYPE_SHADER_MODULE = 15,
	VK_OBJECT_TYPE_PIPELINE_CACHE = 16,
	VK_OBJECT_TYPE_PIPELINE_LAYOUT = 17,
	VK_OBJECT_TYPE_PIPELINE = 19,
	VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT = 20,
	VK_OBJECT_TYPE_SAMPLER = 21,
	VK_OBJECT_TYPE_DESCRIPTOR_POOL = 22,
	VK_OBJECT_TYPE_DESCRIPTOR_SET = 23,
	VK_OBJECT_TYPE_COMMAND_POOL = 25,
	VK_OBJECT_TYPE_SWAPCHAIN_KHR = 1000001000,
};

#define VK_QUEUE_FAMILY_IGNORED (~0U)
#define VK_WHOLE_SIZE (~0ULL)
#define VK_REMAINING (~0U)
#define VK_LOD_CLAMP_NONE 1000.0F

// Every extensible struct starts with sType and pNext.
typedef struct VkBaseOut { VkEnum sType; void *pNext; } VkBaseOut;
typedef struct VkExtent2D { uint32_t width, height; } VkExtent2D;
typedef struct VkExtent3D { uint32_t width, height, depth; } VkExtent3D;
typedef struct VkOffset2D { int32_t x, y; } VkOffset2D;
typedef struct VkOffset3D { int32_t x, y, z; } VkOffset3D;
typedef struct VkRect2D { VkOffset2D offset; VkExtent2D extent; } VkRect2D;
typedef struct VkViewport { float x, y, width, height, minDepth, maxDepth; } VkViewport;

typedef struct VkApplicationInfo {
	VkEnum sType; const void *pNext;
	const char *pApplicationName; uint32_t applicationVersion;
	const char *pEngineName; uint32_t engineVersion; uint32_t apiVersion;
} VkApplicationInfo;

typedef struct VkInstanceCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags;
	const VkApplicationInfo *pApplicationInfo;
	uint32_t enabledLayerCount; const char *const *ppEnabledLayerNames;
	uint32_t enabledExtensionCount; const char *const *ppEnabledExtensionNames;
} VkInstanceCreateInfo;

typedef struct VkExtensionProperties { char extensionName[256]; uint32_t specVersion; } VkExtensionProperties;
typedef struct VkLayerProperties {
	char layerName[256]; uint32_t specVersion, implementationVersion; char description[256];
} VkLayerProperties;

typedef struct VkPhysicalDeviceLimits {
	uint32_t maxImageDimension1D, maxImageDimension2D, maxImageDimension3D, maxImageDimensionCube;
	uint32_t maxImageArrayLayers, maxTexelBufferElements, maxUniformBufferRange, maxStorageBufferRange;
	uint32_t maxPushConstantsSize, maxMemoryAllocationCount, maxSamplerAllocationCount;
	VkDeviceSize bufferImageGranularity, sparseAddressSpaceSize;
	uint32_t maxBoundDescriptorSets, maxPerStageDescriptorSamplers, maxPerStageDescriptorUniformBuffers;
	uint32_t maxPerStageDescriptorStorageBuffers, maxPerStageDescriptorSampledImages;
	uint32_t maxPerStageDescriptorStorageImages, maxPerStageDescriptorInputAttachments, maxPerStageResources;
	uint32_t maxDescriptorSetSamplers, maxDescriptorSetUniformBuffers, maxDescriptorSetUniformBuffersDynamic;
	uint32_t maxDescriptorSetStorageBuffers, maxDescriptorSetStorageBuffersDynamic;
	uint32_t maxDescriptorSetSampledImages, maxDescriptorSetStorageImages, maxDescriptorSetInputAttachments;
	uint32_t maxVertexInputAttributes, maxVertexInputBindings, maxVertexInputAttributeOffset;
	uint32_t maxVertexInputBindingStride, maxVertexOutputComponents;
	uint32_t maxTessellationGenerationLevel, maxTessellationPatchSize;
	uint32_t maxTessellationControlPerVertexInputComponents, maxTessellationControlPerVertexOutputComponents;
	uint32_t maxTessellationControlPerPatchOutputComponents, maxTessellationControlTotalOutputComponents;
	uint32_t maxTessellationEvaluationInputComponents, maxTessellationEvaluationOutputComponents;
	uint32_t maxGeometryShaderInvocations, maxGeometryInputComponents, maxGeometryOutputComponents;
	uint32_t maxGeometryOutputVertices, maxGeometryTotalOutputComponents;
	uint32_t maxFragmentInputComponents, maxFragmentOutputAttachments, maxFragmentDualSrcAttachments;
	uint32_t maxFragmentCombinedOutputResources, maxComputeSharedMemorySize;
	uint32_t maxComputeWorkGroupCount[3]; uint32_t maxComputeWorkGroupInvocations;
	uint32_t maxComputeWorkGroupSize[3];
	uint32_t subPixelPrecisionBits, subTexelPrecisionBits, mipmapPrecisionBits;
	uint32_t maxDrawIndexedIndexValue, maxDrawIndirectCount;
	float maxSamplerLodBias, maxSamplerAnisotropy;
	uint32_t maxViewports; uint32_t maxViewportDimensions[2]; float viewportBoundsRange[2];
	uint32_t viewportSubPixelBits; size_t minMemoryMapAlignment;
	VkDeviceSize minTexelBufferOffsetAlignment, minUniformBufferOffsetAlignment, minStorageBufferOffsetAlignment;
	int32_t minTexelOffset; uint32_t maxTexelOffset; int32_t minTexelGatherOffset; uint32_t maxTexelGatherOffset;
	float minInterpolationOffset, maxInterpolationOffset; uint32_t subPixelInterpolationOffsetBits;
	uint32_t maxFramebufferWidth, maxFramebufferHeight, maxFramebufferLayers;
	VkFlags framebufferColorSampleCounts, framebufferDepthSampleCounts, framebufferStencilSampleCounts;
	VkFlags framebufferNoAttachmentsSampleCounts; uint32_t maxColorAttachments;
	VkFlags sampledImageColorSampleCounts, sampledImageIntegerSampleCounts, sampledImageDepthSampleCounts;
	VkFlags sampledImageStencilSampleCounts, storageImageSampleCounts;
	uint32_t maxSampleMaskWords; VkBool32 timestampComputeAndGraphics; float timestampPeriod;
	uint32_t maxClipDistances, maxCullDistances, maxCombinedClipAndCullDistances, discreteQueuePriorities;
	float pointSizeRange[2]; float lineWidthRange[2]; float pointSizeGranularity, lineWidthGranularity;
	VkBool32 strictLines, standardSampleLocations;
	VkDeviceSize optimalBufferCopyOffsetAlignment, optimalBufferCopyRowPitchAlignment, nonCoherentAtomSize;
} VkPhysicalDeviceLimits;

typedef struct VkPhysicalDeviceSparseProperties {
	VkBool32 residencyStandard2DBlockShape, residencyStandard2DMultisampleBlockShape;
	VkBool32 residencyStandard3DBlockShape, residencyAlignedMipSize, residencyNonResidentStrict;
} VkPhysicalDeviceSparseProperties;

typedef struct VkPhysicalDeviceProperties {
	uint32_t apiVersion, driverVersion, vendorID, deviceID; VkEnum deviceType;
	char deviceName[256]; uint8_t pipelineCacheUUID[16];
	VkPhysicalDeviceLimits limits; VkPhysicalDeviceSparseProperties sparseProperties;
} VkPhysicalDeviceProperties;

typedef struct VkPhysicalDeviceProperties2 {
	VkEnum sType; void *pNext; VkPhysicalDeviceProperties properties;
} VkPhysicalDeviceProperties2;

typedef struct VkConformanceVersion { uint8_t major, minor, subminor, patch; } VkConformanceVersion;
typedef struct VkPhysicalDeviceDriverProperties {
	VkEnum sType; void *pNext; VkEnum driverID;
	char driverName[256]; char driverInfo[256]; VkConformanceVersion conformanceVersion;
} VkPhysicalDeviceDriverProperties;

typedef struct VkPhysicalDeviceIDProperties {
	VkEnum sType; void *pNext; uint8_t deviceUUID[16]; uint8_t driverUUID[16];
	uint8_t deviceLUID[8]; uint32_t deviceNodeMask; VkBool32 deviceLUIDValid;
} VkPhysicalDeviceIDProperties;

typedef struct VkPhysicalDeviceFeatures {
	VkBool32 robustBufferAccess, fullDrawIndexUint32, imageCubeArray, independentBlend, geometryShader;
	VkBool32 tessellationShader, sampleRateShading, dualSrcBlend, logicOp, multiDrawIndirect;
	VkBool32 drawIndirectFirstInstance, depthClamp, depthBiasClamp, fillModeNonSolid, depthBounds;
	VkBool32 wideLines, largePoints, alphaToOne, multiViewport, samplerAnisotropy;
	VkBool32 textureCompressionETC2, textureCompressionASTC_LDR, textureCompressionBC;
	VkBool32 occlusionQueryPrecise, pipelineStatisticsQuery, vertexPipelineStoresAndAtomics;
	VkBool32 fragmentStoresAndAtomics, shaderTessellationAndGeometryPointSize, shaderImageGatherExtended;
	VkBool32 shaderStorageImageExtendedFormats, shaderStorageImageMultisample;
	VkBool32 shaderStorageImageReadWithoutFormat, shaderStorageImageWriteWithoutFormat;
	VkBool32 shaderUniformBufferArrayDynamicIndexing, shaderSampledImageArrayDynamicIndexing;
	VkBool32 shaderStorageBufferArrayDynamicIndexing, shaderStorageImageArrayDynamicIndexing;
	VkBool32 shaderClipDistance, shaderCullDistance, shaderFloat64, shaderInt64, shaderInt16;
	VkBool32 shaderResourceResidency, shaderResourceMinLod, sparseBinding, sparseResidencyBuffer;
	VkBool32 sparseResidencyImage2D, sparseResidencyImage3D, sparseResidency2Samples, sparseResidency4Samples;
	VkBool32 sparseResidency8Samples, sparseResidency16Samples, sparseResidencyAliased;
	VkBool32 variableMultisampleRate, inheritedQueries;
} VkPhysicalDeviceFeatures;

typedef struct VkPhysicalDeviceFeatures2 {
	VkEnum sType; void *pNext; VkPhysicalDeviceFeatures features;
} VkPhysicalDeviceFeatures2;

typedef struct VkPhysicalDeviceVulkan12Features {
	VkEnum sType; void *pNext;
	VkBool32 samplerMirrorClampToEdge, drawIndirectCount, storageBuffer8BitAccess;
	VkBool32 uniformAndStorageBuffer8BitAccess, storagePushConstant8, shaderBufferInt64Atomics;
	VkBool32 shaderSharedInt64Atomics, shaderFloat16, shaderInt8, descriptorIndexing;
	VkBool32 shaderInputAttachmentArrayDynamicIndexing, shaderUniformTexelBufferArrayDynamicIndexing;
	VkBool32 shaderStorageTexelBufferArrayDynamicIndexing, shaderUniformBufferArrayNonUniformIndexing;
	VkBool32 shaderSampledImageArrayNonUniformIndexing, shaderStorageBufferArrayNonUniformIndexing;
	VkBool32 shaderStorageImageArrayNonUniformIndexing, shaderInputAttachmentArrayNonUniformIndexing;
	VkBool32 shaderUniformTexelBufferArrayNonUniformIndexing, shaderStorageTexelBufferArrayNonUniformIndexing;
	VkBool32 descriptorBindingUniformBufferUpdateAfterBind, descriptorBindingSampledImageUpdateAfterBind;
	VkBool32 descriptorBindingStorageImageUpdateAfterBind, descriptorBindingStorageBufferUpdateAfterBind;
	VkBool32 descriptorBindingUniformTexelBufferUpdateAfterBind;
	VkBool32 descriptorBindingStorageTexelBufferUpdateAfterBind, descriptorBindingUpdateUnusedWhilePending;
	VkBool32 descriptorBindingPartiallyBound, descriptorBindingVariableDescriptorCount, runtimeDescriptorArray;
	VkBool32 samplerFilterMinmax, scalarBlockLayout, imagelessFramebuffer, uniformBufferStandardLayout;
	VkBool32 shaderSubgroupExtendedTypes, separateDepthStencilLayouts, hostQueryReset, timelineSemaphore;
	VkBool32 bufferDeviceAddress, bufferDeviceAddressCaptureReplay, bufferDeviceAddressMultiDevice;
	VkBool32 vulkanMemoryModel, vulkanMemoryModelDeviceScope, vulkanMemoryModelAvailabilityVisibilityChains;
	VkBool32 shaderOutputViewportIndex, shaderOutputLayer, subgroupBroadcastDynamicId;
} VkPhysicalDeviceVulkan12Features;

typedef struct VkPhysicalDeviceDynamicRenderingFeatures {
	VkEnum sType; void *pNext; VkBool32 dynamicRendering;
} VkPhysicalDeviceDynamicRenderingFeatures;

typedef struct VkPhysicalDeviceMultiviewFeatures {
	VkEnum sType; void *pNext; VkBool32 multiview, multiviewGeometryShader, multiviewTessellationShader;
} VkPhysicalDeviceMultiviewFeatures;

typedef struct VkQueueFamilyProperties {
	VkFlags queueFlags; uint32_t queueCount, timestampValidBits; VkExtent3D minImageTransferGranularity;
} VkQueueFamilyProperties;

typedef struct VkMemoryType { VkFlags propertyFlags; uint32_t heapIndex; } VkMemoryType;
typedef struct VkMemoryHeap { VkDeviceSize size; VkFlags flags; } VkMemoryHeap;
typedef struct VkPhysicalDeviceMemoryProperties {
	uint32_t memoryTypeCount; VkMemoryType memoryTypes[32];
	uint32_t memoryHeapCount; VkMemoryHeap memoryHeaps[16];
} VkPhysicalDeviceMemoryProperties;
typedef struct VkPhysicalDeviceMemoryProperties2 {
	VkEnum sType; void *pNext; VkPhysicalDeviceMemoryProperties memoryProperties;
} VkPhysicalDeviceMemoryProperties2;
typedef struct VkCalibratedTimestampInfoEXT { VkEnum sType; const void *pNext; VkEnum timeDomain; } VkCalibratedTimestampInfoEXT;
typedef struct VkPhysicalDeviceMemoryBudgetPropertiesEXT {
	VkEnum sType; void *pNext; VkDeviceSize heapBudget[16]; VkDeviceSize heapUsage[16];
} VkPhysicalDeviceMemoryBudgetPropertiesEXT;

typedef struct VkDeviceQueueCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags;
	uint32_t queueFamilyIndex, queueCount; const float *pQueuePriorities;
} VkDeviceQueueCreateInfo;
typedef struct VkDeviceCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags;
	uint32_t queueCreateInfoCount; const VkDeviceQueueCreateInfo *pQueueCreateInfos;
	uint32_t enabledLayerCount; const char *const *ppEnabledLayerNames;
	uint32_t enabledExtensionCount; const char *const *ppEnabledExtensionNames;
	const VkPhysicalDeviceFeatures *pEnabledFeatures;
} VkDeviceCreateInfo;

typedef struct VkSemaphoreCreateInfo { VkEnum sType; const void *pNext; VkFlags flags; } VkSemaphoreCreateInfo;
typedef struct VkSemaphoreTypeCreateInfo {
	VkEnum sType; const void *pNext; VkEnum semaphoreType; uint64_t initialValue;
} VkSemaphoreTypeCreateInfo;
typedef struct VkSemaphoreWaitInfo {
	VkEnum sType; const void *pNext; VkFlags flags;
	uint32_t semaphoreCount; const VkSemaphore *pSemaphores; const uint64_t *pValues;
} VkSemaphoreWaitInfo;
typedef struct VkTimelineSemaphoreSubmitInfo {
	VkEnum sType; const void *pNext;
	uint32_t waitSemaphoreValueCount; const uint64_t *pWaitSemaphoreValues;
	uint32_t signalSemaphoreValueCount; const uint64_t *pSignalSemaphoreValues;
} VkTimelineSemaphoreSubmitInfo;
typedef struct VkSubmitInfo {
	VkEnum sType; const void *pNext;
	uint32_t waitSemaphoreCount; const VkSemaphore *pWaitSemaphores; const VkFlags *pWaitDstStageMask;
	uint32_t commandBufferCount; const VkCommandBuffer *pCommandBuffers;
	uint32_t signalSemaphoreCount; const VkSemaphore *pSignalSemaphores;
} VkSubmitInfo;

typedef struct VkMemoryAllocateInfo {
	VkEnum sType; const void *pNext; VkDeviceSize allocationSize; uint32_t memoryTypeIndex;
} VkMemoryAllocateInfo;
typedef struct VkMemoryDedicatedAllocateInfo {
	VkEnum sType; const void *pNext; VkImage image; VkBuffer buffer;
} VkMemoryDedicatedAllocateInfo;
typedef struct VkMemoryRequirements { VkDeviceSize size, alignment; uint32_t memoryTypeBits; } VkMemoryRequirements;

typedef struct VkBufferCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags; VkDeviceSize size; VkFlags usage;
	VkEnum sharingMode; uint32_t queueFamilyIndexCount; const uint32_t *pQueueFamilyIndices;
} VkBufferCreateInfo;
typedef struct VkImageCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags; VkEnum imageType, format; VkExtent3D extent;
	uint32_t mipLevels, arrayLayers; VkFlags samples; VkEnum tiling; VkFlags usage;
	VkEnum sharingMode; uint32_t queueFamilyIndexCount; const uint32_t *pQueueFamilyIndices;
	VkEnum initialLayout;
} VkImageCreateInfo;
typedef struct VkComponentMapping { VkEnum r, g, b, a; } VkComponentMapping;
typedef struct VkImageSubresourceRange {
	VkFlags aspectMask; uint32_t baseMipLevel, levelCount, baseArrayLayer, layerCount;
} VkImageSubresourceRange;
typedef struct VkImageSubresourceLayers {
	VkFlags aspectMask; uint32_t mipLevel, baseArrayLayer, layerCount;
} VkImageSubresourceLayers;
typedef struct VkImageViewCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags; VkImage image; VkEnum viewType, format;
	VkComponentMapping components; VkImageSubresourceRange subresourceRange;
} VkImageViewCreateInfo;
typedef struct VkSamplerCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags;
	VkEnum magFilter, minFilter, mipmapMode, addressModeU, addressModeV, addressModeW;
	float mipLodBias; VkBool32 anisotropyEnable; float maxAnisotropy;
	VkBool32 compareEnable; VkEnum compareOp; float minLod, maxLod;
	VkEnum borderColor; VkBool32 unnormalizedCoordinates;
} VkSamplerCreateInfo;

typedef struct VkShaderModuleCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags; size_t codeSize; const uint32_t *pCode;
} VkShaderModuleCreateInfo;
typedef struct VkPipelineCacheCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags; size_t initialDataSize; const void *pInitialData;
} VkPipelineCacheCreateInfo;
typedef struct VkSpecializationMapEntry { uint32_t constantID, offset; size_t size; } VkSpecializationMapEntry;
typedef struct VkSpecializationInfo {
	uint32_t mapEntryCount; const VkSpecializationMapEntry *pMapEntries; size_t dataSize; const void *pData;
} VkSpecializationInfo;
typedef struct VkPipelineShaderStageCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags; VkFlags stage; VkShaderModule module;
	const char *pName; const VkSpecializationInfo *pSpecializationInfo;
} VkPipelineShaderStageCreateInfo;
typedef struct VkVertexInputBindingDescription {
	uint32_t binding, stride; VkEnum inputRate;
} VkVertexInputBindingDescription;
typedef struct VkVertexInputAttributeDescription {
	uint32_t location, binding; VkEnum format; uint32_t offset;
} VkVertexInputAttributeDescription;
typedef struct VkPipelineVertexInputStateCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags;
	uint32_t vertexBindingDescriptionCount; const VkVertexInputBindingDescription *pVertexBindingDescriptions;
	uint32_t vertexAttributeDescriptionCount;
	const VkVertexInputAttributeDescription *pVertexAttributeDescriptions;
} VkPipelineVertexInputStateCreateInfo;
typedef struct VkPipelineInputAssemblyStateCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags; VkEnum topology; VkBool32 primitiveRestartEnable;
} VkPipelineInputAssemblyStateCreateInfo;
typedef struct VkPipelineViewportStateCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags;
	uint32_t viewportCount; const VkViewport *pViewports; uint32_t scissorCount; const VkRect2D *pScissors;
} VkPipelineViewportStateCreateInfo;
typedef struct VkPipelineRasterizationStateCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags;
	VkBool32 depthClampEnable, rasterizerDiscardEnable; VkEnum polygonMode; VkFlags cullMode;
	VkEnum frontFace; VkBool32 depthBiasEnable;
	float depthBiasConstantFactor, depthBiasClamp, depthBiasSlopeFactor, lineWidth;
} VkPipelineRasterizationStateCreateInfo;
typedef struct VkPipelineMultisampleStateCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags; VkFlags rasterizationSamples;
	VkBool32 sampleShadingEnable; float minSampleShading; const uint32_t *pSampleMask;
	VkBool32 alphaToCoverageEnable, alphaToOneEnable;
} VkPipelineMultisampleStateCreateInfo;
typedef struct VkStencilOpState {
	VkEnum failOp, passOp, depthFailOp, compareOp; uint32_t compareMask, writeMask, reference;
} VkStencilOpState;
typedef struct VkPipelineDepthStencilStateCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags;
	VkBool32 depthTestEnable, depthWriteEnable; VkEnum depthCompareOp;
	VkBool32 depthBoundsTestEnable, stencilTestEnable; VkStencilOpState front, back;
	float minDepthBounds, maxDepthBounds;
} VkPipelineDepthStencilStateCreateInfo;
typedef struct VkPipelineColorBlendAttachmentState {
	VkBool32 blendEnable; VkEnum srcColorBlendFactor, dstColorBlendFactor, colorBlendOp;
	VkEnum srcAlphaBlendFactor, dstAlphaBlendFactor, alphaBlendOp; VkFlags colorWriteMask;
} VkPipelineColorBlendAttachmentState;
typedef struct VkPipelineColorBlendStateCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags; VkBool32 logicOpEnable; VkEnum logicOp;
	uint32_t attachmentCount; const VkPipelineColorBlendAttachmentState *pAttachments;
	float blendConstants[4];
} VkPipelineColorBlendStateCreateInfo;
typedef struct VkPipelineDynamicStateCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags; uint32_t dynamicStateCount; const VkEnum *pDynamicStates;
} VkPipelineDynamicStateCreateInfo;
typedef struct VkPipelineRenderingCreateInfo {
	VkEnum sType; const void *pNext; uint32_t viewMask;
	uint32_t colorAttachmentCount; const VkEnum *pColorAttachmentFormats;
	VkEnum depthAttachmentFormat, stencilAttachmentFormat;
} VkPipelineRenderingCreateInfo;
typedef struct VkGraphicsPipelineCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags;
	uint32_t stageCount; const VkPipelineShaderStageCreateInfo *pStages;
	const VkPipelineVertexInputStateCreateInfo *pVertexInputState;
	const VkPipelineInputAssemblyStateCreateInfo *pInputAssemblyState;
	const void *pTessellationState;
	const VkPipelineViewportStateCreateInfo *pViewportState;
	const VkPipelineRasterizationStateCreateInfo *pRasterizationState;
	const VkPipelineMultisampleStateCreateInfo *pMultisampleState;
	const VkPipelineDepthStencilStateCreateInfo *pDepthStencilState;
	const VkPipelineColorBlendStateCreateInfo *pColorBlendState;
	const VkPipelineDynamicStateCreateInfo *pDynamicState;
	VkPipelineLayout layout; VkRenderPass renderPass; uint32_t subpass;
	VkPipeline basePipelineHandle; int32_t basePipelineIndex;
} VkGraphicsPipelineCreateInfo;
typedef struct VkComputePipelineCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags; VkPipelineShaderStageCreateInfo stage;
	VkPipelineLayout layout; VkPipeline basePipelineHandle; int32_t basePipelineIndex;
} VkComputePipelineCreateInfo;
typedef struct VkPushConstantRange { VkFlags stageFlags; uint32_t offset, size; } VkPushConstantRange;
typedef struct VkPipelineLayoutCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags;
	uint32_t setLayoutCount; const VkDescriptorSetLayout *pSetLayouts;
	uint32_t pushConstantRangeCount; const VkPushConstantRange *pPushConstantRanges;
} VkPipelineLayoutCreateInfo;

typedef struct VkDescriptorSetLayoutBinding {
	uint32_t binding; VkEnum descriptorType; uint32_t descriptorCount; VkFlags stageFlags;
	const VkSampler *pImmutableSamplers;
} VkDescriptorSetLayoutBinding;
typedef struct VkDescriptorSetLayoutCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags;
	uint32_t bindingCount; const VkDescriptorSetLayoutBinding *pBindings;
} VkDescriptorSetLayoutCreateInfo;
typedef struct VkDescriptorSetLayoutBindingFlagsCreateInfo {
	VkEnum sType; const void *pNext; uint32_t bindingCount; const VkFlags *pBindingFlags;
} VkDescriptorSetLayoutBindingFlagsCreateInfo;
typedef struct VkDescriptorPoolSize { VkEnum type; uint32_t descriptorCount; } VkDescriptorPoolSize;
typedef struct VkDescriptorPoolCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags; uint32_t maxSets;
	uint32_t poolSizeCount; const VkDescriptorPoolSize *pPoolSizes;
} VkDescriptorPoolCreateInfo;
typedef struct VkDescriptorSetAllocateInfo {
	VkEnum sType; const void *pNext; VkDescriptorPool descriptorPool;
	uint32_t descriptorSetCount; const VkDescriptorSetLayout *pSetLayouts;
} VkDescriptorSetAllocateInfo;
typedef struct VkDescriptorBufferInfo { VkBuffer buffer; VkDeviceSize offset, range; } VkDescriptorBufferInfo;
typedef struct VkDescriptorImageInfo {
	VkSampler sampler; VkImageView imageView; VkEnum imageLayout;
} VkDescriptorImageInfo;
typedef struct VkWriteDescriptorSet {
	VkEnum sType; const void *pNext; VkDescriptorSet dstSet; uint32_t dstBinding, dstArrayElement;
	uint32_t descriptorCount; VkEnum descriptorType; const VkDescriptorImageInfo *pImageInfo;
	const VkDescriptorBufferInfo *pBufferInfo; const VkBufferView *pTexelBufferView;
} VkWriteDescriptorSet;

typedef struct VkCommandPoolCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags; uint32_t queueFamilyIndex;
} VkCommandPoolCreateInfo;
typedef struct VkCommandBufferAllocateInfo {
	VkEnum sType; const void *pNext; VkCommandPool commandPool; VkEnum level; uint32_t commandBufferCount;
} VkCommandBufferAllocateInfo;
typedef struct VkCommandBufferBeginInfo {
	VkEnum sType; const void *pNext; VkFlags flags; const void *pInheritanceInfo;
} VkCommandBufferBeginInfo;
typedef struct VkQueryPoolCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags; VkEnum queryType; uint32_t queryCount;
	VkFlags pipelineStatistics;
} VkQueryPoolCreateInfo;

typedef struct VkBufferCopy { VkDeviceSize srcOffset, dstOffset, size; } VkBufferCopy;
typedef struct VkBufferImageCopy {
	VkDeviceSize bufferOffset; uint32_t bufferRowLength, bufferImageHeight;
	VkImageSubresourceLayers imageSubresource; VkOffset3D imageOffset; VkExtent3D imageExtent;
} VkBufferImageCopy;
typedef struct VkImageBlit {
	VkImageSubresourceLayers srcSubresource; VkOffset3D srcOffsets[2];
	VkImageSubresourceLayers dstSubresource; VkOffset3D dstOffsets[2];
} VkImageBlit;
typedef struct VkMemoryBarrier {
	VkEnum sType; const void *pNext; VkFlags srcAccessMask, dstAccessMask;
} VkMemoryBarrier;
typedef struct VkBufferMemoryBarrier {
	VkEnum sType; const void *pNext; VkFlags srcAccessMask, dstAccessMask;
	uint32_t srcQueueFamilyIndex, dstQueueFamilyIndex; VkBuffer buffer; VkDeviceSize offset, size;
} VkBufferMemoryBarrier;
typedef struct VkImageMemoryBarrier {
	VkEnum sType; const void *pNext; VkFlags srcAccessMask, dstAccessMask; VkEnum oldLayout, newLayout;
	uint32_t srcQueueFamilyIndex, dstQueueFamilyIndex; VkImage image; VkImageSubresourceRange subresourceRange;
} VkImageMemoryBarrier;

typedef union VkClearColorValue { float float32[4]; int32_t int32[4]; uint32_t uint32[4]; } VkClearColorValue;
typedef struct VkClearDepthStencilValue { float depth; uint32_t stencil; } VkClearDepthStencilValue;
typedef union VkClearValue { VkClearColorValue color; VkClearDepthStencilValue depthStencil; } VkClearValue;
typedef struct VkClearAttachment { VkFlags aspectMask; uint32_t colorAttachment; VkClearValue clearValue; } VkClearAttachment;
typedef struct VkClearRect { VkRect2D rect; uint32_t baseArrayLayer, layerCount; } VkClearRect;
typedef struct VkRenderingAttachmentInfo {
	VkEnum sType; const void *pNext; VkImageView imageView; VkEnum imageLayout; VkFlags resolveMode;
	VkImageView resolveImageView; VkEnum resolveImageLayout, loadOp, storeOp; VkClearValue clearValue;
} VkRenderingAttachmentInfo;
typedef struct VkAttachmentDescription {
	VkFlags flags; VkEnum format, samples, loadOp, storeOp, stencilLoadOp, stencilStoreOp, initialLayout, finalLayout;
} VkAttachmentDescription;
typedef struct VkAttachmentReference { uint32_t attachment; VkEnum layout; } VkAttachmentReference;
typedef struct VkSubpassDescription {
	VkFlags flags; VkEnum pipelineBindPoint; uint32_t inputAttachmentCount; const VkAttachmentReference *pInputAttachments;
	uint32_t colorAttachmentCount; const VkAttachmentReference *pColorAttachments; const VkAttachmentReference *pResolveAttachments;
	const VkAttachmentReference *pDepthStencilAttachment; uint32_t preserveAttachmentCount; const uint32_t *pPreserveAttachments;
} VkSubpassDescription;
typedef struct VkRenderPassCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags; uint32_t attachmentCount; const VkAttachmentDescription *pAttachments;
	uint32_t subpassCount; const VkSubpassDescription *pSubpasses; uint32_t dependencyCount; const void *pDependencies;
} VkRenderPassCreateInfo;
typedef struct VkRenderPassMultiviewCreateInfo {
	VkEnum sType; const void *pNext; uint32_t subpassCount; const uint32_t *pViewMasks;
	uint32_t dependencyCount; const int32_t *pViewOffsets; uint32_t correlationMaskCount; const uint32_t *pCorrelationMasks;
} VkRenderPassMultiviewCreateInfo;
typedef struct VkFramebufferCreateInfo {
	VkEnum sType; const void *pNext; VkFlags flags; VkRenderPass renderPass;
	uint32_t attachmentCount; const VkImageView *pAttachments; uint32_t width, height, layers;
} VkFramebufferCreateInfo;
typedef struct VkRenderPassBeginInfo {
	VkEnum sType; const void *pNext; VkRenderPass renderPass; VkFramebuffer framebuffer; VkRect2D renderArea;
	uint32_t clearValueCount; const VkClearValue *pClearValues;
} VkRenderPassBeginInfo;

typedef struct VkRenderingInfo {
	VkEnum sType; const void *pNext; VkFlags flags; VkRect2D renderArea; uint32_t layerCount, viewMask;
	uint32_t colorAttachmentCount; const VkRenderingAttachmentInfo *pColorAttachments;
	const VkRenderingAttachmentInfo *pDepthAttachment, *pStencilAttachment;
} VkRenderingInfo;

typedef struct VkDebugUtilsLabelEXT {
	VkEnum sType; const void *pNext; const char *pLabelName; float color[4];
} VkDebugUtilsLabelEXT;
typedef struct VkDebugUtilsObjectNameInfoEXT {
	VkEnum sType; const void *pNext; VkEnum objectType; uint64_t objectHandle; const char *pObjectName;
} VkDebugUtilsObjectNameInfoEXT;
typedef struct VkDebugUtilsMessengerCallbackDataEXT {
	VkEnum sType; const void *pNext; VkFlags flags; const char *pMessageIdName; int32_t messageIdNumber;
	const char *pMessage; uint32_t queueLabelCount; const VkDebugUtilsLabelEXT *pQueueLabels;
	uint32_t cmdBufLabelCount; const VkDebugUtilsLabelEXT *pCmdBufLabels;
	uint32_t objectCount; const VkDebugUtilsObjectNameInfoEXT *pObjects;
} VkDebugUtilsMessengerCallbackDataEXT;
typedef VkBool32 (*PFN_vkDebugUtilsMessengerCallbackEXT)(VkEnum severity, VkFlags types,
	const VkDebugUtilsMessengerCallbackDataEXT *data, void *user);
typedef struct VkDebugUtilsMessengerCreateInfoEXT {
	VkEnum sType; const void *pNext; VkFlags flags, messageSeverity, messageType;
	PFN_vkDebugUtilsMessengerCallbackEXT pfnUserCallback; void *pUserData;
} VkDebugUtilsMessengerCreateInfoEXT;
typedef struct VkValidationFeaturesEXT {
	VkEnum sType; const void *pNext;
	uint32_t enabledValidationFeatureCount; const VkEnum *pEnabledValidationFeatures;
	uint32_t disabledValidationFeatureCount; const VkEnum *pDisabledValidationFeatures;
} VkValidationFeaturesEXT;

typedef struct VkSurfaceCapabilitiesKHR {
	uint32_t minImageCount, maxImageCount; VkExtent2D currentExtent, minImageExtent, maxImageExtent;
	uint32_t maxImageArrayLayers; VkFlags supportedTransforms, currentTransform;
	VkFlags supportedCompositeAlpha, supportedUsageFlags;
} VkSurfaceCapabilitiesKHR;
typedef struct VkSurfaceFormatKHR { VkEnum format, colorSpace; } VkSurfaceFormatKHR;
typedef struct VkSwapchainCreateInfoKHR {
	VkEnum sType; const void *pNext; VkFlags flags; VkSurfaceKHR surface; uint32_t minImageCount;
	VkEnum imageFormat, imageColorSpace; VkExtent2D imageExtent; uint32_t imageArrayLayers; VkFlags imageUsage;
	VkEnum imageSharingMode; uint32_t queueFamilyIndexCount; const uint32_t *pQueueFamilyIndices;
	VkFlags preTransform, compositeAlpha; VkEnum presentMode; VkBool32 clipped; VkSwapchainKHR oldSwapchain;
} VkSwapchainCreateInfoKHR;
typedef struct VkPresentInfoKHR {
	VkEnum sType; const void *pNext; uint32_t waitSemaphoreCount; const VkSemaphore *pWaitSemaphores;
	uint32_t swapchainCount; const VkSwapchainKHR *pSwapchains; const uint32_t *pImageIndices; VkResult *pResults;
} VkPresentInfoKHR;

#endif
