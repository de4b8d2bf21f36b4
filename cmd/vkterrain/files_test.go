package main_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// reference is what the shared data's makers know of a file.
type reference struct {
	File      string
	Width     int
	Height    int
	Min, Max  float64
	Mean      float64
	VoidCount int    `json:"void_count"`
	Hash      string `json:"heights_f32_sha256"`
}

func referenceOf(t *testing.T, file string) reference {
	t.Helper()
	data, err := os.ReadFile(shared.Path(t, "data/reference.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Files []reference }
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, r := range all.Files {
		if r.File == file {
			return r
		}
	}
	t.Fatalf("no %s in reference.json", file)
	return reference{}
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// TestReference bakes rasters of the shared data and finds their heights again.
func TestReference(t *testing.T) {
	for _, file := range []string{"png16/ps_height_1k.png", "png16/d_n44w072_500x333.png", "png16/panda3d_heightfield.png"} {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			path, want := shared.Path(t, "data", file), referenceOf(t, file)
			world := filepath.Join(t.TempDir(), "world.vkt")
			baked := ok(t, "bake", path, "-o", world, "--json").parse(t)
			for _, source := range []string{path, world} {
				info := ok(t, "info", source, "--json").parse(t)
				if info["width"] != float64(want.Width) || info["height"] != float64(want.Height) ||
					info["min"] != want.Min || info["max"] != want.Max ||
					math.Abs(info["mean"].(float64)-want.Mean) > 1e-5 || info["voids"] != float64(want.VoidCount) {
					t.Errorf("info of %s: %v, want %+v", source, info, want)
				}
				if got := hash([]byte(ok(t, "dump", source).stdout)); got != want.Hash {
					t.Errorf("dump of %s: hash %s, want %s", source, got, want.Hash)
				}
			}
			if baked["bytes_total"] != float64(fileSize(t, world)) || baked["seconds"].(float64) <= 0 || baked["peak_rss_bytes"].(float64) <= 0 {
				t.Errorf("bake: %v", baked)
			}
			if r := ok(t, "verify", world); r.stderr != "" || !strings.Contains(r.stdout, "whole") {
				t.Errorf("verify: %+v", r)
			}
		})
	}
}

func fileSize(t *testing.T, path string) int64 {
	t.Helper()
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return st.Size()
}

func TestInfoKeys(t *testing.T) {
	raster, world := small(t)
	keys := []string{"kind", "width", "height", "min", "max", "mean", "voids", "spacing_m", "crs", "geotransform"}
	info := ok(t, "info", raster, "--json", "--spacing", "20", "--height-unit", "0.5").parse(t)
	for _, k := range keys {
		if _, has := info[k]; !has {
			t.Errorf("info of a raster has no %s", k)
		}
	}
	if info["kind"] != "png16" || info["spacing_m"] != 20.0 || info["crs"] != nil {
		t.Errorf("info of a raster: %v", info)
	}
	w := ok(t, "info", world, "--json").parse(t)
	for _, k := range append(keys, "tiles", "tile_size", "levels", "samples", "bytes_total", "bytes_heights",
		"bytes_by_level", "raw_bytes", "saved_ratio", "quantum_m", "max_error_m", "origin_m") {
		if _, has := w[k]; !has {
			t.Errorf("info of a world has no %s", k)
		}
	}
	if w["kind"] != "world" || w["tiles"] != 12.0 || w["tile_size"] != 65.0 || w["samples"] != 30000.0 ||
		w["raw_bytes"] != 240000.0 || w["spacing_m"] != 20.0 || len(w["bytes_by_level"].([]any)) != int(w["levels"].(float64)) {
		t.Errorf("info of a world: %v", w)
	}
	if saved := 1 - w["bytes_heights"].(float64)/240000; math.Abs(saved-w["saved_ratio"].(float64)) > 1e-12 {
		t.Errorf("saved_ratio is %v, want %v", w["saved_ratio"], saved)
	}
	if r := ok(t, "info", world); !strings.Contains(r.stdout, "12 (4 × 3) of 65 × 65 samples") || r.stderr != "" {
		t.Errorf("info for people: %+v", r)
	}
}

func TestOriginAndUnit(t *testing.T) {
	raster, _ := small(t)
	world := filepath.Join(t.TempDir(), "w.vkt")
	info := ok(t, "bake", raster, "-o", world, "--origin=-500,1e6", "--height-unit", "0.1", "--json").parse(t)
	if o := info["origin_m"].([]any); o[0] != -500.0 || o[1] != 1e6 || info["quantum_m"] != 0.1 {
		t.Errorf("bake: %v", info)
	}
	if a, b := ok(t, "dump", raster, "--height-unit", "0.1"), ok(t, "dump", world); a.stdout != b.stdout {
		t.Error("dumps of raster and world differ")
	}
}

// TestBakeRepeats wants the same bytes whatever the number of workers.
func TestBakeRepeats(t *testing.T) {
	raster, world := small(t)
	want, err := os.ReadFile(world)
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []string{"1", "3"} {
		again := filepath.Join(t.TempDir(), "again.vkt")
		ok(t, "bake", raster, "-o", again, "--spacing", "20", "--tile", "65", "--workers", workers)
		if got, err := os.ReadFile(again); err != nil || hash(got) != hash(want) {
			t.Errorf("%s workers: other bytes (%v)", workers, err)
		}
	}
}

// TestDumpLevel compares the coarse grids of raster and world with the full one.
func TestDumpLevel(t *testing.T) {
	raster, world := small(t)
	full := ok(t, "dump", raster).stdout
	for level := range 4 {
		step := 1 << level
		var want []byte
		for y := 0; y < 150; y += step {
			for x := 0; x < 200; x += step {
				want = append(want, full[4*(y*200+x):][:4]...)
			}
		}
		for _, source := range []string{raster, world} {
			out := filepath.Join(t.TempDir(), "heights.f32")
			ok(t, "dump", source, "--level", fmt.Sprint(level), "-o", out)
			if got, err := os.ReadFile(out); err != nil || hash(got) != hash(want) {
				t.Errorf("level %d of %s differs (%v)", level, source, err)
			}
		}
	}
	first := math.Float32frombits(binary.LittleEndian.Uint32([]byte(full)))
	if first < 100 || first > 1800 {
		t.Errorf("the first height is %v", first)
	}
}

// damaged writes a copy of the file at path after change.
func damaged(t *testing.T, path string, change func([]byte) []byte) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "damaged.vkt")
	if err := os.WriteFile(out, change(data), 0o666); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestCutWorld is case FILE-1.
