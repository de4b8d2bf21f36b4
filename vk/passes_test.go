package vk_test

import (
	"errors"
	"testing"

	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/testlayer"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// TestPassesFail: where there are render passes and there is no memory for one, Submit tells
// of it, and nothing stays.
func TestPassesFail(t *testing.T) {
	if testlayer.Current() == "" {
		testlayer.Build(t).Run(t, testlayer.Shape{Without: []string{"dynamicRendering"}}, "^TestPassesFail$")
		return
	}
	for _, function := range []string{"vkCreateRenderPass", "vkCreateFramebuffer"} {
		e := vktest.New(t, vk.DeviceInfo{})
		target, err := e.NewTarget(vk.TargetInfo{Name: "t", Width: 16, Height: 16, Samples: 4})
		if err != nil {
			t.Fatal(err)
		}
		vktest.Destroy(t, e.Device, target)
		draw := func() error {
			f, err := e.BeginFrame()
			if err != nil {
				t.Fatal(err)
			}
			target.Begin(f.Cmd, [4]float32{0, 1, 0, 1}, 0)
			target.End(f.Cmd)
			return f.Submit()
		}
		for range 3 { // of which the first makes the pass
			if err := draw(); err != nil {
				t.Fatal(err)
			}
		}
		if n := testlayer.Calls(t, function); n == 0 || n > 3 {
			t.Errorf("%s is called %d times", function, n)
		}
		img, err := target.Readback()
		if err != nil || img.RGBAAt(8, 8).G != 255 {
			t.Errorf("%v, %v", img.RGBAAt(8, 8), err)
		}
		other, err := e.NewTarget(vk.TargetInfo{Name: "other", Width: 16, Height: 16})
		if err != nil {
			t.Fatal(err)
		}
		vktest.Destroy(t, e.Device, other)
		testlayer.Fail(t, function, 0, 1, testlayer.OutOfDevice)
		target = other
		if err := draw(); !errors.Is(err, vk.ErrOutOfMemory) {
			t.Errorf("%s fails: %v", function, err)
		}
		e.Expect()
	}
}
