package export

import (
	"math"
	"slices"
)

// Close makes the mesh a solid: walls down from its open edges, and a floor depth
// metres below its lowest vertex. The floor of a whole world without holes is a
// fan around its middle; any other is the mesh itself, seen from below.
//
// Where holes, or a hole and the rim, meet in a point, the triangles around it are
// in several fans. Each fan gets a vertex of its own there, all but one of them moved
// into the fan by [Moved] of a sample, so that every edge has two triangles, also for
// programs that know vertices by their places alone.
func (m *Mesh) Close(depth float64) {
	if m.Closed || len(m.Triangles) == 0 {
		return
	}
	edges := m.splitFans()
	lowest := m.Vertices[0].Height
	for i := range m.Vertices {
		lowest = min(lowest, m.Vertices[i].Height)
	}
	floor := float32(float64(lowest) - depth)
	below := map[uint32]uint32{}
	drop := func(v uint32) uint32 {
		d, ok := below[v]
		if !ok {
			d = uint32(len(m.Vertices))
			below[v] = d
			p := m.Vertices[v]
			p.Height = floor
			m.Vertices = append(m.Vertices, p)
		}
		return d
	}
	top := len(m.Triangles)
	for _, e := range edges {
		a, b := drop(e[0]), drop(e[1])
		m.Triangles = append(m.Triangles, [3]uint32{e[0], a, b}, [3]uint32{e[0], b, e[1]})
	}
	if middle, ok := m.middle(edges); ok {
		centre := uint32(len(m.Vertices))
		m.Vertices = append(m.Vertices, Vertex{Column: middle[0], Row: middle[1], Height: floor})
		for _, e := range edges {
			m.Triangles = append(m.Triangles, [3]uint32{drop(e[1]), drop(e[0]), centre})
		}
	} else {
		for _, t := range m.Triangles[:top] {
			m.Triangles = append(m.Triangles, [3]uint32{drop(t[0]), drop(t[2]), drop(t[1])})
		}
	}
	m.Closed = true
}

// Moved is how far Close moves vertices, in samples.
const Moved = 1.0 / 256

// splitFans gives every fan of triangles around a vertex one of its own. It returns
// the open edges then.
func (m *Mesh) splitFans() [][2]uint32 {
	edges := m.openEdges()
	fans := map[uint32][]uint32{} // by vertex, where open edges go from it: one a fan
	for _, e := range edges {
		fans[e[0]] = append(fans[e[0]], e[1])
	}
	around := map[uint32][]int{} // triangles
	for i, t := range m.Triangles {
		for _, v := range t {
			if len(fans[v]) > 1 {
				around[v] = append(around[v], i)
			}
		}
	}
	if len(around) == 0 {
		return edges
	}
	// Vertices in the order of the edges, so that the result is always the same.
	for i, e := range edges {
		if v := e[0]; len(fans[v]) > 1 && (i == 0 || edges[i-1][0] != v) {
			for _, first := range fans[v][1:] {
				m.splitFan(v, m.fan(v, first, around[v]))
			}
		}
	}
	return m.openEdges()
}

// fan returns those of some triangles around v that are reached from its edge to
// first over common edges, in order.
func (m *Mesh) fan(v, first uint32, triangles []int) []int {
	var out []int
	for range triangles {
		at := slices.IndexFunc(triangles, func(i int) bool {
			t := m.Triangles[i]
			k := slices.Index(t[:], v)
			return k >= 0 && t[(k+1)%3] == first
		})
		if at < 0 {
			break
		}
		t := m.Triangles[triangles[at]]
		first = t[(slices.Index(t[:], v)+2)%3]
		out = append(out, triangles[at])
	}
	return out
}

// splitFan gives triangles around v a copy of it, a little within the one in the
// middle.
func (m *Mesh) splitFan(v uint32, fan []int) {
	p := m.Vertices[v]
	t := m.Triangles[fan[len(fan)/2]]
	k := slices.Index(t[:], v)
	a, b := &m.Vertices[t[(k+1)%3]], &m.Vertices[t[(k+2)%3]]
	east := float64(a.Column+b.Column)/2 - float64(p.Column)
	south := float64(a.Row+b.Row)/2 - float64(p.Row)
	up := (float64(a.Height)+float64(b.Height))/2 - float64(p.Height)
	share := Moved / math.Hypot(east, south) // the triangle has an area
	p.Shift = [2]int8{int8(math.Round(share * east * shiftUnit)), int8(math.Round(share * south * shiftUnit))}
	p.Height += float32(share * up)
	for _, i := range fan {
		m.Triangles[i][slices.Index(m.Triangles[i][:], v)] = uint32(len(m.Vertices))
	}
	m.Vertices = append(m.Vertices, p)
}

// openEdges returns the edges that have a triangle on one side only, as that
// triangle runs along them, in a fixed order.
func (m *Mesh) openEdges() [][2]uint32 {
	open := map[[2]uint32]bool{}
	for _, t := range m.Triangles {
		for i := range 3 {
			a, b := t[i], t[(i+1)%3]
			if back := [2]uint32{b, a}; open[back] {
				delete(open, back)
			} else {
				open[[2]uint32{a, b}] = true
			}
		}
	}
	edges := make([][2]uint32, 0, len(open))
	for e := range open {
		edges = append(edges, e)
	}
	slices.SortFunc(edges, func(a, b [2]uint32) int {
		return slices.Compare(a[:], b[:])
	})
	return edges
}

// middle returns a place inside the rectangle of the mesh if the open edges are
// just the rectangle's, so that each of them can be seen from there.
func (m *Mesh) middle(edges [][2]uint32) (place [2]int32, ok bool) {
	west, north := m.Vertices[0].Column, m.Vertices[0].Row
	east, south := west, north
	for i := range m.Vertices {
		v := &m.Vertices[i]
		west, east = min(west, v.Column), max(east, v.Column)
		north, south = min(north, v.Row), max(south, v.Row)
	}
	var length int64
	for _, e := range edges {
		a, b := &m.Vertices[e[0]], &m.Vertices[e[1]]
		onColumn := a.Column == b.Column && (a.Column == west || a.Column == east)
		onRow := a.Row == b.Row && (a.Row == north || a.Row == south)
		if !onColumn && !onRow {
			return place, false
		}
		length += int64(max(a.Column-b.Column, b.Column-a.Column, a.Row-b.Row, b.Row-a.Row))
	}
	if around := 2 * (int64(east-west) + int64(south-north)); length != around || east-west < 2 || south-north < 2 {
		return place, false
	}
	return [2]int32{west + (east-west)/2, north + (south-north)/2}, true
}
