package bake

import "github.com/vkterrain/vkterrain/terrain"

// Curvature: how far a sample stands above the mean of its surroundings, at two
// scales, relative to the size of the surroundings. 128 is a plane, more a
// ridge, less a hollow.
var scales = [2]struct {
	radius int     // of the square of samples, cells
	gain   float64 // of height above the mean, in radii of the square
}{{1, 4}, {8, 4}}

// curvatureReach is how far around a sample its curvature looks, samples.
const curvatureReach = 8

// bends computes curvature. It is for one goroutine.
type bends struct {
	rows  []int64 // sums along rows, of all rows that the squares meet
	sums  []int64 // of one row of squares
	total []float32
}

// bend fills out with the curvature of the samples of r. Samples outside the
// field are those of its rim. Sums are of whole numbers, so the order of adding
// does not matter.
func (b *bends) bend(w *terrain.Window, r rect, out []uint8) {
	b.total = resized(b.total, r.size())
	clear(b.total)
	for _, s := range scales {
		b.add(w, r, s.radius, s.gain*w.Quantum/(float64(s.radius)*w.Spacing))
	}
	for i, t := range b.total {
		out[i] = squash(float64(t))
	}
}

// add adds how far the samples stand above squares of one radius.
func (b *bends) add(w *terrain.Window, r rect, radius int, scale float64) {
	n, height := r.width(), r.z1-r.z0
	b.rows, b.sums = resized(b.rows, n*(height+2*radius)), resized(b.sums, n)
	clear(b.sums)
	for i := range height + 2*radius {
		row := b.rows[i*n : (i+1)*n]
		boxRow(w, r.x0, min(max(r.z0-radius+i, 0), w.Height-1), radius, row)
		if i <= 2*radius {
			for x, v := range row {
				b.sums[x] += v
			}
		}
	}
	side := float64(2*radius + 1)
	for i := range height {
		samples := w.Samples[(r.z0+i-w.Z)*w.Columns+r.x0-w.X:][:n]
		total := b.total[i*n:][:n]
		for x, sum := range b.sums {
			above := float64(samples[x]) - float64(sum)/(side*side)
			total[x] += float32(above * scale)
		}
		if i+1 == height {
			break
		}
		out, in := b.rows[i*n:][:n], b.rows[(i+2*radius+1)*n:][:n]
		for x := range b.sums {
			b.sums[x] += in[x] - out[x]
		}
	}
}

// squash maps all numbers to 1..255, 0 to 128.
func squash(t float64) uint8 {
	v := t / (1 + max(t, -t))
	return uint8(128.5 + float64(v*127))
}

// boxRow writes to dst the sums of the 2·radius+1 samples around those of row z
// from x0 on.
func boxRow(w *terrain.Window, x0, z, radius int, dst []int64) {
	row := w.Samples[(z-w.Z)*w.Columns:][:w.Columns]
	at := func(x int) int64 { return int64(row[min(max(x, 0), w.Width-1)-w.X]) }
	var sum int64
	for i := -radius; i <= radius; i++ {
		sum += at(x0 + i)
	}
	for i := range dst {
		dst[i] = sum
		if i+1 < len(dst) {
			sum += at(x0+i+radius+1) - at(x0+i-radius)
		}
	}
}
