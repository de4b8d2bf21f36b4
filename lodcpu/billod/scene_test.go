package billod_test

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/billod"
	"github.com/vkterrain/vkterrain/meshcheck"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// land is a world with the measures that bake makes of it.
type land struct {
	*testworld.World
	measures *billod.Measures
}

func newLand(t testing.TB, f *terrain.Field, tile int, originX, originZ float64) *land {
	t.Helper()
	path := filepath.Join(t.TempDir(), "world.vkt")
	if _, err := bake.Bake(context.Background(), f, bake.Options{TileSize: tile, Layers: []string{bake.LayerBilLOD}}, path); err != nil {
		t.Fatal(err)
	}
	file, err := chunkfile.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	l := &land{testworld.New(f, tile, originX, originZ), billod.NewMeasures(file.Tiles())}
	layout, d := l.Layout(), chunkfile.NewDecoder()
	for k := range l.Infos {
		b := make([]byte, billod.MeasureBytes*layout.Count(0))
		for level := layout.Levels - 1; level >= 0; level-- {
			if err := file.ReadLayer(d, b, k, terrain.Level(level), 0); err != nil {
				t.Fatal(err)
			}
		}
		l.measures.Put(k, b)
	}
	return l
}

// deviation returns the largest of all.
func (l *land) deviation() (worst float64) {
	for k := range l.Infos {
		worst = max(worst, billod.LargestDeviation(l.measures.Of(k)))
	}
	return worst
}

// refiner returns a new refiner by rule.
func (l *land) refiner(rule *billod.Rule, topology lodcpu.Topology) lodcpu.Refiner {
	if rule.Classic() {
		return billod.NewClassic(l.Layout(), topology, rule, l.measures)
	}
	return billod.New(l.Layout(), topology)
}

// levels says what is loaded of tiles; those that are not in it are not drawn.
type levels map[terrain.Key]int8

// all loads level 0 of all tiles.
func (l *land) all() levels {
	s := levels{}
	for k := range l.Infos {
		s[k] = 0
	}
	return s
}

// mix loads anything, and nothing of a tenth of the tiles.
func (l *land) mix(rng *rand.Rand) levels {
	s := levels{}
	for k := range l.Infos {
		if rng.IntN(10) > 0 {
			s[k] = int8(rng.IntN(l.Layout().Levels))
		}
	}
	return s
}

func (s levels) near(k terrain.Key) (n lodcpu.Neighbourhood) {
	for i := range n {
		l, ok := s[terrain.Key{X: k.X + int32(i%3) - 1, Y: k.Y + int32(i/3) - 1}]
		if !ok {
			l = lodcpu.Absent
		}
		n[i] = l
	}
	return n
}

func (s levels) drawn(k terrain.Key) bool { _, ok := s[k]; return ok }

// corner is where a vertex of a tile is drawn.
func (l *land) corner(tile *terrain.Tile, id uint32) [3]float64 {
	p, cells := l.Layout().Grid[id], l.Layout().Cells
	x := min(int(tile.Info.Key.X)*cells+int(p.X), l.Width-1)
	z := min(int(tile.Info.Key.Y)*cells+int(p.Z), l.Height-1)
	return [3]float64{
		l.OriginX + float64(x)*l.Spacing,
		float64(float32(tile.Info.Base+int32(tile.Verts[id].Height)) * float32(l.Quantum)),
		l.OriginZ + float64(z)*l.Spacing,
	}
}

// draw refines every tile by r and returns what would be drawn.
func (l *land) draw(t testing.TB, s levels, r lodcpu.Refiner, topology lodcpu.Topology, law *lodcpu.Law) (*meshcheck.Mesh, lodcpu.Counts) {
	t.Helper()
	dst := make([]uint32, r.MaxIndices(0))
	m := &meshcheck.Mesh{}
	var sum lodcpu.Counts
	for k, level := range s {
		tile, near := l.Tile(k, terrain.Level(level)), s.near(k)
		c, ok := r.Refine(dst[:r.MaxIndices(terrain.Level(level))], tile, &near, law)
		if !ok {
			t.Fatalf("tile %v level %d: MaxIndices is too small", k, level)
		}
		first := uint32(len(m.Vertices))
		for id := range tile.Verts {
			m.Vertices = append(m.Vertices, l.corner(tile, uint32(id)))
		}
		triangles := 0
		lodcpu.Triangles(topology, dst[:c.Indices], func(a, b, c uint32) {
			if topology == lodcpu.Strip && flat(m, first+a, first+b, first+c) {
				return
			}
			triangles++
			m.Triangles = append(m.Triangles, [3]uint32{first + a, first + b, first + c})
		})
		if triangles != c.Triangles || topology == lodcpu.Strip && c.Degenerates != max(c.Indices-2, 0)-triangles {
			t.Fatalf("tile %v: counted %+v, wrote %d triangles", k, c, triangles)
		}
		sum.Add(c)
	}
	return m, sum
}

