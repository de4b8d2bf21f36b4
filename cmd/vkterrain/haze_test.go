package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHazeLOD: blue distance hides errors unless that is turned off, air as it is only where
// that is asked for.
func TestHazeLOD(t *testing.T) {
	needGPU(t)
	_, world := small(t)
	out := filepath.Join(t.TempDir(), "a.png")
	render := func(flags ...string) (r struct {
		Haze      float64 `json:"haze_per_m"`
		Error     float64 `json:"measured_error_px"`
		Bare      float64 `json:"bare_error_px"`
		Triangles int
	}) {
		t.Helper()
		args := append([]string{"render", world, "-o", out, "--size", "96x64", "--tau", "1", "--check", "--json"}, flags...)
		if err := json.Unmarshal([]byte(ok(t, args...).stdout), &r); err != nil {
			t.Fatal(err)
		}
		if r.Error > 1 || r.Bare < r.Error || r.Haze == 0 && r.Bare != r.Error {
			t.Errorf("%v: %+v", flags, r)
		}
		return r
	}
	plain := render()
	blue := render("--fog", "blue", "--visibility", "2")
	if plain.Haze != 0 || blue.Haze < 0.0019 || blue.Triangles >= plain.Triangles || blue.Bare <= 1 {
		t.Errorf("plain %+v, blue %+v", plain, blue)
	}
	if off := render("--fog", "blue", "--visibility", "2", "--haze-lod", "off"); off.Haze != 0 || off.Triangles != plain.Triangles {
		t.Errorf("turned off: %+v", off)
	}
	if on := render("--haze-lod", "on"); on.Haze <= 0 {
		t.Errorf("turned on: %+v", on)
	}
	run(t, "render", world, "-o", out, "--fog", "off", "--visibility", "3").fails(t, 2, "needs air")
	run(t, "render", world, "-o", out, "--fog", "off", "--haze-lod", "on").fails(t, 2, "--haze-lod on needs air")
	run(t, "render", world, "-o", out, "--visibility", "-3").fails(t, 2, "--visibility")
}

// TestRenderBuiltIn draws a built-in world by its name; a file of that name comes first.
func TestRenderBuiltIn(t *testing.T) {
	needGPU(t)
	dir := t.TempDir()
	out := filepath.Join(dir, "a.png")
	if r := ok(t, "render", "islet", "-o", out, "--size", "64x36"); !strings.Contains(r.stdout, "64×36") {
		t.Errorf("%q", r.stdout)
	}
	if err := os.WriteFile(filepath.Join(dir, "islet"), []byte("no world"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := command("render", "islet", "-o", out)
	cmd.Dir = dir
	if r := finish(t, cmd); r.code == 0 {
		t.Error("a file of the name is passed over")
	}
}
