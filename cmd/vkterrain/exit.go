package main

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"github.com/vkterrain/vkterrain/terrain/chunkfile"
	"github.com/vkterrain/vkterrain/terrain/raster"
	"github.com/vkterrain/vkterrain/vk"
)

// Exit codes; scripts rely on them.
const (
	exitOK          = 0
	exitNo          = 1 // the answer is no
	exitUsage       = 2
	exitNoGPU       = 3 // no Vulkan driver, or no suitable GPU
	exitInput       = 4
	exitOutput      = 5 // input or output failed
	exitNoDisplay   = 6
	exitDevice      = 7  // device lost, or out of memory
	exitInternal    = 70 // a bug
	exitInterrupted = 130
)

var errInterrupted = errors.New("interrupted")

// codeError is an error with its exit code.
type codeError struct {
	code int
	err  error
}

func (e *codeError) Error() string { return e.err.Error() }
func (e *codeError) Unwrap() error { return e.err }

func withCode(code int, err error) error {
	if err == nil {
		return nil
	}
	return &codeError{code, err}
}

// usageError, inputError and outputError say whose fault err is. They pass nil.
func usageError(err error) error  { return withCode(exitUsage, err) }
func inputError(err error) error  { return withCode(exitInput, err) }
func outputError(err error) error { return withCode(exitOutput, err) }

// errNo is the answer no, which has been printed already.
var errNo = withCode(exitNo, errors.New("no"))

// exitCode returns the exit code that says what kind of error err is. What
// Vulkan and interrupts say comes before where it happened.
func exitCode(err error) int {
	var coded *codeError
	var path *fs.PathError
	var errno syscall.Errno
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.Is(err, vk.ErrNoLoader) || errors.Is(err, vk.ErrNoDevice):
		return exitNoGPU
	case errors.Is(err, vk.ErrDeviceLost) || errors.Is(err, vk.ErrOutOfMemory):
		return exitDevice
	case errors.As(err, &coded):
		return coded.code
	case errors.Is(err, raster.ErrCorrupt) || errors.Is(err, raster.ErrUnsupported) ||
		errors.Is(err, chunkfile.ErrCorrupt) || errors.Is(err, chunkfile.ErrUnsupported):
		return exitInput
	case errors.As(err, &path) || errors.As(err, &errno):
		return exitOutput
	}
	return exitInput
}
