package progmesh_test

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
)

// puget returns the middle n×n samples of Puget Sound, 160 m apart.
func puget(t testing.TB, n int) *progmesh.Source {
	t.Helper()
	file, err := os.Open(shared.Path(t, "data/png16/ps_height_1k.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	picture, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	grey, ok := picture.(*image.Gray16)
	if !ok {
		t.Fatalf("%T", picture)
	}
	s := grid(n)
	first := (grey.Rect.Dx() - n) / 2
	for i := range s.Positions {
		x, z := i%n, i/n
		s.Positions[i] = [3]float32{float32(x) * 160, float32(grey.Gray16At(first+x, first+z).Y) / 10, float32(z) * 160}
	}
	return s
}

// processor returns the time that this process has had on a processor.
func processor(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkBuild makes the whole order of crops of Puget Sound. What others do on the
// machine counts less in the time on the processor than in that of the clock.
func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{65, 129, 257} {
		for _, cost := range []progmesh.Cost{progmesh.Quadric, progmesh.Melax} {
			b.Run(fmt.Sprintf("%v/%d", cost, n), func(b *testing.B) {
				s := puget(b, n)
				start := processor(b)
				for b.Loop() {
					build(b, s, progmesh.Options{Cost: cost})
				}
				vertices := float64(n*n) * float64(b.N)
				b.ReportMetric(vertices/b.Elapsed().Seconds(), "vertices/s")
				b.ReportMetric(vertices/(processor(b)-start).Seconds(), "vertices/cpu-s")
			})
		}
	}
}
