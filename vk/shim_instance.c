#include "dispatch.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API(major, minor) (((uint32_t)(major) << 22) | ((uint32_t)(minor) << 12))
#define LAYER "VK_LAYER_KHRONOS_validation"

const char *vkt_text(char *to, size_t cap, const char *s, size_t len) {
	if (len > cap - 1) len = cap - 1;
	if (len) memcpy(to, s, len);
	to[len] = 0;
	return to;
}

// --- messages -------------------------------------------------------------

static void push_message(vkt_instance *in, int32_t severity, const char *id, const char *text) {
	if (!id) id = "";
	if (!text) text = "";
	size_t a = strlen(id) + 1, b = strlen(text) + 1;
	vkt_message *m = malloc(sizeof *m + a + b);
	if (!m) return;
	m->next = NULL;
	m->severity = severity;
	m->id = (char *)(m + 1);
	m->text = m->id + a;
	memcpy(m->id, id, a);
	memcpy(m->text, text, b);
	pthread_mutex_lock(&in->mu);
	if (in->tail) in->tail->next = m; else in->head = m;
	in->tail = m;
	atomic_fetch_add(&in->pending, 1);
	pthread_mutex_unlock(&in->mu);
}

static VkBool32 on_message(VkEnum severity, VkFlags types, const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
	vkt_instance *in = user;
	(void)types;
	if (in->echo) fprintf(stderr, "vulkan: %s\n", data->pMessage);
	push_message(in, severity, data->pMessageIdName, data->pMessage);
	return 0;
}

uint32_t vkt_messages_pending(vkt_instance *in) { return atomic_load(&in->pending); }

vkt_message *vkt_messages_take(vkt_instance *in) {
	pthread_mutex_lock(&in->mu);
	vkt_message *m = in->head;
	in->head = in->tail = NULL;
	atomic_store(&in->pending, 0);
	pthread_mutex_unlock(&in->mu);
	return m;
}

// --- creation -------------------------------------------------------------

typedef VkResult (*enum_ext)(const char *, uint32_t *, VkExtensionProperties *);
typedef VkResult (*enum_layer)(uint32_t *, VkLayerProperties *);
typedef VkResult (*enum_version)(uint32_t *);
typedef VkResult (*create_instance)(const VkInstanceCreateInfo *, const void *, VkInstance *);

static int find_ext(const VkExtensionProperties *p, uint32_t n, const char *name) {
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(p[i].extensionName, name)) return 1;
	return 0;
}

// instance_exts lists extensions of the loader, or of one layer. Free the result.
static VkExtensionProperties *instance_exts(vkt_instance *in, const char *layer, uint32_t *n) {
	enum_ext f = (enum_ext)in->gipa(NULL, "vkEnumerateInstanceExtensionProperties");
	*n = 0;
	if (!f || f(layer, n, NULL) < 0) return NULL;
	VkExtensionProperties *p = calloc(*n + 1, sizeof *p);
	if (!p || f(layer, n, p) < 0) *n = 0;
	return p;
}

static int has_layer(vkt_instance *in) {
	enum_layer f = (enum_layer)in->gipa(NULL, "vkEnumerateInstanceLayerProperties");
	uint32_t n = 0;
	int found = 0;
	if (!f || f(&n, NULL) < 0 || n == 0) return 0;
	VkLayerProperties *p = calloc(n, sizeof *p);
	if (p && f(&n, p) >= 0)
		for (uint32_t i = 0; i < n; i++) found |= !strcmp(p[i].layerName, LAYER);
	free(p);
	return found;
}

static int load_instance(vkt_instance *in) {
#define NEED(ret, name, args) if (!(in->fn.name = (ret(*) args)in->gipa(in->handle, "vk" #name))) return 0;
#define TRY(ret, name, args) in->fn.name = (ret(*) args)in->gipa(in->handle, "vk" #name);
	VKT_INSTANCE_FUNCS(NEED, TRY)
#undef NEED
#undef TRY
	return 1;
}

