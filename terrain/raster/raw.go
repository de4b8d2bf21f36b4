package raster

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// rawExtensions are of files that hold nothing but numbers.
var rawExtensions = []string{".raw", ".r8", ".r16", ".r32"}

// Raw describes a file of nothing but numbers.
type Raw struct {
	Width, Height int
	Type          string // u8, i8, u16, i16, u32, i32, f32 or f64
	Order         binary.ByteOrder
	Skip          int64 // bytes before the first number
}

// RawAuto asks for what nothing in such a file tells. The answer is an error that
// says what would fit the length of the file.
const RawAuto = "auto"

// numberSize are the bytes of a number.
var numberSize = map[string]int{"u8": 1, "i8": 1, "u16": 2, "i16": 2, "u32": 4, "i32": 4, "f32": 4, "f64": 8}

// maxSkip keeps the sum of a header and numbers an int64.
const maxSkip = 1 << 62

// ParseRaw reads WxH,TYPE[,skip=N]. TYPE is u8, i8, or one of u16, i16, u32,
// i32, f32 and f64 with the byte order le or be after it. N are the bytes of a
// header to pass over.
func ParseRaw(s string) (Raw, error) {
	const want = "want WxH,TYPE[,skip=N] with TYPE u8, u16le, i16be, u32le, f32le, ..."
	if len(s) > 64 {
		return Raw{}, fmt.Errorf("%.64q...: %s", s, want)
	}
	parts := strings.Split(s, ",")
	if len(parts) < 2 || len(parts) > 3 {
		return Raw{}, fmt.Errorf("%q: %s", s, want)
	}
	r := Raw{Order: binary.LittleEndian}
	w, h, _ := strings.Cut(parts[0], "x")
	var errW, errH error
	r.Width, errW = strconv.Atoi(w)
	r.Height, errH = strconv.Atoi(h)
	if errW != nil || errH != nil || r.Width < 1 || r.Height < 1 || r.Width > MaxSide || r.Height > MaxSide {
		return Raw{}, fmt.Errorf("%q: size %q is not WxH of 1 to %d samples; %s", s, parts[0], MaxSide, want)
	}
	var order string
	r.Type = strings.ToLower(parts[1])
	if n := len(r.Type) - 2; n > 0 && (r.Type[n:] == "le" || r.Type[n:] == "be") {
		r.Type, order = r.Type[:n], r.Type[n:]
	}
	if order == "be" {
		r.Order = binary.BigEndian
	}
	if n := numberSize[r.Type]; n == 0 || n > 1 && order == "" {
		return Raw{}, fmt.Errorf("%q: no such type as %q; %s", s, parts[1], want)
	}
	if len(parts) == 3 {
		n, found := strings.CutPrefix(parts[2], "skip=")
		skip, err := strconv.ParseInt(n, 10, 64)
		if !found || err != nil || skip < 0 || skip > maxSkip {
			return Raw{}, fmt.Errorf("%q: %q is not skip=N; %s", s, parts[2], want)
		}
		r.Skip = skip
	}
	return r, nil
}

// length returns the bytes of the numbers.
func (r *Raw) length() int64 {
	return int64(r.Width) * int64(r.Height) * int64(numberSize[r.Type])
}

func openRaw(in *input, i *Info) (decoder, error) {
	if in.o.Raw == RawAuto {
		return nil, rawHelp(in.size)
	}
	r, err := ParseRaw(in.o.Raw)
	if err != nil {
		return nil, unsupported("--raw %v", err)
	}
	n := r.length()
	switch found := in.size - r.Skip; {
	case found < n:
		return nil, truncated("%d×%d numbers of type %s after %d bytes are %d bytes, but the file has %d",
			r.Width, r.Height, r.Type, r.Skip, r.Skip+n, in.size)
	case found > n:
		return nil, unsupported("%d×%d numbers of type %s after %d bytes are %d bytes, but the file has %d; is there a header of %d (skip=%[7]d)?",
			r.Width, r.Height, r.Type, r.Skip, r.Skip+n, in.size, in.size-n)
	}
	i.Kind = "raw"
	d := newRawRows(in.f, r, i)
	if isPNG(in.head) {
		i.warn("is a PNG, but --raw reads it as numbers")
	}
	return d, d.checkOrder(i)
}

// rawRows reads numbers that lie one after the other.
type rawRows struct {
	Raw
	f   io.ReaderAt
	buf []byte
}

// newRawRows returns the decoder of the numbers r in f, and says what they are.
func newRawRows(f io.ReaderAt, r Raw, i *Info) *rawRows {
	i.Width, i.Height, i.Type, i.Unit = r.Width, r.Height, r.Type, 1
	i.Integer = r.Type[0] != 'f' && numberSize[r.Type] < 4
	return &rawRows{Raw: r, f: f}
}

