//go:build !amd64 || noasm

package chunkfile

import "github.com/vkterrain/vkterrain/terrain"

func guessCentres(g guess, c0, c1, c2, c3 []int32, n int) { guessCentresGo(g, c0, c1, c2, c3, n) }

func guessAcross(g guess, c0, c1, c2, m0, m1, m2, m3 []int32, n int) {
	guessAcrossGo(g, c0, c1, c2, m0, m1, m2, m3, n)
}

func guessDown(g guess, c0, c1, c2, c3, m0, m1, m2 []int32, n int) {
	guessDownGo(g, c0, c1, c2, c3, m0, m1, m2, n)
}

func apply(heights, guesses []int32, residuals []uint16) { applyGo(heights, guesses, residuals) }

func edges(errors, mid, a, b []int32) { edgesGo(errors, mid, a, b) }

func squares(errors, centre, c0, c1, north, south, down []int32, odd int) {
	squaresGo(errors, centre, c0, c1, north, south, down, odd)
}

func shade(shades, a, b, c, d, heights, near []int32, residuals []uint16, g *shading) {
	shadeGo(shades, a, b, c, d, heights, near, residuals, g)
}

func pack(dst []uint64, heights, errors, shades, west, east, north, south []int32, s *scale) {
	packGo(dst, heights, errors, shades, west, east, north, south, s)
}

func readLanes(out []uint16, class []uint8, b *book, buf []byte, l *[4]lane, limit uint) bool {
	return readLanesGo(out, class, b, buf, l, limit)
}

func readLane(out []uint16, class []uint8, b *book, buf []byte, l *lane, limit uint) bool {
	return l.read(out, class, b, buf, limit)
}

func gather(heights, shades []int32, verts []terrain.Vertex, ids []uint32) {
	gatherGo(heights, shades, verts, ids)
}

func fetch([]terrain.Vertex) {}

func fetchTable(*decodeTable) {}

func scatter(verts []terrain.Vertex, ids []uint32, packed []uint64) { scatterGo(verts, ids, packed) }

func finish(verts []terrain.Vertex, r *squareRow, s *scale, g *shading) { finishGo(verts, r, s, g) }
