// Package quadtree refines a tile by a quadtree whose leaves are fans: a square
// is four squares or is drawn as the triangles from its centre to its rim. A fan is
// written as a list; where a neighbour is finer, the vertex that it has on the common
// side is put between two corners, with the centre before it and behind it, so that
// no T-junction is left. That is how an article on quadtrees with Direct3D 9 does it
// (July 2004, author unknown); the order of a fan there is clockwise.
//
// # What is split
//
// A node has a centre, four corners and four edge midpoints. These are the vertices
// of the bisection of package soar: the spacing s of a centre, half a side, is that
// of its edge midpoints. The parents of a midpoint are the centres of the two nodes
// beside it, those of a centre are the two midpoints of its parent node that are next
// to it. So the law and the coefficients serve here as they are. A node is split if
//
//   - the centre of at least one of its four squares is active, or
//   - it lies on the side of a tile, and its midpoint there is active, or
//   - a node of half its size that is split lies beside it.
//
// A midpoint is drawn if it is active or a node beside it is split.
//
// # Why the error is bounded
//
// What is drawn is a mesh of the bisection: a fan without midpoints is what is left
// when they are left out, and with one it is cut there. The mesh has every active
// vertex, so a triangle that is drawn lacks only vertices that are not active; and
// those are what coefficients bound ([terrain.Coefs]). No other coefficient is
// needed. As all four squares of a node are drawn for the sake of one, there are
// more triangles than soar draws.
//
// # Why the remedy has nothing to chase
//
// Every node that is split has an active midpoint: a centre that is active has
// active parents, and the third rule is below. So its own centre is active, and so
// are the parents of that, one of which is the midpoint of its parent's side where
// it lies at it. Let N be split, and N' the node of N's size beside it, in another
// parent P'. That midpoint is one of P' too, so P' is a square of a node that
// is split, and there by the first rule; and it is split by the third. So N'
// is there: neighbours differ by no more than one split, and a side of a fan has
// no vertex but its midpoint. The third rule is applied from the finest nodes up,
// once to each node, and adds no node but those four squares.
//
// On the side of a tile a fan cannot see its neighbour. What both tiles see is the
// midpoint of the parent's side, Q, and the above is why it is active if the node on
// either side is split. So there
//
//	the midpoint is drawn  <=>  Q is active
//
// and if Q is active both parents are split, by the second rule. That costs some
// triangles at a tile's rim, and the least that is drawn of a tile is eight: its sides
// have no Q. At the finest level of the world nothing can be split, and the
// midpoint itself is asked.
//
// # Levels that are not loaded
//
// Where neighbours have different levels loaded, active means active and eligible,
// see [lodcpu.Neighbourhood]; both are closed under ancestry, so all of the above
// holds. One thing more is needed: a square of a split node is drawn only if its
// centre is eligible, and a midpoint only if it is. What is left of the node is drawn
// by its own fan. The parents of an eligible vertex are eligible on both sides of
// a seam, so both fans beside a midpoint that is drawn are there.
//
// # How a tile is walked
//
// From the coarsest tier to the finest the squares of the nodes that are split are
// asked, in the order of their vertices in memory: of a square its midpoints in the
// north and the west, of which those in the south and the east of others are the
// same. A midpoint between squares of different size is never active, as its parents
// are the centres of two of one size. Then the remedy goes from the finest tier up,
// over nodes that are split, and marks the midpoints of these as drawn. Last,
// nodes that are split are visited by recursion with the ids of their corners, and
// the fans of their squares are written: those of all midpoints and of none in one
// go, others side by side without branches.
//
// A law with [lodcpu.Law.Cull] makes vertices out of view inactive; the sides of the
// picture that a node need not ask are dropped on the way down.
package quadtree
