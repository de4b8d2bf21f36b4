package meshfile

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strings"

	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
)

// Numbers of glTF 2.0 and of its binary form.
const (
	gltfByte, gltfUbyte, gltfShort, gltfUshort = 5120, 5121, 5122, 5123
	gltfUint, gltfFloat                        = 5125, 5126
	gltfTriangles, gltfStrip, gltfFan          = 4, 5, 6
	glbVersion                                 = 2
	glbJSON, glbBIN                            = 0x4e4f534a, 0x004e4942
	glbHead, glbChunkHead                      = 12, 8
)

// gltf is the JSON of a file, as far as its meshes need it.
type gltf struct {
	Asset       struct{ Version string }
	Required    []string `json:"extensionsRequired"`
	Scene       *int
	Scenes      []struct{ Nodes []int }
	Nodes       []gltfNode
	Meshes      []struct{ Primitives []gltfPrimitive }
	Accessors   []gltfAccessor
	BufferViews []gltfView
	Buffers     []struct {
		URI        *string
		ByteLength int64
	}
}

type gltfNode struct {
	Mesh        *int
	Children    []int
	Matrix      *[16]float64 // column by column
	Translation *[3]float64
	Rotation    *[4]float64 // x, y, z, w
	Scale       *[3]float64
}

type gltfPrimitive struct {
	Attributes map[string]int
	Indices    *int
	Mode       *int
}

type gltfAccessor struct {
	BufferView    *int
	ByteOffset    int64
	ComponentType int
	Normalized    bool
	Count         int64
	Type          string
	Sparse        *struct{}
}

type gltfView struct {
	Buffer     int
	ByteOffset int64
	ByteLength int64
	ByteStride int64
}

// gltfReader puts the meshes of a scene together.
type gltfReader struct {
	doc     gltf
	buffers [][]byte
	seen    []bool // nodes
	most    int    // vertices, and triangles
	source  progmesh.Source
	normals bool // some vertices have them
	uvs     bool
}

// parseGLB reads the binary form: a JSON chunk and, mostly, one of bytes.
func parseGLB(data []byte, beside func(uri string) ([]byte, error)) (*progmesh.Source, error) {
	le := binary.LittleEndian
	if len(data) < glbHead+glbChunkHead {
		return nil, fmt.Errorf("a GLB of %d bytes: the file ends before", len(data))
	}
	if v := le.Uint32(data[4:]); v != glbVersion {
		return nil, fmt.Errorf("byte 4: glTF version %d, want %d", v, glbVersion)
	}
	length := le.Uint32(data[8:])
	if int64(length) > int64(len(data)) || length < glbHead {
		return nil, fmt.Errorf("byte 8: a length of %d in a file of %d bytes", length, len(data))
	}
	var text, body []byte
	for at := glbHead; at+glbChunkHead <= int(length); {
		n, kind := le.Uint32(data[at:]), le.Uint32(data[at+4:])
		if int64(n) > int64(length)-int64(at)-glbChunkHead {
			return nil, fmt.Errorf("byte %d: a chunk of %d bytes: the file ends before", at, n)
		}
		chunk := data[at+glbChunkHead:][:n]
		switch {
		case kind == glbJSON && text == nil:
			text = chunk
		case kind == glbBIN && body == nil:
			body = chunk
		}
		at += glbChunkHead + int(n)
	}
	if text == nil {
		return nil, errors.New("no JSON chunk")
	}
	return parseGLTF(text, body, beside)
}

