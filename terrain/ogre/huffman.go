package ogre

import "math/bits"

const (
	litCodes   = 286
	distCodes  = 30
	bitCodes   = 19 // of the code for code lengths
	endOfBlock = 256
	maxBits    = 15
	maxBitBits = 7

	repeat3to6    = 16 // the previous length again
	zeros3to10    = 17
	zeros11to138  = 18
	headerBits    = 3
	countBits     = 5 + 5 + 4 // of the three codes
	minBitLengths = 4
)

// Extra bits by code, as in RFC 1951, 3.2.5 and 3.2.7.
var (
	lengthExtra = [29]uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distExtra   = [distCodes]uint8{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
	bitExtra    = [bitCodes]uint8{repeat3to6: 2, zeros3to10: 3, zeros11to138: 7}
	bitOrder    = [bitCodes]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}
)

// Codes of lengths and distances, and the first of each code.
var (
	lengthCode [maxMatch - minMatch + 1]uint8 // by length less minMatch
	lengthBase [29]uint16
	distBase   [distCodes]uint16 // of distance less 1

	fixedLitLen, fixedDistLen = fixedLengths()
	fixedLit, fixedDist       = assign(fixedLitLen), assign(fixedDistLen)
)

func init() {
	n := 0
	for code, extra := range lengthExtra[:28] {
		lengthBase[code] = uint16(n)
		for range 1 << extra {
			if n < len(lengthCode) {
				lengthCode[n] = uint8(code)
			}
			n++
		}
	}
	// The longest match has a code without extra bits.
	lengthCode[len(lengthCode)-1] = 28
	lengthBase[28] = uint16(len(lengthCode) - 1)
	n = 0
	for code, extra := range distExtra {
		distBase[code] = uint16(n)
		n += 1 << extra
	}
}

// distCode returns the code of a distance.
func distCode(dist int) int {
	d := uint(dist - 1)
	if d < 4 {
		return int(d)
	}
	n := bits.Len(d)
	return 2*(n-1) + int(d>>(n-2)&1)
}

func fixedLengths() (lit, dist []uint8) {
	lit, dist = make([]uint8, litCodes+2), make([]uint8, distCodes)
	for i := range lit {
		switch {
		case i < 144:
			lit[i] = 8
		case i < 256:
			lit[i] = 9
		case i < 280:
			lit[i] = 7
		default:
			lit[i] = 8
		}
	}
	for i := range dist {
		dist[i] = 5
	}
	return lit, dist
}

// assign returns the canonical codes of lengths, ready to be written lowest bit
// first.
func assign(lengths []uint8) []uint16 {
	var count, next [maxBits + 2]uint16
	for _, n := range lengths {
		if n > 0 {
			count[n]++
		}
	}
	for n := 1; n <= maxBits; n++ {
		next[n+1] = (next[n] + count[n]) << 1
	}
	codes := make([]uint16, len(lengths))
	for i, n := range lengths {
		if n > 0 {
			codes[i] = bits.Reverse16(next[n]) >> (16 - n)
			next[n]++
		}
	}
	return codes
}

// tree is a Huffman code in the making.
type tree struct {
	freq   [2*litCodes + 1]uint32 // of symbols, then of inner nodes
	len    [2*litCodes + 1]uint8
	parent [2*litCodes + 1]uint16
	depth  [2*litCodes + 1]uint8
	used   int // symbols up to the last that occurs

	heap   [2*litCodes + 2]int // from 1 on, the rarest first
	heaped int
	sorted []int // nodes by falling frequency, filled from its end
}

// less orders nodes by frequency, then by depth: flat trees come of it.
func (t *tree) less(a, b int) bool {
	return t.freq[a] < t.freq[b] || t.freq[a] == t.freq[b] && t.depth[a] <= t.depth[b]
}

func (t *tree) sift(k int) {
	v := t.heap[k]
	for j := 2 * k; j <= t.heaped; j *= 2 {
		if j < t.heaped && t.less(t.heap[j+1], t.heap[j]) {
			j++
		}
		if t.less(v, t.heap[j]) {
			break
		}
		t.heap[k] = t.heap[j]
		k = j
	}
	t.heap[k] = v
}

