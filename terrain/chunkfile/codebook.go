package chunkfile

import "github.com/vkterrain/vkterrain/terrain"

// Codebooks of a world: heights of centres, heights of midpoints, sky view. The
// coarsest level uses that of centres.
const (
	bookCentres = iota
	bookMidpoints
	bookSky
	books
)

// Tables code the residuals of all chunks of a world. [Trainer] makes them for a
// world, [DefaultTables] fit any. They are immutable.
type Tables struct {
	book [books]book

	// sky is how much sky view follows a bump, by level; see shading.
	sky [terrain.MaxLevels]int16
}

// book are the tables of one kind of residual.
type book struct {
	table  [classes]*table       // shared by those that have the same
	decode [classes]*decodeTable // of each table
	least  uint8                 // residuals of class c have max(0, c-least) low bits
}

// set gives a class its table, which must be built.
func (b *book) set(class int, t *table) {
	b.table[class], b.decode[class] = t, &t.decode
}

// lowBits is the number of low bits that residuals of a class leave as they are.
func lowBits(book, class int) uint8 { return uint8(max(0, class-int(leastLow(book)))) }

// leastLow is the last class of a book that leaves none.
func leastLow(book int) uint8 {
	if book == bookSky {
		return classes
	}
	return 5
}

// escapeToken is that of all tables.
const escapeToken = tokens - 1

// frequencies are how often each token came.
type frequencies [books][classes][tokens]uint64

// fewTokens is how many tokens a class must have had for a table of its own.
const fewTokens = 400

// newTables makes tables of frequencies. Classes that hardly came have tables of
// what is expected; the others get a little of that, so that other tiles find
// most of their tokens too.
func newTables(f *frequencies) *Tables {
	t := new(Tables)
	for b := range t.book {
		t.book[b].least = leastLow(b)
		for c := range t.book[b].table {
			count := expected(b, c)
			var n uint64
			for _, v := range f[b][c] {
				n += v
			}
			if n < fewTokens && defaultTables != nil {
				t.book[b].set(c, defaultTables.book[b].table[c])
				continue
			}
			if n >= fewTokens {
				for i, v := range f[b][c] {
					count[i] = v<<16 + min(count[i], 1)
				}
				count[escapeToken] = max(count[escapeToken], 1)
			}
			k := &table{escape: escapeToken, low: lowBits(b, c), freq: frequenciesOf(&count)}
			if !k.build() {
				panic("chunkfile: a table that cannot be built")
			}
			t.book[b].set(c, k)
		}
	}
	return t
}

// expected is a guess of the frequencies in a class before any is known: the
// more a place is rough, the larger the residuals.
func expected(book, class int) (count [tokens]uint64) {
	half := max(1, 1<<min(class, 5)/6) // a token so much larger is half as likely
	most := min(escapeToken, 2<<min(class, 5)+8)
	if book == bookSky {
		half, most = 2, 2*maxSky+1
	}
	for t := range most {
		count[t] = max(uint64(1)<<14>>(t/half), 1)
	}
	count[escapeToken] = 8
	return count
}

var defaultTables *Tables

func init() { defaultTables = newTables(new(frequencies)) }

// DefaultTables returns tables that fit every world, none of them well.
func DefaultTables() *Tables { return defaultTables }

// append appends gains and all frequencies. A table that is the default one is one byte 0;
// the others begin with 1, and a frequency is one byte, or 255 and two more.
func (t *Tables) append(b []byte) []byte {
	for _, gain := range t.sky {
		b = le.AppendUint16(b, uint16(gain))
	}
	for i := range t.book {
		for j := range t.book[i].table {
			freq := &t.book[i].table[j].freq
			if *freq == defaultTables.book[i].table[j].freq {
				b = append(b, 0)
				continue
			}
			b = append(b, 1)
			for _, f := range freq {
				if f < 255 {
					b = append(b, byte(f))
				} else {
					b = append(b, 255, byte(f), byte(f>>8))
				}
			}
		}
	}
	return b
}

