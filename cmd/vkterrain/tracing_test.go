package main_test

import (
	"encoding/json"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTrace flies, and keeps what happened as a trace and as a picture of it.
func TestTrace(t *testing.T) {
	needGPU(t)
	_, world := small(t)
	dir := t.TempDir()
	file, picture, again := filepath.Join(dir, "f.json"), filepath.Join(dir, "f.png"), filepath.Join(dir, "again.png")
	ok(t, "bench", world, "--flight", "dive", "--frames", "30", "--checks", "0", "--size", "64x48", "--tau", "1", "--trace", file, "--trace-picture", picture)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var trace struct {
		Events []struct {
			Ph, Name string
			Dur      float64
			Tid      int
			Args     struct{ Name string }
		} `json:"traceEvents"`
	}
	if err := json.Unmarshal(data, &trace); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, e := range trace.Events {
		seen[e.Ph+" "+e.Name+e.Args.Name]++
		if e.Ph == "X" && !(e.Dur >= 0) {
			t.Errorf("%+v", e)
		}
	}
	for name, least := range map[string]int{"M thread_nameframe CPU": 1, "X wait": 50, "X prepare": 50, "X record": 50, "X submit": 50, "b reading": 9, "b decoding": 9, "b uploading": 9} {
		if seen[name] < least {
			t.Errorf("%d of %q, want %d: %v", seen[name], name, least, seen)
		}
	}
	ok(t, "trace", file, "-o", again, "--from", "0", "--length", "60000")
	for path, want := range map[string][]color.RGBA{picture: {{70, 120, 200, 255}}, again: {{130, 190, 130, 255}}} {
		img := readPNG(t, path)
		if img.Bounds().Dx() != 1600 || img.Bounds().Dy() < 400 {
			t.Errorf("%s: %v", path, img.Bounds())
		}
		for _, c := range want {
			if barsOf(img, c) < 50 { // bars of preparing, and of loaded levels
				t.Errorf("%s: %d pixels of %v", path, barsOf(img, c), c)
			}
		}
	}
}

// barsOf counts the pixels of a colour that belong to no legend: right of the labels.
func barsOf(img image.Image, c color.RGBA) (n int) {
	b := img.Bounds()
	for y := 0; y < b.Dy()-100; y++ {
		for x := 190; x < b.Dx(); x++ {
			if color.RGBAModel.Convert(img.At(x, y)) == c {
				n++
			}
		}
	}
	return n
}

// TestTraceSaysWhatIsWrong draws what is no trace of frames.
func TestTraceSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out.png")
	write := func(text string) string {
		path := filepath.Join(dir, "in.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	frame := `{"ph":"X","name":"prepare","ts":1000,"dur":500,"pid":1,"tid":0}`
	run(t, "trace", filepath.Join(dir, "nowhere"), "-o", out).fails(t, 4, "nowhere")
	run(t, "trace", write("no trace"), "-o", out).fails(t, 4, "in.json")
	run(t, "trace", write(`{"traceEvents":[]}`), "-o", out).fails(t, 4, "no trace of frames")
	run(t, "trace", write(`{"traceEvents":[`+frame+`]}`), "-o", out, "--length", "0").fails(t, 2, "--length 0")
	run(t, "trace", write(`{"traceEvents":[`+frame+`]}`), "-o", out, "--from", "NaN").fails(t, 2, "--from NaN")
	if _, err := os.Stat(out); err == nil {
		t.Error("a picture of nothing")
	}
	// Whatever it says, it is drawn or refused.
	ok(t, "trace", write(`{"traceEvents":[`+strings.Join([]string{
		frame, `{"ph":"X","name":"odd","ts":1e300,"dur":1e30,"pid":1,"tid":-7}`, `{"ph":"X","name":"odd","ts":-1e300,"dur":0,"pid":1,"tid":999999}`,
		`{"ph":"e","name":"reading","ts":1,"pid":2,"id":"x"}`, `{"ph":"b","name":"reading","ts":900,"pid":2,"id":"x"}`,
		`{"ph":"C","name":"bytes","ts":1200,"pid":2,"args":{"CPU":-1e300,"GPU":1e300}}`, `{"ph":"C","name":"bytes","ts":1300,"pid":2,"args":{}}`,
	}, ",")+`]}`), "-o", out)
}
