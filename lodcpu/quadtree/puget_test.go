package quadtree_test

import (
	"fmt"
	"testing"

	"github.com/vkterrain/vkterrain/internal/lodtest"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu/quadtree"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
)

// BenchmarkBesideSoar refines the same views by this package and by soar in turn,
// and compares the time a triangle.
func BenchmarkBesideSoar(b *testing.B) {
	f := lodtest.PugetSound(b)
	w := testworld.New(f, 129, 0, 0)
	s := lodtest.Whole(w)
	for _, topology := range lodtest.Topologies {
		for _, tau := range []float64{1, 2, 4} {
			for i, v := range lodtest.PugetViews(f, tau) {
				for _, culled := range []bool{false, true} {
					b.Run(fmt.Sprintf("%v/view%c/tau%g/culled=%v", topology, 'A'+i, tau, culled), func(b *testing.B) {
						law := v.Law(&w.World)
						if culled {
							law.Cull = v.Cull(v.Eye)
						}
						c := s.Compare(b, &law, quadtree.New(w.Layout(), topology), soar.New(w.Layout(), topology))
						b.ReportMetric(0, "ns/op")
						b.ReportMetric(float64(c[0].Triangles), "triangles")
						b.ReportMetric(float64(c[0].Triangles)/float64(c[1].Triangles), "triangles/soar's")
						b.ReportMetric(c[0].Each(), "ns/triangle")
						b.ReportMetric(c[1].Each(), "soar-ns/triangle")
					})
				}
			}
		}
	}
}
