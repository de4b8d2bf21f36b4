package raster

import "testing"

// SetFillBlock makes blocks of n samples of those in which voids are filled; n is
// a multiple of 8.
func (p *Plan) SetFillBlock(n int) {
	f := p.fill
	f.block = n
	p.rows = newRowCache(f.width, f.height, n+2*f.halo)
	p.done = newRowCache(f.width, f.height, 2*n)
}

// SetFillBaseCells bounds the cells of a fill in memory until t ends. Tests that
// call it must not be parallel to others.
func SetFillBaseCells(t *testing.T, n int) {
	old := fillBaseCells
	t.Cleanup(func() { fillBaseCells = old })
	fillBaseCells = n
}
