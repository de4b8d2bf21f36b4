package bake_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

func TestSamples(t *testing.T) {
	for _, c := range []struct{ nx, ny, cells, least, most int }{
		{1, 1, 128, 1, 1}, {8, 3, 128, 24, 24}, {5, 5, 128, 20, 24}, {100, 100, 128, 16, 24}, {1000, 1, 128, 24, 24},
		{3, 5000, 64, 20, 24}, {20, 20, 2048, 1, 1}, {20, 20, 512, 4, 4},
	} {
		all := bake.Samples(c.nx, c.ny, c.cells)
		if n := len(all); n < c.least || n > c.most {
			t.Errorf("%+v: %d samples", c, n)
		}
		sorted := slices.IsSortedFunc(all, func(a, b [2]int) int { return (a[1]-b[1])*c.nx + a[0] - b[0] })
		if !sorted || len(slices.Compact(slices.Clone(all))) != len(all) {
			t.Errorf("%+v: not row by row: %v", c, all)
		}
		for _, k := range all {
			if k[0] < 0 || k[1] < 0 || k[0] >= c.nx || k[1] >= c.ny {
				t.Errorf("%+v: sample %v", c, k)
			}
		}
	}
}

// TestSampleIsTheTile: sample tiles are what the bake writes.
func TestSampleIsTheTile(t *testing.T) {
	f := testworld.Rough(500, 333, 12)
	for _, limit := range []int64{0, 40 << 20} {
		o := bake.Options{TileSize: 33, Workers: 2, MaxMem: limit}
		r, _ := baked(t, f, o)
		d, n := chunkfile.NewDecoder(), 0
		err := bake.Sample(f, o, func(info *terrain.TileInfo, verts []terrain.Vertex) {
			n++
			tile, err := r.ReadTile(d, info.Key, 0)
			if err != nil {
				t.Fatal(err)
			}
			same := func(a, b terrain.Vertex) bool {
				return a.Height == b.Height && a.Coef == b.Coef && a.Normal == b.Normal && a.Hole() == b.Hole()
			}
			if !slices.EqualFunc(tile.Verts, verts, same) {
				t.Errorf("tile %v has other vertices", info.Key)
			}
			if got := *tile.Info; got.Base != info.Base || !reflect.DeepEqual(got.Coef, info.Coef) {
				t.Errorf("tile %v: %+v, in the file %+v", info.Key, *info, got)
			}
		})
		if err != nil || n < 18 {
			t.Errorf("%d samples, %v", n, err)
		}
	}
}
