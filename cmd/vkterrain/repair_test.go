package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// spoil writes a copy of a world with a byte changed at each of some places, counted
// from the end of its chunks.
func spoil(t *testing.T, world, path string, places ...int) {
	t.Helper()
	data, err := os.ReadFile(world)
	if err != nil {
		t.Fatal(err)
	}
	end := int(lastChunk(t, world))
	for _, p := range places {
		data[end-p] ^= 0x10
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestRepair(t *testing.T) {
	_, world := small(t)
	dir := t.TempDir()
	bad, fixed := filepath.Join(dir, "bad.vkt"), filepath.Join(dir, "fixed.vkt")
	spoil(t, world, bad, 1, 20000, 20001, 45000)
	if r := run(t, "verify", bad); r.code != 1 {
		t.Fatalf("verify: %+v", r)
	}
	report := ok(t, "repair", bad, "-o", fixed, "--json").parse(t)
	lost := report["lost"].([]any)
	if report["whole"] != false || report["cut"] != false || len(lost) == 0 || len(lost) > 4 || report["tiles"] != 12.0 {
		t.Errorf("%v", report)
	}
	worst := 0.0
	for _, l := range lost {
		worst = max(worst, l.(map[string]any)["max_error_m"].(float64))
	}
	if report["max_error_m"] != worst || worst == 0 {
		t.Errorf("at most %v m off in all, %v in a tile", report["max_error_m"], worst)
	}
	ok(t, "verify", fixed)
	h := answer(t, 1, world, fixed, "--heights")["heights"].(map[string]any)
	if e := h["max_abs_m"].(float64); e == 0 || e > worst {
		t.Errorf("%v m off, at most %v said", e, worst)
	}
	info, was := ok(t, "info", fixed, "--json").parse(t), ok(t, "info", world, "--json").parse(t)
	for _, key := range []string{"width", "height", "tile_size", "tiles", "spacing_m", "quantum_m", "crs", "max_error_m"} {
		if a, b := info[key], was[key]; a != b {
			t.Errorf("%s was %v, is %v", key, b, a)
		}
	}
	if r := ok(t, "repair", bad, "-o", fixed); !strings.Contains(r.stdout, "finest levels are lost") {
		t.Errorf("%+v", r)
	}
}

// TestRepairOneLevel wants one lost level to be said as one.
func TestRepairOneLevel(t *testing.T) {
	_, world := small(t)
	dir := t.TempDir()
	bad, fixed := filepath.Join(dir, "bad.vkt"), filepath.Join(dir, "fixed.vkt")
	spoil(t, world, bad, 1)
	r := ok(t, "repair", bad, "-o", fixed)
	if lost := ok(t, "repair", bad, "-o", fixed, "--json").parse(t)["lost"].([]any); len(lost) != 1 || lost[0].(map[string]any)["levels"] != 1.0 {
		t.Fatalf("lost %v", lost)
	}
	if !strings.Contains(r.stdout, ": its finest level is lost; ") {
		t.Errorf("%+v", r)
	}
}

// TestRepairWhole wants a copy of a world that is whole.
func TestRepairWhole(t *testing.T) {
	_, world := small(t)
	fixed := filepath.Join(t.TempDir(), "fixed.vkt")
	if report := ok(t, "repair", world, "-o", fixed, "--json").parse(t); report["whole"] != true || len(report["lost"].([]any)) != 0 {
		t.Errorf("%v", report)
	}
	a, err := os.ReadFile(world)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(fixed); err != nil || string(a) != string(b) {
		t.Errorf("no copy: %v", err)
	}
}

// TestRepairCut repairs a file that is cut at several places: one of version 1, for
// later ones end with their directory.
func TestRepairCut(t *testing.T) {
	_, world := small(t)
	dir := t.TempDir()
	data, err := os.ReadFile(filepath.Join("..", "..", "terrain", "chunkfile", "testdata", "v1.vkt"))
	if err != nil {
		t.Fatal(err)
	}
	bad, fixed := filepath.Join(dir, "bad.vkt"), filepath.Join(dir, "fixed.vkt")
	for _, n := range []int{len(data) - 100, len(data) * 3 / 4, len(data) / 3} {
		if err := os.WriteFile(bad, data[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		report := ok(t, "repair", bad, "-o", fixed, "--json").parse(t)
		if report["cut"] != true || len(report["lost"].([]any)) == 0 {
			t.Errorf("cut to %d of %d bytes: %v", n, len(data), report)
		}
		ok(t, "verify", fixed)
	}
	for _, n := range []int{0, 1, 14, 200} {
		if err := os.WriteFile(bad, data[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		run(t, "repair", bad, "-o", filepath.Join(dir, "none.vkt")).fails(t, 4, bad)
	}
	if data, err = os.ReadFile(world); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bad, data[:len(data)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	run(t, "repair", bad, "-o", filepath.Join(dir, "none.vkt")).fails(t, 4, "the file is cut")
	left(t, dir, "bad.vkt", "fixed.vkt")
}

// TestShards: a world in shards says so, misses one by name and count, and is not
// taken for whole where it is a part.
func TestShards(t *testing.T) {
	raster, _ := small(t)
	dir := t.TempDir()
	world := filepath.Join(dir, "w.vkt")
	ok(t, "bake", raster, "-o", world, "--shard-rows", "1", "--tile", "65", "--progress", "none")
	i := ok(t, "info", world, "--json").parse(t)
	if i["files"] != 3.0 || i["version"] != 2.0 || i["problems"] != nil {
		t.Errorf("info: %v", i)
	}
	ok(t, "verify", world)
	names, err := filepath.Glob(filepath.Join(dir, "w-*.vkt"))
	if err != nil || len(names) != 3 {
		t.Fatalf("shards %v: %v", names, err)
	}
	run(t, "export", world, "--format", "raw", "-o", names[1]).fails(t, 2, "is not written over")
	run(t, "repair", names[1], "-o", filepath.Join(dir, "x.vkt")).fails(t, 2, "is a shard")
	if i := ok(t, "info", names[1], "--json").parse(t); i["shard"] != true {
		t.Errorf("info of a shard: %v", i)
	}
	if err := os.Remove(names[1]); err != nil {
		t.Fatal(err)
	}
	r := run(t, "verify", world)
	if r.code != 1 || !strings.Contains(r.stdout, "16 of 48 chunks damaged") || !strings.Contains(r.stdout, "all of its 16 chunks") || !strings.Contains(r.stdout, filepath.Base(names[1])) {
		t.Errorf("verify: %+v", r)
	}
	fixed := filepath.Join(dir, "fixed.vkt")
	ok(t, "repair", world, "-o", fixed)
	if i := ok(t, "info", fixed, "--json").parse(t); !strings.HasPrefix(fmt.Sprint(i["note"]), "repaired: 4 of 12 tiles") {
		t.Errorf("info of what was repaired: %v", i)
	}
	run(t, "render", fixed, "-o", filepath.Join(dir, "x.jpg")).fails(t, 2, "pictures are PNG")
}

func TestRepairRefuses(t *testing.T) {
	raster, world := small(t)
	dir := t.TempDir()
	run(t, "repair", raster, "-o", filepath.Join(dir, "x")).fails(t, 4, "not a world file")
	run(t, "repair", world, "-o", world).fails(t, 2, "both source and result")
	run(t, "repair", world, "-o", filepath.Join(dir, "none", "x")).fails(t, 5, "no such file")
	bad := filepath.Join(dir, "bad.vkt")
	data, err := os.ReadFile(world)
	if err != nil {
		t.Fatal(err)
	}
	data[20] ^= 1 // the header
	if err := os.WriteFile(bad, data, 0o666); err != nil {
		t.Fatal(err)
	}
	run(t, "repair", bad, "-o", filepath.Join(dir, "x")).fails(t, 4, "header")
	left(t, dir, "bad.vkt")
}
