// Package raster reads height rasters: PNG, SRTM tiles, ESRI ASCII grids, CDLOD's
// tiled bitmaps and files of nothing but numbers. Where GDAL's programs are installed (gdalinfo and
// gdal_translate), it reads GeoTIFF and whatever else they read. What a file is
// follows from its content, and from its name only where the content says
// nothing; where the two differ, [Info] says so.
//
// [OpenMosaic] reads several files, or a folder of them, that lie side by side.
//
// [OpenReader] gives rows a few at a time, so that a raster need not fit in
// memory, and [Reader.Plan] the same as whole quanta; [Open] reads a whole one into
// a [terrain.Field].
//
// Numbers of a file become metres by Info.Unit and Info.Offset. Where a file
// holds whole numbers they stay what they are, and the quantum of the field is
// the unit; how other heights are rounded is said at [Plan].
package raster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/vkterrain/vkterrain/terrain"
)

// Sentinels of what can be wrong with a source; match them with [errors.Is].
var (
	ErrCorrupt     = errors.New("damaged file")
	ErrUnsupported = errors.New("unsupported file")
)

// FormatError says why a file is no height raster. It unwraps to [ErrCorrupt]
// or [ErrUnsupported], and to [io.ErrUnexpectedEOF] where the file ends early.
type FormatError struct {
	Path string
	Msg  string

	kinds []error
}

func (e *FormatError) Error() string { return e.Path + ": " + e.Msg }

func (e *FormatError) Unwrap() []error { return e.kinds }

func corrupt(format string, args ...any) error {
	return &FormatError{"", fmt.Sprintf(format, args...), []error{ErrCorrupt}}
}

func truncated(format string, args ...any) error {
	return &FormatError{"", fmt.Sprintf(format, args...), []error{ErrCorrupt, io.ErrUnexpectedEOF}}
}

func unsupported(format string, args ...any) error {
	return &FormatError{"", fmt.Sprintf(format, args...), []error{ErrUnsupported}}
}

const (
	// MaxSamples is the largest number of samples read into memory.
	MaxSamples = 1 << 28
	// MaxSide is the largest width and height of a raster.
	MaxSide = 1 << 20
)

// Options say what a file does not say itself. The zero value works.
type Options struct {
	Spacing    float64 // metres between samples; 0 is what the file says, or 1
	HeightUnit float64 // metres a unit of the file; 0 is what the file says, or 1

	// Resample is the spacing in metres that the samples shall have, in both
	// directions; 0 leaves them as they are. What is between the samples of the
	// source is a cubic spline (Catmull and Rom's), and nothing is left that would
	// be too fine for the new spacing. No result lies below the least or above the
	// greatest of the samples that it is made of. Beside voids it is linear, of the samples
	// that there are; where voids have more than half of the weight the result is
	// one. The north-west sample stays.
	Resample float64

	// Raw is WxH,TYPE[,skip=N]: the file is nothing but numbers. See [ParseRaw].
	Raw string
	// Range maps the least and the greatest number of the file's type to
	// heights in metres. The type must be one of whole numbers.
	Range *[2]float64
	// Encoding says what colours mean.
	Encoding Encoding
	// HGT is the name of an SRTM tile, as N44W072, where the file has another. A
	// file of numbers alone is then read as such a tile.
	HGT string
	// NoData is a further number of the file, or a height where colours encode
	// one, that stands for a void.
	NoData *float64
	// TilesUp says that the rows in the names of tiles count from the south.
	TilesUp bool
	// Voids says what a Plan, and so Load, makes of voids.
	Voids Voids

	quiet bool // no word about the spacing
}

// Source is a height raster in memory.
type Source struct {
	terrain.Field
	Kind string // that of Info
	Info Info

	// MaxError is how far a height may be from that of the file, metres: 0
	// where nothing was rounded.
	MaxError float64
	Filled   int64 // voids that have a height now
}

// Open reads the height raster at path. Its errors are one line that names the
// file.
func Open(path string, o Options) (*Source, error) {
	r, err := OpenReader(context.Background(), path, o)
	if err != nil {
		return nil, err
	}
	s, err := r.Load()
	return s, errors.Join(err, r.Close())
}

func (o *Options) check() error {
	for _, v := range []struct {
		name  string
		value float64
	}{{"spacing", o.Spacing}, {"new spacing", o.Resample}, {"height unit", o.HeightUnit}} {
		if v.value != 0 && (!(v.value > 0) || math.IsInf(v.value, 0)) {
			return fmt.Errorf("%s of %v m: must be above 0", v.name, v.value)
		}
	}
	if r := o.Range; r != nil && (!(r[0] < r[1]) || math.IsInf(r[1]-r[0], 0)) {
		return fmt.Errorf("heights from %v to %v m: the first must be below the second", r[0], r[1])
	}
	switch o.Voids {
	case VoidsReport, VoidsFill, VoidsHole:
	default:
		return fmt.Errorf("voids %q is none of report, fill, hole", string(o.Voids))
	}
	return o.Encoding.check()
}

// named makes path the file that err is about.
func named(path string, err error) error {
	var fe *FormatError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &fe) && fe.Path != "":
		return err // it is about one of several files
	case errors.As(err, &fe):
		return &FormatError{path, fe.Msg, fe.kinds}
	case errors.Is(err, context.Canceled):
		return err
	}
	var pe *os.PathError
	if errors.As(err, &pe) && pe.Path == path {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}
