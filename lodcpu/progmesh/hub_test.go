package progmesh_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
)

// hubbed returns a mesh of cones around a point each, whose rims are n points, bumpy, some
// with normals of their own at the tip, some left open.
func hubbed(rng *rand.Rand, n int, seams bool) *progmesh.Source {
	s := &progmesh.Source{}
	for cone := range 2 {
		tip := uint32(len(s.Positions))
		count := n - rng.IntN(n/3+1)
		add := func(p [3]float32, normal [3]float32) {
			s.Positions = append(s.Positions, p)
			if seams {
				s.Normals = append(s.Normals, normal)
			}
		}
		add([3]float32{float32(10 * cone), 1, 0}, [3]float32{0, 1, 0})
		rim := uint32(len(s.Positions))
		for i := range count {
			a := 2 * math.Pi * float64(i) / float64(count)
			add([3]float32{float32(10*cone) + float32(math.Cos(a)), float32(rng.IntN(3)) * 0.001, float32(math.Sin(a))}, [3]float32{0, 1, 0})
		}
		outer := uint32(len(s.Positions))
		for i := range count {
			a := 2 * math.Pi * float64(i) / float64(count)
			add([3]float32{float32(10*cone) + 2*float32(math.Cos(a)), float32(rng.Float64()) * 0.01, 2 * float32(math.Sin(a))}, [3]float32{0, 1, 0})
		}
		for i := range count - cone {
			j := uint32((i + 1) % count)
			at := tip
			if seams {
				at = uint32(len(s.Positions))
				add(s.Positions[tip], [3]float32{float32(i % 7), 1, 0})
			}
			s.Triangles = append(s.Triangles, [3]uint32{at, rim + j, rim + uint32(i)},
				[3]uint32{rim + uint32(i), rim + j, outer + uint32(i)}, [3]uint32{outer + uint32(i), rim + j, outer + j})
		}
	}
	return s
}

// TestHubs: points of very many faces are looked through by an index, and what becomes of the
// mesh is the same as without.
func TestHubs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	for i := range 24 {
		s := hubbed(rng, 300+rng.IntN(500), i%2 == 1)
		o := progmesh.Options{Cost: progmesh.Cost(i / 2 % 2), Border: progmesh.Border(i / 4 % 3), Measure: i%5 == 0}
		undo := progmesh.SetLeastHub(math.MaxInt32)
		want := build(t, s, o)
		undo()
		undo = progmesh.SetLeastHub(int32(2 + rng.IntN(1200)))
		got := build(t, s, o)
		undo()
		if got.Least() != want.Least() || !slices.Equal(got.Order, want.Order) {
			t.Fatalf("%d, %+v: %d vertices at least, without an index %d", i, o, got.Least(), want.Least())
		}
		for n := got.Least(); n <= got.Vertices(); n += 97 {
			a, b := make([]uint32, got.IndexCount(n)), make([]uint32, want.IndexCount(n))
			got.Indices(a, n)
			want.Indices(b, n)
			if !slices.Equal(a, b) || got.Error(n) != want.Error(n) {
				t.Fatalf("%d, %+v: other triangles of %d vertices", i, o, n)
			}
		}
	}
}

// TestManyCorners: a polygon of many corners, and a cone whose tip has as many faces, take
// time in proportion to them, about.
func TestManyCorners(t *testing.T) {
	if testing.Short() {
		t.Skip("builds large meshes")
	}
	polygon := func(n int) *progmesh.Source {
		s := &progmesh.Source{}
		for i := range n {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
			s.Positions = append(s.Positions, [3]float32{float32(cos), 0, float32(sin)})
		}
		for i := 2; i < n; i++ {
			s.Triangles = append(s.Triangles, [3]uint32{0, uint32(i), uint32(i - 1)})
		}
		return s
	}
	for name, of := range map[string]func(n int) *progmesh.Source{
		"polygon":         polygon,
		"cone":            func(n int) *progmesh.Source { return hubbed(rand.New(rand.NewPCG(1, 2)), n, false) },
		"cone with seams": func(n int) *progmesh.Source { return hubbed(rand.New(rand.NewPCG(1, 2)), n, true) },
	} {
		least := [2]time.Duration{math.MaxInt64, math.MaxInt64}
		for range 3 { // in turns
			for i, n := range [2]int{5_000, 40_000} {
				s := of(n)
				start := processorTime(t)
				build(t, s, progmesh.Options{Up: [3]float64{0, 1, 0}})
				least[i] = min(least[i], processorTime(t)-start)
			}
		}
		ratio := float64(least[1]) / float64(least[0])
		t.Logf("%s: eight times the corners take %.1f times as long", name, ratio)
		if ratio > 30 {
			t.Errorf("%s: eight times the corners take %.1f times as long", name, ratio)
		}
	}
}

// processorTime returns what the process has taken of the processors: other work on the
// machine is not in it.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestUpOfAnyLength: up is a direction, however long it is written.
func TestUpOfAnyLength(t *testing.T) {
	s := hubbed(rand.New(rand.NewPCG(5, 5)), 60, false)
	free := build(t, s, progmesh.Options{})
	want := build(t, s, progmesh.Options{Up: [3]float64{0, 1, 0.5}})
	if slices.Equal(want.Order, free.Order) {
		t.Fatal("an upward direction that changes nothing proves nothing")
	}
	for _, length := range []float64{1e308, 1e200, 1e-200, 1e-300} {
		if got := build(t, s, progmesh.Options{Up: [3]float64{0, length, length / 2}}); !slices.Equal(got.Order, want.Order) {
			t.Errorf("up %g long: another mesh", length)
		}
	}
}
