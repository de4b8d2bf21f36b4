package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// TestOneLine: what a file says of itself is one line, and steers no terminal.
func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"Höhen 世界": "Höhen 世界", "a\nb\r\nc": "a; b; c", "a\x1b[31m\tb\x00\u009b": "a?[31m?b??",
	} {
		if got := oneLine(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	crs, unit := "x\n\x1b[2J", "a\tb\x1b]"
	var b bytes.Buffer
	(&heightsInfo{CRS: &crs, VerticalUnit: &unit}).rows(&b)
	if s := b.String(); strings.Contains(s, "\x1b") || !strings.Contains(s, "crs\tx; ?[2J\n") || !strings.Contains(s, "unit\ta?b?] in") {
		t.Errorf("%q", s)
	}
}

// TestLateInterrupt: a command that was done all the same tells that it was interrupted.
func TestLateInterrupt(t *testing.T) {
	var b bytes.Buffer
	ctx, cancel := context.WithCancel(context.Background())
	a := &app{ctx: ctx, log: &logger{w: &b, level: levelInfo}}
	if code := a.finish(nil); code != exitOK || b.Len() > 0 {
		t.Errorf("exit code %d, %q", code, b.String())
	}
	cancel()
	if code := a.finish(nil); code != exitInterrupted || b.String() != "vkterrain: interrupted\n" {
		t.Errorf("exit code %d, %q", code, b.String())
	}
}
