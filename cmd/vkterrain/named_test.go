package main_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestBuiltInNames: the name of a built-in world stands for its file wherever one is read,
// and a picture of one is drawn again without it being named.
func TestBuiltInNames(t *testing.T) {
	needGPU(t)
	dir := t.TempDir()
	in := func(args ...string) result {
		cmd := command(args...)
		cmd.Dir = dir
		return finish(t, cmd)
	}
	for _, args := range [][]string{
		{"info", "islet"}, {"verify", "islet"}, {"dump", "islet", "-o", "islet.f32"}, {"diff", "islet", "islet"},
		{"export", "islet", "--format", "obj", "--error", "50", "-o", "islet.obj"},
		{"bench", "islet", "--frames", "2", "--size", "64x36", "--checks", "0"},
		{"compare", "islet", "--size", "64x36", "-o", "islet-compared.png"},
		{"render", "islet", "--size", "64x36", "-o", "islet.png"}, {"render", "--from", "islet.png", "-o", "again.png"},
	} {
		if r := in(args...); r.code != 0 {
			t.Fatalf("%v: exit code %d\n%s", args, r.code, r.stderr)
		}
	}
	var pictures [2][]byte
	for i, name := range []string{"islet.png", "again.png"} {
		var err error
		if pictures[i], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(pictures[0], pictures[1]) {
		t.Error("drawn again it is another picture")
	}
	// A file of that name comes first.
	if err := os.WriteFile(filepath.Join(dir, "islet"), []byte("no world"), 0o666); err != nil {
		t.Fatal(err)
	}
	in("verify", "islet").fails(t, 2, "islet")
}
