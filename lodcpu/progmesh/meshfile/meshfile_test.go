package meshfile_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/export"
	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
	"github.com/vkterrain/vkterrain/lodcpu/progmesh/meshfile"
	"github.com/vkterrain/vkterrain/terrain"
)

// TestRealFiles wants the counts of the files' makers.
func TestRealFiles(t *testing.T) {
	for _, test := range []struct {
		name                string
		vertices, triangles int
		normals, uvs        bool
		low, high           float32 // y
	}{
		{"cow.obj", 2903, 5804, false, false, -3.637036, 2.75972},
		{"cow.ply", 2903, 5804, true, false, 0, 2.81976},
		{"bunny.obj", 2503, 4968, false, false, 0.03331, 0.186996},
		{"bunny.ply", 34834, 69451, false, false, 0.032987, 0.187321},
		{"beethoven.ply", 2521, 5028, true, false, -6.03088, 5.54417},
		{"fandisk.obj", 6475, 12946, false, false, 12.6055, 17.85},
		{"spot.obj", 3225, 5856, false, true, -0.736784, 0.953646}, // 2930 positions, cut for the texture
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := meshfile.Read(shared.Path(t, "data/mesh", test.name))
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Positions) != test.vertices || len(s.Triangles) != test.triangles {
				t.Errorf("%d vertices, %d triangles; want %d, %d", len(s.Positions), len(s.Triangles), test.vertices, test.triangles)
			}
			if s.Normals != nil != test.normals || s.UVs != nil != test.uvs {
				t.Errorf("normals %v, texture coordinates %v", s.Normals != nil, s.UVs != nil)
			}
			low, high := float32(math.Inf(1)), float32(math.Inf(-1))
			for _, p := range s.Positions {
				low, high = min(low, p[1]), max(high, p[1])
			}
			near := func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-5 }
			if !near(low, test.low) || !near(high, test.high) {
				t.Errorf("y from %v to %v, want %v to %v", low, high, test.low, test.high)
			}
		})
	}
}

// square is what most samples below say.
var square = progmesh.Source{
	Positions: [][3]float32{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, -2}},
	Triangles: [][3]uint32{{0, 1, 2}, {0, 2, 3}},
}

// binaryPLY writes the square with numbers of many types.
func binaryPLY(order binary.AppendByteOrder, name string) []byte {
	data := []byte("ply\r\nformat " + name + " 1.0\r\ncomment x\r\nelement vertex 4\r\nproperty char a\r\nproperty double x\r\n" +
		"property float y\r\nproperty short z\r\nelement junk 2\r\nproperty list ushort int8 l\r\nelement face 1\r\n" +
		"property uchar flags\r\nproperty list uchar int vertex_index\r\nend_header\r\n")
	for _, p := range square.Positions {
		data = order.AppendUint64(append(data, 0xff), math.Float64bits(float64(p[0])))
		data = order.AppendUint32(data, math.Float32bits(p[1]))
		data = order.AppendUint16(data, uint16(int16(p[2])))
	}
	data = append(order.AppendUint16(data, 3), 1, 2, 3)
	data = order.AppendUint16(data, 0)
	data = append(data, 7, 4)
	for i := range uint32(4) {
		data = order.AppendUint32(data, i)
	}
	return data
}

const asciiPLY = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n" +
	"element face 2\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 -2\n3 0 1 2\n3 0 2 3"

const stripPLY = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n" +
	"element tristrips 1\nproperty list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 -2\n8 1 2 0 3 -1 0 1 2"

