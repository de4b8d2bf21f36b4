package main_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/internal/shared"
)

// The tests of this file are the faults from the field that sources can have, by
// the names of their kinds. What a format itself can do wrong is tested where it
// is read.

// clean wants a run to end with an error of one line, soon, without much memory,
// and with nothing but want left in dir.
func clean(t *testing.T, dir string, keep []string, words string, args ...string) {
	t.Helper()
	start := time.Now()
	cmd := command(args...)
	r := finish(t, cmd)
	if r.code != 4 {
		t.Errorf("%q: exit code %d", args, r.code)
	}
	r.fails(t, r.code, words)
	if took := time.Since(start); took > 20*time.Second { // 2 s of a machine that does nothing else
		t.Errorf("%q took %v", args, took)
	}
	if rss := peak(t, cmd.ProcessState.SysUsage()); rss > 256<<20 {
		t.Errorf("%q took %d bytes of memory", args, rss)
	}
	left(t, dir, keep...)
}

// peak is the peak memory of a process that has ended, 0 where it says no more
// than that of the one which started it.
func peak(t *testing.T, usage any) int64 {
	t.Helper()
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		t.Fatal(err)
	}
	if u, known := usage.(*syscall.Rusage); known && u.Maxrss > own.Maxrss {
		return u.Maxrss << 10
	}
	return 0
}

// dumped returns the heights of a file.
func dumped(t *testing.T, args ...string) []float32 {
	t.Helper()
	b := []byte(ok(t, append([]string{"dump"}, args...)...).stdout)
	out := make([]float32, len(b)/4)
	for k := range out {
		out[k] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*k:]))
	}
	return out
}

// asReferred wants the heights of a file to be the reference's, before and after
// baking.
func asReferred(t *testing.T, file string, flags ...string) {
	t.Helper()
	path, want := shared.Path(t, "data", file), referenceOf(t, file)
	if got := hash([]byte(ok(t, append([]string{"dump", path}, flags...)...).stdout)); got != want.Hash {
		t.Errorf("dump of %s: hash %s, want %s", file, got, want.Hash)
	}
	world := filepath.Join(t.TempDir(), "w.vkt")
	ok(t, append([]string{"bake", path, "-o", world}, flags...)...)
	if got := hash([]byte(ok(t, "dump", world).stdout)); got != want.Hash {
		t.Errorf("dump of the world of %s: hash %s, want %s", file, got, want.Hash)
	}
}

// fileOf writes a file of a new folder.
func fileOf(t *testing.T, name string, b []byte) string {
	t.Helper()
	return write(t, filepath.Join(t.TempDir(), name), string(b))
}

func sharedBytes(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(shared.Path(t, "data", file))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCasesPNG(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "w.vkt")
	for _, file := range []string{"pngsuite_basn3p08.png", "pngsuite_basn2c16.png", "pngsuite_basn6a16.png"} {
		clean(t, dir, nil, "--encoding mapbox|terrarium|grey", "bake", shared.Path(t, "data/png16", file), "-o", out)
	}
	distinct := map[float32]bool{}
	for _, h := range dumped(t, shared.Path(t, "data/png16/ps_height_1k.png")) {
		distinct[h] = true
	}
	if len(distinct) <= 10000 || !distinct[43798] {
		t.Errorf("%d distinct heights", len(distinct))
	}
	asReferred(t, "png16/pngsuite_basn4a16.png")
	r := ok(t, "bake", shared.Path(t, "data/png8/gz_heightmap_bowl.png"), "-o", out)
	if strings.Count(r.stderr, "256 height levels") != 1 || strings.Count(r.stderr, "is read as grey") != 1 {
		t.Errorf("bake says %q", r.stderr)
	}
}

