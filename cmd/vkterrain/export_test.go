package main_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/internal/shared"
)

// grid writes an ESRI ASCII grid of w×h heights that are whole steps from low on.
func grid(t testing.TB, path string, w, h int, low, step float64) {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "ncols %d\nnrows %d\nxllcorner 1000\nyllcorner 2000\ncellsize 25\n", w, h)
	for z := range h {
		for x := range w {
			fmt.Fprintf(&b, "%v ", math.Round(1e4*(low+step*float64((x*x+7*z+x*z)%977)))/1e4)
		}
		b.WriteByte('\n')
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestExportHeights exports worlds and wants the same heights back, as dump writes
// them, and the same spacing.
func TestExportHeights(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name      string
		low, step float64
		flags     []string
	}{
		{"metres", 0, 1, nil},
		{"below the sea", -431, 1, nil},
		{"decimetres", -12.3, 0.1, nil},
		{"binary parts", 100, 1.0 / 64, nil},
		{"feet", 3, 1, []string{"--height-unit", "0.3048"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			source, world := filepath.Join(dir, c.name+".asc"), filepath.Join(dir, c.name+".vkt")
			grid(t, source, 130, 70, c.low, c.step)
			ok(t, append([]string{"bake", source, "-o", world, "--tile", "33"}, c.flags...)...)
			want := ok(t, "dump", world).stdout
			for _, format := range []string{"png16", "raw", "geotiff"} {
				out := filepath.Join(dir, c.name+"."+format)
				report := ok(t, "export", world, "--format", format, "-o", out, "--json").parse(t)
				if report["width"] != 130.0 || report["height"] != 70.0 || report["spacing_m"] != 25.0 || report["bytes"] != float64(fileSize(t, out)) {
					t.Errorf("%s: %v", format, report)
				}
				flags := strings.Fields(report["flags"].(string))
				if got := ok(t, append([]string{"dump", out}, flags...)...).stdout; got != want {
					t.Errorf("%s: other heights", format)
				}
				info := ok(t, append([]string{"info", out, "--json"}, flags...)...).parse(t)
				if info["spacing_m"] != 25.0 {
					t.Errorf("%s: %v m apart", format, info["spacing_m"])
				}
				again := filepath.Join(dir, c.name+".again.vkt")
				if b := ok(t, append([]string{"bake", out, "-o", again, "--json"}, flags...)...).parse(t); b["max_error_m"] != 0.0 {
					t.Errorf("%s: baked again %v m off", format, b["max_error_m"])
				}
				if got := ok(t, "dump", again).stdout; got != want {
					t.Errorf("%s: other heights when baked again", format)
				}
			}
			out := filepath.Join(dir, c.name+".f32")
			r := ok(t, "export", world, "--format", "raw", "--type", "f32le", "-o", out)
			if data, err := os.ReadFile(out); err != nil || string(data) != want {
				t.Errorf("f32le is not what dump writes (%v)", err)
			}
			if !strings.Contains(r.stdout, "--raw 130x70,f32le --spacing 25") || strings.Contains(r.stderr, "--raw") {
				t.Errorf("%+v does not say on stdout how to read it", r)
			}
		})
	}
}

func TestExportLevel(t *testing.T) {
	_, world := small(t)
	want := ok(t, "dump", world, "--level", "2").stdout
	out := filepath.Join(t.TempDir(), "l.png")
	report := ok(t, "export", world, "--format", "png16", "-o", out, "--level", "2", "--json").parse(t)
	if report["width"] != 50.0 || report["spacing_m"] != 80.0 {
		t.Errorf("%v", report)
	}
	if got := ok(t, "dump", out).stdout; got != want {
		t.Error("other heights than those of the level")
	}
}

