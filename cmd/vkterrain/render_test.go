package main_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

var gpuOnce = sync.OnceValue(func() bool { return command("gpus").Run() == nil })

// needGPU skips where there is no Vulkan driver.
func needGPU(t *testing.T) {
	t.Helper()
	if gpuOnce() {
		return
	}
	if os.Getenv("VKTERRAIN_REQUIRE_GPU") == "1" {
		t.Fatal("VKTERRAIN_REQUIRE_GPU=1, but vkterrain gpus finds none")
	}
	t.Skip("no GPU")
}

func readPNG(t *testing.T, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// number reads a key that must be a number.
func number(t *testing.T, v map[string]any, key string) float64 {
	t.Helper()
	n, isNumber := v[key].(float64)
	if !isNumber {
		t.Errorf("%s is %v, want a number", key, v[key])
	}
	return n
}

func TestGPUs(t *testing.T) {
	needGPU(t)
	list := ok(t, "gpus", "--json").parse(t)["gpus"].([]any)
	name := list[0].(map[string]any)["name"].(string)
	if r := ok(t, "gpus"); !strings.Contains(r.stdout, name) || r.stderr != "" {
		t.Errorf("gpus: %+v, want %s", r, name)
	}
}

// TestNoDriver hides all drivers from the loader.
func TestNoDriver(t *testing.T) {
	_, world := small(t)
	none := filepath.Join(t.TempDir(), "none.json")
	for _, args := range [][]string{
		{"gpus"}, {"gpus", "--json"}, {"render", world, "-o", filepath.Join(t.TempDir(), "x.png")},
		{"demo", world, "--headless", "--out", t.TempDir()},
	} {
		cmd := command(args...)
		cmd.Env = append(cmd.Env, "VK_DRIVER_FILES="+none, "VK_ICD_FILENAMES="+none, "VK_ADD_DRIVER_FILES=")
		finish(t, cmd).fails(t, 3, "Vulkan")
	}
}

func TestWrongGPU(t *testing.T) {
	needGPU(t)
	_, world := small(t)
	dir := t.TempDir()
	run(t, "render", world, "-o", filepath.Join(dir, "x.png"), "--gpu", "Voodoo").fails(t, 3, "Voodoo")
	run(t, "render", world, "-o", filepath.Join(dir, "x.png"), "--size", "99999x1").fails(t, 2, "99999")
	left(t, dir)
}

func TestRender(t *testing.T) {
	needGPU(t)
	_, world := small(t)
	dir := t.TempDir()
	var triangles [6]int
	for i, name := range []string{"soar-strip", "soar-list", "quadtree-strip", "quadtree-list", "billod-strip", "billod-list"} {
		algorithm, topology, _ := strings.Cut(name, "-")
		out, mesh := filepath.Join(dir, name+".png"), filepath.Join(dir, name+".mesh")
		r := ok(t, "render", world, "-o", out, "--size", "320x180", "--algo", algorithm, "--topology", topology, "--tau", "1.5", "--check", "--json", "--mesh", mesh)
		if r.stderr != "" {
			t.Errorf("stderr holds %q", r.stderr)
		}
		v := r.parse(t)
		for _, key := range []string{"triangles", "indices", "index_bytes", "tiles", "draws", "refine_us", "frame_us", "gpu_us", "bytes_gpu", "measured_error_px", "checked_samples"} {
			if number(t, v, key) <= 0 {
				t.Errorf("%s is %v", key, v[key])
			}
		}
		if number(t, v, "cracks") != 0 || number(t, v, "measured_error_px") > 1.5 || number(t, v, "uncovered_samples") != 0 || number(t, v, "degenerates") < 0 {
			t.Errorf("%s: %v", name, v)
		}
		if got := readPNG(t, out).Bounds().Size(); got != image.Pt(320, 180) {
			t.Errorf("the picture is %v", got)
		}
		triangles[i] = int(number(t, v, "triangles"))
		checkMesh(t, mesh, triangles[i])
		if v["algo"] != algorithm || v["topology"] != topology {
			t.Errorf("%s: drawn by %v as %v", name, v["algo"], v["topology"])
		}
	}
	if triangles[0] != triangles[1] || triangles[2] != triangles[3] || triangles[1] >= triangles[2] || triangles[4] != triangles[0] || triangles[5] != triangles[0] {
		t.Errorf("%d triangles: the same for both topologies, as many by billod as by soar, and more by quadtree", triangles)
	}
	left(t, dir, "billod-list.mesh", "billod-list.png", "billod-strip.mesh", "billod-strip.png", "quadtree-list.mesh", "quadtree-list.png", "quadtree-strip.mesh", "quadtree-strip.png",
		"soar-list.mesh", "soar-list.png", "soar-strip.mesh", "soar-strip.png")
}

// TestRenderByAnchors draws one view by the mesh of an anchor, with vertices on their way,
// and within a budget.
func TestRenderByAnchors(t *testing.T) {
	needGPU(t)
	_, world := small(t)
	out := filepath.Join(t.TempDir(), "x.png")
	plain := ok(t, "render", world, "-o", out, "--tau", "2", "--size", "320x180", "--eye", "1990,2085,3458", "--pitch=-45", "--check", "--json").parse(t)
	budget := number(t, plain, "triangles") * 0.8
	for _, flags := range [][]string{
		{"--anchors", "on"}, {"--anchors", "on", "--morph", "1", "--margin", "90"}, {"--morph", "0.5"}, {"--max-triangles", fmt.Sprint(int(budget))},
	} {
		v := ok(t, append([]string{"render", world, "-o", out, "--tau", "2", "--size", "320x180", "--eye", "1990,2085,3458", "--pitch=-45", "--check", "--json"}, flags...)...).parse(t)
		if v["anchored"] != (flags[0] == "--anchors") || number(t, v, "cracks") != 0 || number(t, v, "measured_error_px") > number(t, v, "bound_px") {
			t.Errorf("%v: %v", flags, v)
		}
		if flags[0] == "--max-triangles" {
			if number(t, v, "triangles") > budget || number(t, v, "bound_px") <= 2 {
				t.Errorf("%v: %v", flags, v)
			}
			continue
		}
		// What is out of the picture is left out of an anchor's mesh piece by piece, closer
		// than in the descent.
		n, least := number(t, v, "triangles"), number(t, plain, "triangles")
		if flags[0] == "--anchors" {
			least /= 2
		}
		if n < least || n > 1.6*number(t, plain, "triangles") || number(t, v, "bound_px") != 2 {
			t.Errorf("%v: %v, of %v", flags, v, plain)
		}
	}
}

// TestRenderByThePublishedTests draws what BilLOD published, with more and more detail:
// watertight, without a bound.
func TestRenderByThePublishedTests(t *testing.T) {
	needGPU(t)
	dir := t.TempDir()
	hills(t, filepath.Join(dir, "hills.png"), 150, 120)
	world, out := filepath.Join(dir, "hills.vkt"), filepath.Join(dir, "x.png")
	ok(t, "bake", filepath.Join(dir, "hills.png"), "-o", world, "--spacing", "30", "--tile", "33", "--algo", "billod")
	before := 0.0
	for _, c := range []struct {
		args string
		want [4]float64 // near, far, detail, depth
	}{
		{"--near 0 --far 0 --detail 0 --min-depth 0", [4]float64{}},
		{"--near 0 --far 2000 --detail 10 --min-depth 1", [4]float64{0, 2000, 10, 1}},
		{"--far 3000 --detail 20", [4]float64{16 * 30, 3000, 20, 1}},
		{"", [4]float64{16 * 30, 4000 * 30, 1000, 1}},
	} {
		args := append([]string{"render", world, "-o", out, "--size", "160x90", "--algo", "billod", "--billod", "classic", "--check", "--json"}, strings.Fields(c.args)...)
		v := ok(t, args...).parse(t)
		got := [4]float64{number(t, v, "near_m"), number(t, v, "far_m"), number(t, v, "detail_m"), number(t, v, "min_depth")}
		if n := number(t, v, "triangles"); v["billod"] != "classic" || got != c.want || number(t, v, "cracks") != 0 || n <= before {
			t.Errorf("%s: %v", c.args, v)
		} else {
			before = n
		}
	}
}

// checkMesh wants a mesh file whose size and indices are possible.
func checkMesh(t *testing.T, path string, triangles int) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	nv, nt := int(le.Uint32(b)), int(le.Uint32(b[4:]))
	if len(b) != 8+24*nv+12*nt {
		t.Fatalf("%d bytes for %d vertices and %d triangles", len(b), nv, nt)
	}
	if nt > triangles || nt < triangles/2 {
		t.Errorf("%d triangles in the mesh, %d drawn", nt, triangles)
	}
	for at := 8 + 24*nv; at < len(b); at += 4 {
		if i := int(le.Uint32(b[at:])); i >= nv {
			t.Fatalf("index %d of %d vertices", i, nv)
		}
	}
}

