package vktest_test

import (
	"image"
	"image/color"
	"testing"

	"github.com/vkterrain/vkterrain/vk/vktest"
)

func TestCompare(t *testing.T) {
	a, b := image.NewRGBA(image.Rect(0, 0, 10, 10)), image.NewRGBA(image.Rect(0, 0, 10, 10))
	if mean, p99, _ := vktest.Compare(a, b); mean != 0 || p99 != 0 {
		t.Errorf("equal pictures differ by %v, %v", mean, p99)
	}
	b.SetRGBA(3, 4, color.RGBA{0, 50, 0, 0})
	mean, p99, diff := vktest.Compare(a, b)
	if mean != 0.5 || p99 != 50 || diff.RGBAAt(3, 4) != (color.RGBA{0, 200, 0, 255}) {
		t.Errorf("one pixel of 100 by 50: mean %v, p99 %v, difference %v", mean, p99, diff.RGBAAt(3, 4))
	}
}
