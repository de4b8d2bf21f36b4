package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strings"

	"github.com/vkterrain/vkterrain/internal/flight"
	"github.com/vkterrain/vkterrain/lodcpu"
)

// pathFlags keep flights and fly them again.
type pathFlags struct {
	Record string `group:"flight" placeholder:"F.json" help:"Write the way of the camera when the window is closed; bench --flight and --replay fly it."`
	Replay string `group:"flight" placeholder:"NAME|F.json" help:"Fly a recorded or built-in flight once, a sixtieth of a second a frame however long frames take, and close."`
}

// recordStep is the least time between two keys of a recorded flight, in seconds. The
// camera eases in and out of motions in 0.15 s, which a spline through these follows.
const recordStep = 0.1

// recorder keeps the way of a camera. A nil one keeps nothing.
type recorder struct {
	keys []flight.Key
	now  float64 // seconds
	last flight.Key
}

// add adds where the camera is, dt seconds after the last time.
func (r *recorder) add(v *lodcpu.View, dt float64) {
	if r == nil {
		return
	}
	if r.keys != nil {
		r.now += dt
	}
	p := flight.PoseOf(v)
	r.last = flight.Key{T: r.now, Eye: p.Eye, Yaw: p.Yaw, Pitch: min(max(p.Pitch, -90), 90), Fov: p.Fov}
	if n := len(r.keys); n == 0 || r.now >= r.keys[n-1].T+recordStep {
		r.keys = append(r.keys, r.last)
	}
}

// path returns the flight; nil if there was none.
func (r *recorder) path(name string) *flight.Path {
	if len(r.keys) == 0 {
		return nil
	}
	keys := r.keys
	if r.last.T > keys[len(keys)-1].T {
		keys = append(keys, r.last)
	}
	// The turn of a heading goes on where it passes ±180 degrees.
	for i := 1; i < len(keys); i++ {
		keys[i].Yaw = keys[i-1].Yaw + math.Remainder(keys[i].Yaw-keys[i-1].Yaw, 360)
	}
	return &flight.Path{Name: name, Keys: keys}
}

// write writes the flight.
func (r *recorder) write(a *app, path, name string) error {
	p := r.path(name)
	if p == nil {
		return nil
	}
	err := writeFile(path, func(w io.Writer) error { return outputError(p.Write(w)) })
	if err == nil {
		a.log.infof("wrote %s: %.1f s of flight", path, p.Duration())
	}
	return err
}

// flightNames are the flights that come with the program.
func flightNames() string {
	entries, err := fs.ReadDir(flights, "flights")
	if err != nil {
		panic("main: " + err.Error()) // it is embedded
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".json"))
	}
	return strings.Join(names, ", ")
}

// recordedFlight returns a flight from a file, or one that comes with the program.
func recordedFlight(name string) (*flight.Path, error) {
	f, err := openRegular(name)
	if err != nil {
		if p, err := builtInFlight(name); err == nil && !strings.ContainsRune(name, '/') {
			return p, nil
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, usageError(fmt.Errorf("%s: neither a file nor one of the flights that come with the program (%s)", name, flightNames()))
		}
		return nil, err
	}
	defer f.Close()
	p, err := flight.Read(f)
	if err != nil {
		return nil, unusable(name, err)
	}
	return p, nil
}
