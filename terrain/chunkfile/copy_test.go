package chunkfile_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// layered is a world with two layers, and what they hold of each vertex.
func layered() (*world, [][]byte) {
	w := fill(60, 40, 17, smooth(7))
	w.Layers = []terrain.Layer{{Name: "a", Bytes: 1}, {Name: "b", Bytes: 3}}
	n := len(w.Layout().Grid)
	layers := [][]byte{make([]byte, n), make([]byte, 3*n)}
	for i := range layers[1] {
		layers[0][i/3], layers[1][i] = byte(i/50), byte(i*i/90)
	}
	return w, layers
}

// TestCopiesAreTheSame: tiles that are copied as they are stored make the same file,
// and one in memory reads as in the file.
func TestCopiesAreTheSame(t *testing.T) {
	w, layers := layered()
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.vkt"), filepath.Join(dir, "second.vkt")
	wr, err := chunkfile.Create(first, &w.World, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range w.infos {
		if err := wr.WriteTile(&w.infos[i], w.verts[i], layers...); err != nil {
			t.Fatal(err)
		}
	}
	if err := wr.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := chunkfile.OpenFile(first)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if wr, err = chunkfile.Create(second, r.World(), &chunkfile.WriterOptions{Tables: r.Tables()}); err != nil {
		t.Fatal(err)
	}
	d := chunkfile.NewDecoder()
	for _, info := range r.Tiles() {
		e, err := r.ReadEncoded(info.Key)
		if err != nil {
			t.Fatal(err)
		}
		want, err := r.ReadTile(d, info.Key, 0)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]terrain.Vertex, len(want.Verts))
		for l := w.Layout().Levels - 1; l >= 0; l-- {
			if err := e.ReadLevel(d, r.World(), r.Tables(), got, terrain.Level(l)); err != nil {
				t.Fatal(err)
			}
			if stored, _ := r.LevelBytes(info.Key, terrain.Level(l)); e.LevelBytes(terrain.Level(l)) != stored {
				t.Errorf("tile %v level %d: %d bytes", info.Key, l, e.LevelBytes(terrain.Level(l)))
			}
		}
		if !slices.Equal(got, want.Verts) {
			t.Fatalf("tile %v in memory is another", info.Key)
		}
		if err := wr.WriteEncoded(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := wr.Close(); err != nil {
		t.Fatal(err)
	}
	a, _ := os.ReadFile(first)
	b, _ := os.ReadFile(second)
	if len(a) == 0 || !bytes.Equal(a, b) {
		t.Errorf("a copy of %d bytes has %d others", len(a), len(b))
	}

	// A byte of each level and layer that is not as it was.
	for at := 64; at < len(a)*9/10; at += 7 {
		bad := bytes.Clone(a)
		bad[at] ^= 4
		r, err := chunkfile.Open(bytes.NewReader(bad), int64(len(bad)))
		if err != nil {
			break // the directory
		}
		found := false
		for _, info := range r.Tiles() {
			_, err := r.ReadEncoded(info.Key)
			if err != nil && (!errors.Is(err, chunkfile.ErrCorrupt) || !strings.Contains(err.Error(), "level")) {
				t.Fatal(err)
			}
			found = found || err != nil
		}
		if !found {
			t.Fatalf("byte %d is wrong, and nobody says so", at)
		}
	}
}

// TestReady: a file takes its place only if whoever wrote it agrees.
func TestReady(t *testing.T) {
	w := fill(20, 20, 17, smooth(7))
	path := filepath.Join(t.TempDir(), "w.vkt")
	for _, refuse := range []error{errors.New("no"), nil} {
		var ready string
		wr, err := chunkfile.Create(path, &w.World, &chunkfile.WriterOptions{Ready: func(name string) error {
			if _, err := os.Stat(path); err == nil {
				t.Error("it is in place already")
			}
			r, err := chunkfile.OpenFile(name)
			if err != nil {
				t.Fatal(err)
			}
			ready = name
			return errors.Join(refuse, r.Close())
		}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range w.infos {
			if err := wr.WriteTile(&w.infos[i], w.verts[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := wr.Close(); (err != nil) != (refuse != nil) || ready == "" {
			t.Errorf("%v: %v", refuse, err)
		}
		if names := namesIn(t, filepath.Dir(path)); len(names) != map[bool]int{true: 1}[refuse == nil] {
			t.Errorf("%v: files %q", refuse, names)
		}
	}
}
