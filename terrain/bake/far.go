package bake

import (
	"math"
	"sync"
)

// farView is what can be seen far away: for each cell of a coarse grid of the
// whole field, which has the mean height of its samples, and each direction the
// obstacle that is highest above the cell's horizon, among the cells at least
// nearReach samples away.
//
// A sample takes the obstacles of the four cells around it, as seen from its own
// height, and interpolates: so the far horizon has no steps where cells meet. On
// real terrain the sky view is 1 of 255 off that of an exact horizon in one sample
// of ten or fewer, and hardly ever more.
type farView struct {
	factor        int // samples a cell, a side
	width, height int // cells
	mean          []int32
	sum           []int64 // of the heights of a cell, while rows are added

	// steps[d] says of each cell how many steps against direction d the obstacle
	// is; 0 where none stands above the horizon.
	steps [][]uint16
}

// farFactor is the least number of samples a side of a coarse cell, and farCells
// the number of cells that makes it twice as large.
const (
	farFactor = 16
	farCells  = 1100 * 1100
)

func newFarView(width, height int) *farView {
	f := &farView{factor: farFactor}
	for ceilDiv(width, f.factor)*ceilDiv(height, f.factor) > farCells {
		f.factor *= 2
	}
	f.width, f.height = ceilDiv(width, f.factor), ceilDiv(height, f.factor)
	n := f.width * f.height
	f.mean, f.sum = make([]int32, n), make([]int64, n)
	return f
}

// bytes returns what f takes in memory at most.
func (f *farView) bytes() int64 { return int64(f.width*f.height) * (12 + 2*16) }

// add takes in row z of the field.
func (f *farView) add(z int, row []int32) {
	cells := z / f.factor * f.width
	for c := range f.width {
		sum := int64(0)
		for _, h := range row[c*f.factor : min((c+1)*f.factor, len(row))] {
			sum += int64(h)
		}
		f.sum[cells+c] += sum
	}
}

// finish finds the obstacles once all rows of the field were added.
func (f *farView) finish(width, height, workers int) {
	for i := range f.mean {
		x, z := i%f.width*f.factor, i/f.width*f.factor
		n := (min(x+f.factor, width) - x) * (min(z+f.factor, height) - z)
		f.mean[i] = int32(floorDiv(int(f.sum[i]), n))
	}
	f.sum = nil
	f.steps = make([][]uint16, len(directions))
	var wg sync.WaitGroup
	for part := range min(workers, len(directions)) {
		wg.Go(func() {
			for d := part; d < len(directions); d += workers {
				f.steps[d] = f.sweep(directions[d])
			}
		})
	}
	wg.Wait()
}

// sweep finds the obstacles of one direction.
func (f *farView) sweep(d direction) []uint16 {
	steps := make([]uint16, f.width*f.height)
	var hull []hullPoint
	for z := range f.height {
		for x := range f.width {
			if bx, bz := x-d.dx, z-d.dz; bx >= 0 && bz >= 0 && bx < f.width && bz < f.height {
				continue // not the first of its line
			}
			hull = f.line(d, x, z, steps, hull[:0])
		}
	}
	return steps
}

// line finds the obstacles of the cells of one line.
func (f *farView) line(d direction, x, z int, steps []uint16, hull []hullPoint) []hullPoint {
	apart := max(1, ceilDiv(nearReach, f.factor*max(abs(d.dx), abs(d.dz))))
	n := min(stepsInside(x, d.dx, f.width), stepsInside(z, d.dz, f.height))
	stride := d.dz*f.width + d.dx
	at := z*f.width + x
	for i := range n {
		if i >= apart {
			p := hullPoint{int64(i - apart), int64(f.mean[at-apart*stride])}
			hull = append(tangent(hull, p), p)
		}
		steps[at] = highest(hull, int64(i), int64(f.mean[at]))
		at += stride
	}
	return hull
}

// hullPoint is a cell of a line: how many steps along and how high.
type hullPoint struct{ at, height int64 }

// tangent drops the hull points below the line from p to the one before them.
func tangent(hull []hullPoint, p hullPoint) []hullPoint {
	for len(hull) >= 2 {
		a, b := hull[len(hull)-2], hull[len(hull)-1]
		if (a.height-p.height)*(p.at-b.at) < (b.height-p.height)*(p.at-a.at) {
			break
		}
		hull = hull[:len(hull)-1]
	}
	return hull
}

