package vkterrain

import (
	"errors"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
	"github.com/vkterrain/vkterrain/terrain/query"
	"github.com/vkterrain/vkterrain/vk"
)

// Endless is a world without a rim, whose tiles come and go with the view. Package
// endless makes one.
type Endless interface {
	streaming.Atlas
	ReadTile(d *chunkfile.Decoder, k terrain.Key, level terrain.Level) (*terrain.Tile, error)

	// Radius is that of the activation law, see [terrain.World], good for all tiles of
	// which Info has been returned. It grows only.
	Radius() []float32
}

// Paging is how far around the eye an endless world is there.
type Paging struct {
	// Load is how far from the eye tiles come, in metres eastwards and southwards, and
	// Hold how far they stay; 0 means 8 tiles, and an eighth more than Load.
	Load, Hold float64
	// Loaders is how many goroutines make tiles; 0 means 1. With [Options].Sync there
	// are none.
	Loaders int
	// Failed is told once of a tile that cannot be made; it is tried again.
	Failed func(k terrain.Key, err error)
}

// paged is what a Terrain knows of an endless world.
type paged struct {
	source Endless
	load   float64 // metres around the eye where there are tiles
	pager  *streaming.Pager
	eyes   []mgl64.Vec3
	copies [16]terrain.World // of the world, with other radii
	copied int
}

// OpenEndless is [Open] of a world without a rim. Every Prepare adds tiles that are
// near the eye, as they have been made in the background, and gives up those that are
// not any more. The same world may be open several times.
//
// What stands on it follows from seed, column and row alone. [Terrain.Check] measures what is
// there. [Terrain.Loaded] knows the tiles that are; a [query.EndlessSampler] of src all others.
func OpenEndless(src Endless, dev *vk.Device, p Paging, o Options) (*Terrain, error) {
	w := src.World()
	if !w.Endless {
		return nil, errors.New("the world has a rim: open it as a file")
	}
	if o.Algorithm == BilLOD {
		return nil, errors.New("an endless world has no BilLOD")
	}
	side := w.Spacing * float64(w.TileSize-1)
	if p.Load <= 0 {
		p.Load = 8 * side
	}
	if p.Hold <= 0 {
		p.Hold = p.Load * 9 / 8
	}
	t := &Terrain{paged: paged{source: src, load: p.Load}}
	paging := streaming.Paging{Load: p.Load, Hold: p.Hold, Loaders: p.Loaders, Sync: o.Sync, Failed: p.Failed}
	t.loaded = query.NewEndless(w, paging.Room(side))
	if err := t.open(src, dev, o); err != nil {
		return nil, err
	}
	t.paged.pager = streaming.NewPager(t.stream, src, paging)
	t.reserve(paging.Room(side))
	return t, nil
}

// reserve makes room for side×side tiles, so that they come without an allocation.
func (t *Terrain) reserve(side int) {
	n := side * side
	t.drawable = slices.Grow(t.drawable, n)
	t.bySlot = slices.Grow(t.bySlot, n)
	for slot := range n {
		t.users = append(t.users, pipeline.Slot(slot))
	}
}

// page adds and removes tiles for the frame's view.
func (t *Terrain) page() {
	p := &t.paged
	if p.pager == nil {
		return
	}
	p.eyes = p.eyes[:0]
	for i, v := range t.views[:t.many] {
		if v.first == i {
			p.eyes = append(p.eyes, v.lod.Eye)
		}
	}
	p.pager.Update(p.eyes...)
	if r := p.source.Radius(); !slices.Equal(r, t.world.Radius) {
		w := p.copyOf(t.world)
		w.Radius = r
		t.setWorld(w)
	}
}

// copyOf returns a copy of w, the first of which are there already.
func (p *paged) copyOf(w *terrain.World) *terrain.World {
	if p.copied == len(p.copies) {
		c := *w
		return &c
	}
	c := &p.copies[p.copied]
	p.copied++
	*c = *w
	return c
}

// onRemoved gives back what a tile that is forgotten had.
func (t *Terrain) onRemoved(tile *streaming.Tile) {
	t.loaded.Publish(tile.Info.Key, nil)
	if slot, ok := tile.User.(pipeline.Slot); ok {
		t.renderer.RemoveTile(t.frame, slot)
		t.bySlot[slot] = nil
	}
}

// paging says whether tiles near the eye are still to come.
func (p *paged) paging() bool { return p.pager != nil && !p.pager.Settled() }

func (p *paged) close() {
	if p.pager != nil {
		p.pager.Close()
	}
}

// readAround reads the full-resolution heights of the tiles that are there, as a world
// of their own that begins at tile first. Where there is no tile there are holes.
func (p *paged) readAround(m *streaming.Manager) (f *terrain.Field, w terrain.World, first terrain.Key, err error) {
	tiles := m.Tiles()
	if len(tiles) == 0 {
		return nil, w, first, errors.New("nothing is loaded")
	}
	first = tiles[0].Info.Key
	last := first
	for _, t := range tiles {
		k := t.Info.Key
		first.X, first.Y = min(first.X, k.X), min(first.Y, k.Y)
		last.X, last.Y = max(last.X, k.X), max(last.Y, k.Y)
	}
	w = *p.source.World()
	layout := w.Layout()
	side := w.Spacing * float64(layout.Cells)
	w.Endless, w.Holes = false, true
	w.OriginX, w.OriginZ = w.OriginX+float64(first.X)*side, w.OriginZ+float64(first.Y)*side
	w.Width, w.Height = int(last.X-first.X+1)*layout.Cells+1, int(last.Y-first.Y+1)*layout.Cells+1
	f = &terrain.Field{Width: w.Width, Height: w.Height, Spacing: w.Spacing, Quantum: w.Quantum, Samples: make([]int32, w.Width*w.Height)}
	f.Void = make([]bool, len(f.Samples))
	for i := range f.Void {
		f.Void[i] = true
	}
	for _, t := range tiles {
		full, err := p.source.ReadTile(nil, t.Info.Key, 0)
		if err != nil {
			return nil, w, first, err
		}
		at := int(t.Info.Key.Y-first.Y)*layout.Cells*f.Width + int(t.Info.Key.X-first.X)*layout.Cells
		for id, g := range layout.Grid {
			i := at + int(g.Z)*f.Width + int(g.X)
			f.Samples[i], f.Void[i] = full.Info.Base+int32(full.Verts[id].Height), false
		}
	}
	return f, w, first, nil
}
