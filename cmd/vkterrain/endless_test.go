package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEndless renders and flies over the world without a rim.
func TestEndless(t *testing.T) {
	needGPU(t)
	dir := t.TempDir()
	r := ok(t, "render", "endless", "-o", filepath.Join(dir, "e.png"), "--size", "96x64", "--tau", "4", "--eye=-50000,1500,120000", "--check", "--json")
	var report struct {
		MeasuredErrorPx float64 `json:"measured_error_px"`
		Cracks          int
		CheckedSamples  int `json:"checked_samples"`
		Triangles       int
	}
	if err := json.Unmarshal([]byte(r.stdout), &report); err != nil {
		t.Fatal(err)
	}
	if report.MeasuredErrorPx > 4 || report.Cracks > 0 || report.CheckedSamples < 10000 || report.Triangles < 200 {
		t.Errorf("%+v", report)
	}
	for _, command := range []string{"info", "export --format raw -o x.raw", "dump"} {
		run(t, append(strings.Fields(command), "endless")...).fails(t, 4, "endless: this world without a rim is made as one flies and has no file")
	}
	run(t, "repair", "coast", "-o", filepath.Join(dir, "r.vkt")).fails(t, 4, "demo coast makes this built-in world")
	run(t, "bench", "endless", "--flight", "dive").fails(t, 2, "the endless world has only endless")
	run(t, "render", "endless", "-o", filepath.Join(dir, "e.png"), "--algo", "billod").fails(t, 2, "no BilLOD")
	run(t, "render", "endless", "-o", filepath.Join(dir, "e.png"), "--algo", "billod", "--billod", "classic").fails(t, 2, "no BilLOD")
	run(t, "render", "endless", "-o", filepath.Join(dir, "e.png"), "--props", fileOf(t, "hut.obj", []byte(hut))+",density=map.png").fails(t, 2, "no sides")
	r = ok(t, "render", "endless", "-o", filepath.Join(dir, "e.png"), "--size", "96x64", "--eye=4000,190,-36000", "--props", "on", "--props-reach", "300", "--json")
	var standing map[string]any
	if err := json.Unmarshal([]byte(r.stdout), &standing); err != nil || number(t, standing, "props_instances") < 100 {
		t.Errorf("%v: %s", err, r.stdout)
	}
	// A file of that name comes first.
	cmd := command("render", "endless", "-o", "e.png")
	cmd.Dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(cmd.Dir, "endless"), []byte("no world"), 0o600); err != nil {
		t.Fatal(err)
	}
	finish(t, cmd).fails(t, 4, "endless: ")
}
