package main_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/internal/shared"
)

// needGDAL skips t where there is no GDAL, or fails it where nothing may skip.
func needGDAL(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("gdal_translate"); err != nil {
		if os.Getenv(shared.RequireEnv) == "1" {
			t.Fatalf("%s=1, but: %v", shared.RequireEnv, err)
		}
		t.Skip(err)
	}
}

// TestSources wants info and dump of every kind of raster to be the
// reference's, and the same of the worlds baked from them.
func TestSources(t *testing.T) {
	for _, test := range []struct{ file, flags, kind, warning string }{
		{"png8/gz_heightmap_bowl.png", "", "png8", "256 height levels"},
		{"raw16/d_fuji_257x129_i16be.raw", "--raw 257x129,i16be", "raw", ""},
		{"raw16/lumix_desert_hm_1024_be.raw", "--raw 1024x1024,u16be", "raw", ""},
		{"terrain-rgb/martini_fuji.png", "--encoding mapbox", "terrain-rgb", ""},
		{"terrain-rgb/d_etopo1_361x181.png", "--encoding mapbox", "terrain-rgb", ""},
		{"terrarium/d_etopo1_361x181.png", "--encoding terrarium", "terrarium", ""},
		{"hgt/N44W072.hgt", "", "hgt", "from west to east"},
		{"asc/d_dxdy_7line.asc", "", "asc", "taken for degrees"},
		{"geotiff/d_int16_lzw_p2_tiled64.tif", "", "geotiff", "from west to east"},
		{"geotiff/etopo1_1deg.tif", "", "geotiff", ""},
		{"geotiff/d_2x2.tif", "", "geotiff", ""},
	} {
		t.Run(test.file, func(t *testing.T) {
			t.Parallel()
			if test.kind == "geotiff" {
				needGDAL(t)
			}
			path, want := shared.Path(t, "data", test.file), referenceOf(t, test.file)
			flags := strings.Fields(test.flags)
			world := filepath.Join(t.TempDir(), "world.vkt")
			r := ok(t, append([]string{"bake", path, "-o", world}, flags...)...)
			if !strings.Contains(r.stderr, test.warning) || strings.Contains(r.stderr, " off\n") {
				t.Errorf("bake says %q, want %q", r.stderr, test.warning)
			}
			for _, args := range [][]string{append([]string{path}, flags...), {world}} {
				info := ok(t, append([]string{"info", "--json"}, args...)...).parse(t)
				for key, v := range map[string]float64{"min": want.Min, "max": want.Max, "mean": want.Mean} {
					if got := info[key].(float64); math.Abs(got-v) > 1e-5*max(1, math.Abs(v)) {
						t.Errorf("%s of %s is %v, want %v", key, args[0], got, v)
					}
				}
				if info["width"] != float64(want.Width) || info["height"] != float64(want.Height) || info["voids"] != 0.0 {
					t.Errorf("info of %s: %v", args[0], info)
				}
				if args[0] == path && info["kind"] != test.kind {
					t.Errorf("kind %v, want %s", info["kind"], test.kind)
				}
				if got := hash([]byte(ok(t, append([]string{"dump"}, args...)...).stdout)); got != want.Hash {
					t.Errorf("dump of %s: hash %s, want %s", args[0], got, want.Hash)
				}
			}
		})
	}
}

// TestPlaces: where a raster lies, and how far apart its samples are.
func TestPlaces(t *testing.T) {
	info := ok(t, "info", shared.Path(t, "data/hgt/S46W066.hgt.gz"), "--json").parse(t)
	g := info["geotransform"].([]any)
	west, south := g[0].(float64)+g[1].(float64)/2, g[3].(float64)+3600.5*g[5].(float64)
	if math.Abs(west+66) > 1e-9 || math.Abs(south+46) > 1e-9 || info["crs"] != "EPSG:4326" {
		t.Errorf("corner %v, %v: %v", west, south, info)
	}
	if s := info["spacing_m"].(float64); s < 20 || s > 31 {
		t.Errorf("spacing %v", s)
	}
	if r := ok(t, "info", shared.Path(t, "data/hgt/S46W066.hgt.gz")); !strings.Contains(r.stdout, "EPSG:4326") {
		t.Errorf("info for people: %q", r.stdout)
	}
}

// TestPlacesOfWorlds: a world says where its source lies.
func TestPlacesOfWorlds(t *testing.T) {
	dir := t.TempDir()
	grid := write(t, filepath.Join(dir, "a.asc"), "ncols 3 nrows 2 xllcorner 500000 yllcorner 4e6 cellsize 25 1 2 3 4 5 6")
	write(t, filepath.Join(dir, "a.prj"), `PROJCS["Höhe \u2620",GEOGCS["WGS 84"],PROJECTION["Transverse_Mercator"],UNIT["metre",1],VERT_CS["v",UNIT["foot",0.3048]]]`)
	for _, path := range []string{shared.Path(t, "data/hgt/N44W072.hgt"), grid, shared.Path(t, "data/png16/d_n44w072_500x333.png")} {
		world := filepath.Join(dir, "w.vkt")
		ok(t, "bake", path, "-o", world)
		before, after := ok(t, "info", path, "--json").parse(t), ok(t, "info", world, "--json").parse(t)
		for _, key := range []string{"crs", "geotransform", "pixel_is_point", "vertical_unit", "spacing_m"} {
			if !reflect.DeepEqual(before[key], after[key]) {
				t.Errorf("%s: %s is %v, was %v", path, key, after[key], before[key])
			}
		}
		if path == grid && after["vertical_unit"] != "foot" {
			t.Errorf("%v", after)
		}
	}
}