// TestExportUnit wants --height-unit with the unit that an exported PNG states to
// change nothing, and another one to scale.
func TestExportUnit(t *testing.T) {
	dir := t.TempDir()
	source, world, out := filepath.Join(dir, "g.asc"), filepath.Join(dir, "g.vkt"), filepath.Join(dir, "g.png")
	grid(t, source, 40, 40, -12.3, 0.1)
	ok(t, "bake", source, "-o", world)
	r := ok(t, "export", world, "--format", "png16", "-o", out)
	if !strings.Contains(r.stdout, "height in metres = 0.1 × (number - 123)\n") || strings.Contains(r.stderr, "number") {
		t.Errorf("%+v does not say on stdout what the numbers mean", r)
	}
	r = ok(t, "export", world, "--format", "png16", "-o", "-")
	if !strings.HasPrefix(r.stdout, "\x89PNG") || !strings.Contains(r.stderr, "number - 123") {
		t.Errorf("stderr %q, and the result on stdout", r.stderr)
	}
	if got := ok(t, "dump", out, "--height-unit", "0.1").stdout; got != ok(t, "dump", world).stdout {
		t.Error("--height-unit 0.1 changes the heights")
	}
	info, doubled := ok(t, "info", out, "--json").parse(t), ok(t, "info", out, "--json", "--height-unit", "0.2").parse(t)
	if doubled["min"] != 2*info["min"].(float64) || doubled["max"] != 2*info["max"].(float64) {
		t.Errorf("--height-unit 0.2: %v to %v", doubled["min"], doubled["max"])
	}
}

// TestExportMeaning wants what numbers mean to be said without terms that say
// nothing.
func TestExportMeaning(t *testing.T) {
	dir := t.TempDir()
	for want, low := range map[string]float64{"= number\n": 0, "= number + 115\n": 115, "= number - 7\n": -7} {
		source, world := filepath.Join(dir, "g.asc"), filepath.Join(dir, "g.vkt")
		grid(t, source, 20, 20, low, 1)
		ok(t, "bake", source, "-o", world)
		if r := ok(t, "export", world, "--format", "png16", "-o", filepath.Join(dir, "g.png")); !strings.Contains(r.stdout, "height in metres "+want) {
			t.Errorf("%q does not say %q", r.stdout, want)
		}
	}
}

func TestExportGeoTIFFKeepsPlace(t *testing.T) {
	t.Parallel()
	path := shared.Path(t, "data/geotiff/mt_rainier_90m.tif")
	dir := t.TempDir()
	world, out := filepath.Join(dir, "r.vkt"), filepath.Join(dir, "r.tif")
	ok(t, "bake", path, "-o", world, "--voids", "fill")
	before := ok(t, "info", world, "--json").parse(t)
	if before["crs"] == nil || before["geotransform"] == nil {
		t.Fatalf("the world does not keep its place: %v", before)
	}
	ok(t, "export", world, "--format", "geotiff", "-o", out)
	after := ok(t, "info", out, "--json").parse(t)
	for _, key := range []string{"crs", "geotransform", "pixel_is_point", "spacing_m", "min", "max"} {
		if a, b := fmt.Sprint(before[key]), fmt.Sprint(after[key]); a != b {
			t.Errorf("%s was %v, is %v", key, a, b)
		}
	}
	if got := ok(t, "dump", out).stdout; got != ok(t, "dump", world).stdout {
		t.Error("other heights")
	}
}

// triangles counts the triangles of a file by what its format says.
func triangles(t *testing.T, path string) int {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	switch filepath.Ext(path) {
	case ".obj":
		return bytes.Count(data, []byte("\nf "))
	case ".stl":
		return int(binary.LittleEndian.Uint32(data[80:]))
	case ".glb":
		data = data[20 : 20+binary.LittleEndian.Uint32(data[12:])]
	}
	var doc struct{ Accessors []struct{ Count int } }
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Accessors[len(doc.Accessors)-1].Count / 3
}

