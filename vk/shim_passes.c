// Passes of drawing where there is no dynamic rendering: render passes and framebuffers,
// made when they are first begun and kept until one of their images goes.
#include "dispatch.h"
#include <stdlib.h>
#include <string.h>

// key is what a pass is made for. It has no padding: passes are compared byte by byte.
typedef struct {
	VkImageView color, resolve, depth;
	VkEnum color_format, depth_format, color_load, color_store, depth_load, depth_store;
	uint32_t samples, width, height, view_mask;
} key;

struct vkt_pass { key key; VkRenderPass pass; VkFramebuffer frame; };

static VkResult make_pass(vkt_device *d, const key *k, int resolves, VkRenderPass *out) {
	const VkEnum color = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, depth = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
	const VkEnum no_load = VK_ATTACHMENT_LOAD_OP_DONT_CARE, no_store = VK_ATTACHMENT_STORE_OP_DONT_CARE;
	VkAttachmentDescription a[3];
	VkAttachmentReference c = {0, color}, r = {1, color}, z = {0, depth};
	uint32_t n = 0;
	if (k->color_format) a[n++] = (VkAttachmentDescription){0, k->color_format, (VkEnum)k->samples, k->color_load, k->color_store, no_load, no_store, color, color};
	if (resolves) a[n++] = (VkAttachmentDescription){0, k->color_format, 1, no_load, VK_ATTACHMENT_STORE_OP_STORE, no_load, no_store, color, color};
	z.attachment = n;
	if (k->depth_format) a[n++] = (VkAttachmentDescription){0, k->depth_format, (VkEnum)k->samples, k->depth_load, k->depth_store, no_load, no_store, depth, depth};
	VkSubpassDescription s = {0, VK_PIPELINE_BIND_POINT_GRAPHICS, 0, NULL, k->color_format ? 1 : 0, &c, resolves ? &r : NULL,
		k->depth_format ? &z : NULL, 0, NULL};
	VkRenderPassMultiviewCreateInfo m = {VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO, NULL, 1, &k->view_mask, 0, NULL, 1, &k->view_mask};
	VkRenderPassCreateInfo ci = {VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, k->view_mask ? &m : NULL, 0, n, a, 1, &s, 0, NULL};
	return d->fn.CreateRenderPass(d->handle, &ci, d->alloc, out);
}

VkResult vkt_pass_like(vkt_device *d, VkEnum color, VkEnum depth, uint32_t samples, uint32_t view_mask, VkRenderPass *out) {
	const VkEnum load = VK_ATTACHMENT_LOAD_OP_DONT_CARE, store = VK_ATTACHMENT_STORE_OP_DONT_CARE;
	key k = {.color_format = color, .depth_format = depth, .samples = samples, .view_mask = view_mask,
		.color_load = load, .color_store = store, .depth_load = load, .depth_store = store};
	return make_pass(d, &k, 0, out);
}

static void destroy_pass(vkt_device *d, vkt_pass *p) {
	d->fn.DestroyFramebuffer(d->handle, p->frame, d->alloc);
	d->fn.DestroyRenderPass(d->handle, p->pass, d->alloc);
}

static VkResult find_pass(vkt_device *d, const key *k, vkt_pass **out) {
	for (uint32_t i = 0; i < d->pass_count; i++)
		if (!memcmp(&d->passes[i].key, k, sizeof *k)) {
			*out = &d->passes[i];
			return VK_SUCCESS;
		}
	vkt_pass *more = realloc(d->passes, (d->pass_count + 1) * sizeof *more);
	if (!more) return VK_ERROR_OUT_OF_HOST_MEMORY;
	d->passes = more;
	vkt_pass *p = &more[d->pass_count];
	*p = (vkt_pass){*k, 0, 0};
	VkResult r = make_pass(d, k, k->resolve != 0, &p->pass);
	if (r < 0) return r;
	VkImageView views[3];
	uint32_t n = 0;
	if (k->color) views[n++] = k->color;
	if (k->resolve) views[n++] = k->resolve;
	if (k->depth) views[n++] = k->depth;
	VkFramebufferCreateInfo ci = {VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, NULL, 0, p->pass, n, views, k->width, k->height, 1};
	r = d->fn.CreateFramebuffer(d->handle, &ci, d->alloc, &p->frame);
	if (r < 0) {
		d->fn.DestroyRenderPass(d->handle, p->pass, d->alloc);
		return r;
	}
	d->pass_count++;
	*out = p;
	return r;
}

VkResult vkt_pass_begin(vkt_device *d, VkCommandBuffer cb, uint32_t width, uint32_t height, uint32_t view_mask,
	const vkt_attachment *color, const vkt_attachment *depth) {
	key k = {color->view, color->resolve, depth->view, color->format, depth->format, color->load, color->store,
		depth->load, depth->store, color->view ? color->samples : depth->samples, width, height, view_mask};
	vkt_pass *p = NULL;
	VkResult r = find_pass(d, &k, &p);
	if (r < 0) return r;
	VkClearValue clear[3];
	memset(clear, 0, sizeof clear);
	uint32_t n = 0;
	if (color->view) memcpy(clear[n++].color.float32, color->clear, sizeof color->clear);
	if (color->resolve) n++;
	if (depth->view) clear[n++].depthStencil.depth = depth->clear[0];
	VkRenderPassBeginInfo bi = {VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, NULL, p->pass, p->frame, {{0, 0}, {width, height}}, n, clear};
	d->fn.CmdBeginRenderPass(cb, &bi, 0);
	return VK_SUCCESS;
}

void vkt_pass_forget(vkt_device *d, VkImageView view) {
	for (uint32_t i = 0; i < d->pass_count;) {
		vkt_pass *p = &d->passes[i];
		if (view && p->key.color != view && p->key.resolve != view && p->key.depth != view) {
			i++;
			continue;
		}
		destroy_pass(d, p);
		*p = d->passes[--d->pass_count];
	}
	if (view) return;
	free(d->passes);
	d->passes = NULL;
}
