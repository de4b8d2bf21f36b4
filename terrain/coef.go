package terrain

import (
	"math"
	"runtime"
	"sync"
)

// Coefs are the activation coefficients of a height field: for every vertex of
// the padded grid the largest vertical distance between the full-resolution
// samples of its diamond and the two triangles that are drawn when the vertex
// is left out, nested by the maximum over its descendants.
//
// The published SOAR metric takes the vertical distance of the vertex alone and
// nests that; it underestimates the error of what is drawn by up to two times.
// This one is a bound. See Lindstrom and Pascucci, "Terrain Simplification
// Simplified", IEEE TVCG 8(3), 2002, for the hierarchy.
type Coefs struct {
	Width, Height int       // of the padded grid
	C             []float32 // metres, rounded up, row-major
	// Radius[o] bounds the distance in metres from any vertex of order o to
	// any of its descendants.
	Radius []float32
}

// At returns the coefficient of padded grid position (x, z) in metres. Tile
// corners and tile centres are roots: always active, their value unused.
func (c *Coefs) At(x, z int) float32 { return c.C[z*c.Width+x] }

// Coefficients computes the coefficients of f for tiles of cells×cells cells
// (a power of two, at least 2). The hierarchy ignores tile borders: a vertex on
// a seam has descendants in both tiles. workers ≤ 0 means all processors; the
// result does not depend on it.
func Coefficients(f *Field, cells, workers int) *Coefs {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	nx, nz := (max(f.Width-2, 0)/cells+1)*cells, (max(f.Height-2, 0)/cells+1)*cells
	s := coefSweep{
		f: f, cells: cells, nx: nx, nz: nz,
		out: &Coefs{Width: nx + 1, Height: nz + 1, C: make([]float32, (nx+1)*(nz+1))},
	}
	layout := LayoutFor(cells + 1)
	step := make([]float64, layout.Orders()) // largest distance to a child of order o-1, squared
	for order := range layout.Orders() {
		step[order] = s.order(order, workers)
	}
	s.out.Radius = make([]float32, layout.Orders())
	r := 0.0
	for order := 1; order < layout.Orders(); order++ {
		r += math.Sqrt(step[order])
		s.out.Radius[order] = roundUp32(r * (1 + 1e-6))
	}
	return s.out
}

// roundUp32 returns the least float32 that is not below v.
func roundUp32(v float64) float32 {
	f := float32(v)
	if float64(f) < v {
		f = math.Nextafter32(f, float32(math.Inf(1)))
	}
	return f
}

// coefSweep is one bottom-up pass over all orders.
type coefSweep struct {
	f      *Field
	cells  int
	nx, nz int // cells of the padded grid
	out    *Coefs
}

// order fills the coefficients of all vertices of one order and returns the
// largest squared distance in m² from one of them to a child.
func (s *coefSweep) order(order, workers int) float64 {
	step := 1 << (order / 2)
	first, rows := step, s.nz/(2*step) // white: odd multiples of step
	row := s.whiteRow
	if order%2 == 0 { // black: rows at all multiples
		first, rows = 0, s.nz/step+1
		row = s.blackRow
	}
	stride := step
	if order%2 == 1 {
		stride = 2 * step
	}
	far := make([]float64, rows)
	parallelRows(rows, workers, func(i int) { far[i] = row(first+i*stride, step) })
	most := 0.0
	for _, d := range far {
		most = max(most, d)
	}
	return most
}

// parallelRows calls do(0..n-1) from several goroutines.
func parallelRows(n, workers int, do func(i int)) {
	workers = min(workers, n)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				do(i)
			}
		})
	}
	wg.Wait()
}

// whiteRow handles the square centres (x, z), x odd multiples of step.
func (s *coefSweep) whiteRow(z, step int) (far float64) {
	for x := step; x < s.nx; x += 2 * step {
		c := 0.0
		if 2*step < s.cells { // tile centres are roots
			c = s.square(x, z, step)
		}
		for _, d := range [4][2]int{{-step, 0}, {step, 0}, {0, -step}, {0, step}} {
			c, far = s.child(x, z, x+d[0], z+d[1], c, far)
		}
		s.out.C[z*s.out.Width+x] = roundUp32(c)
	}
	return far
}

// blackRow handles the edge midpoints of row z. On rows at odd multiples of
// step the edges run north-south, on even ones east-west.
func (s *coefSweep) blackRow(z, step int) (far float64) {
	vertical := z/step%2 == 1
	first := step
	if vertical {
		first = 0
	}
	for x := first; x <= s.nx; x += 2 * step {
		var c float64
		if vertical {
			c = max(s.edge(x, z, 0, step, step), s.edge(x, z, 0, -step, step))
		} else {
			c = max(s.edge(x, z, step, 0, step), s.edge(x, z, -step, 0, step))
		}
		if h := step / 2; h > 0 {
			for _, d := range [4][2]int{{-h, -h}, {h, -h}, {-h, h}, {h, h}} {
				c, far = s.child(x, z, x+d[0], z+d[1], c, far)
			}
		}
		s.out.C[z*s.out.Width+x] = roundUp32(c)
	}
	return far
}

// child nests the coefficient of child (cx, cz) into c and its distance from
// parent (x, z) into far.
func (s *coefSweep) child(x, z, cx, cz int, c, far float64) (float64, float64) {
	if cx < 0 || cz < 0 || cx > s.nx || cz > s.nz {
		return c, far
	}
	c = max(c, float64(s.out.C[cz*s.out.Width+cx]))
	dy := float64(s.f.At(x, z)-s.f.At(cx, cz)) * s.f.Quantum
	px, pz := s.clamp(x, z)
	qx, qz := s.clamp(cx, cz)
	dx, dz := float64(px-qx)*s.f.Spacing, float64(pz-qz)*s.f.Spacing
	return c, max(far, float64(dx*dx)+float64(dy*dy)+float64(dz*dz))
}

