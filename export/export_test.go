package export_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image/png"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/export"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/meshcheck"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
	"github.com/vkterrain/vkterrain/terrain/raster"
)

// bake writes the world of f to a file and opens it.
func bake(t *testing.T, f *terrain.Field, tile int, originX, originZ float64) *chunkfile.Reader {
	t.Helper()
	w := testworld.New(f, tile, originX, originZ)
	path := filepath.Join(t.TempDir(), "w.vkt")
	out, err := chunkfile.Create(path, &w.World, nil)
	if err != nil {
		t.Fatal(err)
	}
	nx, ny := w.Tiles()
	for i := range nx * ny {
		tile := w.Tile(terrain.Key{X: int32(i % nx), Y: int32(i / nx)}, 0)
		if err := out.WriteTile(tile.Info, tile.Verts); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := chunkfile.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func build(t *testing.T, r *chunkfile.Reader, o export.Options) *export.Mesh {
	t.Helper()
	m, err := export.Build(context.Background(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// checked is the mesh as package meshcheck takes it.
func checked(m *export.Mesh) *meshcheck.Mesh {
	c := &meshcheck.Mesh{Triangles: m.Triangles}
	for _, v := range m.Vertices {
		c.Vertices = append(c.Vertices, [3]float64{
			m.Origin[0] + float64(v.Column)*m.Spacing, float64(v.Height), m.Origin[2] + float64(v.Row)*m.Spacing,
		})
	}
	return c
}

// worst returns the largest vertical distance of f's samples from the mesh, found
// from above by brute force, and how many samples it does not cover.
func worst(f *terrain.Field, m *export.Mesh) (e float64, uncovered int) {
	seen := make([]bool, len(f.Samples))
	for _, t := range m.Triangles {
		a, b, c := &m.Vertices[t[0]], &m.Vertices[t[1]], &m.Vertices[t[2]]
		area := float64(b.Column-a.Column)*float64(c.Row-a.Row) - float64(c.Column-a.Column)*float64(b.Row-a.Row)
		for row := min(a.Row, b.Row, c.Row); row <= max(a.Row, b.Row, c.Row); row++ {
			for col := min(a.Column, b.Column, c.Column); col <= max(a.Column, b.Column, c.Column); col++ {
				u := (float64(col-a.Column)*float64(c.Row-a.Row) - float64(c.Column-a.Column)*float64(row-a.Row)) / area
				v := (float64(b.Column-a.Column)*float64(row-a.Row) - float64(col-a.Column)*float64(b.Row-a.Row)) / area
				if u < -1e-12 || v < -1e-12 || u+v > 1+1e-12 {
					continue
				}
				i := int(row)*f.Width + int(col)
				seen[i] = true
				drawn := float64(a.Height) + u*float64(b.Height-a.Height) + v*float64(c.Height-a.Height)
				e = max(e, math.Abs(drawn-float64(f.Samples[i])*f.Quantum))
			}
		}
	}
	for _, s := range seen {
		if !s {
			uncovered++
		}
	}
	return e, uncovered
}

func all(terrain.Key) bool { return true }

// TestMaxError asks for errors and measures them, on sizes that fill their tiles
// and sizes that do not.
func TestMaxError(t *testing.T) {
	for _, size := range [][2]int{{65, 65}, {100, 70}, {17, 130}, {66, 34}} {
		f := testworld.Rough(size[0], size[1], uint64(size[0]))
		r := bake(t, f, 33, 1e6, -1e6)
		triangles := math.MaxInt
		for _, limit := range []float64{0, 0.2, 1, 7, 30, 1e6} {
			m := build(t, r, export.Options{MaxError: limit, Workers: 3})
			e, uncovered := worst(f, m)
			if e > limit+1e-5 || uncovered > 0 || math.Abs(e-m.Error) > 1e-4 {
				t.Errorf("%v, at most %v m: %v m off, %v said; %d samples uncovered", size, limit, e, m.Error, uncovered)
			}
			if n, first := meshcheck.Watertight(r.World(), checked(m), all); n > 0 {
				t.Errorf("%v, at most %v m: %d faults: %s", size, limit, n, first)
			}
			if len(m.Triangles) > triangles {
				t.Errorf("%v: %d triangles at %v m, fewer at less", size, len(m.Triangles), limit)
			}
			triangles = len(m.Triangles)
			unique(t, m)
			needed(t, f, m, limit)
		}
	}
}

// needed wants no vertex that the limit does not ask for, but for the corners and
// centres of tiles of 32 cells and what stands for their padding.
func needed(t *testing.T, f *terrain.Field, m *export.Mesh, limit float64) {
	t.Helper()
	coefs := terrain.Coefficients(f, 32, 0)
	for _, v := range m.Vertices {
		x, z := int(v.Column), int(v.Row)
		if x%16 == 0 && z%16 == 0 && x%32 == z%32 || x == f.Width-1 || z == f.Height-1 {
			continue
		}
		if c := terrain.CoefMetres(terrain.CoefUp(float64(coefs.At(x, z)))); float64(c) <= limit {
			t.Errorf("at most %v m: vertex at column %d, row %d has coefficient %v", limit, x, z, c)
			return
		}
	}
}

// unique wants no two vertices at one place, and none that is not used.
func unique(t *testing.T, m *export.Mesh) {
	t.Helper()
	used := make([]bool, len(m.Vertices))
	for _, tri := range m.Triangles {
		for _, v := range tri {
			used[v] = true
		}
	}
	type place struct {
		column, row int32
		height      float32
	}
	seen := map[place]bool{}
	for i, v := range m.Vertices {
		p := place{v.Column, v.Row, v.Height}
		if seen[p] || !used[i] {
			t.Fatalf("vertex %d at %+v: there twice (%v), used %v", i, p, seen[p], used[i])
		}
		seen[p] = true
	}
}

// TestMaxErrorIsUsed wants the mesh to be as coarse as the coefficients allow: an
// error above all of them leaves the tiles' own corners and centres.
func TestMaxErrorIsUsed(t *testing.T) {
	r := bake(t, testworld.Rough(65, 65, 4), 33, 0, 0)
	if m := build(t, r, export.Options{MaxError: 1e6}); len(m.Triangles) != 4*4 {
		t.Errorf("%d triangles of 4 tiles", len(m.Triangles))
	}
	flat := &terrain.Field{Width: 65, Height: 65, Spacing: 1, Quantum: 1, Samples: make([]int32, 65*65)}
	if m := build(t, bake(t, flat, 33, 0, 0), export.Options{}); len(m.Triangles) != 4*4 {
		t.Errorf("%d triangles of a plain without error", len(m.Triangles))
	}
}

func TestView(t *testing.T) {
	f := testworld.Rough(130, 100, 9)
	r := bake(t, f, 33, 500, 700)
	v := lodcpu.View{
		Eye: [3]float64{500 + 650, 400, 700 + 1100}, Pitch: -0.4, FovY: 0.8, Width: 640, Height: 480, Tau: 3,
	}
	whole := build(t, r, export.Options{View: &v})
	if n, first := meshcheck.Watertight(r.World(), checked(whole), all); n > 0 {
		t.Errorf("%d faults: %s", n, first)
	}
	camera := &meshcheck.Camera{Eye: v.Eye, Yaw: v.Yaw, Pitch: v.Pitch, FovY: v.FovY, Width: v.Width, Height: v.Height}
	e := meshcheck.ScreenError(f, 500, 700, checked(whole), camera)
	if e.Worst > v.Tau || e.Uncovered > 0 || e.Checked == 0 || math.Abs(e.Worst-whole.ErrorPx) > 1e-3 {
		t.Errorf("%+v; said %v px", e, whole.ErrorPx)
	}
	seen := build(t, r, export.Options{View: &v, Cull: true})
	if seen.Tiles >= whole.Tiles || len(seen.Triangles) >= len(whole.Triangles) {
		t.Errorf("culled: %d tiles of %d, %d triangles of %d", seen.Tiles, whole.Tiles, len(seen.Triangles), len(whole.Triangles))
	}
	if e := meshcheck.ScreenError(f, 500, 700, checked(seen), camera); e.Worst > v.Tau || e.Uncovered > 0 {
		t.Errorf("culled: %+v", e)
	}
}

func TestWorkersAgree(t *testing.T) {
	r := bake(t, testworld.Rough(130, 100, 3), 17, 0, 0)
	one := build(t, r, export.Options{MaxError: 2, Workers: 1})
	many := build(t, r, export.Options{MaxError: 2, Workers: 7})
	if fmt.Sprint(*one) != fmt.Sprint(*many) {
		t.Error("the mesh depends on the number of workers")
	}
}

func TestClose(t *testing.T) {
	f := testworld.Rough(130, 100, 9)
	r := bake(t, f, 33, 0, 0)
	v := lodcpu.View{Eye: [3]float64{100, 300, 900}, Yaw: 0.9, Pitch: -0.2, FovY: 0.3, Width: 640, Height: 480, Tau: 3}
	for name, o := range map[string]export.Options{
		"whole": {MaxError: 3}, "part": {View: &v, Cull: true}, "narrow": {MaxError: 1e6},
	} {
		m := build(t, r, o)
		open := len(m.Triangles)
		m.Close(25)
		solid(t, name, m)
		if fan := len(m.Triangles) < 2*open; name == "whole" && !fan || name == "part" && fan {
			t.Errorf("%s: %d triangles, closed %d", name, open, len(m.Triangles))
		}
		lowest, floor := float32(math.Inf(1)), float32(math.Inf(1))
		for i, v := range m.Vertices {
			floor = min(floor, v.Height)
			if i < open && v.Height > floor {
				lowest = min(lowest, v.Height)
			}
		}
		if d := lowest - floor; d < 24.9 {
			t.Errorf("%s: the floor is %v m below", name, d)
		}
		again := len(m.Triangles)
		if m.Close(25); len(m.Triangles) != again {
			t.Errorf("%s: closed twice", name)
		}
	}
}

// solid wants every edge to have two triangles in opposite directions, and a
// volume.
func solid(t *testing.T, name string, m *export.Mesh) {
	t.Helper()
	edges := map[[2]uint32]int{}
	volume := 0.0
	for _, tri := range m.Triangles {
		var p [3][3]float64
		for i, v := range tri {
			edges[[2]uint32{v, tri[(i+1)%3]}]++
			q := m.Vertices[v]
			p[i] = [3]float64{float64(q.Column), float64(q.Height), float64(q.Row)}
		}
		a, b, c := p[0], p[1], p[2]
		volume += a[0]*(b[1]*c[2]-b[2]*c[1]) - a[1]*(b[0]*c[2]-b[2]*c[0]) + a[2]*(b[0]*c[1]-b[1]*c[0])
	}
	for e, n := range edges {
		if n != 1 || edges[[2]uint32{e[1], e[0]}] != 1 {
			t.Errorf("%s: edge %v has %d triangles, its other side %d", name, e, n, edges[[2]uint32{e[1], e[0]}])
			return
		}
	}
	if volume <= 0 {
		t.Errorf("%s: a volume of %v", name, volume)
	}
}

func TestRows(t *testing.T) {
	f := testworld.Rough(100, 70, 5)
	r := bake(t, f, 33, 0, 0)
	for level := range 3 {
		s := export.NewRows(context.Background(), r, terrain.Level(level), 2)
		step := 1 << level
		if s.Width != 99>>level+1 || s.Height != 69>>level+1 {
			t.Fatalf("level %d: %d×%d", level, s.Width, s.Height)
		}
		rows := make([]int32, s.Width*s.Height)
		void := make([]bool, len(rows))
		if err := s.Read(0, rows, void); err != nil {
			t.Fatal(err)
		}
		again := make([]int32, s.Width)
		for z := s.Height - 1; z >= 0; z-- {
			if err := s.Read(z, again, nil); err != nil {
				t.Fatal(err)
			}
			for x, h := range again {
				if want := f.At(x*step, z*step); h != want || rows[z*s.Width+x] != want || void[z*s.Width+x] {
					t.Fatalf("level %d, column %d, row %d: %d and %d, want %d", level, x, z, h, rows[z*s.Width+x], want)
				}
			}
		}
	}
}

func TestWritePNG(t *testing.T) {
	f := testworld.Rough(100, 70, 5)
	r := bake(t, f, 33, 0, 0)
	rows := export.NewRows(context.Background(), r, 0, 2)
	cal := &raster.Calibration{Unit: f.Quantum, Least: int64(r.World().Min), Spacing: 10}
	var b bytes.Buffer
	if err := export.WritePNG(&b, rows, cal); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range f.Samples {
		g, _, _, _ := img.At(i%100, i/100).RGBA()
		if int64(g)+cal.Least != int64(want) {
			t.Fatalf("sample %d is %d, want %d", i, int64(g)+cal.Least, want)
		}
	}
	cal.Least++
	if err := export.WritePNG(&b, rows, cal); err == nil || !strings.Contains(err.Error(), "16 bits") {
		t.Errorf("a height below the least: %v", err)
	}
}

// failing is a writer that takes so many bytes.
type failing struct{ room int }

var errFull = errors.New("full")

func (f *failing) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// TestWritersFail wants every writer to say that it could not write.
func TestWritersFail(t *testing.T) {
	r := bake(t, testworld.Rough(60, 60, 5), 33, 0, 0)
	rows := export.NewRows(context.Background(), r, 0, 2)
	m := build(t, r, export.Options{})
	for _, room := range []int{0, 20, 40, 2000, 4000} {
		f := func() *failing { return &failing{room} }
		for name, err := range map[string]error{
			"png":  export.WritePNG(f(), rows, &raster.Calibration{Unit: 1, Least: int64(r.World().Min)}),
			"raw":  export.WriteRaw(f(), rows, export.I32, 1, nil),
			"obj":  m.WriteOBJ(f(), export.YUp),
			"stl":  m.WriteSTL(f(), export.YUp),
			"glb":  m.WriteGLB(f()),
			"bin":  m.WriteGLTFBuffer(f()),
			"gltf": m.WriteGLTF(&failing{min(room, 20)}, "x.bin"),
		} {
			if !errors.Is(err, errFull) {
				t.Errorf("%s after %d bytes: %v", name, room, err)
			}
		}
	}
}

func TestWriteRaw(t *testing.T) {
	f := testworld.Rough(60, 60, 5)
	r := bake(t, f, 33, 0, 0)
	rows := export.NewRows(context.Background(), r, 0, 2)
	for _, n := range []export.Numbers{export.I16, export.I32, export.F32} {
		var b bytes.Buffer
		if err := export.WriteRaw(&b, rows, n, f.Quantum, nil); err != nil {
			t.Fatal(err)
		}
		if b.Len() != n.Bytes()*len(f.Samples) {
			t.Fatalf("%s: %d bytes", n, b.Len())
		}
		for i, want := range f.Samples {
			at := b.Bytes()[i*n.Bytes():]
			got := float64(int16(binary.LittleEndian.Uint16(at)))
			switch n {
			case export.I32:
				got = float64(int32(binary.LittleEndian.Uint32(at)))
			case export.F32:
				got = float64(math.Float32frombits(binary.LittleEndian.Uint32(at))) / f.Quantum
			}
			if got != float64(want) {
				t.Fatalf("%s: sample %d is %v, want %d", n, i, got, want)
			}
		}
	}
	if err := export.WriteRaw(new(bytes.Buffer), rows, export.U16, f.Quantum, nil); err == nil || !strings.Contains(err.Error(), "u16le") {
		t.Errorf("heights below 0 as u16: %v", err)
	}
}

func TestInterrupted(t *testing.T) {
	r := bake(t, testworld.Rough(60, 60, 5), 17, 0, 0)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := export.Build(ctx, r, export.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Build: %v", err)
	}
	if err := export.NewRows(ctx, r, 0, 2).Read(0, make([]int32, 60), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Read: %v", err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	o := export.Options{Workers: 2, Progress: func(done, total int) { cancel() }}
	if _, err := export.Build(ctx, r, o); !errors.Is(err, context.Canceled) {
		t.Errorf("Build, interrupted on the way: %v", err)
	}
}
