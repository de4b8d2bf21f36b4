package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// program is the built program, scratch a folder for all tests.
var program, scratch string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	var err error
	if scratch, err = os.MkdirTemp("", "vkterrain-test-*"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(scratch)
	program = filepath.Join(scratch, "vkterrain")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// result is what a run of the program left.
type result struct {
	stdout, stderr string
	code           int
}

// command prepares a run without a display and with a cache of the tests' own.
func command(args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = scratch
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "DISPLAY=") || strings.HasPrefix(v, "WAYLAND_DISPLAY=") || strings.HasPrefix(v, "VKTERRAIN_DEBUG=")
	})
	cmd.Env = append(cmd.Env, "XDG_CACHE_HOME="+filepath.Join(scratch, "cache"), "VKTERRAIN_NO_SETTINGS=1")
	return cmd
}

// finish runs cmd to its end.
func finish(t testing.TB, cmd *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &stdout
	}
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	watchdog := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer watchdog.Stop()
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

func run(t testing.TB, args ...string) result {
	t.Helper()
	return finish(t, command(args...))
}

// ok runs the program and wants exit code 0.
func ok(t testing.TB, args ...string) result {
	t.Helper()
	r := run(t, args...)
	if r.code != 0 {
		t.Fatalf("vkterrain %s: exit code %d\n%s", strings.Join(args, " "), r.code, r.stderr)
	}
	return r
}

// fails wants an exit code, one line on stderr that holds want, and nothing on
// stdout.
func (r result) fails(t testing.TB, code int, want string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d", r.code, code)
	}
	if strings.Count(r.stderr, "\n") != 1 || !strings.HasPrefix(r.stderr, "vkterrain: ") || !strings.HasSuffix(r.stderr, "\n") {
		t.Errorf("stderr is not one line: %q", r.stderr)
	}
	if !strings.Contains(r.stderr, want) {
		t.Errorf("stderr %q does not say %q", r.stderr, want)
	}
	if strings.Contains(r.stderr, "panic") || strings.Contains(r.stderr, "goroutine") {
		t.Errorf("stderr is a trace: %q", r.stderr)
	}
	if r.stdout != "" {
		t.Errorf("stdout holds %q", r.stdout)
	}
}

// parse reads the one JSON object of --json.
func (r result) parse(t testing.TB) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(r.stdout), &v); err != nil {
		t.Fatalf("%v in %q", err, r.stdout)
	}
	return v
}

// hills writes a 16-bit PNG of w×h samples: hills, a plain and some noise.
func hills(t testing.TB, path string, w, h int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(w)))
	img := image.NewGray16(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			v := 900 + 800*math.Sin(float64(x)/17)*math.Cos(float64(y)/23) + 30*rng.Float64()
			if x > 2*w/3 && y > h/2 {
				v = 600
			}
			img.SetGray16(x, y, color.Gray16{Y: uint16(v)})
		}
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, img); err != nil {
		t.Fatal(err)
	}
}

var once struct {
	sync.Once
	raster, world string
}

// small returns a small raster and the world baked from it.
func small(t testing.TB) (raster, world string) {
	t.Helper()
	once.Do(func() {
		raster, world := filepath.Join(scratch, "small.png"), filepath.Join(scratch, "small.vkt")
		hills(t, raster, 200, 150)
		ok(t, "bake", raster, "-o", world, "--spacing", "20", "--tile", "65")
		once.raster, once.world = raster, world
	})
	if once.world == "" {
		t.Fatal("no small world")
	}
	return once.raster, once.world
}

// left wants nothing but want in dir.
func left(t testing.TB, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("the folder holds %q, want %q", got, want)
	}
}
