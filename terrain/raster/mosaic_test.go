package raster_test

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/terrain/raster"
)

// landAt is the number of a sample of the whole that tests cut tiles of.
func landAt(x, y int) uint16 { return uint16(1000 + 3*x + 7*y + x*y%11) }

// cut returns a PNG of w×h samples of the land, from (x, y) on.
func cut(t testing.TB, x, y, w, h int) []byte {
	img := image.NewGray16(image.Rect(0, 0, w, h))
	for k := range w * h {
		img.SetGray16(k%w, k/w, color.Gray16{Y: landAt(x+k%w, y+k/w)})
	}
	return encode(t, img)
}

// tree writes files below a new folder, and returns it.
func tree(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, b := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// wantLand wants r to be w×h samples of the land from (x0, y0) on, with voids
// where gap says so.
func wantLand(t *testing.T, r *raster.Reader, x0, y0, w, h int, gap func(x, y int) bool) {
	t.Helper()
	if r.Info.Width != w || r.Info.Height != h {
		t.Fatalf("%d×%d samples, want %d×%d", r.Info.Width, r.Info.Height, w, h)
	}
	row := make([]float64, w)
	for y := h - 1; y >= 0; y-- {
		if err := r.ReadRows(y, row); err != nil {
			t.Fatal(err)
		}
		for x, v := range row {
			empty := gap != nil && gap(x, y)
			if want := float64(landAt(x0+x, y0+y)); empty != math.IsNaN(v) || !empty && r.Info.Offset+r.Info.Unit*v != want {
				t.Fatalf("sample %d,%d is %v, want %v (a gap: %v)", x, y, v, want, empty)
			}
		}
	}
}

// TestMosaicNumbered: tiles that game engines and their tools write.
func TestMosaicNumbered(t *testing.T) {
	for name, c := range map[string]struct {
		name    string // of column %[1]d and row %[2]d
		overlap int
		up      bool
		words   string
	}{
		"Unreal":              {"Land_x%[1]d_y%[2]d.png", 1, false, "borders are shared"},
		"World Machine":       {"tiles/height_x%[1]d_y%[2]d.png", 0, false, "borders are not shared"},
		"counted from south":  {"height_x%[1]d_y%[3]d.png", 1, true, "row 0 in the south"},
		"plain":               {"t_%[1]d_%[2]d.png", 0, false, "borders are not shared"},
		"zeros ahead":         {"t-%03[1]d-%03[2]d.png", 1, false, "borders are shared"},
		"row first":           {"t_y%[2]d_x%[1]d.PNG", 1, false, "borders are shared"},
		"rows and columns":    {"t_r%[2]d_c%[1]d.png", 1, false, "borders are shared"},
		"words":               {"t row%[2]d_col%[1]d.png", 1, false, "borders are shared"},
		"not counted from 0":  {"x10%[1]d_y20%[2]d.png", 1, false, "borders are shared"},
		"without underscores": {"a.x%[1]dy%[2]d.png", 0, false, "borders are not shared"},
	} {
		files := map[string][]byte{"readme.txt": nil, ".hidden_0_0.png": nil}
		for row := range 3 {
			for column := range 4 {
				if column == 1 && row == 1 {
					continue // a gap
				}
				x, y := column*(20-c.overlap), row*(15-c.overlap)
				files[fmt.Sprintf(c.name, column, row, 2-row)] = cut(t, x, y, 20, 15)
			}
		}
		r, err := raster.OpenReader(t.Context(), tree(t, files), raster.Options{TilesUp: c.up})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		defer r.Close()
		o := c.overlap
		wantLand(t, r, 0, 0, 80-3*o, 45-2*o, func(x, y int) bool {
			return x >= 20 && x < 40-2*o && y >= 15 && y < 30-2*o
		})
		warned(t, &r.Info, c.words)
	}
}

// TestMosaicManyColumns reads more files than are open at a time.
func TestMosaicManyColumns(t *testing.T) {
	const columns = 200
	files := map[string][]byte{}
	for k := range columns {
		files[fmt.Sprintf("a_%d_0.png", k)] = cut(t, 3*k, 0, 4, 70)
	}
	r := openReader(t, tree(t, files), raster.Options{})
	wantLand(t, r, 0, 0, 3*columns+1, 70, nil)
	p, err := r.Plan()
	if err != nil {
		t.Fatal(err)
	}
	if g := p.Grid(); g.Width != 3*columns+1 || g.Quantum != 1 || g.Min != 1000 {
		t.Errorf("%+v", g)
	}
}

// worldFile places a PNG whose north-west sample is (x, y) of the land.
func worldFile(x, y int) []byte { return []byte(fmt.Sprintf("10 0 0 -10 %d %d", 5000+10*x, 9000-10*y)) }

// TestMosaicPlaced: files that say where they lie, in any order.
func TestMosaicPlaced(t *testing.T) {
	files := map[string][]byte{
		"south.png": cut(t, 0, 30, 40, 20), "south.pgw": worldFile(0, 30),
		"north east.png": cut(t, 25, 0, 15, 30), "north east.pgw": worldFile(25, 0),
		"west.png": cut(t, 0, 0, 20, 31), "west.pgw": worldFile(0, 0),
	}
	dir := tree(t, files)
	r, err := raster.OpenMosaic(t.Context(), []string{filepath.Join(dir, "west.png"), filepath.Join(dir, "south.png"), filepath.Join(dir, "north east.png")}, raster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	wantLand(t, r, 0, 0, 40, 50, func(x, y int) bool { return x >= 20 && x < 25 && y < 30 })
	if i := r.Info; *i.GeoTransform != [6]float64{4995, 10, 0, 9005, 0, -10} || i.Spacing != 10 || i.Kind != "mosaic" {
		t.Errorf("%+v", i)
	}
	s, err := raster.Open(dir, raster.Options{Voids: raster.VoidsHole, Spacing: 5})
	if err != nil {
		t.Fatal(err)
	}
	if s.Spacing != 5 || s.Field.Grid().Holes != 5*30 || !s.Void[22] || s.Void[19] {
		t.Errorf("%+v", s.Field.Grid())
	}
}

// TestMosaicMixed: numbers of other types and units become metres.
func TestMosaicMixed(t *testing.T) {
	dir := tree(t, map[string][]byte{
		"a.png": cut(t, 0, 0, 4, 3), "a.wld": worldFile(0, 0),
		"b.asc": []byte("ncols 2 nrows 3 xllcorner 5035 yllcorner 8975 cellsize 10 NODATA_value -1 " +
			fmt.Sprint(landAt(4, 0), landAt(5, 0), landAt(4, 1), " -1 ", landAt(4, 2), landAt(5, 2))),
	})
	r := openReader(t, dir, raster.Options{})
	wantLand(t, r, 0, 0, 6, 3, func(x, y int) bool { return x == 5 && y == 1 })
	if r.Info.Type != "f32" {
		t.Errorf("%+v", r.Info)
	}
}

// TestMosaicHGT: neighbours share their borders.
func TestMosaicHGT(t *testing.T) {
	dir := tree(t, map[string][]byte{"N44E011.hgt": tile(), "n44e012.hgt": tile(), "x/S01W001.hgt": tile()})
	r, err := raster.OpenMosaic(t.Context(), []string{filepath.Join(dir, "N44E011.hgt"), filepath.Join(dir, "n44e012.hgt")}, raster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	stats, err := r.Stats()
	if err != nil || r.Info.Width != 121 || r.Info.Height != 61 || stats.Voids != 0 {
		t.Errorf("%+v, %+v, %v", r.Info, stats, err)
	}
	g := r.Info.GeoTransform
	if west, south := g[0]+g[1]/2, g[3]+60.5*g[5]; math.Abs(west-11) > 1e-9 || math.Abs(south-44) > 1e-9 || r.Info.CRS != "EPSG:4326" || !r.Info.PixelIsPoint {
		t.Errorf("%+v", r.Info)
	}
	warned(t, &r.Info, "taken for both")
	warned(t, &r.Info, "differ by up to")
	all, err := raster.OpenMosaic(t.Context(), []string{dir}, raster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	if all.Info.Width != 14*60+1 || all.Info.Height != 46*60+1 {
		t.Errorf("%+v", all.Info)
	}
}

// TestMosaicSlippy: a tree of the tiles of a map.
func TestMosaicSlippy(t *testing.T) {
	img := func(tx, ty int) []byte {
		img := image.NewNRGBA(image.Rect(0, 0, 16, 16))
		for k := range 256 {
			v := 100_000 + 10*int(landAt(16*tx+k%16, 16*ty+k/16))
			img.SetNRGBA(k%16, k/16, color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255})
		}
		return encode(t, img)
	}
	for _, format := range []string{"9/%d/%d.png", "9-%d-%d.png", "map_9_%d_%d@2x.png"} {
		files := map[string][]byte{fmt.Sprintf(strings.Replace(format, "9", "8", 1), 130, 90): img(0, 0)}
		for _, at := range [][2]int{{260, 180}, {261, 180}, {260, 181}, {262, 182}} {
			files[fmt.Sprintf(format, at[0], at[1])] = img(at[0], at[1])
		}
		r := openReader(t, tree(t, files), raster.Options{Encoding: raster.Mapbox})
		r.Info.Unit, r.Info.Offset = math.Round(r.Info.Unit*10)/10, 0
		wantLand(t, r, 260*16, 180*16, 48, 48, func(x, y int) bool {
			return x/16+3*(y/16) != 0 && x/16+3*(y/16) != 1 && x/16+3*(y/16) != 3 && x/16+3*(y/16) != 8
		})
		warned(t, &r.Info, "4 tiles of zoom 9 are read; 1 of other zooms")
		g, side := *r.Info.GeoTransform, 2*math.Pi*6378137/512
		if math.Abs(g[0]-4*side) > 1e-6 || math.Abs(g[3]-76*side) > 1e-6 || math.Abs(g[1]-side/16) > 1e-6 || r.Info.CRS != "EPSG:3857" {
			t.Errorf("%+v", r.Info)
		}
		if latitude := 46.05; math.Abs(r.Info.Spacing/(g[1]*math.Cos(latitude*math.Pi/180))-1) > 0.02 {
			t.Errorf("%v m apart", r.Info.Spacing)
		}
	}
}

func TestMosaicRefused(t *testing.T) {
	asc := func(text string) []byte { return []byte("ncols 2 nrows 2 " + text + " 1 2 3 4") }
	grey8 := encode(t, image.NewGray(image.Rect(0, 0, 4, 4)))
	for name, c := range map[string]struct {
		files map[string][]byte
		words []string
	}{
		"nothing":         {map[string][]byte{"readme.txt": nil}, []string{"without a height raster"}},
		"no place":        {map[string][]byte{"a.png": cut(t, 0, 0, 4, 4), "b.png": cut(t, 0, 0, 4, 4)}, []string{"nothing says where it lies", "a.png"}},
		"one has a place": {map[string][]byte{"a.png": cut(t, 0, 0, 4, 4), "a.pgw": worldFile(0, 0), "b.png": cut(t, 0, 0, 4, 4)}, []string{"b.png: nothing says"}},
		"systems": {map[string][]byte{
			"a.asc": asc("xllcorner 0 yllcorner 0 cellsize 10"), "a.prj": []byte(utm),
			"b.asc": asc("xllcorner 20 yllcorner 0 cellsize 10"), "b.prj": []byte(webMercator)}, []string{"a.asc", "b.asc", "coordinate systems", "EPSG:3857"}},
		"steps":     {map[string][]byte{"a.asc": asc("xllcorner 0 yllcorner 0 cellsize 10"), "b.asc": asc("xllcorner 20 yllcorner 0 cellsize 11")}, []string{"a.asc", "b.asc", "10 by 10 and 11 by 11"}},
		"lattice":   {map[string][]byte{"a.asc": asc("xllcorner 0 yllcorner 0 cellsize 10"), "b.asc": asc("xllcorner 23 yllcorner 0 cellsize 10")}, []string{"a.asc", "b.asc", "2.3 columns"}},
		"twice":     {map[string][]byte{"a.asc": asc("xllcorner 0 yllcorner 0 cellsize 10"), "b.asc": asc("xllcorner 0 yllcorner 0 cellsize 10")}, []string{"a.asc", "b.asc", "both lie at"}},
		"conflict":  {map[string][]byte{"a.png": cut(t, 0, 0, 9, 9), "a.pgw": worldFile(0, 0), "b.png": cut(t, 5, 1, 9, 9), "b.pgw": worldFile(5, 2)}, []string{"a.png", "b.png", "overlap by 4×7 samples", "column 5, row 2"}},
		"far apart": {map[string][]byte{"a.asc": asc("xllcorner 0 yllcorner 0 cellsize 1"), "b.asc": asc("xllcorner 2000000 yllcorner 0 cellsize 1")}, []string{"a.asc", "b.asc", "apart, more than"}},
		"names":     {map[string][]byte{"a_0_0.png": cut(t, 0, 0, 4, 4), "b_0_0.png": cut(t, 0, 0, 4, 4)}, []string{"a_0_0.png", "b_0_0.png", "column 0 and row 0"}},
		"sizes":     {map[string][]byte{"a_0_0.png": cut(t, 0, 0, 4, 4), "a_0_1.png": cut(t, 0, 0, 5, 4)}, []string{"a_0_0.png", "a_0_1.png", "4×4 and 5×4"}},
		"damaged":   {map[string][]byte{"a_0_0.png": cut(t, 0, 0, 4, 4), "a_1_0.png": cut(t, 0, 0, 4, 4)[:60]}, []string{"a_1_0.png: "}},
		"8 bits":    {map[string][]byte{"a_0_0.png": grey8, "a_1_0.png": grey8[:len(grey8)-20]}, []string{"a_1_0.png: "}},
	} {
		r, err := raster.OpenReader(t.Context(), tree(t, c.files), raster.Options{})
		if err == nil {
			_, err = r.Stats()
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
		for _, words := range c.words {
			if err == nil || !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: error %v, want one line with %q", name, err, words)
			}
		}
	}
	tiles := tree(t, map[string][]byte{"a_0_0.png": cut(t, 0, 0, 4, 4), "a_1_0.png": cut(t, 0, 0, 4, 4)})
	_, err := raster.OpenReader(t.Context(), tiles, raster.Options{HGT: "N44W072"})
	refused(t, err, "--hgt is for one file")
}

// TestMosaicGeoTIFF cuts a raster and puts it together again.
func TestMosaicGeoTIFF(t *testing.T) {
	needGDAL(t)
	path, dir := shared.Path(t, "data/geotiff/d_fuji257.tif"), t.TempDir()
	for name, window := range map[string]string{"a": "0 0 129 129", "b": "128 0 129 129", "c": "0 128 129 129", "d": "128 128 129 129"} {
		args := append([]string{"-q", "-srcwin"}, strings.Fields(window)...)
		if out, err := exec.Command("gdal_translate", append(args, path, filepath.Join(dir, name+".tif"))...).CombinedOutput(); err != nil {
			t.Fatal(err, string(out))
		}
	}
	whole, parts := openReader(t, path, raster.Options{}), openReader(t, dir, raster.Options{})
	if *whole.Info.GeoTransform != *parts.Info.GeoTransform || whole.Info.CRS != parts.Info.CRS || whole.Info.Spacing != parts.Info.Spacing {
		t.Errorf("%+v, want %+v", parts.Info, whole.Info)
	}
	raster.SetMaxOpenParts(t, 1)
	parts = openReader(t, dir, raster.Options{})
	a, b := make([]float64, 257*257), make([]float64, 257*257)
	if err := errors.Join(whole.ReadRows(0, a), parts.ReadRows(0, b)); err != nil {
		t.Fatal(err)
	}
	for k, v := range a {
		if v != b[k] {
			t.Fatalf("sample %d is %v, want %v", k, b[k], v)
		}
	}
}

// TestMosaicEurope: two real neighbours, which have two columns in common, are
// one raster.
func TestMosaicEurope(t *testing.T) {
	needGDAL(t)
	west, east := shared.Path(t, "data/geotiff/eudem_N2000000E3000000.TIF"), shared.Path(t, "data/geotiff/eudem_N2000000E4000000.TIF")
	r, err := raster.OpenMosaic(t.Context(), []string{east, west}, raster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if i := r.Info; i.Width != 82 || i.Height != 42 || i.CRS != "EPSG:3035" || i.GeoTransform[0] != 2975000 || len(i.Warnings) > 0 {
		t.Errorf("%+v", r.Info)
	}
	all := heightsOf(t, r)
	for x0, path := range map[int]string{0: west, 40: east} {
		for k, v := range heightsOf(t, openReader(t, path, raster.Options{})) {
			if got := all[k/42*82+x0+k%42]; got != v && (got == got || v == v) {
				t.Fatalf("sample %d,%d is %v, want %v", x0+k%42, k/42, got, v)
			}
		}
	}
}

// TestMosaicGaps: what lies between files is known before a height is read.
func TestMosaicGaps(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string][2]int // where tiles of 20×10 samples lie, in tiles
		voids raster.Voids
		words string
	}{
		{"none", map[string][2]int{"a": {0, 0}, "b": {1, 0}, "c": {0, 1}, "d": {1, 1}}, raster.VoidsReport, ""},
		{"one of four", map[string][2]int{"a": {0, 0}, "b": {1, 0}, "d": {1, 1}}, raster.VoidsReport, "200 of 800 samples (25 %) lie between the 3 files"},
		{"one of four, filled", map[string][2]int{"a": {0, 0}, "b": {1, 0}, "d": {1, 1}}, raster.VoidsFill, ""},
		{"diagonal", map[string][2]int{"a": {0, 0}, "d": {1, 1}}, raster.VoidsReport, "400 of 800 samples (50 %) lie between the 2 files"},
		{"a row", map[string][2]int{"a": {0, 0}, "d": {9, 0}}, raster.VoidsReport, "1600 of 2000 samples (80 %) lie between the 2 files"},
		{"far apart, holes", map[string][2]int{"a": {0, 0}, "d": {14, 14}}, raster.VoidsHole, ""},
		{"far apart, filled", map[string][2]int{"a": {0, 0}, "d": {14, 14}}, raster.VoidsFill, "44600 of 45000 samples (99.11 %) lie between the 2 files, more than the 99 %"},
		{"less far apart, filled", map[string][2]int{"a": {0, 0}, "d": {12, 12}}, raster.VoidsFill, ""},
	} {
		files := map[string][]byte{}
		for name, at := range c.files {
			files[name+fmt.Sprintf("_%d_%d.png", at[0], at[1])] = cut(t, 20*at[0], 10*at[1], 20, 10)
		}
		r := openReader(t, tree(t, files), raster.Options{Voids: c.voids})
		_, err := r.Plan()
		if c.words == "" && err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if c.words != "" {
			refused(t, err, c.words)
		}
	}
	hgt := []string{shared.Path(t, "data/hgt/N44W072.hgt"), shared.Path(t, "data/hgt/N00E011.hgt.zip")}
	for _, o := range []raster.Options{{}, {Resample: 500}, {Voids: raster.VoidsFill}} {
		r, err := raster.OpenMosaic(t.Context(), hgt, o)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err = r.Plan()
		refused(t, err, "5440469999 of 5443354801 samples (99.94 %) lie between the 2 files")
		if took := time.Since(start); took > 5*time.Second { // all rows take longer than half a minute
			t.Errorf("%v for saying so", took)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
