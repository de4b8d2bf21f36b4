package billod

import (
	"encoding/binary"
	"math"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// NewClassic returns a refiner that tests as published, with the thresholds and the
// measures that rule has at each call. Laws must come from it, see [Rule.Law].
func NewClassic(layout *terrain.Layout, topology lodcpu.Topology, rule *Rule, measures *Measures) *Refiner {
	r := New(layout, topology)
	r.classic = &classic{rule, measures}
	return r
}

// classic is what the published tests need beside a law.
type classic struct {
	rule     *Rule
	measures *Measures
}

// start makes the walk over t test as published.
func (c *classic) start(w *walk, t *terrain.Tile, law *lodcpu.Law) {
	w.measures, w.far = c.measures.Of(t.Info.Key), c.rule.thresholds.Far
	if len(w.measures) < MeasureBytes*len(w.verts) {
		panic("billod: measures of tile " + t.Info.Key.String() + " are missing")
	}
	// What the law reaches farther than was published, as from all places an eye may
	// move to. The far test has no say in whether an edge vertex of the finest nodes
	// is shown: there is no child below.
	more := law.A - c.rule.thresholds.Near
	if math.IsInf(law.A, 1) {
		more = law.A
	}
	for order, radius := range law.Radius {
		w.deltas[order] = more + float64(radius)
	}
	w.reaches[0] = w.deltas[0]
}

// measured returns how far the published tests reach from a vertex.
func (w *walk) measured(id uint32, order int) float64 {
	m := binary.LittleEndian.Uint32(w.measures[MeasureBytes*id:])
	deviation, delta := terrain.CoefMetres(uint16(m)), terrain.CoefMetres(uint16(m>>16))
	return max(w.far*float64(deviation)+w.reaches[order], w.b*float64(delta)+w.deltas[order])
}
