package main

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/vk"
)

// traceFlags keep what happened in a flight.
type traceFlags struct {
	Trace        string `name:"trace" group:"flight" placeholder:"F.json" help:"Write what frames, the GPU and levels did in the last run, for Perfetto."`
	TracePicture string `name:"trace-picture" group:"flight" placeholder:"F.png" help:"Draw two seconds of that: see vkterrain trace."`
}

func (c *traceFlags) on() bool { return c.Trace != "" || c.TracePicture != "" }

// check wants places that can be written.
func (c *traceFlags) check() error {
	for _, path := range []string{c.Trace, c.TracePicture} {
		if path == "" {
			continue
		}
		if err := writable(path); err != nil {
			return err
		}
	}
	return nil
}

// write writes what is asked for.
func (c *traceFlags) write(t *tracer) error {
	if t == nil {
		return nil
	}
	var b bytes.Buffer
	if _, err := t.trace.WriteTo(&b); err != nil {
		return outputError(err)
	}
	if c.Trace != "" {
		err := writeFile(c.Trace, func(w io.Writer) error {
			_, err := w.Write(b.Bytes())
			return outputError(err)
		})
		if err != nil {
			return err
		}
	}
	if c.TracePicture == "" {
		return nil
	}
	m, err := readTrace(&b)
	if err != nil {
		return fmt.Errorf("the trace of this flight: %w", err)
	}
	return m.picture(c.TracePicture, traceWindow{From: -1, Milliseconds: 2000})
}

// tracedEvents is how many events of a flight are kept: some minutes of frames.
const tracedEvents = 1 << 18

// tracer records frames, on the CPU and on the GPU, beside what streaming does. A nil
// tracer records nothing.
type tracer struct {
	trace *streaming.Trace
	gpu   time.Duration // of the GPU's clock
	at    time.Time     // when it was that
	timed bool          // the GPU measures times
}

func newTracer(dev *vk.Device) *tracer {
	t := &tracer{trace: streaming.NewTrace(tracedEvents)}
	t.setClock(dev)
	return t
}

// setClock begins to measure by the clock of a device.
func (t *tracer) setClock(dev *vk.Device) {
	if t == nil {
		return
	}
	gpu, at, err := dev.Clock()
	t.gpu, t.at, t.timed = gpu, at, err == nil
}

// streaming returns where levels are recorded, nil if they are not.
func (t *tracer) streaming() *streaming.Trace {
	if t == nil {
		return nil
	}
	return t.trace
}

// did records that the goroutine that draws did something from a moment on until now.
func (t *tracer) did(name string, from time.Time) {
	if t != nil {
		t.trace.Span("frame CPU", name, from, time.Since(from))
	}
}

// measured records what the GPU did for the frame that had the slot of f before.
func (t *tracer) measured(f *vk.Frame) {
	if t == nil || !t.timed {
		return
	}
	for _, p := range f.Times {
		t.trace.Span("frame GPU", p.Name, t.at.Add(p.Began-t.gpu), p.Time)
	}
	if p := f.Upload; p.Name != "" {
		t.trace.Span("upload GPU", p.Name, t.at.Add(p.Began-t.gpu), p.Time)
	}
}
