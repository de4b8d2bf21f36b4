//go:build !nowindow

package main_test

import (
	"path/filepath"
	"testing"
	"time"
)

// TestCaptureByKey wants F10 to capture a frame of a window.
func TestCaptureByKey(t *testing.T) {
	needRenderDoc(t)
	_, world := small(t)
	f := fly(t, startX(t), "fly", world, "--size", "160x120", "--renderdoc")
	f.after("F10 asks for a capture", func(h happening) bool { return h.Event == "key" && h.Detail == "capture" }, "key", "F10")
	var files []string
	for end := time.Now().Add(20 * time.Second); len(files) == 0 && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		files, _ = filepath.Glob(filepath.Join(f.dir, "vkterrain*.rdc"))
	}
	f.draws(2)
	f.x("key", "Escape")
	f.ends()
	if len(files) != 1 {
		t.Fatalf("captures: %v, want one", files)
	}
	frame := replay(t, files[0])[0]
	frame.check(t, map[string]int{"window": 0, "terrain soar": 1, "sky": 1})
}
