// Package bake turns a height field into a world file: activation
// coefficients, normals, sky view and curvature of every sample, cut into tiles
// and coded level by level.
//
// # Portions
//
// The field is read twice, a few rows at a time, and never in memory as a whole.
// The first pass makes a coarse grid of it, for what is seen far away. The second
// goes through bands of rows of tiles. All that is made of a tile depends on the
// samples of the tiles around it, those within the reach of the near horizon, and
// the coarse grid: so the portions can be as small as the memory asks for, down to a tile,
// and do not show in the result.
//
// The same field and options give the same bytes, whatever the machine, the
// number of workers and the memory cap: what is stored comes from integers, or from
// float64 arithmetic that is written so that no compiler may fuse a product and a
// sum.
package bake
