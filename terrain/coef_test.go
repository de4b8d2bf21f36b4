package terrain_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/terrain"
)

// rough is a small field with detail at every scale.
func rough(w, h int, seed uint64) *terrain.Field {
	rng := rand.New(rand.NewPCG(seed, 1))
	f := &terrain.Field{Width: w, Height: h, Spacing: 10, Quantum: 0.25, Samples: make([]int32, w*h)}
	for z := range h {
		for x := range w {
			v := 400*math.Sin(float64(x)/19)*math.Cos(float64(z)/23) + 30*math.Sin(float64(x*z)/50)
			f.Samples[z*w+x] = int32(v) + rng.Int32N(20)
		}
	}
	return f
}

func orderOf(x, z int) (order, s int) {
	for s = 1; (x|z)&s == 0; s *= 2 {
		order += 2
	}
	if x&s != 0 && z&s != 0 {
		order++
	}
	return order, s
}

func TestCoefficientsAreNested(t *testing.T) {
	for _, size := range [][2]int{{65, 65}, {50, 33}, {33, 71}} {
		const cells = 16
		f := rough(size[0], size[1], 7)
		c := terrain.Coefficients(f, cells, 0)
		pos := func(x, z int) (px, py, pz float64) {
			return float64(min(x, f.Width-1)) * f.Spacing, float64(f.At(x, z)) * f.Quantum, float64(min(z, f.Height-1)) * f.Spacing
		}
		links := 0
		for z := range c.Height {
			for x := range c.Width {
				if x%cells == 0 && z%cells == 0 {
					continue
				}
				order, _ := orderOf(x, z)
				for _, p := range testworld.Parents(x, z, cells) {
					if p[0] < 0 || p[1] < 0 || p[0] >= c.Width || p[1] >= c.Height {
						continue
					}
					links++
					if c.At(x, z) > c.At(p[0], p[1]) {
						t.Fatalf("%v: c(%d,%d)=%g above parent %v's %g", size, x, z, c.At(x, z), p, c.At(p[0], p[1]))
					}
					ax, ay, az := pos(x, z)
					bx, by, bz := pos(p[0], p[1])
					d := math.Sqrt((ax-bx)*(ax-bx) + (ay-by)*(ay-by) + (az-bz)*(az-bz))
					if float64(c.Radius[order])+d > float64(c.Radius[order+1]) {
						t.Fatalf("radius %d: %g + %g > %g", order, c.Radius[order], d, c.Radius[order+1])
					}
				}
			}
		}
		if links < c.Width*c.Height {
			t.Fatalf("only %d links checked", links)
		}
	}
}

// TestCoefficientsBoundTheError compares with a direct evaluation: the two
// triangles of each vertex, every source sample inside them by barycentric
// coordinates in float64.
func TestCoefficientsBoundTheError(t *testing.T) {
	for _, size := range [][2]int{{33, 33}, {29, 20}} {
		const cells = 16
		f := rough(size[0], size[1], 3)
		c := terrain.Coefficients(f, cells, 3)
		tight := 0
		for z := range c.Height {
			for x := range c.Width {
				if (x%cells == 0 && z%cells == 0) || (x%cells == cells/2 && z%cells == cells/2) {
					continue
				}
				order, s := orderOf(x, z)
				ps := testworld.Parents(x, z, cells)
				var l, r [2]int
				if order%2 == 1 { // hypotenuse is the other diagonal
					dx, dz := ps[0][0]-x, ps[0][1]-z
					l, r = [2]int{x - dz, z + dx}, [2]int{x + dz, z - dx}
				} else if x&s != 0 {
					l, r = [2]int{x - s, z}, [2]int{x + s, z}
				} else {
					l, r = [2]int{x, z - s}, [2]int{x, z + s}
				}
				want := 0.0
				for _, apex := range ps {
					if apex[0] >= 0 && apex[1] >= 0 && apex[0] < c.Width && apex[1] < c.Height {
						want = max(want, directError(f, l, r, apex))
					}
				}
				got := float64(c.At(x, z))
				if got < want {
					t.Fatalf("%v: c(%d,%d)=%g below the error %g", size, x, z, got, want)
				}
				if order == 0 && math.Abs(got-want) < 1e-3 {
					tight++
				}
			}
		}
		if tight < f.Width*f.Height/4 {
			t.Fatalf("only %d finest coefficients equal their error", tight)
		}
	}
}

func directError(f *terrain.Field, a, b, c [2]int) float64 {
	p := func(v [2]int) (x, y, z float64) {
		return float64(min(v[0], f.Width-1)), float64(f.At(v[0], v[1])) * f.Quantum, float64(min(v[1], f.Height-1))
	}
	ax, ay, az := p(a)
	bx, by, bz := p(b)
	cx, cy, cz := p(c)
	area := (bx-ax)*(cz-az) - (cx-ax)*(bz-az)
	if area == 0 {
		return 0
	}
	worst := 0.0
	for z := range f.Height {
		for x := range f.Width {
			wb := ((float64(x)-ax)*(cz-az) - (cx-ax)*(float64(z)-az)) / area
			wc := ((bx-ax)*(float64(z)-az) - (float64(x)-ax)*(bz-az)) / area
			if wb < 0 || wc < 0 || wb+wc > 1 {
				continue
			}
			h := ay + wb*(by-ay) + wc*(cy-ay)
			worst = max(worst, math.Abs(float64(f.At(x, z))*f.Quantum-h))
		}
	}
	return worst - 1e-9
}

func TestCoefficientsIgnoreWorkers(t *testing.T) {
	f := rough(100, 77, 5)
	a, b := terrain.Coefficients(f, 32, 1), terrain.Coefficients(f, 32, 7)
	for i := range a.C {
		if a.C[i] != b.C[i] {
			t.Fatalf("sample %d: %g with 1 worker, %g with 7", i, a.C[i], b.C[i])
		}
	}
}

func TestCoefUpNeverBelow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100000 {
		c := math.Exp(rng.Float64()*40 - 20)
		got := float64(terrain.CoefMetres(terrain.CoefUp(c)))
		if got < c || got > c*1.0079 {
			t.Fatalf("%g coded as %g", c, got)
		}
	}
	if terrain.CoefUp(0) != 0 || !math.IsInf(float64(terrain.CoefMetres(terrain.CoefUp(math.Inf(1)))), 1) {
		t.Fatal("0 or infinity not kept")
	}
}

func BenchmarkCoefficients(b *testing.B) {
	f := rough(1025, 1025, 1)
	for b.Loop() {
		terrain.Coefficients(f, 128, 1)
	}
	b.ReportMetric(float64(f.Width*f.Height)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Msamples/s")
}
