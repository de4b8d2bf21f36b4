//go:build !nowindow

package main_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/vk/testlayer"
)

// need returns the path of a program that a test cannot do without.
func need(t *testing.T, name, pkg string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("VKTERRAIN_REQUIRE_GPU") == "1" {
		t.Fatalf("VKTERRAIN_REQUIRE_GPU=1, but there is no %s (Debian package %s)", name, pkg)
	}
	t.Skipf("no %s (Debian package %s)", name, pkg)
	return ""
}

// startX runs an X server without a window manager for the time of the test and
// returns its display.
func startX(t *testing.T) string {
	t.Helper()
	path := need(t, "Xvfb", "xvfb")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command(path, "-displayfd", "3", "-screen", "0", "1024x768x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{w}
	err = cmd.Start()
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal("Xvfb does not start")
	}
	return ":" + strings.TrimSpace(number)
}

// flight is a window that a test flies.
type flight struct {
	t       *testing.T
	display string
	trace   string
	dir     string // where it runs
	id      string // of the window
	cmd     *exec.Cmd
	stderr  bytes.Buffer
	exited  chan error
}

// happening is a line of the trace.
type happening struct {
	Event     string
	Detail    string
	Frame     int
	Eye       [3]float64
	Yaw       float64
	Size      [2]int
	Tau       float64
	Wireframe bool
	View      string
	Frozen    bool
	Split     string
	HUD       bool
	Hour      *float64
	Flying    bool
	Triangles int
	Props     int
	Near      float64 `json:"near_m"`
	Far       float64 `json:"far_m"`
	Algorithm string
	Auto      bool
	Finest    int
	Speed     float64
	Help      bool
	Recording bool
	Model     string
	Vertices  int
	Pitch     float64
}

// fly opens a window that is watched by the validation layer, and waits until
// all it shows is loaded.
func fly(t *testing.T, display string, args ...string) *flight {
	t.Helper()
	return flyWith(t, display, nil, args...)
}

// flyWith is fly with variables of the environment.
func flyWith(t *testing.T, display string, env []string, args ...string) *flight {
	t.Helper()
	f := &flight{t: t, display: display, dir: t.TempDir(), exited: make(chan error, 1)}
	f.trace = filepath.Join(f.dir, "trace.jsonl")
	f.cmd = command(args...)
	f.cmd.Dir = f.dir
	f.cmd.Stderr = &f.stderr
	f.cmd.Env = append(append(f.cmd.Env, "DISPLAY="+display, "VKTERRAIN_TRACE="+f.trace), env...)
	if err := f.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.cmd.Process.Kill() })
	go func() { f.exited <- f.cmd.Wait() }()
	f.await("all is loaded", func(h happening) bool { return h.Event == "settled" })
	ids := strings.Fields(f.x("search", "--class", "vkterrain"))
	f.id = ids[len(ids)-1]
	f.x("windowfocus", f.id)
	return f
}

