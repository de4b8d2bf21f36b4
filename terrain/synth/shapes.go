package synth

import (
	"fmt"
	"math"

	"github.com/vkterrain/vkterrain/terrain"
)

// Shapes are plain fields on which one sees what a refinement does.

// Cone makes a cone on a plain: half as high as it is wide at its base, which is
// six tenths of the field's width. It is side by side samples, 8 m apart.
func Cone(side int) (*terrain.Field, error) {
	return shape(side, 8, func(x, z float64) float64 {
		r := math.Sqrt(float64(x*x) + float64(z*z))
		return max(0, 0.3-r)
	})
}

// Crater makes rolling land with a crater in its middle, whose rim is three tenths of
// the field's width across. It is side by side samples, 8 m apart.
func Crater(side int) (*terrain.Field, error) {
	const rim, depth, radius = 0.035, 0.05, 0.15 // shares of the width
	return shape(side, 8, func(x, z float64) float64 {
		t := math.Sqrt(float64(x*x)+float64(z*z)) / radius
		bowl := float64((rim+depth)*float64(t*t)) - depth
		if t > 1 {
			bowl = rim / float64(t*float64(t*t))
		}
		hills := fbm(float64(5*x)+40, float64(5*z)+40, 3, 0.4, 77)
		return bowl + float64(0.05*float64(min(1, float64(t*t))*hills))
	})
}

// shape makes a field of side by side samples. height is told places in widths of the
// field, from its middle, and returns widths.
func shape(side int, spacing float64, height func(x, z float64) float64) (*terrain.Field, error) {
	if side < 2 || side > maxSamples/side {
		return nil, fmt.Errorf("synth: a shape of %d samples a side", side)
	}
	f := &terrain.Field{Width: side, Height: side, Spacing: spacing, Quantum: 1.0 / 16, Samples: make([]int32, side*side)}
	width := float64(side-1) * spacing
	rows(side, func(z0, z1 int) {
		for z := z0; z < z1; z++ {
			for x := range side {
				h := height(float64(x)/float64(side-1)-0.5, float64(z)/float64(side-1)-0.5)
				f.Samples[z*side+x] = int32(math.Floor(float64(h*width)/f.Quantum + 0.5))
			}
		}
	})
	return f, nil
}
