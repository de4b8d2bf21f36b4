package vk

/*
#include "shim.h"
*/
import "C"

import (
	"errors"
	"time"
)

// ticks returns the time that the GPU's counter took for n.
func (d *Device) ticks(n uint64) time.Duration {
	return time.Duration(float64(n) * float64(d.Limits.TimestampPeriod))
}

// uploadTimer measures a slot's uploads. A queue that only copies cannot reset queries: so
// there are two pools, and each frame resets the one that the slot's next frame writes.
type uploadTimer struct {
	pools   [2]C.VkQueryPool // of two queries; 0 where nothing is measured
	frames  uint64           // of the slot
	written bool
}

func (u *uploadTimer) open(d *Device) Result {
	if !d.Features.Timestamps || d.GPU.c.families[d.Transfer.Family].timestamp_bits == 0 {
		return resultSuccess
	}
	for i := range u.pools {
		if r := Result(C.vkt_queries_create(d.c, C.VK_QUERY_TYPE_TIMESTAMP, 2, &u.pools[i])); r < 0 {
			return r
		}
	}
	return resultSuccess
}

func (u *uploadTimer) close(d *Device) {
	for _, p := range u.pools {
		C.vkt_destroy(d.c, C.VKT_QUERY_POOL, C.uint64_t(p))
	}
}

// pool is that of the slot's frame.
func (u *uploadTimer) pool() C.VkQueryPool { return u.pools[u.frames%2] }

// read returns what the slot's last frame measured, which is done.
func (u *uploadTimer) read(d *Device) (p PassTime) {
	var ticks [2]C.uint64_t
	if !u.written || Result(C.vkt_query_results(d.c, u.pool(), 2, &ticks[0], 1)) != resultSuccess {
		return p
	}
	return PassTime{"upload", d.ticks(uint64(ticks[1] - ticks[0])), d.ticks(uint64(ticks[0])), 0}
}

// next begins the slot's next frame, and makes the pool of the one after it ready.
func (u *uploadTimer) next(c *CommandBuffer) {
	u.written = false
	if u.pools[0] == 0 {
		return
	}
	C.vkt_cmd_reset_queries(c.d, c.c, u.pool(), 2)
	c.calls++
	u.frames++
}

// begin and end frame the uploads of a frame. The slot's first frame has no pool that is
// ready.
func (u *uploadTimer) begin(c *CommandBuffer) {
	if u.frames > 1 {
		C.vkt_cmd_timestamp(c.d, c.c, C.VkFlags(StageTop), u.pool(), 0)
		c.calls++
	}
}

func (u *uploadTimer) end(c *CommandBuffer) {
	if u.written = u.frames > 1; u.written {
		C.vkt_cmd_timestamp(c.d, c.c, C.VkFlags(StageBottom), u.pool(), 1)
		c.calls++
	}
}

// Clock reads the GPU's clock: what PassTime.Began is by. It was that time within a few
// microseconds where both clocks can be read at once ([Features].Calibrated), else within what
// a submission takes to come back. Then it waits for the graphics queue: call it outside of
// frames.
func (d *Device) Clock() (gpu time.Duration, at time.Time, err error) {
	if !d.Features.Timestamps {
		return 0, at, errors.New("vk: the GPU measures no times")
	}
	if gpu, at, ok := d.calibrated(); ok {
		return gpu, at, nil
	}
	return d.submittedClock()
}

// calibrated reads both clocks at once: the best of some readings.
func (d *Device) calibrated() (gpu time.Duration, at time.Time, ok bool) {
	if !d.Features.Calibrated {
		return 0, at, false
	}
	best := ^C.uint64_t(0)
	for range 5 {
		var ticks, then, now, deviation C.uint64_t
		r := Result(C.vkt_clock(d.c, &ticks, &then, &now, &deviation))
		after := time.Now()
		if r < 0 || now < then {
			return 0, at, false
		}
		if spread := max(deviation, now-then); spread < best {
			best, gpu, at, ok = spread, d.ticks(uint64(ticks)), after.Add(-time.Duration(now-then)), true
		}
	}
	return gpu, at, ok
}

// submittedClock reads the GPU's clock by a submission.
func (d *Device) submittedClock() (gpu time.Duration, at time.Time, err error) {
	var pool C.VkQueryPool
	if r := Result(C.vkt_queries_create(d.c, C.VK_QUERY_TYPE_TIMESTAMP, 1, &pool)); r < 0 {
		return 0, at, fail("create query pool", r)
	}
	defer func() { C.vkt_destroy(d.c, C.VKT_QUERY_POOL, C.uint64_t(pool)) }()
	best := time.Duration(-1)
	for range 5 {
		before := time.Now()
		err := d.Immediate(func(c *CommandBuffer) {
			C.vkt_cmd_reset_queries(c.d, c.c, pool, 1)
			C.vkt_cmd_timestamp(c.d, c.c, C.VkFlags(StageBottom), pool, 0)
		})
		took := time.Since(before)
		if err != nil {
			return 0, at, err
		}
		var ticks C.uint64_t
		if r := Result(C.vkt_query_results(d.c, pool, 1, &ticks, 1)); r != resultSuccess {
			return 0, at, fail("read the clock", r)
		}
		if best < 0 || took < best {
			best, gpu, at = took, d.ticks(uint64(ticks)), before.Add(took/2)
		}
	}
	return gpu, at, nil
}
