// A Vulkan layer for tests: it shows a device with less than it has, and lets calls
// fail. The environment says what is shown:
//
//	VKTERRAIN_WITHOUT  features, extensions and "timestamps" that are not there:
//	                   multiDrawIndirect,VK_KHR_dynamic_rendering
//	VKTERRAIN_API      the version that the device has at most: 1.2
//	VKTERRAIN_MEMORY   heaps as those of a graphics card, in MiB: 64,256,16 is
//	                   device memory, host memory, and device memory that the
//	                   host sees; without the last there is none. One number is
//	                   the size of the one heap there is.
//	VKTERRAIN_FAIL     a call that fails: vkQueueSubmit,30,1,-4 is the function, which
//	                   call, how many from then on, and the result
//	VKTERRAIN_FAULTS   a file that is shared with the program: see struct slot
//
// What does not fit a heap is refused. A device that is lost stays lost.
#include "chain.h"
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

// --- what is shown ------------------------------------------------------------

#define MAX_NAMES 32

static const char *without[MAX_NAMES];
static uint32_t without_count, api_limit, heap_count;
static uint64_t heaps[3]; // bytes
static const char *wrong; // what is wrong with the environment

struct feature {
	const char *name;
	VkStructureType type; // of the structure that it is in
	size_t offset;
};

#define CORE(name) {#name, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, \
	offsetof(VkPhysicalDeviceFeatures2, features) + offsetof(VkPhysicalDeviceFeatures, name)},
#define IN_12(name) {#name, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, offsetof(VkPhysicalDeviceVulkan12Features, name)},
static const struct feature features[] = {
	CORE(multiDrawIndirect) CORE(drawIndirectFirstInstance) CORE(fillModeNonSolid) CORE(samplerAnisotropy)
	CORE(pipelineStatisticsQuery) CORE(fullDrawIndexUint32) CORE(shaderInt64) CORE(shaderStorageBufferArrayDynamicIndexing)
	IN_12(timelineSemaphore) IN_12(drawIndirectCount) IN_12(descriptorBindingPartiallyBound)
	IN_12(shaderStorageBufferArrayNonUniformIndexing)
	{"multiview", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES, offsetof(VkPhysicalDeviceMultiviewFeatures, multiview)},
	{"multiview", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, offsetof(VkPhysicalDeviceVulkan11Features, multiview)},
	{"dynamicRendering", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
		offsetof(VkPhysicalDeviceDynamicRenderingFeatures, dynamicRendering)},
	{"dynamicRendering", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, offsetof(VkPhysicalDeviceVulkan13Features, dynamicRendering)},
};

static int is_without(const char *name) {
	for (uint32_t i = 0; i < without_count; i++)
		if (!strcmp(without[i], name)) return 1;
	return 0;
}

// known says whether a name means anything. An extension's is believed.
static int known(const char *name) {
	for (size_t i = 0; i < sizeof features / sizeof *features; i++)
		if (!strcmp(features[i].name, name)) return 1;
	return !strncmp(name, "VK_", 3) || !strcmp(name, "timestamps");
}

static void read_environment(void) {
	const char *w = getenv("VKTERRAIN_WITHOUT"), *api = getenv("VKTERRAIN_API"), *memory = getenv("VKTERRAIN_MEMORY");
	char *save = NULL;
	for (char *name = w ? strtok_r(strdup(w), ",", &save) : NULL; name; name = strtok_r(NULL, ",", &save)) {
		if (!known(name) || without_count == MAX_NAMES) wrong = "VKTERRAIN_WITHOUT";
		else without[without_count++] = name;
	}
	unsigned major, minor;
	if (api && *api) {
		if (sscanf(api, "%u.%u", &major, &minor) != 2) wrong = "VKTERRAIN_API";
		else api_limit = VK_MAKE_API_VERSION(0, major, minor, 0);
	}
	for (const char *at = memory && *memory ? memory : NULL; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		if (heap_count == 3 || !(heaps[heap_count++] = strtoull(at, NULL, 10) << 20)) wrong = "VKTERRAIN_MEMORY";
	}
}

// --- calls that fail ----------------------------------------------------------

