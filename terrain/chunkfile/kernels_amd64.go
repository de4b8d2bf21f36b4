//go:build !noasm

package chunkfile

import (
	"github.com/vkterrain/vkterrain/terrain"
)

// fast says that the processor has AVX2 and BMI2, and that the system keeps
// their registers. The functions of this file then have twins in assembly that
// do the same.
var fast = func() bool {
	const osxsave, avx = 1 << 27, 1 << 28
	const bmi1, avx2, bmi2 = 1 << 3, 1 << 5, 1 << 8
	if top, _, _, _ := cpuid(0, 0); top < 7 {
		return false
	}
	if _, _, c, _ := cpuid(1, 0); c&osxsave == 0 || c&avx == 0 || xgetbv()&6 != 6 {
		return false
	}
	_, b, _, _ := cpuid(7, 0)
	return b&(bmi1|avx2|bmi2) == bmi1|avx2|bmi2
}()

func cpuid(leaf, sub uint32) (a, b, c, d uint32)
func xgetbv() uint32

//go:noescape
func guessCentresAVX2(height, near *int32, class *uint8, c0, c1, c2, c3 *int32, n, rows, stride int)

//go:noescape
func guessAcrossAVX2(height, near *int32, class *uint8, c0, c1, c2, m0, m1, m2, m3 *int32, n, rows, stride int)

//go:noescape
func guessDownAVX2(height, near *int32, class *uint8, c0, c1, c2, c3, m0, m1, m2 *int32, n, rows, stride int)

//go:noescape
func applyAVX2(heights, guesses *int32, residuals *uint16, n, rows, stride int)

//go:noescape
func edgesAVX2(errors, mid, a, b *int32, n int)

//go:noescape
func squaresAVX2(errors, centre, c0, c1, north, south, down *int32, odd, n int)

//go:noescape
func shadeAVX2(shades, a, b, c, d, heights, near *int32, residuals *uint16, sky int32, bend float32, n int)

//go:noescape
func packAVX2(dst *uint64, heights, errors, shades, west, east, north, south *int32, s *scale, n int)

//go:noescape
func readLanesBMI2(plain *uint16, token, class *uint8, decode **decodeTable, buf *byte, l *[4]lane, limit uint, n int) bool

//go:noescape
func readLaneBMI2(plain *uint16, token, class *uint8, decode **decodeTable, buf *byte, l *lane, limit uint, n int) bool

//go:noescape
func joinAVX2(out *uint16, token, class *uint8, least uint8, n int)

//go:noescape
func gatherAVX2(heights, shades *int32, verts *terrain.Vertex, ids *uint32, n int)

//go:noescape
func fetchLines(verts *terrain.Vertex, lines int)

//go:noescape
func fetchTableLines(t *decodeTable, lines int)

//go:noescape
func scatterAVX2(verts *terrain.Vertex, ids *uint32, packed *uint64, n int)

//go:noescape
func finishAVX2(verts *terrain.Vertex, r *squareRow, s *scale, rules *shading)

// guessRows predicts the heights of rows z to z+rows-1 of a plane.
func (l *level) guessRows(kind, z, rows int, g guess) {
	if !fast {
		l.guessRowsGo(kind, z, rows, g)
		return
	}
	c, e, m, stride := &l.heights.corners, &l.heights.centres, l.m, l.heights.corners.stride
	_, _, g = c.row(z+rows+1), e.row(z+rows+1), g.slice(0, rows*l.parts()[kind].width)
	h, near, class := &g.height[0], &g.near[0], &g.class[0]
	switch kind {
	case inCentres:
		guessCentresAVX2(h, near, class, c.first(z-1), c.first(z), c.first(z+1), c.first(z+2), m, rows, stride)
	case inAcross:
		guessAcrossAVX2(h, near, class, c.first(z-1), c.first(z), c.first(z+1),
			e.first(z-2), e.first(z-1), e.first(z), e.first(z+1), m, rows, stride)
	case inDown:
		guessDownAVX2(h, near, class, c.first(z-1), c.first(z), c.first(z+1), c.first(z+2),
			e.first(z-1), e.first(z), e.first(z+1), m+1, rows, stride)
	}
}

// applyRows fills rows z to z+rows-1 of a plane, n columns wide, from guesses and residuals.
func (p *plane) applyRows(z, rows, n int, guesses []int32, residuals []uint16) {
	if !fast {
		p.applyRowsGo(z, rows, n, guesses, residuals)
		return
	}
	_, _, _ = p.row(z+rows-1), guesses[rows*n-1], residuals[rows*n-1]
	applyAVX2(&p.row(z)[planePad], &guesses[0], &residuals[0], n, rows, p.stride)
}

