package main

import (
	"errors"
	"fmt"
	"image"
	"strings"
	"time"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk"
)

// stage is a device and a world on it, drawn into pictures without a window.
type stage struct {
	app     *app
	in      *vk.Instance
	dev     *vk.Device
	terrain *vkterrain.Terrain
	broken  error // the first level that could not be read
	targets []*vk.Target
	views   []vkterrain.View // that frames have in place of the one they are given, if any
	hud     *overlay         // or nil
	count   bool             // what pipelines do
	took    time.Duration    // by the frame before, of CPU time
	tracer  *tracer          // or nil
}

// openStage opens a device that can draw pictures of that size, and no world
// yet.
func (a *app) openStage(size pixels, samples uint32) (s *stage, err error) {
	s = &stage{app: a}
	defer func() {
		if err != nil {
			s.close()
			s = nil
		}
	}()
	if s.in, err = a.newInstance(); err != nil {
		return s, err
	}
	if s.dev, err = a.newDevice(s.in, vk.Surface{}); err != nil {
		return s, err
	}
	return s, checkPicture(s.dev, size, samples)
}

// open opens the world at path on the device.
func (s *stage) open(path string, o vkterrain.Options) (err error) {
	o.ColorFormat, o.DepthFormat = vk.FormatRGBA8, vk.FormatD32
	if o.Loaders == 0 {
		o.Loaders = s.app.loaders()
	}
	o.Listener.LevelFailed = func(_ *streaming.Tile, _ terrain.Level, err error) {
		if s.broken == nil && !errors.Is(err, errMedium) {
			s.broken = fmt.Errorf("%s: %w", path, err)
		}
	}
	failed := func(_ terrain.Key, err error) {
		if s.broken == nil && !errors.Is(err, errMedium) {
			s.broken = err
		}
	}
	if s.terrain, err = s.app.openWorld(path, s.dev, o, failed); err != nil {
		return err
	}
	s.app.log.problems(path, s.terrain.Reader())
	return nil
}

// newTarget makes an offscreen picture that lives as long as the stage.
func (s *stage) newTarget(name string, size pixels, samples uint32) (*vk.Target, error) {
	if err := checkPicture(s.dev, size, samples); err != nil {
		return nil, err
	}
	t, err := s.dev.NewTarget(vk.TargetInfo{Name: name, Width: uint32(size.W), Height: uint32(size.H), Samples: samples})
	if err == nil {
		s.targets = append(s.targets, t)
	}
	return t, err
}

// close frees everything; what of it exists.
func (s *stage) close() error {
	var err error
	if s.terrain != nil {
		err = s.terrain.Close()
	} else if s.dev != nil {
		err = s.dev.WaitIdle()
	}
	s.hud.close()
	for _, t := range s.targets {
		t.Destroy()
	}
	if s.dev != nil {
		for _, l := range s.dev.Leaks() {
			s.app.log.debugf("leaked: %s", l)
		}
		s.dev.Destroy()
	}
	if s.in != nil {
		s.in.Destroy()
	}
	return err
}

// frameTimes is what a frame took.
type frameTimes struct {
	cpu time.Duration // preparing, recording and submitting
	gpu time.Duration // of the frame that had the slot before; 0 if unknown
}

// draw draws a frame of v into target; read also copies the picture for
// target.Picture.
func (s *stage) draw(target *vk.Target, v *lodcpu.View, look *pipeline.Look, read bool) (frameTimes, error) {
	f, err := s.dev.BeginFrame()
	if err != nil {
		return frameTimes{}, err
	}
	return s.record(f, target, v, look, read)
}

// record is draw in a frame that has begun.
func (s *stage) record(f *vk.Frame, target *vk.Target, v *lodcpu.View, look *pipeline.Look, read bool) (t frameTimes, err error) {
	start := time.Now()
	s.tracer.measured(f)
	t.gpu = gpuTime(f)
	s.hud.took(f, s.took)
	if s.views != nil {
		err = s.terrain.PrepareViews(f, s.views)
	} else {
		err = s.terrain.Prepare(f, v, look)
	}
	if err != nil {
		return t, err
	}
	s.tracer.did("prepare", start)
	recording := time.Now()
	f.Cmd.BeginPass("terrain")
	if s.count {
		f.Cmd.BeginStatistics()
	}
	target.Begin(f.Cmd, [4]float32{}, 0)
	s.terrain.Draw(f.Cmd)
	s.hud.draw(f, s.terrain, int(target.Color.Width), int(target.Color.Height), 1, look)
	target.End(f.Cmd)
	if s.count {
		f.Cmd.EndStatistics()
	}
	f.Cmd.EndPass()
	if read {
		target.RecordReadback(f.Cmd)
	}
	s.tracer.did("record", recording)
	submitting := time.Now()
	err = f.Submit()
	s.tracer.did("submit", submitting)
	t.cpu = time.Since(start)
	s.took = t.cpu
	return t, err
}

// driver says what draws.
func (s *stage) driver() string {
	return strings.TrimSpace(s.dev.GPU.Name + ", " + s.dev.GPU.Driver + " " + s.dev.GPU.DriverInfo)
}

// without runs a frame that draws nothing.
func (s *stage) without(do func(f *vk.Frame) error) error {
	f, err := s.dev.BeginFrame()
	if err != nil {
		return err
	}
	if err := do(f); err != nil {
		return err
	}
	return f.Submit()
}

// load loads what the frame's views need.
func (s *stage) load(f *vk.Frame, v *lodcpu.View) error {
	if s.views != nil {
		return s.terrain.LoadViews(f, s.views)
	}
	return s.terrain.Load(f, v)
}

// settle loads until everything that v needs is there.
func (s *stage) settle(v *lodcpu.View) error {
	for {
		if err := s.app.ctx.Err(); err != nil {
			return errInterrupted
		}
		if err := s.without(func(f *vk.Frame) error { return s.load(f, v) }); err != nil {
			return err
		}
		if s.terrain.Settled() {
			return nil
		}
		time.Sleep(500 * time.Microsecond) // the loaders are at work
	}
}

// picture draws v with everything it needs loaded.
func (s *stage) picture(target *vk.Target, v *lodcpu.View, look *pipeline.Look) (*image.RGBA, error) {
	if err := s.settle(v); err != nil {
		return nil, err
	}
	if _, err := s.draw(target, v, look, false); err != nil {
		return nil, err
	}
	return target.Readback()
}

// whole returns an error if something could not be read.
func (s *stage) whole() error { return inputError(s.broken) }