// build makes code lengths of at most limit bits for the first symbols of freq
// and returns the bits that the symbols take, without extra bits.
func (t *tree) build(symbols, limit int) (cost int) {
	t.heaped, t.used = 0, 0
	for i := range symbols {
		t.depth[i], t.len[i] = 0, 0
		if t.freq[i] != 0 {
			t.heaped++
			t.heap[t.heaped] = i
			t.used = i + 1
		}
	}
	// A code has two symbols even where fewer occur; they cost nothing.
	for t.heaped < 2 {
		i := 0
		if t.used < 2 {
			i = t.used
			t.used++
		}
		t.heaped++
		t.heap[t.heaped] = i
		t.freq[i] = 1
		cost--
	}
	t.join(symbols)
	return cost + t.lengths(limit)
}

// join puts the two rarest nodes under a new one until there is one left.
func (t *tree) join(node int) {
	for k := t.heaped / 2; k >= 1; k-- {
		t.sift(k)
	}
	t.sorted = t.sorted[:0]
	for {
		a := t.heap[1]
		t.heap[1] = t.heap[t.heaped]
		t.heaped--
		t.sift(1)
		b := t.heap[1]
		t.sorted = append(t.sorted, a, b)
		t.freq[node] = t.freq[a] + t.freq[b]
		t.depth[node] = max(t.depth[a], t.depth[b]) + 1
		t.parent[a], t.parent[b] = uint16(node), uint16(node)
		t.heap[1] = node
		node++
		t.sift(1)
		if t.heaped < 2 {
			break
		}
	}
	t.sorted = append(t.sorted, t.heap[1])
}

// lengths turns depths into code lengths: those above limit are cut, and others
// made longer until it is a code again.
func (t *tree) lengths(limit int) (cost int) {
	var count [maxBits + 1]int
	root := t.sorted[len(t.sorted)-1]
	t.len[root] = 0
	over := 0
	for k := len(t.sorted) - 2; k >= 0; k-- {
		n := t.sorted[k]
		l := int(t.len[t.parent[n]]) + 1
		if l > limit {
			l = limit
			over++
		}
		t.len[n] = uint8(l)
		if n < t.used {
			count[l]++
			cost += int(t.freq[n]) * l
		}
	}
	if over == 0 {
		return cost
	}
	for ; over > 0; over -= 2 {
		l := limit - 1
		for count[l] == 0 {
			l--
		}
		count[l]--
		count[l+1] += 2
		count[limit]--
	}
	// The rarest symbols get the longest codes.
	k := 0
	for l := limit; l > 0; l-- {
		for c := count[l]; c > 0; k++ {
			n := t.sorted[k]
			if n >= t.used {
				continue
			}
			cost += (l - int(t.len[n])) * int(t.freq[n])
			t.len[n] = uint8(l)
			c--
		}
	}
	return cost
}

// huffman codes the symbols of a block.
type huffman struct {
	lit, dist, bit tree
}

func (h *huffman) reset() {
	clear(h.lit.freq[:])
	clear(h.dist.freq[:])
	clear(h.bit.freq[:])
	h.lit.freq[endOfBlock] = 1
}

// write writes a block in the shortest of three ways: the bytes themselves, if
// they are at hand, the fixed codes, or its own.
func (h *huffman) write(w *bitStream, symbols []symbol, stored []byte, canStore, last bool) {
	fixed, extra := h.fixedCost(), h.extraCost()
	own := h.lit.build(litCodes, maxBits) + h.dist.build(distCodes, maxBits)
	h.eachLength(func(code, _ int) { h.bit.freq[code]++ })
	own += h.bit.build(bitCodes, maxBitBits)
	for code, n := range bitExtra {
		own += int(h.bit.freq[code]) * int(n)
	}
	lengths := bitCodes
	for lengths > minBitLengths && h.bit.len[bitOrder[lengths-1]] == 0 {
		lengths--
	}
	own += 3*lengths + countBits

	final := uint32(0)
	if last {
		final = 1
	}
	ownBytes, fixedBytes := (own+extra+headerBits+7)>>3, (fixed+extra+headerBits+7)>>3
	switch best := min(ownBytes, fixedBytes); {
	case canStore && len(stored)+4 <= best:
		w.write(final, headerBits)
		w.align()
		n := uint16(len(stored))
		w.b = append(w.b, byte(n), byte(n>>8), byte(^n), byte(^n>>8))
		w.b = append(w.b, stored...)
	case fixedBytes == best:
		w.write(1<<1|final, headerBits)
		w.symbols(symbols, fixedLitLen, fixedLit, fixedDistLen, fixedDist)
	default:
		w.write(2<<1|final, headerBits)
		h.writeCodes(w, lengths)
		lit, dist := h.lit.len[:h.lit.used], h.dist.len[:h.dist.used]
		w.symbols(symbols, lit, assign(lit), dist, assign(dist))
	}
}

