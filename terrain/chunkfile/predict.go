package chunkfile

import (
	"math/bits"

	"github.com/vkterrain/vkterrain/terrain"
)

// Both kinds of sample see the same picture around them, turned by 45°: ring 0
// are the four nearest known samples, ring 1 eight and ring 2 four farther ones.
// The prediction is (81·ring 0 - 9·ring 1 + ring 2) / 256, the product of two
// four-point interpolations (Deslauriers and Dubuc, "Symmetric Iterative
// Interpolation Processes", Constructive Approximation 5, 1989).
//
// Most functions of this file have a twin for processors with AVX2. They take
// rows as planes hold them: column 0 is at planePad.

// guess is what is known of the samples of a pass before they are decoded, one
// of each a sample.
type guess struct {
	height []int32 // the prediction, 0 to 65535
	near   []int32 // mean of ring 0
	class  []uint8 // how rough the place is, 0 to classes-1
}

// classes is the number of classes of roughness: the bit length of a number of
// 16 bits or, rarely, more.
const classes = 17

func (g *guess) slice(at, n int) guess {
	return guess{g.height[at : at+n : at+n], g.near[at : at+n : at+n], g.class[at : at+n : at+n]}
}

// put predicts sample i from ring 0 and the sums of the others.
func (g *guess) put(i int, a, b, c, d, ring1, ring2 int32) {
	ring0 := a + b + c + d
	p := (81*ring0 - 9*ring1 + ring2 + 128) >> 8
	g.height[i] = min(max(p, 0), 0xffff)
	g.near[i] = (ring0 + 2) >> 2
	rough := max(a, b, c, d) - min(a, b, c, d) + abs(ring1-2*ring0)>>3
	g.class[i] = uint8(min(bits.Len32(uint32(rough)), classes-1))
}

// guessCentres predicts a row of n centres from four rows of corners; those to
// the north-west and south-west of the first are in c1 and c2.
func guessCentres(g guess, c0, c1, c2, c3 []int32, n int) {
	c0, c1, c2, c3 = c0[:n+5], c1[:n+5], c2[:n+5], c3[:n+5]
	for i := range n {
		g.put(i, c1[i+2], c1[i+3], c2[i+2], c2[i+3],
			c1[i+1]+c1[i+4]+c2[i+1]+c2[i+4]+c0[i+2]+c0[i+3]+c3[i+2]+c3[i+3],
			c0[i+1]+c0[i+4]+c3[i+1]+c3[i+4])
	}
}

// guessAcross predicts a row of n midpoints between corners of row c1; the
// centres to the north of them are in m1, to the south in m2.
func guessAcross(g guess, c0, c1, c2, m0, m1, m2, m3 []int32, n int) {
	c0, c1, c2 = c0[:n+5], c1[:n+5], c2[:n+5]
	m0, m1, m2, m3 = m0[:n+5], m1[:n+5], m2[:n+5], m3[:n+5]
	for i := range n {
		g.put(i, c1[i+2], c1[i+3], m1[i+2], m2[i+2],
			m1[i+1]+m1[i+3]+m2[i+1]+m2[i+3]+c0[i+2]+c0[i+3]+c2[i+2]+c2[i+3],
			c1[i+1]+c1[i+4]+m0[i+2]+m3[i+2])
	}
}

// guessDown predicts a row of n midpoints between corners of rows c1 and c2; the
// centres between those are in m1.
func guessDown(g guess, c0, c1, c2, c3, m0, m1, m2 []int32, n int) {
	c0, c1, c2, c3 = c0[:n+4], c1[:n+4], c2[:n+4], c3[:n+4]
	m0, m1, m2 = m0[:n+4], m1[:n+4], m2[:n+4]
	for i := range n {
		g.put(i, c1[i+2], c2[i+2], m1[i+1], m1[i+2],
			m0[i+1]+m0[i+2]+m2[i+1]+m2[i+2]+c1[i+1]+c2[i+1]+c1[i+3]+c2[i+3],
			c0[i+2]+c3[i+2]+m1[i]+m1[i+3])
	}
}

// applyRowsGo fills rows z to z+rows-1 of a plane, n columns wide, with the heights that
// guesses and zig-zag residuals give.
func (p *plane) applyRowsGo(z, rows, n int, guesses []int32, residuals []uint16) {
	for i := range rows {
		heights, guesses, residuals := p.row(z + i)[planePad:planePad+n], guesses[i*n:(i+1)*n], residuals[i*n:(i+1)*n]
		for x := range heights {
			heights[x] = (guesses[x] + int32(unzigzag(residuals[x]))) & 0xffff
		}
	}
}

// Shades: sky view of a sample in 6 bits and curvature in 8, side by side in one
// number, sky view below.
const (
	maxSky        = 63
	maxCurvature  = 255
	flatCurvature = 128
)

// skyOf returns the sky view that is kept of one, 0 only for 0; unshade is the
// inverse but for what is lost.
func skyOf(sky uint8) int32 {
	if sky == 0 {
		return 0
	}
	return max((int32(sky)*maxSky+127)/255, 1)
}

func unshade(s int32) (sky, curvature uint8) {
	return uint8(((s&0xffff)*259 + 32) >> 6), uint8(s >> 16)
}

// shading are the rules for the shades of a level.
type shading struct {
	sky  int32   // how much sky view follows a bump, in 1/4096
	bend float32 // what a bump of one quantum bends curvature by, of 127
}