func TestCasesRAW(t *testing.T) {
	t.Parallel()
	desert, fuji := shared.Path(t, "data/raw16/lumix_desert_hm_1024_be.raw"), shared.Path(t, "data/raw16/d_fuji_257x129_i16be.raw")
	if r := ok(t, "info", desert, "--raw", "1024x1024,u16le"); !strings.Contains(r.stderr, "is it u16be?") {
		t.Errorf("info says %q", r.stderr)
	}
	if info := ok(t, "info", desert, "--raw", "1024x1024,u16be", "--json").parse(t); info["min"] != 0.0 || info["max"] != 65072.0 {
		t.Errorf("%v", info)
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "w.vkt")
	clean(t, dir, nil, "257x129,u16le", "bake", fuji, "-o", out)
	if info := ok(t, "info", fuji, "--raw", "257x129,i16be", "--json").parse(t); info["min"] != -1821.0 {
		t.Errorf("%v", info)
	}
	b := sharedBytes(t, "raw16/d_n44w072_513_u16le.raw")
	cut := fileOf(t, "cut.raw", b[:len(b)-1])
	clean(t, dir, nil, "are 526338 bytes, but the file has 526337", "bake", cut, "-o", out, "--raw", "513x513,u16le")
	clean(t, dir, nil, "it has 526337 bytes", "bake", cut, "-o", out)
	float := shared.Path(t, "data/raw16/d_fuji_129_f32le.r32")
	clean(t, dir, nil, "129x129,f32le", "bake", float, "-o", out, "--raw", "auto")
	if got, want := hash([]byte(ok(t, "dump", float, "--raw", "129x129,f32le").stdout)), referenceOf(t, "raw16/d_fuji_129_f32le.r32").Hash; got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
}

func TestCasesHGT(t *testing.T) {
	t.Parallel()
	tile := sharedBytes(t, "hgt/N44W072.hgt")
	want := referenceOf(t, "hgt/N44W072.hgt").Hash
	for _, c := range []struct {
		name  string
		b     []byte
		flags []string
	}{
		{"n44w072.HGT", tile, nil}, {"N44W072", tile, nil}, {"N44W072hgt", tile, []string{"--hgt", "N44W072"}},
		{"tile.bin", tile, []string{"--hgt", "n44w072"}}, {"N44W072.hgt.gz", gzipped(t, tile), nil},
	} {
		path := fileOf(t, c.name, c.b)
		if got := hash([]byte(ok(t, append([]string{"dump", path}, c.flags...)...).stdout)); got != want {
			t.Errorf("%s: hash %s, want %s", c.name, got, want)
		}
	}
	for file, corner := range map[string][2]float64{"hgt/N44W072.hgt": {44, -72}, "hgt/S46W066.hgt.gz": {-46, -66}, "hgt/N00E011.hgt.zip": {0, 11}, "hgt/N57E011.hgt.gz": {57, 11}} {
		info := ok(t, "info", shared.Path(t, "data", file), "--json").parse(t)
		g := info["geotransform"].([]any)
		rows := info["height"].(float64)
		west, south := g[0].(float64)+g[1].(float64)/2, g[3].(float64)+(rows-0.5)*g[5].(float64)
		if math.Abs(south-corner[0]) > 1e-9 || math.Abs(west-corner[1]) > 1e-9 || info["pixel_is_point"] != true || info["vertical_unit"] != "metre" {
			t.Errorf("%s: corner %v, %v: %v", file, south, west, info)
		}
		if ref := referenceOf(t, file); info["min"] != ref.Min || info["max"] != ref.Max {
			t.Errorf("%s: %v, want %+v", file, info, ref)
		}
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "w.vkt")
	clean(t, dir, nil, "2884802 bytes (3″) or 25934402 (1″), not 2000000", "bake", fileOf(t, "N44W072.hgt", tile[:2_000_000]), "-o", out)
	clean(t, dir, nil, "give --hgt N44W072", "bake", fileOf(t, "heights.hgt", tile), "-o", out)
}

