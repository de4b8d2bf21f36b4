package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/vkterrain/vkterrain/export"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
	"github.com/vkterrain/vkterrain/terrain/raster"
)

// heightsExport is what export says of a raster.
type heightsExport struct {
	Width      int     `json:"width"`
	Height     int     `json:"height"`
	SpacingM   float64 `json:"spacing_m"`
	Type       string  `json:"type"`
	UnitM      float64 `json:"unit_m"`      // metres a unit of the numbers
	LeastUnits int64   `json:"least_units"` // what the number 0 stands for
	NoData     *int64  `json:"nodata"`      // the number of a hole, if it is whole
	Flags      string  `json:"flags"`       // with which this program reads the same heights again

	said []string
}

func (h *heightsExport) lines() []string { return h.said }

// spacingFlag is what a file that says no spacing must be read with.
func (h *heightsExport) spacingFlag() string { return "--spacing " + exactly(h.SpacingM) }

// exactly writes a number so that it is read as the same.
func exactly(v float64) string { return fmt.Sprint(v) }

// writeHeights writes the heights of a world as a raster.
func (c *exportCmd) writeHeights(a *app, r *chunkfile.Reader) (*heightsExport, error) {
	if c.Format == "geotiff" {
		if err := raster.HasGDAL(); err != nil {
			return nil, outputError(fmt.Errorf("cannot write %s: %w", c.Out, err))
		}
	}
	w := r.World()
	rows := export.NewRows(a.ctx, r, terrain.Level(c.Level), a.Workers)
	h := &heightsExport{Width: rows.Width, Height: rows.Height, SpacingM: w.Spacing * float64(int(1)<<c.Level), UnitM: w.Quantum}
	var err error
	switch c.Format {
	case "png16":
		err = c.writePNG(a, r, rows, h)
	case "raw":
		err = c.writeRaw(a, r, rows, h)
	default:
		err = c.writeGeoTIFF(a, r, rows, h)
	}
	return h, c.failed(err)
}

// counting calls p with the share of bytes that have been written.
type counting struct {
	w           io.Writer
	done, total int64
	p           *progress
}

func (c *counting) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.done += int64(n)
	c.p.at(min(1, float64(c.done)/float64(c.total)))
	return n, err
}

// progressOf makes a writer that tells how much of total bytes is written.
func (c *exportCmd) progressOf(a *app, w io.Writer, total int64) io.Writer {
	return &counting{w: w, total: max(1, total), p: newProgress(a.log, c.Progress, "exporting "+c.Out)}
}

func (c *exportCmd) writePNG(a *app, r *chunkfile.Reader, rows *export.Rows, h *heightsExport) error {
	w := r.World()
	lo, hi := heightRange(w)
	cal := &raster.Calibration{Unit: w.Quantum, Least: lo, Spacing: h.SpacingM, CRS: w.Geo.CRS, Geo: levelTransform(w, c.Level), Point: w.Geo.PixelIsPoint, VerticalUnit: w.Geo.VerticalUnit}
	most := int64(1<<16 - 1)
	if w.Holes {
		void := int(most)
		cal.Void, h.NoData = &void, &most
		most--
	}
	if hi-lo > most {
		return fmt.Errorf("its heights span %d units of %v m, and 16 bits hold %d: --format raw or geotiff loses nothing", hi-lo, w.Quantum, most)
	}
	h.Type, h.LeastUnits = "u16", lo
	h.say("height in metres = %s", meaning(w.Quantum, lo))
	h.say("the file says so itself, and the spacing of %s m; vkterrain reads both", exactly(h.SpacingM))
	if h.NoData != nil {
		h.say("%d stands for a hole", *h.NoData)
	}
	return c.write(a, func(out io.Writer) error {
		// About what a picture of noise and hills takes.
		return export.WritePNG(c.progressOf(a, out, int64(rows.Width)*int64(rows.Height)), rows, cal)
	})
}

// meaning says what height a number stands for.
func meaning(unit float64, least int64) string {
	number := "number"
	switch {
	case least > 0:
		number = fmt.Sprintf("number + %d", least)
	case least < 0:
		number = fmt.Sprintf("number - %d", -least)
	}
	switch {
	case unit == 1:
		return number
	case least == 0:
		return exactly(unit) + " × " + number
	}
	return exactly(unit) + " × (" + number + ")"
}

func (h *heightsExport) say(format string, args ...any) {
	h.said = append(h.said, fmt.Sprintf(format, args...))
}

