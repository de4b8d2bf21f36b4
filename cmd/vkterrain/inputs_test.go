package main_test

import (
	"bufio"
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func write(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestResultOverSource wants no result in the place of what it is made of, nor
// two in one place, whatever the names.
func TestResultOverSource(t *testing.T) {
	_, source := small(t)
	dir := t.TempDir()
	data, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	world := write(t, filepath.Join(dir, "w"), string(data))
	pose := write(t, filepath.Join(dir, "pose"), `{"eye": [0, 0, 0]}`)
	for name, make := range map[string]func(string, string) error{"hard": os.Link, "soft": os.Symlink} {
		if err := make(world, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(dir, filepath.Join(dir, "here")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ args, want string }{
		{"w -o w", "both source"},
		{"w -o ./here/../here/w", "both source"},
		{"w -o x --mesh w", "both source"},
		{"w -o hard", "both source"},
		{"soft -o w", "both source"},
		{"w -o pose --camera pose", "both source"},
		{"w -o x --camera pose --mesh ./pose", "both source"},
		{"w -o x --mesh ./x", "two results"},
		{"w -o x --mesh here/x", "two results"},
		{"w -o x --mesh DIR/x", "two results"},
	} {
		cmd := command(append([]string{"render"}, strings.Fields(strings.ReplaceAll(test.args, "DIR", dir))...)...)
		cmd.Dir = dir
		finish(t, cmd).fails(t, 2, test.want)
	}
	contact := write(t, filepath.Join(dir, "contact.png"), string(data))
	run(t, "demo", contact, "--headless", "--out", dir).fails(t, 2, "both source")
	for path, want := range map[string]string{world: string(data), contact: string(data), pose: `{"eye": [0, 0, 0]}`} {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s is changed (%v)", path, err)
		}
	}
	left(t, dir, "contact.png", "hard", "here", "pose", "soft", "w")
}

// TestUnwritable wants to know before any work that a result has no place.
func TestUnwritable(t *testing.T) {
	_, world := small(t)
	long := filepath.Join(t.TempDir(), strings.Repeat("x", 256))
	file := write(t, filepath.Join(t.TempDir(), "file"), "")
	none := []string{"VK_DRIVER_FILES=/none.json", "VK_ICD_FILENAMES=/none.json"} // what comes later fails with 3
	for _, test := range []struct {
		code int
		want string
		args []string
	}{
		{2, "an empty file name", []string{"render", world, "-o", ""}},
		{2, "an empty file name", []string{"render", world, "-o", "x", "--mesh="}},
		{2, "an empty file name", []string{"demo", "--headless", "--out", ""}},
		{2, "an empty file name", []string{"render", "", "-o", "x"}},
		{2, "an empty file name", []string{"verify", ""}},
		{2, "an empty file name", []string{"info", ""}},
		{2, "an empty file name", []string{"fly", ""}},
		{5, "file name too long", []string{"render", world, "-o", long}},
		{5, "cannot write /proc/x.png: ", []string{"render", world, "-o", "/proc/x.png"}},
		{5, "cannot write /proc/x/y: ", []string{"demo", world, "--headless", "--out", "/proc/x/y"}},
		{5, "not a directory", []string{"demo", world, "--headless", "--out", file + "/x"}},
		{5, "not a folder", []string{"demo", world, "--headless", "--out", file}},
	} {
		cmd := command(test.args...)
		cmd.Env = append(cmd.Env, none...)
		finish(t, cmd).fails(t, test.code, test.want)
	}
	// A name that is just short enough.
	dir := t.TempDir()
	ok(t, "dump", world, "-o", filepath.Join(dir, strings.Repeat("é", 127)))
	left(t, dir, strings.Repeat("é", 127))
}

// TestErrorsNameTheResult writes more than the process may.
func TestErrorsNameTheResult(t *testing.T) {
	_, world := small(t)
	dir := t.TempDir()
	out := filepath.Join(dir, "d")
	cmd := command("dump", world, "-o", out)
	cmd.Args = append([]string{"sh", "-c", `ulimit -f 8; exec "$@"`, "sh", program}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	r := finish(t, cmd)
	if want := "vkterrain: cannot write " + out + ": file too large\n"; r.code != 5 || r.stderr != want {
		t.Errorf("exit code %d and %q, want %q", r.code, r.stderr, want)
	}
	left(t, dir)
}

// TestErrorsNameTheSource: what cannot be used was read, and not written.
func TestErrorsNameTheSource(t *testing.T) {
	needGPU(t)
	_, world := small(t)
	out, mesh := filepath.Join(t.TempDir(), "x.png"), fileOf(t, "hut.obj", []byte(hut))
	point := fileOf(t, "point.obj", []byte("v 0 0 0\n"))
	for _, c := range []struct {
		want string
		args []string
	}{
		{point + ": a model without triangles", []string{"render", world, "-o", out, "--props", point}},
		{point + ": ", []string{"render", world, "-o", out, "--props", mesh + ",density=" + point}},
		{point + ": ", []string{"bench", world, "--flight", point}},
		{"cannot read " + point + "x: no such file", []string{"render", world, "-o", out, "--props", point + "x"}},
		{"cannot read " + point + "x: no such file", []string{"render", world, "-o", out, "--props", mesh + ",density=" + point + "x"}},
	} {
		run(t, c.args...).fails(t, 4, "vkterrain: "+c.want)
	}
}

// TestInputsThatNeverEnd wants devices, pipes and folders refused unopened.
func TestInputsThatNeverEnd(t *testing.T) {
	_, world := small(t)
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	out, mesh := filepath.Join(dir, "x.png"), fileOf(t, "hut.obj", []byte(hut))
	for _, path := range []string{"/dev/zero", pipe, dir} {
		run(t, "render", world, "-o", out, "--camera", path).fails(t, 4, "not a regular file")
		run(t, "render", path, "-o", out).fails(t, 4, "not a regular file")
		run(t, "demo", path, "--headless", "--out", filepath.Join(dir, "demo")).fails(t, 4, "not a regular file")
		run(t, "bench", world, "--flight", path).fails(t, 4, "not a regular file")
		run(t, "render", world, "-o", out, "--props", path).fails(t, 4, "not a regular file")
		run(t, "render", world, "-o", out, "--props", mesh+",density="+path).fails(t, 4, "not a regular file")
		run(t, "verify", path).fails(t, 2, "not a regular file")
		why := "not a regular file"
		if path == dir {
			why = "is a folder without a height raster"
		}
		run(t, "info", path).fails(t, 4, why)
		run(t, "dump", path, "-o", out).fails(t, 4, why)
		run(t, "bake", path, "-o", out).fails(t, 4, why)
	}
	left(t, dir, "pipe")
}

func TestCameraFiles(t *testing.T) {
	_, world := small(t)
	dir := t.TempDir()
	out := filepath.Join(dir, "x.png")
	for content, want := range map[string]string{
		``:                                   "it is empty",
		`[]`:                                 "want an object, not a array",
		`{"eye": [1, 2, 3], "roll": 4}`:      `unknown field "roll"`,
		`{"eye": [1, 2]}`:                    "eye has 2 numbers, want 3",
		`{"eye": [1, 2, 3, 4]}`:              "eye has 4 numbers, want 3",
		`{"eye": [1, null, 3]}`:              "eye is wrong",
		`{"eye": [1, 2, 1e999]}`:             "eye is wrong: a number 1e999",
		`{"eye": "here"}`:                    "eye is wrong: a string",
		`{"yaw": 3}`:                         "it has no eye",
		`{"eye": [1, 2, 3]} {}`:              "something follows",
		`{"eye": [1, 2, 3], "fov": 500}`:     "field of view of 500",
		`{"eye": [1, 2, 3], "pitch": "low"}`: "pitch is wrong: a string",
		strings.Repeat(" ", 1<<20) + `{"eye": [1, 2, 3]}`: "longer than",
	} {
		path := write(t, filepath.Join(dir, "pose.json"), content)
		r := run(t, "render", world, "-o", out, "--camera", path)
		r.fails(t, 4, want)
		if !strings.Contains(r.stderr, path) {
			t.Errorf("%q does not name the file", r.stderr)
		}
	}
	left(t, dir, "pose.json")
}

func TestFlagsWithoutValues(t *testing.T) {
	_, world := small(t)
	for _, flag := range []string{"-o", "--tau", "--eye", "--size", "--workers", "--log-level", "--fog", "--camera", "--mesh", "--clear"} {
		run(t, "render", world, "-o", "x", flag).fails(t, 2, flag+": its value is missing")
	}
	run(t, "--gpu").fails(t, 2, "--gpu: its value is missing")
	run(t, "gpus", "--workers", "1025").fails(t, 2, "must be 1024 or less")
	run(t, "gpus", "--workers", "9223372036854775807").fails(t, 2, "must be 1024 or less")
}

// TestStandardOutput pipes the picture or the mesh.
func TestStandardOutput(t *testing.T) {
	_, world := small(t)
	for _, args := range []string{"-o - --json", "-o x --mesh - --json", "-o - --mesh -"} {
		run(t, append([]string{"render", world}, strings.Fields(args)...)...).fails(t, 2, "standard output takes one result")
	}
	needGPU(t)
	dir := t.TempDir()
	mesh, picture := filepath.Join(dir, "m"), filepath.Join(dir, "p")
	r := ok(t, "render", world, "-o", "-", "--mesh", mesh, "--size", "64x48", "--workers", "1000")
	if !strings.Contains(r.stderr, "picture: 64×48") {
		t.Errorf("stderr holds %q", r.stderr)
	}
	if img, err := png.Decode(strings.NewReader(r.stdout)); err != nil || img.Bounds().Size() != image.Pt(64, 48) {
		t.Errorf("standard output holds no picture (%v)", err)
	}
	r = ok(t, "render", world, "-o", picture, "--mesh", "-", "--size", "64x48")
	if want, err := os.ReadFile(mesh); err != nil || r.stdout != string(want) {
		t.Errorf("the meshes differ (%v)", err)
	}
	left(t, dir, "m", "p")
}

// TestDemoWithoutADriver wants neither a world made nor a folder left.
func TestDemoWithoutADriver(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{
		{"demo", "islet", "--headless", "--out", filepath.Join(dir, "a", "b")},
		{"demo", "coast", "--headless", "--out", filepath.Join(dir, "a")},
	} {
		cmd := command(args...)
		cmd.Env = append(cmd.Env, "VK_DRIVER_FILES=/none.json", "VK_ICD_FILENAMES=/none.json", "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
		finish(t, cmd).fails(t, 3, "Vulkan")
	}
	run(t, "demo", "islet", "--headless", "--out", filepath.Join(dir, "a"), "--tau", "0").fails(t, 2, "tolerance of 0")
	left(t, dir)
	needGPU(t)
	run(t, "demo", "islet", "--headless", "--out", filepath.Join(dir, "a"), "--size", "999999x9").fails(t, 2, "999999")
	// What comes late leaves no empty folder either.
	_, world := small(t)
	cmd := command("demo", world, "--headless", "--out", filepath.Join(dir, "a", "b"), "--frames", "100000", "--size", "32x32")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if strings.Contains(lines.Text(), "flying") {
			cmd.Process.Signal(syscall.SIGINT)
		}
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d, want 130", code)
	}
	left(t, dir)
}

// TestDemoWithoutFilm has an ffmpeg that fails at work, and no folder for its
// cache.
func TestDemoWithoutFilm(t *testing.T) {
	needGPU(t)
	dir := t.TempDir()
	bin, out, tmp := filepath.Join(dir, "bin"), filepath.Join(dir, "out"), filepath.Join(dir, "tmp")
	for _, d := range []string{bin, tmp} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	ffmpeg := write(t, filepath.Join(bin, "ffmpeg"), "#!/bin/sh\ncase \"$*\" in *encoders*) echo mpeg4;; *'-f null'*) ;; *) exit 1;; esac\n")
	if err := os.Chmod(ffmpeg, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := command("demo", "islet", "--headless", "--out", out, "--frames", "2", "--size", "32x18")
	cmd.Env = append(cmd.Env, "PATH="+bin+":"+os.Getenv("PATH"), "XDG_CACHE_HOME="+ffmpeg, "TMPDIR="+tmp)
	r := finish(t, cmd)
	for _, want := range []string{"warning: no film: ffmpeg: ", "warning: no cache folder"} {
		if strings.Count(r.stderr, want) != 1 {
			t.Errorf("stderr %q does not say %q", r.stderr, want)
		}
	}
	if r.code != 0 || strings.Count(r.stderr, "warning: ") != 2 || strings.Contains(r.stdout, ".mp4") {
		t.Errorf("%+v", r)
	}
	left(t, tmp)
	for _, name := range []string{"demo.mp4", ".demo.mp4.partial"} {
		if _, err := os.Lstat(filepath.Join(out, name)); err == nil {
			t.Errorf("%s is there", name)
		}
	}
}

// TestCameraAfterThePixels reads the pose of a picture that another program
// wrote again, far behind its beginning.
func TestCameraAfterThePixels(t *testing.T) {
	needGPU(t)
	_, world := small(t)
	dir := t.TempDir()
	first := filepath.Join(dir, "1.png")
	ok(t, "render", world, "-o", first, "--size", "32x32", "--yaw", "33")
	data, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, []byte("tEXtvkterrain-camera")) - 4
	chunk := data[at : at+12+int(data[at+2])<<8+int(data[at+3])]
	noise := image.NewRGBA(image.Rect(0, 0, 800, 800))
	for i := range noise.Pix {
		noise.Pix[i] = byte(i * i >> 7 * i >> 3)
	}
	noise.Set(0, 0, color.Black)
	var large bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&large, noise); err != nil {
		t.Fatal(err)
	}
	end := large.Len() - 12
	moved := string(large.Bytes()[:end]) + string(chunk) + string(large.Bytes()[end:])
	second := filepath.Join(dir, "2.png")
	ok(t, "render", world, "-o", second, "--size", "32x32", "--camera", write(t, filepath.Join(dir, "moved.png"), moved))
	if hash(pixelsOf(readPNG(t, first))) != hash(pixelsOf(readPNG(t, second))) {
		t.Error("another view")
	}
}
