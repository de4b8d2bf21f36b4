package vk_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/vk"
)

func TestSelectQueues(t *testing.T) {
	const g, c, x = 1, 2, 4
	tests := []struct {
		name                      string
		flags, counts             []uint32
		present                   []int // nil: nothing is shown
		graphics, transfer, shown int
		fails                     bool
	}{
		{name: "one family for graphics and compute", flags: []uint32{g | c}, counts: []uint32{1}},
		{name: "one family for all", flags: []uint32{g | c | x}, counts: []uint32{16}},
		{name: "three families", flags: []uint32{g, c, x}, counts: []uint32{1, 1, 1}, transfer: 2},
		{name: "as on big GPUs", flags: []uint32{g | c | x, x, c | x}, counts: []uint32{16, 2, 8}, transfer: 1},
		{name: "compute helps out", flags: []uint32{g | c, c}, counts: []uint32{1, 1}, transfer: 1},
		{name: "graphics is not first", flags: []uint32{x, c | x, g | c | x}, counts: []uint32{1, 1, 1}, graphics: 2, transfer: 0, shown: 2},
		{name: "an empty family", flags: []uint32{g | c, x}, counts: []uint32{1, 0}},
		{name: "a second family presents", flags: []uint32{g | c, x}, counts: []uint32{1, 1}, present: []int{1}, transfer: 1, shown: 1},
		{name: "the graphics family that presents", flags: []uint32{g | c, g}, counts: []uint32{1, 1}, present: []int{1}, graphics: 1, transfer: 1, shown: 1},
		{name: "nothing presents", flags: []uint32{g | c}, counts: []uint32{1}, present: []int{7}, fails: true},
		{name: "no graphics", flags: []uint32{c | x}, counts: []uint32{1}, fails: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var present func(int) bool
			if test.present != nil {
				present = func(i int) bool { return slices.Contains(test.present, i) }
			}
			graphics, transfer, shown, ok := vk.SelectQueues(test.flags, test.counts, present)
			if ok == test.fails {
				t.Fatalf("ok is %v", ok)
			}
			if ok && (graphics != test.graphics || transfer != test.transfer || shown != test.shown) {
				t.Errorf("graphics %d, transfer %d, present %d", graphics, transfer, shown)
			}
		})
	}
}

func TestRankTypes(t *testing.T) {
	const local, visible, coherent, cached = 1, 2, 4, 8
	// A discrete GPU: device memory, host memory, cached host memory, and a
	// window into device memory.
	flags := []uint32{local, visible | coherent, visible | coherent | cached, local | visible | coherent}
	where := []int{0, 1, 1, 2}
	small := []vk.Heap{{Size: 8 << 30, DeviceLocal: true}, {Size: 16 << 30}, {Size: 256 << 20, DeviceLocal: true}}
	large := slices.Clone(small)
	large[2].Size = 8 << 30
	tests := []struct {
		name     string
		heaps    []vk.Heap
		bits     uint32
		kind     vk.MemoryKind
		gpuReads bool
		want     []int
	}{
		{"local", small, 15, vk.DeviceLocal, false, []int{0, 3, 1, 2}},
		{"local where only host memory is allowed", small, 6, vk.DeviceLocal, false, []int{1, 2}},
		{"staging", large, 15, vk.Upload, false, []int{1, 2, 3}},
		{"ring, small window", small, 15, vk.Upload, true, []int{1, 2, 3}},
		{"ring, large window", large, 15, vk.Upload, true, []int{3, 1, 2}},
		{"readback", small, 15, vk.Readback, false, []int{2, 1, 3}},
		{"nothing fits", small, 1, vk.Upload, false, []int{}},
	}
	for _, test := range tests {
		if got := vk.RankTypes(flags, where, test.heaps, test.bits, test.kind, test.gpuReads); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestPickGPU(t *testing.T) {
	gpus := []vk.GPU{{Name: "Fast One", Missing: []string{"multiDrawIndirect"}}, {Index: 1, Name: "llvmpipe", UUID: vk.UUID{0x6d, 0x65, 0x73, 0x61, 15: 7}}}
	for sel, want := range map[string]string{
		"": "llvmpipe", "LLVM": "llvmpipe", "1": "llvmpipe", "0": "", "fast": "", "none": "", "5": "",
		"6D657361-0000-0000-0000-000000000007": "llvmpipe", "6d657361-0000-0000-0000-000000000008": "", "00000000-0000-0000-0000-000000000000": "",
	} {
		g, err := vk.PickGPU(gpus, sel)
		switch {
		case want != "" && (err != nil || g.Name != want):
			t.Errorf("%q gives %v, %v", sel, g, err)
		case want == "" && !errors.Is(err, vk.ErrNoDevice):
			t.Errorf("%q gives %v, %v", sel, g, err)
		}
	}
	if _, err := vk.PickGPU(gpus, "fast"); !strings.Contains(err.Error(), "multiDrawIndirect") {
		t.Errorf("%v does not say what is missing", err)
	}
	if _, err := vk.PickGPU(nil, ""); !strings.Contains(err.Error(), "mesa-vulkan-drivers") {
		t.Errorf("%v does not say what to install", err)
	}
}

func TestChooseMode(t *testing.T) {
	const immediate, mailbox, fifo, relaxed = 0, 1, 2, 3
	for _, test := range []struct {
		has   []int32
		asked vk.PresentMode
		want  int32
	}{
		{[]int32{immediate, mailbox, fifo, relaxed}, vk.FIFO, fifo},
		{[]int32{immediate, mailbox, fifo, relaxed}, vk.FIFORelaxed, relaxed},
		{[]int32{immediate, mailbox, fifo, relaxed}, vk.Mailbox, mailbox},
		{[]int32{immediate, mailbox, fifo, relaxed}, vk.Immediate, immediate},
		{[]int32{immediate, fifo}, vk.Mailbox, immediate},
		{[]int32{mailbox, fifo}, vk.Immediate, mailbox},
		{[]int32{fifo}, vk.Immediate, fifo},
		{[]int32{immediate, fifo}, vk.FIFORelaxed, fifo},
	} {
		if got := vk.ChooseMode(test.has, test.asked); got != test.want {
			t.Errorf("of %v for %d: %d, want %d", test.has, test.asked, got, test.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for result, want := range map[vk.Result]error{vk.ResultDeviceLost: vk.ErrDeviceLost,
		vk.ResultSurfaceLost: vk.ErrSurfaceLost, vk.ResultOutOfMemory: vk.ErrOutOfMemory} {
		err := fmt.Errorf("outside: %w", &vk.Error{Op: "submit", Result: result})
		var e *vk.Error
		if !errors.Is(err, want) || errors.Is(err, vk.ErrNoDevice) || !errors.As(err, &e) || e.Op != "submit" {
			t.Errorf("%v does not unwrap to %v", err, want)
		}
	}
	if got := (&vk.Error{Op: "x", Result: -4}).Error(); got != "vk: x: device lost" {
		t.Error(got)
	}
	if got := vk.Result(-99).String(); got != "VkResult -99" {
		t.Error(got)
	}
	for result, want := range map[vk.Result]vk.Status{0: vk.Ready, vk.ResultOutOfDate: vk.Resized, vk.ResultSuboptimal: vk.Resized, 1: vk.NotReady} {
		if got, err := vk.PresentStatus("", result); got != want || err != nil {
			t.Errorf("%v gives %v, %v", result, got, err)
		}
	}
	if _, err := vk.PresentStatus("", vk.ResultSurfaceLost); !errors.Is(err, vk.ErrSurfaceLost) {
		t.Error(err)
	}
}
