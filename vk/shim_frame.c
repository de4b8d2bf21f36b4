#include "dispatch.h"
#include <string.h>
#include <time.h>

VkResult vkt_commands_begin(vkt_device *d, VkCommandPool pool, VkCommandBuffer cb) {
	VkResult r = d->fn.ResetCommandPool(d->handle, pool, 0);
	if (r < 0) return r;
	VkCommandBufferBeginInfo bi = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, NULL, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, NULL};
	return d->fn.BeginCommandBuffer(cb, &bi);
}

VkResult vkt_commands_end(vkt_device *d, VkCommandBuffer cb) { return d->fn.EndCommandBuffer(cb); }

VkResult vkt_submit(vkt_device *d, VkQueue q, const vkt_submit_info *i) {
	VkTimelineSemaphoreSubmitInfo t = {VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, NULL, i->waits, i->wait_value,
		i->signals, i->signal_value};
	VkSubmitInfo si = {VK_STRUCTURE_TYPE_SUBMIT_INFO, &t, i->waits, i->waits ? i->wait : NULL, i->wait_stage, i->commands, i->command,
		i->signals, i->signal};
	return d->fn.QueueSubmit(q, 1, &si, 0);
}

VkResult vkt_wait(vkt_device *d, VkSemaphore s, uint64_t value, uint64_t timeout) {
	VkSemaphoreWaitInfo wi = {VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, NULL, 0, 1, &s, &value};
	return d->fn.WaitSemaphores(d->handle, &wi, timeout);
}

VkResult vkt_value(vkt_device *d, VkSemaphore s, uint64_t *value) {
	return d->fn.GetSemaphoreCounterValue(d->handle, s, value);
}

VkResult vkt_clock(vkt_device *d, uint64_t *ticks, uint64_t *then, uint64_t *now, uint64_t *deviation) {
	VkCalibratedTimestampInfoEXT i[2] = {
		{VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, NULL, VK_TIME_DOMAIN_DEVICE_EXT},
		{VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, NULL, VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT}};
	uint64_t t[2];
	if (!d->fn.GetCalibratedTimestampsEXT) return VK_ERROR_EXTENSION_NOT_PRESENT;
	VkResult r = d->fn.GetCalibratedTimestampsEXT(d->handle, 2, i, t, deviation);
	struct timespec c;
	clock_gettime(CLOCK_MONOTONIC, &c);
	*ticks = t[0];
	*then = t[1];
	*now = (uint64_t)c.tv_sec * 1000000000u + (uint64_t)c.tv_nsec;
	return r;
}

VkResult vkt_query_results(vkt_device *d, VkQueryPool pool, uint32_t n, uint64_t *out, uint32_t per) {
	return d->fn.GetQueryPoolResults(d->handle, pool, 0, n, (size_t)n * per * 8, out, per * 8, VK_QUERY_RESULT_64_BIT);
}

VkResult vkt_swapchain_create(vkt_device *d, const vkt_swapchain_info *i, VkSwapchainKHR *out) {
	VkSwapchainCreateInfoKHR ci = {VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR, NULL, 0, i->surface, i->min_images,
		i->format, i->color_space, {i->width, i->height}, 1, i->usage, i->family_count > 1 ? 1 : 0, i->family_count, i->families,
		i->transform, i->alpha, i->mode, 1, i->old};
	if (!d->fn.CreateSwapchainKHR) return VK_ERROR_EXTENSION_NOT_PRESENT;
	return d->fn.CreateSwapchainKHR(d->handle, &ci, d->alloc, out);
}

VkResult vkt_swapchain_images(vkt_device *d, VkSwapchainKHR s, uint32_t *count, VkImage *out) {
	uint32_t n = 0;
	VkResult r = d->fn.GetSwapchainImagesKHR(d->handle, s, &n, NULL);
	if (n < *count) *count = n; // with more than there is room for the answer is VK_INCOMPLETE
	return r < 0 ? r : d->fn.GetSwapchainImagesKHR(d->handle, s, count, out);
}

VkResult vkt_acquire(vkt_device *d, VkSwapchainKHR s, VkSemaphore signal, uint64_t timeout, uint32_t *index) {
	return d->fn.AcquireNextImageKHR(d->handle, s, timeout, signal, 0, index);
}

VkResult vkt_present(vkt_device *d, VkQueue q, VkSwapchainKHR s, VkSemaphore wait, uint32_t index) {
	VkPresentInfoKHR pi = {VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, NULL, 1, &wait, 1, &s, &index, NULL};
	return d->fn.QueuePresentKHR(q, &pi);
}

void vkt_queue_label(vkt_device *d, VkQueue q, const char *name, size_t len) {
	char text[128];
	if (!d->in->debug_utils || !d->in->fn.QueueBeginDebugUtilsLabelEXT) return;
	if (!len) { d->in->fn.QueueEndDebugUtilsLabelEXT(q); return; }
	VkDebugUtilsLabelEXT l = {VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, NULL, vkt_text(text, sizeof text, name, len), {0}};
	d->in->fn.QueueBeginDebugUtilsLabelEXT(q, &l);
}

