package terrain

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
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
//
// # Holes
//
// A sample that is a hole has no height to be off, so it does not count in the
// distance. What counts is the outline of the holes. A diamond that holds both
// holes and heights gets at least its own horizontal diameter, in metres: 2·s for
// an edge midpoint of spacing s, 2·√2·s for a square centre. A diamond of nothing
// but holes gets 0.
//
// That bounds the outline by the same law as the heights. Take any point of the
// true outline, the border between the cells that touch a hole and those that do
// not, and a mesh in which not all vertices around it are active. The point lies
// in a triangle that is drawn, or left out, in place of finer ones: half of the
// diamond of the first vertex v on the way down that is not active. That diamond
// is mixed, because the point has a hole on one side and a height on the other,
// so c(v) is at least its diameter. Drawn or left out, the triangle's border is
// in the same diamond, and so no farther from the point than c(v). As v is not
// active, c(v) metres at its place are at most tau pixels. Of a diamond without a
// height nothing is ever drawn but what touches a mixed one, and one without a
// hole has no outline inside.
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
	nx, nz := max(f.Width-2, 0)/cells+1, max(f.Height-2, 0)/cells+1 // tiles
	c := &Coefs{Width: nx*cells + 1, Height: nz*cells + 1}
	c.C = make([]float32, c.Width*c.Height)
	w := coefWork{window: f.Window(), c: c, nx: nx, nz: nz, cells: cells, left: make([]int, nz)}
	w.nest = newNester(c.C, c.Width, c.Height, cells)
	w.steps = make([]float64, LayoutFor(cells+1).Orders())
	for i := range w.left {
		w.left[i] = nx
	}
	var wg sync.WaitGroup
	for range min(workers, nx*nz) {
		wg.Go(w.run)
	}
	wg.Wait()
	c.Radius = CoefRadius(w.steps)
	return c
}

// coefWork is what the workers of [Coefficients] share.
type coefWork struct {
	window        *Window
	c             *Coefs
	nx, nz, cells int
	next          atomic.Int64 // tile

	mu    sync.Mutex
	left  []int // tiles of each row that are still to be done
	ready int   // rows of tiles from the north that are done
	nest  *nester
	steps []float64
}

// run does one tile after the other, and nests rows of tiles as they are done: by
// then they have hardly left the cache.
func (w *coefWork) run() {
	e := make([]float32, (w.cells+1)*(w.cells+1))
	mine := make([]float64, len(w.steps))
	for {
		i := int(w.next.Add(1)) - 1
		if i >= w.nx*w.nz {
			break
		}
		tx, tz := i%w.nx, i/w.nx
		w.window.CoefErrors(tx, tz, w.cells, e, mine)
		w.mu.Lock()
		AddCoefErrors(w.c.C[tz*w.cells*w.c.Width+tx*w.cells:], w.c.Width, e, w.cells)
		w.left[tz]--
		for w.ready < w.nz && w.left[w.ready] == 0 {
			w.ready++
			rows := w.ready * w.cells
			if w.ready == w.nz {
				rows = w.c.Height
			}
			w.nest.advance(rows)
		}
		w.mu.Unlock()
	}
	w.mu.Lock()
	for o, d := range mine {
		w.steps[o] = max(w.steps[o], d)
	}
	w.mu.Unlock()
}

// The coefficients of a field that is not in memory are made in three steps.
// [Window.CoefErrors] computes the errors of a tile from the samples of the tile
// alone: the diamond of a vertex on a seam has one half in each tile.
// [AddCoefErrors] puts those of some tiles together, and [NestCoefs] nests them.
//
// A vertex of spacing s has its descendants within 2·s: a white one has its
// children at s, a black one at s/2 in both directions, and s halves every other
// order. The largest spacing of a vertex that is no root is half a tile. So the
// tiles around a tile are all that its coefficients depend on.

// CoefErrors fills e, (cells+1)² row by row, with the largest errors in metres
// that leaving out a vertex of tile (tx, tz) makes inside the tile, rounded up, but
// for what its descendants count as well; those of tile corners and of the tile's
// centre are 0. steps[o] is
// raised to the largest squared distance in m² from a vertex of order o to a
// child, both in the tile. w must hold the samples of the tile.
func (w *Window) CoefErrors(tx, tz, cells int, e []float32, steps []float64) {
	t := coefTile{w: w, cells: cells, x0: tx * cells, z0: tz * cells}
	t.holes = w.anyVoid(t.x0, t.z0, cells)
	clear(e)
	if !t.holes && t.x0+cells < w.Width && t.z0+cells < w.Height {
		p := plainTiles.Get().(*plainTile)
		p.errors(w, t.x0, t.z0, cells, e, steps)
		plainTiles.Put(p)
		return
	}
	t.errors(e, steps)
}

// errors fills e for all orders.
func (t *coefTile) errors(e []float32, steps []float64) {
	for order := range steps {
		step := 1 << (order / 2)
		if order%2 == 1 {
			t.whites(step, e, &steps[order])
		} else {
			t.blacks(step, e, &steps[order])
		}
	}
}

