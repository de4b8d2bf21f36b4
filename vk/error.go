package vk

import (
	"errors"
	"fmt"
)

// Sentinels that errors of this package unwrap to.
var (
	// ErrNoLoader says that libvulkan could not be opened.
	ErrNoLoader = errors.New("no Vulkan loader (libvulkan.so.1; Debian package libvulkan1)")
	// ErrNoDevice says that no GPU fits, or that no driver is installed.
	ErrNoDevice = errors.New("no suitable Vulkan device")
	// ErrDeviceLost says that the GPU is gone; the device can only be destroyed.
	ErrDeviceLost = errors.New("Vulkan device lost")
	// ErrOutOfMemory says that GPU or driver memory ran out.
	ErrOutOfMemory = errors.New("out of Vulkan memory")
	// ErrSurfaceLost says that the surface must be made anew.
	ErrSurfaceLost = errors.New("Vulkan surface lost")
	// ErrTimeout says that a wait ended before its value was reached.
	ErrTimeout = errors.New("Vulkan wait timed out")
)

// Result is a VkResult.
type Result int32

// The results this package tells apart.
const (
	resultSuccess           Result = 0
	resultNotReady          Result = 1
	resultTimeout           Result = 2
	resultIncomplete        Result = 5
	resultOutOfHostMemory   Result = -1
	resultOutOfDeviceMemory Result = -2
	resultDeviceLost        Result = -4
	resultLayerNotPresent   Result = -6
	resultExtNotPresent     Result = -7
	resultSurfaceLost       Result = -1000000000
	resultSuboptimal        Result = 1000001003
	resultOutOfDate         Result = -1000001004
	resultValidationFailed  Result = -1000011001
	resultOutOfPoolMemory   Result = -1000069000
)

var resultNames = map[Result]string{
	resultSuccess: "success", resultNotReady: "not ready", resultTimeout: "timeout",
	3: "event set", 4: "event reset", resultIncomplete: "incomplete",
	resultOutOfHostMemory: "out of host memory", resultOutOfDeviceMemory: "out of device memory",
	-3: "initialization failed", resultDeviceLost: "device lost", -5: "memory map failed",
	resultLayerNotPresent: "layer not present", resultExtNotPresent: "extension not present",
	-8: "feature not present", -9: "incompatible driver", -10: "too many objects",
	-11: "format not supported", -12: "fragmented pool", -13: "unknown error",
	resultSurfaceLost: "surface lost", -1000000001: "native window in use",
	resultSuboptimal: "suboptimal", resultOutOfDate: "out of date",
	-1000003001: "incompatible display", resultValidationFailed: "validation failed",
	-1000012000: "invalid shader", resultOutOfPoolMemory: "out of pool memory",
	-1000072003: "invalid external handle", -1000161000: "fragmentation",
	-1000257000: "invalid opaque capture address", -1000255000: "full screen exclusive mode lost",
	1000297000: "pipeline compile required",
}

// String gives the words for r, or its number.
func (r Result) String() string {
	if s, ok := resultNames[r]; ok {
		return s
	}
	return fmt.Sprintf("VkResult %d", int32(r))
}

// Error is a Vulkan call that failed. errors.Is matches it with
// ErrDeviceLost, ErrOutOfMemory, ErrSurfaceLost and ErrTimeout.
type Error struct {
	Op     string // what was tried, e.g. "create buffer tiles[3]"
	Result Result
}

func (e *Error) Error() string { return "vk: " + e.Op + ": " + e.Result.String() }

// Is maps the result to a sentinel.
func (e *Error) Is(target error) bool {
	switch e.Result {
	case resultDeviceLost:
		return target == ErrDeviceLost
	case resultOutOfHostMemory, resultOutOfDeviceMemory, resultOutOfPoolMemory:
		return target == ErrOutOfMemory
	case resultSurfaceLost:
		return target == ErrSurfaceLost
	case resultTimeout:
		return target == ErrTimeout
	}
	return false
}

// fail makes an error of a negative result.
func fail(op string, r Result) error { return &Error{Op: op, Result: r} }
