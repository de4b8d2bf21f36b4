package raster

import (
	"context"
	"encoding/json"
	"testing"
)

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

// SetMaxOpenParts bounds the files of a mosaic that are open until t ends. Tests
// that call it must not be parallel to others.
func SetMaxOpenParts(t *testing.T, n int) {
	old := maxOpenParts
	t.Cleanup(func() { maxOpenParts = old })
	maxOpenParts = n
}

// GDALSays returns what a file would be of which gdalinfo said text.
func GDALSays(text []byte, o Options) (Info, error) {
	var g gdalInfo
	if err := json.Unmarshal(text, &g); err != nil {
		return Info{}, unsupported("%v", err)
	}
	in := &input{ctx: context.Background(), path: "a", o: o}
	var i Info
	_, m, err := in.useGDAL(&g, "a", &i)
	if err == nil {
		err = in.finish(&i, m)
	}
	return i, err
}
