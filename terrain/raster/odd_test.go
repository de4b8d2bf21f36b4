package raster_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/terrain/raster"
)

// TestOddNumbers: a number that often stands for voids is spoken of where it lies far
// from all others, and once.
func TestOddNumbers(t *testing.T) {
	const least, greatest = "its least number is ", "its greatest number is "
	for _, c := range []struct {
		kind  string
		odd   float64 // of numbers from 0 to 2000
		words string
	}{
		{"i16le", -32768, least + "-32768, far"},
		{"i16le", -9999, least + "-9999, far"},
		{"i16le", -9998, ""},
		{"i16le", -500, ""},
		{"u16le", 65535, greatest + "65535, far"},
		{"u16le", 65534, ""},
		{"f32le", -9999, least + "-9999, far"},
		{"f32le", -32768, least + "-32768, far"},
		{"f32le", -math.MaxFloat32, least + "-3.4028234663852886e+38, far"},
		{"f32le", 9.96921e36, greatest + "9.96"},
		{"f32le", 3000, ""},
	} {
		var b []byte
		for k := range 40 * 30 {
			v := float64(k*37%41) * 50
			if k%50 == 7 {
				v = c.odd
			}
			switch c.kind {
			case "i16le":
				b = binary.LittleEndian.AppendUint16(b, uint16(int16(v)))
			case "u16le":
				b = binary.LittleEndian.AppendUint16(b, uint16(v))
			case "f32le":
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
			}
		}
		path := write(t, "a.raw", b)
		o := raster.Options{Raw: "40x30," + c.kind, Spacing: 10}
		for _, resample := range []float64{0, 25} {
			o.Resample = resample
			r := openReader(t, path, o)
			for range 2 {
				if _, err := r.Stats(); err != nil {
					t.Fatal(err)
				}
			}
			oddWarnings(t, r, c.words)
		}
		o.NoData, o.Resample, o.Voids = &c.odd, 0, raster.VoidsHole
		if c.kind == "f32le" {
			number := float64(float32(c.odd))
			o.NoData = &number
		}
		r := openReader(t, path, o)
		if _, err := r.Plan(); err != nil {
			t.Fatal(err)
		}
		oddWarnings(t, r, "")
	}
}

// oddWarnings wants one warning with words, or none of a number.
func oddWarnings(t *testing.T, r *raster.Reader, words string) {
	t.Helper()
	n := strings.Count(strings.Join(r.Info.Warnings, "\n"), "--nodata")
	if has := strings.Contains(strings.Join(r.Info.Warnings, "\n"), words); words != "" && !(has && n == 1) || words == "" && n != 0 {
		t.Errorf("warnings %q, want one with %q", r.Info.Warnings, words)
	}
}

// TestOddFiles: a DEM that is not finished says so; those that span their type do not.
func TestOddFiles(t *testing.T) {
	r := openReader(t, shared.Path(t, "data/geotiff/gz_dem_unfinished.tif"), raster.Options{})
	if _, err := r.Plan(); err != nil {
		t.Fatal(err)
	}
	oddWarnings(t, r, "its least number is -32768, far from all others, which often says that there is no height; if so here, --nodata -32768")
	for _, name := range []string{"png16/ps_height_1k.png", "hgt/N44W072.hgt", "geotiff/mt_rainier_90m.tif", "geotiff/d_nodata_int16_m32768.tif"} {
		r := openReader(t, shared.Path(t, "data/"+name), raster.Options{})
		if _, err := r.Stats(); err != nil {
			t.Fatal(err)
		}
		oddWarnings(t, r, "")
	}
}
