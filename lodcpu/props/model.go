package props

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
)

// Vertex is a vertex of a model, metres.
type Vertex struct {
	Position [3]float32
	Normal   [3]float32
	UV       [2]float32
}

// Level is a resolution of a model: a part of its index list.
type Level struct {
	First, Count int     // indices
	Error        float64 // metres that its surface is off the full one at most
}

// Triangles returns how many there are.
func (l *Level) Triangles() int { return l.Count / 3 }

// Model is a mesh at a few resolutions. It does not change.
type Model struct {
	Vertices []Vertex
	Indices  []uint32 // of all levels
	Levels   []Level  // from full to least; errors grow, triangles get fewer

	// Middle is a height in metres, and Radius that of a ball about it on the axis of
	// turning that holds the whole model.
	Middle, Radius float64
}

// Check returns an error that says what is wrong with a model, which one that
// [NewModel] made has not.
func (m *Model) Check() error {
	switch {
	case m == nil || len(m.Levels) == 0:
		return errors.New("there is none")
	case len(m.Levels) > math.MaxUint8:
		return fmt.Errorf("%d levels: at most %d", len(m.Levels), math.MaxUint8)
	case !finite(m.Middle, m.Radius) || m.Radius < 0:
		return fmt.Errorf("a ball of %v m about %v m", m.Radius, m.Middle)
	}
	for i, l := range m.Levels {
		if l.First < 0 || l.Count <= 0 || l.Count%3 != 0 || l.First > len(m.Indices)-l.Count || !(l.Error >= 0) {
			return fmt.Errorf("level %d: indices %d to %d of %d, an error of %v m", i, l.First, l.First+l.Count, len(m.Indices), l.Error)
		}
	}
	for i, v := range m.Indices {
		if int(v) >= len(m.Vertices) {
			return fmt.Errorf("index %d: vertex %d of %d", i, v, len(m.Vertices))
		}
	}
	for i := range m.Vertices {
		if p := m.Vertices[i].Position; !finite(float64(p[0]), float64(p[1]), float64(p[2])) {
			return fmt.Errorf("vertex %d is at %v", i, p)
		}
	}
	return nil
}

func finite(values ...float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// maxLevels is the most resolutions of a model, and worthwhile is how many triangles of a
// hundred one may keep of those of the one before.
const (
	maxLevels  = 12
	worthwhile = 85
)

// NewModel reduces a mesh, Y up, its foot at 0. Where it has no normals they are those of
// its triangles, by area.
func NewModel(s *progmesh.Source, o progmesh.Options) (*Model, error) {
	o.Measure = true
	mesh, err := progmesh.Build(s, o)
	if err != nil {
		return nil, err
	}
	if mesh.IndexCount(mesh.Vertices()) == 0 {
		return nil, errors.New("a model without triangles")
	}
	m := &Model{Vertices: Vertices(s, mesh)}
	m.enclose()
	m.choose(mesh)
	return m, nil
}

// Vertices returns the vertices of a mesh that was made of s, in its order: those that its
// index lists count. Where s has no normals they are those of its triangles, by area.
func Vertices(s *progmesh.Source, mesh *progmesh.Mesh) []Vertex {
	normals := s.Normals
	if normals == nil {
		normals = normalsOf(s)
	}
	vertices := make([]Vertex, len(mesh.Order))
	for i, v := range mesh.Order {
		vertices[i] = Vertex{Position: s.Positions[v], Normal: normals[v]}
		if s.UVs != nil {
			vertices[i].UV = s.UVs[v]
		}
	}
	return vertices
}

// choose fills in the levels: about two thirds of the vertices each, the coarsest of the same
// error.
func (m *Model) choose(mesh *progmesh.Mesh) {
	counts := []int{mesh.CountFor(0)}
	for n := mesh.Vertices() * 2 / 3; len(counts) < maxLevels; n = n * 2 / 3 {
		count := mesh.CountFor(mesh.Error(max(n, mesh.Least())))
		for len(counts) > 0 && mesh.Error(count) <= mesh.Error(counts[len(counts)-1]) && mesh.IndexCount(count) <= mesh.IndexCount(counts[len(counts)-1]) {
			counts = counts[:len(counts)-1]
		}
		if len(counts) == 0 || mesh.IndexCount(count) < worthwhile*mesh.IndexCount(counts[len(counts)-1])/100 {
			counts = append(counts, count)
		}
		if n <= mesh.Least() {
			break
		}
	}
	for _, count := range counts {
		l := Level{First: len(m.Indices), Count: mesh.IndexCount(count), Error: mesh.Error(count)}
		m.Indices = append(m.Indices, make([]uint32, l.Count)...)
		mesh.Indices(m.Indices[l.First:], count)
		m.Levels = append(m.Levels, l)
	}
}

// enclose fills in the ball.
func (m *Model) enclose() {
	low, high := math.Inf(1), math.Inf(-1)
	for i := range m.Vertices {
		y := float64(m.Vertices[i].Position[1])
		low, high = min(low, y), max(high, y)
	}
	m.Middle = (low + high) / 2
	for i := range m.Vertices {
		p := m.Vertices[i].Position
		m.Radius = max(m.Radius, mgl64.Vec3{float64(p[0]), float64(p[1]) - m.Middle, float64(p[2])}.Len())
	}
}

// normalsOf returns the normals of a mesh's vertices, those at one place alike.
func normalsOf(s *progmesh.Source) [][3]float32 {
	sums := map[[3]float32]mgl64.Vec3{}
	at := func(v uint32) mgl64.Vec3 {
		p := s.Positions[v]
		return mgl64.Vec3{float64(p[0]), float64(p[1]), float64(p[2])}
	}
	for _, t := range s.Triangles {
		n := at(t[1]).Sub(at(t[0])).Cross(at(t[2]).Sub(at(t[0])))
		for _, v := range t {
			sums[s.Positions[v]] = sums[s.Positions[v]].Add(n)
		}
	}
	normals := make([][3]float32, len(s.Positions))
	for i, p := range s.Positions {
		n := sums[p]
		if l := n.Len(); l > 0 {
			n = n.Mul(1 / l)
		} else {
			n = mgl64.Vec3{0, 1, 0}
		}
		normals[i] = [3]float32{float32(n[0]), float32(n[1]), float32(n[2])}
	}
	return normals
}

// Base says where a model begins in packed buffers.
type Base struct{ Vertex, Index int }

// Pack puts the models' vertices and indices one after the other, for one vertex and one
// index buffer. Indices still count from the first vertex of their model.
func Pack(models []*Model) (vertices []Vertex, indices []uint32, bases []Base) {
	for _, m := range models {
		bases = append(bases, Base{len(vertices), len(indices)})
		vertices, indices = append(vertices, m.Vertices...), append(indices, m.Indices...)
	}
	return vertices, indices, bases
}
