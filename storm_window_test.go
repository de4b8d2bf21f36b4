package vkterrain_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/testlayer"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// shown is a terrain in a window.
type shown struct {
	t     *testing.T
	env   *vktest.Env
	chain *vk.Swapchain
	depth vk.Image
	ter   *vkterrain.Terrain
}

// resize follows the window.
func (s *shown) resize() {
	s.t.Helper()
	if _, err := s.chain.Resize(s.chain.Width, s.chain.Height); err != nil {
		s.t.Fatal(err)
	}
	if s.depth.Width == s.chain.Width && s.depth.Height == s.chain.Height {
		return
	}
	s.depth.Destroy() // Resize has waited
	var err error
	if s.depth, err = s.env.NewImage(vk.ImageInfo{Name: "depth", Width: s.chain.Width, Height: s.chain.Height, Format: vk.FormatD32, Usage: vk.ImageDepth}); err != nil {
		s.t.Fatal(err)
	}
}

// frame draws and shows one frame. It returns whether the window is to be followed.
func (s *shown) frame(i int) (follow bool) {
	s.t.Helper()
	a := float64(i) / 600
	v := view(2560+2400*math.Sin(a*9), 300+200*math.Cos(a*31), 2560+2400*math.Cos(a*9), a*700, -20, int(s.chain.Width), int(s.chain.Height), 3)
	f, err := s.env.BeginFrame()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.ter.Prepare(f, v, &pipeline.Look{Sea: i%3 > 0, Lines: i%50 > 25}); err != nil {
		s.t.Fatal(err)
	}
	img, status, err := s.chain.Acquire(f)
	if err != nil {
		s.t.Fatal(err)
	}
	if status == vk.Ready {
		color := vk.Sync{Stage: vk.StageColorOutput, Access: vk.AccessColorWrite}
		depth := vk.Sync{Stage: vk.StageEarlyDepth | vk.StageLateDepth, Access: vk.AccessDepthRead | vk.AccessDepthWrite}
		f.Cmd.ImageBarrier(vk.ImageBarrier{Image: img, New: vk.LayoutColor, Src: vk.Sync{Stage: vk.StageColorOutput}, Dst: color})
		f.Cmd.ImageBarrier(vk.ImageBarrier{Image: &s.depth, New: vk.LayoutDepth, Src: vk.Sync{Stage: depth.Stage, Access: vk.AccessDepthWrite}, Dst: depth})
		f.Cmd.BeginRendering(&vk.Rendering{Width: img.Width, Height: img.Height, Color: vk.Attachment{Image: img}, Depth: vk.Attachment{Image: &s.depth, Store: vk.StoreDiscard}})
		s.ter.Draw(f.Cmd)
		f.Cmd.EndRendering()
		f.Cmd.ImageBarrier(vk.ImageBarrier{Image: img, Old: vk.LayoutColor, New: vk.LayoutPresent, Src: color, Dst: vk.Sync{Stage: vk.StageBottom}})
	}
	if err := f.Submit(); err != nil {
		s.t.Fatal(err)
	}
	if status == vk.Ready {
		if status, err = s.chain.Present(f); err != nil {
			s.t.Fatal(err)
		}
	}
	return status == vk.Resized
}

// TestWindowStorm flies in a window whose size changes every few frames; where a layer can
// let calls fail, the surface is out of date or not quite right now and then.
func TestWindowStorm(t *testing.T) {
	e, w, surface := vktest.Windowed(t, vk.DeviceInfo{}, 128, 96)
	s := &shown{t: t, env: e}
	var err error
	if s.chain, err = e.NewSwapchain(vk.SwapchainInfo{Surface: surface, Width: 128, Height: 96}); err != nil {
		t.Fatal(err)
	}
	vktest.Destroy(t, e.Device, s.chain, &s.depth)
	world := bakeWorld(t, testworld.Rough(513, 513, 3), 65, 0, 0)
	if s.ter, err = vkterrain.Open(world, e.Device, vkterrain.Options{ColorFormat: s.chain.Format, DepthFormat: vk.FormatD32, UploadBytes: 1 << 16, Morph: 0.3, Rise: 8}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.ter.Close(); err != nil {
			t.Error(err)
		}
	})
	s.resize()
	rng := rand.New(rand.NewPCG(5, 6))
	sizes := map[[2]uint32]bool{}
	for i := range nightly(120, 2000) {
		if i%7 == 6 {
			w.Resize(16+rng.IntN(240), 16+rng.IntN(180))
		}
		if i%23 == 22 && testlayer.Current() != "" {
			fault := []int32{testlayer.OutOfDate, testlayer.Suboptimal}[i%2]
			testlayer.Fail(t, []string{"vkAcquireNextImageKHR", "vkQueuePresentKHR"}[i/23%2], 0, 1, fault)
		}
		if s.frame(i) || i%7 == 6 {
			s.resize()
		}
		sizes[[2]uint32{s.chain.Width, s.chain.Height}] = true
	}
	if len(sizes) < 5 {
		t.Errorf("the window had %d sizes", len(sizes))
	}
}

// TestWindowStormOnOtherDevices does it where uploads, and pictures that are shown, have
// queues of other families.
func TestWindowStormOnOtherDevices(t *testing.T) {
	l := testlayer.Build(t)
	for _, shape := range []testlayer.Shape{{Queues: "gc,t,cp", Slow: "1,2"}, {Queues: "tp,gc"}, {Memory: "64,256,8"}}[:nightly(1, 3)] {
		t.Run(shape.String(), func(t *testing.T) {
			r := l.Run(t, shape, "^TestWindowStorm$")
			if shape.Queues == "" {
				return
			}
			graphics, presents := map[string][2]int{"gc,t,cp": {0, 2}, "tp,gc": {1, 0}}[shape.Queues], r.Presents
			if presents[graphics[0]] > 0 || presents[graphics[1]] < 80 || r.Ownership < 20 {
				t.Errorf("nothing was exercised: %+v", r)
			}
		})
	}
}
