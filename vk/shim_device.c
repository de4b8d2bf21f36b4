#include "dispatch.h"
#include <stdlib.h>
#include <string.h>

static int load_device(vkt_device *d) {
#define GET(ret, name, args) (ret(*) args)d->in->fn.GetDeviceProcAddr(d->handle, "vk" #name)
#define NEED(ret, name, args) if (!(d->fn.name = GET(ret, name, args))) return 0;
#define TRY(ret, name, args) d->fn.name = GET(ret, name, args);
	VKT_DEVICE_FUNCS(NEED, TRY)
	if (!d->fn.CmdBeginRendering) {
		d->fn.CmdBeginRendering = (void (*)(VkCommandBuffer, const VkRenderingInfo *))
			d->in->fn.GetDeviceProcAddr(d->handle, "vkCmdBeginRenderingKHR");
		d->fn.CmdEndRendering = (void (*)(VkCommandBuffer))
			d->in->fn.GetDeviceProcAddr(d->handle, "vkCmdEndRenderingKHR");
	}
	return !d->renders || (d->fn.CmdBeginRendering && d->fn.CmdEndRendering);
#undef GET
#undef NEED
#undef TRY
}

VkResult vkt_device_create(vkt_instance *in, const vkt_gpu *g, const vkt_device_info *info, vkt_device **out) {
	vkt_device *d = calloc(1, sizeof *d);
	*out = NULL;
	if (!d) return VK_ERROR_OUT_OF_HOST_MEMORY;
	d->in = in;
	d->alloc = in->alloc;
	d->renders = info->adopted || g->has & VKT_DYNAMIC_RENDERING;
	VkResult r = VK_SUCCESS;
	if (info->adopted) {
		d->handle = info->adopted;
	} else {
		float one = 1;
		uint32_t has = g->has, n = 0;
		VkDeviceQueueCreateInfo q[4];
		for (uint32_t i = 0; i < info->family_count; i++)
			q[i] = (VkDeviceQueueCreateInfo){VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, NULL, 0, info->families[i], 1, &one};
		const char *exts[8];
		if (info->swapchain) exts[n++] = "VK_KHR_swapchain";
		if (has & VKT_DYNAMIC_RENDERING_EXT) exts[n++] = "VK_KHR_dynamic_rendering";
		if (has & VKT_NON_SEMANTIC_EXT) exts[n++] = "VK_KHR_shader_non_semantic_info";
		if (has & VKT_MEMORY_BUDGET) exts[n++] = "VK_EXT_memory_budget";
		if (has & VKT_CALIBRATED) exts[n++] = "VK_EXT_calibrated_timestamps";
		if (has & VKT_PORTABILITY) exts[n++] = "VK_KHR_portability_subset";
		VkPhysicalDeviceMultiviewFeatures mv = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES, NULL, 1};
		VkPhysicalDeviceDynamicRenderingFeatures dr = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
			NULL, 1};
		if (d->renders) mv.pNext = &dr;
		VkPhysicalDeviceVulkan12Features f12 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
			has & VKT_MULTIVIEW ? (void *)&mv : mv.pNext};
		VkPhysicalDeviceFeatures2 f = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &f12};
		f12.timelineSemaphore = 1;
		f12.drawIndirectCount = !!(has & VKT_INDIRECT_COUNT);
		f12.descriptorBindingPartiallyBound = !!(has & VKT_PARTIALLY_BOUND);
		f12.shaderStorageBufferArrayNonUniformIndexing = !!(has & VKT_NON_UNIFORM);
		f.features.multiDrawIndirect = !!(has & VKT_MULTI_DRAW);
		f.features.drawIndirectFirstInstance = !!(has & VKT_FIRST_INSTANCE);
		f.features.fillModeNonSolid = !!(has & VKT_FILL_NON_SOLID);
		f.features.samplerAnisotropy = !!(has & VKT_ANISOTROPY);
		f.features.pipelineStatisticsQuery = !!(has & VKT_STATISTICS);
		f.features.fullDrawIndexUint32 = !!(has & VKT_FULL_INDEX);
		f.features.shaderInt64 = !!(has & VKT_INT64);
		f.features.shaderStorageBufferArrayDynamicIndexing = !!(has & VKT_DYNAMIC_INDEXING);
		VkDeviceCreateInfo ci = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &f, 0, info->family_count, q, 0, NULL, n, exts, NULL};
		r = in->fn.CreateDevice(g->handle, &ci, in->alloc, &d->handle);
		d->owned = r == VK_SUCCESS;
	}
	if (r == VK_SUCCESS && !load_device(d)) {
		r = VK_ERROR_INITIALIZATION_FAILED;
		if (d->owned && d->fn.DestroyDevice) d->fn.DestroyDevice(d->handle, d->alloc);
	}
	if (r != VK_SUCCESS) { free(d); return r; }
	*out = d;
	return VK_SUCCESS;
}