// voidFor returns a number for holes that no height is: the least of a signed type,
// where it is free, as is usual.
func voidFor(n export.Numbers, lo, hi int64) (int64, bool) {
	least, most := n.Range()
	switch {
	case least < 0 && least < lo:
		return least, true
	case most > hi:
		return most, true
	}
	return 0, least < lo
}

// fitting returns the first of some types that holds whole numbers from lo to hi,
// and one for holes where there are any.
func fitting(lo, hi int64, holes bool, types ...export.Numbers) (n export.Numbers, void *int64, ok bool) {
	for _, n := range types {
		least, most := n.Range()
		if lo < least || hi > most {
			continue
		}
		if !holes {
			return n, nil, true
		}
		if v, ok := voidFor(n, lo, hi); ok {
			return n, &v, true
		}
	}
	return "", nil, false
}

func (c *exportCmd) writeRaw(a *app, r *chunkfile.Reader, rows *export.Rows, h *heightsExport) error {
	w := r.World()
	lo, hi := heightRange(w)
	types := []export.Numbers{export.U16, export.I16, export.I32}
	n := export.Numbers(c.Type)
	if n != "" {
		types = []export.Numbers{n}
	}
	if n != export.F32 {
		var ok bool
		if n, h.NoData, ok = fitting(lo, hi, w.Holes, types...); !ok {
			return usageError(fmt.Errorf("--type %s: its heights are %d to %d units of %v m", c.Type, lo, hi, w.Quantum))
		}
	}
	h.Type = string(n)
	h.Flags = fmt.Sprintf("--raw %dx%d,%s %s", h.Width, h.Height, n, h.spacingFlag())
	if n == export.F32 {
		h.UnitM = 1
	} else if w.Quantum != 1 {
		h.Flags += " --height-unit " + exactly(w.Quantum)
	}
	if h.NoData != nil {
		h.Flags += fmt.Sprintf(" --nodata %d", *h.NoData)
	}
	h.say("to read it again: %s", h.Flags)
	return c.write(a, func(out io.Writer) error {
		out = c.progressOf(a, out, int64(h.Width)*int64(h.Height)*int64(n.Bytes()))
		return export.WriteRaw(out, rows, n, w.Quantum, h.NoData)
	})
}

// levelTransform returns the geotransform of every 2^level-th sample, nil where
// nothing is known. It counts from the outer corner of the first sample, which
// stays where it is.
func levelTransform(w *terrain.World, level uint8) *[6]float64 {
	if w.Geo.Transform == nil {
		return nil
	}
	t := *w.Geo.Transform
	centre := [2]float64{t[0] + t[1]/2 + t[2]/2, t[3] + t[4]/2 + t[5]/2}
	if step := float64(int(1) << level); step > 1 {
		for _, i := range []int{1, 2, 4, 5} {
			t[i] *= step
		}
		t[0], t[3] = centre[0]-t[1]/2-t[2]/2, centre[1]-t[4]/2-t[5]/2
	}
	return &t
}

// vrt describes a file of numbers to GDAL.
type vrt struct {
	XMLName      xml.Name `xml:"VRTDataset"`
	Width        int      `xml:"rasterXSize,attr"`
	Height       int      `xml:"rasterYSize,attr"`
	SRS          string   `xml:"SRS,omitempty"`
	GeoTransform string   `xml:"GeoTransform,omitempty"`
	Metadata     []vrtItem
	Band         vrtBand `xml:"VRTRasterBand"`
}

type vrtItem struct {
	XMLName xml.Name `xml:"Metadata"`
	MDI     struct {
		Key   string `xml:"key,attr"`
		Value string `xml:",chardata"`
	}
}

type vrtBand struct {
	Type     string   `xml:"dataType,attr"`
	Band     int      `xml:"band,attr"`
	Class    string   `xml:"subClass,attr"`
	NoData   string   `xml:"NoDataValue,omitempty"`
	Unit     string   `xml:"UnitType"`
	Offset   *float64 `xml:"Offset"`
	Scale    *float64 `xml:"Scale"`
	Colour   string   `xml:"ColorInterp"`
	Source   vrtFile  `xml:"SourceFilename"`
	Skip     int      `xml:"ImageOffset"`
	Pixel    int      `xml:"PixelOffset"`
	Line     int64    `xml:"LineOffset"`
	ByteSort string   `xml:"ByteOrder"`
}

type vrtFile struct {
	Relative int    `xml:"relativeToVRT,attr"`
	Name     string `xml:",chardata"`
}

