package vk

/*
#include "shim.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNoRenderDoc says that RenderDoc is not installed.
var ErrNoRenderDoc = errors.New("no RenderDoc (librenderdoc.so; Debian package librenderdoc)")

// RenderDoc captures frames for the debugger of that name, through its library: nothing
// is linked to. Its methods belong to the goroutine that uses the device.
//
// A frame is captured from Start to End, which should stand before BeginFrame and after
// Submit, or Present: so captures have the same bounds without a window as with one.
type RenderDoc struct{}

// FindRenderDoc returns RenderDoc if this program was started by it, otherwise nil.
func FindRenderDoc() *RenderDoc {
	if C.vkt_renderdoc_load(0) == 1 {
		return &RenderDoc{}
	}
	return nil
}

// LoadRenderDoc loads RenderDoc into this program, where it stays: instances made from
// here on can be captured, and are slower. It fails with ErrNoRenderDoc if it is not
// installed.
func LoadRenderDoc() (*RenderDoc, error) {
	switch C.vkt_renderdoc_load(1) {
	case 1:
		return &RenderDoc{}, nil
	case 0:
		return nil, fmt.Errorf("vk: %w", ErrNoRenderDoc)
	}
	return nil, fmt.Errorf("vk: %w: the one installed is older than 1.4", ErrNoRenderDoc)
}

// Attached says whether RenderDoc's window is connected: then it lists what is captured.
func (r *RenderDoc) Attached() bool { return C.vkt_renderdoc_connected() != 0 }

// SetPath says how files are named from here on: path, then _frame and a number or
// _capture, then .rdc. Its folder must be there.
func (r *RenderDoc) SetPath(path string) {
	C.vkt_renderdoc_path(text(path), C.size_t(len(path)))
}

// Start begins a capture of what is done with the device.
func (r *RenderDoc) Start(d *Device) { C.vkt_renderdoc_start(d.in.c) }

// End ends the capture and returns the path of its file. The comment is kept in it.
func (r *RenderDoc) End(d *Device, comment string) (path string, err error) {
	ok := C.vkt_renderdoc_end(d.in.c) != 0
	d.in.Messages()
	var name [4096]C.char
	n := C.vkt_renderdoc_last(&name[0], C.uint32_t(len(name)))
	if !ok || n == 0 {
		return "", errors.New("vk: RenderDoc did not write its capture")
	}
	path = strings.TrimRight(C.GoStringN(&name[0], C.int(n)), "\x00")
	if comment != "" {
		C.vkt_renderdoc_comment(text(path), C.size_t(len(path)), text(comment), C.size_t(len(comment)))
	}
	return path, nil
}

// Discard ends the capture and keeps nothing.
func (r *RenderDoc) Discard(d *Device) { C.vkt_renderdoc_discard(d.in.c) }
