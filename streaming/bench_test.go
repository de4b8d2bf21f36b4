package streaming_test

import (
	"strconv"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	f := newFake(6)
	m := streaming.New(f, streaming.Options{Loaders: 2})
	defer closed(t, m)
	laws := []*lodcpu.Law{f.lookFrom(3, 3, 100, 20), f.lookFrom(3.001, 3, 100, 20)}
	g := newGPU(t, m, f)
	g.settle(laws[0])
	g.settle(laws[1])
	i := 0
	retire := func(*streaming.Tile, terrain.Level) { t.Error("evicts") }
	put := func(streaming.Upload) bool { t.Error("uploads"); return true }
	for name, moving := range map[string]int{"still": 0, "moving": 1} {
		allocs := testing.AllocsPerRun(500, func() {
			i += moving
			m.Update(laws[i%2])
			m.Evictions(retire)
			m.Uploads(1<<20, put)
			if len(m.Tiles()) != 36 || !m.Settled() || m.Stats().Shown != 36 {
				t.Error("not steady")
			}
		})
		if allocs != 0 {
			t.Errorf("%s: %g allocations a frame", name, allocs)
		}
	}
}

// wide is a world of many tiles and no samples.
type wide struct {
	fake
	w terrain.World
}

func newWide(n int) *wide {
	s := &wide{w: terrain.World{Width: 128*n + 1, Height: 128*n + 1, TileSize: 129, Spacing: 30, Quantum: 1}}
	for o := range 14 {
		s.w.Radius = append(s.w.Radius, 45*float32(int(2)<<(o/2)))
	}
	for y := range int32(n) {
		for x := range int32(n) {
			info := terrain.TileInfo{Key: terrain.Key{X: x, Y: y}, Max: 1000}
			for l := range 5 {
				info.Coef[l] = float32(int(1) << l)
			}
			s.tiles = append(s.tiles, info)
		}
	}
	return s
}

func (s *wide) World() *terrain.World { return &s.w }
func (s *wide) ReadLevel(*chunkfile.Decoder, []terrain.Vertex, terrain.Key, terrain.Level) error {
	return nil
}

func BenchmarkUpdate(b *testing.B) {
	for _, n := range []int{16, 64} {
		s := newWide(n)
		laws := make([]lodcpu.Law, 2)
		for i := range laws {
			v := lodcpu.View{FovY: 1, Width: 1920, Height: 1080, Tau: 2, Eye: mgl64.Vec3{float64(20000 + 10*i), 2000, 20000}}
			laws[i] = v.Law(&s.w)
		}
		ready := func(b *testing.B, fixed func(terrain.Key) (terrain.Level, bool)) *streaming.Manager {
			m := streaming.New(s, streaming.Options{Sync: true, Fixed: fixed})
			b.Cleanup(func() { m.Close() })
			for i := range laws {
				m.Update(&laws[i])
			}
			return m
		}
		name := strconv.Itoa(n*n) + "tiles"
		b.Run(name+"/still", func(b *testing.B) {
			m := ready(b, nil)
			b.ReportAllocs()
			for b.Loop() {
				m.Update(&laws[0])
			}
		})
		b.Run(name+"/moving", func(b *testing.B) {
			m := ready(b, nil)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				m.Update(&laws[i%2])
			}
		})
		b.Run(name+"/ranking", func(b *testing.B) { // every tile wants something, and one read ends each time
			m := streaming.NewManual(s, streaming.Options{InFlight: 8})
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				m.Update(&laws[i%2])
				b.StopTimer()
				if len(m.Pending()) > 0 {
					m.Fail(0)
				}
				b.StartTimer()
			}
		})
	}
}
