//go:build !nowindow

package main

import (
	"errors"
	"time"

	"github.com/vkterrain/vkterrain/vk"
)

// A device or surface that is lost more often than this in a minute is given up.
const mostLosses = 3

// recover goes on with a new device where the last one was lost, or the surface that it shows
// on, and gives the error if that cannot be.
func (s *screen) recover(lost error) error {
	s.losses = append(s.losses, time.Now())
	if n := len(s.losses); s.terrain == nil || n > mostLosses && s.losses[n-1].Sub(s.losses[n-1-mostLosses]) < time.Minute {
		return lost
	}
	if errors.Is(lost, vk.ErrSurfaceLost) {
		s.log.warnf("the window has nothing to show on any more (%v); making it anew", lost)
		if s.chain != nil {
			s.chain.Destroy()
			s.chain = nil
		}
		s.instance.DestroySurface(&s.surface)
		if err := s.makeSurface(); err != nil {
			return err
		}
	} else {
		s.log.warnf("the GPU stopped answering (%v); going on with it from the start", lost)
	}
	dev, err := s.newDevice(s.instance, s.surface)
	if err != nil {
		return err
	}
	err = s.terrain.Recover(dev)
	s.freeDevice()
	s.dev, s.stale, s.settled, s.now = dev, true, false, time.Time{}
	s.tracer.setClock(dev)
	s.trace.write(s, "recovered", "")
	return err
}

// freeDevice destroys the device, and what was made on it but for the terrain.
func (s *screen) freeDevice() {
	for i := range s.pictures {
		s.pictures[i].destroy()
	}
	s.pictures = nil
	s.hud.close()
	s.hud = nil
	s.depth.Destroy()
	s.multi.Destroy()
	if s.chain != nil {
		s.chain.Destroy()
		s.chain = nil
	}
	for _, l := range s.dev.Leaks() {
		s.log.debugf("leaked: %s", l)
	}
	s.dev.Destroy()
	s.dev, s.last = nil, 0
}
