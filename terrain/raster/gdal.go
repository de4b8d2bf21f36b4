package raster

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// What GDAL's programs may take. They read files that nobody vouched for.
const (
	gdalInfoTime      = 30 * time.Second
	gdalTranslateTime = 10 * time.Minute
	gdalOutput        = 16 << 20 // bytes of what a program prints
	gdalWindow        = 64 << 20 // bytes of rows at a time
	gdalSparse        = 4 << 30  // bytes that need not be in a file
	gdalCacheMB       = 64
)

// gdalOffline are drivers that would ask the network.
const gdalOffline = "WMS WMTS WCS HTTP OGCAPI PLMOSAIC EEDAI STACIT STACTA NGW DAAS RASTERLITE"

// needGDAL says what is missing.
const needGDAL = "GDAL's programs are not installed (Debian package gdal-bin)"

// tiffMagic begin TIFF files: little and big endian, classic and BigTIFF.
var tiffMagic = []string{"II*\x00", "MM\x00*", "II+\x00", "MM\x00+"}

// isTIFF says whether head begins a TIFF.
func isTIFF(head []byte) bool {
	for _, m := range tiffMagic {
		if bytes.HasPrefix(head, []byte(m)) {
			return true
		}
	}
	return false
}

// gdalKinds are our names for drivers whose own differ.
var gdalKinds = map[string]string{"GTiff": "geotiff", "AAIGrid": "asc", "SRTMHGT": "hgt"}

// gdalTypes are our names of GDAL's types.
var gdalTypes = map[string]string{
	"Byte": "u8", "Int8": "i8", "UInt16": "u16", "Int16": "i16",
	"UInt32": "u32", "Int32": "i32", "Float32": "f32", "Float64": "f64",
}

// gdalInfo is what gdalinfo -json says.
type gdalInfo struct {
	Driver           string      `json:"driverShortName"`
	Files            []string    `json:"files"`
	Size             [2]int      `json:"size"`
	GeoTransform     *[6]float64 `json:"geoTransform"`
	CoordinateSystem struct {
		WKT string `json:"wkt"`
	} `json:"coordinateSystem"`
	Metadata map[string]json.RawMessage `json:"metadata"`
	Bands    []gdalBand                 `json:"bands"`
}

type gdalBand struct {
	Type   string          `json:"type"`
	Block  [2]int          `json:"block"`
	Colour string          `json:"colorInterpretation"`
	NoData json.RawMessage `json:"noDataValue"`
	Unit   string          `json:"unit"`
	Scale  *float64        `json:"scale"`
	Offset *float64        `json:"offset"`
}

// openGDAL opens whatever GDAL reads.
func (in *input) openGDAL(i *Info) (decoder, measure, error) {
	path, err := filepath.Abs(in.path)
	if err != nil {
		return nil, measure{}, err
	}
	g, err := gdalDescribe(in.ctx, path, isTIFF(in.head))
	if err != nil {
		return nil, measure{}, err
	}
	return in.useGDAL(g, path, i)
}

// useGDAL describes in i what g says of the file at path.
func (in *input) useGDAL(g *gdalInfo, path string, i *Info) (decoder, measure, error) {
	i.Kind = strings.ToLower(g.Driver)
	if k := gdalKinds[g.Driver]; k != "" {
		i.Kind = k
	}
	if len(g.Bands) == 0 {
		return nil, measure{}, unsupported("a file of kind %s with several data sets or none; gdal_translate takes one out", g.Driver)
	}
	b := &g.Bands[0]
	if i.Type = gdalTypes[b.Type]; i.Type == "" {
		return nil, measure{}, unsupported("numbers of type %s", b.Type)
	}
	i.Width, i.Height, i.Unit, i.Integer = g.Size[0], g.Size[1], 1, i.Type[0] != 'f' && numberSize[i.Type] < 4
	d := &gdalRows{ctx: in.ctx, path: path, bands: 1, raw: Raw{Width: i.Width, Height: i.Height, Type: i.Type, Order: binary.NativeEndian}}
	if err := g.checkSize(d.raw); err != nil {
		return nil, measure{}, err
	}
	if err := in.gdalColours(g, i, d); err != nil {
		return nil, measure{}, err
	}
	in.gdalHeights(b, i)
	m := g.place(i, d)
	if unit := b.Unit; !i.Encoding.colours() && unit != "" {
		in.setVerticalUnit(i, unit)
	} else if !i.Encoding.colours() {
		in.setVerticalUnit(i, wktVertical(g.CoordinateSystem.WKT))
	}
	d.block = max(1, b.Block[1])
	d.setWindow(gdalWindow)
	return d, m, nil
}

// setWindow bounds the bytes of a window.
func (d *gdalRows) setWindow(bytes int) {
	if d.window = max(1, min(d.raw.Height, bytes/d.rowBytes())); d.window > d.block {
		d.window -= d.window % d.block
	}
}

