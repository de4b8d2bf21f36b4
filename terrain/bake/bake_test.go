package bake_test

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// baked bakes f into a temporary file and opens it.
func baked(t testing.TB, f *terrain.Field, o bake.Options) (*chunkfile.Reader, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "world.vkt")
	if _, err := bake.Bake(context.Background(), f, o, path); err != nil {
		t.Fatal(err)
	}
	r, err := chunkfile.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, path
}

// TestSamplesSurvive checks every sample of sources of awkward sizes: nothing
// is lost, stretched or moved, and padding repeats the rim.
func TestSamplesSurvive(t *testing.T) {
	for _, size := range [][2]int{{2, 2}, {17, 17}, {18, 17}, {16, 33}, {50, 41}, {33, 70}, {3, 90}} {
		f := testworld.Rough(size[0], size[1], 7)
		r, _ := baked(t, f, bake.Options{TileSize: 17, OriginX: -5, OriginZ: 12.5})
		w, layout := r.World(), r.World().Layout()
		if w.Width != f.Width || w.Height != f.Height || w.OriginX != -5 || w.OriginZ != 12.5 {
			t.Errorf("%v: world %+v", size, w)
		}
		coefs := terrain.Coefficients(f, layout.Cells, 1)
		d := chunkfile.NewDecoder()
		for _, info := range r.Tiles() {
			tile, err := r.ReadTile(d, info.Key, 0)
			if err != nil {
				t.Fatal(err)
			}
			for id, g := range layout.Grid {
				x, z := int(info.Key.X)*layout.Cells+int(g.X), int(info.Key.Y)*layout.Cells+int(g.Z)
				v := tile.Verts[id]
				if got, want := info.Base+int32(v.Height), f.At(x, z); got != want {
					t.Fatalf("%v: sample %d,%d is %d, want %d", size, x, z, got, want)
				}
				c := terrain.CoefMetres(v.Coef)
				if c < coefs.At(x, z) {
					t.Fatalf("%v: coefficient of %d,%d is %v, below %v", size, x, z, c, coefs.At(x, z))
				}
				level := layout.LevelAt(int(g.X), int(g.Z))
				if !math.IsInf(float64(c), 1) && c > info.Coef[level] {
					t.Fatalf("%v: tile %v level %d: coefficient %v above the tile's %v", size, info.Key, level, c, info.Coef[level])
				}
			}
		}
	}
}
