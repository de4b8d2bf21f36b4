package raster_test

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/terrain/raster"
)

const grid = "ncols 3\nnrows 2\nxllcorner 1000\nyllcorner 2000\ncellsize 10\nNODATA_value -9999\n1 2 3\n4 5 6.5\n"

func TestGridHeaders(t *testing.T) {
	for _, text := range []string{
		grid,
		"NODATA_VALUE -9999\r\nYLLCORNER 2000\r\nXLLCORNER 1000\r\nCELLSIZE 10\r\nNROWS 2\r\nNCOLS 3\r\n1 2 3\r\n4 5 6.5",
		"\xef\xbb\xbfncols\t3\nnrows\t2\nxllcenter 1005\nyllcenter 2005\ncellsize 1e1\n\n\n\t1\n2 3 4\n5\n+6.5 \n",
		"ncols 3 nrows 2 xllcorner 1000 yllcenter 2005.0 dx 10 dy 10.0 NODATA_value nan 1 2 3 4.0 5 6.50\n\n",
		" \n" + grid,
	} {
		s, err := raster.Open(write(t, "grid.asc", []byte(text)), raster.Options{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if s.Width != 3 || s.Height != 2 || s.Quantum != 0.5 || s.Spacing != 10 || s.At(0, 0) != 2 || s.At(2, 1) != 13 {
			t.Errorf("%q: %+v", text, s.Field)
		}
		if g := s.Info.GeoTransform; g == nil || *g != [6]float64{1000, 10, 0, 2020, 0, -10} {
			t.Errorf("%q: geotransform %v", text, g)
		}
	}
}

// TestGridCorner: the five ways to write one grid are the same place.
func TestGridCorner(t *testing.T) {
	for _, file := range []string{"d_center_crlf_upper", "d_corner", "d_dxdy_7line", "d_no_nodata", "d_wrapped_tabs"} {
		i := openReader(t, shared.Path(t, "data/asc", file+".asc"), raster.Options{}).Info
		g := i.GeoTransform
		if west, south := g[0], g[3]+17*g[5]; math.Abs(west-138.6229166667) > 1e-9 || math.Abs(south-35.3454166667) > 1e-9 {
			t.Errorf("%s: corner %v, %v", file, west, south)
		}
		if math.Abs(i.Spacing-83.7) > 0.3 { // 3″ at 35.35° north
			t.Errorf("%s: spacing %v", file, i.Spacing)
		}
		warned(t, &i, "taken for degrees")
	}
}

func TestGridProjection(t *testing.T) {
	path := write(t, "grid.asc", []byte(grid))
	for _, c := range []struct {
		wkt, crs string
		spacing  float64
	}{
		{`PROJCS["NAD83 / Texas (ftUS)",GEOGCS["NAD83",UNIT["degree",0.0174532925199433]],PROJECTION["Lambert"],UNIT["US survey foot",0.3048006096],AUTHORITY["EPSG","2277"]]`, "EPSG:2277", 3.048006096},
		{"PROJCRS[\"x\",BASEGEOGCRS[\"WGS 84\",ELLIPSOID[\"W\",6378137,298.2,\n LENGTHUNIT[\"metre\",1]]],\n CS[Cartesian,2],\n AXIS[\"(E)\",east,\n LENGTHUNIT[\"kilometre\",1000]]]", `PROJCRS["x",BASEGEOGCRS["WGS 84",ELLIPSOID["W",6378137,298.2, LENGTHUNIT["metre",1]]], CS[Cartesian,2], AXIS["(E)",east, LENGTHUNIT["kilometre",1000]]]`, 10000},
		{`PROJCS["no unit"]`, `PROJCS["no unit"]`, 1},
	} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), "grid.prj"), []byte(c.wkt), 0o666); err != nil {
			t.Fatal(err)
		}
		i := openReader(t, path, raster.Options{}).Info
		if i.CRS != c.crs || math.Abs(i.Spacing-c.spacing) > 1e-9 {
			t.Errorf("%q and %v m, want %q and %v m", i.CRS, i.Spacing, c.crs, c.spacing)
		}
	}
}

