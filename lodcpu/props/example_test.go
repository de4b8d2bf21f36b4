package props_test

import (
	"fmt"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
	"github.com/vkterrain/vkterrain/lodcpu/props"
	"github.com/vkterrain/vkterrain/terrain"
)

// Models are made and packed once, a tile's instances when it is loaded; each frame
// chooses what is drawn.
func Example() {
	var models []*props.Model
	for _, source := range []*progmesh.Source{props.Rock(1, 3), props.Conifer(1)} { // or meshfile.Read("hut.obj")
		m, err := props.NewModel(source, progmesh.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		models = append(models, m)
	}
	vertices, indices, bases := props.Pack(models) // to the GPU, for ever

	scatter := &props.Scatter{
		World:  world(33),
		Ground: hills{}, // query.NewSampler(reader, query.Options{})
		Seed:   7,
		Layers: []props.Layer{
			{Models: []int{0}, Spacing: 20, MinSlope: 0.3, MinScale: 0.5, MaxScale: 3},
			{Models: []int{1}, Spacing: 6, MaxSlope: 0.6, MinScale: 0.7, MaxScale: 1.4, Sink: 0.3},
		},
	}
	instances, err := scatter.Tile(nil, terrain.Key{X: 1, Y: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	groups := []props.Group{props.NewGroup(models, instances)}

	view := &lodcpu.View{Eye: mgl64.Vec3{300, 60, 700}, FovY: 1, Width: 1280, Height: 720, Tau: 1}
	var selector props.Selector
	selection := selector.Select(view, models, groups, props.Options{MaxTriangles: 100_000})
	commands := selection.Commands(nil, models, bases) // with selection.Placed, into the frame's ring

	fmt.Println(len(vertices) > 0, len(indices) > 0, len(instances) > 0)
	fmt.Println(len(commands) == len(selection.Draws), selection.Triangles <= 100_000, selection.Tau >= 1)
	// Output:
	// true true true
	// true true true
}