func (s *coefSweep) clamp(x, z int) (int, int) { return min(x, s.f.Width-1), min(z, s.f.Height-1) }

// square returns the largest error in metres of the samples of the square
// around white vertex (x, z) against its two triangles. The hypotenuse runs
// through the centre of the square's parent square, the one of the four corners
// whose coordinates are both odd multiples of 2·step.
func (s *coefSweep) square(x, z, step int) float64 {
	sx, sz := 1, 1
	if (x+step)/(2*step)%2 == 0 {
		sx = -1
	}
	if (z+step)/(2*step)%2 == 0 {
		sz = -1
	}
	if x+step >= s.f.Width || z+step >= s.f.Height {
		a, b := point{x + sx*step, z + sz*step}, point{x - sx*step, z - sz*step}
		return max(
			s.triangle(a, b, point{x - sx*step, z + sz*step}),
			s.triangle(a, b, point{x + sx*step, z - sz*step}))
	}
	w, h := s.f.Width, s.f.Samples
	o := z*w + x
	du, dw := sx, sz*w // steps of the local axes u and v in the sample array
	hA, hB := int64(h[o+step*du+step*dw]), int64(h[o-step*du-step*dw])
	hC, hD := int64(h[o-step*du+step*dw]), int64(h[o+step*du-step*dw])
	// 2·step × the plane's height, exactly, so that no rounding enters.
	n := int64(2 * step)
	worst := int64(0)
	for v := -step; v <= step; v++ {
		at := o - step*du + v*dw
		// Triangle A, B, C from u = -step to v.
		plane := n*hC + (hB-hC)*int64(step-v)
		for range v + step + 1 {
			worst = max(worst, abs64(n*int64(h[at])-plane))
			plane += hA - hC
			at += du
		}
		// Triangle A, B, D from u = v to step.
		at -= du
		plane = n*hD + (hB-hD)*int64(step-v) + (hA-hD)*int64(v+step)
		for range step - v + 1 {
			worst = max(worst, abs64(n*int64(h[at])-plane))
			plane += hD - hB
			at += du
		}
	}
	return float64(worst) / float64(n) * s.f.Quantum
}

// edge returns the largest error in metres of the samples in one half of the
// diamond of black vertex (x, z): the triangle over the edge of half length
// step whose apex is at (x+ax, z+az). The edge is perpendicular to (ax, az).
func (s *coefSweep) edge(x, z, bx, bz, step int) float64 {
	// (bx, bz) points along the edge; the apex is a quarter turn from it.
	ax, az := -bz, bx
	if x+ax < 0 || z+az < 0 || x+ax > s.nx || z+az > s.nz {
		return 0
	}
	if max(x, x+ax, x+bx, x-bx) >= s.f.Width || max(z, z+az, z+bz, z-bz) >= s.f.Height {
		return s.triangle(point{x + bx, z + bz}, point{x - bx, z - bz}, point{x + ax, z + az})
	}
	w, h := s.f.Width, s.f.Samples
	o := z*w + x
	db, da := bx/step+bz/step*w, ax/step+az/step*w
	hL, hR, hT := int64(h[o-step*db]), int64(h[o+step*db]), int64(h[o+step*da])
	n := int64(2 * step)
	worst := int64(0)
	for v := 0; v <= step; v++ {
		reach := step - v
		at := o + v*da - reach*db
		plane := int64(step)*(hL+hR) - int64(reach)*(hR-hL) + int64(v)*(2*hT-hL-hR)
		for range 2*reach + 1 {
			worst = max(worst, abs64(n*int64(h[at])-plane))
			plane += hR - hL
			at += db
		}
	}
	return float64(worst) / float64(n) * s.f.Quantum
}

type point struct{ x, z int }

// triangle returns the largest error in metres of the source samples that lie
// in the triangle after its corners are clamped to the rim of the source; 0
// where nothing of it is left.
func (s *coefSweep) triangle(a, b, c point) float64 {
	ha, hb, hc := float64(s.f.At(a.x, a.z)), float64(s.f.At(b.x, b.z)), float64(s.f.At(c.x, c.z))
	for _, p := range []*point{&a, &b, &c} {
		p.x, p.z = s.clamp(p.x, p.z)
	}
	area := (b.x-a.x)*(c.z-a.z) - (c.x-a.x)*(b.z-a.z)
	if area == 0 {
		return 0
	}
	worst := 0.0
	for z := min(a.z, b.z, c.z); z <= max(a.z, b.z, c.z); z++ {
		for x := min(a.x, b.x, c.x); x <= max(a.x, b.x, c.x); x++ {
			wb := (x-a.x)*(c.z-a.z) - (c.x-a.x)*(z-a.z)
			wc := (b.x-a.x)*(z-a.z) - (x-a.x)*(b.z-a.z)
			if area < 0 {
				wb, wc = -wb, -wc
			}
			wa := max(area, -area) - wb - wc
			if wa < 0 || wb < 0 || wc < 0 {
				continue
			}
			plane := (float64(float64(wa)*ha) + float64(float64(wb)*hb) + float64(float64(wc)*hc)) / math.Abs(float64(area))
			worst = max(worst, math.Abs(float64(s.f.At(x, z))-plane))
		}
	}
	// The quotient is rounded: make up for it.
	return worst * (1 + 1e-12) * s.f.Quantum
}

func abs64(v int64) int64 { return max(v, -v) }
