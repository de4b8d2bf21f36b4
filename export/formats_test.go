package export_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/export"
	"github.com/vkterrain/vkterrain/internal/testworld"
)

// document is a glTF, read by the names of its specification.
type document struct {
	Asset  struct{ Version string }
	Scene  int
	Scenes []struct{ Nodes []int }
	Nodes  []struct {
		Mesh   int
		Extras struct {
			Origin [3]float64 `json:"origin_m"`
		}
	}
	Meshes []struct {
		Primitives []struct {
			Attributes map[string]int
			Indices    int
			Mode       int
		}
	}
	Accessors []struct {
		BufferView, ComponentType, Count int
		Type                             string
		Min, Max                         []float64
	}
	BufferViews []struct{ Buffer, ByteOffset, ByteLength, Target int }
	Buffers     []struct {
		URI        string
		ByteLength int
	}
}

// floats and indices read an accessor.
func (d *document) view(a int, buffer []byte) []byte {
	v := d.BufferViews[d.Accessors[a].BufferView]
	return buffer[v.ByteOffset : v.ByteOffset+v.ByteLength]
}

func (d *document) vectors(t *testing.T, a int, buffer []byte) (out [][3]float32) {
	t.Helper()
	b := d.view(a, buffer)
	if acc := d.Accessors[a]; acc.Type != "VEC3" || acc.ComponentType != 5126 || len(b) != 12*acc.Count {
		t.Fatalf("accessor %d: %+v over %d bytes", a, acc, len(b))
	}
	for ; len(b) > 0; b = b[12:] {
		var v [3]float32
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
		out = append(out, v)
	}
	return out
}

func parseGLTF(t *testing.T, text []byte) *document {
	t.Helper()
	d := new(document)
	if err := json.Unmarshal(text, d); err != nil {
		t.Fatal(err)
	}
	return d
}

// glb takes a binary glTF apart, as its specification says.
func glb(t *testing.T, b []byte) (text, buffer []byte) {
	t.Helper()
	u32 := func(at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }
	if string(b[:4]) != "glTF" || u32(4) != 2 || u32(8) != len(b) || string(b[16:20]) != "JSON" || len(b)%4 != 0 {
		t.Fatalf("head %q of %d bytes", b[:20], len(b))
	}
	n := u32(12)
	if n%4 != 0 || string(b[20+n+4:20+n+8]) != "BIN\x00" || u32(20+n) != len(b)-20-n-8 {
		t.Fatalf("chunks of %d and %d bytes in %d", n, u32(20+n), len(b))
	}
	return b[20 : 20+n], b[20+n+8:]
}

func TestGLTF(t *testing.T) {
	r := bake(t, testworld.Rough(100, 70, 5), 33, 3e6, -2e6)
	m := build(t, r, export.Options{MaxError: 2})
	var single, text, bin bytes.Buffer
	if err := m.WriteGLB(&single); err != nil {
		t.Fatal(err)
	}
	if err := m.WriteGLTF(&text, "b%20c.bin"); err != nil {
		t.Fatal(err)
	}
	if err := m.WriteGLTFBuffer(&bin); err != nil {
		t.Fatal(err)
	}
	inner, buffer := glb(t, single.Bytes())
	if !bytes.Equal(buffer, bin.Bytes()) {
		t.Error("the buffer in a file differs from the one beside it")
	}
	d := parseGLTF(t, inner)
	two := parseGLTF(t, text.Bytes())
	if two.Buffers[0].URI != "b%20c.bin" || d.Buffers[0].URI != "" {
		t.Errorf("buffers at %q and %q", two.Buffers[0].URI, d.Buffers[0].URI)
	}
	if two.Buffers[0].URI = ""; !reflect.DeepEqual(d, two) {
		t.Error("the two forms describe different things")
	}
	if d.Asset.Version != "2.0" || d.Nodes[0].Extras.Origin != [3]float64{3e6, 0, -2e6} || d.Buffers[0].ByteLength != len(buffer) {
		t.Errorf("%+v", d)
	}
	for i, v := range d.BufferViews {
		if want := []int{34962, 34962, 34963}[i]; v.Target != want || v.ByteOffset%4 != 0 || v.ByteOffset+v.ByteLength > len(buffer) {
			t.Errorf("buffer view %d: %+v", i, v)
		}
	}
	checkPrimitive(t, d, m, buffer)
}

