package raster

import (
	"errors"
	"math"
	"slices"
)

// taps are the samples that one resampled one is made of, along one axis, and
// their weights, whose sum is 1.
type taps struct {
	first  int
	cubic  []float64
	linear []float64 // for where there are voids: none is negative
}

// axis is one direction of a resampling.
type axis struct {
	n    int     // samples of the source
	step float64 // of the result, in samples of the source
}

// count returns how many samples there are at the new steps: the first is the
// source's, the last one lies within it.
func (a axis) count() float64 { return math.Floor(float64(a.n-1)/a.step+1e-9) + 1 }

// tapsAt returns the taps of sample k of the result.
//
// The kernel is Catmull and Rom's cubic, stretched to the new steps where they are
// longer, so that nothing is left that they could not show. Samples past the
// rim are the odd continuation of those before it, which keeps slopes. The cubic
// would pass beyond its samples beside a cliff; what it gives is clamped to them.
func (a axis) tapsAt(k int) taps {
	scale := max(1, a.step)
	at := min(float64(k)*a.step, float64(a.n-1))
	lo, hi := int(math.Ceil(at-2*scale)), int(math.Floor(at+2*scale))
	t := taps{first: max(0, min(lo, a.n-1))}
	last := min(a.n-1, max(hi, t.first))
	if lo < 0 {
		last = min(a.n-1, max(last, -lo))
	}
	if over := hi - (a.n - 1); over > 0 {
		t.first = max(0, min(t.first, a.n-1-over))
	}
	t.cubic, t.linear = make([]float64, last-t.first+1), make([]float64, last-t.first+1)
	for j := lo; j <= hi; j++ {
		x := math.Abs(float64(j)-at) / scale
		inside := min(max(j, 0), a.n-1)
		t.linear[inside-t.first] += max(0, 1-x)
		w := catmullRom(x)
		if inside != j {
			mirror := min(max(2*inside-j, 0), a.n-1)
			t.cubic[inside-t.first] += 2 * w
			t.cubic[mirror-t.first] -= w
		} else {
			t.cubic[inside-t.first] += w
		}
	}
	normalize(t.cubic)
	normalize(t.linear)
	return t
}

// catmullRom is the kernel at x ≥ 0: Catmull and Rom, "A Class of Local
// Interpolating Splines", 1974.
func catmullRom(x float64) float64 {
	switch {
	case x < 1:
		return (1.5*x-2.5)*x*x + 1
	case x < 2:
		return ((-0.5*x+2.5)*x-4)*x + 2
	}
	return 0
}

func normalize(w []float64) {
	sum := 0.0
	for _, v := range w {
		sum += v
	}
	for k := range w {
		w[k] /= sum
	}
}

// resampled is the decoder of a raster at other steps. Its numbers are metres.
type resampled struct {
	r             *Reader
	width, height int
	rows          axis
	columns       []taps

	source []float64
	// Rows of the source as the columns want them: row y lies at y modulo their
	// number, and index holds y+1.
	lines []resampledLine
	index []int
}

// resampledLine is a row of the source, resampled along it.
type resampledLine struct {
	cubic, linear []float64 // sums of weighted heights
	weight        []float64 // of the linear sum: less than 1 where there are voids
	lo, hi        []float64 // the least and the greatest height that has a weight
}

// resample returns r at the given steps in metres. Its samples are east and north
// metres apart.
func resample(r *Reader, spacing, east, north float64) (*Reader, error) {
	x, y := axis{r.Info.Width, spacing / east}, axis{r.Info.Height, spacing / north}
	w, h := x.count(), y.count()
	if w > MaxSide || h > MaxSide {
		return nil, unsupported("%.0f×%.0f samples %v m apart: more than %d on a side", w, h, spacing, MaxSide)
	}
	d := &resampled{r: r, width: int(w), height: int(h), rows: y, columns: make([]taps, int(w)), source: make([]float64, r.Info.Width)}
	for k := range d.columns {
		d.columns[k] = x.tapsAt(k)
	}
	room := 0
	for k := range min(d.height, 3) {
		room = max(room, len(y.tapsAt(k).cubic), len(y.tapsAt(d.height-1-k).cubic))
	}
	room = max(room, 4*int(math.Ceil(max(1, y.step)))+2)
	d.lines, d.index = make([]resampledLine, room), make([]int, room)
	out := &Reader{Info: r.Info, ctx: r.ctx, path: r.path, voids: r.voids, measure: r.measure, file: r, dec: d}
	i := &out.Info
	i.Warnings = slices.Clip(i.Warnings) // r may have more to say
	i.Type, i.Unit, i.Offset, i.Integer, i.NoData = "f32", 1, 0, false, nil
	i.Width, i.Height, i.Spacing = d.width, d.height, spacing
	i.moveSteps(x.step, y.step)
	i.warn("%d×%d samples %.6g by %.6g m apart become %d×%d that are %.6g m apart", r.Info.Width, r.Info.Height, east, north, d.width, d.height, spacing)
	return out, nil
}

