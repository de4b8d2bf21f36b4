package pipeline

import (
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// TestNearFirst orders tiles around an eye, and allocates nothing once there is room.
func TestNearFirst(t *testing.T) {
	w := testworld.New(testworld.Rough(129, 129, 2), 33, 5000, -7000)
	v := &lodcpu.View{Eye: mgl64.Vec3{5000 + 1000, 50, -7000 + 330}} // in the last column, the second row
	keys := []terrain.Key{{X: 0, Y: 0}, {X: 3, Y: 1}, {X: 3, Y: 3}, {X: 2, Y: 1}, {X: 3, Y: 0}}
	var o nearFirst
	order := func() (got []int) {
		o.begin(len(keys))
		for i, k := range keys {
			o.add(&w.World, v, k, i)
		}
		for _, d := range o.sorted() {
			got = append(got, d.index)
		}
		return got
	}
	got := order()
	if want := [5]int{1, 4, 3, 2, 0}; [5]int(got) != want {
		t.Errorf("order %v, want %v", got, want)
	}
	if n := testing.AllocsPerRun(10, func() {
		o.begin(len(keys))
		for i, k := range keys {
			o.add(&w.World, v, k, i)
		}
		o.sorted()
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}