static void fill_messenger(vkt_instance *in, VkDebugUtilsMessengerCreateInfoEXT *m) {
	memset(m, 0, sizeof *m);
	m->sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
	m->messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
	m->messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
		VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
	m->pfnUserCallback = on_message;
	m->pUserData = in;
}

static VkResult create(vkt_instance *in, const vkt_instance_info *info, const char *app, const char *blob, uint32_t *found) {
	const char *exts[36];
	const char *layers[1] = {LAYER};
	uint32_t ext_count = 0, layer_count = 0, avail_count, layer_ext_count = 0;
	VkExtensionProperties *avail = instance_exts(in, NULL, &avail_count), *layer_exts = NULL;
	VkResult r = VK_ERROR_EXTENSION_NOT_PRESENT;
	for (uint32_t i = 0; i < info->extensions; i++, blob += strlen(blob) + 1) {
		if (i >= 32 || !find_ext(avail, avail_count, blob)) {
			push_message(in, VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT, "vkt-extension", blob);
			goto out;
		}
		exts[ext_count++] = blob;
	}
	if (info->validation) {
		if (has_layer(in)) {
			layer_count = 1;
			layer_exts = instance_exts(in, LAYER, &layer_ext_count);
		} else {
			*found |= VKT_LAYER_MISSING;
		}
	}
	if (find_ext(avail, avail_count, "VK_EXT_debug_utils") || find_ext(layer_exts, layer_ext_count, "VK_EXT_debug_utils")) {
		exts[ext_count++] = "VK_EXT_debug_utils";
		*found |= VKT_DEBUG_UTILS;
	}
	VkDebugUtilsMessengerCreateInfoEXT messenger;
	fill_messenger(in, &messenger);
	VkEnum more[2];
	uint32_t more_count = 0;
	if (info->sync_validation) more[more_count++] = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
	if (info->best_practices) more[more_count++] = VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT;
	VkValidationFeaturesEXT vf = {VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT, NULL, more_count, more, 0, NULL};
	const void *next = (*found & VKT_DEBUG_UTILS) ? &messenger : NULL;
	if (layer_count && more_count && find_ext(layer_exts, layer_ext_count, "VK_EXT_validation_features")) {
		exts[ext_count++] = "VK_EXT_validation_features";
		vf.pNext = next;
		next = &vf;
		if (info->sync_validation) *found |= VKT_SYNC_VALIDATION;
	}
	VkApplicationInfo ai = {VK_STRUCTURE_TYPE_APPLICATION_INFO, NULL, app, 0, "vkterrain", 0, in->api};
	VkInstanceCreateInfo ci = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, next, 0, &ai, layer_count, layers, ext_count, exts};
	create_instance f = (create_instance)in->gipa(NULL, "vkCreateInstance");
	r = f ? f(&ci, in->alloc, &in->handle) : VK_ERROR_INITIALIZATION_FAILED;
	if (r == VK_SUCCESS && (*found & VKT_DEBUG_UTILS)) in->debug_utils = 1;
out:
	free(avail);
	free(layer_exts);
	return r;
}