// --- recording --------------------------------------------------------------

void vkt_cmd_label(vkt_device *d, VkCommandBuffer cb, const char *name, size_t len, const float *color) {
	char text[128];
	if (!d->in->debug_utils) return;
	VkDebugUtilsLabelEXT l = {VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, NULL, vkt_text(text, sizeof text, name, len),
		{color[0], color[1], color[2], color[3]}};
	d->in->fn.CmdBeginDebugUtilsLabelEXT(cb, &l);
}

void vkt_cmd_label_end(vkt_device *d, VkCommandBuffer cb) {
	if (d->in->debug_utils) d->in->fn.CmdEndDebugUtilsLabelEXT(cb);
}

void vkt_cmd_reset_queries(vkt_device *d, VkCommandBuffer cb, VkQueryPool pool, uint32_t n) {
	d->fn.CmdResetQueryPool(cb, pool, 0, n);
}

void vkt_cmd_timestamp(vkt_device *d, VkCommandBuffer cb, VkFlags stage, VkQueryPool pool, uint32_t i) {
	d->fn.CmdWriteTimestamp(cb, stage, pool, i);
}

void vkt_cmd_query(vkt_device *d, VkCommandBuffer cb, VkQueryPool pool, int32_t begin) {
	if (begin) d->fn.CmdBeginQuery(cb, pool, 0, 0); else d->fn.CmdEndQuery(cb, pool, 0);
}

