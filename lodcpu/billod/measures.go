package billod

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/vkterrain/vkterrain/terrain"
)

// MeasureBytes is the size of what the published tests measure at a vertex, as it is
// stored: one less the cosine of the angle between the normals of a child and its
// parent, then how far in metres an edge vertex is from the middle of its edge. Both
// are coded by [terrain.CoefUp], little endian, and are the largest over the vertex
// and all its descendants.
const MeasureBytes = 4

// Measures holds the measures of a world's tiles. Those of a tile are replaced, never
// changed: one goroutine a tile may put some while others refine with them.
type Measures struct {
	tiles map[terrain.Key]*atomic.Pointer[[]byte]
}

// NewMeasures returns room for the measures of tiles.
func NewMeasures(tiles []terrain.TileInfo) *Measures {
	m := &Measures{tiles: make(map[terrain.Key]*atomic.Pointer[[]byte], len(tiles))}
	for i := range tiles {
		m.tiles[tiles[i].Key] = new(atomic.Pointer[[]byte])
	}
	return m
}

// Of returns the measures that are there of a tile, in id order.
func (m *Measures) Of(k terrain.Key) []byte {
	if p := m.tiles[k].Load(); p != nil {
		return *p
	}
	return nil
}

// Put makes b the measures of a tile. It must not change from then on.
func (m *Measures) Put(k terrain.Key, b []byte) { m.tiles[k].Store(&b) }

// Truncate gives up the measures of all but the first n vertices of a tile, unless
// somebody puts others meanwhile.
func (m *Measures) Truncate(k terrain.Key, n int) {
	p := m.tiles[k].Load()
	if p == nil || len(*p) <= MeasureBytes*n {
		return
	}
	b := append([]byte(nil), (*p)[:MeasureBytes*n]...)
	m.tiles[k].CompareAndSwap(p, &b)
}

// LargestDeviation returns the largest deviation of some measures.
func LargestDeviation(measures []byte) (worst float64) {
	for ; len(measures) >= MeasureBytes; measures = measures[MeasureBytes:] {
		worst = max(worst, float64(terrain.CoefMetres(binary.LittleEndian.Uint16(measures))))
	}
	return worst
}