// checkSize refuses what claims far more than its files can hold.
func (g *gdalInfo) checkSize(r Raw) error {
	if r.Width < 1 || r.Height < 1 {
		return corrupt("%d×%d samples", r.Width, r.Height)
	}
	var size float64
	for _, f := range g.Files {
		if st, err := os.Stat(f); err == nil {
			size += float64(st.Size())
		}
	}
	number := float64(numberSize[r.Type])
	block := float64(g.Bands[0].Block[0]) * float64(g.Bands[0].Block[1]) * number
	whole := float64(r.Width) * float64(r.Height) * number
	// Deflate makes at most 1032 bytes of one. Whole tiles may be left out of a
	// raster, but it ends somewhere.
	if most := 1032 * size; block > most+gdalWindow || whole > most+gdalSparse {
		return corrupt("it claims %d×%d samples of %d bytes, which its %.0f bytes cannot hold", r.Width, r.Height, int(number), size)
	}
	return nil
}

// gdalColours decides what the bands mean.
func (in *input) gdalColours(g *gdalInfo, i *Info, d *gdalRows) error {
	enc := in.o.Encoding
	switch {
	case enc.colours() && (len(g.Bands) < 3 || i.Type != "u8"):
		return unsupported("%d bands of type %s; --encoding %s needs three of u8", len(g.Bands), i.Type, enc)
	case enc == "" && g.Bands[0].Colour == "Palette":
		return unsupported("an image with a palette; %s", sayColours)
	case enc == "" && len(g.Bands) > 1 && g.Bands[0].Colour == "Red":
		i.warn("has %d bands of colours; the first, red, is read (--encoding mapbox|terrarium decodes colours)", len(g.Bands))
	case enc == "" && len(g.Bands) > 1:
		i.warn("has %d bands; the first is read", len(g.Bands))
	case enc == "" && i.Type == "u8":
		i.warn("has only 256 height levels: slopes will be terraced")
	}
	if enc.describe(i); enc.colours() {
		d.bands, d.enc = 3, enc
	}
	return nil
}

// gdalHeights sets what the numbers of a band mean.
func (in *input) gdalHeights(b *gdalBand, i *Info) {
	if i.Encoding.colours() {
		return
	}
	if v, err := strconv.ParseFloat(strings.Trim(string(b.NoData), `"`), 64); (err == nil || errors.Is(err, strconv.ErrRange)) && !math.IsNaN(v) {
		i.NoData = []float64{v}
	}
	if b.Scale != nil && *b.Scale > 0 && !math.IsInf(*b.Scale, 0) {
		i.Unit = *b.Scale
	}
	if b.Offset != nil && !math.IsInf(*b.Offset, 0) {
		i.Offset = *b.Offset
	}
}

// place sets where the raster lies, and turns it north up.
func (g *gdalInfo) place(i *Info, d *gdalRows) measure {
	var point string
	var meta map[string]string
	if json.Unmarshal(g.Metadata[""], &meta) == nil {
		point = meta["AREA_OR_POINT"]
	}
	i.PixelIsPoint = point == "Point"
	var m measure
	if wkt := g.CoordinateSystem.WKT; wkt != "" {
		if m, i.CRS = parseWKT(wkt); i.CRS == "" {
			i.CRS = oneLine(wkt)
		}
	}
	t := g.GeoTransform
	if t == nil {
		return measure{}
	}
	switch {
	case t[2] != 0 || t[4] != 0:
		i.warn("its rows do not run from west to east; it is read as it lies")
	case t[1] < 0:
		i.warn("its rows run from east to west; it is read as it lies")
	case t[5] > 0: // south first
		d.flip = true
		t[3], t[5] = t[3]+float64(i.Height)*t[5], -t[5]
	}
	if i.GeoTransform = t; g.CoordinateSystem.WKT == "" {
		return i.guess()
	}
	return m
}

// gdalRows reads rows that gdal_translate writes, a window of them at a time.
type gdalRows struct {
	ctx    context.Context
	path   string
	raw    Raw // as it is written
	bands  int
	enc    Encoding
	flip   bool // the file's first row is the southernmost
	block  int  // rows that the file holds together
	window int  // rows of a window

	y0, y1 int // the rows in data
	data   []byte
}

func (d *gdalRows) rowBytes() int { return d.raw.Width * d.bands * numberSize[d.raw.Type] }

