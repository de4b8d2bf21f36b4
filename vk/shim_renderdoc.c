// RenderDoc's in-application API, spoken to if its library is there. Its table of
// functions is versioned and only ever grows at the end (documentation of RenderDoc,
// "In-application API", version 1.4.1); what is not used here is a slot without a name.
#include "dispatch.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { API_1_4_1 = 10401 };

typedef void (*slot)(void);

typedef struct table {
	slot get_api_version;
	int (*set_option)(int option, uint32_t value);
	slot options[3], focus_keys;
	void (*capture_keys)(const int *keys, int n);
	slot overlay_bits;
	uint32_t (*mask_overlay)(uint32_t keep, uint32_t set);
	slot remove_hooks, unload_crash_handler;
	void (*path_template)(const char *path);
	slot get_path_template;
	uint32_t (*captures)(void);
	uint32_t (*capture)(uint32_t i, char *path, uint32_t *len, uint64_t *timestamp);
	slot trigger;
	uint32_t (*connected)(void);
	slot launch_ui, active_window;
	void (*start)(void *device, void *window);
	uint32_t (*capturing)(void);
	uint32_t (*end)(void *device, void *window);
	slot trigger_multi;
	void (*comments)(const char *path, const char *comments);
	uint32_t (*discard)(void *device, void *window);
} table;

static table *api;

int32_t vkt_renderdoc_load(int32_t open) {
	if (api) return 1;
	void *lib = dlopen("librenderdoc.so", RTLD_NOW | RTLD_NOLOAD);
	if (!lib && open) {
		// Its layer joins instances made from here on.
		setenv("ENABLE_VULKAN_RENDERDOC_CAPTURE", "1", 1);
		lib = dlopen("librenderdoc.so", RTLD_NOW);
	}
	if (!lib) return 0;
	int (*get)(int, void **) = (int (*)(int, void **))dlsym(lib, "RENDERDOC_GetAPI");
	if (!get || !get(API_1_4_1, (void **)&api)) {
		api = NULL;
		return -1;
	}
	// No keys and no overlay of its own: pictures and captures are as without.
	api->capture_keys(NULL, 0);
	api->mask_overlay(0, 0);
	return 1;
}

void vkt_renderdoc_path(const char *path, size_t len) {
	char text[4096];
	api->path_template(vkt_text(text, sizeof text, path, len));
}

// What RenderDoc knows an instance by is the dispatch table that it begins with.
static void *key(vkt_instance *in) { return *(void **)vkt_instance_handle(in); }

void vkt_renderdoc_start(vkt_instance *in) { api->start(key(in), NULL); }

int32_t vkt_renderdoc_end(vkt_instance *in) { return api->end(key(in), NULL) == 1; }

int32_t vkt_renderdoc_discard(vkt_instance *in) { return api->discard(key(in), NULL) == 1; }

int32_t vkt_renderdoc_connected(void) { return api->connected() != 0; }

uint32_t vkt_renderdoc_last(char *path, uint32_t cap) {
	uint32_t n = api->captures(), len = cap;
	if (!n || !api->capture(n - 1, NULL, &len, NULL) || len >= cap) return 0;
	return api->capture(n - 1, path, &len, NULL) ? len : 0;
}

void vkt_renderdoc_comment(const char *path, size_t len, const char *comment, size_t comment_len) {
	char text[4096], words[4096];
	api->comments(vkt_text(text, sizeof text, path, len), vkt_text(words, sizeof words, comment, comment_len));
}
