package billod

import (
	"fmt"
	"math"
	"slices"

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
	share      float64 // of the thresholds
	version    uint64  // of share and thresholds
	world      *terrain.World
	radius     []float32 // of the last law
	always     []float32 // the same, where what is always there reaches everywhere
}

// NewRule returns the rule of thresholds in a world: that which keeps the bound of a
// view's law, and shows more where a threshold asks for it; or, if classic, that of the
// published tests.
func NewRule(w *terrain.World, classic bool, t Thresholds) *Rule {
	r := &Rule{classic: classic, share: 1, world: w}
	r.Set(t)
	return r
}

// Classic says whether it is the rule of the published tests.
func (r *Rule) Classic() bool { return r.classic }

// Thresholds returns those of the rule.
func (r *Rule) Thresholds() Thresholds { return r.thresholds }

// Scale makes laws by a share of the distances that thresholds ask for, from now on:
// 1, or less where a budget is tight. No refiner may be at work.
func (r *Rule) Scale(share float64) {
	if share != r.share {
		r.share = share
		r.version++
	}
}

// Near returns by how much the rule's laws reach farther than those of views.
func (r *Rule) Near() float64 { return r.share * r.thresholds.Near }

// Set changes the thresholds: for all laws that are made from now on. It panics if
// they do not pass [Thresholds.Check]. No refiner may be at work.
func (r *Rule) Set(t Thresholds) {
	if err := t.Check(); err != nil {
		panic("billod: " + err.Error())
	}
	r.thresholds, r.radius = t, nil
	r.version++
}

// reaching returns radii where what is always there reaches everywhere. A centre of
// spacing 2^j is that of a node whose depth is log2-1-j; an edge midpoint is
// there if the nodes below it are.
func (r *Rule) reaching(radius []float32) []float32 {
	if r.thresholds.MinimalDepth == 0 || len(radius) > 0 && r.radius != nil && &radius[0] == &r.always[0] {
		return radius
	}
	if r.radius == nil || !slices.Equal(r.radius, radius) {
		r.radius, r.always = slices.Clone(radius), slices.Clone(radius)
		for order := range r.always {
			depth := r.world.Layout().Log2 - (order+1)/2
			if depth <= r.thresholds.MinimalDepth {
				r.always[order] = float32(math.Inf(1))
			}
		}
	}
	return r.always
}

// Law returns what a view's law becomes by the rule.
func (r *Rule) Law(law lodcpu.Law) lodcpu.Law {
	t := &r.thresholds
	law.A += r.Near()
	if r.classic {
		law.B, law.Haze = r.share*t.Detail, 0
	} else {
		law.B = max(law.B, r.share*t.Far, r.share*t.Detail)
	}
	law.Radius = r.reaching(law.Radius)
	return law
}

// Needs returns the law whose [lodcpu.Law.Needs] says which levels a law that the
// rule has made may ask for, where no deviation is larger than the one given. An edge
// vertex is off no more than its coefficient says.
func (r *Rule) Needs(law lodcpu.Law, deviation float64) lodcpu.Law {
	if r.classic {
		law.A += r.share * r.thresholds.Far * deviation
	}
	return law
}

// Default returns thresholds for the published tests that show most of what can be
// seen of a world in a picture of about a thousand rows.
func Default(w *terrain.World) Thresholds {
	return Thresholds{Near: 16 * w.Spacing, Far: 4000 * w.Spacing, Detail: 1000, MinimalDepth: 1}
}
