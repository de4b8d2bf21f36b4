package raster

import "math"

// Voids says what becomes of samples without a height.
type Voids string

const (
	// VoidsReport refuses to load a raster with voids, and counts them.
	VoidsReport Voids = ""
	// VoidsFill fills them from their surroundings; no other sample changes.
	//
	// First every void gets a height out of averages of growing blocks: that
	// of the smallest blocks of 2^k samples that hold any height, blended
	// between neighbouring blocks. Then the voids are smoothed: each becomes
	// the mean of its four neighbours, 64 times, which takes the blocks away
	// and meets the rims. Heights so made lie between those that were there.
	// The same raster gives the same heights.
	VoidsFill Voids = "fill"
	// VoidsHole keeps them as holes, see [terrain.Field.Void]. The heights under
	// them are those of VoidsFill.
	VoidsHole Voids = "hole"
)

// smoothings is how often voids become the mean of their neighbours.
const smoothings = 64

// filler fills the voids of a grid.
type filler struct {
	w, h    int
	heights []float32
	weights []float32 // the share of a block that has a height; nil is 1 or NaN
}

// fillVoids fills the voids among the samples of w×h; one at least is none.
func fillVoids(samples []int32, w, h int) {
	f := &filler{w: w, h: h, heights: make([]float32, len(samples))}
	var holes []int32
	for k, s := range samples {
		f.heights[k] = float32(s)
		if s == noHeight {
			f.heights[k] = float32(math.NaN())
			holes = append(holes, int32(k))
		}
	}
	f.fill()
	f.smooth(holes)
	for _, k := range holes {
		samples[k] = int32(math.Round(float64(f.heights[k])))
	}
}

// fill gives every NaN a height.
func (f *filler) fill() {
	coarse := f.halve()
	if coarse.incomplete() {
		coarse.fill()
	}
	for z := range f.h {
		for x := range f.w {
			if v := &f.heights[z*f.w+x]; *v != *v {
				*v = coarse.blend(x, z)
			}
		}
	}
}

func (f *filler) incomplete() bool {
	for _, v := range f.heights {
		if v != v {
			return true
		}
	}
	return false
}

// halve returns the means of blocks of 2×2.
func (f *filler) halve() *filler {
	c := &filler{w: (f.w + 1) / 2, h: (f.h + 1) / 2}
	c.heights, c.weights = make([]float32, c.w*c.h), make([]float32, c.w*c.h)
	for z := range c.h {
		for x := range c.w {
			var sum, weight float32
			for dz := 2 * z; dz < min(2*z+2, f.h); dz++ {
				for dx := 2 * x; dx < min(2*x+2, f.w); dx++ {
					k := dz*f.w + dx
					v, share := f.heights[k], float32(1)
					if v != v {
						continue
					}
					if f.weights != nil {
						share = f.weights[k]
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

// blend returns the height at sample (x, z) of the next finer grid.
func (f *filler) blend(x, z int) float32 {
	x0, z0 := x/2, z/2
	x1 := min(max(x0+x%2*2-1, 0), f.w-1)
	z1 := min(max(z0+z%2*2-1, 0), f.h-1)
	a, b := f.heights[z0*f.w+x0], f.heights[z0*f.w+x1]
	c, d := f.heights[z1*f.w+x0], f.heights[z1*f.w+x1]
	near := float32(9*a) + float32(3*b)
	return (near + float32(3*c) + d) / 16
}

// smooth makes the holes follow their surroundings. Every second sample is set
// by those between, so that the order does not matter.
func (f *filler) smooth(holes []int32) {
	for pass := range 2 * smoothings {
		for _, k := range holes {
			x, z := int(k)%f.w, int(k)/f.w
			if (x+z+pass)%2 != 0 {
				continue
			}
			var sum float32
			n := 0
			for _, d := range [4][2]int{{0, -1}, {-1, 0}, {1, 0}, {0, 1}} {
				if nx, nz := x+d[0], z+d[1]; nx >= 0 && nx < f.w && nz >= 0 && nz < f.h {
					sum += f.heights[nz*f.w+nx]
					n++
				}
			}
			f.heights[k] = sum / float32(n)
		}
	}
}
