package chunkfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// A stream may be compressed in parts, as the streams of OGRE are ("Terrain SoC
// 2012, Partial Compression"): whoever writes says where compression starts and
// stops, and whoever reads gets the bytes and never notices. It is a sequence of
// runs,
//
//	  0        1             5            9          13
//	+--------+-------------+------------+----------+--------+
//	| method | bytes here  | bytes of   | CRC-32C  | ...    |
//	| u8     | u32         | the stream | of those |        |
//	|        |             | u32        | here u32 |        |
//	+--------+-------------+------------+----------+--------+
//
// with method 0 for plain bytes, 1 for a zstd frame, and an end of method 2 without
// bytes. No run has more than MaxRun bytes of the stream; longer parts are cut.
const (
	runPlain = iota
	runZstd
	runEnd

	runHeaderLen = 13

	// MaxRun is the largest number of bytes of a run, as they are read.
	MaxRun = 1 << 20
)

// StreamWriter writes a partially compressed stream.
type StreamWriter struct {
	w          io.Writer
	z          *zstd.Encoder
	buf, out   []byte
	compressed bool
	err        error
}

// NewStreamWriter returns a writer to w, which begins with plain bytes.
func NewStreamWriter(w io.Writer) *StreamWriter { return &StreamWriter{w: w} }

// Write adds bytes to the stream.
func (s *StreamWriter) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 && s.err == nil {
		take := min(len(p), MaxRun-len(s.buf))
		s.buf, p = append(s.buf, p[:take]...), p[take:]
		if len(s.buf) == MaxRun {
			s.flush()
		}
	}
	if s.err != nil {
		return 0, s.err
	}
	return n, nil
}

// StartCompressing compresses what is written from here on.
func (s *StreamWriter) StartCompressing() { s.change(true) }

// StopCompressing writes what follows as it is.
func (s *StreamWriter) StopCompressing() { s.change(false) }

func (s *StreamWriter) change(compressed bool) {
	if s.compressed != compressed {
		s.flush()
		s.compressed = compressed
	}
}

// flush writes the run that has gathered.
func (s *StreamWriter) flush() {
	if len(s.buf) == 0 || s.err != nil {
		return
	}
	method, data := byte(runPlain), s.buf
	if s.compressed {
		if s.z == nil {
			s.z, s.err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
				zstd.WithSingleSegment(true), zstd.WithEncoderLevel(zstd.SpeedBetterCompression))
			if s.err != nil {
				return
			}
		}
		s.out = s.z.EncodeAll(s.buf, s.out[:0])
		if len(s.out) < len(s.buf) {
			method, data = runZstd, s.out
		}
	}
	s.run(method, data, len(s.buf))
	s.buf = s.buf[:0]
}

func (s *StreamWriter) run(method byte, data []byte, n int) {
	head := make([]byte, 0, runHeaderLen)
	head = append(head, method)
	head = le.AppendUint32(head, uint32(len(data)))
	head = le.AppendUint32(head, uint32(n))
	head = le.AppendUint32(head, checksum(data))
	if _, s.err = s.w.Write(head); s.err == nil {
		_, s.err = s.w.Write(data)
	}
}

// Close ends the stream. It does not close what it writes to.
func (s *StreamWriter) Close() error {
	s.flush()
	if s.err == nil {
		s.run(runEnd, nil, 0)
	}
	err := s.err
	s.err = errors.New("the stream is closed")
	return err
}

// StreamReader reads what a StreamWriter wrote.
type StreamReader struct {
	r        io.Reader
	z        *zstd.Decoder
	buf, in  []byte
	rest     []byte // of buf, not read yet
	consumed int64
	err      error
}

// NewStreamReader returns a reader of r. It takes nothing beyond the end of the
// stream.
func NewStreamReader(r io.Reader) *StreamReader { return &StreamReader{r: r} }

// Read reads bytes of the stream. What is damaged gives an error that unwraps to
// [ErrCorrupt], before any of the bytes of its run. It never takes more memory than two
// runs.
func (s *StreamReader) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		if s.err == nil {
			s.err = s.next()
		}
		if s.err != nil {
			return 0, s.err
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// next reads the next run.
func (s *StreamReader) next() error {
	at := s.consumed
	head := make([]byte, runHeaderLen)
	if err := s.take(head); err != nil {
		return readError("stream", at, err)
	}
	method, stored, n, sum := head[0], le.Uint32(head[1:]), le.Uint32(head[5:]), le.Uint32(head[9:])
	if method == runEnd && stored == 0 && n == 0 && sum == checksum(nil) {
		return io.EOF
	}
	if method >= runEnd || n > MaxRun || n == 0 || stored > n || method == runPlain && stored != n {
		return corrupt("stream", at, "impossible run of %d bytes that become %d", stored, n)
	}
	s.in = sized(s.in, int(stored))
	if err := s.take(s.in); err != nil {
		return readError("stream", at, err)
	}
	if checksum(s.in) != sum {
		return corrupt("stream", at, "checksum does not match")
	}
	if method == runPlain {
		s.rest = s.in
		return nil
	}
	if s.z == nil {
		z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true),
			zstd.WithDecoderMaxMemory(MaxRun), zstd.WithDecoderLowmem(true))
		if err != nil {
			return fmt.Errorf("stream: %w", err)
		}
		s.z = z
	}
	s.buf = sized(s.buf, int(n))
	out, err := s.z.DecodeAll(s.in, s.buf[:0:n])
	if err != nil || len(out) != int(n) {
		return corrupt("stream", at, "%v", errStream)
	}
	s.rest = out
	return nil
}

func (s *StreamReader) take(b []byte) error {
	n, err := io.ReadFull(s.r, b)
	s.consumed += int64(n)
	return err
}

// sized returns b with n bytes, or another slice if it has not the room.
func sized(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// partly returns a stream of plain bytes, then compressed ones.
func partly(plain, compressed []byte) []byte {
	var out bytes.Buffer
	s := NewStreamWriter(&out)
	s.Write(plain) // a Buffer takes everything
	s.StartCompressing()
	s.Write(compressed)
	if err := s.Close(); err != nil {
		panic("chunkfile: " + err.Error())
	}
	return out.Bytes()
}
