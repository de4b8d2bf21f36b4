package endless_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/endless"
	"github.com/vkterrain/vkterrain/terrain/synth"
)

func ground() *synth.Endless { return &synth.Endless{Spacing: 30, Quantum: 1.0 / 16, Seed: 1} }

func source(t testing.TB, o endless.Options) *endless.Source {
	t.Helper()
	o.Spacing, o.Quantum = 30, 1.0/16
	s, err := endless.New(ground(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func whole(t testing.TB, s *endless.Source, k terrain.Key) *terrain.Tile {
	t.Helper()
	tile, err := s.ReadTile(nil, k, 0)
	if err != nil {
		t.Fatal(err)
	}
	return tile
}

// TestAsOfAField: a tile is what it is in a field that reaches far around it.
func TestAsOfAField(t *testing.T) {
	const size = 33
	s := source(t, endless.Options{TileSize: size})
	layout := s.World().Layout()
	for _, k := range []terrain.Key{{}, {X: -7, Y: 5}, {X: 1000003, Y: -40}} {
		const around = 3
		n := (2*around+1)*layout.Cells + 1
		f := &terrain.Field{Width: n, Height: n, Spacing: 30, Quantum: 1.0 / 16, Samples: make([]int32, n*n)}
		ground().Heights(f.Samples, (int64(k.X)-around)*int64(layout.Cells), (int64(k.Y)-around)*int64(layout.Cells), n)
		c := terrain.Coefficients(f, layout.Cells, 1)
		tile := whole(t, s, k)
		for id, g := range layout.Grid {
			x, z := around*layout.Cells+int(g.X), around*layout.Cells+int(g.Z)
			v := tile.Verts[id]
			if h := tile.Info.Base + int32(v.Height); h != f.At(x, z) {
				t.Fatalf("tile %v, %v: height %d, want %d", k, g, h, f.At(x, z))
			}
			if want := terrain.CoefUp(float64(c.At(x, z))); v.Coef != want && !root(layout, g) {
				t.Fatalf("tile %v, %v: coefficient %v, want %v", k, g, terrain.CoefMetres(v.Coef), terrain.CoefMetres(want))
			}
		}
		// The field has other tiles, too.
		for order, r := range s.Radius() {
			if order > 0 && float64(r) < float64(int(1)<<(order/2))*30 {
				t.Errorf("radius of order %d is %v m", order, r)
			}
		}
	}
}

func root(l *terrain.Layout, g terrain.GridPos) bool {
	c := uint16(l.Cells)
	return g.X%c == 0 && g.Z%c == 0 || 2*g.X == c && 2*g.Z == c
}

// TestSeams: neighbours agree on all they share, wherever they are, and whoever is
// made first.
func TestSeams(t *testing.T) {
	const last = math.MaxInt32
	for _, at := range []terrain.Key{{}, {X: -1, Y: -1}, {X: -5, Y: 3}, {X: last - 1, Y: -last - 1}, {X: -last - 1, Y: last - 1}} {
		a, b := source(t, endless.Options{TileSize: 65}), source(t, endless.Options{TileSize: 65, Kept: 1})
		layout := a.World().Layout()
		east, south := at, at
		east.X++
		south.Y++
		whole(t, b, south) // in another order
		t0, t1, t2 := whole(t, a, at), whole(t, b, east), whole(t, b, south)
		for i := range layout.Size {
			for name, pair := range map[string][2]terrain.Vertex{
				"east":  {at1(layout, t0, layout.Cells, i), at1(layout, t1, 0, i)},
				"south": {at1(layout, t0, i, layout.Cells), at1(layout, t2, i, 0)},
			} {
				other := t1
				if name == "south" {
					other = t2
				}
				p, q := pair[0], pair[1]
				if t0.Info.Base+int32(p.Height) != other.Info.Base+int32(q.Height) || p.Coef != q.Coef || p.Normal != q.Normal || p.SkyView != q.SkyView || p.Curvature != q.Curvature {
					t.Fatalf("tile %v, %s seam at %d: %+v and %+v", at, name, i, p, q)
				}
			}
		}
	}
}

func at1(l *terrain.Layout, t *terrain.Tile, x, z int) terrain.Vertex {
	return t.Verts[l.ID[z*l.Size+x]]
}

// TestManyAtOnce asks from many goroutines for more than is kept.
func TestManyAtOnce(t *testing.T) {
	s, want := source(t, endless.Options{TileSize: 17, Kept: 9}), map[terrain.Key]string{}
	for i := range 36 {
		k := terrain.Key{X: int32(i%6) - 3, Y: int32(i/6) - 3}
		want[k] = fmt.Sprint(whole(t, s, k).Verts)
	}
	var wg sync.WaitGroup
	for g := range uint64(8) {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(g, 1))
			for range 60 {
				k := terrain.Key{X: int32(rng.IntN(6)) - 3, Y: int32(rng.IntN(6)) - 3}
				tile, err := s.ReadTile(nil, k, 0)
				if err != nil || fmt.Sprint(tile.Verts) != want[k] {
					t.Errorf("tile %v: %v", k, err)
				}
			}
		})
	}
	wg.Wait()
}

// TestHas: what is not there has no information.
func TestHas(t *testing.T) {
	s := source(t, endless.Options{TileSize: 17, Has: func(k terrain.Key) bool { return k.X >= 0 }})
	if info, err := s.Info(terrain.Key{X: -1}); info != nil || err != nil {
		t.Errorf("%+v, %v", info, err)
	}
	if info, err := s.Info(terrain.Key{X: 1}); info == nil || err != nil {
		t.Errorf("%+v, %v", info, err)
	}
	for _, o := range []endless.Options{{TileSize: 100, Spacing: 1, Quantum: 1}, {Quantum: 1}, {Spacing: math.NaN(), Quantum: 1}} {
		if _, err := endless.New(ground(), o); err == nil {
			t.Errorf("%+v is no good", o)
		}
	}
}

func BenchmarkTile(b *testing.B) {
	s := source(b, endless.Options{})
	x := int32(0)
	for b.Loop() {
		whole(b, s, terrain.Key{X: x})
		x++
	}
}
