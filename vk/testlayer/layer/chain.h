// What the layers for tests have in common: lists of what they have made objects
// for, and the links to what is below.
#include <vulkan/vulkan.h>
#include <vulkan/vk_layer.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define MEMBER(name) PFN_vk##name name;

static pthread_mutex_t list_mu = PTHREAD_MUTEX_INITIALIZER;
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

// copy gives a copy of an array to change. Free it.
static inline void *copy(const void *from, size_t n, size_t size) {
	if (!n || !from) return NULL;
	void *to = malloc(n * size);
	if (!to) abort();
	return memcpy(to, from, n * size);
}

// link_below gives what is below an instance in the making, and moves its chain on.
static PFN_vkGetInstanceProcAddr link_below(const VkInstanceCreateInfo *info) {
	VkLayerInstanceCreateInfo *c = (VkLayerInstanceCreateInfo *)info->pNext;
	while (c && !(c->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO && c->function == VK_LAYER_LINK_INFO))
		c = (VkLayerInstanceCreateInfo *)c->pNext;
	if (!c) return NULL;
	PFN_vkGetInstanceProcAddr gipa = c->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	c->u.pLayerInfo = c->u.pLayerInfo->pNext;
	return gipa;
}

// device_link is what is below a device in the making.
struct device_link {
	PFN_vkCreateDevice create;
	PFN_vkGetDeviceProcAddr gdpa;
	PFN_vkSetDeviceLoaderData set_loader_data;
};

// link_device finds it, and moves the chain on. It gives 0 where there is none.
static int link_device(VkInstance instance, const VkDeviceCreateInfo *info, struct device_link *to) {
	VkLayerDeviceCreateInfo *link = NULL, *data = NULL;
	for (VkLayerDeviceCreateInfo *c = (VkLayerDeviceCreateInfo *)info->pNext; c; c = (VkLayerDeviceCreateInfo *)c->pNext) {
		if (c->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO) continue;
		if (c->function == VK_LAYER_LINK_INFO) link = c;
		if (c->function == VK_LOADER_DATA_CALLBACK) data = c;
	}
	if (!link || !data) return 0;
	PFN_vkGetInstanceProcAddr gipa = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	to->gdpa = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
	to->set_loader_data = data->u.pfnSetDeviceLoaderData;
	to->create = (PFN_vkCreateDevice)gipa(instance, "vkCreateDevice");
	link->u.pLayerInfo = link->u.pLayerInfo->pNext;
	return to->create != NULL;
}

struct hook {
	const char *name;
	PFN_vkVoidFunction f;
};

#define HOOK(name) {"vk" #name, (PFN_vkVoidFunction)hook_##name},
#define HOOKED(list, name) hooked(list, sizeof list / sizeof *list, name)

static PFN_vkVoidFunction hooked(const struct hook *h, size_t n, const char *name) {
	for (size_t i = 0; i < n; i++)
		if (!strcmp(h[i].name, name)) return h[i].f;
	return NULL;
}

// INSTANCES are the hooks that make and destroy instances. They need the list of struct
// instance, INSTANCE_FUNCS, and ready, which says on stderr what is wrong with the
// environment and gives 0 then.
#define LOAD_INSTANCE(name) in->name = (PFN_vk##name)gipa(*out, "vk" #name);
#define INSTANCES(ready) \
	static VKAPI_ATTR VkResult VKAPI_CALL hook_CreateInstance(const VkInstanceCreateInfo *info, \
		const VkAllocationCallbacks *alloc, VkInstance *out) { \
		PFN_vkGetInstanceProcAddr gipa = link_below(info); \
		if (!ready() || !gipa) return VK_ERROR_INITIALIZATION_FAILED; \
		PFN_vkCreateInstance create = (PFN_vkCreateInstance)gipa(NULL, "vkCreateInstance"); \
		if (!create) return VK_ERROR_INITIALIZATION_FAILED; \
		VkResult r = create(info, alloc, out); \
		if (r != VK_SUCCESS) return r; \
		struct instance *in = calloc(1, sizeof *in); \
		if (!in) abort(); \
		in->key = key(*out); \
		in->handle = *out; \
		in->gipa = gipa; \
		INSTANCE_FUNCS(LOAD_INSTANCE, LOAD_INSTANCE) \
		INSERT(instances, in); \
		return r; \
	} \
	static VKAPI_ATTR void VKAPI_CALL hook_DestroyInstance(VkInstance instance, const VkAllocationCallbacks *alloc) { \
		if (!instance) return; \
		struct instance *in = find_instance(instance); \
		REMOVE(instances, instance, in); \
		in->DestroyInstance(instance, alloc); \
		free(in); \
	}

// ENTRY ends a layer: how its hooks are found, and where the loader enters it. hidden
// says whether a function, by its name, is not shown; MORE are device hooks beside
// DEVICE_FUNCS. A function that is missing below is missing here.
#define ENTRY(hidden, MORE) \
	static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL hook_GetDeviceProcAddr(VkDevice device, const char *name); \
	static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL hook_GetInstanceProcAddr(VkInstance instance, const char *name); \
	static const struct hook global_hooks[] = {HOOK(CreateInstance) HOOK(GetInstanceProcAddr)}; \
	static const struct hook instance_hooks[] = {INSTANCE_FUNCS(HOOK, HOOK) HOOK(CreateDevice)}; \
	static const struct hook device_hooks[] = {DEVICE_FUNCS(HOOK, HOOK) MORE HOOK(GetDeviceProcAddr)}; \
	static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL hook_GetDeviceProcAddr(VkDevice device, const char *name) { \
		PFN_vkVoidFunction next = hidden(name) ? NULL : find_device(device)->gdpa(device, name), f = HOOKED(device_hooks, name); \
		return next && f ? f : next; \
	} \
	static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL hook_GetInstanceProcAddr(VkInstance instance, const char *name) { \
		PFN_vkVoidFunction f = HOOKED(global_hooks, name); \
		if (f || !instance) return f; \
		PFN_vkVoidFunction next = find_instance(instance)->gipa(instance, name); \
		if (!(f = HOOKED(instance_hooks, name))) f = HOOKED(device_hooks, name); \
		return next && f ? f : next; \
	} \
	EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *i) { \
		if (i->loaderLayerInterfaceVersion < 2) return VK_ERROR_INITIALIZATION_FAILED; \
		i->loaderLayerInterfaceVersion = 2; \
		i->pfnGetInstanceProcAddr = hook_GetInstanceProcAddr; \
		i->pfnGetDeviceProcAddr = hook_GetDeviceProcAddr; \
		i->pfnGetPhysicalDeviceProcAddr = NULL; \
		return VK_SUCCESS; \
	}
