package chunkfile

import (
	"math"

	"github.com/vkterrain/vkterrain/terrain"
)

// Streams of the two sections of a chunk, in file order.
const (
	heightStreams = 2 // low bytes, high bytes of the zig-zag residuals
	attrStreams   = 6 // coefficient low, high; normal u, v; sky view; curvature
)

// model is what both directions of the codec share: one level of one tile on a
// compact grid, and what can be predicted of it.
type model struct {
	layout   *terrain.Layout
	level    terrain.Level
	coarsest bool
	n        int // samples a side of the level's grid
	lo, hi   int // ids of the level samples
	quantum  float64
	slope    float64 // height quanta over two grid steps to rise over run

	heights []int32 // n×n
	aux     []int32 // n×n; an attribute, or midpoint deltas
	res     []int32 // one a level sample
	a, b    []byte  // streams, one byte a level sample
}

// begin prepares m for a level of a tile of w.
func (m *model) begin(w *terrain.World, level terrain.Level) {
	m.layout, m.level = w.Layout(), level
	m.coarsest = int(level) == m.layout.Levels-1
	m.n = m.layout.Cells>>level + 1
	m.lo, m.hi = m.layout.Range(level)
	m.quantum = w.Quantum
	m.slope = w.Quantum / (2 * w.Spacing * float64(int(1)<<level))
	if side := m.layout.Size; len(m.heights) < side*side {
		m.heights, m.aux, m.res = make([]int32, side*side), make([]int32, side*side), make([]int32, side*side)
		m.a, m.b = make([]byte, side*side), make([]byte, side*side)
	}
}

// at returns the compact grid index of vertex id.
func (m *model) at(id int) int {
	g := m.layout.Grid[id]
	return int(g.Z>>m.level)*m.n + int(g.X>>m.level)
}

func (m *model) count() int { return m.hi - m.lo }

// deltas fills aux with twice the distance of each edge midpoint from the
// middle of its edge and of each centre from the middle of its diagonal, the
// latter raised to that of the midpoints around it: the coefficient of the
// vertex as far as this level shows it, in half quanta.
func (m *model) deltas() {
	h, e, n := m.heights, m.aux, m.n
	for z := range n {
		d, first := 1, 1
		if z&1 == 1 {
			d, first = n, 0
		}
		for x := first; x < n; x += 2 {
			i := z*n + x
			e[i] = abs(2*h[i] - h[i-d] - h[i+d])
		}
	}
	for z := 1; z < n; z += 2 {
		for x := 1; x < n; x += 2 {
			i := z*n + x
			d := n + 1 // north-west to south-east
			if (x^z)&2 != 0 {
				d = n - 1
			}
			e[i] = max(abs(2*h[i]-h[i-d]-h[i+d]), e[i-1], e[i+1], e[i-n], e[i+n])
		}
	}
}

func abs(v int32) int32 { return max(v, -v) }

// coef predicts the coefficient of a level sample at grid index i; deltas must
// have run. On the finest level it is the coefficient.
func (m *model) coef(i int) uint16 {
	if m.coarsest && (i/m.n|i%m.n)&1 == 0 {
		return 0
	}
	return coefUp(float64(m.aux[i]) * 0.5 * m.quantum)
}

// coefUp is terrain.CoefUp for finite positive c.
func coefUp(c float64) uint16 {
	f := float32(c)
	b := math.Float32bits(f)
	if float64(f) < c {
		b++
	}
	return uint16((b + 0xffff) >> 16)
}

// normal predicts the normal of the sample at grid position (x, z). On the
// finest level it is the normal, but for the borders of the tile.
func (m *model) normal(x, z int) [2]uint8 {
	h, n := m.heights, m.n
	i := z*n + x
	var dx, dz int32
	switch x {
	case 0:
		dx = 2 * (h[i+1] - h[i])
	case n - 1:
		dx = 2 * (h[i] - h[i-1])
	default:
		dx = h[i+1] - h[i-1]
	}
	switch z {
	case 0:
		dz = 2 * (h[i+n] - h[i])
	case n - 1:
		dz = 2 * (h[i] - h[i-n])
	default:
		dz = h[i+n] - h[i-n]
	}
	return SlopeNormal(dx, dz, m.slope)
}

// SlopeNormal returns the packed normal of a surface that rises dx·slope
// eastwards and dz·slope southwards a unit of run. Its arithmetic rounds the
// same on every machine: files depend on it.
func SlopeNormal(dx, dz int32, slope float64) [2]uint8 {
	return terrain.EncodeNormal(-(float64(dx) * slope), 1, -(float64(dz) * slope))
}

func zigzag(v int16) uint16   { return uint16(v<<1) ^ uint16(v>>15) }
func unzigzag(u uint16) int16 { return int16(u>>1) ^ -int16(u&1) }

// Encoder codes tiles of one world. It is for one goroutine; its parts are
// built once and reused.
type Encoder struct {
	world *terrain.World
	m     model
	pack  packer
}

// NewEncoder returns an encoder for the tiles of w.
func NewEncoder(w *terrain.World) *Encoder { return &Encoder{world: w, pack: newPacker()} }

// Encoded is a tile ready to be written.
type Encoded struct {
	Info   terrain.TileInfo
	data   []byte
	chunks []entry // offsets are relative to data
}

// Bytes returns the size of the tile's chunks.
func (e *Encoded) Bytes() int { return len(e.data) }

