package export

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/vkterrain/vkterrain/terrain"
)

// Up says which way is up in a file.
type Up uint8

// Ways up. With YUp, Z points south as in a world; with ZUp, Y points north.
const (
	YUp Up = iota
	ZUp
)

// turn turns a vector of a world.
func (u Up) turn(x, y, z float64) (float64, float64, float64) {
	if u == ZUp {
		return x, -z, y
	}
	return x, y, z
}

// position returns where a vertex is from the mesh's origin, metres.
func (m *Mesh) position(v *Vertex) (x, y, z float64) {
	east, south := float64(v.Shift[0])/shiftUnit, float64(v.Shift[1])/shiftUnit
	return (float64(v.Column) + east) * m.Spacing, float64(v.Height), (float64(v.Row) + south) * m.Spacing
}

// describe says in one line what the coordinates are.
func (m *Mesh) describe(u Up) string {
	axes := "X east, Y up, Z south"
	if u == ZUp {
		axes = "X east, Y north, Z up"
	}
	x, y, z := u.turn(m.Origin[0], m.Origin[1], m.Origin[2])
	return fmt.Sprintf("vkterrain; metres; %s; add %v %v %v for world coordinates", axes, x+0, y+0, z+0) // not −0
}

// WriteOBJ writes the mesh as a Wavefront OBJ: metres from the north-west sample of
// the world, whose position a comment states. A mesh that is no solid has normals,
// those of the full-resolution surface.
func (m *Mesh) WriteOBJ(w io.Writer, u Up) error {
	b := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(b, "# %s\no terrain\n", m.describe(u))
	var line []byte
	triple := func(kind string, x, y, z float64) {
		line = append(line[:0], kind...)
		x, y, z = u.turn(x, y, z)
		for _, c := range [3]float64{x, y, z} {
			line = strconv.AppendFloat(append(line, ' '), c+0, 'f', -1, 64)
		}
		b.Write(append(line, '\n'))
	}
	for i := range m.Vertices {
		x, y, z := m.position(&m.Vertices[i])
		triple("v", x, shortest(y), z)
	}
	if !m.Closed {
		for i := range m.Vertices {
			x, y, z := terrain.DecodeNormal(m.Vertices[i].Normal)
			triple("vn", math.Round(x*1e4)/1e4, math.Round(y*1e4)/1e4, math.Round(z*1e4)/1e4)
		}
	}
	for _, t := range m.Triangles {
		line = append(line[:0], 'f')
		for _, v := range t {
			line = strconv.AppendUint(append(line, ' '), uint64(v)+1, 10)
			if !m.Closed {
				line = strconv.AppendUint(append(line, '/', '/'), uint64(v)+1, 10)
			}
		}
		b.Write(append(line, '\n'))
	}
	return b.Flush() // it keeps the first error
}

// shortest returns the shortest decimal number that is the same float32.
func shortest(v float64) float64 {
	s, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', -1, 32), 64)
	if err != nil {
		return v
	}
	return s
}

// maxSTL is what the count of an STL can say.
const maxSTL = math.MaxUint32

// WriteSTL writes the mesh as a binary STL: metres from the north-west sample of
// the world, whose position the header states as far as its 80 bytes reach.
func (m *Mesh) WriteSTL(w io.Writer, u Up) error {
	if len(m.Triangles) > maxSTL {
		return fmt.Errorf("%d triangles: an STL has at most %d", len(m.Triangles), maxSTL)
	}
	le := binary.LittleEndian
	b := bufio.NewWriterSize(w, 1<<16)
	var head [80]byte
	copy(head[:], m.describe(u)) // it must not begin with "solid"
	b.Write(le.AppendUint32(head[:], uint32(len(m.Triangles))))
	record := make([]byte, 0, 50)
	for _, t := range m.Triangles {
		var p [3][3]float32
		for i, v := range t {
			x, y, z := u.turn(m.position(&m.Vertices[v]))
			p[i] = [3]float32{float32(x), float32(y), float32(z)}
		}
		record = record[:0]
		for _, c := range append([][3]float32{normal(p)}, p[:]...) {
			for _, v := range c {
				record = le.AppendUint32(record, math.Float32bits(v))
			}
		}
		b.Write(append(record, 0, 0))
	}
	return b.Flush()
}

// normal returns the unit normal of a triangle, 0 if it has no area.
func normal(p [3][3]float32) [3]float32 {
	var a, b [3]float64
	for i := range 3 {
		a[i], b[i] = float64(p[1][i])-float64(p[0][i]), float64(p[2][i])-float64(p[0][i])
	}
	n := [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
	length := math.Sqrt(n[0]*n[0] + n[1]*n[1] + n[2]*n[2])
	if !(length > 0) {
		return [3]float32{}
	}
	return [3]float32{float32(n[0] / length), float32(n[1] / length), float32(n[2] / length)}
}