func TestParse(t *testing.T) {
	with := func(change func(*progmesh.Source)) *progmesh.Source {
		s := square
		change(&s)
		return &s
	}
	normals := [][3]float32{{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}}
	for _, test := range []struct {
		name, data string
		want       *progmesh.Source
	}{
		{"obj", "# c\no x\nv 0 0 0\nv 1 0 0 1\nv 1 1 0\r\nv 0 1 -2\ns 1\nf 1 2 3\nf 1 3 4\n", &square},
		{"obj polygon", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 -2\nf 1 2 3 4", &square},
		{"obj from the end, continued", "v 0 0 0\nv 1 \\\n0 0\nv 1 1 0\nv 0 1 -2 # c\nf -4 -3 \\\r\n-2 -1", &square},
		{"obj normals", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 -2\nvn 0 0 1\nf 1//1 2//1 3//1 4//-1", with(func(s *progmesh.Source) { s.Normals = normals })},
		{"obj texture", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 -2\nvt 0 1\nvt .5\nf 1/1 2/2 3/1 4/1",
			with(func(s *progmesh.Source) { s.UVs = [][2]float32{{0, 1}, {0.5, 0}, {0, 1}, {0, 1}} })},
		{"obj all", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 -2\nvt 0 1\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1 4/1/1", with(func(s *progmesh.Source) {
			s.UVs, s.Normals = [][2]float32{{0, 1}, {0, 1}, {0, 1}, {0, 1}}, normals
		})},
		{"ply", asciiPLY, &square},
		{"ply strip", stripPLY, with(func(s *progmesh.Source) { s.Triangles = [][3]uint32{{1, 2, 0}, {0, 2, 3}, {0, 1, 2}} })},
		{"ply little", string(binaryPLY(binary.LittleEndian, "binary_little_endian")), &square},
		{"ply big", string(binaryPLY(binary.BigEndian, "binary_big_endian")), &square},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := parse([]byte(test.data))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(s, test.want) {
				t.Errorf("got %+v, want %+v", s, test.want)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	head := "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
	for _, test := range []struct{ data, want string }{
		{"", "empty"},
		{"hello\n", "no mesh"},
		{"v 0 0\n", "line 1: 2 numbers, want 3"},
		{"\nv 0 0 x\n", `line 2: "x" is no number`},
		{"v 0 0 0\nf 1 1\n", "line 2: a face of 2 vertices"},
		{"v 0 0 0\nf 1 1 2\n", "line 2: vertex 2 of 1"},
		{"v 0 0 0\nf 0 1 1\n", "line 2: vertex 0 of 1"},
		{"v 0 0 0\nf 1/1 1 1\n", "line 2: texture coordinate 1 of 0"},
		{"v 0 0 0\nf 1//-1 1 1\n", "line 2: normal -1 of 0"},
		{"v 0 0 0\nf 1/// 1 1\n", `line 2: "1///" has too many parts`},
		{"v 0 0 0\nf a 1 1\n", `line 2: "a" is no index of a vertex`},
		{"v nan 0 0\nf 1 1 1\n", "vertex 0: its position is not finite"},
		{"ply\n", "line 2: the header has no end_header"},
		{"ply\nend_header\n", "line 2: the header has no format"},
		{"ply\nformat ascii 2.0\n", "line 2: format"},
		{"ply\nformat morse 1.0\n", "line 2: format"},
		{"ply\nformat ascii 1.0\nend_header\n", "no element vertex"},
		{"ply\nnonsense\n", `line 2: "nonsense" is no line`},
		{"ply\nproperty float x\n", "line 2: "},
		{"ply\nelement vertex -1\n", "line 2: element vertex: a count of -1"},
		{"ply\nelement vertex 999999999\n", "line 2: element vertex: a count of 999999999"},
		{"ply\nelement vertex 1\nproperty half x\n", "line 3: property x: no such type: half"},
		{"ply\nelement vertex 1\nproperty list float int x\n", "line 3: property x: no such type"},
		{head + "end_header\n0 0 0\n", "element vertex: 4 of at least 6 bytes each"},
		{head + "end_header\n0 0 0\n1 1 1\n2 a 2\n3 3 3 3 3 3\n", `line 10: element vertex: "a" is no number`},
		{strings.Replace(asciiPLY, "3 0 2 3", "3 0 2", 1), "line 15: element face: a list of 3: the file ends before"},
		{strings.Replace(asciiPLY, "3 0 2 3", "9999 0 2", 1), "element face: a list of 9999: the file ends before"},
		{strings.Replace(asciiPLY, "3 0 2 3", "3 0 2 4", 1), "triangle 1: vertex 4 of 4"},
		{strings.Replace(asciiPLY, "float z", "float w", 1), "no x, y and z"},
		{string(binaryPLY(binary.BigEndian, "binary_big_endian")[:330]), "element junk"},
	} {
		if _, err := parse([]byte(test.data)); err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.60q: %v, want %q", test.data, err, test.want)
		}
	}
}

func TestReadNamesTheFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.obj")
	if _, err := meshfile.Read(name); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(name, []byte("v 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := meshfile.Read(name); err == nil || !strings.HasPrefix(err.Error(), name+": line 1: ") {
		t.Errorf("bad file: %v", err)
	}
}

// FuzzParse feeds any bytes: a mesh that is sound, or an error.
func FuzzParse(f *testing.F) {
	f.Add([]byte("v 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0 1\nvn 0 0 1\nf 1/1/1 2//1 -1/1 \\\n1\n"))
	f.Add([]byte(asciiPLY))
	f.Add([]byte(stripPLY))
	f.Add(binaryPLY(binary.LittleEndian, "binary_little_endian"))
	f.Add(binaryPLY(binary.BigEndian, "binary_big_endian"))
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parse(data)
		if err != nil {
			if s != nil || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%v with %q", s, err)
			}
			return
		}
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
	})
}

