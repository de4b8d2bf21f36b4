package bake

import (
	"context"
	"math"
	"sync"

	"github.com/vkterrain/vkterrain/terrain"
)

// Sky view: the part of the sky that a horizontal surface at a sample sees,
// weighted by the cosine of its incidence. A direction whose horizon stands at
// angle a hides sin²a of its share and leaves cos²a.
//
// The horizon is exact along 16 directions that pass through samples, and
// reaches as far as the field does. Every line of a direction is walked once
// with the upper hull of what lies behind on a stack: the horizon of the next
// sample is the hull point it is tangent to, so a sample costs constant time
// however far it looks. This is the sweep of Timonen and Westerholm, "Scalable
// Height Field Self-Shadowing", Computer Graphics Forum 29(2), 2010.

// direction is one way to walk lines and the share of the sky behind the walker.
type direction struct {
	dx, dz int
	share  float64 // of skyOne
}

// skyOne is all of the sky in the accumulator.
const skyOne = 255 * 128

// directions are the 16 of a chess queen and knight. The share of one is half
// the angle between its two neighbours.
func directions() []direction {
	knight := math.Atan2(1, 2)
	axis, diagonal := knight, math.Pi/4-knight
	var d []direction
	for dz := -2; dz <= 2; dz++ {
		for dx := -2; dx <= 2; dx++ {
			angle := 0.0
			switch a, b := abs(dx), abs(dz); {
			case a+b == 1:
				angle = axis
			case a == 1 && b == 1:
				angle = diagonal
			case a+b == 3:
				angle = (axis + diagonal) / 2
			default:
				continue
			}
			// Rounded to a whole number, so that no last bit of atan matters.
			d = append(d, direction{dx, dz, math.Round(angle / (2 * math.Pi) * skyOne)})
		}
	}
	return d
}

func abs(v int) int { return max(v, -v) }

// skyView returns the sky view of all samples of f.
func skyView(ctx context.Context, f *terrain.Field, workers int) ([]uint8, error) {
	sum := make([]uint16, len(f.Samples))
	for _, d := range directions() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		starts := lineStarts(f, d)
		parallel(workers, func(part, parts int) {
			s := newSweep(f, d)
			for i := part * len(starts) / parts; i < (part+1)*len(starts)/parts; i++ {
				s.line(starts[i][0], starts[i][1], sum)
			}
		})
	}
	sky := make([]uint8, len(sum))
	for i, v := range sum {
		sky[i] = uint8(min(255, (v+64)/128))
	}
	return sky, nil
}

// parallel runs do for parts 0..workers-1 and waits.
func parallel(workers int, do func(part, parts int)) {
	var wg sync.WaitGroup
	for part := range workers {
		wg.Go(func() { do(part, workers) })
	}
	wg.Wait()
}

// lineStarts returns the samples whose predecessor in direction d is outside.
func lineStarts(f *terrain.Field, d direction) [][2]int {
	var starts [][2]int
	for z := range f.Height {
		edgeRow := z-d.dz < 0 || z-d.dz >= f.Height
		for x := range f.Width {
			if edgeRow || x-d.dx < 0 || x-d.dx >= f.Width {
				starts = append(starts, [2]int{x, z})
			} else if x >= abs(d.dx) && x < f.Width-abs(d.dx) {
				x = f.Width - abs(d.dx) - 1 // nothing starts in between
			}
		}
	}
	return starts
}

// point is a sample of the line: how many steps along and how high.
type point struct{ at, height int64 }

// sweep walks the lines of one direction.
type sweep struct {
	f     *terrain.Field
	d     direction
	slope float64 // quanta a step to rise over run
	hull  []point
}

func newSweep(f *terrain.Field, d direction) *sweep {
	length := math.Sqrt(float64(d.dx*d.dx+d.dz*d.dz)) * f.Spacing
	return &sweep{f: f, d: d, slope: f.Quantum / length}
}

// line walks the line from sample (x, z) on and adds what each sample sees of
// the sky behind it.
func (s *sweep) line(x, z int, sum []uint16) {
	f, hull := s.f, s.hull[:0]
	steps := min(stepsInside(x, s.d.dx, f.Width), stepsInside(z, s.d.dz, f.Height))
	at, stride := z*f.Width+x, s.d.dz*f.Width+s.d.dx
	for i := range int64(steps) {
		p := point{i, int64(f.Samples[at])}
		// Drop hull points below the line from p to the one before them.
		for len(hull) >= 2 {
			a, b := hull[len(hull)-2], hull[len(hull)-1]
			if (a.height-p.height)*(p.at-b.at) < (b.height-p.height)*(p.at-a.at) {
				break
			}
			hull = hull[:len(hull)-1]
		}
		sky := s.d.share
		if n := len(hull); n > 0 && hull[n-1].height > p.height {
			t := float64(hull[n-1].height-p.height) * s.slope / float64(p.at-hull[n-1].at)
			sky = s.d.share / (1 + float64(t*t))
		}
		sum[at] += uint16(sky + 0.5)
		hull = append(hull, p)
		at += stride
	}
	s.hull = hull
}

// stepsInside returns how many positions v, v+d, v+2d... lie in 0..n-1.
func stepsInside(v, d, n int) int {
	switch {
	case d > 0:
		return (n-1-v)/d + 1
	case d < 0:
		return v/-d + 1
	}
	return math.MaxInt
}
