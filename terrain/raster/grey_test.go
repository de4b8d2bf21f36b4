package raster_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
)

// greyAlpha returns a PNG of 16-bit grey and alpha, which image/png can read
// but not write.
func greyAlpha(w, h int, at func(i int) (y, a uint16)) []byte {
	var raw []byte
	for i := range w * h {
		if i%w == 0 {
			raw = append(raw, 0) // filter
		}
		y, a := at(i)
		raw = binary.BigEndian.AppendUint16(raw, y)
		raw = binary.BigEndian.AppendUint16(raw, a)
	}
	var z bytes.Buffer
	zw := zlib.NewWriter(&z)
	if _, err := zw.Write(raw); err != nil {
		panic(err)
	}
	if err := zw.Close(); err != nil {
		panic(err)
	}
	b := chunk(header(uint32(w), uint32(h), 16, 4), "IDAT", z.Bytes())
	return chunk(b, "IEND", nil)
}
