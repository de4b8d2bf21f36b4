package chunkfile_test

import (
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// TestRanges reads all chunks of a tile at once, in a world of several files, and
// decodes them one by one.
func TestRanges(t *testing.T) {
	w := fill(60, 100, 33, smooth(7))
	path := filepath.Join(t.TempDir(), "w.vkt")
	sharded(t, w, path)
	r, err := chunkfile.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	layout, d := w.Layout(), chunkfile.NewDecoder()
	files := map[int]bool{}
	for i := range w.infos {
		k := w.infos[i].Key
		file, from, _ := r.Place(k, terrain.Level(layout.Levels-1))
		_, last, size := r.Place(k, 0)
		files[file] = true
		b := make([]byte, last+size-from)
		if err := r.ReadRange(file, b, from); err != nil {
			t.Fatal(err)
		}
		verts := make([]terrain.Vertex, layout.Count(0))
		for l := layout.Levels - 1; l >= 0; l-- {
			level := terrain.Level(l)
			_, at, size := r.Place(k, level)
			chunk := b[at-from:][:size]
			if err := r.DecodeLevel(d, verts, k, level, chunk); err != nil {
				t.Fatal(err)
			}
			chunk[0] ^= 1
			if err := r.DecodeLevel(d, verts, k, level, chunk); !errors.Is(err, chunkfile.ErrCorrupt) {
				t.Errorf("a damaged chunk gives %v", err)
			}
			chunk[0] ^= 1
			if err := r.DecodeLevel(d, verts, k, level, chunk[1:]); err == nil {
				t.Error("half a chunk is decoded")
			}
			if err := r.DecodeLevel(d, verts, k, level, chunk); err != nil {
				t.Fatal(err)
			}
		}
		if msg := differs(verts, w.verts[i], layout); msg != "" {
			t.Errorf("tile %v: %s", k, msg)
		}
	}
	if len(files) != 4 {
		t.Errorf("%d files are read, want 4", len(files))
	}
	if err := r.ReadRange(0, make([]byte, 8), 1<<40); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("beyond the end: %v", err)
	}
	if err := r.ReadRange(4, make([]byte, 8), 0); !errors.Is(err, chunkfile.ErrMissing) {
		t.Errorf("of a file that there is not: %v", err)
	}
}
