// A Vulkan layer for tests: it shows a device whose first family does graphics
// and compute as if it had the families that VKTERRAIN_QUEUES lists, with one
// queue each. "gc,t" is one for graphics and compute and one for transfer.
//
// What is above it (the program, the validation layer) sees families, queues
// and ownership transfers as on such a device; what is below sees family 0 and
// one queue. The real device is in order, so what waits on one queue for work
// that is submitted to another only later waits for ever. The halves of an
// ownership transfer of an image both change its layout below, which only
// drivers that ignore layouts, such as lavapipe, forgive.
//
// At the end of each device a line goes to the file VKTERRAIN_QUEUES_LOG:
//	device gc,t ownership BARRIERS submissions FAMILY0,FAMILY1
#include <vulkan/vulkan.h>
#include <vulkan/vk_layer.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define MAX_FAMILIES 8

// --- what is shown ------------------------------------------------------------

static const char *mode;
static uint32_t family_count;
static VkQueueFlags family_flags[MAX_FAMILIES];

static void read_mode(void) {
	mode = getenv("VKTERRAIN_QUEUES");
	uint32_t n = 1;
	VkQueueFlags flags[MAX_FAMILIES + 1] = {0};
	for (const char *c = mode ? mode : ""; *c; c++) {
		switch (*c) {
		case 'g': flags[n - 1] |= VK_QUEUE_GRAPHICS_BIT; break;
		case 'c': flags[n - 1] |= VK_QUEUE_COMPUTE_BIT; break;
		case 't': flags[n - 1] |= VK_QUEUE_TRANSFER_BIT; break;
		case ',': n++; break;
		default: return;
		}
		if (n > MAX_FAMILIES) return;
	}
	for (uint32_t i = 0; i < n; i++)
		if (!flags[i]) return;
	memcpy(family_flags, flags, sizeof family_flags);
	family_count = n;
}

// real gives the family below of one above. Special values, such as
// VK_QUEUE_FAMILY_IGNORED, stay.
static uint32_t real(uint32_t family) { return family < family_count ? 0 : family; }

// --- objects ------------------------------------------------------------------

// The functions that are called below. O marks those that may be missing.
#define INSTANCE_FUNCS(F, O) \
	F(DestroyInstance) F(GetPhysicalDeviceQueueFamilyProperties) F(GetPhysicalDeviceQueueFamilyProperties2) \
	O(GetPhysicalDeviceQueueFamilyProperties2KHR) O(GetPhysicalDeviceSurfaceSupportKHR)

#define DEVICE_FUNCS(F, O) \
	F(DestroyDevice) F(GetDeviceQueue) F(CreateCommandPool) F(CreateBuffer) F(CreateImage) O(CreateSwapchainKHR) \
	F(QueueSubmit) O(QueueSubmit2) O(QueueSubmit2KHR) F(QueueWaitIdle) F(QueueBindSparse) O(QueuePresentKHR) \
	O(QueueBeginDebugUtilsLabelEXT) O(QueueEndDebugUtilsLabelEXT) O(QueueInsertDebugUtilsLabelEXT) \
	O(SetDebugUtilsObjectNameEXT) O(SetDebugUtilsObjectTagEXT) F(CmdPipelineBarrier) O(CmdPipelineBarrier2) \
	O(CmdPipelineBarrier2KHR) F(CmdWaitEvents) O(CmdWaitEvents2) O(CmdWaitEvents2KHR) O(CmdSetEvent2) \
	O(CmdSetEvent2KHR)

#define MEMBER(name) PFN_vk##name name;

struct instance {
	struct instance *next;
	void *key;
	VkInstance handle;
	PFN_vkGetInstanceProcAddr gipa;
	INSTANCE_FUNCS(MEMBER, MEMBER)
};

// queue is what a VkQueue above points to. The loader owns the first word.
struct queue {
	void *dispatch;
	struct device *dev;
	uint64_t submissions;
};