// parseTables is the inverse of append; it returns what follows.
func parseTables(b []byte) (*Tables, []byte, bool) {
	t := new(Tables)
	if len(b) < 2*len(t.sky) {
		return nil, nil, false
	}
	for i := range t.sky {
		t.sky[i], b = int16(le.Uint16(b)), b[2:]
	}
	for i := range t.book {
		t.book[i].least = leastLow(i)
		for j := range t.book[i].table {
			if len(b) == 0 {
				return nil, nil, false
			}
			own := b[0]
			b = b[1:]
			switch own {
			case 0:
				t.book[i].set(j, defaultTables.book[i].table[j])
				continue
			case 1:
			default:
				return nil, nil, false
			}
			k := &table{escape: escapeToken, low: lowBits(i, j)}
			for s := range k.freq {
				switch {
				case len(b) > 0 && b[0] < 255:
					k.freq[s], b = uint16(b[0]), b[1:]
				case len(b) > 2:
					k.freq[s], b = uint16(b[1])|uint16(b[2])<<8, b[3:]
				default:
					return nil, nil, false
				}
			}
			if !k.build() {
				return nil, nil, false
			}
			t.book[i].set(j, k)
		}
	}
	return t, b, true
}

// lanes is how many streams a pass of n samples has: reading several at a time
// is faster. They take turns.
func lanes(n int) int {
	if n < 4096 {
		return 1
	}
	return 4
}

// laneHeader is the length in bytes of a stream's length, where a pass has n
// samples.
func laneHeader(n int) int {
	if n < 1<<16 {
		return 2
	}
	return 3
}

// laneBytes reads the length of stream i.
func laneBytes(in []byte, i, n int) int {
	h := in[i*laneHeader(n):]
	if laneHeader(n) == 2 {
		return int(le.Uint16(h))
	}
	return int(h[0]) | int(h[1])<<8 | int(h[2])<<16
}

// passWriter writes passes. Its buffers are reused.
type passWriter struct {
	bits  bitWriter
	parts []bitPart
}

// bitPart are the bits of one residual: those of the state, then plain ones.
type bitPart struct {
	state, plain uint32
	nb, np       uint8
}

// append appends the residuals of one pass: the lengths of its streams, then the
// streams.
func (w *passWriter) append(dst []byte, t *Tables, book int, class []uint8, residuals []uint16) []byte {
	n := len(residuals)
	start := len(dst)
	dst = append(dst, make([]byte, lanes(n)*laneHeader(n))...)
	for l := range lanes(n) {
		out := w.lane(&t.book[book].table, class, residuals, l, lanes(n))
		h := dst[start+l*laneHeader(n):]
		for i := range laneHeader(n) {
			h[i] = byte(len(out) >> (8 * i))
		}
		dst = append(dst, out...)
	}
	return dst
}

// lane codes every step-th residual from the first on, but from the last of them
// back: the reader goes the other way.
func (w *passWriter) lane(tables *[classes]*table, class []uint8, residuals []uint16, first, step int) []byte {
	w.parts = w.parts[:0]
	state := uint16(0)
	for i := first + (len(residuals)-1-first)/step*step; i >= first; i -= step {
		t, u := tables[class[i]], residuals[i]
		token, np := t.split(u)
		p := bitPart{plain: uint32(u) & (1<<np - 1), np: np}
		state, p.state, p.nb = t.encode(state, token)
		w.parts = append(w.parts, p)
	}
	w.bits.out = w.bits.out[:0]
	w.bits.write(uint32(state), stateBits)
	for i := len(w.parts) - 1; i >= 0; i-- {
		p := &w.parts[i]
		w.bits.write(p.state, uint(p.nb))
		w.bits.write(p.plain, uint(p.np))
	}
	return w.bits.flush()
}

// maxPass is the largest size of a pass of n samples.
func maxPass(n int) int { return lanes(n)*(laneHeader(n)+3) + (n*mostBits+7)/8 }

// bitSlack is how many bytes readers of bit streams may look at beyond the end.
const bitSlack = 64

// lane is where a reader is in a stream.
type lane struct {
	pos   uint // bit of the buffer
	state uint
}

