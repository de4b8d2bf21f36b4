package progmesh

import (
	"fmt"
	"math"
	"slices"
)

// maxFaces is the most triangles at a point that takes part in a collapse: what is
// looked at for one grows with their square.
const maxFaces = 256

// kind says what is special about a point.
type kind uint8

const (
	rim    kind = 1 << iota // at an edge of one triangle
	fixed                   // never goes
	stuck                   // has no legal collapse at the moment
	seamed                  // has several vertices
)

// builder reduces a mesh. A point is a position; a face is a triangle of points; a
// corner is the vertex, that is the set of attributes, that a face has at a point.
type builder struct {
	o         Options
	unchecked bool // collapse what is cheapest, whatever becomes of it: for tests
	observe   func(p, q int32)
	positions []vector
	weights   []float64
	kinds     []kind
	around    [][]int32 // faces at a point
	faces     [][3]int32
	corners   [][3]int32
	full      [][3]int32 // corners before the first collapse
	normals   []vector   // of faces, unit
	origins   []vector   // the same before the first collapse
	errors    []float64
	quadrics  []quadric
	own       []own

	queue   *queue
	targets []int32 // by point: where it would go
	seen    marks
	scratch scratch

	left, drawn int // vertices and triangles
	worst       float64
	removed     []int32 // vertices in the order of going
	parent      []int32 // by vertex
	dead        []int32 // by face: the step it goes at, or 0
	steps       []step
	weighed     int // collapses, for tests
}

// scratch is memory that is used again by each collapse.
type scratch struct {
	ring, next, more []int32
	sides            []int32
	from, to         []int32
	fans             fans
	choices          []choice
	apart, bends     []float64 // between faces; by neighbour
}

// marks are sets of points that are emptied at once.
type marks struct {
	in  []uint32
	now uint32
}

func (m *marks) clear() {
	if m.now++; m.now == 0 {
		clear(m.in)
		m.now = 1
	}
}

// add puts p into the set and says whether it was not there.
func (m *marks) add(p int32) bool {
	if m.in[p] == m.now {
		return false
	}
	m.in[p] = m.now
	return true
}

func (m *marks) has(p int32) bool { return m.in[p] == m.now }

// Build reduces a mesh as far as it goes. It keeps nothing of s. Errors say what is
// wrong with s.
func Build(s *Source, o Options) (*Mesh, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if o.Cost > Melax || o.Border > BorderFree {
		return nil, fmt.Errorf("no such cost or border: %v, %v", o.Cost, o.Border)
	}
	for _, c := range o.Up {
		if math.IsNaN(c) || math.IsInf(c, 0) {
			return nil, fmt.Errorf("up is %v: must be finite", o.Up)
		}
	}
	b := &builder{o: o}
	b.o.Up = vector(o.Up).unit()
	return b.build(s), nil
}

func (b *builder) build(s *Source) *Mesh {
	b.weld(s)
	b.prepare()
	b.reduce()
	return b.mesh()
}

// weld fills in points and faces. Equal vertices become one, and vertices at one
// position become one point; triangles without three points are dropped, and
// those that are there already.
func (b *builder) weld(s *Source) {
	type place [3]uint32
	type whole [8]uint32
	points, first := make(map[place]int32, len(s.Positions)), make(map[whole]int32, len(s.Positions))
	same, point := make([]int32, len(s.Positions)), make([]int32, len(s.Positions))
	for i, p := range s.Positions {
		var w whole
		for k := range 3 {
			w[k] = bits(p[k])
			if s.Normals != nil {
				w[3+k] = bits(s.Normals[i][k])
			}
		}
		for k := range 2 {
			if s.UVs != nil {
				w[6+k] = bits(s.UVs[i][k])
			}
		}
		if j, ok := first[w]; ok {
			same[i], point[i] = j, point[j]
			b.protect(s, point[i], i)
			continue
		}
		first[w], same[i] = int32(i), int32(i)
		at := place(w[:3])
		if _, ok := points[at]; !ok {
			points[at] = int32(len(b.positions))
			b.positions = append(b.positions, vector{float64(p[0]), float64(p[1]), float64(p[2])})
			b.kinds, b.weights = append(b.kinds, 0), append(b.weights, 0)
		} else {
			b.kinds[points[at]] |= seamed
		}
		point[i] = points[at]
		b.protect(s, point[i], i)
	}
	b.take(s.Triangles, same, point)
	b.parent = make([]int32, len(s.Positions))
}

