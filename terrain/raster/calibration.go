package raster

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"io"
	"math"
	"strings"
)

// Calibration says what the numbers of a picture mean. A PNG keeps it as a text,
// and is then read as what it was made of: a height is Unit × (Least + number)
// metres. It is the JSON object of a tEXt chunk with the keyword of
// [CalibrationKeyword].
type Calibration struct {
	Unit         float64     `json:"unit_m"`         // metres
	Least        int64       `json:"least_units"`    // what the number 0 stands for
	Void         *int        `json:"void,omitempty"` // the number of a sample without a height
	Spacing      float64     `json:"spacing_m"`      // metres between samples
	CRS          string      `json:"crs,omitempty"`  // of Transform, as in Info
	Geo          *[6]float64 `json:"geotransform,omitempty"`
	Point        bool        `json:"pixel_is_point,omitempty"`
	VerticalUnit string      `json:"vertical_unit,omitempty"`
}

// CalibrationKeyword begins the text of a PNG that is a [Calibration].
const CalibrationKeyword = "vkterrain-heights"

// maxCalibration is the most bytes of a calibration.
const maxCalibration = 1 << 16

// AppendPNG appends the calibration as a chunk of a PNG. It belongs between the
// header and the pixels.
func (c *Calibration) AppendPNG(b []byte) ([]byte, error) {
	value, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	text := []byte(CalibrationKeyword + "\x00")
	for _, r := range string(value) {
		if r < 0x80 {
			text = append(text, byte(r))
		} else {
			text = appendEscape(text, r) // a tEXt has Latin-1 alone
		}
	}
	b = binary.BigEndian.AppendUint32(b, uint32(len(text)))
	start := len(b)
	b = append(append(b, "tEXt"...), text...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[start:])), nil
}

// appendEscape appends a character as JSON escapes it.
func appendEscape(b []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	units := []rune{r}
	if r > 0xffff {
		units = []rune{0xd800 + (r-0x10000)>>10, 0xdc00 + (r-0x10000)&0x3ff}
	}
	for _, u := range units {
		b = append(b, '\\', 'u', hex[u>>12&15], hex[u>>8&15], hex[u>>4&15], hex[u&15])
	}
	return b
}

// readCalibration finds the calibration of a PNG before its pixels. One that is
// damaged is none.
func readCalibration(f io.ReaderAt, size int64) *Calibration {
	var head [8]byte
	for at := int64(len(pngSignature)); at+12 <= size; {
		if _, err := f.ReadAt(head[:], at); err != nil {
			return nil
		}
		n, kind := int64(binary.BigEndian.Uint32(head[:])), string(head[4:])
		if kind == "IDAT" || kind == "IEND" || at+12+n > size {
			return nil
		}
		if kind == "tEXt" && n <= maxCalibration {
			body := make([]byte, n+4)
			if _, err := f.ReadAt(body, at+8); err != nil {
				return nil
			}
			text, found := strings.CutPrefix(string(body[:n]), CalibrationKeyword+"\x00")
			crc := crc32.Update(crc32.ChecksumIEEE(head[4:]), crc32.IEEETable, body[:n])
			if found && crc == binary.BigEndian.Uint32(body[n:]) {
				return parseCalibration(text)
			}
		}
		at += 12 + n
	}
	return nil
}

func parseCalibration(text string) *Calibration {
	var c Calibration
	if json.Unmarshal([]byte(text), &c) != nil || !(c.Unit > 0) || c.Spacing < 0 || math.Abs(float64(c.Least)) > 1<<31 {
		return nil
	}
	return &c
}

// describe makes i, and the spacing of o, what c says, but for what o says.
func (c *Calibration) describe(i *Info, o *Options) {
	if o.Range != nil || o.Encoding.colours() {
		return
	}
	i.Offset = float64(c.Least)
	if o.HeightUnit == 0 { // else finish multiplies both
		i.Unit, i.Offset = c.Unit, i.Offset*c.Unit
	}
	if c.Void != nil {
		i.NoData = append(i.NoData, float64(*c.Void))
	}
	if o.Spacing == 0 {
		o.Spacing = c.Spacing
	}
	i.CRS, i.GeoTransform, i.PixelIsPoint, i.VerticalUnit = c.CRS, c.Geo, c.Point, c.VerticalUnit
}
