package vk

/*
#include "shim.h"
*/
import "C"

// family is what queue selection looks at.
type family struct {
	flags uint32
	count uint32
}

// queuePlan is which families are used. transfer equals graphics when there is
// no separate one.
type queuePlan struct {
	graphics, transfer, present int
}

func families(c *C.vkt_gpu) []family {
	f := make([]family, c.family_count)
	for i := range f {
		f[i] = family{uint32(c.families[i].flags), uint32(c.families[i].count)}
	}
	return f
}

// selectQueues chooses families. present says which can show pictures, and is
// nil when nothing is shown. A family for graphics that also presents is
// preferred, and for transfer one that does nothing else, then one without
// graphics. ok is false when there is no graphics, or none that presents.
func selectQueues(families []family, present func(int) bool) (plan queuePlan, ok bool) {
	const g, c, t = uint32(C.VK_QUEUE_GRAPHICS_BIT), uint32(C.VK_QUEUE_COMPUTE_BIT), uint32(C.VK_QUEUE_TRANSFER_BIT)
	plan = queuePlan{-1, -1, -1}
	best := 0
	for i, f := range families {
		if f.count == 0 || f.flags&g == 0 {
			continue
		}
		score := 1
		if present != nil && present(i) {
			score += 4
		}
		if f.flags&c != 0 {
			score += 2
		}
		if score > best {
			best, plan.graphics = score, i
		}
	}
	if plan.graphics < 0 {
		return plan, false
	}
	plan.present = plan.graphics
	if present != nil && !present(plan.graphics) {
		plan.present = -1
		for i, f := range families {
			if f.count > 0 && present(i) {
				plan.present = i
				break
			}
		}
		if plan.present < 0 {
			return plan, false
		}
	}
	plan.transfer, best = plan.graphics, 0
	for i, f := range families {
		if f.count == 0 || i == plan.graphics || f.flags&g != 0 {
			continue
		}
		switch {
		case f.flags&(c|t) == t && best < 2:
			best, plan.transfer = 2, i
		case f.flags&c != 0 && best < 1: // compute implies transfer
			best, plan.transfer = 1, i
		}
	}
	return plan, true
}
