package chunkfile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// relisted writes a world in four shards of one row of tiles, and changes its
// manifest's list of them.
func relisted(t *testing.T, change func(dir string, list []chunkfile.Listed) []chunkfile.Listed) (w *world, path string) {
	t.Helper()
	w = fill(60, 100, 33, smooth(7))
	dir := t.TempDir()
	path = filepath.Join(dir, "w.vkt")
	sharded(t, w, path)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b = chunkfile.Relist(b, func(list []chunkfile.Listed) []chunkfile.Listed { return change(dir, list) })
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return w, path
}

// onlyRows checks that a world has these rows of tiles whole, and no others.
func onlyRows(t *testing.T, w *world, path string, rows ...int) {
	t.Helper()
	r, err := chunkfile.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, ny := w.Tiles()
	if len(r.Problems()) != ny-len(rows) || r.Whole() || len(r.Tiles()) != 2*len(rows) {
		t.Errorf("%d tiles, problems %v", len(r.Tiles()), r.Problems())
	}
	d := chunkfile.NewDecoder()
	for i := range w.infos {
		k := w.infos[i].Key
		has := false
		for _, row := range rows {
			has = has || int(k.Y) == row
		}
		if info := r.Tile(k); (info != nil) != has || info != nil && info.Key != k {
			t.Errorf("tile %v: %+v", k, info)
			continue
		}
		if !has {
			continue
		}
		tile, err := r.ReadTile(d, k, 0)
		if err != nil {
			t.Error(err)
		} else if msg := differs(tile.Verts, w.verts[i], w.Layout()); msg != "" {
			t.Errorf("tile %v: %s", k, msg)
		}
	}
}

// TestShardInAnothersPlace: a manifest that names one shard for another's rows.
func TestShardInAnothersPlace(t *testing.T) {
	w, path := relisted(t, func(_ string, l []chunkfile.Listed) []chunkfile.Listed {
		l[1].Name, l[1].Size, l[1].CRC = l[0].Name, l[0].Size, l[0].CRC
		return l
	})
	onlyRows(t, w, path, 0, 2, 3)
}

// TestShardThatEndsInNonsense: tiles before the nonsense leave nothing behind, and
// the shards after it keep their places.
func TestShardThatEndsInNonsense(t *testing.T) {
	w, path := relisted(t, func(dir string, l []chunkfile.Listed) []chunkfile.Listed {
		name := filepath.Join(dir, l[1].Name)
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		parts, ok := chunkfile.TakeApart(b)
		if !ok {
			t.Fatal("not taken apart")
		}
		// The last tile has an impossible coefficient.
		coefs := len(parts.Directory) - 16*terrain.LayoutFor(33).Levels
		copy(parts.Directory[coefs:], []byte{0, 0, 0xc0, 0xff})
		b, crc := parts.BuildShard()
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
		l[1].Size, l[1].CRC = int64(len(b)), crc
		return l
	})
	onlyRows(t, w, path, 0, 2, 3)
}

// TestManifestBomb: the list of shards cannot be large.
func TestManifestBomb(t *testing.T) {
	_, path := relisted(t, func(_ string, l []chunkfile.Listed) []chunkfile.Listed { return l })
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	parts, _ := chunkfile.TakeApart(b)
	parts.Directory = bytes.Repeat(parts.Directory[:1], 600<<20)
	b, _ = parts.BuildShard()
	b = chunkfile.AsManifest(b)
	parts.Directory = nil
	if len(b) > 1<<20 {
		t.Fatalf("%d bytes", len(b))
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = chunkfile.OpenFile(path)
	errorsAreClean(t, err)
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) >> 20; n > 128 {
		t.Errorf("%d MiB", n)
	}
}

