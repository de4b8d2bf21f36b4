package soar_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
	"github.com/vkterrain/vkterrain/terrain"
)

// bisection is the refinement of a tile as it is defined: one triangle after the
// other, each vertex asked by the word of the law.
type bisection struct {
	layout *terrain.Layout
	tile   *terrain.Tile
	near   *lodcpu.Neighbourhood
	law    *lodcpu.Law
	all    map[[3]uint32]bool // rotated so that the least index comes first

	// The strip, as the article makes it.
	strip      []uint32
	tail, head uint32
	parity     int
}

type gridPos struct{ x, z int }

func bisect(layout *terrain.Layout, tile *terrain.Tile, near *lodcpu.Neighbourhood, law *lodcpu.Law) *bisection {
	b := &bisection{layout: layout, tile: tile, near: near, law: law, all: map[[3]uint32]bool{}}
	n := layout.Cells
	corners := [4]gridPos{{0, n}, {n, n}, {n, 0}, {0, 0}}
	b.tail, b.head = b.id(corners[0]), b.id(corners[0])
	b.strip = []uint32{b.head}
	for i, l := range corners {
		b.triangle(gridPos{n / 2, n / 2}, l, corners[(i+1)%4], 2*layout.Log2-2)
		b.append(b.id(corners[(i+1)%4]), 1)
	}
	return b
}

// append is the article's tstrip-append.
func (b *bisection) append(v uint32, parity int) {
	if v == b.tail || v == b.head {
		return
	}
	if parity == b.parity {
		b.strip = append(b.strip, b.tail)
	} else {
		b.tail = b.head
	}
	b.strip = append(b.strip, v)
	b.head, b.parity = v, parity
}

func (b *bisection) triangle(apex, l, r gridPos, order int) {
	m := gridPos{(l.x + r.x) / 2, (l.z + r.z) / 2}
	if order >= 0 && b.active(m, order) {
		b.triangle(m, l, apex, order-1)
		b.append(b.id(apex), order&1)
		b.triangle(m, apex, r, order-1)
		return
	}
	b.append(b.id(apex), order&1)
	if order&1 != 0 { // the winding alternates
		l, r = r, l
	}
	if b.clamped(apex, l, r) != 0 {
		b.all[rotated(b.id(apex), b.id(l), b.id(r))] = true
	}
}

func (b *bisection) id(p gridPos) uint32 { return b.layout.ID[p.z*b.layout.Size+p.x] }

// clamped returns twice the area of a triangle as it is drawn.
func (b *bisection) clamped(p, q, r gridPos) int {
	k := b.tile.Info.Key
	for _, v := range []*gridPos{&p, &q, &r} {
		v.x = min(v.x, int(b.law.RimColumn)-int(k.X)*b.layout.Cells)
		v.z = min(v.z, int(b.law.RimLine)-int(k.Y)*b.layout.Cells)
	}
	return (q.x-p.x)*(r.z-p.z) - (r.x-p.x)*(q.z-p.z)
}

func (b *bisection) active(p gridPos, order int) bool {
	level := int(b.near.Level())
	if order < 2*level {
		return false
	}
	reach := b.near.Reach(1 << (order / 2))
	if !reach.Eligible(p.x, p.z, b.layout.Cells) {
		return false
	}
	v, k, l := b.tile.Verts[b.id(p)], b.tile.Info.Key, b.law
	column := min(int(k.X)*b.layout.Cells+p.x, int(l.RimColumn))
	row := min(int(k.Y)*b.layout.Cells+p.z, int(l.RimLine))
	x := l.OriginX + float64(float64(column)*l.Spacing) - l.Eye[0]
	y := float64(float64(b.tile.Info.Base+int32(v.Height))*l.Quantum) - l.Eye[1]
	z := l.OriginZ + float64(float64(row)*l.Spacing) - l.Eye[2]
	c := float64(terrain.CoefMetres(v.Coef))
	d := float64(c*l.B) + (l.A + float64(l.Radius[order]))
	if float64(x*x)+float64(z*z)+float64(y*y) >= float64(d*d) {
		return false
	}
	_, visible := l.Cull.Sees(l.Cull.Sides(), x, y, z, l.Ball(order)+c)
	return visible
}

