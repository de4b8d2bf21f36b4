//go:build !nowindow

package main_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/png"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// grab returns what is on the screen where the window is.
func (f *flight) grab() image.Image {
	f.t.Helper()
	cmd := exec.Command(need(f.t, "ffmpeg", "ffmpeg"), "-v", "error", "-f", "x11grab", "-draw_mouse", "0", "-i", f.display, "-frames:v", "1", "-f", "image2pipe", "-c:v", "png", "-")
	out, err := cmd.Output()
	if err != nil {
		f.t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(out))
	if err != nil {
		f.t.Fatal(err)
	}
	at := map[string]int{}
	for line := range strings.Lines(f.x("getwindowgeometry", "--shell", f.id)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		at[name], _ = strconv.Atoi(value)
	}
	return img.(interface {
		SubImage(image.Rectangle) image.Image
	}).SubImage(image.Rect(at["X"], at["Y"], at["X"]+at["WIDTH"], at["Y"]+at["HEIGHT"]))
}

// count returns how many pixels of a part of a picture, from its upper left corner on, fit.
func count(img image.Image, r image.Rectangle, fits func(r, g, b uint8) bool) (n int) {
	r = r.Add(img.Bounds().Min).Intersect(img.Bounds())
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			cr, cg, cb, _ := img.At(x, y).RGBA()
			if fits(uint8(cr>>8), uint8(cg>>8), uint8(cb>>8)) {
				n++
			}
		}
	}
	return n
}

// light returns how light a picture is, from 0 to 255.
func light(img image.Image) float64 {
	sum := 0
	all := count(img, image.Rect(0, 0, 1e6, 1e6), func(r, g, b uint8) bool {
		sum += (int(r) + int(g) + int(b)) / 3
		return true
	})
	return float64(sum) / float64(all)
}

// pressed fits the line of a key.
func pressed(key string, fits func(h happening) bool) func(happening) bool {
	return func(h happening) bool { return h.Event == "key" && h.Detail == key && fits(h) }
}

// TestWindowLevels turns levels by hand, as the sample of the OGRE article does, which ends
// when its box is ticked, or by a key.
func TestWindowLevels(t *testing.T) {
	needGPU(t)
	need(t, "xdotool", "xdotool")
	f := fly(t, startX(t), "fly", isle(t), "--size", "480x360", "--tau", "0.5", "--validation", "require")
	first := f.now()
	if !first.Auto || first.Finest != 0 {
		t.Fatalf("begins with %+v", first)
	}
	f.after("Page Down turns the levels' will off", pressed("page down", func(h happening) bool { return !h.Auto }), "key", "Next")
	f.await("all are a level coarser", func(h happening) bool { return h.Finest == 1 && !h.Auto })
	f.after("and two", func(h happening) bool { return h.Finest == 2 }, "key", "Next")
	f.draws(3)
	coarse := f.now()
	if coarse.Triangles >= first.Triangles/2 {
		t.Errorf("%d triangles, %d without two levels", first.Triangles, coarse.Triangles)
	}
	for range 9 { // there is always one level
		f.x("key", "Next")
	}
	f.draws(3)
	if now := f.now(); now.Triangles == 0 {
		t.Error("nothing is left")
	}
	f.after("Page Up is finer", func(h happening) bool { return h.Finest < 4 && !h.Auto }, "key", "Prior")

	// The box is in the corner, and empty.
	box, tick := image.Rect(0, 0, 60, 40), func(r, g, b uint8) bool { return g > 180 && int(g) > int(r)+60 && int(g) > int(b)+40 }
	if n := count(f.grab(), box, tick); n > 0 {
		t.Errorf("the box is ticked: %d pixels", n)
	}
	f.x("key", "F2") // with figures above it, and the box is there when it is ticked too
	f.draws(3)
	boxAt := f.boxAt()
	f.x("mousemove", "--window", f.id, strconv.Itoa(boxAt.X), strconv.Itoa(boxAt.Y))
	f.after("a click into the box ticks it", pressed("auto", func(h happening) bool { return h.Auto }), "click", "1")
	f.await("levels are by themselves", func(h happening) bool { return h.Auto && h.Finest == 0 })
	f.draws(3)
	at := image.Rect(boxAt.X-6, boxAt.Y-6, boxAt.X+6, boxAt.Y+6)
	if n := count(f.grab(), at, tick); n < 4 {
		t.Errorf("the box is not ticked: %d pixels", n)
	}
	if now := f.now(); now.Yaw != first.Yaw {
		t.Error("a click into the box turns the camera")
	}
	f.after("L leaves levels as they are", pressed("auto", func(h happening) bool { return !h.Auto && h.Finest == 0 }), "key", "l")
	f.after("L is back", pressed("auto", func(h happening) bool { return h.Auto }), "key", "l")
	f.x("key", "Escape")
	f.ends()
}

