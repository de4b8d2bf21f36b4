package main

import (
	"bytes"
	"image/png"
	"math"
	"strings"
	"testing"
)

// madeRun is a run of n frames that take about ms, the same each time.
func madeRun(algo string, tau, ms float64, n int) *benchRun {
	m := &flightTimes{}
	for i := range n {
		t := ms * (1 + 0.2*math.Sin(float64(i)))
		m.frame, m.cpu, m.gpu = append(m.frame, 3*t), append(m.cpu, t), append(m.gpu, 2*t)
		m.each = append(m.each, 1000+i)
	}
	r := &benchRun{Algo: algo, Tau: tau, Frames: n, Triangles: 1000, bound: bound{Px: &tau}, MeasuredErrorPx: new(float64), times: m, Checks: 3}
	*r.MeasuredErrorPx = 0.9 * tau
	r.World, r.Flight, r.GPU, r.Width, r.Height = "a <b> world", "low", "GPU", 64, 48
	r.FrameMs, r.CPUFrameMs, r.GPUFrameMs = percentilesOf(m.frame), percentilesOf(m.cpu), percentilesOf(m.gpu)
	r.Blocks = benchBlocks{blocksOf(m.frame), blocksOf(m.cpu), blocksOf(m.gpu)}
	return r
}

// TestBaseline knows which runs have become worse.
func TestBaseline(t *testing.T) {
	before := []*benchRun{madeRun("soar", 2, 1, 100), madeRun("soar", 4, 1, 100)}
	for name, c := range map[string]struct {
		change func(r *benchRun)
		noise  float64
		worse  string // "" for none
	}{
		"the same":       {func(*benchRun) {}, 5, ""},
		"faster":         {func(r *benchRun) { r.Blocks.CPU = scaled(r.Blocks.CPU, 0.5) }, 5, ""},
		"within noise":   {func(r *benchRun) { r.Blocks.CPU = scaled(r.Blocks.CPU, 1.04) }, 5, ""},
		"slower CPU":     {func(r *benchRun) { r.Blocks.CPU = scaled(r.Blocks.CPU, 1.06) }, 5, "CPU time"},
		"more is noise":  {func(r *benchRun) { r.Blocks.CPU = scaled(r.Blocks.CPU, 1.06) }, 10, ""},
		"slower GPU":     {func(r *benchRun) { r.Blocks.GPU = scaled(r.Blocks.GPU, 2) }, 5, "GPU time"},
		"one slow place": {func(r *benchRun) { r.Blocks.CPU[3] *= 100 }, 5, ""},
		"eight of ten":   {func(r *benchRun) { r.Blocks.CPU = append(scaled(r.Blocks.CPU[:8], 2), r.Blocks.CPU[8:]...) }, 5, ""},
		"nine of ten":    {func(r *benchRun) { r.Blocks.CPU = append(scaled(r.Blocks.CPU[:9], 2), r.Blocks.CPU[9:]...) }, 5, "CPU time"},
		"triangles":      {func(r *benchRun) { r.Triangles = 1011 }, 5, "triangles"},
		"as many":        {func(r *benchRun) { r.Triangles = 1010 }, 5, ""},
		"error":          {func(r *benchRun) { *r.MeasuredErrorPx = 4.5 }, 5, "error of 4.5 px"},
		"no GPU times":   {func(r *benchRun) { r.Blocks.GPU = make([]float64, blockCount) }, 5, ""},
	} {
		now := madeRun("soar", 4, 1, 100)
		c.change(now)
		lines, regressed, err := compareRuns(before, []*benchRun{now}, c.noise)
		if err != nil || regressed != (c.worse != "") || len(lines) != 1 || !strings.HasSuffix(lines[0], ": no worse") && !strings.HasSuffix(lines[0], "WORSE: "+c.worse) {
			t.Errorf("%s: %v %v %v, want %q", name, lines, regressed, err, c.worse)
		}
	}
	other := madeRun("soar", 4, 1, 100)
	other.GPU = "another"
	if _, _, err := compareRuns(before, []*benchRun{other}, 5); err == nil || exitCode(err) != exitUsage {
		t.Errorf("another GPU: %v", err)
	}
}

func scaled(v []float64, by float64) (out []float64) {
	for _, x := range v {
		out = append(out, x*by)
	}
	return out
}

// TestReport: one file with every chart in it, and nothing from elsewhere.
func TestReport(t *testing.T) {
	runs := []*benchRun{madeRun("soar", 2, 1, 60), madeRun("soar", 4, 0.7, 60), madeRun("quadtree", 2, 1.4, 60)}
	var page bytes.Buffer
	if err := writeReport(&page, runs); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	if n := strings.Count(text, "data:image/png;base64,"); n != 6 {
		t.Errorf("%d charts, want 6", n)
	}
	for _, want := range []string{"a &lt;b&gt; world", "<td>quadtree, tau 2</td>", "1 000"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, never := range []string{"://", "#ZgotmplZ", "<b>", ">NaN<"} {
		if strings.Contains(text, never) {
			t.Errorf("holds %q", never)
		}
	}
	for _, c := range chartsOf(runs) {
		var b bytes.Buffer
		if err := c.write(&b); err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&b)
		if err != nil || img.Bounds().Dx() != 1080 {
			t.Fatalf("%s: %v", c.name, err)
		}
		inked := 0 // in a colour of the series
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				if r, g, b, _ := img.At(x, y).RGBA(); r != g || g != b {
					inked++
				}
			}
		}
		if inked < 500 {
			t.Errorf("%s: nothing is drawn", c.name)
		}
	}
	var b strings.Builder
	if err := writeBenchText(&b, runs); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if n := strings.Count(b.String(), "BenchmarkFlight/world=a_<b>_world/flight=low/algo=soar/tau=2 6 "); n != blockCount || len(strings.Fields(lines[5])) != 12 {
		t.Errorf("%d lines of a run, the first is %q", n, lines[5])
	}
	// A single run of few frames, without any error measured, has charts too.
	few := madeRun("soar", 1, 1, 1)
	few.MeasuredErrorPx = nil
	if err := writeReport(&page, []*benchRun{few}); err != nil {
		t.Error(err)
	}
}