// checkPrimitive compares the one primitive with the mesh.
func checkPrimitive(t *testing.T, d *document, m *export.Mesh, buffer []byte) {
	t.Helper()
	p := d.Meshes[d.Nodes[d.Scenes[d.Scene].Nodes[0]].Mesh].Primitives[0]
	positions, normals := d.vectors(t, p.Attributes["POSITION"], buffer), d.vectors(t, p.Attributes["NORMAL"], buffer)
	lo, hi := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}, [3]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	for i, v := range m.Vertices {
		want := [3]float32{float32(v.Column) * 10, v.Height, float32(v.Row) * 10}
		if positions[i] != want {
			t.Fatalf("vertex %d at %v, want %v", i, positions[i], want)
		}
		n := normals[i]
		if l := n[0]*n[0] + n[1]*n[1] + n[2]*n[2]; l < 0.9999 || l > 1.0001 {
			t.Fatalf("normal %d: %v", i, n)
		}
		for k, c := range want {
			lo[k], hi[k] = min(lo[k], float64(c)), max(hi[k], float64(c))
		}
	}
	a := d.Accessors[p.Attributes["POSITION"]]
	if !reflect.DeepEqual(a.Min, lo[:]) || !reflect.DeepEqual(a.Max, hi[:]) {
		t.Errorf("positions from %v to %v, said %v to %v", lo, hi, a.Min, a.Max)
	}
	b := d.view(p.Indices, buffer)
	if acc := d.Accessors[p.Indices]; acc.ComponentType != 5125 || acc.Type != "SCALAR" || acc.Count != 3*len(m.Triangles) || p.Mode != 4 {
		t.Errorf("indices: %+v, mode %d", acc, p.Mode)
	}
	for i, tri := range m.Triangles {
		for k, v := range tri {
			if got := binary.LittleEndian.Uint32(b[12*i+4*k:]); got != v {
				t.Fatalf("triangle %d, corner %d: %d, want %d", i, k, got, v)
			}
		}
	}
}

// TestSolidGLTF wants no normals of a solid: its walls have edges.
func TestSolidGLTF(t *testing.T) {
	m := build(t, bake(t, testworld.Rough(40, 40, 5), 33, 0, 0), export.Options{MaxError: 2})
	m.Close(5)
	var b bytes.Buffer
	if err := m.WriteGLB(&b); err != nil {
		t.Fatal(err)
	}
	text, buffer := glb(t, b.Bytes())
	p := parseGLTF(t, text).Meshes[0].Primitives[0]
	if _, has := p.Attributes["NORMAL"]; has || len(buffer) != 12*len(m.Vertices)+12*len(m.Triangles) {
		t.Errorf("%+v over %d bytes", p, len(buffer))
	}
}

func TestOBJ(t *testing.T) {
	m := build(t, bake(t, testworld.Rough(40, 40, 5), 33, 100, 200), export.Options{MaxError: 2})
	for up, axes := range map[export.Up]string{export.YUp: "X east, Y up, Z south; add 100 0 200", export.ZUp: "X east, Y north, Z up; add 100 -200 0"} {
		var b bytes.Buffer
		if err := m.WriteOBJ(&b, up); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), axes) {
			t.Errorf("no %q in %.100q", axes, b.String())
		}
		var v, n, f int
		for line := range strings.Lines(b.String()) {
			var x, y, z float64
			var i, j, k, in, jn, kn uint32
			switch {
			case strings.HasPrefix(line, "v "):
				fmt.Sscanf(line, "v %g %g %g", &x, &y, &z)
				if up == export.ZUp {
					y, z = z, -y
				}
				if p := m.Vertices[v]; x != float64(p.Column)*10 || float32(y) != p.Height || z != float64(p.Row)*10 {
					t.Fatalf("vertex %d: %q, want %+v", v, line, p)
				}
				v++
			case strings.HasPrefix(line, "vn "):
				n++
			case strings.HasPrefix(line, "f "):
				fmt.Sscanf(line, "f %d//%d %d//%d %d//%d", &i, &in, &j, &jn, &k, &kn)
				if want := m.Triangles[f]; [3]uint32{i - 1, j - 1, k - 1} != want || i != in || j != jn || k != kn {
					t.Fatalf("face %d: %q, want %v", f, line, want)
				}
				f++
			}
		}
		if v != len(m.Vertices) || n != v || f != len(m.Triangles) {
			t.Errorf("%d vertices, %d normals, %d faces", v, n, f)
		}
	}
}

func TestSTL(t *testing.T) {
	m := build(t, bake(t, testworld.Rough(40, 40, 5), 33, 0, 0), export.Options{MaxError: 2})
	m.Close(5)
	var b bytes.Buffer
	if err := m.WriteSTL(&b, export.ZUp); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	if string(data[:5]) == "solid" || int(binary.LittleEndian.Uint32(data[80:])) != len(m.Triangles) || len(data) != 84+50*len(m.Triangles) {
		t.Fatalf("%d bytes of %d triangles: %q", len(data), len(m.Triangles), data[:84])
	}
	if head := string(data[:80]); !strings.Contains(head, "; add 0 0 0 for") {
		t.Errorf("header %q", head)
	}
	for i, tri := range m.Triangles {
		var v [12]float32
		for k := range v {
			v[k] = math.Float32frombits(binary.LittleEndian.Uint32(data[84+50*i+4*k:]))
		}
		for k, id := range tri {
			p := m.Vertices[id]
			if got, want := [3]float32(v[3+3*k:]), ([3]float32{float32(p.Column) * 10, -float32(p.Row) * 10, p.Height}); got != want {
				t.Fatalf("triangle %d, corner %d: %v, want %v", i, k, got, want)
			}
		}
		// The normal points out of the solid: up from the surface.
		if l := v[0]*v[0] + v[1]*v[1] + v[2]*v[2]; l < 0.9999 || l > 1.0001 || i == 0 && v[2] <= 0 {
			t.Fatalf("normal of triangle %d: %v", i, v[:3])
		}
	}
}