struct device {
	struct device *next;
	void *key;
	PFN_vkGetDeviceProcAddr gdpa;
	PFN_vkSetDeviceLoaderData set_loader_data;
	pthread_mutex_t mu; // the real queue: several threads may use the queues above
	VkQueue queue;
	struct queue *queues[MAX_FAMILIES]; // NULL where none was asked for
	atomic_uint_least64_t ownership;    // barriers with different families
	DEVICE_FUNCS(MEMBER, MEMBER)
};

static pthread_mutex_t list_mu = PTHREAD_MUTEX_INITIALIZER;
static struct instance *instances;
static struct device *devices;

// key is what an instance shares with its physical devices, and a device with
// its queues and command buffers.
static void *key(const void *handle) { return *(void *const *)handle; }

#define FIND(list, type) \
	static struct type *find_##type(const void *handle) { \
		pthread_mutex_lock(&list_mu); \
		struct type *i = list; \
		while (i && i->key != key(handle)) i = i->next; \
		pthread_mutex_unlock(&list_mu); \
		return i; \
	}
FIND(instances, instance)
FIND(devices, device)

#define REMOVE(list, type, which) do { \
		pthread_mutex_lock(&list_mu); \
		struct type **at = &list; \
		while (*at != which) at = &(*at)->next; \
		*at = which->next; \
		pthread_mutex_unlock(&list_mu); \
	} while (0)

#define INSERT(list, which) do { \
		pthread_mutex_lock(&list_mu); \
		which->next = list; \
		list = which; \
		pthread_mutex_unlock(&list_mu); \
	} while (0)

static VkQueue unwrap(VkQueue q) { return ((struct queue *)q)->dev->queue; }

// copy gives a copy of an array to change. Free it.
static void *copy(const void *from, size_t n, size_t size) {
	if (!n || !from) return NULL;
	void *to = malloc(n * size);
	if (!to) abort();
	return memcpy(to, from, n * size);
}

// --- the instance ---------------------------------------------------------------

static VKAPI_ATTR VkResult VKAPI_CALL hook_CreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *alloc,
	VkInstance *out) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, read_mode);
	VkLayerInstanceCreateInfo *chain = (VkLayerInstanceCreateInfo *)info->pNext;
	while (chain && !(chain->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO && chain->function == VK_LAYER_LINK_INFO))
		chain = (VkLayerInstanceCreateInfo *)chain->pNext;
	if (!chain) return VK_ERROR_INITIALIZATION_FAILED;
	if (!family_count) {
		fprintf(stderr, "split_queues: VKTERRAIN_QUEUES is %s; want families such as gc,t\n", mode ? mode : "not set");
		return VK_ERROR_INITIALIZATION_FAILED;
	}
	PFN_vkGetInstanceProcAddr gipa = chain->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	chain->u.pLayerInfo = chain->u.pLayerInfo->pNext;
	PFN_vkCreateInstance create = (PFN_vkCreateInstance)gipa(NULL, "vkCreateInstance");
	if (!create) return VK_ERROR_INITIALIZATION_FAILED;
	VkResult r = create(info, alloc, out);
	if (r != VK_SUCCESS) return r;
	struct instance *in = calloc(1, sizeof *in);
	if (!in) abort();
	in->key = key(*out);
	in->handle = *out;
	in->gipa = gipa;
#define LOAD(name) in->name = (PFN_vk##name)gipa(*out, "vk" #name);
	INSTANCE_FUNCS(LOAD, LOAD)
#undef LOAD
	INSERT(instances, in);
	return r;
}

static VKAPI_ATTR void VKAPI_CALL hook_DestroyInstance(VkInstance instance, const VkAllocationCallbacks *alloc) {
	if (!instance) return;
	struct instance *in = find_instance(instance);
	REMOVE(instances, instance, in);
	in->DestroyInstance(instance, alloc);
	free(in);
}

