package export_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/vkterrain/vkterrain/export"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// encoded returns the bytes of the world file of f.
func encoded(t *testing.T, f *terrain.Field, tile int) []byte {
	t.Helper()
	w := testworld.New(f, tile, 0, 0)
	path := filepath.Join(t.TempDir(), "w.vkt")
	out, err := chunkfile.Create(path, &w.World, nil)
	if err != nil {
		t.Fatal(err)
	}
	nx, ny := w.Tiles()
	for i := range nx * ny {
		tile := w.Tile(terrain.Key{X: int32(i % nx), Y: int32(i / nx)}, 0)
		if err := out.WriteTile(tile.Info, tile.Verts); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// damaged opens data with some of its bytes changed, or nil if that leaves no
// directory, and what package chunkfile finds damaged: by tile the coarsest level.
func damaged(t *testing.T, data []byte) (*chunkfile.Reader, map[terrain.Key]terrain.Level) {
	t.Helper()
	r, err := chunkfile.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, nil
	}
	levels := map[terrain.Key]terrain.Level{}
	if err := r.Verify(func(e chunkfile.ChunkError) {
		if l, ok := levels[e.Key]; !ok || e.Level > l {
			levels[e.Key] = e.Level
		}
	}); err != nil {
		t.Fatal(err)
	}
	return r, levels
}

// TestSalvage flips bytes and wants everything back that is whole, and the rest
// within what is promised.
func TestSalvage(t *testing.T) {
	f := testworld.Rough(150, 100, 8)
	data := encoded(t, f, 33)
	rng := rand.New(rand.NewPCG(1, 2))
	lost, whole := 0, 0
	for try := range 60 {
		bad := bytes.Clone(data)
		for range 1 + try%9 {
			bad[rng.IntN(len(bad))] ^= byte(1 + rng.IntN(255))
		}
		r, levels := damaged(t, bad)
		if r == nil {
			continue
		}
		s, err := export.Salvage(context.Background(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Losses) != len(levels) {
			t.Fatalf("try %d: %d tiles are damaged, %d salvaged", try, len(levels), len(s.Losses))
		}
		bound := map[terrain.Key]float64{}
		for _, l := range s.Losses {
			if levels[l.Key] != l.Level || l.Whole != (int(l.Level) == r.World().Layout().Levels-1) {
				t.Errorf("try %d: %+v, want level %d", try, l, levels[l.Key])
			}
			bound[l.Key] = l.MaxError
			lost++
			if l.Whole {
				whole++
			}
		}
		checkSalvaged(t, try, f, s, bound)
	}
	if lost == 0 || whole == 0 {
		t.Fatalf("%d tiles damaged, %d wholly: nothing was tested", lost, whole)
	}
}

// checkSalvaged compares each sample: exact if any tile with it is whole, else
// within the bound of one of its tiles.
func checkSalvaged(t *testing.T, try int, f *terrain.Field, s *export.Salvaged, bound map[terrain.Key]float64) {
	t.Helper()
	g := s.Grid()
	rows := make([]int32, g.Width*g.Height)
	if err := s.ReadRows(0, rows, nil); err != nil {
		t.Fatal(err)
	}
	for i, h := range rows {
		x, z := i%g.Width, i/g.Width
		allowed := math.Inf(1)
		for _, k := range []terrain.Key{
			{X: int32(x / 32), Y: int32(z / 32)}, {X: int32((x - 1) / 32), Y: int32(z / 32)},
			{X: int32(x / 32), Y: int32((z - 1) / 32)}, {X: int32((x - 1) / 32), Y: int32((z - 1) / 32)},
		} {
			// Beside the rim there is one tile less than the arithmetic says.
			if int(k.X)*32 >= g.Width-1 || int(k.Y)*32 >= g.Height-1 {
				continue
			}
			if e, bad := bound[k]; bad {
				allowed = min(allowed, max(e, 0)+g.Quantum/2)
			} else {
				allowed = 0
			}
		}
		if e := math.Abs(float64(h-f.Samples[i])) * g.Quantum; e > allowed && !sharedBorder(x, z, bound) {
			t.Fatalf("try %d: column %d, row %d is %v m off, at most %v", try, x, z, e, allowed)
		}
	}
}

// sharedBorder says whether a sample is one of the border of two tiles that are both
// damaged: it is within the bound of one of them, not of both.
func sharedBorder(x, z int, bound map[terrain.Key]float64) bool {
	if x%32 != 0 && z%32 != 0 {
		return false
	}
	n := 0
	for _, k := range []terrain.Key{{X: int32(x / 32), Y: int32(z / 32)}, {X: int32((x - 1) / 32), Y: int32((z - 1) / 32)},
		{X: int32((x - 1) / 32), Y: int32(z / 32)}, {X: int32(x / 32), Y: int32((z - 1) / 32)}} {
		if _, bad := bound[k]; bad {
			n++
		}
	}
	return n >= 2
}

// TestSalvageWhole wants a whole world to lose nothing, and windows of rows in any
// order to agree.
func TestSalvageWhole(t *testing.T) {
	f := testworld.Rough(100, 70, 5)
	data := encoded(t, f, 33)
	r, levels := damaged(t, data)
	s, err := export.Salvage(context.Background(), r, nil)
	if err != nil || len(levels) != 0 || len(s.Losses) != 0 || s.MaxError() != 0 {
		t.Fatalf("%v, %+v", err, s.Losses)
	}
	row, void := make([]int32, 2*100), make([]bool, 2*100)
	for z := 68; z >= 0; z -= 3 {
		if err := s.ReadRows(z, row, void); err != nil {
			t.Fatal(err)
		}
		for x, h := range row {
			if h != f.Samples[z*100+x] || void[x] {
				t.Fatalf("column %d, row %d: %d", x%100, z+x/100, h)
			}
		}
	}
}

// TestCutFile salvages what lies before a cut, in a file of version 1, whose
// directory comes first.
func TestCutFile(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "terrain", "chunkfile", "testdata", "v1.vkt"))
	if err != nil {
		t.Fatal(err)
	}
	cut := export.CutFile{R: bytes.NewReader(data[:len(data)/2]), Size: int64(len(data) / 2)}
	r, err := chunkfile.Open(cut, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := export.Salvage(context.Background(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(s.Losses); n < 1 || n > len(r.Tiles())-1 {
		t.Errorf("%d of %d tiles are lost", n, len(r.Tiles()))
	}
	row := make([]int32, r.World().Width)
	if err := s.ReadRows(0, row, nil); err != nil || row[7] != 7*7*3+7*7919%97 {
		t.Errorf("%v, %v", row[7], err)
	}
	if _, err := cut.ReadAt(make([]byte, 2), -1); err == nil {
		t.Error("a read before the file")
	}
}
