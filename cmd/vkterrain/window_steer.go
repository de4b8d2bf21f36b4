//go:build !nowindow

package main

import (
	"math"
	"time"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/pipeline"
)

// longest is the time that a frame may move the camera by, in seconds.
const longest = 0.5

// advance moves the camera to this moment.
func (s *screen) advance() {
	in := &s.input
	s.inbox.take(in)
	now, dt := time.Now(), 0.0
	if !s.now.IsZero() {
		dt = min(now.Sub(s.now).Seconds(), longest)
	}
	s.now = now
	if s.Step > 0 {
		dt = s.Step
	}
	s.look.Time += dt
	for _, c := range in.commands {
		s.do(c)
	}
	if s.flying && in.steers() {
		s.flying = false
		s.camera.halt()
	}
	defer func() {
		s.Recorder.add(&s.view, dt)
		s.taking.add(&s.view, dt)
	}()
	if s.flying {
		end := s.Flight.Duration()
		s.flown += dt
		if s.Step > 0 {
			s.over, s.flown = s.flown > end, min(s.flown, end)
		}
		if s.flown > end {
			s.flown = math.Mod(s.flown, max(end, 1e-3))
		}
		s.Flight.At(s.flown).Apply(&s.view)
		return
	}
	if s.Show != nil {
		s.turnAround(in, dt)
		return
	}
	s.camera.step(&s.view, in, dt)
}

// do does what a key asks for.
func (s *screen) do(c command) {
	switch c {
	case toggleHUD:
		s.figures = !s.figures
	case toggleTitle:
		if s.titled = !s.titled; !s.titled {
			s.setTitle("vkterrain: " + worldName(s.World))
		}
	case toggleWireframe:
		if !s.dev.Features.FillModeNonSolid {
			s.log.warnf("%s draws no wireframes", s.dev.GPU.Name)
			break
		}
		s.wireframe = !s.wireframe
	case toggleLOD:
		if s.look.View == pipeline.LOD {
			s.look.View = pipeline.Shaded
		} else {
			s.look.View = pipeline.LOD
		}
	case toggleFreeze:
		if s.frozen != nil {
			s.frozen = nil
		} else {
			v := s.view
			s.frozen = &v
		}
	case finer:
		s.view.Tau = max(s.view.Tau/1.25, 0.05)
	case coarser:
		s.view.Tau = min(s.view.Tau*1.25, 100)
	case earlier, later:
		s.hour = turnHour(s.hour, c == later)
		s.look.Sun = pipeline.SunAt(*s.hour)
	case pageUp, pageDown, shiftPageUp, shiftPageDown:
		s.turnPage(c == pageUp || c == shiftPageUp, c == shiftPageUp || c == shiftPageDown)
	case toggleAuto:
		s.setAuto(s.byHand)
	case nextAlgorithm:
		s.nextAlgorithm()
	case nextModel, moreVertices, fewerVertices:
		s.turnModel(c)
	case toggleRecord:
		s.toggleRecord()
	case toggleHelp:
		s.help = !s.help
	case playFlight:
		if s.Flight == nil {
			s.log.infof("there is no flight over this world")
			break
		}
		s.flying = !s.flying
		s.camera.halt()
	case resetView:
		v := s.View
		v.Width, v.Height, v.Tau = s.view.Width, s.view.Height, s.view.Tau
		s.view, s.flying, s.flown = v, false, 0
		s.look.Sun, s.hour = s.Look.Sun, s.Hour
		s.camera.halt()
		s.orbit = newOrbit()
	case takePicture:
		s.pictures = append(s.pictures, picture{})
	case nextSplit:
		s.split = (s.split + 1) % splittings
	case nextMode:
		s.nextMode()
	case captureFrame:
		s.caps.ask(s.log)
	}
	s.trace.write(s, "key", c.String())
}

// pages returns what the keys of pages change.
func (s *screen) pages() pageKeys {
	if s.Show != nil {
		return pagesModel
	}
	if s.Options.Algorithm == vkterrain.BilLOD && s.algo == vkterrain.BilLOD {
		return pagesThresholds
	}
	return pagesLevels
}

// turnPage does what the keys of pages do.
func (s *screen) turnPage(up, shift bool) {
	switch s.pages() {
	case pagesModel:
		s.Show.page(up)
		s.remodel()
	case pagesThresholds:
		s.terrain.SetThresholds(turned(s.terrain.Thresholds(), s.terrain.World(), s.Options.Classic, shift, up))
	case pagesLevels:
		s.stepLevels(up)
	}
}

// nextAlgorithm goes on to the next one that the world can be drawn by.
func (s *screen) nextAlgorithm() {
	all := vkterrain.Algorithms()
	s.algo = all[(int(s.algo)+1)%len(all)]
	if s.algo == vkterrain.BilLOD && s.terrain.World().Endless {
		s.algo = all[0]
	}
	s.helpLines = helpOf(s.Keys, s.pages())
}

// toggleRecord begins to record the flight, or ends that.
func (s *screen) toggleRecord() {
	if s.taking != nil {
		s.endRecording()
		return
	}
	s.taking = &recorder{}
	s.log.infof("recording")
}

// endRecording writes the flight that a key recorded into the working folder, if there is
// one, in the background.
func (s *screen) endRecording() {
	r := s.taking
	if s.taking = nil; r == nil {
		return
	}
	path := freePath(time.Now(), ".json")
	s.trace.write(s, "recorded", path)
	s.encoders.Go(func() {
		if err := r.write(s.app, path, worldName(s.World)); err != nil {
			s.log.warnf("%v", err)
		}
	})
}

// nextMode goes on to the next of the ways to see a picture.
func (s *screen) nextMode() {
	shown := s.shownLook()
	at := 0
	for i, known := range viewNames {
		if known.mode.ViewMode == shown.View && known.mode.lines == shown.Lines {
			at = i
		}
	}
	next := viewNames[(at+1)%len(viewNames)].mode
	s.look.View, s.look.Lines = next.ViewMode, next.lines
	if s.wireframe = next.ViewMode == pipeline.Wireframe; s.wireframe {
		s.look.View = pipeline.Shaded
	}
}

// shownLook is the look with what keys have made of it.
func (s *screen) shownLook() pipeline.Look {
	l := s.look
	switch {
	case s.wireframe && l.View == pipeline.Shaded:
		l.View = pipeline.Wireframe
	case s.wireframe:
		l.Lines = true
	}
	return l
}
