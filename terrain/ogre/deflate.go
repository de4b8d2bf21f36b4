package ogre

import "hash/adler32"

// This is a deflate coder that makes the choices that zlib makes at its level 6,
// which compress/flate does not: a file read and written again has the same bytes
// that OGRE gave it. Names and bounds are those of RFC 1951 and of Deutsch's and
// Gailly's algorithm: chains of positions with the same hash, a match put off by
// one byte if that byte begins a longer one, blocks of a fixed number of symbols.
const (
	windowLen = 1 << 15
	hashBits  = 15
	minMatch  = 3
	maxMatch  = 258
	// lookMin is what is kept in sight ahead of a position; a match may lie so
	// far back that this still fits into two windows.
	lookMin = maxMatch + minMatch + 1
	maxDist = windowLen - lookMin

	// Of level 6:
	goodMatch = 8   // a match so long makes the search for a longer one short
	lazyMatch = 16  // a match so long is not put off
	niceMatch = 128 // a match so long ends the search
	maxChain  = 128 // positions looked at

	tooFar       = 4096      // a match of 3 bytes from farther away is not worth it
	blockSymbols = 1<<14 - 1 // symbols a block
)

// symbol is a literal, or a match with its distance.
type symbol struct {
	dist  uint16 // 0 for a literal
	value uint8  // the literal, or the length less minMatch
}

type compressor struct {
	in []byte

	// zlib copies the input into a buffer of two windows and moves it down by one
	// when it gets full. Here positions are those of the input, base is where the
	// buffer would begin and filled where it would end. Position base is never
	// found, because a chain ends at 0 there.
	base, filled int
	head         [1 << hashBits]int32 // latest position by hash
	prev         [windowLen]int32     // the one before it in the chain

	start   int // of the block
	symbols []symbol
	codes   huffman
	out     bitStream
}

// deflate appends the zlib stream of src to dst.
func (c *compressor) deflate(dst, src []byte) []byte {
	c.in, c.base, c.filled, c.start = src, 0, 0, 0
	clear(c.head[:])
	c.symbols = c.symbols[:0]
	c.codes.reset()
	c.out = bitStream{b: append(dst, 0x78, 0x9c)}
	c.scan()
	c.out.align()
	sum := adler32.Checksum(src)
	return append(c.out.b, byte(sum>>24), byte(sum>>16), byte(sum>>8), byte(sum))
}

// scan cuts the input into symbols.
func (c *compressor) scan() {
	pos, pending := 0, false // pending: the byte before pos is not coded yet
	length, from := minMatch-1, 0
	for {
		if c.filled-pos < lookMin {
			if c.fill(pos); c.filled == pos {
				break
			}
		}
		head := c.base
		if c.filled-pos >= minMatch {
			head = c.insert(pos)
		}
		prevLen, prevFrom := length, from
		length = minMatch - 1
		if head > c.base && prevLen < lazyMatch && pos-head <= maxDist {
			length, from = c.longest(pos, head, prevLen, from)
			if length == minMatch && pos-from > tooFar {
				length = minMatch - 1
			}
		}
		switch {
		case prevLen >= minMatch && length <= prevLen:
			last := c.filled - minMatch
			full := c.match(pos-1-prevFrom, prevLen)
			for end := pos + prevLen - 2; pos < end; {
				if pos++; pos <= last {
					c.insert(pos)
				}
			}
			pos++
			pending, length = false, minMatch-1
			if full {
				c.block(pos, false)
			}
		case pending:
			if c.literal(c.in[pos-1]) {
				c.block(pos, false)
			}
			pos++
		default:
			pending = true
			pos++
		}
	}
	if pending {
		c.literal(c.in[pos-1])
	}
	c.block(pos, true)
}

// fill moves the window and takes in what fits.
func (c *compressor) fill(pos int) {
	for {
		if pos-c.base >= windowLen+maxDist {
			c.base += windowLen
		}
		c.filled = min(c.base+2*windowLen, len(c.in))
		if c.filled-pos >= lookMin || c.filled == len(c.in) {
			return
		}
	}
}

// insert adds pos to the chain of its hash and returns the one before it.
func (c *compressor) insert(pos int) (head int) {
	h := (uint(c.in[pos])<<10 ^ uint(c.in[pos+1])<<5 ^ uint(c.in[pos+2])) & (1<<hashBits - 1)
	head = int(c.head[h])
	c.prev[pos&(windowLen-1)] = int32(head)
	c.head[h] = int32(pos)
	return head
}

// longest looks along the chain from cur on for a match of pos that is longer
// than best, and returns that or best itself.
func (c *compressor) longest(pos, cur, best, from int) (length, at int) {
	chain := maxChain
	if best >= goodMatch {
		chain >>= 2
	}
	look := c.filled - pos
	nice := min(niceMatch, look)
	limit := max(c.base, pos-maxDist)
	scan := c.in[pos : pos+min(look, maxMatch)]
	if best >= len(scan) {
		return min(best, look), from // nothing longer is left
	}
	for {
		if other := c.in[cur:]; other[best] == scan[best] && other[best-1] == scan[best-1] {
			n := 0
			for n < len(scan) && other[n] == scan[n] {
				n++
			}
			if n > best {
				best, from = n, cur
				if n >= nice {
					break
				}
			}
		}
		if cur = int(c.prev[cur&(windowLen-1)]); cur <= limit {
			break
		}
		if chain--; chain == 0 {
			break
		}
	}
	return min(best, look), from
}

// literal and match add a symbol and say whether the block is full.
func (c *compressor) literal(b byte) bool {
	c.symbols = append(c.symbols, symbol{0, b})
	c.codes.lit.freq[b]++
	return len(c.symbols) == blockSymbols
}

func (c *compressor) match(dist, length int) bool {
	c.symbols = append(c.symbols, symbol{uint16(dist), uint8(length - minMatch)})
	c.codes.lit.freq[endOfBlock+1+int(lengthCode[length-minMatch])]++
	c.codes.dist.freq[distCode(dist)]++
	return len(c.symbols) == blockSymbols
}

// block writes the symbols of the input up to end.
func (c *compressor) block(end int, last bool) {
	var stored []byte
	if c.start >= c.base { // what the window has left behind cannot be stored
		stored = c.in[c.start:end]
	}
	c.codes.write(&c.out, c.symbols, stored, c.start >= c.base, last)
	c.codes.reset()
	c.symbols = c.symbols[:0]
	c.start = end
}
