package raster

import (
	"encoding/binary"
	"io"
)

// tbmpHeaderLen is the length of the header of a tiled bitmap.
const tbmpHeaderLen = 256

// tbmpHeader is that of a tiled bitmap, the height map of the CDLOD demo (Strugar,
// "Continuous Distance-Dependent Level of Detail", 2010). Little endian:
//
//	0       4       8       12      16      20      256
//	+-------+-------+-------+-------+-------+-------+
//	| 0     | width | height| 1     | block | zeros |
//	+-------+-------+-------+-------+-------+-------+
//
// where 0 is the format, 16 bits of grey. Blocks of block×block numbers follow,
// row by row; those at the right and at the bottom are smaller.
type tbmpHeader struct{ width, height, block int }

// parseTBMP reads the header of a tiled bitmap; ok is false where head and size
// are not those of one.
func parseTBMP(head []byte, size int64) (h tbmpHeader, ok bool) {
	if len(head) < tbmpHeaderLen {
		return h, false
	}
	var v [tbmpHeaderLen / 4]uint32
	for k := range v {
		if v[k] = binary.LittleEndian.Uint32(head[4*k:]); k > 4 && v[k] != 0 {
			return h, false
		}
	}
	if v[0] != 0 || v[3] != 1 || max(v[1], v[2]) > MaxSide || min(v[1], v[2], v[4]) == 0 || v[4] > MaxSide {
		return h, false
	}
	h = tbmpHeader{int(v[1]), int(v[2]), int(v[4])}
	return h, size == tbmpHeaderLen+2*int64(h.width)*int64(h.height)
}

// openTBMP opens a tiled bitmap.
func (in *input) openTBMP(h tbmpHeader, i *Info) decoder {
	i.Kind, i.Type, i.Width, i.Height, i.Unit, i.Integer = "tbmp", "u16", h.width, h.height, 1, true
	return &tbmpRows{tbmpHeader: h, f: in.f, buf: make([]byte, 2*min(h.block, h.width))}
}

// tbmpRows reads the rows of a tiled bitmap.
type tbmpRows struct {
	tbmpHeader
	f   io.ReaderAt
	buf []byte
}

func (d *tbmpRows) readRows(y int, dst []float64) error {
	for ; len(dst) > 0; dst, y = dst[d.width:], y+1 {
		top := y - y%d.block
		high := min(d.block, d.height-top)
		for x := 0; x < d.width; x += d.block {
			n := min(d.block, d.width-x)
			at := int64(top)*int64(d.width) + int64(x)*int64(high) + int64(y-top)*int64(n)
			if m, err := d.f.ReadAt(d.buf[:2*n], tbmpHeaderLen+2*at); m < 2*n {
				if err == io.EOF {
					err = truncated("the file ends early")
				}
				return err
			}
			decodeNumbers(d.buf[:2*n], "u16", binary.LittleEndian, dst[x:x+n])
		}
	}
	return nil
}

func (d *tbmpRows) close() error { return nil }
