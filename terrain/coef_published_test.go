//go:build unix

package terrain_test

import (
	"math"
	"syscall"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/terrain"
)

// published is the record of a vertex of the article: its place, the nested error
// of the vertex alone, and the nested radius.
type published struct{ x, y, z, e, r float32 }

// publishedNesting computes e and r of a square field of 2^k+1 samples a side by two
// sweeps a level, as the SOAR article does.
func publishedNesting(f *terrain.Field) []published {
	n := f.Width - 1
	v := make([]published, len(f.Samples))
	for i, h := range f.Samples {
		v[i] = published{x: float32(float64(i%f.Width) * f.Spacing), y: float32(float64(h) * f.Quantum), z: float32(float64(i/f.Width) * f.Spacing)}
	}
	at := func(x, z int) *published { return &v[z*f.Width+x] }
	nest := func(p, c *published) {
		p.e = max(p.e, c.e)
		dx, dy, dz := p.x-c.x, p.y-c.y, p.z-c.z
		p.r = max(p.r, float32(math.Sqrt(float64(dx*dx+dy*dy+dz*dz)))+c.r)
	}
	for s := 1; s < n; s *= 2 {
		for z := 0; z <= n; z += s { // edge midpoints
			for x := s - z%(2*s); x <= n; x += 2 * s {
				p := at(x, z)
				if z%(2*s) == 0 {
					p.e = float32(math.Abs(float64(p.y - (at(x-s, z).y+at(x+s, z).y)/2)))
				} else {
					p.e = float32(math.Abs(float64(p.y - (at(x, z-s).y+at(x, z+s).y)/2)))
				}
				if h := s / 2; h > 0 {
					for _, d := range [4][2]int{{-h, -h}, {h, -h}, {-h, h}, {h, h}} {
						if x+d[0] >= 0 && z+d[1] >= 0 && x+d[0] <= n && z+d[1] <= n {
							nest(p, at(x+d[0], z+d[1]))
						}
					}
				}
			}
		}
		for z := s; z < n; z += 2 * s { // square centres
			for x := s; x < n; x += 2 * s {
				p := at(x, z)
				if (x/s/2+z/s/2)%2 == 0 {
					p.e = float32(math.Abs(float64(p.y - (at(x-s, z-s).y+at(x+s, z+s).y)/2)))
				} else {
					p.e = float32(math.Abs(float64(p.y - (at(x+s, z-s).y+at(x-s, z+s).y)/2)))
				}
				for _, d := range [4][2]int{{-s, 0}, {s, 0}, {0, -s}, {0, s}} {
					nest(p, at(x+d[0], z+d[1]))
				}
			}
		}
	}
	return v
}

// processorTime returns what the program has used so far, by all threads.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkBesidePublished compares the time of true coefficients with that of the
// published nesting of the same field, and of a large field with that of a small one.
// It is the least processor time of several, in turns: a machine that has other work
// to do leaves none of them undisturbed.
func BenchmarkBesidePublished(b *testing.B) {
	small, large := rough(1025, 1025, 1), rough(4097, 4097, 1)
	best := [3]time.Duration{math.MaxInt64, math.MaxInt64, math.MaxInt64}
	measure := func(i int, work func()) {
		start := processorTime(b)
		work()
		best[i] = min(best[i], processorTime(b)-start)
	}
	for b.Loop() {
		for range 5 {
			measure(0, func() { terrain.Coefficients(small, 128, 1) })
			measure(1, func() { publishedNesting(small) })
		}
		measure(2, func() { terrain.Coefficients(large, 128, 1) })
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(best[0].Seconds()*1e3, "ms")
	b.ReportMetric(best[1].Seconds()*1e3, "published-ms")
	b.ReportMetric(best[0].Seconds()/best[1].Seconds(), "times-published")
	b.ReportMetric(best[2].Seconds()*float64(len(small.Samples))/float64(len(large.Samples))/best[0].Seconds(), "large/small")
}
