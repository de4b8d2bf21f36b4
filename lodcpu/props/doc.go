// Package props makes what stands on a terrain and decides what of it is drawn, on the
// CPU: rocks and conifers, or a caller's own meshes, scattered by density and slope.
//
// A [Model] is a progressive mesh at a few resolutions: one static vertex buffer, and
// an index list a resolution. [Rock] and [Conifer] make meshes for it; any
// [progmesh.Source] will do.
//
// A [Scatter] says where instances are. They belong to a world, a seed and a tile's
// key and to nothing else: tiles may be asked for in any order, by any number of
// goroutines, and no two of them disagree or have the same instance. Places are those
// of a grid that covers the whole world, each moved at random within its cell; a tile
// has those that fall into it.
//
// A [Selector] chooses, for a view, which instances are drawn and at what resolution:
// the coarsest whose error is at most Tau pixels wherever it is in the picture, by
// [progmesh.MaxError], as the terrain's own bound is. What is as a whole no larger than
// that is left out. Under a limit of triangles the tolerance grows, for all of them
// alike, and is told. What comes out is sorted by model and resolution, so that a
// renderer needs one instanced indirect draw for each: see [Pack] and
// [Selection.Commands].
package props
