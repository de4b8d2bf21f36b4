package pipeline

import (
	"fmt"
	"sync/atomic"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/vk"
)

// kind is one of the draws of a frame.
type kind int8

const (
	ground kind = iota
	groundLines
	sky
	water
	solid // props
	solidLines
	boxes
	kinds
)

// kindNames are the names of their pipelines.
var kindNames = [kinds]string{"terrain", "terrain lines", "sky", "sea", "props", "props lines", "tile boxes"}

// variant is what shaders branch on and is the same for all of a draw. Each pipeline is
// made for one, as constants of its shaders: a GPU need not ask again for each vertex and
// pixel, and lavapipe, which makes a shader anew for the uniforms that it branches on,
// has none to look at.
type variant struct {
	view, sea, haze, clear, moves, shadows int8 // below 0: the frame's constants say
	buffers                                int8
	eyes                                   int8 // 1: both at once
	depth                                  int8 // 1: nothing but depth
	quality                                Quality
}

// general draws every frame, by asking.
func general(q Quality) variant {
	return variant{-1, -1, -1, -1, -1, -int8(1 - q), maxBuffers, 0, 0, q}
}

func flag(b bool) int8 {
	if b {
		return 1
	}
	return 0
}

// variantOf returns what fits a frame best, where vertices lie in so many buffers.
func variantOf(c *frameConstants, q Quality, buffers int) variant {
	v := variant{
		view: int8(c.View), sea: flag(c.Sea > 0), haze: flag(c.Haze > 0), clear: flag(c.ClearColor[3] > 0), moves: flag(c.Moves > 0),
		shadows: flag(c.ShadeRange[1] > 0) + 2*int8(c.Paint),
		buffers: 1, quality: q,
	}
	if c.Blue > 0 {
		v.haze = 2
	}
	for int(v.buffers) < buffers {
		v.buffers *= 2
	}
	return v
}

// of returns v without what the shaders of k do not ask for, so that as few pipelines
// are made as differ.
func (v variant) of(k kind) variant {
	if k == boxes {
		return variant{buffers: 1, eyes: v.eyes}
	}
	if v.depth == 1 {
		d := variant{view: int8(Unlit), moves: v.moves, buffers: v.buffers, eyes: v.eyes, depth: 1}
		if k == solid {
			d.moves, d.buffers = 0, 1
		}
		return d
	}
	shaded := v.view == int8(Shaded) || v.view < 0
	switch k {
	case ground:
		v.clear = 0
		if !shaded {
			v.sea, v.haze = 0, 0
		}
	case groundLines, solidLines:
		if v.view >= 0 && v.view != int8(Wireframe) {
			v.view = int8(Shaded)
		}
		v.sea, v.haze, v.clear = 0, 0, 0
	case sky:
		if v.clear == 1 {
			v.sea, v.haze = 0, 0
		}
		v.view = 0
	case water:
		v.view, v.sea, v.clear = 0, 1, 0
	case solid:
		v.sea, v.clear, v.shadows = 0, 0, min(v.shadows, 1)
		if !shaded {
			v.haze = 0
		}
	}
	if k != ground && k != groundLines {
		v.moves, v.buffers = 0, 1
	}
	if k == water || k == sky || k == groundLines || k == solidLines || !shaded {
		v.shadows = 0
	}
	if !shaded || k == sky || k == groundLines || k == solidLines {
		v.quality = 0
	}
	return v
}

// choice names a pipeline.
type choice struct {
	kind    kind
	variant variant
}

// compiled is a pipeline that the background made.
type compiled struct {
	choice
	pipeline *vk.Compiled
	err      error
}

// variants are the pipelines of a renderer. Frames never wait for one: what is not there
// yet is compiled by a goroutine, and meanwhile the general one draws the same. But the
// first frames have nothing to keep running, and compile what they need.
type variants struct {
	r       *Renderer
	made    map[choice]*vk.Pipeline
	asked   map[choice]bool
	jobs    chan compiled
	done    chan compiled
	stop    *atomic.Bool // nobody wants what is still to be compiled
	frames  int
	pending int
}

const (
	firstFrames  = 16 // that compile in place
	compileAhead = 64 // pipelines that are with the goroutine at most
)

func newVariants(r *Renderer) variants {
	return variants{r: r, made: map[choice]*vk.Pipeline{}, asked: map[choice]bool{}}
}

// close waits for the pipeline that is being compiled, and frees all. The caller proves that the
// GPU is done.
func (v *variants) close() {
	if v.jobs != nil {
		v.stop.Store(true)
		close(v.jobs)
		for c := range v.done {
			if c.err == nil {
				v.keep(c)
			}
		}
		v.jobs = nil
	}
	for _, p := range v.made {
		p.Destroy()
	}
	clear(v.made)
}

// keep makes a pipeline one that frames draw with.
func (v *variants) keep(c compiled) {
	p := v.r.dev.Take(c.pipeline)
	if v.made[c.choice] != nil {
		p.Destroy() // a frame could not wait
		return
	}
	v.made[c.choice] = p
}