// parseGLTF reads the JSON; body is the bytes of a GLB or nil.
func parseGLTF(text, body []byte, beside func(uri string) ([]byte, error)) (*progmesh.Source, error) {
	r := &gltfReader{}
	if commas(text) > mostValues {
		return nil, fmt.Errorf("JSON: more than %d values", mostValues)
	}
	if err := json.Unmarshal(text, &r.doc); err != nil {
		return nil, fmt.Errorf("JSON: %w", jsonPlace(text, err))
	}
	d := &r.doc
	if !strings.HasPrefix(d.Asset.Version, "2.") {
		return nil, fmt.Errorf("glTF version %q: want 2", d.Asset.Version)
	}
	for _, e := range d.Required {
		if e != "KHR_mesh_quantization" && e != "KHR_texture_transform" && !strings.HasPrefix(e, "KHR_materials_") {
			return nil, fmt.Errorf("the file needs the extension %q, which is not supported", e)
		}
	}
	if err := r.load(body, beside); err != nil {
		return nil, err
	}
	all, known := len(text), map[*byte]bool{}
	for _, b := range r.buffers { // one file may be several of them
		if len(b) > 0 && !known[&b[0]] {
			known[&b[0]] = true
			all += len(b)
		}
	}
	r.most = min(MaxElements, fewElements+all)
	if err := r.scene(); err != nil {
		return nil, err
	}
	if len(r.source.Positions) == 0 {
		return nil, errors.New("no triangles")
	}
	if !r.normals {
		r.source.Normals = nil
	}
	if !r.uvs {
		r.source.UVs = nil
	}
	return &r.source, nil
}

// Limits against small files that ask for much memory: nodes may show one mesh any number of
// times, and an empty object takes more memory than text.
const (
	fewElements = 1 << 20 // vertices, and triangles, that any file may have; more only as many as it has bytes besides
	mostValues  = 1 << 22 // of the JSON
)

// commas counts those outside of strings.
func commas(text []byte) (n int) {
	inside := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			inside = !inside
		case inside && c == '\\':
			i++
		case !inside && c == ',':
			n++
		}
	}
	return n
}

// jsonPlace adds the line to what is wrong with a text.
func jsonPlace(text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	at := int64(-1)
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		at = kind.Offset
	}
	if at < 0 || at > int64(len(text)) {
		return err
	}
	return fmt.Errorf("line %d: %w", 1+strings.Count(string(text[:at]), "\n"), err)
}

// load fetches the buffers.
func (r *gltfReader) load(body []byte, beside func(uri string) ([]byte, error)) error {
	files := map[string][]byte{} // by name
	for i, b := range r.doc.Buffers {
		var data []byte
		var err error
		switch {
		case b.URI == nil && i == 0:
			data = body
		case b.URI == nil:
			err = errors.New("no URI")
		case strings.HasPrefix(*b.URI, "data:"):
			_, coded, ok := strings.Cut(*b.URI, ";base64,")
			if !ok {
				err = errors.New("a data URI that is not base64")
				break
			}
			data, err = base64.StdEncoding.DecodeString(coded)
		default:
			data, err = sidecar(*b.URI, beside, files)
		}
		if err == nil && (b.ByteLength < 0 || b.ByteLength > int64(len(data))) {
			err = fmt.Errorf("%d bytes, want %d", len(data), b.ByteLength)
		}
		if err != nil {
			return fmt.Errorf("buffer %d: %w", i, err)
		}
		r.buffers = append(r.buffers, data[:b.ByteLength])
	}
	return nil
}

// sidecar returns the file that a URI names, which is read once.
func sidecar(uri string, beside func(uri string) ([]byte, error), files map[string][]byte) ([]byte, error) {
	name, err := url.PathUnescape(uri)
	if err != nil {
		return nil, fmt.Errorf("%q is no URI", uri)
	}
	if beside == nil || strings.Contains(name, "://") {
		return nil, fmt.Errorf("%q is not in the file", uri)
	}
	if data, ok := files[name]; ok {
		return data, nil
	}
	data, err := beside(name)
	if err != nil {
		return nil, err
	}
	files[name] = data
	all := 0
	for _, data := range files {
		all += len(data)
	}
	if all > MaxBytes {
		return nil, fmt.Errorf("more than %d bytes with the buffers before", MaxBytes)
	}
	return data, nil
}

