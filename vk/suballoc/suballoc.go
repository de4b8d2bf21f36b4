// Package suballoc is the arithmetic of dividing one block of memory into
// parts: a segregated free list with coalescing, in the manner of TLSF. It
// knows numbers only. Package vk puts device memory behind it.
package suballoc

import "math/bits"

// Span is a part of a block. The zero value is no part.
type Span struct {
	Offset, Size uint64
	node         int32 // index+1
}

const none = -1

// node is a stretch of the block, free or taken. Stretches tile the block and
// are linked in order of offset; free ones are linked in their bin too.
type node struct {
	offset, size       uint64
	before, after      int32 // neighbours in the block
	prevFree, nextFree int32
	free               bool
}

// Block divides [0, size). Use New. It is not safe for concurrent use, and
// does not allocate once it has held as many stretches as it ever will.
type Block struct {
	size, used uint64
	count      int
	nodes      []node
	spare      []int32 // unused indices of nodes
	heads      [256]int32
	filled     [4]uint64 // bit per bin that is not empty
}

// New makes a block of size units, all free. It panics when size is 0.
func New(size uint64) *Block {
	if size == 0 {
		panic("suballoc: size 0")
	}
	b := &Block{size: size}
	for i := range b.heads {
		b.heads[i] = none
	}
	n := b.take()
	b.nodes[n] = node{size: size, before: none, after: none}
	b.insert(n)
	return b
}

// Size gives the units of the whole block.
func (b *Block) Size() uint64 { return b.size }

// Used gives the units that are taken.
func (b *Block) Used() uint64 { return b.used }

// Count gives how many spans are taken.
func (b *Block) Count() int { return b.count }

// bin gives the list for a size: four per power of two.
func bin(size uint64) int {
	fl := bits.Len64(size) - 1
	sl := 0
	if fl >= 2 {
		sl = int(size>>(fl-2)) & 3
	}
	return fl*4 + sl
}

func (b *Block) take() int32 {
	if n := len(b.spare); n > 0 {
		i := b.spare[n-1]
		b.spare = b.spare[:n-1]
		return i
	}
	b.nodes = append(b.nodes, node{})
	return int32(len(b.nodes) - 1)
}

func (b *Block) insert(i int32) {
	n := &b.nodes[i]
	k := bin(n.size)
	n.free, n.prevFree, n.nextFree = true, none, b.heads[k]
	if n.nextFree != none {
		b.nodes[n.nextFree].prevFree = i
	}
	b.heads[k] = i
	b.filled[k>>6] |= 1 << (k & 63)
}

func (b *Block) remove(i int32) {
	n := &b.nodes[i]
	k := bin(n.size)
	if n.prevFree != none {
		b.nodes[n.prevFree].nextFree = n.nextFree
	} else {
		b.heads[k] = n.nextFree
		if n.nextFree == none {
			b.filled[k>>6] &^= 1 << (k & 63)
		}
	}
	if n.nextFree != none {
		b.nodes[n.nextFree].prevFree = n.prevFree
	}
	n.free = false
}

// next gives the first bin from k on that is not empty, or 256.
func (b *Block) next(k int) int {
	for w := k >> 6; w < 4; w++ {
		m := b.filled[w]
		if w == k>>6 {
			m &= ^uint64(0) << (k & 63)
		}
		if m != 0 {
			return w<<6 + bits.TrailingZeros64(m)
		}
	}
	return 256
}

// Alloc takes size units at a multiple of align (any number; 0 means 1). ok is
// false when no stretch is large enough, or size is 0.
func (b *Block) Alloc(size, align uint64) (span Span, ok bool) {
	if size == 0 || size > b.size {
		return Span{}, false
	}
	if align == 0 {
		align = 1
	}
	for k := b.next(bin(size)); k < 256; k = b.next(k + 1) {
		for i := b.heads[k]; i != none; i = b.nodes[i].nextFree {
			pad := (align - b.nodes[i].offset%align) % align
			if n := b.nodes[i].size; pad < n && size <= n-pad {
				return b.carve(i, pad, size), true
			}
		}
		if k == 255 {
			break
		}
	}
	return Span{}, false
}

// carve takes size units of free stretch i, pad units from its start.
func (b *Block) carve(i int32, pad, size uint64) Span {
	b.remove(i)
	if pad > 0 {
		j := b.split(i, pad)
		b.insert(i)
		i = j
	}
	if b.nodes[i].size > size {
		b.insert(b.split(i, size))
	}
	b.used += size
	b.count++
	return Span{b.nodes[i].offset, size, i + 1}
}

// split cuts stretch i after size units and gives the stretch behind it.
func (b *Block) split(i int32, size uint64) int32 {
	j := b.take()
	n := &b.nodes[i]
	b.nodes[j] = node{offset: n.offset + size, size: n.size - size, before: i, after: n.after}
	if n.after != none {
		b.nodes[n.after].before = j
	}
	n.size, n.after = size, j
	return j
}

// Free gives a span back. It panics when the span is not taken.
func (b *Block) Free(s Span) {
	i := s.node - 1
	if i < 0 || int(i) >= len(b.nodes) || b.nodes[i].free || b.nodes[i].size != s.Size || b.nodes[i].offset != s.Offset {
		panic("suballoc: free of a span that is not taken")
	}
	b.used -= s.Size
	b.count--
	if j := b.nodes[i].after; j != none && b.nodes[j].free {
		b.remove(j)
		b.join(i, j)
	}
	if h := b.nodes[i].before; h != none && b.nodes[h].free {
		b.remove(h)
		b.join(h, i)
		i = h
	}
	b.insert(i)
}

// join makes stretch i swallow stretch j behind it.
func (b *Block) join(i, j int32) {
	n, m := &b.nodes[i], &b.nodes[j]
	n.size += m.size
	n.after = m.after
	if m.after != none {
		b.nodes[m.after].before = i
	}
	*m = node{}
	b.spare = append(b.spare, j)
}
