// Package export takes terrains out of world files: their heights as pictures and
// plain numbers, a few rows at a time, and their surface as a mesh of triangles
// for other programs (OBJ, STL, PLY, glTF 2.0).
//
// A mesh is refined on the CPU, by the same law and refiner that draw, and needs
// neither a GPU nor a display. Vertices of seams are there once, so it is one
// sheet whose only open edges are the rim of the world, the rims of holes, and
// those of tiles that were left out. [Mesh.Close] makes it a solid. [BuildRegion]
// reduces a rectangle by edge collapse instead, which takes longer and needs far fewer
// triangles for the same error.
package export