// boxAt finds the box of the levels on the screen, in pixels of the window: a light square
// on the left side that is dark inside.
func (f *flight) boxAt() image.Point {
	f.t.Helper()
	img := f.grab()
	b := img.Bounds()
	for y := b.Max.Y - 8; y > b.Min.Y; y-- { // from below: it is under the figures
		for x := b.Min.X; x < b.Min.X+20; x++ {
			side := 0
			for ; side < 14; side++ {
				if r, _, _, _ := img.At(x+side, y).RGBA(); r>>8 < 200 {
					break
				}
			}
			if side == 7 && count(img, image.Rect(x, y-6, x+7, y+1).Sub(b.Min), func(r, _, _ uint8) bool { return r > 200 }) == 24 {
				return image.Pt(x+3, y-3).Sub(b.Min)
			}
		}
	}
	f.t.Fatal("no box")
	return image.Point{}
}

// TestWindowAlgorithms goes from one algorithm to the next, in one view and in two.
func TestWindowAlgorithms(t *testing.T) {
	needGPU(t)
	need(t, "xdotool", "xdotool")
	f := fly(t, startX(t), "fly", isle(t), "--size", "320x240", "--tau", "2", "--validation", "require")
	triangles := map[string]int{"soar": f.now().Triangles}
	for _, name := range []string{"quadtree", "billod", "soar", "quadtree"} {
		f.after("F6 draws by "+name, pressed("algorithm", func(h happening) bool { return h.Algorithm == name }), "key", "F6")
		f.draws(3)
		n := f.now().Triangles
		if before, ok := triangles[name]; ok && n != before {
			t.Errorf("%s: %d triangles, before %d", name, n, before)
		}
		triangles[name] = n
	}
	if triangles["quadtree"] <= triangles["soar"] || triangles["billod"] == 0 {
		t.Errorf("triangles: %v; squares need more", triangles)
	}
	f.x("key", "F8", "F8")
	for range 3 {
		f.x("key", "F6")
		f.draws(3)
	}
	f.x("key", "Escape")
	f.ends()
}

// TestWindowSun moves the sun into the night and back.
func TestWindowSun(t *testing.T) {
	needGPU(t)
	need(t, "xdotool", "xdotool")
	f := fly(t, startX(t), "fly", isle(t), "--size", "320x240", "--tau", "8", "--sun", "12")
	noon := light(f.grab())
	hour := func(want float64) func(happening) bool {
		return func(h happening) bool { return h.Hour != nil && *h.Hour == want }
	}
	f.after("a comma goes to the night before", hour(21.75), append([]string{"key"}, repeated("comma", 57)...)...)
	f.draws(3)
	if night := light(f.grab()); night > noon/3 {
		t.Errorf("at noon it is %.0f light, at a quarter to ten in the evening %.0f", noon, night)
	}
	f.after("a period to the next day", hour(0), append([]string{"key"}, repeated("period", 9)...)...)
	f.x("key", "Escape")
	f.ends()
}

func repeated(key string, n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = key
	}
	return keys
}

