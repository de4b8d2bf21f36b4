package export

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/vkterrain/vkterrain/terrain"
)

// WritePLY writes the mesh as a binary little-endian PLY, as WriteOBJ does as text.
func (m *Mesh) WritePLY(w io.Writer, u Up) error {
	b := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(b, "ply\nformat binary_little_endian 1.0\ncomment %s\nelement vertex %d\n", m.describe(u), len(m.Vertices))
	names := []string{"x", "y", "z", "nx", "ny", "nz"}
	if m.Closed {
		names = names[:3]
	}
	for _, name := range names {
		fmt.Fprintf(b, "property float %s\n", name)
	}
	fmt.Fprintf(b, "element face %d\nproperty list uchar uint vertex_indices\nend_header\n", len(m.Triangles))
	var out []byte
	triple := func(x, y, z float64) {
		x, y, z = u.turn(x, y, z)
		for _, c := range [3]float64{x, y, z} {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(c)))
		}
	}
	for i := range m.Vertices {
		out = out[:0]
		triple(m.position(&m.Vertices[i]))
		if !m.Closed {
			triple(terrain.DecodeNormal(m.Vertices[i].Normal))
		}
		b.Write(out)
	}
	for _, t := range m.Triangles {
		out = append(out[:0], 3)
		for _, v := range t {
			out = binary.LittleEndian.AppendUint32(out, v)
		}
		b.Write(out)
	}
	return b.Flush() // it keeps the first error
}
