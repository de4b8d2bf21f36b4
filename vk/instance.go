package vk

/*
#cgo CFLAGS: -std=gnu11 -Wall -Wno-missing-field-initializers
#cgo LDFLAGS: -ldl -lpthread
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/vulkan-go/vulkan"
)

// ValidationMode says whether the validation layer is loaded.
type ValidationMode int

// Validation modes.
const (
	ValidationOff     ValidationMode = iota
	ValidationOn                     // a missing layer is a warning message
	ValidationRequire                // a missing layer is an error
)

// Severity of a Message.
type Severity int

// Severities.
const (
	SeverityWarning Severity = iota
	SeverityError
)

// String gives "warning" or "error".
func (s Severity) String() string {
	if s == SeverityError {
		return "error"
	}
	return "warning"
}

// Message is what the loader, a driver or the validation layer has to say.
type Message struct {
	Severity Severity
	VUID     string // the name of the rule, e.g. VUID-vkCmdDraw-None-02699; may be empty
	Text     string
}

// InstanceInfo describes an Instance. The zero value works.
type InstanceInfo struct {
	App            string
	Extensions     []string // e.g. what a window needs for surfaces
	Validation     ValidationMode
	SyncValidation bool // with Validation: check barriers as well
	BestPractices  bool // with Validation: warn of what is allowed but unwise

	// OnMessage receives messages. It is called from BeginFrame, Submit,
	// constructors, Messages and Destroy, on the goroutine that calls those,
	// never from inside a Vulkan call. It may be nil.
	OnMessage func(Message)
	// Echo prints each message on stderr at once, from inside the call that
	// caused it: for crashes that come before OnMessage.
	Echo bool

	// GetInstanceProcAddr is a host's vkGetInstanceProcAddr. nil opens
	// libvulkan.so.1.
	GetInstanceProcAddr unsafe.Pointer
}

// Instance is a Vulkan instance. One goroutine at a time may use it.
type Instance struct {
	c         *C.vkt_instance
	onMessage func(Message)
	// DebugUtils says whether names, labels and messages work.
	DebugUtils bool
	// Validation says whether the validation layer is on, and SyncValidation
	// whether it checks barriers too.
	Validation, SyncValidation bool
}

// Surface is a window surface. The zero value is none.
type Surface struct{ Handle vulkan.Surface }

// NewInstance loads Vulkan and makes an instance of version 1.3, or 1.2 where
// the loader has no more. It fails with ErrNoLoader when there is no Vulkan.
func NewInstance(info InstanceInfo) (*Instance, error) {
	var ci C.vkt_instance_info
	ci.extensions = C.uint32_t(len(info.Extensions))
	ci.validation = boolC(info.Validation != ValidationOff)
	ci.sync_validation = boolC(info.SyncValidation)
	ci.best_practices = boolC(info.BestPractices)
	ci.echo = boolC(info.Echo)
	blob := []byte(strings.Join(info.Extensions, "\x00") + "\x00")
	app := []byte(info.App + "\x00")
	in := &Instance{onMessage: info.OnMessage}
	var found C.uint32_t
	r := Result(C.vkt_instance_create(info.GetInstanceProcAddr, &ci, (*C.char)(unsafe.Pointer(&app[0])),
		C.size_t(len(info.App)), (*C.char)(unsafe.Pointer(&blob[0])), nil, &found, &in.c))
	in.DebugUtils = found&C.VKT_DEBUG_UTILS != 0
	in.SyncValidation = found&C.VKT_SYNC_VALIDATION != 0
	missing := found&C.VKT_LAYER_MISSING != 0
	in.Validation = info.Validation != ValidationOff && !missing
	if err := instanceError(r); err != nil {
		in.Destroy()
		return nil, err
	}
	if missing && info.Validation == ValidationRequire {
		in.Destroy()
		return nil, fail("create instance: VK_LAYER_KHRONOS_validation (Debian package vulkan-validationlayers)", resultLayerNotPresent)
	}
	if missing && in.onMessage != nil {
		in.onMessage(Message{SeverityWarning, "", "VK_LAYER_KHRONOS_validation is not installed; going on without"})
	}
	in.Messages()
	return in, nil
}

func instanceError(r Result) error {
	switch {
	case r == resultNotReady:
		return fmt.Errorf("vk: %w", ErrNoLoader)
	case r == resultIncomplete:
		return fmt.Errorf("vk: the Vulkan loader is older than 1.2: %w", ErrNoLoader)
	case r == -9: // incompatible driver: the loader found none
		return fmt.Errorf("vk: no Vulkan driver (Debian package mesa-vulkan-drivers): %w", ErrNoDevice)
	case r < 0:
		return fail("create instance", r)
	}
	return nil
}

// Handle gives the VkInstance, e.g. for GLFW's CreateWindowSurface. The
// Instance keeps it.
func (in *Instance) Handle() vulkan.Instance {
	return as[vulkan.Instance](uint64(uintptr(unsafe.Pointer(C.vkt_instance_handle(in.c)))))
}

// AdoptSurface reads the surface at address ptr, which is how GLFW gives it.
// The caller must pass GLFW's answer on at once: it is the address of a
// variable nothing else keeps alive.
func (in *Instance) AdoptSurface(ptr uintptr) Surface {
	// The detour keeps vet's rule on uintptr for all other code.
	return Surface{**(**vulkan.Surface)(unsafe.Pointer(&ptr))}
}

// DestroySurface destroys s and zeroes it. The caller must have destroyed its
// swapchain.
func (in *Instance) DestroySurface(s *Surface) {
	C.vkt_surface_destroy(in.c, C.VkSurfaceKHR(raw(s.Handle)))
	*s = Surface{}
}

// Messages hands what the driver said since the last time to OnMessage.
func (in *Instance) Messages() {
	if C.vkt_messages_pending(in.c) == 0 {
		return
	}
	for m := C.vkt_messages_take(in.c); m != nil; {
		msg := Message{VUID: C.GoString(m.id), Text: C.GoString(m.text)}
		if m.severity >= C.VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT {
			msg.Severity = SeverityError
		}
		next := m.next
		C.free(unsafe.Pointer(m))
		m = next
		if in.onMessage != nil {
			in.onMessage(msg)
		}
	}
}

// Destroy destroys the instance. The caller must have destroyed its devices
// and surfaces. It may be called twice.
func (in *Instance) Destroy() {
	if in.c == nil {
		return
	}
	C.vkt_instance_destroy(in.c)
	in.Messages()
	C.vkt_instance_free(in.c)
	in.c = nil
}

// raw gives the 64 bits of a handle of vulkan-go, and as the handle of 64 bits.
// Handles are pointers to nothing on 64-bit platforms, the only ones supported.
func raw[H any](h H) uint64 { return *(*uint64)(unsafe.Pointer(&h)) }

func as[H any](v uint64) H { return *(*H)(unsafe.Pointer(&v)) }

// A 32-bit build stops here.
var _ [unsafe.Sizeof(vulkan.Buffer(nil)) - 8]struct{}

func boolC(b bool) C.int32_t {
	if b {
		return 1
	}
	return 0
}

func boolVk(b bool) C.VkBool32 {
	if b {
		return 1
	}
	return 0
}
