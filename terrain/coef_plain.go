package terrain

import (
	"math"
	"math/bits"
	"sync"
)

// plainTile is the work on the errors of a tile without holes that lies wholly
// within its source: nothing is clamped, so all is integers.
//
// A triangle's own error counts the samples inside it and on the side that its vertex
// splits. Those on its other two sides are on the sides that its children split,
// and the same there.
type plainTile struct {
	h     []int32 // the samples, row by row
	w     int     // samples a row
	cells int
	e     []float32 // row by row
	q     float64   // metres a quantum
	steps []float64
	cell  float64 // metres
}

// plainTiles are kept for their memory.
var plainTiles = sync.Pool{New: func() any { return &plainTile{} }}

// errors does the work of [Window.CoefErrors] for the tile at column x0, row z0. The
// samples are copied first: rows of a large field are a power of two apart, but for
// a sample, and of those a cache holds few at a time.
func (t *plainTile) errors(w *Window, x0, z0, cells int, e []float32, steps []float64) {
	n := cells + 1
	t.w, t.cells, t.e, t.q, t.steps, t.cell = n, cells, e, w.Quantum, steps, w.Spacing
	if len(t.h) < n*n {
		t.h = make([]int32, n*n)
	}
	for z := range n {
		copy(t.h[z*n:][:n], w.Samples[w.index(x0, z0+z):])
	}
	t.finestRows()
	for step := 2; step < t.cells; step *= 2 {
		t.blacks(step)
		t.whites(step)
	}
}

// raise raises the squared distance between parents and children of an order whose
// heights differ by up to so many quanta, and which are apart by dx and dz cells.
func (t *plainTile) raise(order int, quanta int32, dx, dz int) {
	x, y, z := float64(dx)*t.cell, float64(quanta)*t.q, float64(dz)*t.cell
	t.steps[order] = max(t.steps[order], float64(x*x)+float64(y*y)+float64(z*z))
}

// upwards is roundUp32 of a number that is not negative.
func upwards(v float64) float32 {
	f := float32(v)
	b := math.Float32bits(f)
	if float64(f) < v {
		b++
	}
	return math.Float32frombits(b)
}

func abs32(v int32) int32 { return max(v, -v) }

// finestRows handles the vertices of spacing 1: nothing lies between them.
func (t *plainTile) finestRows() {
	n := t.cells + 1
	half := t.q / 2
	farthest := int32(0)
	for z := range n {
		row, e := t.h[z*t.w:][:n], t.e[z*n:][:n]
		if z%2 == 0 {
			for x := 1; x < n-1; x += 2 {
				e[x] = upwards(float64(abs64(2*int64(row[x])-int64(row[x-1])-int64(row[x+1]))) * half)
			}
			continue
		}
		above, below := t.h[(z-1)*t.w:][:n], t.h[(z+1)*t.w:][:n]
		for x := 0; x < n; x += 2 {
			e[x] = upwards(float64(abs64(2*int64(row[x])-int64(above[x])-int64(below[x]))) * half)
		}
		for x := 1; x < n-1; x += 2 {
			h := row[x]
			farthest = max(farthest, abs32(h-row[x-1]), abs32(h-row[x+1]), abs32(h-above[x]), abs32(h-below[x]))
			a, b := above[x-1], below[x+1]
			if (x+z)/2%2 == 0 {
				a, b = above[x+1], below[x-1]
			}
			e[x] = upwards(float64(abs64(2*int64(h)-int64(a)-int64(b))) * half)
		}
	}
	if t.cells == 2 {
		t.e[n+1] = 0 // the tile's centre
	}
	t.raise(1, farthest, 1, 0)
}

// span is the least and the largest of some errors, in parts of a quantum.
type span struct{ lo, hi int64 }

// run counts samples of a row against a plane: the height there is h << shift, that
// of the plane p and d more at each sample.
func (s *span) run(h []int32, shift uint, p, d int64) {
	lo, hi := s.lo, s.hi
	for _, v := range h {
		e := int64(v)<<shift - p
		p += d
		lo, hi = min(lo, e), max(hi, e)
	}
	s.lo, s.hi = lo, hi
}

func (s *span) worst() int64 { return max(s.hi, -s.lo) }

// whites handles the square centres of spacing step.
func (t *plainTile) whites(step int) {
	n := t.cells + 1
	shift := uint(bits.TrailingZeros(uint(2 * step)))
	scale := t.q / float64(2*step)
	farthest := int32(0)
	for z := step; z < t.cells; z += 2 * step {
		for x := step; x < t.cells; x += 2 * step {
			o := z*t.w + x
			h := t.h[o]
			farthest = max(farthest, abs32(h-t.h[o-step]), abs32(h-t.h[o+step]), abs32(h-t.h[o-step*t.w]), abs32(h-t.h[o+step*t.w]))
			if 2*step < t.cells { // the tile's centre is a root
				t.e[z*n+x] = upwards(float64(t.square(o, step, shift, (x/step+z/step)/2%2 == 1)) * scale)
			}
		}
	}
	t.raise(2*bits.TrailingZeros(uint(step))+1, farthest, step, 0)
}

