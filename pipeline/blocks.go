package pipeline

import "github.com/vkterrain/vkterrain/terrain"

// Vertex addresses: buffer number above bit 24, vertex below.
const (
	addressBits = 24
	maxBuffers  = 8 // as in terrain.vert
)

// noBlock is the address of what is not there.
const noBlock = ^uint32(0)

// blocks hands out vertex ranges for levels of tiles. All blocks of a level are
// of one size; they are cut from slabs of equal size, which are cut from a few
// buffers. A slab whose blocks are all free may serve another level, so there is
// no fragmentation beyond one partly used slab per level.
type blocks struct {
	size    [terrain.MaxLevels]uint32 // vertices a block, by level
	slab    uint32                    // vertices a slab
	buffers []blockBuffer
	partial [terrain.MaxLevels][]*slab // with at least one free block
	spare   []*slab                    // of no level
	used    uint64                     // vertices in blocks handed out
}

type blockBuffer struct {
	slabs []*slab
	inUse int // slabs that serve a level
}

type slab struct {
	first  uint32 // address
	buffer int
	level  terrain.Level
	blocks int
	free   []uint32 // addresses
}

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
		s := b.takeSpare()
		if s == nil {
			return noBlock
		}
		s.level, s.blocks = level, int(b.slab/b.size[level])
		s.free = s.free[:0]
		for i := s.blocks - 1; i >= 0; i-- {
			s.free = append(s.free, s.first+uint32(i)*b.size[level])
		}
		b.buffers[s.buffer].inUse++
		*p = append(*p, s)
	}
	s := (*p)[len(*p)-1]
	addr := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	if len(s.free) == 0 {
		*p = (*p)[:len(*p)-1]
	}
	b.used += uint64(b.size[level])
	return addr
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
	s := b.buffers[addr>>addressBits].slabs[addr&(1<<addressBits-1)/b.slab]
	if s.level != level || len(s.free) >= s.blocks {
		panic("pipeline: block released twice or with the wrong level")
	}
	s.free = append(s.free, addr)
	b.used -= uint64(b.size[level])
	p := b.partial[level]
	if len(s.free) == 1 {
		p = append(p, s)
	}
	if len(s.free) == s.blocks {
		for i := range p {
			if p[i] == s {
				p[i] = p[len(p)-1]
				p = p[:len(p)-1]
				break
			}
		}
		b.buffers[s.buffer].inUse--
		b.spare = append(b.spare, s)
	}
	b.partial[level] = p
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
