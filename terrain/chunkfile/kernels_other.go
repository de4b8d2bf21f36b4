//go:build !amd64 || noasm

package chunkfile

import "github.com/vkterrain/vkterrain/terrain"

func (l *level) guessRows(kind, z, rows int, g guess) { l.guessRowsGo(kind, z, rows, g) }

func (p *plane) applyRows(z, rows, n int, guesses []int32, residuals []uint16) {
	p.applyRowsGo(z, rows, n, guesses, residuals)
}

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
