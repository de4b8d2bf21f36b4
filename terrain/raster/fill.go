package raster

import "math"

// Voids says what becomes of samples without a height.
type Voids string

const (
	// VoidsReport refuses to load a raster with voids, and counts them.
	VoidsReport Voids = ""
	// VoidsFill fills them from their surroundings; no other sample changes.
	//
	// Heights are averaged in growing blocks, 2×2, 4×4 and so on, of what there
	// is in them, up to blocks that all have a height (the pull). Then, from the
	// coarsest blocks to the samples, those without a height get one that is
	// blended of the four coarser ones around (the push), and are smoothed: each
	// becomes the mean of its four neighbours, a few times. It is the pull-push
	// method of Gortler et al., "The Lumigraph", SIGGRAPH 1996, made smooth.
	// Heights so made lie between those that the raster has. They depend on the
	// raster alone, not on which rows are read.
	VoidsFill Voids = "fill"
	// VoidsHole keeps them as holes, see [terrain.Field.Void]. The heights under
	// them are those of VoidsFill.
	VoidsHole Voids = "hole"
)

// How fine levels of the fill are done block by block, as rows are read, and
// coarse ones in memory at once.
const (
	fillBlock     = 64 // samples a side of a block that is filled at a time
	fillBaseLevel = 3  // at least, of the finest level in memory

	fillSmoothed = 3 // levels of a block that are smoothed

	blockSmoothings = 3 // how often every void becomes the mean of its neighbours
	baseSmoothings  = 16
)

// fillBaseCells is how many cells of a fill are in memory at most.
var fillBaseCells = 1 << 24

// fillGrid is the cells of one level of a fill, or a part of them.
type fillGrid struct {
	w, h    int
	heights []float32 // NaN where there is none
	weights []float32 // the share of a cell that has a height; nil is 1 or none
}

// filler fills the voids of a raster.
type filler struct {
	width, height int // samples
	level         int // of base
	base          fillGrid
	block, halo   int // samples

	sums   []float64 // of the row of cells that is being added up
	counts []float64
}

// newFiller returns the filler of a raster whose rows are then added.
func newFiller(w, h int) *filler {
	f := &filler{width: w, height: h, level: fillBaseLevel, block: fillBlock}
	for cells(w, f.level)*cells(h, f.level) > fillBaseCells {
		f.level++
	}
	f.block = max(f.block, 1<<f.level)
	f.halo = fillHalo(f.level)
	f.base = fillGrid{w: cells(w, f.level), h: cells(h, f.level)}
	f.base.heights = make([]float32, f.base.w*f.base.h)
	f.base.weights = make([]float32, f.base.w*f.base.h)
	f.sums, f.counts = make([]float64, f.base.w), make([]float64, f.base.w)
	return f
}

// cells returns how many cells of a level n samples make.
func cells(n, level int) int { return (n + 1<<level - 1) >> level }

// fillHalo returns how many samples around a block its heights depend on, where
// the cells of a level are known; a multiple of their size.
func fillHalo(level int) int {
	halo, need := 0, 0 // samples; cells of level k
	for k := range level {
		if k < fillSmoothed {
			need += 2 * blockSmoothings // a smoothing has two halves
		}
		halo = max(halo, need<<k)
		need = (need+1)/2 + 1
	}
	return cells(halo, level) << level
}

// add adds row y of the raster; NaN is a void.
func (f *filler) add(y int, row []float64) {
	for x, v := range row {
		if v == v {
			f.sums[x>>f.level] += v
			f.counts[x>>f.level]++
		}
	}
	if y+1 < f.height && (y+1)%(1<<f.level) != 0 {
		return
	}
	at := y >> f.level * f.base.w
	for x, n := range f.counts {
		f.base.heights[at+x] = float32(f.sums[x] / n) // 0/0 is NaN
		f.base.weights[at+x] = float32(n / float64(int(1)<<(2*f.level)))
	}
	clear(f.sums)
	clear(f.counts)
}

// finish ends the adding: heights are numbers by scale and shift.
func (f *filler) finish(scale, shift float64) {
	for k, v := range f.base.heights {
		f.base.heights[k] = float32(float64(float64(v)/scale) + shift)
	}
	f.base.fill()
	f.base.weights, f.sums, f.counts = nil, nil, nil
}

// fill gives every cell a height.
func (g *fillGrid) fill() {
	voids := g.voids()
	if len(voids) == 0 {
		return
	}
	coarse := g.halve()
	coarse.fill()
	g.push(voids, &coarse, 0, 0)
	g.smooth(voids, baseSmoothings)
}

// voids returns the cells without a height.
func (g *fillGrid) voids() []int32 {
	var out []int32
	for k, v := range g.heights {
		if v != v {
			out = append(out, int32(k))
		}
	}
	return out
}

