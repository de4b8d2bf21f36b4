package pipeline

import (
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk"
)

// moveBytes is how much a frame moves at most.
const moveBytes = 256 << 10

// move is a block on its way to another place. Frames draw from the old one until all of
// it has been copied; and frames in flight then, which is why it is retired.
type move struct {
	active   bool
	slot     Slot
	level    terrain.Level
	from, to uint32
	done     uint32 // vertices copied so far
}

// defragment moves blocks, bytes of them at most, so that slabs and buffers that are hardly
// used become free. It records copies ahead of what the frame draws and waits for nothing.
func (p *pool) defragment(f *vk.Frame, bytes uint64) {
	for left := uint32(bytes / terrain.VertexBytes); left > 0; {
		if !p.moving.active && !p.nextMove() {
			return
		}
		left -= p.copyPart(f, left)
	}
}

// nextMove finds a block to move, and a place for it.
func (p *pool) nextMove() bool {
	s := p.blocks.leave()
	if s == nil {
		return false
	}
	for i, owner := range s.owner {
		if owner == nobody || p.uploading(owner, s.level) {
			continue
		}
		to := p.blocks.home()
		if to == noBlock { // something else took the room
			p.blocks.stay()
			return false
		}
		p.twice += uint64(p.blocks.size[s.level])
		p.moving = move{active: true, slot: owner, level: s.level, from: s.first + uint32(i)*p.blocks.size[s.level], to: to}
		return true
	}
	return false // what is left goes when frames are done, or comes when it has arrived
}

// uploading says whether a level is still on its way.
func (p *pool) uploading(s Slot, level terrain.Level) bool {
	for i := range p.pending {
		if t := &p.pending[i]; t.slot == s && t.level == level && !t.dropped {
			return true
		}
	}
	return false
}

// copyPart copies some vertices of the block that is being moved, most of them at most, and
// says how many.
func (p *pool) copyPart(f *vk.Frame, most uint32) uint32 {
	m := &p.moving
	size := p.blocks.size[m.level]
	n := min(most, size-m.done)
	from, to := p.rangeOf(m.from, size), p.rangeOf(m.to, size)
	at, bytes := uint64(m.done)*terrain.VertexBytes, uint64(n)*terrain.VertexBytes
	c := f.Cmd
	c.BeginLabel("move vertices")
	c.CopyBuffer(from.Buffer, to.Buffer, vk.BufferCopy{SrcOffset: from.Offset + at, DstOffset: to.Offset + at, Size: bytes})
	m.done += n
	p.moved += bytes
	if m.done == size {
		c.BufferBarrier(vk.Sync{Stage: vk.StageTransfer, Access: vk.AccessTransferWrite}, readers, to)
		p.slots[m.slot].block[m.level] = m.to
		p.blocks.own(m.to, m.slot)
		p.blocks.own(m.from, nobody)
		p.retired = append(p.retired, retired{f.Value, m.level, m.from, true})
		m.active = false
	}
	c.EndLabel()
	return n
}

// cancelMove gives back the place that a level was on its way to.
func (p *pool) cancelMove(f *vk.Frame, s Slot, level terrain.Level) {
	if m := &p.moving; m.active && m.slot == s && m.level == level {
		p.retired = append(p.retired, retired{f.Value, level, m.to, true})
		m.active = false
	}
}

// rangeOf returns where a block lies.
func (p *pool) rangeOf(addr, vertices uint32) vk.BufferRange {
	return p.buffers[addr>>addressBits].Range(uint64(addr&(1<<addressBits-1))*terrain.VertexBytes, uint64(vertices)*terrain.VertexBytes)
}
