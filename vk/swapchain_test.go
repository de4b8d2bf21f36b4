package vk_test

import (
	"errors"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/testlayer"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// show draws one frame to the window as a program would. It gives what to do
// next.
func show(t *testing.T, e *vktest.Env, s *vk.Swapchain) vk.Status {
	t.Helper()
	status, err := tryShow(t, e, s)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

func tryShow(t *testing.T, e *vktest.Env, s *vk.Swapchain) (vk.Status, error) {
	t.Helper()
	f := must[*vk.Frame](t)(e.BeginFrame())
	img, status, err := s.Acquire(f)
	if err != nil || status != vk.Ready {
		return status, errors.Join(err, f.Submit())
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
	return s.Present(f)
}

func TestSwapchain(t *testing.T) {
	for mode := range vk.Immediate + 1 {
		e, w, surface := vktest.Windowed(t, vk.DeviceInfo{}, 200, 100)
		s := must[*vk.Swapchain](t)(e.NewSwapchain(vk.SwapchainInfo{Surface: surface, Width: 200, Height: 100, Mode: mode}))
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

// TestSwapchainFaults lets the window's surface change, and be lost, at each of the
// calls that may say so.
func TestSwapchainFaults(t *testing.T) {
	if testlayer.Current() == "" {
		testlayer.Build(t).Run(t, testlayer.Shape{}, "^TestSwapchainFaults$")
		return
	}
	for _, c := range []struct {
		function string
		result   int32
		status   vk.Status
		err      error
	}{
		{"vkAcquireNextImageKHR", testlayer.OutOfDate, vk.Resized, nil},
		{"vkAcquireNextImageKHR", testlayer.Suboptimal, vk.Ready, nil}, // the image is there, presenting says it again
		{"vkAcquireNextImageKHR", testlayer.SurfaceLost, 0, vk.ErrSurfaceLost},
		{"vkQueuePresentKHR", testlayer.OutOfDate, vk.Resized, nil},
		{"vkQueuePresentKHR", testlayer.Suboptimal, vk.Resized, nil},
		{"vkQueuePresentKHR", testlayer.SurfaceLost, 0, vk.ErrSurfaceLost},
	} {
		e, _, surface := vktest.Windowed(t, vk.DeviceInfo{}, 200, 100)
		s := must[*vk.Swapchain](t)(e.NewSwapchain(vk.SwapchainInfo{Surface: surface, Width: 200, Height: 100}))
		vktest.Destroy(t, e.Device, s)
		for range 3 {
			show(t, e, s)
		}
		testlayer.Fail(t, c.function, 1, 1, c.result)
		var status vk.Status
		var err error
		for i := 0; i < 2 && err == nil; i++ {
			status, err = tryShow(t, e, s)
		}
		if !errors.Is(err, c.err) || err == nil && status != c.status {
			t.Errorf("%s: %v, %v; want %v, %v", c.function, status, err, c.status, c.err)
		}
		if c.err != nil {
			e.Expect()
			continue
		}
		if status, err := s.Resize(200, 100); status != vk.Ready || err != nil {
			t.Errorf("%s: resize: %v, %v", c.function, status, err)
		}
		for range 3 {
			if status := show(t, e, s); status != vk.Ready {
				t.Errorf("%s: status %v after all was made anew", c.function, status)
			}
		}
	}
}
