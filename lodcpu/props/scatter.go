package props

import (
	"errors"
	"fmt"
	"math"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/query"
)

// Instance is a model that stands somewhere.
type Instance struct {
	Position [3]float64 // of its foot, world metres
	Yaw      float32    // radians about Y, counter-clockwise seen from above
	Scale    float32
	Model    int32

	// For who draws it: the share of the sky that is open there, of which a Scatter says
	// that it is 1, and the normal of the ground, as [terrain.EncodeNormal] has it.
	Sky    float32
	Normal [2]uint8
}

// Layer is one kind of things.
type Layer struct {
	Models  []int   // places in the list of models; each as likely as the others
	Spacing float64 // metres between places where one may be

	// Density says how likely there is one at a place, from 0 to 1; nil is 1 everywhere.
	// It must always say the same of the same place, and be callable by all who ask for
	// tiles. See [Map].
	Density func(x, z float64) float64

	// Suits says the same of a place and the ground there; both count. nil is 1.
	Suits func(x, z float64, g query.Ground) float64

	MinSlope, MaxSlope   float64 // metres of rise a metre; a MaxSlope of 0 is no limit
	MinHeight, MaxHeight float64 // metres; both 0 is no limit
	MinScale, MaxScale   float64 // both 0 is 1
	Sink                 float64 // metres, at scale 1, that it stands lower, and as many again for each metre of rise a metre
}

// Ground says where the ground is, as [query.Sampler] does.
type Ground interface {
	At(x, z float64) (query.Ground, error)
}

// Scatter is what stands on a world. It does not change while it is asked.
type Scatter struct {
	World  *terrain.World
	Ground Ground
	Seed   uint64
	Layers []Layer
}

// Check returns an error that says what is wrong with the layers; models is how many
// there are.
func (s *Scatter) Check(models int) error {
	for i := range s.Layers {
		if err := s.Layers[i].check(models); err != nil {
			return fmt.Errorf("layer %d: %w", i, err)
		}
	}
	return nil
}

// mostScale bounds scales, and mostSink how deep things stand: far above what makes
// sense, and far below what a float32 holds.
const (
	mostScale = 1e6
	mostSink  = 1e6
)

func (l *Layer) check(models int) error {
	switch {
	case !(l.Spacing > 0) || math.IsInf(l.Spacing, 0):
		return fmt.Errorf("a spacing of %v m: must be above 0", l.Spacing)
	case len(l.Models) == 0:
		return errors.New("no models")
	case !(l.MinScale >= 0 && l.MinScale <= l.MaxScale && l.MaxScale <= mostScale):
		return fmt.Errorf("scales of %v to %v: must be 0 to %v", l.MinScale, l.MaxScale, mostScale)
	case !(math.Abs(l.Sink) <= mostSink):
		return fmt.Errorf("a sink of %v m: must be at most %v", l.Sink, mostSink)
	case !(l.MaxSlope >= 0) || math.IsNaN(l.MinSlope) || l.MaxSlope > 0 && l.MinSlope > l.MaxSlope:
		return fmt.Errorf("slopes of %v to %v", l.MinSlope, l.MaxSlope)
	case !(l.MinHeight <= l.MaxHeight):
		return fmt.Errorf("heights of %v to %v m", l.MinHeight, l.MaxHeight)
	}
	for _, m := range l.Models {
		if m < 0 || m >= models {
			return fmt.Errorf("model %d of %d", m, models)
		}
	}
	return nil
}

// Tile appends the instances of a tile to dst. The error is the ground's.
func (s *Scatter) Tile(dst []Instance, k terrain.Key) ([]Instance, error) {
	x, z := int64(k.X), int64(k.Y)
	return s.Box(dst, s.side(x, s.World.OriginX), s.side(z, s.World.OriginZ), s.side(x+1, s.World.OriginX), s.side(z+1, s.World.OriginZ))
}

