package raster_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/terrain/raster"
)

// reference is what an independent reader found in a file.
type reference struct {
	File          string
	Driver        string
	Width, Height int
	Encoding      string
	VoidCount     int64 `json:"void_count"`
	Min, Max      *float64
	Mean          *float64
	Samples       [][3]*float64
	GeoTransform  *[6]float64
	AreaOrPoint   string `json:"area_or_point"`
	HeightsSHA256 string `json:"heights_f32_sha256"`
}

func references(t *testing.T) []reference {
	b, err := os.ReadFile(shared.Path(t, "data/reference.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Files []json.RawMessage }
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	var refs []reference
	for _, raw := range all.Files {
		var r reference
		if err := json.Unmarshal(raw, &r); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if r.Width > 0 {
			refs = append(refs, r)
		}
	}
	return refs
}

// said is what is said of files that do not say it themselves.
var said = map[string]raster.Options{
	"png16/pngsuite_basn2c16.png":          {Encoding: raster.Grey},
	"png16/pngsuite_basn3p08.png":          {Encoding: raster.Grey},
	"png16/pngsuite_basn6a16.png":          {Encoding: raster.Grey},
	"raw16/d_fuji_129_f32le.r32":           {Raw: "129x129,f32le"},
	"raw16/d_fuji_129_hdr128_u16le.raw":    {Raw: "129x129,u16le,skip=128"},
	"raw16/d_fuji_257x129_i16be.raw":       {Raw: "257x129,i16be"},
	"raw16/d_n44w072_513_u16le.raw":        {Raw: "513x513,u16le"},
	"raw16/lumix_desert_hm_1024_be.raw":    {Raw: "1024x1024,u16be"},
	"terrain-rgb/d_etopo1_361x181.png":     {Encoding: raster.Mapbox},
	"terrain-rgb/delatin_14-2625-6369.png": {Encoding: raster.Mapbox},
	"terrain-rgb/martini_fuji.png":         {Encoding: raster.Mapbox},
	"geotiff/rgbify_elev_rgb.tif":          {Encoding: raster.Mapbox},
	"terrarium/d_etopo1_361x181.png":       {Encoding: raster.Terrarium},
	"terrarium/loadersgl_terrarium.png":    {Encoding: raster.Terrarium},
}

// inReach are the drivers, in the reference's words, whose files are read.
var inReach = map[string]bool{"PNG": true, "raw": true, "SRTMHGT": true, "AAIGrid": true, "GTiff": true, "DTED": true, "USGSDEM": true}

// ours are the drivers that GDAL is not needed for.
var ours = map[string]bool{"PNG": true, "raw": true, "SRTMHGT": true, "AAIGrid": true}

// needGDAL skips t where there is no GDAL, or fails it where nothing may skip.
func needGDAL(t *testing.T) {
	t.Helper()
	for _, name := range []string{"gdalinfo", "gdal_translate"} {
		if _, err := exec.LookPath(name); err != nil {
			if os.Getenv(shared.RequireEnv) == "1" {
				t.Fatalf("%s=1, but: %v", shared.RequireEnv, err)
			}
			t.Skip(err)
		}
	}
}

// TestReference compares every file that has heights with an independent reader:
// size, place, extremes, mean, voids, single samples and the hash of all. None of
// them may be refused.
func TestReference(t *testing.T) {
	counts := map[string]int{}
	for _, ref := range references(t) {
		if strings.HasPrefix(ref.Driver, "OGRE") { // package ogre reads it
			continue
		}
		if !inReach[ref.Driver] {
			t.Errorf("%s is of kind %s, which nothing reads", ref.File, ref.Driver)
			continue
		}
		counts[ref.Driver]++
		t.Run(ref.File, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && ref.Width*ref.Height > 2<<20 {
				t.Skip("large")
			}
			if !ours[ref.Driver] {
				if testing.Short() && !strings.HasPrefix(ref.File, "geotiff/d_nodata") {
					t.Skip("GDAL takes its time")
				}
				needGDAL(t)
			}
			r := openReader(t, shared.Path(t, "data", ref.File), said[ref.File])
			compareInfo(t, &r.Info, ref)
			compareHeights(t, r, ref)
			if ref.VoidCount == 0 && ref.Width > 1 && ref.Height > 1 {
				compareLoaded(t, r)
			}
		})
	}
	for driver := range inReach {
		if counts[driver] == 0 {
			t.Errorf("no file of %s", driver)
		}
	}
}

func openReader(t testing.TB, path string, o raster.Options) *raster.Reader {
	t.Helper()
	r, err := raster.OpenReader(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func compareInfo(t *testing.T, i *raster.Info, ref reference) {
	t.Helper()
	if i.Width != ref.Width || i.Height != ref.Height {
		t.Fatalf("%d×%d, want %d×%d", i.Width, i.Height, ref.Width, ref.Height)
	}
	if g := ref.GeoTransform; g != nil {
		want := *g
		if g[5] > 0 { // south first
			want[3], want[5] = g[3]+float64(ref.Height)*g[5], -g[5]
		}
		for k, v := range want {
			if i.GeoTransform == nil || math.Abs(i.GeoTransform[k]-v) > 1e-9*max(1, math.Abs(v)) {
				t.Fatalf("geotransform %v, want %v", i.GeoTransform, want)
			}
		}
	} else if i.GeoTransform != nil {
		t.Errorf("geotransform %v, want none", *i.GeoTransform)
	}
	if i.PixelIsPoint != (ref.AreaOrPoint == "Point") {
		t.Errorf("points are %v, want %q", i.PixelIsPoint, ref.AreaOrPoint)
	}
	for _, w := range i.Warnings {
		if w == "" || strings.Contains(w, "\n") {
			t.Errorf("warning %q", w)
		}
	}
}

// compareHeights compares all heights, by several rows at a time from the
// south, then one by one from the north.
func compareHeights(t *testing.T, r *raster.Reader, ref reference) {
	t.Helper()
	w, h := ref.Width, ref.Height
	all := make([]float32, w*h)
	step := (h + 2) / 3
	for y := h; y > 0; y -= step {
		top := max(0, y-step)
		if err := r.ReadHeights(top, all[top*w:y*w]); err != nil {
			t.Fatal(err)
		}
	}
	sum := sha256.New()
	row, north := make([]float32, w), make([]byte, 0, 4*w)
	for y := range h {
		if err := r.ReadHeights(y, row); err != nil {
			t.Fatal(err)
		}
		north = north[:0]
		for x, v := range row {
			bits := math.Float32bits(v)
			if bits != math.Float32bits(all[y*w+x]) {
				t.Fatalf("sample %d,%d is %v, and %v with others", x, y, v, all[y*w+x])
			}
			north = binary.LittleEndian.AppendUint32(north, bits)
		}
		sum.Write(north)
	}
	for _, s := range ref.Samples {
		got := all[int(*s[1])*w+int(*s[0])]
		if s[2] == nil && !math.IsNaN(float64(got)) || s[2] != nil && math.Abs(float64(got)-*s[2]) > 1e-6*max(1, math.Abs(*s[2])) {
			t.Errorf("sample %v,%v is %v, want %v", *s[0], *s[1], got, s[2])
		}
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != ref.HeightsSHA256 {
		t.Errorf("heights hash to %s, want %s", got, ref.HeightsSHA256)
	}
	stats, err := r.Stats()
	if err != nil {
		t.Fatal(err)
	}
	if stats.Voids != ref.VoidCount {
		t.Errorf("%d voids, want %d", stats.Voids, ref.VoidCount)
	}
	for name, v := range map[string]struct {
		got  float64
		want *float64
	}{"min": {stats.Min, ref.Min}, "max": {stats.Max, ref.Max}, "mean": {stats.Mean, ref.Mean}} {
		switch {
		case v.want == nil && ref.VoidCount == int64(w*h):
			if !math.IsNaN(v.got) {
				t.Errorf("%s is %v of voids", name, v.got)
			}
		case v.want != nil && !(math.Abs(v.got-*v.want) <= 1e-6*max(1, math.Abs(*v.want))):
			t.Errorf("%s is %v, want %v", name, v.got, *v.want)
		}
	}
}

// compareLoaded wants the field to be as near to the rows as it says.
func compareLoaded(t *testing.T, r *raster.Reader) {
	t.Helper()
	s, err := r.Load()
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float32, s.Width)
	for y := range s.Height {
		if err := r.ReadHeights(y, row); err != nil {
			t.Fatal(err)
		}
		for x, want := range row {
			got := float64(s.At(x, y)) * s.Quantum
			if s.MaxError == 0 && float32(got) != want || math.Abs(got-float64(want)) > s.MaxError+1e-6*math.Abs(got) {
				t.Fatalf("sample %d,%d is %v, want %v within %v (quantum %v)", x, y, got, want, s.MaxError, s.Quantum)
			}
		}
	}
	lo, hi, _ := s.Field.Stats()
	if hi-lo > math.MaxUint16 || max(-lo, hi) >= 1<<24 || s.Quantum <= 0 {
		t.Errorf("%d to %d quanta of %v", lo, hi, s.Quantum)
	}
}

// TestEqualHeights: two encodings of one map give the same field.
func TestEqualHeights(t *testing.T) {
	var first *raster.Source
	for _, file := range []string{"terrain-rgb/d_etopo1_361x181.png", "terrarium/d_etopo1_361x181.png"} {
		s, err := raster.Open(shared.Path(t, "data", file), said[file])
		if err != nil {
			t.Fatal(err)
		}
		lo, hi, _ := s.Field.Stats()
		if lo != -9200 || hi != 5855 || math.Abs(s.Quantum-1) > 1e-12 || s.MaxError != 0 {
			t.Errorf("%s: %d to %d quanta of %v m, %v m off", file, lo, hi, s.Quantum, s.MaxError)
		}
		if first == nil {
			first = s
			continue
		}
		for k, v := range s.Samples {
			if v != first.Samples[k] {
				t.Fatalf("sample %d is %d and %d", k, first.Samples[k], v)
			}
		}
	}
}

// TestColoursRefused: a colour picture without an encoding is no raster.
func TestColoursRefused(t *testing.T) {
	for _, file := range []string{
		"png16/pngsuite_basn3p08.png", "png16/pngsuite_basn2c16.png", "png16/pngsuite_basn6a16.png",
		"terrain-rgb/martini_fuji.png", "terrarium/loadersgl_terrarium.png",
	} {
		_, err := raster.Open(shared.Path(t, "data", file), raster.Options{})
		refused(t, err, "--encoding mapbox|terrarium|grey")
	}
}

func warned(t *testing.T, i *raster.Info, words string) {
	t.Helper()
	if words == "" && len(i.Warnings) > 0 || !strings.Contains(strings.Join(i.Warnings, "\n"), words) {
		t.Errorf("warnings %q, want %q", i.Warnings, words)
	}
}

func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		file, words string
		o           raster.Options
	}{
		{"png16/ps_height_1k.png", "", raster.Options{}},
		{"png8/ogre_terrain.png", "only 256 height levels", raster.Options{}},
		{"png8/gz_heightmap_bowl.png", "read as grey", raster.Options{}},
		{"raw16/lumix_desert_hm_1024_be.raw", "", raster.Options{Raw: "1024x1024,u16be"}},
		{"raw16/lumix_desert_hm_1024_be.raw", "is it u16be?", raster.Options{Raw: "1024x1024,u16le"}},
		{"raw16/d_fuji_129_f32le.r32", "is it f32le?", raster.Options{Raw: "129x129,f32be"}},
		{"raw16/d_fuji_129_f32le.r32", "", raster.Options{Raw: "129x129,f32le"}},
	} {
		warned(t, &openReader(t, shared.Path(t, "data", c.file), c.o).Info, c.words)
	}
}

// copied returns a copy of the shared file after change, under another name.
func copied(t *testing.T, file, name string, change func(b []byte) []byte) string {
	t.Helper()
	b, err := os.ReadFile(shared.Path(t, "data", file))
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		b = change(bytes.Clone(b))
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRawRefused(t *testing.T) {
	cut := copied(t, "raw16/d_n44w072_513_u16le.raw", "cut.raw", func(b []byte) []byte { return b[:len(b)-1] })
	fuji := shared.Path(t, "data/raw16/d_fuji_257x129_i16be.raw")
	float := shared.Path(t, "data/raw16/d_fuji_129_f32le.r32")
	for _, c := range []struct{ path, raw, words string }{
		{fuji, "", "257x129,u16le"},
		{fuji, "129x129,i16be", "skip=33024"},
		{cut, "513x513,u16le", "526338 bytes, but the file has 526337"},
		{cut, "", "--raw WxH,TYPE"},
		{float, "auto", "129x129,f32le"},
		{float, "auto", "it has 66564 bytes"},
		{float, "129x129", "want WxH,TYPE"},
		{float, "129x129,f32", "no such type"},
		{float, "129x129,u8le", "16641 bytes, but the file has 66564"},
		{float, "129x129,f32le,skip=-1", "skip=N"},
		{float, "129x129,f32le,4", "skip=N"},
		{float, "129x129,f32le,skip=9223372036854775807", "skip=N"},
		{float, "0x129,f32le", "not WxH"},
		{float, "129x9999999999,f32le", "not WxH"},
		{float, strings.Repeat("1", 5000), "want WxH,TYPE"},
		{float, "1048576x1048576,f64be", "8796093022208 bytes"},
	} {
		_, err := raster.Open(c.path, raster.Options{Raw: c.raw})
		refused(t, err, c.words)
	}
}

// TestRange maps whole numbers to heights exactly.
func TestRange(t *testing.T) {
	path := shared.Path(t, "data/raw16/d_n44w072_513_u16le.raw")
	s, err := raster.Open(path, raster.Options{Raw: "513x513,u16le", Range: &[2]float64{0, 320.574}})
	if err != nil {
		t.Fatal(err)
	}
	if top := 65535 * s.Quantum; math.Abs(top-320.574) > 1e-9 || s.MaxError != 0 {
		t.Errorf("65535 is %v m, %v off", top, s.MaxError)
	}
	r := openReader(t, path, raster.Options{Raw: "513x513,u16le", Range: &[2]float64{-100, 1000}})
	stats, err := r.Stats()
	if want := -100 + 1908*1100.0/65535; err != nil || math.Abs(stats.Max-want) > 1e-9 {
		t.Errorf("%v, %v; want up to %v", stats, err, want)
	}
	compareLoaded(t, r)
	for _, o := range []raster.Options{
		{Raw: "129x129,f32le", Range: &[2]float64{0, 1}},
		{Raw: "129x129,f32le", Range: &[2]float64{1, 1}},
		{Raw: "129x129,f32le", Range: &[2]float64{0, math.NaN()}},
	} {
		if _, err := raster.Open(shared.Path(t, "data/raw16/d_fuji_129_f32le.r32"), o); err == nil {
			t.Errorf("%v is accepted", *o.Range)
		}
	}
}

// TestRowsAfterTheEnd reads again what was read to its end.
func TestRowsAfterTheEnd(t *testing.T) {
	r := openReader(t, shared.Path(t, "data/png16/d_n44w072_500x333.png"), raster.Options{})
	a, b := make([]float64, 500), make([]float64, 500)
	for _, y := range []int{332, 0, 332, 331, 1} {
		if err := r.ReadRows(y, a); err != nil {
			t.Fatal(err)
		}
		if err := r.ReadRows(y, b); err != nil {
			t.Fatal(err)
		}
		for x := range a {
			if a[x] != b[x] {
				t.Fatalf("row %d differs at %d", y, x)
			}
		}
	}
}

func FuzzRaw(f *testing.F) {
	f.Add("3x2,u16le", make([]byte, 12))
	f.Add("2x2,f32be,skip=3", make([]byte, 19))
	f.Add("2x1,f64le", make([]byte, 16))
	f.Fuzz(func(t *testing.T, spec string, b []byte) {
		if spec == "" || strings.ContainsAny(spec, "\r\n") {
			return
		}
		fuzzRead(t, "a.raw", b, raster.Options{Raw: spec, Voids: raster.VoidsFill})
	})
}
