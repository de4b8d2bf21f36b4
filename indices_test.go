package vkterrain_test

import (
	"bytes"
	"fmt"
	"image"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/lodtest"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// TestPicturesOfBothIndexSizes draws frames with indices of 16 and of 32 bits: every
// pixel and every count is the same, and the indices take half the bytes.
func TestPicturesOfBothIndexSizes(t *testing.T) {
	dev := vktest.Device(t)
	path := bakeWorld(t, punched(), 65, 0, 0)
	views := []*lodcpu.View{
		view(1280, 420, 2900, 0, -14, 160, 120, 1),
		view(700, 300, 800, 130, -30, 160, 120, 0.5),
		view(1280, 3200, 1280, 0, -90, 160, 120, 2),
	}
	for _, algorithm := range vkterrain.Algorithms() {
		for _, topology := range lodtest.Topologies {
			for _, anchored := range []bool{false, true} {
				t.Run(fmt.Sprintf("%v/%v/anchored %v", algorithm, topology, anchored), func(t *testing.T) {
					o := vkterrain.Options{
						Algorithm: algorithm, Topology: topology, Anchored: anchored, Margin: 50, Workers: 2,
						UploadBytes: -1, Levels: func(k terrain.Key) terrain.Level { return terrain.Level((k.X + 2*k.Y) % 3) },
					}
					narrow := newStage(t, dev, path, 160, 120, o)
					o.WideIndices = true
					wide := newStage(t, dev, path, 160, 120, o)
					for i, v := range views {
						comparePictures(t, narrow, wide, v, &pipeline.Look{View: pipeline.LOD, Lines: i == 1}, anchored)
					}
				})
			}
		}
	}
}

func comparePictures(t *testing.T, narrow, wide *stage, v *lodcpu.View, look *pipeline.Look, anchored bool) {
	t.Helper()
	var pictures [2]*image.RGBA
	var stats [2]vkterrain.Stats
	for i, s := range []*stage{narrow, wide} {
		s.settle(v, look)
		pictures[i], stats[i] = s.frame(v, look, true), s.ter.Stats()
	}
	a, b := stats[0], stats[1]
	if a.Anchored != anchored || b.Anchored != anchored || a.Counts != b.Counts || a.Tiles != b.Tiles || a.Triangles == 0 {
		t.Errorf("%+v with 16 bits, %+v with 32", a.Stats, b.Stats)
	}
	if a.IndexBytes != 2*a.Indices || b.IndexBytes != 4*b.Indices {
		t.Errorf("%d indices take %d bytes with 16 bits, %d with 32", a.Indices, a.IndexBytes, b.IndexBytes)
	}
	if !bytes.Equal(pictures[0].Pix, pictures[1].Pix) {
		t.Errorf("view %+v: %.3f %% of the pixels differ", *v, 100*differing(pictures[0], pictures[1]))
	}
	if n := magenta(pictures[0]); n == len(pictures[0].Pix)/4 {
		t.Error("nothing was drawn")
	}
}

// TestIndexSizeByTileSize: tiles of up to 129² have indices of 16 bits, larger ones of 32,
// and both draw the same land.
func TestIndexSizeByTileSize(t *testing.T) {
	dev := vktest.Device(t)
	look := &pipeline.Look{}
	v := view(1280, 1500, 1280, 0, -80, 64, 64, 1)
	for size, bytes := range map[int]int{33: 2, 129: 2, 257: 4} {
		s := newStage(t, dev, bakeWorld(t, hills(), size, 0, 0), 64, 64, vkterrain.Options{UploadBytes: -1})
		s.settle(v, look)
		st := s.ter.Stats()
		if st.IndexBytes != bytes*st.Indices || st.Triangles < 1000 {
			t.Errorf("tiles of %d²: %d indices in %d bytes", size, st.Indices, st.IndexBytes)
		}
		if c, err := s.ter.Check(); err != nil || c.Cracks > 0 || c.MeasuredErrorPx > 1 {
			t.Errorf("tiles of %d²: %+v %v", size, c, err)
		}
	}
}

// BenchmarkIndexSizes draws a frame with indices of 32 and of 16 bits in turn, and waits
// for each: many triangles in a small picture. It reports the median of the first and the
// median ratio.
func BenchmarkIndexSizes(b *testing.B) {
	dev := vktest.Device(b)
	f := testworld.Rough(1025, 1025, 4)
	path := bakeWorld(b, f, 129, 0, 0)
	for _, topology := range lodtest.Topologies {
		for _, tau := range []float64{0.25, 1} {
			b.Run(fmt.Sprintf("%v/tau%g", topology, tau), func(b *testing.B) {
				v, look := view(5000, 700, 9000, 0, -12, 320, 180, tau), &pipeline.Look{}
				var turns [2]*stage
				for i := range turns {
					turns[i] = newStage(b, dev, path, 320, 180, vkterrain.Options{Topology: topology, UploadBytes: -1, WideIndices: i == 0})
					turns[i].settle(v, look)
				}
				var frames, refines [2][]float64
				for b.Loop() {
					for i, s := range turns {
						start := time.Now()
						s.frame(v, look, true)
						frames[i] = append(frames[i], time.Since(start).Seconds()*1e3)
						refines[i] = append(refines[i], s.ter.Stats().Refine.Seconds()*1e3)
					}
				}
				st := turns[1].ter.Stats()
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(st.Triangles), "triangles")
				b.ReportMetric(float64(st.IndexBytes), "index-bytes")
				b.ReportMetric(middle(refines[0]), "refine-ms")
				b.ReportMetric(middle(ratios(refines[1], refines[0])), "refine-16:32")
				b.ReportMetric(middle(frames[0]), "frame-ms")
				b.ReportMetric(middle(ratios(frames[1], frames[0])), "frame-16:32")
			})
		}
	}
}

func middle(of []float64) float64 {
	if len(of) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}

func ratios(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	return out
}
