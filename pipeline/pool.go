package pipeline

import (
	"errors"
	"fmt"
	"strconv"
	"unsafe"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk"
)

// Slot is the GPU side of a tile.
type Slot uint32

// tileSlot is where the levels of a tile lie.
type tileSlot struct {
	info  *terrain.TileInfo
	block [terrain.MaxLevels]uint32 // noBlock where the level is not there
}

// transfer is an upload that the graphics queue may not read yet.
type transfer struct {
	slot    Slot
	level   terrain.Level
	ticket  uint64
	r       vk.BufferRange
	dropped bool
}

// retired is a block that frames in flight may still read.
type retired struct {
	value uint64
	level terrain.Level
	addr  uint32
	copy  bool // the level is or was elsewhere too, see [pool.defragment]
}

// pool keeps the vertices of tiles in a few device-local buffers.
type pool struct {
	dev     *vk.Device
	layout  *terrain.Layout
	blocks  *blocks
	buffers []vk.Buffer
	staging *vk.Staging
	slots   []tileSlot
	free    []Slot
	pending []transfer
	retired []retired
	version int // grows when buffers come or go
	moving  move
	moved   uint64 // bytes, so far
	twice   uint64 // vertices of blocks of levels that have, or had, another one
	text    []byte
}

func newPool(dev *vk.Device, layout *terrain.Layout, stagingBytes uint64) (p *pool, err error) {
	const usual = 256 // at a time: lists grow if there are more
	p = &pool{
		dev: dev, layout: layout, blocks: newBlocks(layout),
		slots: make([]tileSlot, 0, usual), free: make([]Slot, 0, usual), pending: make([]transfer, 0, usual), retired: make([]retired, 0, usual),
	}
	lo, hi := layout.Range(0)
	if least := uint64(hi-lo) * terrain.VertexBytes; stagingBytes < 2*least {
		stagingBytes = 2 * least
	}
	p.staging, err = dev.NewStaging("staging ring", stagingBytes)
	return p, err
}

func (p *pool) destroy() {
	for i := range p.buffers {
		p.buffers[i].Destroy()
	}
	if p.staging != nil {
		p.staging.Destroy()
	}
}

func (p *pool) add(info *terrain.TileInfo) Slot {
	t := tileSlot{info: info}
	for i := range t.block {
		t.block[i] = noBlock
	}
	if n := len(p.free); n > 0 {
		s := p.free[n-1]
		p.free = p.free[:n-1]
		p.slots[s] = t
		return s
	}
	p.slots = append(p.slots, t)
	return Slot(len(p.slots) - 1)
}

// upload copies a level's vertices towards the GPU. It returns false, and does
// nothing, if the staging ring is full: try again next frame.
func (p *pool) upload(f *vk.Frame, s Slot, level terrain.Level, verts []terrain.Vertex) (bool, error) {
	size := uint64(len(verts)) * terrain.VertexBytes
	at, bytes, ok := p.staging.Reserve(size, 8)
	if !ok {
		return false, nil
	}
	addr, err := p.allocate(level)
	if err != nil {
		return false, err
	}
	copy(bytes, unsafe.Slice((*byte)(unsafe.Pointer(&verts[0])), size))
	buffer := &p.buffers[addr>>addressBits]
	r := buffer.Range(uint64(addr&(1<<addressBits-1))*terrain.VertexBytes, size)
	c := f.Transfer()
	c.BeginLabel(p.uploadLabel(s, level))
	c.CopyBuffer(p.staging.Buffer.Handle, r.Buffer, vk.BufferCopy{SrcOffset: at, DstOffset: r.Offset, Size: size})
	f.ReleaseBuffers(r)
	c.EndLabel()
	p.staging.Submit(f.Ticket())
	p.slots[s].block[level] = addr
	p.blocks.own(addr, s)
	p.pending = append(p.pending, transfer{slot: s, level: level, ticket: f.Ticket(), r: r})
	return true, nil
}

// uploadLabel says what is uploaded, for a debugger. It is valid until the next call.
func (p *pool) uploadLabel(s Slot, level terrain.Level) string {
	k := p.slots[s].info.Key
	p.text = append(p.text[:0], "upload tile "...)
	if k.Zoom != 0 {
		p.text = append(strconv.AppendInt(p.text, int64(k.Zoom), 10), ':')
	}
	p.text = append(strconv.AppendInt(p.text, int64(k.X), 10), ',')
	p.text = append(strconv.AppendInt(p.text, int64(k.Y), 10), " level "...)
	p.text = strconv.AppendInt(p.text, int64(level), 10)
	return unsafe.String(unsafe.SliceData(p.text), len(p.text))
}

func (p *pool) allocate(level terrain.Level) (uint32, error) {
	for {
		if addr := p.blocks.alloc(level); addr != noBlock {
			return addr, nil
		}
		if len(p.buffers) == maxBuffers {
			return 0, fmt.Errorf("tile pool is full: %d buffers of vertices: %w", maxBuffers, vk.ErrOutOfMemory)
		}
		limit := uint32(min(p.dev.Limits.StorageRange/terrain.VertexBytes, 1<<addressBits))
		n := p.blocks.nextBuffer(limit)
		b, err := p.newBuffer(n)
		for errors.Is(err, vk.ErrOutOfMemory) && n > p.blocks.slab {
			n = n / 2 / p.blocks.slab * p.blocks.slab // a smaller one may fit
			n = max(n, p.blocks.slab)
			b, err = p.newBuffer(n)
		}
		if err != nil {
			return 0, err
		}
		p.buffers = append(p.buffers, b)
		p.blocks.grow(n)
		p.version++
	}
}

