//go:build !nowindow

package main

import (
	"strings"

	"github.com/vkterrain/vkterrain/hud"
)

// turnModel does what the keys of a model do.
func (s *screen) turnModel(c command) {
	switch {
	case s.Show == nil:
		s.log.infof("that is for models: vkterrain demo progmesh shows some")
		return
	case c == nextModel:
		s.Show.next()
	default:
		s.Show.step(c == moreVertices)
	}
	s.remodel()
}

// remodel has the model that is to be shown drawn from the next frame on.
func (s *screen) remodel() { s.modelStale, s.modelLine = true, strings.ToUpper(s.Show.line()) }

// showModel exchanges the model, between two frames.
func (s *screen) showModel() error {
	if !s.modelStale {
		return nil
	}
	s.modelStale = false
	return s.terrain.SetModels(s.Show.model())
}

// turnAround moves the camera around the model by the keys and the mouse that move it over a
// world; the wheel, forward and back come nearer and go away.
func (s *screen) turnAround(in *input, dt float64) {
	axis := func(plus, minus held) (a float64) {
		if in.held&plus != 0 {
			a++
		}
		if in.held&minus != 0 {
			a--
		}
		return a
	}
	rate := turnRate * dt
	yaw := mouseRate*2*in.lookX + rate*(axis(turnRight|goRight, turnLeft|goLeft)+in.turn[0]+in.move[0])
	pitch := -mouseRate*2*in.lookY + rate*(axis(turnUp|goDown, turnDown|goUp)+in.turn[1])
	s.orbit.turn(yaw, pitch, 0.15*in.wheel+dt*(axis(goForward, goBack)+in.move[2]))
	s.orbit.look(&s.view, s.Show.middle())
	s.camera.land(&s.view)
}

// modelLineLength is about how many letters it has at most.
const modelLineLength = 90

// drawModelLine says below the picture what is shown.
func (s *screen) drawModelLine(l *hud.Layer, width, height int) {
	scale := max(1, min(width/(modelLineLength*hud.GlyphAdvance), height/200))
	w, h := (len(s.modelLine)*hud.GlyphAdvance+2*boxEdge)*scale, (hud.GlyphHeight+2*boxEdge)*scale
	x, y := max(0, (width-w)/2), height-h-4*scale
	l.Rect(x, y, w, h, helpBack)
	l.Text(x+boxEdge*scale, y+boxEdge*scale, scale, helpText, s.modelLine)
}
