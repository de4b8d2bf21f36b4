package lodcpu_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
	"github.com/vkterrain/vkterrain/terrain"
)

// TestNarrowIsWide: every refiner writes the same numbers in 16 bits as in 32, accepts
// the room that it needs and none that is shorter, and writes nothing behind it.
func TestNarrowIsWide(t *testing.T) {
	const untouched = 0xabcd
	each(t, func(t *testing.T, topology lodcpu.Topology, refiner func(*terrain.Layout) lodcpu.Refiner) {
		for i := range many(10, 30, 300) {
			s := anyState(i)
			layout := s.Layout()
			wide := lodcpu.LeaveHoles(refiner(layout), layout, topology)
			narrow := lodcpu.Narrow(lodcpu.LeaveHoles(refiner(layout), layout, topology), layout)
			want, got := make([]uint32, wide.MaxIndices(0)), make([]uint16, narrow.MaxIndices(0)+64)
			for k, level := range s.Levels {
				tile, near := s.Tile(k, terrain.Level(level)), s.Near(k)
				c, _ := wide.Refine(want, tile, &near, &s.law)
				for _, room := range []int{c.Indices, c.Indices + 7, len(got)} {
					for i := range got {
						got[i] = untouched
					}
					d, ok := narrow.Refine(got[:room:room], tile, &near, &s.law)
					if !ok || c != d || !sameNumbers(got, want[:c.Indices]) {
						t.Fatalf("%s, tile %v, room %d of %d: %+v, want %+v, or other indices", s.about, k, room, c.Indices, d, c)
					}
					if i := slices.IndexFunc(got[room:], func(v uint16) bool { return v != untouched }); i >= 0 {
						t.Fatalf("%s, tile %v: wrote %d indices behind the end", s.about, k, i+1)
					}
				}
				if _, ok := narrow.Refine(got[:max(c.Indices-1, 0)], tile, &near, &s.law); ok && c.Indices > 0 {
					t.Fatalf("%s, tile %v: %d indices accepted, %d needed", s.about, k, c.Indices-1, c.Indices)
				}
			}
		}
	})
}

func sameNumbers(a []uint16, b []uint32) bool {
	for i, v := range b {
		if uint32(a[i]) != v {
			return false
		}
	}
	return true
}

// TestPackOfAnyLength: numbers are packed wherever they begin and however many.
func TestPackOfAnyLength(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 1))
	src, dst := make([]uint32, 300), make([]uint16, 300)
	for i := range src {
		src[i] = rng.Uint32N(1 << 15)
	}
	src[0], src[5], src[63] = 0, 1<<15-1, 1<<15-1
	for from := range 20 {
		for n := range 200 {
			clear(dst)
			lodcpu.Pack(dst[from:from+n], src[from/2:])
			if !sameNumbers(dst[from:], src[from/2:from/2+n]) {
				t.Fatalf("%d numbers from %d on are others", n, from/2)
			}
			if slices.Max(dst[from+n:]) != 0 || from > 0 && slices.Max(dst[:from]) != 0 {
				t.Fatalf("%d numbers to %d: wrote elsewhere", n, from)
			}
		}
	}
}

// TestNarrowFitsTilesUpTo129: the largest tile that 16 bits are used for is of 129², and
// its ids are far from the number that would restart a strip.
func TestNarrowFitsTilesUpTo129(t *testing.T) {
	for log := 1; log <= 11; log++ {
		layout := terrain.LayoutFor(1<<log + 1)
		if got := lodcpu.FitsNarrow(layout); got != (log <= 7) {
			t.Errorf("tiles of %d²: %v", layout.Size, got)
		}
		if lodcpu.FitsNarrow(layout) && slices.Max(layout.ID) >= 1<<15 {
			t.Errorf("tiles of %d²: id %d", layout.Size, slices.Max(layout.ID))
		}
	}
}

// TestTeamOfNarrow: several workers put the same numbers in 16 bits into the same places
// as one puts them in 32.
func TestTeamOfNarrow(t *testing.T) {
	w, jobs := teamJobs(3)
	law := lodcpu.FullLaw(&w.World)
	wide := func() lodcpu.Refiner { return soar.New(w.Layout(), lodcpu.List) }
	a := lodcpu.NewTeam(1, wide)
	b := lodcpu.NewTeam(5, func() lodcpu.RefinerOf[uint16] { return lodcpu.Narrow(wide(), w.Layout()) })
	defer a.Close()
	defer b.Close()
	const room = 4_000_000
	want, got := make([]uint32, room), make([]uint16, room)
	wantSpans, gotSpans := make([]lodcpu.Span, len(jobs)), make([]lodcpu.Span, len(jobs))
	wantTotal, wantUsed, _ := a.Refine(want, jobs, &law, wantSpans)
	total, used, ok := b.Refine(got, jobs, &law, gotSpans)
	if !ok || total != wantTotal || used != wantUsed || !slices.Equal(wantSpans, gotSpans) {
		t.Fatalf("%+v, %d used; want %+v, %d, and the same spans", total, used, wantTotal, wantUsed)
	}
	for _, s := range gotSpans {
		if !sameNumbers(got[s.First:], want[s.First:s.First+s.Indices]) {
			t.Fatalf("span %+v holds other indices", s)
		}
	}
	if n := testing.AllocsPerRun(10, func() { b.Refine(got, jobs, &law, gotSpans) }); n > 0 {
		t.Errorf("%v allocations a refinement", n)
	}
}
