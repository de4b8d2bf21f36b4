package vk_test

import (
	"testing"

	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/testlayer"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// TestBudget fills a small graphics card: what the driver does not grant of its memory is
// taken from the host's, and exceeded only when there is nothing else.
func TestBudget(t *testing.T) {
	if testlayer.Current() == "" {
		testlayer.Build(t).Run(t, testlayer.Shape{Memory: "64,128"}, "^TestBudget$")
		return
	}
	dev := vktest.Device(t)
	for n := 1; n <= 18; n++ { // 144 MiB of 192, of which 144 are granted
		b, err := dev.NewBuffer(vk.BufferInfo{Name: "fill", Size: 8 << 20, Usage: vk.UsageStorage})
		if err != nil {
			t.Fatalf("buffer %d: %v", n, err)
		}
		vktest.Destroy(t, dev, &b)
		for i, h := range dev.MemoryStats().Heaps {
			if h.Reserved > h.Budget || h.Budget == 0 {
				t.Fatalf("buffer %d, heap %d: %d bytes of %d granted", n, i, h.Reserved, h.Budget)
			}
		}
	}
	more, err := dev.NewBuffer(vk.BufferInfo{Name: "more", Size: 8 << 20, Usage: vk.UsageStorage})
	if err != nil {
		t.Fatalf("beyond what is granted: %v", err)
	}
	vktest.Destroy(t, dev, &more)
}
