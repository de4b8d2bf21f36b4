package soar_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
	"github.com/vkterrain/vkterrain/terrain/synth"
)

// A world is baked and refined for an eye that goes away from it, without a GPU. A program
// does the last part for each frame; what it draws are ids of the tile's vertices.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "cone.vkt")
	field, err := synth.Cone(129)
	if err != nil {
		panic(err)
	}
	if _, err := bake.Bake(context.Background(), field, bake.Options{TileSize: 129}, path); err != nil {
		panic(err)
	}
	file, err := chunkfile.OpenFile(path)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	world := file.World()
	tile, err := file.ReadTile(chunkfile.NewDecoder(), terrain.Key{}, 0)
	if err != nil {
		panic(err)
	}

	refiner := soar.New(world.Layout(), lodcpu.List)
	indices := make([]uint32, refiner.MaxIndices(0))
	near := lodcpu.Neighbourhood{} // the world is one tile: nothing around it is coarser
	refine := func(law lodcpu.Law) []uint32 {
		counts, ok := refiner.Refine(indices, tile, &near, &law)
		if !ok {
			panic("MaxIndices is always enough")
		}
		return indices[:counts.Indices]
	}
	all := refine(lodcpu.FullLaw(world))
	fmt.Println(len(all)/3, "triangles at full resolution")

	size := float64(world.Width-1) * world.Spacing
	before := len(all)
	for _, away := range []float64{1, 10, 100} {
		view := lodcpu.View{
			Eye: mgl64.Vec3{size / 2, size / 4, size/2 + away*size}, FovY: math.Pi / 4, Width: 1280, Height: 720,
			Tau: 1, // pixels: nothing is drawn farther off than that
		}
		drawn := refine(view.Law(world))
		fmt.Println("fewer from", away, "times its size away:", len(drawn) < before)
		before = len(drawn)
	}

	up := 0
	lodcpu.Triangles(lodcpu.List, indices[:before], func(a, b, c uint32) {
		p, q, r := position(tile, world, a), position(tile, world, b), position(tile, world, c)
		if q.Sub(p).Cross(r.Sub(p))[1] > 0 { // counter-clockwise from above
			up++
		}
	})
	fmt.Println("all face up:", up == before/3)
	// Output:
	// 32768 triangles at full resolution
	// fewer from 1 times its size away: true
	// fewer from 10 times its size away: true
	// fewer from 100 times its size away: true
	// all face up: true
}

// position returns where a vertex of a tile is, in metres.
func position(t *terrain.Tile, w *terrain.World, id uint32) mgl64.Vec3 {
	layout := w.Layout()
	at := layout.Grid[id]
	x, z := int(t.Info.Key.X)*layout.Cells+int(at.X), int(t.Info.Key.Y)*layout.Cells+int(at.Z)
	height := int(t.Info.Base) + int(t.Verts[id].Height)
	return mgl64.Vec3{w.OriginX + float64(x)*w.Spacing, float64(height) * w.Quantum, w.OriginZ + float64(z)*w.Spacing}
}