// TestSkyColour wants --clear exactly, byte for byte.
func TestSkyColour(t *testing.T) {
	needGPU(t)
	_, world := small(t)
	out := filepath.Join(t.TempDir(), "sky.png")
	ok(t, "render", world, "-o", out, "--size", "64x64", "--clear", "336699", "--fog", "off", "--eye", "2000,2500,1500", "--pitch", "30")
	img := readPNG(t, out)
	for y := range 64 {
		for x := range 64 {
			if r, g, b, a := img.At(x, y).RGBA(); r>>8 != 0x33 || g>>8 != 0x66 || b>>8 != 0x99 || a>>8 != 0xff {
				t.Fatalf("pixel %d,%d is %02x %02x %02x %02x", x, y, r>>8, g>>8, b>>8, a>>8)
			}
		}
	}
}

// TestCameraComesBack renders from the camera that a picture remembers.
func TestCameraComesBack(t *testing.T) {
	needGPU(t)
	_, world := small(t)
	dir := t.TempDir()
	first, second, third := filepath.Join(dir, "1.png"), filepath.Join(dir, "2.png"), filepath.Join(dir, "3.png")
	ok(t, "render", world, "-o", first, "--size", "96x64", "--eye", "-300.25,2000,3500", "--yaw", "33", "--pitch=-20", "--fov", "60")
	ok(t, "render", world, "-o", second, "--size", "96x64", "--camera", first)
	pose := filepath.Join(dir, "pose.json")
	if err := os.WriteFile(pose, []byte(`{"eye": [-300.25, 2000, 3500], "yaw": 0, "pitch": -20, "fov": 60}`), 0o666); err != nil {
		t.Fatal(err)
	}
	ok(t, "render", world, "-o", third, "--size", "96x64", "--camera", pose, "--yaw", "33")
	want := pixelsOf(readPNG(t, first))
	for _, path := range []string{second, third} {
		if hash(pixelsOf(readPNG(t, path))) != hash(want) {
			t.Errorf("%s differs", filepath.Base(path))
		}
	}
}

