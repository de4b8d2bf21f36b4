package bake_test

import (
	"context"
	"image"
	"image/color"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// eachTile calls do with the layers of all tiles of f.
func eachTile(t *testing.T, f *terrain.Field, o bake.Options, do func(k terrain.Key, layers [][]byte, verts []terrain.Vertex)) {
	t.Helper()
	cells := o.TileSize - 1
	for y := range max(1, (f.Height-2)/cells+1) {
		for x := range max(1, (f.Width-2)/cells+1) {
			k := terrain.Key{X: int32(x), Y: int32(y)}
			layers, verts, err := bake.TileLayers(f, o, k)
			if err != nil {
				t.Fatal(err)
			}
			do(k, layers, verts)
		}
	}
}

// coefAt reads a coefficient of a layer.
func coefAt(b []byte) float64 {
	return float64(terrain.CoefMetres(uint16(b[0]) | uint16(b[1])<<8))
}

// grid collects a coefficient of all vertices of f, and fails t where two tiles
// differ about one.
func grid(t *testing.T, f *terrain.Field, o bake.Options, layer, offset int) (at func(x, z int) float64, width, height int) {
	all := map[[2]int]float64{}
	layout := terrain.LayoutFor(o.TileSize)
	eachTile(t, f, o, func(k terrain.Key, layers [][]byte, _ []terrain.Vertex) {
		each := len(layers[layer]) / len(layout.Grid)
		for id, g := range layout.Grid {
			p := [2]int{int(k.X)*layout.Cells + int(g.X), int(k.Y)*layout.Cells + int(g.Z)}
			v := coefAt(layers[layer][id*each+offset:])
			if was, ok := all[p]; ok && was != v && (p[0]%layout.Cells != 0 || p[1]%layout.Cells != 0) {
				t.Errorf("%v is %v and %v", p, was, v)
			}
			all[p] = v
			width, height = max(width, p[0]+1), max(height, p[1]+1)
		}
	})
	return func(x, z int) float64 { return all[[2]int{x, z}] }, width, height
}

// nested fails t unless the values of all vertices are at most those of their
// parents, which it calls own for.
func nested(t *testing.T, name string, at func(x, z int) float64, width, height, cells int, own func(x, z, s int, white bool)) {
	t.Helper()
	for z := range height {
		for x := range width {
			if x%cells == 0 && z%cells == 0 {
				continue
			}
			s := (x | z) & -(x | z)
			own(x, z, s, x&s != 0 && z&s != 0)
			for _, p := range testworld.Parents(x, z, cells) {
				if p[0] >= 0 && p[1] >= 0 && p[0] < width && p[1] < height && at(x, z) > at(p[0], p[1]) {
					t.Fatalf("%s of %d,%d is %v, above its parent's %v", name, x, z, at(x, z), at(p[0], p[1]))
				}
			}
		}
	}
}

// TestQuadtreeLayer: a node's coefficient bounds what its four edge midpoints do.
func TestQuadtreeLayer(t *testing.T) {
	f := testworld.Rough(50, 40, 5)
	o := bake.Options{TileSize: 17, Layers: []string{bake.LayerQuadtree}}
	c := terrain.Coefficients(f, 16, 0)
	at, width, height := grid(t, f, o, 0, 0)
	nested(t, "coefficient", at, width, height, 16, func(x, z, s int, white bool) {
		want := c.At(x, z)
		if white {
			want = max(c.At(x-s, z), c.At(x+s, z), c.At(x, z-s), c.At(x, z+s))
		}
		if got := at(x, z); got != float64(terrain.CoefMetres(terrain.CoefUp(float64(want)))) {
			t.Fatalf("coefficient of %d,%d is %v, want %v", x, z, got, want)
		}
	})
}

// TestBilLODLayer: both measures are at least a vertex's own, exactly that on the
// finest level, and nested.
func TestBilLODLayer(t *testing.T) {
	f := testworld.Rough(50, 40, 6)
	o := bake.Options{TileSize: 17, Layers: []string{bake.LayerBilLOD}}
	normal := func(x, z int) [3]float64 {
		x, z = min(x, f.Width-1), min(z, f.Height-1)
		x0, x1, z0, z1 := max(x-1, 0), min(x+1, f.Width-1), max(z-1, 0), min(z+1, f.Height-1)
		dx := float64(f.At(x1, z)-f.At(x0, z)) * f.Quantum / (float64(x1-x0) * f.Spacing)
		dz := float64(f.At(x, z1)-f.At(x, z0)) * f.Quantum / (float64(z1-z0) * f.Spacing)
		l := math.Sqrt(dx*dx + 1 + dz*dz)
		return [3]float64{-dx / l, 1 / l, -dz / l}
	}
	check := func(name string, x, z, s int, got, own float64) {
		if got < own-1e-9 || s == 1 && got > own*1.01+1e-9 {
			t.Fatalf("%s of %d,%d, spacing %d, is %v, its own %v", name, x, z, s, got, own)
		}
	}
	deviation, width, height := grid(t, f, o, 0, 0)
	nested(t, "deviation", deviation, width, height, 16, func(x, z, s int, white bool) {
		if !white || 2*s >= 16 {
			return
		}
		px, pz := (x/(4*s))*4*s+2*s, (z/(4*s))*4*s+2*s // the centre of the square that is twice as large
		a, b := normal(x, z), normal(px, pz)
		check("deviation", x, z, s, deviation(x, z), 1-a[0]*b[0]-a[1]*b[1]-a[2]*b[2])
	})
	delta, _, _ := grid(t, f, o, 0, 2)
	nested(t, "delta", delta, width, height, 16, func(x, z, s int, white bool) {
		if white {
			return
		}
		dx, dz := s, 0
		if z&s != 0 {
			dx, dz = 0, s
		}
		off := float64(2*f.At(x, z)-f.At(x-dx, z-dz)-f.At(x+dx, z+dz)) / 2 * f.Quantum
		check("delta", x, z, s, delta(x, z), math.Abs(off))
	})
}

// TestHorizonLayer looks north and then clockwise.
func TestHorizonLayer(t *testing.T) {
	f := testworld.Rough(40, 33, 2)
	o := bake.Options{TileSize: 17, Layers: []string{bake.LayerHorizon}}
	layout := terrain.LayoutFor(17)
	around := [8][2]int{{0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}}
	eachTile(t, f, o, func(k terrain.Key, layers [][]byte, _ []terrain.Vertex) {
		for id, g := range layout.Grid {
			x0, z0 := min(int(k.X)*16+int(g.X), f.Width-1), min(int(k.Y)*16+int(g.Z), f.Height-1)
			for i, d := range around {
				steepest := 0.0
				for n := 1; ; n++ {
					x, z := x0+n*d[0], z0+n*d[1]
					if x < 0 || z < 0 || x >= f.Width || z >= f.Height {
						break
					}
					run := float64(n) * math.Hypot(float64(d[0]), float64(d[1])) * f.Spacing
					steepest = max(steepest, float64(f.At(x, z)-f.At(x0, z0))*f.Quantum/run)
				}
				if got, want := float64(layers[0][8*id+i]), 255*math.Sin(math.Atan(steepest)); math.Abs(got-want) > 0.6 {
					t.Fatalf("horizon %d of %d,%d is %v, want %v", i, x0, z0, got, want)
				}
			}
		}
	})
}

// TestMaterialLayer: weights are 255 in all, cliffs are rock, summits snow.
func TestMaterialLayer(t *testing.T) {
	f := &terrain.Field{Width: 60, Height: 40, Spacing: 10, Quantum: 1, Samples: make([]int32, 60*40)}
	for i := range f.Samples {
		switch x := i % 60; {
		case x >= 30:
			f.Samples[i] = 400 // a cliff of 40 m a sample up to a plateau
		case x >= 20:
			f.Samples[i] = int32(40 * (x - 20))
		}
	}
	layout := terrain.LayoutFor(17)
	o := bake.Options{TileSize: 17, Layers: []string{bake.LayerColour, bake.LayerMaterial}}
	most := map[int]int{} // by x, the material with the largest weight
	eachTile(t, f, o, func(k terrain.Key, layers [][]byte, _ []terrain.Vertex) {
		for id, g := range layout.Grid {
			m := layers[1][4*id:][:4]
			if sum := int(m[0]) + int(m[1]) + int(m[2]) + int(m[3]); sum != 255 {
				t.Fatalf("weights %v are %d in all", m, sum)
			}
			x := min(int(k.X)*16+int(g.X), f.Width-1)
			most[x] = slices.Index(m, slices.Max(m))
			if c := layers[0][3*id:][:3]; m[3] > 250 && slices.Min(c) < 200 || m[0] > 250 && (c[1] < c[0] || c[1] < c[2]) {
				t.Fatalf("colour %v of weights %v", c, m)
			}
		}
	})
	if most[5] != 0 || most[25] != 1 || most[50] != 3 {
		t.Errorf("materials %v", most)
	}
}

// pixels makes a picture.
func pixels(w, h int, at func(x, z int) color.NRGBA) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for z := range h {
		for x := range w {
			m.SetNRGBA(x, z, at(x, z))
		}
	}
	return m
}