func gzipped(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestCasesVoids: no void has a part in any height, at any level.
func TestCasesVoids(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	world := filepath.Join(dir, "w.vkt")
	ok(t, "bake", shared.Path(t, "data/hgt/d_N46W122.hgt.gz"), "-o", world, "--voids", "fill")
	for level := range 5 {
		if lo := slices.Min(dumped(t, world, "--level", fmt.Sprint(level))); lo < 263 {
			t.Errorf("level %d goes down to %v", level, lo)
		}
	}
	flat := filepath.Join(t.TempDir(), "flat.png")
	picture(t, flat, 129, 129, func(x, y int) uint16 { return 1234 })
	info := ok(t, "bake", flat, "-o", world, "--json").parse(t)
	if info["min"] != 1234.0 || info["max"] != 1234.0 || info["mean"] != 1234.0 {
		t.Errorf("flat: %v", info)
	}
	needGDAL(t)
	hashes := map[string]bool{}
	for _, kind := range []string{"float32_m9999", "float32_mflt", "float32_nan", "int16_m32768"} {
		path := shared.Path(t, "data/geotiff/d_nodata_"+kind+".tif")
		if info := ok(t, "info", path, "--json").parse(t); info["voids"] != 731.0 {
			t.Errorf("%s: %v", kind, info)
		}
		if kind != "int16_m32768" {
			hashes[hash([]byte(ok(t, "dump", path).stdout))] = true
		}
	}
	if len(hashes) != 1 {
		t.Errorf("%d hashes of one raster", len(hashes))
	}
	dir = t.TempDir()
	out := filepath.Join(dir, "w.vkt")
	for _, file := range []string{"geotiff/ie_float32_neg_infinity_nodata.tif", "usgsdem/114p01_0100_deme_truncated.dem", "geotiff/rio_all-nodata.tif"} {
		for _, voids := range []string{"report", "fill"} {
			clean(t, dir, nil, "samples", "bake", shared.Path(t, "data", file), "-o", out, "--voids", voids)
		}
	}
}

// TestCasesHoles: no triangle that is drawn touches a void.
func TestCasesHoles(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("large")
	}
	needGPU(t)
	path, dir := shared.Path(t, "data/hgt/d_N46W122.hgt.gz"), t.TempDir()
	world, mesh := filepath.Join(dir, "w.vkt"), filepath.Join(dir, "mesh")
	ok(t, "bake", path, "-o", world, "--voids", "hole", "--spacing", "10")
	ok(t, "render", world, "-o", filepath.Join(dir, "w.png"), "--size", "320x240", "--tau", "1", "--mesh", mesh, "--cull", "off")
	heights := dumped(t, path)
	b, err := os.ReadFile(mesh)
	if err != nil {
		t.Fatal(err)
	}
	nv, nt := int(binary.LittleEndian.Uint32(b)), int(binary.LittleEndian.Uint32(b[4:]))
	number := func(at int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b[at:])) }
	for k := range 3 * nt {
		v := 8 + 24*int(binary.LittleEndian.Uint32(b[8+24*nv+4*k:]))
		x, z := int(math.Round(number(v)/10)), int(math.Round(number(v+16)/10))
		if h := heights[z*1201+x]; h != h || math.Abs(float64(h)-number(v+8)) > 1e-3 {
			t.Fatalf("a triangle has a vertex at %d,%d, %v m high: %v", x, z, number(v+8), h)
		}
	}
	if nt < 10000 {
		t.Errorf("%d triangles", nt)
	}
}