// AddCoefErrors raises the coefficients of the tile at the start of c, whose rows
// are width long, to e of [Window.CoefErrors].
func AddCoefErrors(c []float32, width int, e []float32, cells int) {
	for z := range cells + 1 {
		to, from := c[z*width:][:cells+1], e[z*(cells+1):][:cells+1]
		for x, v := range from {
			if v > to[x] {
				to[x] = v
			}
		}
	}
}

// NestCoefs raises every coefficient of nx×nz tiles to those of the vertex's
// descendants, as far as they are in c, which has nx·cells+1 columns.
func NestCoefs(c []float32, nx, nz, cells int) {
	newNester(c, nx*cells+1, nz*cells+1, cells).advance(nz*cells + 1)
}

// nester does the work of [NestCoefs] from north to south, as far as errors are
// there. Rows of one spacing follow those of half of it as closely as they can.
type nester struct {
	c             []float32
	width, height int
	tiers         []nestTier
}

// nestTier is the vertices of one spacing. Rows of black ones are multiples of it,
// those of white ones odd multiples.
type nestTier struct {
	step         int
	black, white int // the next row
}

func newNester(c []float32, width, height, cells int) *nester {
	n := &nester{c: c, width: width, height: height}
	for step := 1; step < cells; step *= 2 {
		n.tiers = append(n.tiers, nestTier{step: step, white: step})
	}
	return n
}

// advance nests what depends on no row from the given one on.
func (n *nester) advance(rows int) {
	for k := range n.tiers {
		t := &n.tiers[k]
		if k == 0 {
			t.black = rows // they have no children
		} else {
			below, half := &n.tiers[k-1], t.step/2
			for t.black < rows && (t.black+half >= n.height || t.black+half < below.white) {
				n.blacks(t.black, t.step)
				t.black += t.step
			}
		}
		for t.white < n.height && t.white+t.step < t.black {
			n.whites(t.white, t.step)
			t.white += 2 * t.step
		}
	}
}

// whites nests the square centres of spacing step of row z.
func (n *nester) whites(z, step int) {
	c, down := n.c, step*n.width
	for i := z*n.width + step; i < (z+1)*n.width; i += 2 * step {
		c[i] = max(c[i], c[i-step], c[i+step], c[i-down], c[i+down])
	}
}

// blacks nests the edge midpoints of spacing step, at least 2, of row z.
func (n *nester) blacks(z, step int) {
	h, x := step/2, step
	if z/step%2 == 1 {
		x = 0
	}
	for ; x < n.width; x += 2 * step {
		i := z*n.width + x
		v := n.c[i]
		for _, dz := range [2]int{-h, h} {
			if z+dz < 0 || z+dz >= n.height {
				continue
			}
			if j := i + dz*n.width; x == 0 {
				v = max(v, n.c[j+h])
			} else if x == n.width-1 {
				v = max(v, n.c[j-h])
			} else {
				v = max(v, n.c[j-h], n.c[j+h])
			}
		}
		n.c[i] = v
	}
}

// CoefRadius returns r of the activation law by order from the squared distances
// that [Window.CoefErrors] found in all tiles.
func CoefRadius(steps []float64) []float32 {
	radius := make([]float32, len(steps))
	r := 0.0
	for order := 1; order < len(steps); order++ {
		r += math.Sqrt(steps[order])
		radius[order] = roundUp32(r * (1 + 1e-6))
	}
	return radius
}

// roundUp32 returns the least float32 that is not below v.
func roundUp32(v float64) float32 {
	f := float32(v)
	if float64(f) < v {
		f = math.Nextafter32(f, float32(math.Inf(1)))
	}
	return f
}

// coefTile is the work on the errors of one tile.
type coefTile struct {
	w      *Window
	cells  int
	x0, z0 int
	holes  bool // there are some in the tile
}

// whites handles the square centres of spacing step.
func (t *coefTile) whites(step int, e []float32, far *float64) {
	for z := step; z < t.cells; z += 2 * step {
		for x := step; x < t.cells; x += 2 * step {
			gx, gz := t.x0+x, t.z0+z
			if 2*step < t.cells { // tile centres are roots
				e[z*(t.cells+1)+x] = roundUp32(t.square(gx, gz, step))
			}
			for _, d := range [4][2]int{{-step, 0}, {step, 0}, {0, -step}, {0, step}} {
				*far = max(*far, t.distance(gx, gz, gx+d[0], gz+d[1]))
			}
		}
	}
}

