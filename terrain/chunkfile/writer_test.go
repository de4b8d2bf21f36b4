package chunkfile_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// onlyFile fails t unless the folder of path holds just path, with bytes want.
func onlyFile(t *testing.T, path string, want []byte) {
	t.Helper()
	list, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if e.Name() != filepath.Base(path) {
			t.Errorf("%s was left behind", e.Name())
		}
	}
	got, err := os.ReadFile(path)
	if want == nil && !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file is at %s: %v", path, err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%d bytes at %s, want %d", len(got), path, len(want))
	}
}

func TestAbortLeavesWhatWasThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.vkt")
	w := fill(9, 9, 5, flat)
	wr, err := chunkfile.Create(path, &w.World, nil)
	if err != nil {
		t.Fatal(err)
	}
	wr.Abort()
	onlyFile(t, path, nil)

	old := []byte("the old world")
	if err := os.WriteFile(path, old, 0o666); err != nil {
		t.Fatal(err)
	}
	if wr, err = chunkfile.Create(path, &w.World, nil); err != nil {
		t.Fatal(err)
	}
	if err := wr.WriteTile(&w.infos[0], w.verts[0]); err != nil {
		t.Fatal(err)
	}
	wr.Abort()
	wr.Abort()
	if wr.Close() == nil {
		t.Error("Close after Abort succeeds")
	}
	onlyFile(t, path, old)
}

func TestCloseRefusesAWorldWithHoles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.vkt")
	w := fill(9, 9, 5, flat)
	wr, err := chunkfile.Create(path, &w.World, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := wr.WriteTile(&w.infos[0], w.verts[0]); err != nil {
		t.Fatal(err)
	}
	if err := wr.Close(); err == nil || !strings.Contains(err.Error(), "1 tiles written, the world has 4") {
		t.Errorf("Close: %v", err)
	}
	onlyFile(t, path, nil)
}

func TestWriterRefusesNonsense(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "w.vkt")
	w := fill(9, 9, 5, flat)
	bad := w.infos[0]
	bad.Max = bad.Base + 70000
	wr, err := chunkfile.Create(path, &w.World, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := wr.WriteTile(&bad, w.verts[0]); err == nil {
		t.Error("a tile higher than 16 bits is written")
	}
	if err := wr.Close(); err == nil {
		t.Error("Close forgets that a tile failed")
	}
	onlyFile(t, path, nil)

	wrong := w.World
	wrong.Quantum = 0
	if _, err := chunkfile.Create(path, &wrong, nil); err == nil {
		t.Error("a world without quantum is created")
	}
	if _, err := chunkfile.Create(dir, &w.World, nil); err == nil {
		t.Error("a folder is overwritten")
	}
	if _, err := chunkfile.Create(filepath.Join(dir, "none", "w.vkt"), &w.World, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	onlyFile(t, path, nil)
}

// TestStaleFileIsReplaced: a killed program leaves its temporary file.
func TestStaleFileIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.vkt")
	if err := os.WriteFile(chunkfile.TempName(path), []byte("half a world"), 0o666); err != nil {
		t.Fatal(err)
	}
	w := fill(9, 9, 5, smooth(1))
	writeTo(t, w, path)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	onlyFile(t, path, b)
	same(t, w, b)
}

// TestTwoWritersOfOnePath: the second wins, the first says so, and the result
// is whole.
func TestTwoWritersOfOnePath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.vkt")
	one, two := fill(5, 5, 5, smooth(1)), fill(5, 5, 5, smooth(2))
	wr1, err := chunkfile.Create(path, &one.World, nil)
	if err != nil {
		t.Fatal(err)
	}
	wr2, err := chunkfile.Create(path, &two.World, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := wr1.WriteTile(&one.infos[0], one.verts[0]); err != nil {
		t.Fatal(err)
	}
	if err := wr2.WriteTile(&two.infos[0], two.verts[0]); err != nil {
		t.Fatal(err)
	}
	if err := wr1.Close(); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("first: %v", err)
	}
	if err := wr2.Close(); err != nil {
		t.Errorf("second: %v", err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	onlyFile(t, path, b)
	same(t, two, b)
}

// TestEncodersAgree: an encoder's past does not show in its output.
func TestEncodersAgree(t *testing.T) {
	w := fill(65, 65, 33, smooth(1))
	used := chunkfile.NewEncoder(&w.World, nil)
	for i := range w.infos {
		used.EncodeTile(&w.infos[i], w.verts[i])
	}
	dir := t.TempDir()
	var files [2][]byte
	for f, enc := range []func() *chunkfile.Encoder{
		func() *chunkfile.Encoder { return used },
		func() *chunkfile.Encoder { return chunkfile.NewEncoder(&w.World, nil) },
	} {
		path := filepath.Join(dir, "w.vkt")
		wr, err := chunkfile.Create(path, &w.World, nil)
		if err != nil {
			t.Fatal(err)
		}
		encoded := make([]*chunkfile.Encoded, len(w.infos))
		for i := len(encoded) - 1; i >= 0; i-- { // coded in any order
			encoded[i] = enc().EncodeTile(&w.infos[i], w.verts[i])
		}
		for _, e := range encoded {
			if err := wr.WriteEncoded(e); err != nil {
				t.Fatal(err)
			}
		}
		if err := wr.Close(); err != nil {
			t.Fatal(err)
		}
		if files[f], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("files differ")
	}
}

func TestTilesInOrder(t *testing.T) {
	w := fill(9, 9, 5, flat)
	wr, err := chunkfile.Create(filepath.Join(t.TempDir(), "w.vkt"), &w.World, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer wr.Abort()
	defer func() {
		if p := recover(); p == nil {
			t.Error("a tile out of order is written")
		}
	}()
	_ = wr.WriteTile(&terrain.TileInfo{Key: terrain.Key{X: 1}}, w.verts[1])
}
