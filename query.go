package vkterrain

import "github.com/vkterrain/vkterrain/terrain/query"

// GroundHeight returns the height in metres of the ground at world position
// (x, z): that of the triangles which the finest level in CPU memory makes
// there. ok is false outside the world, in a hole, and where nothing is loaded yet.
// Any goroutine may call it at any time. It never waits and allocates nothing.
func (t *Terrain) GroundHeight(x, z float64) (y float64, ok bool) { return t.loaded.Height(x, z) }

// Loaded answers where the ground is, and what a ray hits, from the levels that are
// in CPU memory now, and says how far that may be off. Any goroutine may use it at
// any time, after Close too. What is exact whatever is loaded, and may have to read
// the file, is a [query.Sampler] of [Terrain.Reader], or a [query.EndlessSampler].
func (t *Terrain) Loaded() *query.Loaded { return t.loaded }
