package vk

/*
#include "shim.h"
#cgo noescape vkt_acquire
#cgo nocallback vkt_acquire
#cgo nocallback vkt_present
*/
import "C"

import (
	"fmt"
	"slices"

	"github.com/vulkan-go/vulkan"
)

// Status is the outcome of asking a swapchain for an image.
type Status int

// Outcomes.
const (
	Ready    Status = iota
	Resized         // call Resize; no image was given
	NotReady        // the window has no area now; try again later
)

// String gives one word.
func (s Status) String() string {
	switch s {
	case Ready:
		return "ready"
	case Resized:
		return "resized"
	case NotReady:
		return "not ready"
	}
	return fmt.Sprintf("Status(%d)", int(s))
}

// SwapchainInfo describes a swapchain.
type SwapchainInfo struct {
	Surface       Surface
	Width, Height uint32 // of the framebuffer, in pixels; may be 0
	Mode          PresentMode
}

// PresentMode is how pictures get to the screen. What there is not is done as the next best
// way that does not wait where this one does not.
type PresentMode int

// Ways of presenting.
const (
	FIFO        PresentMode = iota // each picture is shown for a refresh of the screen, at least
	FIFORelaxed                    // the same, but one that comes late is shown at once
	Mailbox                        // the newest picture is shown at the next refresh
	Immediate                      // each is shown at once
)

// presentModes are Vulkan's modes, the best first, by what was asked for.
var presentModes = [...][]vulkan.PresentMode{
	FIFO:        {vulkan.PresentModeFifo},
	FIFORelaxed: {vulkan.PresentModeFifoRelaxed},
	Mailbox:     {vulkan.PresentModeMailbox, vulkan.PresentModeImmediate},
	Immediate:   {vulkan.PresentModeImmediate, vulkan.PresentModeMailbox},
}

// Swapchain is the images of a window. Per frame: BeginFrame, Acquire, record,
// Submit, Present. Not every driver says Resized, so call Resize as well when
// the window's framebuffer has another size than Width and Height.
//
// Who signals, who waits: the acquire semaphore belongs to the frame slot, is
// signalled by Acquire and waited for by Submit at color output and transfer.
// The rendered semaphore belongs to the image, is signalled by Submit and
// waited for by Present. An image's semaphore is free again when that image is
// acquired again.
type Swapchain struct {
	Format        Format // FormatBGRA8 where the surface has it
	Width, Height uint32 // 0: there is none now

	dev      *Device
	info     SwapchainInfo
	c        C.VkSwapchainKHR
	images   []Image
	rendered []C.VkSemaphore
	index    int
}

// NewSwapchain makes a swapchain for a surface that the device presents to. At
// zero extent it makes none yet, and Acquire answers NotReady until Resize.
func (d *Device) NewSwapchain(info SwapchainInfo) (*Swapchain, error) {
	s := &Swapchain{dev: d, info: info}
	if _, err := s.Resize(info.Width, info.Height); err != nil {
		s.Destroy()
		return nil, err
	}
	return s, nil
}

// Resize makes the images anew for a framebuffer of this size, which the
// surface may overrule. It waits until the GPU is idle. The status is Ready or,
// at zero extent, NotReady.
func (s *Swapchain) Resize(width, height uint32) (Status, error) {
	d := s.dev
	if d.open != nil {
		panic("vk: Resize within a frame")
	}
	if err := d.WaitIdle(); err != nil {
		return NotReady, err
	}
	var q C.vkt_surface_info
	if r := Result(C.vkt_surface_query(d.in.c, d.GPU.c.handle, C.VkSurfaceKHR(raw(s.info.Surface.Handle)), &q)); r < 0 {
		return NotReady, fail("query surface", r)
	}
	s.Width, s.Height = chooseExtent(&q.caps, width, height)
	if s.Width == 0 || s.Height == 0 {
		s.release()
		return NotReady, nil
	}
	ci := C.vkt_swapchain_info{surface: C.VkSurfaceKHR(raw(s.info.Surface.Handle)), old: s.c,
		width: C.uint32_t(s.Width), height: C.uint32_t(s.Height), min_images: q.caps.minImageCount + 1,
		usage: C.VkFlags(ImageColor) | q.caps.supportedUsageFlags&C.VkFlags(ImageTransferSrc|ImageTransferDst),
		alpha: C.VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR, transform: q.caps.currentTransform}
	if n := q.caps.maxImageCount; n > 0 {
		ci.min_images = min(ci.min_images, n)
	}
	if all := q.caps.supportedCompositeAlpha; all&ci.alpha == 0 {
		ci.alpha = all & -all
	}
	ci.format, ci.color_space = chooseFormat(q.formats[:q.format_count])
	ci.mode = chooseMode(q.modes[:q.mode_count], s.info.Mode)
	ci.families = [2]C.uint32_t{C.uint32_t(d.Graphics.Family), C.uint32_t(d.present.Family)}
	if d.present.Family != d.Graphics.Family {
		ci.family_count = 2
	}
	var c C.VkSwapchainKHR
	r := Result(C.vkt_swapchain_create(d.c, &ci, &c))
	s.release() // the old one, which creation used
	if r < 0 {
		return NotReady, fail("create swapchain", r)
	}
	s.c, s.Format = c, Format(ci.format)
	d.born(kindSwapchain, C.VK_OBJECT_TYPE_SWAPCHAIN_KHR, uint64(c), "swapchain")
	return Ready, s.openImages()
}

