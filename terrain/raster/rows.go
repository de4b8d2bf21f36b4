package raster

import (
	"context"
	"io"
)

// Rows are height rows that another package decodes.
type Rows interface {
	// ReadRows fills dst with the numbers of whole rows, the first of them row y,
	// counted from the north. Voids are NaN.
	ReadRows(y int, dst []float64) error
	io.Closer
}

// NewReader returns a Reader of rows, as [OpenReader] does of a file. Of i, size,
// Kind and Type must be set; a Unit of 0 means metres, a Spacing of 0 the one of o,
// or 1. What o says of spacings, height unit, range and voids holds as for a file.
// The Reader closes rows.
func NewReader(ctx context.Context, path string, i Info, o Options, rows Rows) (*Reader, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if i.Unit == 0 {
		i.Unit = 1
	}
	if o.Spacing == 0 {
		o.Spacing = i.Spacing
	}
	r := &Reader{Info: i, ctx: ctx, path: path, voids: o.Voids, file: rows, dec: rowsDecoder{rows}}
	in := &input{ctx: ctx, path: path, o: o}
	if err := in.finish(&r.Info, measure{}); err != nil {
		return nil, named(path, err)
	}
	if o.Resample > 0 {
		r.said = r.Info.Spacing
		return r.resampleTo(o.Resample)
	}
	return r, nil
}

// rowsDecoder is a decoder of rows, which the Reader closes as its file.
type rowsDecoder struct{ Rows }

func (d rowsDecoder) readRows(y int, dst []float64) error { return d.ReadRows(y, dst) }
func (d rowsDecoder) close() error                        { return nil }
