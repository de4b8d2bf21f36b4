// The C side of package vk: loading, dispatch, and every Vulkan call. Nothing
// here keeps a pointer that Go passes in; strings arrive as pointer and length.
// No function calls back into Go: messages of the driver are queued and taken
// (vkt_messages_take), which is what lets cgo treat the hot calls as leaves.
#ifndef VKT_SHIM_H
#define VKT_SHIM_H

#include "vkmin.h"

typedef struct vkt_message {
	struct vkt_message *next;
	int32_t severity; // VK_DEBUG_UTILS_MESSAGE_SEVERITY_*
	char *id, *text;  // in the same block
} vkt_message;

typedef struct vkt_instance vkt_instance;
typedef struct vkt_device vkt_device;

// What vkt_instance_create found.
enum { VKT_LAYER_MISSING = 1, VKT_DEBUG_UTILS = 2, VKT_SYNC_VALIDATION = 4 };

typedef struct vkt_instance_info {
	uint32_t extensions;     // strings in the blob
	int32_t validation, sync_validation, best_practices, echo;
	VkInstance adopted;      // not NULL: use it, never destroy it
	uint32_t adopted_api;
} vkt_instance_info;

// What a GPU can do: bits of vkt_gpu.has.
enum {
	VKT_TIMELINE = 1 << 0, VKT_MULTI_DRAW = 1 << 1, VKT_FIRST_INSTANCE = 1 << 2,
	VKT_DYNAMIC_RENDERING = 1 << 3, VKT_DYNAMIC_RENDERING_EXT = 1 << 4,
	VKT_FILL_NON_SOLID = 1 << 5, VKT_INDIRECT_COUNT = 1 << 6, VKT_ANISOTROPY = 1 << 7,
	VKT_NON_SEMANTIC = 1 << 8, VKT_NON_SEMANTIC_EXT = 1 << 9, VKT_MEMORY_BUDGET = 1 << 10,
	VKT_STATISTICS = 1 << 11, VKT_PARTIALLY_BOUND = 1 << 12, VKT_NON_UNIFORM = 1 << 13,
	VKT_SWAPCHAIN = 1 << 14, VKT_PORTABILITY = 1 << 15, VKT_DYNAMIC_INDEXING = 1 << 16,
	VKT_FULL_INDEX = 1 << 17, VKT_INT64 = 1 << 18,
	VKT_CALIBRATED = 1 << 19, VKT_MULTIVIEW = 1 << 20,
};

typedef struct vkt_family { uint32_t flags, count, timestamp_bits; } vkt_family;

typedef struct vkt_gpu {
	VkPhysicalDevice handle;
	uint32_t api, driver_version, vendor, device, type, has;
	char name[256], driver[256], driver_info[256];
	uint8_t uuid[16], driver_uuid[16];
	uint32_t family_count; vkt_family families[16];
	uint32_t type_count; VkMemoryType types[32];
	uint32_t heap_count; VkMemoryHeap heaps[16];
	VkPhysicalDeviceLimits limits;
} vkt_gpu;

typedef struct vkt_device_info {
	uint32_t family_count, families[4], swapchain;
	VkDevice adopted; // not NULL: use it, never destroy it
} vkt_device_info;

typedef struct vkt_requirements { VkDeviceSize size, alignment; uint32_t types, granularity; } vkt_requirements;

typedef struct vkt_image_info {
	uint32_t width, height, levels, layers, samples; VkEnum format; VkFlags usage; VkFlags aspect;
} vkt_image_info;

typedef struct vkt_sampler_info {
	VkEnum min, mag, mip, address; float anisotropy, max_lod;
} vkt_sampler_info;

typedef struct vkt_binding { uint32_t binding; VkEnum type; uint32_t count; VkFlags stages, partial; } vkt_binding;

// Everything of a pipeline that is not an array.
typedef struct vkt_graphics_info {
	VkPipelineLayout layout; VkPipelineCache cache;
	uint32_t constants, bindings, attributes;
	VkEnum topology; VkBool32 restart, lines; VkFlags cull; VkBool32 front_cw;
	VkBool32 depth_test, depth_write; VkEnum depth_compare; float depth_bias, slope_bias;
	VkBool32 blend; VkEnum color, depth; uint32_t samples, view_mask;
} vkt_graphics_info;

typedef struct vkt_submit_info {
	uint32_t commands; VkCommandBuffer command[2];
	uint32_t waits; VkSemaphore wait[4]; uint64_t wait_value[4]; VkFlags wait_stage[4];
	uint32_t signals; VkSemaphore signal[4]; uint64_t signal_value[4];
} vkt_submit_info;

