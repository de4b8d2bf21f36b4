package export_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vkterrain/vkterrain/export"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/meshcheck"
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

// closedSheet wants two triangles along every edge, in opposite directions, also
// where vertices are known by their places in an STL alone.
func closedSheet(t *testing.T, name string, m *export.Mesh) {
	t.Helper()
	var b bytes.Buffer
	if err := m.WriteSTL(&b, export.ZUp); err != nil {
		t.Fatal(err)
	}
	places, indices := map[[2][12]byte]int{}, map[[2]uint32]int{}
	for i, tri := range m.Triangles {
		var p [3][12]byte
		for k := range p {
			p[k] = [12]byte(b.Bytes()[84+50*i+12+12*k:])
		}
		for k, v := range tri {
			indices[[2]uint32{v, tri[(k+1)%3]}]++
			places[[2][12]byte{p[k], p[(k+1)%3]}]++
		}
	}
	manifold(t, name+", indices", indices)
	manifold(t, name+", places", places)
}

// manifold wants every directed edge once, and once the other way.
func manifold[V comparable](t *testing.T, name string, edges map[[2]V]int) {
	t.Helper()
	faults := 0
	for e, n := range edges {
		if back := edges[[2]V{e[1], e[0]}]; back != 1 || n != 1 {
			faults++
		}
	}
	if faults > 0 {
		t.Errorf("%s: %d of %d edges do not have one triangle on each side", name, faults, len(edges))
	}
}

// TestCloseCorners closes meshes whose holes meet in points, of each other and of the
// rim, in all ways around a sample.
func TestCloseCorners(t *testing.T) {
	for name, holes := range map[string][][2]int{
		"diagonal":       {{10, 10}, {12, 12}},
		"other diagonal": {{12, 10}, {10, 12}},
		"rim":            {{1, 20}, {20, 1}, {38, 15}, {15, 38}},
		"four":           {{20, 18}, {20, 22}, {18, 20}, {22, 20}},
		"checkers":       {{8, 8}, {10, 10}, {12, 12}, {12, 8}, {8, 12}, {10, 14}, {14, 10}, {14, 14}, {16, 16}},
	} {
		f := testworld.Rough(40, 40, 3)
		f.Void = make([]bool, len(f.Samples))
		for _, h := range holes {
			f.Void[h[1]*40+h[0]] = true
		}
		r := bake(t, f, 17, 0, 0)
		for _, most := range []float64{0, 2, 50} {
			m := build(t, r, export.Options{MaxError: most})
			before, off := len(m.Vertices), m.Error
			m.Close(5)
			closedSheet(t, fmt.Sprintf("%s, %v m", name, most), m)
			moved := 0
			for _, v := range m.Vertices {
				if d := math.Hypot(float64(v.Shift[0]), float64(v.Shift[1])) / 8192; d != 0 {
					moved++
					if math.Abs(d-export.Moved) > 1e-4 {
						t.Errorf("%s: a vertex is moved by %v samples", name, d)
					}
				}
			}
			if most == 0 && name != "four" && moved == 0 || len(m.Vertices) <= before || m.Error != off {
				t.Errorf("%s, %v m: %d vertices are moved", name, most, moved)
			}
			facesUp(t, name, m)
		}
	}
}

// facesUp wants triangles of the surface, which lies above the floor, to face up still.
func facesUp(t *testing.T, name string, m *export.Mesh) {
	t.Helper()
	floor := m.Vertices[0].Height
	for _, v := range m.Vertices {
		floor = min(floor, v.Height)
	}
	place := func(v export.Vertex) (x, z float64) {
		return float64(v.Column) + float64(v.Shift[0])/8192, float64(v.Row) + float64(v.Shift[1])/8192
	}
	for i, tri := range m.Triangles {
		a, b, c := m.Vertices[tri[0]], m.Vertices[tri[1]], m.Vertices[tri[2]]
		x, z := place(a)
		x1, z1 := place(b)
		x2, z2 := place(c)
		if area := (x1-x)*(z2-z) - (x2-x)*(z1-z); min(a.Height, b.Height, c.Height) > floor && area >= 0 {
			t.Errorf("%s: triangle %d does not face up: %v", name, i, area)
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
