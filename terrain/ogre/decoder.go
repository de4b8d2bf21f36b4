package ogre

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

var le = binary.LittleEndian

// Chunk ids, as read little endian.
const (
	idHeader   = 1
	idTerrain  = 'T' | 'E'<<8 | 'R'<<16 | 'R'<<24
	idInfo     = 'T' | 'G'<<8 | 'I'<<16 | 'N'<<24
	idLevel    = 'T' | 'L'<<8 | 'D'<<16 | 'A'<<24
	idDecl     = 'T' | 'D'<<8 | 'C'<<16 | 'L'<<24
	idSampler  = 'T' | 'S'<<8 | 'A'<<16 | 'M'<<24
	idElement  = 'T' | 'S'<<8 | 'E'<<16 | 'L'<<24
	idLayer    = 'T' | 'L'<<8 | 'I'<<16 | 'N'<<24
	idMap      = 'T' | 'D'<<8 | 'D'<<16 | 'A'<<24
	idGroup    = 'T' | 'E'<<8 | 'R'<<16 | 'G'<<24
	chunkLen   = 14
	headerLen  = chunkLen + 1
	infoLen    = 23
	maxString  = 1 << 16
	maxInflate = 1032 // deflate makes at most so many bytes of one
)

func idName(id uint32) string {
	if id == idHeader {
		return "header"
	}
	b := le.AppendUint32(nil, id)
	for _, c := range b {
		if c < ' ' || c > '~' {
			return fmt.Sprintf("%#08x", id)
		}
	}
	return string(b)
}

// checksum is that of a chunk header.
func checksum(id uint32, version uint16, length uint32) uint32 {
	h := hash32(4, id) // a first seed of 0 stands for the byte count
	h = hash16(seed(h, 2), version)
	return hash32(seed(h, 4), length)
}

func seed(h, count uint32) uint32 {
	if h == 0 {
		return count
	}
	return h
}

// hash32 and hash16 are SuperFastHash of 4 and 2 bytes.
func hash32(h, v uint32) uint32 {
	h += v & 0xffff
	h = h<<16 ^ (v>>16<<11 ^ h)
	return avalanche(h + h>>11)
}

func hash16(h uint32, v uint16) uint32 {
	h += uint32(v)
	h ^= h << 11
	return avalanche(h + h>>17)
}

func avalanche(h uint32) uint32 {
	h ^= h << 3
	h += h >> 5
	h ^= h << 4
	h += h >> 17
	h ^= h << 25
	return h + h>>6
}

// decoder reads fields of a stream. After the first error it returns zeros.
type decoder struct {
	r        *bufio.Reader
	part     string // for errors
	base     int64  // where in the file byte 0 is, or what inflates to it
	inflated bool
	pos      int64
	end      int64 // of the innermost chunk, or of all there may be
	depth    int   // of chunks; 0 where end is that of the file or a limit of ours
	err      error
	scratch  []byte // of floats
}

func (d *decoder) offset() int64 {
	if d.inflated {
		return d.base
	}
	return d.base + d.pos
}

func (d *decoder) where() string {
	if d.inflated {
		return fmt.Sprintf("inflated byte %d: ", d.pos)
	}
	return ""
}

func (d *decoder) corrupt(format string, args ...any) {
	if d.err == nil {
		d.err = corrupt(d.part, d.offset(), "%s", d.where()+fmt.Sprintf(format, args...))
	}
}

func (d *decoder) unsupported(format string, args ...any) {
	if d.err == nil {
		d.err = unsupported(d.part, d.offset(), "%s", d.where()+fmt.Sprintf(format, args...))
	}
}

func (d *decoder) readError(err error) {
	switch {
	case d.err != nil:
	case d.inflated:
		d.err = inflateError(d.part, d.base, err)
	default:
		d.err = readError(d.part, d.offset(), err)
	}
}

// room says whether n more bytes may follow.
func (d *decoder) room(n int64) bool {
	if d.err == nil && n > d.end-d.pos {
		d.short(fmt.Sprintf("%d bytes", n))
	}
	return d.err == nil
}

// short fails because what does not fit.
func (d *decoder) short(what string) {
	switch {
	case d.err != nil:
	case d.depth > 0:
		d.corrupt("%s where only %d are left", what, d.end-d.pos)
	case d.inflated:
		d.unsupported("%s, with which there would be more than the %d that are read", what, d.end)
	default:
		d.err = truncated(d.part, d.offset(), "the file is cut: %s where only %d are left", what, d.end-d.pos)
	}
}

// fill reads into b.
func (d *decoder) fill(b []byte) bool {
	if !d.room(int64(len(b))) {
		return false
	}
	n, err := io.ReadFull(d.r, b)
	d.pos += int64(n)
	if err != nil {
		d.readError(err)
	}
	return err == nil
}

// bytes reads n bytes; the limits have made n small enough to be allocated.
func (d *decoder) bytes(n int64) []byte {
	if !d.room(n) {
		return nil
	}
	b := make([]byte, n)
	if !d.fill(b) {
		return nil
	}
	return b
}

func (d *decoder) u8() uint8 {
	var b [1]byte
	if !d.fill(b[:]) {
		return 0
	}
	return b[0]
}

