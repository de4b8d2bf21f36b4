// The dispatch tables. One list each makes the table and loads it.
#ifndef VKT_DISPATCH_H
#define VKT_DISPATCH_H

#include "shim.h"
#include <pthread.h>
#include <stdatomic.h>

// O marks functions that may be missing.
#define VKT_INSTANCE_FUNCS(F, O) \
	F(void, DestroyInstance, (VkInstance, const void *)) \
	F(VkResult, EnumeratePhysicalDevices, (VkInstance, uint32_t *, VkPhysicalDevice *)) \
	F(void, GetPhysicalDeviceProperties, (VkPhysicalDevice, VkPhysicalDeviceProperties *)) \
	F(void, GetPhysicalDeviceProperties2, (VkPhysicalDevice, VkPhysicalDeviceProperties2 *)) \
	F(void, GetPhysicalDeviceFeatures2, (VkPhysicalDevice, VkPhysicalDeviceFeatures2 *)) \
	F(void, GetPhysicalDeviceQueueFamilyProperties, (VkPhysicalDevice, uint32_t *, VkQueueFamilyProperties *)) \
	F(void, GetPhysicalDeviceMemoryProperties2, (VkPhysicalDevice, VkPhysicalDeviceMemoryProperties2 *)) \
	F(void, GetPhysicalDeviceFormatProperties, (VkPhysicalDevice, VkEnum, VkFlags *)) \
	F(VkResult, EnumerateDeviceExtensionProperties, (VkPhysicalDevice, const char *, uint32_t *, VkExtensionProperties *)) \
	F(VkResult, CreateDevice, (VkPhysicalDevice, const VkDeviceCreateInfo *, const void *, VkDevice *)) \
	F(PFN_vkVoidFunction, GetDeviceProcAddr, (VkDevice, const char *)) \
	O(VkResult, GetPhysicalDeviceCalibrateableTimeDomainsEXT, (VkPhysicalDevice, uint32_t *, VkEnum *)) \
	O(void, DestroySurfaceKHR, (VkInstance, VkSurfaceKHR, const void *)) \
	O(VkResult, GetPhysicalDeviceSurfaceSupportKHR, (VkPhysicalDevice, uint32_t, VkSurfaceKHR, VkBool32 *)) \
	O(VkResult, GetPhysicalDeviceSurfaceCapabilitiesKHR, (VkPhysicalDevice, VkSurfaceKHR, VkSurfaceCapabilitiesKHR *)) \
	O(VkResult, GetPhysicalDeviceSurfaceFormatsKHR, (VkPhysicalDevice, VkSurfaceKHR, uint32_t *, VkSurfaceFormatKHR *)) \
	O(VkResult, GetPhysicalDeviceSurfacePresentModesKHR, (VkPhysicalDevice, VkSurfaceKHR, uint32_t *, VkEnum *)) \
	O(VkResult, CreateDebugUtilsMessengerEXT, (VkInstance, const VkDebugUtilsMessengerCreateInfoEXT *, const void *, VkDebugUtilsMessengerEXT *)) \
	O(void, DestroyDebugUtilsMessengerEXT, (VkInstance, VkDebugUtilsMessengerEXT, const void *)) \
	O(VkResult, SetDebugUtilsObjectNameEXT, (VkDevice, const VkDebugUtilsObjectNameInfoEXT *)) \
	O(void, CmdBeginDebugUtilsLabelEXT, (VkCommandBuffer, const VkDebugUtilsLabelEXT *)) \
	O(void, CmdEndDebugUtilsLabelEXT, (VkCommandBuffer)) \
	O(void, QueueBeginDebugUtilsLabelEXT, (VkQueue, const VkDebugUtilsLabelEXT *)) \
	O(void, QueueEndDebugUtilsLabelEXT, (VkQueue))

