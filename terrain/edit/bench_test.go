package edit_test

import (
	"fmt"
	"testing"

	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/terrain/edit"
)

// BenchmarkSet changes a square in the middle of a tile of 129² samples, of a world of
// 8×8 of them, its journal included.
func BenchmarkSet(b *testing.B) {
	for _, side := range []int{1, 16, 128} {
		b.Run(fmt.Sprintf("%d×%d", side, side), func(b *testing.B) {
			f := testworld.Rough(1025, 1025, 4)
			s := open(b, baked(b, f, 129), edit.Options{})
			heights := make([]int32, side*side)
			for i := 0; b.Loop(); i++ {
				for k := range heights {
					heights[k] = int32((i*7 + k) % 900)
				}
				if _, err := s.Set(576-side/2, 576-side/2, side, side, heights, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
