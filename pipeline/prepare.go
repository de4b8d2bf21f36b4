package pipeline

import (
	"fmt"
	"slices"
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

// Prepare refines the tiles that the view within sees under law and writes the span of the
// ring of the selected view, v. Most often both are one; the other holds what several see,
// see [Renderer.PrepareShared]. It waits for nothing but its own workers and, once its
// buffers have grown to what the flight needs, allocates nothing.
func (r *Renderer) Prepare(f *vk.Frame, v, within *lodcpu.View, law *lodcpu.Law, look *Look, tiles []Drawable) (Stats, error) {
	if err := r.release(); err != nil {
		return Stats{}, err
	}
	r.rise.tick(f.Value)
	for i := range tiles {
		r.rise.show(tiles[i].Slot, tiles[i].Tile.Info.Key, tiles[i].Near.Level())
	}
	r.cull(within, look, tiles)
	r.fillJobs(tiles)

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
		r.want = 2 * max(r.want, uint64(lodcpu.Room(r.jobs)))
		st = Stats{Redone: st.Redone + 1}
	}
	st.Refine, st.Compiling = time.Since(start), r.variants.pending
	r.want = uint64(st.Indices)/4 + slack
	r.spans.Submit(f.Value)
	return st, nil
}

// release gives back the spans of the ring that no frame uses any more.
func (r *Renderer) release() error {
	done, err := r.dev.Graphics.Completed()
	if err == nil {
		r.spans.Release(done)
	}
	return err
}

// cull lists the drawables whose boxes the view may see, the nearest first.
func (r *Renderer) cull(v *lodcpu.View, look *Look, tiles []Drawable) {
	r.drawn = slices.Grow(r.drawn[:0], cap(tiles))
	frustum := v.Frustum()
	r.tiles.Look(&frustum)
	r.order.begin(cap(tiles))
	for i := range tiles {
		if look.DrawAll || r.tiles.Sees(int(tiles[i].Slot)) {
			r.order.add(r.world, v, tiles[i].Tile.Info.Key, i)
		}
	}
	for _, d := range r.order.sorted() {
		r.drawn = append(r.drawn, d.index)
	}
}

// fillJobs makes a job of every drawable in view.
func (r *Renderer) fillJobs(tiles []Drawable) {
	r.jobs = slices.Grow(r.jobs[:0], cap(tiles))
	for _, i := range r.drawn {
		d := &tiles[i]
		r.jobs = append(r.jobs, lodcpu.Job{Tile: d.Tile, Near: *d.Near, Expect: r.expect.of(d.Slot)})
	}
	r.done = slices.Grow(r.done[:0], cap(tiles))[:len(r.jobs)]
}

// expectation is how many indices tiles needed last time.
type expectation struct {
	bySlot []int32
	usual  int // of a tile
}

// unknown is what a tile needed that has not been refined yet.
const unknown = -1

// of returns how many indices a tile is likely to need: as many as last time, or, if it
// has not been refined yet, as many as others.
func (e *expectation) of(s Slot) int {
	if e.bySlot == nil {
		const usual = 512 // it grows if there are more tiles
		e.bySlot = make([]int32, 0, usual)
	}
	for len(e.bySlot) <= int(s) {
		e.bySlot = append(e.bySlot, unknown)
	}
	if n := e.bySlot[s]; n != unknown {
		return int(n)
	}
	return e.usual
}

// learn keeps what a tile needed.
func (e *expectation) learn(s Slot, indices int) { e.bySlot[s] = int32(indices) }

