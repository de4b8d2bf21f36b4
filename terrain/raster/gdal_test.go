package raster_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/terrain/raster"
)

// tiff returns a TIFF of one strip of 8-bit grey, with deflate or without.
func tiff(w, h uint32, compression uint16, strip []byte) []byte {
	b := []byte("II*\x00\x08\x00\x00\x00")
	entries := [][3]uint32{
		{256, 4, w}, {257, 4, h}, {258, 3, 8}, {259, 3, uint32(compression)}, {262, 3, 1},
		{273, 4, 8 + 2 + 9*12 + 4}, {277, 3, 1}, {278, 4, h}, {279, 4, uint32(len(strip))},
	}
	b = binary.LittleEndian.AppendUint16(b, uint16(len(entries)))
	for _, e := range entries {
		b = binary.LittleEndian.AppendUint16(b, uint16(e[0]))
		b = binary.LittleEndian.AppendUint16(b, uint16(e[1]))
		b = binary.LittleEndian.AppendUint32(b, 1)
		b = binary.LittleEndian.AppendUint32(b, e[2])
	}
	return append(binary.LittleEndian.AppendUint32(b, 0), strip...)
}

// noTemporary wants no file of ours where temporary files are. It must be
// called before anything makes one.
func noTemporary(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Cleanup(func() {
		if left, err := filepath.Glob(filepath.Join(dir, "vkterrain-*")); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
}

func TestGDALSaysWhat(t *testing.T) {
	needGDAL(t)
	noTemporary(t)
	flipped := openReader(t, shared.Path(t, "data/geotiff/d_southup.tif"), raster.Options{})
	straight := openReader(t, shared.Path(t, "data/geotiff/d_int16_none_strip.tif"), raster.Options{})
	for k, v := range straight.Info.GeoTransform {
		if got := flipped.Info.GeoTransform[k]; math.Abs(got-v) > 1e-9 {
			t.Errorf("geotransform %v, want %v", *flipped.Info.GeoTransform, *straight.Info.GeoTransform)
		}
	}
	if i := straight.Info; i.CRS != "EPSG:4326" || i.Kind != "geotiff" || i.Type != "i16" || !i.Integer || math.Abs(i.Spacing-83.7) > 0.5 {
		t.Errorf("%+v", i)
	}
	s, err := flipped.Load()
	if err != nil {
		t.Fatal(err)
	}
	if lo, hi, _ := s.Field.Stats(); s.At(128, 0) != hi || s.At(0, 128) != lo {
		t.Errorf("corners %d and %d of %d to %d", s.At(0, 128), s.At(128, 0), lo, hi)
	}
	laea := openReader(t, shared.Path(t, "data/geotiff/eudem_N2000000E3000000.TIF"), raster.Options{})
	if laea.Info.CRS != "EPSG:3035" || laea.Info.Spacing != 25000 {
		t.Errorf("%+v", laea.Info)
	}
	for _, c := range []struct{ file, name, words string }{
		{"usgsdem/gz_dem_nodata.dem", "a.dem", "the content is geotiff, though the name ends in .dem"},
		{"png16/d_n44w072_500x333.png", "a.tif", "the content is png, though the name ends in .tif"},
		{"geotiff/d_int16_none_strip.tif", "a b/Höhen 高度/富士.tif", ""},
		{"geotiff/d_int16_none_strip.tif", "-q.tif", ""},
		{"geotiff/d_2band_planar.tif", "a.tif", "has 2 bands; the first is read"},
		{"geotiff/it_BigTIFF.tif", "a.tif", "red, is read"},
		{"geotiff/d_uint8_none.tif", "a.tif", "only 256 height levels"},
	} {
		b, err := os.ReadFile(shared.Path(t, "data", c.file))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		r := openReader(t, path, raster.Options{Spacing: 30})
		warned(t, &r.Info, c.words)
		if _, err := r.Stats(); err != nil {
			t.Error(err)
		}
	}
}

func TestGDALRefuses(t *testing.T) {
	needGDAL(t)
	noTemporary(t)
	whole, err := os.ReadFile(shared.Path(t, "data/geotiff/d_int16_none_strip.tif"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		b     []byte
		o     raster.Options
		words string
	}{
		{"nothing known", []byte("Once upon a time"), raster.Options{}, "not a height raster"},
		{"cut in the header", whole[:100], raster.Options{}, "gdalinfo: "},
		{"cut in the rows", whole[:20000], raster.Options{}, "gdal_translate: "},
		{"bomb", tiff(100000, 100000, 1, make([]byte, 100)), raster.Options{}, "cannot hold"},
		{"deflated bomb", tiff(100000, 100000, 8, make([]byte, 100)), raster.Options{}, "cannot hold"},
		{"wide", tiff(2<<20, 1, 1, make([]byte, 2<<20)), raster.Options{}, "more than 1048576 on a side"},
		{"one band of colours", tiff(4, 4, 1, make([]byte, 16)), raster.Options{Encoding: raster.Mapbox}, "needs three of u8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			_, err := raster.Open(write(t, "a.tif", c.b), c.o)
			refused(t, err, c.words)
			if strings.Contains(err.Error(), "ERROR") {
				t.Error(err)
			}
			t.Logf("%v in %v", err, time.Since(start))
		})
	}
}

// stub puts a program in the place of GDAL's.
func stub(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"gdalinfo", "gdal_translate"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func TestGDALMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for name, b := range map[string][]byte{"a.tif": tiff(4, 4, 1, make([]byte, 16)), "a.dem": []byte("Once upon a time")} {
		_, err := raster.Open(write(t, name, b), raster.Options{})
		refused(t, err, "Debian package gdal-bin")
	}
}

// TestGDALHangs: what never ends is ended with the context.
func TestGDALHangs(t *testing.T) {
	if testing.Short() {
		t.Skip("waits")
	}
	noTemporary(t)
	const json = `{"driverShortName":"GTiff","size":[4,4],"bands":[{"type":"Byte","block":[4,4]}]}`
	for _, script := range []string{"exec sleep 60", "sleep 60", `case $0 in *info) echo '` + json + `';; *) sleep 60;; esac`} {
		stub(t, script)
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		start := time.Now()
		r, err := raster.OpenReader(ctx, write(t, "a.tif", tiff(4, 4, 1, make([]byte, 16))), raster.Options{})
		if err == nil {
			_, err = r.Load()
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 20*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	}
}

// TestGDALNonsense: programs that say what they should not.
func TestGDALNonsense(t *testing.T) {
	noTemporary(t)
	for _, c := range []struct{ info, translate, words string }{
		{"no json", "", "no JSON"},
		{`{"driverShortName":"netCDF"}`, "", "several data sets"},
		{`{"size":[4,4],"bands":[{"type":"CFloat32"}]}`, "", "numbers of type CFloat32"},
		{`{"size":[-4,4],"bands":[{"type":"Byte"}]}`, "", "-4×4"},
		{`{"size":[4,4],"bands":[{"type":"Byte","colorInterpretation":"Palette"}]}`, "", "a palette"},
		{`{"size":[4,4],"bands":[{"type":"Byte"}]}`, "exit 3", "exit status 3"},
		{`{"size":[4,4],"bands":[{"type":"Byte"}]}`, "echo 'ERROR 1: Missing codec LERC' >&2; exit 1", "gdal_translate: Missing codec LERC"},
		{`{"size":[4,4],"bands":[{"type":"Byte"}]}`, `for last; do :; done; echo 123 > "$last"`, "fewer rows"},
	} {
		stub(t, fmt.Sprintf("case $0 in *info) echo '%s';; *) %s;; esac", c.info, c.translate+" :"))
		if c.translate != "" {
			stub(t, fmt.Sprintf("case $0 in *info) echo '%s'; exit;; esac\n%s\n", c.info, c.translate))
		}
		_, err := raster.Open(write(t, "a.tif", tiff(4, 4, 1, make([]byte, 16))), raster.Options{})
		refused(t, err, c.words)
	}
}

// TestGDALUnits: scale, offset, feet and NoData of a band.
func TestGDALUnits(t *testing.T) {
	const info = `{"driverShortName":"GTiff","size":[2,2],"geoTransform":[10,5,0,20,0,5],
"bands":[{"type":"Byte","block":[2,2],"unit":"ft","scale":0.5,"offset":10,"noDataValue":9.0}]}`
	stub(t, "case $0 in *info) echo '"+info+`'; exit;; esac
for last; do :; done; printf '\001\002\003\011' > "$last"`)
	path := write(t, "a.tif", tiff(2, 2, 1, make([]byte, 4)))
	r := openReader(t, path, raster.Options{})
	warned(t, &r.Info, `heights are in "ft"`)
	row := make([]float32, 4)
	if err := r.ReadHeights(0, row); err != nil {
		t.Fatal(err)
	}
	want := []float64{11.5 * 0.3048, math.NaN(), 10.5 * 0.3048, 11 * 0.3048} // south first in the file
	for k, v := range want {
		if got := float64(row[k]); !(math.Abs(got-v) < 1e-6) && !(math.IsNaN(got) && math.IsNaN(v)) {
			t.Errorf("sample %d is %v, want %v", k, got, v)
		}
	}
	if g := r.Info.GeoTransform; *g != [6]float64{10, 5, 0, 30, 0, -5} || r.Info.Spacing != 5 {
		t.Errorf("geotransform %v, spacing %v", *g, r.Info.Spacing)
	}
	if r := openReader(t, path, raster.Options{HeightUnit: 1}); r.Info.Unit != 0.5 || r.Info.Offset != 10 {
		t.Errorf("%+v", r.Info)
	}
}

// TestGDALFormats: one raster in every format that GDAL writes here without loss
// has the same heights.
func TestGDALFormats(t *testing.T) {
	needGDAL(t)
	if testing.Short() {
		t.Skip("GDAL takes its time")
	}
	path := shared.Path(t, "data/geotiff/d_fuji257.tif")
	want := heightsOf(t, openReader(t, path, raster.Options{}))
	read := 0
	for _, c := range []struct{ driver, name, flags string }{
		{"GTiff", "a.tif", "-co BIGTIFF=YES -co COMPRESS=LZW -co PREDICTOR=2"}, {"COG", "cog.tif", ""}, {"VRT", "a.vrt", ""},
		{"JP2OpenJPEG", "a.jp2", "-co QUALITY=100 -co REVERSIBLE=YES"}, {"HFA", "a.img", ""}, {"ENVI", "a.dat", ""},
		{"EHdr", "a.bil", ""}, {"XYZ", "a.xyz", ""}, {"netCDF", "a.nc", ""}, {"USGSDEM", "a.dem", ""}, {"NITF", "a.ntf", ""}, {"GSBG", "a.grd", ""}, {"RST", "a.rst", ""},
	} {
		to := filepath.Join(t.TempDir(), c.name)
		args := append([]string{"-q", "-of", c.driver}, strings.Fields(c.flags)...)
		if out, err := exec.Command("gdal_translate", append(args, path, to)...).CombinedOutput(); err != nil {
			t.Logf("%s is not written: %s", c.driver, out)
			continue
		}
		read++
		r := openReader(t, to, raster.Options{})
		if got := heightsOf(t, r); !slices.Equal(got, want) {
			t.Errorf("%s: the heights differ", c.driver)
		}
		if strings.Contains(strings.Join(r.Info.Warnings, " "), "heights are in") {
			t.Errorf("%s: warnings %q", c.driver, r.Info.Warnings)
		}
	}
	if read < 5 {
		t.Errorf("%d formats", read)
	}
}

// TestGDALVerticalSystem: heights above NAVD 88 in US survey feet become metres.
func TestGDALVerticalSystem(t *testing.T) {
	needGDAL(t)
	path := shared.Path(t, "data/geotiff/d_2x2.tif")
	to := filepath.Join(t.TempDir(), "a.tif")
	args := []string{"-q", "-a_srs", "EPSG:32654+6360", "-a_ullr", "300000", "4000000", "300060", "3999940", path, to}
	if out, err := exec.Command("gdal_translate", args...).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	r := openReader(t, to, raster.Options{})
	warned(t, &r.Info, `in "US survey foot": they become metres`)
	feet := heightsOf(t, openReader(t, path, raster.Options{}))
	for k, v := range heightsOf(t, r) {
		if !(math.Abs(v-feet[k]*1200/3937) <= 1e-9) {
			t.Errorf("%v feet are %v m", feet[k], v)
		}
	}
	if g := r.Info.Geo(); g.VerticalUnit != "US survey foot" || r.Info.Spacing != 30 || !strings.Contains(g.CRS, "NAVD88") {
		t.Errorf("%+v", g)
	}
}
