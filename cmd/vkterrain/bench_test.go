package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestBench: every algorithm flies, is measured, and tells what the contract names.
func TestBench(t *testing.T) {
	needGPU(t)
	_, world := small(t)
	out := ok(t, "bench", world, "--algo", "soar,quadtree,billod", "--tau", "4,8", "--frames", "5", "--checks", "1", "--size", "160x90", "--anchors", "on", "--passes", "--json")
	var runs []map[string]any
	if err := json.Unmarshal([]byte(out.stdout), &runs); err != nil {
		t.Fatal(err)
	}
	if len(runs) != 6 {
		t.Fatalf("%d runs, want 6", len(runs))
	}
	for _, r := range runs {
		for _, key := range []string{
			"algo", "tau", "frames", "frame_ms", "cpu_ms", "gpu_ms", "refine_us", "triangles", "indices", "index_bytes", "bytes_uploaded", "bytes_read",
			"peak_gpu_bytes", "peak_cpu_bytes", "hitches", "waits", "measured_error_px", "allocs_per_frame", "vk_calls_per_frame",
			"cpu_thread_ms", "waits_gpu", "thread_stood", "world_bytes", "frames_over_cap", "frames_over_budget", "levels_abrupt", "garbage_per_level", "gpu_pass_ms",
		} {
			if _, ok := r[key]; !ok {
				t.Errorf("%v tau %v: no %s", r["algo"], r["tau"], key)
			}
		}
		if e := r["measured_error_px"].(float64); e > r["tau"].(float64) || e <= 0 || r["cracks"] != 0.0 || r["triangles"].(float64) < 100 {
			t.Errorf("%v", r)
		}
	}
}

func TestBenchSaysWhatIsWrong(t *testing.T) {
	_, world := small(t)
	run(t, "bench", world, "--flight", "nowhere").fails(t, 2, "nowhere")
	run(t, "bench", world, "--tau", "0").fails(t, 2, "--tau 0")
	run(t, "bench", world, "--algo", "roam").fails(t, 2, "roam")
	run(t, "bench", world, "--max-triangles", "-1").fails(t, 2, "-1")
	run(t, "bench", world, "--max-gpu", "-1").fails(t, 2, "--max-gpu -1")
	run(t, "bench", world, "--read-delay=-1s").fails(t, 2, "--read-delay -1s")
	run(t, "bench", world, "--read-fail", "1").fails(t, 2, "--read-fail 1")
}

// TestBenchWithinTooLittle ends, and says so, where a cap is less than what readers need.
func TestBenchWithinTooLittle(t *testing.T) {
	needGPU(t)
	picture, world := filepath.Join(t.TempDir(), "a.png"), filepath.Join(t.TempDir(), "a.vkt")
	hills(t, picture, 257, 257)
	ok(t, "bake", picture, "-o", world, "--spacing", "20", "--tile", "257")
	r := ok(t, "bench", world, "--max-cpu", "1", "--frames", "2", "--checks", "0", "--size", "64x48")
	if !strings.Contains(r.stderr, "in 2 of 2 frames --max-gpu or --max-cpu did not allow") {
		t.Errorf("%q", r.stderr)
	}
}

// TestBenchOfAnEndlessWorld flies within caps of memory that do not suffice, on any medium:
// no frame waits for it.
func TestBenchOfAnEndlessWorld(t *testing.T) {
	needGPU(t)
	for _, c := range []struct {
		name   string
		flags  []string
		failed bool
	}{
		{name: "fast"},
		{name: "slow", flags: []string{"--read-delay", "50ms", "--pace"}},
		{name: "failing", flags: []string{"--read-fail", "0.2", "--pace"}, failed: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := []string{"bench", "--flight", "endless", "--frames", "60", "--checks", "0", "--cold", "--size", "64x48", "--max-gpu", "1", "--max-cpu", "3", "--tau", "0.5", "--json"}
			out := ok(t, append(args, c.flags...)...)
			var runs []struct {
				Frames, Waits, Cracks int
				Peak                  int64   `json:"peak_tiles_bytes"`
				PeakCPU               int64   `json:"peak_cpu_bytes"`
				World                 int64   `json:"world_bytes"`
				Over                  int     `json:"frames_over_cap"`
				Failed                int     `json:"reads_failed"`
				Error                 float64 `json:"measured_error_px"`
				Waited                string
				CPU                   percentile `json:"cpu_frame_ms"`
				Thread                percentile `json:"cpu_thread_ms"`
			}
			if err := json.Unmarshal([]byte(out.stdout), &runs); err != nil {
				t.Fatal(err)
			}
			r := runs[0]
			if r.Frames != 60 || r.Peak == 0 || r.Peak > 1<<20 || r.PeakCPU > 3<<20 || r.Over > 0 || r.Waits > 0 || r.Cracks > 0 || !r.CPU.sorted() {
				t.Errorf("%+v", r)
			}
			if runtime.GOOS == "linux" && (!r.Thread.sorted() || r.Thread.P50 > 1.2*r.CPU.P50) {
				t.Errorf("of the thread: %+v", r.Thread)
			}
			if c.failed != (r.Failed > 0) {
				t.Errorf("%d reads failed", r.Failed)
			}
		})
	}
}

