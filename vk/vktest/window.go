package vktest

/*
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "window.h"
*/
import "C"

import (
	"bufio"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/vkterrain/vkterrain/vk"
)

// Window is a bare X window for tests of swapchains. It starts an Xvfb of its
// own when there is no display.
type Window struct {
	c *C.vktest_window
}

// Windowed is New with a window of this size, and a device that presents to it.
// It skips the test where there is no X server.
func Windowed(t testing.TB, info vk.DeviceInfo, width, height int) (*Env, *Window, vk.Surface) {
	t.Helper()
	w := openWindow(t, width, height)
	e := newInstance(t, "VK_KHR_surface", "VK_KHR_xcb_surface")
	handle := e.Instance.Handle()
	surface := uint64(C.vktest_window_surface(w.c, unsafe.Pointer(handle)))
	if surface == 0 {
		e.Instance.Destroy()
		t.Skip("no surface for an X window")
	}
	p := new(uint64)
	*p = surface
	s := e.Instance.AdoptSurface(uintptr(unsafe.Pointer(p)))
	runtime.KeepAlive(p)
	e.surface = s
	info.Surface = s
	e.open(t, info)
	return e, w, s
}

// Resize changes the size of the window, sooner or later.
func (w *Window) Resize(width, height int) {
	C.vktest_window_resize(w.c, C.uint16_t(width), C.uint16_t(height))
}

func openWindow(t testing.TB, width, height int) *Window {
	t.Helper()
	display := os.Getenv("DISPLAY")
	if display == "" {
		display = startX(t)
	}
	name := C.CString(display)
	defer C.free(unsafe.Pointer(name))
	w := &Window{c: C.vktest_window_open(name, C.uint16_t(width), C.uint16_t(height))}
	if w.c == nil {
		t.Skip("cannot open a window on display " + display)
	}
	t.Cleanup(func() { C.vktest_window_close(w.c) })
	return w
}

// startX runs an Xvfb for the time of the test and gives its display.
func startX(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("Xvfb")
	if err != nil {
		t.Skip("no display, and no Xvfb (Debian package xvfb)")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command(path, "-displayfd", "3", "-screen", "0", "640x480x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Skip("Xvfb does not start")
	}
	return ":" + strings.TrimSpace(number)
}
