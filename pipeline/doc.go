// Package pipeline is the GPU half of vkterrain: the pool in which the vertices
// of tiles stay, the ring into which indices are written each frame, and the
// commands that draw them.
//
// # What lies where
//
// A vertex is 8 bytes ([terrain.Vertex]) and is uploaded once. Each loaded level
// of a tile is one block of the pool, so that a finer level appends and an
// unloaded one goes without anything else moving, and GPU memory is in
// proportion to the levels loaded. Shaders pull vertices by 32-bit addresses;
// column and row of a vertex id come from one table for all tiles.
//
// Everything that changes with the frame lies in one span of the frame ring:
//
//	| Frame constants | Tile × n | indirect command × n | indices ... |
//
// Indices are the ids of a tile's vertices: 16 bits each where tiles have at most 129²,
// 32 where they have more. Strips are joined by degenerate triangles; primitive restart
// is off in every pipeline, and no index has all bits set.
//
// What stands on the ground ([Renderer.PrepareProps]) has a second one. Its vertices,
// [props.Vertex], stay where [Renderer.SetModels] put them, and its indices have 32 bits:
//
//	| props.Placed × instances | indirect command × draws | indices ... |
//
// # One draw
//
// The tiles of a frame are one indirect draw per pass, whatever their number, and so
// are its props: the number of Vulkan calls of a frame is constant.
//
// # Who may call what
//
// All methods belong to the render goroutine. What a frame uses must stay until
// its timeline value is reached; the package sees to that with [vk.Frame.Value].
package pipeline
