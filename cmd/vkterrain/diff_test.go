package main_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// answer wants an exit code of 0 or 1, and reads the JSON of it.
func answer(t *testing.T, code int, args ...string) map[string]any {
	t.Helper()
	r := run(t, append([]string{"diff", "--json"}, args...)...)
	if r.code != code {
		t.Fatalf("diff %v: exit code %d, want %d: %s", args, r.code, code, r.stderr)
	}
	return r.parse(t)
}

func TestDiff(t *testing.T) {
	raster, world := small(t)
	dir := t.TempDir()
	other := filepath.Join(dir, "other.vkt")
	ok(t, "bake", raster, "-o", other, "--spacing", "20", "--tile", "33")
	dat := filepath.Join(dir, "o.dat")
	ok(t, "export", world, "--format", "ogre", "-o", dat)
	for _, c := range []struct {
		name   string
		code   int
		differ string
		args   []string
	}{
		{"itself", 0, "[]", []string{world, world}},
		{"its source", 0, "[]", []string{world, raster, "--spacing", "20"}},
		{"its source, at another spacing", 1, "[spacing]", []string{world, raster}},
		{"the heights alone", 0, "[]", []string{world, raster, "--heights"}},
		{"other tiles", 1, "[tiles]", []string{world, other}},
		{"the heights of other tiles", 0, "[]", []string{world, other, "--heights"}},
		{"another size", 1, "[size]", []string{world, dat}},
		{"an OGRE terrain", 0, "[]", []string{dat, dat}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := answer(t, c.code, c.args...)
			if r["equal"] != (c.code == 0) || fmt.Sprint(r["differ"]) != c.differ {
				t.Errorf("equal %v, differ %v; want %s", r["equal"], r["differ"], c.differ)
			}
		})
	}
	a := answer(t, 0, world, world)["attributes"].([]any)
	if l := a[0].(map[string]any); len(a) != 4 || l["vertices"].(float64) != 12*(65*65-33*33) {
		t.Errorf("attributes: %v", a)
	}
	if r := ok(t, "diff", world, world); !strings.Contains(r.stdout, "\nequal\n") {
		t.Errorf("%+v", r)
	}
	run(t, "diff", world, filepath.Join(dir, "none")).fails(t, 4, "no such file")
	run(t, "diff", world, world, "--tolerance=-1").fails(t, 2, "--tolerance -1")
	run(t, "diff", world).fails(t, 2, "<b>")
	junk := filepath.Join(dir, "junk")
	if err := os.WriteFile(junk, []byte("\x89VKT junk"), 0o666); err != nil {
		t.Fatal(err)
	}
	run(t, "diff", world, junk).fails(t, 4, "junk")
}

