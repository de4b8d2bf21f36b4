package pipeline

import (
	"cmp"
	"slices"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// nearFirst puts tiles into the order in which they are drawn: the nearest first, so that
// what hills hide is not shaded.
type nearFirst struct{ list []distant }

// distant is something to draw, by the square of its horizontal distance.
type distant struct {
	distance float64
	index    int
}

// begin forgets all, and makes room for so many.
func (o *nearFirst) begin(n int) { o.list = slices.Grow(o.list[:0], n) }

// add adds the tile at k, which is known by index.
func (o *nearFirst) add(w *terrain.World, v *lodcpu.View, k terrain.Key, index int) {
	side := float64(w.Layout().Cells) * w.Spacing
	x := w.OriginX + (float64(k.X)+0.5)*side - v.Eye[0]
	z := w.OriginZ + (float64(k.Y)+0.5)*side - v.Eye[2]
	o.list = append(o.list, distant{x*x + z*z, index})
}

// sorted gives them in order. Those that are equally far away keep theirs.
func (o *nearFirst) sorted() []distant {
	slices.SortFunc(o.list, func(a, b distant) int {
		if c := cmp.Compare(a.distance, b.distance); c != 0 {
			return c
		}
		return a.index - b.index
	})
	return o.list
}