// slot is what the program says of a function, and is told. The file is an array of
// them, in the order of FAULTS.
struct slot {
	char name[48];
	atomic_uint calls;
	atomic_uint fails_at; // the call that fails, counted as calls are; 0 is none
	atomic_uint times;    // how many calls from then on do
	_Atomic int32_t result;
};

// The functions that may fail: they give a VkResult.
#define FAULTS(F, O) \
	F(QueueSubmit) F(QueueWaitIdle) F(DeviceWaitIdle) F(WaitSemaphores) F(GetSemaphoreCounterValue) F(AllocateMemory) \
	F(MapMemory) F(CreateBuffer) F(CreateImage) F(CreateImageView) F(CreateSampler) F(CreateSemaphore) F(CreateQueryPool) \
	F(CreateCommandPool) F(AllocateCommandBuffers) F(BeginCommandBuffer) F(EndCommandBuffer) F(ResetCommandPool) \
	F(CreateDescriptorSetLayout) F(CreateDescriptorPool) F(AllocateDescriptorSets) F(CreatePipelineLayout) \
	F(CreatePipelineCache) F(CreateShaderModule) F(CreateGraphicsPipelines) F(CreateComputePipelines) \
	F(BindBufferMemory) F(BindImageMemory) F(CreateRenderPass) F(CreateFramebuffer) \
	O(CreateSwapchainKHR) O(GetSwapchainImagesKHR) O(AcquireNextImageKHR) O(QueuePresentKHR)

#define NUMBER(name) slot_##name,
enum { FAULTS(NUMBER, NUMBER) slot_count };
#undef NUMBER
#define NAME(name) "vk" #name,
static const char *const slot_names[] = {FAULTS(NAME, NAME)};
#undef NAME

static struct slot *slots;

// arm says which call fails. It gives 0 if it does not understand.
static int arm(const char *fail) {
	char name[48];
	unsigned at, times;
	int result;
	if (sscanf(fail, "%47[^,],%u,%u,%d", name, &at, &times, &result) != 4) return 0;
	for (int i = 0; i < slot_count; i++) {
		if (strcmp(slots[i].name, name)) continue;
		slots[i].fails_at = at;
		slots[i].times = times;
		slots[i].result = result;
		return 1;
	}
	return 0;
}

static void share_slots(void) {
	static struct slot own[slot_count];
	slots = own;
	const char *path = getenv("VKTERRAIN_FAULTS");
	int f = path && *path ? open(path, O_RDWR | O_CREAT, 0600) : -1;
	if (f >= 0 && !ftruncate(f, sizeof own)) {
		void *at = mmap(NULL, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
		if (at != MAP_FAILED) slots = at;
	}
	if (f >= 0) close(f);
	for (int i = 0; i < slot_count; i++) snprintf(slots[i].name, sizeof slots[i].name, "%s", slot_names[i]);
	const char *fail = getenv("VKTERRAIN_FAIL");
	if (fail && *fail && !arm(fail)) wrong = "VKTERRAIN_FAIL";
}

// --- objects ------------------------------------------------------------------

#define INSTANCE_FUNCS(F, O) \
	F(DestroyInstance) F(GetPhysicalDeviceFeatures) F(GetPhysicalDeviceFeatures2) O(GetPhysicalDeviceFeatures2KHR) \
	F(GetPhysicalDeviceProperties) F(GetPhysicalDeviceProperties2) O(GetPhysicalDeviceProperties2KHR) \
	F(GetPhysicalDeviceMemoryProperties) F(GetPhysicalDeviceMemoryProperties2) O(GetPhysicalDeviceMemoryProperties2KHR) \
	F(GetPhysicalDeviceQueueFamilyProperties) F(GetPhysicalDeviceQueueFamilyProperties2) \
	O(GetPhysicalDeviceQueueFamilyProperties2KHR) F(EnumerateDeviceExtensionProperties)

#define DEVICE_FUNCS(F, O) \
	FAULTS(F, O) F(DestroyDevice) F(FreeMemory) F(GetBufferMemoryRequirements) F(GetImageMemoryRequirements) \
	F(GetBufferMemoryRequirements2) F(GetImageMemoryRequirements2) O(GetBufferMemoryRequirements2KHR) \
	O(GetImageMemoryRequirements2KHR)

struct instance {
	struct instance *next;
	void *key;
	VkInstance handle;
	PFN_vkGetInstanceProcAddr gipa;
	INSTANCE_FUNCS(MEMBER, MEMBER)
};

struct allocation {
	struct allocation *next;
	VkDeviceMemory memory;
	uint64_t size;
	uint32_t heap;
};

struct device {
	struct device *next;
	void *key;
	VkDevice handle;
	PFN_vkGetDeviceProcAddr gdpa;
	atomic_int lost;
	pthread_mutex_t mu;
	struct allocation *allocations;
	uint64_t used[3]; // bytes of the heaps
	DEVICE_FUNCS(MEMBER, MEMBER)
};

static struct instance *instances;
static struct device *devices;
FIND(instances, instance)
FIND(devices, device)

// --- the instance ---------------------------------------------------------------

static void begin(void) {
	read_environment();
	share_slots();
}

static int ready(void) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, begin);
	if (wrong) fprintf(stderr, "faults: %s is %s\n", wrong, getenv(wrong));
	return !wrong;
}

