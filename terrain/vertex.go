package terrain

import "math"

// Vertex is one sample as it is stored, refined and drawn: 8 bytes, little
// endian, the same bytes in CPU memory and on the GPU.
//
//	 0       2       4     5     6         7           8
//	+-------+-------+-----+-----+---------+-----------+
//	| Height| Coef  | Normal uv | SkyView | Curvature |
//	+-------+-------+-----+-----+---------+-----------+
type Vertex struct {
	Height    uint16   // quanta above the tile's base
	Coef      uint16   // activation coefficient in metres, see [CoefUp]
	Normal    [2]uint8 // see [EncodeNormal]; from the full-resolution surface
	SkyView   uint8    // visible part of the sky, 255 = all of it; 0 = the sample is a hole
	Curvature uint8    // 128 = flat, more = ridge, less = hollow
}

// Hole says that the source has no height here. The vertex has a made-up one, so
// that whatever is computed of heights goes on, but no triangle that touches it is
// drawn.
func (v *Vertex) Hole() bool { return v.SkyView == 0 }

// VertexBytes is the size of a Vertex.
const VertexBytes = 8

// CoefUp encodes a coefficient of c ≥ 0 metres as the upper half of a float32
// (bfloat16), rounded up, so that the coded bound is never below the true one
// and nesting survives the coding. Infinity means always active.
func CoefUp(c float64) uint16 {
	f := float32(c)
	if float64(f) < c {
		f = math.Nextafter32(f, float32(math.Inf(1)))
	}
	b := math.Float32bits(f)
	if b&0xffff != 0 {
		b += 0x10000
	}
	return uint16(b >> 16)
}

// CoefMetres decodes what [CoefUp] encoded.
func CoefMetres(c uint16) float32 { return math.Float32frombits(uint32(c) << 16) }

// EncodeNormal packs an upward unit normal (y ≥ 0) into two bytes by the
// hemi-octahedral map of Cigolle et al., "A Survey of Efficient
// Representations for Independent Unit Vectors", JCGT 3(2), 2014.
func EncodeNormal(x, y, z float64) [2]uint8 {
	s := 1 / (math.Abs(x) + y + math.Abs(z))
	u, v := (x+z)*s, (x-z)*s
	return [2]uint8{snormByte(u), snormByte(v)}
}

// snormByte maps [-1, 1] to 1..255 with 0 at 128, so that "straight up" is exact.
func snormByte(v float64) uint8 {
	return uint8(128 + math.Round(127*min(1, max(-1, v))))
}

// DecodeNormal is the inverse of [EncodeNormal]; the result has unit length.
func DecodeNormal(n [2]uint8) (x, y, z float64) {
	u, v := (float64(n[0])-128)/127, (float64(n[1])-128)/127
	x, z = (u+v)/2, (u-v)/2
	y = max(0, 1-math.Abs(x)-math.Abs(z))
	s := 1 / math.Sqrt(x*x+y*y+z*z)
	return x * s, y * s, z * s
}