void vkt_device_destroy(vkt_device *d) {
	vkt_pass_forget(d, 0);
	if (d->owned) d->fn.DestroyDevice(d->handle, d->alloc);
	free(d);
}

VkDevice vkt_device_handle(vkt_device *d) { return d->handle; }

VkQueue vkt_queue(vkt_device *d, uint32_t family, uint32_t index) {
	VkQueue q = NULL;
	d->fn.GetDeviceQueue(d->handle, family, index, &q);
	return q;
}

VkResult vkt_wait_idle(vkt_device *d) { return d->fn.DeviceWaitIdle(d->handle); }

VkResult vkt_name(vkt_device *d, VkEnum type, uint64_t handle, const char *name, size_t len) {
	char text[256];
	if (!d->in->debug_utils || !handle || !len) return VK_SUCCESS;
	VkDebugUtilsObjectNameInfoEXT i = {VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, NULL, type, handle,
		vkt_text(text, sizeof text, name, len)};
	return d->in->fn.SetDebugUtilsObjectNameEXT(d->handle, &i);
}

void vkt_destroy(vkt_device *d, int32_t kind, uint64_t h) {
	if (!h) return;
	switch (kind) {
	case VKT_BUFFER: d->fn.DestroyBuffer(d->handle, h, d->alloc); break;
	case VKT_IMAGE: d->fn.DestroyImage(d->handle, h, d->alloc); break;
	case VKT_VIEW: vkt_pass_forget(d, h); d->fn.DestroyImageView(d->handle, h, d->alloc); break;
	case VKT_SAMPLER: d->fn.DestroySampler(d->handle, h, d->alloc); break;
	case VKT_PIPELINE: d->fn.DestroyPipeline(d->handle, h, d->alloc); break;
	case VKT_PIPELINE_LAYOUT: d->fn.DestroyPipelineLayout(d->handle, h, d->alloc); break;
	case VKT_SET_LAYOUT: d->fn.DestroyDescriptorSetLayout(d->handle, h, d->alloc); break;
	case VKT_DESCRIPTOR_POOL: d->fn.DestroyDescriptorPool(d->handle, h, d->alloc); break;
	case VKT_PIPELINE_CACHE: d->fn.DestroyPipelineCache(d->handle, h, d->alloc); break;
	case VKT_SEMAPHORE: d->fn.DestroySemaphore(d->handle, h, d->alloc); break;
	case VKT_COMMAND_POOL: d->fn.DestroyCommandPool(d->handle, h, d->alloc); break;
	case VKT_QUERY_POOL: d->fn.DestroyQueryPool(d->handle, h, d->alloc); break;
	case VKT_SWAPCHAIN_KHR: d->fn.DestroySwapchainKHR(d->handle, h, d->alloc); break;
	case VKT_MEMORY: d->fn.FreeMemory(d->handle, h, d->alloc); break;
	}
}

// --- memory, buffers, images ------------------------------------------------

