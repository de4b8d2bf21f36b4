package vk

/*
#include "shim.h"
#cgo noescape vkt_query_results
#cgo nocallback vkt_query_results
#cgo nocallback vkt_commands_begin
#cgo nocallback vkt_commands_end
*/
import "C"

import (
	"fmt"
	"time"

	"github.com/vulkan-go/vulkan"
)

// maxPasses is how many passes of a frame are timed; the rest are only labelled.
const maxPasses = 31

// PassTime is how long the GPU took for a pass.
type PassTime struct {
	Name  string
	Time  time.Duration
	Began time.Duration // on the GPU's clock, see Device.Clock
	Level int           // labels and passes that it lies in: only times of level 0 add up
}

// Statistics are the counters of BeginStatistics.
type Statistics struct {
	InputVertices, InputPrimitives, VertexInvocations    uint64
	ClipInvocations, ClipPrimitives, FragmentInvocations uint64
}

// Frame is one frame that is being recorded. It belongs to its slot: after
// Submit it must not be used.
type Frame struct {
	Cmd  *CommandBuffer // for the graphics queue
	Slot int            // index of per-frame resources, below Device.FramesInFlight
	// Value is what Device.Graphics reaches when the frame is done.
	Value uint64
	// Times, Upload and Statistics are those of the frame that had this slot before,
	// or empty. They are valid until Submit. Upload is what was recorded into Transfer;
	// of a slot's first frame it is not measured.
	Times      []PassTime
	Upload     PassTime
	Statistics Statistics

	dev  *Device
	slot *frameSlot
}

// frameSlot owns what a frame in flight uses. BeginFrame waits until the GPU is
// done with it, and nothing else does.
type frameSlot struct {
	frame                 Frame
	cmd, transfer         CommandBuffer
	pool, transferPool    C.VkCommandPool
	timestamps, stats     C.VkQueryPool
	uploads               uploadTimer
	acquired              C.VkSemaphore // signalled by the swapchain, waited for by the frame
	value, transferValue  uint64        // what the queues reach when the slot is free
	transferOpen          bool
	waitTicket            uint64 // the graphics queue waits for this upload
	waitStage             Stage  // with these stages
	swapchain             *Swapchain
	passes                [maxPasses]string
	levels                [maxPasses]uint8
	passCount             int
	ticks                 [2 * maxPasses]uint64
	times                 [maxPasses]PassTime
	statsUsed, queryReset bool
}

func (d *Device) openFrames() error {
	d.slots = make([]frameSlot, d.FramesInFlight)
	for i := range d.slots {
		s := &d.slots[i]
		r := d.openSlot(s)
		if r < 0 {
			return fail("create frame slot", r)
		}
		s.frame = Frame{Cmd: &s.cmd, Slot: i, dev: d, slot: s}
		d.nameSlot(s)
	}
	r := d.newCommands(d.Graphics, &d.once.pool, &d.once.cmd)
	if r >= 0 {
		r = Result(C.vkt_semaphore_create(d.c, 1, &d.once.semaphore))
	}
	if r < 0 {
		return fail("create immediate commands", r)
	}
	d.name(C.VK_OBJECT_TYPE_COMMAND_BUFFER, raw(d.once.cmd.Handle), "immediate")
	d.name(C.VK_OBJECT_TYPE_COMMAND_POOL, uint64(d.once.pool), "immediate")
	d.name(C.VK_OBJECT_TYPE_SEMAPHORE, uint64(d.once.semaphore), "immediate timeline")
	return nil
}