// splits says whether the layer can divide the GPU's first family. first, if
// not NULL, receives that family.
static int splits(struct instance *in, VkPhysicalDevice gpu, VkQueueFamilyProperties *first) {
	const VkQueueFlags need = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
	VkQueueFamilyProperties p = {0};
	uint32_t n = 1;
	in->GetPhysicalDeviceQueueFamilyProperties(gpu, &n, &p);
	if (first) *first = p;
	return n == 1 && (p.queueFlags & need) == need;
}

// show turns the real family into the one above with this index.
static void show(VkQueueFamilyProperties *p, uint32_t family) {
	p->queueFlags = family_flags[family];
	p->queueCount = 1;
}

static VKAPI_ATTR void VKAPI_CALL hook_GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice gpu, uint32_t *count,
	VkQueueFamilyProperties *out) {
	struct instance *in = find_instance(gpu);
	VkQueueFamilyProperties first;
	if (!splits(in, gpu, &first)) {
		in->GetPhysicalDeviceQueueFamilyProperties(gpu, count, out);
		return;
	}
	if (!out || *count > family_count) *count = family_count;
	for (uint32_t i = 0; out && i < *count; i++) {
		out[i] = first;
		show(&out[i], i);
	}
}

static void families2(struct instance *in, PFN_vkGetPhysicalDeviceQueueFamilyProperties2 below, VkPhysicalDevice gpu,
	uint32_t *count, VkQueueFamilyProperties2 *out) {
	if (!splits(in, gpu, NULL)) {
		below(gpu, count, out);
		return;
	}
	if (!out || *count > family_count) *count = family_count;
	for (uint32_t i = 0; out && i < *count; i++) {
		uint32_t one = 1;
		below(gpu, &one, &out[i]); // fills what is chained, too
		show(&out[i].queueFamilyProperties, i);
	}
}

#define FAMILIES2(name) \
	static VKAPI_ATTR void VKAPI_CALL hook_##name(VkPhysicalDevice gpu, uint32_t *count, VkQueueFamilyProperties2 *out) { \
		struct instance *in = find_instance(gpu); \
		families2(in, in->name, gpu, count, out); \
	}
FAMILIES2(GetPhysicalDeviceQueueFamilyProperties2)
FAMILIES2(GetPhysicalDeviceQueueFamilyProperties2KHR)

static VKAPI_ATTR VkResult VKAPI_CALL hook_GetPhysicalDeviceSurfaceSupportKHR(VkPhysicalDevice gpu, uint32_t family,
	VkSurfaceKHR surface, VkBool32 *out) {
	struct instance *in = find_instance(gpu);
	if (splits(in, gpu, NULL)) family = real(family);
	return in->GetPhysicalDeviceSurfaceSupportKHR(gpu, family, surface, out);
}

// --- the device -----------------------------------------------------------------

// merge turns the queues asked for into one of family 0, as important as the
// most important. It gives NULL where they are not those that are shown.
static const float *merge(const VkDeviceCreateInfo *info, VkDeviceQueueCreateInfo *to, int wanted[MAX_FAMILIES]) {
	if (!info->queueCreateInfoCount) return NULL;
	*to = info->pQueueCreateInfos[0];
	const float *priority = to->pQueuePriorities;
	for (uint32_t i = 0; i < info->queueCreateInfoCount; i++) {
		const VkDeviceQueueCreateInfo *q = &info->pQueueCreateInfos[i];
		if (q->queueFamilyIndex >= family_count || q->queueCount != 1 || wanted[q->queueFamilyIndex]) {
			fprintf(stderr, "split_queues: %u queues of family %u asked for, which has one\n", q->queueCount, q->queueFamilyIndex);
			return NULL;
		}
		wanted[q->queueFamilyIndex] = 1;
		if (*q->pQueuePriorities > *priority) priority = q->pQueuePriorities;
	}
	to->queueFamilyIndex = 0;
	to->pQueuePriorities = priority;
	return priority;
}

