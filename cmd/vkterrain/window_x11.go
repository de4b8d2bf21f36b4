//go:build !nowindow && linux && !wayland

package main

/*
#cgo LDFLAGS: -lX11
#include <stdatomic.h>
#include <X11/Xlib.h>

static atomic_ulong watched;
static atomic_int gone;

static int on_error(Display *display, XErrorEvent *e)
{
	(void)display;
	if (e->resourceid == atomic_load(&watched) && (e->error_code == BadWindow || e->error_code == BadDrawable))
		atomic_store(&gone, 1);
	return 0;
}

static void catch_errors(void) { XSetErrorHandler(on_error); }
static void watch(unsigned long window) { atomic_store(&watched, window); }
static int is_gone(void) { return atomic_load(&gone); }
*/
import "C"

import "github.com/go-gl/glfw/v3.3/glfw"

// catchErrors keeps Xlib from ending the program at each error of protocol, of
// which a window that somebody else has destroyed makes many. Call it after
// glfw.Init.
func catchErrors() { C.catch_errors() }

// watchWindow names the window that gone is about.
func watchWindow(w *glfw.Window) { C.watch(C.ulong(w.GetX11Window())) }

// gone says whether the X server has no such window any more.
func gone() bool { return C.is_gone() != 0 }