// picture writes a 16-bit grey PNG.
func picture(t *testing.T, path string, w, h int, at func(x, y int) uint16) {
	t.Helper()
	img := image.NewGray16(image.Rect(0, 0, w, h))
	for k := range w * h {
		img.SetGray16(k%w, k/w, color.Gray16{Y: at(k%w, k/w)})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	write(t, path, b.String())
}

func TestCasesTIFF(t *testing.T) {
	t.Parallel()
	needGDAL(t)
	for _, file := range []string{"it_int16.tif", "dem-hills.tiff", "gz_dem_squared.tif", "d_float64_zstd_tiled16.tif", "d_cog_overviews.tif", "d_2band_planar.tif"} {
		path, want := shared.Path(t, "data/geotiff", file), referenceOf(t, "geotiff/"+file).Hash
		if got := hash([]byte(ok(t, "dump", path).stdout)); got != want {
			t.Errorf("%s: hash %s, want %s", file, got, want)
		}
	}
	dem := ok(t, "info", shared.Path(t, "data/usgsdem/gz_dem_nodata.dem"), "--json")
	if info := dem.parse(t); info["min"] != 682.0 || info["max"] != 2932.0 || info["voids"] != 96.0 || strings.Count(dem.stderr, "the content is geotiff, though the name ends in .dem") != 1 {
		t.Errorf("%+v", dem)
	}
	renamed := ok(t, "info", fileOf(t, "x.tif", sharedBytes(t, "png16/d_n44w072_500x333.png")), "--json")
	if info := renamed.parse(t); info["kind"] != "png16" || strings.Count(renamed.stderr, "the content is png, though the name ends in .tif") != 1 {
		t.Errorf("%+v", renamed)
	}
	sparse := ok(t, "info", shared.Path(t, "data/geotiff/d_sparse_tiles.tif"), "--json").parse(t)
	if want := referenceOf(t, "geotiff/d_sparse_tiles.tif"); sparse["voids"] != float64(want.VoidCount) || want.VoidCount == 0 {
		t.Errorf("%v, want %+v", sparse, want)
	}
}

func TestCasesRGB(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, file := range []string{"terrain-rgb/martini_fuji.png", "terrarium/loadersgl_terrarium.png"} {
		clean(t, dir, nil, "--encoding", "bake", shared.Path(t, "data", file), "-o", filepath.Join(dir, "w.vkt"))
	}
	for file, encoding := range map[string]string{"terrarium/d_etopo1_361x181.png": "terrarium", "terrain-rgb/d_etopo1_361x181.png": "mapbox"} {
		asReferred(t, file, "--encoding", encoding)
	}
	relief := dumped(t, shared.Path(t, "data/terrarium/loadersgl_terrarium.png"), "--encoding", "terrarium")
	if want := referenceOf(t, "terrarium/loadersgl_terrarium.png"); math.Abs(float64(slices.Min(relief))-want.Min) > 1e-3 || math.Abs(float64(slices.Max(relief))-want.Max) > 1e-3 {
		t.Errorf("%v to %v, want %+v", slices.Min(relief), slices.Max(relief), want)
	}
	if a, b := referenceOf(t, "terrarium/d_etopo1_361x181.png").Hash, referenceOf(t, "terrain-rgb/d_etopo1_361x181.png").Hash; a != b {
		t.Errorf("hashes %s and %s of one map", a, b)
	}
}

func TestCasesGrid(t *testing.T) {
	t.Parallel()
	corner := string(sharedBytes(t, "asc/d_corner.asc"))
	want := referenceOf(t, "asc/d_corner.asc").Hash
	for _, name := range []string{"d_corner", "d_center_crlf_upper", "d_dxdy_7line", "d_no_nodata", "d_wrapped_tabs"} {
		path := shared.Path(t, "data/asc", name+".asc")
		if got := hash([]byte(ok(t, "dump", path).stdout)); got != want {
			t.Errorf("%s: hash %s, want %s", name, got, want)
		}
		g := ok(t, "info", path, "--json").parse(t)["geotransform"].([]any)
		if west, south := g[0].(float64), g[3].(float64)+17*g[5].(float64); math.Abs(west-138.6229166667) > 1e-9 || math.Abs(south-35.3454166667) > 1e-9 {
			t.Errorf("%s: corner %v, %v", name, west, south)
		}
	}
	real := strings.Replace(corner, "NODATA_value -9999", "NODATA_value -9999.0", 1)
	if real == corner {
		t.Fatal("d_corner.asc is not as it was")
	}
	if got := hash([]byte(ok(t, "dump", fileOf(t, "real.asc", []byte(real))).stdout)); got != want {
		t.Errorf("real NoData: hash %s, want %s", got, want)
	}
	lines := strings.SplitAfter(strings.TrimRight(corner, "\n"), "\n")
	short := strings.Join(lines[:len(lines)-1], "")
	dir := t.TempDir()
	out := filepath.Join(dir, "w.vkt")
	clean(t, dir, nil, "ends after 496 of 527 values", "bake", fileOf(t, "short.asc", []byte(short)), "-o", out)
	header := len(lines) - 17
	fields := strings.Fields(lines[header+2])
	fields[4] = "x12"
	lines[header+2] = strings.Join(fields, " ") + "\n"
	clean(t, dir, nil, fmt.Sprintf(`line %d: "x12" is no number (value 67 of 527)`, header+3), "bake", fileOf(t, "x12.asc", []byte(strings.Join(lines, ""))), "-o", out)
}

// TestCasesSize: any size is baked as it is, and its last row and column are
// there at the finest level.
func TestCasesSize(t *testing.T) {
	t.Parallel()
	tile := sharedBytes(t, "hgt/N44W072.hgt")
	dir := t.TempDir()
	paths := []string{shared.Path(t, "data/png16/d_n44w072_500x333.png"), shared.Path(t, "data/png16/panda3d_heightfield.png")}
	for _, n := range []int{256, 257, 258} {
		path := filepath.Join(dir, fmt.Sprintf("crop%d.png", n))
		picture(t, path, n, n, func(x, y int) uint16 { return binary.BigEndian.Uint16(tile[2*((300+y)*1201+400+x):]) })
		paths = append(paths, path)
	}
	for _, path := range paths {
		world := filepath.Join(t.TempDir(), "w.vkt")
		r := ok(t, "bake", path, "-o", world, "--spacing", "90")
		padded := !strings.Contains(path, "crop257")
		if strings.Contains(r.stdout, "repeat its rim and are never drawn") != padded {
			t.Errorf("%s: bake says %q", path, r.stdout)
		}
		before, after := ok(t, "info", path, "--json").parse(t), ok(t, "info", world, "--json").parse(t)
		for _, key := range []string{"width", "height", "min", "max"} {
			if before[key] != after[key] {
				t.Errorf("%s: %s is %v, was %v", path, key, after[key], before[key])
			}
		}
		if after["spacing_m"] != 90.0 || !slices.Equal(dumped(t, path), dumped(t, world)) {
			t.Errorf("%s: the samples differ", path)
		}
	}
	needGDAL(t)
	out := filepath.Join(dir, "w.vkt")
	for _, file := range []string{"d_1x1.tif", "d_1x129.tif"} {
		r := run(t, "bake", shared.Path(t, "data/geotiff", file), "-o", out)
		r.fails(t, 4, "a terrain needs at least 2×2")
	}
	for _, file := range []string{"geotiff/d_2x2.tif", "geotiff/d_nonsquare_300x170.tif", "geotiff/etopo1_1deg.tif"} {
		asReferred(t, file)
	}
}

// TestCasesPlace: north is up, whatever the file's first row is.
func TestCasesPlace(t *testing.T) {
	t.Parallel()
	needGDAL(t)
	a := dumped(t, shared.Path(t, "data/geotiff/d_southup.tif"))
	b := dumped(t, shared.Path(t, "data/geotiff/d_int16_none_strip.tif"))
	if !slices.Equal(a, b) || slices.Max(a) != a[128] || slices.Min(a) != a[128*129] {
		t.Errorf("corners %v and %v", a[128], a[128*129])
	}
}

// TestCasesBombs: what claims or inflates to more than anybody has is refused. Case FILE-3.
func TestCasesBombs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("packs 256 MiB")
	}
	var packed bytes.Buffer
	z, err := zlib.NewWriterLevel(&packed, zlib.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	for range 256 {
		if _, err := z.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	var tile bytes.Buffer
	g := gzip.NewWriter(&tile)
	for range 256 {
		if _, err := g.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		b     []byte
		words string
	}{
		"claims.png":     {pngOf(100_000, 100_000, 0, nil)[:60], "cannot hold"},
		"inflates.png":   {pngOf(100, 100, 0, packed.Bytes()), "too many pixels"},
		"interlaced.png": {pngOf(8000, 8000, 1, packed.Bytes()), "interlaced"},
		"N44W072.hgt.gz": {tile.Bytes(), "not more than"},
		"claims.asc":     {[]byte("ncols 100000\nnrows 100000\n1 2 3\n"), "cannot hold"},
		"claims.raw":     {zeros[:100], "nothing in the file says"},
		"claims.tif":     {tiffOf(100_000, 100_000, 1, zeros[:100]), "cannot hold"},
		"deflated.tif":   {tiffOf(100_000, 100_000, 8, packed.Bytes()[:5000]), "cannot hold"},
	} {
		if strings.HasSuffix(name, ".tif") {
			needGDAL(t)
		}
		path, dir := fileOf(t, name, c.b), t.TempDir()
		clean(t, dir, nil, c.words, "bake", path, "-o", filepath.Join(dir, "w.vkt"))
		clean(t, dir, nil, name, "info", path)
	}
	needGDAL(t)
	// A strip that inflates to more than its rows gives its rows.
	strip := fileOf(t, "strip.tif", tiffOf(100, 100, 8, packed.Bytes()))
	cmd := command("info", strip, "--json")
	if r := finish(t, cmd); r.parse(t)["width"] != 100.0 || peak(t, cmd.ProcessState.SysUsage()) > 256<<20 {
		t.Errorf("%+v", r)
	}
}

// pngOf returns a 16-bit grey PNG with the given pixels, packed.
func pngOf(w, h uint32, interlace byte, data []byte) []byte {
	b := []byte("\x89PNG\r\n\x1a\n")
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	for _, c := range []struct {
		kind string
		data []byte
	}{{"IHDR", append(header, 16, 0, 0, 0, interlace)}, {"IDAT", data}, {"IEND", nil}} {
		b = binary.BigEndian.AppendUint32(b, uint32(len(c.data)))
		start := len(b)
		b = append(append(b, c.kind...), c.data...)
		b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[start:]))
	}
	return b
}