func TestGridRefused(t *testing.T) {
	replace := func(old, with string) []byte { return []byte(strings.Replace(grid, old, with, 1)) }
	for _, c := range []struct {
		b     []byte
		words string
	}{
		{replace("4 5 6.5\n", ""), "line 8: the grid ends after 3 of 6 values"},
		{replace("2 3", "x12 3"), `line 7: "x12" is no number (value 2 of 6)`},
		{replace("6.5", "6.5 7"), `line 8: "7" follows the last of 6 values`},
		{replace("6.5", "6,5"), `line 8: "6,5" is no number`},
		{replace("6.5", "0x10"), `line 8: "0x10" is no number`},
		{replace("ncols 3\n", ""), "no ncols"},
		{replace("nrows 2", "nrows 0"), "line 2: nrows is 0"},
		{replace("nrows 2", "nrows 2.5"), "line 2: nrows is 2.5"},
		{replace("nrows 2", "nrows two"), `line 2: nrows is "two"`},
		{replace("nrows 2", "ncols 2"), "line 2: a second ncols"},
		{replace("nrows 2", "nrows 200000"), "cannot hold"},
		{replace("nrows 2", "nrows 2000000"), "more than 1048576"},
		{replace("cellsize 10", "cellsize 0"), "cells of 0 by 0"},
		{replace("xllcorner 1000", "xllcorner nan"), "placed at [NaN 2020]"},
		{replace("yllcorner 2000", "yllcorner 1e400"), "placed at [1000 +Inf]"},
		{[]byte(strings.Replace(string(replace("cellsize 10", "cellsize 1.7e308")), "1000", "1e308", 1)), "placed at [1e+308 +Inf]"},
		{replace("6.5", "1e300"), "a height of 1e+300 m: more than 3.40282e+38"},
		{replace("6.5", "-3.5e38"), "a height of -3.5e+38 m: more than"},
		{replace("cellsize 10", "cellsise 10"), `line 5: "cellsise" is neither a number nor one of`},
		{replace("6.5", strings.Repeat("1", 200)), "a word of more than"},
		{[]byte("ncols 3\nnrows 2\n"), "line 3: the grid ends in its header"},
		{[]byte("ncols 3\nnrows"), `line 2: nrows is ""`},
		{gzipped([]byte(grid))[:60], "ends early"},
	} {
		name := "grid.asc"
		if c.b[0] == 0x1f {
			name = "grid.asc.gz"
		}
		_, err := raster.Open(write(t, name, c.b), raster.Options{})
		refused(t, err, c.words)
	}
}

// TestGridCases are a real grid's, changed.
func TestGridCases(t *testing.T) {
	plain := copied(t, "asc/d_corner.asc", "plain.asc", nil)
	float := copied(t, "asc/d_corner.asc", "float.asc", func(b []byte) []byte {
		return bytes.ReplaceAll(b, []byte("-9999"), []byte("-9999.0"))
	})
	packed := copied(t, "asc/d_corner.asc", "d_corner.asc.gz", gzipped)
	first, err := raster.Open(plain, raster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{float, packed} {
		s, err := raster.Open(path, raster.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range s.Samples {
			if v != first.Samples[k] || s.Quantum != 1 {
				t.Fatalf("%s: sample %d is %d × %v, want %d", path, k, v, s.Quantum, first.Samples[k])
			}
		}
	}
	short := copied(t, "asc/d_corner.asc", "short.asc", func(b []byte) []byte {
		return b[:bytes.LastIndexByte(bytes.TrimSpace(b), '\n')+1]
	})
	_, err = raster.Open(short, raster.Options{})
	refused(t, err, "ends after 496 of 527 values")
	wrong := copied(t, "asc/d_corner.asc", "wrong.asc", func(b []byte) []byte {
		lines := bytes.SplitAfter(b, []byte("\n"))
		lines[8] = append([]byte("x12"), lines[8][bytes.IndexByte(lines[8][1:], ' ')+1:]...)
		return bytes.Join(lines, nil)
	})
	_, err = raster.Open(wrong, raster.Options{})
	refused(t, err, `line 9: "x12" is no number (value 63 of 527)`)
}

// TestQuantum: what loses nothing is found, and what is lost is said.
func TestQuantum(t *testing.T) {
	for _, c := range []struct {
		values   string
		quantum  float64
		maxError float64
	}{
		{"1 2 3 4", 1, 0},
		{"0 0 0 0", 1, 0},
		{"0.1 0.1 0.1 0.1", 0.1, 0},
		{"1.5 2.25 3 4", 0.25, 0},
		{"0.1 12.3 3000 -4.7", 0.1, 0},
		{"0.01 12.3 600 -4.75", 0.01, 0},
		{"0.001 12.3 30 -4.125", 0.001, 0},
		{"70000 0 4096 8192", 16, 0},
		{"16000000 16000001 16000002 16000003", 1, 0},
		{"0.333333 0.777777 0.5 0.123", 1.0 / (1 << 15), 1.0 / (1 << 16)},
		{"0.333333 7777.77 0.5 0.123", 1.0 / 8, 1.0 / 16},
		{"0.333333 377.77 0.5 0.123", 1.0 / 128, 1.0 / 256},
		{"0.333333 1e9 0.5 0.123", 16384, 8192},
	} {
		text := "ncols 2\nnrows 2\n" + c.values
		s, err := raster.Open(write(t, "grid.asc", []byte(text)), raster.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.values, err)
			continue
		}
		if s.Quantum != c.quantum || s.MaxError != c.maxError {
			t.Errorf("%s: quantum %v, %v off; want %v and %v", c.values, s.Quantum, s.MaxError, c.quantum, c.maxError)
		}
	}
}

func FuzzGrid(f *testing.F) {
	f.Setenv("PATH", "")
	f.Add([]byte(grid))
	f.Add([]byte("ncols 3 nrows 2 dx 1 dy 2 xllcenter 0 yllcenter 0 1 2 nan 1e400 -1e-400 -inf"))
	f.Fuzz(func(t *testing.T, b []byte) { fuzzRead(t, "grid.asc", b, raster.Options{}) })
}

// TestHeightsBeyondFloat32 are not dumped as infinite ones.
func TestHeightsBeyondFloat32(t *testing.T) {
	r, err := raster.OpenReader(context.Background(), write(t, "grid.asc", []byte(strings.Replace(grid, "6.5", "1e39", 1))), raster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	refused(t, r.ReadHeights(0, make([]float32, 6)), "a height of 1e+39 m: more than 3.40282e+38")
}
