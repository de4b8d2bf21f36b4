package main_test

import (
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// hut is a mesh of 3 m: a closed wedge.
const hut = `v -1.5 0 -1.5
v 1.5 0 -1.5
v 1.5 0 1.5
v -1.5 0 1.5
v 0 3 0
f 1 2 3 4
f 2 1 5
f 3 2 5
f 4 3 5
f 1 4 5
`

// TestProps draws things: the ground is drawn, measured and told as without them.
func TestProps(t *testing.T) {
	needGPU(t)
	_, world := small(t)
	dir := t.TempDir()
	mesh := fileOf(t, "a,hut.obj", []byte(hut))
	west := filepath.Join(dir, "west.png")
	f, err := os.Create(west)
	if err != nil {
		t.Fatal(err)
	}
	grey := image.NewGray(image.Rect(0, 0, 4, 1))
	grey.SetGray(0, 0, color.Gray{255})
	if err := png.Encode(f, grey); err != nil {
		t.Fatal(err)
	}
	f.Close()
	out := filepath.Join(dir, "x.png")
	draw := func(args ...string) (map[string]any, image.Image) {
		v := ok(t, append([]string{"render", world, "-o", out, "--size", "160x120", "--eye", "1990,2085,3458", "--pitch=-45", "--check", "--json"}, args...)...).parse(t)
		if v["cracks"] != 0.0 || number(t, v, "measured_error_px") > 1 {
			t.Errorf("%v: %v", args, v)
		}
		return v, readPNG(t, out)
	}
	bare, without := draw()
	if _, told := bare["props_triangles"]; told {
		t.Errorf("%v", bare)
	}
	most := 0.0
	for _, c := range []struct {
		prop  string
		least float64 // instances
	}{
		{mesh + ",spacing=12,scale=2..4,sink=0.2,color=aa3311", 30},
		{mesh + ",spacing=12,scale=2..4,density=0.3", 5},
		{mesh + ",spacing=12,scale=2..4,density=" + west, 2},
		{mesh + ",spacing=12,scale=2..4,height=1e5..2e5", 0},
		{mesh + ",spacing=12,scale=2..4,height=0", 0},
		{mesh + ",spacing=12,scale=2..4,slope=0", 0},
	} {
		v, with := draw("--props", c.prop, "--props-reach", "100000")
		n := number(t, v, "props_instances")
		most = max(most, n)
		if n < c.least || c.least < 30 && n >= most || v["triangles"] != bare["triangles"] || number(t, v, "props_bound_px") != 1 || number(t, v, "props_triangles") < 2*n {
			t.Errorf("%s: %v of at most %v, %v", c.prop, n, most, v)
		}
		if same := equalPictures(with, without); same != (n == 0) {
			t.Errorf("%s: the picture is that without: %v", c.prop, same)
		}
	}
	v, _ := draw("--props", mesh+",spacing=12,scale=2..4", "--props-reach", "100000", "--props-triangles", "40")
	if number(t, v, "props_triangles") > 40 || number(t, v, "props_bound_px") <= 1 {
		t.Errorf("%v", v)
	}
	for _, both := range [][]string{{"on", mesh}, {mesh, "on"}, {mesh, mesh, "on"}} {
		args := []string{"render", world, "-o", out, "--size", "64x48", "--json"}
		for _, p := range both {
			args = append(args, "--props", p)
		}
		if v := ok(t, args...).parse(t); number(t, v, "props_draws") < 0 {
			t.Errorf("%v", v)
		}
	}
}

func equalPictures(a, b image.Image) bool {
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			if a.At(x, y) != b.At(x, y) {
				return false
			}
		}
	}
	return true
}

// TestPropsElsewhere: bench and demo draw things and tell of them.
func TestPropsElsewhere(t *testing.T) {
	needGPU(t)
	_, world := small(t)
	mesh := fileOf(t, "hut.obj", []byte(hut)) + ",spacing=12,scale=2..4"
	var runs []map[string]any
	out := ok(t, "bench", world, "--props", mesh, "--props-reach", "1e5", "--frames", "3", "--checks", "1", "--size", "96x64", "--json")
	if err := json.Unmarshal([]byte(out.stdout), &runs); err != nil || len(runs) != 1 || number(t, runs[0], "props_instances") < 1 {
		t.Errorf("%v %v", err, runs)
	}
	dir := t.TempDir()
	ok(t, "demo", world, "--headless", "--out", dir, "--frames", "2", "--size", "96x64", "--props", mesh, "--props-reach", "1e5")
	data, err := os.ReadFile(filepath.Join(dir, "demo.json"))
	if err != nil {
		t.Fatal(err)
	}
	var report map[string]any
	if err := json.Unmarshal(data, &report); err != nil || number(t, report, "props_triangles") < 4 || number(t, report, "triangles") < 4 {
		t.Errorf("%v %v", err, report)
	}
}

func TestPropsSayWhatIsWrong(t *testing.T) {
	_, world := small(t)
	mesh, bad := fileOf(t, "hut.obj", []byte(hut)), fileOf(t, "bad.obj", []byte("f 1 2 3\n"))
	out := filepath.Join(t.TempDir(), "x.png")
	for _, c := range []struct {
		prop string
		code int
		want string
	}{
		{"nowhere.obj", 4, "nowhere.obj"},
		{bad, 4, "bad.obj"},
		{mesh + ",spacing=0", 2, "a spacing of 0"},
		{mesh + ",spacing=inf", 2, "must be a number"},
		{mesh + ",spacing=1e-9", 2, "spacing"},
		{mesh + ",size=3", 2, "none of spacing, density"},
		{mesh + ",slope=3..1", 2, "A..B"},
		{mesh + ",slope=-2..-1", 2, "slopes of -2"},
		{mesh + ",scale=0", 2, "must be above 0"},
		{mesh + ",scale=1e38", 2, "scales of 1e+38"},
		{mesh + ",sink=1e308", 2, "a sink of 1e+308"},
		{mesh + ",density=", 2, "must be a share or a picture"},
		{mesh + ",scale=-1..1", 2, "scales of -1"},
		{mesh + ",density=1.5", 2, "between 0 and 1"},
		{mesh + ",density=gone.png", 4, "gone.png"},
		{mesh + ",density=" + mesh, 4, "hut.obj"},
		{mesh + ",color=red", 2, "six hexadecimal digits"},
		{",spacing=3", 2, "names no file"},
		{"on,spacing=3", 2, "goes with a file"},
	} {
		run(t, "render", world, "-o", out, "--props", c.prop).fails(t, c.code, c.want)
	}
	run(t, "render", world, "-o", mesh, "--props", mesh).fails(t, 2, "hut.obj")
	run(t, "render", world, "-o", out, "--props-reach", "-1").fails(t, 2, "--props-reach")
	run(t, "bench", world, "--props-triangles", "-1").fails(t, 2, "--props-triangles")
	run(t, "demo", "islet", "--headless", "--props", mesh+",spacing=x").fails(t, 2, "must be a number")
}
