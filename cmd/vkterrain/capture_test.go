package main_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// debianPython is the Python that Debian's module of RenderDoc is for.
const debianPython = "/usr/bin/python3"

// needRenderDoc skips the test where RenderDoc is not installed.
func needRenderDoc(t *testing.T) {
	t.Helper()
	out, err := exec.Command(debianPython, "-c", "import renderdoc").CombinedOutput()
	if err == nil {
		return
	}
	if os.Getenv("VKTERRAIN_REQUIRE_GPU") == "1" {
		t.Fatalf("VKTERRAIN_REQUIRE_GPU=1, but RenderDoc cannot be used (Debian package python3-renderdoc): %v\n%s", err, out)
	}
	t.Skipf("no RenderDoc (Debian package python3-renderdoc): %v", err)
}

// capturedAction is something recorded, or a label with what it holds.
type capturedAction struct {
	Name           string
	Indices        int
	Draw, Multi    bool
	Copy, Indirect bool
	Label          bool
	In             []capturedAction
}

// capturedFrame is what tools/rdc.py finds in a capture.
type capturedFrame struct {
	Actions   []capturedAction
	Resources []struct {
		Name, Type string
		Generated  bool
	}
	Shaders map[string]struct {
		Files map[string]int
		Main  bool
	}
	Pictures, Buffers map[string]string
	Messages          []string
}

// replay replays captures.
func replay(t *testing.T, paths ...string) (frames []capturedFrame) {
	t.Helper()
	cmd := exec.Command(debianPython, append([]string{"../../tools/rdc.py"}, paths...)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	for line := range strings.Lines(string(out)) {
		var f capturedFrame
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		frames = append(frames, f)
	}
	if len(frames) != len(paths) {
		t.Fatalf("%d frames of %d captures", len(frames), len(paths))
	}
	return frames
}

// labels lists labels with how many draws and copies each holds itself, an indirect
// draw being one.
func labels(actions []capturedAction, visit func(name string, draws, copies int)) {
	for _, a := range actions {
		if !a.Label || a.Multi {
			continue
		}
		draws, copies := 0, 0
		for _, in := range a.In {
			if in.Draw || in.Multi {
				draws++
			}
			if in.Copy {
				copies++
			}
		}
		visit(a.Name, draws, copies)
		labels(a.In, visit)
	}
}

// outside counts the draws and copies that are in no label.
func outside(actions []capturedAction) (n int) {
	for _, a := range actions {
		if a.Draw || a.Copy || a.Multi {
			n++
		}
	}
	return n
}

// check wants names, one draw a pass, and shaders with their source.
func (f *capturedFrame) check(t *testing.T, want map[string]int) {
	t.Helper()
	if n := outside(f.Actions); n > 0 {
		t.Errorf("%d draws or copies without a label", n)
	}
	found := map[string]int{}
	labels(f.Actions, func(name string, draws, _ int) {
		found[name] += draws
	})
	for name, draws := range want {
		if n, ok := found[name]; !ok || n != draws {
			t.Errorf("label %q: %d draws (there: %v), want %d; labels %v", name, n, ok, draws, found)
		}
	}
	for _, r := range f.Resources {
		// An instance and a GPU cannot be named, and RenderDoc does not keep what command
		// buffers are called.
		if r.Generated && r.Type != "Device" && r.Type != "CommandBuffer" {
			t.Errorf("%s has no name: %s", r.Type, r.Name)
		}
	}
	for name, s := range f.Shaders {
		if !s.Main || len(s.Files) == 0 {
			t.Errorf("shader %s shows no source: %v", name, s.Files)
		}
	}
	for _, name := range []string{"terrain.vert", "terrain.frag", "sky.frag"} {
		if _, ok := f.Shaders[name]; !ok {
			t.Errorf("no shader %s", name)
		}
	}
	for _, m := range f.Messages {
		t.Errorf("replay: %s", m)
	}
}

// TestCapture captures frames without a window and replays them by RenderDoc.
func TestCapture(t *testing.T) {
	needRenderDoc(t)
	_, world := small(t)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name+".rdc") }
	settled := []string{world, "--size", "160x120", "--tau", "4", "--sea", "on"}
	take := func(name string, args ...string) {
		r := ok(t, append([]string{"capture", "-o", path(name)}, args...)...)
		if !regexp.MustCompile(`frame \d+, .* triangles of \d+ tiles, .*iB\n$`).MatchString(r.stdout) {
			t.Errorf("stdout %q", r.stdout)
		}
	}
	take("one", settled...)
	take("two", settled...)
	take("upload", world, "--size", "160x120", "--frame", "0")
	take("lines", world, "--size", "160x120", "--tau", "4", "--view", "wireframe")
	f := replay(t, path("one"), path("two"), path("upload"), path("lines"))
	f[0].check(t, map[string]int{"terrain": 0, "terrain soar": 1, "sky": 1, "sea": 1})
	f[3].check(t, map[string]int{"terrain": 0, "terrain soar": 1, "lines": 1, "sky": 1})
	if !reflect.DeepEqual(f[0], f[1]) {
		t.Error("two captures of one frame differ")
	}
	uploads := 0
	labels(f[2].Actions, func(name string, draws, copies int) {
		if !regexp.MustCompile(`^upload tile \d+,\d+ level \d+$`).MatchString(name) {
			return
		}
		if uploads++; copies != 1 || draws != 0 {
			t.Errorf("%s: %d copies, %d draws, want 1 and 0", name, copies, draws)
		}
	})
	if uploads == 0 || outside(f[2].Actions) > 0 {
		t.Errorf("%d uploads with labels, %d calls without", uploads, outside(f[2].Actions))
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// TestCaptureWithoutRenderDoc hides RenderDoc's library, and wants to be told what to do.
func TestCaptureWithoutRenderDoc(t *testing.T) {
	if _, err := os.Stat("/usr/lib/librenderdoc.so"); err == nil {
		t.Skip("RenderDoc is installed where the loader always looks")
	}
	_, world := small(t)
	run(t, "capture", world, "-o", filepath.Join(t.TempDir(), "f.rdc")).fails(t, 4, "apt install renderdoc")
}

// TestCaptureWhileFlying wants captures of the frame asked for and of late ones.
func TestCaptureWhileFlying(t *testing.T) {
	needRenderDoc(t)
	_, world := small(t)
	dir := t.TempDir()
	r := ok(t, "bench", world, "--frames", "4", "--checks", "0", "--size", "64x64", "--capture-path", filepath.Join(dir, "f"),
		"--capture-frame", "1", "--capture-on-hitch", "0.001")
	for _, want := range []string{"captured frame 1, as asked: ", "ms: " + dir} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("stderr %q does not say %q", r.stderr, want)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "f*.rdc"))
	if n := strings.Count(r.stderr, "captured "); n < 2 || n != len(files) {
		t.Errorf("said %d captures, wrote %d", n, len(files))
	}
	run(t, "bench", world, "--capture-path", filepath.Join(dir, "no", "f"), "--renderdoc").fails(t, 5, "there is no such folder")
	run(t, "bench", world, "--capture-frame=-1").fails(t, 2, "must be 0 or more")
}