VkResult vkt_buffer_create(vkt_device *d, uint64_t size, VkFlags usage, VkBuffer *out, vkt_requirements *req) {
	VkBufferCreateInfo ci = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, NULL, 0, size, usage, 0, 0, NULL};
	VkResult r = d->fn.CreateBuffer(d->handle, &ci, d->alloc, out);
	if (r < 0) return r;
	VkMemoryRequirements m;
	d->fn.GetBufferMemoryRequirements(d->handle, *out, &m);
	*req = (vkt_requirements){m.size, m.alignment, m.memoryTypeBits, 0};
	return r;
}

VkResult vkt_image_create(vkt_device *d, const vkt_image_info *i, VkImage *out, vkt_requirements *req) {
	VkImageCreateInfo ci = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, NULL, 0, VK_IMAGE_TYPE_2D, i->format,
		{i->width, i->height, 1}, i->levels, i->layers, i->samples, 0, i->usage, 0, 0, NULL, 0};
	VkResult r = d->fn.CreateImage(d->handle, &ci, d->alloc, out);
	if (r < 0) return r;
	VkMemoryRequirements m;
	d->fn.GetImageMemoryRequirements(d->handle, *out, &m);
	*req = (vkt_requirements){m.size, m.alignment, m.memoryTypeBits, 0};
	return r;
}

VkResult vkt_view_create(vkt_device *d, VkImage image, const vkt_image_info *i, VkImageView *out) {
	VkImageViewCreateInfo ci = {VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, NULL, 0, image,
		i->layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D, i->format, {0, 0, 0, 0},
		{i->aspect, 0, i->levels, 0, i->layers}};
	return d->fn.CreateImageView(d->handle, &ci, d->alloc, out);
}

VkResult vkt_memory_alloc(vkt_device *d, uint64_t size, uint32_t type, VkBuffer buffer, VkImage image, VkDeviceMemory *out) {
	VkMemoryDedicatedAllocateInfo di = {VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, NULL, image, buffer};
	VkMemoryAllocateInfo ai = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, buffer || image ? &di : NULL, size, type};
	return d->fn.AllocateMemory(d->handle, &ai, d->alloc, out);
}

VkResult vkt_memory_map(vkt_device *d, VkDeviceMemory m, void **out) {
	return d->fn.MapMemory(d->handle, m, 0, VK_WHOLE_SIZE, 0, out);
}

VkResult vkt_bind_buffer(vkt_device *d, VkBuffer b, VkDeviceMemory m, uint64_t offset) {
	return d->fn.BindBufferMemory(d->handle, b, m, offset);
}

VkResult vkt_bind_image(vkt_device *d, VkImage i, VkDeviceMemory m, uint64_t offset) {
	return d->fn.BindImageMemory(d->handle, i, m, offset);
}

VkResult vkt_sampler_create(vkt_device *d, const vkt_sampler_info *i, VkSampler *out) {
	VkSamplerCreateInfo ci = {VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
	ci.magFilter = i->mag;
	ci.minFilter = i->min;
	ci.mipmapMode = i->mip ? VK_SAMPLER_MIPMAP_MODE_LINEAR : 0;
	ci.addressModeU = ci.addressModeV = ci.addressModeW = i->address;
	ci.anisotropyEnable = i->anisotropy > 0;
	ci.maxAnisotropy = i->anisotropy;
	ci.maxLod = i->max_lod > 0 ? i->max_lod : VK_LOD_CLAMP_NONE;
	return d->fn.CreateSampler(d->handle, &ci, d->alloc, out);
}

// --- descriptors --------------------------------------------------------------

VkResult vkt_set_layout_create(vkt_device *d, const vkt_binding *b, uint32_t n, VkDescriptorSetLayout *out) {
	VkDescriptorSetLayoutBinding lb[16];
	VkFlags flags[16];
	int partial = 0;
	for (uint32_t i = 0; i < n; i++) {
		lb[i] = (VkDescriptorSetLayoutBinding){b[i].binding, b[i].type, b[i].count, b[i].stages, NULL};
		flags[i] = b[i].partial ? VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT : 0;
		partial |= b[i].partial != 0;
	}
	VkDescriptorSetLayoutBindingFlagsCreateInfo fi = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO, NULL, n, flags};
	VkDescriptorSetLayoutCreateInfo ci = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, partial ? &fi : NULL, 0, n, lb};
	return d->fn.CreateDescriptorSetLayout(d->handle, &ci, d->alloc, out);
}