// attempt reserves a span of the ring and fills it. It returns false if the
// indices do not fit.
func (r *Renderer) attempt(f *vk.Frame, v *lodcpu.View, law *lodcpu.Law, look *Look, tiles []Drawable, st *Stats) (bool, error) {
	room := uint64(lodcpu.Room(r.jobs)) + r.want
	s, err := r.reserveSpan(f, len(r.drawn), len(r.drawn), room)
	if err != nil {
		return false, err
	}
	total, ok := r.teams[r.picture.team].refine(s.bytes[s.indicesAt:], r.jobs, law, r.done)
	if !ok {
		return false, nil
	}
	// Indices are addressed from the start of the ring, never through the offset
	// of the index buffer: the binding then stays the same for ever, and lavapipe
	// (Mesa 22.3) drops as many indices from the end of an indirect draw as the
	// offset skips.
	first := (s.offset + s.indicesAt) / r.indexBytes
	cx, cz, _, _ := cell(r.world, v.Eye, v.Eye)
	for i, d := range r.drawn {
		slot, done := tiles[d].Slot, &r.done[i]
		r.expect.learn(slot, done.Indices)
		r.writeTile(&s, i, slot, cx, cz)
		s.writeCommand(i, i, first+uint64(done.First), done.Indices)
	}
	r.expect.usual = total.Indices / max(len(r.drawn), 1)
	st.Counts = total
	st.Tiles, st.Draws, st.IndexBytes = len(r.drawn), len(r.drawn), st.Indices*int(r.indexBytes)
	return true, r.fill(f, v, law, look, &s, r.ring)
}

// span is a frame's part of the ring.
type span struct {
	bytes                          []byte
	offset                         uint64 // of bytes in the ring
	tilesAt, commandsAt, indicesAt uint64
	tiles, draws                   int
	direct                         []vk.DrawIndexedIndirect // the commands, where there are no indirect ones
}

// reserveSpan takes the part of the ring for a frame with so many tiles, commands and
// indices.
func (r *Renderer) reserveSpan(f *vk.Frame, tiles, draws int, indices uint64) (s span, err error) {
	s.tiles, s.draws, s.tilesAt = tiles, draws, aligned(frameConstantsBytes)
	s.commandsAt = s.tilesAt + aligned(max(uint64(tiles), 1)*tileConstantsBytes)
	s.indicesAt = s.commandsAt + aligned(uint64(draws)*uint64(unsafe.Sizeof(vk.DrawIndexedIndirect{})))
	size := s.indicesAt + r.indexBytes*indices
	if s.offset, err = r.reserve(f, size); err != nil {
		return s, err
	}
	s.bytes = r.ring.Bytes()[s.offset : s.offset+size]
	if !r.dev.Features.MultiDraw {
		r.direct = slices.Grow(r.direct[:0], draws)[:draws]
		s.direct = r.direct
	}
	return s, nil
}

// writeTile writes the constants of the i-th tile drawn.
func (r *Renderer) writeTile(s *span, i int, slot Slot, cx, cz int32) {
	constants := unsafe.Slice((*tileConstants)(unsafe.Pointer(&s.bytes[s.tilesAt])), s.tiles)
	constants[i].fill(r.world, &r.pool.slots[slot], cx, cz)
	rise := r.rise.of(r.pool.slots[slot].info.Key)
	constants[i].fillRise(&rise)
}

// writeCommand writes the i-th command: it draws indices of a tile that is drawn.
func (s *span) writeCommand(i, tile int, first uint64, indices int) {
	commands := unsafe.Slice((*vk.DrawIndexedIndirect)(unsafe.Pointer(&s.bytes[s.commandsAt])), s.draws)
	command := vk.DrawIndexedIndirect{
		IndexCount: uint32(indices), InstanceCount: 1, FirstIndex: uint32(first), FirstInstance: uint32(tile),
	}
	commands[i] = command
	if s.direct != nil {
		s.direct[i] = command
	}
}

// fill leaves for Draw what a span holds, but for the frame's constants, and has those
// written.
func (r *Renderer) fill(f *vk.Frame, v *lodcpu.View, law *lodcpu.Law, look *Look, s *span, indices vk.Buffer) error {
	r.frame = prepared{
		ring: r.ring, commands: s.offset + s.commandsAt, draws: s.draws, direct: s.direct, numTiles: s.tiles, indices: indices, origin: v.Eye,
		tiles: r.ring.Range(s.offset+s.tilesAt, uint64(max(s.tiles, 1))*tileConstantsBytes),
	}
	return r.finish(f, v, law, look, s.offset)
}