INSTANCES(ready)

// --- features, limits and extensions --------------------------------------------

// each_feature calls what with each feature that is not shown, in a chain.
static void each_feature(void *chain, void (*what)(VkBool32 *, void *), void *data) {
	for (VkBaseOutStructure *s = chain; s; s = s->pNext)
		for (size_t i = 0; i < sizeof features / sizeof *features; i++)
			if (features[i].type == s->sType && is_without(features[i].name)) what((VkBool32 *)((char *)s + features[i].offset), data);
}

static void hide(VkBool32 *feature, void *data) {
	(void)data;
	*feature = VK_FALSE;
}

static void want(VkBool32 *feature, void *wanted) { *(int *)wanted |= *feature; }

static VKAPI_ATTR void VKAPI_CALL hook_GetPhysicalDeviceFeatures(VkPhysicalDevice gpu, VkPhysicalDeviceFeatures *out) {
	VkPhysicalDeviceFeatures2 f = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
	find_instance(gpu)->GetPhysicalDeviceFeatures(gpu, &f.features);
	each_feature(&f, hide, NULL);
	*out = f.features;
}

#define AFTER(name, type, change) \
	static VKAPI_ATTR void VKAPI_CALL hook_##name(VkPhysicalDevice gpu, type *out) { \
		find_instance(gpu)->name(gpu, out); \
		change; \
	}
AFTER(GetPhysicalDeviceFeatures2, VkPhysicalDeviceFeatures2, each_feature(out, hide, NULL))
AFTER(GetPhysicalDeviceFeatures2KHR, VkPhysicalDeviceFeatures2, each_feature(out, hide, NULL))

static void limit(VkPhysicalDeviceProperties *p) {
	if (api_limit && p->apiVersion > api_limit) p->apiVersion = api_limit;
	if (is_without("timestamps")) p->limits.timestampComputeAndGraphics = VK_FALSE;
}
AFTER(GetPhysicalDeviceProperties, VkPhysicalDeviceProperties, limit(out))
AFTER(GetPhysicalDeviceProperties2, VkPhysicalDeviceProperties2, limit(&out->properties))
AFTER(GetPhysicalDeviceProperties2KHR, VkPhysicalDeviceProperties2, limit(&out->properties))

static VKAPI_ATTR void VKAPI_CALL hook_GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice gpu, uint32_t *n,
	VkQueueFamilyProperties *out) {
	find_instance(gpu)->GetPhysicalDeviceQueueFamilyProperties(gpu, n, out);
	for (uint32_t i = 0; out && i < *n && is_without("timestamps"); i++) out[i].timestampValidBits = 0;
}

#define FAMILIES2(name) \
	static VKAPI_ATTR void VKAPI_CALL hook_##name(VkPhysicalDevice gpu, uint32_t *n, VkQueueFamilyProperties2 *out) { \
		find_instance(gpu)->name(gpu, n, out); \
		for (uint32_t i = 0; out && i < *n && is_without("timestamps"); i++) out[i].queueFamilyProperties.timestampValidBits = 0; \
	}
FAMILIES2(GetPhysicalDeviceQueueFamilyProperties2)
FAMILIES2(GetPhysicalDeviceQueueFamilyProperties2KHR)