// halve returns the means of 2×2 cells each.
func (g *fillGrid) halve() fillGrid {
	c := fillGrid{w: (g.w + 1) / 2, h: (g.h + 1) / 2}
	c.heights, c.weights = make([]float32, c.w*c.h), make([]float32, c.w*c.h)
	for z := range c.h {
		for x := range c.w {
			var sum, weight float32
			for dz := 2 * z; dz < min(2*z+2, g.h); dz++ {
				for dx := 2 * x; dx < min(2*x+2, g.w); dx++ {
					k := dz*g.w + dx
					v, share := g.heights[k], float32(1)
					if v != v {
						continue
					}
					if g.weights != nil {
						share = g.weights[k]
					}
					sum += float32(v * share) // as it says, on every processor
					weight += share
				}
			}
			k := z*c.w + x
			c.heights[k], c.weights[k] = sum/weight, weight/4 // 0/0 is NaN
		}
	}
	return c
}

// push gives heights to the cells voids. The first cell is (x0, z0) where the
// first of the next coarser level is (0, 0).
func (g *fillGrid) push(voids []int32, coarse *fillGrid, x0, z0 int) {
	for _, k := range voids {
		g.heights[k] = coarse.blend(x0+int(k)%g.w, z0+int(k)/g.w)
	}
}

// blend returns the height at cell (x, z) of the next finer level.
func (g *fillGrid) blend(x, z int) float32 {
	x0, z0 := x/2, z/2
	x1 := min(max(x0+x%2*2-1, 0), g.w-1)
	z1 := min(max(z0+z%2*2-1, 0), g.h-1)
	a, b := g.heights[z0*g.w+x0], g.heights[z0*g.w+x1]
	c, d := g.heights[z1*g.w+x0], g.heights[z1*g.w+x1]
	near := float32(9*a) + float32(3*b)
	return (near + float32(3*c) + d) / 16
}

// smooth makes the voids follow their surroundings, times times. Every second
// cell is set by those between, so that the order does not matter.
func (g *fillGrid) smooth(voids []int32, times int) {
	var inner, rim [2][]int32 // by the parity of x + z
	for _, k := range voids {
		x, z := int(k)%g.w, int(k)/g.w
		parity := (x + z) % 2
		if x > 0 && z > 0 && x < g.w-1 && z < g.h-1 {
			inner[parity] = append(inner[parity], k)
		} else {
			rim[parity] = append(rim[parity], k)
		}
	}
	for pass := range 2 * times {
		for _, k := range inner[pass%2] {
			k := int(k)
			g.heights[k] = (g.heights[k-g.w] + g.heights[k-1] + g.heights[k+1] + g.heights[k+g.w]) / 4
		}
		for _, k := range rim[pass%2] {
			g.smoothRim(int(k))
		}
	}
}

// smoothRim smooths a cell that has fewer neighbours.
func (g *fillGrid) smoothRim(k int) {
	x, z := k%g.w, k/g.w
	var sum, n float32
	for _, c := range [4]struct {
		has bool
		at  int
	}{{z > 0, k - g.w}, {x > 0, k - 1}, {x < g.w-1, k + 1}, {z < g.h-1, k + g.w}} {
		if c.has {
			sum, n = sum+g.heights[c.at], n+1
		}
	}
	if n > 0 {
		g.heights[k] = sum / n
	}
}

// fillBlock fills the voids of the block that begins at sample (x0, z0), which
// are multiples of f.block. source returns rows around it, noHeight where they
// have voids; dst is the rows of the block.
func (f *filler) fillBlock(x0, z0 int, source func(z int) []int32, dst [][]int32) {
	left, top := max(0, x0-f.halo), max(0, z0-f.halo)
	right, bottom := min(f.width, x0+f.block+f.halo), min(f.height, z0+f.block+f.halo)
	g := fillGrid{w: right - left, h: bottom - top}
	g.heights = make([]float32, g.w*g.h)
	for z := range g.h {
		for x, s := range source(top + z)[left:right] {
			v := float32(s)
			if s == noHeight {
				v = float32(math.NaN())
			}
			g.heights[z*g.w+x] = v
		}
	}
	f.fillLevel(&g, left, top, 0)
	for z, row := range dst {
		at := (z0-top+z)*g.w - left
		for x := x0; x < min(x0+f.block, f.width); x++ {
			if row[x] == noHeight {
				row[x] = int32(math.Round(float64(g.heights[at+x])))
			}
		}
	}
}

// fillLevel fills the voids of a part of a level that begins at cell (x0, z0).
func (f *filler) fillLevel(g *fillGrid, x0, z0, level int) {
	voids := g.voids()
	if len(voids) == 0 {
		return
	}
	if level+1 == f.level {
		g.push(voids, &f.base, x0, z0)
	} else {
		coarse := g.halve()
		f.fillLevel(&coarse, x0/2, z0/2, level+1)
		g.push(voids, &coarse, 0, 0)
	}
	if level < fillSmoothed {
		g.smooth(voids, blockSmoothings)
	}
}
