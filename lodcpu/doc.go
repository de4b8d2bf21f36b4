// Package lodcpu is view-dependent refinement on the CPU: the view, the
// activation law that all algorithms share, the rule for seams between tiles
// that have different levels loaded, and the interface of a refiner.
//
// A refiner looks at one tile at a time and writes vertex indices into the
// caller's buffer. Tiles never talk to each other: the coefficients of a world
// are nested across tile borders and [Neighbourhood] closes what is loaded under
// ancestry, so both sides of a seam reach the same verdict about each vertex of
// it, and the union of all index lists is watertight.
//
// Holes are left out of what a refiner has made, see [LeaveHoles], and indices of small
// tiles packed into 16 bits, see [Narrow].
//
// A [View] with haze keeps its tolerance as errors are seen through the air, see [Law.Reach].
// A [Team] refines many tiles at once. An [Anchor]'s law makes a mesh that serves every
// view within a margin; a [Morph] says how vertices move to their height; a
// [Governor] finds the tolerance that keeps frames within a [Budget].
//
// The packages below this one hold one algorithm each.
package lodcpu