// x runs xdotool.
func (f *flight) x(args ...string) string {
	f.t.Helper()
	cmd := exec.Command(need(f.t, "xdotool", "xdotool"), args...)
	cmd.Env = append(os.Environ(), "DISPLAY="+f.display)
	out, err := cmd.Output()
	if err != nil {
		f.t.Fatalf("xdotool %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

// seen returns the trace so far.
func (f *flight) seen() (all []happening) {
	data, err := os.ReadFile(f.trace)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(data)) {
		var h happening
		if !strings.HasSuffix(line, "\n") {
			break
		}
		if err := json.Unmarshal([]byte(line), &h); err != nil {
			f.t.Fatalf("%v in %q", err, line)
		}
		all = append(all, h)
	}
	return all
}

// now returns the last line.
func (f *flight) now() happening {
	all := f.seen()
	return all[len(all)-1]
}

// await waits for a line after the first from ones that fits.
func (f *flight) await(what string, fits func(happening) bool) happening {
	f.t.Helper()
	return f.awaitFrom(0, what, fits)
}

func (f *flight) awaitFrom(from int, what string, fits func(happening) bool) happening {
	f.t.Helper()
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		all := f.seen()
		for _, h := range all[min(from, len(all)):] {
			if fits(h) {
				return h
			}
		}
		select {
		case err := <-f.exited:
			f.t.Fatalf("before %s it ended: %v\n%s", what, err, f.stderr.String())
		default:
		}
	}
	f.t.Fatalf("never: %s; last %+v", what, f.now())
	return happening{}
}

// after runs xdotool and waits for a line that comes then and fits.
func (f *flight) after(what string, fits func(happening) bool, args ...string) happening {
	f.t.Helper()
	from := len(f.seen())
	f.x(args...)
	return f.awaitFrom(from, what, fits)
}

// draws waits for frames drawn from now on.
func (f *flight) draws(n int) {
	f.t.Helper()
	start := f.now().Frame
	f.await(fmt.Sprint(n, " more frames"), func(h happening) bool { return h.Frame >= start+n })
}

// ends wants the program to end well and soon, without having said anything
// bad.
func (f *flight) ends() {
	f.t.Helper()
	start := time.Now()
	select {
	case err := <-f.exited:
		if err != nil {
			f.t.Errorf("ended with %v\n%s", err, f.stderr.String())
		}
	case <-time.After(10 * time.Second):
		f.t.Fatal("it does not end")
	}
	if d := time.Since(start); d > 1500*time.Millisecond {
		f.t.Errorf("it took %v to end", d)
	}
	for _, bad := range []string{"vulkan:", "warning:", "panic", "go-gl"} {
		if strings.Contains(f.stderr.String(), bad) {
			f.t.Errorf("stderr says %q:\n%s", bad, f.stderr.String())
			break
		}
	}
}

// cpu returns the processor time that the program has used.
func (f *flight) cpu() time.Duration {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", f.cmd.Process.Pid))
	if err != nil {
		f.t.Fatal(err)
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// isle bakes a small world, with more flags.
func isle(t *testing.T, more ...string) string {
	t.Helper()
	dir := t.TempDir()
	hills(t, filepath.Join(dir, "isle.png"), 257, 257)
	path := filepath.Join(dir, "isle.vkt")
	ok(t, append([]string{"bake", filepath.Join(dir, "isle.png"), "-o", path, "--spacing", "20", "--tile", "65"}, more...)...)
	return path
}

// TestWindow flies a world with keys, mouse and all that a window goes through.
func TestWindow(t *testing.T) {
	needGPU(t)
	need(t, "xdotool", "xdotool")
	display := startX(t)
	world := isle(t)
	// A coarse and cheap picture: the test is about the window.
	f := fly(t, display, "fly", world, "--size", "640x480", "--tau", "8", "--validation", "require")
	if !strings.Contains(f.stderr.String(), "wireframe") {
		t.Errorf("the controls are not printed: %q", f.stderr.String())
	}
	first := f.now()
	if first.Size != [2]int{640, 480} || first.Wireframe || first.Triangles < 100 {
		t.Fatalf("begins with %+v", first)
	}
	f.keys(first)
	f.mouse()
	f.sizes()
	f.hides()
	f.picture()

	f.draws(3)
	f.x("key", "Escape")
	f.ends()
}

// TestWindowThresholds turns BilLOD's thresholds by the keys of its article.
func TestWindowThresholds(t *testing.T) {
	needGPU(t)
	need(t, "xdotool", "xdotool")
	display := startX(t)
	world := isle(t, "--algo", "billod")
	f := fly(t, display, "fly", world, "--size", "320x240", "--algo", "billod", "--billod", "classic", "--near", "0", "--far", "800", "--detail", "0")
	first := f.now()
	is := func(key string, near, far float64) func(happening) bool {
		return func(h happening) bool { return h.Event == "key" && h.Detail == key && h.Near == near && h.Far == far }
	}
	for range 3 {
		f.x("key", "Prior")
	}
	f.after("Page Up shows more", is("page up", 0, 800*1.25*1.25*1.25*1.25), "key", "Prior")
	f.draws(2)
	if now := f.now(); now.Triangles <= first.Triangles {
		t.Errorf("%d triangles, %d with a larger far threshold", first.Triangles, now.Triangles)
	}
	f.after("Page Down goes back", is("page down", 0, 800*1.25*1.25*1.25), "key", "Next")
	f.after("Shift+Page Up is the near threshold", is("shift page up", 20, 800*1.25*1.25*1.25), "key", "shift+Prior")
	f.after("Shift+Page Down too", is("shift page down", 0, 800*1.25*1.25*1.25), "key", "shift+Next")
	f.x("key", "Escape")
	f.ends()
}

// TestWindowProps flies among things, also with the level of detail frozen.
func TestWindowProps(t *testing.T) {
	needGPU(t)
	need(t, "xdotool", "xdotool")
	display := startX(t)
	mesh := fileOf(t, "hut.obj", []byte(hut)) + ",spacing=60,scale=5..15"
	f := fly(t, display, "fly", isle(t), "--size", "320x240", "--tau", "8", "--validation", "require", "--props", mesh, "--props-reach", "20000", "--eye", "2560,2200,5700", "--pitch=-20")
	if first := f.now(); first.Props < 10 {
		t.Errorf("%+v", first)
	}
	f.after("F5 freezes", func(h happening) bool { return h.Frozen }, "key", "F5")
	f.x("keydown", "w")
	f.draws(5)
	f.x("keyup", "w")
	if now := f.now(); now.Props < 10 {
		t.Errorf("%+v", now)
	}
	f.x("key", "Escape")
	f.ends()
}

// TestWindowRecovers loses the device in flight: the window goes on with another.
func TestWindowRecovers(t *testing.T) {
	needGPU(t)
	display := startX(t)
	world := isle(t)
	layer := testlayer.Build(t)
	for _, c := range []struct {
		fail string
		code int
		says string
	}{
		{"vkQueueSubmit,30,1,-4", 0, "going on with it from the start"},
		{"vkAcquireNextImageKHR,20,1,-4", 0, "going on with it from the start"},
		{"vkQueueSubmit,30,100000,-4", 7, "device lost"},
		{"vkAcquireNextImageKHR,20,1,-1000000000", 0, "making it anew"},
		{"vkQueuePresentKHR,30,1,-1000000000", 0, "making it anew"},
		{"vkAcquireNextImageKHR,20,100000,-1000000000", 7, "surface lost"},
	} {
		cmd := command("fly", world, "--size", "160x120", "--tau", "8", "--frames", "90")
		cmd.Env = append(layer.Environ(testlayer.Shape{Fail: c.fail}), "DISPLAY="+display, "XDG_CACHE_HOME="+t.TempDir())
		r := finish(t, cmd)
		if r.code != c.code || !strings.Contains(r.stderr, c.says) || strings.Contains(r.stderr, "panic") {
			t.Errorf("%s: exit code %d, want %d; stderr: %s", c.fail, r.code, c.code, r.stderr)
		}
	}
}

func (f *flight) keys(first happening) {
	f.t.Helper()
	f.x("keydown", "w")
	moved := f.await("W moves", func(h happening) bool { return h.Eye[2] < first.Eye[2]-20 })
	f.x("keyup", "w")
	if moved.Eye[0] != first.Eye[0] || moved.Yaw != first.Yaw {
		f.t.Errorf("W moved from %v to %v", first.Eye, moved.Eye)
	}
	f.x("keydown", "Right")
	f.await("the arrow turns", func(h happening) bool { return h.Yaw > first.Yaw+5 })
	f.x("keyup", "Right")
	is := func(key string, fits func(happening) bool) func(happening) bool {
		return func(h happening) bool { return h.Event == "key" && h.Detail == key && fits(h) }
	}
	f.after("F3 shows the wireframe", is("wireframe", func(h happening) bool { return h.Wireframe && h.View == "wireframe" }), "key", "F3")
	f.draws(2)
	f.after("F3 hides it", is("wireframe", func(h happening) bool { return !h.Wireframe && h.View == "shaded" }), "key", "F3")
	f.after("[ is finer", is("finer", func(h happening) bool { return math.Abs(h.Tau-8/1.25) < 1e-9 }), "key", "bracketleft")
	f.after("] is coarser", is("coarser", func(h happening) bool { return math.Abs(h.Tau-8) < 1e-9 }), "key", "bracketright")
	f.after(". goes to noon", is("later", func(h happening) bool { return h.Hour != nil && *h.Hour == 12 }), "key", "period")
	f.after(". is later", is("later", func(h happening) bool { return *h.Hour == 12.25 }), "key", "period")
	f.after(", is earlier", is("earlier", func(h happening) bool { return *h.Hour == 12 }), "key", "comma")
	f.after("F4 shows levels", is("lod", func(h happening) bool { return h.View == "lod" }), "key", "F4")
	f.after("F5 freezes", is("freeze", func(h happening) bool { return h.Frozen }), "key", "F5")
	f.draws(2)
	f.after("F5 goes on", is("freeze", func(h happening) bool { return !h.Frozen }), "key", "F5")
	for _, split := range []string{"tau and four times that", "two algorithms", "both eyes", "from above", "one view"} {
		f.after("F8 splits the picture", is("split", func(h happening) bool { return h.Split == split }), "key", "F8")
		f.draws(2)
	}
	f.after("F2 shows figures", is("hud", func(h happening) bool { return h.HUD }), "key", "F2")
	f.draws(2)
	f.after("F2 hides them", is("hud", func(h happening) bool { return !h.HUD }), "key", "F2")
	f.after("F4 hides levels", is("lod", func(h happening) bool { return h.View == "shaded" }), "key", "F4")
	f.after("R goes back", is("reset", func(h happening) bool { return h.Eye == first.Eye && h.Yaw == first.Yaw && h.Hour == nil }), "key", "r")
}

func (f *flight) mouse() {
	f.t.Helper()
	f.x("mousemove", "--window", f.id, "300", "200")
	start := f.now().Yaw
	f.x("mousedown", "1")
	f.after("the mouse turns", func(h happening) bool { return h.Yaw > start+1 }, "mousemove_relative", "60", "0")
	f.x("mouseup", "1")
}

func (f *flight) sizes() {
	f.t.Helper()
	for _, size := range [][2]int{{800, 600}, {120, 40}, {640, 1}, {1, 480}, {1, 1}, {640, 480}} {
		f.after(fmt.Sprint("size ", size), func(h happening) bool { return h.Size == size },
			"windowsize", f.id, strconv.Itoa(size[0]), strconv.Itoa(size[1]))
		f.draws(2)
	}
}

// hides takes the window away ten times, once for a while.
func (f *flight) hides() {
	f.t.Helper()
	event := func(name string) func(happening) bool { return func(h happening) bool { return h.Event == name } }
	for i := range 10 {
		f.after("hidden", event("hidden"), "windowunmap", f.id)
		if i == 0 {
			frame, used := f.now().Frame, f.cpu()
			time.Sleep(time.Second)
			if used = f.cpu() - used; used > 50*time.Millisecond {
				f.t.Errorf("used %v of a second while nothing is shown", used)
			}
			if n := f.now().Frame - frame; n != 0 {
				f.t.Errorf("drew %d frames while nothing is shown", n)
			}
		}
		f.after("shown", event("shown"), "windowmap", f.id)
		f.draws(1)
	}
	f.x("windowfocus", f.id)
}

// picture wants F12 to write a picture of the window's size.
func (f *flight) picture() {
	f.t.Helper()
	h := f.after("F12 takes a picture", func(h happening) bool { return h.Event == "picture" }, "key", "F12")
	path := filepath.Join(f.dir, h.Detail)
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil || time.Now().After(end) {
			break
		}
	}
	img := readPNG(f.t, path)
	if b := img.Bounds(); b.Dx() != h.Size[0] || b.Dy() != h.Size[1] {
		f.t.Errorf("the picture of a window of %v is %v", h.Size, b)
	}
	// The sky is above and blue.
	r, _, b, _ := img.At(h.Size[0]/2, 2).RGBA()
	if b <= r {
		f.t.Errorf("the sky has %d of red and %d of blue", r>>8, b>>8)
	}
}

// TestWindowCloses asks the window to close as window managers do, destroys it
// from outside, interrupts the program, and lets it end after some frames.
func TestWindowCloses(t *testing.T) {
	needGPU(t)
	need(t, "xdotool", "xdotool")
	display := startX(t)
	_, world := small(t)
	args := []string{"fly", world, "--size", "160x120", "--validation", "require"}

	f := fly(t, display, args...)
	id, err := strconv.ParseUint(f.id, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	if err := deleteWindow(display, uint32(id)); err != nil {
		t.Fatal(err)
	}
	f.ends()

	f = fly(t, display, args...)
	f.x("windowclose", f.id) // destroys it
	f.ends()

	f = fly(t, display, args...)
	if err := f.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := <-f.exited; !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Errorf("an interrupt ends it with %v\n%s", err, f.stderr.String())
	}

	for _, mode := range []string{"fifo", "immediate"} {
		cmd := command(append(args, "--samples", "4")...)
		cmd.Env = append(cmd.Env, "DISPLAY="+display, "VKTERRAIN_FRAMES=7", "VKTERRAIN_PRESENT_MODE="+mode)
		if r := finish(t, cmd); r.code != 0 || strings.Contains(r.stderr, "vulkan:") {
			t.Errorf("7 frames, %s: exit code %d\n%s", mode, r.code, r.stderr)
		}
	}
}

// TestNoWindow wants one line and exit code 6 where no window can be.
func TestNoWindow(t *testing.T) {
	_, world := small(t)
	for _, env := range []string{"DISPLAY=", "DISPLAY=:4999", "WAYLAND_DISPLAY=nowhere"} {
		cmd := command("fly", world)
		cmd.Env = append(cmd.Env, env)
		finish(t, cmd).fails(t, 6, "without one use vkterrain render")
	}
}

// deleteWindow sends WM_DELETE_WINDOW to a window, as a window manager does. It
// speaks the X protocol, version 11, little endian.
func deleteWindow(display string, window uint32) error {
	c, atom, err := dialX(display)
	if err != nil {
		return err
	}
	defer c.Close()
	le := binary.LittleEndian
	protocols, err := atom("WM_PROTOCOLS")
	if err != nil {
		return err
	}
	del, err := atom("WM_DELETE_WINDOW")
	if err != nil {
		return err
	}
	req := make([]byte, 44)
	req[0] = 25 // SendEvent
	le.PutUint16(req[2:], 11)
	le.PutUint32(req[4:], window)
	req[12], req[13] = 33, 32 // ClientMessage of 32-bit values
	le.PutUint32(req[16:], window)
	le.PutUint32(req[20:], protocols)
	le.PutUint32(req[24:], del)
	if _, err := c.Write(req); err != nil {
		return err
	}
	_, err = atom("WM_PROTOCOLS") // the server is done with the event then
	return err
}

// TestWindowRemembers leaves a window and comes back to it, with another key to fly by.
func TestWindowRemembers(t *testing.T) {
	needGPU(t)
	need(t, "xdotool", "xdotool")
	display := startX(t)
	world := isle(t)
	home := t.TempDir()
	settings := filepath.Join(home, "vkterrain", "settings.toml")
	if err := os.Mkdir(filepath.Dir(settings), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte("[fly]\ntau = 8\nsize = \"320x240\"\n[keys]\nforward = \"H\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	visit := func(args ...string) *flight {
		return flyWith(t, display, []string{"XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home, "VKTERRAIN_NO_SETTINGS="}, append([]string{"fly", world}, args...)...)
	}
	f := visit()
	first := f.now()
	if first.Tau != 8 || first.Size != [2]int{320, 240} {
		t.Errorf("settings are not read: %+v", first)
	}
	f.x("key", "w")
	f.x("keydown", "h")
	f.await("H flies", func(h happening) bool { return h.Eye != first.Eye })
	f.x("keyup", "h")
	f.x("key", "bracketleft")
	f.await("finer", func(h happening) bool { return h.Tau < 8 })
	f.x("key", "Escape")
	f.ends()
	all := f.seen()
	last := all[len(all)-1]

	again := visit().now()
	if d := math.Hypot(again.Eye[0]-last.Eye[0], again.Eye[2]-last.Eye[2]); d > 1e-6 || again.Tau != 8 {
		t.Errorf("comes back to %v, tau %v; it was %v", again.Eye, again.Tau, last.Eye)
	}
	if other := visit("--yaw", "10").now(); other.Eye != first.Eye {
		t.Errorf("a camera flag: %v, want %v", other.Eye, first.Eye)
	}
}

// TestWindowReplays flies a flight in steps of its own, and records it meanwhile.
func TestWindowReplays(t *testing.T) {
	needGPU(t)
	display := startX(t)
	world := isle(t)
	dir := t.TempDir()
	replay, record := filepath.Join(dir, "there.json"), filepath.Join(dir, "again.json")
	const path = `{"name": "there", "fov": 50, "keys": [{"t": 0, "eye": [1000, 2000, 3000], "yaw": 0, "pitch": -10}, {"t": 0.5, "eye": [1500, 2000, 2500], "yaw": 30, "pitch": -10}]}`
	if err := os.WriteFile(replay, []byte(path), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := command("fly", world, "--size", "160x120", "--tau", "16", "--replay", replay, "--record", record)
	cmd.Env = append(cmd.Env, "DISPLAY="+display)
	if r := finish(t, cmd); r.code != 0 || !strings.Contains(r.stderr, "wrote "+record+": 0.5 s of flight") {
		t.Fatalf("%d %s", r.code, r.stderr)
	}
	var again struct {
		Keys []struct {
			T   float64
			Eye [3]float64
			Yaw float64
		}
	}
	data, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &again); err != nil {
		t.Fatal(err)
	}
	for _, k := range again.Keys {
		way := 1000 * min(k.T+1.0/60, 0.5) // the first frame is a step into the flight
		want := [3]float64{1000 + way, 2000, 3000 - way}
		if math.Abs(k.Eye[0]-want[0]) > 0.01 || math.Abs(k.Eye[2]-want[2]) > 0.01 || math.Abs(k.Eye[1]-2000) > 0.01 {
			t.Errorf("at %.3f s at %v, want %v", k.T, k.Eye, want)
		}
	}
	if n := len(again.Keys); n < 4 || n > 8 {
		t.Errorf("%d keys", n)
	}
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{2, "neither a file nor one of the flights", []string{"--replay", "nowhere"}},
		{4, "not a flight", []string{"--replay", world}},
		{5, "cannot write /proc/x", []string{"--record", "/proc/x"}},
		{2, "both source and result", []string{"--replay", replay, "--record", replay}},
	} {
		cmd := command(append([]string{"fly", world}, c.args...)...)
		cmd.Env = append(cmd.Env, "DISPLAY="+display)
		finish(t, cmd).fails(t, c.code, c.want)
	}
}

// TestWindowTrace keeps what happened in a window, for Perfetto and as a picture.
func TestWindowTrace(t *testing.T) {
	needGPU(t)
	display := startX(t)
	file, picture := filepath.Join(t.TempDir(), "f.json"), filepath.Join(t.TempDir(), "f.png")
	cmd := command("fly", isle(t), "--size", "64x48", "--frames", "30", "--perfetto", file)
	cmd.Env = append(cmd.Env, "DISPLAY="+display)
	if r := finish(t, cmd); r.code != 0 {
		t.Fatalf("exit code %d\n%s", r.code, r.stderr)
	}
	ok(t, "trace", file, "-o", picture, "--from", "0", "--length", "20000")
	if img := readPNG(t, picture); barsOf(img, color.RGBA{130, 190, 130, 255}) < 50 || barsOf(img, color.RGBA{60, 150, 90, 255}) < 10 {
		t.Error("no levels are loaded, or nothing is drawn")
	}
	cmd = command("fly", isle(t), "--log-level", "error", "--perfetto", filepath.Join(t.TempDir(), "no", "f.json"))
	cmd.Env = append(cmd.Env, "DISPLAY="+display)
	finish(t, cmd).fails(t, 5, "f.json")
}
