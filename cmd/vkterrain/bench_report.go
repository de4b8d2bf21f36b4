package main

import (
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
)

// reportFlags say what bench makes of its runs.
type reportFlags struct {
	HTML      string  `name:"html" group:"report" placeholder:"F" help:"Write a report with charts, one file that needs no other."`
	Charts    string  `group:"report" placeholder:"DIR" help:"Write its charts as PNG files into a folder, made if absent."`
	BenchText string  `group:"report" placeholder:"F" help:"Write the times as Go's benchmarks do, for benchstat; - is standard output."`
	Baseline  string  `group:"report" placeholder:"FILE" help:"Compare with what an earlier bench --json printed; exit code 1 where a run is slower or draws more beyond noise."`
	Noise     float64 `group:"report" default:"5" placeholder:"PERCENT" help:"With --baseline: what a median may be slower by (5)."`
}

// files returns the results that are files.
func (f *reportFlags) files() (files []string) {
	for _, p := range []string{f.HTML, f.BenchText} {
		if p != "" && p != "-" {
			files = append(files, p)
		}
	}
	return files
}

// check finds out early what cannot be read or written.
func (f *reportFlags) check(asJSON bool) error {
	if f.BenchText == "-" && asJSON {
		return usageError(fmt.Errorf("standard output takes one result: --json or --bench-text"))
	}
	if !(f.Noise >= 0 && f.Noise <= 1000) {
		return usageError(fmt.Errorf("--noise %v: must be between 0 and 1000 per cent", f.Noise))
	}
	if err := distinct([]string{f.Baseline}, f.files()); err != nil {
		return err
	}
	if err := writable(f.files()...); err != nil {
		return err
	}
	if f.Charts != "" {
		if err := canMakeFolder(f.Charts); err != nil {
			return err
		}
	}
	if f.Baseline == "" {
		return nil
	}
	_, err := readBaseline(f.Baseline)
	return err
}

// benchMachine says what a run was made by.
type benchMachine struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	GPU     string `json:"gpu"`
	Driver  string `json:"driver"`
	World   string `json:"world"`
	Width   int    `json:"width"`
	Height  int    `json:"height"`
}

// blockCount is into how many stretches of the same number of frames a run is cut.
// What happens in a stretch is the same in each run of a flight, so two runs can be
// compared stretch by stretch.
const blockCount = 10

// benchBlocks are the medians of the stretches of a run, in milliseconds.
type benchBlocks struct {
	Frame []float64 `json:"frame_ms"`
	CPU   []float64 `json:"cpu_ms"`
	GPU   []float64 `json:"gpu_ms"`
}

// blocksOf returns the medians of the stretches of times.
func blocksOf(times []float64) []float64 {
	if len(times) < blockCount {
		return nil
	}
	blocks := make([]float64, blockCount)
	for i := range blocks {
		blocks[i] = roundTo(median(times[i*len(times)/blockCount:(i+1)*len(times)/blockCount]), 4)
	}
	return blocks
}

// describe adds to a run what reports need of it.
func (b *bench) describe(r *benchRun, m *flightTimes) {
	gpu := &b.stage.dev.GPU
	r.benchMachine = benchMachine{
		Version: version(), Go: runtime.Version(), GPU: gpu.Name, Driver: strings.TrimSpace(gpu.Driver + " " + gpu.DriverInfo),
		World: worldName(b.path), Width: b.Size.W, Height: b.Size.H,
	}
	r.GPUFrameMs = percentilesOf(m.gpu)
	r.Blocks = benchBlocks{blocksOf(m.frame), blocksOf(m.cpu), blocksOf(m.gpu)}
	r.times = m
}

// report writes what the flags ask for; the answer no is where the baseline was better.
func (f *reportFlags) report(a *app, runs []*benchRun) error {
	if f.HTML != "" {
		if err := writeFile(f.HTML, func(w io.Writer) error { return writeReport(w, runs) }); err != nil {
			return err
		}
		a.log.infof("wrote %s", f.HTML)
	}
	if f.Charts != "" {
		if _, err := makeFolder(f.Charts); err != nil {
			return err
		}
		for _, c := range chartsOf(runs) {
			path := filepath.Join(f.Charts, c.name+".png")
			if err := writeFile(path, c.write); err != nil {
				return err
			}
		}
		a.log.infof("wrote charts into %s", f.Charts)
	}
	if f.BenchText == "-" {
		return writeBenchText(a.stdout, runs)
	}
	if f.BenchText != "" {
		return writeFile(f.BenchText, func(w io.Writer) error { return writeBenchText(w, runs) })
	}
	return nil
}

// writeBenchText writes a line for each stretch of each run, so that benchstat has
// something to compare; ns/op is the time from one frame to the next.
func writeBenchText(w io.Writer, runs []*benchRun) error {
	var b strings.Builder
	fmt.Fprintf(&b, "goos: %s\ngoarch: %s\npkg: github.com/vkterrain/vkterrain\n", runtime.GOOS, runtime.GOARCH)
	for i, r := range runs {
		if i == 0 {
			fmt.Fprintf(&b, "gpu: %s\ndriver: %s\n", r.GPU, r.Driver)
		}
		name := func(s string) string { return strings.Join(strings.Fields(filepath.Base(s)), "_") }
		for j := range r.Blocks.Frame {
			const ns = 1e6
			fmt.Fprintf(&b, "BenchmarkFlight/world=%s/flight=%s/algo=%s/tau=%s %d %.0f ns/op %.0f cpu-ns/op %.0f gpu-ns/op %d triangles %.0f B-uploaded/op\n",
				name(r.World), name(r.Flight), r.Algo, short(r.Tau), r.Frames/blockCount, r.Blocks.Frame[j]*ns, r.Blocks.CPU[j]*ns, r.Blocks.GPU[j]*ns,
				r.Triangles, float64(r.BytesUploaded)/float64(r.Frames))
		}
	}
	_, err := io.WriteString(w, b.String())
	return outputError(err)
}
