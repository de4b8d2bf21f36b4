package raster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Info is what a raster says of itself, and what was assumed where it says
// nothing.
type Info struct {
	Kind          string // "png", "raw", ...
	Type          string // of the numbers: u for unsigned, i for signed, f for float, and the bits
	Encoding      Encoding
	Width, Height int

	// The height in metres is Offset + Unit × number.
	Unit, Offset float64
	// Integer: all numbers are whole and have 24 bits at most.
	Integer bool
	// NoData are the numbers that stand for voids. NaN and infinities always do.
	NoData []float64

	Spacing float64 // metres between samples
	// GeoTransform is GDAL's: x and y of the outer corner of the north-west
	// sample at 0 and 3, steps at 1 and 5. It is nil where the file has none.
	GeoTransform *[6]float64
	CRS          string // "EPSG:4326", or WKT; "" where the file says none
	PixelIsPoint bool   // the file places the centres of its samples
	VerticalUnit string // of the file's heights, see [terrain.Geo]

	// Warnings are one line each, without the file's name.
	Warnings []string
}

func (i *Info) warn(format string, args ...any) {
	i.Warnings = append(i.Warnings, fmt.Sprintf(format, args...))
}

// decoder reads the numbers of one kind of file.
type decoder interface {
	// readRows fills dst with whole rows, the first of them row y.
	readRows(y int, dst []float64) error
	close() error
}

// input is a file that becomes a raster.
type input struct {
	ctx  context.Context
	f    *os.File
	path string
	size int64
	head []byte // what the file begins with
	o    Options
}

// headLen is the length of a head.
const headLen = 512

// Reader reads the rows of a raster. It is for one goroutine at a time.
type Reader struct {
	Info Info // must not be changed

	ctx     context.Context
	path    string
	voids   Voids
	measure measure
	said    float64 // the spacing that was said, by the file or by who opened it; 0 is none
	file    io.Closer
	dec     decoder
	row     []float64 // for the methods that need one

	extremes extremes
}

// OpenReader opens the height raster at path; the caller closes it. What it
// makes other programs do ends with ctx. Its errors, and those of its methods,
// are one line that names the file.
//
// A folder is read as [OpenMosaic] does.
func OpenReader(ctx context.Context, path string, o Options) (*Reader, error) {
	return OpenMosaic(ctx, []string{path}, o)
}

func openFile(ctx context.Context, path string, o Options) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := open(ctx, f, path, o)
	if err != nil {
		f.Close()
		return nil, named(path, err)
	}
	return r, nil
}

func open(ctx context.Context, f *os.File, path string, o Options) (*Reader, error) {
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case st.Size() == 0:
		return nil, truncated("the file is empty")
	}
	in := &input{ctx: ctx, f: f, path: path, size: st.Size(), o: o, head: make([]byte, min(headLen, st.Size()))}
	if n, err := f.ReadAt(in.head, 0); err != nil && n < len(in.head) {
		return nil, err
	}
	r := &Reader{ctx: ctx, path: path, voids: o.Voids, file: f}
	var m measure
	if r.dec, m, err = in.decode(&r.Info); err != nil {
		return nil, err
	}
	r.measure, r.said = m, in.o.Spacing
	if err := in.finish(&r.Info, m); err != nil {
		return nil, errors.Join(err, r.dec.close())
	}
	return r, nil
}

// decode finds out what in is, opens it and describes it in i.
func (in *input) decode(i *Info) (decoder, measure, error) {
	var none measure
	bitmap, isBitmap := parseTBMP(in.head, in.size)
	switch {
	case in.o.Raw != "":
		d, err := openRaw(in, i)
		if err != nil {
			return nil, none, err
		}
		return d, in.placePicture(i), nil
	case isPNG(in.head):
		d, err := openPNG(in, i)
		if err != nil {
			return nil, none, err
		}
		return d, in.placePicture(i), nil
	case isGzip(in.head) || isZip(in.head):
		return in.decodePacked(i)
	case isGrid(in.head):
		return in.openGrid(in.plain("the grid"), i)
	case isBitmap:
		return in.openTBMP(bitmap, i), none, nil
	case isTIFF(in.head):
		return in.openGDAL(i)
	case in.o.HGT != "" || in.hasExtension(hgtExtensions):
		return in.openHGT(in.plain("damaged tile"), i)
	case in.hasExtension(rawExtensions):
		return nil, none, rawHelp(in.size)
	case in.namesTile():
		return in.openHGT(in.plain("damaged tile"), i)
	}
	d, m, err := in.openGDAL(i)
	var fe *FormatError
	if _, _, wrong := hgtSize(in.size); wrong == nil && errors.As(err, &fe) {
		err = unsupported("%s; its length is that of an SRTM tile, for which --hgt N44W072 says which one", fe.Msg)
	}
	return d, m, err
}

