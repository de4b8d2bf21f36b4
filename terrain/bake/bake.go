package bake

import (
	"context"
	"crypto/sha256"
	"image"
	"runtime"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// DefaultTileSize is the tile size of the zero Options.
const DefaultTileSize = 129

// Options say how to bake. The zero value works.
type Options struct {
	TileSize         int     // samples a side, 2^k+1; 0 means DefaultTileSize
	OriginX, OriginZ float64 // world position of the north-west sample, metres
	Workers          int     // goroutines; ≤ 0 means all processors

	// MaxMem bounds the memory in bytes that Bake takes, about; 0 means
	// DefaultMaxMem. What the source itself takes comes on top. It leaves room for as
	// much garbage as is in use; a program that wants to be sure of the cap sets a
	// memory limit too, see package runtime/debug. Where even whole
	// rows of tiles do not fit, rows of the source are read several times.
	MaxMem int64

	// MaxError is how far in metres a height may be off in all, what the source
	// says of itself included: heights become multiples of a larger quantum where
	// that allows it. It is counted in the coefficients.
	MaxError float64

	// Note is what the world says of itself, see [terrain.World].
	Note string

	// ShardRows, if above 0, splits the world into shards of so many rows of tiles,
	// files beside the path, see [chunkfile.WriterOptions].
	ShardRows int

	// Layers are the names of what to keep of every vertex besides, see [Layers].
	Layers []string
	// Overlay, if set, is stretched over the world for [LayerColour]; Mask, whose four
	// channels are the weights, for [LayerMaterial]. MaxMem counts them.
	Overlay, Mask image.Image

	// Progress, if set, is called now and then by the goroutine that called Bake,
	// with done of total steps of a phase: [PhaseScan], [PhaseSample] and [PhaseBake],
	// in this order. It must not block.
	Progress func(phase string, done, total int)
}

// Phases of a bake.
const (
	PhaseScan   = "scan"   // all rows are read once, steps are rows
	PhaseSample = "sample" // some tiles are made to learn how to code all, steps are tiles
	PhaseBake   = "bake"   // steps are tiles
)

// Stats are the sizes of the world that was written.
type Stats = chunkfile.Stats

// Bake writes the world file of src to path. Until it succeeds, what is at path
// stays as it is; after an error or when ctx is done nothing is left behind.
// src must not change meanwhile.
//
// A program that is killed leaves two files whose names begin with a dot: the
// world as far as it is, and a journal that says how far. The next bake of the same
// source with the same options to the same path goes on from there, any other
// removes them. The bytes are the same as without the interruption.
func Bake(ctx context.Context, src terrain.RowReader, o Options, path string) (Stats, error) {
	b, err := prepare(ctx, src, o)
	if err != nil {
		return Stats{}, err
	}
	j := newJournal(b, path)
	w, rows, err := j.begin(ctx, b, path)
	if err != nil {
		return Stats{}, err
	}
	defer j.remove()
	b.tables = w.Tables()
	if err := b.write(ctx, w, j, rows); err != nil {
		w.Abort()
		return Stats{}, err
	}
	if err := w.Close(); err != nil {
		return Stats{}, err
	}
	return w.Stats(), nil
}

// baker is the work on one world.
type baker struct {
	src      *source
	plan     plan
	far      *farView
	overlay  *picture // nil where there is none, as is mask
	mask     *picture
	world    *terrain.World
	tables   *chunkfile.Tables
	shards   int // rows of tiles in each; 0 for one file
	cells    int
	nx, ny   int       // tiles
	steps    []float64 // the largest squared distances to a child, by order, so far
	digest   []byte    // of the source and the pictures
	progress func(phase string, done, total int)
}

// prepare checks what is asked and does what comes before the first tile.
func prepare(ctx context.Context, src terrain.RowReader, o Options) (*baker, error) {
	if o.TileSize == 0 {
		o.TileSize = DefaultTileSize
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.MaxMem <= 0 {
		o.MaxMem = DefaultMaxMem
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	if err := terrain.CheckTileSize(o.TileSize); err != nil {
		return nil, err
	}
	s, err := newSource(src, o.MaxError)
	if err != nil {
		return nil, err
	}
	layers, err := layersOf(&o)
	if err != nil {
		return nil, err
	}
	if err := checkPictures(o.Overlay, o.Mask); err != nil {
		return nil, err
	}
	b := &baker{
		src: s, cells: o.TileSize - 1, shards: max(o.ShardRows, 0), far: newFarView(s.Width, s.Height), progress: o.Progress,
		overlay: newPicture(o.Overlay, s.Width, s.Height), mask: newPicture(o.Mask, s.Width, s.Height),
	}
	if b.plan, err = b.newPlan(o.Workers, o.MaxMem, layers); err != nil {
		return nil, err
	}
	b.digest, err = s.scan(ctx, b.far, func(done, total int) { o.Progress(PhaseScan, done, total) })
	if err != nil {
		return nil, err
	}
	b.digestPictures()
	b.far.finish(s.Width, s.Height, o.Workers)
	b.world = &terrain.World{
		Width: s.Width, Height: s.Height, TileSize: o.TileSize,
		Spacing: s.Spacing, Quantum: s.Quantum, OriginX: o.OriginX, OriginZ: o.OriginZ, MaxError: s.MaxError,
		Min: s.Min, Max: s.Max, Mean: s.Mean, Geo: s.Geo, Note: o.Note,
		Layers: layers,
	}
	b.nx, b.ny = b.world.Tiles()
	b.steps = make([]float64, b.world.Layout().Orders())
	b.world.Radius = terrain.CoefRadius(b.steps) // its length; what is in it is known last
	return b, nil
}

// digestPictures adds the pictures to the digest.
func (b *baker) digestPictures() {
	h := sha256.New()
	h.Write(b.digest)
	for _, p := range []*picture{b.overlay, b.mask} {
		if p == nil {
			h.Write([]byte{0})
			continue
		}
		h.Write([]byte(p.nrgba.Rect.Size().String()))
		h.Write(p.nrgba.Pix)
	}
	b.digest = h.Sum(nil)
}

// write makes all tiles but those of the first rows, and writes them in order.
func (b *baker) write(ctx context.Context, w *chunkfile.Writer, j *journal, rows int) error {
	s := newBands(b)
	defer s.slab.wait()
	done := rows * b.nx
	if done > 0 {
		b.progress(PhaseBake, done, b.nx*b.ny)
	}
	for y := rows; y < b.ny; y += b.plan.rows {
		tiles, err := s.band(ctx, y, min(y+b.plan.rows, b.ny), func(tiles int) {
			done += tiles
			b.progress(PhaseBake, done, b.nx*b.ny)
		})
		if err != nil {
			return err
		}
		for _, t := range tiles {
			if err := w.WriteEncoded(t); err != nil {
				return err
			}
		}
		if y+b.plan.rows < b.ny {
			if err := j.write(b, w, y+b.plan.rows); err != nil {
				return err
			}
		}
	}
	copy(b.world.Radius, terrain.CoefRadius(b.steps))
	return nil
}
