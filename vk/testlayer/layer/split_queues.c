// A Vulkan layer for tests: it shows a device whose first family does graphics
// and compute as if it had the families that VKTERRAIN_QUEUES lists, with one
// queue each. "gc,t" is one for graphics and compute and one for transfer. Where a family
// has a p, as in "gc,t,cp", only such present.
//
// What is above it (the program, the validation layer) sees families, queues
// and ownership transfers as on such a device; what is below sees family 0 and
// one queue. The real device is in order, so what waits on one queue for work
// that is submitted to another only later waits for ever. The halves of an
// ownership transfer of an image both change its layout below, which only
// drivers that ignore layouts, such as lavapipe, forgive.
//
// VKTERRAIN_QUEUE_DELAY is a family and milliseconds, "1,5": what is submitted to it is
// passed on that much later by a thread, as from a slow bus. Waiting for queue or
// device waits for that too.
//
// At the end of each device a line goes to the file VKTERRAIN_QUEUES_LOG:
//	device gc,t ownership BARRIERS submissions FAMILY0,FAMILY1 presents FAMILY0,FAMILY1
#include "chain.h"
#include <time.h>

#define MAX_FAMILIES 8

// --- what is shown ------------------------------------------------------------

static const char *mode;
static uint32_t delayed = ~0u; // family
static unsigned delay;           // milliseconds
static uint32_t family_count;
static VkQueueFlags family_flags[MAX_FAMILIES];
static uint32_t presenting; // bit by family; 0 means all

static void read_mode(void) {
	mode = getenv("VKTERRAIN_QUEUES");
	uint32_t n = 1;
	VkQueueFlags flags[MAX_FAMILIES + 1] = {0};
	for (const char *c = mode ? mode : ""; *c; c++) {
		switch (*c) {
		case 'g': flags[n - 1] |= VK_QUEUE_GRAPHICS_BIT; break;
		case 'c': flags[n - 1] |= VK_QUEUE_COMPUTE_BIT; break;
		case 't': flags[n - 1] |= VK_QUEUE_TRANSFER_BIT; break;
		case 'p': presenting |= 1u << (n - 1); break;
		case ',': n++; break;
		default: return;
		}
		if (n > MAX_FAMILIES) return;
	}
	for (uint32_t i = 0; i < n; i++)
		if (!flags[i]) return;
	const char *late = getenv("VKTERRAIN_QUEUE_DELAY");
	if (late && *late && (sscanf(late, "%u,%u", &delayed, &delay) != 2 || delayed >= n)) return;
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
	F(QueueSubmit) O(QueueSubmit2) O(QueueSubmit2KHR) F(QueueWaitIdle) F(DeviceWaitIdle) F(QueueBindSparse) O(QueuePresentKHR) \
	O(QueueBeginDebugUtilsLabelEXT) O(QueueEndDebugUtilsLabelEXT) O(QueueInsertDebugUtilsLabelEXT) \
	O(SetDebugUtilsObjectNameEXT) O(SetDebugUtilsObjectTagEXT) F(CmdPipelineBarrier) O(CmdPipelineBarrier2) \
	O(CmdPipelineBarrier2KHR) F(CmdWaitEvents) O(CmdWaitEvents2) O(CmdWaitEvents2KHR) O(CmdSetEvent2) \
	O(CmdSetEvent2KHR)

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
	uint64_t submissions, presents;

	// Of the family that is delayed:
	pthread_t thread;
	pthread_cond_t changed;
	struct late *first, **last;
	int quits;
};

// late is a submission that waits for its time.
struct late {
	struct late *next;
	struct timespec due;
	VkSubmitInfo info;
	VkTimelineSemaphoreSubmitInfo timeline;
	VkFence fence;
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

static struct instance *instances;
static struct device *devices;
FIND(instances, instance)
FIND(devices, device)

static VkQueue unwrap(VkQueue q) { return ((struct queue *)q)->dev->queue; }

// --- the instance ---------------------------------------------------------------

static int ready(void) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, read_mode);
	if (!family_count) fprintf(stderr, "split_queues: VKTERRAIN_QUEUES is %s; want families such as gc,t\n", mode ? mode : "not set");
	return family_count > 0;
}

