package vk_test

import (
	"testing"

	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/testlayer"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// TestMappedIsSmall: what is mapped is what buffers that the CPU touches need, and little
// more, also where the CPU could see all memory.
func TestMappedIsSmall(t *testing.T) {
	dev := vktest.Device(t)
	before := dev.MemoryStats().Mapped
	for _, b := range []struct {
		kind       vk.MemoryKind
		size, most uint64
	}{{vk.DeviceLocal, 1 << 20, 0}, {vk.DeviceLocal, 100 << 20, 0}, {vk.Upload, 16 << 20, 17 << 20}, {vk.Upload, 1000, 8 << 20}, {vk.Upload, 1000, 0}, {vk.Readback, 20 << 20, 21 << 20}} {
		buffer, err := dev.NewBuffer(vk.BufferInfo{Name: "b", Size: b.size, Usage: vk.UsageTransferSrc | vk.UsageTransferDst, Kind: b.kind})
		if err != nil {
			t.Fatal(err)
		}
		vktest.Destroy(t, dev, &buffer)
		now := dev.MemoryStats().Mapped
		if more := now - before; more > b.most || b.most > 1<<24 && more < b.size {
			t.Errorf("%d bytes of kind %d: %d more are mapped", b.size, b.kind, more)
		}
		before = now
	}
}

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
