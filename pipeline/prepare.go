package pipeline

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/vk"
)

// spanAlign satisfies every device's alignment for uniform and storage ranges.
const spanAlign = 256

// slack is how many indices a frame reserves beyond what it expects to need.
const slack = 1 << 14

func aligned(n uint64) uint64 { return (n + spanAlign - 1) &^ (spanAlign - 1) }

// Prepare refines the tiles in view under law and writes the frame's span of
// the ring. It waits for nothing and, once its buffers have grown to what the
// flight needs, allocates nothing.
func (r *Renderer) Prepare(f *vk.Frame, v *lodcpu.View, law *lodcpu.Law, look *Look, tiles []Drawable) (Stats, error) {
	done, err := r.dev.Graphics.Completed()
	if err != nil {
		return Stats{}, err
	}
	r.spans.Release(done)
	r.cull(v, law, look, tiles)

	var st Stats
	start := time.Now()
	for {
		ok, err := r.attempt(f, v, law, look, tiles, &st)
		if err != nil {
			return st, err
		}
		if ok {
			break
		}
		// The span was too small: leave it and take one twice the size.
		r.want *= 2
		st = Stats{Redone: st.Redone + 1}
	}
	st.Refine = time.Since(start)
	r.want = uint64(st.Indices) + uint64(st.Indices)/4 + slack
	r.spans.Submit(f.Value)
	return st, nil
}

// cull lists the drawables whose boxes the view may see.
func (r *Renderer) cull(v *lodcpu.View, law *lodcpu.Law, look *Look, tiles []Drawable) {
	r.drawn = r.drawn[:0]
	frustum := v.Frustum()
	for i := range tiles {
		lo, hi := law.Bounds(r.layout, tiles[i].Tile.Info)
		if look.DrawAll || frustum.Sees(lo, hi) {
			r.drawn = append(r.drawn, i)
		}
	}
}

// attempt reserves a span of the ring and fills it. It returns false if the
// indices do not fit.
func (r *Renderer) attempt(f *vk.Frame, v *lodcpu.View, law *lodcpu.Law, look *Look, tiles []Drawable, st *Stats) (bool, error) {
	n := uint64(len(r.drawn))
	tilesAt := aligned(frameConstantsBytes)
	commandsAt := tilesAt + aligned(max(n, 1)*tileConstantsBytes)
	indicesAt := commandsAt + aligned(n*uint64(unsafe.Sizeof(vk.DrawIndexedIndirect{})))
	size := indicesAt + 4*r.want
	at, err := r.reserve(f, size)
	if err != nil {
		return false, err
	}
	span := r.ring.Bytes()[at : at+size]

	(*frameConstants)(unsafe.Pointer(&span[0])).fill(r.world, v, look)
	cx, cz, _, _ := cell(r.world, v.Eye)
	constants := unsafe.Slice((*tileConstants)(unsafe.Pointer(&span[tilesAt])), n)
	commands := unsafe.Slice((*vk.DrawIndexedIndirect)(unsafe.Pointer(&span[commandsAt])), n)
	indices := unsafe.Slice((*uint32)(unsafe.Pointer(&span[indicesAt])), r.want)
	// Indices are addressed from the start of the ring, never through the offset
	// of the index buffer: the binding then stays the same for ever, and lavapipe
	// (Mesa 22.3) drops as many indices from the end of an indirect draw as the
	// offset skips.
	first := uint32((at + indicesAt) / 4)
	used := 0
	for i, d := range r.drawn {
		t := &tiles[d]
		c, ok := r.refiner.Refine(indices[used:], t.Tile, t.Near, law)
		if !ok {
			return false, nil
		}
		constants[i].fill(r.world, &r.pool.slots[t.Slot], cx, cz)
		commands[i] = vk.DrawIndexedIndirect{
			IndexCount: uint32(c.Indices), InstanceCount: 1, FirstIndex: first + uint32(used), FirstInstance: uint32(i),
		}
		used += c.Indices
		st.Add(c)
	}
	st.Tiles, st.Draws = len(r.drawn), len(r.drawn)
	r.frame = prepared{
		set: r.sets.Set[f.Slot], commands: at + commandsAt, draws: len(r.drawn),
		lines: (look.Lines || look.View == Wireframe) && r.lines != nil,
		water: look.Sea && look.View == Shaded && look.Clear == nil && v.Eye[1] > 0,
		width: v.Width, height: v.Height,
	}
	r.writeSet(f, r.ring.Range(at, frameConstantsBytes), r.ring.Range(at+tilesAt, max(n, 1)*tileConstantsBytes))
	return true, nil
}