// TestPictures: a picture of the field's size is kept as it is, a larger one is
// averaged, a smaller one interpolated; weights become 255 in all.
func TestPictures(t *testing.T) {
	f := testworld.Rough(48, 32, 3)
	layout := terrain.LayoutFor(17)
	for _, c := range []struct {
		name string
		w, h int
		at   func(x, z int) color.NRGBA
		want func(x, z int) [3]float64
	}{
		{"same", 48, 32, func(x, z int) color.NRGBA { return color.NRGBA{uint8(5 * x), uint8(7 * z), 9, 255} },
			func(x, z int) [3]float64 { return [3]float64{5 * float64(x), 7 * float64(z), 9} }},
		{"checks", 192, 96, func(x, z int) color.NRGBA { return color.NRGBA{uint8((x + z) % 2 * 200), uint8(x / 4 * 5), 0, 255} },
			func(x, z int) [3]float64 { return [3]float64{100, 5 * float64(x), 0} }},
		{"coarse", 6, 4, func(x, z int) color.NRGBA { return color.NRGBA{uint8(40 * x), uint8(60 * z), 3, 255} },
			func(x, z int) [3]float64 {
				return [3]float64{40 * min(5, max(0, (float64(x)+0.5)/8-0.5)), 60 * min(3, max(0, (float64(z)+0.5)/8-0.5)), 3}
			}},
	} {
		m := pixels(c.w, c.h, c.at)
		o := bake.Options{TileSize: 17, Layers: []string{bake.LayerColour, bake.LayerMaterial}, Overlay: m}
		o.Mask = pixels(c.w, c.h, func(x, z int) color.NRGBA { return color.NRGBA{10, 20, 30, 40} })
		eachTile(t, f, o, func(k terrain.Key, layers [][]byte, _ []terrain.Vertex) {
			for id, g := range layout.Grid {
				x, z := min(int(k.X)*16+int(g.X), f.Width-1), min(int(k.Y)*16+int(g.Z), f.Height-1)
				want := c.want(x, z)
				for i := range want {
					if got := float64(layers[0][3*id+i]); math.Abs(got-want[i]) > 0.51 {
						t.Fatalf("%s: channel %d of %d,%d is %v, want %v", c.name, i, x, z, got, want[i])
					}
				}
				if got := layers[1][4*id:][:4]; !slices.Equal(got, []byte{26, 51, 76, 102}) {
					t.Fatalf("%s: weights %v", c.name, got)
				}
			}
		})
	}
}