// square returns the largest error of the samples of a square around o, times 2·step.
// It is cut from north-west to south-east, or from north-east to south-west.
func (t *plainTile) square(o, step int, shift uint, southEast bool) int64 {
	up := step * t.w
	nw, ne, sw, se := int64(t.h[o-up-step]), int64(t.h[o-up+step]), int64(t.h[o+up-step]), int64(t.h[o+up+step])
	// The cut is at column dir·z of row z; west and east of it, heights change by so
	// much a column.
	from, to, dir, west, east := ne, sw, -1, ne-nw, se-sw
	if southEast {
		from, to, dir, west, east = nw, se, 1, se-sw, ne-nw
	}
	var s span
	for z := 1 - step; z < step; z++ {
		cut := dir * z
		plane := int64(step-z)*from + int64(step+z)*to
		row := t.h[o+z*t.w-step+1:][:2*step-1]
		k := cut + step - 1 // of the sample on the cut
		s.run(row[:k+1], shift, plane-int64(k)*west, west)
		s.run(row[k+1:], shift, plane+east, east)
	}
	return s.worst()
}

// blacks handles the edge midpoints of spacing step.
func (t *plainTile) blacks(step int) {
	n := t.cells + 1
	shift := uint(bits.TrailingZeros(uint(2 * step)))
	scale := t.q / float64(2*step)
	farthest := int32(0)
	for z := 0; z <= t.cells; z += step {
		eastWest := z/step%2 == 0
		x := 0
		if eastWest {
			x = step
		}
		for ; x <= t.cells; x += 2 * step {
			o := z*t.w + x
			var s span
			if eastWest {
				t.edgeEast(&s, o, step, shift, z > 0, z < t.cells)
			} else {
				t.edgeSouth(&s, o, step, shift, x > 0, x < t.cells)
			}
			t.e[z*n+x] = upwards(float64(s.worst()) * scale)
			farthest = max(farthest, t.farChild(o, step/2, x, z))
		}
	}
	t.raise(2*bits.TrailingZeros(uint(step)), farthest, step/2, step/2)
}

// farChild returns the largest difference of height to the children of a black
// vertex, half its spacing away in both directions, as far as they are in the tile.
func (t *plainTile) farChild(o, half, x, z int) (far int32) {
	h, down := t.h[o], half*t.w
	if z > 0 && x > 0 {
		far = abs32(h - t.h[o-down-half])
	}
	if z > 0 && x < t.cells {
		far = max(far, abs32(h-t.h[o-down+half]))
	}
	if z < t.cells && x > 0 {
		far = max(far, abs32(h-t.h[o+down-half]))
	}
	if z < t.cells && x < t.cells {
		far = max(far, abs32(h-t.h[o+down+half]))
	}
	return far
}

// edgeEast counts the samples of the diamond around an edge that runs eastwards,
// those in the north and in the south as far as they are asked for.
func (t *plainTile) edgeEast(s *span, o, step int, shift uint, north, south bool) {
	l, r := int64(t.h[o-step]), int64(t.h[o+step])
	middle, slope := int64(step)*(l+r), r-l
	s.run(t.h[o-step+1:][:2*step-1], shift, middle-int64(step-1)*slope, slope)
	for _, side := range [2]struct {
		asked bool
		dz    int
	}{{north, -1}, {south, 1}} {
		if !side.asked {
			continue
		}
		rise := 2*int64(t.h[o+side.dz*step*t.w]) - l - r
		for v := 1; v < step; v++ {
			reach := step - v - 1
			s.run(t.h[o+side.dz*v*t.w-reach:][:2*reach+1], shift, middle+int64(v)*rise-int64(reach)*slope, slope)
		}
	}
}

// edgeSouth counts the samples of the diamond around an edge that runs southwards,
// those in the west and in the east as far as they are asked for.
func (t *plainTile) edgeSouth(s *span, o, step int, shift uint, west, east bool) {
	l, r := int64(t.h[o-step*t.w]), int64(t.h[o+step*t.w])
	var toWest, toEast int64 // what a column changes
	if west {
		toWest = 2*int64(t.h[o-step]) - l - r
	}
	if east {
		toEast = 2*int64(t.h[o+step]) - l - r
	}
	for z := 1 - step; z < step; z++ {
		reach := step - max(z, -z) - 1
		at, plane := o+z*t.w, int64(step)*(l+r)+int64(z)*(r-l)
		if west {
			s.run(t.h[at-reach:][:reach], shift, plane+int64(reach)*toWest, -toWest)
		}
		if east {
			s.run(t.h[at:][:reach+1], shift, plane, toEast)
		} else {
			s.run(t.h[at:][:1], shift, plane, 0)
		}
	}
}