func pixelsOf(img image.Image) []byte {
	var b []byte
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			r, g, bl, a := img.At(x, y).RGBA()
			b = append(b, byte(r>>8), byte(g>>8), byte(bl>>8), byte(a>>8))
		}
	}
	return b
}

// TestLevels mixes the levels of the tiles: the seed decides, and nothing cracks.
func TestLevels(t *testing.T) {
	needGPU(t)
	_, world := small(t)
	dir := t.TempDir()
	mesh := func(name, levels string) string {
		path := filepath.Join(dir, name)
		v := ok(t, "render", world, "-o", filepath.Join(dir, "x.png"), "--size", "64x64", "--tau", "0.1", "--levels", levels,
			"--cull", "off", "--mesh", path, "--check", "--json").parse(t)
		// What is left out is an error, and said to be one.
		if e := number(t, v, "measured_error_px"); v["cracks"] != 0.0 || v["pinholes"] != 0.0 || (e > 0.1) != (levels != "full") {
			t.Errorf("--levels %s: %v", levels, v)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return hash(b)
	}
	one, again, two, full := mesh("a", "1"), mesh("b", "1"), mesh("c", "-2"), mesh("d", "full")
	if one != again {
		t.Error("the same seed gives two meshes")
	}
	if one == two || one == full || two == full {
		t.Error("different seeds give one mesh")
	}
}

func TestViews(t *testing.T) {
	needGPU(t)
	_, world := small(t)
	seen := map[string]string{}
	for _, view := range []string{"shaded", "wireframe", "lod", "error", "normals"} {
		out := filepath.Join(t.TempDir(), view+".png")
		ok(t, "render", world, "-o", out, "--size", "128x72", "--view", view)
		sum := hash(pixelsOf(readPNG(t, out)))
		if other, known := seen[sum]; known {
			t.Errorf("%s looks like %s", view, other)
		}
		seen[sum] = view
	}
}

// TestDamagedWorldIsNotDrawn wants no picture of a world with a broken chunk
// that the camera needs.
func TestDamagedWorldIsNotDrawn(t *testing.T) {
	needGPU(t)
	_, world := small(t)
	path := damaged(t, world, func(b []byte) []byte {
		b[lastChunk(t, world)] ^= 0x40
		return b
	})
	dir := t.TempDir()
	run(t, "render", path, "-o", filepath.Join(dir, "x.png"), "--size", "64x64", "--levels", "full").fails(t, 4, "tile 3,2 level 0")
	left(t, dir)
}

// TestValidation wants not a word from the validation layer.
func TestValidation(t *testing.T) {
	needGPU(t)
	_, world := small(t)
	out := filepath.Join(t.TempDir(), "x.png")
	r := ok(t, "render", world, "-o", out, "--size", "64x64", "--validation", "on")
	if strings.Contains(r.stderr, "not installed") {
		t.Skip(r.stderr)
	}
	if r.stderr != "" {
		t.Errorf("the validation layer says: %s", r.stderr)
	}
	cmd := command("render", world, "-o", out, "--size", "64x64", "--validation", "require")
	cmd.Env = append(cmd.Env, "VK_LAYER_PATH="+t.TempDir())
	finish(t, cmd).fails(t, 3, "VK_LAYER_KHRONOS_validation")
}

func TestDemo(t *testing.T) {
	needGPU(t)
	dir := filepath.Join(t.TempDir(), "demo out")
	r := ok(t, "demo", "islet", "--out", dir, "--frames", "5", "--size", "96x54")
	if !strings.Contains(r.stderr, "no display") {
		t.Errorf("demo does not say that it draws into files: %q", r.stderr)
	}
	data, err := os.ReadFile(filepath.Join(dir, "demo.json"))
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"cpu_ms", "refine_us", "triangles", "indices", "bytes_uploaded", "bytes_read", "peak_gpu_bytes", "peak_cpu_bytes", "measured_error_px"} {
		if number(t, v, key) <= 0 {
			t.Errorf("%s is %v", key, v[key])
		}
	}
	frame := v["frame_ms"].(map[string]any)
	if !(number(t, frame, "p50") <= number(t, frame, "p95") && number(t, frame, "p95") <= number(t, frame, "p99") && number(t, frame, "p99") <= number(t, frame, "max")) {
		t.Errorf("frame_ms is %v", frame)
	}
	if number(t, v, "frames") != 5 || number(t, v, "cracks") != 0 || number(t, v, "measured_error_px") > 2 {
		t.Errorf("demo.json: %v", v)
	}
	files := strings.Fields(strings.ReplaceAll(r.stdout, "demo out", "demo+out"))
	want := len(v["stills"].([]any)) + 2
	if _, err := exec.LookPath("ffmpeg"); err == nil {
		want++
		if fileSize(t, filepath.Join(dir, "demo.mp4")) == 0 {
			t.Error("the film is empty")
		}
	}
	if len(files) != want {
		t.Errorf("%d files are named, want %d: %q", len(files), want, files)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != want {
		t.Errorf("%d files are there, want %d (%v)", len(entries), want, err)
	}
	if size := readPNG(t, filepath.Join(dir, "still-01.png")).Bounds().Size(); size != image.Pt(96, 54) {
		t.Errorf("a still is %v", size)
	}
}

// TestDemoOfAWorld flies around a world that has no flight of its own.
func TestDemoOfAWorld(t *testing.T) {
	needGPU(t)
	_, world := small(t)
	dir := t.TempDir()
	for _, old := range []string{"still-09.png", "still-11.png"} {
		if err := os.WriteFile(filepath.Join(dir, old), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r := ok(t, "demo", world, "--out", dir, "--frames", "1", "--size", "33x17", "--json")
	if data, err := os.ReadFile(filepath.Join(dir, "demo.json")); err != nil || r.stdout != string(data) {
		t.Errorf("--json prints other than demo.json: %q, %v", r.stdout, err)
	}
	readPNG(t, filepath.Join(dir, "contact.png"))
	if _, err := os.Stat(filepath.Join(dir, "still-09.png")); err == nil {
		t.Error("a still of an earlier demo is left")
	}
	if _, err := os.Stat(filepath.Join(dir, "still-11.png")); err != nil {
		t.Error("a file that no demo wrote is gone")
	}
}

// TestFlyNeedsADisplay is about a program that has windows and one that has not.
func TestFlyNeedsADisplay(t *testing.T) {
	_, world := small(t)
	run(t, "fly", world).fails(t, 6, "demo --headless")
}
