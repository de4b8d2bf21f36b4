package progmesh_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
	"github.com/vkterrain/vkterrain/lodcpu/progmesh/meshfile"
)

type vec [3]float64

func (a vec) minus(b vec) vec           { return vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func (a vec) plus(b vec, f float64) vec { return vec{a[0] + f*b[0], a[1] + f*b[1], a[2] + f*b[2]} }
func (a vec) dot(b vec) float64         { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func (a vec) cross(b vec) vec {
	return vec{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}
func (a vec) length() float64 { return math.Sqrt(a.dot(a)) }

// surface is a resolution of a mesh, in places and positions.
type surface struct {
	triangles [][3]uint32
	at        []vec // by place
	from      []int // of which of the full mesh a triangle is, or nil
}

func drawn(t testing.TB, s *progmesh.Source, m *progmesh.Mesh, n int) *surface {
	t.Helper()
	dst := make([]uint32, m.IndexCount(n))
	count, ok := m.Indices(dst, n)
	if !ok || count != len(dst) {
		t.Fatalf("%d vertices: %d indices, %v; want %d", n, count, ok, len(dst))
	}
	r := &surface{}
	for _, v := range m.Order {
		p := s.Positions[v]
		r.at = append(r.at, vec{float64(p[0]), float64(p[1]), float64(p[2])})
	}
	for i := 0; i < count; i += 3 {
		r.triangles = append(r.triangles, [3]uint32(dst[i:i+3]))
		for _, v := range dst[i : i+3] {
			if int(v) >= m.Reach(n) {
				t.Fatalf("%d vertices, %d of them drawn: index %d", n, m.Reach(n), v)
			}
		}
	}
	return r
}

// edges counts the triangles at each edge, by direction.
func (s *surface) edges() map[[2]vec]int {
	n := map[[2]vec]int{}
	for _, t := range s.triangles {
		for k := range 3 {
			n[[2]vec{s.at[t[k]], s.at[t[(k+1)%3]]}]++
		}
	}
	return n
}

// loops returns the number of border loops, and of vertices on them.
func (s *surface) loops() (loops, vertices int) {
	next := map[vec][]vec{}
	edges := s.edges()
	for e, n := range edges {
		if n > edges[[2]vec{e[1], e[0]}] {
			next[e[0]] = append(next[e[0]], e[1])
		}
	}
	vertices = len(next)
	for len(next) > 0 {
		loops++
		var p vec
		for p = range next {
			break
		}
		for {
			to := next[p]
			if len(to) == 0 {
				break
			}
			if len(to) == 1 {
				delete(next, p)
			} else {
				next[p] = to[1:]
			}
			p = to[0]
		}
	}
	return loops, vertices
}

// faults says what of a resolution breaks a promise that the full mesh keeps.
func faults(full, s *surface) (bad []string) {
	before := full.edges()
	both := func(n map[[2]vec]int, e [2]vec) int { return n[e] + n[[2]vec{e[1], e[0]}] }
	after := s.edges()
	for e, n := range after {
		if k := both(after, e); k > 2 && k > both(before, e) {
			bad = append(bad, fmt.Sprintf("edge %v has %d triangles", e, k))
		}
		if n > 1 && before[e] < n {
			bad = append(bad, fmt.Sprintf("edge %v is used %d times in one direction", e, n))
		}
	}
	if n := s.twins(); n > full.twins() {
		bad = append(bad, fmt.Sprintf("%d triangles lie on others", n))
	}
	for i, t := range s.triangles {
		was, is := full.normal(full.triangles[i]), s.normal(t)
		if was.dot(is) < 0 || is.length() == 0 && was.length() > 0 {
			bad = append(bad, fmt.Sprintf("triangle %d has turned over", i))
		}
	}
	return bad
}

// twins counts the triangles with the same corners as another.
func (s *surface) twins() (n int) {
	known := map[[3]vec]bool{}
	for _, t := range s.triangles {
		key := [3]vec{s.at[t[0]], s.at[t[1]], s.at[t[2]]}
		slices.SortFunc(key[:], func(a, b vec) int { return slices.Compare(a[:], b[:]) })
		if known[key] {
			n++
		}
		known[key] = true
	}
	return n
}

func (s *surface) normal(t [3]uint32) vec {
	return s.at[t[1]].minus(s.at[t[0]]).cross(s.at[t[2]].minus(s.at[t[0]]))
}

var resolutions = []progmesh.Resolution{progmesh.High, progmesh.Medium, progmesh.Low, progmesh.Lowest}

// TestRealMeshes reduces scanned and modelled meshes to 75, 50, 25 and 10 %.
func TestRealMeshes(t *testing.T) {
	for _, name := range []string{"cow.obj", "cow.ply", "bunny.obj", "beethoven.ply", "fandisk.obj", "spot.obj", "bunny.ply"} {
		s := read(t, name)
		for _, cost := range []progmesh.Cost{progmesh.Quadric, progmesh.Melax} {
			if name == "bunny.ply" && (testing.Short() || cost == progmesh.Melax) {
				continue
			}
			t.Run(fmt.Sprint(name, " ", cost), func(t *testing.T) {
				m, err := progmesh.Build(s, progmesh.Options{Cost: cost})
				if err != nil {
					t.Fatal(err)
				}
				checkMesh(t, s, m)
			})
		}
	}
}

func read(t testing.TB, name string) *progmesh.Source {
	t.Helper()
	s, err := meshfile.Read(shared.Path(t, "data/mesh", name))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// checkMesh wants all that holds of closed meshes and sheets.
func checkMesh(t *testing.T, s *progmesh.Source, m *progmesh.Mesh) {
	full := drawn(t, s, m, m.Vertices())
	if len(full.triangles) != len(s.Triangles) {
		t.Fatalf("%d triangles in full, want %d", len(full.triangles), len(s.Triangles))
	}
	loops, _ := full.loops()
	last := 0.0
	for _, r := range resolutions {
		want := m.Count(r)
		got := m.Reach(want)
		if got > want || got < want-1 {
			t.Errorf("%v: %d vertices, want %d", r, got, want)
		}
		level := drawn(t, s, m, want)
		if bad := faults(full, level); len(bad) > 0 {
			t.Errorf("%v: %d faults: %s", r, len(bad), bad[0])
		}
		n, vertices := level.loops()
		if n != loops {
			t.Errorf("%v: %d border loops, want %d", r, n, loops)
		}
		e := m.Error(want)
		if e < last {
			t.Errorf("%v: error %v, less than %v of a finer one", r, e, last)
		}
		last = e
		if k := m.CountFor(e); m.Error(k) != e || k > got {
			t.Errorf("%v: %d vertices for an error of %v, want %d or fewer", r, k, e, got)
		}
		t.Logf("%v: %d vertices, %d triangles, %d loops of %d vertices, error %.3g", r, got, len(level.triangles), n, vertices, e)
	}
}

// TestErrorIsABound measures the distance from each surface to the other.
func TestErrorIsABound(t *testing.T) {
	sources := map[string]*progmesh.Source{"hills": grid(15), "rolled": rolled(14)}
	for name, s := range sources {
		for _, o := range []progmesh.Options{{}, {Cost: progmesh.Melax}, {Border: progmesh.BorderFree}, {AllowFlips: true}} {
			for _, o.Measure = range []bool{false, true} {
				checkBound(t, name, s, o)
			}
		}
	}
}

func checkBound(t *testing.T, name string, s *progmesh.Source, o progmesh.Options) {
	m, err := progmesh.Build(s, o)
	if err != nil {
		t.Fatal(err)
	}
	full := drawn(t, s, m, m.Vertices())
	for _, r := range []progmesh.Resolution{progmesh.High, progmesh.Medium, progmesh.Low, progmesh.Lowest} {
		level := drawn(t, s, m, m.Count(r))
		d, bound := hausdorff(full, level), m.Error(m.Count(r))
		t.Logf("%s %+v, %v: at least %.4g off, bound %.4g, %.2f times", name, o, r, d, bound, bound/d)
		if d > bound*(1+1e-6) {
			t.Errorf("%s %+v %v: %v off, more than %v", name, o, r, d, bound)
		}
		count := m.CountFor(bound)
		if count > m.Count(r) || m.Error(count) > bound {
			t.Errorf("%s %+v %v: %d vertices for an error of %v, whose is %v", name, o, r, count, bound, m.Error(count))
		}
		if o.Measure {
			if d := hausdorff(full, drawn(t, s, m, count)); m.Error(count) > 2*d {
				t.Errorf("%s %+v, %d vertices: at least %v off, bound %v", name, o, count, d, m.Error(count))
			}
		}
	}
}

// rolled returns a dented tube, open at both ends.
func rolled(n int) *progmesh.Source {
	s := grid(n)
	for i, p := range s.Positions {
		sin, cos := math.Sincos(2 * math.Pi * float64(p[0]) / float64(n-1))
		if int(p[0]) == n-1 {
			sin, cos = 0, 1
		}
		radius := float64(n) / 6
		if int(p[0]) != n-1 && p[0] != 0 {
			radius += float64(p[1]) * 0.3
		}
		s.Positions[i] = [3]float32{float32(radius * cos), float32(radius * sin), p[2]}
	}
	return s
}

// hausdorff returns the largest distance from corners and centres of triangles of
// each surface to the other.
func hausdorff(a, b *surface) float64 {
	worst := 0.0
	for _, pair := range [][2]*surface{{a, b}, {b, a}} {
		points := map[vec]bool{}
		for _, t := range pair[0].triangles {
			p, q, r := pair[0].at[t[0]], pair[0].at[t[1]], pair[0].at[t[2]]
			points[p], points[q], points[r] = true, true, true
			points[p.plus(q, 1).plus(r, 1).plus(p.plus(q, 1).plus(r, 1), -2.0/3)] = true
		}
		for p := range points {
			worst = max(worst, pair[1].distance(p, worst))
		}
	}
	return worst
}

// distance returns the distance of a point to the nearest triangle, or something
// that is not above enough.
func (s *surface) distance(p vec, enough float64) float64 {
	least := math.Inf(1)
	for _, t := range s.triangles {
		if least = min(least, toTriangle(p, s.at[t[0]], s.at[t[1]], s.at[t[2]])); least <= enough {
			return least
		}
	}
	return least
}

func toTriangle(p, a, b, c vec) float64 {
	n := b.minus(a).cross(c.minus(a))
	if l := n.length(); l > 0 {
		inside := true
		for _, e := range [3][2]vec{{a, b}, {b, c}, {c, a}} {
			inside = inside && e[1].minus(e[0]).cross(p.minus(e[0])).dot(n) >= 0
		}
		if inside {
			return math.Abs(p.minus(a).dot(n)) / l
		}
	}
	return min(toSegment(p, a, b), toSegment(p, b, c), toSegment(p, c, a))
}

func toSegment(p, a, b vec) float64 {
	d := b.minus(a)
	f := 0.0
	if l := d.dot(d); l > 0 {
		f = min(max(p.minus(a).dot(d)/l, 0), 1)
	}
	return p.minus(a.plus(d, f)).length()
}

// grid returns a hilly sheet of n×n vertices, one apart.
func grid(n int) *progmesh.Source {
	s := &progmesh.Source{}
	for z := range n {
		for x := range n {
			h := 5*math.Sin(float64(x)*.1)*math.Cos(float64(z)*.07) + math.Sin(float64(x*z)*.9)*.2
			s.Positions = append(s.Positions, [3]float32{float32(x), float32(h), float32(z)})
		}
	}
	for z := range n - 1 {
		for x := range n - 1 {
			a := uint32(z*n + x)
			b := a + uint32(n)
			s.Triangles = append(s.Triangles, [3]uint32{a, b, a + 1}, [3]uint32{a + 1, b, b + 1})
		}
	}
	return s
}

// TestMeasuredIsABound samples both surfaces of a terrain and of a closed mesh, at counts
// all the way down.
func TestMeasuredIsABound(t *testing.T) {
	sources := map[string]*progmesh.Source{"terrain": puget(t, 33), "spot.obj": welded(read(t, "spot.obj"))}
	for name, s := range sources {
		for _, cost := range []progmesh.Cost{progmesh.Quadric, progmesh.Melax} {
			m := build(t, s, progmesh.Options{Cost: cost, Measure: true})
			full := drawn(t, s, m, m.Vertices())
			worst := 0.0
			for n := m.Vertices() * 3 / 4; n > m.Least(); n = n*7/10 - 1 {
				level := drawn(t, s, m, max(n, m.Least()))
				d := progmesh.Farthest(full.samples(5_000), level.corners())
				d = max(d, progmesh.Farthest(level.samples(5_000), full.corners()))
				if e := m.Error(n); d > e*(1+1e-6) {
					t.Errorf("%s %v, %d vertices: %v off, more than %v", name, cost, n, d, e)
				} else if e > 0 {
					worst = max(worst, d/e)
				}
			}
			t.Logf("%s %v: at most %.2f of the bound", name, cost, worst)
			if worst < 0.5 {
				t.Errorf("%s %v: never more than %.2f of the bound: too careful", name, cost, worst)
			}
		}
	}
}
