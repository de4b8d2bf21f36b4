package export

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// Vertex is a vertex of a mesh.
type Vertex struct {
	Column, Row int32    // of the world's samples
	Height      float32  // metres
	Normal      [2]uint8 // of the full-resolution surface, see [terrain.DecodeNormal]
	Shift       [2]int8  // how far east and south of the sample it lies, in 1/8192 of one; see [Mesh.Close]
}

// shiftUnit is how many units of a Shift make a sample.
const shiftUnit = 8192

// Mesh is the surface of a world, or a part of it, as triangles that wind
// counter-clockwise seen from above. No two vertices have the same place.
type Mesh struct {
	Vertices  []Vertex
	Triangles [][3]uint32
	Spacing   float64    // metres between samples
	Origin    [3]float64 // world position of column 0, row 0 and height 0, metres

	Tiles   int     // that it consists of
	Error   float64 // metres that the surface is off at most, at any sample that it covers
	ErrorPx float64 // the same in pixels of the view, over the samples in its picture; 0 without a view
	Closed  bool    // has walls and a floor: a solid
}

// MaxVertices is the most vertices and triangles of a mesh.
const MaxVertices = math.MaxUint32 >> 1

// Options say which surface a mesh is. Exactly one of View and MaxError counts: the
// latter where View is nil.
type Options struct {
	// View asks for the mesh that is drawn for a camera; Cull leaves out the tiles
	// that it does not see.
	View *lodcpu.View
	Cull bool
	// MaxError asks for a mesh that is nowhere farther off the samples than so many
	// metres, wherever it is looked at from. 0 leaves out what lies in a plane.
	MaxError float64

	Workers  int // goroutines; as many as there are processors if 0
	Progress func(done, total int)
}

// Build makes a mesh of a world. It reads every tile in full, to measure the error.
// Triangles that touch a hole are left out; the outline of a hole is at most
// MaxError off sideways. Errors name the chunk.
func Build(ctx context.Context, r *chunkfile.Reader, o Options) (*Mesh, error) {
	w := r.World()
	law := errorLaw(w, o.MaxError)
	if o.View != nil {
		law = o.View.Law(w)
	}
	if nx, ny := w.Tiles(); len(r.Tiles()) < nx*ny {
		return nil, fmt.Errorf("%d tiles are missing; vkterrain repair fills their place", nx*ny-len(r.Tiles()))
	}
	m := &Mesh{Spacing: w.Spacing, Origin: [3]float64{w.OriginX, 0, w.OriginZ}}
	keys := o.tiles(r, &law)
	b := &builder{ctx: ctx, r: r, law: &law, view: o.View, mesh: m, seams: map[uint64]uint32{}}
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if err := b.run(keys, workers, o.Progress); err != nil {
		return nil, err
	}
	m.Tiles = len(keys)
	return m, nil
}

// tiles returns the tiles that belong to the mesh.
func (o *Options) tiles(r *chunkfile.Reader, law *lodcpu.Law) []terrain.Key {
	layout := r.World().Layout()
	var keys []terrain.Key
	tiles := r.Tiles()
	for i := range tiles {
		if o.View != nil && o.Cull {
			f := o.View.Frustum()
			if lo, hi := law.Bounds(layout, &tiles[i]); !f.Sees(lo, hi) {
				continue
			}
		}
		keys = append(keys, tiles[i].Key)
	}
	return keys
}

