//go:build !nowindow

package main

import (
	"encoding/json"
	"os"
	"time"

	"github.com/vkterrain/vkterrain/pipeline"
)

// trace writes what happens in a window, one JSON object a line, for scripts
// that test it. A nil trace writes nothing.
type trace struct {
	file *os.File
	next time.Time
	err  error // the first one
}

// traceInterval is the time between two lines without an event.
const traceInterval = 250 * time.Millisecond

// traceLine is one line of a trace.
type traceLine struct {
	Event     string     `json:"event"` // start, tick, key, size, shown, hidden, settled, picture, recorded, end
	Detail    string     `json:"detail,omitempty"`
	Seconds   float64    `json:"seconds"` // since the window is there
	Frame     int        `json:"frame"`
	Eye       [3]float64 `json:"eye"`
	Yaw       float64    `json:"yaw"`   // degrees
	Pitch     float64    `json:"pitch"` // degrees
	Size      [2]int     `json:"size"`  // pixels
	Tau       float64    `json:"tau"`
	Wireframe bool       `json:"wireframe"`
	View      string     `json:"view"`
	Frozen    bool       `json:"frozen"`
	Split     string     `json:"split"`
	HUD       bool       `json:"hud"`
	Hour      *float64   `json:"hour,omitempty"` // of the day
	Flying    bool       `json:"flying"`
	Settled   bool       `json:"settled"`
	Triangles int        `json:"triangles"`
	Tiles     int        `json:"tiles"`
	Props     int        `json:"props"`  // instances
	Near      float64    `json:"near_m"` // thresholds of BilLOD
	Far       float64    `json:"far_m"`
	Algorithm string     `json:"algorithm"`
	Auto      bool       `json:"auto"`     // levels by themselves
	Finest    int        `json:"finest"`   // loaded of any tile
	Coarsest  int        `json:"coarsest"` // finest loaded of the tile that has least
	Speed     float64    `json:"speed"`    // of the camera, metres a second, with what keys make of it
	Help      bool       `json:"help"`
	Model     string     `json:"model,omitempty"` // what is shown
	Vertices  int        `json:"vertices"`        // of it that are asked for
	Recording bool       `json:"recording"`
}

// newTrace opens the file at path; none if path is empty.
func newTrace(path string) (*trace, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, outputError(naming(path, err))
	}
	return &trace{file: f}, nil
}

// write writes a line.
func (t *trace) write(s *screen, event, detail string) {
	if t == nil || t.err != nil {
		return
	}
	t.next = time.Now().Add(traceInterval)
	look := s.shownLook()
	l := traceLine{
		Event: event, Detail: detail, Frame: s.frames, Eye: s.view.Eye, Size: [2]int{s.view.Width, s.view.Height},
		Algorithm: s.algo.String(), Auto: !s.byHand, Help: s.help, Recording: s.taking != nil,
		Tau: s.view.Tau, Wireframe: s.wireframe, Frozen: s.frozen != nil, Split: s.split.String(), HUD: s.figures, Hour: s.hour, Flying: s.flying, Settled: s.settled,
	}
	if !s.start.IsZero() {
		l.Seconds = roundTo(time.Since(s.start).Seconds(), 3)
	}
	if s.Show != nil {
		l.Model, l.Vertices = s.Show.shown().name, s.Show.count
	}
	const deg = 57.29577951308232
	l.Yaw, l.Pitch = s.view.Yaw*deg, s.view.Pitch*deg
	for _, known := range viewNames {
		if known.mode == (viewMode{look.View, look.Lines && look.View == pipeline.Shaded}) {
			l.View = known.name
		}
	}
	if s.terrain != nil {
		st := s.terrain.Stats()
		l.Triangles, l.Tiles, l.Props = st.Triangles, st.Tiles, st.Props.Instances
		l.Speed = s.camera.speed(s.view.Eye, s.input.held)
		l.Finest, l.Coarsest = s.shownLevels()
		l.Near, l.Far = s.terrain.Thresholds().Near, s.terrain.Thresholds().Far
	}
	b, err := json.Marshal(l)
	if err != nil {
		panic("main: " + err.Error())
	}
	_, t.err = t.file.Write(append(b, '\n'))
}

// tick writes a line if there has been none for a while.
func (t *trace) tick(s *screen) {
	if t != nil && time.Now().After(t.next) {
		t.write(s, "tick", "")
	}
}

func (t *trace) close() error {
	if t == nil {
		return nil
	}
	if err := t.file.Close(); t.err == nil {
		t.err = err
	}
	return outputError(t.err)
}
