package bake

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// bands makes the tiles of a world a band of tile rows at a time.
type bands struct {
	*baker
	slab    *slab
	workers []*worker

	errs map[[2]int][]float32 // of the coefficients, by tile
	free [][]float32
}

func newBands(b *baker) *bands {
	s := &bands{baker: b, slab: newSlab(b.src), errs: map[[2]int][]float32{}}
	for range b.plan.workers {
		s.workers = append(s.workers, newWorker(b))
	}
	return s
}

// samplesOf returns the samples of tiles x0,y0 to x1,y1.
func (b *baker) samplesOf(x0, y0, x1, y1 int) rect {
	return rect{x0 * b.cells, y0 * b.cells, min(x1*b.cells+1, b.src.Width), min(y1*b.cells+1, b.src.Height)}
}

// around returns what the tiles of r depend on.
func (b *baker) around(r rect) rect { return r.grow(reach(b.cells), b.src.Width, b.src.Height) }

// band makes the tiles of rows y0 to y1, in row-major order.
func (s *bands) band(ctx context.Context, y0, y1 int, done func(tiles int)) ([]*chunkfile.Encoded, error) {
	out := make([]*chunkfile.Encoded, (y1-y0)*s.nx)
	for x0 := 0; x0 < s.nx; x0 += s.plan.columns {
		x1 := min(x0+s.plan.columns, s.nx)
		if err := s.slab.load(s.around(s.samplesOf(x0, y0, x1, y1))); err != nil {
			return nil, err
		}
		if s.plan.columns == s.nx && y1 < s.ny {
			s.slab.begin(s.around(s.samplesOf(0, y1, s.nx, min(y1+s.plan.rows, s.ny))))
		}
		if err := s.errors(ctx, rect{x0, y0, x1, y1}); err != nil {
			return nil, err
		}
		if err := s.blocks(ctx, x0, y0, x1, y1, out, done); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// errors computes the errors of the tiles of some rectangles of tiles and of those
// around, as far as they are not known, and forgets all others.
func (s *bands) errors(ctx context.Context, of ...rect) error {
	wanted := map[[2]int]bool{}
	var missing [][2]int
	for _, r := range of {
		r = r.grow(1, s.nx, s.ny)
		for y := r.z0; y < r.z1; y++ {
			for x := r.x0; x < r.x1; x++ {
				if k := [2]int{x, y}; !wanted[k] {
					wanted[k] = true
					if s.errs[k] == nil {
						missing = append(missing, k)
					}
				}
			}
		}
	}
	for k, e := range s.errs {
		if !wanted[k] {
			s.free = append(s.free, e)
			delete(s.errs, k)
		}
	}
	for _, k := range missing {
		s.errs[k] = s.blank()
	}
	for _, w := range s.workers {
		clear(w.steps)
	}
	err := s.each(ctx, len(missing), func(w *worker, i int) error {
		s.slab.win.CoefErrors(missing[i][0], missing[i][1], s.cells, s.errs[missing[i]], w.steps)
		return nil
	}, func(int) {})
	for _, w := range s.workers {
		for o, d := range w.steps {
			s.steps[o] = max(s.steps[o], d)
		}
	}
	return err
}

// blank returns room for the errors of a tile.
func (s *bands) blank() []float32 {
	if n := len(s.free); n > 0 {
		e := s.free[n-1]
		s.free = s.free[:n-1]
		return e
	}
	return make([]float32, (s.cells+1)*(s.cells+1))
}

// blocks makes and codes the tiles x0,y0 to x1,y1.
func (s *bands) blocks(ctx context.Context, x0, y0, x1, y1 int, out []*chunkfile.Encoded, done func(tiles int)) error {
	type block struct{ x0, y0, x1, y1 int }
	var all []block
	n := s.plan.block
	for y := y0; y < y1; y += n {
		for x := x0; x < x1; x += n {
			all = append(all, block{x, y, min(x+n, x1), min(y+n, y1)})
		}
	}
	return s.each(ctx, len(all), func(w *worker, i int) error {
		b := all[i]
		w.analyse(s, b.x0, b.y0, b.x1, b.y1)
		for y := b.y0; y < b.y1; y++ {
			for x := b.x0; x < b.x1; x++ {
				e, err := w.tile(terrain.Key{X: int32(x), Y: int32(y)})
				if err != nil {
					return err
				}
				out[(y-y0)*s.nx+x] = e
			}
		}
		return nil
	}, func(i int) { done((all[i].x1 - all[i].x0) * (all[i].y1 - all[i].y0)) })
}

// each calls do for 0..n-1 from the workers' goroutines, and done after each from
// this one. It stops early when something fails, the first failure being that of
// the least i, and when ctx is done.
func (s *bands) each(ctx context.Context, n int, do func(w *worker, i int) error, done func(i int)) error {
	errs := make([]error, n)
	finished := make(chan int, n)
	var next atomic.Int64
	var failed atomic.Bool
	var wg sync.WaitGroup
	for _, w := range s.workers[:min(len(s.workers), n)] {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n || failed.Load() || ctx.Err() != nil {
					return
				}
				if errs[i] = do(w, i); errs[i] != nil {
					failed.Store(true)
				}
				finished <- i
			}
		})
	}
	go func() {
		wg.Wait()
		close(finished)
	}()
	for i := range finished {
		done(i)
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}
