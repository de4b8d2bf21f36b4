package main

import (
	"fmt"
	"math"
	"time"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/hud"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk"
)

// overlay is the figures over a picture, and what its colours mean. One that is nil draws
// nothing.
type overlay struct {
	layer   *hud.Layer
	panel   hud.Panel
	figures hud.Figures
	last    time.Time
	levels  hud.Legend
	of      int // levels that levels is of
	hidden  bool
	gauge   *gauge   // or nil
	hour    *float64 // of the day, for a slider; or nil

	// over, if not nil, draws more, whether figures are hidden or not; top is where they end.
	over func(l *hud.Layer, scale, width, height, top int)
}

func newOverlay(dev *vk.Device, format vk.Format, samples uint32) (*overlay, error) {
	layer, err := hud.New(dev, hud.Options{ColorFormat: format, DepthFormat: vk.FormatD32, Samples: samples})
	if err != nil {
		return nil, err
	}
	o := &overlay{layer: layer}
	o.figures.CPU, o.figures.GPU, o.figures.Upload, o.figures.Measured = -1, -1, -1, -1
	return o, nil
}

// close frees it; the GPU must be done.
func (o *overlay) close() {
	if o != nil {
		o.gauge.close()
		o.layer.Destroy()
	}
}

// took is told what the frame before took, as far as it is known.
func (o *overlay) took(f *vk.Frame, cpu time.Duration) {
	if o == nil {
		return
	}
	o.figures.CPU, o.figures.GPU, o.figures.Upload = cpu, -1, max(f.Upload.Time, 0)
	if len(f.Times) > 0 {
		o.figures.GPU = gpuTime(f)
	}
	now := time.Now()
	if !o.last.IsZero() {
		o.figures.Frame = now.Sub(o.last)
	}
	o.last = now
}

// gpuTime returns what the GPU took for the frame that had the slot before.
func gpuTime(f *vk.Frame) (sum time.Duration) {
	for _, p := range f.Times {
		if p.Level == 0 {
			sum += p.Time
		}
	}
	return sum
}

// draw draws it at the end of the pass of a frame, over a picture of that size.
func (o *overlay) draw(f *vk.Frame, t *vkterrain.Terrain, width, height int, contentScale float64, look *pipeline.Look) {
	if o == nil || o.hidden && o.over == nil {
		return
	}
	scale, top := hud.Scale(width, height, contentScale), 0
	if !o.hidden {
		top = o.drawFigures(t, width, height, scale, look)
	}
	if o.over != nil {
		o.over(o.layer, scale, width, height, top)
	}
	o.layer.Draw(f, width, height)
}

// drawFigures draws figures and the legend, and returns where the figures end.
func (o *overlay) drawFigures(t *vkterrain.Terrain, width, height, scale int, look *pipeline.Look) (bottom int) {
	if px, ok := o.gauge.measure(t, time.Now()); ok {
		o.figures.Measured = px
	}
	t.Figures(&o.figures)
	o.panel.Add(&o.figures)
	bottom = o.panel.Draw(o.layer, 4*scale, 4*scale, scale)
	if legend := o.legend(look.View, t.World()); legend != nil {
		legend.Draw(o.layer, 4*scale, height-4*scale, scale)
	}
	if o.hour != nil {
		day := hud.Slider{Title: clock(*o.hour), At: *o.hour / 24, Marks: []string{"0", "6", "12", "18", "24"}}
		day.Draw(o.layer, width-4*scale, height-4*scale, scale)
	}
	return bottom
}

// clock is an hour of the day for people.
func clock(hour float64) string {
	minutes := int(math.Round(hour*60)) % (24 * 60)
	return fmt.Sprintf("TIME OF DAY %d:%02d", minutes/60, minutes%60)
}

// legend returns what the colours of a view mean, nil if that is plain.
func (o *overlay) legend(m pipeline.ViewMode, w *terrain.World) *hud.Legend {
	switch m {
	case pipeline.Error:
		return &hud.ErrorLegend
	case pipeline.Pixels:
		return &hud.PixelsLegend
	case pipeline.Morph:
		return &hud.MorphLegend
	case pipeline.Overdraw:
		return &hud.OverdrawLegend
	case pipeline.LOD, pipeline.Wireframe, pipeline.Boxes:
		if n := w.Layout().Levels; n != o.of {
			o.levels, o.of = hud.LevelsLegend(n), n
		}
		return &o.levels
	}
	return nil
}
