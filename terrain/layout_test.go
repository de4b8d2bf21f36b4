package terrain_test

import (
	"math"
	"testing"

	"github.com/vkterrain/vkterrain/terrain"
)

func TestLayoutIsLevelOrdered(t *testing.T) {
	for _, size := range []int{3, 5, 9, 17, 129, 257} {
		l := terrain.LayoutFor(size)
		if len(l.Grid) != size*size {
			t.Fatalf("size %d: %d ids", size, len(l.Grid))
		}
		next := 0
		for level := l.Levels - 1; level >= 0; level-- {
			lo, hi := l.Range(terrain.Level(level))
			if lo != next {
				t.Fatalf("size %d level %d starts at %d, want %d", size, level, lo, next)
			}
			for id := lo; id < hi; id++ {
				p := l.Grid[id]
				if l.LevelAt(int(p.X), int(p.Z)) != terrain.Level(level) {
					t.Fatalf("size %d: id %d at %v is not of level %d", size, id, p, level)
				}
				if l.ID[int(p.Z)*size+int(p.X)] != uint32(id) {
					t.Fatalf("size %d: id %d does not invert", size, id)
				}
			}
			next = hi
		}
		if next != size*size {
			t.Fatalf("size %d: levels hold %d", size, next)
		}
	}
}

func TestNormalCoding(t *testing.T) {
	if x, y, z := terrain.DecodeNormal(terrain.EncodeNormal(0, 1, 0)); x != 0 || y != 1 || z != 0 {
		t.Fatalf("up became %g %g %g", x, y, z)
	}
	worst := 1.0
	for a := 0.0; a < 2*math.Pi; a += 0.03 {
		for e := 0.0; e < math.Pi/2; e += 0.02 {
			nx, ny, nz := math.Cos(a)*math.Sin(e), math.Cos(e), math.Sin(a)*math.Sin(e)
			x, y, z := terrain.DecodeNormal(terrain.EncodeNormal(nx, ny, nz))
			worst = min(worst, x*nx+y*ny+z*nz)
		}
	}
	if deg := math.Acos(worst) * 180 / math.Pi; deg > 0.95 {
		t.Fatalf("worst normal is off by %.2f degrees", deg)
	}
}

// checkTileAt wants the tile of a column, and of the row beside it, to begin at its corner.
func checkTileAt(t *testing.T, w *terrain.World, k int64) {
	t.Helper()
	x, z := float64(k)*128, float64(k^1)*128
	west := max(k-1, math.MinInt32)
	if got, beside := w.TileAt(x, z+127.5), w.TileAt(x-0.5, z); got != (terrain.Key{X: int32(k), Y: int32(k ^ 1)}) || beside != (terrain.Key{X: int32(west), Y: int32(k ^ 1)}) {
		t.Fatalf("tile %d, %d: its corner is in %v, what is west of it in %v", k, k^1, got, beside)
	}
}

// TestTileKeysFloor is case PAGE-1.
func TestTileKeysFloor(t *testing.T) {
	w := &terrain.World{Width: 1025, Height: 1025, TileSize: 129, Spacing: 1}
	for _, c := range []struct {
		x, z float64
		want terrain.Key
	}{{-0.5, -0.5, terrain.Key{X: -1, Y: -1}}, {0, 0, terrain.Key{}}, {128, 127.9, terrain.Key{X: 1}}} {
		if got := w.TileAt(c.x, c.z); got != c.want {
			t.Errorf("(%g, %g) is in %v, want %v", c.x, c.z, got, c.want)
		}
	}
	// All tiles of 16 bits, and the last ones of all: their corners and what lies west of them.
	w.Endless = true
	for _, k := range []int64{math.MinInt32, math.MinInt32 + 1, -1 << 16, 1 << 16, math.MaxInt32 - 1, math.MaxInt32} {
		checkTileAt(t, w, k)
	}
	for k := int64(math.MinInt16); k <= math.MaxInt16; k++ {
		checkTileAt(t, w, k)
	}
	w.Endless = false
	if nx, ny := w.Tiles(); nx != 8 || ny != 8 {
		t.Errorf("%d×%d tiles", nx, ny)
	}
}