static VKAPI_ATTR VkResult VKAPI_CALL hook_CreateDevice(VkPhysicalDevice gpu, const VkDeviceCreateInfo *info,
	const VkAllocationCallbacks *alloc, VkDevice *out) {
	struct instance *in = find_instance(gpu);
	VkLayerDeviceCreateInfo *link = NULL, *data = NULL;
	for (VkLayerDeviceCreateInfo *c = (VkLayerDeviceCreateInfo *)info->pNext; c; c = (VkLayerDeviceCreateInfo *)c->pNext) {
		if (c->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO) continue;
		if (c->function == VK_LAYER_LINK_INFO) link = c;
		if (c->function == VK_LOADER_DATA_CALLBACK) data = c;
	}
	if (!link || !data) return VK_ERROR_INITIALIZATION_FAILED;
	if (!splits(in, gpu, NULL)) {
		fprintf(stderr, "split_queues: the first queue family of this GPU is not for graphics and compute\n");
		return VK_ERROR_INITIALIZATION_FAILED;
	}
	VkDeviceQueueCreateInfo queue;
	int wanted[MAX_FAMILIES] = {0};
	if (!merge(info, &queue, wanted)) return VK_ERROR_INITIALIZATION_FAILED;
	VkDeviceCreateInfo ci = *info;
	ci.queueCreateInfoCount = 1;
	ci.pQueueCreateInfos = &queue;

	PFN_vkGetInstanceProcAddr gipa = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	PFN_vkGetDeviceProcAddr gdpa = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
	link->u.pLayerInfo = link->u.pLayerInfo->pNext;
	PFN_vkCreateDevice create = (PFN_vkCreateDevice)gipa(in->handle, "vkCreateDevice");
	if (!create) return VK_ERROR_INITIALIZATION_FAILED;
	VkResult r = create(gpu, &ci, alloc, out);
	if (r != VK_SUCCESS) return r;
	struct device *d = calloc(1, sizeof *d);
	if (!d) abort();
	d->key = key(*out);
	d->gdpa = gdpa;
	d->set_loader_data = data->u.pfnSetDeviceLoaderData;
	pthread_mutex_init(&d->mu, NULL);
#define LOAD(name) d->name = (PFN_vk##name)gdpa(*out, "vk" #name);
	DEVICE_FUNCS(LOAD, LOAD)
#undef LOAD
	for (uint32_t i = 0; i < family_count; i++) {
		if (!wanted[i]) continue;
		if (!(d->queues[i] = calloc(1, sizeof *d->queues[i]))) abort();
		d->queues[i]->dev = d;
	}
	INSERT(devices, d);
	return r;
}

static void report(struct device *d) {
	const char *path = getenv("VKTERRAIN_QUEUES_LOG");
	FILE *f = path ? fopen(path, "a") : NULL;
	if (!f) return;
	fprintf(f, "device %s ownership %llu submissions ", mode, (unsigned long long)atomic_load(&d->ownership));
	for (uint32_t i = 0; i < family_count; i++)
		fprintf(f, "%s%llu", i ? "," : "", d->queues[i] ? (unsigned long long)d->queues[i]->submissions : 0);
	fputc('\n', f);
	fclose(f);
}

static VKAPI_ATTR void VKAPI_CALL hook_DestroyDevice(VkDevice device, const VkAllocationCallbacks *alloc) {
	if (!device) return;
	struct device *d = find_device(device);
	REMOVE(devices, device, d);
	d->DestroyDevice(device, alloc);
	report(d);
	for (uint32_t i = 0; i < family_count; i++) free(d->queues[i]);
	pthread_mutex_destroy(&d->mu);
	free(d);
}

static VKAPI_ATTR void VKAPI_CALL hook_GetDeviceQueue(VkDevice device, uint32_t family, uint32_t index, VkQueue *out) {
	struct device *d = find_device(device);
	*out = NULL;
	if (family >= family_count || index != 0 || !d->queues[family]) return;
	pthread_mutex_lock(&d->mu);
	if (!d->queue) {
		d->GetDeviceQueue(device, 0, 0, &d->queue);
		d->set_loader_data(device, d->queue);
	}
	d->set_loader_data(device, d->queues[family]);
	pthread_mutex_unlock(&d->mu);
	*out = (VkQueue)d->queues[family];
}

