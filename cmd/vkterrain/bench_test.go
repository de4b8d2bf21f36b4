package main_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// TestBench: every algorithm flies, is measured, and tells what the contract names.
func TestBench(t *testing.T) {
	needGPU(t)
	_, world := small(t)
	out := ok(t, "bench", world, "--algo", "soar,quadtree,billod", "--tau", "4,8", "--frames", "5", "--checks", "1", "--size", "160x90", "--anchors", "on", "--json")
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

// TestBenchOfAnEndlessWorld flies within a cap of memory on the GPU.
func TestBenchOfAnEndlessWorld(t *testing.T) {
	needGPU(t)
	out := ok(t, "bench", "--flight", "endless", "--frames", "40", "--checks", "0", "--size", "64x48", "--max-gpu", "2", "--tau", "4", "--json")
	var runs []struct {
		Frames   int
		Peak     int64                           `json:"peak_tiles_bytes"`
		Uploaded int64                           `json:"bytes_uploaded"`
		CPU      struct{ P50, P99, Max float64 } `json:"cpu_frame_ms"`
	}
	if err := json.Unmarshal([]byte(out.stdout), &runs); err != nil {
		t.Fatal(err)
	}
	if r := runs[0]; r.Frames != 40 || r.Peak == 0 || r.Peak > 2<<20 || r.CPU.P50 <= 0 || r.CPU.P99 < r.CPU.P50 || r.CPU.Max < r.CPU.P99 {
		t.Errorf("%+v", r)
	}
}
