package progmesh_test

import (
	"fmt"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
)

// A mesh is reduced once; then each frame chooses how much of it to draw.
func Example() {
	source := grid(33) // or meshfile.Read("rock.obj")
	mesh, err := progmesh.Build(source, progmesh.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	vertices := make([][3]float32, mesh.Vertices()) // these never change
	for i, v := range mesh.Order {
		vertices[i] = source.Positions[v]
	}
	indices := make([]uint32, mesh.IndexCount(mesh.Vertices()))

	view := lodcpu.View{Eye: mgl64.Vec3{0, 100, 400}, FovY: 1, Width: 1280, Height: 720, Tau: 2}
	last := 0
	for _, distance := range []float64{10, 100, 1000} {
		n := mesh.CountFor(progmesh.MaxError(&view, distance))
		count, ok := mesh.Indices(indices, n)
		fmt.Println(ok, count == mesh.IndexCount(n), last == 0 || n < last)
		last = n
	}
	// Output:
	// true true true
	// true true true
	// true true true
}
