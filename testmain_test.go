package vkterrain_test

import (
	"context"
	"errors"
	"image"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/vk"
)

// bakeWorld bakes f into a temporary world file.
func bakeWorld(t testing.TB, f *terrain.Field, tile int, originX, originZ float64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "world.vkt")
	if _, err := bake.Bake(context.Background(), f, bake.Options{TileSize: tile, OriginX: originX, OriginZ: originZ}, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// hills is the field that most tests draw: 257×257 samples of 10 m.
func hills() *terrain.Field { return testworld.Rough(257, 257, 21) }

// stage is a terrain on a device with an offscreen target.
type stage struct {
	t      testing.TB
	dev    *vk.Device
	ter    *vkterrain.Terrain
	target *vk.Target
	calls  int // of the last frame of views
}

func newStage(t testing.TB, dev *vk.Device, path string, width, height uint32, o vkterrain.Options) *stage {
	t.Helper()
	return stageOf(t, dev, width, height, o, func(o vkterrain.Options) (*vkterrain.Terrain, error) { return vkterrain.Open(path, dev, o) })
}

// stageOf is newStage of a terrain that open opens.
func stageOf(t testing.TB, dev *vk.Device, width, height uint32, o vkterrain.Options, open func(vkterrain.Options) (*vkterrain.Terrain, error)) *stage {
	t.Helper()
	target, err := dev.NewTarget(vk.TargetInfo{Name: "test", Width: width, Height: height, Samples: o.Samples})
	if err != nil {
		t.Fatal(err)
	}
	o.ColorFormat, o.DepthFormat = target.Color.Format, target.Depth.Format
	ter, err := open(o)
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, dev: dev, ter: ter, target: target}
	t.Cleanup(func() {
		if err := ter.Close(); err != nil {
			t.Error(err)
		}
		s.target.Destroy()
	})
	return s
}

// tryFrame draws one frame, which may fail.
func (s *stage) tryFrame(v *lodcpu.View, look *pipeline.Look) error {
	f, err := s.dev.BeginFrame()
	if err != nil {
		return err
	}
	err = s.ter.Prepare(f, v, look)
	s.target.Begin(f.Cmd, [4]float32{1, 0, 1, 1}, 0)
	if err == nil {
		s.ter.Draw(f.Cmd)
	}
	s.target.End(f.Cmd)
	return errors.Join(err, f.Submit())
}

// frame draws one frame; with readback it waits and returns the picture.
func (s *stage) frame(v *lodcpu.View, look *pipeline.Look, readback bool) *image.RGBA {
	f, err := s.dev.BeginFrame()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.ter.Prepare(f, v, look); err != nil {
		s.t.Fatal(err)
	}
	s.target.Begin(f.Cmd, [4]float32{1, 0, 1, 1}, 0)
	s.ter.Draw(f.Cmd)
	s.target.End(f.Cmd)
	if readback {
		s.target.RecordReadback(f.Cmd)
	}
	if err := f.Submit(); err != nil {
		s.t.Fatal(err)
	}
	if !readback {
		return nil
	}
	if err := s.dev.Graphics.Wait(f.Value, -1); err != nil {
		s.t.Fatal(err)
	}
	return s.target.Picture()
}

// settle draws until all that the view needs is loaded.
func (s *stage) settle(v *lodcpu.View, look *pipeline.Look) {
	for range 2000 {
		f, err := s.dev.BeginFrame()
		if err != nil {
			s.t.Fatal(err)
		}
		if err := s.ter.Load(f, v); err != nil {
			s.t.Fatal(err)
		}
		if err := f.Submit(); err != nil {
			s.t.Fatal(err)
		}
		if s.ter.Settled() {
			s.frame(v, look, false)
			return
		}
		time.Sleep(time.Millisecond) // the loaders are at work
	}
	s.t.Fatalf("not settled after 2000 frames: %+v", s.ter.Stats().Streaming)
}

func view(x, y, z, yaw, pitch float64, width, height int, tau float64) *lodcpu.View {
	return &lodcpu.View{
		Eye: mgl64.Vec3{x, y, z}, Yaw: yaw * math.Pi / 180, Pitch: pitch * math.Pi / 180,
		FovY: 50 * math.Pi / 180, Width: width, Height: height, Tau: tau,
	}
}