// EncodeTile codes all levels of a tile. It panics if verts is not a whole tile.
func (e *Encoder) EncodeTile(info *terrain.TileInfo, verts []terrain.Vertex) *Encoded {
	layout := e.world.Layout()
	if len(verts) != len(layout.Grid) {
		panic("chunkfile: EncodeTile of a tile that is not whole")
	}
	out := &Encoded{Info: *info, chunks: make([]entry, layout.Levels)}
	for level := layout.Levels - 1; level >= 0; level-- {
		start := len(out.data)
		e.m.begin(e.world, terrain.Level(level))
		out.data = e.heights(out.data, verts)
		heights := len(out.data) - start
		out.data = e.attributes(out.data, verts)
		chunk := out.data[start:]
		out.chunks[level] = entry{int64(start), uint32(len(chunk)), uint32(heights), checksum(chunk)}
	}
	return out
}

func (e *Encoder) heights(dst []byte, verts []terrain.Vertex) []byte {
	m := &e.m
	for id := range m.hi {
		m.heights[m.at(id)] = int32(verts[id].Height)
	}
	for k := range residuals(m.res, m.heights, m.n, m.coarsest) {
		u := zigzag(int16(m.res[k]))
		m.a[k], m.b[k] = byte(u), byte(u>>8)
	}
	return e.streams(dst)
}

// streams appends both streams.
func (e *Encoder) streams(dst []byte) []byte {
	dst = e.pack.append(dst, e.m.a[:e.m.count()])
	return e.pack.append(dst, e.m.b[:e.m.count()])
}

func (e *Encoder) attributes(dst []byte, verts []terrain.Vertex) []byte {
	m := &e.m
	m.deltas()
	for k := range m.count() {
		id := m.lo + k
		u := zigzag(int16(verts[id].Coef - m.coef(m.at(id))))
		m.a[k], m.b[k] = byte(u), byte(u>>8)
	}
	dst = e.streams(dst)
	for k := range m.count() {
		id := m.lo + k
		g := m.layout.Grid[id]
		p := m.normal(int(g.X>>m.level), int(g.Z>>m.level))
		m.a[k], m.b[k] = verts[id].Normal[0]-p[0], verts[id].Normal[1]-p[1]
	}
	dst = e.streams(dst)
	for id := range m.hi {
		m.aux[m.at(id)] = int32(verts[id].SkyView)
	}
	for k := range residuals(m.res, m.aux, m.n, m.coarsest) {
		m.a[k] = byte(m.res[k])
	}
	for id := range m.hi {
		m.aux[m.at(id)] = int32(verts[id].Curvature)
	}
	for k := range residuals(m.res, m.aux, m.n, m.coarsest) {
		m.b[k] = byte(m.res[k])
	}
	return e.streams(dst)
}

// Decoder decodes chunks. It is for one goroutine, works for any number of
// files, and stops allocating once it has met the largest tile.
type Decoder struct {
	m      model
	unpack unpacker
	chunk  []byte
}

// NewDecoder returns a decoder.
func NewDecoder() *Decoder { return &Decoder{unpack: newUnpacker()} }

// level decodes one chunk of a tile of w into the level samples of verts.
func (d *Decoder) level(w *terrain.World, verts []terrain.Vertex, level terrain.Level, heights, attrs []byte) error {
	d.m.begin(w, level)
	if err := d.heights(verts, heights); err != nil {
		return err
	}
	return d.attributes(verts, attrs)
}

// streams reads the next two streams of a section.
func (d *Decoder) streams(src []byte) ([]byte, error) {
	src, err := d.unpack.read(d.m.a[:d.m.count()], src)
	if err != nil {
		return nil, err
	}
	return d.unpack.read(d.m.b[:d.m.count()], src)
}

func (d *Decoder) heights(verts []terrain.Vertex, src []byte) error {
	m := &d.m
	src, err := d.streams(src)
	if err != nil {
		return err
	}
	if len(src) != 0 {
		return errStream
	}
	for id := range m.lo {
		m.heights[m.at(id)] = int32(verts[id].Height)
	}
	for k := range m.count() {
		m.res[k] = int32(unzigzag(uint16(m.a[k]) | uint16(m.b[k])<<8))
	}
	restore(m.heights, m.res, m.n, m.coarsest, 0xffff)
	for id := m.lo; id < m.hi; id++ {
		verts[id].Height = uint16(m.heights[m.at(id)])
	}
	return nil
}

func (d *Decoder) attributes(verts []terrain.Vertex, src []byte) error {
	m := &d.m
	src, err := d.streams(src)
	if err != nil {
		return err
	}
	m.deltas()
	for k := range m.count() {
		id := m.lo + k
		verts[id].Coef = m.coef(m.at(id)) + uint16(unzigzag(uint16(m.a[k])|uint16(m.b[k])<<8))
	}
	if src, err = d.streams(src); err != nil {
		return err
	}
	for k := range m.count() {
		id := m.lo + k
		g := m.layout.Grid[id]
		p := m.normal(int(g.X>>m.level), int(g.Z>>m.level))
		verts[id].Normal = [2]uint8{p[0] + m.a[k], p[1] + m.b[k]}
	}
	if src, err = d.streams(src); err != nil {
		return err
	}
	if len(src) != 0 {
		return errStream
	}
	for id := range m.lo {
		m.aux[m.at(id)] = int32(verts[id].SkyView)
	}
	for k := range m.count() {
		m.res[k] = int32(m.a[k])
	}
	restore(m.aux, m.res, m.n, m.coarsest, 0xff)
	for id := m.lo; id < m.hi; id++ {
		verts[id].SkyView = uint8(m.aux[m.at(id)])
	}
	for id := range m.lo {
		m.aux[m.at(id)] = int32(verts[id].Curvature)
	}
	for k := range m.count() {
		m.res[k] = int32(m.b[k])
	}
	restore(m.aux, m.res, m.n, m.coarsest, 0xff)
	for id := m.lo; id < m.hi; id++ {
		verts[id].Curvature = uint8(m.aux[m.at(id)])
	}
	return nil
}
