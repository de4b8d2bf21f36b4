package vk_test

import (
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// show draws one frame to the window as a program would. It gives what to do
// next.
func show(t *testing.T, e *vktest.Env, s *vk.Swapchain) vk.Status {
	t.Helper()
	f := must[*vk.Frame](t)(e.BeginFrame())
	img, status, err := s.Acquire(f)
	if err != nil {
		t.Fatal(err)
	}
	if status != vk.Ready {
		submit(t, f)
		return status
	}
	f.Cmd.BeginPass("window")
	f.Cmd.ImageBarrier(vk.ImageBarrier{Image: img, New: vk.LayoutColor, Src: vk.Sync{Stage: vk.StageColorOutput},
		Dst: vk.Sync{Stage: vk.StageColorOutput, Access: vk.AccessColorWrite}})
	f.Cmd.BeginRendering(&vk.Rendering{Width: img.Width, Height: img.Height,
		Color: vk.Attachment{Image: img, Clear: [4]float32{0, 0.5, 0, 1}}})
	f.Cmd.EndRendering()
	f.Cmd.ImageBarrier(vk.ImageBarrier{Image: img, Old: vk.LayoutColor, New: vk.LayoutPresent,
		Src: vk.Sync{Stage: vk.StageColorOutput, Access: vk.AccessColorWrite}, Dst: vk.Sync{Stage: vk.StageBottom}})
	f.Cmd.EndPass()
	submit(t, f)
	status, err = s.Present(f)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

func TestSwapchain(t *testing.T) {
	for _, vsync := range []bool{true, false} {
		e, w, surface := vktest.Windowed(t, vk.DeviceInfo{}, 200, 100)
		s := must[*vk.Swapchain](t)(e.NewSwapchain(vk.SwapchainInfo{Surface: surface, Width: 200, Height: 100, VSync: vsync}))
		vktest.Destroy(t, e.Device, s)
		if s.Width != 200 || s.Height != 100 || s.Format != vk.FormatBGRA8 {
			t.Fatalf("swapchain of %dx%d, format %d", s.Width, s.Height, s.Format)
		}
		for range 20 {
			if status := show(t, e, s); status != vk.Ready {
				t.Fatalf("status %v", status)
			}
		}
		w.Resize(120, 90)
		// Not every driver says Resized, so a program also follows its window.
		for end := time.Now().Add(10 * time.Second); s.Width != 120 || s.Height != 90; {
			if time.Now().After(end) {
				t.Fatalf("still %dx%d", s.Width, s.Height)
			}
			show(t, e, s)
			if status, err := s.Resize(120, 90); status != vk.Ready || err != nil {
				t.Fatalf("resize: %v, %v", status, err)
			}
		}
		for range 5 {
			show(t, e, s)
		}
	}
}
