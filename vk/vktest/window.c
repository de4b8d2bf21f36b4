#include "window.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// The few declarations of libxcb that a window needs; it is opened at run time
// so that nothing links X.
typedef struct { uint32_t sequence; } cookie;
typedef struct { void *data; int rem, index; } screens;
typedef struct {
	uint32_t root, default_colormap, white_pixel, black_pixel, current_input_masks;
	uint16_t width, height, width_mm, height_mm, min_maps, max_maps;
	uint32_t root_visual;
} screen;
typedef struct { int32_t type; const void *next; uint32_t flags; void *connection; uint32_t window; } surface_info;

struct vktest_window {
	void *xcb, *connection;
	uint32_t id;
	void (*disconnect)(void *);
	cookie (*configure)(void *, uint32_t, uint16_t, const uint32_t *);
	int (*flush)(void *);
};

vktest_window *vktest_window_open(const char *display, uint16_t width, uint16_t height) {
	vktest_window *w = calloc(1, sizeof *w);
	w->xcb = dlopen("libxcb.so.1", RTLD_NOW);
	if (!w->xcb) { free(w); return NULL; }
#define FN(ret, name, args) ret(*name) args = (ret(*) args)dlsym(w->xcb, "xcb_" #name)
	FN(void *, connect, (const char *, int *));
	FN(int, connection_has_error, (void *));
	FN(const void *, get_setup, (void *));
	FN(screens, setup_roots_iterator, (const void *));
	FN(uint32_t, generate_id, (void *));
	FN(cookie, create_window, (void *, uint8_t, uint32_t, uint32_t, int16_t, int16_t, uint16_t, uint16_t, uint16_t, uint16_t, uint32_t, uint32_t, const void *));
	FN(cookie, map_window, (void *, uint32_t));
	w->disconnect = (void (*)(void *))dlsym(w->xcb, "xcb_disconnect");
	w->configure = (cookie(*)(void *, uint32_t, uint16_t, const uint32_t *))dlsym(w->xcb, "xcb_configure_window");
	w->flush = (int (*)(void *))dlsym(w->xcb, "xcb_flush");
	w->connection = connect(display, NULL);
	if (connection_has_error(w->connection)) { w->disconnect(w->connection); free(w); return NULL; }
	screen *s = setup_roots_iterator(get_setup(w->connection)).data;
	w->id = generate_id(w->connection);
	create_window(w->connection, 0, w->id, s->root, 0, 0, width, height, 0, 1, s->root_visual, 0, NULL);
	map_window(w->connection, w->id);
	w->flush(w->connection);
	return w;
}

void vktest_window_resize(vktest_window *w, uint16_t width, uint16_t height) {
	uint32_t size[2] = {width, height};
	w->configure(w->connection, w->id, 4 | 8, size);
	w->flush(w->connection);
}

uint64_t vktest_window_surface(vktest_window *w, void *instance) {
	void *vulkan = dlopen("libvulkan.so.1", RTLD_NOW);
	uint64_t surface = 0;
	if (!vulkan) return 0;
	void *(*get)(void *, const char *) = (void *(*)(void *, const char *))dlsym(vulkan, "vkGetInstanceProcAddr");
	int32_t (*create)(void *, const surface_info *, const void *, uint64_t *) =
		(int32_t(*)(void *, const surface_info *, const void *, uint64_t *))get(instance, "vkCreateXcbSurfaceKHR");
	surface_info info = {1000005000, NULL, 0, w->connection, w->id};
	if (!create || create(instance, &info, NULL, &surface) < 0) surface = 0;
	dlclose(vulkan);
	return surface;
}

void vktest_window_close(vktest_window *w) {
	w->disconnect(w->connection);
	free(w);
}