func TestCutWorld(t *testing.T) {
	_, world := small(t)
	n := int(fileSize(t, world))
	for _, cut := range []int{0, 1, n * 14 / 100, n / 2, n - 1} {
		path := damaged(t, world, func(b []byte) []byte { return b[:cut] })
		run(t, "info", path).fails(t, 4, path)
		run(t, "dump", path, "-o", filepath.Join(t.TempDir(), "x")).fails(t, 4, path)
		run(t, "render", path, "-o", filepath.Join(t.TempDir(), "x.png")).fails(t, 4, path)
		run(t, "verify", path).fails(t, 2, path)
	}
}

// lastChunk returns a byte of the last chunk of a world: the finest level of its last tile.
func lastChunk(t *testing.T, world string) int64 {
	t.Helper()
	r, err := chunkfile.OpenFile(world)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	const header = 64
	at := int64(header)
	for _, n := range r.Stats().BytesByLevel {
		at += n
	}
	return at - 5
}

func TestDamagedChunk(t *testing.T) {
	_, world := small(t)
	path := damaged(t, world, func(b []byte) []byte {
		b[lastChunk(t, world)] ^= 0x40
		return b
	})
	r := run(t, "verify", path)
	if r.code != 1 || r.stderr != "" || !strings.Contains(r.stdout, "1 of 48 chunks damaged") || !strings.Contains(r.stdout, "tile 3,2 level 0") {
		t.Errorf("verify: %+v", r)
	}
	r = run(t, "verify", path, "--json")
	if v := r.parse(t); r.code != 1 || v["whole"] != false || len(v["damaged"].([]any)) != 1 {
		t.Errorf("verify --json: %+v", r)
	}
	if v := ok(t, "verify", world, "--json").parse(t); v["whole"] != true || v["chunks"] != 48.0 {
		t.Errorf("verify --json of a whole world: %v", v)
	}
	dir := t.TempDir()
	run(t, "dump", path, "-o", filepath.Join(dir, "x")).fails(t, 4, "tile 3,2 level 0")
	left(t, dir)
}