func TestVoids(t *testing.T) {
	path := shared.Path(t, "data/hgt/d_N46W122.hgt.gz")
	dir := t.TempDir()
	world := filepath.Join(dir, "w.vkt")
	run(t, "bake", path, "-o", world).fails(t, 4, "9033 of 1442401 samples are voids; --voids fill fills them")
	left(t, dir)
	if info := ok(t, "info", path, "--json", "--voids", "report").parse(t); info["voids"] != 9033.0 || info["min"] != 263.0 {
		t.Errorf("info: %v", info)
	}
	if got, want := hash([]byte(ok(t, "dump", path).stdout)), referenceOf(t, "hgt/d_N46W122.hgt.gz").Hash; got != want {
		t.Errorf("dump: hash %s, want %s", got, want)
	}
	r := ok(t, "bake", path, "-o", world, "--voids", "fill", "--json")
	if info := r.parse(t); info["voids"] != 0.0 || info["min"] != 263.0 || info["max"] != 4371.0 || !strings.Contains(r.stderr, "9033 voids are filled") {
		t.Errorf("bake: %+v", r)
	}
}

// TestAllVoid: there is nothing to bake, but something to say.
func TestAllVoid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "void.asc")
	if err := os.WriteFile(path, []byte("ncols 2\nnrows 2\nNODATA_value -1\n-1 -1\n-1 -1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, voids := range []string{"report", "fill"} {
		run(t, "bake", path, "-o", filepath.Join(dir, "w.vkt"), "--voids", voids).fails(t, 4, "all 4 samples are voids")
	}
	left(t, dir)
	if info := ok(t, "info", path, "--json").parse(t); info["voids"] != 4.0 || info["min"] != nil || info["mean"] != nil {
		t.Errorf("info: %v", info)
	}
	if r := ok(t, "info", path); strings.Contains(r.stdout, "NaN") {
		t.Errorf("info for people: %q", r.stdout)
	}
}

// TestRounded: a world of heights with too many digits says what it lost.
func TestRounded(t *testing.T) {
	path := shared.Path(t, "data/raw16/d_fuji_129_f32le.r32")
	r := ok(t, "bake", path, "-o", filepath.Join(t.TempDir(), "w.vkt"), "--raw", "129x129,f32le")
	if !strings.Contains(r.stderr, "whole steps of 0.03125 m, at most 0.015625 m off") {
		t.Errorf("bake says %q", r.stderr)
	}
	run(t, "info", path).fails(t, 4, "--raw WxH,TYPE")
}

// TestHeightRange: --min and --max are exact.
func TestHeightRange(t *testing.T) {
	path := shared.Path(t, "data/raw16/d_n44w072_513_u16le.raw")
	info := ok(t, "info", path, "--raw", "513x513,u16le", "--min", "0", "--max", "320.574", "--json").parse(t)
	if got, want := info["max"].(float64), 1908*320.574/65535; math.Abs(got-want) > 1e-9 {
		t.Errorf("max %v, want %v", got, want)
	}
	low := ok(t, "info", path, "--raw", "513x513,u16le", "--min", "-100", "--max", "-99", "--json").parse(t)
	if got, want := low["min"].(float64), -100+115.0/65535; math.Abs(got-want) > 1e-9 {
		t.Errorf("min %v, want %v", got, want)
	}
}

// TestNoGDAL: the message names the package.
func TestNoGDAL(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.tif")
	if err := os.WriteFile(path, []byte("II*\x00\x08\x00\x00\x00"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := command("info", path)
	cmd.Env = append(cmd.Env, "PATH=")
	finish(t, cmd).fails(t, 4, "Debian package gdal-bin")
}

// TestMosaics bakes tiles as one world: a folder of them, or several.
func TestMosaics(t *testing.T) {
	path, want := shared.Path(t, "data/raw16/d_n44w072_513_u16le.raw"), referenceOf(t, "raw16/d_n44w072_513_u16le.raw")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir, out := t.TempDir(), t.TempDir()
	var tiles []string
	for k := range 4 {
		x, y := k%2*256, k/2*256
		var b []byte
		for z := y; z <= y+256; z++ {
			b = append(b, whole[2*(z*513+x):2*(z*513+x+257)]...)
		}
		tiles = append(tiles, write(t, filepath.Join(dir, fmt.Sprintf("Höhe_x%d_y%d.r16", k%2, k/2)), string(b)))
	}
	for k, sources := range [][]string{{dir}, tiles, {tiles[3], tiles[0], tiles[2], tiles[1]}} {
		world := filepath.Join(out, fmt.Sprint(k))
		r := ok(t, append(append([]string{"bake", "-o", world, "--raw", "257x257,u16le", "--json"}, sources...), "--spacing", "90")...)
		if info := r.parse(t); info["width"] != 513.0 || info["height"] != 513.0 || !strings.Contains(r.stderr, "borders are shared") {
			t.Errorf("bake: %+v", r)
		}
		if got := hash([]byte(ok(t, "dump", world).stdout)); got != want.Hash {
			t.Errorf("dump: hash %s, want %s", got, want.Hash)
		}
	}
	if got := hash([]byte(ok(t, "dump", dir, "--raw", "257x257,u16le").stdout)); got != want.Hash {
		t.Errorf("dump of the folder: hash %s, want %s", got, want.Hash)
	}
	if info := ok(t, "info", dir, "--raw", "257x257,u16le", "--json").parse(t); info["kind"] != "mosaic" || info["max"] != want.Max {
		t.Errorf("info: %v", info)
	}
}