typedef struct vkt_attachment {
	VkImageView view, resolve; VkEnum format, load, store; uint32_t samples; float clear[4];
} vkt_attachment;

typedef struct vkt_range { VkBuffer buffer; VkDeviceSize offset, size; } vkt_range;

typedef struct vkt_image_copy {
	VkDeviceSize offset; int32_t x, y; uint32_t width, height, level, layer;
} vkt_image_copy;

typedef struct vkt_image_barrier {
	VkImage image; VkEnum old_layout, new_layout; VkFlags aspect;
	VkFlags src_stage, src_access, dst_stage, dst_access; uint32_t src_family, dst_family;
} vkt_image_barrier;

typedef struct vkt_surface_info {
	VkSurfaceCapabilitiesKHR caps;
	uint32_t format_count; VkSurfaceFormatKHR formats[64];
	uint32_t mode_count; VkEnum modes[16];
} vkt_surface_info;

typedef struct vkt_swapchain_info {
	VkSurfaceKHR surface; VkSwapchainKHR old; uint32_t min_images, width, height;
	VkEnum format, color_space, mode; VkFlags usage, transform, alpha; uint32_t families[2], family_count;
} vkt_swapchain_info;

// Loading and the instance. gipa NULL opens libvulkan.
VkResult vkt_instance_create(void *gipa, const vkt_instance_info *info, const char *app, size_t app_len,
	const char *blob, const void *alloc, uint32_t *found, vkt_instance **out);
int32_t vkt_instance_destroy(vkt_instance *in); // the Vulkan instance; messages stay readable
void vkt_instance_free(vkt_instance *in);
VkInstance vkt_instance_handle(vkt_instance *in);
uint32_t vkt_instance_api(vkt_instance *in);
uint32_t vkt_messages_pending(vkt_instance *in);
vkt_message *vkt_messages_take(vkt_instance *in);
VkResult vkt_gpus(vkt_instance *in, vkt_gpu *out, uint32_t *count);
void vkt_gpu_query(vkt_instance *in, VkPhysicalDevice gpu, vkt_gpu *out);
int32_t vkt_present_support(vkt_instance *in, VkPhysicalDevice gpu, uint32_t family, VkSurfaceKHR surface);
void vkt_surface_destroy(vkt_instance *in, VkSurfaceKHR surface);
VkResult vkt_surface_query(vkt_instance *in, VkPhysicalDevice gpu, VkSurfaceKHR surface, vkt_surface_info *out);
void vkt_memory_budget(vkt_instance *in, VkPhysicalDevice gpu, uint64_t *budget, uint64_t *usage);
VkFlags vkt_format_features(vkt_instance *in, VkPhysicalDevice gpu, VkEnum format);

// The device. vkt_device_destroy frees the table too.
VkResult vkt_device_create(vkt_instance *in, const vkt_gpu *gpu, const vkt_device_info *info, vkt_device **out);
void vkt_device_destroy(vkt_device *d);
VkDevice vkt_device_handle(vkt_device *d);
VkQueue vkt_queue(vkt_device *d, uint32_t family, uint32_t index);
VkResult vkt_wait_idle(vkt_device *d);
VkResult vkt_name(vkt_device *d, VkEnum type, uint64_t handle, const char *name, size_t len);

// Creation. Destroy is one function for every kind.
enum {
	VKT_BUFFER, VKT_IMAGE, VKT_VIEW, VKT_SAMPLER, VKT_PIPELINE, VKT_PIPELINE_LAYOUT, VKT_SET_LAYOUT,
	VKT_DESCRIPTOR_POOL, VKT_PIPELINE_CACHE, VKT_SEMAPHORE, VKT_COMMAND_POOL, VKT_QUERY_POOL, VKT_SWAPCHAIN_KHR,
	VKT_MEMORY,
};
void vkt_destroy(vkt_device *d, int32_t kind, uint64_t handle);
VkResult vkt_buffer_create(vkt_device *d, uint64_t size, VkFlags usage, VkBuffer *out, vkt_requirements *req);
VkResult vkt_image_create(vkt_device *d, const vkt_image_info *info, VkImage *out, vkt_requirements *req);
VkResult vkt_view_create(vkt_device *d, VkImage image, const vkt_image_info *info, VkImageView *out);
VkResult vkt_memory_alloc(vkt_device *d, uint64_t size, uint32_t type, VkBuffer buffer, VkImage image, VkDeviceMemory *out);
VkResult vkt_memory_map(vkt_device *d, VkDeviceMemory m, void **out);
VkResult vkt_bind_buffer(vkt_device *d, VkBuffer b, VkDeviceMemory m, uint64_t offset);
VkResult vkt_bind_image(vkt_device *d, VkImage i, VkDeviceMemory m, uint64_t offset);
VkResult vkt_sampler_create(vkt_device *d, const vkt_sampler_info *info, VkSampler *out);
VkResult vkt_set_layout_create(vkt_device *d, const vkt_binding *b, uint32_t n, VkDescriptorSetLayout *out);
VkResult vkt_sets_create(vkt_device *d, const vkt_binding *b, uint32_t n, VkDescriptorSetLayout layout,
	uint32_t count, VkDescriptorPool *pool, VkDescriptorSet *sets);
