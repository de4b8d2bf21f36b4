package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestLoop: a loop begins and ends at the flight's start, turns at its end, and comes back
// the way it went.
func TestLoop(t *testing.T) {
	const frames = 10
	d := &demo{demoCmd: &demoCmd{Loop: true}, flight: endlessFlight(endlessSight, 20), report: demoReport{Frames: frames}}
	if first, last, end := d.moment(0), d.moment(frames/2), d.flight.Duration(); first != 0 || last != end {
		t.Errorf("from %v to %v, want 0 to %v", first, last, end)
	}
	for i := range frames + 1 {
		if there, back := d.moment(i), d.moment(frames-i); math.Abs(there-back) > 1e-9 {
			t.Errorf("frame %d: %v there, %v back", i, there, back)
		}
	}
}

// TestFindCodec asks programs that make no film, and one that may.
func TestFindCodec(t *testing.T) {
	try := func(ctx context.Context, script string, patience time.Duration) ([]string, string) {
		path := filepath.Join(t.TempDir(), "ffmpeg")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		codec, err := findCodec(ctx, path, patience)
		if err == nil {
			return codec, ""
		}
		return nil, err.Error()
	}
	for script, want := range map[string]string{
		"echo broken >&2; exit 3": "ffmpeg fails: exit status 3: broken",
		"echo 'V..... gif  GIF'":  "this ffmpeg has neither libx264 nor mpeg4",
		"[ $3 = -encoders ] && echo mpeg4 || { echo no memory >&2; exit 1; }": "ffmpeg fails: exit status 1: no memory",
	} {
		if _, got := try(context.Background(), script, time.Minute); got != want {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
	if codec, got := try(context.Background(), "echo libx264 mpeg4; case \"$*\" in *libx264*) exit 1;; esac", time.Minute); got != "" || codec[1] != "mpeg4" {
		t.Errorf("%q %q, want mpeg4", codec, got)
	}
	const hanging = "sleep 60 & wait"
	start := time.Now()
	if _, got := try(context.Background(), hanging, 50*time.Millisecond); !strings.Contains(got, "ffmpeg hangs") {
		t.Errorf("hanging: %q", got)
	}
	ctx, stop := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer stop()
	if _, got := try(ctx, hanging, time.Minute); got == "" {
		t.Error("an interrupted probe has found a codec")
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("hanging programs took %v", took)
	}
}