// TestVersions is case FILE-8.
func TestVersions(t *testing.T) {
	_, world := small(t)
	path := damaged(t, world, func(b []byte) []byte {
		binary.LittleEndian.PutUint32(b[8:], 99)
		return b
	})
	run(t, "info", path).fails(t, 4, "version 99")
	if r := ok(t, "version"); !strings.HasPrefix(r.stdout, "vkterrain ") || ok(t, "--version").stdout != r.stdout {
		t.Errorf("version: %q", r.stdout)
	}
}

// TestErrors wants one line and the right exit code for whatever is wrong.
func TestErrors(t *testing.T) {
	raster, world := small(t)
	dir := t.TempDir()
	text := filepath.Join(dir, "text.png")
	if err := os.WriteFile(text, []byte("this is no picture"), 0o666); err != nil {
		t.Fatal(err)
	}
	grey8 := filepath.Join(dir, "grey8.png")
	f, err := os.Create(grey8)
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(f, image.NewGray(image.Rect(0, 0, 9, 9))); err != nil {
		t.Fatal(err)
	}
	f.Close()
	gone, out := filepath.Join(dir, "gone.png"), filepath.Join(dir, "out")
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"nonsense", 2, "nonsense"},
		{"info", 2, "file"},
		{"info A B", 2, "B"},
		{"info RASTER --bogus", 2, "--bogus"},
		{"bake RASTER", 2, "--out"},
		{"bake RASTER -o OUT --tile 64", 2, "tile size 64"},
		{"bake RASTER -o OUT --spacing 0", 2, "spacing"},
		{"bake RASTER -o OUT --spacing x", 2, "spacing"},
		{"bake RASTER -o OUT --origin 1", 2, "origin"},
		{"bake RASTER -o OUT --workers -1", 2, "workers"},
		{"bake RASTER -o OUT --progress loud", 2, "progress"},
		{"bake RASTER -o OUT --max-mem much", 2, "is no size"},
		{"bake RASTER -o OUT --max-error -1", 2, "--max-error"},
		{"bake RASTER -o RASTER", 2, "both source and result"},
		{"bake GONE -o OUT", 4, "gone.png: no such file"},
		{"bake DIR -o OUT", 4, "text.png: not a height raster"},
		{"bake WORLD RASTER -o OUT", 4, "world already"},
		{"bake RASTER RASTER -o OUT", 4, "nothing says where it lies"},
		{"bake RASTER GONE -o OUT", 4, "gone.png: no such file"},
		{"bake TEXT -o OUT", 4, "text.png: not a height raster"},
		{"bake GREY8 -o OUT --encoding mapbox", 4, "grey8.png: a grey PNG has no colours"},
		{"bake RASTER -o OUT --encoding rgb", 2, "--encoding"},
		{"bake RASTER -o OUT --raw auto", 4, "small.png: nothing in the file says its size and type"},
		{"bake RASTER -o OUT --raw 200x150", 2, "WxH,TYPE"},
		{"bake RASTER -o OUT --raw 200x150,u16le", 4, "small.png: 200×150 numbers"},
		{"bake RASTER -o OUT --min 0", 2, "--min and --max go together"},
		{"bake RASTER -o OUT --min 5 --max -5", 2, "the first must be below the second"},
		{"bake RASTER -o OUT --min 0 --max 9 --height-unit 2", 2, "--height-unit"},
		{"info RASTER --nodata x", 2, "nodata"},
		{"bake WORLD -o OUT", 4, "world already"},
		{"bake RASTER -o DIR", 5, "DIR"},
		{"bake RASTER -o DIR/none/out", 5, "none/out"},
		{"info GONE", 4, "gone.png: no such file"},
		{"info DIR", 4, "DIR"},
		{"info TEXT", 4, "text.png"},
		{"dump GONE", 4, "gone.png"},
		{"dump RASTER --level 9", 2, "level"},
		{"dump WORLD --level 4", 2, "levels 0 to 3"},
		{"dump RASTER -o DIR/none/out", 5, "none/out"},
		{"dump WORLD -o WORLD", 2, "both source and result"},
		{"verify GONE", 2, "gone.png"},
		{"verify TEXT", 2, "text.png"},
		{"render WORLD", 2, "--out"},
		{"render GONE -o OUT", 4, "gone.png"},
		{"render RASTER -o OUT", 4, "small.png: not a world file (vkterrain bake makes one)"},
		{"render WORLD -o DIR", 5, "DIR"},
		{"render WORLD -o DIR/none/x.png", 5, "none/x.png"},
		{"render WORLD -o OUT --mesh OUT", 2, "two results"},
		{"render WORLD -o OUT --mesh DIR/none/x", 5, "none/x"},
		{"render WORLD -o OUT --size 10", 2, "--size"},
		{"render WORLD -o OUT --size 0x10", 2, "--size"},
		{"render WORLD -o OUT --algo billod --billod classic", 4, "vkterrain bake --algo billod"},
		{"render WORLD -o OUT --algo billod --billod wild", 2, "--billod"},
		{"render WORLD -o OUT --algo billod --far -1", 2, "far threshold of -1 m"},
		{"render WORLD -o OUT --algo billod --min-depth -1", 2, "minimal depth of -1"},
		{"fly WORLD --algo soar --detail 3", 2, "--detail belongs to --algo billod"},
		{"render WORLD -o OUT --algo magic", 2, "soar, quadtree, billod"},
		{"render WORLD -o OUT --near 3", 2, "--near belongs to --algo billod"},
		{"render WORLD -o OUT --algo quadtree --billod classic", 2, "--billod belongs to --algo billod"},
		{"render WORLD -o OUT --topology fan", 2, "--topology"},
		{"render WORLD -o OUT --tau 0", 2, "tolerance of 0"},
		{"render WORLD -o OUT --tau -1", 2, "tolerance of -1"},
		{"render WORLD -o OUT --view x-ray", 2, "--view"},
		{"render WORLD -o OUT --clear 3366", 2, "--clear"},
		{"render WORLD -o OUT --clear 33669g", 2, "--clear"},
		{"render WORLD -o OUT --fog thick", 2, "--fog"},
		{"render WORLD -o OUT --levels half", 2, "--levels"},
		{"render WORLD -o OUT --cull on,off", 2, "--cull"},
		{"render WORLD -o OUT --samples 3", 2, "--samples"},
		{"render WORLD -o OUT --eye 1,2", 2, "--eye"},
		{"render WORLD -o OUT --eye 1,2,nan", 2, "--eye"},
		{"render WORLD -o OUT --pitch 91", 2, "pitch"},
		{"render WORLD -o OUT --fov 0", 2, "field of view"},
		{"render WORLD -o OUT --camera GONE", 4, "gone.png"},
		{"render WORLD -o OUT --camera TEXT", 4, "text.png: not a camera"},
		{"render WORLD -o OUT --camera RASTER", 4, "remembers no camera"},
		{"render WORLD -o OUT --validation maybe", 2, "--validation"},
		{"render WORLD -o OUT --log-level loud", 2, "--log-level"},
		{"fly WORLD", 6, "render"},
		{"demo nowhere --headless --out OUT", 2, "neither a built-in world (coast, islet, relief, endless), a mode (billod, compare, progmesh, quadtree, soar) nor a file"},
		{"demo TEXT --headless --out DIR/demo", 4, "text.png"},
		{"demo --frames -1", 2, "--frames"},
	} {
		t.Run(test.args, func(t *testing.T) {
			t.Parallel()
			var args []string
			for _, a := range strings.Fields(test.args) {
				for name, path := range map[string]string{
					"RASTER": raster, "WORLD": world, "TEXT": text, "GREY8": grey8, "GONE": gone, "OUT": out, "DIR": dir,
				} {
					if rest, found := strings.CutPrefix(a, name); found && (rest == "" || rest[0] == '/') {
						a = path + rest
						break
					}
				}
				args = append(args, a)
			}
			run(t, args...).fails(t, test.code, strings.ReplaceAll(test.want, "DIR", dir))
		})
	}
}

