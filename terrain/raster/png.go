package raster

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
)

// pngHeaderLen is the length of the signature and the IHDR chunk before its CRC.
const pngHeaderLen = 8 + 8 + 13

const pngSignature = "\x89PNG\r\n\x1a\n"

// isPNG tells a PNG by its signature, cut or damaged in transfer as it may be.
func isPNG(head []byte) bool { return len(head) >= 4 && string(head[:4]) == pngSignature[:4] }

// Colour types of PNG.
const (
	pngGrey      = 0
	pngRGB       = 2
	pngPalette   = 3
	pngGreyAlpha = 4
	pngRGBA      = 6
)

// pngChannels are the numbers a pixel has.
var pngChannels = map[byte]int{pngGrey: 1, pngRGB: 3, pngPalette: 1, pngGreyAlpha: 2, pngRGBA: 4}

// pngHeader is what the IHDR chunk says.
type pngHeader struct {
	width, height int
	depth, colour byte
	interlaced    bool
}

// bits returns the bits of a pixel.
func (h *pngHeader) bits() int { return int(h.depth) * pngChannels[h.colour] }

// lineLen returns the bytes of w pixels, without the filter's.
func (h *pngHeader) lineLen(w int) int { return (w*h.bits() + 7) / 8 }

// coloured says whether pixels have a red, a green and a blue.
func (h *pngHeader) coloured() bool {
	return h.colour == pngRGB || h.colour == pngRGBA || h.colour == pngPalette
}

// parsePNGHeader checks what the header claims, before anything is allocated
// for it.
func parsePNGHeader(head []byte, size int64) (*pngHeader, error) {
	if len(head) < pngHeaderLen {
		return nil, truncated("the PNG is cut after %d bytes", size)
	}
	if string(head[:8]) != pngSignature || string(head[8:16]) != "\x00\x00\x00\x0dIHDR" {
		return nil, corrupt("the PNG does not begin with a PNG header")
	}
	w, h := binary.BigEndian.Uint32(head[16:]), binary.BigEndian.Uint32(head[20:])
	p := &pngHeader{int(w), int(h), head[24], head[25], head[28] == 1}
	depths := map[byte]string{pngGrey: "\x01\x02\x04\x08\x10", pngPalette: "\x01\x02\x04\x08"}[p.colour]
	if depths == "" {
		depths = "\x08\x10"
	}
	switch {
	case w == 0 || h == 0 || w > 1<<31-1 || h > 1<<31-1:
		return nil, corrupt("the PNG claims %d×%d samples", w, h)
	case pngChannels[p.colour] == 0:
		return nil, corrupt("the PNG claims colour type %d", p.colour)
	case bytes.IndexByte([]byte(depths), p.depth) < 0:
		return nil, corrupt("the PNG claims %d bits in colour type %d", p.depth, p.colour)
	case head[26] != 0 || head[27] != 0 || head[28] > 1:
		return nil, corrupt("the PNG claims compression, filter or interlace methods that there are none of")
	}
	// Deflate makes at most 1032 bytes of one.
	if bytes := (float64(w)*float64(p.bits())/8 + 1) * float64(h); bytes > 1032*float64(size) {
		return nil, corrupt("the PNG claims %d×%d samples, which its %d bytes cannot hold", w, h, size)
	}
	if w > MaxSide || h > MaxSide {
		return nil, unsupported("%d×%d samples: more than %d on a side", w, h, MaxSide)
	}
	return p, nil
}

// maxInterlaced is the most samples of an interlaced PNG, 128 MiB of them.
const maxInterlaced = 1 << 25

