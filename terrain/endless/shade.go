package endless

import (
	"math"

	"github.com/vkterrain/vkterrain/terrain"
)

// How far around a sample its sky and its curvature look, samples. Both depend on
// the samples around alone, so both tiles of a seam have the same.
const (
	skyReach  = 64
	bendReach = 8
)

// around are the eight directions in which the sky is looked at.
var around = [8][2]int{{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}}

// shade fills sky view and curvature of the middle tile of 3×3.
func shade(w *terrain.Window, cells int, layout *terrain.Layout, verts []terrain.Vertex) {
	for id, g := range layout.Grid {
		at := (cells+int(g.Z))*w.Columns + cells + int(g.X)
		verts[id].SkyView = sky(w, at, min(skyReach, cells))
		verts[id].Curvature = curvature(w, at, min(bendReach, cells))
	}
}

// sky returns the part of the sky that a sample sees, as package bake defines it: a
// horizon at angle a leaves cos²a of its share. It is looked for at distances of powers
// of two, so narrow obstacles may be missed.
func sky(w *terrain.Window, at, reach int) uint8 {
	h, sum := w.Samples[at], 0.0
	for _, d := range around {
		step, slope := d[1]*w.Columns+d[0], 0.0
		length := w.Spacing
		if d[0]*d[1] != 0 {
			length *= math.Sqrt2
		}
		for n := 1; n <= reach; n *= 2 {
			slope = max(slope, float64(w.Samples[at+n*step]-h)/float64(n))
		}
		slope *= w.Quantum / length
		sum += 1 / (1 + slope*slope)
	}
	return uint8(min(255, max(1, math.Round(255*sum/float64(len(around)))))) // 0 is a hole
}

// curvature returns how far a sample stands above its surroundings, at two scales; 128
// is a plane.
func curvature(w *terrain.Window, at, reach int) uint8 {
	const gain = 4
	total := 0.0
	for _, radius := range [2]int{1, reach} {
		mean := 0.0
		for _, d := range around {
			mean += float64(w.Samples[at+radius*(d[1]*w.Columns+d[0])])
		}
		above := (float64(w.Samples[at]) - mean/float64(len(around))) * w.Quantum
		total += gain * above / (float64(radius) * w.Spacing)
	}
	return uint8(128 + math.Round(127*total/(1+math.Abs(total))))
}
