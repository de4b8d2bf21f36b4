package export_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vkterrain/vkterrain/export"
	"github.com/vkterrain/vkterrain/internal/meshcheck"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/raster"
)

// holed is a field with holes.
func holed() *terrain.Field { return testworld.Punch(testworld.Rough(100, 70, 5), 6, 3) }

func TestHolesInRows(t *testing.T) {
	f := holed()
	r := bake(t, f, 33, 0, 0)
	if !r.World().Holes {
		t.Fatal("the world has no holes")
	}
	rows := export.NewRows(context.Background(), r, 0, 2)
	heights, void := make([]int32, len(f.Samples)), make([]bool, len(f.Samples))
	if err := rows.Read(0, heights, void); err != nil {
		t.Fatal(err)
	}
	least, greatest := int32(math.MaxInt32), int32(math.MinInt32)
	for i := range void {
		if void[i] != f.Void[i] || !void[i] && heights[i] != f.Samples[i] {
			t.Fatalf("sample %d: %d, void %v; want %d, %v", i, heights[i], void[i], f.Samples[i], f.Void[i])
		}
		if !void[i] {
			least, greatest = min(least, heights[i]), max(greatest, heights[i])
		}
	}
	number := 65535
	cal := &raster.Calibration{Unit: f.Quantum, Least: int64(least), Void: &number}
	var b bytes.Buffer
	if err := export.WritePNG(&b, rows, cal); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	var raw, floats bytes.Buffer
	none := int64(-9999)
	if err := export.WriteRaw(&raw, rows, export.I32, f.Quantum, &none); err != nil {
		t.Fatal(err)
	}
	if err := export.WriteRaw(&floats, rows, export.F32, f.Quantum, nil); err != nil {
		t.Fatal(err)
	}
	if err := export.WriteRaw(io.Discard, rows, export.I32, f.Quantum, nil); err == nil {
		t.Error("holes are written as numbers though none stands for them")
	}
	if err := export.WritePNG(io.Discard, rows, &raster.Calibration{Unit: 1, Least: int64(least)}); err == nil {
		t.Error("holes are written as pixels though none stands for them")
	}
	for i := range void {
		g, _, _, _ := img.At(i%100, i/100).RGBA()
		n := int32(binary.LittleEndian.Uint32(raw.Bytes()[4*i:]))
		bits := binary.LittleEndian.Uint32(floats.Bytes()[4*i:])
		if void[i] != (g == 65535) || void[i] != (n == -9999) || void[i] != (bits == 0x7fc00000) {
			t.Fatalf("sample %d, void %v: %d, %d, %x", i, void[i], g, n, bits)
		}
	}
}

// TestHolesInMeshes wants meshes to be watertight but for the holes, and their error
// to hold where there are none; a solid stays one.
func TestHolesInMeshes(t *testing.T) {
	f := holed()
	r := bake(t, f, 33, 0, 0)
	v := lodcpu.View{Eye: [3]float64{500, 400, 1000}, Pitch: -0.5, FovY: 0.9, Width: 640, Height: 480, Tau: 2}
	for name, o := range map[string]export.Options{"0 m": {}, "3 m": {MaxError: 3}, "view": {View: &v}} {
		m := build(t, r, o)
		if n, first := meshcheck.WatertightBut(r.World(), checked(m), all, f); n > 0 {
			t.Errorf("%s: %d faults: %s", name, n, first)
		}
		if o.View == nil && m.Error > o.MaxError {
			t.Errorf("%s: %v m off", name, m.Error)
		}
		if len(m.Triangles) == 0 || len(m.Triangles) >= 2*99*69 {
			t.Errorf("%s: %d triangles", name, len(m.Triangles))
		}
		m.Close(20)
		closedSheet(t, name, m)
	}
}

// closedSheet wants as many triangles along an edge in one direction as in the
// other: two, or four where holes meet in a point.
func closedSheet(t *testing.T, name string, m *export.Mesh) {
	t.Helper()
	edges := map[[2]uint32]int{}
	for _, tri := range m.Triangles {
		for i, v := range tri {
			edges[[2]uint32{v, tri[(i+1)%3]}]++
		}
	}
	for e, n := range edges {
		if back := edges[[2]uint32{e[1], e[0]}]; back != n || n > 2 {
			t.Errorf("%s: edge %v has %d triangles, its other side %d", name, e, n, back)
			return
		}
	}
}

// TestSalvageHoles wants holes to stay where they are known, and whatever is lost
// to be either a height or a hole.
func TestSalvageHoles(t *testing.T) {
	f := holed()
	data := encoded(t, f, 33)
	rng := rand.New(rand.NewPCG(5, 6))
	lost := 0
	for range 40 {
		bad := bytes.Clone(data)
		bad[rng.IntN(len(bad))] ^= 4
		r, levels := damaged(t, bad)
		if r == nil {
			continue
		}
		s, err := export.Salvage(context.Background(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		heights, void := make([]int32, len(f.Samples)), make([]bool, len(f.Samples))
		if err := s.ReadRows(0, heights, void); err != nil {
			t.Fatal(err)
		}
		holes := int64(0)
		for i := range void {
			if void[i] {
				holes++
			}
			x, z := i%100, i/100
			if _, bad := levels[terrain.Key{X: int32(x / 32), Y: int32(z / 32)}]; bad || x%32 == 0 || z%32 == 0 {
				continue
			}
			if void[i] != f.Void[i] || !void[i] && heights[i] != f.Samples[i] {
				t.Fatalf("sample %d of a whole tile: %d, void %v", i, heights[i], void[i])
			}
		}
		if g := s.Grid(); g.Holes != holes {
			t.Errorf("%d holes, said %d", holes, g.Holes)
		}
		lost += len(levels)
	}
	if lost == 0 {
		t.Fatal("nothing was damaged")
	}
}
