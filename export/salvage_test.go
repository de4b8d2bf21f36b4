package export_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// TestSalvageLayer wants a layer of bytes back as a picture, and what is lost of it
// from the coarser levels.
func TestSalvageLayer(t *testing.T) {
	f := testworld.Rough(60, 60, 5)
	w := testworld.New(f, 33, 0, 0)
	w.Layers = []terrain.Layer{{Name: "colour", Bytes: 3}}
	path := filepath.Join(t.TempDir(), "w.vkt")
	out, err := chunkfile.Create(path, &w.World, nil)
	if err != nil {
		t.Fatal(err)
	}
	colour := func(x, z int) [3]uint8 { return [3]uint8{uint8(4 * x), uint8(4 * z), uint8(x ^ z)} }
	layout := w.Layout()
	for i := range 4 {
		k := terrain.Key{X: int32(i % 2), Y: int32(i / 2)}
		var layer []byte
		for _, p := range layout.Grid {
			c := colour(min(int(k.X)*32+int(p.X), 59), min(int(k.Y)*32+int(p.Z), 59))
			layer = append(layer, c[:]...)
		}
		tile := w.Tile(k, 0)
		if err := out.WriteTile(tile.Info, tile.Verts, layer); err != nil {
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
	good, changed := 0, 0
	for at := 64; at < len(data); at += 331 {
		bad := bytes.Clone(data)
		bad[at] ^= 1
		r, err := chunkfile.Open(bytes.NewReader(bad), int64(len(bad)))
		if err != nil {
			continue
		}
		s, err := export.Salvage(context.Background(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := s.Layer(0)
		if err != nil {
			t.Fatal(err)
		}
		wrong, seams := map[terrain.Key]bool{}, 0
		for z := range 60 {
			for x := range 60 {
				p := m.NRGBAAt(x, z)
				if c := colour(x, z); [3]uint8{p.R, p.G, p.B} != c {
					if x == 32 || z == 32 {
						seams++
					}
					wrong[terrain.Key{X: int32(x / 32), Y: int32(z / 32)}] = true
				}
				if p.A != 255 {
					t.Fatalf("column %d, row %d is transparent", x, z)
				}
			}
		}
		if len(wrong) > 4 {
			t.Fatalf("byte %d: %d tiles have other colours", at, len(wrong))
		}
		if len(wrong) == 0 {
			good++
		} else {
			changed++
			if len(wrong) == 1 && seams > 0 {
				t.Errorf("byte %d: the colours of seams are lost though their other tile has them", at)
			}
		}
	}
	if good == 0 || changed == 0 {
		t.Errorf("%d files kept all colours, %d lost some", good, changed)
	}
}

// TestMissingShard wants a world that lacks a file to be salvaged, and to be refused
// where its heights are asked for as they were.
func TestMissingShard(t *testing.T) {
	f := testworld.Rough(100, 130, 5)
	w := testworld.New(f, 33, 0, 0)
	dir := t.TempDir()
	path := filepath.Join(dir, "w.vkt")
	out, err := chunkfile.Create(path, &w.World, &chunkfile.WriterOptions{ShardRows: 2})
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
	names, err := filepath.Glob(filepath.Join(dir, "w*"))
	if err != nil || len(names) != 4 {
		t.Fatalf("%q, %v: want a manifest and three shards", names, err)
	}
	slices.Sort(names)
	if err := os.Remove(names[1]); err != nil { // the second shard; the manifest is the last
		t.Fatal(err)
	}
	r, err := chunkfile.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := export.Salvage(context.Background(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Losses) != 2*nx || !s.Losses[0].Whole || s.Losses[0].Key.Y != 2 {
		t.Errorf("%+v", s.Losses)
	}
	bound := map[terrain.Key]float64{}
	for _, l := range s.Losses {
		bound[l.Key] = l.MaxError
	}
	checkSalvaged(t, 0, f, s, bound)
	rows := export.NewRows(context.Background(), r, 0, 1)
	if err := rows.Read(0, make([]int32, 100), nil); err != nil {
		t.Errorf("a row that there is: %v", err)
	}
	if err := rows.Read(70, make([]int32, 100), nil); err == nil || !strings.Contains(err.Error(), "vkterrain repair") {
		t.Errorf("a row that is missing: %v", err)
	}
	if _, err := export.Build(context.Background(), r, export.Options{}); err == nil || !strings.Contains(err.Error(), "vkterrain repair") {
		t.Errorf("a mesh of what is missing: %v", err)
	}
}