func (d *rawRows) readRows(y int, dst []float64) error {
	size := numberSize[d.Type]
	const part = 1 << 16 // numbers at a time
	for at := int64(y) * int64(d.Width); len(dst) > 0; {
		n := min(len(dst), part)
		if cap(d.buf) < n*size {
			d.buf = make([]byte, n*size)
		}
		buf := d.buf[:n*size]
		if m, err := d.f.ReadAt(buf, d.Skip+at*int64(size)); m < len(buf) {
			if err == io.EOF {
				err = truncated("the file ends early")
			}
			return err
		}
		decodeNumbers(buf, d.Type, d.Order, dst[:n])
		dst, at = dst[n:], at+int64(n)
	}
	return nil
}

func (d *rawRows) close() error { return nil }

// decodeNumbers makes numbers of bytes.
func decodeNumbers(b []byte, kind string, order binary.ByteOrder, dst []float64) {
	// The order is told once: a call for each number takes longer than the rest.
	big := order.Uint16([]byte{0, 1}) == 1
	switch kind {
	case "u8":
		for k := range dst {
			dst[k] = float64(b[k])
		}
	case "i8":
		for k := range dst {
			dst[k] = float64(int8(b[k]))
		}
	case "u16":
		for k := range dst {
			dst[k] = float64(number16(b[2*k:], big))
		}
	case "i16":
		for k := range dst {
			dst[k] = float64(int16(number16(b[2*k:], big)))
		}
	case "u32":
		for k := range dst {
			dst[k] = float64(number32(b[4*k:], big))
		}
	case "i32":
		for k := range dst {
			dst[k] = float64(int32(number32(b[4*k:], big)))
		}
	case "f32":
		for k := range dst {
			dst[k] = float64(math.Float32frombits(number32(b[4*k:], big)))
		}
	case "f64":
		for k := range dst {
			dst[k] = math.Float64frombits(order.Uint64(b[8*k:]))
		}
	default:
		panic("raster: numbers of type " + kind)
	}
}

func number16(b []byte, big bool) uint16 {
	v := binary.LittleEndian.Uint16(b)
	if big {
		v = bits.ReverseBytes16(v)
	}
	return v
}

func number32(b []byte, big bool) uint32 {
	v := binary.LittleEndian.Uint32(b)
	if big {
		v = bits.ReverseBytes32(v)
	}
	return v
}

// checkOrder warns where the other byte order makes much smoother land.
func (d *rawRows) checkOrder(i *Info) error {
	if numberSize[d.Type] == 1 {
		return nil
	}
	other := rawRows{Raw: d.Raw, f: d.f}
	name := "be"
	if other.Order = binary.BigEndian; d.Order == binary.BigEndian {
		other.Order, name = binary.LittleEndian, "le"
	}
	const rows, columns, suspicious = 64, 4096, 8
	var here, there float64
	row := make([]float64, d.Width)
	for k := range min(rows, d.Height) {
		y := k * d.Height / min(rows, d.Height)
		for _, s := range []struct {
			d   *rawRows
			sum *float64
		}{{d, &here}, {&other, &there}} {
			if err := s.d.readRows(y, row); err != nil {
				return err
			}
			*s.sum += steps(row[:min(columns, len(row))])
		}
	}
	if ratio := here / there; ratio > suspicious {
		times := "far"
		if ratio < 1e6 {
			times = strconv.FormatFloat(ratio, 'f', 0, 64) + " times"
		}
		i.warn("neighbours differ %s more than they would in the other byte order: is it %s%s?", times, d.Type, name)
	}
	return nil
}

// steps returns the sum of the differences of neighbours.
func steps(row []float64) float64 {
	sum := 0.0
	for k := 1; k < len(row); k++ {
		if d := math.Abs(row[k] - row[k-1]); !math.IsNaN(d) {
			sum += min(d, 1e30)
		} else {
			sum += 1e30
		}
	}
	return sum
}

// rawHelp says what --raw might be for a file of n bytes.
func rawHelp(n int64) error {
	var fits []string
	for _, c := range []struct {
		size int64
		kind string
	}{{2, "u16le"}, {4, "f32le"}, {1, "u8"}} {
		if n%c.size != 0 || c.size == 1 && len(fits) > 0 {
			continue
		}
		for _, s := range factorPairs(n / c.size) {
			fits = append(fits, s+","+c.kind)
		}
	}
	hint := ""
	if len(fits) > 0 {
		hint = ", which would fit " + strings.Join(fits, ", ")
	}
	return unsupported("nothing in the file says its size and type: give --raw WxH,TYPE[,skip=N]; it has %d bytes%s", n, hint)
}

// factorPairs returns the sizes WxH of n samples that are at most 4 to 1, the
// most square first, two at most.
func factorPairs(n int64) []string {
	var out []string
	for h := int64(math.Sqrt(float64(n))); h >= 2 && len(out) < 2; h-- {
		w := n / h
		if w > 4*h || w > MaxSide {
			break
		}
		if w*h == n {
			out = append(out, fmt.Sprintf("%dx%d", w, h))
		}
	}
	return out
}
