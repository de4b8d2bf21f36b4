package vk_test

import (
	_ "embed"
	"image/color"
	"testing"

	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

//go:embed testdata/triangle.vert.spv
var triangleVert []byte

//go:embed testdata/triangle.frag.spv
var triangleFrag []byte

//go:embed testdata/add.comp.spv
var addComp []byte

// must ends the test on an error.
func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func trianglePipeline(t testing.TB, dev *vk.Device, samples uint32) *vk.Pipeline {
	t.Helper()
	layout := must[*vk.PipelineLayout](t)(dev.NewPipelineLayout("triangle", []vk.PushRange{{Stages: vk.ShaderVertex, Size: 16}}))
	p := must[*vk.Pipeline](t)(dev.NewGraphicsPipeline(vk.GraphicsInfo{Name: "triangle", Layout: layout,
		VertexSPV: triangleVert, FragmentSPV: triangleFrag, Constants: []uint32{1}, DepthTest: true, DepthWrite: true,
		Cull: vk.CullBack, ColorFormat: vk.FormatRGBA8, DepthFormat: vk.FormatD32, Samples: samples}))
	vktest.Destroy(t, dev, p, layout)
	return p
}

func TestTriangle(t *testing.T) {
	for _, samples := range []uint32{1, 4} {
		dev := vktest.Device(t)
		target := must[*vk.Target](t)(dev.NewTarget(vk.TargetInfo{Name: "target", Width: 64, Height: 64, Samples: samples}))
		vktest.Destroy(t, dev, target)
		p := trianglePipeline(t, dev, samples)
		red := [4]float32{1, 0, 0, 1}
		for range 3 {
			f := must[*vk.Frame](t)(dev.BeginFrame())
			f.Cmd.BeginPass("triangle")
			f.Cmd.BeginStatistics()
			target.Begin(f.Cmd, [4]float32{0, 0, 1, 1}, 0)
			f.Cmd.BindPipeline(p)
			vk.Push(f.Cmd, p.Layout, vk.ShaderVertex, &red)
			f.Cmd.Draw(3, 1, 0, 0)
			target.End(f.Cmd)
			f.Cmd.EndStatistics()
			f.Cmd.EndPass()
			if f.Value > 2 && dev.Features.Timestamps && (len(f.Times) != 1 || f.Times[0].Name != "triangle") {
				t.Errorf("times of the last frame: %v", f.Times)
			}
			if f.Value > 2 && dev.Features.PipelineStatistics && f.Statistics.VertexInvocations == 0 {
				t.Errorf("statistics of the last frame: %+v", f.Statistics)
			}
			if err := f.Submit(); err != nil {
				t.Fatal(err)
			}
		}
		img, err := target.Readback()
		if err != nil {
			t.Fatal(err)
		}
		// The triangle covers x+y < 64 (top-left rule leaves the diagonal out).
		for y := range 64 {
			for x := range 64 {
				want := color.RGBA{0, 0, 255, 255}
				switch {
				case x+y < 63:
					want = color.RGBA{255, 0, 0, 255}
				case x+y == 63:
					continue // the diagonal goes through the centre of these
				}
				if got := img.RGBAAt(x, y); got != want {
					t.Fatalf("pixel %d,%d is %v, want %v", x, y, got, want)
				}
			}
		}
	}
}
