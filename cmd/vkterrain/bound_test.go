package main_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// TestBoundIsTold: where what was drawn keeps another bound than was asked for, or none,
// text says so as JSON does; and a budget that no tolerance keeps is told with what the view
// takes.
func TestBoundIsTold(t *testing.T) {
	needGPU(t)
	dir := t.TempDir()
	hills(t, filepath.Join(dir, "hills.png"), 150, 120)
	world, out := filepath.Join(dir, "hills.vkt"), filepath.Join(dir, "x.png")
	ok(t, "bake", filepath.Join(dir, "hills.png"), "-o", world, "--spacing", "30", "--tile", "33", "--algo", "billod")
	for _, c := range []struct {
		flags          string
		bound          string // what JSON has: asked, more or null
		stdout, stderr string
	}{
		{"--tau 1 --max-triangles 1800", "more", "the tolerance was raised from 1 to ", ""},
		{"--tau 1 --max-indices 3500", "more", " px for --max-indices 3500\n", ""},
		{"--tau 1 --max-triangles 2", "more", " px for --max-triangles 2\n", "--max-triangles 2 cannot be kept: this view takes about "},
		{"--tau 1 --levels 5", "null", "no screen error is promised: --levels", ""},
		{"--tau 1 --levels full", "asked", "(1 allowed)", ""},
		{"--tau 1 --algo billod --billod classic", "null", "(none promised)", "--tau does nothing here: the published tests"},
		{"--split algo=soar:billod --algo billod --billod classic", "null", "view 2: no screen error is promised", ""},
	} {
		args := append([]string{"render", world, "-o", out, "--size", "160x90", "--check", "--no-settings"}, strings.Fields(c.flags)...)
		r := ok(t, args...)
		if !strings.Contains(r.stdout, c.stdout) || !strings.Contains(r.stderr, c.stderr) || c.stderr == "" && r.stderr != "" {
			t.Errorf("%s: %q, %q", c.flags, r.stdout, r.stderr)
		}
		if c.bound == "null" && strings.Contains(r.stdout, "px (1 allowed)") {
			t.Errorf("%s: %q", c.flags, r.stdout)
		}
		v := ok(t, append(args, "--json")...).parse(t)
		px, isNumber := v["bound_px"].(float64)
		if !isNumber != (c.bound == "null") || isNumber && (px > 1) != (c.bound == "more") || (v["bound_note"] == nil) != (c.bound == "asked") {
			t.Errorf("%s: %v, %v", c.flags, v["bound_px"], v["bound_note"])
		}
	}
}

// TestBenchTellsBounds: so do flights, frame by frame.
func TestBenchTellsBounds(t *testing.T) {
	needGPU(t)
	_, world := small(t)
	args := []string{"bench", world, "--frames", "5", "--checks", "1", "--size", "160x90", "--no-settings"}
	r := ok(t, append(args, "--max-triangles", "20")...)
	if !strings.Contains(r.stdout, "bound px") || !strings.Contains(r.stdout, "the tolerance was raised from 2 to as much as ") || !strings.Contains(r.stderr, "in 5 of 5 frames --max-triangles 20 cannot be kept") {
		t.Errorf("%q, %q", r.stdout, r.stderr)
	}
	if run := benchOf(t, append(args, "--max-triangles", "20", "--json")...); run["frames_over_budget"] != 5.0 || number(t, run, "bound_px") <= 2 || run["bound_note"] == nil {
		t.Errorf("%v", run)
	}
	if run := benchOf(t, append(args, "--json")...); run["frames_over_budget"] != 0.0 || run["bound_px"] != 2.0 || run["bound_note"] != nil {
		t.Errorf("%v", run)
	}
}

// TestIdleFlags: a flag that does nothing is not silent.
func TestIdleFlags(t *testing.T) {
	needGPU(t)
	_, world := small(t)
	out := filepath.Join(t.TempDir(), "x.png")
	for _, c := range []struct{ flags, want string }{
		{"--margin 50", "--margin does nothing here"},
		{"--margin 50 --anchors on", ""},
		{"--morph 0.5 --algo quadtree", "--morph does nothing here"},
		{"--morph 0.5", ""},
		{"--morph 0 --algo quadtree", ""},
		{"--rise 9", "--rise does nothing here"},
		{"--rise 0", ""},
		{"--tau 3 --split tau=1:4", "--tau does nothing here: --split"},
		{"--tau 3 --split view=lod:tiles", ""},
		{"--props-reach 50", "--props-reach does nothing here"},
		{"--props-triangles 50 --props off", "--props-triangles does nothing here"},
	} {
		r := ok(t, append([]string{"render", world, "-o", out, "--size", "32x18", "--no-settings"}, strings.Fields(c.flags)...)...)
		if !strings.Contains(r.stderr, c.want) || c.want == "" && r.stderr != "" {
			t.Errorf("%s: %q", c.flags, r.stderr)
		}
	}
}

// TestIdleFlagsOfCommands: so it is with what other commands compare, judge and capture.
func TestIdleFlagsOfCommands(t *testing.T) {
	needGPU(t)
	_, world := small(t)
	picture := filepath.Join(t.TempDir(), "x.png")
	ok(t, "render", world, "-o", picture, "--size", "32x18", "--no-settings")
	for _, c := range []struct{ args, want string }{
		{"compare " + picture + " " + picture + " --tau 3", "--tau does nothing here: two pictures"},
		{"compare " + picture + " " + picture + " --tolerance 3", ""},
		{"compare " + world + " --tolerance 3 --algo soar --tau 4 --size 32x18", "--tolerance does nothing here"},
		{"bench " + world + " --frames 1 --checks 0 --size 32x18 --noise 3", "--noise does nothing here: it is that of --baseline"},
		{"bench " + world + " --frames 1 --checks 0 --size 32x18 --capture-path x", "--capture-path does nothing here"},
	} {
		r := ok(t, append(strings.Fields(c.args), "--no-settings")...)
		if warned := strings.Contains(r.stderr, "does nothing here"); !strings.Contains(r.stderr, c.want) || warned != (c.want != "") {
			t.Errorf("%s: %q", c.args, r.stderr)
		}
	}
}

// TestNoThings: where nothing stands, the text says why.
func TestNoThings(t *testing.T) {
	needGPU(t)
	_, world := small(t)
	out := filepath.Join(t.TempDir(), "x.png")
	for _, c := range []struct{ flags, want string }{
		{"--eye 0,90000,0 --pitch -90", "nothing stands on the ground in the picture: there is no ground within 2000 m of the eye (--props-reach)"},
		{"--eye 0,90000,0 --pitch 90 --props-reach 100000", "what stands within 100000 m of the eye (--props-reach) is out of view or smaller than 1 px"},
	} {
		r := ok(t, append([]string{"render", world, "-o", out, "--size", "64x36", "--no-settings", "--props", "on"}, strings.Fields(c.flags)...)...)
		if !strings.Contains(r.stdout, c.want) {
			t.Errorf("%s: %q", c.flags, r.stdout)
		}
	}
}

// benchOf runs bench --json of one run.
func benchOf(t *testing.T, args ...string) map[string]any {
	t.Helper()
	var runs []map[string]any
	if err := json.Unmarshal([]byte(ok(t, args...).stdout), &runs); err != nil || len(runs) != 1 {
		t.Fatalf("%d runs: %v", len(runs), err)
	}
	return runs[0]
}
