package chunkfile

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkterrain/vkterrain/terrain"
)

// TestSquaresFollow holds what finish relies on: the samples across, down and in the centre of
// a square follow each other, and those of its neighbour to the east follow them if its column is
// even.
func TestSquaresFollow(t *testing.T) {
	for size := 17; size <= 513; size = 2*size - 1 {
		layout := terrain.LayoutFor(size)
		g := newGeometry(layout, 0)
		if g.m%8 != 0 {
			t.Errorf("tiles of %d: %d squares a side", size, g.m)
		}
		for z := range g.m {
			for x := range g.m {
				id := g.across[z*g.m+x]
				if g.down[z*(g.m+1)+x] != id+1 || g.centres[z*g.m+x] != id+2 {
					t.Fatalf("tiles of %d: square (%d, %d) is apart", size, x, z)
				}
				if x%2 == 1 && g.across[z*g.m+x-1]+3 != id {
					t.Fatalf("tiles of %d: squares (%d, %d) and (%d, %d) are apart", size, x-1, z, x, z)
				}
			}
		}
	}
}

// TestFinish makes the vertices of a level both ways: square by square, and plane by plane
// with changes.
func TestFinish(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, size := range []int{17, 33, 129} {
		w := &terrain.World{Width: size, Height: size, TileSize: size, Spacing: 30, Quantum: 0.1}
		d := NewDecoder()
		for _, most := range []int32{1, 40, 3000, 65536} {
			d.begin(w, defaultTables, terrain.Key{}, 0)
			w.MaxError = float64(most%3) / 8
			d.shading = shading{sky: rng.Int32N(600) - 300, bend: rng.Float32() / 50}
			count := d.hi - d.lo
			d.fillRandom(rng, most)
			for i := range d.changes.edge {
				d.changes.edge[i] = make([]byte, d.borderLen())
				for k := range d.changes.edge[i] {
					d.changes.edge[i][k] = byte(rng.Uint32())
				}
			}

			got, want := make([]terrain.Vertex, count), make([]terrain.Vertex, count)
			d.finish(got)
			for _, p := range d.parts() {
				d.shadePart(p)
			}
			d.pack()
			d.change()
			d.store(want)
			if !slices.Equal(got, want) {
				t.Errorf("tile of %d, heights up to %d: not the same vertices", size, most)
			}
		}
	}
}

// fillRandom makes up the corners of a level and the residuals of its heights, and decodes
// these.
func (d *Decoder) fillRandom(rng *rand.Rand, most int32) {
	verts := make([]terrain.Vertex, d.lo)
	for i := range verts {
		verts[i] = terrain.Vertex{Height: uint16(rng.Int32N(most)), SkyView: uint8(rng.Uint32()), Curvature: uint8(rng.Uint32())}
	}
	for i := range d.residuals {
		d.residuals[i] = uint16(rng.Int32N(most))
	}
	d.load(verts)
	d.guessCentrePass()
	d.applyPart(d.parts()[0])
	d.guessMidpointPass()
	d.applyPart(d.parts()[1])
	d.applyPart(d.parts()[2])
}
