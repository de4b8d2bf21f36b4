package vkterrain_test

import (
	"context"
	"image"
	"image/color"
	"path/filepath"
	"testing"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// TestPaint: a world that was baked with a picture shows its colours where they belong, and
// one with weights of materials these; neither does unless that is asked for.
func TestPaint(t *testing.T) {
	dev := vktest.Device(t)
	halves := func(west, east color.NRGBA) image.Image {
		m := image.NewNRGBA(image.Rect(0, 0, 257, 257))
		for i := range 257 * 257 {
			c := west
			if i%257 > 128 {
				c = east
			}
			m.SetNRGBA(i%257, i/257, c)
		}
		return m
	}
	v := view(1280, 2900, 1280, 0, -90, 128, 128, 2)
	draw := func(name string, o bake.Options, look pipeline.Look) (west, east [3]int) {
		t.Helper()
		o.TileSize = 65
		path := filepath.Join(t.TempDir(), "world.vkt")
		if _, err := bake.Bake(context.Background(), hills(), o, path); err != nil {
			t.Fatal(err)
		}
		s := newStage(t, dev, path, 128, 128, vkterrain.Options{})
		s.settle(v, &look)
		img := s.frame(v, &look, true)
		if name != "" {
			vktest.Golden(t, img, "testdata/golden/"+name+".png")
		}
		for y := range 128 {
			for x := range 128 {
				for c := range 3 {
					n := int(img.Pix[img.PixOffset(x, y)+c])
					if x < 56 {
						west[c] += n
					} else if x > 72 {
						east[c] += n
					}
				}
			}
		}
		return west, east
	}
	look := pipeline.Look{Haze: -1, Sun: pipeline.SunAt(12), Painted: true}
	picture := bake.Options{Layers: []string{bake.LayerColour}, Overlay: halves(color.NRGBA{200, 60, 60, 255}, color.NRGBA{60, 60, 200, 255})}
	if west, east := draw("painted", picture, look); west[0] < 2*west[2] || east[2] < 2*east[0] {
		t.Errorf("red in the west and blue in the east are %v and %v", west, east)
	}
	weights := bake.Options{Layers: []string{bake.LayerMaterial}, Mask: halves(color.NRGBA{0, 0, 0, 255}, color.NRGBA{255, 0, 0, 0})}
	if west, east := draw("weighed", weights, look); west[2] < 2*east[2] || east[1] < east[2]*5/4 {
		t.Errorf("snow in the west and what grows in the east are %v and %v", west, east)
	}
	look.Painted = false
	if west, east := draw("", picture, look); west[0] > west[2]*3/2 || east[2] > east[0] {
		t.Errorf("without the picture's colours: %v and %v", west, east)
	}
}
