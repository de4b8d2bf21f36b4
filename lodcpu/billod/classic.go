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
	w.measures, w.far = c.measures.Of(t.Info.Key), c.rule.share*c.rule.thresholds.Far
	if len(w.measures) < MeasureBytes*len(w.verts) {
		panic("billod: measures of tile " + t.Info.Key.String() + " are missing")
	}
	// What the law reaches farther than was published, as from all places an eye may
	// move to.
	more := law.A - c.rule.Near()
	if math.IsInf(law.A, 1) {
		more = law.A
	}
	for order, radius := range law.Radius {
		w.deltas[order], w.least[order] = more+float64(radius), 0
		if c.rule.Near() > 0 || math.IsInf(w.reaches[order], 1) {
			w.least[order] = w.reaches[order]
		}
	}
	if !math.IsInf(more, 1) {
		// There is no child below an edge vertex of the finest nodes.
		w.least[0] = 0
	}
}

// measured returns how far the published tests reach from a vertex. What measures 0,
// with all its descendants, is not shown however near it is, but for the near threshold.
func (w *walk) measured(id uint32, order int) float64 {
	m := binary.LittleEndian.Uint32(w.measures[MeasureBytes*id:])
	reach := w.least[order]
	if deviation := uint16(m); deviation != 0 && w.far > 0 {
		reach = w.far*float64(terrain.CoefMetres(deviation)) + w.reaches[order]
	}
	if delta := uint16(m >> 16); delta != 0 && w.b > 0 {
		reach = max(reach, w.b*float64(terrain.CoefMetres(delta))+w.deltas[order])
	}
	return reach
}
