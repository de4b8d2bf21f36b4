package chunkfile_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// begun writes n tiles of w to path and is killed, having written more after it
// said its state.
func begun(t *testing.T, w *world, path string, n int) []byte {
	t.Helper()
	wr, err := chunkfile.Create(path, &w.World, nil)
	if err != nil {
		t.Fatal(err)
	}
	var state []byte
	for i := range w.infos {
		if i == n {
			if state, err = wr.State(); err != nil {
				t.Fatal(err)
			}
			if _, err := chunkfile.Resume(path, &w.World, state); err == nil || !strings.Contains(err.Error(), "another program writes this file") {
				t.Fatalf("went on with a file that is being written: %v", err)
			}
		}
		if err := wr.WriteTile(&w.infos[i], w.verts[i]); err != nil {
			t.Fatal(err)
		}
	}
	chunkfile.Kill(wr)
	return state
}

// TestResume: wherever a program was killed, the file becomes the same.
func TestResume(t *testing.T) {
	w := fill(60, 45, 17, smooth(3))
	want := write(t, w)
	for n := range w.infos {
		path := filepath.Join(t.TempDir(), "w.vkt")
		state := begun(t, w, path, n)
		wr, err := chunkfile.Resume(path, &w.World, state)
		if err != nil {
			t.Fatalf("after %d tiles: %v", n, err)
		}
		for i := n; i < len(w.infos); i++ {
			if err := wr.WriteTile(&w.infos[i], w.verts[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := wr.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("after %d tiles the file becomes another (%v)", n, err)
		}
		r, err := open(got)
		if err != nil || fmt.Sprint(r.Stats()) != fmt.Sprint(wr.Stats()) {
			t.Fatalf("after %d tiles: stats %+v, in the file %+v (%v)", n, wr.Stats(), r.Stats(), err)
		}
	}
}

// TestResumeRefuses what is damaged, cut, or another's.
func TestResumeRefuses(t *testing.T) {
	w, other := fill(60, 45, 17, smooth(3)), fill(60, 45, 9, smooth(3))
	for name, spoil := range map[string]func(partial string, state []byte) (*world, []byte){
		"another world": func(_ string, state []byte) (*world, []byte) { return other, state },
		"no state":      func(string, []byte) (*world, []byte) { return w, nil },
		"empty state":   func(string, []byte) (*world, []byte) { return w, []byte("{}") },
		"no file":       func(partial string, state []byte) (*world, []byte) { os.Remove(partial); return w, state },
		"cut": func(partial string, state []byte) (*world, []byte) {
			os.Truncate(partial, 3000)
			return w, state
		},
		"damaged": func(partial string, state []byte) (*world, []byte) {
			b, _ := os.ReadFile(partial)
			b[len(b)/2] ^= 1
			os.WriteFile(partial, b, 0o666)
			return w, state
		},
	} {
		path := filepath.Join(t.TempDir(), "w.vkt")
		state := begun(t, w, path, len(w.infos)-1)
		as, state := spoil(chunkfile.TempName(path), state)
		if _, err := chunkfile.Resume(path, &as.World, state); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
		writeTo(t, w, path) // begins anew
		if _, err := os.Stat(chunkfile.TempName(path)); !os.IsNotExist(err) {
			t.Errorf("%s: left behind: %v", name, err)
		}
	}
}
