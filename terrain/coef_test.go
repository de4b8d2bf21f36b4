package terrain_test

import (
	"math"
	"math/rand/v2"
	"slices"
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

// diamond calls do with the source samples of the diamond of vertex (x, z), found
// by the triangles between it and its parents, and returns its diameter in
// samples.
func diamond(f *terrain.Field, x, z, cells int, do func(at int)) float64 {
	order, s := orderOf(x, z)
	inside := func(px, pz int) bool {
		if order%2 == 1 {
			return max(px-x, x-px, pz-z, z-pz) <= s
		}
		return max(px-x, x-px)+max(pz-z, z-pz) <= s
	}
	for pz := max(0, z-s); pz <= min(f.Height-1, z+s); pz++ {
		for px := max(0, x-s); px <= min(f.Width-1, x+s); px++ {
			if inside(px, pz) {
				do(pz*f.Width + px)
			}
		}
	}
	if order%2 == 1 {
		return 2 * math.Sqrt2 * float64(s)
	}
	return 2 * float64(s)
}

// TestCoefficientsOfHoles: a diamond with holes and heights has at least its
// diameter, one of holes alone 0 but for its descendants, and where there is no
// hole nothing changes.
func TestCoefficientsOfHoles(t *testing.T) {
	const cells = 16
	f := rough(49, 65, 11)
	f.Void = make([]bool, len(f.Samples))
	for i := range f.Void {
		x, z := i%f.Width, i/f.Width
		f.Void[i] = z > 30 && x < 30 || x == 40 && z == 9
		if f.Void[i] {
			f.Samples[i] = 1 << 20 // no height near it may matter
		}
	}
	whole := rough(49, 65, 11)
	c, clean := terrain.Coefficients(f, cells, 0), terrain.Coefficients(whole, cells, 0)
	var mixed, empty, untouched int
	for z := range c.Height {
		for x := range c.Width {
			if x%(cells/2) == 0 && z%(cells/2) == 0 && (x/(cells/2)+z/(cells/2))%2 == 0 {
				continue // a root
			}
			var holes, heights int
			across := f.Spacing * diamond(f, x, z, cells, func(at int) {
				if f.Void[at] {
					holes++
				} else {
					heights++
				}
			})
			got := float64(c.At(x, z))
			switch order, _ := orderOf(x, z); {
			case holes > 0 && heights > 0:
				mixed++
				if got < across {
					t.Fatalf("c(%d,%d) is %v, the diamond %v m across", x, z, got, across)
				}
			case heights == 0 && order == 0:
				empty++
				if got != 0 {
					t.Fatalf("c(%d,%d) is %v, though there are only holes", x, z, got)
				}
			case order == 0:
				untouched++
				if want := float64(clean.At(x, z)); got < want || got > want*1.000001 {
					t.Fatalf("c(%d,%d) is %v, without the holes elsewhere %v", x, z, got, clean.At(x, z))
				}
			}
			for _, p := range testworld.Parents(x, z, cells) {
				if p[0] >= 0 && p[1] >= 0 && p[0] < c.Width && p[1] < c.Height && c.At(x, z) > c.At(p[0], p[1]) {
					t.Fatalf("c(%d,%d) is above its parent's", x, z)
				}
			}
		}
	}
	if mixed < 50 || empty < 300 || untouched < 500 {
		t.Fatalf("%d mixed, %d empty, %d untouched diamonds", mixed, empty, untouched)
	}
	// The heights of holes are made up: no coefficient may follow them.
	if m, bound := float64(slices.Max(c.C)), max(2*math.Sqrt2*cells/2*f.Spacing, float64(slices.Max(clean.C))); m > bound*1.000001 {
		t.Errorf("largest coefficient %v, above %v", m, bound)
	}
}

// TestCoefficientsOfParts: three by three tiles are all that the coefficients of a
// tile depend on.
func TestCoefficientsOfParts(t *testing.T) {
	const cells = 16
	f := rough(75, 90, 13)
	whole := terrain.Coefficients(f, cells, 0)
	nx, nz := (whole.Width-1)/cells, (whole.Height-1)/cells
	e, steps := make([]float32, (cells+1)*(cells+1)), make([]float64, 2*4)
	for tz := range nz {
		for tx := range nx {
			x0, z0, x1, z1 := max(tx-1, 0), max(tz-1, 0), min(tx+2, nx), min(tz+2, nz)
			width := (x1-x0)*cells + 1
			c := make([]float32, width*((z1-z0)*cells+1))
			for z := z0; z < z1; z++ {
				for x := x0; x < x1; x++ {
					part(f, x*cells, z*cells, cells+1).CoefErrors(x, z, cells, e, steps)
					terrain.AddCoefErrors(c[(z-z0)*cells*width+(x-x0)*cells:], width, e, cells)
				}
			}
			terrain.NestCoefs(c, x1-x0, z1-z0, cells)
			for z := range cells + 1 {
				for x := range cells + 1 {
					got := c[((tz-z0)*cells+z)*width+(tx-x0)*cells+x]
					if want := whole.At(tx*cells+x, tz*cells+z); got != want && (x%cells != 0 || z%cells != 0) {
						t.Fatalf("tile %d,%d: c(%d,%d) is %v, want %v", tx, tz, x, z, got, want)
					}
				}
			}
		}
	}
	if !slices.Equal(terrain.CoefRadius(steps), whole.Radius) {
		t.Errorf("radii %v, want %v", terrain.CoefRadius(steps), whole.Radius)
	}
}

// part returns a window of f that holds no more than a square of side samples.
func part(f *terrain.Field, x, z, side int) *terrain.Window {
	w := f.Window()
	w.X, w.Z, w.Columns, w.Rows = x, z, min(side, f.Width-x), min(side, f.Height-z)
	w.Samples = nil
	for r := range w.Rows {
		w.Samples = append(w.Samples, f.Samples[(z+r)*f.Width+x:][:w.Columns]...)
	}
	return w
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

// TestPlainTilesAreLikeAny compares the shorter way of whole tiles with the way of
// any tile: errors are not the same one by one, but what is nested of them is, to
// the last bit.
func TestPlainTilesAreLikeAny(t *testing.T) {
	for i := range 60 {
		rng := rand.New(rand.NewPCG(uint64(i), 1))
		cells, nx, nz := 2<<rng.IntN(6), 1+rng.IntN(3), 1+rng.IntN(3)
		f := &terrain.Field{Width: nx*cells + 1, Height: nz*cells + 1, Spacing: 10.3, Quantum: 0.1}
		for range f.Width * f.Height {
			f.Samples = append(f.Samples, rng.Int32N(1<<(1+rng.IntN(20)))-1000)
		}
		got := terrain.Coefficients(f, cells, 1)
		want, steps := make([]float32, len(got.C)), make([]float64, len(got.Radius))
		e := make([]float32, (cells+1)*(cells+1))
		for k := range nx * nz {
			f.Window().AnyTileErrors(k%nx, k/nx, cells, e, steps)
			terrain.AddCoefErrors(want[k/nx*cells*f.Width+k%nx*cells:], f.Width, e, cells)
		}
		terrain.NestCoefs(want, nx, nz, cells)
		if !slices.Equal(got.C, want) || !slices.Equal(got.Radius, terrain.CoefRadius(steps)) {
			t.Fatalf("case %d: %d×%d tiles of %d cells differ", i, nx, nz, cells)
		}
	}
}
