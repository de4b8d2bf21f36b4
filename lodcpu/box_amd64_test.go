//go:build !noasm

package lodcpu

import (
	"math/rand/v2"
	"testing"

	"github.com/vkterrain/vkterrain/terrain"
)

// TestBoxOfAnyVertices compares the boxes that assembly finds with those of its twin.
func TestBoxOfAnyVertices(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	layout := terrain.LayoutFor(65)
	m := measure{grid: layout.Grid, verts: make([]terrain.Vertex, len(layout.Grid))}
	for range 2000 {
		low, span := rng.IntN(1<<16), 1+rng.IntN(1<<16)
		for i := range m.verts {
			m.verts[i] = terrain.Vertex{Height: uint16(min(low+rng.IntN(span), 1<<16-1)), Coef: uint16(rng.Uint32()), SkyView: uint8(rng.Uint32())}
		}
		wide := make([]uint32, 1+rng.IntN(100))
		narrow := make([]uint16, len(wide))
		for i := range wide {
			wide[i] = rng.Uint32N(uint32(len(m.verts)))
			narrow[i] = uint16(wide[i])
		}
		least0, most0 := corners(&m, wide)
		least1, most1 := corners(&m, narrow)
		least, most := cornersGo(&m, wide)
		if least0 != least || most0 != most || least1 != least || most1 != most {
			t.Fatalf("%d vertices: from %+v to %+v and %+v to %+v, want %+v to %+v", len(wide), least0, most0, least1, most1, least, most)
		}
	}
}