// openPNG opens a PNG.
func openPNG(in *input, i *Info) (decoder, error) {
	h, err := parsePNGHeader(in.head, in.size)
	if err != nil {
		return nil, err
	}
	i.Kind, i.Width, i.Height, i.Unit, i.Integer = "png", h.width, h.height, 1, true
	i.Type = map[byte]string{1: "u1", 2: "u2", 4: "u4", 8: "u8", 16: "u16"}[h.depth]
	enc := in.o.Encoding
	enc.describe(i)
	switch {
	case enc.colours() && !h.coloured():
		return nil, unsupported("a grey PNG has no colours that --encoding %s could decode", enc)
	case enc.colours() && h.depth == 16:
		return nil, unsupported("a PNG of 16 bits a channel; --encoding %s is of 8", enc)
	case enc == "" && h.colour == pngPalette:
		return nil, unsupported("a PNG with a palette; %s", sayColours)
	case h.interlaced && int64(h.width)*int64(h.height) > maxInterlaced:
		return nil, unsupported("an interlaced PNG of %d×%d samples must be in memory whole, which more than %d may not; save it without interlace", h.width, h.height, maxInterlaced)
	}
	if h.depth == 16 && h.colour == pngGrey {
		if c := readCalibration(in.f, in.size); c != nil {
			c.describe(i, &in.o)
		}
	}
	p := &pngSource{in: in, h: h, enc: enc}
	if enc == "" && h.coloured() {
		apart, err := p.checkGrey()
		if err != nil {
			return nil, err
		}
		i.Encoding = Grey
		if apart == 0 {
			i.warn("a colour PNG whose red, green and blue are equal everywhere is read as grey")
		} else {
			i.warn("a colour PNG whose red, green and blue differ by %d of %d at most is read as grey, by its red", apart, 1<<h.depth-1)
		}
	}
	if !enc.colours() && h.depth < 16 {
		i.warn("a PNG of %d bits has only %d height levels: slopes will be terraced", h.depth, 1<<h.depth)
	}
	return &sequence{width: h.width, height: h.height, start: p.start}, nil
}

// pngSource starts reading a PNG.
type pngSource struct {
	in  *input
	h   *pngHeader
	enc Encoding
}

// nearlyGrey is how many of 255 levels red, green and blue may differ in what
// was a grey picture before a program converted its colours.
const nearlyGrey = 2

// checkGrey reads the whole PNG and refuses it where a pixel is not grey. It
// returns the largest difference of colours.
func (p *pngSource) checkGrey() (int, error) {
	r, err := p.open()
	if err != nil {
		return 0, err
	}
	defer r.close()
	apart, most := 0, nearlyGrey*(1<<p.h.depth-1)/255
	r.unpack = func(line []byte, _ []float64) { apart = max(apart, p.colourfulness(line)) }
	row := make([]float64, p.h.width)
	for range p.h.height {
		err := r.row(row)
		if apart > most {
			return 0, unsupported("a colour PNG; %s", sayColours)
		}
		if err != nil {
			return 0, err
		}
	}
	return apart, nil
}

// colourfulness returns the largest difference of the colours of a pixel in a
// line of RGB or RGBA.
func (p *pngSource) colourfulness(line []byte) int {
	n, step := int(p.h.depth)/8, p.h.bits()/8
	channel := func(c int) int {
		v := int(line[c*n])
		if n == 2 {
			v = v<<8 | int(line[c*n+1])
		}
		return v
	}
	apart := 0
	for ; len(line) >= step; line = line[step:] {
		r, g, b := channel(0), channel(1), channel(2)
		apart = max(apart, max(r, g, b)-min(r, g, b))
	}
	return apart
}

