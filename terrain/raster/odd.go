package raster

import (
	"math"
	"slices"
	"strconv"
)

// voidNumbers are the numbers that files often have where there is no height, by the
// type of their numbers. A file of floats may also have one that no height is.
var voidNumbers = map[string][]float64{
	"u16": {math.MaxUint16},
	"i16": {math.MinInt16, -9999},
	"u32": {math.MaxUint32},
	"i32": {math.MinInt32, math.MinInt16, -9999, -99999},
	"f32": {math.MinInt16, -32767, -9999, -99999},
	"f64": {math.MinInt16, -32767, -9999, -99999},
}

// noHeightBeyond is more than any height of a planet, in any unit.
const noHeightBeyond = 1e30

// extremes are the two least and the two greatest numbers of a raster, as it is read
// for the first time.
type extremes struct {
	off            bool // nothing is looked for, or it has been found
	lo, nextLo     float64
	hi, nextHi     float64
	begun, watched bool
}

// watch looks at rows of numbers of r that has no number for voids.
func (r *Reader) watch(dst []float64, last bool) {
	e := &r.extremes
	if !e.begun {
		e.begun = true
		_, resamples := r.dec.(*resampled)
		e.off = resamples || len(r.Info.NoData) > 0 || r.Info.Encoding.colours() || voidNumbers[r.Info.Type] == nil
		e.lo, e.nextLo, e.hi, e.nextHi = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	}
	if !e.off {
		e.add(dst)
	}
	if last && !e.watched {
		e.watched = true
		if v, odd := r.odd(); odd {
			which := "least"
			if v > 0 {
				which = "greatest"
			}
			number := strconv.FormatFloat(v, 'g', -1, 64)
			r.Info.warn("its %s number is %s, far from all others, which often says that there is no height; if so here, --nodata %s", which, number, number)
		}
		e.off = true
	}
}

func (e *extremes) add(row []float64) {
	for _, v := range row {
		if v < e.nextLo && v != e.lo {
			if e.nextLo = v; v < e.lo {
				e.lo, e.nextLo = v, e.lo
			}
		}
		if v > e.nextHi && v != e.hi {
			if e.nextHi = v; v > e.hi {
				e.hi, e.nextHi = v, e.hi
			}
		}
	}
}

// odd returns the number that probably stands for voids: one that files often have for
// them, farther from all others than they are from one another.
func (r *Reader) odd() (number float64, odd bool) {
	if d, is := r.dec.(*resampled); is {
		return d.r.odd()
	}
	e := &r.extremes
	if !e.begun || e.lo >= e.hi {
		return 0, false
	}
	floats := r.Info.Type[0] == 'f'
	is := func(v, next, spread float64) bool {
		known := slices.Contains(voidNumbers[r.Info.Type], v) || floats && math.Abs(v) > noHeightBeyond
		return known && math.Abs(v-next) > spread
	}
	switch {
	case is(e.lo, e.nextLo, e.hi-e.nextLo):
		return e.lo, true
	case is(e.hi, e.nextHi, e.nextHi-e.lo):
		return e.hi, true
	}
	return 0, false
}
