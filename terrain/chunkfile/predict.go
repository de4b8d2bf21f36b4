package chunkfile

// A level's samples are predicted on a compact grid of n×n samples, n odd: the
// positions with two even coordinates belong to coarser levels and are known.
// Centres (both odd) come first, from the four corners around them; then the
// edge midpoints, from up to four neighbours, two of them centres.
//
// The coarsest level has nothing coarser: each sample is predicted from those
// before it in row-major order, left + up - upper left.

// centre predicts position i from the four corners around it.
func centre(g []int32, i, n int) int32 {
	return (g[i-n-1] + g[i-n+1] + g[i+n-1] + g[i+n+1] + 2) >> 2
}

// edge predicts the edge midpoint (x, z) at position i.
func edge(g []int32, i, x, z, n int) int32 {
	switch {
	case x == 0 || x == n-1:
		return (g[i-n] + g[i+n] + 1) >> 1
	case z == 0 || z == n-1:
		return (g[i-1] + g[i+1] + 1) >> 1
	}
	return (g[i-1] + g[i+1] + g[i-n] + g[i+n] + 2) >> 2
}

// gradient predicts (x, z) at position i from what row-major order knows.
func gradient(g []int32, i, x, z, n int) int32 {
	switch {
	case x == 0 && z == 0:
		return 0
	case z == 0:
		return g[i-1]
	case x == 0:
		return g[i-n]
	}
	return g[i-1] + g[i-n] - g[i-n-1]
}

// residuals writes value - prediction for all level samples, in the order they
// are decoded in, and returns their number.
func residuals(dst, g []int32, n int, coarsest bool) int {
	k := 0
	if coarsest {
		for z := range n {
			for x := range n {
				i := z*n + x
				dst[k] = g[i] - gradient(g, i, x, z, n)
				k++
			}
		}
		return k
	}
	for z := 1; z < n; z += 2 {
		for x := 1; x < n; x += 2 {
			i := z*n + x
			dst[k] = g[i] - centre(g, i, n)
			k++
		}
	}
	for z := range n {
		for x := 1 - z&1; x < n; x += 2 {
			i := z*n + x
			dst[k] = g[i] - edge(g, i, x, z, n)
			k++
		}
	}
	return k
}

// restore is the inverse of residuals; values are taken modulo mask+1.
func restore(g, res []int32, n int, coarsest bool, mask int32) {
	k := 0
	if coarsest {
		for z := range n {
			for x := range n {
				i := z*n + x
				g[i] = (gradient(g, i, x, z, n) + res[k]) & mask
				k++
			}
		}
		return
	}
	for z := 1; z < n; z += 2 {
		for x := 1; x < n; x += 2 {
			i := z*n + x
			g[i] = (centre(g, i, n) + res[k]) & mask
			k++
		}
	}
	for z := range n {
		for x := 1 - z&1; x < n; x += 2 {
			i := z*n + x
			g[i] = (edge(g, i, x, z, n) + res[k]) & mask
			k++
		}
	}
}