#define BUDGET VK_EXT_MEMORY_BUDGET_EXTENSION_NAME

static int has(const VkExtensionProperties *all, uint32_t n, const char *name) {
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(all[i].extensionName, name)) return 1;
	return 0;
}

// add_budget adds the extension that tells what of the heaps is free: where they are
// the layer's, it knows.
static void add_budget(VkExtensionProperties *all, uint32_t *n) {
	if (!heap_count || has(all, *n, BUDGET)) return;
	strcpy(all[*n].extensionName, BUDGET);
	all[(*n)++].specVersion = VK_EXT_MEMORY_BUDGET_SPEC_VERSION;
}

static VKAPI_ATTR VkResult VKAPI_CALL hook_EnumerateDeviceExtensionProperties(VkPhysicalDevice gpu, const char *layer,
	uint32_t *count, VkExtensionProperties *out) {
	struct instance *in = find_instance(gpu);
	uint32_t n = 0, kept = 0;
	VkResult r = in->EnumerateDeviceExtensionProperties(gpu, layer, &n, NULL);
	VkExtensionProperties *all = calloc(n + 1, sizeof *all);
	if (!all) abort();
	if (r >= 0) r = in->EnumerateDeviceExtensionProperties(gpu, layer, &n, all);
	if (r >= 0 && !layer) add_budget(all, &n);
	for (uint32_t i = 0; r >= 0 && i < n; i++) {
		if (is_without(all[i].extensionName)) continue;
		if (out && kept == *count) {
			r = VK_INCOMPLETE;
			break;
		}
		if (out) out[kept] = all[i];
		kept++;
	}
	free(all);
	if (r >= 0) *count = kept;
	return r;
}

// --- memory ---------------------------------------------------------------------

// Of a graphics card three types are shown for the one there is: device memory, host
// memory, and both. cards says whether it is one.
static int cards(void) { return heap_count > 1; }

static void show_memory(VkPhysicalDeviceMemoryProperties *m) {
	const VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	if (heap_count == 1) m->memoryHeaps[0].size = heaps[0];
	if (!cards()) return;
	m->memoryTypeCount = m->memoryHeapCount = heap_count;
	for (uint32_t i = 0; i < heap_count; i++)
		m->memoryHeaps[i] = (VkMemoryHeap){heaps[i], i == 1 ? 0 : VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
	m->memoryTypes[0] = (VkMemoryType){VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
	m->memoryTypes[1] = (VkMemoryType){host | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, 1};
	m->memoryTypes[2] = (VkMemoryType){host | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 2};
}

static void show_memory2(VkPhysicalDeviceMemoryProperties2 *m) {
	show_memory(&m->memoryProperties);
	for (VkBaseOutStructure *s = (VkBaseOutStructure *)m->pNext; s; s = s->pNext) {
		VkPhysicalDeviceMemoryBudgetPropertiesEXT *b = (void *)s;
		if (s->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT) continue;
		for (uint32_t i = 0; i < heap_count; i++) {
			b->heapBudget[i] = heaps[i] / 4 * 3; // other programs have the rest
			b->heapUsage[i] = 0;
			pthread_mutex_lock(&list_mu);
			for (struct device *d = devices; d; d = d->next) b->heapUsage[i] += d->used[i];
			pthread_mutex_unlock(&list_mu);
		}
	}
}
AFTER(GetPhysicalDeviceMemoryProperties, VkPhysicalDeviceMemoryProperties, show_memory(out))
AFTER(GetPhysicalDeviceMemoryProperties2, VkPhysicalDeviceMemoryProperties2, show_memory2(out))
AFTER(GetPhysicalDeviceMemoryProperties2KHR, VkPhysicalDeviceMemoryProperties2, show_memory2(out))

static void show_types(uint32_t *bits) {
	if (cards()) *bits = (1u << heap_count) - 1;
}

#define REQUIREMENTS(name, handle) \
	static VKAPI_ATTR void VKAPI_CALL hook_##name(VkDevice device, handle h, VkMemoryRequirements *out) { \
		find_device(device)->name(device, h, out); \
		show_types(&out->memoryTypeBits); \
	}
REQUIREMENTS(GetBufferMemoryRequirements, VkBuffer)
REQUIREMENTS(GetImageMemoryRequirements, VkImage)

#define REQUIREMENTS2(name, info) \
	static VKAPI_ATTR void VKAPI_CALL hook_##name(VkDevice device, const info *i, VkMemoryRequirements2 *out) { \
		find_device(device)->name(device, i, out); \
		show_types(&out->memoryRequirements.memoryTypeBits); \
	}