// Curvature is not stored. On the coarsest level it is flat everywhere. On every
// other it is that of the four nearest and what the sample stands out from them,
// relative to the distance: a sum over all scales, squashed to its range as
// t/(1+|t|) would.
const (
	curvatureGain = 3
	skyShift      = 12
	maxBump       = 1 << 15
)

// bendOf returns shading.bend for a level.
func bendOf(quantum, spacing float64) float32 {
	return float32(min(curvatureGain*quantum/spacing, 1e6))
}

// guessShade predicts the shade of a sample from the sum of its four nearest
// and how far it stands above their mean. What is no hole has a sky view above 0.
// The curvature is no prediction but so.
func guessShade(sum, bump int32, g *shading) (sky, curvature int32) {
	sum += 2 | 2<<16
	s, c := sum>>2&0xff, sum>>18&0xff
	s += min(max(bump, -maxBump), maxBump-1) * g.sky >> skyShift
	room := 1 - abs32(float32(c-flatCurvature))*(1.0/128)
	bend := max(min(float32(float32(bump)*g.bend), 1), -1)
	c += int32(float32(float32(room*room)*bend) * 127)
	return min(max(s, 1), maxSky), min(max(c, 0), maxCurvature)
}

// shadeGo fills shades. a to d are the rows of the four nearest of each, near
// the means of their heights.
func shadeGo(shades, a, b, c, d, heights, near []int32, residuals []uint16, g *shading) {
	n := len(shades)
	a, b, c, d, heights, near, residuals = a[:n], b[:n], c[:n], d[:n], heights[:n], near[:n], residuals[:n]
	for i := range shades {
		sky, curvature := guessShade(a[i]+b[i]+c[i]+d[i], heights[i]-near[i], g)
		shades[i] = (sky+int32(unzigzag(residuals[i])))&maxSky | curvature<<16
	}
}

// edgesGo fills errors with twice the distance of the midpoints mid from the
// middles of their edges, whose ends are a and b.
func edgesGo(errors, mid, a, b []int32) {
	mid, a, b = mid[:len(errors)], a[:len(errors)], b[:len(errors)]
	for i := range errors {
		errors[i] = abs(2*mid[i] - a[i] - b[i])
	}
}

// squaresGo fills errors with the largest of the errors of the four edges around
// each centre and twice its own distance from the middle of its diagonal. That is
// from north-west to south-east where column and row are both even or both odd;
// odd is the parity of the row. c0 and c1 are the corners, north and south the
// errors of the edges there and down those of the edges to the west; those to the
// east follow.
func squaresGo(errors, centre, c0, c1, north, south, down []int32, odd int) {
	n := len(errors)
	centre, north, south = centre[:n], north[:n], south[:n]
	c0, c1, down = c0[:n+1], c1[:n+1], down[:n+1]
	for i := range errors {
		ends := c0[i] + c1[i+1]
		if (i^odd)&1 != 0 {
			ends = c0[i+1] + c1[i]
		}
		errors[i] = max(abs(2*centre[i]-ends), north[i], south[i], down[i], down[i+1])
	}
}

// scale turns grid units into metres.
type scale struct {
	half     float64 // metres an error's unit: half a quantum
	maxError float64 // metres
	slope    float32 // of the difference of heights two grid steps apart
}

// packGo makes vertices of everything: heights, errors, shades, and the
// neighbours that give the slope.
func packGo(dst []uint64, heights, errors, shades, west, east, north, south []int32, s *scale) {
	n := len(dst)
	heights, errors, shades = heights[:n], errors[:n], shades[:n]
	west, east, north, south = west[:n], east[:n], north[:n], south[:n]
	for i := range dst {
		dst[i] = s.vertex(heights[i], errors[i], shades[i], east[i]-west[i], south[i]-north[i])
	}
}

// vertex returns the bytes of a vertex as a little-endian number. dx and dz are the
// differences of heights two grid steps apart.
func (s *scale) vertex(height, err, shade, dx, dz int32) uint64 {
	u, v := slopeNormal(dx, dz, s.slope)
	sky, curvature := unshade(shade)
	return uint64(uint16(height)) | uint64(coefUp(float64(float64(err)*s.half)+s.maxError))<<16 |
		uint64(u)<<32 | uint64(v)<<40 | uint64(sky)<<48 | uint64(curvature)<<56
}

// slopeNormal returns the packed normal of a surface that rises dx·slope
// eastwards and dz·slope southwards a unit of run. Every operation is rounded by
// itself, so that all machines get the same.
func slopeNormal(dx, dz int32, slope float32) (u, v uint8) {
	x, z := float32(float32(dx)*slope), float32(float32(dz)*slope)
	s := 127 / (float32(abs32(x)+1) + abs32(z))
	return uint8(int32(128.5 - float32((x+z)*s))), uint8(int32(128.5 - float32((x-z)*s)))
}

func abs32(v float32) float32 { return max(v, -v) }

func abs(v int32) int32 { return max(v, -v) }

// gatherGo fills heights and shades from the vertices that ids say.
func gatherGo(heights, shades []int32, verts []terrain.Vertex, ids []uint32) {
	ids, shades = ids[:len(heights)], shades[:len(heights)]
	for i, id := range ids {
		v := &verts[id]
		heights[i], shades[i] = int32(v.Height), skyTable[v.SkyView]|int32(v.Curvature)<<16
	}
}

// scatterGo puts vertices where their ids say.
func scatterGo(verts []terrain.Vertex, ids []uint32, packed []uint64) {
	packed = packed[:len(ids)]
	for i, id := range ids {
		verts[id] = unpackVertex(packed[i])
	}
}
