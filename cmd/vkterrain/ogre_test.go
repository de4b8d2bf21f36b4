package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/internal/shared"
)

// TestOGRESource reads OGRE's files as sources: case FILE-7 and a group.
func TestOGRESource(t *testing.T) {
	path, want := shared.Path(t, "data/ogre-dat/fuji129.dat"), referenceOf(t, "ogre-dat/fuji129.dat")
	info := ok(t, "info", path, "--json").parse(t)
	for key, v := range map[string]any{
		"kind": "ogre", "version": 2.0, "width": 129.0, "height": 129.0, "size": 129.0, "levels": 4.0,
		"min_batch": 17.0, "max_batch": 33.0, "world_size_m": 10000.0, "min": want.Min, "max": want.Max, "spacing_m": 78.125,
	} {
		if info[key] != v {
			t.Errorf("info: %s is %v, want %v", key, info[key], v)
		}
	}
	if p := info["position_m"].([]any); p[0] != 100.0 || p[1] != 0.0 || p[2] != -200.0 {
		t.Errorf("info: position %v", p)
	}
	for l, inflated := range []float64{99328, 25088, 6400, 2312} {
		if got := info["by_level"].([]any)[l].(map[string]any)["bytes_inflated"]; got != inflated {
			t.Errorf("info: level %d inflates to %v, want %v", l, got, inflated)
		}
	}
	world := filepath.Join(t.TempDir(), "w.vkt")
	baked := ok(t, "bake", path, "-o", world, "--json").parse(t)
	if baked["spacing_m"] != 78.125 || baked["max_error_m"] != 0.0 {
		t.Errorf("bake: %v", baked)
	}
	for _, f := range []string{path, world} {
		if got := hash([]byte(ok(t, "dump", f).stdout)); got != want.Hash {
			t.Errorf("dump of %s: hash %s, want %s", f, got, want.Hash)
		}
	}
	if r := ok(t, "info", path); !strings.Contains(r.stdout, "batches") || !strings.Contains(r.stdout, "99 328") || r.stderr != "" {
		t.Errorf("info for people: %+v", r)
	}

	group := shared.Path(t, "ogre/samples/group_def.dat")
	info = ok(t, "info", group, "--json").parse(t)
	if info["kind"] != "ogre" || info["terrains"] != 3.0 || info["width"] != 129.0 || info["height"] != 129.0 || info["voids"] != 4096.0 {
		t.Errorf("info of a group: %v", info)
	}
	run(t, "bake", group, "-o", world).fails(t, 4, "voids")
	run(t, "info", path, "--raw", "4x4,u8").fails(t, 4, "is an OGRE terrain")
}

// TestOGREVersions is case FILE-8.
func TestOGREVersions(t *testing.T) {
	data, err := os.ReadFile(shared.Path(t, "data/ogre-dat/fuji257.dat"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "f.dat")
	for _, version := range []byte{1, 99} {
		data[15+4] = version
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"info", "dump"} {
			run(t, command, path).fails(t, 4, "versions 1 to 2 are supported")
		}
	}
}

// TestOGRECut is case FILE-1: a file that is cut is an error at once.
func TestOGRECut(t *testing.T) {
	data, err := os.ReadFile(shared.Path(t, "data/ogre-dat/fuji257.dat"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "f.dat")
	for _, n := range []int{0, 14, 40, len(data) / 2, len(data) - 1} {
		if err := os.WriteFile(path, data[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		for _, args := range [][]string{{"info", path}, {"bake", path, "-o", filepath.Join(dir, "w.vkt")}} {
			run(t, args...).fails(t, 4, path)
		}
		if d := time.Since(start); d > 8*time.Second {
			t.Errorf("cut to %d bytes: refused after %v", n, d)
		}
	}
	left(t, dir, "f.dat")
}
