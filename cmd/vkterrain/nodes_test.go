package main

import (
	"testing"

	"github.com/vkterrain/vkterrain/lodcpu/billod"
	"github.com/vkterrain/vkterrain/terrain"
)

// TestTurned turns thresholds by steps, from nothing and down to nothing.
func TestTurned(t *testing.T) {
	w := &terrain.World{Spacing: 20}
	th := turned(billod.Thresholds{}, w, true, false, true)
	if th != (billod.Thresholds{Far: 80000}) {
		t.Errorf("far up from 0: %+v", th)
	}
	if th = turned(th, w, true, false, false); th != (billod.Thresholds{Far: 64000}) {
		t.Errorf("far down: %+v", th)
	}
	if th = turned(turned(th, w, true, true, true), w, true, true, true); th != (billod.Thresholds{Near: 25, Far: 64000}) {
		t.Errorf("near up twice: %+v", th)
	}
	if th = turned(turned(th, w, true, true, false), w, true, true, false); th != (billod.Thresholds{Far: 64000}) {
		t.Errorf("near down twice: %+v", th)
	}
	if th = turned(billod.Thresholds{}, w, false, false, true); th.Far != 1000 {
		t.Errorf("far up from the bound: %+v", th)
	}
}
