package terrain_test

import (
	"math/rand/v2"
	"testing"

	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/terrain"
)

// TestMorphTargets: a target is the middle between two vertices of coarser levels,
// which stand on opposite sides and are no parents of the sample.
func TestMorphTargets(t *testing.T) {
	l := terrain.LayoutFor(65)
	rng := rand.New(rand.NewPCG(4, 4))
	verts := make([]terrain.Vertex, len(l.Grid))
	for i := range verts {
		verts[i].Height = uint16(rng.Uint32())
	}
	height := func(x, z int) uint32 { return uint32(verts[l.ID[z*l.Size+x]].Height) }
	for level := range l.Levels {
		lo, hi := l.Range(terrain.Level(level))
		got := make([]uint32, hi-lo)
		terrain.MorphTargets(l, verts, terrain.Level(level), got)
		for id := lo; id < hi; id++ {
			x, z := int(l.Grid[id].X), int(l.Grid[id].Z)
			want := 2 * height(x, z)
			if level < l.Levels-1 {
				order, s := orderOf(x, z)
				p := testworld.Parents(x, z, l.Cells)[0]
				dx, dz := p[0]-x, p[1]-z // to a parent: the edge is a quarter turn from it
				if order%2 == 0 {
					dx, dz = dx/s*s, dz/s*s
				}
				want = height(x-dz, z+dx) + height(x+dz, z-dx)
			}
			if got[id-lo] != want {
				t.Fatalf("level %d: the target of %d,%d is %d, want %d", level, x, z, got[id-lo], want)
			}
		}
	}
}