REQUIREMENTS2(GetBufferMemoryRequirements2, VkBufferMemoryRequirementsInfo2)
REQUIREMENTS2(GetImageMemoryRequirements2, VkImageMemoryRequirementsInfo2)
REQUIREMENTS2(GetBufferMemoryRequirements2KHR, VkBufferMemoryRequirementsInfo2)
REQUIREMENTS2(GetImageMemoryRequirements2KHR, VkImageMemoryRequirementsInfo2)

// fits takes room for an allocation, if there is.
static int fits(struct device *d, uint32_t heap, uint64_t size) {
	if (heap >= heap_count) return 1;
	pthread_mutex_lock(&d->mu);
	int ok = size <= heaps[heap] - d->used[heap];
	if (ok) d->used[heap] += size;
	pthread_mutex_unlock(&d->mu);
	return ok;
}

static void gives_back(struct device *d, uint32_t heap, uint64_t size) {
	if (heap >= heap_count) return;
	pthread_mutex_lock(&d->mu);
	d->used[heap] -= size;
	pthread_mutex_unlock(&d->mu);
}

static VKAPI_ATTR void VKAPI_CALL hook_FreeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks *alloc) {
	struct device *d = find_device(device);
	d->FreeMemory(device, memory, alloc);
	struct allocation *a = NULL;
	pthread_mutex_lock(&d->mu);
	for (struct allocation **at = &d->allocations; *at && !a; ) {
		if ((*at)->memory != memory) {
			at = &(*at)->next;
			continue;
		}
		a = *at;
		*at = a->next;
	}
	pthread_mutex_unlock(&d->mu);
	if (a) gives_back(d, a->heap, a->size);
	free(a);
}

static VkResult allocate(struct device *d, VkDevice device, const VkMemoryAllocateInfo *info, const VkAllocationCallbacks *alloc,
	VkDeviceMemory *out) {
	VkMemoryAllocateInfo below = *info;
	uint32_t heap = cards() ? info->memoryTypeIndex : 0;
	if (cards()) below.memoryTypeIndex = 0;
	if (!fits(d, heap, info->allocationSize)) return heap == 1 ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_OUT_OF_DEVICE_MEMORY;
	VkResult r = d->AllocateMemory(device, &below, alloc, out);
	if (r != VK_SUCCESS) {
		gives_back(d, heap, info->allocationSize);
		return r;
	}
	struct allocation *a = malloc(sizeof *a);
	if (!a) abort();
	*a = (struct allocation){NULL, *out, info->allocationSize, heap};
	pthread_mutex_lock(&d->mu);
	a->next = d->allocations;
	d->allocations = a;
	pthread_mutex_unlock(&d->mu);
	return r;
}

// --- the device -----------------------------------------------------------------

static VKAPI_ATTR VkResult VKAPI_CALL hook_CreateDevice(VkPhysicalDevice gpu, const VkDeviceCreateInfo *info,
	const VkAllocationCallbacks *alloc, VkDevice *out) {
	struct instance *in = find_instance(gpu);
	int wanted = 0;
	each_feature((void *)info->pNext, want, &wanted);
	VkPhysicalDeviceFeatures2 core = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
	if (info->pEnabledFeatures) core.features = *info->pEnabledFeatures;
	each_feature(&core, want, &wanted);
	if (wanted) return VK_ERROR_FEATURE_NOT_PRESENT;
	for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
		if (is_without(info->ppEnabledExtensionNames[i])) return VK_ERROR_EXTENSION_NOT_PRESENT;
	struct device_link link;
	if (!link_device(in->handle, info, &link)) return VK_ERROR_INITIALIZATION_FAILED;
	VkDeviceCreateInfo ci = *info;
	const char **names = copy(info->ppEnabledExtensionNames, info->enabledExtensionCount, sizeof *names);
	ci.ppEnabledExtensionNames = names;
	ci.enabledExtensionCount = 0;
	for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
		if (!heap_count || strcmp(names[i], BUDGET)) names[ci.enabledExtensionCount++] = names[i];
	VkResult r = link.create(gpu, &ci, alloc, out);
	free(names);
	if (r != VK_SUCCESS) return r;
	struct device *d = calloc(1, sizeof *d);
	if (!d) abort();
	d->key = key(*out);
	d->handle = *out;
	d->gdpa = link.gdpa;
	pthread_mutex_init(&d->mu, NULL);
#define LOAD(name) d->name = (PFN_vk##name)link.gdpa(*out, "vk" #name);
	DEVICE_FUNCS(LOAD, LOAD)
#undef LOAD
	INSERT(devices, d);
	return r;
}