VkResult vkt_sets_create(vkt_device *d, const vkt_binding *b, uint32_t n, VkDescriptorSetLayout layout,
	uint32_t count, VkDescriptorPool *pool, VkDescriptorSet *sets) {
	VkDescriptorPoolSize sizes[16];
	for (uint32_t i = 0; i < n; i++) sizes[i] = (VkDescriptorPoolSize){b[i].type, b[i].count * count};
	VkDescriptorPoolCreateInfo ci = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, NULL, 0, count, n, sizes};
	VkResult r = d->fn.CreateDescriptorPool(d->handle, &ci, d->alloc, pool);
	for (uint32_t i = 0; r >= 0 && i < count; i++) {
		VkDescriptorSetAllocateInfo ai = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, NULL, *pool, 1, &layout};
		r = d->fn.AllocateDescriptorSets(d->handle, &ai, &sets[i]);
		if (r < 0) {
			d->fn.DestroyDescriptorPool(d->handle, *pool, d->alloc);
			*pool = 0;
		}
	}
	return r;
}

void vkt_write_buffers(vkt_device *d, VkDescriptorSet set, uint32_t binding, uint32_t first, VkEnum type,
	const vkt_range *r, uint32_t n) {
	VkDescriptorBufferInfo bi[32];
	while (n) {
		uint32_t k = n < 32 ? n : 32;
		for (uint32_t i = 0; i < k; i++) bi[i] = (VkDescriptorBufferInfo){r[i].buffer, r[i].offset, r[i].size};
		VkWriteDescriptorSet w = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, NULL, set, binding, first, k, type, NULL, bi, NULL};
		d->fn.UpdateDescriptorSets(d->handle, 1, &w, 0, NULL);
		r += k;
		n -= k;
		first += k;
	}
}

void vkt_write_image(vkt_device *d, VkDescriptorSet set, uint32_t binding, uint32_t element, VkEnum type,
	VkSampler sampler, VkImageView view, VkEnum layout) {
	VkDescriptorImageInfo ii = {sampler, view, layout};
	VkWriteDescriptorSet w = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, NULL, set, binding, element, 1, type, &ii, NULL, NULL};
	d->fn.UpdateDescriptorSets(d->handle, 1, &w, 0, NULL);
}

// --- pipelines ------------------------------------------------------------------

VkResult vkt_pipeline_layout_create(vkt_device *d, const VkDescriptorSetLayout *sets, uint32_t n,
	const VkPushConstantRange *push, uint32_t m, VkPipelineLayout *out) {
	VkPipelineLayoutCreateInfo ci = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, NULL, 0, n, sets, m, push};
	return d->fn.CreatePipelineLayout(d->handle, &ci, d->alloc, out);
}

VkResult vkt_cache_create(vkt_device *d, const void *data, size_t size, VkPipelineCache *out) {
	VkPipelineCacheCreateInfo ci = {VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, NULL, 0, size, data};
	return d->fn.CreatePipelineCache(d->handle, &ci, d->alloc, out);
}

VkResult vkt_cache_data(vkt_device *d, VkPipelineCache cache, size_t *size, void *data) {
	return d->fn.GetPipelineCacheData(d->handle, cache, size, data);
}

// shader makes a module that tools know by the name of its pipeline and its stage.
static VkResult shader(vkt_device *d, const void *code, size_t size, const char *name, size_t name_len, const char *stage,
	VkShaderModule *out) {
	VkShaderModuleCreateInfo ci = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, NULL, 0, size, code};
	VkResult r = d->fn.CreateShaderModule(d->handle, &ci, d->alloc, out);
	char text[256];
	vkt_text(text, sizeof text - strlen(stage), name, name_len);
	strcat(text, stage);
	if (r >= 0) vkt_name(d, VK_OBJECT_TYPE_SHADER_MODULE, *out, text, strlen(text));
	return r;
}

