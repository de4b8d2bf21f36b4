package lodcpu

import "github.com/vkterrain/vkterrain/terrain"

// Index is how an index is stored.
type Index interface{ uint16 | uint32 }

// mostNarrow is how many vertices indices of 16 bits are used for. Tiles have (2^k+1)²,
// so those of up to 129² do, and the next larger ones have more than 2^16. No index is
// then 0xffff, which restarts a strip where that is switched on.
const mostNarrow = 1 << 15

// FitsNarrow says whether indices of 16 bits are enough for a tile of the layout.
func FitsNarrow(layout *terrain.Layout) bool { return len(layout.Grid) <= mostNarrow }

// Narrower is a refiner that can write indices of 16 bits itself.
type Narrower interface {
	// Narrow returns the refiner that does, which may share memory with this one.
	Narrow() RefinerOf[uint16]
}

// Narrow returns a refiner that writes what inner does as indices of 16 bits, for a
// layout that [FitsNarrow]. If inner is no [Narrower], it refines into memory that stays
// in the processor's cache, as large as a tile can need, and what it wrote is packed
// from there: half as many bytes go to memory, and dst is never read.
func Narrow(inner Refiner, layout *terrain.Layout) RefinerOf[uint16] {
	if !FitsNarrow(layout) {
		panic("lodcpu: Narrow of tiles with more vertices than 16 bits can name")
	}
	if n, ok := inner.(Narrower); ok {
		return n.Narrow()
	}
	return &packer{inner: inner, wide: make([]uint32, inner.MaxIndices(0))}
}

// packer is what Narrow returns of a refiner that writes 32 bits only.
type packer struct {
	inner Refiner
	wide  []uint32 // what inner wrote of a tile
}

// MaxIndices implements [RefinerOf].
func (p *packer) MaxIndices(level terrain.Level) int { return p.inner.MaxIndices(level) }

// Refine implements [RefinerOf].
func (p *packer) Refine(dst []uint16, t *terrain.Tile, near *Neighbourhood, law *Law) (Counts, bool) {
	c, ok := p.inner.Refine(p.wide[:min(len(p.wide), len(dst))], t, near, law)
	if !ok {
		if len(dst) >= len(p.wide) {
			panic("lodcpu: a refiner needs more indices than its MaxIndices")
		}
		return c, false
	}
	pack(dst[:c.Indices], p.wide)
	return c, true
}

// packGo sets dst to the first words of src, which are below 2^15.
func packGo(dst []uint16, src []uint32) {
	src = src[:len(dst)]
	for i := range dst {
		dst[i] = uint16(src[i])
	}
}