// moveSteps makes the steps of the geotransform so many times longer, around
// the centre of the first sample.
func (i *Info) moveSteps(x, y float64) {
	if i.GeoTransform == nil {
		return
	}
	t := *i.GeoTransform
	for _, o := range [2]int{0, 3} {
		a, b := t[o+1], t[o+2]
		t[o+1], t[o+2] = a*x, b*y
		t[o] += (a+b)/2 - (t[o+1]+t[o+2])/2
	}
	i.GeoTransform = &t
}

// resampleTo returns r at a spacing, or closes it.
func (r *Reader) resampleTo(spacing float64) (*Reader, error) {
	east, north, ok := r.said, r.said, r.said > 0
	if !ok {
		east, north, ok = r.measure.steps(&r.Info)
	}
	if !ok {
		return nil, errors.Join(named(r.path, unsupported("nothing says how far apart its samples are: --resample needs --spacing too")), r.Close())
	}
	const same = 1e-9
	if math.Abs(east/spacing-1) < same && math.Abs(north/spacing-1) < same {
		r.Info.Spacing = spacing
		return r, nil
	}
	out, err := resample(r, spacing, east, north)
	if err != nil {
		return nil, errors.Join(named(r.path, err), r.Close())
	}
	return out, nil
}

func (d *resampled) readRows(y int, dst []float64) error {
	for ; len(dst) > 0; dst, y = dst[d.width:], y+1 {
		t := d.rows.tapsAt(y)
		for k := range t.cubic {
			if err := d.prepare(t.first + k); err != nil {
				return err
			}
		}
		d.combine(t, dst[:d.width])
	}
	return nil
}

// combine adds up the lines of the taps of a row.
func (d *resampled) combine(t taps, dst []float64) {
	for x := range dst {
		var cubic, linear, weight float64
		lo, hi := math.Inf(1), math.Inf(-1)
		for k := range t.cubic {
			l := &d.lines[(t.first+k)%len(d.lines)]
			if t.cubic[k] != 0 {
				lo, hi = min(lo, l.lo[x]), max(hi, l.hi[x])
			}
			cubic += float64(t.cubic[k] * l.cubic[x])
			linear += float64(t.linear[k] * l.linear[x])
			weight += float64(t.linear[k] * l.weight[x])
		}
		const whole = 1 - 1e-12
		switch {
		case cubic == cubic: // no void among the samples
			dst[x] = min(max(cubic, lo), hi)
		case weight > whole:
			dst[x] = linear
		case weight >= 0.5:
			dst[x] = linear / weight
		default:
			dst[x] = math.NaN()
		}
	}
}

// prepare makes the line of row y of the source, if it is not there.
func (d *resampled) prepare(y int) error {
	slot := y % len(d.lines)
	if d.index[slot] == y+1 {
		return nil
	}
	d.index[slot] = 0
	if err := d.r.ReadRows(y, d.source); err != nil {
		return err
	}
	l := &d.lines[slot]
	if l.cubic == nil {
		*l = resampledLine{make([]float64, d.width), make([]float64, d.width), make([]float64, d.width), make([]float64, d.width), make([]float64, d.width)}
	}
	for k, v := range d.source {
		d.source[k] = d.r.Info.metres(v)
	}
	for x, t := range d.columns {
		var cubic, linear, weight float64
		lo, hi := math.Inf(1), math.Inf(-1)
		for k, v := range d.source[t.first : t.first+len(t.cubic)] {
			cubic += float64(t.cubic[k] * v) // NaN of a void
			if v == v {
				linear += float64(t.linear[k] * v)
				weight += t.linear[k]
				if t.cubic[k] != 0 {
					lo, hi = min(lo, v), max(hi, v)
				}
			}
		}
		l.cubic[x], l.linear[x], l.weight[x] = cubic, linear, weight
		l.lo[x], l.hi[x] = lo, hi
	}
	d.index[slot] = y + 1
	return nil
}

func (d *resampled) close() error { return nil }