VkResult vkt_instance_create(void *gipa, const vkt_instance_info *info, const char *app, size_t app_len,
	const char *blob, const void *alloc, uint32_t *found, vkt_instance **out) {
	char name[256];
	*found = 0;
	*out = NULL;
	vkt_instance *in = calloc(1, sizeof *in);
	if (!in) return VK_ERROR_OUT_OF_HOST_MEMORY;
	pthread_mutex_init(&in->mu, NULL);
	in->alloc = alloc;
	in->echo = info->echo;
	*out = in; // stays for its messages even when what follows fails
	in->gipa = (vkt_gipa)gipa;
	if (!gipa) {
		in->lib = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
		if (!in->lib) in->lib = dlopen("libvulkan.so", RTLD_NOW | RTLD_LOCAL);
		if (in->lib) in->gipa = (vkt_gipa)dlsym(in->lib, "vkGetInstanceProcAddr");
		if (!in->gipa) return VK_NOT_READY; // no loader
	}
	if (info->adopted) {
		in->handle = info->adopted;
		in->api = info->adopted_api;
		if (!load_instance(in)) return VK_ERROR_INITIALIZATION_FAILED;
		in->debug_utils = in->fn.SetDebugUtilsObjectNameEXT != NULL;
		if (in->debug_utils) *found |= VKT_DEBUG_UTILS;
		return VK_SUCCESS;
	}
	in->api = API(1, 0);
	enum_version v = (enum_version)in->gipa(NULL, "vkEnumerateInstanceVersion");
	if (v) v(&in->api);
	in->api &= 0xFFFFF000u;
	if (in->api < API(1, 2)) return VK_INCOMPLETE; // loader too old
	if (in->api > API(1, 3)) in->api = API(1, 3);
	VkResult r = create(in, info, vkt_text(name, sizeof name, app, app_len), blob, found);
	if (r != VK_SUCCESS) return r;
	in->owned = 1;
	if (!load_instance(in)) return VK_ERROR_INITIALIZATION_FAILED;
	if (in->debug_utils && in->fn.CreateDebugUtilsMessengerEXT) {
		VkDebugUtilsMessengerCreateInfoEXT m;
		fill_messenger(in, &m);
		in->fn.CreateDebugUtilsMessengerEXT(in->handle, &m, in->alloc, &in->messenger);
	}
	return VK_SUCCESS;
}

int32_t vkt_instance_destroy(vkt_instance *in) {
	if (!in->handle || !in->owned) return 0;
	if (in->messenger) in->fn.DestroyDebugUtilsMessengerEXT(in->handle, in->messenger, in->alloc);
	if (in->fn.DestroyInstance) in->fn.DestroyInstance(in->handle, in->alloc);
	in->handle = NULL;
	in->messenger = 0;
	return 0;
}

void vkt_instance_free(vkt_instance *in) {
	for (vkt_message *m = vkt_messages_take(in), *next; m; m = next) {
		next = m->next;
		free(m);
	}
	pthread_mutex_destroy(&in->mu);
	// The library stays open: drivers keep threads and thread-local destructors.
	free(in);
}

VkInstance vkt_instance_handle(vkt_instance *in) { return in->handle; }
uint32_t vkt_instance_api(vkt_instance *in) { return in->api; }

// --- GPUs -----------------------------------------------------------------

// monotonic says whether the GPU's clock can be read together with the monotonic one.
static int monotonic(vkt_instance *in, VkPhysicalDevice gpu) {
	VkEnum domains[8];
	uint32_t n = 8, both = 0;
	if (!in->fn.GetPhysicalDeviceCalibrateableTimeDomainsEXT) return 0;
	if (in->fn.GetPhysicalDeviceCalibrateableTimeDomainsEXT(gpu, &n, domains) < 0) return 0;
	for (uint32_t i = 0; i < n; i++) {
		if (domains[i] == VK_TIME_DOMAIN_DEVICE_EXT) both |= 1;
		if (domains[i] == VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT) both |= 2;
	}
	return both == 3;
}

static void query_features(vkt_instance *in, vkt_gpu *g) {
	uint32_t n = 0;
	in->fn.EnumerateDeviceExtensionProperties(g->handle, NULL, &n, NULL);
	VkExtensionProperties *e = calloc(n + 1, sizeof *e);
	if (!e || in->fn.EnumerateDeviceExtensionProperties(g->handle, NULL, &n, e) < 0) n = 0;
	int dyn_ext = find_ext(e, n, "VK_KHR_dynamic_rendering"), core13 = g->api >= API(1, 3) && in->api >= API(1, 3);
	VkPhysicalDeviceDynamicRenderingFeatures dr = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES};
	VkPhysicalDeviceMultiviewFeatures mv = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES};
	VkPhysicalDeviceVulkan12Features f12 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &mv};
	VkPhysicalDeviceFeatures2 f = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &f12};
	if (core13 || dyn_ext) mv.pNext = &dr;
	in->fn.GetPhysicalDeviceFeatures2(g->handle, &f);
	uint32_t has = 0;
