package raster_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/terrain/raster"
)

// FuzzBeside puts any text beside a picture.
func FuzzBeside(f *testing.F) {
	f.Setenv("PATH", "")
	f.Add("10 0 0 -10 5 5", degrees, "")
	f.Add("10\n0\n0\n-10\n1e300\n-1e300\n", utm, "<PAMDataset><SRS>"+webMercator+"</SRS><GeoTransform>1,2,3,4,5,6</GeoTransform></PAMDataset>")
	f.Add("", `PROJCS["x",UNIT["y"`, `<PAMDataset><PAMRasterBand><NoDataValue>3</NoDataValue><UnitType>ft</UnitType></PAMRasterBand></PAMDataset>`)
	picture := encode(f, ramp(4, 3))
	f.Fuzz(func(t *testing.T, world, system, aux string) {
		path := write(t, "a.png", picture)
		for ext, text := range map[string]string{"a.pgw": world, "a.prj": system, "a.png.aux.xml": aux} {
			if err := os.WriteFile(filepath.Join(filepath.Dir(path), ext), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		r, err := raster.OpenReader(t.Context(), path, raster.Options{Voids: raster.VoidsFill})
		if err != nil {
			t.Fatal(err) // the picture is whole
		}
		defer r.Close()
		i := r.Info
		if !(i.Spacing > 0) || math.IsInf(i.Spacing, 0) || strings.ContainsAny(i.CRS, "\n\r") {
			t.Errorf("%+v", i)
		}
		for _, w := range i.Warnings {
			if strings.Contains(w, "\n") || len(w) > 1000 {
				t.Errorf("warning %q", w)
			}
		}
	})
}

// FuzzGDALSays takes any answer of gdalinfo.
func FuzzGDALSays(f *testing.F) {
	f.Add([]byte(`{"driverShortName":"GTiff","size":[2,2],"geoTransform":[10,5,0,20,0,5],"coordinateSystem":{"wkt":"GEOGCRS[\"x\"]"},
"metadata":{"":{"AREA_OR_POINT":"Point"}},"bands":[{"type":"Byte","block":[2,2],"unit":"ft","scale":0.5,"offset":10,"noDataValue":9.0}]}`))
	f.Add([]byte(`{"size":[4,4],"bands":[{"type":"Float32","noDataValue":"nan"},{"type":"Byte","colorInterpretation":"Red"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, e := range []raster.Encoding{"", raster.Mapbox} {
			i, err := raster.GDALSays(b, raster.Options{Encoding: e})
			if err == nil && (i.Width < 1 || i.Height < 1 || i.Width > raster.MaxSide || i.Height > raster.MaxSide || !(i.Spacing > 0) || math.IsInf(i.Spacing, 0)) {
				t.Errorf("%+v", i)
			}
		}
	})
}

// FuzzTBMP reads any tiled bitmap.
func FuzzTBMP(f *testing.F) {
	f.Setenv("PATH", "")
	b := make([]byte, 256+2*5*3)
	for at, v := range map[int]uint32{4: 5, 8: 3, 12: 1, 16: 2} {
		binary.LittleEndian.PutUint32(b[at:], v)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) { fuzzRead(t, "a.tbmp", b, raster.Options{}) })
}

// FuzzTiles puts two pictures of any names into a folder.
func FuzzTiles(f *testing.F) {
	f.Setenv("PATH", "")
	f.Add("a_x0_y0.png", "a_x1_y0.png")
	f.Add("3/1/2.png", "3/1/3.png")
	f.Add("r1c2.png", "r1c3.png")
	f.Add("3-1-2.png", "3-1-3@2x.png")
	f.Add("t_0_999999.png", "t_999999_0.png")
	picture := encode(f, colourful(4, 4))
	f.Fuzz(func(t *testing.T, a, b string) {
		dir := t.TempDir()
		for _, name := range []string{a, b} {
			if !filepath.IsLocal(name) || len(name) > 100 || strings.ContainsAny(name, "\x00\n\r") {
				return
			}
			path := filepath.Join(dir, filepath.FromSlash(name))
			if os.MkdirAll(filepath.Dir(path), 0o777) != nil || os.WriteFile(path, picture, 0o666) != nil {
				return
			}
		}
		r, err := raster.OpenReader(t.Context(), dir, raster.Options{Encoding: raster.Terrarium})
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Error(err)
			}
			return
		}
		defer r.Close()
		if int64(r.Info.Width)*int64(r.Info.Height) < 1<<20 {
			if _, err := r.Stats(); err != nil {
				t.Error(err)
			}
		}
	})
}

// FuzzPlan fills and resamples any numbers, 0 being a void: heights stay between
// those that there are, and do not depend on the rows that are read together.
func FuzzPlan(f *testing.F) {
	f.Add(uint8(5), []byte("hello, world: \x00\x00\x00 1234"), 0.0)
	f.Add(uint8(40), bytes.Repeat([]byte{0, 0, 0, 0, 0, 9, 8, 0, 0}, 300), 0.7)
	f.Add(uint8(2), []byte{1, 0, 0, 255}, 30.0)
	f.Fuzz(func(t *testing.T, width uint8, b []byte, spacing float64) {
		w, h := int(width), len(b)/max(1, int(width))
		if w < 2 || h < 2 || h > 300 || spacing != 0 && !(spacing > 0.2 && spacing < 1000) {
			return
		}
		img := gray8(w, h, b)
		void := 0.0
		r, err := raster.OpenReader(t.Context(), write(t, "a.png", encode(t, img)),
			raster.Options{NoData: &void, Voids: raster.VoidsHole, Spacing: 1, Resample: spacing})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		p, err := r.Plan()
		if err != nil {
			return // all voids, or one row is left
		}
		g := p.Grid()
		all, holes := make([]int32, g.Width*g.Height), make([]bool, g.Width*g.Height)
		if err := p.ReadRows(0, all, holes); err != nil {
			t.Fatal(err)
		}
		var n int64
		for k, v := range all {
			if v < g.Min || v > g.Max {
				t.Fatalf("sample %d is %d, not %d to %d", k, v, g.Min, g.Max)
			}
			if holes[k] {
				n++
			}
		}
		if n != g.Holes {
			t.Errorf("%d holes, want %d", n, g.Holes)
		}
		row := make([]int32, g.Width)
		for z := g.Height - 1; z >= 0; z -= 3 {
			if err := p.ReadRows(z, row, nil); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(row, all[z*g.Width:(z+1)*g.Width]) {
				t.Fatalf("row %d differs", z)
			}
		}
	})
}