func edges(errors, mid, a, b []int32) {
	if !fast {
		edgesGo(errors, mid, a, b)
		return
	}
	edgesAVX2(&errors[0], &mid[0], &a[0], &b[0], len(errors))
}

func squares(errors, centre, c0, c1, north, south, down []int32, odd int) {
	if !fast {
		squaresGo(errors, centre, c0, c1, north, south, down, odd)
		return
	}
	squaresAVX2(&errors[0], &centre[0], &c0[0], &c1[0], &north[0], &south[0], &down[0], odd, len(errors))
}

func shade(shades, a, b, c, d, heights, near []int32, residuals []uint16, g *shading) {
	if !fast {
		shadeGo(shades, a, b, c, d, heights, near, residuals, g)
		return
	}
	shadeAVX2(&shades[0], &a[0], &b[0], &c[0], &d[0], &heights[0], &near[0], &residuals[0], g.sky, g.bend, len(shades))
}

func pack(dst []uint64, heights, errors, shades, west, east, north, south []int32, s *scale) {
	if !fast {
		packGo(dst, heights, errors, shades, west, east, north, south, s)
		return
	}
	packAVX2(&dst[0], &heights[0], &errors[0], &shades[0], &west[0], &east[0], &north[0], &south[0], s, len(dst))
}

// pieceLen is how many residuals are read before they are joined.
const pieceLen = 512

func readLanes(out []uint16, class []uint8, b *book, buf []byte, l *[4]lane, limit uint) bool {
	if !fast {
		return readLanesGo(out, class, b, buf, l, limit)
	}
	var token [pieceLen]uint8
	for len(out) > 0 {
		n := min(len(out), pieceLen)
		if !readLanesBMI2(&out[0], &token[0], &class[0], &b.decode[0], &buf[0], l, limit, n) {
			return false
		}
		join(out[:n], token[:], class, b.least)
		out, class = out[n:], class[n:]
	}
	return true
}

func readLane(out []uint16, class []uint8, b *book, buf []byte, l *lane, limit uint) bool {
	if !fast {
		return l.read(out, class, b, buf, limit)
	}
	var token [pieceLen]uint8
	for len(out) > 0 {
		n := min(len(out), pieceLen)
		if !readLaneBMI2(&out[0], &token[0], &class[0], &b.decode[0], &buf[0], l, limit, n) {
			return false
		}
		join(out[:n], token[:], class, b.least)
		out, class = out[n:], class[n:]
	}
	return true
}

// join turns plain bits and tokens into residuals.
func join(out []uint16, token, class []uint8, least uint8) {
	n := 0
	if fast {
		if n = len(out) &^ 15; n > 0 {
			joinAVX2(&out[0], &token[0], &class[0], least, n)
		}
	}
	joinGo(out[n:], token[n:], class[n:], least)
}

func gather(heights, shades []int32, verts []terrain.Vertex, ids []uint32) {
	if !fast {
		gatherGo(heights, shades, verts, ids)
		return
	}
	gatherAVX2(&heights[0], &shades[0], &verts[0], &ids[0], len(heights))
}

// lineBytes is what the memory gives at a time.
const lineBytes = 64

// fetch asks the memory for vertices that will soon be read.
func fetch(verts []terrain.Vertex) {
	if n := min(len(verts), 1<<15); fast && n > 0 {
		fetchLines(&verts[0], (n*terrain.VertexBytes+lineBytes-1)/lineBytes)
	}
}

func fetchTable(t *decodeTable) {
	if fast {
		fetchTableLines(t, (states*5+lineBytes-1)/lineBytes)
	}
}

func scatter(verts []terrain.Vertex, ids []uint32, packed []uint64) {
	if !fast {
		scatterGo(verts, ids, packed)
		return
	}
	if len(ids) > 0 {
		scatterAVX2(&verts[0], &ids[0], &packed[0], len(ids))
	}
}

// finish makes the vertices of a row of squares, a multiple of eight.
func finish(verts []terrain.Vertex, r *squareRow, s *scale, g *shading) {
	if !fast || !s.normal() {
		finishGo(verts, r, s, g)
		return
	}
	finishAVX2(&verts[0], r, s, g)
}

// normal says whether all coefficients but 0 are normal numbers.
func (s *scale) normal() bool {
	return s.maxError == 0 || s.maxError >= 0x1p-126 && s.maxError < 1e30
}
