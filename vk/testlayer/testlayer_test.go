package testlayer_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/testlayer"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

const frames = 200

// TestQueues uploads on devices with every sort of queue families. It runs
// again under the layer, and then does what it says.
func TestQueues(t *testing.T) {
	if q := testlayer.Queues(); q != "" {
		upload(t, q)
		return
	}
	l := testlayer.Build(t)
	for _, test := range []struct {
		queues             string
		graphics, transfer int // index of the family
	}{
		{"gct", 0, 0},
		{"gc", 0, 0},
		{"gc,t", 0, 1},
		{"t,gc", 1, 0},
		{"gc,c", 0, 1},
		{"g,c,t", 0, 2},
	} {
		t.Run(test.queues, func(t *testing.T) {
			r := l.Run(t, testlayer.Shape{Queues: test.queues}, "^TestQueues$")
			want := make([]int, len(r.Submissions))
			want[test.graphics] = frames
			ownership := 0
			if test.transfer != test.graphics {
				want[test.transfer] = frames - 1 // the last frame only acquires
				ownership = 2 * (frames - 1)
			}
			if r.Devices != 1 || r.Ownership != ownership || !slices.Equal(r.Submissions, want) {
				t.Errorf("%+v, want submissions %v and %d ownership barriers", r, want, ownership)
			}
		})
	}
}

// upload sends new bytes in every frame but the last, and reads in each what
// the one before has sent.
func upload(t *testing.T, queues string) {
	const size = 1 << 12
	e := vktest.New(t, vk.DeviceInfo{})
	separate := strings.Contains(queues, ",")
	if f := e.Features; f.SeparateTransfer != separate || f.TransferOwnership != separate ||
		(e.Transfer != e.Graphics) != separate || (e.Transfer.Family != e.Graphics.Family) != separate {
		t.Fatalf("features %+v with families %d and %d", f, e.Graphics.Family, e.Transfer.Family)
	}
	staging, err := e.NewStaging("staging", 4*size)
	if err != nil {
		t.Fatal(err)
	}
	vktest.Destroy(t, e.Device, staging)
	local := newBuffer(t, e, vk.BufferInfo{Name: "local", Size: size, Usage: vk.UsageTransferDst | vk.UsageTransferSrc})
	back := newBuffer(t, e, vk.BufferInfo{Name: "back", Size: size, Usage: vk.UsageTransferDst, Kind: vk.Readback})
	half := []vk.BufferRange{local.Range(0, size/2), local.Range(size/2, size/2)}
	var want []byte
	var ticket uint64
	for i := range frames {
		f, err := e.BeginFrame()
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			f.AcquireBuffers(ticket, vk.Sync{Stage: vk.StageTransfer, Access: vk.AccessTransferRead}, half[i%2])
			staging.Release(ticket)
			f.Cmd.CopyBuffer(local.Handle, back.Handle, vk.BufferCopy{SrcOffset: half[i%2].Offset, Size: size / 2})
			f.Cmd.BufferBarrier(vk.Sync{Stage: vk.StageTransfer, Access: vk.AccessTransferWrite},
				vk.Sync{Stage: vk.StageHost, Access: vk.AccessHostRead}, back.Range(0, size/2))
		}
		last := want
		if i < frames-1 {
			// Into the other half than this frame reads.
			r := half[(i+1)%2]
			offset, b, ok := staging.Reserve(r.Size, 16)
			if !ok {
				t.Fatal("staging is full")
			}
			want = random(len(b))
			copy(b, want)
			f.Transfer().CopyBuffer(staging.Buffer.Handle, local.Handle, vk.BufferCopy{SrcOffset: offset, DstOffset: r.Offset, Size: r.Size})
			f.ReleaseBuffers(r)
			ticket = f.Ticket()
			staging.Submit(ticket)
		}
		if err := f.Submit(); err != nil {
			t.Fatal(err)
		}
		if err := e.Graphics.Wait(f.Value, -1); err != nil {
			t.Fatal(err)
		}
		if err := e.Transfer.Wait(ticket, -1); err != nil {
			t.Fatal(err)
		}
		if i > 0 && !bytes.Equal(back.Bytes()[:size/2], last) {
			t.Fatalf("frame %d: other bytes came back", i)
		}
	}
}

// TestValidationSees hands ranges over wrongly. Were the layer above the
// validation layer, or no transfer recorded, nobody would say anything.
func TestValidationSees(t *testing.T) {
	if testlayer.Queues() == "" {
		l := testlayer.Build(t)
		if r := l.Run(t, testlayer.Shape{Queues: "gc,t"}, "^TestValidationSees$"); r.Ownership == 0 {
			t.Errorf("%+v", r)
		}
		return
	}
	e := vktest.New(t, vk.DeviceInfo{})
	if !e.Instance.Validation {
		t.Skip("no validation layer")
	}
	b := newBuffer(t, e, vk.BufferInfo{Name: "b", Size: 64, Usage: vk.UsageTransferDst | vk.UsageTransferSrc})
	r := b.Range(0, 64)
	for _, test := range []struct {
		name   string
		record func(f *vk.Frame)
		says   string
	}{
		{"handed over", func(f *vk.Frame) { f.ReleaseBuffers(r) }, ""},
		{"handed over twice", func(f *vk.Frame) { f.ReleaseBuffers(r) }, "duplicates existing barrier"},
		{"taken", func(f *vk.Frame) {
			f.AcquireBuffers(0, vk.Sync{Stage: vk.StageTransfer, Access: vk.AccessTransferRead}, r)
		}, ""},
		{"taken twice", func(f *vk.Frame) {
			f.AcquireBuffers(0, vk.Sync{Stage: vk.StageTransfer, Access: vk.AccessTransferRead}, r)
		}, "no matching release barrier"},
		{"a stage the queue does not have", func(f *vk.Frame) {
			f.Transfer().BufferBarrier(vk.Sync{Stage: vk.StageVertexShader}, vk.Sync{Stage: vk.StageTransfer, Access: vk.AccessTransferWrite}, r)
		}, "vkCmdPipelineBarrier-srcStageMask-06461"},
	} {
		f, err := e.BeginFrame()
		if err != nil {
			t.Fatal(err)
		}
		test.record(f)
		if err := f.Submit(); err != nil {
			t.Fatal(err)
		}
		if err := e.WaitIdle(); err != nil {
			t.Fatal(err)
		}
		said := fmt.Sprint(e.Expect())
		if test.says == "" && said != "[]" || !regexp.MustCompile(test.says).MatchString(said) {
			t.Errorf("%s: validation says %s", test.name, said)
		}
	}
}

func newBuffer(t *testing.T, e *vktest.Env, info vk.BufferInfo) *vk.Buffer {
	t.Helper()
	b, err := e.NewBuffer(info)
	if err != nil {
		t.Fatal(err)
	}
	vktest.Destroy(t, e.Device, &b)
	return &b
}

func random(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
	return b
}
