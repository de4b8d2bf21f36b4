package raster

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/vkterrain/vkterrain/terrain"
)

// Heights of a field are whole quanta. They span at most fieldSpan, which any
// tile of a world can hold, and stay below fieldMax, which a float32 can.
const (
	fieldSpan = math.MaxUint16
	fieldMax  = 1<<24 - 1
)

// Load reads the whole raster into memory.
//
// The quantum of the field is the unit of the file where that holds whole
// numbers that span at most 65,535. For all other files it is the coarsest of
//
//   - the unit times a power of two, at most 1 where 1 will do
//   - 0.1, 0.01 and 0.001 of the unit, and for whole numbers their greatest
//     common divisor
//
// that loses nothing: every height of the file, as a float32, is a whole number
// of quanta. Where there is none the heights are rounded. The quantum is then a
// power of two of the unit: the finest that can hold the heights, but no finer
// than 1/128 unit where they span 128 units or more, else 1/16,384 of the span.
// Source.MaxError says how far off that is. It also counts by how much all
// heights are shifted together where Info.Offset is no whole number of quanta.
func (r *Reader) Load() (*Source, error) {
	i := &r.Info
	switch {
	case i.Width < 2 || i.Height < 2:
		return nil, named(r.path, unsupported("%d×%d samples: a terrain needs at least 2×2", i.Width, i.Height))
	case int64(i.Width)*int64(i.Height) > MaxSamples:
		return nil, named(r.path, unsupported("%d×%d samples: more than the %d that fit in memory", i.Width, i.Height, MaxSamples))
	}
	s := &Source{Kind: i.Kind, Info: *i, Field: terrain.Field{
		Width: i.Width, Height: i.Height, Spacing: i.Spacing, Samples: make([]int32, i.Width*i.Height),
	}}
	sum := newSummary(i.Integer)
	row := make([]float64, i.Width)
	for y := range i.Height {
		if err := r.ReadRows(y, row); err != nil {
			return nil, err
		}
		sum.add(row)
		store(s.Samples[y*i.Width:], row, i.Integer)
	}
	if sum.voids > 0 {
		n := int64(i.Width) * int64(i.Height)
		switch {
		case sum.voids == n:
			return nil, named(r.path, unsupported("all %d samples are voids", n))
		case r.voids != VoidsFill:
			return nil, named(r.path, unsupported("%d of %d samples are voids; --voids fill fills them", sum.voids, n))
		}
	}
	quantum, exact := sum.quantum()
	s.Quantum = quantum * i.Unit
	if !exact {
		s.MaxError = s.Quantum / 2
	}
	// What is added to every height is a whole number of quanta too.
	offset := i.Offset / s.Quantum
	shift := math.Round(offset)
	s.MaxError += math.Abs(offset-shift) * s.Quantum
	if lo, hi := sum.lo/quantum+shift, sum.hi/quantum+shift; lo < -fieldMax || hi > fieldMax {
		return nil, named(r.path, unsupported("heights of %v to %v m in steps of %v m: more than 24 bits hold; take a larger height unit",
			i.metres(sum.lo), i.metres(sum.hi), s.Quantum))
	}
	if quantum != 1 || shift != 0 || !i.Integer {
		requantize(s.Samples, quantum, shift, i.Integer)
	}
	if s.Filled = sum.voids; s.Filled > 0 {
		fillVoids(s.Samples, s.Width, s.Height)
	}
	return s, nil
}

// store puts numbers where heights will be: whole ones as they are, others as
// the bits of a float32.
func store(dst []int32, row []float64, integer bool) {
	for x, v := range row {
		switch {
		case math.IsNaN(v):
			dst[x] = void
		case integer:
			dst[x] = int32(v)
		default:
			dst[x] = int32(math.Float32bits(float32(v) + 0)) // −0 would be a void
		}
	}
}