func TestLayersRefused(t *testing.T) {
	f := plain(20, 20)
	grey := image.NewGray(image.Rect(0, 0, 4, 4))
	for _, c := range []struct {
		o     bake.Options
		words string
	}{
		{bake.Options{Layers: []string{"smell"}}, `layer "smell"`},
		{bake.Options{Layers: []string{"colour", "colour"}}, "named twice"},
		{bake.Options{Overlay: grey}, "without the layer of colours"},
		{bake.Options{Mask: grey}, "without the layer of materials"},
		{bake.Options{Mask: grey, Layers: []string{"material"}}, "no four channels"},
		{bake.Options{Overlay: image.NewGray(image.Rectangle{}), Layers: []string{"colour"}}, "without a pixel"},
	} {
		dir := t.TempDir()
		_, err := bake.Bake(context.Background(), f, c.o, filepath.Join(dir, "w.vkt"))
		if err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("error %v, want %q", err, c.words)
		}
		nothingIn(t, dir)
	}
}

// TestHolesAndNodes: the vertices of holes, and no others, see no sky; nodes bound
// the heights of their cells.
func TestHolesAndNodes(t *testing.T) {
	f := testworld.Rough(70, 50, 8)
	f.Void = make([]bool, len(f.Samples))
	for i := range f.Void {
		x, z := i%f.Width, i/f.Width
		f.Void[i] = x > 20 && x < 30 && z > 10
		if f.Void[i] {
			f.Samples[i] = 1 << 23
		}
	}
	for i := range f.Samples { // and one in a pit, without sky
		if x, z := i%f.Width, i/f.Width; x == 60 && z == 40 {
			f.Samples[i] = -30000
		}
	}
	g := f.Grid()
	err := bake.Sample(f, bake.Options{TileSize: 17}, func(info *terrain.TileInfo, verts []terrain.Vertex) {
		layout := terrain.LayoutFor(17)
		holes := false
		nodes := make([]terrain.Bounds, layout.Nodes()*layout.Nodes())
		for i := range nodes {
			nodes[i] = terrain.Bounds{Min: math.MaxInt32, Max: math.MinInt32}
		}
		for id, p := range layout.Grid {
			x, z := min(int(info.Key.X)*16+int(p.X), f.Width-1), min(int(info.Key.Y)*16+int(p.Z), f.Height-1)
			void := f.Void[z*f.Width+x]
			holes = holes || void
			if verts[id].Hole() != void {
				t.Fatalf("sample %d,%d: hole %v, want %v", x, z, verts[id].Hole(), void)
			}
			h := info.Base + int32(verts[id].Height)
			if h < g.Min || h > g.Max || !void && h != f.At(x, z) {
				t.Fatalf("sample %d,%d is %d", x, z, h)
			}
			side := layout.Cells / layout.Nodes()
			for i := range nodes {
				nx, nz := i%layout.Nodes()*side, i/layout.Nodes()*side
				if int(p.X) >= nx && int(p.X) <= nx+side && int(p.Z) >= nz && int(p.Z) <= nz+side {
					nodes[i].Min, nodes[i].Max = min(nodes[i].Min, h), max(nodes[i].Max, h)
				}
			}
		}
		if info.Holes != holes {
			t.Errorf("tile %v: holes %v, want %v", info.Key, info.Holes, holes)
		}
		if !slices.Equal(info.Nodes, nodes) {
			t.Errorf("tile %v: nodes %v, want %v", info.Key, info.Nodes, nodes)
		}
	})
	if err != nil {
		t.Error(err)
	}
	f.Void = slices.Repeat([]bool{true}, len(f.Samples))
	if _, err := bake.Bake(context.Background(), f, bake.Options{}, filepath.Join(t.TempDir(), "w")); err == nil || !strings.Contains(err.Error(), "all 3500 samples are holes") {
		t.Errorf("error %v", err)
	}
}

