package pipeline

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/testlayer"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// mover uploads, drops and moves blocks of known contents.
type mover struct {
	t            *testing.T
	dev          *vk.Device
	p            *pool
	held         map[Slot]map[terrain.Level][]terrain.Vertex
	rng          *rand.Rand
	budget, most uint64 // bytes of a frame, and moved in one
}

// frame is one frame of the pool; within does what else is to be done.
func (m *mover) frame(within func(f *vk.Frame)) {
	m.t.Helper()
	f, err := m.dev.BeginFrame()
	if err != nil {
		m.t.Fatal(err)
	}
	if err := m.p.reclaim(f); err != nil {
		m.t.Fatal(err)
	}
	if err := m.p.arrived(f, func(Slot, terrain.Level) {}); err != nil {
		m.t.Fatal(err)
	}
	before := m.p.moved
	m.p.defragment(f, m.budget)
	m.most = max(m.most, m.p.moved-before)
	within(f)
	if err := f.Submit(); err != nil {
		m.t.Fatal(err)
	}
}

// upload sends some level of a slot, if there is room.
func (m *mover) upload(f *vk.Frame, s Slot, level terrain.Level) {
	m.t.Helper()
	verts := make([]terrain.Vertex, m.p.blocks.size[level])
	for i := range verts {
		*(*uint64)(unsafe.Pointer(&verts[i])) = m.rng.Uint64()
	}
	ok, err := m.p.upload(f, s, level, verts)
	if err != nil {
		m.t.Fatal(err)
	}
	if ok {
		m.held[s][level] = verts
	}
}

// check reads every block back.
func (m *mover) check() {
	m.t.Helper()
	if err := m.dev.WaitIdle(); err != nil {
		m.t.Fatal(err)
	}
	back, err := m.dev.NewBuffer(vk.BufferInfo{Name: "back", Size: uint64(m.p.blocks.size[0]) * terrain.VertexBytes, Usage: vk.UsageTransferDst, Kind: vk.Readback})
	if err != nil {
		m.t.Fatal(err)
	}
	defer back.Destroy()
	for s, levels := range m.held {
		for level, verts := range levels {
			r := m.p.rangeOf(m.p.slots[s].block[level], uint32(len(verts)))
			err := m.dev.Immediate(func(c *vk.CommandBuffer) {
				c.CopyBuffer(r.Buffer, back.Handle, vk.BufferCopy{SrcOffset: r.Offset, Size: r.Size})
				c.BufferBarrier(vk.Sync{Stage: vk.StageTransfer, Access: vk.AccessTransferWrite}, vk.Sync{Stage: vk.StageHost, Access: vk.AccessHostRead}, back.Range(0, r.Size))
			})
			if err != nil {
				m.t.Fatal(err)
			}
			if want := unsafe.Slice((*byte)(unsafe.Pointer(&verts[0])), r.Size); !bytes.Equal(back.Bytes()[:r.Size], want) {
				m.t.Fatalf("slot %d, level %d: other bytes are there", s, level)
			}
		}
	}
}

// inUse counts slabs that serve a level, and how many would do.
func (m *mover) inUse() (slabs, least int) {
	b := m.p.blocks
	count := map[terrain.Level]int{}
	for _, levels := range m.held {
		for level := range levels {
			count[level]++
		}
	}
	for level, n := range count {
		blocks := int(b.slab / b.size[level])
		least += (n + blocks - 1) / blocks
	}
	for _, buffer := range b.buffers {
		slabs += buffer.inUse
	}
	return slabs, least
}

// TestMovesKeepVertices: when most tiles have gone, what is left comes to lie together, a
// bounded part of it a frame, though tiles that are being moved go and others come; and all
// of it is what was uploaded.
func TestMovesKeepVertices(t *testing.T) {
	dev := vktest.Device(t)
	layout := terrain.LayoutFor(129)
	p, err := newPool(dev, layout, 8<<20)
	if err != nil {
		t.Fatal(err)
	}
	vktest.Destroy(t, dev, poolOf{p})
	m := &mover{t: t, dev: dev, p: p, held: map[Slot]map[terrain.Level][]terrain.Vertex{}, rng: rand.New(rand.NewPCG(1, 1)), budget: 64 << 10} // less than a block
	add := func(f *vk.Frame) {
		s := p.add(&terrain.TileInfo{})
		m.held[s] = map[terrain.Level][]terrain.Vertex{}
		finest := m.rng.IntN(3)
		for level := layout.Levels - 1; level >= finest; level-- {
			m.upload(f, s, terrain.Level(level))
		}
	}
	for range 80 {
		m.frame(func(f *vk.Frame) {
			for range 5 {
				add(f)
			}
		})
	}
	if len(p.buffers) < 2 {
		t.Fatalf("%d buffers", len(p.buffers))
	}
	m.frame(func(f *vk.Frame) {
		for s := range Slot(len(p.slots)) {
			if m.held[s] != nil && m.rng.IntN(10) > 0 {
				p.remove(f, s)
				delete(m.held, s)
			}
		}
	})
	slabs, least := m.inUse()
	cancelled := 0
	for i := range 400 {
		m.frame(func(f *vk.Frame) {
			if i%3 == 1 && p.moving.active && cancelled < 3 {
				cancelled++
				s := p.moving.slot
				p.remove(f, s)
				delete(m.held, s)
				add(f)
			}
		})
		if i%10 == 1 && i < 60 {
			m.check()
		}
	}
	m.check()
	after, leastAfter := m.inUse()
	t.Logf("%d slabs, of which %d are needed; then %d and %d; %d bytes moved", slabs, least, after, leastAfter, p.moved)
	if p.blocks.leaving != nil || p.moving.active || after > leastAfter+layout.Levels || len(p.buffers) != 1 {
		t.Errorf("%d slabs in %d buffers, %d are needed", after, len(p.buffers), leastAfter)
	}
	if cancelled < 3 || p.moved == 0 || m.most > m.budget {
		t.Errorf("%d moves given up, %d bytes moved, %d in a frame", cancelled, p.moved, m.most)
	}
	still := p.moved
	for range 20 {
		m.frame(func(*vk.Frame) {})
	}
	if p.moved != still {
		t.Errorf("%d bytes moved to no end", p.moved-still)
	}
	for s := range m.held {
		m.frame(func(f *vk.Frame) { p.remove(f, s) })
	}
	for range 4 {
		m.frame(func(*vk.Frame) {})
	}
	if p.blocks.used != 0 {
		t.Errorf("%d vertices are left", p.blocks.used)
	}
}

// poolOf is a pool to be destroyed.
type poolOf struct{ p *pool }

func (p poolOf) Destroy() { p.p.destroy() }

// TestMovesOnTwoQueues does it where uploads are of another family.
func TestMovesOnTwoQueues(t *testing.T) {
	testlayer.Build(t).Run(t, testlayer.Shape{Queues: "gc,t", Memory: "64,256"}, "^TestMovesKeepVertices$")
}
