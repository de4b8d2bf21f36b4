//go:build !noasm

package soar

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// TestKernels compares the indices that assembly makes with those of its twins in
// Go, to the last one, in buffers of any room.
func TestKernels(t *testing.T) {
	if !fast {
		t.Skip("this processor has no AVX2")
	}
	defer func() { fast = true }()
	rng := rand.New(rand.NewPCG(4, 4))
	for _, size := range []int{9, 17, 65, 257} {
		f := testworld.Rough(size, size-rng.IntN(size/2), 3)
		w := testworld.New(f, size, 1e6, 0)
		tile := w.Tile(terrain.Key{}, 0)
		near := lodcpu.Neighbourhood{-1, -1, -1, -1, 0, int8(rng.IntN(2)), -1, -1, -1}
		for topology := range lodcpu.Topology(2) {
			r := New(w.Layout(), topology)
			for range 30 {
				v := lodcpu.View{
					Eye: mgl64.Vec3{1e6 + rng.Float64()*float64(size)*10, rng.Float64() * 500, rng.Float64() * float64(size) * 10},
					Yaw: rng.Float64() * 7, Pitch: -rng.Float64(), FovY: 0.5, Width: 640, Height: 480, Tau: math.Exp2(rng.Float64() * 6),
				}
				v.Haze = float64(rng.IntN(2)) * math.Exp2(-4-8*rng.Float64())
				law := v.Law(&w.World)
				if rng.IntN(2) == 0 {
					law.Cull = v.Cull(v.Eye)
				}
				compareTwins(t, r, tile, &near, &law, rng)
				if lodcpu.FitsNarrow(w.Layout()) {
					compareTwins(t, r.Narrow(), tile, &near, &law, rng)
				}
			}
		}
	}
}

// compareTwins compares what assembly writes with what Go does, and looks whether any of it
// is behind the end.
func compareTwins[I lodcpu.Index](t *testing.T, r lodcpu.RefinerOf[I], tile *terrain.Tile, near *lodcpu.Neighbourhood, law *lodcpu.Law, rng *rand.Rand) {
	t.Helper()
	const behind, untouched = 40, 0xabcd
	run := func(with bool, room int) ([]I, lodcpu.Counts, bool) {
		fast = with
		dst := slices.Repeat([]I{untouched}, room+behind)
		c, ok := r.Refine(dst[:room:room], tile, near, law)
		if i := slices.IndexFunc(dst[room:], func(v I) bool { return v != untouched }); i >= 0 {
			t.Fatalf("%T: index %d behind the end was written", r, i)
		}
		return dst[:min(c.Indices, room)], c, ok
	}
	want, counts, _ := run(false, r.MaxIndices(0))
	for _, room := range []int{r.MaxIndices(0), counts.Indices, counts.Indices + rng.IntN(30), rng.IntN(counts.Indices)} {
		got, c, ok := run(true, room)
		if ok != (room >= counts.Indices) {
			t.Fatalf("%T: %d indices fit into %d: %v", r, counts.Indices, room, ok)
		}
		if ok && (c != counts || !slices.Equal(got, want)) {
			t.Fatalf("%T: %+v, want %+v", r, c, counts)
		}
	}
}