static VKAPI_ATTR void VKAPI_CALL hook_GetDeviceQueue2(VkDevice device, const VkDeviceQueueInfo2 *info, VkQueue *out) {
	*out = NULL;
	if (!info->flags) hook_GetDeviceQueue(device, info->queueFamilyIndex, info->queueIndex, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL hook_CreateCommandPool(VkDevice device, const VkCommandPoolCreateInfo *info,
	const VkAllocationCallbacks *alloc, VkCommandPool *out) {
	VkCommandPoolCreateInfo ci = *info;
	ci.queueFamilyIndex = real(ci.queueFamilyIndex);
	return find_device(device)->CreateCommandPool(device, &ci, alloc, out);
}

// What several families share above belongs to one below.
#define CREATE_SHARED(name, info_type, handle, mode_member) \
	static VKAPI_ATTR VkResult VKAPI_CALL hook_##name(VkDevice device, const info_type *info, \
		const VkAllocationCallbacks *alloc, handle *out) { \
		info_type ci = *info; \
		ci.mode_member = VK_SHARING_MODE_EXCLUSIVE; \
		ci.queueFamilyIndexCount = 0; \
		ci.pQueueFamilyIndices = NULL; \
		return find_device(device)->name(device, &ci, alloc, out); \
	}
CREATE_SHARED(CreateBuffer, VkBufferCreateInfo, VkBuffer, sharingMode)
CREATE_SHARED(CreateImage, VkImageCreateInfo, VkImage, sharingMode)
CREATE_SHARED(CreateSwapchainKHR, VkSwapchainCreateInfoKHR, VkSwapchainKHR, imageSharingMode)

// --- queues -----------------------------------------------------------------------

#define ON_QUEUE(ret, name, params, args) \
	static VKAPI_ATTR ret VKAPI_CALL hook_##name params { \
		struct queue *w = (struct queue *)q; \
		pthread_mutex_lock(&w->dev->mu); \
		ret r = w->dev->name args; \
		pthread_mutex_unlock(&w->dev->mu); \
		return r; \
	}
#define SUBMIT(name, info_type) \
	static VKAPI_ATTR VkResult VKAPI_CALL hook_##name(VkQueue q, uint32_t n, const info_type *info, VkFence fence) { \
		struct queue *w = (struct queue *)q; \
		pthread_mutex_lock(&w->dev->mu); \
		w->submissions += n; \
		VkResult r = w->dev->name(unwrap(q), n, info, fence); \
		pthread_mutex_unlock(&w->dev->mu); \
		return r; \
	}
SUBMIT(QueueSubmit, VkSubmitInfo)
SUBMIT(QueueSubmit2, VkSubmitInfo2)
SUBMIT(QueueSubmit2KHR, VkSubmitInfo2)
ON_QUEUE(VkResult, QueueWaitIdle, (VkQueue q), (unwrap(q)))
ON_QUEUE(VkResult, QueueBindSparse, (VkQueue q, uint32_t n, const VkBindSparseInfo *i, VkFence f), (unwrap(q), n, i, f))
ON_QUEUE(VkResult, QueuePresentKHR, (VkQueue q, const VkPresentInfoKHR *i), (unwrap(q), i))

static VKAPI_ATTR void VKAPI_CALL hook_QueueBeginDebugUtilsLabelEXT(VkQueue q, const VkDebugUtilsLabelEXT *l) {
	((struct queue *)q)->dev->QueueBeginDebugUtilsLabelEXT(unwrap(q), l);
}

static VKAPI_ATTR void VKAPI_CALL hook_QueueEndDebugUtilsLabelEXT(VkQueue q) {
	((struct queue *)q)->dev->QueueEndDebugUtilsLabelEXT(unwrap(q));
}