// bits returns a number's bits; both zeros have the same.
func bits(f float32) uint32 {
	if f == 0 {
		return 0
	}
	return math.Float32bits(f)
}

// protect gives a point the weight of one of its vertices.
func (b *builder) protect(s *Source, p int32, vertex int) {
	if s.Weights != nil {
		b.weights[p] = max(b.weights[p], s.Weights[vertex])
	}
}

// take fills in the faces.
func (b *builder) take(triangles [][3]uint32, same, point []int32) {
	known := make(map[[3]int32]struct{}, len(triangles))
	for _, t := range triangles {
		var face, corner [3]int32
		for k, v := range t {
			corner[k], face[k] = same[v], point[v]
		}
		if face[0] == face[1] || face[1] == face[2] || face[2] == face[0] {
			continue
		}
		key := face
		for key[0] > key[1] || key[0] > key[2] {
			key[0], key[1], key[2] = key[1], key[2], key[0]
		}
		if _, ok := known[key]; ok {
			continue
		}
		known[key] = struct{}{}
		b.faces, b.corners = append(b.faces, face), append(b.corners, corner)
	}
}

// prepare fills in what follows from points and faces.
func (b *builder) prepare() {
	n := len(b.positions)
	b.centre()
	b.seen.in = make([]uint32, n)
	b.normals, b.errors = make([]vector, len(b.faces)), make([]float64, len(b.faces))
	b.dead = make([]int32, len(b.faces))
	for f := range b.faces {
		b.normals[f] = b.normal(b.faces[f]).unit()
	}
	b.origins = slices.Clone(b.normals)
	b.list()
	b.classify()
	b.targets = make([]int32, n)
	b.queue = newQueue(n)
	if b.o.Cost == Quadric {
		b.sumQuadrics()
	}
	used := make([]bool, len(b.parent))
	for _, c := range b.corners {
		for _, v := range c {
			if !used[v] {
				used[v] = true
				b.left++
			}
		}
	}
	b.drawn = len(b.faces)
	b.steps = []step{{uint32(b.left), uint32(b.drawn), 0}}
}

// centre moves the points about 0, for arithmetic's sake.
func (b *builder) centre() {
	if len(b.positions) == 0 {
		return
	}
	lo, hi := b.positions[0], b.positions[0]
	for _, p := range b.positions {
		for k, c := range p {
			lo[k], hi[k] = min(lo[k], c), max(hi[k], c)
		}
	}
	middle := lo.plus(hi).times(0.5)
	for i := range b.positions {
		b.positions[i] = b.positions[i].minus(middle)
	}
}

// normal returns the cross product of a face's edges: twice its area long.
func (b *builder) normal(f [3]int32) vector {
	p := b.positions[f[0]]
	return b.positions[f[1]].minus(p).cross(b.positions[f[2]].minus(p))
}

// list fills in the faces at each point.
func (b *builder) list() {
	counts := make([]int, len(b.positions))
	for _, f := range b.faces {
		for _, p := range f {
			counts[p]++
		}
	}
	all, at := make([]int32, 3*len(b.faces)), 0
	b.around = make([][]int32, len(b.positions))
	for p, n := range counts {
		b.around[p] = all[at : at : at+n]
		at += n
	}
	for f, face := range b.faces {
		for _, p := range face {
			b.around[p] = append(b.around[p], int32(f))
		}
	}
}

