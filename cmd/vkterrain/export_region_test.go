package main_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestExportRect exports a part of a world as a progressive mesh.
func TestExportRect(t *testing.T) {
	_, world := small(t)
	dir := t.TempDir()
	info := ok(t, "info", world, "--json").parse(t)
	spacing := info["spacing_m"].(float64)
	rect := "--rect=" + plain(2*spacing) + "," + plain(3*spacing) + "," + plain(22*spacing) + "," + plain(18*spacing)
	for _, name := range []string{"m.obj", "m.stl", "m.glb", "m.ply"} {
		out, format := filepath.Join(dir, name), filepath.Ext(name)[1:]
		if format == "glb" {
			format = "gltf"
		}
		export := func(flags ...string) map[string]any {
			return ok(t, append([]string{"export", world, "--format", format, "-o", out, "--json", rect}, flags...)...).parse(t)
		}
		if r := export(); r["vertices"] != 21.*16 || r["triangles"] != 2*20.*15 || r["measured_error_m"] != 0. {
			t.Errorf("%s in full: %v", name, r)
		}
		if r := export("--vertices", "100"); r["vertices"].(float64) > 100 || r["vertices"].(float64) < 99 {
			t.Errorf("%s, 100 vertices: %v", name, r)
		}
		if r := export("--error", "5"); r["measured_error_m"].(float64) > 5 || r["vertices"].(float64) >= 21*16 {
			t.Errorf("%s, 5 m: %v", name, r)
		}
		if r := export("--vertices", "50", "--base", "10"); r["closed"] != true {
			t.Errorf("%s, closed: %v", name, r)
		}
	}
	for want, flags := range map[string][]string{
		"west,north,east,south":      {"--rect", "1,2,3"},
		"west must be below east":    {"--rect", "5,0,4,9"},
		"no two samples":             {"--rect", "1e7,1e7,2e7,2e7"},
		"--vertices is for a --rect": {"--vertices", "5"},
		"none matters to --rect":     {rect, "--yaw", "3"},
		"--tau is for a camera":      {rect, "--tau", "2"},
		"--size is for a camera":     {rect, "--size", "640x360", "--error", "2"},
		"--cull is for a camera":     {rect, "--cull", "off", "--vertices", "9"},
		"--vertices 0":               {rect, "--vertices", "0"},
		"one says how much is left":  {rect, "--vertices", "5", "--error", "2"},
	} {
		run(t, append([]string{"export", world, "--format", "obj", "-o", filepath.Join(dir, "x.obj")}, flags...)...).fails(t, 2, want)
	}
	// An outline is kept, so a rectangle has its corners at least; nothing is written beyond
	// what was allowed.
	few := run(t, "export", world, "--format", "obj", "-o", filepath.Join(dir, "few.obj"), rect, "--vertices", "1")
	if _, err := os.Stat(filepath.Join(dir, "few.obj")); few.code != 2 || !strings.Contains(few.stderr, "--vertices 1: this rectangle has ") || err == nil {
		t.Errorf("%+v, %v", few, err)
	}
	run(t, "export", world, "--format", "raw", "-o", filepath.Join(dir, "x.raw"), rect).fails(t, 2, "--rect is for meshes")
}

func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