void vkt_write_buffers(vkt_device *d, VkDescriptorSet set, uint32_t binding, uint32_t first, VkEnum type,
	const vkt_range *ranges, uint32_t n);
void vkt_write_image(vkt_device *d, VkDescriptorSet set, uint32_t binding, uint32_t element, VkEnum type,
	VkSampler sampler, VkImageView view, VkEnum layout);
VkResult vkt_pipeline_layout_create(vkt_device *d, const VkDescriptorSetLayout *sets, uint32_t n,
	const VkPushConstantRange *push, uint32_t m, VkPipelineLayout *out);
VkResult vkt_cache_create(vkt_device *d, const void *data, size_t size, VkPipelineCache *out);
VkResult vkt_cache_data(vkt_device *d, VkPipelineCache cache, size_t *size, void *data);
VkResult vkt_graphics_create(vkt_device *d, const vkt_graphics_info *info, const void *vs, size_t vs_size,
	const void *fs, size_t fs_size, const uint32_t *constants, const VkVertexInputBindingDescription *bindings,
	const VkVertexInputAttributeDescription *attributes, const char *name, size_t name_len, VkPipeline *out);
VkResult vkt_compute_create(vkt_device *d, VkPipelineLayout layout, VkPipelineCache cache, const void *code,
	size_t size, const uint32_t *constants, uint32_t n, const char *name, size_t name_len, VkPipeline *out);
VkResult vkt_semaphore_create(vkt_device *d, int32_t timeline, VkSemaphore *out);
VkResult vkt_commands_create(vkt_device *d, uint32_t family, VkCommandPool *pool, VkCommandBuffer *out);
VkResult vkt_queries_create(vkt_device *d, VkEnum type, uint32_t n, VkQueryPool *out);

// Frames, queues and swapchains.
VkResult vkt_commands_begin(vkt_device *d, VkCommandPool pool, VkCommandBuffer cb);
VkResult vkt_commands_end(vkt_device *d, VkCommandBuffer cb);
VkResult vkt_submit(vkt_device *d, VkQueue q, const vkt_submit_info *info);
VkResult vkt_wait(vkt_device *d, VkSemaphore s, uint64_t value, uint64_t timeout);
VkResult vkt_value(vkt_device *d, VkSemaphore s, uint64_t *value);
// vkt_clock reads the device's clock, in ticks, and the monotonic one then and just after, in
// nanoseconds; deviation is how far apart the first two may have been read, in nanoseconds.
VkResult vkt_clock(vkt_device *d, uint64_t *ticks, uint64_t *then, uint64_t *now, uint64_t *deviation);
VkResult vkt_query_results(vkt_device *d, VkQueryPool pool, uint32_t n, uint64_t *out, uint32_t per);
VkResult vkt_swapchain_create(vkt_device *d, const vkt_swapchain_info *info, VkSwapchainKHR *out);
VkResult vkt_swapchain_images(vkt_device *d, VkSwapchainKHR s, uint32_t *count, VkImage *out);
VkResult vkt_acquire(vkt_device *d, VkSwapchainKHR s, VkSemaphore signal, uint64_t timeout, uint32_t *index);
VkResult vkt_present(vkt_device *d, VkQueue q, VkSwapchainKHR s, VkSemaphore wait, uint32_t index);
void vkt_queue_label(vkt_device *d, VkQueue q, const char *name, size_t len); // len 0 ends

// RenderDoc. vkt_renderdoc_load: 1 if it is there, 0 if not, -1 if it is too old; the
// others need it. vkt_renderdoc_last gives the length of the last capture's path, or 0.
int32_t vkt_renderdoc_load(int32_t open);
void vkt_renderdoc_path(const char *path, size_t len);
void vkt_renderdoc_start(vkt_instance *in);
int32_t vkt_renderdoc_end(vkt_instance *in);
int32_t vkt_renderdoc_discard(vkt_instance *in);
int32_t vkt_renderdoc_connected(void);
uint32_t vkt_renderdoc_last(char *path, uint32_t cap);
void vkt_renderdoc_comment(const char *path, size_t len, const char *comment, size_t comment_len);

