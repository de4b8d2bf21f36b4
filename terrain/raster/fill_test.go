package raster_test

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/terrain/raster"
)

// plane writes w×h numbers of a slope as f32le with holes.
func plane(t testing.TB, w, h int, hole func(x, y int) bool) string {
	var b []byte
	for y := range h {
		for x := range w {
			v := float32(2*x + 3*y - 50)
			if hole(x, y) {
				v = float32(math.NaN())
			}
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
	}
	return write(t, "plane.raw", b)
}

// TestFillPlane: a hole in a slope becomes the slope again.
func TestFillPlane(t *testing.T) {
	path := plane(t, 40, 30, func(x, y int) bool { return x > 10 && x < 20 && y > 8 && y < 16 || x == 30 && y == 3 })
	s, err := raster.Open(path, raster.Options{Raw: "40x30,f32le", Voids: raster.VoidsFill})
	if err != nil {
		t.Fatal(err)
	}
	if s.Filled != 9*7+1 || s.Quantum != 1 {
		t.Errorf("%d filled, quantum %v", s.Filled, s.Quantum)
	}
	for k, v := range s.Samples {
		x, y := k%40, k/40
		if d := int(v) - (2*x + 3*y - 50); d < -1 || d > 1 {
			t.Errorf("sample %d,%d is %d, %d off", x, y, v, d)
		}
	}
}

// TestFillBounds: no height that is made up leaves the range of the others.
func TestFillBounds(t *testing.T) {
	for _, hole := range []func(x, y int) bool{
		func(x, y int) bool { return x != 7 || y != 11 },
		func(x, y int) bool { return x > 3 },
		func(x, y int) bool { return y > 2 && y < 28 },
		func(x, y int) bool { return (x+y)%2 == 0 },
		func(x, y int) bool { return x*y%7 != 3 },
	} {
		path := plane(t, 33, 31, hole)
		var all []*raster.Source
		for range 2 {
			s, err := raster.Open(path, raster.Options{Raw: "33x31,f32le", Voids: raster.VoidsFill})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
		if !slices.Equal(all[0].Samples, all[1].Samples) {
			t.Error("the same voids are filled in two ways")
		}
		lo, hi := int32(math.MaxInt32), int32(math.MinInt32)
		for k := range all[0].Samples {
			if x, y := k%33, k/33; !hole(x, y) {
				v := int32(2*x + 3*y - 50)
				lo, hi = min(lo, v), max(hi, v)
				if all[0].Samples[k] != v {
					t.Fatalf("sample %d,%d is %d, was %d", x, y, all[0].Samples[k], v)
				}
			}
		}
		if a, b, _ := all[0].Field.Stats(); a != lo || b != hi {
			t.Errorf("%d to %d, was %d to %d", a, b, lo, hi)
		}
	}
}

// TestFillTile fills real voids and leaves the other samples alone.
func TestFillTile(t *testing.T) {
	r := openReader(t, shared.Path(t, "data/hgt/d_N46W122.hgt.gz"), raster.Options{Voids: raster.VoidsFill})
	s, err := r.Load()
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float64, s.Width)
	filled := int64(0)
	for y := range s.Height {
		if err := r.ReadRows(y, row); err != nil {
			t.Fatal(err)
		}
		for x, v := range row {
			if math.IsNaN(v) {
				filled++
			} else if s.At(x, y) != int32(v) {
				t.Fatalf("sample %d,%d is %d, was %v", x, y, s.At(x, y), v)
			}
		}
	}
	if lo, hi, _ := s.Field.Stats(); filled != 9033 || s.Filled != 9033 || lo != 263 || hi != 4371 || s.Quantum != 1 {
		t.Errorf("%d filled (%d), %d to %d × %v", s.Filled, filled, lo, hi, s.Quantum)
	}
}

func TestAllVoid(t *testing.T) {
	path := plane(t, 9, 9, func(x, y int) bool { return true })
	for _, v := range []raster.Voids{raster.VoidsReport, raster.VoidsFill, raster.VoidsHole} {
		_, err := raster.Open(path, raster.Options{Raw: "9x9,f32le", Voids: v})
		refused(t, err, "all 81 samples are voids")
	}
	if _, err := raster.Open(path, raster.Options{Raw: "9x9,f32le", Voids: "holes"}); err == nil {
		t.Error("holes are accepted")
	}
}

// TestNegativeZero is a height, not a void.
func TestNegativeZero(t *testing.T) {
	var b []byte
	for range 9 {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(math.Copysign(0, -1))))
	}
	s, err := raster.Open(write(t, "zero.raw", b), raster.Options{Raw: "3x3,f32le"})
	if err != nil || s.Filled != 0 || s.At(1, 1) != 0 {
		t.Errorf("%v, %v", s, err)
	}
}