// namesTile says whether a name without an extension is that of an SRTM tile.
func (in *input) namesTile() bool {
	_, _, ok := parseHGTName(filepath.Base(in.path))
	return ok && !strings.Contains(filepath.Base(in.path), ".")
}

func (in *input) hasExtension(list []string) bool {
	return slices.Contains(list, strings.ToLower(filepath.Ext(in.path)))
}

// extensions are those that promise a kind.
var extensions = map[string]string{
	".png": "png", ".asc": "asc", ".hgt": "hgt", ".tif": "geotiff", ".tiff": "geotiff",
	".dem": "usgsdem", ".dt0": "dted", ".dt1": "dted", ".dt2": "dted", ".jpg": "jpeg", ".jpeg": "jpeg", ".bmp": "bmp",
}

// checkName warns where a name promises what the file is not.
func (in *input) checkName(i *Info) {
	ext := strings.ToLower(filepath.Ext(in.path))
	if kind := extensions[ext]; kind != "" && kind != i.Kind && i.Kind != "raw" {
		i.warn("the content is %s, though the name ends in %s", i.Kind, filepath.Ext(in.path))
	}
}

// finish completes i with what all kinds have in common.
func (in *input) finish(i *Info, m measure) error {
	if i.Width > MaxSide || i.Height > MaxSide {
		return unsupported("%d×%d samples: more than %d on a side", i.Width, i.Height, MaxSide)
	}
	if g := i.GeoTransform; g != nil && !i.placed(g) {
		return corrupt("its samples are placed at %v, in steps of %v: no places on a map", [2]float64{g[0], g[3]}, [4]float64{g[1], g[2], g[4], g[5]})
	}
	in.checkName(i)
	if in.o.HeightUnit > 0 {
		i.Unit *= in.o.HeightUnit
		i.Offset *= in.o.HeightUnit
	}
	if in.o.Range != nil {
		lo, hi, ok := typeRange(i.Type)
		if !ok || i.Encoding.colours() || i.Kind == "hgt" {
			return unsupported("--min and --max are for whole numbers that mean no metres; these do")
		}
		i.Unit = (in.o.Range[1] - in.o.Range[0]) / (hi - lo)
		if i.Offset = in.o.Range[0] - lo*i.Unit; in.o.Range[0] == 0 && lo == 0 {
			i.Offset = 0 // not −0
		}
	}
	if v := in.o.NoData; v != nil {
		number := *v
		if i.Encoding.colours() {
			number = math.Round((number - i.Offset) / i.Unit)
		}
		i.NoData = append(i.NoData, number)
	}
	if i.Spacing = in.o.Spacing; i.Spacing == 0 {
		m.setSpacing(i, in.o.quiet)
	}
	return nil
}

// placed says whether a geotransform gives all samples of i a place.
func (i *Info) placed(g *[6]float64) bool {
	w, h := float64(i.Width), float64(i.Height)
	for k := range 2 {
		a := g[3*k:][:3]
		for _, v := range []float64{a[0], a[1], a[2], a[0] + w*a[1], a[0] + h*a[2], a[0] + w*a[1] + h*a[2]} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return false
			}
		}
	}
	return true
}

// ReadRows fills dst with the numbers of whole rows, the first of them row y,
// counted from the north. Voids are NaN. Rows are read fastest in order: what
// lies packed in the file is read again from its start when y goes back.
func (r *Reader) ReadRows(y int, dst []float64) error {
	w := r.Info.Width
	if n := len(dst) / w; n*w != len(dst) || y < 0 || y+n > r.Info.Height {
		panic(fmt.Sprintf("raster: %d numbers from row %d of %d×%d", len(dst), y, w, r.Info.Height))
	}
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if err := r.dec.readRows(y, dst); err != nil {
		return named(r.path, err)
	}
	r.Info.markVoids(dst)
	r.watch(dst, y+len(dst)/w == r.Info.Height)
	return nil
}

