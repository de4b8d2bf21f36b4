package ring_test

import (
	"math/rand/v2"
	"testing"

	"github.com/vkterrain/vkterrain/vk/ring"
)

// model drives a Ring and checks every promise against a list of open spans.
type model struct {
	t       testing.TB
	r       *ring.Ring
	open    []openSpan
	next    uint64 // value of the next Submit
	reached uint64
}

type openSpan struct {
	ring.Span
	value uint64 // 0: not submitted
}

func (m *model) reserve(n, align uint64) bool {
	s, ok := m.r.Reserve(n, align)
	if !ok {
		if len(m.open) == 0 && n > 0 && n <= m.r.Size() {
			m.t.Fatalf("an empty ring of %d refuses %d at %d", m.r.Size(), n, align)
		}
		return false
	}
	if s.Size != n || s.Offset+n > m.r.Size() || align > 0 && s.Offset%align != 0 {
		m.t.Fatalf("reserve %d at %d gave %+v of %d", n, align, s, m.r.Size())
	}
	for _, o := range m.open {
		if s.Offset < o.Offset+o.Size && o.Offset < s.Offset+s.Size {
			m.t.Fatalf("%+v overlaps %+v, which waits for %d (reached %d)", s, o.Span, o.value, m.reached)
		}
	}
	m.open = append(m.open, openSpan{s, 0})
	return true
}

func (m *model) submit() {
	m.next++
	m.r.Submit(m.next)
	for i := range m.open {
		if m.open[i].value == 0 {
			m.open[i].value = m.next
		}
	}
}

func (m *model) release(value uint64) {
	m.reached = max(m.reached, min(value, m.next))
	m.r.Release(m.reached)
	kept := m.open[:0]
	for _, o := range m.open {
		if o.value == 0 || o.value > m.reached {
			kept = append(kept, o)
		}
	}
	m.open = kept
}

func TestRingProperties(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	for range 200 {
		m := &model{t: t, r: ring.New(1 + rng.Uint64N(500))}
		for range 300 {
			switch rng.IntN(4) {
			case 0, 1:
				m.reserve(rng.Uint64N(m.r.Size()/2+2), []uint64{0, 1, 2, 4, 12, 16}[rng.IntN(6)])
			case 2:
				m.submit()
			case 3:
				m.release(m.reached + rng.Uint64N(3))
			}
		}
		m.submit()
		m.release(m.next)
		if m.r.Used() != 0 {
			t.Fatalf("%d in use when all is reached", m.r.Used())
		}
		if !m.reserve(m.r.Size(), 64) {
			t.Fatal("an empty ring does not give all of itself")
		}
	}
}

func FuzzRing(f *testing.F) {
	f.Add(uint16(64), []byte{10, 20, 250, 30, 251, 252, 60})
	f.Add(uint16(1), []byte{1, 250, 251, 1})
	f.Fuzz(func(t *testing.T, size uint16, ops []byte) {
		m := &model{t: t, r: ring.New(uint64(size) + 1)}
		for _, op := range ops {
			switch {
			case op == 250:
				m.submit()
			case op > 250:
				m.release(m.reached + uint64(op-250))
			default:
				m.reserve(uint64(op)*m.r.Size()/200, uint64(op%17))
			}
		}
	})
}

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	r := ring.New(1000)
	value := uint64(0)
	frame := func() {
		for range 3 {
			r.Reserve(100, 16)
		}
		value++
		r.Submit(value)
		if value > 2 {
			r.Release(value - 2)
		}
	}
	for range 50 {
		frame()
	}
	if n := testing.AllocsPerRun(1000, frame); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
}

func TestSubmitPanicsWhenValuesFall(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	r := ring.New(10)
	r.Reserve(1, 1)
	r.Submit(5)
	r.Reserve(1, 1)
	r.Submit(4)
}

func BenchmarkReserve(b *testing.B) {
	r := ring.New(1 << 20)
	for i := range b.N {
		r.Reserve(300, 16)
		r.Submit(uint64(i))
		r.Release(uint64(i))
	}
}
