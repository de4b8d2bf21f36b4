package vkterrain_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// TestVariantsAgree: a frame whose pipelines are still being compiled is drawn by
// general ones, and looks the same.
func TestVariantsAgree(t *testing.T) {
	s := newStage(t, vktest.Device(t), bakeWorld(t, hills(), 65, 0, 0), 128, 128, vkterrain.Options{Morph: 0.5})
	v := view(1280, 420, 2900, 0, -14, 128, 128, 2)
	look := &pipeline.Look{}
	s.settle(v, look)
	for range 40 {
		s.frame(v, look, false)
		time.Sleep(time.Millisecond)
	}
	for name, look := range map[string]*pipeline.Look{
		"sea": {Sea: true}, "clear": {Clear: &[3]uint8{1, 2, 3}}, "no air": {Haze: -1}, "lines": {Lines: true},
		"wireframe": {View: pipeline.Wireframe}, "lod": {View: pipeline.LOD}, "error": {View: pipeline.Error}, "normals": {View: pipeline.Normals},
	} {
		meanwhile := s.frame(v, look, true)
		if s.ter.Stats().Compiling == 0 {
			t.Errorf("%s: nothing is compiled", name)
		}
		for s.ter.Stats().Compiling > 0 {
			time.Sleep(time.Millisecond)
			s.frame(v, look, false)
		}
		if d := differing(meanwhile, s.frame(v, look, true)); d > 0 {
			t.Errorf("%s: %.3f %% of the picture differ", name, d*100)
		}
	}
}

// TestCloseWhileCompiling: what nobody waits for is not compiled any more. Closing twice
// is fine.
func TestCloseWhileCompiling(t *testing.T) {
	s := newStage(t, vktest.Device(t), bakeWorld(t, hills(), 65, 0, 0), 32, 32, vkterrain.Options{})
	v := view(1280, 420, 2900, 0, -14, 32, 32, 2)
	for range 20 {
		s.frame(v, &pipeline.Look{}, false)
	}
	for i := range 5 * 8 {
		look := &pipeline.Look{View: pipeline.ViewMode(i / 8), Sea: i&1 > 0, Haze: float64(i&2) - 1, Lines: i&1 > 0}
		if i&4 > 0 {
			look.Clear = &[3]uint8{}
		}
		s.frame(v, look, false)
	}
	start, left := time.Now(), s.ter.Stats().Compiling
	if err := s.ter.Close(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("Close takes %v, with %d pipelines to compile", took, left)
	} else {
		t.Logf("Close takes %v, with %d pipelines to compile", took, left)
	}
	if err := s.ter.Close(); err != nil {
		t.Error(err)
	}
}

// TestPipelinesOnDisk: what the driver compiled is kept, and a damaged file is told of, not
// used, and made anew.
func TestPipelinesOnDisk(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	world := bakeWorld(t, testworld.Rough(65, 65, 1), 33, 0, 0)
	var warned []string
	warn := func(err error) { warned = append(warned, err.Error()) }
	draw := func() []byte {
		t.Run("", func(t *testing.T) {
			s := newStage(t, vktest.Device(t), world, 32, 32, vkterrain.Options{PipelineCache: folder, Warn: warn})
			s.frame(view(320, 300, 900, 0, -20, 32, 32, 2), &pipeline.Look{}, true)
		})
		files, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%v, %v", files, err)
		}
		data, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(files[0], data[:len(data)-1], 0o666); err != nil {
			t.Fatal(err)
		}
		return data
	}
	first := draw()
	if len(warned) > 0 {
		t.Errorf("of a file that there is not: %q", warned)
	}
	if again := draw(); !bytes.Equal(first, again) || len(first) < 64 {
		t.Errorf("%d bytes, %d after damage", len(first), len(again))
	}
	if len(warned) != 1 || !strings.Contains(warned[0], folder) || !strings.Contains(warned[0], "checksum") {
		t.Errorf("of a damaged file: %q", warned)
	}
}
