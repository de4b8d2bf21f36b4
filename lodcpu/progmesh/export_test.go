package progmesh

import "slices"

// Observe reduces a mesh and calls f before each collapse with what goes where, what
// it costs, and a question whether another one would be allowed instead. No two
// vertices of the mesh may be at the same place.
func Observe(s *Source, o Options, f func(p, q int32, cost float64, legal func(p, q int32) bool)) {
	b := &builder{o: o}
	var vertex map[int32]int32 // by point
	point := map[int32]int32{}
	b.observe = func(p, q int32, cost float64) {
		if vertex == nil {
			vertex = map[int32]int32{}
			for f, face := range b.faces {
				for k := range 3 {
					vertex[face[k]], point[b.corners[f][k]] = b.corners[f][k], face[k]
				}
			}
		}
		from, to := slices.Clone(b.scratch.from), slices.Clone(b.scratch.to)
		f(vertex[p], vertex[q], cost, func(p, q int32) bool {
			p, q = point[p], point[q]
			return b.heads[p].kind&fixed == 0 && b.legal(p, q)
		})
		b.scratch.from, b.scratch.to = from, to
	}
	b.build(s)
}

// Weighed returns how many collapses are weighed to reduce a mesh.
func Weighed(s *Source, o Options) int {
	b := &builder{o: o}
	b.build(s)
	return b.weighed
}