// nameSlot names what a slot owns.
func (d *Device) nameSlot(s *frameSlot) {
	frame, upload := fmt.Sprintf("frame[%d]", s.frame.Slot), fmt.Sprintf("upload[%d]", s.frame.Slot)
	d.name(C.VK_OBJECT_TYPE_COMMAND_BUFFER, raw(s.cmd.Handle), frame)
	d.name(C.VK_OBJECT_TYPE_COMMAND_BUFFER, raw(s.transfer.Handle), upload)
	d.name(C.VK_OBJECT_TYPE_COMMAND_POOL, uint64(s.pool), frame)
	d.name(C.VK_OBJECT_TYPE_COMMAND_POOL, uint64(s.transferPool), upload)
	d.name(C.VK_OBJECT_TYPE_QUERY_POOL, uint64(s.timestamps), frame+" timestamps")
	for i, p := range s.uploads.pools {
		d.name(C.VK_OBJECT_TYPE_QUERY_POOL, uint64(p), fmt.Sprintf("%s timestamps %d", upload, i))
	}
	d.name(C.VK_OBJECT_TYPE_QUERY_POOL, uint64(s.stats), frame+" statistics")
	d.name(C.VK_OBJECT_TYPE_SEMAPHORE, uint64(s.acquired), frame+" acquired")
}

func (d *Device) openSlot(s *frameSlot) Result {
	if r := d.newCommands(d.Graphics, &s.pool, &s.cmd); r < 0 {
		return r
	}
	if r := d.newCommands(d.Transfer, &s.transferPool, &s.transfer); r < 0 {
		return r
	}
	s.cmd.slot = s
	if r := Result(C.vkt_semaphore_create(d.c, 0, &s.acquired)); r < 0 {
		return r
	}
	if d.Features.Timestamps {
		if r := Result(C.vkt_queries_create(d.c, C.VK_QUERY_TYPE_TIMESTAMP, 2*maxPasses, &s.timestamps)); r < 0 {
			return r
		}
	}
	if r := s.uploads.open(d); r < 0 {
		return r
	}
	if d.Features.PipelineStatistics {
		return Result(C.vkt_queries_create(d.c, C.VK_QUERY_TYPE_PIPELINE_STATISTICS, 1, &s.stats))
	}
	return resultSuccess
}

func (d *Device) newCommands(q *Queue, pool *C.VkCommandPool, cmd *CommandBuffer) Result {
	r := Result(C.vkt_commands_create(d.c, C.uint32_t(q.Family), pool, &cmd.c))
	cmd.dev, cmd.d = d, d.c
	cmd.Handle = as[vulkan.CommandBuffer](raw(cmd.c))
	return r
}

func (d *Device) closeFrames() {
	for i := range d.slots {
		s := &d.slots[i]
		C.vkt_destroy(d.c, C.VKT_COMMAND_POOL, C.uint64_t(s.pool))
		C.vkt_destroy(d.c, C.VKT_COMMAND_POOL, C.uint64_t(s.transferPool))
		C.vkt_destroy(d.c, C.VKT_QUERY_POOL, C.uint64_t(s.timestamps))
		s.uploads.close(d)
		C.vkt_destroy(d.c, C.VKT_QUERY_POOL, C.uint64_t(s.stats))
		C.vkt_destroy(d.c, C.VKT_SEMAPHORE, C.uint64_t(s.acquired))
	}
	d.slots = nil
	C.vkt_destroy(d.c, C.VKT_COMMAND_POOL, C.uint64_t(d.once.pool))
	C.vkt_destroy(d.c, C.VKT_SEMAPHORE, C.uint64_t(d.once.semaphore))
	d.once = immediate{}
}