// seeds adds glTF files.
func seeds(f *testing.F) {
	text, bin := gltfSquare("")
	f.Add([]byte(text))
	f.Add(glb(text, bin))
	embedded, _ := gltfSquare("data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString(bin))
	f.Add([]byte(embedded))
}

func parse(data []byte) (*progmesh.Source, error) {
	return meshfile.Parse(data, func(uri string) ([]byte, error) {
		if _, bin := gltfSquare(""); uri == "a b.bin" {
			return bin, nil
		}
		return nil, fs.ErrNotExist
	})
}

// gltfSquare is the square as a glTF: its positions are interleaved with texture
// coordinates in bytes, its indices are a strip, and its node mirrors and moves it.
func gltfSquare(uri string) (text string, bin []byte) {
	le := binary.LittleEndian
	for i, p := range [4][3]float32{{1, -2, 0}, {0, -2, 0}, {1, -1, 0}, {0, -1, -2}} {
		for _, c := range p {
			bin = le.AppendUint32(bin, math.Float32bits(c))
		}
		bin = append(bin, byte(255*(i%2)), 255, 0, 0)
	}
	for _, i := range []uint16{3, 2, 1, 0} {
		bin = le.AppendUint16(bin, i)
	}
	where := ""
	if uri != "" {
		where = `"uri":"` + uri + `",`
	}
	return `{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[1]}],
"nodes":[{"mesh":0,"scale":[-1,1,1],"translation":[1,0,0]},{"children":[0],"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,2,0,1]}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0,"TEXCOORD_0":1},"indices":2,"mode":5},{"attributes":{"POSITION":0},"mode":0}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},
{"bufferView":0,"byteOffset":12,"componentType":5121,"normalized":true,"count":4,"type":"VEC2"},
{"bufferView":1,"componentType":5123,"count":4,"type":"SCALAR"}],
"bufferViews":[{"buffer":0,"byteLength":64,"byteStride":16},{"buffer":0,"byteOffset":64,"byteLength":8}],
"buffers":[{` + where + `"byteLength":72}]}`, bin
}

// glb puts a binary file together.
func glb(text string, bin []byte) []byte {
	le := binary.LittleEndian
	for len(text)%4 > 0 {
		text += " "
	}
	data := le.AppendUint32(le.AppendUint32([]byte("glTF"), 2), uint32(28+len(text)+len(bin)))
	data = append(le.AppendUint32(le.AppendUint32(data, uint32(len(text))), 0x4e4f534a), text...)
	return append(le.AppendUint32(le.AppendUint32(data, uint32(len(bin))), 0x004e4942), bin...)
}

func TestGLTF(t *testing.T) {
	want := &progmesh.Source{
		Positions: [][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, -2}},
		UVs:       [][2]float32{{0, 1}, {1, 1}, {0, 1}, {1, 1}},
		Triangles: [][3]uint32{{3, 1, 2}, {1, 0, 2}},
	}
	text, bin := gltfSquare("")
	embedded, _ := gltfSquare("data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString(bin))
	beside, _ := gltfSquare("a%20b.bin")
	for name, data := range map[string][]byte{"glb": glb(text, bin), "embedded": []byte(embedded), "beside": []byte(beside)} {
		s, err := parse(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !reflect.DeepEqual(s, want) {
			t.Errorf("%s: got %+v, want %+v", name, s, want)
		}
	}

	dir := t.TempDir()
	for name, data := range map[string]string{"a.gltf": beside, "a b.bin": string(bin), "out.gltf": strings.Replace(beside, "a%20b", "../a", 1)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if s, err := meshfile.Read(filepath.Join(dir, "a.gltf")); err != nil || !reflect.DeepEqual(s, want) {
		t.Errorf("from a folder: %+v, %v", s, err)
	}
	if _, err := meshfile.Read(filepath.Join(dir, "out.gltf")); err == nil || !strings.Contains(err.Error(), "not in the file's folder") {
		t.Errorf("out of its folder: %v", err)
	}
}

func TestGLTFRefused(t *testing.T) {
	text, bin := gltfSquare("")
	for _, test := range []struct{ from, to, want string }{
		{`"2.0"`, `"1.0"`, `glTF version "1.0"`},
		{`"scene":0`, `"scene":1`, "scene 1 of 1"},
		{`"scene":0`, `"scene":true`, "JSON: line 1: "},
		{`"scene":0`, `"extensionsRequired":["KHR_draco_mesh_compression"]`, `the extension "KHR_draco_mesh_compression"`},
		{`"nodes":[1]`, `"nodes":[2]`, "node 2 of 2"},
		{`"nodes":[1]`, `"nodes":[1,0]`, "node 0: nodes are no tree"},
		{`"children":[0]`, `"children":[1]`, "node 1: nodes are no tree"},
		{`"mesh":0`, `"mesh":-1`, "mesh -1 of 1"},
		{`"POSITION":0,"TEX`, `"POSITION":3,"TEX`, "mesh 0, primitive 0: POSITION: accessor 3 of 3"},
		{`"POSITION":0,"TEX`, `"POSITION":1,"TEX`, "POSITION: accessor 1: type VEC2"},
		{`"count":4,"type":"VEC2"`, `"count":3,"type":"VEC2"`, "TEXCOORD_0: 3 for 4 vertices"},
		{`"count":4,"type":"SCALAR"`, `"count":5,"type":"SCALAR"`, "indices: accessor 2: 5 of 2 bytes each from byte 0: its view has 8 bytes"},
		{`"count":4,"type":"SCALAR"`, `"count":-5,"type":"SCALAR"`, "accessor 2: a count of -5"},
		{`"count":4,"type":"SCALAR"`, `"count":99999999999999,"type":"SCALAR"`, "accessor 2: a count of"},
		{`"bufferView":1`, `"bufferView":2`, "buffer view 2 of 2"},
		{`"bufferView":1,`, ``, "sparse ones are not supported"},
		{`"byteStride":16`, `"byteStride":4`, "a stride of 4 bytes for 12"},
		{`"byteOffset":64`, `"byteOffset":65`, "buffer view 1: 8 bytes from byte 65 of 72"},
		{`{"buffer":0,"byteOffset":64`, `{"buffer":1,"byteOffset":64`, "buffer view 1: buffer 1 of 1"},
		{`"byteLength":72`, `"byteLength":73`, "buffer 0: 72 bytes, want 73"},
		{`"byteLength":72`, `"uri":"data:x,y"`, "buffer 0: a data URI that is not base64"},
		{`"byteLength":72`, `"uri":"https://a.org/b"`, "is not in the file"},
		{`"byteOffset":64,"byteLength":8`, `"byteOffset":16,"byteLength":8`, "indices: vertex"},
		{`"mode":5`, `"mode":1`, "no triangles"},
	} {
		changed := strings.Replace(text, test.from, test.to, 1)
		if changed == text {
			t.Fatalf("%q is not in the sample", test.from)
		}
		if _, err := parse(glb(changed, bin)); err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", test.to, err, test.want)
		}
	}
	whole := glb(text, bin)
	for _, n := range []int{4, 19, 30, len(whole) - 1} {
		if _, err := parse(whole[:n]); err == nil {
			t.Errorf("%d bytes of %d are read", n, len(whole))
		}
	}
}

// TestGLTFBombs: a small file does not become a large mesh, by nodes that show one mesh over and
// over, nor a large memory of empty objects.
func TestGLTFBombs(t *testing.T) {
	const side, shown = 300, 40
	bin := make([]byte, side*side*12)
	var ids []string
	for i := range shown {
		ids = append(ids, fmt.Sprint(i))
	}
	bomb := func(shown int) []byte {
		return glb(fmt.Sprintf(`{"asset":{"version":"2.0"},"scenes":[{"nodes":[%s]}],"nodes":[%s{"mesh":0}],"meshes":[{"primitives":[%s{"attributes":{"POSITION":0}}]}],
			"accessors":[{"bufferView":0,"componentType":5126,"count":%d,"type":"VEC3"}],"bufferViews":[{"buffer":0,"byteLength":%d}],"buffers":[{"byteLength":%d}]}`,
			strings.Join(ids[:shown], ","), strings.Repeat(`{"mesh":0},`, shown-1), strings.Repeat(`{"attributes":{"POSITION":0}},`, shown-1), side*side, len(bin), len(bin)), bin)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := parse(bomb(shown))
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "more than ") || !strings.Contains(err.Error(), " vertices") {
		t.Errorf("%v", err)
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<30 {
		t.Errorf("%d bytes are allocated", taken)
	}
	if s, err := parse(bomb(4)); err != nil || len(s.Positions) != 16*side*side {
		t.Errorf("shown sixteen times: %v", err)
	}
	empty := []byte(`{"asset":{"version":"2.0"},"nodes":[{}` + strings.Repeat(",{}", 1<<22) + `]}`)
	if _, err := parse(empty); err == nil || !strings.Contains(err.Error(), "JSON: more than") {
		t.Errorf("%v", err)
	}
}

// TestFilesThatNeverEnd wants them refused unread.
func TestFilesThatNeverEnd(t *testing.T) {
	huge := filepath.Join(t.TempDir(), "huge.obj")
	if err := os.WriteFile(huge, []byte("v 0 0 0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, meshfile.MaxBytes+1); err != nil {
		t.Skip(err)
	}
	for name, want := range map[string]string{"/dev/zero": "not a regular file", t.TempDir(): "not a regular file", huge: "more than"} {
		if _, err := meshfile.Read(name); err == nil || !strings.Contains(err.Error(), name+": "+want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestLongLine: what a line takes grows with its length, however often it is continued.
func TestLongLine(t *testing.T) {
	data := "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 -2\nf 1 2 3\nf 1 3" + strings.Repeat(" \\\n", 300_000) + "4\nf 1 x 3"
	start := time.Now()
	_, err := parse([]byte(data))
	if err == nil || !strings.HasPrefix(err.Error(), "line 300007: ") {
		t.Errorf("%v", err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it takes %v", took)
	}
}

// TestSameBuffer: a file that is named many times is read once, and what buffers hold
// together is bounded.
func TestSameBuffer(t *testing.T) {
	text := func(uris ...string) []byte {
		var b []string
		for _, uri := range uris {
			b = append(b, fmt.Sprintf(`{"uri":%q,"byteLength":36}`, uri))
		}
		return []byte(`{"asset":{"version":"2.0"},"buffers":[` + strings.Join(b, ",") + `],
			"bufferViews":[{"buffer":1,"byteLength":36}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],
			"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}]}`)
	}
	reads := 0
	beside := func(string) ([]byte, error) {
		reads++
		return make([]byte, meshfile.MaxBytes/4), nil
	}
	if _, err := meshfile.Parse(text(slices.Repeat([]string{"a.bin"}, 1000)...), beside); err != nil || reads != 1 {
		t.Errorf("%d reads, %v", reads, err)
	}
	reads = 0
	_, err := meshfile.Parse(text("a", "b", "c", "d", "e", "f"), beside)
	if err == nil || reads > 5 || !strings.Contains(err.Error(), "buffer 4: more than 1073741824 bytes") {
		t.Errorf("%d reads, %v", reads, err)
	}
}

// TestOwnGLTF reads what package export writes.
func TestOwnGLTF(t *testing.T) {
	m := &export.Mesh{Spacing: 2, Triangles: [][3]uint32{{0, 1, 2}}}
	for i, h := range []float32{1, 2, 3} {
		m.Vertices = append(m.Vertices, export.Vertex{Column: int32(i % 2), Row: int32(i / 2), Height: h, Normal: terrain.EncodeNormal(0, 1, 0)})
	}
	want := &progmesh.Source{Positions: [][3]float32{{0, 1, 0}, {2, 2, 0}, {0, 3, 2}}, Triangles: m.Triangles}
	for name, write := range map[string]func(io.Writer) error{
		"glb": m.WriteGLB,
		"obj": func(w io.Writer) error { return m.WriteOBJ(w, export.YUp) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		s, err := parse(b.Bytes())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(s.Positions, want.Positions) || !reflect.DeepEqual(s.Triangles, want.Triangles) || len(s.Normals) != 3 || s.Normals[0][1] < 0.99 {
			t.Errorf("%s: %+v", name, s)
		}
	}
}
