package ogre

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/vkterrain/vkterrain/terrain"
)

// Origin returns where the terrain is in the world of package terrain: x and z of
// its north-west sample and the height that all heights are above. A terrain that
// is not X_Z is laid flat by a turn: its columns run east, its rows north.
func (i *Info) Origin() (x, z, up float64) {
	east, north, h := i.Align.terrain(i.Pos)
	half := float64(i.WorldSize) / 2
	return float64(east) - half, -float64(north) - half, float64(h)
}

// SetOrigin sets Pos so that [Info.Origin] returns x, z and up, as nearly as its
// 32 bits allow.
func (i *Info) SetOrigin(x, z, up float64) {
	half := float64(i.WorldSize) / 2
	i.Pos = i.Align.world(float32(x+half), float32(-(z + half)), float32(up))
}

// Quantum returns a height unit in metres that suits the heights: the largest
// power of two, at most 1 m, of which all of them are multiples, or, where that
// would give more than 2^16 units from the lowest to the highest, the smallest
// that does not. It is an error if a height is no number.
func (t *Terrain) Quantum() (float64, error) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, h := range t.Heights {
		v := float64(h)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, fmt.Errorf("height %v at column %d, row %d", h, i%t.Size, i/t.Size)
		}
		lo, hi = min(lo, v), max(hi, v)
	}
	// A float32 must hold the number of units exactly.
	least := max((hi-lo)/math.MaxUint16, max(-lo, hi)/(1<<24), 1e-6)
	q := 1.0
	for q < least {
		q *= 2
	}
	for q/2 >= least && !multiples(t.Heights, q) {
		q /= 2
	}
	return q, nil
}

func multiples(heights []float32, q float64) bool {
	for _, h := range heights {
		if v := float64(h) / q; v != math.Trunc(v) {
			return false
		}
	}
	return true
}

// Field converts the heights to a field with a height unit of quantum metres, or
// what [Terrain.Quantum] chooses if that is 0, north row first. maxError is how
// many metres rounding has moved a height at most.
func (t *Terrain) Field(quantum float64) (f *terrain.Field, maxError float64, err error) {
	auto, err := t.Quantum()
	if err != nil {
		return nil, 0, err
	}
	if quantum == 0 {
		quantum = auto
	}
	if !(quantum > 0) || math.IsInf(quantum, 0) {
		return nil, 0, fmt.Errorf("height unit of %v m: must be above 0", quantum)
	}
	n := t.Size
	f = &terrain.Field{Width: n, Height: n, Spacing: t.Spacing(), Quantum: quantum, Samples: make([]int32, n*n)}
	for z := range n {
		row := t.Heights[(n-1-z)*n:][:n]
		for x, h := range row {
			q := math.RoundToEven(float64(h) / quantum)
			if math.Abs(q) > math.MaxInt32 {
				return nil, 0, fmt.Errorf("height %v is more than 2^31 units of %v m", h, quantum)
			}
			f.Samples[z*n+x] = int32(q)
			maxError = max(maxError, math.Abs(q*quantum-float64(h)))
		}
	}
	return f, maxError, nil
}

// Options say what a field does not. The zero value works.
type Options struct {
	Align              Align
	Pos                [3]float32 // centre of the terrain in OGRE's world
	MaxBatch, MinBatch int        // 0 means OGRE's 65 and 17, or what a smaller terrain allows

	// Declaration without samplers means [DefaultDeclaration].
	Declaration Declaration
	Layers      []Layer
	BlendSize   int // 0 means 16 up to one layer, else OGRE's 1024; weights are 0

	Pad       bool // takes any size and continues the last column and row
	NormalMap bool // adds one
}

// FromField makes a terrain of a field, whose heights it has as the nearest
// float32, with the deltas and the quadtree that
// OGRE would make. OGRE's terrains are square and 2^k+1 samples a side; it is an
// error if f is not, unless o.Pad.
func FromField(f *terrain.Field, o Options) (*Terrain, error) {
	if f.Width < 1 || f.Height < 1 {
		return nil, fmt.Errorf("%d×%d samples: no terrain", f.Width, f.Height)
	}
	side := max(f.Width, f.Height)
	size := 1<<bits.Len(uint(max(side, 2)-2)) + 1
	if !o.Pad && (f.Width != f.Height || f.Width != size) {
		return nil, fmt.Errorf("%d×%d samples; OGRE's terrains are square with 2^k+1 samples a side, %d next", f.Width, f.Height, size)
	}
	t := &Terrain{Info: Info{
		Align: o.Align, Size: size, WorldSize: float32(f.Spacing * float64(size-1)),
		MaxBatch: o.MaxBatch, MinBatch: o.MinBatch, Pos: o.Pos,
	}}
	if t.MaxBatch == 0 {
		t.MaxBatch = min(65, size)
	}
	if t.MinBatch == 0 {
		t.MinBatch = min(17, t.MaxBatch)
	}
	if msg := t.Info.check(); msg != "" {
		return nil, fmt.Errorf("no OGRE terrain: %s", msg)
	}
	if size > MaxSize {
		return nil, fmt.Errorf("size %d is above the limit of %d", size, MaxSize)
	}
	t.setTail(&o)
	t.Heights = make([]float32, size*size)
	for y := range size {
		for x := range size {
			t.Heights[y*size+x] = float32(float64(f.At(x, size-1-y)) * f.Quantum)
		}
	}
	t.Derive()
	if o.NormalMap {
		t.Maps = append(t.Maps, t.NormalMap())
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *Terrain) setTail(o *Options) {
	t.Declaration, t.Layers, t.BlendSize = o.Declaration, o.Layers, o.BlendSize
	if len(t.Declaration.Samplers) == 0 {
		t.Declaration = DefaultDeclaration()
	}
	if t.BlendSize == 0 {
		t.BlendSize = 16
		if len(t.Layers) > 1 {
			t.BlendSize = 1024
		}
	}
	for range blendMaps(len(t.Layers)) {
		t.Blends = append(t.Blends, make([]byte, 4*t.BlendSize*t.BlendSize))
	}
}
