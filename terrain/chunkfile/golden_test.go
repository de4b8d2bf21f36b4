package chunkfile_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
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

// annotate prints a file field by field.
func annotate(b []byte) string {
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
	u64 := func(name string) { field(8, name, binary.LittleEndian.Uint64(b[at:])) }
	crc := func(name string) { field(4, name, nil) }

	field(8, "magic", nil)
	u32("version")
	u32("header bytes")
	u64("file bytes")
	tiles := u32("tiles")
	entry := u32("directory entry bytes")
	crc("directory CRC")
	u32("width")
	u32("height")
	u32("tile size")
	radii := u32("radii")
	i32("min")
	i32("max")
	u32("flags")
	for _, name := range []string{"spacing", "quantum", "origin x", "origin z", "max error", "mean"} {
		field(8, name, math.Float64frombits(binary.LittleEndian.Uint64(b[at:])))
	}
	for range radii {
		f32("radius")
	}
	crc("header CRC")
	for range tiles {
		for _, name := range []string{"zoom", "x", "y", "base", "min", "max"} {
			i32("  " + name)
		}
		for l := range (entry - 24) / 24 {
			f32(fmt.Sprintf("  level %d coefficient", l))
			u64("    offset")
			u32("    bytes")
			u32("    bytes of the heights")
			crc("    CRC")
		}
	}
	for at < len(b) {
		field(min(16, len(b)-at), "chunks", nil)
	}
	return out.String()
}

func TestAnnotatedGolden(t *testing.T) {
	w := tiny()
	b := write(t, w)
	same(t, w, b)
	path := filepath.Join("testdata", "tiny.txt")
	got := annotate(b)
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
	return fill(60, 40, 33, func(x, z int) terrain.Vertex {
		h := uint32(x*x*3+z*z*5+x*z)%4000 + uint32((x*7919+z*104729)%97)
		if x > 40 {
			h = 2000
		}
		return terrain.Vertex{
			Height: uint16(h), Coef: uint16(0x3f80 + h%512), Normal: [2]uint8{uint8(128 + x%9), uint8(128 - z%7)},
			SkyView: uint8(255 - h/64), Curvature: uint8(128 + h%32),
		}
	})
}

// TestFrozenVersion1: every file ever written stays readable.
func TestFrozenVersion1(t *testing.T) {
	path := filepath.Join("testdata", "v1.vkt")
	if _, err := os.Stat(path); *update && err != nil {
		writeTo(t, frozen(), path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	same(t, frozen(), b)
	if err := damage(b); err != nil {
		t.Error(err)
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
	out, err := chunkfile.Create(path, w)
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
