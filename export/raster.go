package export

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"

	"github.com/vkterrain/vkterrain/terrain/raster"
)

// maxUint16 is the largest number of 16 bits.
const maxUint16 = math.MaxUint16

// WritePNG writes a grey PNG of 16 bits whose numbers are quanta above c.Least.
// c.Void is the number of holes; there must be one where s has holes. The PNG keeps
// c, so that package raster reads the same heights again. It is an error if a
// height is out of reach.
func WritePNG(w io.Writer, s *Rows, c *raster.Calibration) error {
	chunk, err := c.AppendPNG(nil)
	if err != nil {
		return err
	}
	img := &picture{rows: s, c: c, at: -1, heights: make([]int32, s.Width), void: make([]bool, s.Width)}
	out := &inserter{w: w, rest: pngHeaderLen, insert: chunk}
	err = png.Encode(out, img)
	if img.err != nil {
		return img.err
	}
	return err
}

// pngHeaderLen is the length of the signature and the first chunk.
const pngHeaderLen = 8 + 12 + 13

// picture is an image of rows. The encoder asks for the pixels row by row; what
// goes wrong on the way is in err.
type picture struct {
	rows    *Rows
	c       *raster.Calibration
	at      int // the row in heights; -1 for none
	heights []int32
	void    []bool
	err     error
}

func (p *picture) ColorModel() color.Model { return color.Gray16Model }
func (p *picture) Bounds() image.Rectangle { return image.Rect(0, 0, p.rows.Width, p.rows.Height) }

func (p *picture) At(x, y int) color.Color {
	if p.err != nil {
		return color.Gray16{}
	}
	if y != p.at {
		if p.err = p.rows.Read(y, p.heights, p.void); p.err != nil {
			return color.Gray16{}
		}
		p.at = y
	}
	if p.void[x] && p.c.Void == nil {
		p.err = fmt.Errorf("a hole at column %d, row %d, though no tile says that it has one", x, y)
		return color.Gray16{}
	}
	if p.void[x] {
		return color.Gray16{Y: uint16(*p.c.Void)}
	}
	n := int64(p.heights[x]) - p.c.Least
	if n < 0 || n > maxUint16 {
		p.err = fmt.Errorf("a height of %d units at column %d, row %d: outside of 16 bits above %d", p.heights[x], x, y, p.c.Least)
	}
	return color.Gray16{Y: uint16(n)}
}

// inserter writes some bytes after the first ones that are written to it.
type inserter struct {
	w      io.Writer
	rest   int
	insert []byte
}

func (i *inserter) Write(b []byte) (int, error) {
	n := min(i.rest, len(b))
	m, err := i.w.Write(b[:n])
	if i.rest -= m; err != nil {
		return m, err
	}
	if i.rest == 0 && i.insert != nil {
		if _, err := i.w.Write(i.insert); err != nil {
			return m, err
		}
		i.insert = nil
	}
	if n == len(b) {
		return m, nil
	}
	k, err := i.w.Write(b[n:])
	return n + k, err
}

// Numbers are the type of numbers that [WriteRaw] writes.
type Numbers string

// Types of numbers. Whole numbers count quanta; F32 are metres.
const (
	U16 Numbers = "u16le"
	I16 Numbers = "i16le"
	I32 Numbers = "i32le"
	F32 Numbers = "f32le"
)

// Bytes returns the bytes of a number.
func (n Numbers) Bytes() int {
	if n == U16 || n == I16 {
		return 2
	}
	return 4
}

// Range returns the least and the greatest whole number of a type.
func (n Numbers) Range() (lo, hi int64) {
	switch n {
	case U16:
		return 0, maxUint16
	case I16:
		return math.MinInt16, math.MaxInt16
	}
	return math.MinInt32, math.MaxInt32
}

// void32 is the bits of a void among heights.
const void32 = 0x7fc00000

// WriteRaw writes nothing but numbers, north row first. Whole ones are quanta, void
// where there is a hole; F32 are metres, quantum of them a unit, and NaN. It is an
// error if a height is out of reach, or if there is a hole and void is nil.
func WriteRaw(w io.Writer, s *Rows, n Numbers, quantum float64, void *int64) error {
	heights, holes := make([]int32, s.Width), make([]bool, s.Width)
	row := make([]byte, 0, s.Width*n.Bytes())
	lo, hi := n.Range()
	le := binary.LittleEndian
	for z := range s.Height {
		if err := s.Read(z, heights, holes); err != nil {
			return err
		}
		row = row[:0]
		for x, h := range heights {
			v := int64(h)
			if holes[x] && void != nil {
				v = *void
			}
			switch {
			case holes[x] && void == nil && n != F32:
				return fmt.Errorf("a hole at column %d, row %d, though no tile says that it has one", x, z)
			case n == F32 && holes[x]:
				row = le.AppendUint32(row, void32)
			case n == F32:
				row = le.AppendUint32(row, math.Float32bits(float32(float64(h)*quantum)))
			case v < lo || v > hi:
				return fmt.Errorf("a height of %d units at column %d, row %d: no %s holds it", v, x, z, n)
			case n == I32:
				row = le.AppendUint32(row, uint32(v))
			default:
				row = le.AppendUint16(row, uint16(v))
			}
		}
		if _, err := w.Write(row); err != nil {
			return err
		}
	}
	return nil
}
