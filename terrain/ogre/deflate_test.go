package ogre_test

import (
	"bytes"
	"compress/zlib"
	"io"
	"testing"

	"github.com/vkterrain/vkterrain/terrain/ogre"
)

// lcg is a generator that is easily written again elsewhere.
type lcg uint32

func (h *lcg) next() uint32 {
	*h = *h*1664525 + 1013904223
	return uint32(*h)
}

// noise returns n bytes with the bits of mask.
func noise(n int, mask byte, seed lcg) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(seed.next()>>24) & mask
	}
	return b
}

// words returns n bytes made of pieces of 16 KiB of noise.
func words(n int, seed lcg) (b []byte) {
	d := noise(1<<14, 255, seed)
	for len(b) < n {
		h := seed.next()
		piece := d[h>>8&(1<<14-1):]
		b = append(b, piece[:min(len(piece), 1+int(h>>24)%70)]...)
	}
	return b[:n]
}

// skewed returns bytes whose frequencies are Fibonacci's numbers: their code
// would be longer than codes may be.
func skewed() []byte {
	var runs []byte
	for i, a, c := 0, 1, 1; i < 24; i++ {
		runs = append(runs, bytes.Repeat([]byte{byte(i)}, a)...)
		a, c = c, a+c
	}
	b := make([]byte, 100000)
	for i := range b {
		b[i] = runs[i*48271%len(b)]
	}
	return b
}

// TestDeflate wants what zlib 1.2.13 makes at level 6.
func TestDeflate(t *testing.T) {
	tests := []struct {
		name string
		in   []byte
		len  int
		hash string
	}{
		{"nothing", nil, 8, "aca503def43dc086a5aaa5c3d6f86bcbbc2aa6a80007ddea4a81bce2b376fceb"},
		{"a byte", []byte("x"), 9, "89ae37767e1c0fd466485d9c3997ba1eb7ca7412c8151c058306c4b56ba35ddd"},
		{"zeros", make([]byte, 300000), 313, "6806c1ecb8f9435d0c90ba5cd410071b2b0655430a517c8812629672723ff4a7"},
		{"noise", noise(200000, 255, 1), 200071, "dadfca1d1f0a5a5864d3300853cd0075a36d76139f77881b89c33be14b038473"},
		{"two values", noise(100000, 1, 2), 15949, "23ec5dd031e18b3fb36bbf1f314119df9306a2b26723297c21ca64fe9d064482"},
		{"four values", noise(100000, 3, 3), 29628, "c43b07bfa1356e340709dce9c87fc9da49a0d6c73dcb26151a448035c054623d"},
		{"words", words(400000, 4), 115170, "780c043a47daebf0d47a45ece1927ed6978b65cef16f4c43bb71ad477384f906"},
		{"repeats at the largest distance", bytes.Repeat(noise(32506, 255, 5), 4), 34093, "713f7fc73bcabe2e12c379a7c0170ac42417885de0fdea15010749ecce5c6e69"},
		{"repeats one farther", bytes.Repeat(noise(32507, 255, 6), 4), 130074, "7eddf2257de0840e8ce0b4bf6ca71fc2012b0356cad1ac20d8750b388851d5e9"},
		{"skewed", skewed(), 1054, "4dfa89d2d68f0ff78b8b782cc636fc3b046427976fd4fa9f9f6975fbeb0c82ce"},
		{"short", words(40, 7), 51, "c2e44c131bb4181e319dc68f7da1d9a0bd171c2712e846def419806b3ebdc5f7"},
	}
	for _, test := range tests {
		got := ogre.Deflate(test.in)
		if len(got) != test.len || sum(got) != test.hash {
			t.Errorf("%s: %d bytes, hash %s; want %d, %s", test.name, len(got), sum(got), test.len, test.hash)
		}
		inflates(t, got, test.in)
	}
}

func inflates(t *testing.T, z, want []byte) {
	t.Helper()
	r, err := zlib.NewReader(bytes.NewReader(z))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("inflates to %d bytes, want %d: %v", len(got), len(want), err)
	}
}

func BenchmarkDeflate(b *testing.B) {
	in := words(1<<20, 1)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		ogre.Deflate(in)
	}
}
