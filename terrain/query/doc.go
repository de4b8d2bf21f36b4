// Package query answers where the ground is: its height, normal and slope at a
// point, and what a ray hits.
//
// There are two sources of answers. A [Sampler] reads a world file, an [EndlessSampler] a
// world without a rim: their surface is that of the full resolution, whatever is drawn. A [Loaded] knows the levels
// that are in memory now, answers without reading anything, and says how far it
// may be off. Both may be called from any goroutine, and neither allocates once
// it is warm.
//
// The surface is that of the triangles which are drawn when every vertex of a
// level is active, cut along the same diagonals. Triangles that touch a hole are
// not there, see [terrain.Vertex.Hole]: a point over one has no ground, and a ray
// passes through. Points on the border of a triangle belong to it.
package query

import "github.com/vkterrain/vkterrain/terrain"

// Point is a place on the map, in metres of the world.
type Point struct{ X, Z float64 }

// Ground is what is known of the surface at a point.
type Ground struct {
	OK     bool       // there is ground; nothing else is meant if not
	Height float64    // metres
	Normal [3]float64 // of the triangle, unit length, upward
	Slope  float64    // radians from level
	Error  float64    // metres that the full resolution may be higher or lower here
	Tile   terrain.Key
	Level  terrain.Level // what the answer was read from
}

// Ray is a half line, or a part of one.
type Ray struct {
	Origin    [3]float64 // world metres
	Direction [3]float64 // of any length but 0
	Max       float64    // metres to look ahead; 0 means no limit, below 0 nothing is hit
}

// Hit is the first point of a ray on the surface, its origin included, from above
// or below.
type Hit struct {
	OK       bool       // something was hit; nothing else is meant if not
	Position [3]float64 // world metres
	Distance float64    // metres from the origin
	Normal   [3]float64 // of the triangle, unit length, upward
	Error    float64    // metres that the full resolution may be higher or lower here
	Tile     terrain.Key
	Level    terrain.Level
}
