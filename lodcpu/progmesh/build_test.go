package progmesh_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
	"github.com/vkterrain/vkterrain/meshcheck"
	"github.com/vkterrain/vkterrain/terrain"
)

func build(t testing.TB, s *progmesh.Source, o progmesh.Options) *progmesh.Mesh {
	t.Helper()
	m, err := progmesh.Build(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// patch is a tile of a field as a mesh, its full resolution.
func patch(f *terrain.Field, x0, z0, side int) *progmesh.Source {
	s := &progmesh.Source{}
	for z := range side {
		for x := range side {
			s.Positions = append(s.Positions, [3]float32{
				float32(float64(x0+x) * f.Spacing), float32(float64(f.At(x0+x, z0+z)) * f.Quantum), float32(float64(z0+z) * f.Spacing),
			})
		}
	}
	s.Triangles = grid(side).Triangles
	return s
}

// TestLockedBorder reduces each tile of a terrain to another resolution: together
// they stay one sheet.
func TestLockedBorder(t *testing.T) {
	f := testworld.Rough(65, 65, 3)
	w := testworld.New(f, 33, 0, 0)
	for _, cost := range []progmesh.Cost{progmesh.Quadric, progmesh.Melax} {
		for _, border := range []progmesh.Border{progmesh.BorderLock, progmesh.BorderKeep} {
			mesh := &meshcheck.Mesh{}
			for i, r := range []progmesh.Resolution{progmesh.Lowest, progmesh.Medium, progmesh.Full, 0} {
				s := patch(f, i%2*32, i/2*32, 33)
				m := build(t, s, progmesh.Options{Cost: cost, Border: border, Up: [3]float64{0, 1, 0}})
				level := drawn(t, s, m, max(m.Count(r), 1))
				first := uint32(len(mesh.Vertices))
				for _, p := range level.at {
					mesh.Vertices = append(mesh.Vertices, p)
				}
				for _, tri := range level.triangles {
					mesh.Triangles = append(mesh.Triangles, [3]uint32{first + tri[0], first + tri[1], first + tri[2]})
				}
				if least := m.Least(); border == progmesh.BorderLock && (least < 4*32 || least > 4*32+16) {
					t.Errorf("%v: %d vertices at the end, want little more than the border's %d", cost, least, 4*32)
				}
			}
			n, what := meshcheck.Watertight(&w.World, mesh, func(terrain.Key) bool { return true })
			if (n == 0) != (border == progmesh.BorderLock) {
				t.Errorf("%v, border %v: %d faults: %s", cost, border, n, what)
			}
		}
	}
}

// seam returns a hilly sheet whose texture is cut along column x = n/2.
func seam(n int) *progmesh.Source {
	s := grid(n)
	twin := map[uint32]uint32{}
	for i, p := range s.Positions {
		s.UVs = append(s.UVs, [2]float32{p[0], p[2]})
		if int(p[0]) == n/2 {
			twin[uint32(i)] = uint32(n*n + len(twin))
		}
	}
	for z := range n {
		v := z*n + n/2
		s.Positions = append(s.Positions, s.Positions[v])
		s.UVs = append(s.UVs, [2]float32{-1, float32(z)})
	}
	for i := range s.Triangles {
		east := false
		for _, v := range s.Triangles[i] {
			east = east || int(s.Positions[v][0]) > n/2
		}
		for k, v := range s.Triangles[i] {
			if to, ok := twin[v]; ok && east {
				s.Triangles[i][k] = to
			}
		}
	}
	return s
}

// TestSeams wants both sides of a cut in the texture to stay together, and no
// triangle to mix them.
func TestSeams(t *testing.T) {
	const n = 21
	s := seam(n)
	for _, cost := range []progmesh.Cost{progmesh.Quadric, progmesh.Melax} {
		m := build(t, s, progmesh.Options{Cost: cost})
		if want := n*n + n; m.Vertices() != want {
			t.Fatalf("%d vertices, want %d", m.Vertices(), want)
		}
		full := drawn(t, s, m, m.Vertices())
		if m.Least() > 16 {
			t.Errorf("%v: %d vertices at the end", cost, m.Least())
		}
		for count := m.Least(); count <= m.Vertices(); count += 5 {
			if got := m.Reach(count); got > count || got < count-1 {
				t.Fatalf("%v: %d vertices where %d were asked for", cost, got, count)
			}
			level := drawn(t, s, m, count)
			if bad := faults(full, level); len(bad) > 0 {
				t.Fatalf("%v, %d vertices: %s", cost, count, bad[0])
			}
			if loops, _ := level.loops(); loops != 1 {
				t.Fatalf("%v, %d vertices: %d border loops", cost, count, loops)
			}
			for _, tri := range level.triangles {
				west, east := false, false
				for _, v := range tri {
					uv, x := s.UVs[m.Order[v]], s.Positions[m.Order[v]][0]
					west = west || x < n/2 || x == n/2 && uv[0] >= 0
					east = east || x > n/2 || x == n/2 && uv[0] < 0
				}
				if west && east {
					t.Fatalf("%v, %d vertices: a triangle lies on both sides of the seam", cost, count)
				}
			}
		}
	}
}

// TestSameVerticesAreOne feeds triangles that share no vertex.
func TestSameVerticesAreOne(t *testing.T) {
	s, soup := grid(9), &progmesh.Source{}
	for _, tri := range s.Triangles {
		first := uint32(len(soup.Positions))
		for _, v := range tri {
			soup.Positions = append(soup.Positions, s.Positions[v])
		}
		soup.Triangles = append(soup.Triangles, [3]uint32{first, first + 1, first + 2})
	}
	a, b := build(t, s, progmesh.Options{}), build(t, soup, progmesh.Options{})
	if a.Vertices() != b.Vertices() || a.Least() != b.Least() {
		t.Errorf("%d to %d vertices, want %d to %d", b.Vertices(), b.Least(), a.Vertices(), a.Least())
	}
}

// TestWeights protects one half of a sheet a little and one vertex for ever.
func TestWeights(t *testing.T) {
	s := grid(21)
	const locked = 10*21 + 3
	s.Weights = make([]float64, len(s.Positions))
	for i, p := range s.Positions {
		if p[0] > 10 {
			s.Weights[i] = 2
		}
	}
	s.Weights[locked] = math.Inf(1)
	for _, cost := range []progmesh.Cost{progmesh.Quadric, progmesh.Melax} {
		m := build(t, s, progmesh.Options{Cost: cost})
		protected, kept := 0, false
		for _, v := range m.Order[:m.Count(progmesh.Medium)] {
			if s.Weights[v] == 2 {
				protected++
			}
		}
		for _, v := range m.Order[:m.Least()] {
			kept = kept || v == locked
		}
		if want := 210; protected < want*9/10 {
			t.Errorf("%v: half of the vertices are %d of %d protected ones", cost, protected, want)
		}
		if !kept {
			t.Errorf("%v: the locked vertex went", cost)
		}
	}
}

// odd are meshes that are no sheets.
func odd() map[string]*progmesh.Source {
	corners := [][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}
	mesh := func(t ...[3]uint32) *progmesh.Source {
		return &progmesh.Source{Positions: corners, Triangles: t}
	}
	fan := grid(9)
	for i := range uint32(3) { // a fin of triangles on an edge that has two
		fan.Positions = append(fan.Positions, [3]float32{4, 9 + float32(i), 4})
		fan.Triangles = append(fan.Triangles, [3]uint32{40, 41, 81 + i})
	}
	wide := &progmesh.Source{Positions: [][3]float32{{0, 1, 0}}}
	for i := range 300 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 150)
		wide.Positions = append(wide.Positions, [3]float32{float32(cos), 0, float32(sin)})
		wide.Triangles = append(wide.Triangles, [3]uint32{0, uint32(1 + (i+1)%300), uint32(1 + i)})
	}
	quarter := mesh()
	quarter.Positions = [][3]float32{{}}
	for i := range 101 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 200)
		quarter.Positions = append(quarter.Positions, [3]float32{float32(cos), 0, float32(sin)})
	}
	for i := range 200 { // each twice
		v := uint32(i%100 + 1)
		quarter.Triangles = append(quarter.Triangles, [3]uint32{v, 0, v + 1})
	}
	return map[string]*progmesh.Source{
		"quarter":     quarter,
		"nothing":     {},
		"no faces":    mesh(),
		"one":         mesh([3]uint32{0, 1, 2}),
		"tetrahedron": mesh([3]uint32{0, 2, 1}, [3]uint32{0, 1, 3}, [3]uint32{1, 2, 3}, [3]uint32{2, 0, 3}),
		"degenerate":  mesh([3]uint32{0, 1, 1}, [3]uint32{2, 2, 2}, [3]uint32{0, 1, 2}),
		"twice":       mesh([3]uint32{0, 1, 2}, [3]uint32{1, 2, 0}, [3]uint32{0, 2, 1}),
		"bow tie":     mesh([3]uint32{0, 1, 2}, [3]uint32{0, 3, 4}),
		"three":       mesh([3]uint32{0, 1, 2}, [3]uint32{1, 0, 3}, [3]uint32{0, 1, 4}),
		"two ways":    mesh([3]uint32{0, 1, 2}, [3]uint32{0, 1, 3}),
		"fin":         fan,
		"cone":        wide,
	}
}

