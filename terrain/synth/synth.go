package synth

import (
	"context"
	"fmt"
	"math"

	"github.com/vkterrain/vkterrain/terrain"
)

// Options say which world to make. The zero value works.
type Options struct {
	Width, Height int     // samples, 1025 if 0
	Spacing       float64 // metres between samples, 30 if 0
	Quantum       float64 // metres a unit of the heights, 1/16 if 0
	Seed          uint64  // any value is another world

	// Progress, if set, is called with the share done, 0 to 1 and growing, by
	// the goroutine that called Generate. It must not block for long.
	Progress func(done float64)
}

const maxSamples = 1 << 28

// withDefaults fills zero fields and rejects what cannot be made.
func (o Options) withDefaults() (Options, error) {
	if o.Width == 0 {
		o.Width = 1025
	}
	if o.Height == 0 {
		o.Height = 1025
	}
	if o.Spacing == 0 {
		o.Spacing = 30
	}
	if o.Quantum == 0 {
		o.Quantum = 1.0 / 16
	}
	switch {
	case o.Width < 2 || o.Height < 2:
		return o, fmt.Errorf("synth: %d x %d samples: need at least 2 x 2", o.Width, o.Height)
	case o.Width > maxSamples/o.Height:
		return o, fmt.Errorf("synth: %d x %d samples: more than %d", o.Width, o.Height, maxSamples)
	case !(o.Spacing >= 0.01 && o.Spacing <= 1e5):
		return o, fmt.Errorf("synth: spacing of %g m is outside 0.01 to 100000", o.Spacing)
	case !(o.Quantum >= 1e-4 && o.Quantum <= 100):
		return o, fmt.Errorf("synth: quantum of %g m is outside 0.0001 to 100", o.Quantum)
	}
	return o, nil
}

// The coarsest grid has at most coarsest cells a side; margin coarse cells
// around the map keep what happens at the rim of the simulation out of it.
const (
	coarsest = 300
	margin   = 8
)

// Generate makes a world. The same options give the same samples on every
// machine and for every number of processors. It fails for sizes outside the
// stated limits and when ctx is done.
func Generate(ctx context.Context, o Options) (*terrain.Field, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	levels := 0
	for (max(o.Width, o.Height)-1)>>levels >= coarsest {
		levels++
	}
	g := newGenerator(ctx, o, levels)
	cells := func(n int) int { return (n-2)>>levels + 2 + 2*margin }
	w, h := cells(o.Width), cells(o.Height)
	l, err := g.run(o, w, h, levels)
	if err != nil {
		return nil, err
	}
	f := crop(l, o, margin<<levels)
	if o.Progress != nil {
		o.Progress(1)
	}
	return f, nil
}

// generator runs the passes and keeps count of the work.
type generator struct {
	ctx         context.Context
	progress    func(float64)
	done, total float64
}

// steps is how often the land is eroded, level refinements above the coarsest.
// The numbers are odd: courses are found anew in every second step, first and
// last included.
func steps(level int) int {
	return [...]int{81, 15, 9, 7, 5, 3}[min(level, 5)]
}

func newGenerator(ctx context.Context, o Options, levels int) *generator {
	g := &generator{ctx: ctx, progress: o.Progress}
	for level := range levels + 1 {
		g.total += float64((steps(level) + 2) << (2 * level))
	}
	return g
}

// tick accounts for a pass at a level.
func (g *generator) tick(level int) error {
	if err := g.ctx.Err(); err != nil {
		return err
	}
	g.done += float64(int(1) << (2 * level))
	if g.progress != nil {
		g.progress(min(g.done/g.total, 1))
	}
	return nil
}

func (g *generator) run(o Options, w, h, levels int) (*land, error) {
	l := g.found(o, w, h, levels)
	for level := 0; ; level++ {
		n := steps(level)
		for i := range n {
			if level == 0 && i == n-12 {
				l.drown()
			}
			if i == n-3 && l.cell < 400 {
				l.plane(1.5e6)
			}
			l.step(0.5, i&1 == 0)
			l.diffuse(0.35)
			if err := g.tick(level); err != nil {
				return nil, err
			}
		}
		if level == levels {
			break
		}
		l = l.finer()
		l.roughen(0.4, 0.012)
		if err := g.tick(level); err != nil {
			return nil, err
		}
	}
	l.roughen(0.17, 0.003)
	l.shore()
	l.drain()
	return l, g.ctx.Err()
}

// found makes the coarsest land before any erosion.
func (g *generator) found(o Options, w, h, levels int) *land {
	cell := o.Spacing * float64(int(1)<<levels)
	sx, sz := float64(o.Width-1)*o.Spacing, float64(o.Height-1)*o.Spacing
	p := newPlan(o.Seed, sx, sz, min(o.Width, 129), min(o.Height, 129))
	l := newLand(w, h, cell, p.seed+100)
	rows(h, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			for x := range w {
				i := y*w + x
				mx, mz := float64(x-margin)*cell, float64(y-margin)*cell
				s := p.at(mx, mz)
				l.node[i] = node{uplift: float32(float64(p.relief*125) * s.uplift), soft: float32(0.2 * s.soft), talus: float32(s.talus)}
				l.sea[i] = s.inland < 0
				if l.sea[i] {
					l.z[i] = p.floor(s, mx, mz)
				} else {
					n := fbm(mx/p.unit*20, mz/p.unit*20, 5, 0.6, p.seed+50)
					l.z[i] = float64(p.relief*(float64(300*s.inland)+float64(900*s.uplift)+float64((6+float64(120*s.uplift))*(n+1)))) - s.base
				}
			}
		}
	})
	return l
}

// crop cuts the map out of its margins and counts heights in quanta.
func crop(l *land, o Options, off int) *terrain.Field {
	f := &terrain.Field{
		Width: o.Width, Height: o.Height, Spacing: o.Spacing, Quantum: o.Quantum,
		Samples: make([]int32, o.Width*o.Height),
	}
	rows(o.Height, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			row := l.z[(y+off)*l.w+off:]
			for x := range o.Width {
				f.Samples[y*o.Width+x] = int32(math.Floor(row[x]/o.Quantum + 0.5))
			}
		}
	})
	return f
}
