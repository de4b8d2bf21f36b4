package lodcpu

import "github.com/vkterrain/vkterrain/terrain"

// Topology is how indices form triangles.
type Topology uint8

const (
	// Strip is one generalised triangle strip a tile: an index repeated two
	// places later swaps the winding through a degenerate triangle.
	Strip Topology = iota
	// List is three indices a triangle.
	List
)

func (t Topology) String() string { return [...]string{"strip", "list"}[t] }

// Counts says what a refinement wrote.
type Counts struct {
	Indices     int // written
	Triangles   int // drawn, of some area
	Degenerates int // of no area: swaps of a strip, and padding
}

// Add adds d to c.
func (c *Counts) Add(d Counts) {
	c.Indices += d.Indices
	c.Triangles += d.Triangles
	c.Degenerates += d.Degenerates
}

// Refiner is one algorithm. It keeps scratch memory: use one per goroutine.
type Refiner = RefinerOf[uint32]

// RefinerOf is a refiner that writes indices of some size, see [Narrow].
type RefinerOf[I Index] interface {
	// MaxIndices bounds what Refine writes for a tile loaded to level.
	MaxIndices(level terrain.Level) int

	// Refine writes the indices of t under law into dst, which it never reads.
	// If dst is too short ok is false and the contents of dst are undefined.
	// It does not allocate.
	Refine(dst []I, t *terrain.Tile, near *Neighbourhood, law *Law) (c Counts, ok bool)
}

// Triangles calls yield with each triangle of some index extent, wound as drawn.
func Triangles(topology Topology, indices []uint32, yield func(a, b, c uint32)) {
	if topology == List {
		for ; len(indices) >= 3; indices = indices[3:] {
			yield(indices[0], indices[1], indices[2])
		}
		return
	}
	if len(indices) < 3 {
		return
	}
	p, q := indices[0], indices[1]
	for i, c := range indices[2:] {
		a, b := p, q
		p, q = q, c
		if a == b || b == c || c == a {
			continue
		}
		if i%2 == 1 {
			a, b = b, a
		}
		yield(a, b, c)
	}
}
