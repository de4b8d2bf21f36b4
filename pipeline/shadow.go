package pipeline

import (
	"math"
	"unsafe"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/vk"
)

// Relief is a world's ground on a coarse grid: what casts shadows, and what light falls on
// whatever levels are drawn.
type Relief struct {
	Width, Height int        // samples, 2 at least
	Spacing       float64    // metres
	X, Z          float64    // of the north-western sample, metres
	Heights       []float32  // metres, row by row from the north
	Normals       [][2]uint8 // of the full resolution, see [terrain.EncodeNormal]
	Paint         []Paint    // what the ground is made of; nil: the pipeline decides
	Coloured      bool       // Paint has colours
	Weighed       bool       // Paint has weights
	Detail        float64    // metres that the full resolution may be off the grid; 0 where it is the grid
}

// Paint is the colour of a place, red, green and blue of sRGB in bytes from the lowest on, and
// from bit 32 on the weights of what grows, rock, sediment and snow, each of 255.
type Paint uint64

// bounds are the heights between which shadows are coded: a little more than those of
// the ground, so that what is below lies in none.
func (r *Relief) bounds() (lo, extent float64) {
	least, most := r.Heights[0], r.Heights[0]
	for _, h := range r.Heights {
		least, most = min(least, h), max(most, h)
	}
	extent = 1.1*float64(most-least) + 1
	return float64(most) + 0.5 - extent, extent
}

// sunRadius is half the width of the sun as seen from the ground.
const sunRadius = 0.0047 // radians

// place is what shaders read of a sample: bits 0 to 15 are the height up to which it lies in
// shadow, 16 to 31 over how many metres below and above that part of the sun is to be seen,
// 32 to 47 its own height, all as parts of an extent, and 48 to 63 its normal.
type place uint64

const placeBytes = 8

// places is how many there are, with those of paint.
func (r *Relief) places() int { return len(r.Heights) + len(r.Paint) }

// shade finds out up to which height every place lies in the shadow of what is towards
// the sun. The ground is walked through row by row, or
// column by column, away from the sun: a place's shadow is as high as what is next towards
// the sun, or its shadow, and falls with the sun's rays.
// What the ground is made of comes behind.
func (r *Relief) shade(dst []place, sun mgl64.Vec3, lo, extent float64) {
	scale := float32(65535 / extent)
	ground := func(i int) place {
		n := r.Normals[i]
		return place(min(65535, max(0, (r.Heights[i]-float32(lo))*scale)))<<32 | place(n[0])<<48 | place(n[1])<<56
	}
	for i, p := range r.Paint {
		dst[len(r.Heights)+i] = place(p)
	}
	dst = dst[:len(r.Heights)]
	flat := math.Hypot(sun[0], sun[2])
	du, dv := sun[2], sun[0] // along the walk and across, towards the sun
	lines, across, strideU, strideV := r.Height, r.Width, r.Width, 1
	if math.Abs(sun[0]) > math.Abs(sun[2]) {
		du, dv = dv, du
		lines, across, strideU, strideV = r.Width, r.Height, 1, r.Width
	}
	if flat < 1e-6 || sun[1] <= 0 {
		dark := place(0)
		if sun[1] <= 0 {
			dark = 0xffff
		}
		for i := range dst {
			dst[i] = ground(i) | dark
		}
		return
	}
	shift := dv / math.Abs(du)
	length := r.Spacing * flat / math.Abs(du)
	fall := float32(length * sun[1] / flat)
	// What stands on the ground and the shadow above it, whichever is higher, of the line
	// before; and how far away that is which casts it.
	high, far := make([]float32, across), make([]float32, across)
	nextHigh, nextFar := make([]float32, across), make([]float32, across)
	first, step := 0, 1
	if du > 0 {
		first, step = lines-1, -1
	}
	penumbra := float32(sunRadius * 65535 / extent)
	whole := int(math.Floor(shift))
	part := float32(shift - math.Floor(shift))
	for n := range lines {
		at := (first + n*step) * strideU
		for v := range across {
			i := at + v*strideV
			h := r.Heights[i]
			s, d := float32(lo), float32(0)
			if n > 0 {
				a := min(max(v+whole, 0), across-1)
				b := min(a+1, across-1)
				s = high[a] + (high[b]-high[a])*part - fall
				d = far[a] + (far[b]-far[a])*part + float32(length)
			}
			dst[i] = ground(i) | place(min(65535, max(0, (s-float32(lo))*scale))) | place(min(65535, d*penumbra))<<16
			if h >= s {
				s, d = h, 0
			}
			nextHigh[v], nextFar[v] = s, d
		}
		high, nextHigh = nextHigh, high
		far, nextFar = nextFar, far
	}
}

// shadows keep the shadows of a relief on the GPU. When the sun moves they are made anew
// by a goroutine, and replace the old ones between two frames; but the first frames make
// them in place.
type shadows struct {
	relief     *Relief
	lo, extent float64
	sun        mgl64.Vec3 // that they are made for
	up         vk.Buffer  // written by the goroutine
	upUse      uint64     // value of the frame that copied it
	buffers    [2]vk.Buffer
	lastUse    [2]uint64
	shown      int // of buffers, -1 for none
	done       chan struct{}
	busy       bool   // the goroutine has up
	made       bool   // up has what is not copied yet
	frame      uint64 // value of the last that was followed
}