INSTANCES(ready)

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
	if (splits(in, gpu, NULL)) {
		if (presenting && !(presenting >> family & 1)) {
			*out = VK_FALSE;
			return VK_SUCCESS;
		}
		family = real(family);
	}
	return in->GetPhysicalDeviceSurfaceSupportKHR(gpu, family, surface, out);
}

// --- a slow queue -------------------------------------------------------------------

// own gives a copy of a submission. Only a timeline may be chained to it.
static struct late *own(const VkSubmitInfo *from, VkFence fence) {
	struct late *to = calloc(1, sizeof *to);
	const VkTimelineSemaphoreSubmitInfo *t = from->pNext;
	if (!to || (t && (t->sType != VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO || t->pNext))) abort();
	to->info = *from;
	to->fence = fence;
	to->info.pWaitSemaphores = copy(from->pWaitSemaphores, from->waitSemaphoreCount, sizeof(VkSemaphore));
	to->info.pWaitDstStageMask = copy(from->pWaitDstStageMask, from->waitSemaphoreCount, sizeof(VkPipelineStageFlags));
	to->info.pCommandBuffers = copy(from->pCommandBuffers, from->commandBufferCount, sizeof(VkCommandBuffer));
	to->info.pSignalSemaphores = copy(from->pSignalSemaphores, from->signalSemaphoreCount, sizeof(VkSemaphore));
	if (t) {
		to->timeline = *t;
		to->timeline.pWaitSemaphoreValues = copy(t->pWaitSemaphoreValues, t->waitSemaphoreValueCount, sizeof(uint64_t));
		to->timeline.pSignalSemaphoreValues = copy(t->pSignalSemaphoreValues, t->signalSemaphoreValueCount, sizeof(uint64_t));
		to->info.pNext = &to->timeline;
	}
	clock_gettime(CLOCK_REALTIME, &to->due);
	to->due.tv_nsec += delay % 1000 * 1000000L;
	to->due.tv_sec += delay / 1000 + to->due.tv_nsec / 1000000000L;
	to->due.tv_nsec %= 1000000000L;
	return to;
}

static void disown(struct late *l) {
	free((void *)l->info.pWaitSemaphores);
	free((void *)l->info.pWaitDstStageMask);
	free((void *)l->info.pCommandBuffers);
	free((void *)l->info.pSignalSemaphores);
	free((void *)l->timeline.pWaitSemaphoreValues);
	free((void *)l->timeline.pSignalSemaphoreValues);
	free(l);
}

// pass_on submits what is due, until the queue ends.
static void *pass_on(void *arg) {
	struct queue *w = arg;
	struct device *d = w->dev;
	pthread_mutex_lock(&d->mu);
	while (w->first || !w->quits) {
		struct late *l = w->first;
		if (!l) {
			pthread_cond_wait(&w->changed, &d->mu);
			continue;
		}
		if (pthread_cond_timedwait(&w->changed, &d->mu, &l->due) == 0) continue; // not yet
		d->QueueSubmit(d->queue, 1, &l->info, l->fence);
		if (!(w->first = l->next)) w->last = &w->first;
		disown(l);
		pthread_cond_broadcast(&w->changed);
	}
	pthread_mutex_unlock(&d->mu);
	return NULL;
}

// submit_late is called with the device locked.
static void submit_late(struct queue *w, uint32_t n, const VkSubmitInfo *info, VkFence fence) {
	for (uint32_t i = 0; i < n; i++) {
		struct late *l = own(&info[i], i == n - 1 ? fence : VK_NULL_HANDLE);
		*w->last = l;
		w->last = &l->next;
	}
	pthread_cond_broadcast(&w->changed);
}

// drain waits until nothing is late. It is called with the device locked.
static void drain(struct device *d) {
	for (uint32_t i = 0; i < family_count; i++)
		while (d->queues[i] && d->queues[i]->first) pthread_cond_wait(&d->queues[i]->changed, &d->mu);
}

