package export_test

import (
	"context"
	"fmt"
	"os"

	"github.com/vkterrain/vkterrain/export"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// A world becomes a solid for a 3D printer: nowhere more than 5 m off, with a floor
// 200 m below its lowest point.
func ExampleBuild() {
	world, err := chunkfile.OpenFile("alps.vkt")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer world.Close()
	mesh, err := export.Build(context.Background(), world, export.Options{MaxError: 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	mesh.Close(200)
	f, err := os.Create("alps.stl")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	if err := mesh.WriteSTL(f, export.ZUp); err != nil {
		fmt.Println(err)
	}
	fmt.Println(len(mesh.Triangles), "triangles,", mesh.Error, "m off")
}