// TestOverwritingKeepsOthersFiles: what a manifest names as its shard is removed with
// it only where it can be one.
func TestOverwritingKeepsOthersFiles(t *testing.T) {
	_, path := relisted(t, func(dir string, l []chunkfile.Listed) []chunkfile.Listed {
		l[2].Name = "notes.txt"
		return l
	})
	notes := filepath.Join(filepath.Dir(path), "notes.txt")
	if err := os.WriteFile(notes, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(filepath.Dir(path), "copy.vkt")
	b, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(copied, b, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	writeTo(t, fill(9, 6, 5, flat), copied)
	if n := len(namesIn(t, filepath.Dir(path))); n != 7 {
		t.Errorf("%d files are left beside a copy", n)
	}
	writeTo(t, fill(9, 6, 5, flat), path)
	if _, err := os.Stat(notes); err != nil {
		t.Error(err)
	}
	if names := strings.Join(namesIn(t, filepath.Dir(path)), " "); strings.Contains(names, "w-0000") {
		t.Errorf("files left: %s", names)
	}
}

// TestShardThatIsNoFile: a pipe in a shard's place would be waited for, for ever.
func TestShardThatIsNoFile(t *testing.T) {
	w, path := relisted(t, func(dir string, l []chunkfile.Listed) []chunkfile.Listed {
		if err := os.Remove(filepath.Join(dir, l[3].Name)); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(dir, l[3].Name), 0o777); err != nil {
			t.Fatal(err)
		}
		return l
	})
	onlyRows(t, w, path, 0, 1, 2)
	r, err := chunkfile.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if p := r.Problems(); len(p) != 1 || !strings.Contains(p[0].Error(), "not a regular file") {
		t.Errorf("problems %v", p)
	}
}

// TestWorldWithoutRadii: the law of refinement looks up a radius for each order.
func TestWorldWithoutRadii(t *testing.T) {
	w := fill(9, 6, 5, flat)
	parts, _ := chunkfile.TakeApart(write(t, w))
	const count, radii = 12, 92 // where they are
	parts.World[count] = 0
	parts.World = append(parts.World[:radii:radii], parts.World[radii+4*len(w.Radius):]...)
	_, err := open(parts.Build())
	errorsAreClean(t, err)
	w.Radius = w.Radius[1:]
	if _, err := chunkfile.Create(filepath.Join(t.TempDir(), "w.vkt"), &w.World, nil); err == nil {
		t.Error("written")
	}
}

// TestDirectoryBomb: a directory of many tiles needs a file to go with it.
func TestDirectoryBomb(t *testing.T) {
	w := fill(9, 6, 5, flat)
	w.TileSize = terrain.MaxTileSize
	w.Width, w.Height = 1000*(w.TileSize-1), 100*(w.TileSize-1)
	w.Radius = make([]float32, w.Layout().Orders())
	for i := range terrain.MaxLayers {
		w.Layers = append(w.Layers, terrain.Layer{Name: string(rune('a' + i)), Bytes: 1})
	}
	b := chunkfile.BigDirectory(&w.World, 100000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := open(b)
	runtime.ReadMemStats(&after)
	errorsAreClean(t, err)
	if n := (after.TotalAlloc - before.TotalAlloc) >> 20; n > 64 {
		t.Errorf("%d MiB for a file of %d KiB", n, len(b)>>10)
	}
}

// TestHugeCounts: numbers that an int of 32 bits does not hold.
func TestHugeCounts(t *testing.T) {
	parts, _ := chunkfile.TakeApart(write(t, fill(9, 6, 5, flat)))
	for at := 0; at < 44; at += 4 {
		old := parts.World[at+3]
		for _, v := range []byte{0x7f, 0x80, 0xff} {
			parts.World[at+3] = v
			if err := damage(parts.Build()); err != nil {
				errorsAreClean(t, err)
			}
		}
		parts.World[at+3] = old
	}
}

// TestTwoWritersOfShards: the last who began wins, as with one file.
func TestTwoWritersOfShards(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8} { // tiles of the first that are written before the second begins
		path := filepath.Join(t.TempDir(), "w.vkt")
		one, two := fill(60, 100, 33, smooth(1)), fill(60, 100, 33, smooth(2))
		wr1, err := chunkfile.Create(path, &one.World, &chunkfile.WriterOptions{ShardRows: 1})
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if err := wr1.WriteTile(&one.infos[i], one.verts[i]); err != nil {
				t.Fatal(err)
			}
		}
		wr2, err := chunkfile.Create(path, &two.World, &chunkfile.WriterOptions{ShardRows: 1})
		if err != nil {
			t.Fatal(err)
		}
		for i := range two.infos {
			if i >= n && err == nil {
				err = wr1.WriteTile(&one.infos[i], one.verts[i])
			}
			if err := wr2.WriteTile(&two.infos[i], two.verts[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := wr1.Close(); err == nil || !strings.Contains(err.Error(), "another program") {
			t.Errorf("first after %d tiles: %v", n, err)
		}
		if err := wr2.Close(); err != nil {
			t.Errorf("second after %d tiles: %v", n, err)
		}
		if names := namesIn(t, filepath.Dir(path)); len(names) != 5 {
			t.Errorf("files %q", names)
		}
		r, err := chunkfile.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Verify(func(c chunkfile.ChunkError) { t.Error(c) }); err != nil || len(r.Problems()) != 0 {
			t.Errorf("%v, problems %v", err, r.Problems())
		}
		r.Close()
	}
}
