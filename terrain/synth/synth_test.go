package synth_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/synth"
)

func generate(t testing.TB, o synth.Options) *terrain.Field {
	t.Helper()
	f, err := synth.Generate(context.Background(), o)
	if err != nil {
		t.Fatalf("%d x %d, seed %d: %v", o.Width, o.Height, o.Seed, err)
	}
	return f
}

func sum(f *terrain.Field) string {
	h := sha256.New()
	if err := binary.Write(h, binary.LittleEndian, f.Samples); err != nil {
		panic(err)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// The golden sum freezes a world that passes through two resolutions. Change
// it only with a change that means to make other worlds.
func TestFrozen(t *testing.T) {
	const want = "0021e87c861cc80ded4ec52cbe993593009328871da5da77dad936eaa162f12b"
	o := synth.Options{Width: 401, Height: 333, Spacing: 120, Seed: 7}
	for _, procs := range []int{2, 1, 5} {
		if testing.Short() && procs != 2 {
			continue
		}
		old := runtime.GOMAXPROCS(procs)
		got := sum(generate(t, o))
		runtime.GOMAXPROCS(old)
		if got != want {
			t.Errorf("with %d processors: sum %s, want %s", procs, got, want)
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	seen := map[string]uint64{}
	for seed := range uint64(6) {
		s := sum(generate(t, synth.Options{Width: 65, Height: 65, Spacing: 900, Seed: seed}))
		if other, ok := seen[s]; ok {
			t.Errorf("seeds %d and %d give the same world", other, seed)
		}
		seen[s] = seed
	}
}

func TestAnySize(t *testing.T) {
	for _, c := range []struct {
		w, h    int
		spacing float64
	}{
		{2, 2, 0}, {2, 3, 1e5}, {3, 700, 0}, {700, 3, 0.01}, {301, 299, 10}, {1000, 333, 60}, {64, 64, 5000},
	} {
		if testing.Short() && c.w*c.h > 10000 {
			continue
		}
		f := generate(t, synth.Options{Width: c.w, Height: c.h, Spacing: c.spacing, Seed: 3})
		if f.Width != c.w || f.Height != c.h || len(f.Samples) != c.w*c.h {
			t.Errorf("asked for %d x %d, got %d x %d with %d samples", c.w, c.h, f.Width, f.Height, len(f.Samples))
		}
		lo, hi, _ := f.Stats()
		if lo := float64(lo) * f.Quantum; lo < -1500 {
			t.Errorf("%d x %d: lowest %.0f m", c.w, c.h, lo)
		}
		if hi := float64(hi) * f.Quantum; hi > 6000 {
			t.Errorf("%d x %d: highest %.0f m", c.w, c.h, hi)
		}
	}
}

func TestRejects(t *testing.T) {
	for _, o := range []synth.Options{
		{Width: 1}, {Height: -5}, {Width: 1 << 20, Height: 1 << 20}, {Width: math.MaxInt, Height: math.MaxInt},
		{Spacing: -1}, {Spacing: math.NaN()}, {Spacing: math.Inf(1)}, {Quantum: -1}, {Quantum: math.NaN()},
	} {
		if _, err := synth.Generate(context.Background(), o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	_, err := synth.Generate(ctx, synth.Options{Width: 257, Height: 257, Progress: func(float64) {
		if calls++; calls == 3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || calls != 3 {
		t.Errorf("after %d calls of Progress: %v", calls, err)
	}
}

func TestProgress(t *testing.T) {
	last := 0.0
	generate(t, synth.Options{Width: 400, Height: 50, Progress: func(done float64) {
		if done < last || done > 1 {
			t.Errorf("progress %g after %g", done, last)
		}
		last = done
	}})
	if last != 1 {
		t.Errorf("progress ends at %g", last)
	}
}

// What any map of real land shows, for some seeds: a sea of reasonable size,
// gentle ground on the whole, no overhanging cliffs, no pits and no spikes.
func TestLandLike(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	seeds := []uint64{1, 2, 3, 5, 7}
	for _, seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			f := generate(t, synth.Options{Width: 513, Height: 513, Spacing: 120, Seed: seed})
			lo, hi, _ := f.Stats()
			low, high := float64(lo)*f.Quantum, float64(hi)*f.Quantum
			m := measure(f)
			t.Logf("%.0f to %.0f m, sea %.2f, slopes: median %.1f°, 99 %% %.1f°, most %.1f°, pits %d, spike %.1f m",
				low, high, m.sea, m.median, m.p99, m.most, m.pits, m.spike)
			if low > -150 || low < -500 || high < 1500 || high > 4000 {
				t.Errorf("heights from %.0f to %.0f m", low, high)
			}
			if m.sea < 0.10 || m.sea > 0.45 {
				t.Errorf("the sea has a share of %.2f", m.sea)
			}
			if m.median > 20 || m.p99 > 58 || m.most > 75 {
				t.Errorf("slopes: median %.1f°, 99 %% %.1f°, most %.1f°", m.median, m.p99, m.most)
			}
			if m.pits > 0 {
				t.Errorf("%d samples on land lie below all their neighbours", m.pits)
			}
			if m.spike > 80 {
				t.Errorf("a sample stands %.0f m above all its neighbours", m.spike)
			}
		})
	}
}

type measures struct {
	sea, median, p99, most, spike float64
	pits                          int
}

func measure(f *terrain.Field) (m measures) {
	var slopes []float64
	for z := 1; z < f.Height-1; z++ {
		for x := 1; x < f.Width-1; x++ {
			h := f.At(x, z)
			if h < 0 {
				m.sea++
				continue
			}
			around := []int32{
				f.At(x-1, z-1), f.At(x, z-1), f.At(x+1, z-1), f.At(x-1, z),
				f.At(x+1, z), f.At(x-1, z+1), f.At(x, z+1), f.At(x+1, z+1),
			}
			if h < slices.Min(around) {
				m.pits++
			}
			m.spike = max(m.spike, float64(h-slices.Max(around))*f.Quantum)
			dx := float64(f.At(x+1, z)-f.At(x-1, z)) * f.Quantum / (2 * f.Spacing)
			dz := float64(f.At(x, z+1)-f.At(x, z-1)) * f.Quantum / (2 * f.Spacing)
			slopes = append(slopes, math.Atan(math.Hypot(dx, dz))*180/math.Pi)
		}
	}
	slices.Sort(slopes)
	n := len(slopes)
	m.sea /= m.sea + float64(n)
	m.median, m.p99, m.most = slopes[n/2], slopes[n*99/100], slopes[n-1]
	return m
}

// One extent looks alike at any resolution.
func TestSameLandAtAnyResolution(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	a := generate(t, synth.Options{Width: 257, Height: 257, Spacing: 240, Seed: 1})
	b := generate(t, synth.Options{Width: 513, Height: 513, Spacing: 120, Seed: 1})
	off := 0.0
	for z := range a.Height {
		for x := range a.Width {
			off += math.Abs(float64(a.At(x, z)-b.At(2*x, 2*z))) * a.Quantum
		}
	}
	off /= float64(len(a.Samples))
	if off > 90 {
		t.Errorf("on average %.0f m apart", off)
	}
	t.Logf("on average %.0f m apart", off)
}

func BenchmarkGenerate(b *testing.B) {
	for _, n := range []int{257, 513, 1025, 2049} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				generate(b, synth.Options{Width: n, Height: n, Spacing: 61440 / float64(n-1), Seed: 1})
			}
			b.ReportMetric(float64(n*n)*float64(b.N)/b.Elapsed().Seconds(), "samples/s")
		})
	}
}
