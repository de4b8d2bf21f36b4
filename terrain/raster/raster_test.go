package raster_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/terrain/raster"
)

// refused fails t unless err is one line that says so and unwraps well.
func refused(t *testing.T, err error, words string) {
	t.Helper()
	var fe *raster.FormatError
	switch {
	case !errors.As(err, &fe):
		t.Errorf("error %v", err)
	case !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), fe.Path):
		t.Errorf("error %q, want one line with %q", err, words)
	case errors.Is(err, raster.ErrCorrupt) == errors.Is(err, raster.ErrUnsupported):
		t.Errorf("%v is corrupt and unsupported, or neither", err)
	}
}

// encode returns img as a PNG.
func encode(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func ramp(w, h int) *image.Gray16 {
	img := image.NewGray16(image.Rect(0, 0, w, h))
	for i := range w * h {
		img.SetGray16(i%w, i/w, color.Gray16{Y: uint16(i * 37)})
	}
	return img
}

func colourful(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		img.SetNRGBA(i%w, i/w, color.NRGBA{uint8(i), uint8(3 * i), 200, 255})
	}
	return img
}

func openBytes(t testing.TB, b []byte, o raster.Options) (*raster.Source, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a b Höhen 高度.tif") // the name says nothing
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return raster.Open(path, o)
}

func TestContentDecides(t *testing.T) {
	s, err := openBytes(t, encode(t, ramp(20, 10)), raster.Options{Spacing: 160, HeightUnit: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	if s.Kind != "png" || s.Width != 20 || s.Height != 10 || s.Spacing != 160 || s.Quantum != 0.1 || s.At(3, 2) != 43*37 {
		t.Errorf("%+v", s)
	}
}

// TestAlphaIsIgnored: where alpha is low, heights stay what they are.
func TestAlphaIsIgnored(t *testing.T) {
	b := greyAlpha(3, 2, func(i int) (y, a uint16) { return uint16(1000 * i), uint16(i % 2) })
	s, err := openBytes(t, b, raster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range s.Samples {
		if h != int32(1000*i) {
			t.Errorf("sample %d is %d", i, h)
		}
	}
}

// chunk appends a PNG chunk.
func chunk(b []byte, kind string, data []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
	start := len(b)
	b = append(append(b, kind...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[start:]))
}

// header is a PNG up to and with its header.
func header(w, h uint32, depth, colour byte) []byte {
	d := binary.BigEndian.AppendUint32(nil, w)
	d = append(binary.BigEndian.AppendUint32(d, h), depth, colour, 0, 0, 0)
	return chunk([]byte("\x89PNG\r\n\x1a\n"), "IHDR", d)
}

func TestLiesAndDamage(t *testing.T) {
	whole := encode(t, ramp(40, 30))
	broken := bytes.Clone(whole)
	broken[len(broken)/2] ^= 1
	meddled := bytes.ReplaceAll(whole, []byte("\r\n"), []byte("\n"))
	for _, c := range []struct {
		name, words string
		kind        error
		b           []byte
	}{
		{"empty", "empty", io.ErrUnexpectedEOF, nil},
		{"one byte", "not a height raster", raster.ErrUnsupported, []byte{0x89}},
		{"text", "not a height raster", raster.ErrUnsupported, []byte("Once upon a time\n")},
		{"signature only", "cut", io.ErrUnexpectedEOF, whole[:8]},
		{"cut in the header", "cut", io.ErrUnexpectedEOF, whole[:20]},
		{"cut in half", "cut", io.ErrUnexpectedEOF, whole[:len(whole)/2]},
		{"last byte gone", "cut", io.ErrUnexpectedEOF, whole[:len(whole)-1]},
		{"flipped bit", "damaged PNG", raster.ErrCorrupt, broken},
		{"line ends changed", "does not begin with a PNG header", raster.ErrCorrupt, meddled},
		{"bomb", "which its 65 bytes cannot hold", raster.ErrCorrupt, append(header(16000, 16000, 16, 0), make([]byte, 32)...)},
		{"larger bomb", "cannot hold", raster.ErrCorrupt, append(header(100000, 100000, 16, 0), make([]byte, 27)...)},
		{"no samples", "claims 0×5", raster.ErrCorrupt, header(0, 5, 16, 0)},
		{"one column", "at least 2×2", raster.ErrUnsupported, encode(t, ramp(1, 30))},
		{"one row", "at least 2×2", raster.ErrUnsupported, encode(t, ramp(30, 1))},
		{"colour", "--encoding mapbox|terrarium|grey", raster.ErrUnsupported, encode(t, colourful(9, 9))},
		{"palette", "--encoding mapbox|terrarium|grey", raster.ErrUnsupported, header(9, 9, 8, 3)},
		{"colour, cut", "cut", io.ErrUnexpectedEOF, header(9, 9, 16, 2)},
		{"grey of 3 bits", "claims 3 bits", raster.ErrCorrupt, header(9, 9, 3, 0)},
		{"palette of 16 bits", "claims 16 bits", raster.ErrCorrupt, header(9, 9, 16, 3)},
		{"no such colour type", "colour type 5", raster.ErrCorrupt, header(9, 9, 16, 5)},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := openBytes(t, c.b, raster.Options{})
			refused(t, err, c.words)
			if !errors.Is(err, c.kind) {
				t.Errorf("%v is not %v", err, c.kind)
			}
		})
	}
}

// TestBombsAllocateLittle: sizes are believed only as far as the file goes.
func TestBombsAllocateLittle(t *testing.T) {
	for _, b := range [][]byte{
		append(header(100000, 100000, 16, 0), make([]byte, 27)...),
		append(header(16000, 16000, 16, 4), make([]byte, 27)...),
		append(header(100000, 100000, 8, 2), make([]byte, 27)...),
	} {
		n := allocated(func() {
			_, err := openBytes(t, b, raster.Options{})
			refused(t, err, "×")
		})
		if n > 1<<20 {
			t.Errorf("%d bytes allocated", n)
		}
	}
}

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := raster.Open(filepath.Join(dir, "none.png"), raster.Options{}); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "none.png") {
		t.Errorf("missing: %v", err)
	}
	_, err := raster.Open(dir, raster.Options{})
	refused(t, err, "is a folder")
}

