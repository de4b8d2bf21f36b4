package meshcheck_test

import (
	"fmt"
	"math"

	"github.com/vkterrain/vkterrain/meshcheck"
	"github.com/vkterrain/vkterrain/terrain"
)

// A hill of 30 m is drawn as two triangles that know nothing of it.
func Example() {
	land := &terrain.Field{Width: 3, Height: 3, Spacing: 100, Quantum: 1, Samples: []int32{
		0, 0, 0,
		0, 30, 0,
		0, 0, 0,
	}}
	drawn := &meshcheck.Mesh{
		Vertices:  [][3]float64{{0, 0, 0}, {200, 0, 0}, {0, 0, 200}, {200, 0, 200}},
		Triangles: [][3]uint32{{0, 2, 3}, {0, 3, 1}}, // counter-clockwise from above
	}
	camera := &meshcheck.Camera{Eye: [3]float64{100, 20, 500}, FovY: math.Pi / 3, Width: 1280, Height: 720}

	e := meshcheck.ScreenError(land, 0, 0, drawn, camera)
	fmt.Printf("%.1f px at sample %v, %d of %d samples drawn right\n", e.Worst, e.At, e.Histogram[0], e.Checked)

	world := &terrain.World{Width: 3, Height: 3, TileSize: 3, Spacing: 100, Quantum: 1}
	faults, _ := meshcheck.Watertight(world, drawn, func(terrain.Key) bool { return true })
	fmt.Println(faults, "faults in the sheet")

	p := meshcheck.Rasterised(land, 0, 0, drawn, camera)
	fmt.Printf("up to %.1f px over %d pixels\n", p.Worst, p.Checked)
	// Output:
	// 46.8 px at sample [1 1], 8 of 9 samples drawn right
	// 0 faults in the sheet
	// up to 45.3 px over 5710 pixels
}