static VkSpecializationInfo specialise(VkSpecializationMapEntry *e, const uint32_t *constants, uint32_t n) {
	if (n > 32) n = 32;
	for (uint32_t i = 0; i < n; i++) e[i] = (VkSpecializationMapEntry){i, i * 4, 4};
	return (VkSpecializationInfo){n, e, n * 4, constants};
}

static void fixed_state(const vkt_graphics_info *i, VkPipelineRasterizationStateCreateInfo *rs,
	VkPipelineDepthStencilStateCreateInfo *ds, VkPipelineColorBlendAttachmentState *blend) {
	rs->sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
	rs->polygonMode = i->lines ? VK_POLYGON_MODE_LINE : 0;
	rs->cullMode = i->cull;
	rs->frontFace = i->front_cw ? 1 : 0;
	rs->depthBiasEnable = i->depth_bias != 0 || i->slope_bias != 0;
	rs->depthBiasConstantFactor = i->depth_bias;
	rs->depthBiasSlopeFactor = i->slope_bias;
	rs->lineWidth = 1;
	ds->sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO;
	ds->depthTestEnable = i->depth_test;
	ds->depthWriteEnable = i->depth_write;
	ds->depthCompareOp = i->depth_compare;
	ds->maxDepthBounds = 1;
	blend->blendEnable = i->blend;
	blend->srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA;
	blend->dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
	blend->srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
	blend->dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
	blend->colorWriteMask = 15;
}

VkResult vkt_graphics_create(vkt_device *d, const vkt_graphics_info *i, const void *vs, size_t vs_size,
	const void *fs, size_t fs_size, const uint32_t *constants, const VkVertexInputBindingDescription *bindings,
	const VkVertexInputAttributeDescription *attributes, const char *name, size_t name_len, VkPipeline *out) {
	VkShaderModule vm = 0, fm = 0;
	VkResult r = shader(d, vs, vs_size, name, name_len, ".vert", &vm);
	if (r >= 0 && fs_size) r = shader(d, fs, fs_size, name, name_len, ".frag", &fm);
	VkSpecializationMapEntry entries[32];
	VkSpecializationInfo spec = specialise(entries, constants, i->constants);
	VkPipelineShaderStageCreateInfo stages[2] = {
		{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, NULL, 0, VK_SHADER_STAGE_VERTEX_BIT, vm, "main", &spec},
		{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, NULL, 0, VK_SHADER_STAGE_FRAGMENT_BIT, fm, "main", &spec},
	};
	VkPipelineVertexInputStateCreateInfo vi = {VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO, NULL, 0,
		i->bindings, bindings, i->attributes, attributes};
	VkPipelineInputAssemblyStateCreateInfo ia = {VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, NULL, 0,
		i->topology, i->restart};
	VkPipelineViewportStateCreateInfo vp = {VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, NULL, 0, 1, NULL, 1, NULL};
	VkPipelineRasterizationStateCreateInfo rs = {0};
	VkPipelineDepthStencilStateCreateInfo ds = {0};
	VkPipelineColorBlendAttachmentState blend = {0};
	fixed_state(i, &rs, &ds, &blend);
	VkPipelineMultisampleStateCreateInfo ms = {VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, NULL, 0, i->samples};
	VkPipelineColorBlendStateCreateInfo cb = {VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO, NULL, 0, 0, 0,
		i->color ? 1 : 0, &blend, {0}};
	VkEnum dynamic[2] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
	VkPipelineDynamicStateCreateInfo dy = {VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, NULL, 0, 2, dynamic};
	VkPipelineRenderingCreateInfo ri = {VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, NULL, i->view_mask, i->color ? 1 : 0,
		&i->color, i->depth, 0};
	VkRenderPass like = 0; // pipelines may outlive it
	if (r >= 0 && !d->renders) r = vkt_pass_like(d, i->color, i->depth, i->samples, i->view_mask, &like);
	VkGraphicsPipelineCreateInfo ci = {VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, d->renders ? &ri : NULL, 0, fs_size ? 2 : 1, stages,
		&vi, &ia, NULL, &vp, &rs, &ms, &ds, &cb, &dy, i->layout, like, 0, 0, -1};
	if (r >= 0) r = d->fn.CreateGraphicsPipelines(d->handle, i->cache, 1, &ci, d->alloc, out);
	if (like) d->fn.DestroyRenderPass(d->handle, like, d->alloc);
	if (vm) d->fn.DestroyShaderModule(d->handle, vm, d->alloc);
	if (fm) d->fn.DestroyShaderModule(d->handle, fm, d->alloc);
	return r;
}

