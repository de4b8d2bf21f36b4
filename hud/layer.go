package hud

import (
	"cmp"
	"fmt"
	"math"
	"unsafe"

	"github.com/vkterrain/vkterrain/shaders"
	"github.com/vkterrain/vkterrain/vk"
)

// Options of a layer. Formats must be those of the pass that it is drawn in.
type Options struct {
	ColorFormat, DepthFormat vk.Format
	Samples                  uint32 // 0 means 1
	Items                    int    // most rectangles and letters of a frame; 0 means 4096
	ShaderDebug              bool   // shaders with their source, for a debugger
}

// Color is red, green, blue and opacity, in display values.
type Color [4]uint8

// item mirrors Item of shaders/hud.vert.
type item struct {
	at, size, color, high, low, _ uint32
}

const (
	solid  = 1<<9 - 1 // of the high bits: all cells are set, and it is no letter
	middle = 1 << 15  // of coordinates
)

// Layer draws rectangles and letters over a picture. What has been added is drawn by the next
// Draw, and then forgotten.
type Layer struct {
	dev    *vk.Device
	layout *vk.SetLayout
	sets   *vk.Sets
	pipes  *vk.PipelineLayout
	pipe   *vk.Pipeline
	buffer vk.Buffer // a part for each frame slot
	part   uint64
	items  []item
	most   int
}

// New makes a layer. The device must outlive it.
func New(dev *vk.Device, o Options) (l *Layer, err error) {
	l = &Layer{dev: dev, most: cmp.Or(o.Items, 4096)}
	defer func() {
		if err != nil {
			l.Destroy()
			l, err = nil, fmt.Errorf("hud: %w", err)
		}
	}()
	l.items = make([]item, 0, l.most)
	const align = 256 // satisfies every device
	l.part = (uint64(l.most)*uint64(unsafe.Sizeof(item{})) + align - 1) &^ (align - 1)
	l.buffer, err = dev.NewBuffer(vk.BufferInfo{Name: "hud", Size: l.part * uint64(dev.FramesInFlight), Kind: vk.Upload, Usage: vk.UsageStorage})
	if err != nil {
		return l, err
	}
	if l.layout, err = dev.NewSetLayout("hud", vk.Binding{Binding: 0, Type: vk.StorageBuffer, Stages: vk.ShaderVertex}); err != nil {
		return l, err
	}
	if l.sets, err = dev.NewSets("hud", l.layout, dev.FramesInFlight); err != nil {
		return l, err
	}
	for i, s := range l.sets.Set {
		dev.WriteBufferRanges(s, 0, 0, l.buffer.Range(uint64(i)*l.part, l.part))
	}
	if l.pipes, err = dev.NewPipelineLayout("hud", []vk.PushRange{{Stages: vk.ShaderVertex, Size: 8}}, l.layout); err != nil {
		return l, err
	}
	debug := o.ShaderDebug && dev.Features.NonSemanticInfo
	l.pipe, err = dev.NewGraphicsPipeline(vk.GraphicsInfo{
		Name: "hud", Layout: l.pipes, Topology: vk.TriangleStrip, Blend: true,
		VertexSPV: shaders.Load("hud.vert", debug), FragmentSPV: shaders.Load("hud.frag", debug),
		ColorFormat: o.ColorFormat, DepthFormat: o.DepthFormat, Samples: o.Samples,
	})
	return l, err
}

// Destroy frees the layer. The caller proves that the GPU is done.
func (l *Layer) Destroy() {
	if l.pipe != nil {
		l.pipe.Destroy()
	}
	if l.pipes != nil {
		l.pipes.Destroy()
	}
	if l.sets != nil {
		l.sets.Destroy()
	}
	if l.layout != nil {
		l.layout.Destroy()
	}
	l.buffer.Destroy()
	*l = Layer{}
}

func pair(x, y int) uint32 { return uint32(uint16(x)) | uint32(uint16(y))<<16 }

func place(v int) int { return min(max(v, -middle), middle-1) + middle }

func (l *Layer) add(x, y, w, h int, c Color, high, low uint32) {
	if len(l.items) == l.most || w <= 0 || h <= 0 {
		return // more is not shown
	}
	l.items = append(l.items, item{
		at: pair(place(x), place(y)), size: pair(min(w, math.MaxUint16), min(h, math.MaxUint16)),
		color: uint32(c[0]) | uint32(c[1])<<8 | uint32(c[2])<<16 | uint32(c[3])<<24, high: high, low: low,
	})
}

// Rect adds a rectangle, in pixels from the upper left corner of the picture.
func (l *Layer) Rect(x, y, w, h int, c Color) { l.add(x, y, w, h, c, solid, math.MaxUint32) }

// Text adds a line of letters in capitals, whose upper left corner is at (x, y), each cell of
// the font scale pixels large, and returns where it ends. What the font has not is a question
// mark.
func (l *Layer) Text(x, y, scale int, c Color, s string) int {
	for _, r := range s {
		x = l.letter(x, y, scale, c, r)
	}
	return x
}

// Bytes is Text of letters that are being put together.
func (l *Layer) Bytes(x, y, scale int, c Color, s []byte) int {
	for _, b := range s {
		x = l.letter(x, y, scale, c, rune(b))
	}
	return x
}

func (l *Layer) letter(x, y, scale int, c Color, r rune) int {
	v := bits['?']
	switch {
	case 0 <= r && int(r) < len(bits):
		v = bits[r]
	case r == '×':
		v = cross
	case r == '–' || r == '—':
		v = dash
	}
	if v != 0 {
		l.add(x, y, GlyphWidth*scale, GlyphHeight*scale, c, uint32(v>>32), uint32(v))
	}
	return x + GlyphAdvance*scale
}

// Draw records one draw of what has been added since the last one, for a picture of that size
// in pixels, inside a pass. It changes viewport and scissor.
func (l *Layer) Draw(f *vk.Frame, width, height int) {
	n := len(l.items)
	if n == 0 {
		return
	}
	at := uint64(f.Slot) * l.part
	copy(unsafe.Slice((*item)(unsafe.Pointer(&l.buffer.Bytes()[at])), n), l.items)
	l.items = l.items[:0]
	pixel := [2]float32{2 / float32(width), 2 / float32(height)}
	c := f.Cmd
	c.BeginPass("hud")
	c.SetViewport(vk.Viewport{Width: float32(width), Height: float32(height), MaxDepth: 1})
	c.SetScissor(vk.Scissor{Width: uint32(width), Height: uint32(height)})
	c.BindPipeline(l.pipe)
	c.BindSets(l.pipe, 0, l.sets.Set[f.Slot])
	vk.Push(c, l.pipes, vk.ShaderVertex, &pixel)
	c.Draw(4, uint32(n), 0, 0)
	c.EndPass()
}
