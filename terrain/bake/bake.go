package bake

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// DefaultTileSize is the tile size of the zero Options.
const DefaultTileSize = 129

// maxHeight bounds heights in quanta, so that a float32 holds them exactly.
const maxHeight = 1 << 24

// Options say how to bake. The zero value works.
type Options struct {
	TileSize         int     // samples a side, 2^k+1; 0 means DefaultTileSize
	OriginX, OriginZ float64 // world position of the north-west sample, metres
	Workers          int     // goroutines; ≤ 0 means all processors
	MaxError         float64 // metres that f's heights may be off their source's; counted in the coefficients

	// Progress, if set, is called after each tile by the goroutine that called
	// Bake. It must not block.
	Progress func(done, total int)
}

// Stats are the sizes of the world that was written.
type Stats = chunkfile.Stats

// Bake writes the world file of f to path. Until it succeeds, what is at path
// stays as it is; after an error or when ctx is done nothing is left behind.
// f must not change meanwhile.
func Bake(ctx context.Context, f *terrain.Field, o Options, path string) (Stats, error) {
	if o.TileSize == 0 {
		o.TileSize = DefaultTileSize
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if err := check(f, o); err != nil {
		return Stats{}, err
	}
	b := &baker{f: f, cells: o.TileSize - 1, workers: o.Workers, progress: o.Progress}
	if err := b.prepare(ctx, o); err != nil {
		return Stats{}, err
	}
	w, err := chunkfile.Create(path, b.world)
	if err != nil {
		return Stats{}, err
	}
	if err := b.writeTiles(ctx, w); err != nil {
		w.Abort()
		return Stats{}, err
	}
	if err := w.Close(); err != nil {
		return Stats{}, err
	}
	return w.Stats(), nil
}

// check refuses what cannot become a world.
func check(f *terrain.Field, o Options) error {
	if err := terrain.CheckTileSize(o.TileSize); err != nil {
		return err
	}
	if f.Width < 2 || f.Height < 2 {
		return fmt.Errorf("%d×%d samples: a terrain needs at least 2×2", f.Width, f.Height)
	}
	if len(f.Samples) != f.Width*f.Height {
		panic(fmt.Sprintf("bake: %d samples in a field of %d×%d", len(f.Samples), f.Width, f.Height))
	}
	if err := terrain.CheckScale(f.Spacing, f.Quantum); err != nil {
		return err
	}
	if !(o.MaxError >= 0) || math.IsInf(o.MaxError, 0) {
		return fmt.Errorf("heights %v m off their source's: must be 0 or more", o.MaxError)
	}
	if lo, hi, _ := f.Stats(); lo <= -maxHeight || hi >= maxHeight {
		return fmt.Errorf("heights of %d to %d units of %v m: more than 24 bits hold; take a larger height unit", lo, hi, f.Quantum)
	}
	return nil
}

// baker is the work on one field.
type baker struct {
	f        *terrain.Field
	cells    int
	workers  int
	progress func(done, total int)

	world     *terrain.World
	coefs     *terrain.Coefs
	sky       []uint8 // a sample of the source, as is curvature
	curvature []uint8
}

// prepare computes what belongs to the whole field.
func (b *baker) prepare(ctx context.Context, o Options) error {
	lo, hi, mean := b.f.Stats()
	b.world = &terrain.World{
		Width: b.f.Width, Height: b.f.Height, TileSize: o.TileSize,
		Spacing: b.f.Spacing, Quantum: b.f.Quantum, OriginX: o.OriginX, OriginZ: o.OriginZ, MaxError: o.MaxError,
		Min: lo, Max: hi, Mean: mean,
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	b.coefs = terrain.Coefficients(b.f, b.cells, b.workers)
	b.world.Radius = b.coefs.Radius
	var err error
	if b.sky, err = skyView(ctx, b.f, b.workers); err != nil {
		return err
	}
	b.curvature, err = curvature(ctx, b.f, b.workers)
	return err
}

// result is a coded tile or why there is none.
type result struct {
	tile *chunkfile.Encoded
	err  error
}

// writeTiles codes tiles in several goroutines and writes them in order. Few
// more tiles than workers are in memory at a time.
func (b *baker) writeTiles(ctx context.Context, w *chunkfile.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	nx, ny := b.world.Tiles()
	type job struct {
		key terrain.Key
		out chan result
	}
	jobs, order := make(chan job), make(chan chan result, 2*b.workers)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel() // first, so that the goroutines end
	for range min(b.workers, nx*ny) {
		wg.Go(func() {
			enc := chunkfile.NewEncoder(b.world)
			verts := make([]terrain.Vertex, len(b.world.Layout().Grid))
			for j := range jobs {
				info, err := b.tile(j.key, verts)
				if err != nil {
					j.out <- result{err: err}
					continue
				}
				j.out <- result{tile: enc.EncodeTile(&info, verts)}
			}
		})
	}
	wg.Go(func() {
		defer close(order)
		defer close(jobs)
		for i := range nx * ny {
			out := make(chan result, 1)
			select {
			case order <- out:
			case <-ctx.Done():
				return
			}
			select {
			case jobs <- job{terrain.Key{X: int32(i % nx), Y: int32(i / nx)}, out}:
			case <-ctx.Done():
				return
			}
		}
	})
	for done := range nx * ny {
		r, err := next(ctx, order)
		if err != nil {
			return err
		}
		if r.err != nil {
			return r.err
		}
		if err := w.WriteEncoded(r.tile); err != nil {
			return err
		}
		if b.progress != nil {
			b.progress(done+1, nx*ny)
		}
	}
	return nil
}

// next waits for the next tile in order.
func next(ctx context.Context, order <-chan chan result) (result, error) {
	select {
	case out, ok := <-order:
		if !ok {
			return result{}, ctx.Err()
		}
		select {
		case r := <-out:
			return r, nil
		case <-ctx.Done():
			return result{}, ctx.Err()
		}
	case <-ctx.Done():
		return result{}, ctx.Err()
	}
}

var errRange = errors.New("heights of a tile span more than 16 bits hold")

// tile fills verts with the vertices of tile k.
func (b *baker) tile(k terrain.Key, verts []terrain.Vertex) (terrain.TileInfo, error) {
	layout := b.world.Layout()
	x0, z0 := int(k.X)*b.cells, int(k.Y)*b.cells
	info := terrain.TileInfo{Key: k, Min: math.MaxInt32, Max: math.MinInt32}
	for z := z0; z < min(z0+layout.Size, b.f.Height); z++ {
		row := b.f.Samples[z*b.f.Width+x0 : z*b.f.Width+min(x0+layout.Size, b.f.Width)]
		for _, h := range row {
			info.Min, info.Max = min(info.Min, h), max(info.Max, h)
		}
	}
	info.Base = info.Min
	if span := int64(info.Max) - int64(info.Min); span > math.MaxUint16 {
		q := b.f.Quantum * math.Ceil(float64(span)/math.MaxUint16)
		return info, fmt.Errorf("tile %v: %w (%d units of %v m, at most 65535): take a height unit of %v m or more, or smaller tiles",
			k, errRange, span, b.f.Quantum, q)
	}
	for id, g := range layout.Grid {
		x, z := x0+int(g.X), z0+int(g.Z)
		px, pz := min(x, b.f.Width-1), min(z, b.f.Height-1)
		at := pz*b.f.Width + px
		verts[id] = terrain.Vertex{
			Height:    uint16(b.f.Samples[at] - info.Base),
			Coef:      terrain.CoefUp(float64(b.coefs.At(x, z)) + b.world.MaxError),
			Normal:    b.normal(px, pz),
			SkyView:   b.sky[at],
			Curvature: b.curvature[at],
		}
	}
	markRoots(layout, verts)
	for level := range layout.Levels {
		lo, hi := layout.Range(terrain.Level(level))
		for _, v := range verts[lo:hi] {
			if v.Coef != alwaysActive {
				info.Coef[level] = max(info.Coef[level], terrain.CoefMetres(v.Coef))
			}
		}
	}
	return info, nil
}

// alwaysActive is the coefficient of the vertices that start the refinement.
var alwaysActive = terrain.CoefUp(math.Inf(1))

// markRoots makes the corners and the centre of a tile always active.
func markRoots(layout *terrain.Layout, verts []terrain.Vertex) {
	s, c := layout.Size, layout.Cells
	for _, at := range [5]int{0, c, c * s, c*s + c, c/2*s + c/2} {
		verts[layout.ID[at]].Coef = alwaysActive
	}
}

// normal returns the packed normal of source sample (x, z): central
// differences, one-sided at the rim of the source.
func (b *baker) normal(x, z int) [2]uint8 {
	f := b.f
	return chunkfile.SlopeNormal(
		slope2(f, x, z, x > 0, x < f.Width-1, 1),
		slope2(f, x, z, z > 0, z < f.Height-1, f.Width),
		f.Quantum/(2*f.Spacing))
}

// slope2 returns the rise over two samples around (x, z) in one direction.
func slope2(f *terrain.Field, x, z int, before, after bool, stride int) int32 {
	i := z*f.Width + x
	switch {
	case before && after:
		return f.Samples[i+stride] - f.Samples[i-stride]
	case after:
		return 2 * (f.Samples[i+stride] - f.Samples[i])
	}
	return 2 * (f.Samples[i] - f.Samples[i-stride])
}