// TestWindowRecords records a flight by a key, and another that closing ends.
func TestWindowRecords(t *testing.T) {
	needGPU(t)
	need(t, "xdotool", "xdotool")
	world := isle(t)
	f := fly(t, startX(t), "fly", world, "--size", "320x240", "--tau", "8")
	f.after("F9 records", pressed("record", func(h happening) bool { return h.Recording }), "key", "F9")
	f.x("keydown", "w")
	f.draws(8)
	f.x("keyup", "w")
	done := f.after("F9 ends that", func(h happening) bool { return h.Event == "recorded" && !h.Recording }, "key", "F9")
	f.draws(2)
	f.x("key", "F9")
	f.draws(2)
	f.x("key", "Escape")
	f.ends()
	files, _ := filepath.Glob(filepath.Join(f.dir, "vkterrain-*.json"))
	if len(files) != 2 || filepath.Base(files[0]) != done.Detail {
		t.Fatalf("recorded %v, said %s", files, done.Detail)
	}
	r := ok(t, "bench", world, "--flight", files[0], "--frames", "3", "--checks", "0", "--size", "32x24", "--json")
	if !strings.Contains(r.stdout, `"frames": 3`) {
		t.Errorf("%s", r.stdout)
	}
}

// TestWindowHelp shows the controls over the picture.
func TestWindowHelp(t *testing.T) {
	needGPU(t)
	need(t, "xdotool", "xdotool")
	f := fly(t, startX(t), "fly", isle(t), "--size", "800x600", "--tau", "8", "--validation", "require")
	middle := image.Rect(100, 150, 700, 450)
	dark := func(r, g, b uint8) bool { return r < 80 && g < 80 && b < 80 }
	letters := func(r, g, b uint8) bool { return min(r, g, b) > 140 && max(r, g, b)-min(r, g, b) < 25 }
	before := f.grab()
	f.after("F1 shows them", pressed("help", func(h happening) bool { return h.Help }), "key", "F1")
	f.draws(3)
	over := f.grab()
	if d, l := count(over, middle, dark), count(over, middle, letters); d < middle.Dx()*middle.Dy()/2 || l < 2000 {
		t.Errorf("%d dark pixels, %d of letters; before %d", d, l, count(before, middle, dark))
	}
	f.after("Tab hides them", pressed("help", func(h happening) bool { return !h.Help }), "key", "Tab")
	f.draws(3)
	if d := count(f.grab(), middle, dark); d > middle.Dx()*middle.Dy()/2 {
		t.Errorf("%d pixels are dark still", d)
	}
	for _, key := range []string{"F7", "n", "p", "F10", "equal", "minus", "space"} { // what has no meaning here does no harm
		f.x("key", key)
		f.draws(1)
	}
	f.x("key", "Escape")
	f.ends()
}

// TestWindowSpeed flies faster, slower, and as the wheel says.
func TestWindowSpeed(t *testing.T) {
	needGPU(t)
	need(t, "xdotool", "xdotool")
	f := fly(t, startX(t), "fly", isle(t), "--size", "160x120", "--tau", "16", "--eye", "2560,2000,3000")
	base := f.now().Speed
	is := func(times float64) func(happening) bool {
		return func(h happening) bool { return math.Abs(h.Speed/base-times) < 1e-6 }
	}
	for _, c := range []struct {
		key   string
		times float64
	}{{"shift", 5}, {"Shift_R", 5}, {"alt", 0.2}, {"ctrl", 0.2}} {
		f.after(c.key+" held", is(c.times), "keydown", c.key)
		f.after(c.key+" released", is(1), "keyup", c.key)
	}
	f.x("mousemove", "--window", f.id, "80", "60")
	f.after("the wheel is faster", is(1.25), "click", "4")
	f.after("and slower", is(1), "click", "5")
	start := f.now()
	f.x("keydown", "Left")
	f.await("Left turns left", func(h happening) bool { return h.Yaw < start.Yaw-3 })
	f.x("keyup", "Left")
	for _, c := range []struct {
		key string
		has func(from, to [3]float64) bool
	}{
		{"e", func(from, to [3]float64) bool { return to[1] > from[1]+5 }}, {"q", func(from, to [3]float64) bool { return to[1] < from[1]-5 }},
		{"s", func(from, to [3]float64) bool { return to[2] > from[2]+5 }}, {"d", func(from, to [3]float64) bool { return to[0] > from[0]+5 }},
		{"a", func(from, to [3]float64) bool { return to[0] < from[0]-5 }},
	} {
		from := f.now()
		f.x("keydown", c.key)
		f.await(c.key+" flies", func(h happening) bool { return h.Frame > from.Frame && c.has(from.Eye, h.Eye) })
		f.x("keyup", c.key)
		f.draws(3)
	}
	f.x("key", "Escape")
	f.ends()
}

