package testworld

import (
	"slices"

	"github.com/vkterrain/vkterrain/terrain"
)

// Surface returns the heights in metres of a mesh at all samples of a world, row by row, 0
// where it has no triangle.
func Surface(w *terrain.World, vertices [][3]float64, triangles [][3]uint32) []float64 {
	h := make([]float64, w.Width*w.Height)
	for _, t := range triangles {
		var x, z, y [3]float64
		for i := range 3 {
			v := vertices[t[i]]
			x[i], y[i], z[i] = (v[0]-w.OriginX)/w.Spacing, v[1], (v[2]-w.OriginZ)/w.Spacing
		}
		area := (x[1]-x[0])*(z[2]-z[0]) - (x[2]-x[0])*(z[1]-z[0])
		if area == 0 {
			continue
		}
		for row := int(slices.Min(z[:])); row <= int(slices.Max(z[:])); row++ {
			for col := int(slices.Min(x[:])); col <= int(slices.Max(x[:])); col++ {
				cx, cz := float64(col), float64(row)
				b := ((cx-x[0])*(z[2]-z[0]) - (x[2]-x[0])*(cz-z[0])) / area
				c := ((x[1]-x[0])*(cz-z[0]) - (cx-x[0])*(z[1]-z[0])) / area
				if b >= -1e-9 && c >= -1e-9 && b+c <= 1+1e-9 {
					h[row*w.Width+col] = y[0] + b*(y[1]-y[0]) + c*(y[2]-y[0])
				}
			}
		}
	}
	return h
}