static void starts_late(struct queue *w) {
	w->last = &w->first;
	pthread_cond_init(&w->changed, NULL);
	if (pthread_create(&w->thread, NULL, pass_on, w)) abort();
}

static void ends_late(struct queue *w) {
	pthread_mutex_lock(&w->dev->mu);
	w->quits = 1;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->dev->mu);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->changed);
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
	struct device_link link;
	if (!link_device(in->handle, info, &link)) return VK_ERROR_INITIALIZATION_FAILED;
	VkResult r = link.create(gpu, &ci, alloc, out);
	if (r != VK_SUCCESS) return r;
	struct device *d = calloc(1, sizeof *d);
	if (!d) abort();
	d->key = key(*out);
	d->gdpa = link.gdpa;
	d->set_loader_data = link.set_loader_data;
	pthread_mutex_init(&d->mu, NULL);
#define LOAD(name) d->name = (PFN_vk##name)link.gdpa(*out, "vk" #name);
	DEVICE_FUNCS(LOAD, LOAD)
#undef LOAD
	for (uint32_t i = 0; i < family_count; i++) {
		if (!wanted[i]) continue;
		if (!(d->queues[i] = calloc(1, sizeof *d->queues[i]))) abort();
		d->queues[i]->dev = d;
		if (i == delayed) starts_late(d->queues[i]);
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
	fprintf(f, " presents ");
	for (uint32_t i = 0; i < family_count; i++)
		fprintf(f, "%s%llu", i ? "," : "", d->queues[i] ? (unsigned long long)d->queues[i]->presents : 0);
	fputc('\n', f);
	fclose(f);
}

static VKAPI_ATTR void VKAPI_CALL hook_DestroyDevice(VkDevice device, const VkAllocationCallbacks *alloc) {
	if (!device) return;
	struct device *d = find_device(device);
	REMOVE(devices, device, d);
	for (uint32_t i = 0; i < family_count; i++)
		if (d->queues[i] && d->queues[i]->last) ends_late(d->queues[i]);
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
SUBMIT(QueueSubmit2, VkSubmitInfo2)
SUBMIT(QueueSubmit2KHR, VkSubmitInfo2)

static VKAPI_ATTR VkResult VKAPI_CALL hook_QueueSubmit(VkQueue q, uint32_t n, const VkSubmitInfo *info, VkFence fence) {
	struct queue *w = (struct queue *)q;
	VkResult r = VK_SUCCESS;
	pthread_mutex_lock(&w->dev->mu);
	w->submissions += n;
	if (w->last) submit_late(w, n, info, fence);
	else r = w->dev->QueueSubmit(unwrap(q), n, info, fence);
	pthread_mutex_unlock(&w->dev->mu);
	return r;
}

static VKAPI_ATTR VkResult VKAPI_CALL hook_QueueWaitIdle(VkQueue q) {
	struct device *d = ((struct queue *)q)->dev;
	pthread_mutex_lock(&d->mu);
	drain(d);
	VkResult r = d->QueueWaitIdle(unwrap(q));
	pthread_mutex_unlock(&d->mu);
	return r;
}

static VKAPI_ATTR VkResult VKAPI_CALL hook_DeviceWaitIdle(VkDevice device) {
	struct device *d = find_device(device);
	pthread_mutex_lock(&d->mu);
	drain(d);
	VkResult r = d->DeviceWaitIdle(device);
	pthread_mutex_unlock(&d->mu);
	return r;
}

ON_QUEUE(VkResult, QueueBindSparse, (VkQueue q, uint32_t n, const VkBindSparseInfo *i, VkFence f), (unwrap(q), n, i, f))

static VKAPI_ATTR VkResult VKAPI_CALL hook_QueuePresentKHR(VkQueue q, const VkPresentInfoKHR *i) {
	struct queue *w = (struct queue *)q;
	pthread_mutex_lock(&w->dev->mu);
	w->presents += i->swapchainCount;
	VkResult r = w->dev->QueuePresentKHR(unwrap(q), i);
	pthread_mutex_unlock(&w->dev->mu);
	return r;
}

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

#define NONE(name) 0
ENTRY(NONE, HOOK(GetDeviceQueue2))
