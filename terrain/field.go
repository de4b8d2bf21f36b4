package terrain

import "math"

// Field is a whole height field in memory.
type Field struct {
	Width, Height int     // samples
	Spacing       float64 // metres between samples
	Quantum       float64 // metres a unit of Samples
	Samples       []int32 // row-major, north row first, in quanta

	// Void says of each sample that it is a hole: its height is made up. nil
	// means that none is.
	Void []bool

	Geo Geo // where it lies
}

// Grid describes a height field that is read a few rows at a time.
type Grid struct {
	Width, Height int     // samples
	Spacing       float64 // metres between samples
	Quantum       float64 // metres a unit
	MaxError      float64 // metres that a height may be off its source's
	Min, Max      int32   // extreme heights in quanta, without holes
	Mean          float64 // of the heights in metres, without holes
	Holes         int64   // samples that stay holes
	Geo           Geo
}

// RowReader is a height field that need not be in memory. ReadRows fills heights
// with whole rows, in quanta, the first of them row z; where void is not nil it
// has the same length and is told which samples are holes. The same row always
// reads the same, in any order and window. It is for one goroutine at a time.
type RowReader interface {
	Grid() Grid
	ReadRows(z int, heights []int32, void []bool) error
}

// Grid makes a Field a [RowReader].
func (f *Field) Grid() Grid {
	g := Grid{Width: f.Width, Height: f.Height, Spacing: f.Spacing, Quantum: f.Quantum, Geo: f.Geo}
	g.Min, g.Max = math.MaxInt32, math.MinInt32
	var sum int64
	for i, s := range f.Samples {
		if f.Void != nil && f.Void[i] {
			g.Holes++
			continue
		}
		g.Min, g.Max = min(g.Min, s), max(g.Max, s)
		sum += int64(s)
	}
	g.Mean = float64(sum) / float64(int64(len(f.Samples))-g.Holes) * f.Quantum
	return g
}

// ReadRows makes a Field a [RowReader].
func (f *Field) ReadRows(z int, heights []int32, void []bool) error {
	copy(heights, f.Samples[z*f.Width:])
	if f.Void != nil && void != nil {
		copy(void, f.Void[z*f.Width:])
	} else {
		clear(void)
	}
	return nil
}

// At returns the height of sample (x, z) in quanta; positions outside are
// clamped to the rim, which is what padding means here.
func (f *Field) At(x, z int) int32 {
	x, z = min(max(x, 0), f.Width-1), min(max(z, 0), f.Height-1)
	return f.Samples[z*f.Width+x]
}

// Stats returns the extreme heights in quanta and the mean in metres.
func (f *Field) Stats() (lo, hi int32, mean float64) {
	lo, hi = f.Samples[0], f.Samples[0]
	var sum int64
	for _, s := range f.Samples {
		lo, hi = min(lo, s), max(hi, s)
		sum += int64(s)
	}
	return lo, hi, float64(sum) / float64(len(f.Samples)) * f.Quantum
}