static VkRenderingAttachmentInfo attachment(const vkt_attachment *a, VkEnum layout) {
	VkRenderingAttachmentInfo i = {VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
	i.imageView = a->view;
	i.imageLayout = layout;
	i.loadOp = a->load;
	i.storeOp = a->store;
	if (layout == VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL) memcpy(i.clearValue.color.float32, a->clear, sizeof a->clear);
	else i.clearValue.depthStencil.depth = a->clear[0];
	if (a->resolve) {
		i.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
		i.resolveImageView = a->resolve;
		i.resolveImageLayout = layout;
	}
	return i;
}

VkResult vkt_cmd_begin_rendering(vkt_device *d, VkCommandBuffer cb, uint32_t width, uint32_t height, uint32_t view_mask,
	const vkt_attachment *color, const vkt_attachment *depth) {
	if (!d->renders) return vkt_pass_begin(d, cb, width, height, view_mask, color, depth);
	VkRenderingAttachmentInfo c = attachment(color, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
	VkRenderingAttachmentInfo z = attachment(depth, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
	VkRenderingInfo ri = {VK_STRUCTURE_TYPE_RENDERING_INFO, NULL, 0, {{0, 0}, {width, height}}, 1, view_mask, color->view ? 1 : 0, &c,
		depth->view ? &z : NULL, NULL};
	d->fn.CmdBeginRendering(cb, &ri);
	return VK_SUCCESS;
}

void vkt_cmd_end_rendering(vkt_device *d, VkCommandBuffer cb) {
	if (d->renders) d->fn.CmdEndRendering(cb); else d->fn.CmdEndRenderPass(cb);
}
void vkt_cmd_viewport(vkt_device *d, VkCommandBuffer cb, const VkViewport *v) { d->fn.CmdSetViewport(cb, 0, 1, v); }
void vkt_cmd_scissor(vkt_device *d, VkCommandBuffer cb, const VkRect2D *r) { d->fn.CmdSetScissor(cb, 0, 1, r); }

void vkt_cmd_clear_depth(vkt_device *d, VkCommandBuffer cb, const VkRect2D *r, float depth) {
	VkClearAttachment a = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, {.depthStencil = {depth, 0}}};
	VkClearRect rect = {*r, 0, 1};
	d->fn.CmdClearAttachments(cb, 1, &a, 1, &rect);
}

void vkt_cmd_pipeline(vkt_device *d, VkCommandBuffer cb, VkEnum point, VkPipeline p) { d->fn.CmdBindPipeline(cb, point, p); }

void vkt_cmd_sets(vkt_device *d, VkCommandBuffer cb, VkEnum point, VkPipelineLayout l, uint32_t first,
	const VkDescriptorSet *sets, uint32_t n, const uint32_t *offsets, uint32_t m) {
	d->fn.CmdBindDescriptorSets(cb, point, l, first, n, sets, m, offsets);
}

void vkt_cmd_push(vkt_device *d, VkCommandBuffer cb, VkPipelineLayout l, VkFlags stages, uint32_t offset,
	const void *data, uint32_t size) {
	d->fn.CmdPushConstants(cb, l, stages, offset, size, data);
}

void vkt_cmd_index(vkt_device *d, VkCommandBuffer cb, VkBuffer b, uint64_t offset, VkEnum type) {
	d->fn.CmdBindIndexBuffer(cb, b, offset, type);
}

void vkt_cmd_vertex(vkt_device *d, VkCommandBuffer cb, uint32_t binding, VkBuffer b, uint64_t offset) {
	d->fn.CmdBindVertexBuffers(cb, binding, 1, &b, &offset);
}

void vkt_cmd_draw(vkt_device *d, VkCommandBuffer cb, uint32_t n, uint32_t instances, uint32_t first, uint32_t first_instance) {
	d->fn.CmdDraw(cb, n, instances, first, first_instance);
}

void vkt_cmd_draw_indexed(vkt_device *d, VkCommandBuffer cb, uint32_t n, uint32_t instances, uint32_t first,
	int32_t vertex_offset, uint32_t first_instance) {
	d->fn.CmdDrawIndexed(cb, n, instances, first, vertex_offset, first_instance);
}

void vkt_cmd_draw_indirect(vkt_device *d, VkCommandBuffer cb, VkBuffer b, uint64_t offset, uint32_t n, uint32_t stride) {
	d->fn.CmdDrawIndexedIndirect(cb, b, offset, n, stride);
}

void vkt_cmd_draw_indirect_count(vkt_device *d, VkCommandBuffer cb, VkBuffer b, uint64_t offset, VkBuffer count,
	uint64_t count_offset, uint32_t max, uint32_t stride) {
	d->fn.CmdDrawIndexedIndirectCount(cb, b, offset, count, count_offset, max, stride);
}

void vkt_cmd_dispatch(vkt_device *d, VkCommandBuffer cb, uint32_t x, uint32_t y, uint32_t z) { d->fn.CmdDispatch(cb, x, y, z); }

void vkt_cmd_copy_buffer(vkt_device *d, VkCommandBuffer cb, VkBuffer src, VkBuffer dst, const VkBufferCopy *r, uint32_t n) {
	d->fn.CmdCopyBuffer(cb, src, dst, n, r);
}

void vkt_cmd_copy_image(vkt_device *d, VkCommandBuffer cb, VkBuffer b, VkImage image, VkFlags aspect, int32_t to_image,
	const vkt_image_copy *r, uint32_t n) {
	VkBufferImageCopy c[16];
	while (n) {
		uint32_t k = n < 16 ? n : 16;
		for (uint32_t i = 0; i < k; i++)
			c[i] = (VkBufferImageCopy){r[i].offset, 0, 0, {aspect, r[i].level, r[i].layer, 1}, {r[i].x, r[i].y, 0},
				{r[i].width, r[i].height, 1}};
		if (to_image) d->fn.CmdCopyBufferToImage(cb, b, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, k, c);
		else d->fn.CmdCopyImageToBuffer(cb, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, b, k, c);
		r += k;
		n -= k;
	}
}

void vkt_cmd_blit(vkt_device *d, VkCommandBuffer cb, VkImage src, uint32_t sw, uint32_t sh, VkImage dst, uint32_t dw,
	uint32_t dh, VkEnum filter) {
	VkImageSubresourceLayers s = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
	VkImageBlit b = {s, {{0, 0, 0}, {(int32_t)sw, (int32_t)sh, 1}}, s, {{0, 0, 0}, {(int32_t)dw, (int32_t)dh, 1}}};
	d->fn.CmdBlitImage(cb, src, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, dst, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &b, filter);
}

void vkt_cmd_image_barrier(vkt_device *d, VkCommandBuffer cb, const vkt_image_barrier *b) {
	VkImageMemoryBarrier m = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, NULL, b->src_access, b->dst_access, b->old_layout,
		b->new_layout, b->src_family, b->dst_family, b->image, {b->aspect, 0, VK_REMAINING, 0, VK_REMAINING}};
	d->fn.CmdPipelineBarrier(cb, b->src_stage, b->dst_stage, 0, 0, NULL, 0, NULL, 1, &m);
}

void vkt_cmd_buffer_barrier(vkt_device *d, VkCommandBuffer cb, VkFlags src_stage, VkFlags src_access, VkFlags dst_stage,
	VkFlags dst_access, uint32_t src_family, uint32_t dst_family, const vkt_range *r, uint32_t n) {
	VkBufferMemoryBarrier m[32];
	while (n) {
		uint32_t k = n < 32 ? n : 32;
		for (uint32_t i = 0; i < k; i++)
			m[i] = (VkBufferMemoryBarrier){VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER, NULL, src_access, dst_access, src_family,
				dst_family, r[i].buffer, r[i].offset, r[i].size};
		d->fn.CmdPipelineBarrier(cb, src_stage, dst_stage, 0, 0, NULL, k, m, 0, NULL);
		r += k;
		n -= k;
	}
}

void vkt_cmd_memory_barrier(vkt_device *d, VkCommandBuffer cb, VkFlags src_stage, VkFlags src_access, VkFlags dst_stage,
	VkFlags dst_access) {
	VkMemoryBarrier m = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, src_access, dst_access};
	d->fn.CmdPipelineBarrier(cb, src_stage, dst_stage, 0, 1, &m, 0, NULL, 0, NULL);
}