// blacks handles the edge midpoints of spacing step: on rows at odd multiples of
// step the edges run north-south, on even ones east-west.
func (t *coefTile) blacks(step int, e []float32, far *float64) {
	for z := 0; z <= t.cells; z += step {
		bx, bz := step, 0
		x := step
		if z/step%2 == 1 {
			x, bx, bz = 0, 0, step
		}
		for ; x <= t.cells; x += 2 * step {
			gx, gz := t.x0+x, t.z0+z
			var c float64
			// The apex is a quarter turn from (bx, bz).
			if t.inside(x-bz, z+bx) {
				c = t.edge(gx, gz, bx, bz, step)
			}
			if t.inside(x+bz, z-bx) {
				c = max(c, t.edge(gx, gz, -bx, -bz, step))
			}
			e[z*(t.cells+1)+x] = roundUp32(c)
			h := step / 2
			if h == 0 {
				continue
			}
			for _, d := range [4][2]int{{-h, -h}, {h, -h}, {-h, h}, {h, h}} {
				if t.inside(x+d[0], z+d[1]) {
					*far = max(*far, t.distance(gx, gz, gx+d[0], gz+d[1]))
				}
			}
		}
	}
}

func (t *coefTile) inside(x, z int) bool { return x >= 0 && z >= 0 && x <= t.cells && z <= t.cells }

// distance returns the squared distance in m² from vertex (x, z) to its child.
func (t *coefTile) distance(x, z, cx, cz int) float64 {
	dy := float64(t.w.At(x, z)-t.w.At(cx, cz)) * t.w.Quantum
	px, pz := t.w.clamp(x, z)
	qx, qz := t.w.clamp(cx, cz)
	dx, dz := float64(px-qx)*t.w.Spacing, float64(pz-qz)*t.w.Spacing
	return float64(dx*dx) + float64(dy*dy) + float64(dz*dz)
}

// square returns the largest error in metres of the samples of the square
// around white vertex (x, z) against its two triangles. The hypotenuse runs
// through the centre of the square's parent square, the one of the four corners
// whose coordinates are both odd multiples of 2·step.
func (t *coefTile) square(x, z, step int) float64 {
	sx, sz := 1, 1
	if (x+step)/(2*step)%2 == 0 {
		sx = -1
	}
	if (z+step)/(2*step)%2 == 0 {
		sz = -1
	}
	if t.holes || x+step >= t.w.Width || z+step >= t.w.Height {
		a, b := point{x + sx*step, z + sz*step}, point{x - sx*step, z - sz*step}
		across := 2 * math.Sqrt2 * float64(step) * t.w.Spacing
		return max(
			t.triangle(a, b, point{x - sx*step, z + sz*step}, across),
			t.triangle(a, b, point{x + sx*step, z - sz*step}, across))
	}
	w, h := t.w.Columns, t.w.Samples
	o := t.w.index(x, z)
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
	return float64(worst) / float64(n) * t.w.Quantum
}

// edge returns the largest error in metres of the samples in one half of the
// diamond of black vertex (x, z): the triangle over the edge of half length
// step from (x-bx, z-bz) to (x+bx, z+bz), whose apex is a quarter turn from that.
func (t *coefTile) edge(x, z, bx, bz, step int) float64 {
	ax, az := -bz, bx
	if t.holes || max(x, x+ax, x+bx, x-bx) >= t.w.Width || max(z, z+az, z+bz, z-bz) >= t.w.Height {
		across := 2 * float64(step) * t.w.Spacing
		return t.triangle(point{x + bx, z + bz}, point{x - bx, z - bz}, point{x + ax, z + az}, across)
	}
	w, h := t.w.Columns, t.w.Samples
	o := t.w.index(x, z)
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
	return float64(worst) / float64(n) * t.w.Quantum
}

type point struct{ x, z int }

// triangle returns the largest error in metres of the source samples that lie
// in the triangle after its corners are clamped to the rim of the source; 0
// where nothing of it is left. Where the triangle holds holes and heights, it
// is at least across; a triangle with a hole for a corner is never drawn, and no
// sample is off it.
func (t *coefTile) triangle(a, b, c point, across float64) float64 {
	ha, hb, hc := float64(t.w.At(a.x, a.z)), float64(t.w.At(b.x, b.z)), float64(t.w.At(c.x, c.z))
	drawn := !t.holes || !t.w.IsVoid(a.x, a.z) && !t.w.IsVoid(b.x, b.z) && !t.w.IsVoid(c.x, c.z)
	for _, p := range []*point{&a, &b, &c} {
		p.x, p.z = t.w.clamp(p.x, p.z)
	}
	area := (b.x-a.x)*(c.z-a.z) - (c.x-a.x)*(b.z-a.z)
	if area == 0 {
		return 0
	}
	worst := 0.0
	holes, heights := false, false
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
			if t.holes && t.w.IsVoid(x, z) {
				holes = true
				continue
			}
			if heights = true; !drawn {
				continue
			}
			plane := (float64(float64(wa)*ha) + float64(float64(wb)*hb) + float64(float64(wc)*hc)) / math.Abs(float64(area))
			worst = max(worst, math.Abs(float64(t.w.At(x, z))-plane))
		}
	}
	// The quotient is rounded: make up for it.
	worst *= (1 + 1e-12) * t.w.Quantum
	if holes && heights {
		worst = max(worst, across)
	}
	return worst
}

func abs64(v int64) int64 { return max(v, -v) }