func TestExportMesh(t *testing.T) {
	_, world := small(t)
	dir := t.TempDir()
	for _, name := range []string{"m.obj", "m.stl", "m.glb", "m.gltf"} {
		out := filepath.Join(dir, name)
		format := map[string]string{".glb": "gltf"}[filepath.Ext(name)]
		if format == "" {
			format = filepath.Ext(name)[1:]
		}
		for _, flags := range [][]string{{"--error", "3"}, {"--error", "3", "--base", "50"}, {"--tau", "2"}, {"--eye", "2000,900,1500", "--pitch=-30", "--yaw", "20"}} {
			args := append([]string{"export", world, "--format", format, "-o", out, "--json"}, flags...)
			report := ok(t, args...).parse(t)
			if n := triangles(t, out); float64(n) != report["triangles"] || n == 0 {
				t.Errorf("%s %v: %d triangles, said %v", name, flags, n, report["triangles"])
			}
			if e := report["measured_error_m"].(float64); flags[0] == "--error" && (e > 3 || e == 0) {
				t.Errorf("%s %v: %v m off", name, flags, e)
			}
			if px, has := report["measured_error_px"]; (flags[0] == "--error") == has || has && (px.(float64) > 2 || px.(float64) == 0) {
				t.Errorf("%s %v: %v px off", name, flags, px)
			}
			if closed := report["closed"]; closed != slices.Contains(flags, "--base") {
				t.Errorf("%s %v: closed %v", name, flags, closed)
			}
		}
	}
	left(t, dir, "m.bin", "m.glb", "m.gltf", "m.obj", "m.stl")
	r := ok(t, "export", world, "--format", "stl", "-o", filepath.Join(dir, "m.stl"), "--error", "3")
	if !strings.Contains(r.stdout, "triangles") {
		t.Errorf("%+v", r)
	}
	if r := ok(t, "export", world, "--format", "obj", "-o", "-", "--error", "3", "--progress", "none"); strings.Count(r.stdout, "\nf ") == 0 {
		t.Error("no faces on standard output")
	}
}

// TestExportOGRE writes a terrain and a group and reads them as sources.
func TestExportOGRE(t *testing.T) {
	_, world := small(t)
	dir := t.TempDir()
	one, group := filepath.Join(dir, "one.dat"), filepath.Join(dir, "many.dat")
	report := ok(t, "export", world, "--format", "ogre", "-o", one, "--json").parse(t)
	if report["terrains"] != 1.0 || report["size"] != 257.0 || fmt.Sprint(report["padding"]) != "[57 107]" {
		t.Errorf("%v", report)
	}
	report = ok(t, "export", world, "--format", "ogre", "-o", group, "--page", "65", "--json").parse(t)
	if report["terrains"] != 12.0 || report["columns"] != 4.0 || report["rows"] != 3.0 {
		t.Errorf("%v", report)
	}
	want := []byte(ok(t, "dump", world).stdout)
	for path, width := range map[string]int{one: 257, group: 257} {
		info := ok(t, "info", path, "--json").parse(t)
		o := info["origin_m"].([]any)
		if info["spacing_m"] != 20.0 || info["width"] != float64(width) || o[0] != 0.0 || o[1] != 0.0 {
			t.Errorf("info of %s: %v", path, info)
		}
		got := []byte(ok(t, "dump", path).stdout)
		for z := range 150 {
			if !bytes.Equal(got[4*z*width:][:4*200], want[4*z*200:][:4*200]) {
				t.Fatalf("%s: other heights in row %d", path, z)
			}
		}
	}
	run(t, "export", world, "--format", "ogre", "-o", group, "--page", "129").fails(t, 5, "would be a terrain of the group")
}