static VKAPI_ATTR void VKAPI_CALL hook_DestroyDevice(VkDevice device, const VkAllocationCallbacks *alloc) {
	if (!device) return;
	struct device *d = find_device(device);
	REMOVE(devices, device, d);
	d->DestroyDevice(device, alloc);
	for (struct allocation *a = d->allocations, *next; a; a = next) {
		next = a->next;
		free(a);
	}
	pthread_mutex_destroy(&d->mu);
	free(d);
}

// fault counts a call and says how it ends if it is not made.
static VkResult fault(struct device *d, int slot) {
	struct slot *s = &slots[slot];
	unsigned call = atomic_fetch_add(&s->calls, 1) + 1, at = atomic_load(&s->fails_at);
	VkResult r = at && call >= at && call - at < atomic_load(&s->times) ? atomic_load(&s->result) : VK_SUCCESS;
	// Nothing runs on a lost device, whose objects may be destroyed at once.
	if (r == VK_ERROR_DEVICE_LOST && !atomic_exchange(&d->lost, 1)) d->DeviceWaitIdle(d->handle);
	return r;
}

// FAIL makes a call, or does not. ends are functions that tell of a lost device.
#define FAIL(name, ends, params, args) \
	static VKAPI_ATTR VkResult VKAPI_CALL hook_##name params { \
		struct device *d = find_device(on); \
		VkResult f = fault(d, slot_##name); \
		if (ends && atomic_load(&d->lost)) return VK_ERROR_DEVICE_LOST; \
		if (f < 0) return f; \
		VkResult r = d->name args; \
		return r == VK_SUCCESS ? f : r; \
	}
#define CREATE(name, info, handle) \
	FAIL(name, 0, (VkDevice on, const info *i, const VkAllocationCallbacks *a, handle *out), (on, i, a, out))

FAIL(QueueSubmit, 1, (VkQueue on, uint32_t n, const VkSubmitInfo *i, VkFence f_), (on, n, i, f_))
FAIL(QueueWaitIdle, 1, (VkQueue on), (on))
FAIL(DeviceWaitIdle, 1, (VkDevice on), (on))
FAIL(WaitSemaphores, 1, (VkDevice on, const VkSemaphoreWaitInfo *i, uint64_t timeout), (on, i, timeout))
FAIL(GetSemaphoreCounterValue, 1, (VkDevice on, VkSemaphore s, uint64_t *out), (on, s, out))
FAIL(MapMemory, 0, (VkDevice on, VkDeviceMemory m, VkDeviceSize from, VkDeviceSize size, VkMemoryMapFlags flags, void **out),
	(on, m, from, size, flags, out))