VkResult vkt_compute_create(vkt_device *d, VkPipelineLayout layout, VkPipelineCache cache, const void *code,
	size_t size, const uint32_t *constants, uint32_t n, const char *name, size_t name_len, VkPipeline *out) {
	VkShaderModule m = 0;
	VkResult r = shader(d, code, size, name, name_len, ".comp", &m);
	if (r < 0) return r;
	VkSpecializationMapEntry entries[32];
	VkSpecializationInfo spec = specialise(entries, constants, n);
	VkComputePipelineCreateInfo ci = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, NULL, 0,
		{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, NULL, 0, VK_SHADER_STAGE_COMPUTE_BIT, m, "main", &spec},
		layout, 0, -1};
	r = d->fn.CreateComputePipelines(d->handle, cache, 1, &ci, d->alloc, out);
	d->fn.DestroyShaderModule(d->handle, m, d->alloc);
	return r;
}

// --- synchronisation objects and command buffers --------------------------------

VkResult vkt_semaphore_create(vkt_device *d, int32_t timeline, VkSemaphore *out) {
	VkSemaphoreTypeCreateInfo t = {VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, NULL, VK_SEMAPHORE_TYPE_TIMELINE, 0};
	VkSemaphoreCreateInfo ci = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, timeline ? &t : NULL, 0};
	return d->fn.CreateSemaphore(d->handle, &ci, d->alloc, out);
}

VkResult vkt_commands_create(vkt_device *d, uint32_t family, VkCommandPool *pool, VkCommandBuffer *out) {
	VkCommandPoolCreateInfo ci = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, NULL, VK_COMMAND_POOL_CREATE_TRANSIENT_BIT, family};
	VkResult r = d->fn.CreateCommandPool(d->handle, &ci, d->alloc, pool);
	if (r < 0) return r;
	VkCommandBufferAllocateInfo ai = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, *pool, 0, 1};
	r = d->fn.AllocateCommandBuffers(d->handle, &ai, out);
	if (r < 0) {
		d->fn.DestroyCommandPool(d->handle, *pool, d->alloc);
		*pool = 0;
	}
	return r;
}

VkResult vkt_queries_create(vkt_device *d, VkEnum type, uint32_t n, VkQueryPool *out) {
	VkQueryPoolCreateInfo ci = {VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, NULL, 0, type, n, 0};
	if (type == VK_QUERY_TYPE_PIPELINE_STATISTICS)
		ci.pipelineStatistics = VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT |
			VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_PRIMITIVES_BIT |
			VK_QUERY_PIPELINE_STATISTIC_VERTEX_SHADER_INVOCATIONS_BIT |
			VK_QUERY_PIPELINE_STATISTIC_CLIPPING_INVOCATIONS_BIT |
			VK_QUERY_PIPELINE_STATISTIC_CLIPPING_PRIMITIVES_BIT |
			VK_QUERY_PIPELINE_STATISTIC_FRAGMENT_SHADER_INVOCATIONS_BIT;
	return d->fn.CreateQueryPool(d->handle, &ci, d->alloc, out);
}
