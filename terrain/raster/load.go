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

// Load reads the whole raster into memory: the heights of its [Plan].
func (r *Reader) Load() (*Source, error) {
	i := &r.Info
	if n := int64(i.Width) * int64(i.Height); n > MaxSamples {
		return nil, named(r.path, unsupported("%d×%d samples: more than the %d that fit in memory", i.Width, i.Height, MaxSamples))
	}
	p, err := r.Plan()
	if err != nil {
		return nil, err
	}
	g := p.Grid()
	s := &Source{Kind: i.Kind, Info: *i, MaxError: g.MaxError, Filled: p.Filled, Field: terrain.Field{
		Width: g.Width, Height: g.Height, Spacing: g.Spacing, Quantum: g.Quantum, Samples: make([]int32, g.Width*g.Height), Geo: g.Geo,
	}}
	if g.Holes > 0 {
		s.Void = make([]bool, len(s.Samples))
	}
	if err := p.ReadRows(0, s.Samples, s.Void); err != nil {
		return nil, err
	}
	return s, nil
}

// summary is what the choice of a quantum needs of all numbers.
type summary struct {
	integer bool
	lo, hi  float64
	sum     float64
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
		if v != v {
			s.voids++
			continue
		}
		if !s.integer && math.Abs(v) <= math.MaxFloat32 {
			v = float64(float32(v))
		}
		if v < s.lo {
			s.lo = v
		}
		if v > s.hi {
			s.hi = v
		}
		s.sum += v
		switch {
		case !s.integer:
			s.addDigits(v)
		case s.divisor != 1:
			s.divisor = gcd(s.divisor, int64(math.Abs(v)))
		}
	}
}

// addDigits tells what digits v has, which is a float32.
func (s *summary) addDigits(v float64) {
	if v != 0 {
		s.low = min(s.low, lowestBit(v))
	}
	for k, f := range [decimalCount]float64{10, 100, 1000} {
		if s.decimal[k] && float32(math.Round(v*f)/f) != float32(v) {
			s.decimal[k] = false
		}
	}
}

// lowestBit returns the exponent of the lowest bit set in v, a float32 that is not
// 0.
func lowestBit(v float64) int {
	b := math.Float64bits(v)
	return int(b>>52&0x7ff) - 1075 + bits.TrailingZeros64(b&(1<<52-1)|1<<52)
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