// flat says whether a triangle has no area seen from above.
func flat(m *meshcheck.Mesh, a, b, c uint32) bool {
	p, q, r := m.Vertices[a], m.Vertices[b], m.Vertices[c]
	return (q[0]-p[0])*(r[2]-p[2]) == (r[0]-p[0])*(q[2]-p[2])
}

// whole fails t unless the mesh is a sheet without gaps or overlaps over the tiles that
// are drawn, of which all triangles face up.
func (l *land) whole(t testing.TB, m *meshcheck.Mesh, s levels, about ...any) {
	t.Helper()
	if n, first := meshcheck.Watertight(&l.World.World, m, s.drawn); n > 0 {
		t.Fatalf("%v, levels %v: %d faults: %s", about, s, n, first)
	}
	want := 0
	for k := range s {
		x, z := int(k.X)*l.Layout().Cells, int(k.Y)*l.Layout().Cells
		want += (min(l.Width-1, x+l.Layout().Cells) - x) * (min(l.Height-1, z+l.Layout().Cells) - z)
	}
	area := 0.0
	for _, t := range m.Triangles {
		p, q, r := m.Vertices[t[0]], m.Vertices[t[1]], m.Vertices[t[2]]
		area += ((q[2]-p[2])*(r[0]-p[0]) - (q[0]-p[0])*(r[2]-p[2])) / 2
	}
	if got := area / (l.Spacing * l.Spacing); math.Abs(got-float64(want)) > 1e-6 {
		t.Fatalf("%v, levels %v: area of %g cells, want %d", about, s, got, want)
	}
}

// grid returns the triangles of a mesh by their corners in cells, the first of them
// first, wound as drawn.
func (l *land) grid(m *meshcheck.Mesh) map[[3][2]int]bool {
	set := map[[3][2]int]bool{}
	for _, tri := range m.Triangles {
		var p [3][2]int
		for i, v := range tri {
			p[i] = [2]int{
				int(math.Round((m.Vertices[v][0] - l.OriginX) / l.Spacing)), int(math.Round((m.Vertices[v][2] - l.OriginZ) / l.Spacing)),
			}
		}
		for slices.Compare(p[1][:], p[0][:]) < 0 || slices.Compare(p[2][:], p[0][:]) < 0 {
			p = [3][2]int{p[1], p[2], p[0]}
		}
		set[p] = true
	}
	return set
}

// shown returns the vertices of a mesh, in cells.
func (l *land) shown(m *meshcheck.Mesh) map[[2]int]bool {
	set := map[[2]int]bool{}
	for tri := range l.grid(m) {
		set[tri[0]], set[tri[1]], set[tri[2]] = true, true, true
	}
	return set
}

// anyView is a view from somewhere over the land.
func (l *land) anyView(rng *rand.Rand, tau float64) *lodcpu.View {
	w, h := float64(l.Width)*l.Spacing, float64(l.Height)*l.Spacing
	return &lodcpu.View{
		Eye: mgl64.Vec3{l.OriginX + (rng.Float64()*1.4-0.2)*w, rng.Float64()*600 - 20, l.OriginZ + (rng.Float64()*1.4-0.2)*h},
		Yaw: rng.Float64() * 7, Pitch: (rng.Float64()*1.3 - 1) * math.Pi / 2,
		FovY: 0.3 + rng.Float64(), Width: 200 + rng.IntN(1700), Height: 200 + rng.IntN(900), Tau: tau,
	}
}

// lawOf is the law of a view, and of three in four what culls to it or to another
// view's picture.
func (l *land) lawOf(rng *rand.Rand, v *lodcpu.View) lodcpu.Law {
	law := v.Law(&l.World.World)
	switch rng.IntN(4) {
	case 0:
	case 1:
		other := *v
		other.Yaw += rng.Float64() * 2
		other.Eye[0] += 100 * rng.NormFloat64()
		law.Cull = other.Cull(v.Eye)
	default:
		law.Cull = v.Cull(v.Eye)
	}
	return law
}

// anyThresholds ask for little or for much.
func anyThresholds(rng *rand.Rand) billod.Thresholds {
	return billod.Thresholds{
		Near: max(0, rng.Float64()*300-150), Far: math.Exp2(rng.Float64()*14 - 2), Detail: math.Exp2(rng.Float64()*10 - 3),
		MinimalDepth: rng.IntN(3),
	}
}

func camera(v *lodcpu.View) *meshcheck.Camera {
	return &meshcheck.Camera{Eye: v.Eye, Yaw: v.Yaw, Pitch: v.Pitch, FovY: v.FovY, Width: v.Width, Height: v.Height}
}

// spikes is a plain with a few samples and patches that are not: what is shown lies
// close together, with all kinds of neighbours.
func spikes(w, h int, seed uint64) *terrain.Field {
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

// steep is rough land of twenty times the relief.
func steep(w, h int, seed uint64) *terrain.Field {
	f := testworld.Rough(w, h, seed)
	for i := range f.Samples {
		f.Samples[i] *= 20
	}
	return f
}

var topologies = []lodcpu.Topology{lodcpu.Strip, lodcpu.List}
