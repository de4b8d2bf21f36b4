package suballoc_test

import (
	"math/rand/v2"
	"testing"

	"github.com/vkterrain/vkterrain/vk/suballoc"
)

// run interprets bytes as requests and checks spans against each other.
func run(t testing.TB, size uint64, ops []uint16) {
	b := suballoc.New(size)
	var open []suballoc.Span
	used := uint64(0)
	for _, op := range ops {
		if op&3 == 0 && len(open) > 0 {
			i := int(op>>2) % len(open)
			b.Free(open[i])
			used -= open[i].Size
			open[i] = open[len(open)-1]
			open = open[:len(open)-1]
			continue
		}
		n, align := uint64(op>>6)*size/2000, []uint64{1, 4, 16, 256, 3}[op%5]
		s, ok := b.Alloc(n, align)
		if !ok {
			continue
		}
		if s.Size != n || s.Offset%align != 0 || s.Offset+n > size {
			t.Fatalf("alloc %d at %d gave %+v of %d", n, align, s, size)
		}
		for _, o := range open {
			if s.Offset < o.Offset+o.Size && o.Offset < s.Offset+s.Size {
				t.Fatalf("%+v overlaps %+v", s, o)
			}
		}
		open = append(open, s)
		used += n
		if b.Used() != used || b.Count() != len(open) {
			t.Fatalf("used %d in %d, want %d in %d", b.Used(), b.Count(), used, len(open))
		}
	}
	for _, s := range open {
		b.Free(s)
	}
	if s, ok := b.Alloc(size, 256); !ok || s.Offset != 0 {
		t.Fatalf("the block is not whole again after all was freed: %+v %v", s, ok)
	}
}

func TestProperties(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	for range 100 {
		ops := make([]uint16, 500)
		for i := range ops {
			ops[i] = uint16(rng.Uint32())
		}
		run(t, 1+rng.Uint64N(1<<20), ops)
	}
}

func FuzzBlock(f *testing.F) {
	f.Add(uint32(1<<16), []byte{1, 2, 3, 4, 0, 0, 5, 6})
	f.Fuzz(func(t *testing.T, size uint32, data []byte) {
		ops := make([]uint16, len(data)/2)
		for i := range ops {
			ops[i] = uint16(data[2*i]) | uint16(data[2*i+1])<<8
		}
		run(t, uint64(size)+1, ops)
	})
}

func TestDoubleFreePanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	b := suballoc.New(100)
	s, _ := b.Alloc(10, 1)
	b.Free(s)
	b.Free(s)
}

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	b := suballoc.New(1 << 20)
	var s [8]suballoc.Span
	step := func() {
		for i := range s {
			s[i], _ = b.Alloc(uint64(1000*(i+1)), 256)
		}
		for i := range s {
			b.Free(s[(i*3)%8])
		}
	}
	step()
	if n := testing.AllocsPerRun(200, step); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