// fixedCost and extraCost are the bits of the symbols in the fixed codes and of
// their extra bits.
func (h *huffman) fixedCost() (cost int) {
	for i, f := range h.lit.freq[:litCodes] {
		cost += int(f) * int(fixedLitLen[i])
	}
	for i, f := range h.dist.freq[:distCodes] {
		cost += int(f) * int(fixedDistLen[i])
	}
	return cost
}

func (h *huffman) extraCost() (cost int) {
	for i, n := range lengthExtra {
		cost += int(h.lit.freq[endOfBlock+1+i]) * int(n)
	}
	for i, n := range distExtra {
		cost += int(h.dist.freq[i]) * int(n)
	}
	return cost
}

// eachLength calls f for the code lengths of both codes, run-length coded, with
// the value of the extra bits.
func (h *huffman) eachLength(f func(code, extra int)) {
	for _, t := range []*tree{&h.lit, &h.dist} {
		prev := -1
		lens := t.len[:t.used]
		for i := 0; i < len(lens); {
			l := int(lens[i])
			longest, shortest := 6, 3
			switch {
			case l == 0:
				longest = 138
			case l != prev:
				longest, shortest = 7, 4 // the first stands for itself
			}
			n := 1
			for i+n < len(lens) && n < longest && int(lens[i+n]) == l {
				n++
			}
			i += n
			switch {
			case n < shortest:
				for range n {
					f(l, 0)
				}
			case l != 0:
				if l != prev {
					f(l, 0)
					n--
				}
				f(repeat3to6, n-3)
			case n <= 10:
				f(zeros3to10, n-3)
			default:
				f(zeros11to138, n-11)
			}
			prev = l
		}
	}
}

func (h *huffman) writeCodes(w *bitStream, lengths int) {
	w.write(uint32(h.lit.used-257), 5)
	w.write(uint32(h.dist.used-1), 5)
	w.write(uint32(lengths-minBitLengths), 4)
	for _, code := range bitOrder[:lengths] {
		w.write(uint32(h.bit.len[code]), 3)
	}
	codes := assign(h.bit.len[:bitCodes])
	h.eachLength(func(code, extra int) {
		w.write(uint32(codes[code]), uint(h.bit.len[code]))
		w.write(uint32(extra), uint(bitExtra[code]))
	})
}

// bitStream appends bits, the lowest first.
type bitStream struct {
	b   []byte
	acc uint64
	n   uint
}

func (w *bitStream) write(v uint32, n uint) {
	w.acc |= uint64(v) << w.n
	for w.n += n; w.n >= 8; w.n -= 8 {
		w.b = append(w.b, byte(w.acc))
		w.acc >>= 8
	}
}

// align fills the last byte with zeros.
func (w *bitStream) align() {
	if w.n > 0 {
		w.b = append(w.b, byte(w.acc))
	}
	w.acc, w.n = 0, 0
}

func (w *bitStream) symbols(symbols []symbol, litLen []uint8, lit []uint16, distLen []uint8, dist []uint16) {
	for _, s := range symbols {
		if s.dist == 0 {
			w.write(uint32(lit[s.value]), uint(litLen[s.value]))
			continue
		}
		code := int(lengthCode[s.value])
		w.write(uint32(lit[endOfBlock+1+code]), uint(litLen[endOfBlock+1+code]))
		w.write(uint32(s.value)-uint32(lengthBase[code]), uint(lengthExtra[code]))
		code = distCode(int(s.dist))
		w.write(uint32(dist[code]), uint(distLen[code]))
		w.write(uint32(s.dist-1)-uint32(distBase[code]), uint(distExtra[code]))
	}
	w.write(uint32(lit[endOfBlock]), uint(litLen[endOfBlock]))
}
