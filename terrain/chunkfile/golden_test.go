package chunkfile_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// tiny is the world of the annotated golden: two tiles of 3×3.
func tiny() *world {
	return fill(5, 3, 3, func(x, z int) terrain.Vertex {
		return terrain.Vertex{
			Height: uint16(100*x + 10*z), Coef: terrain.CoefUp(float64(x*z) / 4), Normal: terrain.EncodeNormal(0, 1, float64(x)/10),
			SkyView: uint8(250 - z), Curvature: uint8(128 + x),
		}
	})
}

// annotate prints a file of version 2 field by field: its header, its chunks, then
// what its tail holds once it is read as a stream.
func annotate(t *testing.T, b []byte) string {
	t.Helper()
	parts, ok := chunkfile.TakeApart(b)
	if !ok {
		t.Fatal("no file of version 2")
	}
	var out bytes.Buffer
	at := 0
	field := func(n int, name string, value any) {
		fmt.Fprintf(&out, "%4d  % -24x  %s", at, b[at:at+n], name)
		if value != nil {
			fmt.Fprintf(&out, " = %v", value)
		}
		out.WriteByte('\n')
		at += n
	}
	u32 := func(name string) int {
		v := binary.LittleEndian.Uint32(b[at:])
		field(4, name, v)
		return int(v)
	}
	i32 := func(name string) { field(4, name, int32(binary.LittleEndian.Uint32(b[at:]))) }
	f32 := func(name string) { field(4, name, math.Float32frombits(binary.LittleEndian.Uint32(b[at:]))) }
	f64 := func(name string) { field(8, name, math.Float64frombits(binary.LittleEndian.Uint64(b[at:]))) }
	u64 := func(name string) { field(8, name, binary.LittleEndian.Uint64(b[at:])) }
	text := func(name string) {
		n := int(binary.LittleEndian.Uint16(b[at:]))
		field(2+n, name, fmt.Sprintf("%q", b[at+2:at+2+n]))
	}

	field(8, "magic", nil)
	u32("version")
	u32("header bytes")
	u64("file bytes")
	u64("tail offset")
	field(8, "tail bytes", nil) // that of a compressed stream may change
	field(4, "tail CRC", nil)
	u32("kind")
	field(12, "zeros", nil)
	field(4, "header CRC", nil)
	for tail := 64 + len(parts.Chunks); at < tail; {
		field(min(16, tail-at), "chunks", nil)
	}
	fmt.Fprintf(&out, "the tail, read as a stream:\n")
	b, at = parts.World, 0
	for _, name := range []string{"width", "height", "tile size"} {
		u32(name)
	}
	radii, layers := u32("radii"), u32("layers")
	for _, name := range []string{"first column of tiles", "first row", "column after the last", "row after the last"} {
		u32(name)
	}
	i32("min")
	i32("max")
	for _, name := range []string{"spacing", "quantum", "origin x", "origin z", "max error", "mean"} {
		f64(name)
	}
	for range radii {
		f32("radius")
	}
	flags := b[at]
	field(1, "flags", nil)
	if flags&1 != 0 {
		for range 6 {
			f64("geotransform")
		}
	}
	text("CRS")
	text("vertical unit")
	text("note")
	for range layers {
		text("layer")
		field(1, "bytes", nil)
	}
	tables := chunkfile.TablesLen(parts.Directory)
	b, at = parts.Directory, 0
	field(18, "sky gains", nil)
	fmt.Fprintf(&out, "%4d  %d bytes of tables\n", at, tables-18)
	at = tables
	for at < len(b) {
		i32("  base")
		i32("  min")
		i32("  max")
		flags := b[at]
		field(1, "  flags", nil)
		f32("  level 0 coefficient")
		u32("    bytes")
		u32("    bytes of the heights")
		field(4, "    CRC", nil)
		if flags&2 != 0 {
			field(16, "  nodes", nil)
		}
	}
	return out.String()
}