func TestExportRefuses(t *testing.T) {
	raster, world := small(t)
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{2, "--format", []string{world, "-o", out}},
		{2, "must be one of", []string{world, "--format", "fbx", "-o", out}},
		{2, `--type must be one of "u16le","i16le"`, []string{world, "--format", "raw", "--type", "u64le", "-o", out}},
		{2, "-o", []string{world, "--format", "obj"}},
		{2, "an empty file name", []string{world, "--format", "obj", "-o", ""}},
		{2, "both source and result", []string{world, "--format", "obj", "-o", world}},
		{2, "for meshes, not for raw", []string{world, "--format", "raw", "-o", out, "--error", "1"}},
		{2, "for meshes, not for png16", []string{world, "--format", "png16", "-o", out, "--yaw", "1"}},
		{2, "none matters to --error", []string{world, "--format", "obj", "-o", out, "--error", "1", "--yaw", "1"}},
		{2, "--tau is for a camera", []string{world, "--format", "obj", "-o", out, "--error", "1", "--tau", "3"}},
		{2, "--tau is for meshes, not for raw", []string{world, "--format", "raw", "-o", out, "--tau", "3"}},
		{2, "--vertices is for", []string{world, "--format", "png16", "-o", out, "--vertices", "3"}},
		{2, "--up z: in glTF", []string{world, "--format", "gltf", "-o", out, "--up", "z"}},
		{2, "--error -1", []string{world, "--format", "obj", "-o", out, "--error=-1"}},
		{2, "--base 0", []string{world, "--format", "stl", "-o", out, "--base", "0"}},
		{2, "--level is for", []string{world, "--format", "obj", "-o", out, "--level", "1"}},
		{2, "has levels 0 to", []string{world, "--format", "raw", "-o", out, "--level", "8"}},
		{2, "--type is for raw", []string{world, "--format", "obj", "-o", out, "--type", "u16le"}},
		{2, "--page 100", []string{world, "--format", "ogre", "-o", out, "--page", "100"}},
		{2, "--page is for ogre", []string{world, "--format", "obj", "-o", out, "--page", "65"}},
		{2, "does not go to standard output", []string{world, "--format", "ogre", "-o", "-"}},
		{2, "takes one result", []string{world, "--format", "obj", "-o", "-", "--json"}},
		{4, "not a world file", []string{raster, "--format", "obj", "-o", out}},
		{4, "no such file", []string{filepath.Join(dir, "none"), "--format", "obj", "-o", out}},
		{4, "the camera sees nothing", []string{world, "--format", "obj", "-o", out, "--eye", "0,1e6,-1e7"}},
		{5, "no such file", []string{world, "--format", "obj", "-o", filepath.Join(dir, "none", "x.obj")}},
		{5, "not a regular file", []string{world, "--format", "obj", "-o", dir}},
	} {
		run(t, append([]string{"export", "--progress", "none"}, c.args...)...).fails(t, c.code, c.want)
	}
	left(t, dir)
}

// TestExportNeedsSpan refuses what 16 bits do not hold, and raw holds it.
func TestExportNeedsSpan(t *testing.T) {
	dir := t.TempDir()
	source, world := filepath.Join(dir, "g.asc"), filepath.Join(dir, "g.vkt")
	grid(t, source, 40, 40, -40000, 1)
	ok(t, "bake", source, "-o", world)
	ok(t, "export", world, "--format", "png16", "-o", filepath.Join(dir, "g.png")) // above the least
	run(t, "export", world, "--format", "raw", "--type", "i16le", "-o", filepath.Join(dir, "g.raw"), "--progress", "none").fails(t, 2, "--type i16le")
	report := ok(t, "export", world, "--format", "raw", "-o", filepath.Join(dir, "g.raw"), "--json").parse(t)
	if report["type"] != "i32le" {
		t.Errorf("%v", report)
	}
}

// TestExportWithoutGDAL wants to be told what is missing.
func TestExportWithoutGDAL(t *testing.T) {
	_, world := small(t)
	dir := t.TempDir()
	cmd := command("export", world, "--format", "geotiff", "-o", filepath.Join(dir, "x.tif"))
	cmd.Env = append(cmd.Env, "PATH="+dir)
	finish(t, cmd).fails(t, 5, "gdal-bin")
	left(t, dir)
}

// TestExportPaths is case PATH-1.
func TestExportPaths(t *testing.T) {
	_, world := small(t)
	dir := filepath.Join(t.TempDir(), "a b", "Höhen 高度")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for ext, format := range map[string]string{"png": "png16", "raw": "raw", "tif": "geotiff", "obj": "obj", "stl": "stl", "gltf": "gltf", "glb": "gltf", "dat": "ogre"} {
		out := filepath.Join(dir, "富士."+ext)
		if r := ok(t, "export", world, "--format", format, "-o", out); !strings.Contains(r.stdout+r.stderr, out) {
			t.Errorf("%s: the messages %q do not show the name", format, r.stdout+r.stderr)
		}
		if fileSize(t, out) == 0 {
			t.Errorf("%s: empty", format)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "富士.gltf"))
	if err != nil || !strings.Contains(string(data), `"%E5%AF%8C%E5%A3%AB.bin"`) {
		t.Errorf("the .gltf does not name its buffer: %v", err)
	}
}