// requantize makes heights of what store stored.
func requantize(samples []int32, quantum, shift float64, integer bool) {
	for k, s := range samples {
		if s == void {
			continue
		}
		v := float64(s)
		if !integer {
			v = float64(math.Float32frombits(uint32(s)))
		}
		samples[k] = int32(math.Round(v/quantum) + shift)
	}
}

// summary is what the choice of a quantum needs of all numbers.
type summary struct {
	integer bool
	lo, hi  float64
	voids   int64

	divisor int64              // of all numbers, if integer
	low     int                // the exponent of the lowest bit set in any number
	decimal [decimalCount]bool // all numbers are whole multiples of 10^-(k+1)
}

const decimalCount = 3

func newSummary(integer bool) *summary {
	s := &summary{integer: integer, lo: math.Inf(1), hi: math.Inf(-1), low: math.MaxInt}
	for k := range s.decimal {
		s.decimal[k] = true
	}
	return s
}

func (s *summary) add(row []float64) {
	for _, v := range row {
		if math.IsNaN(v) {
			s.voids++
			continue
		}
		if s.integer {
			s.lo, s.hi = min(s.lo, v), max(s.hi, v)
			if s.divisor != 1 {
				s.divisor = gcd(s.divisor, int64(math.Abs(v)))
			}
			continue
		}
		v = float64(float32(v))
		s.lo, s.hi = min(s.lo, v), max(s.hi, v)
		if v != 0 {
			s.low = min(s.low, lowestBit(v))
		}
		for k, f := range [decimalCount]float64{10, 100, 1000} {
			if s.decimal[k] && float32(math.Round(v*f)/f) != float32(v) {
				s.decimal[k] = false
			}
		}
	}
}

// lowestBit returns the exponent of the lowest bit set in v, which is not 0.
func lowestBit(v float64) int {
	m, e := math.Frexp(v)
	return e - 53 + bits.TrailingZeros64(uint64(math.Abs(m)*(1<<53)))
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// fits says whether a field can hold the heights in quanta of q units.
func (s *summary) fits(q float64) bool {
	return (s.hi-s.lo)/q <= fieldSpan && max(math.Abs(s.lo), math.Abs(s.hi))/q <= fieldMax
}

// quantum returns the quantum in units, and whether nothing is lost.
func (s *summary) quantum() (q float64, exact bool) {
	if s.integer {
		if s.fits(1) {
			return 1, true
		}
		if d := float64(s.divisor); d > 1 && s.fits(d) {
			return d, true
		}
	} else if q, exact = s.exact(); exact {
		return q, true
	}
	q = 1.0 / 128
	if span := s.hi - s.lo; span < 128 {
		q = math.Ldexp(1, math.Ilogb(span)-14)
	}
	for !s.fits(q) {
		q *= 2
	}
	return q, false
}

// exact finds the coarsest quantum that loses nothing of numbers that are not
// all whole.
func (s *summary) exact() (float64, bool) {
	if s.low == math.MaxInt {
		return 1, true // all 0
	}
	if s.low >= 0 && s.fits(1) {
		return 1, true
	}
	for k, q := range [decimalCount]float64{0.1, 0.01, 0.001} {
		if s.decimal[k] && s.fits(q) && q > math.Ldexp(1, s.low) {
			return q, true
		}
	}
	if q := math.Ldexp(1, s.low); s.fits(q) {
		return q, true
	}
	return 0, false
}

// typeRange returns the least and the greatest number of a type of whole ones.
func typeRange(kind string) (lo, hi float64, ok bool) {
	var letter rune
	var n int
	if _, err := fmt.Sscanf(kind, "%c%d", &letter, &n); err != nil {
		return 0, 0, false
	}
	switch letter {
	case 'u':
		return 0, math.Ldexp(1, n) - 1, true
	case 'i':
		return -math.Ldexp(1, n-1), math.Ldexp(1, n-1) - 1, true
	}
	return 0, 0, false
}