func TestOddMeshes(t *testing.T) {
	most := map[string]int{"quarter": 102, "nothing": 0, "no faces": 0, "one": 3, "tetrahedron": 4, "degenerate": 3, "twice": 3, "bow tie": 5, "three": 5, "two ways": 4, "fin": 84, "cone": 301}
	for name, s := range odd() {
		for _, o := range []progmesh.Options{{}, {Cost: progmesh.Melax}, {Border: progmesh.BorderFree}, {Border: progmesh.BorderLock}, {AllowFlips: true}} {
			m := build(t, s, o)
			if m.Vertices() != most[name] {
				t.Errorf("%s: %d vertices, want %d", name, m.Vertices(), most[name])
			}
			everyCount(t, s, m, o.AllowFlips)
			o.Measure = true
			measured := build(t, s, o)
			for n := 1; n <= measured.Vertices(); n++ {
				if e := measured.Error(n); !(e >= 0 && e <= m.Error(n)*(1+1e-5)) {
					t.Errorf("%s, %d vertices: error %v, without a measurement %v", name, n, e, m.Error(n))
				}
			}
		}
	}
}

// TestNoArea measures a mesh with triangles that have none.
func TestNoArea(t *testing.T) {
	s := grid(8)
	s.Positions = append(s.Positions, [3]float32{20, 0, 0}, [3]float32{21, 0, 0}, [3]float32{23, 0, 0})
	s.Triangles = append(s.Triangles, [3]uint32{64, 65, 66})
	for _, o := range []progmesh.Options{{Measure: true}, {Measure: true, AllowFlips: true}} {
		m := build(t, s, o)
		for n := 1; n <= m.Vertices(); n++ {
			if e := m.Error(n); !(e >= 0 && e < 10) {
				t.Fatalf("%d vertices: error %v", n, e)
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 5000 {
		p, d := vec{rng.Float64(), rng.Float64(), rng.Float64()}, vec{rng.Float64(), rng.Float64(), rng.Float64()}
		a, b, c := p.plus(d, rng.Float64()), p.plus(d, rng.Float64()), p.plus(d, rng.Float64())
		q := vec{rng.Float64(), rng.Float64(), rng.Float64()}
		want := min(toSegment(q, a, b), toSegment(q, b, c), toSegment(q, c, a))
		got := progmesh.Farthest([][3]float64{q}, [][3][3]float64{{a, b, c}})
		if !(math.Abs(got-want) < 1e-6) {
			t.Fatalf("%v is %v from the line %v %v %v, want %v", q, got, a, b, c, want)
		}
	}
}

// everyCount checks each resolution of a mesh of any kind.
func everyCount(t *testing.T, s *progmesh.Source, m *progmesh.Mesh, flips bool) {
	t.Helper()
	full := drawn(t, s, m, m.Vertices())
	last := 0.0
	for n := m.Vertices(); n >= 0; n-- {
		level := drawn(t, s, m, n)
		bad := faults(full, level)
		if flips {
			bad = slices.DeleteFunc(bad, func(s string) bool { return strings.HasSuffix(s, "turned over") })
		}
		if len(bad) > 0 {
			t.Fatalf("%d vertices: %s", n, bad[0])
		}
		if n > 0 && len(full.triangles) > 0 && len(level.triangles) == 0 {
			t.Fatalf("%d vertices: nothing is left", n)
		}
		if e := m.Error(n); e < last || e != e {
			t.Fatalf("%d vertices: error %v after %v", n, e, last)
		}
		last = m.Error(n)
	}
}

// TestNearLinear counts the collapses that are weighed for each vertex.
func TestNearLinear(t *testing.T) {
	for _, o := range []progmesh.Options{{}, {Cost: progmesh.Melax}} {
		first := 0.0
		for _, n := range []int{33, 65, 129} {
			each := float64(progmesh.Weighed(grid(n), o)) / float64(n*n)
			t.Logf("%v, %d²: %.1f collapses weighed a vertex", o.Cost, n, each)
			if first == 0 {
				first = each
			} else if each > 1.25*first {
				t.Errorf("%v, %d²: %.1f collapses weighed a vertex, at 33² %.1f", o.Cost, n, each, first)
			}
		}
	}
}

// TestBorders compares what is left of a sheet, seen from above.
func TestBorders(t *testing.T) {
	s := grid(15)
	for _, cost := range []progmesh.Cost{progmesh.Quadric, progmesh.Melax} {
		for _, border := range []progmesh.Border{progmesh.BorderKeep, progmesh.BorderFree} {
			m := build(t, s, progmesh.Options{Cost: cost, Border: border})
			for n := m.Least(); n <= m.Vertices(); n += 3 {
				if loops, _ := drawn(t, s, m, n).loops(); loops != 1 {
					t.Fatalf("%v, border %v, %d vertices: %d border loops", cost, border, n, loops)
				}
			}
			everyCount(t, s, m, false)
			level := drawn(t, s, m, m.Count(progmesh.Low))
			area := 0.0
			for _, tri := range level.triangles {
				area += level.normal(tri)[1] / 2
			}
			if kept := area > 0.97*14*14; kept != (border == progmesh.BorderKeep) {
				t.Errorf("%v, border %v: %v of %v m² are left", cost, border, area, 14*14)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	nan := float32(math.NaN())
	for _, test := range []struct {
		s    progmesh.Source
		o    progmesh.Options
		want string
	}{
		{progmesh.Source{Positions: [][3]float32{{nan, 0, 0}}}, progmesh.Options{}, "vertex 0: its position"},
		{progmesh.Source{Positions: make([][3]float32, 2), Normals: make([][3]float32, 1)}, progmesh.Options{}, "1 normals for 2 vertices"},
		{progmesh.Source{Positions: make([][3]float32, 2), UVs: make([][2]float32, 1)}, progmesh.Options{}, "1 texture coordinates"},
		{progmesh.Source{Positions: make([][3]float32, 1), Weights: []float64{-1}}, progmesh.Options{}, "vertex 0: weight of -1"},
		{progmesh.Source{Positions: make([][3]float32, 1), Weights: []float64{math.NaN()}}, progmesh.Options{}, "vertex 0: weight of NaN"},
		{progmesh.Source{Positions: make([][3]float32, 3), Triangles: [][3]uint32{{0, 1, 3}}}, progmesh.Options{}, "triangle 0: vertex 3 of 3"},
		{progmesh.Source{}, progmesh.Options{Cost: 9}, "no such cost"},
		{progmesh.Source{}, progmesh.Options{Border: 9}, "no such cost or border"},
		{progmesh.Source{}, progmesh.Options{Up: [3]float64{0, math.Inf(1), 0}}, "up is"},
	} {
		if _, err := progmesh.Build(&test.s, test.o); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

func TestIndicesAndCounts(t *testing.T) {
	s := grid(17)
	m := build(t, s, progmesh.Options{})
	if again := build(t, s, progmesh.Options{}); !reflect.DeepEqual(m, again) {
		t.Error("a second time the mesh is another")
	}
	dst := make([]uint32, m.IndexCount(m.Vertices()))
	if n, ok := m.Indices(dst[:len(dst)-1], m.Vertices()); ok || n != 0 {
		t.Errorf("a short span: %d, %v", n, ok)
	}
	if n, ok := m.Indices(nil, m.Count(progmesh.None)); !ok || n != 0 {
		t.Errorf("nothing: %d, %v", n, ok)
	}
	if a := testing.AllocsPerRun(10, func() { m.Indices(dst, 100) }); a != 0 {
		t.Errorf("%v allocations", a)
	}
	if m.Count(progmesh.Full) != 289 || m.Count(progmesh.Low) != 72 || m.Count(500) != 289 || m.Count(-1) != 0 {
		t.Errorf("counts %d, %d, %d, %d", m.Count(progmesh.Full), m.Count(progmesh.Low), m.Count(500), m.Count(-1))
	}
	if !math.IsInf(m.Error(0), 1) || m.Error(289) != 0 || m.CountFor(-1) != 289 || m.CountFor(math.Inf(1)) != m.Least() {
		t.Errorf("errors %v, %v; counts %v, %v", m.Error(0), m.Error(289), m.CountFor(-1), m.CountFor(math.Inf(1)))
	}
	if got := fmt.Sprint(progmesh.Low, progmesh.Resolution(7), progmesh.Melax, progmesh.BorderLock); got != "low 7% melax lock" {
		t.Errorf("names: %q", got)
	}
}

// TestMaxError moves points by the error that a view allows.
func TestMaxError(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	worst := 0.0
	for range 200 {
		v := &lodcpu.View{Yaw: rng.Float64() * 7, Pitch: rng.Float64() - 0.5, FovY: 0.3 + rng.Float64(), Width: 640, Height: 200 + rng.IntN(400), Tau: 0.5 + rng.Float64()*8}
		for range 200 {
			p := mgl64.Vec3{rng.NormFloat64() * 100, rng.NormFloat64() * 100, rng.NormFloat64() * 100}
			x, y, _, ok := v.Project(p)
			if !ok || x < 0 || y < 0 || x > float64(v.Width) || y > float64(v.Height) {
				continue
			}
			e := mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Normalize().Mul(progmesh.MaxError(v, p.Len()))
			x2, y2, _, ok := v.Project(p.Add(e))
			if off := math.Hypot(x2-x, y2-y) / v.Tau; !ok || off > 1 {
				t.Fatalf("%v at %v is %v of the tolerance off", e, p, off)
			} else {
				worst = max(worst, off)
			}
		}
	}
	if worst < 0.5 {
		t.Errorf("never more than %v of the tolerance off: too careful", worst)
	}
}

// FuzzBuild reduces random soups on a small grid: no panic, and what holds, holds.
func FuzzBuild(f *testing.F) {
	f.Add(uint8(0), []byte{0, 1, 2, 1, 2, 3, 4, 5, 6, 0, 2, 9})
	f.Add(uint8(5), []byte{0, 1, 16, 1, 17, 16, 1, 2, 17, 2, 18, 17, 16, 17, 32, 17, 33, 32, 17, 18, 33})
	f.Fuzz(func(t *testing.T, options uint8, data []byte) {
		s := &progmesh.Source{}
		for i := range uint8(64) {
			s.Positions = append(s.Positions, [3]float32{float32(i % 4), float32(i / 4 % 4), float32(i / 16)})
			s.UVs = append(s.UVs, [2]float32{float32(options >> 7), 0})
		}
		for i := range uint8(64) { // the same with other attributes
			s.Positions = append(s.Positions, s.Positions[i])
			s.UVs = append(s.UVs, [2]float32{1, 1})
		}
		for len(data) >= 3 && len(s.Triangles) < 200 {
			s.Triangles = append(s.Triangles, [3]uint32{uint32(data[0] % 128), uint32(data[1] % 128), uint32(data[2] % 128)})
			data = data[3:]
		}
		o := progmesh.Options{Cost: progmesh.Cost(options & 1), Border: progmesh.Border(options >> 1 & 3 % 3), AllowFlips: options&16 > 0}
		m, err := progmesh.Build(s, o)
		if err != nil {
			if o.Border <= progmesh.BorderFree {
				t.Fatal(err)
			}
			return
		}
		everyCount(t, s, m, o.AllowFlips)
	})
}

func BenchmarkIndices(b *testing.B) {
	m := build(b, grid(129), progmesh.Options{})
	dst := make([]uint32, m.IndexCount(m.Vertices()))
	for _, r := range []progmesh.Resolution{progmesh.Full, progmesh.Low} {
		b.Run(r.String(), func(b *testing.B) {
			count := 0
			for b.Loop() {
				count, _ = m.Indices(dst, m.Count(r))
			}
			b.ReportMetric(float64(count)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mindices/s")
		})
	}
}

// TestAllow lets no triangle be larger than some area, and then none be made at all.
func TestAllow(t *testing.T) {
	s := grid(15)
	for _, cost := range []progmesh.Cost{progmesh.Quadric, progmesh.Melax} {
		const largest = 3.0
		area := func(tri [3]uint32) float64 {
			p := func(v uint32) vec { return vec{float64(s.Positions[v][0]), 0, float64(s.Positions[v][2])} }
			return p(tri[1]).minus(p(tri[0])).cross(p(tri[2]).minus(p(tri[0]))).length() / 2
		}
		allow := func(triangles [][3]uint32) bool {
			return !slices.ContainsFunc(triangles, func(tri [3]uint32) bool { return area(tri) > largest })
		}
		m := build(t, s, progmesh.Options{Cost: cost, Allow: allow})
		dst := make([]uint32, m.IndexCount(m.Least()))
		m.Indices(dst, m.Least())
		for i := 0; i < len(dst); i += 3 {
			if a := area([3]uint32{m.Order[dst[i]], m.Order[dst[i+1]], m.Order[dst[i+2]]}); a > largest {
				t.Fatalf("%v: a triangle of area %v, %v are allowed", cost, a, largest)
			}
		}
		if least := m.Least(); least > 150 {
			t.Errorf("%v: %d vertices are left", cost, least)
		}
		if none := build(t, s, progmesh.Options{Cost: cost, Allow: func([][3]uint32) bool { return false }}); none.Least() != none.Vertices() {
			t.Errorf("%v: %d of %d vertices are left where nothing is allowed", cost, none.Least(), none.Vertices())
		}
	}
}