// scene takes the meshes of the scene's nodes, or, where there is no scene, each
// mesh once.
func (r *gltfReader) scene() error {
	d := &r.doc
	if len(d.Scenes) == 0 {
		for i := range d.Meshes {
			if err := r.mesh(i, identity()); err != nil {
				return err
			}
		}
		return nil
	}
	at := 0
	if d.Scene != nil {
		at = *d.Scene
	}
	if at < 0 || at >= len(d.Scenes) {
		return fmt.Errorf("scene %d of %d", at, len(d.Scenes))
	}
	r.seen = make([]bool, len(d.Nodes))
	return r.nodes(d.Scenes[at].Nodes, identity(), 0)
}

// maxDepth is how deep nodes may nest.
const maxDepth = 1000

func (r *gltfReader) nodes(list []int, above transform, depth int) error {
	for _, i := range list {
		if i < 0 || i >= len(r.doc.Nodes) {
			return fmt.Errorf("node %d of %d", i, len(r.doc.Nodes))
		}
		if r.seen[i] || depth > maxDepth {
			return fmt.Errorf("node %d: nodes are no tree, or deeper than %d", i, maxDepth)
		}
		r.seen[i] = true
		n := &r.doc.Nodes[i]
		here := above.times(n.transform())
		if n.Mesh != nil {
			if err := r.mesh(*n.Mesh, here); err != nil {
				return err
			}
		}
		if err := r.nodes(n.Children, here, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (r *gltfReader) mesh(i int, at transform) error {
	if i < 0 || i >= len(r.doc.Meshes) {
		return fmt.Errorf("mesh %d of %d", i, len(r.doc.Meshes))
	}
	for k := range r.doc.Meshes[i].Primitives {
		if err := r.primitive(&r.doc.Meshes[i].Primitives[k], at); err != nil {
			return fmt.Errorf("mesh %d, primitive %d: %w", i, k, err)
		}
	}
	return nil
}

// primitive appends triangles. Points and lines are passed over.
func (r *gltfReader) primitive(p *gltfPrimitive, at transform) error {
	mode := gltfTriangles
	if p.Mode != nil {
		mode = *p.Mode
	}
	where, ok := p.Attributes["POSITION"]
	if mode < gltfTriangles || mode > gltfFan || !ok {
		return nil
	}
	positions, err := r.numbers(where, "VEC3")
	if err != nil {
		return fmt.Errorf("POSITION: %w", err)
	}
	n, first := len(positions)/3, len(r.source.Positions)
	if first+n > r.most {
		return fmt.Errorf("more than %d vertices", r.most)
	}
	if err := r.attributes(p, n, at); err != nil {
		return err
	}
	for i := range n {
		r.source.Positions = append(r.source.Positions, at.point([3]float64(positions[3*i:])))
	}
	return r.triangles(p, mode, n, first, at.turns())
}

// attributes appends normals and texture coordinates, 0 where there are none.
func (r *gltfReader) attributes(p *gltfPrimitive, n int, at transform) error {
	normals, uvs := make([][3]float32, n), make([][2]float32, n)
	for name, shape := range map[string]string{"NORMAL": "VEC3", "TEXCOORD_0": "VEC2"} {
		where, ok := p.Attributes[name]
		if !ok {
			continue
		}
		v, err := r.numbers(where, shape)
		if err == nil && len(v) != n*gltfShapes[shape] {
			err = fmt.Errorf("%d for %d vertices", len(v)/gltfShapes[shape], n)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for i := range n {
			if name == "NORMAL" {
				normals[i], r.normals = at.normal([3]float64(v[3*i:])), true
			} else {
				uvs[i], r.uvs = [2]float32{float32(v[2*i]), float32(v[2*i+1])}, true
			}
		}
	}
	r.source.Normals, r.source.UVs = append(r.source.Normals, normals...), append(r.source.UVs, uvs...)
	return nil
}

// triangles appends the triangles of a primitive of n vertices.
func (r *gltfReader) triangles(p *gltfPrimitive, mode, n, first int, turned bool) error {
	var list []uint32
	if p.Indices == nil {
		list = make([]uint32, n)
		for i := range list {
			list[i] = uint32(i)
		}
	} else {
		v, err := r.numbers(*p.Indices, "SCALAR")
		if err != nil {
			return fmt.Errorf("indices: %w", err)
		}
		list = make([]uint32, len(v))
		for i, f := range v {
			if f != math.Trunc(f) || f < 0 || f >= float64(n) {
				return fmt.Errorf("indices: vertex %v of %d", f, n)
			}
			list[i] = uint32(f)
		}
	}
	var made [][3]uint32
	switch mode {
	case gltfStrip:
		made = strip(nil, list)
	case gltfFan:
		made = fan(nil, list)
	default:
		for ; len(list) >= 3; list = list[3:] {
			made = append(made, [3]uint32(list))
		}
	}
	if len(r.source.Triangles)+len(made) > r.most {
		return fmt.Errorf("more than %d triangles", r.most)
	}
	for _, t := range made {
		if turned {
			t[1], t[2] = t[2], t[1]
		}
		for k := range t {
			t[k] += uint32(first)
		}
		r.source.Triangles = append(r.source.Triangles, t)
	}
	return nil
}

// gltfShapes are the numbers of an accessor's elements that meshes have.
var gltfShapes = map[string]int{"SCALAR": 1, "VEC2": 2, "VEC3": 3}

// gltfTypes are the bytes of an accessor's numbers, and the largest of those that
// may be normalised.
var gltfTypes = map[int]struct {
	bytes int64
	most  float64
}{
	gltfByte: {1, 127}, gltfUbyte: {1, 255}, gltfShort: {2, 32767}, gltfUshort: {2, 65535}, gltfUint: {4, 0}, gltfFloat: {4, 0},
}

// numbers reads an accessor.
func (r *gltfReader) numbers(i int, shape string) ([]float64, error) {
	if i < 0 || i >= len(r.doc.Accessors) {
		return nil, fmt.Errorf("accessor %d of %d", i, len(r.doc.Accessors))
	}
	a := &r.doc.Accessors[i]
	kind, ok := gltfTypes[a.ComponentType]
	switch {
	case a.Type != shape || !ok:
		return nil, fmt.Errorf("accessor %d: type %s of %d, want %s", i, a.Type, a.ComponentType, shape)
	case a.Sparse != nil || a.BufferView == nil:
		return nil, fmt.Errorf("accessor %d: sparse ones are not supported", i)
	case a.Count < 0 || a.Count > 3*MaxElements:
		return nil, fmt.Errorf("accessor %d: a count of %d", i, a.Count)
	}
	each := int64(gltfShapes[shape])
	data, stride, err := r.view(*a.BufferView, each*kind.bytes)
	if err != nil {
		return nil, fmt.Errorf("accessor %d: %w", i, err)
	}
	if need := (a.Count-1)*stride + each*kind.bytes; a.Count > 0 && (a.ByteOffset < 0 || a.ByteOffset > int64(len(data))-need) {
		return nil, fmt.Errorf("accessor %d: %d of %d bytes each from byte %d: its view has %d bytes", i, a.Count, stride, a.ByteOffset, len(data))
	}
	values := make([]float64, 0, a.Count*each)
	for k := range a.Count {
		at := data[a.ByteOffset+k*stride:]
		for c := range each {
			v := gltfNumber(at[c*kind.bytes:], a.ComponentType)
			if a.Normalized && kind.most > 0 {
				v = max(v/kind.most, -1)
			}
			values = append(values, v)
		}
	}
	return values, nil
}

// view returns a buffer view and its stride, which is size if it has none.
func (r *gltfReader) view(i int, size int64) (data []byte, stride int64, err error) {
	if i < 0 || i >= len(r.doc.BufferViews) {
		return nil, 0, fmt.Errorf("buffer view %d of %d", i, len(r.doc.BufferViews))
	}
	v := &r.doc.BufferViews[i]
	if v.Buffer < 0 || v.Buffer >= len(r.buffers) {
		return nil, 0, fmt.Errorf("buffer view %d: buffer %d of %d", i, v.Buffer, len(r.buffers))
	}
	b := r.buffers[v.Buffer]
	if v.ByteOffset < 0 || v.ByteLength < 0 || v.ByteOffset > int64(len(b)) || v.ByteLength > int64(len(b))-v.ByteOffset {
		return nil, 0, fmt.Errorf("buffer view %d: %d bytes from byte %d of %d", i, v.ByteLength, v.ByteOffset, len(b))
	}
	stride = v.ByteStride
	if stride == 0 {
		stride = size
	}
	if stride < size || stride > 252 {
		return nil, 0, fmt.Errorf("buffer view %d: a stride of %d bytes for %d", i, stride, size)
	}
	return b[v.ByteOffset:][:v.ByteLength], stride, nil
}

func gltfNumber(b []byte, kind int) float64 {
	le := binary.LittleEndian
	switch kind {
	case gltfByte:
		return float64(int8(b[0]))
	case gltfUbyte:
		return float64(b[0])
	case gltfShort:
		return float64(int16(le.Uint16(b)))
	case gltfUshort:
		return float64(le.Uint16(b))
	case gltfUint:
		return float64(le.Uint32(b))
	}
	return float64(math.Float32frombits(le.Uint32(b)))
}

// transform is a matrix of three rows.
type transform [3][4]float64

func identity() transform { return transform{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}} }

// transform returns how a node lies in the one above.
func (n *gltfNode) transform() transform {
	t := identity()
	if m := n.Matrix; m != nil {
		for i := range 3 {
			for k := range 4 {
				t[i][k] = m[4*k+i]
			}
		}
		return t
	}
	if q := n.Rotation; q != nil {
		x, y, z, w := q[0], q[1], q[2], q[3]
		t = transform{
			{1 - 2*(y*y+z*z), 2 * (x*y - z*w), 2 * (x*z + y*w)},
			{2 * (x*y + z*w), 1 - 2*(x*x+z*z), 2 * (y*z - x*w)},
			{2 * (x*z - y*w), 2 * (y*z + x*w), 1 - 2*(x*x+y*y)},
		}
	}
	for i := range 3 {
		if n.Scale != nil {
			for k := range 3 {
				t[i][k] *= n.Scale[k]
			}
		}
		if n.Translation != nil {
			t[i][3] = n.Translation[i]
		}
	}
	return t
}

func (t transform) times(u transform) (p transform) {
	for i := range 3 {
		for k := range 4 {
			p[i][k] = t[i][0]*u[0][k] + t[i][1]*u[1][k] + t[i][2]*u[2][k]
		}
		p[i][3] += t[i][3]
	}
	return p
}

func (t transform) point(p [3]float64) (q [3]float32) {
	for i := range 3 {
		q[i] = float32(t[i][0]*p[0] + t[i][1]*p[1] + t[i][2]*p[2] + t[i][3])
	}
	return q
}

// cofactor returns an entry of the matrix that turns normals.
func (t transform) cofactor(i, k int) float64 {
	a, b, c, d := (i+1)%3, (i+2)%3, (k+1)%3, (k+2)%3
	return t[a][c]*t[b][d] - t[a][d]*t[b][c]
}

// turns says whether the transform mirrors.
func (t transform) turns() bool {
	return t[0][0]*t.cofactor(0, 0)+t[0][1]*t.cofactor(0, 1)+t[0][2]*t.cofactor(0, 2) < 0
}

func (t transform) normal(n [3]float64) (q [3]float32) {
	var v [3]float64
	length := 0.0
	for i := range 3 {
		v[i] = t.cofactor(i, 0)*n[0] + t.cofactor(i, 1)*n[1] + t.cofactor(i, 2)*n[2]
		length += v[i] * v[i]
	}
	if length = math.Sqrt(length); t.turns() {
		length = -length
	}
	for i := range 3 {
		if length != 0 {
			q[i] = float32(v[i] / length)
		}
	}
	return q
}