// finish writes the frame's constants into the ring and leaves the rest for Draw. Of eyes that
// are drawn at once those come when both are known, see [Renderer.PrepareShared].
func (r *Renderer) finish(f *vk.Frame, v *lodcpu.View, law *lodcpu.Law, look *Look, offset uint64) error {
	p := &r.frame
	p.view, p.look = *v, *look
	p.set = r.sets.Set[f.Slot]
	p.overdraw, p.boxes = look.View == Overdraw, look.View == Boxes
	p.lines = (look.Lines || look.View == Wireframe) && r.HasLines()
	p.water = look.Sea && look.View == Shaded && look.Clear == nil && v.Eye[1] > 0
	if look.DepthOnly {
		p.overdraw, p.boxes, p.lines, p.water = false, false, false, false
	}
	p.width, p.height, p.place, p.label = v.Width, v.Height, r.place, r.teams[r.picture.team].label
	if p.place.Layered {
		return nil
	}
	if err := r.writeConstants(f, v, law, look, offset); err != nil {
		return err
	}
	p.constants = r.ring.Range(offset, frameConstantsBytes)
	r.writeSet(f, p.constants, p.tiles)
	return r.choosePipelines(look)
}

// writeConstants writes a view's constants to an offset in the ring.
func (r *Renderer) writeConstants(f *vk.Frame, v *lodcpu.View, law *lodcpu.Law, look *Look, offset uint64) error {
	c := &r.written
	c.fill(r.world, r.frame.origin, v, law, r.morph, look)
	if look.View == Shaded && look.Quality == Full && !look.DepthOnly {
		if err := r.shadows.follow(r, f, look.Sun); err != nil {
			return err
		}
		r.shadows.fill(c, v.Eye)
		if !look.Painted {
			c.Paint = 0
		}
	} else {
		c.ShadeAt, c.ShadeRange, c.Detail, c.Paint = [4]float32{}, [4]float32{}, 0, 0
	}
	*(*frameConstants)(unsafe.Pointer(&r.ring.Bytes()[offset])) = *c
	return nil
}

// choosePipelines chooses what the frame is drawn with, whose constants have been written.
func (r *Renderer) choosePipelines(look *Look) error {
	f := &r.frame
	f.variant = variantOf(&r.written, look.Quality, len(r.pool.buffers))
	f.variant.eyes, f.variant.depth = flag(f.place.Layered), flag(look.DepthOnly)
	if err := r.variants.take(look.Quality); err != nil {
		return err
	}
	for k, wanted := range [kinds]bool{ground: true, groundLines: f.lines, sky: !look.DepthOnly, water: f.water, boxes: f.boxes} {
		if !wanted {
			continue
		}
		var err error
		if f.pipes[k], err = r.variants.choose(kind(k), f.variant); err != nil {
			return err
		}
	}
	return nil
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
	r.dev.WriteBuffers(set, 4, 0, r.shadows.buffer(r))
	if r.setPool[f.Slot] == r.pool.version {
		return
	}
	r.setPool[f.Slot] = r.pool.version
	r.dev.WriteImages(set, 5, 0, r.sampler, &r.textures)
	r.dev.WriteBuffers(set, 2, 0, r.grid)
	for i := range maxBuffers {
		b := r.grid // never read: an element must be a valid buffer
		if i < len(r.pool.buffers) {
			b = r.pool.buffers[i]
		}
		r.dev.WriteBuffers(set, 3, uint32(i), b)
	}
}

