package query_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
	"github.com/vkterrain/vkterrain/terrain/query"
)

const (
	originX = 700.0
	originZ = -900.0
)

// rough is a world of tiles of 33 samples, with some holes or none.
func rough(w, h, holes int, seed uint64) *testworld.World {
	f := testworld.Rough(w, h, seed)
	if holes > 0 {
		f = testworld.Punch(f, holes, seed)
	}
	return testworld.New(f, 33, originX, originZ)
}

// fileOf bakes the land of w.
func fileOf(t testing.TB, w *testworld.World) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "world.vkt")
	o := bake.Options{TileSize: w.TileSize, OriginX: w.OriginX, OriginZ: w.OriginZ}
	if _, err := bake.Bake(context.Background(), w.Field, o, path); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t testing.TB, path string) *chunkfile.Reader {
	t.Helper()
	r, err := chunkfile.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// samplerOf returns a sampler of w, written to a file.
func samplerOf(t testing.TB, w *testworld.World, o query.Options) *query.Sampler {
	t.Helper()
	return query.NewSampler(open(t, fileOf(t, w)), o)
}

// loadedOf returns a Loaded of w with the levels that level says.
func loadedOf(w *testworld.World, level func(k terrain.Key) terrain.Level) *query.Loaded {
	var infos []terrain.TileInfo
	for _, info := range w.Infos {
		info.Nodes = nodes(w, info)
		infos = append(infos, *info)
	}
	l := query.NewLoaded(&w.World, infos)
	for k := range w.Infos {
		l.Publish(k, w.Tile(k, level(k)))
	}
	return l
}

// nodes returns the bounds of the nodes of every other tile.
func nodes(w *testworld.World, info *terrain.TileInfo) []terrain.Bounds {
	if (info.Key.X+info.Key.Y)%2 == 0 {
		return nil
	}
	l := w.Layout()
	n, side := l.Nodes(), l.Cells/l.Nodes()
	list := make([]terrain.Bounds, n*n)
	for i := range list {
		b := terrain.Bounds{Min: math.MaxInt32, Max: math.MinInt32}
		for z := range side + 1 {
			for x := range side + 1 {
				h := w.Field.At(int(info.Key.X)*l.Cells+i%n*side+x, int(info.Key.Y)*l.Cells+i/n*side+z)
				b.Min, b.Max = min(b.Min, h), max(b.Max, h)
			}
		}
		list[i] = b
	}
	return list
}

func level(l terrain.Level) func(terrain.Key) terrain.Level {
	return func(terrain.Key) terrain.Level { return l }
}

// mesh is what is drawn of a world when every vertex of one level is active, made
// by a refiner: it shares no code with the queries.
type mesh struct {
	w         *testworld.World
	triangles [][3][3]float64
	cells     map[[2]int][]int // triangles whose boxes touch a square
}

func meshOf(w *testworld.World, l terrain.Level) *mesh {
	m := &mesh{w: w, cells: map[[2]int][]int{}}
	layout, law := w.Layout(), lodcpu.FullLaw(&w.World)
	r := lodcpu.LeaveHoles(soar.New(layout, lodcpu.List), layout, lodcpu.List)
	dst := make([]uint32, r.MaxIndices(l))
	var near lodcpu.Neighbourhood
	for i := range near {
		near[i] = int8(l)
	}
	for k := range w.Infos {
		tile := w.Tile(k, l)
		at := func(id uint32) [3]float64 {
			p := layout.Grid[id]
			x, z := min(int(k.X)*layout.Cells+int(p.X), w.Width-1), min(int(k.Y)*layout.Cells+int(p.Z), w.Height-1)
			h := tile.Info.Base + int32(tile.Verts[id].Height)
			return [3]float64{w.OriginX + float64(x)*w.Spacing, float64(float32(h) * float32(w.Quantum)), w.OriginZ + float64(z)*w.Spacing}
		}
		c, ok := r.Refine(dst, tile, &near, &law)
		if !ok {
			panic("too few indices")
		}
		lodcpu.Triangles(lodcpu.List, dst[:c.Indices], func(a, b, c uint32) { m.add([3][3]float64{at(a), at(b), at(c)}) })
	}
	return m
}

func (m *mesh) add(t [3][3]float64) {
	m.triangles = append(m.triangles, t)
	x0, z0 := m.cell(min(t[0][0], t[1][0], t[2][0]), min(t[0][2], t[1][2], t[2][2]))
	x1, z1 := m.cell(max(t[0][0], t[1][0], t[2][0]), max(t[0][2], t[1][2], t[2][2]))
	for z := z0 - 1; z <= z1; z++ {
		for x := x0 - 1; x <= x1; x++ {
			m.cells[[2]int{x, z}] = append(m.cells[[2]int{x, z}], len(m.triangles)-1)
		}
	}
}

func (m *mesh) cell(x, z float64) (cx, cz int) {
	return int(math.Floor((x - m.w.OriginX) / m.w.Spacing)), int(math.Floor((z - m.w.OriginZ) / m.w.Spacing))
}

// ray returns the distance to the first of some triangles, after Möller and
// Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection", Journal of Graphics
// Tools 2(1), 1997; the triangles are larger by slack of their size.
func (m *mesh) ray(triangles []int, o, d [3]float64, slack float64) (t float64, normal [3]float64, ok bool) {
	t = math.Inf(1)
	for _, i := range triangles {
		a := m.triangles[i][0]
		e1, e2 := sub(m.triangles[i][1], a), sub(m.triangles[i][2], a)
		p := cross(d, e2)
		det := dot(e1, p)
		if det == 0 {
			continue
		}
		s := sub(o, a)
		q := cross(s, e1)
		u, v := dot(s, p)/det, dot(d, q)/det
		if u < -slack || v < -slack || u+v > 1+slack {
			continue
		}
		if at := dot(e2, q) / det; at >= -1e-9 && at < t {
			n := cross(e1, e2)
			size := math.Sqrt(dot(n, n))
			t, normal, ok = at, [3]float64{n[0] / size, n[1] / size, n[2] / size}, true
		}
	}
	return t, normal, ok
}

// height casts a ray straight down.
func (m *mesh) height(x, z, slack float64) (y float64, normal [3]float64, ok bool) {
	cx, cz := m.cell(x, z)
	const top = 1e4
	t, n, ok := m.ray(m.cells[[2]int{cx, cz}], [3]float64{x, top, z}, [3]float64{0, -1, 0}, slack)
	return top - t, n, ok
}

func sub(a, b [3]float64) [3]float64 { return [3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func dot(a, b [3]float64) float64    { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func cross(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func distance(a, b [3]float64) float64 { d := sub(a, b); return math.Sqrt(dot(d, d)) }

// damage turns a bit of a file at a share of its length.
func damage(t *testing.T, path string, share float64) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[int(share*float64(len(b)-1))] ^= 4
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}
