package vkterrain_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/endless"
	"github.com/vkterrain/vkterrain/terrain/synth"
	"github.com/vkterrain/vkterrain/vk"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// shifted is ground that was moved by so many samples.
type shifted struct {
	synth.Endless
	x, z int64
}

func (s *shifted) Heights(heights []int32, x, z int64, columns int) {
	s.Endless.Heights(heights, x-s.x, z-s.z, columns)
}

func endlessSource(t testing.TB, g endless.Ground, o endless.Options) *endless.Source {
	t.Helper()
	o.Spacing, o.Quantum, o.TileSize = 30, 1.0/16, 33
	s, err := endless.New(g, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func hillsWithoutEnd() *synth.Endless { return &synth.Endless{Spacing: 30, Quantum: 1.0 / 16, Seed: 3} }

func endlessStage(t testing.TB, dev *vk.Device, src *endless.Source, p vkterrain.Paging, o vkterrain.Options) *stage {
	t.Helper()
	return stageOf(t, dev, 128, 96, o, func(o vkterrain.Options) (*vkterrain.Terrain, error) {
		return vkterrain.OpenEndless(src, dev, p, o)
	})
}

// TestEndlessIsTheSameEverywhere draws the same hills near the origin and where columns
// are as far from it as they get, on both sides; shifts are those that the pattern of the
// ground repeats after.
func TestEndlessIsTheSameEverywhere(t *testing.T) {
	dev := vktest.Device(t)
	v := view(500, 900, 300, 30, -15, 128, 96, 2)
	look := &pipeline.Look{Sea: true}
	draw := func(kx, kz int64) any {
		g := &shifted{*hillsWithoutEnd(), kx * 32, kz * 32}
		s := endlessStage(t, dev, endlessSource(t, g, endless.Options{}), vkterrain.Paging{Load: 5000}, vkterrain.Options{})
		w := *v
		w.Eye[0] += float64(kx) * 32 * 30
		w.Eye[2] += float64(kz) * 32 * 30
		s.settle(&w, look)
		c, err := s.ter.Check()
		if err != nil || c.MeasuredErrorPx > 2 || c.Cracks > 0 || c.CheckedSamples < 1000 {
			t.Errorf("at %d, %d: %+v, %v", kx, kz, c, err)
		}
		if y, ok := s.ter.GroundHeight(w.Eye[0], w.Eye[2]); !ok || math.Abs(y) > 5200 {
			t.Errorf("at %d, %d: ground at %v, %t", kx, kz, y, ok)
		}
		return s.frame(&w, look, true).Pix
	}
	want := draw(0, 0)
	for _, at := range [][2]int64{{-4096, 8192}, {-1 << 20, 1 << 20}, {1<<31 - 4096, 4096 - 1<<31}} {
		if got := draw(at[0], at[1]); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("another picture at tile %d, %d", at[0], at[1])
		}
	}
}

// TestEndlessFlight flies far: what is there at the end is no more than at the start,
// and the error is below the tolerance on the way.
func TestEndlessFlight(t *testing.T) {
	dev := vktest.Device(t)
	for name, o := range map[string]vkterrain.Options{"synchronous": {}, "anchored": {Anchored: true}, "rising": {Rise: 10, Morph: 0.5}} {
		t.Run(name, func(t *testing.T) {
			src := endlessSource(t, hillsWithoutEnd(), endless.Options{Kept: 300, Has: func(k terrain.Key) bool { return k.X%7 != 3 || k.Y%5 != 0 }})
			s := endlessStage(t, dev, src, vkterrain.Paging{Load: 4000}, o)
			var tiles int
			var bytes uint64
			for i := range 400 {
				v := view(-20000+float64(i)*100, 1500, float64(i)*40, 70, -20, 128, 96, 2)
				s.frame(v, &pipeline.Look{}, false)
				if i%100 == 50 {
					s.settle(v, &pipeline.Look{})
					c, err := s.ter.Check()
					if err != nil || c.MeasuredErrorPx > 2 || c.Cracks > 0 || c.CheckedSamples < 500 {
						t.Errorf("frame %d: %+v, %v", i, c, err)
					}
					st := s.ter.Stats()
					if i == 50 {
						tiles, bytes = st.Streaming.Tiles, st.BytesGPU
					}
					if st.Streaming.Tiles > 2*tiles || st.BytesGPU > 2*bytes {
						t.Errorf("frame %d: %d tiles, %d bytes; %d and %d at first", i, st.Streaming.Tiles, st.BytesGPU, tiles, bytes)
					}
				}
			}
		})
	}
}

// TestEndlessDoesNotAllocate: a frame of an endless world in which nothing comes or
// goes allocates nothing.
func TestEndlessDoesNotAllocate(t *testing.T) {
	dev := vktest.Device(t)
	s := endlessStage(t, dev, endlessSource(t, hillsWithoutEnd(), endless.Options{}), vkterrain.Paging{Load: 2000}, vkterrain.Options{})
	v, look := view(0, 900, 0, 0, -20, 128, 96, 2), &pipeline.Look{}
	s.settle(v, look)
	for range 20 {
		s.frame(v, look, false)
	}
	runtime.GC()
	if n := testing.AllocsPerRun(50, func() { s.frame(v, look, false) }); n > 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

// TestTwoEndless: two worlds at a time, one of which is closed while it is being made.
func TestTwoEndless(t *testing.T) {
	dev := vktest.Device(t)
	src := endlessSource(t, hillsWithoutEnd(), endless.Options{})
	a := endlessStage(t, dev, src, vkterrain.Paging{Load: 3000}, vkterrain.Options{})
	b := endlessStage(t, dev, src, vkterrain.Paging{Load: 3000, Loaders: 3}, vkterrain.Options{})
	v, look := view(0, 900, 0, 0, -20, 128, 96, 2), &pipeline.Look{}
	b.frame(v, look, false)
	a.settle(v, look)
	if a.ter.Stats().Triangles == 0 {
		t.Error("nothing is drawn")
	}
}

// failingAtlas is a source some of whose tiles cannot be made for a time.
type failingAtlas struct {
	*endless.Source
	broken bool
}

func (f *failingAtlas) Info(k terrain.Key) (*terrain.TileInfo, error) {
	if f.broken && k.X == 0 {
		return nil, errors.New("no ground today")
	}
	return f.Source.Info(k)
}

// TestEndlessFails: a tile that cannot be made is told once, and everything else goes on.
func TestEndlessFails(t *testing.T) {
	dev := vktest.Device(t)
	src := &failingAtlas{endlessSource(t, hillsWithoutEnd(), endless.Options{}), true}
	told := map[terrain.Key]int{}
	s := stageOf(t, dev, 64, 64, vkterrain.Options{Sync: true}, func(o vkterrain.Options) (*vkterrain.Terrain, error) {
		return vkterrain.OpenEndless(src, dev, vkterrain.Paging{Load: 2500, Failed: func(k terrain.Key, err error) { told[k]++ }}, o)
	})
	v, look := view(300, 900, 0, 0, -20, 64, 64, 2), &pipeline.Look{}
	for range 20 {
		s.frame(v, look, false)
	}
	if len(told) < 3 || s.ter.Stats().Triangles == 0 {
		t.Errorf("told of %d tiles, %d triangles", len(told), s.ter.Stats().Triangles)
	}
	for k, n := range told {
		if n != 1 || k.X != 0 {
			t.Errorf("told %d times of tile %v", n, k)
		}
	}
}

// TestEndlessRefuses: BilLOD, which needs a whole world, does not open an endless one.
func TestEndlessRefuses(t *testing.T) {
	dev := vktest.Device(t)
	src := endlessSource(t, hillsWithoutEnd(), endless.Options{})
	if _, err := vkterrain.OpenEndless(src, dev, vkterrain.Paging{}, vkterrain.Options{Algorithm: vkterrain.BilLOD}); err == nil {
		t.Error("it opens")
	}
}
