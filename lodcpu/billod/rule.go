package billod

import (
	"fmt"
	"math"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// Thresholds are what the tests compare with. The zero value asks for nothing beyond
// a law's bound, and by the published tests for nothing at all.
type Thresholds struct {
	// Near is the distance in metres below which everything is shown.
	Near float64

	// Far is the distance in metres beyond Near at which a child is shown whose normal
	// is a right angle off its parent's, in proportion to one less the cosine.
	Far float64

	// Detail is the distance in metres at which an edge vertex is shown that is a
	// metre off the middle of its edge, in proportion.
	Detail float64

	// MinimalDepth is the depth down to which all nodes are there; the root's is 0.
	MinimalDepth int
}

// Check returns an error that says what is wrong with the thresholds.
func (t *Thresholds) Check() error {
	names := [3]string{"near threshold", "far threshold", "vertex detail"}
	for i, v := range [3]float64{t.Near, t.Far, t.Detail} {
		if !(v >= 0 && v <= math.MaxFloat32) {
			return fmt.Errorf("%s of %g m: must be 0 or more", names[i], v)
		}
	}
	if t.MinimalDepth < 0 {
		return fmt.Errorf("minimal depth of %d: must be 0 or more", t.MinimalDepth)
	}
	return nil
}

// Rule makes laws of thresholds.
type Rule struct {
	classic    bool
	thresholds Thresholds
	world      *terrain.World
	radius     []float32
}

// NewRule returns the rule of thresholds in a world: that which keeps the bound of a
// view's law, and shows more where a threshold asks for it; or, if classic, that of the
// published tests.
func NewRule(w *terrain.World, classic bool, t Thresholds) *Rule {
	r := &Rule{classic: classic, world: w}
	r.Set(t)
	return r
}

// Classic says whether it is the rule of the published tests.
func (r *Rule) Classic() bool { return r.classic }

// Thresholds returns those of the rule.
func (r *Rule) Thresholds() Thresholds { return r.thresholds }

// Set changes the thresholds: for all laws that are made from now on. It panics if
// they do not pass [Thresholds.Check]. No refiner may be at work.
func (r *Rule) Set(t Thresholds) {
	if err := t.Check(); err != nil {
		panic("billod: " + err.Error())
	}
	r.thresholds = t
	// Whatever is always there reaches everywhere. A centre of spacing 2^j is that of
	// a node whose depth is log2-1-j; an edge midpoint is there if the nodes
	// below it are.
	log2 := r.world.Layout().Log2
	r.radius = append([]float32(nil), r.world.Radius...)
	for order := range r.radius {
		depth := log2 - 1 - order/2
		if order%2 == 0 {
			depth++
		}
		if depth <= t.MinimalDepth {
			r.radius[order] = float32(math.Inf(1))
		}
	}
}

// Law returns what a view's law becomes by the rule. It is valid until the next Set.
func (r *Rule) Law(law lodcpu.Law) lodcpu.Law {
	t := &r.thresholds
	law.A += t.Near
	if r.classic {
		law.B = t.Detail
	} else {
		law.B = max(law.B, t.Far, t.Detail)
	}
	if t.MinimalDepth > 0 {
		law.Radius = r.radius
	}
	return law
}

// Needs returns the law whose [lodcpu.Law.Needs] says which levels a law that the
// rule has made may ask for, where no deviation is larger than the one given. An edge
// vertex is off no more than its coefficient says.
func (r *Rule) Needs(law lodcpu.Law, deviation float64) lodcpu.Law {
	if r.classic {
		law.A += r.thresholds.Far * deviation
	}
	return law
}

// Default returns thresholds for the published tests that show most of what can be
// seen of a world in a picture of about a thousand rows.
func Default(w *terrain.World) Thresholds {
	return Thresholds{Near: 16 * w.Spacing, Far: 4000 * w.Spacing, Detail: 1000, MinimalDepth: 1}
}