// others returns the two points of a face after p, in its order.
func (b *builder) others(f, p int32) (a, c int32) {
	t := &b.faces[f]
	switch p {
	case t[0]:
		return t[1], t[2]
	case t[1]:
		return t[2], t[0]
	}
	return t[0], t[1]
}

// corner returns the vertex that a face has at p.
func (b *builder) corner(f, p int32) int32 {
	t := &b.faces[f]
	switch p {
	case t[0]:
		return b.corners[f][0]
	case t[1]:
		return b.corners[f][1]
	}
	return b.corners[f][2]
}

// classify finds the points at borders, and those that must not go: those whose
// faces are no single fan that winds one way.
func (b *builder) classify() {
	out, in := make([]int32, len(b.positions)), make([]int32, len(b.positions))
	next := make([]int32, len(b.positions))
	for p := range b.around {
		for _, f := range b.around[p] {
			a, c := b.others(f, int32(p))
			out[a]++
			in[c]++
			next[a] = c
		}
		fan, start, ends := true, int32(-1), 0
		for _, f := range b.around[p] {
			a, c := b.others(f, int32(p))
			if out[a] > 1 || in[c] > 1 {
				fan = false
			}
			if in[a] == 0 {
				start, ends = a, ends+1
			}
		}
		if ends > 0 {
			b.kinds[p] |= rim
		} else if len(b.around[p]) > 0 {
			start, _ = b.others(b.around[p][0], int32(p))
		}
		if fan && ends <= 1 {
			steps := 0
			for a := start; a >= 0 && steps < len(b.around[p]) && out[a] == 1; a = next[a] {
				steps++
				if steps < len(b.around[p]) && next[a] == start {
					break
				}
			}
			fan = steps == len(b.around[p])
		}
		if !fan || ends > 1 || len(b.around[p]) > maxFaces || math.IsInf(b.weights[p], 1) ||
			b.kinds[p]&rim != 0 && b.o.Border == BorderLock {
			b.kinds[p] |= fixed
		}
		for _, f := range b.around[p] {
			a, c := b.others(f, int32(p))
			out[a], in[c], out[c], in[a] = 0, 0, 0, 0
		}
	}
}

// mesh sorts what is left and what went.
func (b *builder) mesh() *Mesh {
	m := &Mesh{steps: b.steps}
	gone := make([]bool, len(b.parent))
	for _, v := range b.removed {
		gone[v] = true
	}
	rank := make([]uint32, len(b.parent))
	taken := make([]bool, len(b.parent))
	for _, c := range b.corners {
		for _, v := range c {
			taken[v] = true
		}
	}
	for v := range taken {
		if taken[v] && !gone[v] {
			m.Order = append(m.Order, uint32(v))
		}
	}
	for _, v := range slices.Backward(b.removed) {
		m.Order = append(m.Order, uint32(v))
	}
	for i, v := range m.Order {
		rank[v] = uint32(i)
	}
	m.parent = make([]uint32, len(m.Order))
	for i, v := range m.Order {
		if gone[v] {
			m.parent[i] = rank[b.parent[v]]
		}
	}
	m.triangles = b.sorted(rank)
	return m
}

// sorted returns the triangles as places, the last to go first.
func (b *builder) sorted(rank []uint32) [][3]uint32 {
	starts := make([]int, len(b.steps)+1) // counts by step, those that stay first
	bucket := func(f int) int {
		if b.dead[f] == 0 {
			return 0
		}
		return len(b.steps) - int(b.dead[f])
	}
	for f := range b.dead {
		starts[bucket(f)+1]++
	}
	for i := range len(b.steps) {
		starts[i+1] += starts[i]
	}
	triangles := make([][3]uint32, len(b.faces))
	for f, c := range b.full {
		at := &starts[bucket(f)]
		triangles[*at] = [3]uint32{rank[c[0]], rank[c[1]], rank[c[2]]}
		*at++
	}
	return triangles
}
