package terrain

// Window is a rectangle of a height field, the part of it that is in memory.
// Positions are those of the whole field.
type Window struct {
	Width, Height    int // of the whole field, samples
	Spacing, Quantum float64

	X, Z          int     // the north-west sample that is held
	Columns, Rows int     // how many are held
	Samples       []int32 // row-major, in quanta
	Void          []bool  // which are holes, as in [Field]; nil where none is
}

// Window returns the window that holds all of f.
func (f *Field) Window() *Window {
	return &Window{
		Width: f.Width, Height: f.Height, Spacing: f.Spacing, Quantum: f.Quantum,
		Columns: f.Width, Rows: f.Height, Samples: f.Samples, Void: f.Void,
	}
}

// At returns the height of sample (x, z) in quanta; positions outside the field
// are clamped to its rim. The sample must be held.
func (w *Window) At(x, z int) int32 { return w.Samples[w.index(w.clamp(x, z))] }

// IsVoid says whether sample (x, z), clamped as for At, is a hole.
func (w *Window) IsVoid(x, z int) bool { return w.Void != nil && w.Void[w.index(w.clamp(x, z))] }

func (w *Window) clamp(x, z int) (int, int) {
	return min(max(x, 0), w.Width-1), min(max(z, 0), w.Height-1)
}

// index returns where sample (x, z) of the field is in Samples.
func (w *Window) index(x, z int) int { return (z-w.Z)*w.Columns + x - w.X }

// anyVoid says whether a square of cells×cells cells has a hole.
func (w *Window) anyVoid(x0, z0, cells int) bool {
	if w.Void == nil {
		return false
	}
	for z := z0; z <= min(z0+cells, w.Height-1); z++ {
		for _, v := range w.Void[w.index(x0, z):][:min(cells+1, w.Width-x0)] {
			if v {
				return true
			}
		}
	}
	return false
}
