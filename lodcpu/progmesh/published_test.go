package progmesh_test

import (
	"testing"

	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
)

// reduced collapses a mesh as published until n vertices are left: without a look at
// borders, edges and flips.
func reduced(s *progmesh.Source, n int) (full, level *surface) {
	from, to, _ := progmesh.BuildUnchecked(s, progmesh.Melax)
	full, level = &surface{}, &surface{}
	for _, p := range s.Positions {
		full.at = append(full.at, vec{float64(p[0]), float64(p[1]), float64(p[2])})
	}
	level.at = full.at
	goes := map[uint32]uint32{}
	for i := range len(s.Positions) - n {
		goes[uint32(from[i])] = uint32(to[i])
	}
	full.triangles = s.Triangles
	for _, t := range s.Triangles {
		for k := range t {
			for next, ok := goes[t[k]]; ok; next, ok = goes[t[k]] {
				t[k] = next
			}
		}
		if t[0] != t[1] && t[1] != t[2] && t[2] != t[0] {
			level.triangles = append(level.triangles, t)
		}
	}
	return full, level
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

// TestAgainstPublished prints how far off each cost is, beside the published
// algorithm, which cares for nothing.
func TestAgainstPublished(t *testing.T) {
	for _, name := range []string{"bunny.obj", "cow.obj"} {
		s := read(t, name)
		for _, r := range []progmesh.Resolution{progmesh.Lowest} {
			quadric, melax := build(t, s, progmesh.Options{}), build(t, s, progmesh.Options{Cost: progmesh.Melax})
			n := quadric.Count(r)
			full, old := reduced(s, n)
			a, b := drawn(t, s, quadric, n), drawn(t, s, melax, n)
			q, m, p := hausdorff(full, a), hausdorff(full, b), hausdorff(full, old)
			t.Logf("%s, %d vertices: quadric %.4g, melax %.4g, published %.4g off; edges of more than two triangles %d, %d, %d",
				name, n, q, m, p, a.broken(), b.broken(), old.broken())
			if q > 1.2*p {
				t.Errorf("%s %v: quadrics are %v off, the published algorithm %v", name, r, q, p)
			}
		}
	}
}
