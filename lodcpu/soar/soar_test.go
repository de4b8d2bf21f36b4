package soar_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
	"github.com/vkterrain/vkterrain/terrain"
)

// scene is a world with a level loaded in every tile.
type scene struct {
	*testworld.World
	levels map[terrain.Key]int8
}

func (s *scene) near(k terrain.Key) lodcpu.Neighbourhood {
	var n lodcpu.Neighbourhood
	for i := range n {
		l, ok := s.levels[terrain.Key{X: k.X + int32(i%3) - 1, Y: k.Y + int32(i/3) - 1}]
		if !ok {
			l = lodcpu.Absent
		}
		n[i] = l
	}
	return n
}

// culled returns the law of a view, and in three of four cases what culls to it or
// to another view's picture.
func culled(v *lodcpu.View, w *terrain.World, rng *rand.Rand) lodcpu.Law {
	law := v.Law(w)
	switch rng.IntN(4) {
	case 0:
	case 1:
		other := *v
		other.Yaw += rng.Float64() * 2
		other.Eye[0] += 100 * rng.NormFloat64()
		law.Cull = other.Cull(v.Eye)
	default:
		law.Cull = v.Cull(v.Eye)
	}
	return law
}

func randomView(rng *rand.Rand, f *terrain.Field, tau float64) *lodcpu.View {
	w, h := float64(f.Width)*f.Spacing, float64(f.Height)*f.Spacing
	return &lodcpu.View{
		Eye: mgl64.Vec3{(rng.Float64()*1.4 - 0.2) * w, rng.Float64()*600 - 20, (rng.Float64()*1.4 - 0.2) * h},
		Yaw: rng.Float64() * 7, Pitch: (rng.Float64()*1.3 - 1) * math.Pi / 2,
		FovY: 0.3 + rng.Float64(), Width: 200 + rng.IntN(1700), Height: 200 + rng.IntN(900), Tau: tau,
	}
}

func ptr[T any](v T) *T { return &v }

func BenchmarkRefine(b *testing.B) {
	f := testworld.Rough(1025, 1025, 3)
	for _, topology := range []lodcpu.Topology{lodcpu.List, lodcpu.Strip} {
		for _, tau := range []float64{1, 4} {
			b.Run(fmt.Sprintf("%v/1025/tau%g", topology, tau), func(b *testing.B) {
				w := testworld.New(f, 129, 0, 0)
				v := &lodcpu.View{Eye: mgl64.Vec3{5120, 400, 10240}, Pitch: -0.2, FovY: 0.6, Width: 1920, Height: 1080, Tau: tau}
				benchRefine(b, w, v, topology)
			})
		}
	}
}

func benchRefine(b *testing.B, w *testworld.World, v *lodcpu.View, topology lodcpu.Topology) {
	s := &scene{w, map[terrain.Key]int8{}}
	for k := range w.Infos {
		s.levels[k] = 0
	}
	type work struct {
		tile *terrain.Tile
		near lodcpu.Neighbourhood
	}
	var list []work
	for k := range s.levels {
		list = append(list, work{w.Tile(k, 0), s.near(k)})
	}
	law := v.Law(&w.World)
	r := soar.New(w.Layout(), topology)
	dst := make([]uint32, r.MaxIndices(0))
	var sum lodcpu.Counts
	for b.Loop() {
		sum = lodcpu.Counts{}
		for i := range list {
			c, _ := r.Refine(dst, list[i].tile, &list[i].near, &law)
			sum.Add(c)
		}
	}
	sec := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(float64(sum.Triangles), "triangles")
	b.ReportMetric(sec*1e9/float64(sum.Triangles), "ns/triangle")
	b.ReportMetric(float64(sum.Triangles)/sec/1e6, "Mtri/s")
	b.ReportMetric(float64(sum.Indices)/sec/1e6, "Midx/s")
}

// BenchmarkIndexWrite refines with every vertex active: the rate at which
// indices can be written when nothing is left to decide.
func BenchmarkIndexWrite(b *testing.B) {
	w := testworld.New(testworld.Rough(129, 129, 3), 129, 0, 0)
	for _, topology := range []lodcpu.Topology{lodcpu.List, lodcpu.Strip} {
		r := soar.New(w.Layout(), topology)
		b.Run(topology.String()+"/32", func(b *testing.B) { timeIndices(b, w, r, 4) })
		b.Run(topology.String()+"/16", func(b *testing.B) { timeIndices(b, w, r.Narrow(), 2) })
	}
}

func timeIndices[I lodcpu.Index](b *testing.B, w *testworld.World, r lodcpu.RefinerOf[I], bytes float64) {
	law := lodcpu.FullLaw(&w.World)
	near := (&scene{w, map[terrain.Key]int8{{}: 0}}).near(terrain.Key{})
	tile := w.Tile(terrain.Key{}, 0)
	dst := make([]I, r.MaxIndices(0))
	var c lodcpu.Counts
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var times []float64
	for b.Loop() {
		start := spent()
		c, _ = r.Refine(dst, tile, &near, &law)
		times = append(times, (spent() - start).Seconds())
	}
	rate := float64(c.Indices) / median(times)
	b.ReportMetric(rate/1e6, "Midx/s")
	b.ReportMetric(rate*bytes/1e6, "MB/s")
}
