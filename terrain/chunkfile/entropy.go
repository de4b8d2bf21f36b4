package chunkfile

import (
	"errors"

	"github.com/klauspost/compress/huff0"
	"github.com/klauspost/compress/zstd"
)

// A stream is coded in blocks of at most blockLen bytes, each by the shortest
// of four methods.
const (
	blockLen       = 1 << 16
	blockHeaderLen = 3

	methodRaw      = 0 // the bytes themselves
	methodConstant = 1 // one byte, repeated
	methodHuffman  = 2 // a Huffman table and one bit stream (four from huffman4 bytes on)
	methodZstd     = 3 // a zstd frame

	// smallGain is what a coded block saves at least, in bytes.
	smallGain = 96

	// huffman4 is the block length from which four interleaved bit streams pay.
	huffman4 = 1 << 10
)

var errStream = errors.New("the compressed data makes no sense")

// packer codes streams. Its parts are built once and reused.
type packer struct {
	zstd *zstd.Encoder
	huff huff0.Scratch
	buf  []byte
}

func newPacker() packer {
	z, err := zstd.NewWriter(nil,
		zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
		zstd.WithSingleSegment(true), zstd.WithEncoderLevel(zstd.SpeedDefault))
	if err != nil {
		panic("chunkfile: " + err.Error())
	}
	return packer{zstd: z, huff: huff0.Scratch{Reuse: huff0.ReusePolicyNone}}
}

// append appends the coded form of src to dst.
func (p *packer) append(dst, src []byte) []byte {
	for len(src) > 0 {
		n := min(len(src), blockLen)
		dst = p.block(dst, src[:n])
		src = src[n:]
	}
	return dst
}

func (p *packer) block(dst, src []byte) []byte {
	method, best := methodRaw, src
	if constant(src) {
		return append(appendBlockHeader(dst, methodConstant, 1), src[0])
	}
	compress := huff0.Compress1X
	if len(src) >= huffman4 {
		compress = huff0.Compress4X
	}
	out, _, err := compress(src, &p.huff)
	// Reading a table takes as long as reading some hundred bytes: it has to pay.
	if gain := len(src) - len(out); err == nil && gain > len(src)/8 && gain > smallGain {
		method, best = methodHuffman, out
	}
	// Repetitions are worth the search only where symbols are uneven.
	if err == nil && len(src) >= smallGain && 8*len(out) < 7*len(src) {
		p.buf = p.zstd.EncodeAll(src, p.buf[:0])
		if len(p.buf)+smallGain/2 < len(best) {
			method, best = methodZstd, p.buf
		}
	}
	return append(appendBlockHeader(dst, method, len(best)), best...)
}

func constant(b []byte) bool {
	for _, v := range b {
		if v != b[0] {
			return false
		}
	}
	return true
}

// A block header holds method and length in 24 bits: blockLen itself needs 17.
func appendBlockHeader(dst []byte, method, n int) []byte {
	v := n<<2 | method
	return append(dst, byte(v), byte(v>>8), byte(v>>16))
}

// unpacker decodes streams. Its parts are built once and reused.
type unpacker struct {
	zstd *zstd.Decoder
	huff huff0.Scratch
}

func newUnpacker() unpacker {
	z, err := zstd.NewReader(nil,
		zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true),
		zstd.WithDecoderMaxMemory(blockLen), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic("chunkfile: " + err.Error())
	}
	return unpacker{zstd: z}
}

// read fills dst from the front of src and returns what is left of src.
func (u *unpacker) read(dst, src []byte) ([]byte, error) {
	for len(dst) > 0 {
		n := min(len(dst), blockLen)
		rest, err := u.block(dst[:n:n], src)
		if err != nil {
			return nil, err
		}
		dst, src = dst[n:], rest
	}
	return src, nil
}

// zeros says whether the stream of n bytes at the front of src is all zeros, and
// returns what follows it.
func zeros(n int, src []byte) ([]byte, bool) {
	for ; n > 0; n -= blockLen {
		if len(src) < blockHeaderLen+1 || src[0] != 1<<2|methodConstant || src[1]|src[2]|src[3] != 0 {
			return nil, false
		}
		src = src[blockHeaderLen+1:]
	}
	return src, true
}

func (u *unpacker) block(dst, src []byte) ([]byte, error) {
	if len(src) < blockHeaderLen {
		return nil, errStream
	}
	v := int(src[0]) | int(src[1])<<8 | int(src[2])<<16
	method, n := v&3, v>>2
	src = src[blockHeaderLen:]
	if n > len(src) {
		return nil, errStream
	}
	in, rest := src[:n], src[n:]
	switch method {
	case methodRaw:
		if n != len(dst) {
			return nil, errStream
		}
		copy(dst, in)
	case methodConstant:
		if n != 1 {
			return nil, errStream
		}
		for i := range dst {
			dst[i] = in[0]
		}
	case methodHuffman:
		return rest, u.huffman(dst, in)
	case methodZstd:
		if u.zstd == nil {
			*u = newUnpacker()
		}
		out, err := u.zstd.DecodeAll(in, dst[:0])
		if err != nil || len(out) != len(dst) {
			return nil, errStream
		}
	}
	return rest, nil
}

func (u *unpacker) huffman(dst, in []byte) error {
	s, in, err := huff0.ReadTable(in, &u.huff)
	if err != nil {
		return errStream
	}
	var out []byte
	if len(dst) >= huffman4 {
		out, err = s.Decoder().Decompress4X(dst[:0], in)
	} else {
		out, err = s.Decoder().Decompress1X(dst[:0], in)
	}
	if err != nil || len(out) != len(dst) {
		return errStream
	}
	return nil
}
