package chunkfile

import (
	"cmp"
	"math/bits"
	"slices"
)

// Residuals are coded by asymmetric numeral systems with tables (Duda,
// "Asymmetric numeral systems", arXiv:1311.2540), one table for each class of
// place. The state is the same for all tables, so that each residual may be coded
// with another one. The tables belong to the world: a chunk carries none.
//
// A token t of a class is what is left of a residual u when the low bits of its
// class are taken off, t = u>>low, and those follow as they are. A residual whose
// token the table lacks, or has as its escape, is stored in full, 16 bits, after
// the escape token.
const (
	stateBits = 11
	states    = 1 << stateBits
	tokens    = 256
	plainBits = 16
	// mostBits is the largest number of bits that one residual takes.
	mostBits = stateBits + plainBits
)

// table codes the tokens of one class.
type table struct {
	escape uint8
	low    uint8 // low bits
	freq   [tokens]uint16

	decode decodeTable

	first [tokens]int32 // where a token's part of next begins, less its frequency
	next  [states]uint16
}

// decodeTable says what each state stands for.
type decodeTable struct {
	// entry has the bits that the next state takes from the stream (bits 0 to 7), all
	// bits that are taken with the plain ones (8 to 15), and what the first are added to (16
	// on).
	entry [states]uint32
	token [states]uint8
}

// spread is the step with which tokens are spread over the states; it has no
// factor in common with their number.
const spread = states>>1 + states>>3 + 3

// build makes everything of the frequencies. It returns false if these do not
// add up or lack the escape.
func (t *table) build() bool {
	sum := 0
	for _, f := range t.freq {
		sum += int(f)
	}
	if sum != states || t.freq[t.escape] == 0 {
		return false
	}
	var token [states]uint8
	at := 0
	for s, f := range t.freq {
		for range f {
			token[at] = uint8(s)
			at = (at + spread) & (states - 1)
		}
	}
	var seen [tokens]uint16
	total := int32(0)
	for s, f := range t.freq {
		t.first[s] = total - int32(f)
		total += int32(f)
	}
	for x, s := range token {
		n := uint32(t.freq[s] + seen[s]) // freq to 2·freq-1
		t.next[t.first[s]+int32(n)] = uint16(x)
		seen[s]++
		nb := stateBits + 1 - bits.Len32(n)
		base := n<<nb - states
		plain := uint32(t.low)
		if s == t.escape {
			plain = plainBits
		}
		t.decode.entry[x] = uint32(nb) | (uint32(nb)+plain)<<8 | base<<16
		t.decode.token[x] = s
	}
	return true
}

// split returns the token of u and how many of its bits follow it.
func (t *table) split(u uint16) (token uint8, plain uint8) {
	if s := u >> t.low; s < tokens && s != uint16(t.escape) && t.freq[s] > 0 {
		return uint8(s), t.low
	}
	return t.escape, plainBits
}

// encode returns the state before a token, which the state after it came from,
// and the bits that the reader takes to get there.
func (t *table) encode(state uint16, token uint8) (before uint16, value uint32, nb uint8) {
	x := uint32(state) + states
	f := uint32(t.freq[token])
	nb = uint8(stateBits - (bits.Len32(f) - 1))
	if x>>nb < f {
		nb--
	}
	return t.next[t.first[token]+int32(x>>nb)], x & (1<<nb - 1), nb
}

// frequenciesOf scales counts to frequencies that add up to the number of
// states, none of a token that came being 0.
func frequenciesOf(count *[tokens]uint64) (freq [tokens]uint16) {
	var total uint64
	for _, n := range count {
		total += n
	}
	type share struct {
		token int
		rest  uint64
	}
	var shares []share
	left := states
	for s, n := range count {
		if n == 0 {
			continue
		}
		exact := n * states
		freq[s] = uint16(max(exact/total, 1))
		left -= int(freq[s])
		shares = append(shares, share{s, exact % total})
	}
	// What is missing goes to those that lost most, what is too much comes from
	// the most frequent.
	slices.SortStableFunc(shares, func(a, b share) int { return cmp.Compare(b.rest, a.rest) })
	for i := 0; left > 0; i = (i + 1) % len(shares) {
		freq[shares[i].token]++
		left--
	}
	for ; left < 0; left++ {
		most := 0
		for s := range freq {
			if freq[s] > freq[most] {
				most = s
			}
		}
		freq[most]--
	}
	return freq
}