// errorLaw keeps active exactly the vertices whose coefficient is above limit.
//
// The law compares |eye − p| with B·c + r. From far enough away every vertex is
// equally far and no radius counts, so that it compares c with |eye|/B alone; and
// coefficients have 8 bits of precision, so that a threshold half-way between two
// of them is never met by a rounding.
func errorLaw(w *terrain.World, limit float64) lodcpu.Law {
	law := lodcpu.FullLaw(w)
	below := terrain.CoefUp(limit)
	if float64(terrain.CoefMetres(below)) > limit {
		below--
	}
	const least = 1e-30 // no coefficient but 0 is as small
	threshold := max((float64(terrain.CoefMetres(below))+float64(terrain.CoefMetres(below+1)))/2, least)
	extent := (float64(w.Width)+float64(w.Height))*w.Spacing + max(math.Abs(float64(w.Min)), math.Abs(float64(w.Max)))*w.Quantum
	for _, r := range w.Radius {
		extent = max(extent, float64(r))
	}
	const far = 1e6
	law.A = 0
	law.Eye = [3]float64{w.OriginX, far * extent, w.OriginZ}
	law.B = far * extent / threshold
	return law
}

// part is what becomes of one tile.
type part struct {
	tile      *terrain.Tile
	triangles [][3]uint32 // of its own ids
	err       float64
	errPx     float64
	failed    error
}

// builder puts the parts together.
type builder struct {
	ctx  context.Context
	r    *chunkfile.Reader
	law  *lodcpu.Law
	view *lodcpu.View
	mesh *Mesh

	seams map[uint64]uint32 // vertices of tile borders, by place
	local []uint32          // vertex of the mesh by id of the tile at hand, plus 1
}

// run refines the tiles with some workers and welds them in order.
func (b *builder) run(keys []terrain.Key, workers int, progress func(done, total int)) error {
	ctx, cancel := context.WithCancel(b.ctx)
	slots := make(chan chan part, workers) // in order; it bounds how far workers are ahead
	todo := make(chan func(*worker))
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for range workers {
		wg.Go(func() {
			w := newWorker(b)
			for job := range todo {
				job(w)
			}
		})
	}
	wg.Go(func() {
		defer close(todo)
		defer close(slots)
		for _, k := range keys {
			slot := make(chan part, 1)
			select {
			case slots <- slot:
			case <-ctx.Done():
				return
			}
			select {
			case todo <- func(w *worker) { slot <- w.part(k) }:
			case <-ctx.Done():
				slot <- part{failed: ctx.Err()}
				return
			}
		}
	})
	done := 0
	for slot := range slots {
		p := <-slot
		if p.failed == nil {
			p.failed = ctx.Err()
		}
		if p.failed == nil {
			p.failed = b.weld(&p)
		}
		if p.failed != nil {
			return p.failed
		}
		if done++; progress != nil {
			progress(done, len(keys))
		}
	}
	return ctx.Err()
}

// weld appends a part to the mesh.
func (b *builder) weld(p *part) error {
	layout, m := b.r.World().Layout(), b.mesh
	if b.local == nil {
		b.local = make([]uint32, layout.Size*layout.Size)
	}
	clear(b.local)
	for _, t := range p.triangles {
		for i, id := range t {
			if b.local[id] == 0 {
				b.local[id] = b.vertex(p.tile, id) + 1
			}
			t[i] = b.local[id] - 1
		}
		m.Triangles = append(m.Triangles, t)
	}
	if len(m.Vertices) > MaxVertices || len(m.Triangles) > MaxVertices {
		return fmt.Errorf("more than %d vertices or triangles: ask for a coarser mesh", MaxVertices)
	}
	m.Error, m.ErrorPx = max(m.Error, p.err), max(m.ErrorPx, p.errPx)
	return nil
}

// vertex returns the mesh's vertex of a tile's id. What another tile may have too,
// or lies beyond the rim with others, is known by its place.
func (b *builder) vertex(t *terrain.Tile, id uint32) uint32 {
	w, layout := b.r.World(), b.r.World().Layout()
	p := layout.Grid[id]
	c := layout.Cells
	column, row := int(t.Info.Key.X)*c+int(p.X), int(t.Info.Key.Y)*c+int(p.Z)
	shared := int(p.X)%c == 0 || int(p.Z)%c == 0 || column >= w.Width-1 || row >= w.Height-1
	column, row = min(column, w.Width-1), min(row, w.Height-1)
	place := uint64(row)<<32 | uint64(column)
	if shared {
		if v, ok := b.seams[place]; ok {
			return v
		}
	}
	v := &t.Verts[id]
	at := uint32(len(b.mesh.Vertices))
	b.mesh.Vertices = append(b.mesh.Vertices, Vertex{
		Column: int32(column), Row: int32(row), Normal: v.Normal,
		Height: float32(float64(t.Info.Base+int32(v.Height)) * w.Quantum),
	})
	if shared {
		b.seams[place] = at
	}
	return at
}

