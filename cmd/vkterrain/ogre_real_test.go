package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// realOGRE runs a program that is built against OGRE itself and returns the JSON
// line that it prints.
func realOGRE(t *testing.T, args ...string) map[string]any {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, checker(t), args...)
	cmd.Dir = t.TempDir() // for its log
	cmd.Env = append(os.Environ(), "LIBGL_ALWAYS_SOFTWARE=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	var v map[string]any
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "{") && json.Unmarshal([]byte(line), &v) == nil {
			return v
		}
	}
	t.Fatalf("%v: no JSON in %s", args, out)
	return nil
}

func checker(t *testing.T) string {
	t.Helper()
	path := os.Getenv("VKTERRAIN_OGRE_CHECK")
	if path == "" {
		t.Skip("needs OGRE: make ogre-check")
	}
	return path
}

// TestRealOGRELoadsExports lets OGRE load a terrain and a group that are exports of
// a real map.
func TestRealOGRELoadsExports(t *testing.T) {
	checker(t)
	dir := t.TempDir()
	world, one, group := filepath.Join(dir, "w.vkt"), filepath.Join(dir, "one.dat"), filepath.Join(dir, "g.dat")
	ok(t, "bake", shared.Path(t, "data/png16/ps_height_1k.png"), "-o", world, "--spacing", "160", "--height-unit", "0.1")
	ok(t, "export", world, "--format", "ogre", "-o", one)
	ok(t, "export", world, "--format", "ogre", "-o", group, "--page", "513")
	heights := filepath.Join(dir, "south.f32")
	rows := slices.Collect(slices.Chunk([]byte(ok(t, "dump", world).stdout), 4*1025))
	slices.Reverse(rows)
	if err := os.WriteFile(heights, bytes.Join(rows, nil), 0o666); err != nil {
		t.Fatal(err)
	}
	if r := realOGRE(t, "check", one, "--strict", "--expect", heights); r["ok"] != true || r["size"] != 1025.0 {
		t.Errorf("%v", r)
	}
	if r := realOGRE(t, "group", group, dir); r["loaded"] != 4.0 || r["edge_mismatch"] != 0.0 {
		t.Errorf("%v", r)
	}
}

// yardstick is a map whose heights OGRE and this program both store. OGRE's terrains
// have 2^k+1 samples a side, so it has to store a padding of maps of other sizes.
type yardstick struct {
	name, file string
	crop       int // samples a side of its middle; 0 for all of it
	flags      []string
}

var yardsticks = []yardstick{
	{"Puget Sound 1k", "png16/ps_height_1k.png", 0, []string{"--spacing", "160", "--height-unit", "0.1"}},
	{"Fuji 512, 0.1 m", "terrain-rgb/martini_fuji.png", 0, []string{"--encoding", "mapbox", "--spacing", "30"}},
	{"Rainier 90 m, 1025²", "geotiff/mt_rainier_90m.tif", 1025, []string{"--spacing", "90", "--voids", "fill"}},
	{"Rainier 90 m, padded to 2049²", "geotiff/mt_rainier_90m.tif", 0, []string{"--spacing", "90", "--voids", "fill"}},
	{"N44W072, 1025²", "hgt/N44W072.hgt", 1025, []string{"--spacing", "30", "--voids", "fill"}},
	{"N44W072, padded to 2049²", "hgt/N44W072.hgt", 0, []string{"--spacing", "30", "--voids", "fill"}},
}

// bake bakes a yardstick, and exports it as OGRE has it: as it saves it itself.
func (y *yardstick) bake(t *testing.T, dir string) (world, saved string) {
	t.Helper()
	source := shared.Path(t, "data", y.file)
	if y.crop != 0 {
		info := ok(t, "info", source, "--json").parse(t)
		w, h := int(info["width"].(float64)), int(info["height"].(float64))
		part := filepath.Join(dir, "part.tif")
		cmd := exec.Command("gdal_translate", "-q", "-srcwin", strconv.Itoa((w-y.crop)/2), strconv.Itoa((h-y.crop)/2),
			strconv.Itoa(y.crop), strconv.Itoa(y.crop), source, part)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		source = part
	}
	world, saved = filepath.Join(dir, "w.vkt"), filepath.Join(dir, "saved.dat")
	ok(t, append([]string{"bake", source, "-o", world}, y.flags...)...)
	ours := filepath.Join(dir, "ours.dat")
	ok(t, "export", world, "--format", "ogre", "-o", ours)
	realOGRE(t, "check", ours, "--strict", "--resave", saved)
	return world, saved
}

