package vk_test

import (
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/vk"
	"github.com/vulkan-go/vulkan"
)

// BenchmarkBesideBinding records and submits the same calls by the shim and by vulkan-go's
// own functions, in turn: three barriers, viewport, scissor, an index buffer and two copies.
// It is the one place that calls those functions; see TestBinding.
func BenchmarkBesideBinding(b *testing.B) {
	in, err := vk.NewInstance(vk.InstanceInfo{App: b.Name()})
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(in.Destroy)
	dev, err := in.NewDevice(vk.DeviceInfo{})
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(dev.Destroy)
	var buffers [2]vk.Buffer
	for i := range buffers {
		buffers[i], err = dev.NewBuffer(vk.BufferInfo{Name: "bench", Size: 4096, Usage: vk.UsageTransferSrc | vk.UsageTransferDst | vk.UsageIndex})
		if err != nil {
			b.Fatal(err)
		}
		defer buffers[i].Destroy()
	}
	other := newBound(b, in, dev)
	var shim, binding [2]time.Duration // to record, and to submit
	for b.Loop() {
		f, err := dev.BeginFrame()
		if err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		c := f.Cmd
		for range 3 {
			c.MemoryBarrier(vk.Sync{Stage: vk.StageTransfer, Access: vk.AccessTransferWrite}, vk.Sync{Stage: vk.StageTransfer, Access: vk.AccessTransferRead})
		}
		c.SetViewport(vk.Viewport{Width: 64, Height: 64, MaxDepth: 1})
		c.SetScissor(vk.Scissor{Width: 64, Height: 64})
		c.BindIndexBuffer(buffers[0].Handle, 0, vk.Index32)
		for range 2 {
			c.CopyBuffer(buffers[0].Handle, buffers[1].Handle, vk.BufferCopy{Size: 64})
		}
		shim[0] += time.Since(start)
		start = time.Now()
		if err := f.Submit(); err != nil {
			b.Fatal(err)
		}
		shim[1] += time.Since(start)
		if err := dev.WaitIdle(); err != nil {
			b.Fatal(err)
		}
		record, submit := other.frame(buffers[0].Handle, buffers[1].Handle)
		binding[0] += record
		binding[1] += submit
		if err := dev.WaitIdle(); err != nil {
			b.Fatal(err)
		}
	}
	for i, what := range [2]string{"record", "submit"} {
		b.ReportMetric(float64(shim[i].Nanoseconds())/float64(b.N), "ns/"+what)
		b.ReportMetric(float64(binding[i].Nanoseconds())/float64(b.N), "ns/binding-"+what)
	}
}

// bound records through vulkan-go.
type bound struct {
	device vulkan.Device
	queue  vulkan.Queue
	pool   vulkan.CommandPool
	buffer []vulkan.CommandBuffer
}

func newBound(b *testing.B, in *vk.Instance, dev *vk.Device) *bound {
	if err := vulkan.SetDefaultGetInstanceProcAddr(); err != nil {
		b.Skip(err)
	}
	if err := vulkan.Init(); err != nil {
		b.Skip(err)
	}
	if err := vulkan.InitInstance(in.Handle()); err != nil {
		b.Skip(err)
	}
	o := &bound{buffer: make([]vulkan.CommandBuffer, 1)}
	_, o.device = dev.Handles()
	var queue vulkan.Queue // not a field: C may not be given a place among Go pointers
	vulkan.GetDeviceQueue(o.device, dev.Graphics.Family, 0, &queue)
	o.queue = queue
	var pool vulkan.CommandPool
	vulkan.CreateCommandPool(o.device, &vulkan.CommandPoolCreateInfo{SType: vulkan.StructureTypeCommandPoolCreateInfo,
		Flags: vulkan.CommandPoolCreateFlags(vulkan.CommandPoolCreateResetCommandBufferBit), QueueFamilyIndex: dev.Graphics.Family}, nil, &pool)
	o.pool = pool
	vulkan.AllocateCommandBuffers(o.device, &vulkan.CommandBufferAllocateInfo{SType: vulkan.StructureTypeCommandBufferAllocateInfo, CommandPool: pool, CommandBufferCount: 1}, o.buffer)
	b.Cleanup(func() { vulkan.DestroyCommandPool(o.device, o.pool, nil) })
	return o
}

// frame does what the shim does in a frame.
func (o *bound) frame(from, to vulkan.Buffer) (record, submit time.Duration) {
	c := o.buffer[0]
	vulkan.BeginCommandBuffer(c, &vulkan.CommandBufferBeginInfo{SType: vulkan.StructureTypeCommandBufferBeginInfo})
	start := time.Now()
	const transfer = vulkan.PipelineStageFlags(vulkan.PipelineStageTransferBit)
	for range 3 {
		vulkan.CmdPipelineBarrier(c, transfer, transfer, 0, 1, []vulkan.MemoryBarrier{{SType: vulkan.StructureTypeMemoryBarrier,
			SrcAccessMask: vulkan.AccessFlags(vulkan.AccessTransferWriteBit), DstAccessMask: vulkan.AccessFlags(vulkan.AccessTransferReadBit)}}, 0, nil, 0, nil)
	}
	vulkan.CmdSetViewport(c, 0, 1, []vulkan.Viewport{{Width: 64, Height: 64, MaxDepth: 1}})
	vulkan.CmdSetScissor(c, 0, 1, []vulkan.Rect2D{{Extent: vulkan.Extent2D{Width: 64, Height: 64}}})
	vulkan.CmdBindIndexBuffer(c, from, 0, vulkan.IndexTypeUint32)
	for range 2 {
		vulkan.CmdCopyBuffer(c, from, to, 1, []vulkan.BufferCopy{{Size: 64}})
	}
	record = time.Since(start)
	start = time.Now()
	vulkan.EndCommandBuffer(c)
	vulkan.QueueSubmit(o.queue, 1, []vulkan.SubmitInfo{{SType: vulkan.StructureTypeSubmitInfo, CommandBufferCount: 1, PCommandBuffers: []vulkan.CommandBuffer{c}}}, nil)
	return record, time.Since(start)
}
