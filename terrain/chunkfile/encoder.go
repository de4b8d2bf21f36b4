package chunkfile

import "github.com/vkterrain/vkterrain/terrain"

// Encoder codes tiles of one world. It is for one goroutine; its parts are
// built once and reused.
type Encoder struct {
	world *terrain.World
	m     model
	pack  packer
	low   bitWriter
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
		e.m.load(verts, 0, e.m.hi)
		out.data = e.heights(out.data)
		heights := len(out.data) - start
		out.data = e.attributes(out.data, verts)
		chunk := out.data[start:]
		out.chunks[level] = entry{int64(start), uint32(len(chunk)), uint32(heights), checksum(chunk)}
	}
	return out
}

// heights appends the height section: a token a level sample, then the low bits
// that the tokens leave out.
func (e *Encoder) heights(dst []byte) []byte {
	h, n := e.m.heights, e.m.n
	tokens := e.m.stream[sToken][:0]
	e.low.out = e.low.out[:0]
	if e.m.coarsest {
		rough := int32(coarsestRough)
		for i := range n * n {
			r := int16(h[i] - gradient(h, i, n))
			tokens = append(tokens, e.token(zigzag(r), splitBits(rough)))
			rough = followRough(rough, int32(r))
		}
	}
	for _, r := range e.m.runs {
		for i := r.i; i < r.i+2*r.count; i += 2 {
			p := r.place(h, i, n)
			e.m.bumps[i] = h[i] - p.near
			tokens = append(tokens, e.token(zigzag(int16(h[i]-p.height)), splitBits(p.rough)))
		}
	}
	dst = e.pack.append(dst, tokens)
	return append(dst, e.low.flush()...)
}

// token splits u into a token and low bits, which it writes.
func (e *Encoder) token(u uint16, low uint) byte {
	t := u >> low
	if t >= escape {
		e.low.write(uint32(u), 16)
		return escape
	}
	e.low.write(uint32(u)&(1<<low-1), low)
	return byte(t)
}

// attributes appends the attribute section: the gains of sky view and
// curvature, then the streams.
func (e *Encoder) attributes(dst []byte, verts []terrain.Vertex) []byte {
	m := &e.m
	m.predictDeltas()
	m.predictNormals()
	verts = verts[m.lo:m.hi]
	for k, i := range m.at {
		v, n := &verts[m.ids[k]], m.normals[i]
		c := zigzag(int16(v.Coef - m.coef(i)))
		m.stream[sCoefLow][k], m.stream[sCoefHigh][k] = byte(c), byte(c>>8)
		m.stream[sNormalU][k], m.stream[sNormalV][k] = v.Normal[0]-n[0], v.Normal[1]-n[1]
	}
	sky, curvature := m.fitGains()
	e.shades(int64(sky), int64(curvature))
	dst = le.AppendUint32(dst, uint32(sky))
	dst = le.AppendUint32(dst, uint32(curvature))
	for s := sCoefLow; s < streams; s++ {
		dst = e.pack.append(dst, m.stream[s][:len(m.at)])
	}
	return dst
}

// shades fills the streams of sky view and curvature.
func (e *Encoder) shades(skyGain, curvatureGain int64) {
	m := &e.m
	sky, curvature := m.stream[sSky], m.stream[sCurvature]
	if m.coarsest {
		for i := range m.n * m.n {
			// The upper half of p has borrowed from the lower; both sides see it.
			p := gradient(m.shades, i, m.n)
			sky[i], curvature[i] = byte(m.shades[i]-p), byte(m.shades[i]>>16-p>>16)
		}
	}
	k := 0
	for _, r := range m.runs {
		for i := r.i; i < r.i+2*r.count; i += 2 {
			s, c := m.predictShades(i, &r, skyGain, curvatureGain)
			sky[k], curvature[k] = byte(m.shades[i]-s), byte(m.shades[i]>>16-c)
			k++
		}
	}
}
