package raster

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// hgtExtensions are of unpacked tiles.
var hgtExtensions = []string{".hgt"}

// hgtVoid is the number of a void.
const hgtVoid = -32768

// hgtName finds the position in a tile's name.
var hgtName = regexp.MustCompile(`(?i)(?:^|[^a-z0-9])([NS])(\d{1,2})([EW])(\d{1,3})(?:hgt)?(?:[^a-z0-9]|$)`)

// parseHGTName returns the latitude and longitude of a tile's south-west corner.
func parseHGTName(name string) (latitude, longitude int, ok bool) {
	m := hgtName.FindStringSubmatch(name)
	if m == nil {
		return 0, 0, false
	}
	latitude, _ = strconv.Atoi(m[2])
	longitude, _ = strconv.Atoi(m[4])
	if strings.EqualFold(m[1], "S") {
		latitude = -latitude
	}
	if strings.EqualFold(m[3], "W") {
		longitude = -longitude
	}
	return latitude, longitude, latitude >= -90 && latitude < 90 && longitude >= -180 && longitude < 180
}

// hgtSides are the samples a side of a square tile; whole parts of a degree.
var hgtSides = []int{1201, 3601, 7201, 10801, 601, 401, 301, 241, 121, 61}

// hgtSize returns the size of a tile of n bytes.
func hgtSize(n int64) (w, h int, err error) {
	for _, s := range hgtSides {
		if n == int64(s)*int64(s)*2 {
			return s, s, nil
		}
	}
	if n == 1801*3601*2 { // 2″ by 1″, far from the equator
		return 1801, 3601, nil
	}
	found := strconv.FormatInt(n, 10)
	if n > maxHGT {
		found = fmt.Sprintf("more than %d", maxHGT)
	}
	msg := "an SRTM tile has 2884802 bytes (3″) or 25934402 (1″), not " + found
	if n < 25934402 {
		return 0, 0, truncated("%s", msg)
	}
	return 0, 0, unsupported("%s", msg)
}

const maxHGT = 10801 * 10801 * 2

// openHGT opens an SRTM tile.
func (in *input) openHGT(s *stream, i *Info) (decoder, measure, error) {
	name := s.name
	if in.o.HGT != "" {
		name = in.o.HGT
	}
	latitude, longitude, ok := parseHGTName(name)
	if !ok {
		return nil, measure{}, unsupported("the name %q says no position of an SRTM tile, as N44W072 does: give --hgt N44W072", name)
	}
	n, err := s.length(maxHGT)
	if err != nil {
		return nil, measure{}, err
	}
	w, h, err := hgtSize(n)
	if err != nil {
		return nil, measure{}, err
	}
	east, north := 1/float64(w-1), 1/float64(h-1)
	i.GeoTransform = &[6]float64{float64(longitude) - east/2, east, 0, float64(latitude) + 1 + north/2, 0, -north}
	i.CRS, i.PixelIsPoint, i.VerticalUnit = "EPSG:4326", true, "metre"
	raw := Raw{Width: w, Height: h, Type: "i16", Order: binary.BigEndian}
	d := newRawRows(in.f, raw, i)
	i.Kind, i.NoData = "hgt", []float64{hgtVoid}
	if s.size == in.size && !isZip(in.head) {
		return d, measure{degrees: true}, nil
	}
	return &sequence{width: w, height: h, start: func() (rowReader, error) { return startHGT(s, raw) }}, measure{degrees: true}, nil
}

// hgtRows reads the rows of a packed tile.
type hgtRows struct {
	what string
	c    io.Closer
	r    *bufio.Reader
	raw  Raw
	buf  []byte
}

func startHGT(s *stream, raw Raw) (rowReader, error) {
	r, err := s.open()
	if err != nil {
		return nil, damaged(s.what, err)
	}
	return &hgtRows{s.what, r, bufio.NewReaderSize(r, 1<<16), raw, make([]byte, 2*raw.Width)}, nil
}

func (h *hgtRows) row(dst []float64) error {
	if _, err := io.ReadFull(h.r, h.buf); err != nil {
		return damaged(h.what, err)
	}
	decodeNumbers(h.buf, h.raw.Type, h.raw.Order, dst)
	return nil
}

// end makes the decompressor compare checksums.
func (h *hgtRows) end() error {
	switch _, err := h.r.ReadByte(); err {
	case io.EOF:
		return nil
	case nil:
		return corrupt("%s: it goes on after the tile", h.what)
	default:
		return damaged(h.what, err)
	}
}

func (h *hgtRows) close() error { return h.c.Close() }