// Box appends the instances of a rectangle, world metres, to dst. Its west and north
// sides belong to it. The error is the ground's.
func (s *Scatter) Box(dst []Instance, west, north, east, south float64) ([]Instance, error) {
	for i := range s.Layers {
		l := &s.Layers[i]
		x1, z1 := cell(east, s.World.OriginX, l.Spacing), cell(south, s.World.OriginZ, l.Spacing)
		for z := cell(north, s.World.OriginZ, l.Spacing); z <= z1; z++ {
			for x := cell(west, s.World.OriginX, l.Spacing); x <= x1; x++ {
				d := dice(s.Seed, uint64(i), uint64(x), uint64(z))
				px := s.World.OriginX + (float64(x)+d.next())*l.Spacing
				pz := s.World.OriginZ + (float64(z)+d.next())*l.Spacing
				if px < west || px >= east || pz < north || pz >= south {
					continue // of another rectangle
				}
				instance, ok, err := s.place(l, px, pz, &d)
				if err != nil {
					return dst, err
				}
				if ok {
					dst = append(dst, instance)
				}
			}
		}
	}
	return dst, nil
}

// side returns where the tiles of a column, or row, begin.
func (s *Scatter) side(index int64, origin float64) float64 {
	return origin + float64(index*int64(s.World.TileSize-1))*s.World.Spacing
}

func cell(v, origin, spacing float64) int64 { return int64(math.Floor((v - origin) / spacing)) }

// place puts an instance at a place, if there is to be one.
func (s *Scatter) place(l *Layer, x, z float64, d *die) (Instance, bool, error) {
	chance, model, scale, yaw := d.next(), d.next(), d.next(), d.next()
	if l.Density != nil && chance >= l.Density(x, z) { // without asking for the ground
		return Instance{}, false, nil
	}
	g, err := s.Ground.At(x, z)
	if err != nil || !g.OK {
		return Instance{}, false, err
	}
	slope := math.Hypot(g.Normal[0], g.Normal[2]) / g.Normal[1]
	if slope < l.MinSlope || l.MaxSlope > 0 && slope > l.MaxSlope ||
		(l.MinHeight != 0 || l.MaxHeight != 0) && (g.Height < l.MinHeight || g.Height > l.MaxHeight) {
		return Instance{}, false, nil
	}
	if l.Suits != nil {
		density := l.Suits(x, z, g)
		if l.Density != nil {
			density *= l.Density(x, z)
		}
		if chance >= density {
			return Instance{}, false, nil
		}
	}
	size := 1.0
	if l.MaxScale > 0 {
		size = l.MinScale + (l.MaxScale-l.MinScale)*scale
	}
	return Instance{
		Position: [3]float64{x, g.Height - l.Sink*size*(1+slope), z},
		Yaw:      float32(2 * math.Pi * yaw), Scale: float32(size), Sky: 1,
		Normal: terrain.EncodeNormal(g.Normal[0], g.Normal[1], g.Normal[2]),
		Model:  int32(l.Models[min(int(model*float64(len(l.Models))), len(l.Models)-1)]),
	}, true, nil
}

// die gives numbers that follow from where it is thrown alone: splitmix64 (Steele, Lea
// and Flood, "Fast splittable pseudorandom number generators", 2014).
type die uint64

func dice(words ...uint64) (d die) {
	for _, w := range words {
		d = die(mixed(uint64(d)+0x9e3779b97f4a7c15) ^ w)
	}
	return d
}

func mixed(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// next returns a number from 0 up to 1.
func (d *die) next() float64 {
	*d += 0x9e3779b97f4a7c15
	return float64(mixed(uint64(*d))>>11) / (1 << 53)
}

// Map is a density map: rows of values from 0 to 1 over a part of the world, the north
// one first.
type Map struct {
	Width, Height            int
	Values                   []float32
	West, North, East, South float64 // metres: where its outermost values lie
}

// At returns the value at a place, between those around it; beyond the map it is 0.
func (m *Map) At(x, z float64) float64 {
	u := (x - m.West) / (m.East - m.West) * float64(m.Width-1)
	v := (z - m.North) / (m.South - m.North) * float64(m.Height-1)
	if !(u >= 0 && v >= 0 && u <= float64(m.Width-1) && v <= float64(m.Height-1)) {
		return 0
	}
	i, k := min(int(u), max(m.Width-2, 0)), min(int(v), max(m.Height-2, 0))
	u, v = u-float64(i), v-float64(k)
	at := func(i, k int) float64 {
		return float64(m.Values[min(k, m.Height-1)*m.Width+min(i, m.Width-1)])
	}
	return (at(i, k)*(1-u)+at(i+1, k)*u)*(1-v) + (at(i, k+1)*(1-u)+at(i+1, k+1)*u)*v
}