func TestAnnotatedGolden(t *testing.T) {
	w := tiny()
	b := write(t, w)
	same(t, w, b)
	path := filepath.Join("testdata", "tiny.txt")
	got := annotate(t, b)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the bytes of a file have changed; if that is meant, add a version\n%s", got)
	}
}

// frozen is the world of testdata/v1.vkt, which is never written again. Its
// vertices come from integers alone.
func frozen() *world {
	w := fill(60, 40, 33, frozenVertex)
	w.Min, w.Max = -2917, 4070 // its padding was not made of clones
	return w
}

// frozenVertex is a vertex of it, padding included.
func frozenVertex(x, z int) terrain.Vertex {
	h := uint32(x*x*3+z*z*5+x*z)%4000 + uint32((x*7919+z*104729)%97)
	if x > 40 {
		h = 2000
	}
	return terrain.Vertex{
		Height: uint16(h), Coef: uint16(0x3f80 + h%512), Normal: [2]uint8{uint8(128 + x%9), uint8(128 - z%7)},
		SkyView: uint8(255 - h/64), Curvature: uint8(128 + h%32),
	}
}

// frozen2 is the world of testdata/v2.vkt, which is never written again: padding,
// holes, nodes, layers, a place on a planet, and levels that are lost.
func frozen2() *world {
	w := fill(60, 40, 33, func(x, z int) terrain.Vertex {
		h := uint32(x*x*3+z*z*5+x*z)%4000 + uint32((x*7919+z*104729)%97)
		v := terrain.Vertex{
			Height: uint16(h), Coef: uint16(0x3f80 + h%512), Normal: [2]uint8{uint8(128 + x%9), uint8(128 - z%7)},
			SkyView: uint8(255 - h/64), Curvature: 128,
		}
		if x > 40 && z > 30 {
			v.SkyView = 0
		}
		return v
	})
	w.Geo = terrain.Geo{CRS: "EPSG:32633", Transform: &[6]float64{5e5, 30, 0, 4e6, 0, -30}, PixelIsPoint: true, VerticalUnit: "metre"}
	w.Note = "made up"
	w.Layers = []terrain.Layer{{Name: "colour", Bytes: 3}, {Name: "rock", Bytes: 1}}
	n := w.Layout().Nodes()
	for i := range w.infos {
		t := &w.infos[i]
		for range n * n {
			t.Nodes = append(t.Nodes, terrain.Bounds{Min: t.Min, Max: t.Max})
		}
	}
	return w
}

// layersOf returns made-up layers of a tile.
func layersOf(w *world, i int) [][]byte {
	out := make([][]byte, len(w.Layers))
	for k, l := range w.Layers {
		for id, p := range w.Layout().Grid {
			v := int(w.verts[i][id].Height) / 16
			for b := range l.Bytes {
				x := int(w.infos[i].Key.X)*w.Layout().Cells + int(p.X) // padding is no copy of the rim
				out[k] = append(out[k], byte(v*(b+1)+x*k))
			}
		}
	}
	return out
}