// TestExportFullDisk exports onto a file system that is full: case FILE-5.
func TestExportFullDisk(t *testing.T) {
	_, world := small(t)
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("no file system of a few bytes: %v", err)
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	old := filepath.Join(dir, "old")
	if err := os.WriteFile(old, []byte("as it was"), 0o666); err != nil {
		t.Fatal(err)
	}
	full := filepath.Join(dir, "full")
	if err := os.WriteFile(full, make([]byte, 48<<10), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"png16", "raw", "geotiff", "obj", "stl", "gltf", "ogre"} {
		args := []string{"export", world, "--format", format, "-o", old, "--progress", "none"}
		run(t, args...).fails(t, 5, "no space left")
		if data, err := os.ReadFile(old); err != nil || string(data) != "as it was" {
			t.Errorf("%s: the old file is %q, %v", format, data, err)
		}
		left(t, dir, "full", "old")
	}
}

// TestExportKilled kills an export and wants the next one to clean up.
func TestExportKilled(t *testing.T) {
	_, world := small(t)
	dir := t.TempDir()
	out := filepath.Join(dir, "x.obj")
	killed := 0
	for wait := time.Duration(0); killed < 3 && wait < time.Second; wait += 3 * time.Millisecond {
		cmd := command("export", world, "--format", "obj", "-o", out, "--error", "0")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(wait)
		cmd.Process.Kill()
		cmd.Wait()
		if _, err := os.Stat(out); err == nil {
			break // it was done before
		}
		if names, _ := filepath.Glob(filepath.Join(dir, ".*.partial")); len(names) > 0 {
			killed++
		}
	}
	ok(t, "export", world, "--format", "obj", "-o", out, "--error", "0")
	left(t, dir, "x.obj")
}

// TestExportInterrupted wants an interrupt to leave nothing.
func TestExportInterrupted(t *testing.T) {
	if _, err := exec.LookPath("gdal_translate"); err != nil {
		t.Skip("no GDAL")
	}
	_, world := small(t)
	dir := t.TempDir()
	for _, format := range []string{"geotiff", "obj", "ogre"} {
		cmd := command("export", world, "--format", format, "-o", filepath.Join(dir, "x"))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(15 * time.Millisecond)
		cmd.Process.Signal(os.Interrupt)
		if cmd.Wait(); cmd.ProcessState.ExitCode() == 0 {
			os.Remove(filepath.Join(dir, "x")) // it was done before
		}
		left(t, dir)
	}
}

// TestExportHoles wants holes to stay holes in all rasters.
func TestExportHoles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, step := range map[string]float64{"whole": 1, "parts": 0.1} {
		source, world := filepath.Join(dir, name+".asc"), filepath.Join(dir, name+".vkt")
		grid(t, source, 60, 50, 20, step)
		ok(t, "bake", source, "-o", world, "--tile", "33", "--voids", "hole", "--nodata", fmt.Sprint(20+3*step))
		want := ok(t, "dump", world).stdout
		if voids := ok(t, "info", source, "--nodata", fmt.Sprint(20+3*step), "--json").parse(t)["voids"]; voids == 0.0 {
			t.Fatal("the source has no voids")
		}
		for _, format := range []string{"png16", "raw", "geotiff"} {
			out, again := filepath.Join(dir, name+"."+format), filepath.Join(dir, "again.vkt")
			report := ok(t, "export", world, "--format", format, "-o", out, "--json").parse(t)
			flags := strings.Fields(report["flags"].(string))
			if got := ok(t, append([]string{"dump", out}, flags...)...).stdout; got != want {
				t.Errorf("%s, %s: other heights", name, format)
			}
			ok(t, append([]string{"bake", out, "-o", again, "--voids", "hole"}, flags...)...)
			if got := ok(t, "dump", again).stdout; got != want {
				t.Errorf("%s, %s: other heights when baked again", name, format)
			}
		}
		r := ok(t, "export", world, "--format", "ogre", "-o", filepath.Join(dir, "o.dat"))
		if !strings.Contains(r.stderr, "no holes") {
			t.Errorf("OGRE: %+v", r)
		}
		mesh := ok(t, "export", world, "--format", "stl", "-o", filepath.Join(dir, "m.stl"), "--error", "0", "--json").parse(t)
		if n := mesh["triangles"].(float64); n == 0 || n >= 2*59*49 {
			t.Errorf("%v triangles", n)
		}
		ok(t, "diff", world, world)
		answer(t, 0, world, filepath.Join(dir, name+".geotiff"), "--heights")
	}
}
