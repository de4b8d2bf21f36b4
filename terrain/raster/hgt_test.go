package raster_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/terrain/raster"
)

// tile is a tile of 1°, 61 samples a side, that slopes down to the south.
func tile() []byte {
	b := make([]byte, 0, 2*61*61)
	for y := range 61 {
		for x := range 61 {
			v := int16(600 - 10*y + x)
			b = append(b, byte(v>>8), byte(v))
		}
	}
	return b
}

func write(t testing.TB, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func gzipped(b []byte) []byte {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	if _, err := w.Write(b); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return z.Bytes()
}

func zipped(b []byte, names ...string) []byte {
	var z bytes.Buffer
	w := zip.NewWriter(&z)
	for _, name := range names {
		f, err := w.Create(name)
		if err != nil {
			panic(err)
		}
		if _, err := f.Write(b); err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return z.Bytes()
}

func TestHGTNames(t *testing.T) {
	for _, c := range []struct {
		name, option string
		pack         func(b []byte) []byte
		lat, lon     float64
	}{
		{"N44W072.hgt", "", nil, 44, -72},
		{"n44w072.HGT", "", nil, 44, -72},
		{"N44W072", "", nil, 44, -72},
		{"n44w072hgt", "", nil, 44, -72},
		{"S46W066.SRTMGL1.hgt", "", nil, -46, -66},
		{"S01E000.hgt", "", nil, -1, 0},
		{"d_N46W122.hgt.gz", "", gzipped, 46, -122},
		{"s46w066.gz", "", gzipped, -46, -66},
		{"whatever.zip", "", func(b []byte) []byte { return zipped(b, "readme.txt", "a/N00E011.HGT", "a/.x.hgt") }, 0, 11},
		{"heights.hgt", "N44W072", nil, 44, -72},
		{"heights.bin", "s90e179.hgt", nil, -90, 179},
		{"N44W072.hgt", "N10E010", nil, 10, 10},
	} {
		b := tile()
		if c.pack != nil {
			b = c.pack(b)
		}
		r := openReader(t, write(t, c.name, b), raster.Options{HGT: c.option})
		g := r.Info.GeoTransform
		west, south := g[0]+g[1]/2, g[3]+60*g[5]+g[5]/2
		if math.Abs(west-c.lon) > 1e-9 || math.Abs(south-c.lat) > 1e-9 || r.Info.CRS != "EPSG:4326" || r.Info.Kind != "hgt" {
			t.Errorf("%s: south-west corner %v, %v in %q; want %v, %v", c.name, south, west, r.Info.CRS, c.lat, c.lon)
		}
		s, err := r.Load()
		if err != nil || s.At(0, 0) != 600 || s.At(60, 60) != 60 || s.Quantum != 1 {
			t.Errorf("%s: %v, %v", c.name, s, err)
		}
	}
}

// TestHGTSpacing: a degree is shorter from west to east, and the world's one
// spacing keeps the area.
func TestHGTSpacing(t *testing.T) {
	i := openReader(t, write(t, "N59E011.hgt", tile()), raster.Options{}).Info
	if want := 1855.0 * math.Sqrt(0.51); math.Abs(i.Spacing-want) > 15 {
		t.Errorf("spacing %v, want %v", i.Spacing, want)
	}
	warned(t, &i, "from west to east")
	i = openReader(t, write(t, "N59E011.hgt", tile()), raster.Options{Spacing: 30}).Info
	if i.Spacing != 30 {
		t.Errorf("spacing %v", i.Spacing)
	}
	warned(t, &i, "")
	i = openReader(t, write(t, "N00E011.hgt", tile()), raster.Options{}).Info
	if math.Abs(i.Spacing-1849) > 2 {
		t.Errorf("spacing %v at the equator", i.Spacing)
	}
}

func TestHGTRefused(t *testing.T) {
	b := tile()
	damaged := gzipped(b)
	damaged[len(damaged)-6] ^= 1 // the checksum
	for _, c := range []struct {
		name, option string
		b            []byte
		words        string
	}{
		{"heights.hgt", "", b, "give --hgt N44W072"},
		{"N95E011.hgt", "", b, "says no position"},
		{"N44W072.hgt", "here", b, `"here" says no position`},
		{"N44W072.hgt", "", b[:len(b)-1], "2884802 bytes (3″) or 25934402 (1″), not 7441"},
		{"N44W072.hgt", "", make([]byte, 2_000_000), "2884802"}, // 1000² samples
		{"N44W072.hgt.gz", "", gzipped(b[:6000]), "not 6000"},
		{"N44W072.hgt.gz", "", gzipped(b)[:500], "ends early"},
		{"N44W072.hgt.gz", "", damaged, "checksum"},
		{"N44W072.hgt.gz", "", []byte{0x1f, 0x8b}, "ends early"},
		{"N44W072.hgt.gz", "", []byte{0x1f, 0x8b, 8: 99, 20: 1}, "damaged gzip"},
		{"x.gz", "", gzipped(b), "says no position"},
		{"x.tif.gz", "", gzipped(b), `holds "x.tif", which is neither`},
		{"N44W072.zip", "", zipped(b, "readme.txt"), "without an SRTM tile"},
		{"N44W072.zip", "", zipped(b, "N44W072.hgt", "N45W072.hgt"), "several tiles"},
		{"N44W072.zip", "", zipped(b, "N44W072.hgt")[:700], "damaged zip"},
		{"N44W072.zip", "", zipped(b, "tile.hgt"), "says no position"},
	} {
		_, err := raster.Open(write(t, c.name, c.b), raster.Options{HGT: c.option})
		refused(t, err, c.words)
	}
}

// TestHGTBomb: what inflates to more than any tile is refused, with little
// memory.
func TestHGTBomb(t *testing.T) {
	if testing.Short() {
		t.Skip("packs 256 MiB")
	}
	path := write(t, "N44W072.hgt.gz", gzipped(make([]byte, 1<<28)))
	n := allocated(func() {
		_, err := raster.Open(path, raster.Options{})
		refused(t, err, "more than 233323202")
	})
	if n > 1<<20 {
		t.Errorf("%d bytes allocated", n)
	}
}

// TestVoids finds the voids of a real tile, and refuses it as a field.
func TestVoids(t *testing.T) {
	path := shared.Path(t, "data/hgt/d_N46W122.hgt.gz")
	stats, err := openReader(t, path, raster.Options{}).Stats()
	if err != nil || stats.Voids != 9033 || stats.Min != 263 {
		t.Errorf("%+v, %v", stats, err)
	}
	_, err = raster.Open(path, raster.Options{})
	refused(t, err, "9033 of 1442401 samples are voids; --voids fill fills them")
	void := 146.0
	r := openReader(t, shared.Path(t, "data/hgt/S46W066.hgt.gz"), raster.Options{NoData: &void})
	if stats, err := r.Stats(); err != nil || stats.Voids == 0 || stats.Max >= 146 {
		t.Errorf("%+v, %v", stats, err)
	}
}

func FuzzHGT(f *testing.F) {
	f.Add(tile())
	f.Add(gzipped(tile()))
	f.Add(zipped(tile(), "N44W072.hgt"))
	f.Fuzz(func(t *testing.T, b []byte) { fuzzRead(t, "N44W072.hgt", b, raster.Options{}) })
}

// fuzzRead reads whatever b is: rows or an error of one line, no panic.
func fuzzRead(t *testing.T, name string, b []byte, o raster.Options) {
	r, err := raster.OpenReader(t.Context(), write(t, name, b), o)
	if err != nil {
		if len(err.Error()) > 2000 || bytes.ContainsRune([]byte(err.Error()), '\n') {
			t.Error(err)
		}
		return
	}
	defer r.Close()
	if int64(r.Info.Width)*int64(r.Info.Height) > 1<<22 {
		return
	}
	if _, err := r.Stats(); err == nil {
		_, err = r.Load()
		_ = fmt.Sprint(err)
	}
}
