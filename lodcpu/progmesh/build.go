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
	stale                   // its key is a lower bound
)

// past is what a face was before the first collapse.
type past struct {
	normal short   // unit
	err    float32 // a bound of how far the face has moved from it
}

// builder reduces a mesh. A point is a position; a face is a triangle of points; a
// corner is the vertex, that is the set of attributes, that a face has at a point.
type builder struct {
	o       Options
	up      vector
	scale   float64 // of all below over that of the source
	middle  vector  // of all points
	observe func(p, q int32, cost float64)

	// By point:
	heads    []head
	weights  []float64 // nil if there are none
	vertices []int32   // the first of its vertices
	quadrics []quadric // nil unless they are the cost
	isStuck  []bool
	spokes   []spoke
	hubs     map[int32]*hub

	// By face:
	pasts   []past
	faces   [][3]int32 // before the first collapse, as are corners
	corners [][3]int32
	now     [][6]int32 // points and corners, nil if no point has two vertices

	star, other star // of the point at the top of the queue, and of one that is weighed

	queue *queue
	many  struct {
		first int
		known map[[3]int32]struct{} // faces from there on
	}
	seen    marks
	scratch scratch

	left, drawn int // vertices and triangles
	stuck       int // points
	worst       float64
	meter       *meter  // nil if nothing is measured
	removed     []int32 // vertices in the order of going
	parent      []int32 // by vertex
	dead        []int32 // by face: the step it goes at, or 0
	steps       []step
	weighed     int // collapses, for tests
}

// scratch is memory that is used again by each collapse.
type scratch struct {
	around    []int32
	from, to  []int32 // vertices that go, and where
	spokes    []spoke
	fans      fans
	up        vector // where the faces of the collapse that was found legal look, about
	choices   []entry
	normals   []vector
	bends     []float64 // by neighbour
	cosines   []int64
	triangles [][3]uint32
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
	return b.build(s), nil
}

func (b *builder) build(s *Source) *Mesh {
	b.weld(s)
	b.prepare()
	b.reduce()
	return b.mesh()
}

// prepare fills in what follows from points and faces.
func (b *builder) prepare() {
	n := len(b.heads)
	b.normalise()
	b.seen.in = make([]uint32, n)
	b.dead = make([]int32, len(b.faces))
	b.up = vector{b.o.Up[0], b.o.Up[1], b.o.Up[2]}.direction()
	b.pasts, b.isStuck = make([]past, len(b.faces)), make([]bool, n)
	for f, face := range b.faces {
		b.pasts[f].normal = b.normal(face[0], face[1], face[2]).unit().short()
	}
	b.list()
	b.classify()
	b.pack()
	b.findHubs()
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
	b.removed = make([]int32, 0, b.left)
	b.steps = append(make([]step, 0, b.left), step{vertices: uint32(b.left), triangles: uint32(b.drawn)})
}

// normalise makes the largest extent of all points one at most, and more than a half. As
// that multiplies by a power of two, no digit is lost.
func (b *builder) normalise() {
	lo, hi := b.box()
	b.scale = 1
	if side := hi.minus(lo); side != (vector{}) {
		_, exponent := math.Frexp(max(side.x, side.y, side.z))
		b.scale = math.Ldexp(1, -exponent)
	}
	b.middle = lo.plus(hi).times(b.scale / 2)
	for i := range b.heads {
		at := &b.heads[i].at
		*at = at.long().times(b.scale).short()
	}
}

// box returns the corners of the box that holds all points.
func (b *builder) box() (lo, hi vector) {
	for i := range b.heads {
		p := b.heads[i].at.long()
		if i == 0 {
			lo, hi = p, p
		}
		lo = vector{min(lo.x, p.x), min(lo.y, p.y), min(lo.z, p.z)}
		hi = vector{max(hi.x, p.x), max(hi.y, p.y), max(hi.z, p.z)}
	}
	return lo, hi
}

// point returns where a point is: about the middle of all, for arithmetic's sake.
func (b *builder) point(p int32) vector { return b.heads[p].at.long().minus(b.middle) }

// weight returns the largest of the weights of a point's vertices.
func (b *builder) weight(p int32) float64 {
	if b.weights == nil {
		return 0
	}
	return b.weights[p]
}

// normal returns the cross product of a face's edges: twice its area long.
func (b *builder) normal(p, x, y int32) vector {
	at := b.point(p)
	return b.point(x).minus(at).cross(b.point(y).minus(at))
}

// mesh sorts what is left and what went.
func (b *builder) mesh() *Mesh {
	m := &Mesh{steps: b.steps}
	least := math.Inf(1)
	for i := range slices.Backward(m.steps) {
		m.steps[i].err /= b.scale
		least = min(least, m.steps[i].err)
		m.steps[i].least = least
	}
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
	triangles := make([][3]uint32, len(b.corners))
	for f, c := range b.corners {
		at := &starts[bucket(f)]
		triangles[*at] = [3]uint32{rank[c[0]], rank[c[1]], rank[c[2]]}
		*at++
	}
	return triangles
}
