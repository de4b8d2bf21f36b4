package pipeline

import (
	"slices"

	"github.com/vkterrain/vkterrain/terrain"
)

// Vertex addresses: buffer number above bit 24, vertex below.
const (
	addressBits = 24
	maxBuffers  = 8 // as in terrain.vert
)

// noBlock is the address of what is not there.
const noBlock = ^uint32(0)

// blocks hands out vertex ranges for levels of tiles. All blocks of a level are
// of one size; they are cut from slabs of equal size, which are cut from a few
// buffers. A slab whose blocks are all free may serve another level. As levels go,
// more than one slab a level may come to be partly used: then one of them is left, by
// moving its blocks to others, see [pool.defragment].
type blocks struct {
	size    [terrain.MaxLevels]uint32 // vertices a block, by level
	slab    uint32                    // vertices a slab
	buffers []blockBuffer
	partial [terrain.MaxLevels][]*slab // with at least one free block
	spare   []*slab                    // of no level
	used    uint64                     // vertices in blocks handed out
	leaving *slab                      // or nil: nothing is put there any more
	down    bool                       // for a lower buffer
}

type blockBuffer struct {
	slabs []*slab
	inUse int // slabs that serve a level
}

type slab struct {
	first  uint32 // address
	buffer int
	level  terrain.Level
	blocks int      // 0 of no level
	free   []uint32 // addresses
	owner  []Slot   // by block; nobody where it is free, or about to be
}

// nobody owns a block that no tile has.
const nobody = ^Slot(0)

func newBlocks(layout *terrain.Layout) *blocks {
	b := &blocks{}
	for level := range layout.Levels {
		lo, hi := layout.Range(terrain.Level(level))
		b.size[level] = uint32(hi - lo)
	}
	// About a MiB, a whole number of the largest blocks.
	largest := b.size[0]
	b.slab = largest * max(1, (1<<20)/terrain.VertexBytes/largest)
	return b
}

// nextBuffer returns the size in vertices of the buffer that grow wants next:
// doubling from about 8 MiB, so that a small world stays small, up to what an
// address and the device's limit hold.
func (b *blocks) nextBuffer(limit uint32) uint32 {
	want := min(uint32(1<<20)<<len(b.buffers), limit, 1<<addressBits)
	return max(1, want/b.slab) * b.slab
}

// grow adds a buffer of the given number of vertices.
func (b *blocks) grow(vertices uint32) {
	n := len(b.buffers)
	buffer := blockBuffer{}
	for at := uint32(0); at+b.slab <= vertices; at += b.slab {
		buffer.slabs = append(buffer.slabs, &slab{first: uint32(n)<<addressBits | at, buffer: n})
	}
	// Lowest addresses first: the last buffer can then empty.
	for i := len(buffer.slabs) - 1; i >= 0; i-- {
		b.spare = append(b.spare, buffer.slabs[i])
	}
	b.buffers = append(b.buffers, buffer)
}

// alloc returns the address of a free block for level, or noBlock if the
// buffers are full.
func (b *blocks) alloc(level terrain.Level) uint32 {
	p := &b.partial[level]
	if len(*p) == 0 {
		if s := b.takeSpare(); s != nil {
			b.serve(s, level)
		} else if s = b.leaving; s != nil && s.level == level && len(s.free) > 0 {
			b.stay()
		} else {
			return noBlock
		}
	}
	return b.allocFrom(level, len(*p)-1)
}

// allocFrom returns the address of a free block of a level's i-th partly used slab.
func (b *blocks) allocFrom(level terrain.Level, i int) uint32 {
	p := &b.partial[level]
	s := (*p)[i]
	addr := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	if len(s.free) == 0 {
		b.removePartial(s)
	}
	b.used += uint64(b.size[level])
	return addr
}

// serve makes a spare slab one of a level.
func (b *blocks) serve(s *slab, level terrain.Level) {
	s.level, s.blocks = level, int(b.slab/b.size[level])
	s.free, s.owner = s.free[:0], s.owner[:0]
	for i := s.blocks - 1; i >= 0; i-- {
		s.free = append(s.free, s.first+uint32(i)*b.size[level])
		s.owner = append(s.owner, nobody)
	}
	b.buffers[s.buffer].inUse++
	b.partial[level] = append(b.partial[level], s)
}

// removePartial takes a slab from the list of those with free blocks.
func (b *blocks) removePartial(s *slab) {
	p := b.partial[s.level]
	if i := slices.Index(p, s); i >= 0 {
		p[i] = p[len(p)-1]
		b.partial[s.level] = p[:len(p)-1]
	}
}

