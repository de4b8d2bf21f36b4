package bake

import (
	"context"

	"github.com/vkterrain/vkterrain/terrain"
)

// Curvature: how far a sample stands above the mean of its surroundings, at two
// scales, relative to the size of the surroundings. 128 is a plane, more a
// ridge, less a hollow.
var scales = [2]struct {
	radius int     // of the square of samples, cells
	gain   float64 // of height above the mean, in radii of the square
}{{1, 4}, {8, 4}}

// curvature returns the curvature of all samples of f.
func curvature(ctx context.Context, f *terrain.Field, workers int) ([]uint8, error) {
	total := make([]float32, len(f.Samples))
	for _, s := range scales {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		// Sums of whole numbers, so the order of adding does not matter.
		rows := make([]int64, len(f.Samples))
		parallel(workers, func(part, parts int) {
			for z := part * f.Height / parts; z < (part+1)*f.Height/parts; z++ {
				boxRow(rows[z*f.Width:(z+1)*f.Width], f.Samples[z*f.Width:(z+1)*f.Width], s.radius)
			}
		})
		side := float64(2*s.radius + 1)
		scale := s.gain * f.Quantum / (float64(s.radius) * f.Spacing)
		parallel(workers, func(part, parts int) {
			boxColumns(f, rows, s.radius, part*f.Height/parts, (part+1)*f.Height/parts, func(at int, sum int64) {
				above := float64(f.Samples[at]) - float64(sum)/(side*side)
				total[at] += float32(above * scale)
			})
		})
	}
	out := make([]uint8, len(total))
	for i, t := range total {
		out[i] = squash(float64(t))
	}
	return out, nil
}

// squash maps all numbers to 1..255, 0 to 128.
func squash(t float64) uint8 {
	v := t / (1 + max(t, -t))
	return uint8(128.5 + float64(v*127))
}

// boxRow writes to dst the sums of the 2r+1 samples around each of src; outside
// the first and last are repeated.
func boxRow(dst []int64, src []int32, r int) {
	at := func(i int) int64 { return int64(src[min(max(i, 0), len(src)-1)]) }
	var sum int64
	for i := -r; i <= r; i++ {
		sum += at(i)
	}
	for i := range dst {
		dst[i] = sum
		sum += at(i+r+1) - at(i-r)
	}
}

// boxColumns calls do with the sums of the 2r+1 rows around each of rows z0 to
// z1.
func boxColumns(f *terrain.Field, rows []int64, r, z0, z1 int, do func(at int, sum int64)) {
	w := f.Width
	row := func(z int) []int64 {
		z = min(max(z, 0), f.Height-1)
		return rows[z*w : z*w+w]
	}
	sums := make([]int64, w)
	for z := z0 - r; z <= z0+r; z++ {
		for x, v := range row(z) {
			sums[x] += v
		}
	}
	for z := z0; z < z1; z++ {
		in, out := row(z+r+1), row(z-r)
		for x, sum := range sums {
			do(z*w+x, sum)
			sums[x] = sum + in[x] - out[x]
		}
	}
}