// still waits until the camera stands.
func (f *flight) still(what string) {
	f.t.Helper()
	before := f.now()
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); {
		f.draws(6)
		now := f.now()
		if now.Frame >= before.Frame+3 && now.Eye == before.Eye && now.Yaw == before.Yaw {
			return
		}
		before = now
	}
	f.t.Fatalf("%s: it goes on", what)
}

// TestWindowFocus takes the focus away while keys are down: what they do ends.
func TestWindowFocus(t *testing.T) {
	needGPU(t)
	need(t, "xdotool", "xdotool")
	f := fly(t, startX(t), "fly", isle(t), "--size", "160x120", "--tau", "16")
	root := strings.Fields(f.x("search", "--maxdepth", "0", ".*"))[0]
	first := f.now()
	f.x("keydown", "Right") // which would go on for ever
	f.await("it turns", func(h happening) bool { return h.Yaw > first.Yaw+1 })
	f.x("windowfocus", root)
	f.still("without the focus")
	f.x("keyup", "Right")
	f.x("windowfocus", f.id)
	f.still("with it again")
	f.after("keys do what they did", func(h happening) bool { return h.Eye != first.Eye }, "keydown", "w")
	f.x("keyup", "w")
	// The same while the mouse turns.
	f.x("mousemove", "--window", f.id, "80", "60")
	f.x("mousedown", "1")
	f.x("windowfocus", root)
	f.draws(2)
	yaw := f.now().Yaw
	f.x("mousemove_relative", "30", "0")
	f.draws(3)
	if now := f.now(); now.Yaw != yaw {
		t.Errorf("the mouse turns from %v to %v without the focus", yaw, now.Yaw)
	}
	f.x("mouseup", "1")
	f.x("windowfocus", f.id)
	f.x("key", "Escape")
	f.ends()
}

