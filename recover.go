package vkterrain

import (
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/vk"
)

// Recover goes on with a new device after the last one was lost, which is when a
// call gave [vk.ErrDeviceLost]. What has been read and decoded stays, and is uploaded
// again, within the budgets. Nothing is drawn until something has arrived.
//
// Call it before the lost device is destroyed, between frames; the formats of Options
// hold for the new one too. After an error, as where that device is lost as well, there is
// nothing to do but Close, or Recover with another.
func (t *Terrain) Recover(dev *vk.Device) error {
	t.dev.WaitIdle()       // it answers at once that the device is lost
	if t.renderer != nil { // there is none after an error
		t.renderer.Destroy()
	}
	t.compiled.close()
	t.dev, t.renderer = dev, nil
	t.forgetDevice()
	renderer, err := t.newRenderer()
	if err != nil {
		return err
	}
	t.renderer = renderer
	t.renderer.SetRise(t.rise)
	t.refiners = [3]int{}
	if t.relief.kept != nil {
		if err := t.renderer.SetRelief(t.relief.kept); err != nil {
			return err
		}
	}
	if t.planting == nil {
		return nil
	}
	return t.renderer.SetModels(t.planting.spec.Models)
}

// forgetDevice forgets what was on a device that is lost.
func (t *Terrain) forgetDevice() {
	a := &t.anchor
	for _, h := range a.holds {
		if h.busy {
			t.onReleased(h)
		}
	}
	a.drops, a.hasNext = a.drops[:0], false
	t.stream.DeviceLost()
	for _, tile := range t.bySlot {
		if tile != nil {
			tile.User = nil
		}
	}
	clear(t.editing.slots)
	t.bySlot, t.leaving, t.drawable = t.bySlot[:0], t.leaving[:0], t.drawable[:0]
	t.frame, t.many, t.measured = nil, 0, measured{}
	for _, v := range t.views {
		v.last = pipeline.Stats{}
	}
}