// Draw records the selected view as Prepare wrote it, inside a pass whose formats are
// those of the renderer's options and whose depth is cleared to 0. It sets
// viewport and scissor to the view's place.
func (r *Renderer) Draw(c *vk.CommandBuffer) {
	f := &r.frame
	rect := vk.Scissor{X: int32(f.place.X), Y: int32(f.place.Y), Width: uint32(f.width), Height: uint32(f.height)}
	c.SetViewport(vk.Viewport{X: float32(rect.X), Y: float32(rect.Y), Width: float32(f.width), Height: float32(f.height), MaxDepth: 1})
	c.SetScissor(rect)
	if f.place.Over {
		c.ClearDepth(rect, 0)
	}
	if f.overdraw {
		r.drawSky(c)
	}
	if f.draws > 0 {
		r.begin(c, f.label)
		c.BindPipeline(f.pipes[ground])
		c.BindSets(f.pipes[ground], 0, f.set)
		c.BindIndexBuffer(f.indices.Handle, 0, r.indexType())
		r.drawIndirect(c, f.ring, f.commands, f.draws, f.direct)
		r.end(c)
		if f.lines {
			r.begin(c, "lines")
			c.BindPipeline(f.pipes[groundLines])
			c.BindSets(f.pipes[groundLines], 0, f.set)
			r.drawIndirect(c, f.ring, f.commands, f.draws, f.direct)
			r.end(c)
		}
	}
	if f.props {
		r.standing.draw(r, c)
	}
	if !f.overdraw && !f.look.DepthOnly { // depth tells where nothing is
		r.drawSky(c)
	}
	if f.water {
		r.begin(c, "sea")
		c.BindPipeline(f.pipes[water])
		c.BindSets(f.pipes[water], 0, f.set)
		c.Draw(4, 1, 0, 0)
		r.end(c)
	}
	if f.boxes && f.numTiles > 0 {
		r.begin(c, kindNames[boxes])
		c.BindPipeline(f.pipes[boxes])
		c.BindSets(f.pipes[boxes], 0, f.set)
		const edges = 12
		c.Draw(2*edges, uint32(f.numTiles), 0, 0)
		r.end(c)
	}
}

// begin opens a draw, which is measured where the options ask for that.
func (r *Renderer) begin(c *vk.CommandBuffer, name string) {
	if r.timed() {
		c.BeginPass(name)
		return
	}
	c.BeginLabel(name)
}

// timed says whether draws are. In a pass with a view mask a timestamp is several.
func (r *Renderer) timed() bool { return r.options.Timed && !r.frame.place.Layered }

// end closes it.
func (r *Renderer) end(c *vk.CommandBuffer) {
	if r.timed() {
		c.EndPass()
		return
	}
	c.EndLabel()
}

// drawSky draws the sky, or a colour in its place, where nothing is.
func (r *Renderer) drawSky(c *vk.CommandBuffer) {
	f := &r.frame
	r.begin(c, "sky")
	c.BindPipeline(f.pipes[sky])
	c.BindSets(f.pipes[sky], 0, f.set)
	if f.place.Layered {
		c.Draw(6, 1, 0, 0)
	} else {
		c.Draw(3, 1, 0, 0)
	}
	r.end(c)
}

// drawIndirect draws commands that lie in a ring. Where the device does not take several at
// once, or does not say which tile one is for, it draws them one by one.
func (r *Renderer) drawIndirect(c *vk.CommandBuffer, ring vk.Buffer, at uint64, draws int, direct []vk.DrawIndexedIndirect) {
	for i := range direct {
		d := &direct[i]
		c.DrawIndexed(d.IndexCount, d.InstanceCount, d.FirstIndex, d.VertexOffset, d.FirstInstance)
	}
	if direct != nil {
		return
	}
	const stride = uint32(unsafe.Sizeof(vk.DrawIndexedIndirect{}))
	for left := uint32(draws); left > 0; {
		n := min(left, r.dev.Limits.DrawIndirectCount)
		c.DrawIndexedIndirect(ring.Handle, at, n, stride)
		at += uint64(n * stride)
		left -= n
	}
}

// Drawn lists what the last Prepare found in view: indices into its tiles.
func (r *Renderer) Drawn() []int { return r.drawn }

// Topology is how the renderer's indices form triangles.
func (r *Renderer) Topology() lodcpu.Topology { return r.topology }