#define VKT_CREATE(F, Name, Info, Handle) \
	F(VkResult, Create##Name, (VkDevice, const Info *, const void *, Handle *)) \
	F(void, Destroy##Name, (VkDevice, Handle, const void *))

#define VKT_DEVICE_FUNCS(F, O) \
	F(void, DestroyDevice, (VkDevice, const void *)) \
	F(void, GetDeviceQueue, (VkDevice, uint32_t, uint32_t, VkQueue *)) \
	F(VkResult, DeviceWaitIdle, (VkDevice)) \
	F(VkResult, QueueSubmit, (VkQueue, uint32_t, const VkSubmitInfo *, VkFence)) \
	F(VkResult, AllocateMemory, (VkDevice, const VkMemoryAllocateInfo *, const void *, VkDeviceMemory *)) \
	F(void, FreeMemory, (VkDevice, VkDeviceMemory, const void *)) \
	F(VkResult, MapMemory, (VkDevice, VkDeviceMemory, VkDeviceSize, VkDeviceSize, VkFlags, void **)) \
	F(VkResult, BindBufferMemory, (VkDevice, VkBuffer, VkDeviceMemory, VkDeviceSize)) \
	F(VkResult, BindImageMemory, (VkDevice, VkImage, VkDeviceMemory, VkDeviceSize)) \
	F(void, GetBufferMemoryRequirements, (VkDevice, VkBuffer, VkMemoryRequirements *)) \
	F(void, GetImageMemoryRequirements, (VkDevice, VkImage, VkMemoryRequirements *)) \
	VKT_CREATE(F, Buffer, VkBufferCreateInfo, VkBuffer) \
	VKT_CREATE(F, Image, VkImageCreateInfo, VkImage) \
	VKT_CREATE(F, ImageView, VkImageViewCreateInfo, VkImageView) \
	VKT_CREATE(F, Sampler, VkSamplerCreateInfo, VkSampler) \
	VKT_CREATE(F, ShaderModule, VkShaderModuleCreateInfo, VkShaderModule) \
	VKT_CREATE(F, PipelineCache, VkPipelineCacheCreateInfo, VkPipelineCache) \
	VKT_CREATE(F, PipelineLayout, VkPipelineLayoutCreateInfo, VkPipelineLayout) \
	VKT_CREATE(F, DescriptorSetLayout, VkDescriptorSetLayoutCreateInfo, VkDescriptorSetLayout) \
	VKT_CREATE(F, DescriptorPool, VkDescriptorPoolCreateInfo, VkDescriptorPool) \
	VKT_CREATE(F, Semaphore, VkSemaphoreCreateInfo, VkSemaphore) \
	VKT_CREATE(F, CommandPool, VkCommandPoolCreateInfo, VkCommandPool) \
	VKT_CREATE(F, QueryPool, VkQueryPoolCreateInfo, VkQueryPool) \
	VKT_CREATE(F, RenderPass, VkRenderPassCreateInfo, VkRenderPass) \
	VKT_CREATE(F, Framebuffer, VkFramebufferCreateInfo, VkFramebuffer) \
	F(void, CmdBeginRenderPass, (VkCommandBuffer, const VkRenderPassBeginInfo *, VkEnum)) \
	F(void, CmdEndRenderPass, (VkCommandBuffer)) \
	F(VkResult, GetPipelineCacheData, (VkDevice, VkPipelineCache, size_t *, void *)) \
	F(VkResult, CreateGraphicsPipelines, (VkDevice, VkPipelineCache, uint32_t, const VkGraphicsPipelineCreateInfo *, const void *, VkPipeline *)) \
	F(VkResult, CreateComputePipelines, (VkDevice, VkPipelineCache, uint32_t, const VkComputePipelineCreateInfo *, const void *, VkPipeline *)) \
	F(void, DestroyPipeline, (VkDevice, VkPipeline, const void *)) \
	F(VkResult, AllocateDescriptorSets, (VkDevice, const VkDescriptorSetAllocateInfo *, VkDescriptorSet *)) \
	F(void, UpdateDescriptorSets, (VkDevice, uint32_t, const VkWriteDescriptorSet *, uint32_t, const void *)) \
	F(VkResult, AllocateCommandBuffers, (VkDevice, const VkCommandBufferAllocateInfo *, VkCommandBuffer *)) \
	F(VkResult, ResetCommandPool, (VkDevice, VkCommandPool, VkFlags)) \
	F(VkResult, BeginCommandBuffer, (VkCommandBuffer, const VkCommandBufferBeginInfo *)) \
	F(VkResult, EndCommandBuffer, (VkCommandBuffer)) \
	F(VkResult, WaitSemaphores, (VkDevice, const VkSemaphoreWaitInfo *, uint64_t)) \
	F(VkResult, GetSemaphoreCounterValue, (VkDevice, VkSemaphore, uint64_t *)) \
	F(VkResult, GetQueryPoolResults, (VkDevice, VkQueryPool, uint32_t, uint32_t, size_t, void *, VkDeviceSize, VkFlags)) \
	F(void, CmdResetQueryPool, (VkCommandBuffer, VkQueryPool, uint32_t, uint32_t)) \
	F(void, CmdWriteTimestamp, (VkCommandBuffer, VkFlags, VkQueryPool, uint32_t)) \
	F(void, CmdBeginQuery, (VkCommandBuffer, VkQueryPool, uint32_t, VkFlags)) \
	F(void, CmdEndQuery, (VkCommandBuffer, VkQueryPool, uint32_t)) \
	F(void, CmdSetViewport, (VkCommandBuffer, uint32_t, uint32_t, const VkViewport *)) \
	F(void, CmdSetScissor, (VkCommandBuffer, uint32_t, uint32_t, const VkRect2D *)) \
	F(void, CmdBindPipeline, (VkCommandBuffer, VkEnum, VkPipeline)) \
	F(void, CmdBindDescriptorSets, (VkCommandBuffer, VkEnum, VkPipelineLayout, uint32_t, uint32_t, const VkDescriptorSet *, uint32_t, const uint32_t *)) \
	F(void, CmdPushConstants, (VkCommandBuffer, VkPipelineLayout, VkFlags, uint32_t, uint32_t, const void *)) \
	F(void, CmdBindIndexBuffer, (VkCommandBuffer, VkBuffer, VkDeviceSize, VkEnum)) \
	F(void, CmdBindVertexBuffers, (VkCommandBuffer, uint32_t, uint32_t, const VkBuffer *, const VkDeviceSize *)) \
	F(void, CmdDraw, (VkCommandBuffer, uint32_t, uint32_t, uint32_t, uint32_t)) \
	F(void, CmdDrawIndexed, (VkCommandBuffer, uint32_t, uint32_t, uint32_t, int32_t, uint32_t)) \
	F(void, CmdDrawIndexedIndirect, (VkCommandBuffer, VkBuffer, VkDeviceSize, uint32_t, uint32_t)) \
	O(void, CmdDrawIndexedIndirectCount, (VkCommandBuffer, VkBuffer, VkDeviceSize, VkBuffer, VkDeviceSize, uint32_t, uint32_t)) \
	F(void, CmdDispatch, (VkCommandBuffer, uint32_t, uint32_t, uint32_t)) \
	F(void, CmdCopyBuffer, (VkCommandBuffer, VkBuffer, VkBuffer, uint32_t, const VkBufferCopy *)) \
	F(void, CmdCopyBufferToImage, (VkCommandBuffer, VkBuffer, VkImage, VkEnum, uint32_t, const VkBufferImageCopy *)) \
	F(void, CmdCopyImageToBuffer, (VkCommandBuffer, VkImage, VkEnum, VkBuffer, uint32_t, const VkBufferImageCopy *)) \
	F(void, CmdBlitImage, (VkCommandBuffer, VkImage, VkEnum, VkImage, VkEnum, uint32_t, const VkImageBlit *, VkEnum)) \
	F(void, CmdClearAttachments, (VkCommandBuffer, uint32_t, const VkClearAttachment *, uint32_t, const VkClearRect *)) \
	F(void, CmdPipelineBarrier, (VkCommandBuffer, VkFlags, VkFlags, VkFlags, uint32_t, const VkMemoryBarrier *, uint32_t, const VkBufferMemoryBarrier *, uint32_t, const VkImageMemoryBarrier *)) \
	O(VkResult, GetCalibratedTimestampsEXT, (VkDevice, uint32_t, const VkCalibratedTimestampInfoEXT *, uint64_t *, uint64_t *)) \
	O(void, CmdBeginRendering, (VkCommandBuffer, const VkRenderingInfo *)) \
	O(void, CmdEndRendering, (VkCommandBuffer)) \
	O(VkResult, CreateSwapchainKHR, (VkDevice, const VkSwapchainCreateInfoKHR *, const void *, VkSwapchainKHR *)) \
	O(void, DestroySwapchainKHR, (VkDevice, VkSwapchainKHR, const void *)) \
	O(VkResult, GetSwapchainImagesKHR, (VkDevice, VkSwapchainKHR, uint32_t *, VkImage *)) \
	O(VkResult, AcquireNextImageKHR, (VkDevice, VkSwapchainKHR, uint64_t, VkSemaphore, VkFence, uint32_t *)) \
	O(VkResult, QueuePresentKHR, (VkQueue, const VkPresentInfoKHR *))

#define VKT_MEMBER(ret, name, args) ret(*name) args;

typedef PFN_vkVoidFunction (*vkt_gipa)(VkInstance, const char *);

struct vkt_instance {
	void *lib; // from dlopen, or NULL
	vkt_gipa gipa;
	VkInstance handle;
	uint32_t api;
	int owned, debug_utils, echo;
	const void *alloc; // VkAllocationCallbacks of a host
	VkDebugUtilsMessengerEXT messenger;
	struct { VKT_INSTANCE_FUNCS(VKT_MEMBER, VKT_MEMBER) } fn;
	pthread_mutex_t mu; // guards the list
	vkt_message *head, *tail;
	atomic_uint pending;
};

typedef struct vkt_pass vkt_pass;

struct vkt_device {
	vkt_instance *in;
	VkDevice handle;
	int owned;
	int renders; // dynamically; else these are the passes that have been begun:
	vkt_pass *passes;
	uint32_t pass_count;
	const void *alloc;
	struct { VKT_DEVICE_FUNCS(VKT_MEMBER, VKT_MEMBER) } fn;
};

// vkt_pass_like makes a render pass that pipelines of such formats are compatible with.
VkResult vkt_pass_like(vkt_device *d, VkEnum color, VkEnum depth, uint32_t samples, uint32_t view_mask, VkRenderPass *out);
// vkt_pass_begin begins a render pass as vkt_cmd_begin_rendering does.
VkResult vkt_pass_begin(vkt_device *d, VkCommandBuffer cb, uint32_t width, uint32_t height, uint32_t view_mask,
	const vkt_attachment *color, const vkt_attachment *depth);
// vkt_pass_forget destroys the passes of an image, or all.
void vkt_pass_forget(vkt_device *d, VkImageView view);

// vkt_text copies a Go string into a C string of at most cap-1 bytes.
const char *vkt_text(char *to, size_t cap, const char *s, size_t len);

#endif
