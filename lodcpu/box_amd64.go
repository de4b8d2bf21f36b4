//go:build !noasm

package lodcpu

import (
	"unsafe"

	"github.com/vkterrain/vkterrain/terrain"
)

// boxing is what the kernels work on: at least one vertex.
type boxing struct {
	indices unsafe.Pointer // of 16 or 32 bits
	many    int
	grid    *terrain.GridPos
	verts   *terrain.Vertex

	least, most corner
}

//go:noescape
func boxNarrowSSE2(b *boxing)

//go:noescape
func boxWideSSE2(b *boxing)

// corners returns the least and the largest columns, rows and heights of vertices.
func corners[I Index](m *measure, indices []I) (least, most corner) {
	b := boxing{indices: unsafe.Pointer(&indices[0]), many: len(indices), grid: &m.grid[0], verts: &m.verts[0]}
	if unsafe.Sizeof(indices[0]) == 2 {
		boxNarrowSSE2(&b)
	} else {
		boxWideSSE2(&b)
	}
	return b.least, b.most
}