func (d *gdalRows) readRows(y int, dst []float64) error {
	n := d.rowBytes()
	for ; len(dst) > 0; dst, y = dst[d.raw.Width:], y+1 {
		if y < d.y0 || y >= d.y1 {
			if err := d.load(y - y%d.window); err != nil {
				return err
			}
		}
		at := y - d.y0
		if d.flip {
			at = d.y1 - 1 - y
		}
		row, out := d.data[at*n:(at+1)*n], dst[:d.raw.Width]
		if d.bands == 1 {
			decodeNumbers(row, d.raw.Type, d.raw.Order, out)
			continue
		}
		for x := range out {
			out[x] = d.enc.number(row[3*x], row[3*x+1], row[3*x+2])
		}
	}
	return nil
}

// load reads the window whose northernmost row is y0.
func (d *gdalRows) load(y0 int) error {
	y1 := min(y0+d.window, d.raw.Height)
	d.y0, d.y1 = 0, 0
	dir, err := os.MkdirTemp("", "vkterrain-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	first := y0
	if d.flip {
		first = d.raw.Height - y1
	}
	rows := filepath.Join(dir, "rows")
	args := []string{"-q", "-of", "ENVI", "-co", "INTERLEAVE=BIP", "-srcwin", "0", strconv.Itoa(first), strconv.Itoa(d.raw.Width), strconv.Itoa(y1 - y0)}
	for b := range d.bands {
		args = append(args, "-b", strconv.Itoa(b+1))
	}
	if _, err := gdalRun(d.ctx, gdalTranslateTime, "gdal_translate", append(args, d.path, rows)...); err != nil {
		return err
	}
	want := (y1 - y0) * d.rowBytes()
	if len(d.data) < want {
		d.data = make([]byte, want)
	}
	f, err := os.Open(rows)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.ReadFull(f, d.data[:want]); err != nil {
		return corrupt("gdal_translate gave fewer rows than it was asked for")
	}
	d.y0, d.y1 = y0, y1
	return nil
}

func (d *gdalRows) close() error {
	d.data = nil
	d.y0, d.y1 = 0, 0
	return nil
}

// gdalDescribe asks gdalinfo what a file is.
func gdalDescribe(ctx context.Context, path string, known bool) (*gdalInfo, error) {
	if _, err := exec.LookPath("gdalinfo"); err != nil {
		if known {
			return nil, unsupported("a TIFF, which GDAL reads; %s", needGDAL)
		}
		return nil, unsupported("not a height raster that this program reads without GDAL; %s", needGDAL)
	}
	out, err := gdalRun(ctx, gdalInfoTime, "gdalinfo", "-json", "-norat", "-noct", path)
	if err != nil {
		return nil, err
	}
	var g gdalInfo
	if err := json.Unmarshal(out, &g); err != nil {
		return nil, unsupported("gdalinfo says what is no JSON: %v", err)
	}
	return &g, nil
}

// gdalRun runs one of GDAL's programs and returns what it prints.
func gdalRun(ctx context.Context, limit time.Duration, name string, args ...string) ([]byte, error) {
	program, err := exec.LookPath(name)
	if err != nil {
		return nil, unsupported("%s", needGDAL)
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(limited, program, args...)
	cmd.WaitDelay = time.Second
	cmd.Env = append(os.Environ(), "LC_ALL=C", "CPL_DEBUG=OFF", "GDAL_PAM_ENABLED=NO", "GDAL_SKIP="+gdalOffline,
		"GDAL_CACHEMAX="+strconv.Itoa(gdalCacheMB), "GDAL_VRT_ENABLE_PYTHON=NO", "GDAL_HTTP_TIMEOUT=10", "GDAL_HTTP_MAX_RETRY=0")
	stdout, stderr := &limitedBuffer{limit: gdalOutput}, &limitedBuffer{limit: 1 << 16}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, unsupported("%s took more than %v", name, limit)
	case err != nil:
		return nil, gdalError(name, args[len(args)-1], stderr.String(), err)
	}
	return stdout.Bytes(), nil
}

// gdalError says what a program's messages say, in a line.
func gdalError(name, path, messages string, err error) error {
	if strings.Contains(messages, "not recognized as a supported file format") {
		return unsupported("not a height raster that this program or GDAL reads (numbers alone need --raw)")
	}
	text := err.Error()
	for line := range strings.Lines(messages) {
		if rest, found := strings.CutPrefix(line, "ERROR "); found {
			if _, after, found := strings.Cut(rest, ": "); found {
				text = strings.TrimSpace(after)
			}
			break
		}
	}
	text = strings.TrimPrefix(text, path+": ")
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), path, filepath.Base(path))
	if lower := strings.ToLower(text); strings.Contains(lower, "codec") || strings.Contains(lower, "not supported") || strings.Contains(lower, "unsupported") {
		return unsupported("%s: %s", name, text)
	}
	return corrupt("%s: %s", name, text)
}

// limitedBuffer keeps what is written to it up to a limit.
type limitedBuffer struct {
	bytes.Buffer
	limit int
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if room := b.limit - b.Len(); room > 0 {
		b.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
