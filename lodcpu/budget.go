package lodcpu

import (
	"math"
	"time"
)

// Budget bounds what a frame may take; 0 means no bound.
type Budget struct {
	Triangles int
	Indices   int
	Refine    time.Duration // CPU time
}

// Governor finds the tolerance that keeps frames within a budget: the one asked, times
// a power of the eighth root of two. It goes up at once, and down one step at a time
// when that has looked safe for some frames: so it does not waver. For the same
// counts it does the same; only with [Budget].Refine it depends on time.
//
// The zero value allows everything.
type Governor struct {
	Budget Budget

	step int // eighths of an octave above what is asked
	calm int // frames in a row that would allow one step less

	before  float64 // share of the budget that was used at the step from; 0 after a frame within it
	from    int
	useless int // the step beyond which raising did not help; 0 if none
}

// Of a governor's steps.
const (
	stepsPerOctave = 8
	mostSteps      = 24 * stepsPerOctave
	calmFrames     = 30
	// mostPower is the power of 1/tau with which triangles grow at most.
	mostPower = 2.0
	// headroom is the share of a budget that a step down may be expected to reach.
	headroom = 0.9
)

// Tau returns the tolerance in pixels to refine by where asked is wanted.
func (g *Governor) Tau(asked float64) float64 {
	return asked * math.Exp2(float64(g.step)/stepsPerOctave)
}

// Raised says whether that is more than what is asked.
func (g *Governor) Raised() bool { return g.step > 0 }

// Judge is told what a frame took. It returns true if the tolerance has been raised
// because it took too many triangles or indices: then the frame must be refined
// again. It returns false when nothing can be left out any more.
func (g *Governor) Judge(c Counts, d time.Duration) (again bool) {
	size := g.size(c)
	if size > 1 {
		return g.tryMore(size)
	}
	g.before, g.useless = 0, 0
	use := max(size, share(int(d), int(g.Budget.Refine)))
	if use > 1 {
		g.raise(use)
		return false
	}
	if g.step == 0 || use*math.Exp2(mostPower/stepsPerOctave) > headroom {
		g.calm = 0
		return false
	}
	if g.calm++; g.calm >= calmFrames {
		g.step, g.calm = g.step-1, 0
	}
	return false
}

// tryMore raises the tolerance because of the frame's size, unless that is no use: near
// the eye, as far as the steps to their parents, vertices are active by any tolerance.
func (g *Governor) tryMore(size float64) bool {
	const helps = 0.98 // an octave
	switch {
	case g.before == 0 || size <= helps*g.before:
		g.before, g.from = size, g.step
	case g.step >= g.from+stepsPerOctave:
		g.useless = g.step
	}
	if g.step >= mostSteps || g.useless > 0 && g.step >= g.useless {
		return false
	}
	g.raise(size)
	return true
}

// Exceeds says whether a frame would take too many triangles or indices.
func (g *Governor) Exceeds(c Counts) bool { return g.size(c) > 1 }

// size returns what part of the budget's counts is used.
func (g *Governor) size(c Counts) float64 {
	return max(share(c.Triangles, g.Budget.Triangles), share(c.Indices, g.Budget.Indices))
}

func (g *Governor) raise(use float64) {
	up := math.Ceil(math.Log2(use) / mostPower * stepsPerOctave)
	g.step, g.calm = min(g.step+max(int(up), 1), mostSteps), 0
}

// share returns what part of a bound is used, 0 if there is none.
func share(n, bound int) float64 {
	if bound <= 0 {
		return 0
	}
	return float64(n) / float64(bound)
}