// newBuffer makes a buffer of so many vertices.
func (p *pool) newBuffer(vertices uint32) (vk.Buffer, error) {
	return p.dev.NewBuffer(vk.BufferInfo{
		Name: fmt.Sprintf("terrain/vertices[%d]", len(p.buffers)), Size: uint64(vertices) * terrain.VertexBytes,
		Usage: vk.UsageStorage | vk.UsageTransferDst | vk.UsageTransferSrc, Kind: vk.DeviceLocal,
	})
}

// arrived calls take for every level whose upload has been reached, after
// recording its acquire barrier: it may be drawn in this frame.
func (p *pool) arrived(f *vk.Frame, take func(s Slot, level terrain.Level)) error {
	done, err := p.dev.Transfer.Completed()
	if err != nil {
		return err
	}
	p.staging.Release(done)
	keep := p.pending[:0]
	for _, t := range p.pending {
		if t.ticket > done {
			keep = append(keep, t)
			continue
		}
		f.AcquireBuffers(t.ticket, readers, t.r)
		if t.dropped {
			// The acquire is part of this frame, and uploads run ahead of it: the
			// block may be written again only when the frame is done.
			p.retired = append(p.retired, retired{value: f.Value, level: t.level, addr: p.addressOf(t.r)})
			continue
		}
		take(t.slot, t.level)
	}
	p.pending = keep
	return nil
}

// readers are what reads vertices: shaders, and copies of [pool.defragment].
var readers = vk.Sync{Stage: vk.StageVertexShader | vk.StageTransfer, Access: vk.AccessShaderRead | vk.AccessTransferRead}

func (p *pool) addressOf(r vk.BufferRange) uint32 {
	for i := range p.buffers {
		if p.buffers[i].Handle == r.Buffer {
			return uint32(i)<<addressBits | uint32(r.Offset/terrain.VertexBytes)
		}
	}
	panic("pipeline: block of an unknown buffer")
}

// drop takes a level away from its tile. Its memory is free again when the
// frames that may read it are done.
func (p *pool) drop(f *vk.Frame, s Slot, level terrain.Level) {
	addr := p.slots[s].block[level]
	if addr == noBlock {
		return
	}
	p.slots[s].block[level] = noBlock
	p.blocks.own(addr, nobody)
	p.cancelMove(f, s, level)
	for i := range p.pending {
		if t := &p.pending[i]; t.slot == s && t.level == level && !t.dropped {
			t.dropped = true
			return
		}
	}
	p.retired = append(p.retired, retired{value: f.Value, level: level, addr: addr})
}

// exchange makes the levels of from, all of which have arrived, levels of s in place of
// those that it has, and what from is said to be what s is. from is given back.
func (p *pool) exchange(f *vk.Frame, s, from Slot) {
	p.slots[s].info = p.slots[from].info
	for l := range p.layout.Levels {
		level := terrain.Level(l)
		if addr := p.slots[from].block[level]; addr != noBlock {
			p.drop(f, s, level)
			p.slots[s].block[level], p.slots[from].block[level] = addr, noBlock
			p.blocks.own(addr, s)
			if m := &p.moving; m.active && m.slot == from && m.level == level {
				m.slot = s
			}
		}
	}
	p.remove(f, from)
}

// remove gives back the slot of a tile; its levels are dropped.
func (p *pool) remove(f *vk.Frame, s Slot) {
	for level := range p.layout.Levels {
		p.drop(f, s, terrain.Level(level))
	}
	p.free = append(p.free, s)
}

// reclaim frees the blocks whose last frame is done and a buffer that is empty.
func (p *pool) reclaim(f *vk.Frame) error {
	done, err := p.dev.Graphics.Completed()
	if err != nil {
		return err
	}
	p.releaseRetired(done)
	if p.blocks.shrink() {
		last := len(p.buffers) - 1
		p.dev.Retire(&p.buffers[last], f.Value)
		p.buffers = p.buffers[:last]
		p.version++
	}
	return nil
}

// releaseRetired frees the blocks whose last frame has the value done or less.
func (p *pool) releaseRetired(done uint64) {
	keep := p.retired[:0]
	for _, r := range p.retired {
		if r.value > done {
			keep = append(keep, r)
		} else {
			p.blocks.release(r.level, r.addr)
			if r.copy {
				p.twice -= uint64(p.blocks.size[r.level])
			}
		}
	}
	p.retired = keep
}

// bytes returns the device memory of the pool.
func (p *pool) bytes() (reserved, used uint64) {
	for i := range p.buffers {
		reserved += p.buffers[i].Size
	}
	return reserved, (p.blocks.used - p.twice) * terrain.VertexBytes
}
