package query_test

import (
	"math/rand/v2"
	"testing"

	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/terrain/query"
)

// BenchmarkQueries asks a world of 8×8 tiles of 129×129 samples that is in memory:
// points anywhere, and rays of 10 km and more from above the land.
func BenchmarkQueries(b *testing.B) {
	w := testworld.New(testworld.Rough(1025, 1025, 3), 129, 0, 0)
	rng := rand.New(rand.NewPCG(1, 1))
	points, rays := make([]query.Point, 1024), make([]query.Ray, 1024)
	for i := range points {
		points[i] = query.Point{X: rng.Float64() * 10240, Z: rng.Float64() * 10240}
		rays[i] = query.Ray{
			Origin:    [3]float64{rng.Float64() * 10240, 300 + 200*rng.Float64(), rng.Float64() * 10240},
			Direction: [3]float64{rng.NormFloat64(), -0.1 * rng.Float64(), rng.NormFloat64()},
		}
	}
	heights, hits := make([]float64, len(points)), make([]query.Hit, len(rays))
	s, l := samplerOf(b, w, query.Options{}), loadedOf(w, level(0))
	fine, coarse := fromFile{b, s}, loadedOf(w, level(2))
	for _, c := range []struct {
		name string
		ask  func(i int)
		of   int // queries in one
	}{
		{"file/height", func(i int) { fine.height(points[i].X, points[i].Z) }, 1},
		{"file/at", func(i int) { fine.at(points[i].X, points[i].Z) }, 1},
		{"file/heights", func(int) { _ = s.Heights(heights, points) }, len(points)},
		{"file/ray", func(i int) { fine.cast(rays[i]) }, 1},
		{"file/rays", func(int) { _ = s.CastAll(hits, rays) }, len(rays)},
		{"memory/height", func(i int) { l.Height(points[i].X, points[i].Z) }, 1},
		{"memory/at", func(i int) { l.At(points[i].X, points[i].Z) }, 1},
		{"memory/heights", func(int) { l.Heights(heights, points) }, len(points)},
		{"memory/ray", func(i int) { l.Cast(rays[i]) }, 1},
		{"memory/level2/ray", func(i int) { coarse.Cast(rays[i]) }, 1},
	} {
		b.Run(c.name, func(b *testing.B) {
			for i := range points {
				if c.of == 1 {
					c.ask(i)
				}
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				c.ask(i)
				i = (i + 1) % len(points)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*c.of), "ns/query")
		})
	}
}

// BenchmarkParallel asks for heights from as many goroutines as there are
// processors.
func BenchmarkParallel(b *testing.B) {
	w := testworld.New(testworld.Rough(1025, 1025, 3), 129, 0, 0)
	s, l := samplerOf(b, w, query.Options{}), loadedOf(w, level(0))
	for name, ask := range map[string]func(x, z float64){
		"file":   func(x, z float64) { _, _, _ = s.Height(x, z) },
		"memory": func(x, z float64) { l.Height(x, z) },
	} {
		b.Run(name, func(b *testing.B) {
			b.RunParallel(func(pb *testing.PB) {
				rng := rand.New(rand.NewPCG(1, 1))
				for pb.Next() {
					ask(rng.Float64()*10240, rng.Float64()*10240)
				}
			})
		})
	}
}