// tiffOf returns a TIFF of one strip of 8-bit grey.
func tiffOf(w, h uint32, compression uint16, strip []byte) []byte {
	b := []byte("II*\x00\x08\x00\x00\x00\x09\x00")
	for _, e := range [][3]uint32{
		{256, 4, w}, {257, 4, h}, {258, 3, 8}, {259, 3, uint32(compression)}, {262, 3, 1},
		{273, 4, 10 + 9*12 + 4}, {277, 3, 1}, {278, 4, h}, {279, 4, uint32(len(strip))},
	} {
		b = binary.LittleEndian.AppendUint16(b, uint16(e[0]))
		b = binary.LittleEndian.AppendUint16(b, uint16(e[1]))
		b = binary.LittleEndian.AppendUint32(b, 1)
		b = binary.LittleEndian.AppendUint32(b, e[2])
	}
	return append(binary.LittleEndian.AppendUint32(b, 0), strip...)
}

// TestCasesPath: names of any letters work, and messages show them unbroken.
func TestCasesPath(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a b", "Höhen 高度")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"富士.png": "png16/ps_height_1k.png", "N44W072 高.hgt": "hgt/N44W072.hgt"}
	if _, err := os.Stat("/usr/bin/gdalinfo"); err == nil {
		files["富士 %20&'.tif"] = "geotiff/d_fuji257.tif"
	}
	for name, file := range files {
		path := write(t, filepath.Join(dir, name), string(sharedBytes(t, file)))
		world := path + ".vkt"
		r := ok(t, "bake", path, "-o", world)
		if !strings.Contains(r.stderr, "baked "+world) {
			t.Errorf("bake says %q", r.stderr)
		}
		if got, want := hash([]byte(ok(t, "dump", world).stdout)), referenceOf(t, file).Hash; got != want {
			t.Errorf("%s: hash %s, want %s", name, got, want)
		}
	}
	run(t, "info", filepath.Join(dir, "無.tif")).fails(t, 4, filepath.Join(dir, "無.tif"))
	damaged := write(t, filepath.Join(dir, "損.tif"), "II*\x00 and nothing")
	run(t, "info", damaged).fails(t, 4, damaged)
}
