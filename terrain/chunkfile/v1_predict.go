package chunkfile

import "math/bits"

// A level's samples are predicted on a compact grid of n×n samples, n odd: the
// positions with two even coordinates belong to coarser levels and are known.
// Centres (both odd) come first; then the edge midpoints, which have centres
// among their neighbours.
//
// Both see the same picture, turned by 45°. With the steps a and b to two of
// the nearest known neighbours, (1, 1) and (-1, 1) for a centre, (1, 0) and
// (0, 1) for a midpoint, what is known around position i is
//
//	ring 0: i ± a, i ± b
//	ring 1: i ± 2a ± b, i ± a ± 2b
//	ring 2: i ± 3a, i ± 3b
//
// and the prediction is (81·ring 0 - 9·ring 1 + ring 2) / 256, the product of
// two four-point interpolations (Deslauriers and Dubuc, "Symmetric Iterative
// Interpolation Processes", Constructive Approximation 5, 1989). Within three
// steps of the tile's border it is the mean of ring 0, as far as that is inside.
//
// The coarsest level has nothing coarser: a sample is predicted from those
// before it in row-major order, left + up - upper left.

// run is a row of samples at grid indices i, i+2, ... that are predicted alike.
type run struct {
	i, count int
	a, b     int  // steps to the neighbours; a == b where two of the four are outside
	far      bool // rings 1 and 2 are inside
}

// runsOf lists the level samples of a grid of n×n in the order they are decoded.
func runsOf(n int) []run {
	var all []run
	// add appends the samples from x0 to x1, every other one, of row z.
	add := func(z, x0, x1, a, b int, far bool) {
		if x0 <= x1 {
			all = append(all, run{z*n + x0, (x1-x0)/2 + 1, a, b, far})
		}
	}
	// row appends a row of which no neighbour is outside.
	row := func(z, x0, a, b int) {
		x1 := n - 1 - x0
		if z < 3 || z >= n-3 || x1 < 7 {
			add(z, x0, x1, a, b, false)
			return
		}
		in := x0 // first sample three steps from the border
		for in < 3 {
			in += 2
		}
		add(z, x0, in-2, a, b, false)
		add(z, in, n-1-in, a, b, true)
		add(z, n+1-in, x1, a, b, false)
	}
	for z := 1; z < n; z += 2 {
		row(z, 1, n+1, n-1)
	}
	for z := range n {
		switch {
		case z == 0 || z == n-1:
			add(z, 1, n-2, 1, 1, false)
		case z&1 == 0:
			row(z, 1, 1, n)
		default:
			add(z, 0, 0, n, n, false)
			row(z, 2, 1, n)
			add(z, n-1, n-1, n, n, false)
		}
	}
	return all
}

// near is the mean of ring 0.
func near(g []int32, i, a, b int) int32 { return (g[i-a] + g[i+a] + g[i-b] + g[i+b] + 2) >> 2 }

// place is what is known around a height before it is decoded.
type place struct {
	height int32 // the prediction
	near   int32 // mean of ring 0
	rough  int32 // how much the neighbours differ
}

// nearPlace predicts from ring 0.
func nearPlace(g []int32, i, a, b int) place {
	w, e, u, d := g[i-a], g[i+a], g[i-b], g[i+b]
	mean := (w + e + u + d + 2) >> 2
	return place{mean, mean, max(w, e, u, d) - min(w, e, u, d)}
}

// row7 is a row of the neighbourhood, columns -3 to 3. One bounds check serves
// all seven.
type row7 = [7]int32

func rowAt(g []int32, i int) *row7 { return (*row7)(g[i-3 : i+4]) }

// farCentre predicts the centre at i of a grid n wide from all rings.
func farCentre(g []int32, i, n int) place {
	r0, r1, r2, r3 := rowAt(g, i-3*n), rowAt(g, i-n), rowAt(g, i+n), rowAt(g, i+3*n)
	return farPlace(r1[2], r1[4], r2[2], r2[4],
		r0[2]+r0[4]+r1[0]+r1[6]+r2[0]+r2[6]+r3[2]+r3[4],
		r0[0]+r0[6]+r3[0]+r3[6])
}

// farMidpoint predicts the midpoint at i of a grid n wide from all rings.
func farMidpoint(g []int32, i, n int) place {
	r1, r2, r3 := rowAt(g, i-2*n), rowAt(g, i-n), rowAt(g, i)
	r4, r5 := rowAt(g, i+n), rowAt(g, i+2*n)
	return farPlace(r3[2], r3[4], r2[3], r4[3],
		r1[2]+r1[4]+r2[1]+r2[5]+r4[1]+r4[5]+r5[2]+r5[4],
		g[i-3*n]+r3[0]+r3[6]+g[i+3*n])
}

// farPlace predicts from the four of ring 0 and the sums of the others.
func farPlace(w, e, u, d, ring1, ring2 int32) place {
	ring0 := w + e + u + d
	p := (81*ring0 - 9*ring1 + ring2 + 128) >> 8
	return place{
		height: min(max(p, 0), 0xffff),
		near:   (ring0 + 2) >> 2,
		rough:  max(w, e, u, d) - min(w, e, u, d) + abs(ring1-2*ring0)>>3,
	}
}

// place predicts the sample of r at grid index i of a grid n wide.
func (r *run) place(g []int32, i, n int) place {
	switch {
	case !r.far:
		return nearPlace(g, i, r.a, r.b)
	case r.a == 1:
		return farMidpoint(g, i, n)
	}
	return farCentre(g, i, n)
}

// gradient predicts the sample at index i of the coarsest grid, n×n.
func gradient(g []int32, i, n int) int32 {
	switch {
	case i == 0:
		return 0
	case i < n:
		return g[i-1]
	case i%n == 0:
		return g[i-n]
	}
	return g[i-1] + g[i-n] - g[i-n-1]
}

// splitBits is the number of low bits of a zig-zag residual that are stored as
// they are, where the place is so rough: what is above them is then spread
// much alike everywhere, and one table codes it well.
func splitBits(rough int32) uint { return uint(max(0, bits.Len32(uint32(rough))-5)) }

// coarsestRough is the roughness the coarsest level starts with; it follows the
// residuals from there.
const coarsestRough = 1 << 8

func followRough(rough, residual int32) int32 { return (3*rough + 2*min(abs(residual), 1<<20)) >> 2 }