// TestWindowIconify makes the window an icon, as window managers do, and back.
func TestWindowIconify(t *testing.T) {
	needGPU(t)
	need(t, "xdotool", "xdotool")
	f := fly(t, startX(t), "fly", isle(t), "--size", "160x120", "--tau", "16", "--validation", "require")
	id, err := strconv.ParseUint(f.id, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	event := func(name string) func(happening) bool { return func(h happening) bool { return h.Event == name } }
	for range 3 {
		from := len(f.seen())
		if err := setState(f.display, uint32(id), 3); err != nil {
			t.Fatal(err)
		}
		f.awaitFrom(from, "an icon", event("hidden"))
		from = len(f.seen())
		if err := setState(f.display, uint32(id), 1); err != nil {
			t.Fatal(err)
		}
		f.awaitFrom(from, "a window", event("shown"))
		f.draws(2)
	}
	f.x("windowfocus", f.id)
	f.x("key", "Escape")
	f.ends()
}

// setState sets the WM_STATE of a window: 1 normal, 3 iconic. It speaks the X protocol.
func setState(display string, window uint32, state uint32) error {
	c, atom, err := dialX(display)
	if err != nil {
		return err
	}
	defer c.Close()
	name, err := atom("WM_STATE")
	if err != nil {
		return err
	}
	le := binary.LittleEndian
	change := make([]byte, 32)
	change[0] = 18 // ChangeProperty, replace
	le.PutUint16(change[2:], 8)
	le.PutUint32(change[4:], window)
	le.PutUint32(change[8:], name)
	le.PutUint32(change[12:], name)
	change[16] = 32
	le.PutUint32(change[20:], 2)
	le.PutUint32(change[24:], state)
	if _, err := c.Write(change); err != nil {
		return err
	}
	_, err = atom("WM_STATE") // the server is done then
	return err
}

// dialX connects to an X server, and returns how to ask for atoms.
func dialX(display string) (c net.Conn, atom func(name string) (uint32, error), err error) {
	c, err = net.Dial("unix", "/tmp/.X11-unix/X"+strings.TrimPrefix(display, ":"))
	if err != nil {
		return nil, nil, err
	}
	le := binary.LittleEndian
	head := make([]byte, 8)
	_, err = c.Write([]byte{'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	if err == nil {
		_, err = io.ReadFull(c, head)
	}
	if err == nil {
		_, err = io.CopyN(io.Discard, c, 4*int64(le.Uint16(head[6:])))
	}
	if err == nil && head[0] != 1 {
		err = errors.New("the X server refuses")
	}
	if err != nil {
		c.Close()
		return nil, nil, err
	}
	return c, func(name string) (uint32, error) {
		padded := (len(name) + 3) &^ 3
		req := make([]byte, 8+padded)
		req[0] = 16 // InternAtom
		le.PutUint16(req[2:], uint16(len(req)/4))
		le.PutUint16(req[4:], uint16(len(name)))
		copy(req[8:], name)
		reply := make([]byte, 32)
		if _, err := c.Write(req); err != nil {
			return 0, err
		}
		_, err := io.ReadFull(c, reply)
		return le.Uint32(reply[8:]), err
	}, nil
}

// TestWindowFullscreen fills the screen and gives it back.
func TestWindowFullscreen(t *testing.T) {
	needGPU(t)
	need(t, "xdotool", "xdotool")
	f := fly(t, startX(t), "fly", isle(t), "--size", "320x240", "--tau", "16", "--validation", "require")
	size := func(w, h int) func(happening) bool {
		return func(now happening) bool { return now.Size == [2]int{w, h} }
	}
	for range 2 {
		f.after("F11 fills the screen", size(1024, 768), "key", "F11")
		f.draws(2)
		f.after("F11 gives it back", size(320, 240), "key", "F11")
		f.draws(2)
		f.x("windowfocus", f.id)
	}
	f.x("key", "F11")
	f.draws(2)
	f.x("windowfocus", f.id)
	f.x("key", "Escape")
	f.ends()

	f = fly(t, f.display, "fly", isle(t), "--size", "320x240", "--tau", "16", "--fullscreen")
	if now := f.now(); now.Size != [2]int{1024, 768} {
		t.Errorf("--fullscreen begins with %v", now.Size)
	}
	f.after("F11 gives the screen back", size(320, 240), "key", "F11")
	f.x("windowfocus", f.id)
	f.x("key", "Escape")
	f.ends()
}

// TestWindowClosesAnywhen closes a window at any moment from its start on: by its manager,
// by destroying it, and by signals.
func TestWindowClosesAnywhen(t *testing.T) {
	needGPU(t)
	need(t, "xdotool", "xdotool")
	display := startX(t)
	world := isle(t)
	const tries = 12
	for i := range tries {
		cmd := command("fly", world, "--size", "160x120", "--tau", "4", "--validation", "require")
		cmd.Env = append(cmd.Env, "DISPLAY="+display)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wait := time.Duration(i) * 60 * time.Millisecond
		codes := []int{0}
		switch i % 3 {
		case 0, 1:
			find := exec.Command("xdotool", "search", "--sync", "--class", "vkterrain")
			find.Env = append(os.Environ(), "DISPLAY="+display)
			out, err := find.Output()
			if err != nil {
				t.Fatal(err)
			}
			ids := strings.Fields(string(out))
			id, _ := strconv.ParseUint(ids[len(ids)-1], 10, 32)
			time.Sleep(wait)
			if i%3 == 0 {
				err = deleteWindow(display, uint32(id))
			} else {
				destroy := exec.Command("xdotool", "windowclose", strconv.FormatUint(id, 10))
				destroy.Env = find.Env
				err = destroy.Run()
			}
			if err != nil {
				t.Fatal(err)
			}
		case 2:
			time.Sleep(wait)
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			codes = []int{130, -1} // -1: before it could hear it
		}
		watchdog := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
		err := cmd.Wait()
		watchdog.Stop()
		code := cmd.ProcessState.ExitCode()
		fits := false
		for _, c := range codes {
			fits = fits || c == code
		}
		if !fits || strings.Contains(stderr.String(), "panic") || strings.Contains(stderr.String(), "goroutine ") || strings.Contains(stderr.String(), "vulkan:") {
			t.Errorf("try %d, after %v: %v, exit code %d\n%s", i, wait, err, code, stderr.String())
		}
	}
}

// TestWindowDemos opens demos in windows: each draws, and ends well.
func TestWindowDemos(t *testing.T) {
	needGPU(t)
	display := startX(t)
	for _, name := range []string{"islet", "billod", "progmesh", "endless"} {
		cmd := command("demo", name, "--size", "160x120", "--tau", "16")
		cmd.Env = append(cmd.Env, "DISPLAY="+display, "VKTERRAIN_FRAMES=5")
		if r := finish(t, cmd); r.code != 0 || strings.Contains(r.stderr, "warning") {
			t.Errorf("demo %s: exit code %d\n%s", name, r.code, r.stderr)
		}
	}
}

// TestWindowBilLOD has the keys of the BilLOD article.
func TestWindowBilLOD(t *testing.T) {
	needGPU(t)
	need(t, "xdotool", "xdotool")
	f := fly(t, startX(t), "demo", "billod", "--size", "320x240")
	if first := f.now(); first.Algorithm != "billod" || first.Far == 0 {
		t.Errorf("begins with %+v", first)
	}
	f.after("W is the wireframe", pressed("wireframe", func(h happening) bool { return h.Wireframe }), "key", "w")
	f.after("W again is none", pressed("wireframe", func(h happening) bool { return !h.Wireframe }), "key", "w")
	f.after("P pauses the flight", pressed("play", func(h happening) bool { return !h.Flying }), "key", "p")
	f.after("P plays it", pressed("play", func(h happening) bool { return h.Flying }), "key", "p")
	f.after("Page Up is the far threshold", pressed("page up", func(h happening) bool { return h.Far > 0 && h.Auto }), "key", "Prior")
	for key, fits := range map[string]func(ahead, aside float64) bool{
		"Up": func(ahead, aside float64) bool { return ahead > 1 }, "Down": func(ahead, aside float64) bool { return ahead < -1 },
		"Left": func(ahead, aside float64) bool { return aside < -1 }, "Right": func(ahead, aside float64) bool { return aside > 1 },
	} {
		f.x("key", "r") // to where it began, and stand there
		f.still("after R")
		from := f.now()
		sin, cos := math.Sincos(from.Yaw * math.Pi / 180)
		f.x("keydown", key)
		f.await(key+" moves the camera", func(h happening) bool {
			dx, dz := h.Eye[0]-from.Eye[0], h.Eye[2]-from.Eye[2]
			return h.Frame > from.Frame && h.Yaw == from.Yaw && fits(dx*sin-dz*cos, dx*cos+dz*sin)
		})
		f.x("keyup", key)
	}
	f.x("mousemove", "--window", f.id, "160", "120")
	yaw := f.now().Yaw
	f.x("mousedown", "1")
	f.after("the mouse turns while a button is held", func(h happening) bool { return h.Yaw > yaw+1 }, "mousemove_relative", "40", "0")
	f.x("mouseup", "1")
	f.x("key", "Escape")
	f.ends()
}

// TestWindowModels has the keys of the article on progressive meshes.
func TestWindowModels(t *testing.T) {
	needGPU(t)
	need(t, "xdotool", "xdotool")
	f := fly(t, startX(t), "demo", "progmesh", "--size", "480x360", "--validation", "require")
	first := f.await("a model stands there", func(h happening) bool { return h.Props == 1 })
	full := first.Vertices
	if first.Model != "knot" || full < 1000 {
		t.Fatalf("begins with %+v", first)
	}
	is := func(key string, vertices int) func(happening) bool {
		return pressed(key, func(h happening) bool { return h.Vertices == vertices })
	}
	f.after("- is a hundredth fewer", is("fewer", full-full/100), "key", "minus")
	f.after("+ is as many again", is("more", full), "key", "plus")
	f.after("the keypad does the same", is("fewer", full-full/100), "key", "KP_Subtract")
	f.after("and back", is("more", full), "key", "KP_Add")
	f.after("no more than all", is("more", full), "key", "plus")
	f.draws(2)
	before := f.grab()
	middle := image.Rect(200, 140, 280, 220)
	for _, percent := range []int{75, 50, 25, 10, 0} {
		f.after("Page Down is "+strconv.Itoa(percent)+" %", is("page down", full*percent/100), "key", "Next")
	}
	f.draws(3)
	gone := f.grab()
	differ, i := 0, 0
	var was [][3]uint8
	keep := func(r, g, b uint8) bool { was = append(was, [3]uint8{r, g, b}); return true }
	count(before, middle, keep)
	count(gone, middle, func(r, g, b uint8) bool {
		if a := was[i]; max(a[0], r)-min(a[0], r) > 12 || max(a[2], b)-min(a[2], b) > 12 {
			differ++
		}
		i++
		return true
	})
	if differ < i/4 {
		t.Errorf("without vertices %d of %d pixels in the middle are others", differ, i)
	}
	f.after("Page Up is a tenth", is("page up", full/10), "key", "Prior")
	for _, name := range []string{"conifer", "rock", "terrain", "knot"} {
		f.after("Space shows the "+name, pressed("model", func(h happening) bool { return h.Model == name && h.Vertices > 100 }), "key", "space")
		f.draws(2)
		if now := f.now(); now.Props != 1 {
			t.Errorf("%s: %d models stand there", name, now.Props)
		}
	}
	// The mouse turns around the model.
	from := f.now()
	f.x("mousemove", "--window", f.id, "240", "180")
	f.x("mousedown", "1")
	f.draws(3) // raw motion counts once the window holds the mouse
	to := f.after("the mouse goes around it", func(h happening) bool { return h.Yaw > from.Yaw+5 }, "mousemove_relative", "40", "0")
	f.x("mouseup", "1")
	if to.Eye == from.Eye || math.Abs(to.Eye[1]-from.Eye[1]) > 1 {
		t.Errorf("from %v to %v", from.Eye, to.Eye)
	}
	f.after("the wheel comes nearer", func(h happening) bool { return h.Eye[1] < to.Eye[1]-3 }, "click", "4")
	f.x("key", "Escape")
	f.ends()
}

// TestWindowFirst calls the program without arguments: it shows around, says what to try next,
// and comes back to where it was left.
func TestWindowFirst(t *testing.T) {
	needGPU(t)
	need(t, "xdotool", "xdotool")
	// So that the world is there, however long that takes.
	if out, err := command("render", "coast", "-o", filepath.Join(t.TempDir(), "x.png"), "--size", "16x16").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	display, home := startX(t), t.TempDir()
	visit := func() *flight {
		return flyWith(t, display, []string{"XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home, "VKTERRAIN_NO_SETTINGS=", "VKTERRAIN_SIZE=320x240", "VKTERRAIN_TAU=8"})
	}
	f := visit()
	f.await("there is land", func(h happening) bool { return h.Triangles > 100 && h.Flying })
	if !strings.Contains(f.stderr.String(), "next: vkterrain demo ") {
		t.Errorf("it does not say what next: %s", f.stderr.String())
	}
	first := f.now()
	f.await("it flies", func(h happening) bool { return h.Frame > first.Frame && h.Eye != first.Eye })
	f.x("key", "p")
	f.await("P pauses", func(h happening) bool { return h.Event == "key" && !h.Flying })
	f.x("key", "Escape")
	f.ends()
	last := f.now()

	f = visit()
	if now := f.now(); now.Flying || math.Hypot(now.Eye[0]-last.Eye[0], now.Eye[2]-last.Eye[2]) > 1e-6 {
		t.Errorf("comes back to %+v, left %+v", now, last)
	}
	f.after("P flies", func(h happening) bool { return h.Flying }, "key", "p")
	f.x("key", "Escape")
	f.ends()
}