// gdalNames are GDAL's names of our types.
var gdalNames = map[export.Numbers]string{export.U16: "UInt16", export.I16: "Int16", export.I32: "Int32", export.F32: "Float32"}

// geoTIFF chooses the numbers of a GeoTIFF: whole metres as whole numbers, parts of
// a metre as float32 where those are read again as they were, else height units and
// a scale.
func (c *exportCmd) geoTIFF(r *chunkfile.Reader, h *heightsExport) (n export.Numbers, band vrtBand, err error) {
	w := r.World()
	lo, hi := heightRange(w)
	band = vrtBand{Band: 1, Class: "VRTRawRasterBand", Unit: "metre", Colour: "Gray", ByteSort: "LSB"}
	n = export.F32
	if w.Quantum == 1 || !exact(w.Quantum) {
		var ok bool
		if n, h.NoData, ok = fitting(lo, hi, w.Holes, export.I16, export.U16, export.I32); !ok {
			return "", band, fmt.Errorf("its heights are %d to %d units of %v m, which 32 bits do not hold", lo, hi, w.Quantum)
		}
		if w.Quantum != 1 {
			zero := 0.0
			band.Offset, band.Scale = &zero, &w.Quantum
		}
	} else {
		h.UnitM = 1
	}
	switch {
	case h.NoData != nil:
		band.NoData = fmt.Sprint(*h.NoData)
	case w.Holes:
		band.NoData = "nan"
	}
	h.Type = string(n[:len(n)-len("le")])
	band.Type, band.Pixel, band.Line = gdalNames[n], n.Bytes(), int64(n.Bytes())*int64(h.Width)
	return n, band, nil
}

// place makes d say where the world lies. A world that does not know has its own
// coordinates, so that its spacing is kept.
func (d *vrt) place(w *terrain.World, level uint8) {
	t := levelTransform(w, level)
	d.SRS = w.Geo.CRS
	if t == nil {
		d.SRS = ""
		s := w.Spacing * float64(int(1)<<level)
		t = &[6]float64{w.OriginX - s/2, s, 0, s/2 - w.OriginZ, 0, -s}
	}
	for i, v := range t {
		if i > 0 {
			d.GeoTransform += ", "
		}
		d.GeoTransform += exactly(v)
	}
	if w.Geo.PixelIsPoint {
		item := vrtItem{}
		item.MDI.Key, item.MDI.Value = "AREA_OR_POINT", "Point"
		d.Metadata = append(d.Metadata, item)
	}
}

// writeGeoTIFF lets GDAL make a compressed, tiled GeoTIFF of a file of numbers.
func (c *exportCmd) writeGeoTIFF(a *app, r *chunkfile.Reader, rows *export.Rows, h *heightsExport) (err error) {
	n, band, err := c.geoTIFF(r, h)
	if err != nil {
		return err
	}
	var names []string // of the numbers, of what describes them, of the result
	defer func() {
		for _, name := range names {
			os.Remove(name)
		}
	}()
	fill := []func(w io.Writer) error{
		func(w io.Writer) error {
			w = c.progressOf(a, w, int64(h.Width)*int64(h.Height)*int64(n.Bytes()))
			return export.WriteRaw(w, rows, n, r.World().Quantum, h.NoData)
		},
		func(w io.Writer) error {
			band.Source = vrtFile{1, filepath.Base(names[0])}
			d := &vrt{Width: h.Width, Height: h.Height, Band: band}
			d.place(r.World(), c.Level)
			text, err := xml.MarshalIndent(d, "", " ")
			if err == nil {
				_, err = w.Write(text)
			}
			return outputError(err)
		},
		func(io.Writer) error { return nil },
	}
	for _, f := range fill {
		name, err := writeBeside(c.Out, f)
		if name != "" {
			names = append(names, name)
		}
		if err != nil {
			return err
		}
	}
	predictor := "2"
	if n == export.F32 {
		predictor = "3"
	}
	if err := raster.Translate(a.ctx, "-of", "GTiff", "-co", "TILED=YES", "-co", "COMPRESS=DEFLATE", "-co", "PREDICTOR="+predictor,
		"-co", "BIGTIFF=IF_SAFER", names[1], names[2]); err != nil {
		return outputError(fmt.Errorf("cannot write %s: %w", c.Out, err))
	}
	h.say("%d×%d samples of type %s, %s m apart", h.Width, h.Height, h.Type, exactly(h.SpacingM))
	if err := os.Rename(names[2], c.Out); err != nil {
		return outputError(naming(c.Out, err))
	}
	return nil
}
