// Package vk is the thin Vulkan layer of vkterrain, and the only package that
// imports vulkan-go.
//
// vulkan-go gives the types of handles and the values of constants. Every call
// goes through a C shim of ours (shim.h), because the binding has no debug
// utils, timeline semaphores or anything newer than Vulkan 1.1, allocates on
// every call that takes a slice of structs, and frees such slices while the
// call may still read them. Eight calls that took the binding 18.9 µs to record take the
// shim 1.6 µs (go test ./vk -run xxx -bench BesideBinding). The shim keeps one dispatch table per instance and
// one per device, so that several devices and a host engine's loader can live
// side by side, and opens libvulkan itself unless a host brings its own
// vkGetInstanceProcAddr.
//
// # Who may call what
//
// One goroutine at a time touches an [Instance], its [Device] and everything
// made from it. No method locks. The exceptions say so.
//
// # A frame
//
//	f, err := dev.BeginFrame()         // waits for the slot; the only wait
//	f.Transfer().CopyBuffer(...)       // uploads, submitted ahead of the frame
//	f.Cmd.BeginPass("terrain")
//	...
//	f.Cmd.EndPass()
//	err = f.Submit()
//
// # Lifetime
//
// Who creates destroys. Destroy frees now, and the caller proves that the GPU
// is done with the object; [Device.Retire] and its kin free when a frame's
// timeline value is reached. Either zeroes the handle. Nothing is freed by
// finalizers. [Device.Leaks] lists what is still alive.
//
// # Errors
//
// Errors are for what a caller cannot foresee: no loader, no GPU, out of
// memory, device or surface lost. They unwrap to the sentinels of this package.
// Misuse panics with the prefix "vk: ". The outcome of a swapchain is a
// [Status], not an error. After [ErrDeviceLost] a device can only be destroyed.
package vk
