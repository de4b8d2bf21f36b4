package pipeline

import (
	"math/rand/v2"
	"testing"

	"github.com/vkterrain/vkterrain/terrain"
)

// TestBlocksNeverOverlap allocates and releases at random and keeps a map of
// every vertex.
func TestBlocksNeverOverlap(t *testing.T) {
	for _, size := range []int{9, 33, 129, 513} {
		layout := terrain.LayoutFor(size)
		b := newBlocks(layout)
		type block struct {
			level terrain.Level
			addr  uint32
		}
		var live []block
		owner := map[uint32]int{}
		mark := func(bl block, id int) {
			for v := bl.addr; v < bl.addr+b.size[bl.level]; v++ {
				if id != 0 && owner[v] != 0 {
					t.Fatalf("tile size %d: vertex %#x handed out twice", size, v)
				}
				if id == 0 {
					delete(owner, v)
				} else {
					owner[v] = id
				}
			}
		}
		rng := rand.New(rand.NewPCG(uint64(size), 1))
		steps := 3000
		if size > 100 {
			steps = 300000 / size / size * 20
		}
		for step := range steps {
			if len(live) > 0 && rng.IntN(5) < 2 {
				i := rng.IntN(len(live))
				mark(live[i], 0)
				b.release(live[i].level, live[i].addr)
				live[i] = live[len(live)-1]
				live = live[:len(live)-1]
				continue
			}
			bl := block{level: terrain.Level(rng.IntN(layout.Levels))}
			for bl.addr = b.alloc(bl.level); bl.addr == noBlock; bl.addr = b.alloc(bl.level) {
				b.grow(b.nextBuffer(1 << 20))
			}
			mark(bl, step+1)
			live = append(live, bl)
		}
		if b.used != uint64(len(owner)) {
			t.Errorf("tile size %d: %d vertices counted, %d in use", size, b.used, len(owner))
		}
		for _, bl := range live {
			b.release(bl.level, bl.addr)
		}
		for b.shrink() {
		}
		if b.used != 0 || len(b.buffers) != 1 || len(b.spare) != len(b.buffers[0].slabs) {
			t.Errorf("tile size %d: %d vertices and %d buffers left, %d of %d slabs spare", size, b.used, len(b.buffers), len(b.spare), len(b.buffers[0].slabs))
		}
	}
}

// TestMemoryFollowsLevels holds invariant I1: what is reserved is in proportion
// to the levels loaded.
func TestMemoryFollowsLevels(t *testing.T) {
	layout := terrain.LayoutFor(129)
	for coarsest := layout.Levels - 1; coarsest >= 0; coarsest-- {
		b := newBlocks(layout)
		for range 400 {
			for level := layout.Levels - 1; level >= coarsest; level-- {
				for b.alloc(terrain.Level(level)) == noBlock {
					b.grow(b.nextBuffer(1 << 24))
				}
			}
		}
		slabs := 0
		for _, buf := range b.buffers {
			slabs += buf.inUse
		}
		inUse, exact := uint64(slabs)*uint64(b.slab), uint64(400*layout.Count(terrain.Level(coarsest)))
		if inUse > exact+exact/20+uint64(layout.Levels)*uint64(b.slab) {
			t.Errorf("levels down to %d: slabs of %d vertices for %d", coarsest, inUse, exact)
		}
	}
}

func TestReleaseTwicePanics(t *testing.T) {
	b := newBlocks(terrain.LayoutFor(33))
	b.grow(b.nextBuffer(1 << 20))
	a := b.alloc(0)
	b.release(0, a)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	b.release(0, a)
}

// TestBlocksStayWhileFramesReadThem: a dropped block is free again when the
// value of the last frame that may read it is reached, and not before.
func TestBlocksStayWhileFramesReadThem(t *testing.T) {
	p := &pool{blocks: newBlocks(terrain.LayoutFor(33))}
	p.blocks.grow(p.blocks.nextBuffer(1 << 20))
	a, b := p.blocks.alloc(0), p.blocks.alloc(1)
	p.retired = []retired{{value: 7, level: 0, addr: a}, {value: 9, level: 1, addr: b}}
	for _, c := range []struct {
		done uint64
		left int
	}{{0, 2}, {6, 2}, {7, 1}, {8, 1}, {9, 0}} {
		p.releaseRetired(c.done)
		if len(p.retired) != c.left {
			t.Errorf("value %d reached: %d blocks held, want %d", c.done, len(p.retired), c.left)
		}
	}
	if p.blocks.used != 0 {
		t.Errorf("%d vertices in use", p.blocks.used)
	}
}
