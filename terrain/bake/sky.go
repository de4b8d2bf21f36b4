package bake

import (
	"math"

	"github.com/vkterrain/vkterrain/terrain"
)

// Sky view: the part of the sky that a horizontal surface at a sample sees,
// weighted by the cosine of its incidence. A direction whose horizon stands at
// angle a hides sin²a of its share and leaves cos²a.
//
// There are 16 directions, which pass through samples. Along each the horizon is
// the higher of two:
//
//   - The near one is exact. A line is cut into blocks of nearBlock samples, at
//     multiples of it in the whole field; a sample sees what lies behind it in its
//     block and nearReach into the block before. The upper hull of that is kept on
//     a stack: the horizon of the next sample is the hull point it is tangent to, so
//     a sample costs constant time. This is the sweep of Timonen and Westerholm,
//     "Scalable Height Field Self-Shadowing", Computer Graphics Forum 29(2), 2010.
//   - The far one comes from a coarse grid of the whole field, see [farView].
//
// So the sky of a sample depends on the samples within skyReach and on the coarse
// grid, and not on what else is computed at the same time.

// Lengths in samples, both even.
const (
	nearBlock = 256 // of a block
	nearReach = 64  // how far into the block before a sample looks
)

// skyReach is how far the near horizon of a sample is at most, samples.
const skyReach = nearBlock + nearReach

// direction is one way to walk lines and the share of the sky behind the walker.
type direction struct {
	dx, dz int
	share  float64 // of skyOne
}

// skyOne is all of the sky in the accumulator.
const skyOne = 255 * 128

// directions are the 16 of a chess queen and knight. The share of one is half
// the angle between its two neighbours.
var directions = func() []direction {
	knight := math.Atan2(1, 2)
	axis, diagonal := knight, math.Pi/4-knight
	var d []direction
	for dz := -2; dz <= 2; dz++ {
		for dx := -2; dx <= 2; dx++ {
			angle := 0.0
			switch a, b := abs(dx), abs(dz); {
			case a+b == 1:
				angle = axis
			case a == 1 && b == 1:
				angle = diagonal
			case a+b == 3:
				angle = (axis + diagonal) / 2
			default:
				continue
			}
			// Rounded to a whole number, so that no last bit of atan matters.
			d = append(d, direction{dx, dz, math.Round(angle / (2 * math.Pi) * skyOne)})
		}
	}
	return d
}()

func abs(v int) int { return max(v, -v) }

// length returns the length of a step in samples.
func (d direction) length() float64 { return math.Sqrt(float64(d.dx*d.dx + d.dz*d.dz)) }

// rect is a rectangle of samples of the field.
type rect struct{ x0, z0, x1, z1 int } // x1 and z1 are outside

func (r rect) width() int { return r.x1 - r.x0 }
func (r rect) size() int  { return (r.x1 - r.x0) * (r.z1 - r.z0) }

// grow returns r with n more samples on all sides, cut to a field.
func (r rect) grow(n, width, height int) rect {
	return rect{max(r.x0-n, 0), max(r.z0-n, 0), min(r.x1+n, width), min(r.z1+n, height)}
}

// horizons computes the sky of rectangles of samples. It is for one goroutine.
type horizons struct {
	w    terrain.Window // a copy of what is looked at
	far  *farView
	r    rect
	hull [skyReach + 1]ridge

	// every is 2 where only every other row and column counts, else 1.
	every int

	slope []float32 // of the horizon of one direction: rise over run
	sum   []uint16  // of all directions so far
	patch farPatch
}

// ridge is a sample on the hull of a line, and how the one before it lies: higher by
// rise, run steps back.
type ridge struct {
	at        int // steps along
	height    int64
	rise, run int64
}

