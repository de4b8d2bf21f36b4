package export

import "slices"

// Close makes the mesh a solid: walls down from its open edges, and a floor depth
// metres below its lowest vertex. The floor of a whole world without holes is a
// fan around its middle; any other is the mesh itself, seen from below.
//
// Where two holes meet in a point, four walls meet in an edge.
func (m *Mesh) Close(depth float64) {
	if m.Closed || len(m.Triangles) == 0 {
		return
	}
	lowest := m.Vertices[0].Height
	for i := range m.Vertices {
		lowest = min(lowest, m.Vertices[i].Height)
	}
	floor := float32(float64(lowest) - depth)
	edges := m.openEdges()
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
