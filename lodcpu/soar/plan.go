package soar

import (
	"sync"
	"unsafe"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// plan is what all tiles of one layout have in common: the tiers, finest first. A
// tier is the vertices of one spacing, 2^t cells: a white one in the centre of each
// square of twice that side, a block, and black ones in the middle of its edges.
//
// Blocks are numbered along a Morton curve, so those that block b is cut into are
// 4b to 4b+3 of the next finer tier. Where a tier is a level of its own, which all
// but the coarsest are, the vertices of block b are three in a row, from id
// first+3b on: the middle of its north edge, that of its west edge, its centre. Those
// of the coarsest tiers, which make one level together, are copied so that they are.
type plan struct {
	layout *terrain.Layout
	tiers  []tier
	levels int      // tiers that are levels of their own
	coarse []uint32 // ids of the vertices that are copied
}

type tier struct {
	spacing int // cells
	side    int // blocks a side
	first   int // place of the first block's first vertex, in the tile or in the copy
	rings   []ring
	narrow  []ringOf[uint16] // the same in 16 bits, where that is enough
	// ids of the middles of the edges of blocks on the tile's east and south rim
	east, south []uint32
}

// ring is the ids of the vertices of a block: around it from the north-west corner
// by north, and its centre.
type ring = ringOf[uint32]

type ringOf[I lodcpu.Index] [9]I

// ringsOf returns the rings of a tier in one size.
func ringsOf[I lodcpu.Index](t *tier) []ringOf[I] {
	if unsafe.Sizeof(I(0)) == 2 {
		return *(*[]ringOf[I])(unsafe.Pointer(&t.narrow))
	}
	return *(*[]ringOf[I])(unsafe.Pointer(&t.rings))
}

// narrowRings returns rings in 16 bits.
func narrowRings(rings []ring) []ringOf[uint16] {
	narrow := make([]ringOf[uint16], len(rings))
	for b := range rings {
		for j, id := range rings[b] {
			narrow[b][j] = uint16(id)
		}
	}
	return narrow
}

// Places in a ring.
const (
	northWest = iota
	north
	northEast
	east
	southEast
	south
	southWest
	west
	centre
)

var plans sync.Map // *terrain.Layout -> *plan

// planFor returns the plan of a layout. Safe for concurrent use.
func planFor(l *terrain.Layout) *plan {
	if p, ok := plans.Load(l); ok {
		return p.(*plan)
	}
	p, _ := plans.LoadOrStore(l, newPlan(l))
	return p.(*plan)
}

func newPlan(l *terrain.Layout) *plan {
	p := &plan{layout: l, tiers: make([]tier, l.Log2), levels: l.Levels - 1}
	for i := range p.tiers {
		s := 1 << i
		t := tier{spacing: s, side: l.Cells / (2 * s)}
		if t.first = len(p.coarse); i < p.levels {
			t.first, _ = l.Range(terrain.Level(i))
		}
		t.rings = make([]ring, t.side*t.side)
		for b := range t.rings {
			x, z := unweave(b)
			x, z = 2*s*x, 2*s*z
			if i >= p.levels {
				p.coarse = append(p.coarse, l.ID[z*l.Size+x+s], l.ID[(z+s)*l.Size+x], l.ID[(z+s)*l.Size+x+s])
			}
			for j, d := range [9][2]int{{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}, {1, 1}} {
				t.rings[b][j] = l.ID[(z+d[1]*s)*l.Size+x+d[0]*s]
			}
		}
		rim := l.Cells
		for m := s; m < rim; m += 2 * s {
			t.east = append(t.east, l.ID[m*l.Size+rim])
			t.south = append(t.south, l.ID[rim*l.Size+m])
		}
		if lodcpu.FitsNarrow(l) {
			t.narrow = narrowRings(t.rings)
		}
		p.tiers[i] = t
	}
	return p
}

// unweave returns the column and row of block b along a Morton curve.
func unweave(b int) (x, z int) {
	for i := 0; b>>(2*i) != 0; i++ {
		x |= b >> (2 * i) & 1 << i
		z |= b >> (2*i + 1) & 1 << i
	}
	return x, z
}