#define BIT(cond, bit) if (cond) has |= bit
	BIT(f12.timelineSemaphore, VKT_TIMELINE);
	BIT(f.features.multiDrawIndirect, VKT_MULTI_DRAW);
	BIT(f.features.drawIndirectFirstInstance, VKT_FIRST_INSTANCE);
	BIT(dr.dynamicRendering, VKT_DYNAMIC_RENDERING);
	BIT(dr.dynamicRendering && !core13, VKT_DYNAMIC_RENDERING_EXT);
	BIT(mv.multiview, VKT_MULTIVIEW);
	BIT(f.features.fillModeNonSolid, VKT_FILL_NON_SOLID);
	BIT(f12.drawIndirectCount, VKT_INDIRECT_COUNT);
	BIT(f.features.samplerAnisotropy, VKT_ANISOTROPY);
	BIT(f.features.pipelineStatisticsQuery, VKT_STATISTICS);
	BIT(f.features.fullDrawIndexUint32, VKT_FULL_INDEX);
	BIT(f.features.shaderInt64, VKT_INT64);
	BIT(f.features.shaderStorageBufferArrayDynamicIndexing, VKT_DYNAMIC_INDEXING);
	BIT(f12.descriptorBindingPartiallyBound, VKT_PARTIALLY_BOUND);
	BIT(f12.shaderStorageBufferArrayNonUniformIndexing, VKT_NON_UNIFORM);
	int ns = find_ext(e, n, "VK_KHR_shader_non_semantic_info");
	BIT(core13 || ns, VKT_NON_SEMANTIC);
	BIT(ns && !core13, VKT_NON_SEMANTIC_EXT);
	BIT(find_ext(e, n, "VK_EXT_memory_budget"), VKT_MEMORY_BUDGET);
	BIT(find_ext(e, n, "VK_EXT_calibrated_timestamps") && monotonic(in, g->handle), VKT_CALIBRATED);
	BIT(find_ext(e, n, "VK_KHR_swapchain"), VKT_SWAPCHAIN);
	BIT(find_ext(e, n, "VK_KHR_portability_subset"), VKT_PORTABILITY);
#undef BIT
	g->has = has;
	free(e);
}

void vkt_gpu_query(vkt_instance *in, VkPhysicalDevice gpu, vkt_gpu *g) {
	memset(g, 0, sizeof *g);
	g->handle = gpu;
	VkPhysicalDeviceProperties p0;
	in->fn.GetPhysicalDeviceProperties(gpu, &p0);
	VkPhysicalDeviceDriverProperties dp = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
	VkPhysicalDeviceProperties2 p = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
	VkPhysicalDeviceIDProperties id = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
	if (p0.apiVersion >= API(1, 2)) dp.pNext = &id, p.pNext = &dp;
	if (p0.apiVersion >= API(1, 1)) in->fn.GetPhysicalDeviceProperties2(gpu, &p); else p.properties = p0;
	g->api = p0.apiVersion;
	g->driver_version = p0.driverVersion;
	g->vendor = p0.vendorID;
	g->device = p0.deviceID;
	g->type = (uint32_t)p0.deviceType;
	memcpy(g->name, p0.deviceName, 256);
	memcpy(g->driver, dp.driverName, 256);
	memcpy(g->driver_info, dp.driverInfo, 256);
	memcpy(g->uuid, id.deviceUUID, 16);
	memcpy(g->driver_uuid, id.driverUUID, 16);
	g->limits = p0.limits;
	VkQueueFamilyProperties fam[16];
	uint32_t n;
	in->fn.GetPhysicalDeviceQueueFamilyProperties(gpu, &n, NULL);
	if (n > 16) n = 16;
	in->fn.GetPhysicalDeviceQueueFamilyProperties(gpu, &n, fam);
	g->family_count = n;
	for (uint32_t i = 0; i < n; i++)
		g->families[i] = (vkt_family){fam[i].queueFlags, fam[i].queueCount, fam[i].timestampValidBits};
	if (p0.apiVersion < API(1, 1)) return; // unsuitable; has stays 0
	VkPhysicalDeviceMemoryProperties2 m = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
	in->fn.GetPhysicalDeviceMemoryProperties2(gpu, &m);
	g->type_count = m.memoryProperties.memoryTypeCount;
	g->heap_count = m.memoryProperties.memoryHeapCount;
	memcpy(g->types, m.memoryProperties.memoryTypes, sizeof g->types);
	memcpy(g->heaps, m.memoryProperties.memoryHeaps, sizeof g->heaps);
	if (p0.apiVersion >= API(1, 2)) query_features(in, g);
}