// TestFullDisk writes where there is no room. Case FILE-5.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	raster, world := small(t)
	for _, args := range [][]string{
		{"info", raster}, {"info", world, "--json"}, {"dump", world}, {"dump", raster}, {"verify", world}, {"version"},
	} {
		cmd := command(args...)
		cmd.Stdout = full
		finish(t, cmd).fails(t, 5, "no space left")
	}
}

func TestPaths(t *testing.T) {
	raster, _ := small(t)
	dir := filepath.Join(t.TempDir(), "a b", "Höhen 高度")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	source, world := filepath.Join(dir, "富士 山.png"), filepath.Join(dir, "富士 山.vkt")
	data, err := os.ReadFile(raster)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(source, data, 0o666); err != nil {
		t.Fatal(err)
	}
	if r := ok(t, "bake", source, "-o", world); !strings.Contains(r.stderr, world) {
		t.Errorf("bake does not show the name unbroken: %q", r.stderr)
	}
	if r := ok(t, "verify", world); !strings.Contains(r.stdout, world) {
		t.Errorf("verify does not show the name unbroken: %q", r.stdout)
	}
	ok(t, "dump", world, "-o", filepath.Join(dir, "höhen.f32"))
	left(t, dir, "höhen.f32", "富士 山.png", "富士 山.vkt")
	run(t, "info", filepath.Join(dir, "無.png")).fails(t, 4, filepath.Join(dir, "無.png"))
	// Names that are not UTF-8 and names that break lines.
	run(t, "info", filepath.Join(dir, "a\nb")).fails(t, 4, "a; b")
	run(t, "info", filepath.Join(dir, "\xff")).fails(t, 4, "no such file")
}

