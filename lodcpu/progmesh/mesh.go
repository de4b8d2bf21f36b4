package progmesh

import (
	"fmt"
	"math"
	"sort"

	"github.com/vkterrain/vkterrain/lodcpu"
)

// Mesh is a mesh at every resolution. It does not change, so that any number of
// goroutines may use it.
type Mesh struct {
	// Order[i] is the source's vertex at place i of the vertex buffer: the last to
	// go comes first. Vertices that no triangle needs are left out, as are all but
	// the first of several that are the same.
	Order []uint32

	triangles [][3]uint32 // places at full resolution, the last to go first
	parent    []uint32    // by place: where the vertex goes; always a lower place
	steps     []step      // from full to least
}

// step is a resolution.
type step struct {
	vertices, triangles uint32
	err, least          float64 // least of this and of all coarser ones
}

// Resolution is a share of the vertices in percent.
type Resolution int

// Named resolutions.
const (
	None   Resolution = 0
	Lowest Resolution = 10
	Low    Resolution = 25
	Medium Resolution = 50
	High   Resolution = 75
	Full   Resolution = 100
)

func (r Resolution) String() string {
	switch r {
	case None:
		return "none"
	case Lowest:
		return "lowest"
	case Low:
		return "low"
	case Medium:
		return "medium"
	case High:
		return "high"
	case Full:
		return "full"
	}
	return fmt.Sprintf("%d%%", int(r))
}

// Vertices returns the number of vertices at full resolution.
func (m *Mesh) Vertices() int { return len(m.Order) }

// Least returns the number of vertices of the coarsest resolution but [None].
func (m *Mesh) Least() int { return int(m.steps[len(m.steps)-1].vertices) }

// Count returns the number of vertices that a resolution asks for, rounded.
func (m *Mesh) Count(r Resolution) int {
	return int(math.Round(float64(len(m.Order)) * float64(min(max(r, None), Full)) / 100))
}

// at returns the finest step of at most n vertices, or the coarsest.
func (m *Mesh) at(n int) *step {
	i := sort.Search(len(m.steps), func(i int) bool { return int(m.steps[i].vertices) <= n })
	return &m.steps[min(i, len(m.steps)-1)]
}

// Reach returns the number of vertices drawn where n are asked for: n; or one or
// two fewer, where vertices of a seam go together; or [Mesh.Least] if that is more;
// or 0 for 0.
func (m *Mesh) Reach(n int) int {
	if n <= 0 {
		return 0
	}
	return int(m.at(n).vertices)
}

// Error returns a bound of the distance of the surface of n vertices to the full
// one, and back, in the units of the positions. It does not grow with n, unless it was
// measured: then a resolution where it was may have less than a finer one. It is
// infinite for 0 vertices if the mesh has any.
func (m *Mesh) Error(n int) float64 {
	if n <= 0 && len(m.Order) > 0 {
		return math.Inf(1)
	}
	return m.at(n).err
}

// CountFor returns the fewest vertices whose error is not above err, in the units
// of the positions. It never draws nothing: see [Mesh.Error].
func (m *Mesh) CountFor(err float64) int {
	i := sort.Search(len(m.steps), func(i int) bool { return !(m.steps[i].least <= err) })
	return int(m.steps[max(i-1, 0)].vertices)
}

// MaxError returns the error, in metres, that covers at most v.Tau pixels wherever
// it is in the picture of v, at a distance in metres of the eye or beyond.
//
// What is in the picture at picture coordinates (a, b) and depth Z and drawn e off
// covers e·kappa·sqrt(1 + a² + b²)/Z' pixels, whatever the direction of e, Z' being
// the depth of what is drawn, at least Z − e.
func MaxError(v *lodcpu.View, distance float64) float64 {
	y := math.Tan(v.FovY / 2)
	x := y * float64(v.Width) / float64(v.Height)
	diagonal := math.Sqrt(1 + x*x + y*y)
	return max(distance, 0) / (diagonal * (v.Kappa()/v.Tau*diagonal + 1))
}

// IndexCount returns the number of indices of a resolution of n vertices.
func (m *Mesh) IndexCount(n int) int {
	if n <= 0 {
		return 0
	}
	return 3 * int(m.at(n).triangles)
}

// Indices writes the index list of a resolution of n vertices, see [Mesh.Reach],
// into dst and returns its length. Indices are places of [Mesh.Order]. It writes
// nothing and returns false where dst is shorter than [Mesh.IndexCount]. It
// allocates nothing.
func (m *Mesh) Indices(dst []uint32, n int) (count int, ok bool) {
	count = m.IndexCount(n)
	if len(dst) < count {
		return 0, false
	}
	if count == 0 {
		return 0, true
	}
	s := m.at(n)
	dst = dst[:count]
	for i := range m.triangles[:s.triangles] {
		t := &m.triangles[i]
		out := dst[3*i : 3*i+3]
		out[0], out[1], out[2] = m.place(t[0], s.vertices), m.place(t[1], s.vertices), m.place(t[2], s.vertices)
	}
	return count, true
}

// place returns where a vertex is when only the first n are left.
func (m *Mesh) place(v, n uint32) uint32 {
	for v >= n {
		v = m.parent[v]
	}
	return v
}