// worker refines tiles and measures them.
type worker struct {
	b       *builder
	decoder *chunkfile.Decoder
	refiner lodcpu.Refiner
	indices []uint32
}

func newWorker(b *builder) *worker {
	layout := b.r.World().Layout()
	r := lodcpu.LeaveHoles(soar.New(layout, lodcpu.List), layout, lodcpu.List)
	return &worker{b: b, decoder: chunkfile.NewDecoder(), refiner: r, indices: make([]uint32, r.MaxIndices(0))}
}

// part refines a tile.
func (w *worker) part(k terrain.Key) (p part) {
	if p.failed = w.b.ctx.Err(); p.failed != nil {
		return p
	}
	if p.tile, p.failed = readTile(w.b.r, w.decoder, k, 0); p.failed != nil {
		return p
	}
	var all lodcpu.Neighbourhood // every tile is there in full
	counts, ok := w.refiner.Refine(w.indices, p.tile, &all, w.b.law)
	if !ok {
		panic("export: a tile needs more indices than its bound")
	}
	p.triangles = make([][3]uint32, 0, counts.Triangles)
	lodcpu.Triangles(lodcpu.List, w.indices[:counts.Indices], func(a, b, c uint32) {
		p.triangles = append(p.triangles, [3]uint32{a, b, c})
	})
	for _, t := range p.triangles {
		w.measure(&p, t)
	}
	return p
}

// measure compares a triangle with the samples that it covers, its border included.
func (w *worker) measure(p *part, t [3]uint32) {
	world, layout := w.b.r.World(), w.b.r.World().Layout()
	rimX, rimZ := world.Width-1-int(p.tile.Info.Key.X)*layout.Cells, world.Height-1-int(p.tile.Info.Key.Y)*layout.Cells
	var x, z, h [3]int
	for i, id := range t {
		g := layout.Grid[id]
		x[i], z[i], h[i] = min(int(g.X), rimX), min(int(g.Z), rimZ), int(p.tile.Verts[id].Height)
	}
	covered(x, z, func(column, row int, u, v float64) {
		if sample := &p.tile.Verts[layout.ID[row*layout.Size+column]]; !sample.Hole() {
			w.compare(p, column, row, float64(sample.Height), float64(h[0])+(u*float64(h[1]-h[0])+v*float64(h[2]-h[0])))
		}
	})
}

// compare counts one sample; heights are quanta above the tile's base.
func (w *worker) compare(p *part, column, row int, truth, drawn float64) {
	if truth == drawn {
		return
	}
	world := w.b.r.World()
	p.err = max(p.err, math.Abs(truth-drawn)*world.Quantum)
	v := w.b.view
	if v == nil {
		return
	}
	c, base := world.TileSize-1, float64(p.tile.Info.Base)
	x := world.OriginX + float64(int(p.tile.Info.Key.X)*c+column)*world.Spacing
	z := world.OriginZ + float64(int(p.tile.Info.Key.Y)*c+row)*world.Spacing
	ax, ay, _, ok := v.Project([3]float64{x, (base + truth) * world.Quantum, z})
	if !ok || ax < 0 || ay < 0 || ax > float64(v.Width) || ay > float64(v.Height) {
		return
	}
	if bx, by, _, ok := v.Project([3]float64{x, (base + drawn) * world.Quantum, z}); ok {
		p.errPx = max(p.errPx, math.Hypot(ax-bx, ay-by))
	}
}
