package lodcpu

import "github.com/vkterrain/vkterrain/terrain"

// Absent marks a neighbour that is not drawn: there is nothing to agree with.
const Absent = -1

// Own is the index of the tile itself in a [Neighbourhood].
const Own = 4

// Neighbourhood holds the finest level loaded of a tile and its eight
// neighbours, row by row from the north-west; [Absent] where no tile is drawn.
//
// A vertex is eligible if it may be active given what is loaded on both sides
// of every seam it can reach: with s its spacing and d its Chebyshev distance to
// tile T, both in cells, and L the level loaded of T,
//
//	eligible(v)  <=>  for each of the nine tiles T:  d(v, T) + 2·s > 2^L
//
// This set is closed under ancestry, through the neighbours too, and both sides
// of a seam evaluate the same. Tile corners and centres are always in it.
type Neighbourhood [9]int8

// Level returns the level loaded of the tile itself.
func (n *Neighbourhood) Level() terrain.Level { return terrain.Level(n[Own]) }

// Mixed says whether a neighbour is coarser than the tile, so that the rule
// asks more of a vertex than to be loaded.
func (n *Neighbourhood) Mixed() bool {
	for _, l := range n {
		if l > n[Own] {
			return true
		}
	}
	return false
}

// Reach is the rule for vertices of one spacing: how far from each neighbour
// they must stay, in cells. A vertex at (x, z) of a tile is eligible if it is
// farther than Side from the four sides and Corner from the four corners.
type Reach struct {
	North, West, East, South                   int
	NorthWest, NorthEast, SouthWest, SouthEast int
	hasCorners                                 bool
}

// Reach returns the rule for vertices of spacing s cells.
func (n *Neighbourhood) Reach(s int) Reach {
	limit := func(i int) int {
		if n[i] <= n[Own] { // loaded vertices satisfy it, and so does Absent
			return -1
		}
		return 1<<n[i] - 2*s
	}
	r := Reach{
		NorthWest: limit(0), North: limit(1), NorthEast: limit(2),
		West: limit(3), East: limit(5),
		SouthWest: limit(6), South: limit(7), SouthEast: limit(8),
	}
	r.hasCorners = max(r.NorthWest, r.NorthEast, r.SouthWest, r.SouthEast) >= 0
	return r
}

// Eligible says whether the vertex at column x, row z of a tile of the given
// number of cells is far enough from every coarser neighbour.
func (r *Reach) Eligible(x, z, cells int) bool {
	e, s := cells-x, cells-z
	if x <= r.West || e <= r.East || z <= r.North || s <= r.South {
		return false
	}
	return !r.hasCorners ||
		max(x, z) > r.NorthWest && max(e, z) > r.NorthEast &&
			max(x, s) > r.SouthWest && max(e, s) > r.SouthEast
}
