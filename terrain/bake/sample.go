package bake

import (
	"context"
	"slices"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// Samples of a world are at most sampleTiles tiles, and tiles of about
// sampleVertices vertices in all; at least one tile.
const (
	sampleTiles    = 24
	sampleVertices = 1 << 20
)

// samples returns tiles that stand for all of nx×ny: all of them where they are few
// enough, else those of an even grid of about the shape of the world, row by row.
func samples(nx, ny, cells int) [][2]int {
	n := min(max(1, sampleVertices/(cells*cells)), sampleTiles)
	gx, gy := nx, ny
	for gx*gy > n {
		// Thin out the direction in which they are denser.
		if gy == 1 || gx > 1 && gx*ny >= gy*nx {
			gx--
		} else {
			gy--
		}
	}
	var all [][2]int
	for j := range gy {
		for i := range gx {
			all = append(all, [2]int{(2*i + 1) * nx / (2 * gx), (2*j + 1) * ny / (2 * gy)})
		}
	}
	return all
}

// train makes the tables that suit the sample tiles.
func (b *baker) train(ctx context.Context) (*chunkfile.Tables, error) {
	t := chunkfile.NewTrainer(b.world)
	err := b.sample(ctx, func(info *terrain.TileInfo, verts []terrain.Vertex) { t.Add(info.Key, verts) })
	return t.Tables(), err
}

// sample makes the sample tiles and calls do with each, in order. verts are good
// until do returns.
func (b *baker) sample(ctx context.Context, do func(info *terrain.TileInfo, verts []terrain.Vertex)) error {
	s := newBands(b)
	for _, w := range s.workers {
		w.sampling = true
	}
	all := samples(b.nx, b.ny, b.cells)
	for first, n := 0, 0; first < len(all); first += n {
		// Whole rows are read once for all tiles in them, where they fit.
		n = 1
		x0, x1, y := all[first][0], all[first][0]+1, all[first][1]
		if b.plan.columns == b.nx {
			x0, x1 = 0, b.nx
			for first+n < len(all) && all[first+n][1] == y {
				n++
			}
		}
		if err := s.slab.load(s.around(s.samplesOf(x0, y, x1, y+1))); err != nil {
			return err
		}
		if err := s.tiles(ctx, all[first:first+n], do); err != nil {
			return err
		}
		b.progress(PhaseSample, first+n, len(all))
	}
	return nil
}

// tiles makes tiles that the slab has the samples for.
func (s *bands) tiles(ctx context.Context, keys [][2]int, do func(info *terrain.TileInfo, verts []terrain.Vertex)) error {
	var of []rect
	for _, k := range keys {
		of = append(of, rect{k[0], k[1], k[0] + 1, k[1] + 1})
	}
	if err := s.errors(ctx, of...); err != nil {
		return err
	}
	infos, verts := make([]terrain.TileInfo, len(keys)), make([][]terrain.Vertex, len(keys))
	err := s.each(ctx, len(keys), func(w *worker, i int) (err error) {
		x, y := keys[i][0], keys[i][1]
		w.analyse(s, x, y, x+1, y+1)
		infos[i], err = w.fill(terrain.Key{X: int32(x), Y: int32(y)})
		verts[i] = slices.Clone(w.verts)
		return err
	}, func(int) {})
	if err != nil {
		return err
	}
	for i := range keys {
		do(&infos[i], verts[i])
	}
	return nil
}