// look fills sky with the sky view of the samples of r, which w must hold with
// all around them that is within skyReach. each, where it is not nil, is called
// after every direction with the slopes of its horizon. Where thin is set only the
// samples with two even coordinates are looked at, the others see all; r must begin
// at one of them.
func (h *horizons) look(w *terrain.Window, far *farView, r rect, thin bool, sky []uint8, each func(d direction, slopes []float32)) {
	h.copy(w, r.grow(skyReach, w.Width, w.Height))
	h.far, h.r, h.every = far, r, 1
	if thin {
		h.every = 2
	}
	h.slope, h.sum = resized(h.slope, r.size()), resized(h.sum, r.size())
	clear(h.sum)
	for i, d := range directions {
		h.near(d)
		h.raise(i, d)
		h.add(d)
		if each != nil {
			each(d, h.slope)
		}
	}
	if h.every > 1 {
		for i := range sky {
			sky[i] = 255
		}
	}
	h.rows(func(lo, hi int) {
		for i := lo; i < hi; i += h.every {
			sky[i] = uint8(min(255, max(1, (h.sum[i]+64)/128))) // 0 is a hole
		}
	})
}

// rows calls do with where the rows that count are in slope and sum.
func (h *horizons) rows(do func(lo, hi int)) {
	for i := 0; i < h.r.size(); i += h.every * h.r.width() {
		do(i, i+h.r.width())
	}
}

// cacheLine is the size of one, in samples.
const cacheLine = 16

// copy copies what is in r to h.w. Its rows are an odd number of cache lines long:
// lines that go down walk through all sets of a cache, which they do not where rows
// are as long as a wide field's.
func (h *horizons) copy(w *terrain.Window, r rect) {
	samples := h.w.Samples
	h.w = *w
	h.w.X, h.w.Z, h.w.Rows = r.x0, r.z0, r.z1-r.z0
	h.w.Columns = (ceilDiv(r.width(), cacheLine) | 1) * cacheLine
	h.w.Samples = resized(samples, h.w.Columns*h.w.Rows)
	for z := r.z0; z < r.z1; z++ {
		copy(h.w.Samples[(z-r.z0)*h.w.Columns:], w.Samples[(z-w.Z)*w.Columns+r.x0-w.X:][:r.width()])
	}
}

// resized returns s with n elements, of any value.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// add adds what one direction leaves of its share.
func (h *horizons) add(d direction) {
	full := uint16(d.share + 0.5)
	h.rows(func(lo, hi int) {
		for i := lo; i < hi; i += h.every {
			if t := float64(h.slope[i]); t > 0 {
				h.sum[i] += uint16(d.share/(1+float64(t*t)) + 0.5)
			} else {
				h.sum[i] += full
			}
		}
	})
}

// walk is a bundle of parallel lines through a block, seen along the axis of
// their larger step: u counts along it, v across.
type walk struct {
	start, du     int                   // u at step 0, and a step's
	dv            int                   // v of a step
	first, past   int                   // the steps inside the rectangle
	vLo, vHi      int                   // the rectangle across
	us, vs        int                   // strides of u and v in the samples
	uSize, vSize  int                   // of the field
	base, outBase int                   // index of u = v = 0 in the samples and in the slopes
	outU, outV    int                   // strides in the slopes
	scale         [skyReach + 1]float64 // the slope of a quantum over so many steps
}

