// Package lodtest helps to test refiners: worlds with any mix of levels loaded,
// views of them, and the mesh that a refiner makes of it.
package lodtest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/meshcheck"
	"github.com/vkterrain/vkterrain/terrain"
)

// Topologies are all that there are.
var Topologies = []lodcpu.Topology{lodcpu.Strip, lodcpu.List}

// Scene is a world with a level loaded in every tile that is drawn.
type Scene struct {
	*testworld.World
	Levels map[terrain.Key]int8

	// Spoil, if it is set, may change what the refiner of a tile is told. What is not
	// the same for all tiles breaks what refiners rely on.
	Spoil func(k terrain.Key, near *lodcpu.Neighbourhood, law *lodcpu.Law)

	// At, if it is set, says at which height in metres a vertex is drawn: while it
	// moves, that is not its own.
	At func(tile *terrain.Tile, id uint32) float64

	// Broken says that rules are broken on purpose: counts may be wrong.
	Broken bool
}

// Whole is a world with all levels loaded.
func Whole(w *testworld.World) *Scene {
	s := &Scene{World: w, Levels: map[terrain.Key]int8{}}
	for k := range w.Infos {
		s.Levels[k] = 0
	}
	return s
}

// Mix is a world with any level loaded of each tile, and no tile at all in one of
// ten places.
func Mix(w *testworld.World, rng *rand.Rand) *Scene {
	s := &Scene{World: w, Levels: map[terrain.Key]int8{}}
	nx, nz := w.Tiles()
	for i := range nx * nz {
		if rng.IntN(10) > 0 {
			s.Levels[terrain.Key{X: int32(i % nx), Y: int32(i / nx)}] = int8(rng.IntN(w.Layout().Levels))
		}
	}
	return s
}

// Needed is a world with the levels that a law needs.
func Needed(w *testworld.World, law *lodcpu.Law) *Scene {
	s := &Scene{World: w, Levels: map[terrain.Key]int8{}}
	for k, info := range w.Infos {
		s.Levels[k] = int8(law.Needs(w.Layout(), info))
	}
	testworld.Balance(s.Levels)
	return s
}

// Near returns what is loaded around a tile.
func (s *Scene) Near(k terrain.Key) (n lodcpu.Neighbourhood) {
	for i := range n {
		l, ok := s.Levels[terrain.Key{X: k.X + int32(i%3) - 1, Y: k.Y + int32(i/3) - 1}]
		if !ok {
			l = lodcpu.Absent
		}
		n[i] = l
	}
	return n
}

// Drawn says whether a tile is.
func (s *Scene) Drawn(k terrain.Key) bool { _, ok := s.Levels[k]; return ok }

// Corner is where a vertex of a tile is drawn.
func (s *Scene) Corner(tile *terrain.Tile, id uint32) [3]float64 {
	p, cells := s.Layout().Grid[id], s.Layout().Cells
	x := min(int(tile.Info.Key.X)*cells+int(p.X), s.Width-1)
	z := min(int(tile.Info.Key.Y)*cells+int(p.Z), s.Height-1)
	y := float64(float32(tile.Info.Base+int32(tile.Verts[id].Height)) * float32(s.Quantum))
	if s.At != nil {
		y = s.At(tile, id)
	}
	return [3]float64{s.OriginX + float64(x)*s.Spacing, y, s.OriginZ + float64(z)*s.Spacing}
}

// Draw refines every tile by r and returns what would be drawn. It fails t where
// the counts or the bound of r are wrong.
func (s *Scene) Draw(t testing.TB, r lodcpu.Refiner, topology lodcpu.Topology, law *lodcpu.Law) (*meshcheck.Mesh, lodcpu.Counts) {
	t.Helper()
	dst := make([]uint32, r.MaxIndices(0))
	m := &meshcheck.Mesh{}
	var sum lodcpu.Counts
	for k, level := range s.Levels {
		tile, near, own := s.Tile(k, terrain.Level(level)), s.Near(k), *law
		if s.Spoil != nil {
			s.Spoil(k, &near, &own)
		}
		c, ok := r.Refine(dst[:r.MaxIndices(terrain.Level(level))], tile, &near, &own)
		if !ok {
			t.Fatalf("tile %v level %d: MaxIndices is too small", k, level)
		}
		n := s.add(m, tile, topology, dst[:c.Indices])
		if !s.Broken && (n != c.Triangles || topology == lodcpu.Strip && c.Degenerates != max(c.Indices-2, 0)-n) {
			t.Fatalf("tile %v: counted %+v, wrote %d triangles", k, c, n)
		}
		sum.Add(c)
	}
	return m, sum
}

