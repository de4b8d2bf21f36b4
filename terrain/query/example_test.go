package query_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
	"github.com/vkterrain/vkterrain/terrain/query"
)

// A slope that rises a metre a metre eastward is baked, and asked where its ground
// is.
func ExampleSampler() {
	check := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	field := &terrain.Field{Width: 65, Height: 65, Spacing: 10, Quantum: 0.5, Samples: make([]int32, 65*65)}
	for i := range field.Samples {
		field.Samples[i] = int32(i % 65 * 20) // half metres
	}
	dir, err := os.MkdirTemp("", "example")
	check(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "slope.vkt")
	_, err = bake.Bake(context.Background(), field, bake.Options{TileSize: 33}, path)
	check(err)

	world, err := chunkfile.OpenFile(path)
	check(err)
	defer world.Close()
	s := query.NewSampler(world, query.Options{}) // for any number of goroutines

	g, err := s.At(123, 45)
	check(err)
	fmt.Printf("%.0f m high, rising %.0f degrees\n", g.Height, g.Slope*180/math.Pi)

	hit, err := s.Cast(query.Ray{Origin: [3]float64{100, 400, 100}, Direction: [3]float64{1, 0, 0}})
	check(err)
	fmt.Printf("hit after %.0f m in tile %v\n", hit.Distance, hit.Tile)

	points := []query.Point{{X: 0, Z: 0}, {X: 320, Z: 320}, {X: -1, Z: 0}}
	heights := make([]float64, len(points))
	check(s.Heights(heights, points))
	fmt.Println(heights)
	// Output:
	// 123 m high, rising 45 degrees
	// hit after 300 m in tile 1,0
	// [0 320 NaN]
}