VkResult vkt_gpus(vkt_instance *in, vkt_gpu *out, uint32_t *count) {
	VkPhysicalDevice h[16];
	uint32_t n = *count < 16 ? *count : 16;
	VkResult r = in->fn.EnumeratePhysicalDevices(in->handle, &n, h);
	if (r < 0) { *count = 0; return r; }
	for (uint32_t i = 0; i < n; i++) vkt_gpu_query(in, h[i], &out[i]);
	*count = n;
	return VK_SUCCESS;
}

int32_t vkt_present_support(vkt_instance *in, VkPhysicalDevice gpu, uint32_t family, VkSurfaceKHR surface) {
	VkBool32 ok = 0;
	if (!in->fn.GetPhysicalDeviceSurfaceSupportKHR) return 0;
	if (in->fn.GetPhysicalDeviceSurfaceSupportKHR(gpu, family, surface, &ok) < 0) return 0;
	return (int32_t)ok;
}

void vkt_surface_destroy(vkt_instance *in, VkSurfaceKHR surface) {
	if (in->fn.DestroySurfaceKHR && surface) in->fn.DestroySurfaceKHR(in->handle, surface, NULL);
}

VkResult vkt_surface_query(vkt_instance *in, VkPhysicalDevice gpu, VkSurfaceKHR surface, vkt_surface_info *out) {
	if (!in->fn.GetPhysicalDeviceSurfaceCapabilitiesKHR) return VK_ERROR_EXTENSION_NOT_PRESENT;
	VkResult r = in->fn.GetPhysicalDeviceSurfaceCapabilitiesKHR(gpu, surface, &out->caps);
	if (r < 0) return r;
	r = in->fn.GetPhysicalDeviceSurfaceFormatsKHR(gpu, surface, &out->format_count, NULL);
	if (out->format_count > 64) out->format_count = 64;
	if (r >= 0) r = in->fn.GetPhysicalDeviceSurfaceFormatsKHR(gpu, surface, &out->format_count, out->formats);
	if (r >= 0) r = in->fn.GetPhysicalDeviceSurfacePresentModesKHR(gpu, surface, &out->mode_count, NULL);
	if (r < 0) return r;
	if (out->mode_count > 16) out->mode_count = 16;
	return in->fn.GetPhysicalDeviceSurfacePresentModesKHR(gpu, surface, &out->mode_count, out->modes);
}

void vkt_memory_budget(vkt_instance *in, VkPhysicalDevice gpu, uint64_t *budget, uint64_t *usage) {
	VkPhysicalDeviceMemoryBudgetPropertiesEXT b = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
	VkPhysicalDeviceMemoryProperties2 m = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, &b};
	in->fn.GetPhysicalDeviceMemoryProperties2(gpu, &m);
	memcpy(budget, b.heapBudget, sizeof b.heapBudget);
	memcpy(usage, b.heapUsage, sizeof b.heapUsage);
}

VkFlags vkt_format_features(vkt_instance *in, VkPhysicalDevice gpu, VkEnum format) {
	VkFlags f[3] = {0}; // linear tiling, optimal tiling, buffer
	in->fn.GetPhysicalDeviceFormatProperties(gpu, format, f);
	return f[1];
}