// BeginFrame waits until the GPU is done with the oldest frame in flight,
// frees what was retired, and starts recording. It is the only call of a frame
// that waits. The frame must be submitted. BeginFrame panics when the last one
// was not.
func (d *Device) BeginFrame() (*Frame, error) {
	if d.open != nil {
		panic("vk: BeginFrame before Submit of the last frame")
	}
	if d.broken != nil {
		return nil, d.broken
	}
	s := &d.slots[d.frames%uint64(len(d.slots))]
	if err := d.Graphics.Wait(s.value, -1); err != nil {
		return nil, err
	}
	if err := d.Transfer.Wait(s.transferValue, -1); err != nil {
		return nil, err
	}
	graphics, err := d.Graphics.Completed()
	if err != nil {
		return nil, err
	}
	transfer := graphics
	if d.Transfer != d.Graphics {
		if transfer, err = d.Transfer.Completed(); err != nil {
			return nil, err
		}
	}
	d.drain(graphics, transfer)
	s.readQueries(d)
	s.frame.Upload = s.uploads.read(d)
	if r := Result(C.vkt_commands_begin(d.c, s.pool, s.cmd.c)); r < 0 {
		return nil, fail("begin frame", r)
	}
	// At once, so that what is recorded later has a place even where this fails.
	if r := Result(C.vkt_commands_begin(d.c, s.transferPool, s.transfer.c)); r < 0 {
		return nil, fail("begin upload", r)
	}
	d.frames++
	d.Graphics.last++
	d.open = s
	s.frame.Value = d.Graphics.last
	s.waitTicket, s.waitStage, s.swapchain, s.transferOpen = 0, 0, nil, false
	s.cmd.calls, s.transfer.calls, s.cmd.depth, s.transfer.depth = 0, 0, 0, 0
	s.passCount, s.statsUsed = 0, false
	if s.timestamps != 0 {
		C.vkt_cmd_reset_queries(d.c, s.cmd.c, s.timestamps, 2*maxPasses)
		s.cmd.calls++
	}
	if s.stats != 0 {
		C.vkt_cmd_reset_queries(d.c, s.cmd.c, s.stats, 1)
		s.cmd.calls++
	}
	s.uploads.next(&s.cmd)
	d.in.Messages()
	return &s.frame, nil
}

// readQueries reads what the slot's last frame measured. The GPU is done with
// it, so nothing waits.
func (s *frameSlot) readQueries(d *Device) {
	s.frame.Times, s.frame.Statistics = s.times[:0], Statistics{}
	if s.passCount > 0 {
		r := Result(C.vkt_query_results(d.c, s.timestamps, C.uint32_t(2*s.passCount), (*C.uint64_t)(&s.ticks[0]), 1))
		for i := 0; r == resultSuccess && i < s.passCount; i++ {
			ticks := s.ticks[2*i+1] - s.ticks[2*i]
			s.times[i] = PassTime{s.passes[i], d.ticks(ticks), d.ticks(s.ticks[2*i]), int(s.levels[i])}
			s.frame.Times = s.times[:i+1]
		}
	}
	if s.statsUsed {
		var v [6]C.uint64_t
		if Result(C.vkt_query_results(d.c, s.stats, 1, &v[0], 6)) == resultSuccess {
			s.frame.Statistics = Statistics{uint64(v[0]), uint64(v[1]), uint64(v[2]), uint64(v[3]), uint64(v[4]), uint64(v[5])}
		}
	}
}

// Transfer gives the frame's command buffer for uploads. It is submitted ahead of
// Cmd, if anybody has asked for it: on the transfer queue, or in the same submission
// where there is none.
func (f *Frame) Transfer() *CommandBuffer {
	if !f.slot.transferOpen {
		f.slot.transferOpen = true
		f.slot.uploads.begin(&f.slot.transfer)
	}
	return &f.slot.transfer
}

// Ticket is the value Device.Transfer reaches when the frame's uploads are done.
func (f *Frame) Ticket() uint64 {
	if f.dev.Transfer == f.dev.Graphics {
		return f.Value
	}
	return f.dev.Transfer.last + 1
}

// ReleaseBuffers is the first half of handing uploaded ranges to the graphics
// queue: call it after their copies. It records nothing where both queues are
// of one family.
func (f *Frame) ReleaseBuffers(ranges ...BufferRange) {
	if f.dev.Features.TransferOwnership {
		f.Transfer().bufferBarrier(Sync{StageTransfer, AccessTransferWrite}, Sync{StageBottom, 0},
			f.dev.Transfer.Family, f.dev.Graphics.Family, ranges)
	}
}