func (s *shadows) destroy() {
	if s.busy {
		<-s.done
	}
	s.up.Destroy()
	for i := range s.buffers {
		s.buffers[i].Destroy()
	}
	s.busy, s.made, s.relief = false, false, nil
}

// SetRelief says what casts shadows; nil is nothing. Call it between frames.
func (r *Renderer) SetRelief(relief *Relief) error {
	s := &r.shadows
	if s.busy {
		<-s.done
		s.busy = false
	}
	s.made, s.sun, s.relief = false, mgl64.Vec3{}, relief
	if relief == nil {
		s.shown = -1
		return nil
	}
	s.lo, s.extent = relief.bounds()
	size := placeBytes * uint64(relief.places())
	if s.up.Size == size {
		return nil // the shadows of the old ground are good until the new ones are there
	}
	s.shown = -1
	r.dev.Retire(&s.up, s.upUse)
	var err error
	if s.up, err = r.dev.NewBuffer(vk.BufferInfo{Name: "shadows upload", Size: size, Usage: vk.UsageTransferSrc, Kind: vk.Upload}); err != nil {
		return err
	}
	for i := range s.buffers {
		r.dev.Retire(&s.buffers[i], s.lastUse[i])
		s.buffers[i], err = r.dev.NewBuffer(vk.BufferInfo{Name: "shadows", Size: size, Usage: vk.UsageStorage | vk.UsageTransferDst, Kind: vk.DeviceLocal})
		if err != nil {
			return err
		}
	}
	return nil
}

// follow makes shadows for where the sun stands, and takes those that were made. It
// records into the frame. Of several views of a frame the first has its way.
func (s *shadows) follow(r *Renderer, f *vk.Frame, sun mgl64.Vec3) error {
	if s.relief == nil || s.frame == f.Value {
		return nil
	}
	s.frame = f.Value
	if sun == (mgl64.Vec3{}) {
		sun = DefaultSun
	}
	if s.busy {
		select {
		case <-s.done:
			s.busy, s.made = false, true
		default:
		}
	}
	done, err := r.dev.Graphics.Completed()
	if err != nil {
		return err
	}
	if sun != s.sun && !s.busy && !s.made && s.upUse <= done {
		s.sun, s.busy = sun, true
		dst := unsafe.Slice((*place)(unsafe.Pointer(&s.up.Bytes()[0])), s.relief.places())
		relief, lo, extent := s.relief, s.lo, s.extent
		if s.shown < 0 || r.variants.frames < firstFrames {
			relief.shade(dst, sun, lo, extent)
			s.busy, s.made = false, true
		} else {
			go func() {
				relief.shade(dst, sun, lo, extent)
				s.done <- struct{}{}
			}()
		}
	}
	next := max(s.shown, 0) ^ 1
	if s.made && s.lastUse[next] <= done {
		f.Cmd.BeginLabel("upload shadows")
		f.Cmd.CopyBuffer(s.up.Handle, s.buffers[next].Handle, vk.BufferCopy{Size: s.up.Size})
		f.Cmd.BufferBarrier(vk.Sync{Stage: vk.StageTransfer, Access: vk.AccessTransferWrite},
			vk.Sync{Stage: vk.StageFragmentShader, Access: vk.AccessShaderRead}, s.buffers[next].Range(0, s.buffers[next].Size))
		f.Cmd.EndLabel()
		s.shown, s.made, s.upUse = next, false, f.Value
	}
	if s.shown >= 0 {
		s.lastUse[s.shown] = f.Value
	}
	return nil
}

// buffer is what shaders read.
func (s *shadows) buffer(r *Renderer) vk.Buffer {
	if s.shown < 0 {
		return r.grid // never read: a binding must be a valid buffer
	}
	return s.buffers[s.shown]
}

// fill says in a frame's constants where the shadows lie.
func (s *shadows) fill(c *frameConstants, eye mgl64.Vec3) {
	c.ShadeAt, c.ShadeRange, c.Detail, c.Paint = [4]float32{}, [4]float32{}, 0, 0
	if s.shown < 0 {
		return
	}
	r := s.relief
	steep := max(s.sun[1], 0) / max(math.Hypot(s.sun[0], s.sun[2]), 1e-3)
	c.ShadeAt = [4]float32{float32(eye[0] - r.X), float32(eye[2] - r.Z), float32(1 / r.Spacing), float32(0.3 * r.Spacing * min(steep, 1))}
	c.ShadeRange = [4]float32{float32(s.lo), float32(s.extent), float32(r.Width), float32(r.Height)}
	c.Detail = float32(r.Detail)
	if r.Paint != nil {
		c.Paint = int32(flag(r.Coloured)) + 2*int32(flag(r.Weighed))
	}
}
