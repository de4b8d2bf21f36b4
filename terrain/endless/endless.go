// Package endless makes the tiles of a world that has no rim, as they are asked for:
// any column and any row, on whichever side of the origin. What is made of a tile
// depends on its own samples and those around it alone, so tiles that were made at
// different times fit, and one that is made again is the same.
//
// A [Source] is what the tiles of a file are to package streaming.
package endless

import (
	"container/list"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// Ground is heights without end.
type Ground interface {
	// Heights fills heights, row by row, with those of samples from column x and row
	// z on, in quanta. A sample is always the same. Any number of goroutines call it.
	Heights(heights []int32, x, z int64, columns int)
	// Bounds are heights that no sample is beyond.
	Bounds() terrain.Bounds
}

// Options describe a source.
type Options struct {
	TileSize         int     // samples a side, 2^k+1; 0 means 129
	Spacing, Quantum float64 // metres between samples, and a unit of the heights

	// Has says which tiles there are; nil means all. The others are holes.
	Has func(k terrain.Key) bool

	// Kept is how many tiles are kept as they were made, and how many grids of samples
	// that others may need; 0 means 256. A tile of 129² takes 260 KiB in all.
	Kept int
}

// Source makes tiles. Any number of goroutines may use it.
type Source struct {
	world  terrain.World
	ground Ground
	has    func(k terrain.Key) bool

	mu    sync.Mutex
	grids cache[place, *grid]
	tiles cache[terrain.Key, *tile]
	steps []float64 // largest squared distances to a child so far, by order

	radius atomic.Pointer[[]float32]
}

// place is column and row of a tile, or of where one would be beyond the last.
type place struct{ x, y int64 }

// grid is what of a tile its surroundings depend on.
type grid struct {
	once    sync.Once
	samples []int32
	errs    []float32
	steps   []float64
}

// tile is one that is made.
type tile struct {
	once  sync.Once
	info  terrain.TileInfo
	verts []terrain.Vertex
	err   error
}

// New returns a source of tiles of ground. It fails if the sizes are no good.
func New(ground Ground, o Options) (*Source, error) {
	if o.TileSize == 0 {
		o.TileSize = 129
	}
	if err := terrain.CheckTileSize(o.TileSize); err != nil {
		return nil, err
	}
	if err := terrain.CheckScale(o.Spacing, o.Quantum); err != nil {
		return nil, err
	}
	if o.Kept <= 0 {
		o.Kept = 256
	}
	b := ground.Bounds()
	s := &Source{ground: ground, has: o.Has, grids: newCache[place, *grid](o.Kept), tiles: newCache[terrain.Key, *tile](o.Kept)}
	s.world = terrain.World{
		TileSize: o.TileSize, Spacing: o.Spacing, Quantum: o.Quantum, Endless: true,
		Min: b.Min, Max: b.Max, Mean: float64(b.Min+b.Max) / 2 * o.Quantum,
	}
	s.steps = make([]float64, s.world.Layout().Orders())
	for order := range s.steps {
		// Ground that rises by one in two: more is learnt from the tiles.
		step := float64(int(1)<<(order/2)) * o.Spacing
		s.steps[order] = step * step * 1.25
	}
	s.world.Radius = terrain.CoefRadius(s.steps)
	s.radius.Store(&s.world.Radius)
	return s, nil
}

// World implements [streaming.Source]. Its Radius is what was known when the source
// was made: see [Source.Radius].
func (s *Source) World() *terrain.World { return &s.world }

// Tiles implements [streaming.Source]: there are none before they are asked for.
func (s *Source) Tiles() []terrain.TileInfo { return nil }

// Radius returns r of the activation law for all tiles that Info has returned so far.
// It grows as steeper ground is met. A law of tiles needs that of after they were made. It
// waits for nobody.
func (s *Source) Radius() []float32 { return *s.radius.Load() }

// Info returns what is known of a tile, nil if there is no such tile. It takes as long as
// to make it.
func (s *Source) Info(k terrain.Key) (*terrain.TileInfo, error) {
	if k.Zoom != 0 || s.has != nil && !s.has(k) {
		return nil, nil
	}
	t := s.tile(k)
	if t.err != nil {
		return nil, t.err
	}
	return &t.info, nil
}

// ReadLevel implements [streaming.Source].
func (s *Source) ReadLevel(_ *chunkfile.Decoder, verts []terrain.Vertex, k terrain.Key, level terrain.Level) error {
	t := s.tile(k)
	if t.err != nil {
		return t.err
	}
	lo, hi := s.world.Layout().Range(level)
	copy(verts[lo:hi], t.verts[lo:hi])
	return nil
}

// ReadTile returns tile k down to a level.
func (s *Source) ReadTile(_ *chunkfile.Decoder, k terrain.Key, level terrain.Level) (*terrain.Tile, error) {
	t := s.tile(k)
	if t.err != nil {
		return nil, t.err
	}
	return &terrain.Tile{Info: &t.info, Level: level, Verts: t.verts[:s.world.Layout().Count(level)]}, nil
}

func (s *Source) tile(k terrain.Key) *tile {
	s.mu.Lock()
	t := s.tiles.get(k, func() *tile { return new(tile) })
	s.mu.Unlock()
	t.once.Do(func() { s.make(t, k) })
	return t
}

func (s *Source) grid(k place) *grid {
	s.mu.Lock()
	g := s.grids.get(k, func() *grid { return new(grid) })
	s.mu.Unlock()
	g.once.Do(func() { s.sample(g, k) })
	return g
}

// window returns a window of samples that are a world of their own.
func (s *Source) window(samples []int32, side int) *terrain.Window {
	return &terrain.Window{
		Width: side, Height: side, Columns: side, Rows: side,
		Spacing: s.world.Spacing, Quantum: s.world.Quantum, Samples: samples,
	}
}

// sample computes the samples of a tile and the errors inside it.
func (s *Source) sample(g *grid, k place) {
	size, cells := s.world.TileSize, s.world.TileSize-1
	g.samples, g.errs = make([]int32, size*size), make([]float32, size*size)
	g.steps = make([]float64, s.world.Layout().Orders())
	s.ground.Heights(g.samples, k.x*int64(cells), k.y*int64(cells), size)
	s.window(g.samples, size).CoefErrors(0, 0, cells, g.errs, g.steps)
}

// make makes a tile of the samples of its own and of the eight tiles around, whether
// those are there or not: see [terrain.NestCoefs]. They are a small world whose middle
// tile is the one.
func (s *Source) make(t *tile, k terrain.Key) {
	layout := s.world.Layout()
	cells, size := layout.Cells, layout.Size
	side := 3*cells + 1
	samples, coefs := make([]int32, side*side), make([]float32, side*side)
	steps := make([]float64, layout.Orders())
	for z := range 3 {
		for x := range 3 {
			g := s.grid(place{int64(k.X) + int64(x-1), int64(k.Y) + int64(z-1)})
			at := z*cells*side + x*cells
			for row := range size {
				copy(samples[at+row*side:][:size], g.samples[row*size:])
			}
			terrain.AddCoefErrors(coefs[at:], side, g.errs, cells)
			for order, d := range g.steps {
				steps[order] = max(steps[order], d)
			}
		}
	}
	terrain.NestCoefs(coefs, 3, 3, cells)
	small := s.world
	small.Endless, small.Width, small.Height = false, side, side
	window := s.window(samples, side)
	t.verts = make([]terrain.Vertex, len(layout.Grid))
	shade(window, cells, layout, t.verts)
	c := bake.Cut{World: &small, Window: window, Coefs: coefs, Columns: side}
	if t.info, t.err = c.Tile(terrain.Key{X: 1, Y: 1}, t.verts); t.err != nil {
		t.err = fmt.Errorf("tile %v: %w", k, t.err)
		return
	}
	t.info.Key = k
	s.raise(steps)
}

// raise raises what is known of the distances to children.
func (s *Source) raise(steps []float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	grown := false
	for order, d := range steps {
		if d > s.steps[order] {
			s.steps[order], grown = d*1.2, true // a little more, so that it does not grow often
		}
	}
	if grown {
		r := terrain.CoefRadius(s.steps)
		s.radius.Store(&r)
	}
}

// cache keeps what was used last.
type cache[K comparable, T any] struct {
	most  int
	order *list.List
	at    map[K]*list.Element
}

type kept[K comparable, T any] struct {
	key   K
	value T
}

func newCache[K comparable, T any](most int) cache[K, T] {
	return cache[K, T]{most: most, order: list.New(), at: map[K]*list.Element{}}
}

// get returns what is kept of a key, or what it makes.
func (c *cache[K, T]) get(k K, make func() T) T {
	if e, ok := c.at[k]; ok {
		c.order.MoveToFront(e)
		return e.Value.(kept[K, T]).value
	}
	if c.order.Len() >= c.most {
		last := c.order.Back()
		c.order.Remove(last)
		delete(c.at, last.Value.(kept[K, T]).key)
	}
	v := make()
	c.at[k] = c.order.PushFront(kept[K, T]{k, v})
	return v
}
