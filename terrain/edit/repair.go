package edit

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// repair makes anew the tiles that depend on some patches, which do not overlap.
//
// A coefficient depends on the samples of the tiles around its vertex, see
// [terrain.Window.CoefErrors], a normal on those next to it. So what an edit may
// change is in the tiles that its rectangle, grown by a tile, touches; and each of
// them needs the samples of the eight around it.
type repair struct {
	before  *Snapshot
	base    *chunkfile.Reader // whose sky view is kept
	patches []patch
	workers []*worker
	grids   map[terrain.Key]*grid // of the rows that are being made
	keys    map[terrain.Key]bool  // what is made
	known   map[terrain.Key]*grid // of tiles before, as far as the last repair kept them
	kept    map[terrain.Key]*grid // of tiles after, for the next one

	steps []float64 // the largest squared distances to a child, by order, in m²
	made  []made
}

// keptBytes bounds what a repair keeps for the next one, which often is close by.
const keptBytes = 32 << 20

// grid is what of a tile its surroundings depend on. It does not change once it is
// made.
type grid struct {
	window terrain.Window
	errs   []float32
	steps  []float64
}

// made is a tile that has been made.
type made struct {
	key     terrain.Key
	info    terrain.TileInfo
	code    *chunkfile.Encoded // nil if it is as in the file
	changed bool
	levels  Levels
}

// worker makes tiles. It is for one goroutine.
type worker struct {
	dec   *chunkfile.Decoder
	enc   *chunkfile.Encoder
	verts []terrain.Vertex // as they are coded
	coefs []float32
}

func newRepair(s *Snapshot, patches []patch, workers int) *repair {
	r := &repair{before: s, base: s.file, patches: patches, grids: map[terrain.Key]*grid{}, kept: map[terrain.Key]*grid{}}
	r.steps = make([]float64, s.world.Layout().Orders())
	for range workers {
		r.workers = append(r.workers, &worker{
			dec: chunkfile.NewDecoder(), enc: chunkfile.NewEncoder(s.world, s.tables),
			verts: make([]terrain.Vertex, len(s.world.Layout().Grid)),
		})
	}
	return r
}

// affected lists the tiles that may change, row by row.
func (r *repair) affected() []terrain.Key {
	w := r.before.world
	c := w.TileSize - 1
	nx, nz := w.Tiles()
	all := map[terrain.Key]bool{}
	r.keys = all
	for _, p := range r.patches {
		x0, x1 := tilesAt(max(p.x-c, 0), p.x+p.width-1+c, c, nx)
		z0, z1 := tilesAt(max(p.z-c, 0), p.z+p.height-1+c, c, nz)
		for z := z0; z < z1; z++ {
			for x := x0; x < x1; x++ {
				all[terrain.Key{X: int32(x), Y: int32(z)}] = true
			}
		}
	}
	keys := make([]terrain.Key, 0, len(all))
	for k := range all {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, compareKeys)
	return keys
}