// lace returns holes of all sizes, and a part that is nothing but one.
func lace(x, y int) bool {
	return x%17 < y%13 || (x-300)*(x-300)+(y-200)*(y-200) < 110*110 || x > 520 && y > 300
}

// TestFillBlocks: the heights that are made do not depend on the blocks in which
// they are.
func TestFillBlocks(t *testing.T) {
	const w, h = 601, 403
	path := plane(t, w, h, lace)
	for _, c := range []struct {
		cells  int
		blocks []int
	}{{1 << 24, []int{64, 8, 24, 608}}, {1000, []int{64, 32, 320, 608}}} {
		raster.SetFillBaseCells(t, c.cells)
		var want []int32
		for _, block := range c.blocks {
			p, err := openReader(t, path, raster.Options{Raw: "601x403,f32le", Voids: raster.VoidsFill}).Plan()
			if err != nil {
				t.Fatal(err)
			}
			p.SetFillBlock(block)
			got := make([]int32, w*h)
			if err := p.ReadRows(0, got, nil); err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			for k, v := range got {
				if x, y := k%w, k/w; v != want[k] {
					t.Fatalf("%d cells, blocks of %d: sample %d,%d is %d, want %d", c.cells, block, x, y, v, want[k])
				} else if plain := int32(2*x + 3*y - 50); !lace(x, y) && v != plain {
					t.Fatalf("sample %d,%d is %d, was %d", x, y, v, plain)
				}
			}
		}
	}
}

// TestFillRims: the heights in a void lie between those around it, so that there
// is no spike or pit in it.
func TestFillRims(t *testing.T) {
	path := shared.Path(t, "data/hgt/d_N46W122.hgt.gz")
	s, err := raster.Open(path, raster.Options{Voids: raster.VoidsHole})
	if err != nil {
		t.Fatal(err)
	}
	seen := make([]bool, len(s.Void))
	holes := 0
	for k, v := range s.Void {
		if !v || seen[k] {
			continue
		}
		holes++
		hole, lo, hi := outline(s, seen, k)
		for _, k := range hole {
			if h := s.Samples[k]; h < lo || h > hi {
				t.Errorf("sample %d,%d is %d, in a void of %d samples between %d and %d", k%s.Width, k/s.Width, h, len(hole), lo, hi)
			}
		}
	}
	if holes < 50 {
		t.Errorf("%d holes", holes)
	}
}

// outline returns the samples of the hole that k is in, and the lowest and the
// highest of the heights around it.
func outline(s *raster.Source, seen []bool, k int) (hole []int, lo, hi int32) {
	lo, hi = math.MaxInt32, math.MinInt32
	todo := []int{k}
	seen[k] = true
	for len(todo) > 0 {
		k := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !s.Void[k] {
			lo, hi = min(lo, s.Samples[k]), max(hi, s.Samples[k])
			continue
		}
		hole = append(hole, k)
		x, z := k%s.Width, k/s.Width
		for _, n := range [][2]int{{x - 1, z}, {x + 1, z}, {x, z - 1}, {x, z + 1}} {
			at := n[1]*s.Width + n[0]
			if n[0] < 0 || n[1] < 0 || n[0] >= s.Width || n[1] >= s.Height || seen[at] {
				continue
			}
			seen[at] = s.Void[at] // a rim is that of any hole beside it
			todo = append(todo, at)
		}
	}
	return hole, lo, hi
}