// TestRealOGREFigures prints what OGRE stores for the heights of some maps beside
// what this program does, and how long both take to open them.
func TestRealOGREFigures(t *testing.T) {
	checker(t)
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "map\tsamples\tOGRE's levels\tof raw\tours, heights\tratio\tours, file\tratio\t\n")
	for _, y := range yardsticks {
		world, saved := y.bake(t, t.TempDir())
		info := ok(t, "info", world, "--json").parse(t)
		theirs, raw := 0.0, 0.0
		for _, l := range ok(t, "info", saved, "--json").parse(t)["by_level"].([]any) {
			theirs += l.(map[string]any)["bytes_stored"].(float64)
			raw += l.(map[string]any)["bytes_inflated"].(float64)
		}
		heights, total := info["bytes_heights"].(float64), info["bytes_total"].(float64)
		fmt.Fprintf(w, "%s\t%.0f × %.0f\t%.0f\t%.2f\t%.0f\t%.3f\t%.0f\t%.3f\t\n", y.name, info["width"], info["height"],
			theirs, theirs/raw, heights, heights/theirs, total, total/theirs)
		if ratio := heights / theirs; ratio > 0.24 && !strings.Contains(y.name, "padded") {
			t.Errorf("%s: heights are %.3f of OGRE's, at most 0.24 is asked", y.name, ratio)
		}
	}
	w.Flush()
	t.Logf("bytes, zlib level 6 of float32 heights and deltas against heights here\n%s", table.Bytes())
}

// openings is how often each is measured.
const openings = 5

// TestRealOGREOpening prints how long OGRE takes to prepare and load its file, and
// this program to open its world and decode vertices that a GPU draws, one after
// the other in turns. Files are in the system's cache for both.
func TestRealOGREOpening(t *testing.T) {
	checker(t)
	world, saved := yardsticks[0].bake(t, t.TempDir())
	var prepare, coarse, whole, ourCoarse, ourOne, ourAll []float64
	for range openings {
		r := realOGRE(t, "bench", "1", saved)
		first := func(key string) float64 { return r[key].([]any)[0].(float64) }
		prepare = append(prepare, first("prepare_ms"))
		coarse = append(coarse, first("prepare_ms")+first("coarsest_ms"))
		whole = append(whole, first("direct_ms"))
		ourCoarse = append(ourCoarse, opening(t, world, 1, 99))
		ourOne = append(ourOne, opening(t, world, 1, 0))
		ourAll = append(ourAll, opening(t, world, 0, 0))
	}
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	ogre, first := middle(whole), middle(ourCoarse)
	for _, row := range []struct {
		what string
		ms   float64
	}{
		{"OGRE: prepare", middle(prepare)},
		{"OGRE: prepare and coarsest level", middle(coarse)},
		{"OGRE: prepare and load", ogre},
		{"here: open, coarsest level of all tiles", first},
		{"here: open, all levels of all tiles, one core", middle(ourOne)},
		{"here: open, all levels of all tiles, all cores", middle(ourAll)},
	} {
		fmt.Fprintf(w, "%s\t%.2f ms\t%.3f\t\n", row.what, row.ms, row.ms/ogre)
	}
	w.Flush()
	t.Logf("%s, medians of %d, and how much of OGRE's prepare and load that is\n%s", yardsticks[0].name, openings, table.Bytes())
	if first > 0.15*ogre {
		t.Errorf("the first vertices take %.3f of what OGRE takes, at most 0.15 is asked", first/ogre)
	}
}

// opening opens a world and decodes all tiles down to level, or the coarsest; it
// returns milliseconds.
func opening(t *testing.T, path string, workers int, level terrain.Level) float64 {
	t.Helper()
	start := time.Now()
	r, err := chunkfile.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	level = min(level, terrain.Level(r.World().Layout().Levels-1))
	keys := make(chan terrain.Key, len(r.Tiles()))
	for i := range r.Tiles() {
		keys <- r.Tiles()[i].Key
	}
	close(keys)
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	failed := make(chan error, workers)
	for range workers {
		go func() {
			d := chunkfile.NewDecoder()
			for k := range keys {
				if _, err := r.ReadTile(d, k, level); err != nil {
					failed <- err
					return
				}
			}
			failed <- nil
		}()
	}
	for range workers {
		if err := <-failed; err != nil {
			t.Fatal(err)
		}
	}
	return float64(time.Since(start).Microseconds()) / 1000
}

// middle is the median.
func middle(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
