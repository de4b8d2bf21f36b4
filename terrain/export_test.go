package terrain

// AnyTileErrors is CoefErrors without the shorter way that tiles take which are
// whole and have no holes.
func (w *Window) AnyTileErrors(tx, tz, cells int, e []float32, steps []float64) {
	t := coefTile{w: w, cells: cells, x0: tx * cells, z0: tz * cells}
	clear(e)
	t.errors(e, steps)
}
