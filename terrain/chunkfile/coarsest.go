package chunkfile

import (
	"math/bits"

	"github.com/vkterrain/vkterrain/terrain"
)

// flatGrid is the coarsest level: n×n samples, n at most coarsestSide, row by row. A
// height is predicted as left + up - upper left, and how rough the place is
// follows from the residuals before it.
type flatGrid struct {
	heights, shades [coarsestSide * coarsestSide]int32
}

const (
	coarsestSide = 9

	// startRough is the roughness that the first sample is coded with.
	startRough = 1 << 8
)

// roughClass returns the class of a roughness.
func roughClass(rough int32) uint8 { return uint8(min(bits.Len32(uint32(rough)), classes-1)) }

// nextRough is the roughness after a residual.
func nextRough(rough, residual int32) int32 {
	return (3*rough + 2*min(abs(residual), 1<<20)) >> 2
}

// decodeHeights reads all heights and leaves their classes in l.
func (g *flatGrid) decodeHeights(l *level, t *Tables, in []byte) ([]byte, bool) {
	n := l.n * l.n
	first := laneHeader(n)
	if len(in) < first {
		return nil, false
	}
	end := first + laneBytes(in, 0, n)
	if end > len(in) {
		return nil, false
	}
	buf := in[: len(in)+bitSlack : len(in)+bitSlack]
	r, rough := newLane(buf, first), int32(startRough)
	for i := range n {
		l.guess.class[i] = roughClass(rough)
		if !r.read(l.residuals[i:i+1], l.guess.class[i:i+1], &t.book[bookCentres], buf, uint(8*end)) {
			return nil, false
		}
		d := int32(unzigzag(l.residuals[i]))
		g.heights[i] = (gradient(g.heights[:], i, l.n) + d) & 0xffff
		rough = nextRough(rough, d)
	}
	return in[end:], r.done(end)
}

// measureHeights leaves classes and residuals of all heights in l.
func (g *flatGrid) measureHeights(l *level) {
	rough := int32(startRough)
	for i := range l.n * l.n {
		d := int16(g.heights[i] - gradient(g.heights[:], i, l.n))
		l.guess.class[i], l.residuals[i] = roughClass(rough), zigzag(d)
		rough = nextRough(rough, int32(d))
	}
}

// guessSky predicts the sky view of sample i.
func (g *flatGrid) guessSky(i, n int) int32 {
	s := &g.shades
	switch {
	case i == 0:
		return maxSky
	case i < n:
		return s[i-1] & maxSky
	case i%n == 0:
		return s[i-n] & maxSky
	}
	return min(max(s[i-1]&maxSky+s[i-n]&maxSky-s[i-n-1]&maxSky, 0), maxSky)
}

// pack fills l.packed. The coefficients are all in the residuals.
func (g *flatGrid) pack(l *level) {
	n := l.n
	rise := func(i, at, step int) int32 {
		h := &g.heights
		switch at {
		case 0:
			return 2 * (h[i+step] - h[i])
		case n - 1:
			return 2 * (h[i] - h[i-step])
		}
		return h[i+step] - h[i-step]
	}
	for i := range n * n {
		u, v := slopeNormal(rise(i, i%n, 1), rise(i, i/n, n), l.scale.slope)
		sky, curvature := unshade(g.shades[i])
		l.packed[i] = packVertex(terrain.Vertex{
			Height: uint16(g.heights[i]), Normal: [2]uint8{u, v}, SkyView: sky, Curvature: curvature,
		})
	}
}

// packVertex returns the bytes of a vertex as a little-endian number.
func packVertex(v terrain.Vertex) uint64 {
	return uint64(v.Height) | uint64(v.Coef)<<16 | uint64(v.Normal[0])<<32 | uint64(v.Normal[1])<<40 |
		uint64(v.SkyView)<<48 | uint64(v.Curvature)<<56
}

func unpackVertex(p uint64) terrain.Vertex {
	return terrain.Vertex{
		Height: uint16(p), Coef: uint16(p >> 16), Normal: [2]uint8{uint8(p >> 32), uint8(p >> 40)},
		SkyView: uint8(p >> 48), Curvature: uint8(p >> 56),
	}
}
