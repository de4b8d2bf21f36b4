package main_test

import (
	"path/filepath"
	"testing"
)

// TestRenderViews draws two halves, both eyes and a view from above, and measures each.
func TestRenderViews(t *testing.T) {
	needGPU(t)
	dir := t.TempDir()
	hills(t, filepath.Join(dir, "isle.png"), 257, 257)
	world := filepath.Join(dir, "isle.vkt")
	ok(t, "bake", filepath.Join(dir, "isle.png"), "-o", world, "--spacing", "20", "--tile", "65")
	for _, c := range []struct {
		args   []string
		shared bool
		views  int
	}{
		{[]string{"--split", "tau=2:8"}, false, 2},
		{[]string{"--split", "algo=soar:quadtree", "--inset"}, false, 3},
		{[]string{"--split", "view=shaded:lod"}, false, 2},
		{[]string{"--stereo", "30"}, true, 2},
	} {
		args := append([]string{"render", world, "-o", filepath.Join(dir, "p.png"), "--size", "160x90", "--tau", "2", "--check", "--json", "--validation", "require"}, c.args...)
		got := ok(t, args...).parse(t)
		views := got["views"].([]any)
		if len(views) != c.views || views[1].(map[string]any)["shared"] != c.shared || number(t, got, "cracks") > 0 {
			t.Errorf("%v: %v", c.args, got)
		}
		sum := 0.0
		for i := range views {
			v := views[i].(map[string]any)
			if sum += number(t, v, "triangles"); i < 2 && number(t, v, "measured_error_px") > number(t, v, "tau") {
				t.Errorf("%v: view %d: %v", c.args, i, v)
			}
		}
		if sum != number(t, got, "triangles") {
			t.Errorf("%v: %v triangles, %v in all views", c.args, got["triangles"], sum)
		}
	}
}

func TestWrongHalves(t *testing.T) {
	for _, text := range []string{"tau", "tau=1", "tau=1:0", "tau=1:x", "algo=soar:roam", "view=lod:night", "size=1:2"} {
		run(t, "render", "w.vkt", "-o", "p.png", "--split", text).fails(t, 2, "--split")
	}
	run(t, "render", "w.vkt", "-o", "p.png", "--split", "tau=1:2", "--stereo", "1").fails(t, 2, "--stereo")
}
