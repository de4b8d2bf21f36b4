package props

import (
	"math"

	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
	"github.com/vkterrain/vkterrain/terrain/query"
)

// Nature returns generated rocks and conifers and the layers that scatter them: woods
// where the ground is drawn as wood, see [Wood], and rocks where it is steep. The same
// seed is the same. It takes a fraction of a second.
func Nature(seed uint64) (models []*Model, layers []Layer, err error) {
	var sources []*progmesh.Source
	for i := range uint64(4) {
		sources = append(sources, Conifer(4*seed+i))
	}
	for i := range uint64(4) {
		sources = append(sources, Rock(4*seed+i, 3))
	}
	for _, s := range sources {
		m, err := NewModel(s, progmesh.Options{})
		if err != nil {
			return nil, nil, err
		}
		models = append(models, m)
	}
	// Each layer has a list of its own, for callers who put other models before these.
	trees, rocks := func() []int { return []int{0, 1, 2, 3} }, func() []int { return []int{4, 5, 6, 7} }
	return models, []Layer{
		{Models: trees(), Spacing: 7.5, Suits: Wood, MinScale: 0.7, MaxScale: 1.7, Sink: 0.3},
		{Models: trees(), Spacing: 60, Suits: alone, MinScale: 0.5, MaxScale: 1.3, Sink: 0.3},
		{Models: rocks(), Spacing: 11, Suits: rubble, MinScale: 0.25, MaxScale: 0.8, MaxSlope: 1.3, MinHeight: 2, MaxHeight: 1e4},
		{Models: rocks(), Spacing: 45, Suits: rubble, MinScale: 0.9, MaxScale: 2.6, MaxSlope: 1.1, MinHeight: 2, MaxHeight: 1e4},
	}, nil
}

// Wood returns how much of the ground at a place is drawn as wood, from 0 to 1, as
// shaders/ground.glsl does it, but for what depends on curvature and on the eye.
func Wood(x, z float64, g query.Ground) float64 {
	n0, n1, n2 := noise(x, z, 2048), noise(x, z, 256), noise(x, z, 32)
	slope := 1 - g.Normal[1]
	patchy := n0*0.4 + n1*0.35 + n2*0.25
	treeLine := 1500 + 350*(n0-0.5) + 250*(n1-0.5)
	return smoothstep(0.44, 0.56, patchy+0.1*smoothstep(0, 0.12, slope)) *
		smoothstep(treeLine+120, treeLine-160, g.Height) *
		smoothstep(0.34, 0.22, slope) * smoothstep(6, 30, g.Height)
}

// alone returns how likely there is a tree outside the woods.
func alone(x, z float64, g query.Ground) float64 {
	n0 := noise(x, z, 2048)
	return 0.5 * smoothstep(1700, 1200, g.Height+300*n0) * smoothstep(0.3, 0.15, 1-g.Normal[1]) * smoothstep(6, 30, g.Height)
}

// rubble returns how likely there is a rock: in heaps, more where it is steep and high,
// and few in woods.
func rubble(x, z float64, g query.Ground) float64 {
	heaps := smoothstep(0.45, 0.85, 0.5*noise(x, z, 256)+0.5*noise(x, z, 32))
	bare := max(smoothstep(0.04, 0.16, 1-g.Normal[1]), smoothstep(900, 1700, g.Height))
	return (0.05 + 0.95*heaps*bare) * (1 - 0.7*Wood(x, z, g))
}

// noisePeriod is that of the ground's noise in metres, as in shaders/ground.glsl.
const noisePeriod = 65536

// noise is the value noise of shaders/ground.glsl, with cells of so many metres.
func noise(x, z, cell float64) float64 {
	x, z = (x-noisePeriod*math.Floor(x/noisePeriod))/cell, (z-noisePeriod*math.Floor(z/noisePeriod))/cell
	i, k := math.Floor(x), math.Floor(z)
	u, v := fade(x-i), fade(z-k)
	mask := int32(noisePeriod/cell) - 1
	at := func(di, dk int32) float64 { return lattice(uint32((int32(i)+di)&mask), uint32((int32(k)+dk)&mask)) }
	a, b, c, d := at(0, 0), at(1, 0), at(0, 1), at(1, 1)
	return a + (b-a)*u + (c-a)*v + (a-b-c+d)*u*v
}

func fade(t float64) float64 { return t * t * t * (t*(t*6-15) + 10) }

// lattice hashes a place: pcg2d of Jarzynski and Olano, "Hash Functions for GPU
// Rendering", JCGT 9(3), 2020.
func lattice(x, y uint32) float64 {
	x, y = x*1664525+1013904223, y*1664525+1013904223
	x += y * 1664525
	y += x * 1664525
	x, y = x^x>>16, y^y>>16
	x += y * 1664525
	return float64((x^x>>16)&0xffff) / 65535
}

// smoothstep is GLSL's; from may be above to.
func smoothstep(from, to, v float64) float64 {
	t := min(max((v-from)/(to-from), 0), 1)
	return t * t * (3 - 2*t)
}
