// Package vkterrain draws very large terrains with Vulkan, with the level of
// detail resident on the GPU: the vertices of a tile are uploaded once, level by
// level, and stay; the CPU decides each frame which of them are indexed.
//
// The screen error of the picture is bounded: no full-resolution sample in view
// is drawn more than [lodcpu.View.Tau] pixels away from its place, and the mesh
// is watertight for every mix of loaded levels. See ARCHITECTURE.md.
//
// # Use
//
//	t, err := vkterrain.Open("alps.vkt", dev, vkterrain.Options{ColorFormat: …, DepthFormat: …})
//	defer t.Close()
//	for {
//		f, err := dev.BeginFrame()
//		err = t.Prepare(f, &view, &look) // streaming, uploads, refinement
//		target.Begin(f.Cmd, …)
//		t.Draw(f.Cmd)
//		target.End(f.Cmd)
//		err = f.Submit()
//	}
//
// Baking a height field into a world file is package terrain/bake; package
// terrain states the conventions of axes, units and winding.
//
// A world that changes while it is drawn is a session of package terrain/edit, opened
// with [OpenSession].
//
// Several views of a frame, as of a split screen, a picture in the picture or two eyes, are
// [Terrain.PrepareViews] and [Terrain.DrawView]. Package hud draws figures over the picture,
// which [Terrain.Figures] fills in; [Terrain.Snapshot] has what was drawn judged by another
// goroutine.
//
// Things that stand on the ground, such as trees and rocks, are [Props].
//
// A [Terrain] belongs to one goroutine, the one that renders.
package vkterrain