// TestFrozenVersion2: every file ever written stays readable.
func TestFrozenVersion2(t *testing.T) {
	w := frozen2()
	path := filepath.Join("testdata", "v2.vkt")
	if _, err := os.Stat(path); *update && err != nil {
		tr := chunkfile.NewTrainer(&w.World)
		for i := range w.infos {
			tr.Add(w.infos[i].Key, w.verts[i])
		}
		wr, err := chunkfile.Create(path, &w.World, &chunkfile.WriterOptions{Tables: tr.Tables()})
		if err != nil {
			t.Fatal(err)
		}
		for i := range w.infos {
			if err := wr.WriteTile(&w.infos[i], w.verts[i], layersOf(w, i)...); err != nil {
				t.Fatal(err)
			}
		}
		if err := wr.Close(); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w.World.Holes = true // follows from the tiles
	same(t, w, b)
	r, err := open(b)
	if err != nil {
		t.Fatal(err)
	}
	d := chunkfile.NewDecoder()
	for i := range w.infos {
		want := layersOf(w, i)
		for k := range w.Layers {
			got := make([]byte, len(want[k]))
			for l := w.Layout().Levels - 1; l >= 0; l-- {
				if err := r.ReadLayer(d, got, w.infos[i].Key, terrain.Level(l), k); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(got, want[k]) {
				t.Errorf("tile %v: layer %d differs", w.infos[i].Key, k)
			}
		}
	}
	if err := damage(b); err != nil {
		t.Error(err)
	}
}

// TestVerifyFindsLayers: a damaged layer is found too.
func TestVerifyFindsLayers(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "v2.vkt"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := open(b)
	if err != nil {
		t.Fatal(err)
	}
	chunk, _ := r.LevelBytes(terrain.Key{}, terrain.Level(r.World().Layout().Levels-1))
	b[64+chunk+1] ^= 4
	if err := damage(b); err == nil || !strings.Contains(err.Error(), "layer colour") {
		t.Errorf("%v", err)
	}
}

// TestFrozenVersion1: every file ever written stays readable.
func TestFrozenVersion1(t *testing.T) {
	path := filepath.Join("testdata", "v1.vkt")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w := frozen()
	r, err := open(b)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(*r.World(), w.World) || r.Version() != 1 {
		t.Errorf("world %+v of version %d, want %+v", *r.World(), r.Version(), w.World)
	}
	d := chunkfile.NewDecoder()
	for _, info := range r.Tiles() {
		tile, err := r.ReadTile(d, info.Key, 0)
		if err != nil {
			t.Fatal(err)
		}
		for id, v := range tile.Verts {
			p := w.Layout().Grid[id]
			x, z := int(info.Key.X)*w.Layout().Cells+int(p.X), int(info.Key.Y)*w.Layout().Cells+int(p.Z)
			if want := frozenVertex(x, z); v != want {
				t.Fatalf("sample (%d, %d) is %+v, want %+v", x, z, v, want)
			}
		}
	}
	if err := damage(b); err != nil {
		t.Error(err)
	}
}

// TestZeroDecoder: a decoder that nobody made decodes as one that was, of every version.
func TestZeroDecoder(t *testing.T) {
	for _, name := range []string{"v1.vkt", "v2.vkt"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		r, err := open(b)
		if err != nil {
			t.Fatal(err)
		}
		for _, info := range r.Tiles() {
			var zero chunkfile.Decoder
			got, err := r.ReadTile(&zero, info.Key, 0)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if want, err := r.ReadTile(chunkfile.NewDecoder(), info.Key, 0); err != nil || !slices.Equal(got.Verts, want.Verts) {
				t.Errorf("%s, tile %v: not as decoded by NewDecoder's: %v", name, info.Key, err)
			}
		}
	}
}

// Example writes a world of one flat tile and reads it back.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "flat.vkt")

	w := &terrain.World{Width: 33, Height: 33, TileSize: 33, Spacing: 10, Quantum: 0.1}
	w.Radius = make([]float32, w.Layout().Orders())
	out, err := chunkfile.Create(path, w, nil)
	if err != nil {
		panic(err)
	}
	verts := make([]terrain.Vertex, len(w.Layout().Grid))
	if err := out.WriteTile(&terrain.TileInfo{}, verts); err != nil {
		panic(err)
	}
	if err := out.Close(); err != nil {
		panic(err)
	}

	r, err := chunkfile.OpenFile(path)
	if err != nil {
		panic(err)
	}
	defer r.Close()
	tile, err := r.ReadTile(chunkfile.NewDecoder(), terrain.Key{}, 1)
	if err != nil {
		panic(err)
	}
	fmt.Println(len(tile.Verts), "of", len(verts), "vertices at level", tile.Level)
	// Output: 289 of 1089 vertices at level 1
}
