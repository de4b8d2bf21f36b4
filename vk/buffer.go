package vk

/*
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/vkterrain/vkterrain/vk/ring"
	"github.com/vulkan-go/vulkan"
)

// Buffer is a buffer with memory. Copies are aliases; destroy or retire one.
type Buffer struct {
	Handle vulkan.Buffer
	Size   uint64 // bytes
	Kind   MemoryKind

	dev    *Device
	memory allocation
}

// NewBuffer makes a buffer. The contents are undefined.
func (d *Device) NewBuffer(info BufferInfo) (Buffer, error) {
	if info.Size == 0 || info.Usage == 0 {
		panic("vk: buffer " + info.Name + " without size or usage")
	}
	var c C.VkBuffer
	var req C.vkt_requirements
	if r := Result(C.vkt_buffer_create(d.c, C.uint64_t(info.Size), C.VkFlags(info.Usage), &c, &req)); r < 0 {
		return Buffer{}, fail("create buffer "+info.Name, r)
	}
	gpuReads := info.Usage&^(UsageTransferSrc|UsageTransferDst) != 0
	m, r := d.memory.alloc(&req, info.Kind, gpuReads, c, 0)
	if r >= 0 {
		if r = Result(C.vkt_bind_buffer(d.c, c, m.block.memory, C.uint64_t(m.span.Offset))); r < 0 {
			d.memory.free(m)
		}
	}
	if r < 0 {
		C.vkt_destroy(d.c, C.VKT_BUFFER, C.uint64_t(c))
		return Buffer{}, fail(fmt.Sprintf("allocate %d bytes for buffer %s", info.Size, info.Name), r)
	}
	d.born(kindBuffer, C.VK_OBJECT_TYPE_BUFFER, uint64(c), info.Name)
	return Buffer{Handle: as[vulkan.Buffer](uint64(c)), Size: info.Size, Kind: info.Kind, dev: d, memory: m}, nil
}

// Bytes gives the memory of an Upload or Readback buffer. Upload memory is
// write-only: reading it is slow beyond measure on a real GPU. Bytes panics on
// a DeviceLocal buffer. The slice dies with the buffer.
func (b *Buffer) Bytes() []byte {
	if b.Kind == DeviceLocal || b.memory.mapped == nil {
		panic("vk: Bytes of a buffer that is not mapped")
	}
	return unsafe.Slice((*byte)(b.memory.mapped), b.Size)
}

// Range gives a part of the buffer; it panics beyond its end.
func (b *Buffer) Range(offset, size uint64) BufferRange {
	if offset > b.Size || size > b.Size-offset {
		panic(fmt.Sprintf("vk: range %d+%d of a buffer of %d bytes", offset, size, b.Size))
	}
	return BufferRange{b.Handle, offset, size}
}

// Destroy frees the buffer now. The caller proves that the GPU is done with
// it. A zero Buffer is fine.
func (b *Buffer) Destroy() {
	if b.dev == nil {
		return
	}
	b.dev.dies(kindBuffer, raw(b.Handle))
	b.dev.memory.free(b.memory)
	*b = Buffer{}
}

// Image is a 2D image with memory and a view of all of it. Copies are aliases;
// destroy or retire one. The images of a Swapchain are borrowed.
type Image struct {
	Handle        vulkan.Image
	View          vulkan.ImageView
	Width, Height uint32
	Format        Format
	Samples       uint32
	MipLevels     uint32
	Layers        uint32

	dev    *Device
	memory allocation
}

// NewImage makes an image in layout LayoutUndefined.
func (d *Device) NewImage(info ImageInfo) (img Image, err error) {
	if info.Width == 0 || info.Height == 0 || info.Usage == 0 {
		panic("vk: image " + info.Name + " without extent or usage")
	}
	img = Image{Width: info.Width, Height: info.Height, Format: info.Format, dev: d,
		Samples: max(1, info.Samples), MipLevels: max(1, info.MipLevels), Layers: max(1, info.Layers)}
	ci := img.info()
	ci.usage = C.VkFlags(info.Usage)
	var c C.VkImage
	var view C.VkImageView
	var req C.vkt_requirements
	if r := Result(C.vkt_image_create(d.c, &ci, &c, &req)); r < 0 {
		return Image{}, fail("create image "+info.Name, r)
	}
	m, r := d.memory.alloc(&req, DeviceLocal, false, 0, c)
	if r >= 0 {
		r = Result(C.vkt_bind_image(d.c, c, m.block.memory, C.uint64_t(m.span.Offset)))
	}
	if r >= 0 && info.Usage&^(ImageTransferSrc|ImageTransferDst) != 0 {
		r = Result(C.vkt_view_create(d.c, c, &ci, &view))
	}
	if r < 0 {
		C.vkt_destroy(d.c, C.VKT_IMAGE, C.uint64_t(c))
		d.memory.free(m)
		return Image{}, fail(fmt.Sprintf("allocate image %s of %dx%d", info.Name, info.Width, info.Height), r)
	}
	d.born(kindImage, C.VK_OBJECT_TYPE_IMAGE, uint64(c), info.Name)
	d.name(C.VK_OBJECT_TYPE_IMAGE_VIEW, uint64(view), info.Name)
	img.Handle, img.View, img.memory = as[vulkan.Image](uint64(c)), as[vulkan.ImageView](uint64(view)), m
	return img, nil
}

// info is the image as the shim wants it, without usage.
func (i *Image) info() C.vkt_image_info {
	return C.vkt_image_info{width: C.uint32_t(i.Width), height: C.uint32_t(i.Height), levels: C.uint32_t(i.MipLevels),
		layers: C.uint32_t(i.Layers), samples: C.uint32_t(i.Samples), format: C.VkEnum(i.Format), aspect: i.aspect()}
}

func (i *Image) aspect() C.VkFlags {
	if i.Format.isDepth() {
		return C.VK_IMAGE_ASPECT_DEPTH_BIT
	}
	return C.VK_IMAGE_ASPECT_COLOR_BIT
}

// Destroy frees the image and its view now. The caller proves that the GPU is
// done with it. A zero Image is fine; one of a Swapchain panics.
func (i *Image) Destroy() {
	if i.Handle == nil {
		return
	}
	if i.dev == nil {
		panic("vk: Destroy of a borrowed image")
	}
	C.vkt_destroy(i.dev.c, C.VKT_VIEW, C.uint64_t(raw(i.View)))
	i.dev.dies(kindImage, raw(i.Handle))
	i.dev.memory.free(i.memory)
	*i = Image{}
}

// Sampler says how a texture is read.
type Sampler struct {
	Handle vulkan.Sampler
	dev    *Device
}

// NewSampler makes a sampler.
func (d *Device) NewSampler(info SamplerInfo) (Sampler, error) {
	ci := C.vkt_sampler_info{min: C.VkEnum(info.Min), mag: C.VkEnum(info.Mag), mip: C.VkEnum(info.Mip),
		address: C.VkEnum(info.Address), max_lod: C.float(info.MaxLOD)}
	if d.Features.SamplerAnisotropy {
		ci.anisotropy = C.float(min(info.Anisotropy, d.Limits.Anisotropy))
	}
	var c C.VkSampler
	if r := Result(C.vkt_sampler_create(d.c, &ci, &c)); r < 0 {
		return Sampler{}, fail("create sampler "+info.Name, r)
	}
	d.born(kindSampler, C.VK_OBJECT_TYPE_SAMPLER, uint64(c), info.Name)
	return Sampler{as[vulkan.Sampler](uint64(c)), d}, nil
}

// Destroy frees the sampler now.
func (s *Sampler) Destroy() {
	if s.dev != nil {
		s.dev.dies(kindSampler, raw(s.Handle))
		*s = Sampler{}
	}
}

// Staging is a mapped buffer whose parts are taken in order and given back when
// an upload's ticket is reached.
type Staging struct {
	Buffer Buffer
	ring   *ring.Ring
	bytes  []byte
}

// NewStaging makes a staging ring of size bytes.
func (d *Device) NewStaging(name string, size uint64) (*Staging, error) {
	b, err := d.NewBuffer(BufferInfo{Name: name, Size: size, Usage: UsageTransferSrc, Kind: Upload})
	if err != nil {
		return nil, err
	}
	return &Staging{Buffer: b, ring: ring.New(size), bytes: b.Bytes()}, nil
}

// Reserve takes n bytes at a multiple of align, to be filled now and copied
// from in the upload that is being recorded. ok is false when the ring is full:
// try again in a later frame, after Release.
func (s *Staging) Reserve(n, align uint64) (offset uint64, b []byte, ok bool) {
	span, ok := s.ring.Reserve(n, align)
	if !ok {
		return 0, nil, false
	}
	return span.Offset, s.bytes[span.Offset : span.Offset+n : span.Offset+n], true
}

// Submit says that what was reserved since the last Submit is in use until the
// transfer queue reaches ticket.
func (s *Staging) Submit(ticket uint64) { s.ring.Submit(ticket) }

// Release takes back what the transfer queue is done with.
func (s *Staging) Release(completed uint64) { s.ring.Release(completed) }

// Used gives the bytes in use.
func (s *Staging) Used() uint64 { return s.ring.Used() }

// Destroy frees the ring now.
func (s *Staging) Destroy() {
	s.Buffer.Destroy()
	s.bytes = nil
}
