package progmesh

import (
	"fmt"
	"math"
)

// Source is the mesh to reduce.
type Source struct {
	Positions [][3]float32
	Normals   [][3]float32 // one a vertex, or nil
	UVs       [][2]float32 // one a vertex, or nil
	Triangles [][3]uint32  // counter-clockwise seen from their front

	// Weights protect vertices, one each or nil. A weight is added to how far the
	// surface bends, which is between 0 (flat) and 1 (folded): 0 is free, +Inf is
	// locked.
	Weights []float64
}

// MaxVertices is the most vertices, and triangles, of a source.
const MaxVertices = math.MaxInt32 / 4

// Check returns an error that says what is wrong with the source.
func (s *Source) Check() error {
	n := len(s.Positions)
	if n > MaxVertices || len(s.Triangles) > MaxVertices {
		return fmt.Errorf("%d vertices and %d triangles: at most %d of each", n, len(s.Triangles), MaxVertices)
	}
	for _, a := range []struct {
		name string
		n    int
	}{{"normals", len(s.Normals)}, {"texture coordinates", len(s.UVs)}, {"weights", len(s.Weights)}} {
		if a.n != 0 && a.n != n {
			return fmt.Errorf("%d %s for %d vertices", a.n, a.name, n)
		}
	}
	for i, p := range s.Positions {
		for _, c := range p {
			if c != c || math.IsInf(float64(c), 0) {
				return fmt.Errorf("vertex %d: its position is not finite", i)
			}
		}
	}
	for i, w := range s.Weights {
		if !(w >= 0) {
			return fmt.Errorf("vertex %d: weight of %v: must not be negative", i, w)
		}
	}
	for i, t := range s.Triangles {
		for _, v := range t {
			if int64(v) >= int64(n) {
				return fmt.Errorf("triangle %d: vertex %d of %d", i, v, n)
			}
		}
	}
	return nil
}

// Cost says what a collapse costs; the cheapest is next.
type Cost uint8

// Costs. Quadric remembers what was there at first; Melax looks at what is left.
const (
	Quadric Cost = iota
	Melax
)

func (c Cost) String() string {
	switch c {
	case Quadric:
		return "quadric"
	case Melax:
		return "melax"
	}
	return fmt.Sprintf("Cost(%d)", uint8(c))
}

// Border says what may become of vertices at open edges.
type Border uint8

// Treatments of borders. BorderKeep lets their vertices go along the border, as
// its bends allow. BorderLock keeps them all, so that what lies next to the mesh
// still fits. BorderFree is the published behaviour: the border may draw back.
const (
	BorderKeep Border = iota
	BorderLock
	BorderFree
)

func (b Border) String() string {
	switch b {
	case BorderKeep:
		return "keep"
	case BorderLock:
		return "lock"
	case BorderFree:
		return "free"
	}
	return fmt.Sprintf("Border(%d)", uint8(b))
}

// Options say how to reduce; the zero value is what most want.
type Options struct {
	Cost   Cost
	Border Border

	// AllowFlips lets triangles turn over. Meshes that are creased at random can be
	// reduced farther then.
	AllowFlips bool

	// Allow, if not nil, is asked before a collapse about the triangles that it makes, as
	// vertices of the source, the first at each place. It must not keep them. What it
	// refuses is asked again when something near it has changed.
	Allow func(triangles [][3]uint32) bool

	// Measure has the error measured at resolutions a fifth apart, which is slower but
	// much less careful than adding up what each collapse moves: see docs/progmesh.md.
	Measure bool

	// Up is a direction; triangles that face it at first do so at every resolution,
	// whatever AllowFlips says. So a terrain stays a height field, without walls.
	// The zero value is no direction.
	Up [3]float64
}
