// Package terrain holds what every other part of vkterrain agrees on: tiles,
// levels, the order of vertices, the packed vertex, height fields and the
// activation coefficients of view-dependent refinement.
//
// # Conventions
//
// They are stated here once.
//
//   - World space is right-handed: X east, Y up, Z south. Units are metres.
//     Positions on the CPU are float64; a GPU sees camera-relative float32.
//   - Rasters are row-major with the north row first, so column = grid X and
//     row = grid Z. Sample (0, 0) is the north-west one.
//   - Heights are integers, counted in quanta ([World.Quantum] metres each).
//     A tile stores 16-bit offsets from its own base, so that the height of a
//     vertex is float32(base+offset) * float32(quantum): both sides of a seam
//     add the same integers and round once, and get the same bits.
//   - Front faces wind counter-clockwise seen from above (from +Y): for grid
//     triangle (a, b, c) the Y component of (b-a)×(c-a) is positive.
//   - Level of detail 0 is the finest level (OGRE's convention). A level is
//     finer or coarser than another, never higher or lower. A sample belongs
//     to the coarsest level whose grid holds it ("level samples").
//   - Order counts bisection steps from the finest: order 2j are the edge
//     midpoints ("black") and order 2j+1 the square centres ("white") of
//     spacing 2^j cells, so one level holds two orders.
//
// # Tiles of any source
//
// A tile has (2^k+1)² samples and shares its border rows with its neighbours.
// A source whose size is not a multiple of the tile is padded by cloning its
// last row and column, position included (as the SOAR article does): a padded
// vertex lies on the rim of the source. The mesh keeps its connectivity, the
// triangles of the padding have no area, and no sample of the source changes.
// Axis-aligned monotone clamping never flips a triangle of a bisection mesh,
// because such triangles have either their legs or their hypotenuse along the
// axes.
package terrain