func (p *pngSource) start() (rowReader, error) {
	r, err := p.open()
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (p *pngSource) open() (*pngRows, error) {
	r := &pngRows{h: p.h, chunks: &pngChunks{r: bufio.NewReaderSize(io.NewSectionReader(p.in.f, 0, p.in.size), 1<<16)}}
	if err := r.chunks.begin(); err != nil {
		return nil, err
	}
	r.unpack = unpacker(p.h, p.enc, r.chunks.palette)
	var err error
	if r.z, err = zlib.NewReader(r.chunks); err != nil {
		return nil, pngError(err)
	}
	return r, nil
}

// pngRows reads the rows of a PNG.
type pngRows struct {
	h      *pngHeader
	chunks *pngChunks
	z      io.ReadCloser
	unpack func(line []byte, dst []float64) // makes numbers of a line

	line, above []byte    // the filter's byte, then the pixels
	all         []float32 // of an interlaced PNG
	y           int
}

func (r *pngRows) row(dst []float64) error {
	if r.h.interlaced {
		if r.all == nil {
			if err := r.readInterlaced(); err != nil {
				return err
			}
		}
		for x, v := range r.all[r.y*r.h.width : (r.y+1)*r.h.width] {
			dst[x] = float64(v)
		}
		r.y++
		return nil
	}
	return r.readLine(r.h.width, dst)
}

// readLine reads the next line of w pixels.
func (r *pngRows) readLine(w int, dst []float64) error {
	n := 1 + r.h.lineLen(w)
	if len(r.line) != n {
		r.line, r.above = make([]byte, n), make([]byte, n)
	}
	r.line, r.above = r.above, r.line
	if _, err := io.ReadFull(r.z, r.line); err != nil {
		return pngError(err)
	}
	if !unfilter(r.line, r.above[1:], max(1, r.h.bits()/8)) {
		return corrupt("damaged PNG: filter %d", r.line[0])
	}
	r.unpack(r.line[1:], dst[:w])
	return nil
}

// adam7 are the first pixel of each pass and the steps between its pixels.
var adam7 = [7]struct{ x, y, dx, dy int }{
	{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2},
}

// readInterlaced reads all pixels of an interlaced PNG.
func (r *pngRows) readInterlaced() error {
	w, h := r.h.width, r.h.height
	r.all = make([]float32, w*h)
	row := make([]float64, w)
	for _, p := range adam7 {
		n := (w - p.x + p.dx - 1) / p.dx
		if n <= 0 {
			continue
		}
		r.line, r.above = nil, nil
		for y := p.y; y < h; y += p.dy {
			if err := r.readLine(n, row); err != nil {
				return err
			}
			for k, v := range row[:n] {
				r.all[y*w+p.x+k*p.dx] = float32(v)
			}
		}
	}
	return nil
}

// end wants the compressed data to end where the pixels do, and the file whole.
func (r *pngRows) end() error {
	if n, err := io.Copy(io.Discard, io.LimitReader(r.z, 1)); err != nil {
		return pngError(err)
	} else if n > 0 {
		return corrupt("damaged PNG: too many pixels")
	}
	return r.chunks.end()
}

func (r *pngRows) close() error {
	r.z.Close() // the checksum was wrong at worst, which end says
	return nil
}

// unfilter undoes the filter of a line; n is the distance of its predecessor.
func unfilter(line, above []byte, n int) bool {
	cur := line[1:]
	switch line[0] {
	case 0:
	case 1:
		for i := n; i < len(cur); i++ {
			cur[i] += cur[i-n]
		}
	case 2:
		for i := range cur {
			cur[i] += above[i]
		}
	case 3:
		for i := range cur {
			left := 0
			if i >= n {
				left = int(cur[i-n])
			}
			cur[i] += uint8((left + int(above[i])) / 2)
		}
	case 4:
		for i := range cur {
			var left, corner int
			if i >= n {
				left, corner = int(cur[i-n]), int(above[i-n])
			}
			cur[i] += paeth(left, int(above[i]), corner)
		}
	default:
		return false
	}
	return true
}

// paeth returns that of three neighbours which is nearest to left + up − corner.
func paeth(left, up, corner int) uint8 {
	p := left + up - corner
	a, b, c := distance(p, left), distance(p, up), distance(p, corner)
	switch {
	case a <= b && a <= c:
		return uint8(left)
	case b <= c:
		return uint8(up)
	}
	return uint8(corner)
}

func distance(a, b int) int { return max(a-b, b-a) }

// unpacker returns what makes numbers of the pixels of a line.
func unpacker(h *pngHeader, enc Encoding, palette []byte) func(line []byte, dst []float64) {
	step := h.bits() / 8
	switch {
	case enc.colours() && h.colour == pngPalette:
		return func(line []byte, dst []float64) {
			for x := range dst {
				k := 3 * int(bitsAt(line, x, int(h.depth)))
				var c [3]byte // black, as image/png takes it
				copy(c[:], palette[min(k, len(palette)):])
				dst[x] = enc.number(c[0], c[1], c[2])
			}
		}
	case enc.colours():
		return func(line []byte, dst []float64) {
			for x := range dst {
				p := line[x*step : x*step+3]
				dst[x] = enc.number(p[0], p[1], p[2])
			}
		}
	case h.depth == 16:
		return func(line []byte, dst []float64) {
			for x := range dst {
				dst[x] = float64(binary.BigEndian.Uint16(line[x*step:]))
			}
		}
	case h.depth == 8:
		return func(line []byte, dst []float64) {
			for x := range dst {
				dst[x] = float64(line[x*step])
			}
		}
	}
	return func(line []byte, dst []float64) {
		for x := range dst {
			dst[x] = float64(bitsAt(line, x, int(h.depth)))
		}
	}
}

// bitsAt returns number x of line, of n bits each.
func bitsAt(line []byte, x, n int) byte {
	at := x * n
	return line[at/8] >> (8 - n - at%8) & (1<<n - 1)
}