// run makes all tiles, a row at a time.
func (r *repair) run() error {
	keys := r.affected()
	for len(keys) > 0 {
		n := slices.IndexFunc(keys, func(k terrain.Key) bool { return k.Y != keys[0].Y })
		if n < 0 {
			n = len(keys)
		}
		if err := r.row(keys[:n]); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return nil
}

// row makes tiles of one row.
func (r *repair) row(keys []terrain.Key) error {
	var missing []terrain.Key
	for k := range r.grids {
		if k.Y < keys[0].Y-1 {
			delete(r.grids, k)
		}
	}
	for _, k := range keys {
		r.around(k, func(n terrain.Key, _, _ int) {
			if r.grids[n] == nil {
				r.grids[n] = &grid{}
				missing = append(missing, n)
			}
		})
	}
	if err := r.each(len(missing), func(w *worker, i int) error { return r.load(w, missing[i], r.grids[missing[i]]) }); err != nil {
		return err
	}
	for _, k := range missing {
		r.done(r.grids[k])
		if size := r.before.world.TileSize; len(r.kept)*size*size*9 < keptBytes {
			r.kept[k] = r.grids[k]
		}
	}
	out := make([]made, len(keys))
	if err := r.each(len(keys), func(w *worker, i int) (err error) {
		out[i], err = r.tile(w, keys[i])
		return err
	}); err != nil {
		return err
	}
	for _, m := range out {
		if m.changed {
			r.made = append(r.made, m)
		}
	}
	return nil
}

// done counts the steps of a grid.
func (r *repair) done(g *grid) {
	for o, d := range g.steps {
		r.steps[o] = max(r.steps[o], d)
	}
}

// around calls do with tile k and those around it, and where they are from the first
// of them on, in tiles.
func (r *repair) around(k terrain.Key, do func(n terrain.Key, dx, dz int)) {
	nx, nz := r.before.world.Tiles()
	x0, z0 := max(int(k.X)-1, 0), max(int(k.Y)-1, 0)
	for z := z0; z <= min(int(k.Y)+1, nz-1); z++ {
		for x := x0; x <= min(int(k.X)+1, nx-1); x++ {
			do(terrain.Key{X: int32(x), Y: int32(z)}, x-x0, z-z0)
		}
	}
}

// load fills g with the samples of tile k as they are to be, and their errors.
func (r *repair) load(w *worker, k terrain.Key, g *grid) error {
	s := r.before
	p := patch{rect: s.samplesOf(k)}
	if old := r.known[k]; old != nil {
		if !slices.ContainsFunc(r.patches, func(o patch) bool { return o.and(p.rect).size() > 0 }) {
			*g = *old
			return nil
		}
		p.samples = old.samples()
	} else {
		t, err := s.whole(w.dec, k)
		if err != nil {
			return err
		}
		p.samples = make([]int32, p.size())
		s.samples(t, func(at, id, _, _ int) { p.samples[at] = sampleOf(t, id) })
	}
	for i := range r.patches {
		p.copyFrom(&r.patches[i])
	}
	g.window = windowOf(s.world, p)
	g.errs, g.steps = make([]float32, s.world.TileSize*s.world.TileSize), make([]float64, len(r.steps))
	g.window.CoefErrors(int(k.X), int(k.Y), s.world.TileSize-1, g.errs, g.steps)
	return nil
}

// samples returns the samples of a grid as a patch has them.
func (g *grid) samples() []int32 {
	out := make([]int32, len(g.window.Samples))
	for i, h := range g.window.Samples {
		out[i] = 2 * h
		if g.window.Void != nil && g.window.Void[i] {
			out[i]++
		}
	}
	return out
}

// windowOf makes a window of samples.
func windowOf(w *terrain.World, p patch) terrain.Window {
	win := terrain.Window{
		Width: w.Width, Height: w.Height, Spacing: w.Spacing, Quantum: w.Quantum,
		X: p.x, Z: p.z, Columns: p.width, Rows: p.height, Samples: make([]int32, p.size()),
	}
	for i, v := range p.samples {
		win.Samples[i] = v >> 1
		if v&1 == 1 {
			if win.Void == nil {
				win.Void = make([]bool, p.size())
			}
			win.Void[i] = true
		}
	}
	return win
}

// tile makes tile k.
func (r *repair) tile(w *worker, k terrain.Key) (made, error) {
	s := r.before
	old, err := s.whole(w.dec, k)
	if err != nil {
		return made{}, err
	}
	stored := old
	if e := s.edited[k]; e != nil && e.code != nil {
		if stored, err = r.base.ReadTile(w.dec, k, 0); err != nil {
			return made{}, err
		}
	}
	cut := r.cut(w, k)
	r.light(w, cut.Window, stored)
	info, err := cut.Tile(k, w.verts)
	if err != nil {
		return made{}, err
	}
	if sameInfo(&info, old.Info) && sameGround(w.verts, old.Verts) {
		return made{}, nil
	}
	layers, err := r.layers(w, k)
	if err != nil {
		return made{}, err
	}
	m := made{key: k, info: info, code: w.enc.EncodeTile(&info, w.verts, layers...)}
	// Curvature, and sky view of the finest level, are what is decoded.
	layout := s.world.Layout()
	for l := layout.Levels - 1; l >= 0; l-- {
		if err := m.code.ReadLevel(w.dec, s.world, s.tables, w.verts, terrain.Level(l)); err != nil {
			return made{}, fmt.Errorf("tile %v: %w", k, err)
		}
		lo, hi := layout.Range(terrain.Level(l))
		if !slices.Equal(w.verts[lo:hi], old.Verts[lo:hi]) {
			m.levels |= 1 << l
		}
	}
	if r.tears(k, old.Verts, w.verts) {
		return made{}, fmt.Errorf("tile %v: its seams were made by other rules than this version has: bake the world anew to edit it", k)
	}
	m.changed = m.levels != 0 || !sameInfo(&info, old.Info)
	if slices.Equal(w.verts, stored.Verts) && sameInfo(&info, r.base.Tile(k)) {
		m.info, m.code = *r.base.Tile(k), nil
	}
	return m, nil
}

// tears says whether tile k has changed on a seam with a tile that stays as it is.
func (r *repair) tears(k terrain.Key, old, now []terrain.Vertex) bool {
	layout := r.before.world.Layout()
	size, c := layout.Size, layout.Cells
	for _, side := range [4]struct{ dx, dy, first, step int }{{-1, 0, 0, size}, {1, 0, c, size}, {0, -1, 0, 1}, {0, 1, c * size, 1}} {
		n := terrain.Key{X: k.X + int32(side.dx), Y: k.Y + int32(side.dy)}
		if r.keys[n] || r.before.Tile(n) == nil {
			continue
		}
		for i := range size {
			id := layout.ID[side.first+i*side.step]
			if a, b := &old[id], &now[id]; a.Coef != b.Coef || a.Normal != b.Normal {
				return true
			}
		}
	}
	return false
}

// sameInfo says whether tiles with the same vertices are the same.
func sameInfo(a, b *terrain.TileInfo) bool {
	return a.Base == b.Base && a.Min == b.Min && a.Max == b.Max && a.Holes == b.Holes && a.Coef == b.Coef
}

// sameGround says whether vertices are the same but for what is derived when they are
// decoded.
func sameGround(a, b []terrain.Vertex) bool {
	return slices.EqualFunc(a, b, func(v, w terrain.Vertex) bool {
		return v.Height == w.Height && v.Coef == w.Coef && v.Normal == w.Normal && v.Hole() == w.Hole()
	})
}

// cut puts together what tile k is made of: samples and coefficients of the tiles
// around.
func (r *repair) cut(w *worker, k terrain.Key) *bake.Cut {
	s := r.before
	c := s.world.TileSize - 1
	var all rect
	nx, nz, holes := 0, 0, false
	r.around(k, func(n terrain.Key, dx, dz int) {
		all = all.or(s.samplesOf(n))
		nx, nz = max(nx, dx+1), max(nz, dz+1)
		holes = holes || r.grids[n].window.Void != nil
	})
	win := windowOf(s.world, patch{rect: all, samples: nil})
	if holes {
		win.Void = make([]bool, all.size())
	}
	width := nx*c + 1
	w.coefs = slices.Grow(w.coefs[:0], width*(nz*c+1))[:width*(nz*c+1)]
	clear(w.coefs)
	r.around(k, func(n terrain.Key, dx, dz int) {
		g := r.grids[n]
		for z := range g.window.Rows {
			to := (g.window.Z+z-all.z)*all.width + g.window.X - all.x
			copy(win.Samples[to:], g.window.Samples[z*g.window.Columns:][:g.window.Columns])
			if g.window.Void != nil {
				copy(win.Void[to:], g.window.Void[z*g.window.Columns:][:g.window.Columns])
			}
		}
		terrain.AddCoefErrors(w.coefs[dz*c*width+dx*c:], width, g.errs, c)
	})
	terrain.NestCoefs(w.coefs, nx, nz, c)
	return &bake.Cut{World: s.world, Window: &win, Coefs: w.coefs, X: all.x, Z: all.z, Columns: width}
}

// openSky is the sky view of a hole that is filled.
const openSky = 255

// light fills the sky view of a tile's vertices.
func (r *repair) light(w *worker, win *terrain.Window, stored *terrain.Tile) {
	k, layout := stored.Info.Key, r.before.world.Layout()
	x0, z0 := int(k.X)*layout.Cells, int(k.Y)*layout.Cells
	for id, g := range layout.Grid {
		v := terrain.Vertex{SkyView: stored.Verts[id].SkyView}
		switch {
		case win.IsVoid(x0+int(g.X), z0+int(g.Z)):
			v.SkyView = 0
		case v.SkyView == 0:
			v.SkyView = openSky
		}
		w.verts[id] = v
	}
}

// layers reads the layers of tile k, which stay as they are.
func (r *repair) layers(w *worker, k terrain.Key) (all [][]byte, err error) {
	layout := r.before.world.Layout()
	for i, l := range r.before.world.Layers {
		b := make([]byte, l.Bytes*len(layout.Grid))
		for level := layout.Levels - 1; level >= 0; level-- {
			if err := r.base.ReadLayer(w.dec, b, k, terrain.Level(level), i); err != nil {
				return nil, err
			}
		}
		all = append(all, b)
	}
	return all, nil
}

// each calls do for 0 to n-1 from the workers' goroutines, and returns the failure of
// the least.
func (r *repair) each(n int, do func(w *worker, i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var wg sync.WaitGroup
	for _, w := range r.workers[:min(len(r.workers), n)] {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				errs[i] = do(w, i)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// grown returns radii that hold for steps, squared distances in m² from a vertex to
// its children by order, as well as for what the old ones hold for. None shrinks.
//
// Only sums were kept, so what the old ones say of an order is the difference to the
// one before. New differences are taken of rounded radii, so that none shrinks
// however often radii grow.
func grown(radius []float32, steps []float64) []float32 {
	out := slices.Clone(radius)
	for o := 1; o < len(out); o++ {
		step := max(float64(radius[o])-float64(radius[o-1]), math.Sqrt(steps[o])*(1+1e-6))
		r := float64(out[o-1]) + step
		f := float32(r)
		if float64(f) < r {
			f = math.Nextafter32(f, float32(math.Inf(1)))
		}
		out[o] = max(f, radius[o])
	}
	return out
}
