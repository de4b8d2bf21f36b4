#include <stdint.h>

typedef struct vktest_window vktest_window;

vktest_window *vktest_window_open(const char *display, uint16_t width, uint16_t height);
void vktest_window_resize(vktest_window *w, uint16_t width, uint16_t height);
uint64_t vktest_window_surface(vktest_window *w, void *instance);
void vktest_window_close(vktest_window *w);
