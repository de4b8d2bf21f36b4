// Package billod refines a tile by nodes of nine vertices: a centre, four corners and
// the midpoints of four edges. That is BilLOD, of Valentin Billotte's "Smart Terrain
// Rendering with Xna using Billod algorithm" (2008). Two tests decide what is shown,
// one for each child of a node and one for each edge vertex, and neighbours are made
// to agree about the vertices they share.
//
// # What is shown
//
// A child of a node has its corners at the node's centre, at one of its corners and at
// the two edge vertices beside that. So the child can be there only if both are shown,
// on both sides of their edges: that is how the article's cascades begin. The same
// relation makes the centres of nodes and their edge vertices the two kinds of vertices
// of the bisection of package soar: parents of a child's centre are the two edge vertices
// of the node above, parents of an edge vertex are the centres of the two nodes on
// either side. A set of vertices that has the parents of all its members is a sheet
// without gaps, in which all neighbours agree.
//
// So a cascade is nothing but ancestry, and what a test measures can be made closed under
// it once, when a world is baked: every vertex gets the largest measure of all its
// descendants, those in other tiles too, and a test that grows with the measure and
// reaches as much farther as descendants may be away, [lodcpu.Law].Radius, says of itself
// what cascades would add. Nothing is left to chase at run time: nodes are drawn from
// the root down, tier by tier, and tiles do not talk to each other. A node is drawn as the
// fan around its centre that passes by the edge vertices shown, less the quarters of its
// children.
//
// Trees joined are the tiles of a world, and where they have different levels loaded a
// vertex must be eligible as well, see [lodcpu.Neighbourhood]: that set is closed too.
//
// # The bounded rule
//
// By default the measure of both tests is the coefficient of package terrain, in metres,
// and their thresholds follow from the tolerance ([lodcpu.View.Law]): near 0, far and
// vertex detail B. The error on the screen is bounded then. The same vertices are shown
// as by package soar, whose blocks are these nodes and whose lists are their fans: so it
// is what refines them. A near threshold A above 0, a larger far threshold and a
// minimal depth show more than that.
//
// # The published tests
//
// With [NewClassic] the tests are those of the article. A child is shown if
//
//	depth of its parent < minimal depth  or  (distance − near) / far < 1 − n·n'
//
// with the distance from the eye to the box around the child and the unit normals at the
// centres of child and parent; and an edge vertex if
//
//	delta · detail > distance
//
// where delta is how far it is from the middle of its edge. The ball that holds all
// descendants stands for the box. Such a mesh is watertight, but nothing bounds its
// error: neither a deviation nor a delta says what the samples between vertices do. A
// node of which no edge vertex is shown is two triangles, without its centre.
//
// A vertex reaches as far for its descendants as the largest of them measures and as far
// as any may be away: 1.9 times the vertices are shown that the tests and their cascades
// would show (go test -v -run PublishedTests). That is the price of a cascade that nobody has
// to chase.
//
// # One field at five levels of detail
//
// The article shows a field of 7500, 3000, 1500, 300 and 150 vertices. This is the crater of
// package synth, 129² samples as one tile, in a picture of 1280×720 pixels, from the
// published tests with vertex detail a hundredth of far; and what as many triangles are off
// by the bounded rule (go test ./lodcpu/billod -run Counts -v):
//
//	 far m  vertices  triangles  largest error   bounded
//	148000      7525      14762        2.03 px   0.69 px
//	 38000      3019       5873        3.53 px   1.82 px
//	 15000      1505       2897        8.48 px   3.53 px
//	  2200       305        578       26.52 px  12.41 px
//	  1300       151        276       34.23 px  20.20 px
//
// # Updates
//
// The article updates its tree every four seconds in the background. Here it is made
// anew for every frame; by the bounded rule, on request, in the background for all
// views within a margin.
package billod
