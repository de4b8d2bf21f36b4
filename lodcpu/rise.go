package lodcpu

import "github.com/vkterrain/vkterrain/terrain"

// Rise says how far the levels of a tile and its eight neighbours have risen that have
// just been loaded, row by row from the north-west as in a [Neighbourhood]. The zero
// value: all have.
//
// A vertex rises with every level of a tile without which it was not eligible, by the
// rule of [Neighbourhood]: so both sides of a seam agree, and vertices along a seam
// rise with the neighbour that comes last.
type Rise [9]Rising

// RisingLevels is how many levels of a tile may rise at once.
const RisingLevels = 4

// Rising is the levels of a tile from the finest loaded on: how far each has still to
// rise, from 255 to 0.
type Rising struct {
	Finest terrain.Level
	Left   [RisingLevels]uint8
}

// Any says whether anything rises.
func (r *Rise) Any() bool {
	for i := range r {
		if r[i].Left != [RisingLevels]uint8{} {
			return true
		}
	}
	return false
}

// Share returns how far the vertex of spacing s at (x, z) of a tile of so many cells has
// risen, from 0 on the edge that it splits to 1 at its own height.
func (r *Rise) Share(x, z, s, cells int) float64 {
	left := uint8(0)
	for i := range r {
		d := max(apart(i%3, x, cells), apart(i/3, z, cells))
		for n, l := range r[i].Left {
			// Before that level was there, the tile's was one coarser.
			if d+2*s <= 2<<(int(r[i].Finest)+n) {
				left = max(left, l)
			}
		}
	}
	return float64(255-left) / 255
}

// apart returns how far a position on an axis is from the tile before (0), its own
// (1) or the one after it (2).
func apart(side, x, cells int) int { return [3]int{x, 0, cells - x}[side] }
