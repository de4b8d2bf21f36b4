package vk

/*
#include "shim.h"
*/
import "C"

// retired is an object on its way out. It goes when the graphics queue reaches
// value and the transfer queue reaches what was submitted to it until then.
type retired struct {
	kind          kind
	handle, view  uint64
	memory        allocation
	value, ticket uint64
}

// Retire frees the buffer when the graphics queue reaches value (Frame.Value of
// the last frame that uses it) and uploads recorded so far are done, and zeroes
// it now.
func (d *Device) Retire(b *Buffer, value uint64) {
	if b.dev == nil {
		return
	}
	d.retire(retired{kind: kindBuffer, handle: raw(b.Handle), memory: b.memory, value: value})
	*b = Buffer{}
}

// RetireImage does for an image what Retire does for a buffer.
func (d *Device) RetireImage(i *Image, value uint64) {
	if i.Handle == nil {
		return
	}
	if i.dev == nil {
		panic("vk: RetireImage of a borrowed image")
	}
	d.retire(retired{kind: kindImage, handle: raw(i.Handle), view: raw(i.View), memory: i.memory, value: value})
	*i = Image{}
}

// RetirePipeline does for a pipeline what Retire does for a buffer.
func (d *Device) RetirePipeline(p *Pipeline, value uint64) {
	if p.dev == nil {
		return
	}
	d.retire(retired{kind: kindPipeline, handle: raw(p.Handle), value: value})
	*p = Pipeline{}
}

func (d *Device) retire(r retired) {
	if d.Transfer != d.Graphics {
		r.ticket = d.Transfer.last
		if d.open != nil && d.open.transferOpen {
			r.ticket++
		}
	}
	delete(d.live, liveKey{r.kind, r.handle}) // it has a new owner: the queue
	d.deletion = append(d.deletion, r)
}

// drain destroys what is due. It keeps the order and allocates nothing.
func (d *Device) drain(graphics, transfer uint64) {
	kept := d.deletion[:0]
	for _, r := range d.deletion {
		if r.value > graphics || r.ticket > transfer {
			kept = append(kept, r)
			continue
		}
		if r.view != 0 {
			C.vkt_destroy(d.c, C.VKT_VIEW, C.uint64_t(r.view))
		}
		d.dies(r.kind, r.handle)
		d.memory.free(r.memory)
	}
	clear(d.deletion[len(kept):])
	d.deletion = kept
}
