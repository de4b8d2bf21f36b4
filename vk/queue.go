package vk

/*
#include "shim.h"
#cgo noescape vkt_value
#cgo nocallback vkt_value
#cgo noescape vkt_wait
#cgo nocallback vkt_wait
#cgo noescape vkt_submit
#cgo nocallback vkt_submit
*/
import "C"

import "time"

// Queue is a queue of the GPU with a timeline: a number that grows as
// submissions complete. The device owns it.
type Queue struct {
	Family uint32

	dev       *Device
	c         C.VkQueue
	semaphore C.VkSemaphore
	last      uint64 // given to a submission, or promised to the open frame
	completed uint64 // last seen
}

func (d *Device) newQueue(name string, family int) (*Queue, error) {
	q := &Queue{Family: uint32(family), dev: d, c: C.vkt_queue(d.c, C.uint32_t(family), 0)}
	if r := Result(C.vkt_semaphore_create(d.c, 1, &q.semaphore)); r < 0 {
		return nil, fail("create timeline "+name, r)
	}
	d.name(C.VK_OBJECT_TYPE_SEMAPHORE, uint64(q.semaphore), name+" timeline")
	d.name(C.VK_OBJECT_TYPE_QUEUE, raw(q.c), name)
	return q, nil
}

func (q *Queue) destroy() {
	if q != nil && q.semaphore != 0 {
		C.vkt_destroy(q.dev.c, C.VKT_SEMAPHORE, C.uint64_t(q.semaphore))
		q.semaphore = 0
	}
}

// Completed gives the value the queue has reached.
func (q *Queue) Completed() (uint64, error) {
	var v C.uint64_t
	if r := Result(C.vkt_value(q.dev.c, q.semaphore, &v)); r < 0 {
		return q.completed, fail("read timeline", r)
	}
	q.completed = uint64(v)
	return q.completed, nil
}

// Reached says whether value is reached, and asks the GPU only when it was not
// the last time. An error counts as not reached: BeginFrame reports it.
func (q *Queue) Reached(value uint64) bool {
	if value <= q.completed {
		return true
	}
	v, err := q.Completed()
	return err == nil && value <= v
}

// Wait waits until value is reached, or fails with ErrTimeout. A negative
// timeout waits for ever. The value must have been submitted.
func (q *Queue) Wait(value uint64, timeout time.Duration) error {
	if value <= q.completed {
		return nil
	}
	t := C.uint64_t(timeout)
	if timeout < 0 {
		t = ^C.uint64_t(0)
	}
	switch r := Result(C.vkt_wait(q.dev.c, q.semaphore, C.uint64_t(value), t)); {
	case r == resultSuccess:
		q.completed = max(q.completed, value)
		return nil
	default:
		return fail("wait for the GPU", r)
	}
}

// submit sends info and lets the queue signal value, the next of its timeline.
func (q *Queue) submit(info *C.vkt_submit_info, value uint64) error {
	info.signal[info.signals] = q.semaphore
	info.signal_value[info.signals] = C.uint64_t(value)
	info.signals++
	r := q.dev.inject
	if r == resultSuccess {
		r = Result(C.vkt_submit(q.dev.c, q.c, info))
	}
	if r < 0 {
		return fail("submit", r)
	}
	return nil
}