// markVoids makes NaN of numbers that stand for voids.
func (i *Info) markVoids(dst []float64) {
	if len(i.NoData) == 0 && i.Type[0] != 'f' {
		return
	}
	single := i.Type == "f32"
	for k, v := range dst {
		if math.IsInf(v, 0) {
			dst[k] = math.NaN()
		}
		for _, nd := range i.NoData {
			// A float32 file may say in more digits what it stores in fewer.
			if v == nd || single && float32(v) == float32(nd) {
				dst[k] = math.NaN()
			}
		}
	}
}

// void32 is the bits of a void among heights.
const void32 = 0x7fc00000

// ReadHeights fills dst like ReadRows, in metres. Voids are the NaN 0x7fc00000.
func (r *Reader) ReadHeights(y int, dst []float32) error {
	if cap(r.row) < len(dst) {
		r.row = make([]float64, len(dst))
	}
	row := r.row[:len(dst)]
	if err := r.ReadRows(y, row); err != nil {
		return err
	}
	for k, v := range row {
		if math.IsNaN(v) {
			dst[k] = math.Float32frombits(void32)
		} else {
			m := r.Info.metres(v)
			if !(math.Abs(m) <= math.MaxFloat32) {
				return named(r.path, tooHigh(m))
			}
			dst[k] = float32(m)
		}
	}
	return nil
}

// tooHigh is the error of a height that no world and no dump can hold.
func tooHigh(metres float64) error {
	return unsupported("a height of %v m: more than %.6g", metres, math.MaxFloat32)
}

func (i *Info) metres(number float64) float64 { return i.Offset + number*i.Unit }

// Stats are the heights of a raster in metres; NaN where all are voids.
type Stats struct {
	Min, Max, Mean float64
	Voids          int64
}

// Stats reads all rows.
func (r *Reader) Stats() (Stats, error) {
	lo, hi, sum := math.Inf(1), math.Inf(-1), 0.0
	i := &r.Info
	var voids int64
	row := make([]float64, i.Width)
	for y := range i.Height {
		if err := r.ReadRows(y, row); err != nil {
			return Stats{}, err
		}
		for _, v := range row {
			if math.IsNaN(v) {
				voids++
				continue
			}
			lo, hi = min(lo, v), max(hi, v)
			sum += v
		}
	}
	n := int64(i.Width)*int64(i.Height) - voids
	if n == 0 {
		return Stats{math.NaN(), math.NaN(), math.NaN(), voids}, nil
	}
	return Stats{i.metres(lo), i.metres(hi), i.metres(sum / float64(n)), voids}, nil
}

// Close closes the file.
func (r *Reader) Close() error {
	return errors.Join(r.dec.close(), r.file.Close())
}

// sequence is a decoder of what can be read only from its start.
type sequence struct {
	width, height int
	start         func() (rowReader, error)

	current rowReader
	next    int // the row that current gives next
	skipped []float64
}

// rowReader reads row after row.
type rowReader interface {
	row(dst []float64) error
	// end checks what follows the last row.
	end() error
	close() error
}

func (s *sequence) readRows(y int, dst []float64) error {
	if s.current != nil && y < s.next {
		if err := s.close(); err != nil {
			return err
		}
	}
	if s.current == nil {
		c, err := s.start()
		if err != nil {
			return err
		}
		s.current, s.next = c, 0
	}
	for s.next < y {
		if s.skipped == nil {
			s.skipped = make([]float64, s.width)
		}
		if err := s.read(s.skipped); err != nil {
			return err
		}
	}
	for at := 0; at < len(dst); at += s.width {
		if err := s.read(dst[at : at+s.width]); err != nil {
			return err
		}
	}
	return nil
}

// read reads the next row, after the last one the rest of the file too.
func (s *sequence) read(dst []float64) error {
	err := s.current.row(dst)
	if s.next++; err == nil && s.next == s.height {
		err = s.current.end()
	}
	if err != nil {
		s.close()
	}
	return err
}

func (s *sequence) close() error {
	if s.current == nil {
		return nil
	}
	err := s.current.close()
	s.current = nil
	return err
}
