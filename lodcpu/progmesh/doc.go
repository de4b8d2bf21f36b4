// Package progmesh makes progressive meshes: a mesh of triangles is reduced vertex
// by vertex, each moved along an edge onto a neighbour, until no edge may collapse
// any more. Vertices are sorted once so that the first to go is last. The vertex
// buffer never changes then, and a resolution of n vertices is an index list over
// the first n of them, which [Mesh.Indices] writes into the caller's span.
//
// The order comes from one of two costs. [Melax] is that of Stan Melax, "A Simple,
// Fast, and Effective Polygon Reduction Algorithm", Game Developer, November 1998:
// the edge's length times how far the surface bends there. [Quadric] is that of
// Garland and Heckbert, "Surface Simplification Using Quadric Error Metrics",
// SIGGRAPH 1997: the mean squared distance to the planes that a vertex stands for.
// Candidates wait in a heap and only the neighbours of a collapse are weighed again, those
// that can only have become dearer when their turn comes, so that the time is near-linear
// in the number of vertices.
//
// # What holds
//
// The error of each resolution is known in the units of the positions. It is a
// bound: no point of either surface is farther than that from the other one. See
// [Mesh.CountFor] and [MaxError] for how to choose a resolution for a camera. What each
// collapse moves adds up, so that it is careful: TestErrorIsABound logs bounds of 3 to
// 33 times what it measures. [Options].Measure has the distance itself measured, both
// ways, at resolutions a fifth apart, as a bound too: there it is 1.05 times what it
// is, and what [Mesh.CountFor] chooses is at most twice.
//
// A sheet stays a sheet: no collapse joins or tears parts, closes a border loop,
// removes the last triangle of a part, or makes an edge of more than two triangles.
// Vertices at edges of three and more triangles, or of triangles that wind against
// each other, and where sheets touch in one point, stay; so do vertices with more
// than 256 triangles.
//
// No triangle turns by more than 90 degrees from where it started, unless
// [Options] allow it.
//
// Vertices at the same position are one point with several sets of attributes,
// and go together: each onto the vertex of the neighbour that it shares a triangle
// with, along the seam or not at all. Attributes have no part in cost or error.
//
// # Time
//
// What is weighed for each vertex does not grow with the mesh (TestNearLinear); what
// does is the time to fetch it, once a mesh is larger than the caches. docs/progmesh.md
// has figures.
package progmesh