static VKAPI_ATTR void VKAPI_CALL hook_QueueInsertDebugUtilsLabelEXT(VkQueue q, const VkDebugUtilsLabelEXT *l) {
	((struct queue *)q)->dev->QueueInsertDebugUtilsLabelEXT(unwrap(q), l);
}

#define SET_OBJECT(name, info_type) \
	static VKAPI_ATTR VkResult VKAPI_CALL hook_##name(VkDevice device, const info_type *info) { \
		info_type i = *info; \
		if (i.objectType == VK_OBJECT_TYPE_QUEUE) i.objectHandle = (uint64_t)(uintptr_t)unwrap((VkQueue)(uintptr_t)i.objectHandle); \
		return find_device(device)->name(device, &i); \
	}
SET_OBJECT(SetDebugUtilsObjectNameEXT, VkDebugUtilsObjectNameInfoEXT)
SET_OBJECT(SetDebugUtilsObjectTagEXT, VkDebugUtilsObjectTagInfoEXT)

// --- barriers -----------------------------------------------------------------------

// BELOW maps the families of barriers, and counts those that differ.
#define BELOW(d, b, n) do { \
		for (uint32_t i = 0; i < (n); i++) { \
			if ((b)[i].srcQueueFamilyIndex != (b)[i].dstQueueFamilyIndex) atomic_fetch_add(&(d)->ownership, 1); \
			(b)[i].srcQueueFamilyIndex = real((b)[i].srcQueueFamilyIndex); \
			(b)[i].dstQueueFamilyIndex = real((b)[i].dstQueueFamilyIndex); \
		} \
	} while (0)

static VKAPI_ATTR void VKAPI_CALL hook_CmdPipelineBarrier(VkCommandBuffer c, VkPipelineStageFlags src, VkPipelineStageFlags dst,
	VkDependencyFlags flags, uint32_t mn, const VkMemoryBarrier *m, uint32_t bn, const VkBufferMemoryBarrier *b,
	uint32_t in, const VkImageMemoryBarrier *i) {
	struct device *d = find_device(c);
	VkBufferMemoryBarrier *bc = copy(b, bn, sizeof *b);
	VkImageMemoryBarrier *ic = copy(i, in, sizeof *i);
	BELOW(d, bc, bn);
	BELOW(d, ic, in);
	d->CmdPipelineBarrier(c, src, dst, flags, mn, m, bn, bc, in, ic);
	free(bc);
	free(ic);
}

static VKAPI_ATTR void VKAPI_CALL hook_CmdWaitEvents(VkCommandBuffer c, uint32_t n, const VkEvent *e, VkPipelineStageFlags src,
	VkPipelineStageFlags dst, uint32_t mn, const VkMemoryBarrier *m, uint32_t bn, const VkBufferMemoryBarrier *b,
	uint32_t in, const VkImageMemoryBarrier *i) {
	struct device *d = find_device(c);
	VkBufferMemoryBarrier *bc = copy(b, bn, sizeof *b);
	VkImageMemoryBarrier *ic = copy(i, in, sizeof *i);
	BELOW(d, bc, bn);
	BELOW(d, ic, in);
	d->CmdWaitEvents(c, n, e, src, dst, mn, m, bn, bc, in, ic);
	free(bc);
	free(ic);
}

// below gives copies of n dependencies. Free them with above.
static VkDependencyInfo *below(struct device *d, uint32_t n, const VkDependencyInfo *from) {
	VkDependencyInfo *to = copy(from, n, sizeof *from);
	for (uint32_t i = 0; i < n; i++) {
		VkBufferMemoryBarrier2 *b = copy(from[i].pBufferMemoryBarriers, from[i].bufferMemoryBarrierCount, sizeof *b);
		VkImageMemoryBarrier2 *m = copy(from[i].pImageMemoryBarriers, from[i].imageMemoryBarrierCount, sizeof *m);
		BELOW(d, b, from[i].bufferMemoryBarrierCount);
		BELOW(d, m, from[i].imageMemoryBarrierCount);
		to[i].pBufferMemoryBarriers = b;
		to[i].pImageMemoryBarriers = m;
	}
	return to;
}