func (d *decoder) u16() uint16 {
	var b [2]byte
	if !d.fill(b[:]) {
		return 0
	}
	return le.Uint16(b[:])
}

func (d *decoder) u32() uint32 {
	var b [4]byte
	if !d.fill(b[:]) {
		return 0
	}
	return le.Uint32(b[:])
}

func (d *decoder) f32() float32 { return math.Float32frombits(d.u32()) }

func (d *decoder) vec3() (v [3]float32) {
	for i := range v {
		v[i] = d.f32()
	}
	return v
}

func (d *decoder) string() string {
	n := d.u32()
	if n > maxString {
		d.unsupported("a text of %d bytes; at most %d", n, maxString)
	}
	if d.err != nil {
		return ""
	}
	return string(d.bytes(int64(n)))
}

func (d *decoder) floats(dst []float32) {
	if d.scratch == nil {
		d.scratch = make([]byte, 1<<12)
	}
	for len(dst) > 0 {
		b := d.scratch[:min(len(d.scratch), 4*len(dst))]
		if !d.fill(b) {
			return
		}
		dst = dst[toFloats(dst, b):]
	}
}

// toFloats converts b and returns the number of floats.
func toFloats(dst []float32, b []byte) int {
	n := len(b) / 4
	for i := range dst[:n] {
		dst[i] = math.Float32frombits(le.Uint32(b[4*i:]))
	}
	return n
}

// next says whether the next 4 bytes are id.
func (d *decoder) next(id uint32) bool {
	if d.err != nil || d.end-d.pos < 4 {
		return false
	}
	b, err := d.r.Peek(4)
	return err == nil && le.Uint32(b) == id
}

// enter reads the header of a chunk id, which has version 1, and returns what
// leave wants.
func (d *decoder) enter(id uint32) (outer int64) {
	_, outer = d.enterVersion(id, 1, 1)
	return outer
}

func (d *decoder) enterVersion(id uint32, oldest, newest uint16) (version uint16, outer int64) {
	start := d.pos
	var b [chunkLen]byte
	d.fill(b[:])
	after := d.pos
	d.pos = start // for errors
	var length uint32
	if d.err == nil {
		version, length, d.err = d.header(b[:], id, oldest, newest)
	}
	if d.pos = after; d.err == nil && int64(length) > d.end-d.pos {
		d.short(fmt.Sprintf("%s of %d bytes", idName(id), length))
	}
	outer = d.end
	d.depth++
	if d.err == nil {
		d.end = d.pos + int64(length)
	}
	return version, outer
}

// header checks a chunk header. The version comes first, because the checksum
// covers it: a file of another version deserves to be told so.
func (d *decoder) header(b []byte, id uint32, oldest, newest uint16) (version uint16, length uint32, err error) {
	version, length = le.Uint16(b[4:]), le.Uint32(b[6:])
	fail := func(kind func(string, int64, string, ...any) error, format string, args ...any) error {
		return kind(d.part, d.offset(), "%s", d.where()+fmt.Sprintf(format, args...))
	}
	supported := fmt.Sprintf("version %d is supported", newest)
	if oldest != newest {
		supported = fmt.Sprintf("versions %d to %d are supported", oldest, newest)
	}
	switch got := le.Uint32(b); {
	case got != id:
		err = fail(corrupt, "chunk %s where %s belongs", idName(got), idName(id))
	case version < oldest || version > newest:
		err = fail(unsupported, "%s of version %d; %s", idName(id), version, supported)
	case le.Uint32(b[10:]) != checksum(id, version, length):
		err = fail(corrupt, "the header of %s, version %d, does not match its checksum; %s", idName(id), version, supported)
	}
	return version, length, err
}

// leave goes to the end of a chunk.
func (d *decoder) leave(outer int64) {
	if d.err == nil {
		n, err := io.CopyN(io.Discard, d.r, d.end-d.pos)
		if d.pos += n; err != nil {
			d.readError(err)
		}
	}
	d.end = outer
	d.depth--
}

// fileHeader reads the 15 bytes that every file begins with.
func (d *decoder) fileHeader() {
	if d.next(0x01000000) {
		d.unsupported("a big-endian file; little-endian ones are supported")
		return
	}
	outer := d.enter(idHeader)
	if d.u8() != 0 && d.err == nil {
		d.unsupported("numbers of 64 bits; 32 bits are supported")
	}
	d.leave(outer)
}

// info reads the general information.
func (d *decoder) info(i *Info) {
	start := d.pos
	i.Align = Align(d.u8())
	i.Size = int(d.u16())
	i.WorldSize = d.f32()
	i.MaxBatch = int(d.u16())
	i.MinBatch = int(d.u16())
	i.Pos = d.vec3()
	d.checkInfo(i, start)
}

// checkInfo checks what was read from start on.
func (d *decoder) checkInfo(i *Info, start int64) {
	if d.err != nil {
		return
	}
	here := d.pos
	d.pos = start
	if msg := i.check(); msg != "" {
		d.corrupt("%s", msg)
	} else if i.Size > MaxSize {
		d.unsupported("size %d; at most %d", i.Size, MaxSize)
	}
	d.pos = here
}
