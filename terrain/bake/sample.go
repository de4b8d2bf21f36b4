package bake

import (
	"context"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// Samples of a world are at most sampleTiles tiles, and tiles of about
// sampleVertices vertices in all; at least one tile.
const (
	sampleTiles    = 48
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
	all := samples(b.nx, b.ny, b.cells)
	for i, k := range all {
		x, y := k[0], k[1]
		x0, x1 := 0, b.nx // whole rows are read once for all tiles of them
		if b.plan.columns < b.nx {
			x0, x1 = x, x+1
		}
		if err := s.slab.load(s.around(s.samplesOf(x0, y, x1, y+1))); err != nil {
			return err
		}
		if err := s.errors(ctx, x, y, x+1, y+1); err != nil {
			return err
		}
		w := s.workers[0]
		w.sampling = true
		w.analyse(s, x, y, x+1, y+1)
		info, err := w.fill(terrain.Key{X: int32(x), Y: int32(y)})
		if err != nil {
			return err
		}
		do(&info, w.verts)
		b.progress(PhaseSample, i+1, len(all))
	}
	return nil
}