// take takes what has been compiled. Call it once a frame.
func (v *variants) take(q Quality) error {
	v.frames++
	for v.pending > 0 {
		select {
		case c := <-v.done:
			v.pending--
			if c.err != nil {
				return c.err
			}
			v.keep(c)
		default:
			return nil
		}
	}
	if v.frames == firstFrames {
		for k := range solid {
			v.ask(choice{k, general(q).of(k)})
		}
	}
	return nil
}

// ask has a pipeline compiled in the background, unless that is under way.
func (v *variants) ask(c choice) {
	if v.asked[c] || v.made[c] != nil || v.pending == compileAhead || !v.r.can(c.kind) {
		return
	}
	if v.jobs == nil {
		v.jobs, v.done = make(chan compiled, compileAhead), make(chan compiled, compileAhead)
		v.stop = new(atomic.Bool)
		go compile(v.r.dev, v.r.info, v.jobs, v.done, v.stop)
	}
	v.asked[c] = true
	v.pending++
	v.jobs <- compiled{choice: c}
}

func compile(dev *vk.Device, info func(choice) vk.GraphicsInfo, jobs <-chan compiled, done chan<- compiled, stop *atomic.Bool) {
	for c := range jobs {
		if stop.Load() {
			continue
		}
		c.pipeline, c.err = dev.Compile(info(c.choice))
		done <- c
	}
	close(done)
}

// choose returns the pipeline for a draw of a frame of variant w, or the general one.
func (v *variants) choose(k kind, w variant) (*vk.Pipeline, error) {
	c := choice{k, w.of(k)}
	if p := v.made[c]; p != nil {
		return p, nil
	}
	if v.frames > firstFrames && c.variant.view != int8(Overdraw) { // whose state is its own
		g := general(w.quality)
		g.eyes, g.depth = w.eyes, w.depth
		all := choice{k, g.of(k)}
		if p := v.made[all]; p != nil {
			v.ask(c)
			return p, nil
		}
		v.ask(all) // too early for it
	}
	p, err := v.r.dev.NewGraphicsPipeline(v.r.info(c))
	if err != nil {
		return nil, fmt.Errorf("pipeline: %w", err)
	}
	v.made[c] = p
	return p, nil
}

// can says whether the device draws that kind.
func (r *Renderer) can(k kind) bool {
	return k != groundLines && k != solidLines || r.dev.Features.FillModeNonSolid
}

// info describes a pipeline. It may be called from any goroutine.
func (r *Renderer) info(c choice) vk.GraphicsInfo {
	o := &r.options
	i := vk.GraphicsInfo{
		Name: kindNames[c.kind], Layout: r.pipes, Topology: vk.TriangleList, DepthTest: true, DepthCompare: vk.GreaterOrEqual,
		ColorFormat: o.ColorFormat, DepthFormat: o.DepthFormat, Samples: o.Samples, Cache: o.Cache,
		Constants: r.constants(c),
	}
	vert, frag := "terrain.vert", "terrain.frag"
	switch c.kind {
	case ground, groundLines:
		i.Cull, i.DepthWrite = vk.CullBack, c.kind == ground
		if o.Topology != lodcpu.List {
			i.Topology = vk.TriangleStrip
		}
	case sky:
		vert, frag = "sky.vert", "sky.frag"
	case water:
		vert, frag = "water.vert", "water.frag"
		i.Topology, i.Blend = vk.TriangleStrip, true
	case boxes:
		vert, frag = "boxes.vert", "boxes.frag"
		i.Topology = vk.LineList
	case solid, solidLines:
		// Back sides are drawn too: meshes of others have borders.
		vert, frag = "props.vert", "props.frag"
		i.Layout, i.DepthWrite = r.standing.pipes, true
	}
	if c.variant.view == int8(Overdraw) && (c.kind == ground || c.kind == solid) {
		i.Blend, i.DepthTest, i.DepthWrite = true, false, false
	}
	if c.kind == groundLines || c.kind == solidLines {
		i.Lines, i.Blend, i.DepthBias, i.SlopeBias = true, true, 2, 1 // towards the eye: depth is reversed
	}
	if c.variant.eyes > 0 {
		vert, frag, i.ViewMask = "eyes."+vert, "eyes."+frag, 3
	}
	i.VertexSPV = r.shader(vert)
	if c.variant.depth == 1 {
		i.ColorFormat = vk.FormatNone
	} else {
		i.FragmentSPV = r.shader(frag)
	}
	return i
}

// constants are those of shaders/frame.glsl, by their number.
func (r *Renderer) constants(c choice) []uint32 {
	number := func(n int8) uint32 { return uint32(int32(n)) }
	v := &c.variant
	return []uint32{
		number(flag(c.kind == groundLines || c.kind == solidLines)), number(flag(r.options.Moving)),
		uint32(r.layout.Cells), uint32(r.layout.Levels), number(v.buffers),
		number(v.view), number(v.sea), number(v.haze), number(v.clear), number(v.moves),
		uint32(1 - v.quality), number(flag(r.anisotropic())), number(v.shadows),
	}
}
