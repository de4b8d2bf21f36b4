package progmesh

import "math"

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
		f(vertex[p], vertex[q], cost, func(p, q int32) bool {
			p, q = point[p], point[q]
			b.gather(&b.star, p)
			return b.heads[p].kind&fixed == 0 && b.legal(p, q)
		})
		b.gather(&b.star, p)
		b.legal(p, q)
	}
	b.build(s)
}

// Weighed returns how many collapses are weighed to reduce a mesh.
func Weighed(s *Source, o Options) int {
	b := &builder{o: o}
	b.build(s)
	return b.weighed
}

// Farthest returns the largest distance of points to triangles.
func Farthest(points [][3]float64, triangles [][3][3]float64) float64 {
	all := make([]triangle, 0, len(triangles))
	lo, side := vector{math.Inf(1), math.Inf(1), math.Inf(1)}, 0.0
	for _, t := range triangles {
		for _, p := range t {
			lo = vector{min(lo.x, p[0]), min(lo.y, p[1]), min(lo.z, p[2])}
		}
	}
	for _, t := range triangles {
		side = max(side, t[0][0]-lo.x, t[0][1]-lo.y, t[0][2]-lo.z)
	}
	keys := make([]uint64, len(triangles))
	for i, t := range triangles {
		p := vector{t[0][0], t[0][1], t[0][2]}.minus(lo).times((1<<mortonBits - 1) / side)
		keys[i] = (spread(p.x)|spread(p.y)<<1|spread(p.z)<<2)<<32 | uint64(i)
	}
	for _, key := range byHigh(keys) {
		var c triangle
		for k, p := range triangles[uint32(key)] {
			c[k] = vector{p[0], p[1], p[2]}
		}
		all = append(all, c)
	}
	t, worst, guess := newTree(all), 0.0, -1
	for _, p := range points {
		var d float64
		guess, d = t.nearest(vector{p[0], p[1], p[2]}, guess)
		worst = max(worst, d)
	}
	return math.Sqrt(worst)
}

// SetLeastHub changes how many spokes a hub has at least, and returns what undoes that.
func SetLeastHub(n int32) (undo func()) {
	was := leastHub
	leastHub = n
	return func() { leastHub = was }
}
