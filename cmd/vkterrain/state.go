package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/vkterrain/vkterrain/internal/flight"
	"github.com/vkterrain/vkterrain/lodcpu"
)

// state is what fly remembers from one time to the next. It is a cache of the
// user's habits: whatever a flag says comes first, and a file that cannot be read
// is set aside.
type state struct {
	Window  *placement            `json:"window,omitempty"`
	GPU     string                `json:"gpu,omitempty"` // that --gpu named
	Tau     float64               `json:"tau,omitempty"`
	Cameras map[string]lastCamera `json:"cameras,omitempty"` // by the world's path
}

// placement is where a window was, in window units.
type placement struct {
	X          int  `json:"x"`
	Y          int  `json:"y"`
	Width      int  `json:"width"`
	Height     int  `json:"height"`
	Fullscreen bool `json:"fullscreen"`
}

// lastCamera is where somebody left a world.
type lastCamera struct {
	pose
	Time time.Time `json:"time"`
}

// mostCameras is how many worlds' cameras are kept, the latest ones.
const mostCameras = 64

// statePath is the user's state file; "" if it can have no place.
func statePath() string {
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil || home == "" {
			return ""
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "vkterrain", "state.json")
}

// remembers says whether there is a state.
func (a *app) remembers() bool {
	return !a.NoSettings && os.Getenv("VKTERRAIN_NO_SETTINGS") == "" && statePath() != ""
}

// readState returns the user's state; an empty one where there is none. One that is
// broken is set aside.
func (a *app) readState() *state {
	s := &state{}
	if !a.remembers() {
		return s
	}
	path := statePath()
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return s
	}
	if err == nil {
		if err = s.parse(data); err == nil {
			return s
		}
		aside := path + ".broken"
		if moved := os.Rename(path, aside); moved == nil {
			a.log.warnf("%s: %v; it is now %s", path, err, filepath.Base(aside))
			return &state{}
		}
	}
	a.log.warnf("%v: starting afresh", readable(fmt.Errorf("%s: %w", path, err)))
	return &state{}
}

// parse reads a state that this program can have written.
func (s *state) parse(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(s); err != nil {
		return fmt.Errorf("not what was left here: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if p := s.Window; p != nil && (min(p.Width, p.Height) < 1 || max(p.Width, p.Height, p.X, p.Y) > 1<<15 || min(p.X, p.Y) < -1<<15) {
		return errors.New("a window of that size and place cannot have been")
	}
	if s.Tau < 0 || s.Tau > 1000 {
		return fmt.Errorf("tau %v cannot have been", s.Tau)
	}
	for world, c := range s.Cameras {
		v := lodcpu.View{Width: 1, Height: 1, Tau: 1, FovY: 1}
		if c.apply(&v); c.Eye == nil || v.Check() != nil {
			return fmt.Errorf("the camera over %s cannot have been", world)
		}
	}
	return nil
}

// keepState writes the state. It is no reason to fail.
func (a *app) keepState(s *state) {
	if !a.remembers() {
		return
	}
	for len(s.Cameras) > mostCameras {
		oldest := ""
		for world, c := range s.Cameras {
			if oldest == "" || c.Time.Before(s.Cameras[oldest].Time) {
				oldest = world
			}
		}
		delete(s.Cameras, oldest)
	}
	path := statePath()
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err == nil {
		err = writeFile(path, func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", "  ")
			return e.Encode(s)
		})
	}
	if err != nil {
		a.log.infof("what was last is not remembered: %v", err)
	}
}

// stateKey names a world in the state.
func stateKey(path string) string {
	if isEndless(path) {
		return endlessName
	}
	return resolved(path)
}

// placed says whether flags say where the camera is.
func (a *app) placed() bool {
	return a.given["eye"] || a.given["yaw"] || a.given["pitch"] || a.given["fov"] || a.given["camera"]
}

// resume takes from the state what no flag says, and returns how to keep it.
func (c *flyCmd) resume(a *app, path string, o *windowOptions) (keep func()) {
	s := a.readState()
	world := stateKey(path)
	if s.GPU != "" && !a.given["gpu"] {
		a.GPU, o.GPUOptional = s.GPU, true
	}
	if s.Tau > 0 && !a.given["tau"] {
		o.View.Tau = s.Tau
	}
	if s.Window != nil && !a.given["size"] {
		o.Placement = *s.Window
		o.View.Width, o.View.Height = s.Window.Width, s.Window.Height
	}
	if last, ok := s.Cameras[world]; ok && !a.placed() && o.Flight == nil {
		v := o.View
		last.apply(&v)
		o.Resume = &v
	}
	return func() {
		if o.Left == nil {
			return // it never drew
		}
		if s.Cameras == nil {
			s.Cameras = map[string]lastCamera{}
		}
		p := flight.PoseOf(o.Left)
		s.Cameras[world] = lastCamera{pose{&p.Eye, &p.Yaw, &p.Pitch, &p.Fov}, time.Now().UTC()}
		s.Window, s.Tau = &o.Placement, o.Left.Tau
		if a.given["gpu"] {
			s.GPU = a.GPU
		}
		a.keepState(s)
	}
}
