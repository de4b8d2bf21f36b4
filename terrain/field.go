package terrain

// Field is a whole height field in memory.
type Field struct {
	Width, Height int     // samples
	Spacing       float64 // metres between samples
	Quantum       float64 // metres a unit of Samples
	Samples       []int32 // row-major, north row first, in quanta
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
