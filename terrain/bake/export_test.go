package bake

// SkyView and Curvature are the analyses of a field; Directions the steps of the
// sky's 16 directions.
var (
	SkyView   = skyView
	Curvature = curvature
)

// Direction is a direction of the sky: a step in samples and its share of all.
type Direction struct {
	DX, DZ int
	Share  float64
}

// Directions returns the directions of the sky.
func Directions() []Direction {
	var all []Direction
	for _, d := range directions() {
		all = append(all, Direction{d.dx, d.dz, d.share / skyOne})
	}
	return all
}