func (s *Swapchain) openImages() error {
	d := s.dev
	var c [16]C.VkImage
	n := C.uint32_t(len(c))
	if r := Result(C.vkt_swapchain_images(d.c, s.c, &n, &c[0])); r != resultSuccess {
		return fail("list swapchain images", r)
	}
	for i := range int(n) {
		img := Image{Handle: as[vulkan.Image](uint64(c[i])), Width: s.Width, Height: s.Height, Format: s.Format,
			Samples: 1, MipLevels: 1, Layers: 1}
		ci := img.info()
		var view C.VkImageView
		var sem C.VkSemaphore
		if r := Result(C.vkt_view_create(d.c, c[i], &ci, &view)); r < 0 {
			return fail("create swapchain view", r)
		}
		img.View = as[vulkan.ImageView](uint64(view))
		s.images = append(s.images, img)
		if r := Result(C.vkt_semaphore_create(d.c, 0, &sem)); r < 0 {
			return fail("create swapchain semaphore", r)
		}
		s.rendered = append(s.rendered, sem)
		name := fmt.Sprintf("swapchain[%d]", i)
		d.name(C.VK_OBJECT_TYPE_IMAGE, uint64(c[i]), name)
		d.name(C.VK_OBJECT_TYPE_IMAGE_VIEW, uint64(view), name)
		d.name(C.VK_OBJECT_TYPE_SEMAPHORE, uint64(sem), name+" rendered")
	}
	return nil
}

// release destroys the swapchain but not the object. The GPU is idle.
func (s *Swapchain) release() {
	for i := range s.images {
		C.vkt_destroy(s.dev.c, C.VKT_VIEW, C.uint64_t(raw(s.images[i].View)))
	}
	for _, sem := range s.rendered {
		C.vkt_destroy(s.dev.c, C.VKT_SEMAPHORE, C.uint64_t(sem))
	}
	s.images, s.rendered = s.images[:0], s.rendered[:0]
	s.dev.dies(kindSwapchain, uint64(s.c))
	s.c = 0
}

// Acquire gives the image to draw to, in LayoutUndefined; its first barrier
// must have Src{StageColorOutput, 0}, and the last must leave it in
// LayoutPresent. On Resized and NotReady there is no image: submit the frame
// without, then Resize.
func (s *Swapchain) Acquire(f *Frame) (*Image, Status, error) {
	if f.slot.swapchain != nil {
		panic("vk: Acquire twice in a frame")
	}
	if s.c == 0 {
		return nil, NotReady, nil
	}
	var i C.uint32_t
	r := Result(C.vkt_acquire(s.dev.c, s.c, f.slot.acquired, ^C.uint64_t(0), &i))
	status, err := presentStatus("acquire swapchain image", r)
	if r == resultSuboptimal {
		status = Ready // the image is ours; Present says Resized
	}
	if status != Ready || err != nil {
		return nil, status, err
	}
	s.index = int(i)
	f.slot.swapchain = s
	return &s.images[i], Ready, nil
}

// Present shows the image that f acquired, after f.Submit. Resized means: call
// Resize before the next frame.
func (s *Swapchain) Present(f *Frame) (Status, error) {
	if f.slot.swapchain != s {
		return NotReady, nil
	}
	r := Result(C.vkt_present(s.dev.c, s.dev.present.c, s.c, s.rendered[s.index], C.uint32_t(s.index)))
	s.dev.in.Messages()
	return presentStatus("present", r)
}

// presentStatus sorts what acquiring and presenting may answer.
func presentStatus(op string, r Result) (Status, error) {
	switch {
	case r == resultOutOfDate || r == resultSuboptimal:
		return Resized, nil
	case r == resultNotReady || r == resultTimeout:
		return NotReady, nil
	case r < 0:
		return NotReady, fail(op, r)
	}
	return Ready, nil
}

// Destroy waits until the GPU is idle and frees the swapchain. The surface
// lives on.
func (s *Swapchain) Destroy() {
	if s.dev == nil {
		return
	}
	C.vkt_wait_idle(s.dev.c)
	s.release()
	*s = Swapchain{}
}

func chooseExtent(caps *C.VkSurfaceCapabilitiesKHR, width, height uint32) (w, h uint32) {
	if uint32(caps.currentExtent.width) != ^uint32(0) {
		return uint32(caps.currentExtent.width), uint32(caps.currentExtent.height)
	}
	if width == 0 || height == 0 {
		return 0, 0
	}
	w = min(max(width, uint32(caps.minImageExtent.width)), uint32(caps.maxImageExtent.width))
	h = min(max(height, uint32(caps.minImageExtent.height)), uint32(caps.maxImageExtent.height))
	return w, h
}

func chooseFormat(formats []C.VkSurfaceFormatKHR) (format, colorSpace C.VkEnum) {
	for _, want := range []Format{FormatBGRA8, FormatRGBA8} {
		for _, f := range formats {
			if Format(f.format) == want && f.colorSpace == 0 {
				return f.format, f.colorSpace
			}
		}
	}
	if len(formats) == 0 {
		return C.VkEnum(FormatBGRA8), 0
	}
	return formats[0].format, formats[0].colorSpace
}

func chooseMode[E ~int32](modes []E, asked PresentMode) E {
	for _, want := range presentModes[asked] {
		if slices.Contains(modes, E(want)) {
			return E(want)
		}
	}
	return E(vulkan.PresentModeFifo) // which there always is
}