// TestInterruptedBake interrupts a bake that has begun to write.
func TestInterruptedBake(t *testing.T) {
	source := filepath.Join(t.TempDir(), "large.png")
	hills(t, source, 1100, 1100)
	dir := t.TempDir()
	world := filepath.Join(dir, "w.vkt")
	if err := os.WriteFile(world, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := command("bake", source, "-o", world, "--tile", "33", "--workers", "1", "--progress", "json")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	last := ""
	for interrupted := false; lines.Scan(); last = lines.Text() {
		if !interrupted && strings.Contains(lines.Text(), `"phase":"bake"`) {
			interrupted = true
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 || last != "vkterrain: interrupted" {
		t.Errorf("exit code %d and %q, want 130 and one line", code, last)
	}
	left(t, dir, "w.vkt")
	if data, err := os.ReadFile(world); err != nil || string(data) != "old" {
		t.Errorf("the old file holds %.20q (%v)", data, err)
	}
}

func TestProgress(t *testing.T) {
	raster, _ := small(t)
	for mode, want := range map[string]string{"none": "", "plain": "100 %", "json": `"progress":1`, "auto": "..."} {
		r := ok(t, "bake", raster, "-o", filepath.Join(t.TempDir(), "w.vkt"), "--progress", mode, "--json")
		if !strings.Contains(r.stderr, want) || want == "" && r.stderr != "" {
			t.Errorf("--progress %s: %q", mode, r.stderr)
		}
	}
}

// TestProgressLines reads the lines of --progress json: phases in order, work that
// only grows, all of it at the end.
func TestProgressLines(t *testing.T) {
	raster, _ := small(t)
	r := ok(t, "bake", raster, "-o", filepath.Join(t.TempDir(), "w.vkt"), "--progress", "json", "--json")
	var phases []string
	last := -1.0
	for text := range strings.Lines(r.stderr) {
		if !strings.HasPrefix(text, "{") {
			continue
		}
		var line struct {
			Progress, Seconds float64
			Phase, What       string
		}
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if line.Progress < last || line.Progress > 1 || line.Seconds < 0 || !strings.HasPrefix(line.What, "baking ") {
			t.Errorf("%q after %v", text, last)
		}
		last = line.Progress
		if len(phases) == 0 || phases[len(phases)-1] != line.Phase {
			phases = append(phases, line.Phase)
		}
	}
	if last != 1 || !slices.Equal(phases, []string{"read", "scan", "sample", "bake"}) {
		t.Errorf("phases %v, the last line at %v", phases, last)
	}
}

// TestBakeLimits: --max-mem and --max-error reach the bake.
func TestBakeLimits(t *testing.T) {
	raster, _ := small(t)
	dir := t.TempDir()
	world := filepath.Join(dir, "w.vkt")
	run(t, "bake", raster, "-o", world, "--max-mem", "4KiB").fails(t, 4, "take a larger cap or smaller tiles")
	left(t, dir)
	r := ok(t, "bake", raster, "-o", world, "--max-error", "3.5", "--max-mem", "100MB", "--json")
	var got struct {
		Quantum float64 `json:"quantum_m"`
		Error   float64 `json:"max_error_m"`
	}
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil || got.Error != 3 || got.Quantum != 7 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestHelp(t *testing.T) {
	for _, command := range []string{"", "bake", "info", "dump", "verify", "render", "demo", "fly", "gpus", "version"} {
		args := []string{"--help"}
		if command != "" {
			args = []string{command, "--help"}
		}
		if r := ok(t, args...); !strings.HasPrefix(r.stdout, "Usage: vkterrain "+command) || r.stderr != "" {
			t.Errorf("%v: %+v", args, r)
		}
	}
}

// TestBakeLayers: --algo, --layers and pictures reach the world.
func TestBakeLayers(t *testing.T) {
	source, _ := small(t)
	dir := t.TempDir()
	world, picture, mask := filepath.Join(dir, "w.vkt"), filepath.Join(dir, "a.png"), filepath.Join(dir, "m.png")
	m := image.NewNRGBA(image.Rect(0, 0, 8, 6))
	for i := range m.Pix {
		m.Pix[i] = 90
	}
	for _, path := range []string{picture, mask} {
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(png.Encode(f, m), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]string{
		"":                                     "[]",
		"--algo soar":                          "[]",
		"--algo quadtree":                      "[{quadtree 2}]",
		"--algo all --layers material,horizon": "[{quadtree 2} {billod 4} {horizon 8} {material 4}]",
		"--overlay PICTURE":                    "[{colour 3}]",
		"--mask MASK --layers colour":          "[{colour 3} {material 4}]",
	} {
		line := []string{"bake", source, "-o", world}
		for _, arg := range strings.Fields(args) {
			line = append(line, strings.NewReplacer("PICTURE", picture, "MASK", mask).Replace(arg))
		}
		ok(t, line...)
		r, err := chunkfile.OpenFile(world)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(r.World().Layers); got != want {
			t.Errorf("%s: layers %s, want %s", args, got, want)
		}
		if args == "--mask MASK --layers colour" {
			got := make([]byte, 4*len(r.World().Layout().Grid))
			if err := r.ReadLayer(chunkfile.NewDecoder(), got, terrain.Key{}, terrain.Level(r.World().Layout().Levels-1), 1); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got[:4], []byte{64, 64, 63, 64}) {
				t.Errorf("weights %v", got[:4])
			}
		}
		r.Close()
	}
	run(t, "bake", source, "-o", world, "--algo", "roam").fails(t, 2, `--algo roam: "roam" is none of soar, quadtree, billod, all`)
	run(t, "bake", source, "-o", world, "--layers", "smell").fails(t, 2, "none of horizon, colour, material, all")
	run(t, "bake", source, "-o", world, "--overlay", filepath.Join(dir, "none.png")).fails(t, 4, "none.png")
	run(t, "bake", source, "-o", world, "--overlay", world).fails(t, 4, "no PNG or JPEG")
	run(t, "bake", source, "-o", world, "--mask", source).fails(t, 4, "four channels")
	run(t, "bake", source, "-o", world, "--mask", mask, "--max-mem", "1KB").fails(t, 4, "more than a quarter of --max-mem")
}
