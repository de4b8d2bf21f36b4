package chunkfile

import "github.com/vkterrain/vkterrain/terrain"

// oldDecoder decodes chunks of version 1.
type oldDecoder struct {
	m      model
	unpack *unpacker
}

// level decodes one chunk of a tile of w into the level samples of verts.
func (d *oldDecoder) decode(w *terrain.World, verts []terrain.Vertex, level terrain.Level, heights, attrs []byte) error {
	m := &d.m
	m.begin(w, level)
	m.load(verts, 0, m.lo)
	count := m.hi - m.lo
	low, err := d.unpack.read(m.stream[sToken][:count], heights)
	if err != nil {
		return err
	}
	if !d.heights(low) || len(attrs) < oldGainsLen {
		return errStream
	}
	skyGain, curvatureGain := int32(le.Uint32(attrs)), int32(le.Uint32(attrs[4:]))
	if min(skyGain, curvatureGain) < -maxGain || max(skyGain, curvatureGain) > maxGain {
		return errStream
	}
	attrs = attrs[oldGainsLen:]
	for s := sCoefLow; s < streams; s++ {
		if attrs, err = d.unpack.read(m.stream[s][:count], attrs); err != nil {
			return err
		}
	}
	if len(attrs) != 0 {
		return errStream
	}
	d.shades(int64(skyGain), int64(curvatureGain))
	m.predictDeltas()
	m.predictNormals()
	d.store(verts[m.lo:m.hi])
	return nil
}

// oldGainsLen is the length of the two gains that begin the attribute section.
const oldGainsLen = 8

// heights fills the grid of heights from tokens and low bits and says whether
// it used exactly all of these.
func (d *oldDecoder) heights(low []byte) bool {
	h, n := d.m.heights, d.m.n
	in := bitReader{in: low}
	tokens := d.m.stream[sToken]
	if d.m.coarsest {
		rough := int32(coarsestRough)
		for i := range n * n {
			r := int32(unzigzag(in.untoken(tokens[i], splitBits(rough))))
			h[i] = (gradient(h, i, n) + r) & 0xffff
			rough = followRough(rough, r)
		}
	}
	bumps := d.m.bumps
	for _, r := range d.m.runs {
		i := r.i
		for _, t := range tokens[:r.count] {
			p := r.place(h, i, n)
			v := (p.height + int32(unzigzag(in.untoken(t, splitBits(p.rough))))) & 0xffff
			h[i], bumps[i] = v, v-p.near
			i += 2
		}
		tokens = tokens[r.count:]
	}
	return in.done()
}

// untoken is the inverse of Encoder.token.
func (r *bitReader) untoken(t byte, low uint) uint16 {
	if t == escape {
		return uint16(r.read(16))
	}
	return uint16(t)<<low | uint16(r.read(low))
}

// shades is the inverse of Encoder.shades.
func (d *oldDecoder) shades(skyGain, curvatureGain int64) {
	m := &d.m
	sky, curvature := m.stream[sSky], m.stream[sCurvature]
	if m.coarsest {
		for i := range m.n * m.n {
			p := gradient(m.shades, i, m.n)
			m.shades[i] = (p+int32(sky[i]))&0xff | ((p>>16+int32(curvature[i]))&0xff)<<16
		}
	}
	k := 0
	for _, r := range m.runs {
		for i := r.i; i < r.i+2*r.count; i += 2 {
			s, c := m.predictShades(i, &r, skyGain, curvatureGain)
			m.shades[i] = (s+int32(sky[k]))&0xff | ((c+int32(curvature[k]))&0xff)<<16
			k++
		}
	}
}

// store writes the level samples.
func (d *oldDecoder) store(verts []terrain.Vertex) {
	m := &d.m
	at := m.at
	ids := m.ids[:len(at)]
	low, high := m.stream[sCoefLow][:len(at)], m.stream[sCoefHigh][:len(at)]
	du, dv := m.stream[sNormalU][:len(at)], m.stream[sNormalV][:len(at)]
	for k, i := range at {
		shade, n := m.shades[i], m.normals[i]
		verts[ids[k]] = terrain.Vertex{
			Height:    uint16(m.heights[i]),
			Coef:      m.coef(i) + uint16(unzigzag(uint16(low[k])|uint16(high[k])<<8)),
			Normal:    [2]uint8{n[0] + du[k], n[1] + dv[k]},
			SkyView:   max(uint8(shade), 1), // 0 meant dark, now a hole
			Curvature: uint8(shade >> 16),
		}
	}
}
