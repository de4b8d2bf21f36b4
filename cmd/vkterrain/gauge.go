package main

import (
	"time"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// gauge measures now and then, in the background, how exact what is shown is. One that is
// nil measures nothing.
type gauge struct {
	jobs chan *vkterrain.Snapshot
	done chan float64 // pixels, below 0 if it could not be measured
	busy bool
	next time.Time
}

// gaugeEvery is how long it rests between two measurements.
const gaugeEvery = 2 * time.Second

// mostGauged is how many samples a world may have of which all heights are kept for that.
const mostGauged = 5000 * 5000

// newGauge returns a gauge of the world at path, nil where there is nothing to measure by.
func newGauge(path string, w *terrain.World) *gauge {
	if w.Endless || w.Width*w.Height > mostGauged {
		return nil
	}
	g := &gauge{jobs: make(chan *vkterrain.Snapshot, 1), done: make(chan float64, 1)}
	go g.loop(path)
	return g
}

// loop measures until there is nothing more to come. It opens the world itself, when it is
// asked first.
func (g *gauge) loop(path string) {
	var field *terrain.Field
	for s := range g.jobs {
		if field == nil {
			field = readWorld(path)
		}
		px := -1.0
		if field != nil {
			px = s.Check(field).MeasuredErrorPx
		}
		s.Release()
		g.done <- px
	}
	close(g.done)
}

// readWorld returns the heights of a world file, nil if they cannot be read.
func readWorld(path string) *terrain.Field {
	r, err := chunkfile.OpenFile(path)
	if err != nil {
		return nil
	}
	defer r.Close()
	field, err := vkterrain.ReadField(r)
	if err != nil {
		return nil
	}
	return field
}

// measure begins to measure the last frame if it is time to, and returns what was found
// last; ok is false if nothing was since the last call.
func (g *gauge) measure(t *vkterrain.Terrain, now time.Time) (px float64, ok bool) {
	if g == nil {
		return 0, false
	}
	select {
	case px = <-g.done:
		g.busy, ok = false, true
		g.next = now.Add(gaugeEvery)
	default:
	}
	if !g.busy && now.After(g.next) {
		if s := t.Snapshot(0); s != nil {
			g.busy = true
			g.jobs <- s
		}
	}
	return px, ok
}

// close waits for what is being measured.
func (g *gauge) close() {
	if g != nil {
		close(g.jobs)
		for range g.done {
		}
	}
}
