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
	tiles map[terrain.Key]*measured
}

// measured is the measures of a tile, and what a rule made of them last.
type measured struct {
	bytes   atomic.Pointer[[]byte]
	reaches atomic.Pointer[reaches]
}

// reaches is how far vertices reach by a rule, but for what is the same for all of an
// order, in id order: metres, and below zero if nothing shows them. It is the cascade as
// a table: made once, and anew when thresholds turn or measures arrive.
type reaches struct {
	of      *[]byte
	rule    *Rule
	version uint64
	metres  []float32
}

// never is what no order adds enough to.
const never = -1e30

// NewMeasures returns room for the measures of tiles.
func NewMeasures(tiles []terrain.TileInfo) *Measures {
	m := &Measures{tiles: make(map[terrain.Key]*measured, len(tiles))}
	for i := range tiles {
		m.tiles[tiles[i].Key] = new(measured)
	}
	return m
}

// Of returns the measures that are there of a tile, in id order.
func (m *Measures) Of(k terrain.Key) []byte {
	if p := m.tiles[k].bytes.Load(); p != nil {
		return *p
	}
	return nil
}

// Put makes b the measures of a tile. It must not change from then on.
func (m *Measures) Put(k terrain.Key, b []byte) { m.tiles[k].bytes.Store(&b) }

// Truncate gives up the measures of all but the first n vertices of a tile, unless
// somebody puts others meanwhile.
func (m *Measures) Truncate(k terrain.Key, n int) {
	t := m.tiles[k]
	p := t.bytes.Load()
	if p == nil || len(*p) <= MeasureBytes*n {
		return
	}
	b := append([]byte(nil), (*p)[:MeasureBytes*n]...)
	if t.bytes.CompareAndSwap(p, &b) {
		t.reaches.Store(nil)
	}
}

// reaches returns the reaches of a tile's vertices by a rule.
func (m *Measures) reaches(layout *terrain.Layout, k terrain.Key, rule *Rule) []float32 {
	t := m.tiles[k]
	p := t.bytes.Load()
	if p == nil {
		return nil
	}
	if r := t.reaches.Load(); r != nil && r.of == p && r.rule == rule && r.version == rule.version {
		return r.metres
	}
	r := &reaches{of: p, rule: rule, version: rule.version, metres: make([]float32, len(*p)/MeasureBytes)}
	for id := range r.metres {
		g := layout.Grid[id]
		// An edge vertex of the finest nodes has no child below it.
		child := (g.X|g.Z)&1 == 0 || g.X&g.Z&1 == 1
		r.metres[id] = rule.reach(binary.LittleEndian.Uint32((*p)[MeasureBytes*id:]), child)
	}
	t.reaches.Store(r)
	return r.metres
}

// reach returns the reach of a vertex by its measures. What measures 0, with all its
// descendants, is not shown however near it is, but for the near threshold.
func (r *Rule) reach(measure uint32, child bool) float32 {
	reach, near := float64(never), r.Near()
	if child && near > 0 {
		reach = near
	}
	deviation, delta := terrain.CoefMetres(uint16(measure)), terrain.CoefMetres(uint16(measure>>16))
	if far := r.share * r.thresholds.Far; deviation > 0 && far > 0 {
		reach = max(reach, near+far*float64(deviation))
	}
	if detail := r.share * r.thresholds.Detail; delta > 0 && detail > 0 {
		reach = max(reach, detail*float64(delta))
	}
	return float32(reach)
}

// LargestDeviation returns the largest deviation of some measures.
func LargestDeviation(measures []byte) (worst float64) {
	for ; len(measures) >= MeasureBytes; measures = measures[MeasureBytes:] {
		worst = max(worst, float64(terrain.CoefMetres(binary.LittleEndian.Uint16(measures))))
	}
	return worst
}