func newLane(buf []byte, at int) lane {
	return lane{uint(8*at + stateBits), uint(le.Uint32(buf[at:])) & (states - 1)}
}

// done says whether the stream that ends before byte end was read exactly.
func (l *lane) done(end int) bool {
	return l.state == 0 && l.pos <= uint(8*end) && l.pos+8 > uint(8*end)
}

// passReader reads a pass piece by piece.
type passReader struct {
	book  *book
	buf   []byte
	limit uint // where no residual begins, in bits
	count int  // streams
	lane  [4]lane
	end   [4]int
}

// open begins to read what passWriter.append wrote of n residuals from the front of in,
// beyond whose end there must be bitSlack bytes of capacity. It returns what is left of in.
func (r *passReader) open(t *Tables, book, n int, in []byte) ([]byte, bool) {
	r.count = lanes(n)
	if len(in) < r.count*laneHeader(n) {
		return nil, false
	}
	r.book, r.limit = &t.book[book], uint(8*len(in))
	r.buf = in[: len(in)+bitSlack : len(in)+bitSlack]
	at := r.count * laneHeader(n)
	for i := range r.count {
		r.lane[i] = newLane(r.buf, at)
		at += laneBytes(in, i, n)
		r.end[i] = at
		if at > len(in) {
			return nil, false
		}
	}
	return in[at:], true
}

// read reads the next residuals, a multiple of eight but for the last ones.
func (r *passReader) read(out []uint16, class []uint8) bool {
	if r.count == 1 {
		return readLane(out, class, r.book, r.buf, &r.lane[0], r.limit)
	}
	even := len(out) &^ 7
	if even > 0 && !readLanes(out[:even], class, r.book, r.buf, &r.lane, r.limit) {
		return false
	}
	for i := even; i < len(out); i++ {
		if !r.lane[i&3].read(out[i:i+1], class[i:i+1], r.book, r.buf, r.limit) {
			return false
		}
	}
	return true
}

// done says whether all streams were read exactly.
func (r *passReader) done() bool {
	for i := range r.count {
		if !r.lane[i].done(r.end[i]) {
			return false
		}
	}
	return true
}

// readPass reads a whole pass as a passReader does.
func (t *Tables) readPass(out []uint16, book int, class []uint8, in []byte) ([]byte, bool) {
	var r passReader
	rest, ok := r.open(t, book, len(out), in)
	return rest, ok && r.read(out, class) && r.done()
}

// read reads residuals.
func (l *lane) read(out []uint16, class []uint8, b *book, buf []byte, limit uint) bool {
	p, s := l.pos, l.state
	class = class[:len(out)]
	for i := range out {
		if p > limit {
			return false
		}
		x := le.Uint64(buf[p>>3:]) >> (p & 7)
		t := b.decode[class[i]]
		e, token := t.entry[s&(states-1)], t.token[s&(states-1)]
		nb, all := e&255, e>>8&255
		s = uint(e>>16) + uint(x)&(1<<nb-1)
		plain := uint16(x>>nb) & (1<<(all-nb) - 1)
		out[i] = uint16(token)<<(all-nb) + plain // with the escape nothing is left of the token
		p += uint(all)
	}
	l.pos, l.state = p, s
	return true
}

// batch is how many residuals fit in bitSlack.
const batch = (bitSlack - 8) * 8 / mostBits

// readLanesGo reads residuals of four streams in turn; out has a multiple of eight.
func readLanesGo(out []uint16, class []uint8, b *book, buf []byte, l *[4]lane, limit uint) bool {
	for i := range out {
		if !l[i&3].read(out[i:i+1], class[i:i+1], b, buf, limit) {
			return false
		}
	}
	return true
}

// joinGo turns plain bits, what is above them being of no account, and tokens into
// residuals. Escapes stand for no bits, least for [book.least].
func joinGo(out []uint16, token, class []uint8, least uint8) {
	token, class = token[:len(out)], class[:len(out)]
	for i, plain := range out {
		low := max(class[i], least) - least
		if token[i] == escapeToken {
			low = plainBits
		}
		out[i] = uint16(token[i])<<low + plain&(1<<low-1)
	}
}
