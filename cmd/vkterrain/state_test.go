package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
)

// TestState keeps a state, reads it again, and sets aside what is broken.
func TestState(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	t.Setenv("VKTERRAIN_NO_SETTINGS", "")
	var said bytes.Buffer
	a := &app{globals: &globals{}, log: &logger{w: &said, level: levelInfo}}
	path := filepath.Join(dir, "vkterrain", "state.json")

	yaw := 12.0
	s := &state{Tau: 1.5, Window: &placement{X: -5, Y: 7, Width: 800, Height: 600}, Cameras: map[string]lastCamera{}}
	for i := range mostCameras + 3 {
		s.Cameras[strings.Repeat("w", i+1)] = lastCamera{pose{Eye: &mgl64.Vec3{1, 2, float64(i)}, Yaw: &yaw}, time.Unix(int64(i), 0)}
	}
	a.keepState(s)
	got := a.readState()
	if len(got.Cameras) != mostCameras || got.Cameras["w"].Eye != nil || *got.Cameras["wwwww"].Eye != (mgl64.Vec3{1, 2, 4}) || *got.Window != *s.Window || got.Tau != 1.5 {
		t.Errorf("%+v", got)
	}
	for _, text := range []string{
		"", "{", "[]", `{"tau": -1}`, `{"window": {"x": 0, "y": 0, "width": 0, "height": 5}}`, `{"more": 1}`,
		`{"cameras": {"w": {"yaw": 1}}}`, `{"cameras": {"w": {"eye": [0, 1, 2], "fov": 400}}}`,
	} {
		said.Reset()
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := a.readState(); got.Tau != 0 || got.Window != nil || got.Cameras != nil {
			t.Errorf("%s: %+v", text, got)
		}
		if !strings.Contains(said.String(), "warning: ") || !strings.Contains(said.String(), "it is now state.json.broken") {
			t.Errorf("%s: said %q", text, said.String())
		}
		if kept, _ := os.ReadFile(path + ".broken"); string(kept) != text {
			t.Errorf("%s: set aside is %q", text, kept)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: still there", text)
		}
	}

	said.Reset()
	t.Setenv("VKTERRAIN_NO_SETTINGS", "1")
	a.keepState(s)
	if _, err := os.Stat(path); err == nil || a.readState().Tau != 0 {
		t.Error("--no-settings keeps a state")
	}
	t.Setenv("VKTERRAIN_NO_SETTINGS", "")
	t.Setenv("XDG_STATE_HOME", "/dev/null")
	a.keepState(s)
	a.readState()
	if !strings.Contains(said.String(), "not remembered") {
		t.Errorf("no place: %q", said.String())
	}
	for _, home := range []string{"XDG_STATE_HOME", "HOME"} {
		t.Setenv(home, "")
	}
	if statePath() != "" {
		t.Errorf("without a home: %s", statePath())
	}
}
