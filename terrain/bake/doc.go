// Package bake turns a height field into a world file: activation
// coefficients, normals, sky view and curvature of every sample, cut into tiles
// and coded level by level.
//
// The same field and options give the same bytes, whatever the machine and the
// number of workers: what is stored comes from integers, or from float64
// arithmetic that is written so that no compiler may fuse a product and a sum.
package bake