// Recording.
void vkt_cmd_label(vkt_device *d, VkCommandBuffer cb, const char *name, size_t len, const float *color);
void vkt_cmd_label_end(vkt_device *d, VkCommandBuffer cb);
void vkt_cmd_reset_queries(vkt_device *d, VkCommandBuffer cb, VkQueryPool pool, uint32_t n);
void vkt_cmd_timestamp(vkt_device *d, VkCommandBuffer cb, VkFlags stage, VkQueryPool pool, uint32_t i);
void vkt_cmd_query(vkt_device *d, VkCommandBuffer cb, VkQueryPool pool, int32_t begin);
VkResult vkt_cmd_begin_rendering(vkt_device *d, VkCommandBuffer cb, uint32_t width, uint32_t height, uint32_t view_mask,
	const vkt_attachment *color, const vkt_attachment *depth);
void vkt_cmd_end_rendering(vkt_device *d, VkCommandBuffer cb);
void vkt_cmd_viewport(vkt_device *d, VkCommandBuffer cb, const VkViewport *v);
void vkt_cmd_scissor(vkt_device *d, VkCommandBuffer cb, const VkRect2D *r);
void vkt_cmd_clear_depth(vkt_device *d, VkCommandBuffer cb, const VkRect2D *r, float depth);
void vkt_cmd_pipeline(vkt_device *d, VkCommandBuffer cb, VkEnum point, VkPipeline p);
void vkt_cmd_sets(vkt_device *d, VkCommandBuffer cb, VkEnum point, VkPipelineLayout l, uint32_t first,
	const VkDescriptorSet *sets, uint32_t n, const uint32_t *offsets, uint32_t m);
void vkt_cmd_push(vkt_device *d, VkCommandBuffer cb, VkPipelineLayout l, VkFlags stages, uint32_t offset,
	const void *data, uint32_t size);
void vkt_cmd_index(vkt_device *d, VkCommandBuffer cb, VkBuffer b, uint64_t offset, VkEnum type);
void vkt_cmd_vertex(vkt_device *d, VkCommandBuffer cb, uint32_t binding, VkBuffer b, uint64_t offset);
void vkt_cmd_draw(vkt_device *d, VkCommandBuffer cb, uint32_t n, uint32_t instances, uint32_t first, uint32_t first_instance);
void vkt_cmd_draw_indexed(vkt_device *d, VkCommandBuffer cb, uint32_t n, uint32_t instances, uint32_t first,
	int32_t vertex_offset, uint32_t first_instance);
void vkt_cmd_draw_indirect(vkt_device *d, VkCommandBuffer cb, VkBuffer b, uint64_t offset, uint32_t n, uint32_t stride);
void vkt_cmd_draw_indirect_count(vkt_device *d, VkCommandBuffer cb, VkBuffer b, uint64_t offset, VkBuffer count,
	uint64_t count_offset, uint32_t max, uint32_t stride);
void vkt_cmd_dispatch(vkt_device *d, VkCommandBuffer cb, uint32_t x, uint32_t y, uint32_t z);
void vkt_cmd_copy_buffer(vkt_device *d, VkCommandBuffer cb, VkBuffer src, VkBuffer dst, const VkBufferCopy *r, uint32_t n);
void vkt_cmd_copy_image(vkt_device *d, VkCommandBuffer cb, VkBuffer b, VkImage image, VkFlags aspect, int32_t to_image,
	const vkt_image_copy *r, uint32_t n);
void vkt_cmd_blit(vkt_device *d, VkCommandBuffer cb, VkImage src, uint32_t sw, uint32_t sh, VkImage dst, uint32_t dw,
	uint32_t dh, VkEnum filter);
void vkt_cmd_image_barrier(vkt_device *d, VkCommandBuffer cb, const vkt_image_barrier *b);
void vkt_cmd_buffer_barrier(vkt_device *d, VkCommandBuffer cb, VkFlags src_stage, VkFlags src_access, VkFlags dst_stage,
	VkFlags dst_access, uint32_t src_family, uint32_t dst_family, const vkt_range *r, uint32_t n);
void vkt_cmd_memory_barrier(vkt_device *d, VkCommandBuffer cb, VkFlags src_stage, VkFlags src_access, VkFlags dst_stage,
	VkFlags dst_access);

#endif