// TestDiffPlace wants a place to be the same as it is written, and no other.
func TestDiffPlace(t *testing.T) {
	dir := t.TempDir()
	grid := func(corner, size string) string {
		path := filepath.Join(dir, corner+" "+size+".asc")
		text := "ncols 4\nnrows 3\nxllcorner " + corner + "\nyllcorner 2000\ncellsize " + size + "\n" + strings.Repeat("1 2 3 4\n", 3)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a := grid("1000", "60")
	for _, c := range []struct {
		corner, size string
		differ       string
	}{
		{"1000", "59.99999542", "[]"}, {"1000", "59.999", "[spacing georeference]"}, {"1000.0001", "60", "[]"}, {"1000.01", "60", "[georeference]"},
	} {
		code := 0
		if c.differ != "[]" {
			code = 1
		}
		if r := answer(t, code, a, grid(c.corner, c.size)); fmt.Sprint(r["differ"]) != c.differ {
			t.Errorf("%s, %s: differ %v, want %s", c.corner, c.size, r["differ"], c.differ)
		}
	}
	world, tif := filepath.Join(dir, "w.vkt"), filepath.Join(dir, "w.tif")
	for _, spacing := range []string{"60", "500"} {
		ok(t, "bake", shared.Path(t, "data/dted/n43.dt0"), "-o", world, "--resample", spacing)
		ok(t, "export", world, "--format", "geotiff", "-o", tif)
		answer(t, 0, world, tif)
		answer(t, 1, world, tif, "--spacing", "61")
	}
}

// TestDiffHeights changes known samples and wants them measured.
func TestDiffHeights(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, change map[int]float32) string {
		data := make([]byte, 0, 4*10*8)
		for i := range 80 {
			v := float32(100 + i)
			if c, ok := change[i]; ok {
				v = c
			}
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	nan := float32(math.NaN())
	a := write("a.raw", map[int]float32{79: nan})
	flags := []string{"--raw", "10x8,f32le"}
	diff := func(code int, b string, more ...string) map[string]any {
		return answer(t, code, append(append([]string{a, b}, flags...), more...)...)["heights"].(map[string]any)
	}
	b := write("b.raw", map[int]float32{5: 105.5, 23: 123 - 4, 79: nan})
	h := diff(1, b)
	want := map[string]float64{"samples": 80, "differing": 2, "voids": 0, "max_abs_m": 4, "mean_abs_m": 4.5 / 79, "rms_m": math.Sqrt(16.25 / 79)}
	for key, v := range want {
		if math.Abs(h[key].(float64)-v) > 1e-12 {
			t.Errorf("%s is %v, want %v", key, h[key], v)
		}
	}
	if w := h["worst"].(map[string]any); w["column"] != 3.0 || w["row"] != 2.0 || w["a_m"] != 123.0 || w["b_m"] != 119.0 {
		t.Errorf("worst: %v", w)
	}
	if h := diff(1, b, "--tolerance", "0.5"); h["differing"] != 1.0 {
		t.Errorf("more than 0.5 m: %v", h)
	}
	diff(0, b, "--tolerance", "4")
	c := write("c.raw", map[int]float32{7: nan, 79: nan})
	h = diff(1, c, "--tolerance", "1000")
	if w := h["worst"].(map[string]any); h["voids"] != 1.0 || h["differing"] != 1.0 || h["max_abs_m"] != 0.0 || w["column"] != 7.0 || w["b_m"] != nil {
		t.Errorf("a void: %v", h)
	}
	r := run(t, "diff", a, b, "--raw", "10x8,f32le")
	if r.code != 1 || !strings.Contains(r.stdout, "different: heights") || !strings.Contains(r.stdout, "column 3, row 2: 123 and 119 m") {
		t.Errorf("%+v", r)
	}
}

// TestDiffAttributes wants what worlds keep beside the heights to count.
func TestDiffAttributes(t *testing.T) {
	raster, world := small(t)
	dir := t.TempDir()
	other := filepath.Join(dir, "other.vkt")
	ok(t, "bake", raster, "-o", other, "--spacing", "10", "--tile", "65")
	r := answer(t, 1, world, other)
	if fmt.Sprint(r["differ"]) != "[spacing attributes]" {
		t.Errorf("differ %v", r["differ"])
	}
	if l := r["attributes"].([]any)[0].(map[string]any); l["normals"] == 0.0 || l["coefficients"] != 0.0 {
		t.Errorf("level 0: %v", l)
	}
	const aside = "\nwhat worlds keep beside heights differs too, which does not count with --tolerance:\nlevel 0: "
	if r := run(t, "diff", world, other, "--tolerance", "0.1"); !strings.Contains(r.stdout, aside) {
		t.Errorf("%q does not say what counts", r.stdout)
	}
	if r := run(t, "diff", world, other); strings.Contains(r.stdout, "--tolerance") || !strings.Contains(r.stdout, "\nlevel 0: ") {
		t.Errorf("%q", r.stdout)
	}
	if r := answer(t, 1, world, other, "--tolerance", "0.1"); fmt.Sprint(r["differ"]) != "[spacing]" {
		t.Errorf("with a tolerance differ %v", r["differ"])
	}
}

// coloured writes a world of 2×2 tiles with a layer of one byte; vertex id of tile
// changed has another one.
func coloured(t *testing.T, path, layer string, changed int32, id int) {
	t.Helper()
	w := testworld.New(testworld.Rough(65, 65, 1), 33, 0, 0)
	w.Layers = []terrain.Layer{{Name: layer, Bytes: 2}}
	out, err := chunkfile.Create(path, &w.World, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int32(4) {
		tile := w.Tile(terrain.Key{X: i % 2, Y: i / 2}, 0)
		bytes := make([]byte, 2*len(tile.Verts))
		if i == changed {
			bytes[2*id] = 1
		}
		if err := out.WriteTile(tile.Info, tile.Verts, bytes); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestDiffLayers(t *testing.T) {
	dir := t.TempDir()
	a, b, c := filepath.Join(dir, "a.vkt"), filepath.Join(dir, "b.vkt"), filepath.Join(dir, "c.vkt")
	coloured(t, a, "paint", -1, 0)
	coloured(t, b, "paint", 2, 100) // 9×9 samples are of level 2, 17×17 of level 1
	coloured(t, c, "dye", -1, 0)
	r := answer(t, 1, a, b)
	if fmt.Sprint(r["differ"]) != "[attributes]" {
		t.Errorf("differ %v", r["differ"])
	}
	for level, want := range []float64{0, 1, 0} {
		if n := r["attributes"].([]any)[level].(map[string]any)["layers"]; n != want {
			t.Errorf("level %d: %v layers differ, want %v", level, n, want)
		}
	}
	if r := answer(t, 1, a, c); fmt.Sprint(r["differ"]) != "[layers]" {
		t.Errorf("other layers: differ %v", r["differ"])
	}
	answer(t, 0, a, a)
}