static void above(uint32_t n, VkDependencyInfo *info) {
	for (uint32_t i = 0; i < n; i++) {
		free((void *)info[i].pBufferMemoryBarriers);
		free((void *)info[i].pImageMemoryBarriers);
	}
	free(info);
}

#define DEPENDENCY(name, n, params, args) \
	static VKAPI_ATTR void VKAPI_CALL hook_##name params { \
		struct device *d = find_device(c); \
		VkDependencyInfo *i = below(d, n, info); \
		d->name args; \
		above(n, i); \
	}
DEPENDENCY(CmdPipelineBarrier2, 1, (VkCommandBuffer c, const VkDependencyInfo *info), (c, i))
DEPENDENCY(CmdPipelineBarrier2KHR, 1, (VkCommandBuffer c, const VkDependencyInfo *info), (c, i))
DEPENDENCY(CmdSetEvent2, 1, (VkCommandBuffer c, VkEvent e, const VkDependencyInfo *info), (c, e, i))
DEPENDENCY(CmdSetEvent2KHR, 1, (VkCommandBuffer c, VkEvent e, const VkDependencyInfo *info), (c, e, i))
DEPENDENCY(CmdWaitEvents2, n, (VkCommandBuffer c, uint32_t n, const VkEvent *e, const VkDependencyInfo *info), (c, n, e, i))
DEPENDENCY(CmdWaitEvents2KHR, n, (VkCommandBuffer c, uint32_t n, const VkEvent *e, const VkDependencyInfo *info), (c, n, e, i))

// --- the chain ------------------------------------------------------------------------

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL hook_GetDeviceProcAddr(VkDevice device, const char *name);
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL hook_GetInstanceProcAddr(VkInstance instance, const char *name);

struct hook {
	const char *name;
	PFN_vkVoidFunction f;
};

#define HOOK(name) {"vk" #name, (PFN_vkVoidFunction)hook_##name},
static const struct hook global_hooks[] = {HOOK(CreateInstance) HOOK(GetInstanceProcAddr)};
static const struct hook instance_hooks[] = {INSTANCE_FUNCS(HOOK, HOOK) HOOK(CreateDevice)};
static const struct hook device_hooks[] = {DEVICE_FUNCS(HOOK, HOOK) HOOK(GetDeviceQueue2) HOOK(GetDeviceProcAddr)};

static PFN_vkVoidFunction hooked(const struct hook *h, size_t n, const char *name) {
	for (size_t i = 0; i < n; i++)
		if (!strcmp(h[i].name, name)) return h[i].f;
	return NULL;
}
#define HOOKED(list, name) hooked(list, sizeof list / sizeof *list, name)

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL hook_GetDeviceProcAddr(VkDevice device, const char *name) {
	// A function that is missing below is missing here.
	PFN_vkVoidFunction next = find_device(device)->gdpa(device, name), f = HOOKED(device_hooks, name);
	return next && f ? f : next;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL hook_GetInstanceProcAddr(VkInstance instance, const char *name) {
	PFN_vkVoidFunction f = HOOKED(global_hooks, name);
	if (f || !instance) return f;
	PFN_vkVoidFunction next = find_instance(instance)->gipa(instance, name);
	if (!(f = HOOKED(instance_hooks, name))) f = HOOKED(device_hooks, name);
	return next && f ? f : next;
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *i) {
	if (i->loaderLayerInterfaceVersion < 2) return VK_ERROR_INITIALIZATION_FAILED;
	i->loaderLayerInterfaceVersion = 2;
	i->pfnGetInstanceProcAddr = hook_GetInstanceProcAddr;
	i->pfnGetDeviceProcAddr = hook_GetDeviceProcAddr;
	i->pfnGetPhysicalDeviceProcAddr = NULL;
	return VK_SUCCESS;
}