// reserve takes size bytes of the ring, or of a larger one in its place.
func (r *Renderer) reserve(f *vk.Frame, size uint64) (uint64, error) {
	if s, ok := r.spans.Reserve(size, spanAlign); ok {
		return s.Offset, nil
	}
	old, bytes := r.ring, r.ring.Size
	for bytes < uint64(r.dev.FramesInFlight+1)*size {
		bytes *= 2
	}
	if bytes == old.Size {
		bytes *= 2
	}
	if err := r.makeRing(bytes); err != nil {
		return 0, fmt.Errorf("frame ring of %d MiB: %w", bytes>>20, err)
	}
	// Frames in flight still read the old one.
	r.dev.Retire(&old, f.Value)
	s, ok := r.spans.Reserve(size, spanAlign)
	if !ok {
		panic("pipeline: new frame ring is too small")
	}
	return s.Offset, nil
}

// writeSet points the frame slot's descriptor set at this frame's data.
func (r *Renderer) writeSet(f *vk.Frame, constants, tiles vk.BufferRange) {
	set := r.sets.Set[f.Slot]
	r.dev.WriteBufferRanges(set, 0, 0, constants)
	r.dev.WriteBufferRanges(set, 1, 0, tiles)
	if r.setPool[f.Slot] == r.pool.version {
		return
	}
	r.setPool[f.Slot] = r.pool.version
	r.dev.WriteBuffers(set, 2, 0, r.grid)
	for i := range maxBuffers {
		b := r.grid // never read: an element must be a valid buffer
		if i < len(r.pool.buffers) {
			b = r.pool.buffers[i]
		}
		r.dev.WriteBuffers(set, 3, uint32(i), b)
	}
}

// Draw records the frame that Prepare wrote, inside a pass whose formats are
// those of the renderer's options and whose depth is cleared to 0. It sets
// viewport and scissor.
func (r *Renderer) Draw(c *vk.CommandBuffer) {
	f := &r.frame
	c.SetViewport(vk.Viewport{Width: float32(f.width), Height: float32(f.height), MaxDepth: 1})
	c.SetScissor(vk.Scissor{Width: uint32(f.width), Height: uint32(f.height)})
	if f.draws > 0 {
		c.BeginLabel(r.label)
		c.BindPipeline(r.ground)
		c.BindSets(r.ground, 0, f.set)
		c.BindIndexBuffer(r.ring.Handle, 0, vk.Index32)
		r.drawTiles(c)
		if f.lines {
			c.BindPipeline(r.lines)
			c.BindSets(r.lines, 0, f.set)
			r.drawTiles(c)
		}
		c.EndLabel()
	}
	c.BeginLabel("sky")
	c.BindPipeline(r.sky)
	c.BindSets(r.sky, 0, f.set)
	c.Draw(3, 1, 0, 0)
	c.EndLabel()
	if f.water {
		c.BeginLabel("sea")
		c.BindPipeline(r.water)
		c.BindSets(r.water, 0, f.set)
		c.Draw(4, 1, 0, 0)
		c.EndLabel()
	}
}

func (r *Renderer) drawTiles(c *vk.CommandBuffer) {
	const stride = uint32(unsafe.Sizeof(vk.DrawIndexedIndirect{}))
	at := r.frame.commands
	for left := uint32(r.frame.draws); left > 0; {
		n := min(left, r.dev.Limits.DrawIndirectCount)
		c.DrawIndexedIndirect(r.ring.Handle, at, n, stride)
		at += uint64(n * stride)
		left -= n
	}
}

// Drawn lists what the last Prepare found in view: indices into its tiles.
func (r *Renderer) Drawn() []int { return r.drawn }

// Topology is how the renderer's indices form triangles.
func (r *Renderer) Topology() lodcpu.Topology { return r.topology }
