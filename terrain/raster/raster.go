// Package raster reads height rasters. What a file is follows from its content,
// never from its name.
//
// It reads 16-bit grey PNG, with or without alpha. Heights stay the integers of
// the file: the height unit says how many metres one of them is.
package raster

import (
	"bufio"
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

// MaxSamples is the largest number of samples read into memory.
const MaxSamples = 1 << 28

// Options say what a file does not say itself. The zero value works.
type Options struct {
	Spacing    float64 // metres between samples; 0 means 1
	HeightUnit float64 // metres a unit of the file; 0 means 1
}

// Source is a height raster in memory.
type Source struct {
	terrain.Field
	Kind string // "png"
}

// Open reads the height raster at path. Its errors are one line that names the
// file.
func Open(path string, o Options) (*Source, error) {
	if err := o.defaults(); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if st.IsDir() {
		return nil, &FormatError{path, "is a folder, not a height raster", []error{ErrUnsupported}}
	}
	s, err := read(f, st.Size(), o)
	var fe *FormatError
	switch {
	case errors.As(err, &fe):
		fe.Path = path
		return nil, fe
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

func (o *Options) defaults() error {
	if o.Spacing == 0 {
		o.Spacing = 1
	}
	if o.HeightUnit == 0 {
		o.HeightUnit = 1
	}
	if !(o.Spacing > 0) || math.IsInf(o.Spacing, 0) {
		return fmt.Errorf("spacing of %v m: must be above 0", o.Spacing)
	}
	if !(o.HeightUnit > 0) || math.IsInf(o.HeightUnit, 0) {
		return fmt.Errorf("height unit of %v m: must be above 0", o.HeightUnit)
	}
	return nil
}

// read reads a raster of size bytes, whatever it is.
func read(r io.Reader, size int64, o Options) (*Source, error) {
	if size == 0 {
		return nil, truncated("the file is empty")
	}
	br := bufio.NewReaderSize(r, 1<<16)
	head, err := br.Peek(pngHeaderLen)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if !isPNG(head) {
		return nil, unsupported("not a height raster that this program reads (16-bit grey PNG)")
	}
	return readPNG(br, head, size, o)
}