// own says which tile has a block.
func (b *blocks) own(addr uint32, owner Slot) {
	s := b.slabOf(addr)
	s.owner[(addr-s.first)/b.size[s.level]] = owner
}

func (b *blocks) slabOf(addr uint32) *slab {
	return b.buffers[addr>>addressBits].slabs[addr&(1<<addressBits-1)/b.slab]
}

// takeSpare takes a spare slab of the lowest buffer that has one.
func (b *blocks) takeSpare() *slab {
	best := -1
	for i, s := range b.spare {
		if best < 0 || s.buffer < b.spare[best].buffer {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	s := b.spare[best]
	last := len(b.spare) - 1
	b.spare[best] = b.spare[last]
	b.spare = b.spare[:last]
	return s
}

// release gives back a block that no GPU work reads any more.
func (b *blocks) release(level terrain.Level, addr uint32) {
	s := b.slabOf(addr)
	if s.level != level || len(s.free) >= s.blocks {
		panic("pipeline: block released twice or with the wrong level")
	}
	s.free = append(s.free, addr)
	b.used -= uint64(b.size[level])
	if len(s.free) == 1 && s != b.leaving {
		b.partial[level] = append(b.partial[level], s)
	}
	if len(s.free) < s.blocks {
		return
	}
	b.removePartial(s)
	if s == b.leaving {
		b.leaving = nil
	}
	s.blocks = 0
	b.buffers[s.buffer].inUse--
	b.spare = append(b.spare, s)
}

// leave returns the slab that is being left, and chooses one if there is none: where a
// level has more partly used slabs than its blocks need, the emptiest; else one of the last
// buffer, if lower ones have room for all of that. Some room is left over each time, so
// that what comes and goes does not have blocks moved to and fro. It returns nil if memory
// is as it should be.
func (b *blocks) leave() *slab {
	if b.leaving == nil {
		b.leaving, b.down = b.sparsest(), false
		if b.leaving == nil {
			b.leaving, b.down = b.uppermost(), true
		}
		if b.leaving != nil {
			b.removePartial(b.leaving)
		}
	}
	return b.leaving
}

// sparsest returns the partly used slab with the least in it whose blocks other slabs of
// its level have room for, or nil.
func (b *blocks) sparsest() (best *slab) {
	least := ^uint32(0)
	for level := range b.partial {
		free := 0
		for _, s := range b.partial[level] {
			free += len(s.free)
		}
		for _, s := range b.partial[level] {
			used := s.blocks - len(s.free)
			if cost := uint32(used) * b.size[level]; free-len(s.free) >= used+s.blocks/4 && cost < least {
				best, least = s, cost
			}
		}
	}
	return best
}

// uppermost returns a slab of the last buffer if that can be emptied, or nil.
func (b *blocks) uppermost() *slab {
	last := len(b.buffers) - 1
	if last < 1 || b.buffers[last].inUse == 0 {
		return nil
	}
	room := 0
	for _, s := range b.spare {
		if s.buffer < last {
			room++
		}
	}
	if n := b.buffers[last].inUse; room < n+max(n/4, 1) {
		return nil
	}
	for _, s := range b.buffers[last].slabs {
		if s.blocks > 0 {
			return s
		}
	}
	return nil
}

// stay has the slab that is being left stay after all.
func (b *blocks) stay() {
	if s := b.leaving; len(s.free) > 0 {
		b.partial[s.level] = append(b.partial[s.level], s)
	}
	b.leaving = nil
}

// home returns a free block for one of the slab that is being left: of the fullest slab of
// its level, or, on the way down, of one in a lower buffer. It is noBlock if there is none.
func (b *blocks) home() uint32 {
	from := b.leaving
	level, best := from.level, -1
	for i, s := range b.partial[level] {
		if b.down && s.buffer >= from.buffer {
			continue
		}
		if best < 0 || len(s.free) < len(b.partial[level][best].free) {
			best = i
		}
	}
	if best < 0 && b.down {
		if s := b.takeSpare(); s != nil && s.buffer < from.buffer {
			b.serve(s, level)
			best = len(b.partial[level]) - 1
		} else if s != nil {
			b.spare = append(b.spare, s)
		}
	}
	if best < 0 {
		return noBlock
	}
	return b.allocFrom(level, best)
}

// shrink forgets the last buffer if none of its slabs is in use, and says so.
// The first buffer stays.
func (b *blocks) shrink() bool {
	n := len(b.buffers) - 1
	if n < 1 || b.buffers[n].inUse > 0 {
		return false
	}
	keep := b.spare[:0]
	for _, s := range b.spare {
		if s.buffer != n {
			keep = append(keep, s)
		}
	}
	b.spare = keep
	b.buffers = b.buffers[:n]
	return true
}