// TestBenchMeasuresWithEverythingLoaded lets so many reads fail that levels are given up before
// the flight: its error is measured with them there all the same.
func TestBenchMeasuresWithEverythingLoaded(t *testing.T) {
	needGPU(t)
	_, world := small(t)
	var runs []struct {
		Bound  float64 `json:"bound_px"`
		Error  float64 `json:"measured_error_px"`
		Failed int     `json:"reads_failed"`
	}
	out := ok(t, "bench", world, "--read-fail", "0.99", "--frames", "10", "--checks", "1", "--size", "64x48", "--tau", "0.5", "--json")
	if err := json.Unmarshal([]byte(out.stdout), &runs); err != nil {
		t.Fatal(err)
	}
	if r := runs[0]; r.Failed == 0 || r.Error <= 0 || r.Error > r.Bound {
		t.Errorf("%+v", r)
	}
}

// TestBenchOfAMinute is the flight of docs/streaming.md, on any medium: no frame waits,
// allocates or is over a cap, and by the processor time of its thread none takes much longer
// than others.
func TestBenchOfAMinute(t *testing.T) {
	if os.Getenv("VKTERRAIN_NIGHTLY") != "1" || runtime.GOOS != "linux" {
		t.Skip("set VKTERRAIN_NIGHTLY=1 for flights of a minute")
	}
	needGPU(t)
	for _, flags := range [][]string{nil, {"--read-delay", "50ms"}, {"--read-fail", "0.01"}} {
		out, err := command(append([]string{
			"bench", "--flight", "endless", "--frames", "3600", "--pace", "--size", "64x48", "--tau", "0.25", "--max-gpu", "2", "--max-cpu", "4",
			"--workers", "1", "--checks", "1", "--json",
		}, flags...)...).Output() // which takes longer than finish allows
		if err != nil {
			t.Fatal(err)
		}
		var runs []struct {
			Waits, Cracks int
			World         int64      `json:"world_bytes"`
			Peak          int64      `json:"peak_tiles_bytes"`
			Over          int        `json:"frames_over_cap"`
			Limited       int        `json:"frames_limited"`
			Allocs        float64    `json:"allocs_per_frame"`
			Error         float64    `json:"measured_error_px"`
			Thread        percentile `json:"cpu_thread_ms"`
		}
		if err := json.Unmarshal(out, &runs); err != nil {
			t.Fatal(err)
		}
		r := runs[0]
		t.Logf("%v: %+v", flags, r)
		if r.Waits > 0 || r.Over > 0 || r.Allocs > 0 || r.Cracks > 0 || r.Error > 0.25 {
			t.Errorf("%v: %+v", flags, r)
		}
		if r.World < 20*2<<20 || r.Peak < 2<<20-4096 || r.Limited < 3600 {
			t.Errorf("%v: the cap did not bite: %+v", flags, r)
		}
		if r.Thread.P99 > 1.5*r.Thread.P50 || r.Thread.Max > 3*r.Thread.P50 {
			t.Errorf("%v: %+v", flags, r.Thread)
		}
	}
}

type percentile struct{ P50, P99, Max float64 }

func (p percentile) sorted() bool { return p.P50 > 0 && p.P99 >= p.P50 && p.Max >= p.P99 }