CREATE(CreateBuffer, VkBufferCreateInfo, VkBuffer)
CREATE(CreateImage, VkImageCreateInfo, VkImage)
CREATE(CreateImageView, VkImageViewCreateInfo, VkImageView)
CREATE(CreateSampler, VkSamplerCreateInfo, VkSampler)
CREATE(CreateSemaphore, VkSemaphoreCreateInfo, VkSemaphore)
CREATE(CreateQueryPool, VkQueryPoolCreateInfo, VkQueryPool)
CREATE(CreateCommandPool, VkCommandPoolCreateInfo, VkCommandPool)
CREATE(CreateDescriptorSetLayout, VkDescriptorSetLayoutCreateInfo, VkDescriptorSetLayout)
CREATE(CreateDescriptorPool, VkDescriptorPoolCreateInfo, VkDescriptorPool)
CREATE(CreatePipelineLayout, VkPipelineLayoutCreateInfo, VkPipelineLayout)
CREATE(CreatePipelineCache, VkPipelineCacheCreateInfo, VkPipelineCache)
CREATE(CreateRenderPass, VkRenderPassCreateInfo, VkRenderPass)
CREATE(CreateFramebuffer, VkFramebufferCreateInfo, VkFramebuffer)
CREATE(CreateShaderModule, VkShaderModuleCreateInfo, VkShaderModule)
CREATE(CreateSwapchainKHR, VkSwapchainCreateInfoKHR, VkSwapchainKHR)
FAIL(AllocateCommandBuffers, 0, (VkDevice on, const VkCommandBufferAllocateInfo *i, VkCommandBuffer *out), (on, i, out))
FAIL(AllocateDescriptorSets, 0, (VkDevice on, const VkDescriptorSetAllocateInfo *i, VkDescriptorSet *out), (on, i, out))
FAIL(BeginCommandBuffer, 0, (VkCommandBuffer on, const VkCommandBufferBeginInfo *i), (on, i))
FAIL(EndCommandBuffer, 0, (VkCommandBuffer on), (on))
FAIL(ResetCommandPool, 0, (VkDevice on, VkCommandPool p, VkCommandPoolResetFlags flags), (on, p, flags))
FAIL(CreateGraphicsPipelines, 0, (VkDevice on, VkPipelineCache c, uint32_t n, const VkGraphicsPipelineCreateInfo *i,
	const VkAllocationCallbacks *a, VkPipeline *out), (on, c, n, i, a, out))
FAIL(CreateComputePipelines, 0, (VkDevice on, VkPipelineCache c, uint32_t n, const VkComputePipelineCreateInfo *i,
	const VkAllocationCallbacks *a, VkPipeline *out), (on, c, n, i, a, out))
FAIL(BindBufferMemory, 0, (VkDevice on, VkBuffer b, VkDeviceMemory m, VkDeviceSize at), (on, b, m, at))
FAIL(BindImageMemory, 0, (VkDevice on, VkImage i, VkDeviceMemory m, VkDeviceSize at), (on, i, m, at))
FAIL(GetSwapchainImagesKHR, 0, (VkDevice on, VkSwapchainKHR s, uint32_t *n, VkImage *out), (on, s, n, out))
FAIL(AcquireNextImageKHR, 1, (VkDevice on, VkSwapchainKHR s, uint64_t timeout, VkSemaphore sem, VkFence f_, uint32_t *out),
	(on, s, timeout, sem, f_, out))

static VKAPI_ATTR VkResult VKAPI_CALL hook_AllocateMemory(VkDevice on, const VkMemoryAllocateInfo *i, const VkAllocationCallbacks *a,
	VkDeviceMemory *out) {
	struct device *d = find_device(on);
	VkResult f = fault(d, slot_AllocateMemory);
	return f < 0 ? f : allocate(d, on, i, a, out);
}

// A present that fails has waited for its semaphores all the same.
static VKAPI_ATTR VkResult VKAPI_CALL hook_QueuePresentKHR(VkQueue on, const VkPresentInfoKHR *i) {
	struct device *d = find_device(on);
	VkResult f = fault(d, slot_QueuePresentKHR);
	if (atomic_load(&d->lost)) return VK_ERROR_DEVICE_LOST;
	VkResult r = d->QueuePresentKHR(on, i);
	return f != VK_SUCCESS && r >= 0 ? f : r;
}

// --- the chain ------------------------------------------------------------------------

// hidden says whether a function belongs to what is not shown.
static int hidden(const char *name) {
	int core13 = (!api_limit || api_limit >= VK_API_VERSION_1_3) && !is_without("dynamicRendering");
	int rendering = !strncmp(name, "vkCmdBeginRendering", 19) || !strncmp(name, "vkCmdEndRendering", 17);
	return rendering && (strstr(name, "KHR") ? is_without("VK_KHR_dynamic_rendering") : !core13);
}

ENTRY(hidden, )