func rotated(a, b, c uint32) [3]uint32 {
	for b < a || c < a {
		a, b, c = b, c, a
	}
	return [3]uint32{a, b, c}
}

// TestRefineIsTheBisection compares the triangles of tiles of all sizes with
// those of the definition, and the strips index by index: mixed levels, culling,
// padding and all.
func TestRefineIsTheBisection(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	rounds := 60
	if testing.Short() {
		rounds = 15
	}
	for _, size := range []int{3, 5, 9, 17, 33, 65, 129, 257} {
		cells := size - 1
		refined := 0
		for _, width := range []int{2*cells + 1, cells + 1 + rng.IntN(cells)} {
			f := testworld.Rough(width, 2*cells+1-rng.IntN(2)*rng.IntN(cells), uint64(size))
			w := testworld.New(f, size, rng.NormFloat64()*1e4, 0)
			var list [2]*soar.Refiner
			for i := range list {
				list[i] = soar.New(w.Layout(), lodcpu.Topology(i))
			}
			for round := range max(rounds*33/(size+32), 4) {
				s := &scene{w, map[terrain.Key]int8{}}
				for k := range w.Infos {
					s.levels[k] = int8(rng.IntN(w.Layout().Levels))
					if rng.IntN(2) == 0 {
						s.levels[k] = 0
					}
				}
				law := culled(randomView(rng, f, float64(1+rng.IntN(8))), &w.World, rng)
				law.Eye[0] += w.OriginX
				if round == 0 {
					law = lodcpu.FullLaw(&w.World)
				}
				for k, level := range s.levels {
					near := s.near(k)
					want := bisect(w.Layout(), w.Tile(k, terrain.Level(level)), &near, &law)
					for i, r := range list {
						refined += compare(t, w, r, lodcpu.Topology(i), k, &near, &law, want)
					}
				}
			}
		}
		if refined < 10 {
			t.Errorf("size %d: only %d triangles", size, refined)
		}
	}
}

// compare refines tile k and returns how many triangles it got, if those that it should.
func compare(t *testing.T, w *testworld.World, r *soar.Refiner, topology lodcpu.Topology, k terrain.Key, near *lodcpu.Neighbourhood, law *lodcpu.Law, want *bisection) int {
	t.Helper()
	tile := w.Tile(k, near.Level())
	dst := make([]uint32, r.MaxIndices(near.Level()))
	c, ok := r.Refine(dst, tile, near, law)
	if !ok {
		t.Fatal("MaxIndices is too small")
	}
	b := &bisection{layout: w.Layout(), tile: tile, law: law}
	got := 0
	lodcpu.Triangles(topology, dst[:c.Indices], func(i, j, k uint32) {
		var p [3]gridPos
		for n, id := range [3]uint32{i, j, k} {
			p[n] = gridPos{int(w.Layout().Grid[id].X), int(w.Layout().Grid[id].Z)}
		}
		if topology == lodcpu.Strip && b.clamped(p[0], p[1], p[2]) == 0 {
			return
		}
		if got++; !want.all[rotated(i, j, k)] {
			t.Fatalf("%v, tile %v of %d², levels %v: triangle %v should not be drawn", topology, k, w.TileSize, *near, p)
		}
	})
	if got != len(want.all) || c.Triangles != got {
		t.Fatalf("%v, tile %v of %d², levels %v: %d triangles, counted %d, want %d", topology, k, w.TileSize, *near, got, c.Triangles, len(want.all))
	}
	if topology == lodcpu.Strip && !slices.Equal(dst[:c.Indices], want.strip) {
		t.Fatalf("tile %v of %d², levels %v: not the strip of the article", k, w.TileSize, *near)
	}
	return got
}