func TestOptionsAreChecked(t *testing.T) {
	b := encode(t, ramp(4, 4))
	for _, o := range []raster.Options{
		{Spacing: -1}, {Spacing: math.NaN()}, {Spacing: math.Inf(1)},
		{HeightUnit: -1}, {HeightUnit: math.NaN()}, {HeightUnit: math.Inf(1)},
	} {
		if _, err := openBytes(t, b, o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
	s, err := openBytes(t, b, raster.Options{})
	if err != nil || s.Spacing != 1 || s.Quantum != 1 {
		t.Errorf("defaults: %+v, %v", s, err)
	}
}

// FuzzOpen reads any bytes: an error of one line or a field, no panic.
func FuzzOpen(f *testing.F) {
	f.Setenv("PATH", "") // of GDAL's programs only the absence is of interest
	f.Add([]byte{})
	f.Add(encode(f, colourful(4, 5)))
	f.Add(interlaced(5, 4, 8, 2))
	f.Add(encode(f, ramp(5, 4)))
	f.Add(header(9, 9, 16, 0))
	f.Add(greyAlpha(3, 3, func(i int) (y, a uint16) { return uint16(i), 0 }))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := openBytes(t, b, raster.Options{})
		if err != nil {
			refused(t, err, "")
			return
		}
		if len(s.Samples) != s.Width*s.Height {
			t.Errorf("%d samples in %d×%d", len(s.Samples), s.Width, s.Height)
		}
	})
}

func ExampleOpen() {
	var b bytes.Buffer
	if err := png.Encode(&b, ramp(5, 4)); err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "heights.png")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		panic(err)
	}

	s, err := raster.Open(path, raster.Options{Spacing: 160, HeightUnit: 0.1})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s, %d×%d samples, one %.1f m high\n", s.Kind, s.Width, s.Height, float64(s.At(1, 1))*s.Quantum)
	// Output: png, 5×4 samples, one 22.2 m high
}

// gray8 returns a picture of 8 bits.
func gray8(w, h int, b []byte) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, w, h))
	copy(img.Pix, b)
	return img
}
