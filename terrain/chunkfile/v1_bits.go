package chunkfile

// bitWriter appends values of up to 16 bits, the lowest bits first.
type bitWriter struct {
	out []byte
	acc uint64
	n   uint
}

func (w *bitWriter) write(v uint32, n uint) {
	w.acc |= uint64(v) << w.n
	for w.n += n; w.n >= 8; w.n -= 8 {
		w.out = append(w.out, byte(w.acc))
		w.acc >>= 8
	}
}

// flush completes the last byte with zeros.
func (w *bitWriter) flush() []byte {
	if w.n > 0 {
		w.out = append(w.out, byte(w.acc))
	}
	w.acc, w.n = 0, 0
	return w.out
}

// bitReader reads what a bitWriter wrote. Beyond the end it reads zeros; done
// tells.
type bitReader struct {
	in  []byte
	pos int
	acc uint64
	n   uint
}

func (r *bitReader) read(n uint) uint32 {
	if r.n < n {
		r.fill()
	}
	v := uint32(r.acc) & (1<<n - 1)
	r.acc >>= n
	r.n -= n
	return v
}

func (r *bitReader) fill() {
	if r.pos+8 <= len(r.in) {
		r.acc |= le.Uint64(r.in[r.pos:]) << r.n
		take := (63 - r.n) >> 3
		r.pos += int(take)
		r.n += take * 8
		// Bits above r.n are those of the next bytes; they come again.
		r.acc &= 1<<r.n - 1
		return
	}
	for r.n <= 48 {
		if r.pos < len(r.in) {
			r.acc |= uint64(r.in[r.pos]) << r.n
		}
		r.pos++
		r.n += 8
	}
}

// done says whether exactly all bytes were read, and what fills the last is 0.
func (r *bitReader) done() bool {
	unread := int(r.n / 8)
	return r.pos-unread == len(r.in) && r.acc&(1<<r.n-1) == 0
}
