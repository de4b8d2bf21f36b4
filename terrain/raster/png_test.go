package raster_test

import (
	"bytes"
	"compress/zlib"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/vkterrain/vkterrain/terrain/raster"
)

// interlaced returns an interlaced PNG of pixels that count up, which
// image/png can read but not write.
func interlaced(w, h int, depth, colour byte) []byte {
	channels := map[byte]int{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
	var raw []byte
	for _, p := range [7][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}} {
		n := (w - p[0] + p[2] - 1) / p[2]
		for y := p[1]; y < h && n > 0; y += p[3] {
			raw = append(raw, 0)
			var bits, count uint
			for x := p[0]; x < w; x += p[2] {
				for c := range channels {
					v := uint(y*w+x+c) & (1<<depth - 1)
					if depth == 16 {
						raw = append(raw, byte(v>>8), byte(v))
						continue
					}
					bits, count = bits<<depth|v, count+uint(depth)
					if count == 8 {
						raw, bits, count = append(raw, byte(bits)), 0, 0
					}
				}
			}
			if count > 0 {
				raw = append(raw, byte(bits<<(8-count)))
			}
		}
	}
	var z bytes.Buffer
	zw := zlib.NewWriter(&z)
	if _, err := zw.Write(raw); err != nil {
		panic(err)
	}
	if err := zw.Close(); err != nil {
		panic(err)
	}
	b := header(uint32(w), uint32(h), depth, colour)
	b = b[:len(b)-4-1] // the checksum and the interlace method
	data := append(bytes.Clone(b[16:]), 1)
	b = chunk(b[:8:8], "IHDR", data)
	if colour == 3 {
		b = chunk(b, "PLTE", make([]byte, 3<<depth))
	}
	return chunk(chunk(b, "IDAT", z.Bytes()), "IEND", nil)
}

func TestInterlaced(t *testing.T) {
	for _, c := range []struct{ depth, colour byte }{{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {8, 2}, {16, 2}, {4, 3}, {8, 4}, {16, 4}, {8, 6}, {16, 6}} {
		for _, size := range [][2]int{{2, 2}, {3, 9}, {5, 4}, {9, 3}, {8, 8}, {17, 33}} {
			w, h := size[0], size[1]
			b := interlaced(w, h, c.depth, c.colour)
			if _, err := png.Decode(bytes.NewReader(b)); err != nil {
				t.Fatal(err)
			}
			s, err := openBytes(t, b, raster.Options{Encoding: raster.Grey})
			if err != nil {
				t.Fatalf("%d bits, colour type %d, %d×%d: %v", c.depth, c.colour, w, h, err)
			}
			for i, v := range s.Samples {
				if want := int32(i & (1<<c.depth - 1)); v != want {
					t.Fatalf("%d bits, colour type %d, %d×%d: sample %d is %d, want %d", c.depth, c.colour, w, h, i, v, want)
				}
			}
		}
	}
}

// TestFilters reads noise and slopes, for which the encoder takes all filters.
func TestFilters(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	img := image.NewNRGBA(image.Rect(0, 0, 97, 65))
	want := make([]int32, 97*65)
	for i := range want {
		x, y := i%97, i/97
		v := 100_000 + 5*x*y + 2*x*x + int(rng.Uint32N(uint32(1+y*y)))
		want[i] = int32(v - 100_000)
		img.SetNRGBA(x, y, color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255})
	}
	s, err := openBytes(t, encode(t, img), raster.Options{Encoding: raster.Mapbox})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range s.Samples {
		if v != want[i] || s.Quantum != 0.1 {
			t.Fatalf("sample %d is %d × %v, want %d × 0.1", i, v, s.Quantum, want[i])
		}
	}
}

// TestEncodedPalette: tiles with few heights are stored with a palette.
func TestEncodedPalette(t *testing.T) {
	p := image.NewPaletted(image.Rect(0, 0, 6, 5), color.Palette{color.NRGBA{0x80, 0, 0, 255}, color.NRGBA{0x80, 3, 128, 255}, color.NRGBA{0x7f, 255, 0, 255}})
	for i := range p.Pix {
		p.Pix[i] = uint8(i % 3)
	}
	s, err := openBytes(t, encode(t, p), raster.Options{Encoding: raster.Terrarium})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range s.Samples {
		if got, want := float64(v)*s.Quantum, []float64{0, 3.5, -1}[i%3]; got != want {
			t.Fatalf("sample %d is %v, want %v", i, got, want)
		}
	}
}

func TestEncodingRefused(t *testing.T) {
	for _, c := range []struct {
		b     []byte
		e     raster.Encoding
		words string
	}{
		{encode(t, ramp(4, 4)), raster.Mapbox, "no colours"},
		{interlaced(4, 4, 16, 2), raster.Terrarium, "of 16 bits a channel"},
	} {
		_, err := openBytes(t, c.b, raster.Options{Encoding: c.e})
		refused(t, err, c.words)
	}
	if _, err := openBytes(t, encode(t, ramp(4, 4)), raster.Options{Encoding: "rgb"}); err == nil {
		t.Error("encoding rgb is accepted")
	}
}