// add appends the triangles of a tile and the vertices they use, and returns how
// many these are. A strip may have some without area, a list must not.
func (s *Scene) add(m *meshcheck.Mesh, tile *terrain.Tile, topology lodcpu.Topology, indices []uint32) (n int) {
	at := make([]uint32, len(tile.Verts)) // of the mesh, counted from 1
	vertex := func(id uint32) uint32 {
		if at[id] == 0 {
			m.Vertices = append(m.Vertices, s.Corner(tile, id))
			at[id] = uint32(len(m.Vertices))
		}
		return at[id] - 1
	}
	lodcpu.Triangles(topology, indices, func(a, b, c uint32) {
		t := [3]uint32{vertex(a), vertex(b), vertex(c)}
		if topology == lodcpu.Strip && flat(m, t[0], t[1], t[2]) {
			return
		}
		n++
		m.Triangles = append(m.Triangles, t)
	})
	return n
}

// flat says whether a triangle has no area seen from above.
func flat(m *meshcheck.Mesh, a, b, c uint32) bool {
	p, q, r := m.Vertices[a], m.Vertices[b], m.Vertices[c]
	return (q[0]-p[0])*(r[2]-p[2]) == (r[0]-p[0])*(q[2]-p[2])
}

// Faults says what keeps a mesh from being one closed sheet over the drawn tiles,
// but for the holes of the world, see [meshcheck.WatertightBut].
func (s *Scene) Faults(m *meshcheck.Mesh) (n int, first string) {
	return meshcheck.WatertightBut(&s.World.World, m, s.Drawn, s.Field)
}

// Error measures a mesh, see [meshcheck.ScreenError].
func (s *Scene) Error(m *meshcheck.Mesh, v *lodcpu.View) meshcheck.Errors {
	return meshcheck.ScreenError(s.Field, s.OriginX, s.OriginZ, m, Camera(v))
}

// Camera is a view as package meshcheck takes it.
func Camera(v *lodcpu.View) *meshcheck.Camera {
	return &meshcheck.Camera{Eye: v.Eye, Yaw: v.Yaw, Pitch: v.Pitch, FovY: v.FovY, Width: v.Width, Height: v.Height, Haze: v.Haze}
}

// View is any view from over the world or from beside it, also from below its
// highest ground.
func View(w *testworld.World, rng *rand.Rand, tau float64) *lodcpu.View {
	x, z := float64(w.Width)*w.Spacing, float64(w.Height)*w.Spacing
	return &lodcpu.View{
		Eye: mgl64.Vec3{w.OriginX + (rng.Float64()*1.4-0.2)*x, rng.Float64()*600 - 20, w.OriginZ + (rng.Float64()*1.4-0.2)*z},
		Yaw: rng.Float64() * 7, Pitch: (rng.Float64()*1.3 - 1) * math.Pi / 2,
		FovY: 0.3 + rng.Float64(), Width: 200 + rng.IntN(1700), Height: 200 + rng.IntN(900), Tau: tau,
	}
}

// Spikes is a plain with a few samples and patches that are not: what is active
// lies close together, with all kinds of neighbours.
func Spikes(w, h int, seed uint64) *terrain.Field {
	rng := rand.New(rand.NewPCG(seed, 0x591c))
	f := &terrain.Field{Width: w, Height: h, Spacing: 10, Quantum: 0.125, Samples: make([]int32, w*h)}
	for range 6 {
		x, z, r := rng.IntN(w), rng.IntN(h), rng.IntN(2)
		for i := max(0, z-r); i <= min(h-1, z+r); i++ {
			for j := max(0, x-r); j <= min(w-1, x+r); j++ {
				f.Samples[i*w+j] = int32(rng.IntN(200))
			}
		}
	}
	return f
}

// Steep is a field of twenty times the relief.
func Steep(f *terrain.Field) *terrain.Field {
	for i := range f.Samples {
		f.Samples[i] *= 20
	}
	return f
}

// Triangles returns those of a mesh by their corners in cells, the first of them
// first, wound as drawn.
func (s *Scene) Triangles(m *meshcheck.Mesh) map[[3][2]int]bool {
	set := make(map[[3][2]int]bool, len(m.Triangles))
	less := func(a, b [2]int) bool { return a[0] < b[0] || a[0] == b[0] && a[1] < b[1] }
	for _, tri := range m.Triangles {
		var p [3][2]int
		for i, v := range tri {
			q := m.Vertices[v]
			p[i] = [2]int{int(math.Round((q[0] - s.OriginX) / s.Spacing)), int(math.Round((q[2] - s.OriginZ) / s.Spacing))}
		}
		for less(p[1], p[0]) || less(p[2], p[0]) {
			p = [3][2]int{p[1], p[2], p[0]}
		}
		set[p] = true
	}
	return set
}