// TestLayersAreKept: the file has what was computed.
func TestLayersAreKept(t *testing.T) {
	f := testworld.Rough(90, 70, 4)
	f.Void = make([]bool, len(f.Samples))
	f.Void[13*90+64] = true // on a seam
	o := bake.Options{TileSize: 33, Layers: bake.Layers(), Workers: 2}
	r, _ := baked(t, f, o)
	layout, d := r.World().Layout(), chunkfile.NewDecoder()
	if got := r.World().Layers; len(got) != 5 || got[2] != (terrain.Layer{Name: bake.LayerHorizon, Bytes: 8}) {
		t.Fatalf("layers %v", got)
	}
	eachTile(t, f, o, func(k terrain.Key, layers [][]byte, _ []terrain.Vertex) {
		for n, layer := range r.World().Layers {
			got := make([]byte, len(layers[n]))
			for level := layout.Levels - 1; level >= 0; level-- {
				if err := r.ReadLayer(d, got, k, terrain.Level(level), n); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(got, layers[n]) {
				t.Fatalf("tile %v: layer %s differs", k, layer.Name)
			}
		}
	})
	for _, info := range r.Tiles() {
		if info.Holes != (info.Key.X > 0 && info.Key.Y == 0) || len(info.Nodes) != 64 {
			t.Errorf("tile %v: holes %v, %d nodes", info.Key, info.Holes, len(info.Nodes))
		}
	}
	if !r.World().Holes {
		t.Error("the world has no holes")
	}
}
