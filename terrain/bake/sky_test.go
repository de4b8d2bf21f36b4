package bake_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
)

// TestSkyViewAgainstLooking looks from each sample along all directions.
func TestSkyViewAgainstLooking(t *testing.T) {
	f := testworld.Rough(61, 47, 5)
	got := bake.SkyView(f, 0, 0, f.Width, f.Height, false)
	for i, sky := range got {
		if want := 255 * looked(f, i%f.Width, i/f.Width); math.Abs(want-float64(sky)) > 1 {
			t.Fatalf("sample %d,%d sees %d, want %.1f", i%f.Width, i/f.Width, sky, want)
		}
	}
}

// TestSkyViewIgnoresWindows: what else is computed, and what is in memory, does
// not matter.
func TestSkyViewIgnoresWindows(t *testing.T) {
	f := testworld.Rough(bake.SkyReach+77, bake.SkyReach+211, 8)
	whole := bake.SkyView(f, 0, 0, f.Width, f.Height, false)
	rng := rand.New(rand.NewPCG(1, 9))
	for range 20 {
		x0, z0 := rng.IntN(f.Width-1), rng.IntN(f.Height-1)
		x1, z1 := x0+1+rng.IntN(min(140, f.Width-x0)), z0+1+rng.IntN(min(140, f.Height-z0))
		got := bake.SkyView(f, x0, z0, x1, z1, false)
		for i, v := range got {
			x, z := x0+i%(x1-x0), z0+i/(x1-x0)
			if want := whole[z*f.Width+x]; v != want {
				t.Fatalf("%d,%d to %d,%d: sample %d,%d sees %d, in the whole %d", x0, z0, x1, z1, x, z, v, want)
			}
		}
	}
}

// TestThinSkyView: where odd rows and columns are left out the others are the same.
func TestThinSkyView(t *testing.T) {
	f := testworld.Rough(431, 390, 3)
	for _, r := range [][4]int{{0, 0, 431, 390}, {34, 200, 301, 330}, {256, 64, 385, 193}} {
		whole, thin := bake.SkyView(f, r[0], r[1], r[2], r[3], false), bake.SkyView(f, r[0], r[1], r[2], r[3], true)
		for i, v := range thin {
			x, z := i%(r[2]-r[0]), i/(r[2]-r[0])
			want := whole[i]
			if x&1 != 0 || z&1 != 0 {
				want = 255
			}
			if v != want {
				t.Fatalf("%v: sample %d,%d sees %d, want %d", r, x, z, v, want)
			}
		}
	}
}

// TestSkyViewSeesFar: ridges beyond the near horizon count, nearly as if looked at
// one by one, and the seams of blocks and cells do not show.
func TestSkyViewSeesFar(t *testing.T) {
	f := testworld.Rough(2*bake.SkyReach, 2*bake.SkyReach, 4)
	for i := range f.Samples {
		x, z := i%f.Width, i/f.Width
		if ridge := 16000 - 200*max(x-40, 40-x); ridge > 0 { // 2 km at 10 m a sample
			f.Samples[i] += int32(ridge)
		}
		f.Samples[i] += int32(1500 * (1 + math.Sin(float64(x+2*z)/90)))
	}
	got := bake.SkyView(f, 0, 0, f.Width, f.Height, false)
	looks, off, shaded := 0, 0, 0
	for z := 3; z < f.Height; z += 41 {
		for x := 1; x < f.Width; x += 7 {
			d := math.Abs(float64(got[z*f.Width+x]) - 255*looked(f, x, z))
			if looks++; d > 5 {
				t.Fatalf("sample %d,%d sees %d, want %.1f", x, z, got[z*f.Width+x], 255*looked(f, x, z))
			}
			if d > 2 {
				off++
			}
			if x > 40+bake.SkyReach && got[z*f.Width+x] < 250 {
				shaded++
			}
		}
	}
	if off*10 > looks || shaded < 200 {
		t.Errorf("%d of %d samples off, %d shaded by the ridge", off, looks, shaded)
	}
}

// looked returns the share of the sky that a sample sees, looking along all
// directions.
func looked(f *terrain.Field, x0, z0 int) float64 {
	sky := 0.0
	for _, d := range bake.Directions() {
		steepest := 0.0
		length := math.Hypot(float64(d.DX), float64(d.DZ)) * f.Spacing
		for n := 1; ; n++ {
			x, z := x0+n*d.DX, z0+n*d.DZ
			if x < 0 || z < 0 || x >= f.Width || z >= f.Height {
				break
			}
			steepest = max(steepest, float64(f.At(x, z)-f.At(x0, z0))*f.Quantum/(float64(n)*length))
		}
		sky += d.Share / (1 + steepest*steepest)
	}
	return sky
}

func TestDirectionsAreTheWholeSky(t *testing.T) {
	all := bake.Directions()
	sum, x, z := 0.0, 0.0, 0.0
	for _, d := range all {
		l := math.Hypot(float64(d.DX), float64(d.DZ))
		sum, x, z = sum+d.Share, x+d.Share*float64(d.DX)/l, z+d.Share*float64(d.DZ)/l
	}
	if len(all) != 16 || math.Abs(sum-1) > 1e-3 || math.Abs(x) > 1e-9 || math.Abs(z) > 1e-9 {
		t.Errorf("%d directions with shares of %v, centre %v %v", len(all), sum, x, z)
	}
}

// BenchmarkSkyView analyses 2049×2049 samples; MB/s are millions of samples a
// second.
func BenchmarkSkyView(b *testing.B) {
	f := testworld.Rough(2049, 2049, 1)
	b.SetBytes(int64(len(f.Samples)))
	for b.Loop() {
		bake.SkyView(f, 0, 0, f.Width, f.Height, false)
	}
}