// near fills slope with the near horizon of one direction.
func (h *horizons) near(d direction) {
	w, r := &h.w, h.r
	k := walk{
		du: d.dz, dv: d.dx, vLo: r.x0, vHi: r.x1, us: w.Columns, vs: 1, uSize: w.Height, vSize: w.Width,
		outU: r.width(), outV: 1,
		base: -w.Z*w.Columns - w.X, outBase: -r.z0*r.width() - r.x0,
	}
	u0, u1 := r.z0, r.z1
	if abs(d.dx) > abs(d.dz) {
		k.du, k.dv, k.vLo, k.vHi, k.us, k.vs, k.uSize, k.vSize = d.dx, d.dz, r.z0, r.z1, 1, w.Columns, w.Width, w.Height
		k.outU, k.outV = 1, r.width()
		u0, u1 = r.x0, r.x1
	}
	for run := 1; run < len(k.scale); run++ {
		k.scale[run] = w.Quantum / (d.length() * w.Spacing * float64(run))
	}
	for block := u0 / nearBlock; block*nearBlock < u1; block++ {
		lo, hi := max(u0, block*nearBlock), min(u1, (block+1)*nearBlock)
		for phase := range abs(k.du) {
			if k.du > 0 {
				k.start = block*nearBlock - nearReach + phase
				k.first, k.past = ceilDiv(lo-k.start, k.du), ceilDiv(hi-k.start, k.du)
			} else {
				k.start = (block+1)*nearBlock + nearReach - 1 - phase
				k.first, k.past = ceilDiv(k.start-hi+1, -k.du), ceilDiv(k.start-lo+1, -k.du)
			}
			if k.first < k.past && (h.every == 1 || k.du&1 != 0 || k.start&1 == 0) {
				h.lines(&k)
			}
		}
	}
}

// ceilDiv returns a/b rounded up; b is above 0.
func ceilDiv(a, b int) int { return -floorDiv(-a, b) }

// floorDiv returns a/b rounded down; b is above 0.
func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// lines walks all lines of k that meet the rectangle.
func (h *horizons) lines(k *walk) {
	v0, v1 := k.vLo-max(k.dv*k.first, k.dv*(k.past-1)), k.vHi-min(k.dv*k.first, k.dv*(k.past-1))
	start := 0 // the first step inside the field
	if k.du > 0 {
		start = max(0, ceilDiv(-k.start, k.du))
	} else {
		start = max(0, ceilDiv(k.start-k.uSize+1, -k.du))
	}
	every := 1
	if h.every == 2 && k.du&1 != 0 {
		// Half of the lines have no sample with two even coordinates.
		every = 2
		v0 += (v0 + k.dv*k.start) & 1
	}
	for v := v0; v < v1; v += every {
		begin, first, past := start, k.first, k.past
		switch k.dv {
		case 1:
			begin, first, past = max(begin, -v), max(first, k.vLo-v), min(past, k.vHi-v)
		case -1:
			begin, first, past = max(begin, v-k.vSize+1), max(first, v-k.vHi+1), min(past, v-k.vLo+1)
		}
		if first < past {
			h.line(k, v, begin, first, past)
		}
	}
}

// line walks from step begin on and stores the horizons of steps first to past.
func (h *horizons) line(k *walk, v, begin, first, past int) {
	hull, samples := &h.hull, h.w.Samples
	stride := k.du*k.us + k.dv*k.vs
	at := k.base + (k.start+k.du*begin)*k.us + (v+k.dv*begin)*k.vs
	hull[0] = ridge{at: begin, height: int64(samples[at])}
	top := 0
	if begin >= first {
		h.slope[k.out(v, begin)] = 0
	}
	out, outStride := k.out(v, max(first, begin+1)), k.du*k.outU+k.dv*k.outV
	for i := begin + 1; i < past; i++ {
		at += stride
		height := int64(samples[at])
		b := &hull[top]
		rise, run := b.height-height, int64(i-b.at)
		// Drop what is below the line to the one before it.
		for top > 0 && rise*b.run <= b.rise*run {
			top--
			b = &hull[top]
			rise, run = b.height-height, int64(i-b.at)
		}
		if i >= first {
			slope := float32(0)
			if rise > 0 {
				slope = float32(float64(rise) * k.scale[run])
			}
			h.slope[out] = slope
			out += outStride
		}
		top++
		hull[top] = ridge{i, height, rise, run}
	}
}

// out returns the index of a step of a line in the slopes.
func (k *walk) out(v, step int) int {
	return k.outBase + (k.start+k.du*step)*k.outU + (v+k.dv*step)*k.outV
}