// highest returns how far before at the point of hull is that stands highest
// above the horizon of height; 0 if none does.
func highest(hull []hullPoint, at, height int64) uint16 {
	k := len(hull) - 1
	if k < 0 {
		return 0
	}
	for ; k > 0; k-- { // going back the hull rises up to the tangent, then falls
		a, b := hull[k-1], hull[k]
		if (a.height-height)*(at-b.at) < (b.height-height)*(at-a.at) {
			break
		}
	}
	if hull[k].height <= height {
		return 0
	}
	return uint16(min(at-hull[k].at, math.MaxUint16))
}

// stepsInside returns how many positions v, v+d, v+2d... lie in 0..n-1.
func stepsInside(v, d, n int) int {
	switch {
	case d > 0:
		return (n-1-v)/d + 1
	case d < 0:
		return v/-d + 1
	}
	return math.MaxInt
}

// farPatch is the far horizon around a rectangle of samples, in one direction. A
// cell's obstacle of height H at distance D has the slope H/D - h/D for a sample of
// height h, which is linear in h: both quotients are interpolated.
type farPatch struct {
	x0, z0, width int       // cells
	rise, per     []float64 // H/D, in quanta a step, and 1/D of each cell
	column        []int32   // of the cell to the west, of each sample of a row
	share         []float64 // of the cell to the east
	rowRise       []float64 // of one row of samples, of each column of cells
	rowPer        []float64
}

// raise raises slope to the far horizon of direction number n.
func (h *horizons) raise(n int, d direction) {
	f, p, r := h.far, &h.patch, h.r
	if !p.load(f, r, n, d) {
		return
	}
	scale := h.w.Quantum / (d.length() * h.w.Spacing * float64(f.factor))
	for z := r.z0; z < r.z1; z += h.every {
		if !p.row(f, z) {
			continue
		}
		slope := h.slope[(z-r.z0)*r.width():][:r.width()]
		samples := h.w.Samples[(z-h.w.Z)*h.w.Columns+r.x0-h.w.X:][:r.width()]
		for x := 0; x < len(samples); x += h.every {
			s, c := samples[x], p.column[x]
			per := p.rowPer[c] + float64((p.rowPer[c+1]-p.rowPer[c])*p.share[x])
			if per == 0 {
				continue
			}
			rise := p.rowRise[c] + float64((p.rowRise[c+1]-p.rowRise[c])*p.share[x])
			if t := (rise - float64(per*float64(s))) * scale; t > float64(slope[x]) {
				slope[x] = float32(t)
			}
		}
	}
}

// coarse returns the coarse cell whose centre is at or before sample v, and how
// far v is on the way to the next centre.
func (f *farView) coarse(v int) (cell int, share float64) {
	twice := 2*v - (f.factor - 1)
	cell = floorDiv(twice, 2*f.factor)
	return cell, float64(twice-2*f.factor*cell) / float64(2*f.factor)
}

// load fetches the obstacles of direction number n around r; it returns false
// where there are none.
func (p *farPatch) load(f *farView, r rect, n int, d direction) bool {
	p.x0, _ = f.coarse(r.x0)
	p.z0, _ = f.coarse(r.z0)
	x1, _ := f.coarse(r.x1 - 1)
	z1, _ := f.coarse(r.z1 - 1)
	p.width = x1 + 2 - p.x0
	rows := z1 + 2 - p.z0
	p.rise, p.per = resized(p.rise, p.width*rows), resized(p.per, p.width*rows)
	p.rowRise, p.rowPer = resized(p.rowRise, p.width), resized(p.rowPer, p.width)
	any := false
	for i := range p.rise {
		x, z := min(max(p.x0+i%p.width, 0), f.width-1), min(max(p.z0+i/p.width, 0), f.height-1)
		at := z*f.width + x
		p.rise[i], p.per[i] = 0, 0
		if s := int(f.steps[n][at]); s > 0 {
			any = true
			p.per[i] = 1 / float64(s)
			p.rise[i] = float64(f.mean[at-s*(d.dz*f.width+d.dx)]) / float64(s)
		}
	}
	p.column, p.share = resized(p.column, r.width()), resized(p.share, r.width())
	for x := range p.column {
		c, share := f.coarse(r.x0 + x)
		p.column[x], p.share[x] = int32(c-p.x0), share
	}
	return any
}

// row interpolates for the samples of row z; it returns false where there is no
// obstacle.
func (p *farPatch) row(f *farView, z int) bool {
	c, share := f.coarse(z)
	at := (c - p.z0) * p.width
	any := false
	for x := range p.width {
		north, south := at+x, at+x+p.width
		p.rowRise[x] = p.rise[north] + float64((p.rise[south]-p.rise[north])*share)
		p.rowPer[x] = p.per[north] + float64((p.per[south]-p.per[north])*share)
		any = any || p.rowPer[x] != 0
	}
	return any
}
