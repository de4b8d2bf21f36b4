package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/flight"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk"
)

type flyCmd struct {
	World string  `arg:"" optional:"" help:"World file, endless, or a built-in world (coast, islet, relief); coast if absent."`
	Size  pixels  `group:"picture" default:"1280x720" placeholder:"WxH" help:"Size of the window (1280x720)."`
	Tau   float64 `group:"picture" default:"2" placeholder:"PX" help:"Largest screen error in pixels (2)."`
	lookFlags
	cameraFlags
	windowFlags
	pathFlags

	recorder *recorder
	tour     *flight.Path // over the world, for who asks for it; or nil
	keys     bindings     // in place of keyTable's, where the settings say nothing of keys; or nil
	models   *meshShow    // that are shown
	step     float64      // of a frame of a replayed flight in seconds; 0: as long as it takes
}

func (c *flyCmd) Run(a *app) error {
	if !hasDisplay() && a.noCommand {
		return withoutDisplay(a)
	}
	if err := needDisplay(); err != nil {
		return err
	}
	name, path := c.World, c.World
	var err error
	if name == "" {
		name = defaultDemo
		path, err = a.builtIn(name, a.checkGPU)
	} else {
		err = a.named(&path, a.checkGPU)
	}
	if err == nil && path != name {
		c.tour, err = tourOf(path, name)
	}
	if err != nil {
		return err
	}
	return c.show(a, path)
}

// tourOf returns the flight of a built-in world, which is at path.
func tourOf(path, name string) (*flight.Path, error) {
	p, err := builtInFlight(name)
	if err != nil {
		return nil, err
	}
	ground, err := groundOf(path)
	if err != nil {
		return nil, err
	}
	p.Resolve(ground, clearance)
	return p, nil
}

// show opens the window, with the flight that is to be replayed, and writes the one that
// is recorded.
func (c *flyCmd) show(a *app, path string) error {
	if err := distinct([]string{path, c.Camera, c.Replay}, []string{c.Record}); err != nil {
		return err
	}
	if c.Record != "" {
		if err := writable(c.Record); err != nil {
			return err
		}
		c.recorder = &recorder{}
	}
	var p *flight.Path
	if c.Replay != "" {
		var err error
		if p, err = recordedFlight(c.Replay); err != nil {
			return err
		}
		ground, err := groundOf(path)
		if err != nil {
			return err
		}
		p.Resolve(ground, clearance)
		c.step = 1.0 / benchRate
	}
	err := c.open(a, path, p)
	if c.recorder != nil {
		if written := c.recorder.write(a, c.Record, worldName(path)); err == nil {
			err = written
		}
	}
	return err
}

// open shows the world at path in a window, flying along p if there is one.
func (c *flyCmd) open(a *app, path string, p *flight.Path) error {
	w, err := worldOf(path)
	if err != nil {
		return err
	}
	v := vkterrain.DefaultView(w, c.Size.W, c.Size.H)
	v.Tau = c.Tau
	if isEndless(path) {
		v.Eye, v.Pitch = mgl64.Vec3{endlessSight[0], 900, endlessSight[1]}, -0.15
	}
	if p != nil {
		p.At(0).Apply(&v)
	}
	if err := c.apply(&v); err != nil {
		return err
	}
	look := c.look(w)
	o, err := c.options(a.globals, path, w)
	if err != nil {
		return err
	}
	wo := &windowOptions{
		app: a, World: path, View: v, Look: look, Hide: func(v *lodcpu.View, l *pipeline.Look) { c.hide(v, l, w) }, Options: o, Tune: c.tune(a), Samples: c.Samples, Workers: a.loaders(), Flight: p, Flags: c.windowFlags, Keys: a.settings.keys, Hour: c.Sun.time(),
		Recorder: c.recorder, Step: c.step,
	}
	if wo.Keys == nil {
		wo.Keys = c.keys
	}
	keep := func() {}
	if c.models != nil {
		wo.Show, wo.Options.Props = c.models, c.models.props
	}
	if p == nil && c.models == nil {
		keep = c.resume(a, path, wo)
		// Who asked for nothing and has not been here is shown around.
		wo.Flight, wo.Waits = c.tour, !a.noCommand || wo.Resume != nil || a.placed()
	}
	if a.noCommand {
		wo.Next = "next: vkterrain demo billod, soar, quadtree, progmesh or endless; vkterrain bake HEIGHTS.png -o w.vkt, vkterrain fly w.vkt; vkterrain --help"
	}
	err = openWindow(a.ctx, wo)
	keep()
	return err
}

// tune returns what sets the options that depend on the GPU. It says once which flags do
// nothing; what keys change while flying is not among them.
func (c *flyCmd) tune(a *app) func(o *vkterrain.Options, gpu vk.GPUType) {
	told := false
	return func(o *vkterrain.Options, gpu vk.GPUType) {
		c.fly(o, gpu)
		if !told && !o.Anchored {
			a.idle("margin", whyMargin)
		}
		if !told {
			c.propsFlags.idle(a, o)
		}
		told = true
	}
}

// windowOptions is what a window needs to know.
type windowOptions struct {
	*app
	World   string      // path of the world file
	View    lodcpu.View // first camera; its size is that of the window
	Look    pipeline.Look
	Hide    func(v *lodcpu.View, l *pipeline.Look) // what the look hides may be coarser
	Options vkterrain.Options                      // of the terrain, but for formats

	Tune func(o *vkterrain.Options, gpu vk.GPUType) // sets what Options leave open

	Samples uint32
	Workers int // that load; in place of the app's
	Flags   windowFlags
	Hour    *float64     // of the day that Look shows; nil: none in particular
	Keys    bindings     // nil: those of keyTable
	Flight  *flight.Path // flown until somebody steers; nil: none
	Waits   bool         // the flight does, until somebody asks for it
	Next    string       // what to try next; "" is nothing

	Show *meshShow // models to turn around, in place of a flight; or nil

	Recorder *recorder // keeps the way of the camera; nil: nobody does
	Step     float64   // seconds of the flight in a frame, which is flown once; 0: as long as frames take

	Resume      *lodcpu.View // where the camera is first; nil: View
	Placement   placement    // of the window, if it has a width; afterwards where it was last
	GPUOptional bool         // another GPU will do where there is none of that name
	Left        *lodcpu.View // afterwards the last camera; nil: nothing was drawn
}

// openWindow runs a window until it is closed or ctx is done. It is set by the
// files that know about windows; nil where the program is built without.
var openWindow func(ctx context.Context, o *windowOptions) error

// hasDisplay says whether there is a display to open a window on.
func hasDisplay() bool {
	return openWindow != nil && (os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != "")
}

func needDisplay() error {
	switch {
	case hasDisplay():
		return nil
	case openWindow == nil:
		return withCode(exitNoDisplay, errors.New("this build opens no windows; use vkterrain render WORLD -o F.png or vkterrain demo --headless"))
	}
	return withCode(exitNoDisplay, errors.New("no display (neither DISPLAY nor WAYLAND_DISPLAY is set); without one use vkterrain render WORLD -o F.png or vkterrain demo --headless"))
}

// worldOf reads what holds for all of a world file.
func worldOf(path string) (*terrain.World, error) {
	if isEndless(path) {
		src, err := endlessWorld()
		if err != nil {
			return nil, err
		}
		return src.World(), nil
	}
	r, err := openWorld(path)
	if err != nil {
		return nil, err
	}
	return r.World(), r.Close()
}

// worldName is the name of a world for people.
func worldName(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}