// AcquireBuffers is the second half, in a later frame, when Device.Transfer has
// reached ticket: it records the barrier that makes ranges readable for dst.
// The ranges must be those given to ReleaseBuffers. It panics when the ticket
// is not reached, because the frame would wait for the upload.
//
// The frame must be done before ranges are uploaded again: its own uploads are
// submitted ahead of it, and would come before what is recorded here.
func (f *Frame) AcquireBuffers(ticket uint64, dst Sync, ranges ...BufferRange) {
	d := f.dev
	if !d.Transfer.Reached(ticket) {
		panic("vk: AcquireBuffers before the ticket is reached")
	}
	if d.Transfer != d.Graphics {
		f.slot.waitTicket = max(f.slot.waitTicket, ticket)
		f.slot.waitStage |= StageTransfer | dst.Stage // where the barriers below begin
	}
	if d.Features.TransferOwnership {
		f.Cmd.bufferBarrier(Sync{dst.Stage, 0}, dst, d.Transfer.Family, d.Graphics.Family, ranges)
		return
	}
	f.Cmd.BufferBarrier(Sync{StageTransfer, AccessTransferWrite}, dst, ranges...)
}

// Calls counts the Vulkan commands recorded in this frame.
func (f *Frame) Calls() int { return f.slot.cmd.calls + f.slot.transfer.calls }

// Submit ends recording and hands the frame to the GPU. It does not wait. After
// an error the device can only be destroyed, and BeginFrame gives that error.
func (f *Frame) Submit() error {
	d, s := f.dev, f.slot
	if d.open != s {
		panic("vk: Submit of a frame that is not open")
	}
	d.open = nil
	if s.cmd.depth != 0 || s.transfer.depth != 0 {
		panic("vk: Submit with an open label or pass")
	}
	err := f.submit()
	d.broken = err
	d.in.Messages()
	return err
}

func (f *Frame) submit() error {
	d, s := f.dev, f.slot
	var info C.vkt_submit_info
	if s.transferOpen {
		s.uploads.end(&s.transfer)
		if r := Result(C.vkt_commands_end(d.c, s.transfer.c)); r < 0 {
			return fail("end upload", r)
		}
		if d.Transfer == d.Graphics {
			info.command[0] = s.transfer.c
			info.commands = 1
		} else if err := f.submitTransfer(); err != nil {
			return err
		}
	}
	if err := s.cmd.end("end frame"); err != nil {
		return err
	}
	info.command[info.commands] = s.cmd.c
	info.commands++
	if s.waitTicket > 0 {
		info.wait[0], info.wait_value[0] = d.Transfer.semaphore, C.uint64_t(s.waitTicket)
		info.wait_stage[0] = C.VkFlags(s.waitStage)
		info.waits = 1
	}
	if s.swapchain != nil {
		info.wait[info.waits] = s.acquired
		info.wait_stage[info.waits] = C.VkFlags(StageColorOutput | StageTransfer)
		info.waits++
		info.signal[0] = s.swapchain.rendered[s.swapchain.index]
		info.signals = 1
	}
	s.value = f.Value
	return d.Graphics.submit(&info, f.Value)
}

func (f *Frame) submitTransfer() error {
	d, s := f.dev, f.slot
	var info C.vkt_submit_info
	info.command[0] = s.transfer.c
	info.commands = 1
	d.Transfer.last++
	s.transferValue = d.Transfer.last
	return d.Transfer.submit(&info, s.transferValue)
}

// immediate is what Immediate uses.
type immediate struct {
	pool      C.VkCommandPool
	cmd       CommandBuffer
	semaphore C.VkSemaphore
	value     uint64
}

// Immediate records, submits to the graphics queue and waits: for setting up,
// screenshots and tests, never within a frame's time budget.
func (d *Device) Immediate(record func(*CommandBuffer)) error {
	o := &d.once
	if r := Result(C.vkt_commands_begin(d.c, o.pool, o.cmd.c)); r < 0 {
		return fail("begin immediate", r)
	}
	record(&o.cmd)
	if err := o.cmd.end("end immediate"); err != nil {
		return err
	}
	o.value++
	var info C.vkt_submit_info
	info.command[0], info.commands = o.cmd.c, 1
	info.signal[0], info.signal_value[0], info.signals = o.semaphore, C.uint64_t(o.value), 1
	if r := Result(C.vkt_submit(d.c, d.Graphics.c, &info)); r < 0 {
		return fail("submit immediate", r)
	}
	r := Result(C.vkt_wait(d.c, o.semaphore, C.uint64_t(o.value), ^C.uint64_t(0)))
	d.in.Messages()
	if r < 0 {
		return fail("wait for immediate", r)
	}
	return nil
}
