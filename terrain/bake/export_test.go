package bake

import (
	"context"

	"github.com/vkterrain/vkterrain/terrain"
)

// SkyReach is how far the near horizon reaches at most.
const SkyReach = skyReach

// SkyView and Curvature are the analyses of a rectangle of a field, of which they
// are given no more than they may look at. A thin sky view leaves out odd rows and
// columns.
func SkyView(f *terrain.Field, x0, z0, x1, z1 int, thin bool) []uint8 {
	far := newFarView(f.Width, f.Height)
	for z := range f.Height {
		far.add(z, f.Samples[z*f.Width:(z+1)*f.Width])
	}
	far.finish(f.Width, f.Height, 2)
	r := rect{x0, z0, x1, z1}
	sky := make([]uint8, r.size())
	new(horizons).look(cut(f, r.grow(skyReach, f.Width, f.Height)), far, r, thin, sky, nil)
	return sky
}

func Curvature(f *terrain.Field, x0, z0, x1, z1 int) []uint8 {
	r := rect{x0, z0, x1, z1}
	out := make([]uint8, r.size())
	new(bends).bend(cut(f, r.grow(curvatureReach, f.Width, f.Height)), r, out)
	return out
}

// cut returns a window that holds r.
func cut(f *terrain.Field, r rect) *terrain.Window {
	w := f.Window()
	w.X, w.Z, w.Columns, w.Rows, w.Samples = r.x0, r.z0, r.width(), r.z1-r.z0, nil
	for z := r.z0; z < r.z1; z++ {
		w.Samples = append(w.Samples, f.Samples[z*f.Width+r.x0:z*f.Width+r.x1]...)
	}
	return w
}

// Direction is a direction of the sky: a step in samples and its share of all.
type Direction struct {
	DX, DZ int
	Share  float64
}

// Directions returns the directions of the sky.
func Directions() []Direction {
	var all []Direction
	for _, d := range directions {
		all = append(all, Direction{d.dx, d.dz, d.share / skyOne})
	}
	return all
}

// Portions are what a bake of f is done in: rows of tiles a band, columns of tiles
// in memory, tiles a side of a block, goroutines.
func Portions(f terrain.RowReader, o Options) (rows, columns, block, workers int, err error) {
	src, err := newSource(f, o.MaxError)
	if err != nil {
		return 0, 0, 0, 0, err
	}
	b := &baker{src: src, cells: o.TileSize - 1, far: newFarView(src.Width, src.Height)}
	p, err := b.newPlan(o.Workers, o.MaxMem, nil)
	return p.rows, p.columns, p.block, p.workers, err
}

// Samples are the tiles that stand for all, and Sample what do gets of f's.
var Samples = samples

func Sample(f terrain.RowReader, o Options, do func(info *terrain.TileInfo, verts []terrain.Vertex)) error {
	b, err := prepare(context.Background(), f, o)
	if err != nil {
		return err
	}
	return b.sample(context.Background(), do)
}

// TileLayers are the layers of a tile of f, and its vertices.
func TileLayers(f terrain.RowReader, o Options, k terrain.Key) ([][]byte, []terrain.Vertex, error) {
	b, err := prepare(context.Background(), f, o)
	if err != nil {
		return nil, nil, err
	}
	s, x, y := newBands(b), int(k.X), int(k.Y)
	if err := s.slab.load(s.around(s.samplesOf(x, y, x+1, y+1))); err != nil {
		return nil, nil, err
	}
	if err := s.errors(context.Background(), rect{x, y, x + 1, y + 1}); err != nil {
		return nil, nil, err
	}
	w := s.workers[0]
	w.analyse(s, x, y, x+1, y+1)
	_, err = w.fill(k)
	w.fillLayers(x*b.cells, y*b.cells)
	return w.layer.out, w.verts, err
}
