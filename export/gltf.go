package export

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/vkterrain/vkterrain/terrain"
)

// Numbers of glTF 2.0 and of its binary form.
const (
	gltfFloat, gltfUint32          = 5126, 5125
	gltfArrayBuffer, gltfElements  = 34962, 34963
	glbMagic, glbVersion           = 0x46546c67, 2
	glbJSON, glbBIN                = 0x4e4f534a, 0x004e4942
	glbHead, glbChunkHead          = 12, 8
	gltfVertexBytes, gltfIndexSize = 12, 4
)

// gltf is the JSON of a file, as far as a mesh needs it.
type gltf struct {
	Asset       gltfAsset      `json:"asset"`
	Scene       int            `json:"scene"`
	Scenes      []gltfScene    `json:"scenes"`
	Nodes       []gltfNode     `json:"nodes"`
	Meshes      []gltfMesh     `json:"meshes"`
	Materials   []gltfMaterial `json:"materials"`
	Accessors   []gltfAccessor `json:"accessors"`
	BufferViews []gltfView     `json:"bufferViews"`
	Buffers     []gltfBuffer   `json:"buffers"`
}

type gltfAsset struct {
	Version   string `json:"version"`
	Generator string `json:"generator"`
}

type gltfScene struct {
	Nodes []int `json:"nodes"`
}

type gltfNode struct {
	Mesh   int            `json:"mesh"`
	Name   string         `json:"name"`
	Extras map[string]any `json:"extras"`
}

type gltfMesh struct {
	Primitives []gltfPrimitive `json:"primitives"`
}

type gltfPrimitive struct {
	Attributes map[string]int `json:"attributes"`
	Indices    int            `json:"indices"`
	Material   int            `json:"material"`
	Mode       int            `json:"mode"`
}

type gltfMaterial struct {
	Name string         `json:"name"`
	PBR  map[string]any `json:"pbrMetallicRoughness"`
}

type gltfAccessor struct {
	View  int       `json:"bufferView"`
	Type  int       `json:"componentType"`
	Count int       `json:"count"`
	Shape string    `json:"type"`
	Min   []float64 `json:"min,omitempty"`
	Max   []float64 `json:"max,omitempty"`
}

type gltfView struct {
	Buffer int   `json:"buffer"`
	Offset int64 `json:"byteOffset"`
	Length int64 `json:"byteLength"`
	Target int   `json:"target"`
}

type gltfBuffer struct {
	URI    string `json:"uri,omitempty"`
	Length int64  `json:"byteLength"`
}

// WriteGLTF writes the JSON of a glTF 2.0 file; uri is where the buffer that
// [Mesh.WriteGLTFBuffer] writes will be, relative to the file. Positions are metres
// from the north-west sample of the world, which the node's extras place as
// origin_m: float32 positions far from 0 would tremble.
func (m *Mesh) WriteGLTF(w io.Writer, uri string) error {
	doc := m.gltf()
	doc.Buffers[0].URI = uri
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(doc)
}

// WriteGLB writes the mesh as a binary glTF 2.0, which holds everything; see
// [Mesh.WriteGLTF].
func (m *Mesh) WriteGLB(w io.Writer) error {
	doc := m.gltf()
	text, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	for len(text)%4 != 0 {
		text = append(text, ' ')
	}
	body := doc.Buffers[0].Length // whole words
	total := glbHead + 2*glbChunkHead + int64(len(text)) + body
	if total > math.MaxUint32 {
		return fmt.Errorf("%d bytes: a GLB has at most %d; write a .gltf, or ask for a coarser mesh", total, uint32(math.MaxUint32))
	}
	le := binary.LittleEndian
	var head []byte
	for _, v := range []uint32{glbMagic, glbVersion, uint32(total), uint32(len(text)), glbJSON} {
		head = le.AppendUint32(head, v)
	}
	head = append(head, text...)
	head = le.AppendUint32(le.AppendUint32(head, uint32(body)), glbBIN)
	if _, err := w.Write(head); err != nil {
		return err
	}
	return m.WriteGLTFBuffer(w)
}

// gltf describes the mesh: positions, normals where it is no solid, indices.
func (m *Mesh) gltf() *gltf {
	n, indices := len(m.Vertices), 3*len(m.Triangles)
	lo, hi := m.bounds()
	d := &gltf{
		Asset:  gltfAsset{"2.0", "vkterrain"},
		Scenes: []gltfScene{{[]int{0}}},
		Nodes: []gltfNode{{Name: "terrain", Extras: map[string]any{
			"origin_m": m.Origin, "spacing_m": m.Spacing, "error_m": m.Error,
		}}},
		Materials: []gltfMaterial{{"ground", map[string]any{
			"baseColorFactor": [4]float64{0.6, 0.6, 0.6, 1}, "metallicFactor": 0, "roughnessFactor": 1,
		}}},
	}
	p := gltfPrimitive{Attributes: map[string]int{"POSITION": 0}, Mode: 4}
	view := func(bytes int64, target int) {
		d.BufferViews = append(d.BufferViews, gltfView{0, d.length(), bytes, target})
	}
	view(int64(n)*gltfVertexBytes, gltfArrayBuffer)
	d.Accessors = append(d.Accessors, gltfAccessor{0, gltfFloat, n, "VEC3", lo, hi})
	if !m.Closed {
		p.Attributes["NORMAL"] = 1
		view(int64(n)*gltfVertexBytes, gltfArrayBuffer)
		d.Accessors = append(d.Accessors, gltfAccessor{1, gltfFloat, n, "VEC3", nil, nil})
	}
	p.Indices = len(d.Accessors)
	view(int64(indices)*gltfIndexSize, gltfElements)
	d.Accessors = append(d.Accessors, gltfAccessor{p.Indices, gltfUint32, indices, "SCALAR", nil, nil})
	d.Meshes = []gltfMesh{{[]gltfPrimitive{p}}}
	d.Buffers = []gltfBuffer{{"", d.length()}}
	return d
}

// length returns the bytes of all buffer views.
func (d *gltf) length() int64 {
	if len(d.BufferViews) == 0 {
		return 0
	}
	v := d.BufferViews[len(d.BufferViews)-1]
	return v.Offset + v.Length
}

// bounds returns the least and the greatest coordinates, as they are written.
func (m *Mesh) bounds() (lo, hi []float64) {
	lo = []float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	hi = []float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	for i := range m.Vertices {
		x, y, z := m.position(&m.Vertices[i])
		for k, c := range [3]float64{x, y, z} {
			c = float64(float32(c))
			lo[k], hi[k] = min(lo[k], c), max(hi[k], c)
		}
	}
	return lo, hi
}

// WriteGLTFBuffer writes the buffer of a glTF file.
func (m *Mesh) WriteGLTFBuffer(w io.Writer) error {
	le := binary.LittleEndian
	b := bufio.NewWriterSize(w, 1<<16)
	var buf []byte
	triple := func(x, y, z float64) {
		buf = buf[:0]
		for _, c := range [3]float64{x, y, z} {
			buf = le.AppendUint32(buf, math.Float32bits(float32(c)))
		}
		b.Write(buf)
	}
	for i := range m.Vertices {
		triple(m.position(&m.Vertices[i]))
	}
	if !m.Closed {
		for i := range m.Vertices {
			triple(terrain.DecodeNormal(m.Vertices[i].Normal))
		}
	}
	for _, t := range m.Triangles {
		buf = buf[:0]
		for _, v := range t {
			buf = le.AppendUint32(buf, v)
		}
		b.Write(buf)
	}
	return b.Flush()
}
