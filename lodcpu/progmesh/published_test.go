package progmesh_test

import (
	"math"
	"slices"
	"testing"

	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
)

// published is the published algorithm, as plain as it is there: each vertex knows
// its triangles and its cheapest collapse, all are looked at for the next one, and
// nothing is asked of it but to be the cheapest.
type published struct {
	at     []vec
	faces  [][3]int32
	first  [][3]uint32 // faces before the first collapse
	around [][]int32   // triangles at a vertex
	cost   []float64
	to     []int32 // −1 for none
	gone   []bool
}

func newPublished(s *progmesh.Source) *published {
	m := &published{around: make([][]int32, len(s.Positions)), first: s.Triangles}
	for _, p := range s.Positions {
		m.at = append(m.at, vec{float64(p[0]), float64(p[1]), float64(p[2])})
	}
	for i, f := range s.Triangles {
		m.faces = append(m.faces, [3]int32{int32(f[0]), int32(f[1]), int32(f[2])})
		for _, v := range f {
			m.around[v] = append(m.around[v], int32(i))
		}
	}
	m.cost, m.to, m.gone = make([]float64, len(m.at)), make([]int32, len(m.at)), make([]bool, len(m.at))
	for u := range m.at {
		m.weigh(int32(u))
	}
	return m
}

func (m *published) normal(f int32) vec {
	t := m.faces[f]
	n := m.at[t[1]].minus(m.at[t[0]]).cross(m.at[t[2]].minus(m.at[t[0]]))
	if l := n.length(); l > 0 {
		n = vec{}.plus(n, 1/l)
	}
	return n
}

// edge returns what a collapse of u onto v costs.
func (m *published) edge(u, v int32) float64 {
	worst := 0.0
	for _, f := range m.around[u] {
		least := 1.0
		for _, g := range m.around[u] {
			if slices.Contains(m.faces[g][:], v) {
				least = min(least, (1-m.normal(f).dot(m.normal(g)))/2)
			}
		}
		worst = max(worst, least)
	}
	return worst * m.at[u].minus(m.at[v]).length()
}

func (m *published) neighbours(u int32) (all []int32) {
	for _, f := range m.around[u] {
		for _, v := range m.faces[f] {
			if v != u && !slices.Contains(all, v) {
				all = append(all, v)
			}
		}
	}
	return all
}

// weigh finds u's cheapest collapse.
func (m *published) weigh(u int32) {
	m.cost[u], m.to[u] = math.Inf(1), -1
	if len(m.around[u]) == 0 {
		m.cost[u] = -0.01 // as published: what is alone goes first
	}
	for _, v := range m.neighbours(u) {
		if c := m.edge(u, v); c < m.cost[u] {
			m.cost[u], m.to[u] = c, v
		}
	}
}

// next returns the vertex whose collapse is cheapest.
func (m *published) next() int32 {
	best := int32(-1)
	for u, c := range m.cost {
		if !m.gone[u] && (best < 0 || c < m.cost[best]) {
			best = int32(u)
		}
	}
	return best
}

// collapse moves u onto v, or away if v is −1.
func (m *published) collapse(u, v int32) {
	near := m.neighbours(u)
	for _, f := range m.around[u] {
		t := &m.faces[f]
		if v < 0 || slices.Contains(t[:], v) {
			for _, w := range t {
				if w != u {
					m.around[w] = slices.DeleteFunc(m.around[w], func(g int32) bool { return g == f })
				}
			}
			continue
		}
		t[slices.Index(t[:], u)] = v
		m.around[v] = append(m.around[v], f)
	}
	m.gone[u], m.around[u] = true, nil
	for _, w := range near {
		m.weigh(w)
	}
}

// surface returns what is left.
func (m *published) surface() *surface {
	s := &surface{at: m.at}
	for u, around := range m.around {
		for _, f := range around {
			if t := m.faces[f]; t[0] == int32(u) {
				s.from = append(s.from, int(f))
				s.triangles = append(s.triangles, [3]uint32{uint32(t[0]), uint32(t[1]), uint32(t[2])})
			}
		}
	}
	return s
}

// TestPublishedOrder follows the heap: each collapse costs what the published formula
// says, and the cheapest that is allowed is next.
func TestPublishedOrder(t *testing.T) {
	s := grid(11)
	for i := range s.Positions { // no two costs alike
		s.Positions[i][1] += float32(math.Sin(float64(i*i))) * 0.3
	}
	m := newPublished(s)
	collapses, ties := 0, 0
	o := progmesh.Options{Cost: progmesh.Melax, Border: progmesh.BorderFree}
	progmesh.Observe(s, o, func(p, q int32, cost float64, legal func(p, q int32) bool) {
		if got := m.edge(p, q); math.Abs(got-cost) > 1e-6*(1+got) {
			t.Errorf("collapse %d of %d onto %d costs %v, want %v", collapses, p, q, cost, got)
		}
		best, who, where := math.Inf(1), int32(-1), int32(-1)
		for u := range m.at {
			for _, v := range m.neighbours(int32(u)) {
				if c := m.edge(int32(u), v); c < best && legal(int32(u), v) {
					best, who, where = c, int32(u), v
				}
			}
		}
		if math.Abs(best-cost) > 1e-6*(1+best) {
			t.Errorf("collapse %d of %d onto %d costs %v, that of %d onto %d is allowed and costs %v", collapses, p, q, cost, who, where, best)
		}
		if who != p || where != q {
			ties++
		}
		m.collapse(p, q)
		collapses++
	})
	if collapses < len(s.Positions)*3/4 {
		t.Errorf("%d collapses of %d vertices", collapses, len(s.Positions))
	}
	t.Logf("%d collapses, %d of them chosen among equals", collapses, ties)
}

// broken counts the edges of more than two triangles.
func (s *surface) broken() (edges int) {
	n := s.edges()
	for e, k := range n {
		if e[0][0] < e[1][0] && k+n[[2]vec{e[1], e[0]}] > 2 {
			edges++
		}
	}
	return edges
}
