package raster_test

import (
	"bytes"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/vkterrain/vkterrain/terrain/raster"
)

// calibrated writes a PNG of 2×2 numbers 0 to 3 with chunk after its header.
func calibrated(t *testing.T, chunk []byte) string {
	t.Helper()
	img := image.NewGray16(image.Rect(0, 0, 2, 2))
	for i := range 4 {
		img.SetGray16(i%2, i/2, color.Gray16{Y: uint16(i)})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	const header = 8 + 12 + 13
	data := append(append(bytes.Clone(b.Bytes()[:header]), chunk...), b.Bytes()[header:]...)
	path := filepath.Join(t.TempDir(), "c.png")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCalibration(t *testing.T) {
	three := 3
	c := raster.Calibration{
		Unit: 0.1, Least: -50, Void: &three, Spacing: 7, CRS: `LOCAL_CS["Höhen 𝄞"]`, Geo: &[6]float64{1, 2, 0, 4, 0, -2},
		Point: true, VerticalUnit: "foot",
	}
	chunk, err := c.AppendPNG(nil)
	if err != nil {
		t.Fatal(err)
	}
	path := calibrated(t, chunk)
	s, err := raster.Open(path, raster.Options{Voids: raster.VoidsFill})
	if err != nil {
		t.Fatal(err)
	}
	i := s.Info
	if s.Quantum != 0.1 || !reflect.DeepEqual(s.Samples[:3], []int32{-50, -49, -48}) || s.Filled != 1 || s.Spacing != 7 || s.MaxError != 0 {
		t.Errorf("%+v", s.Field)
	}
	if i.CRS != c.CRS || !reflect.DeepEqual(i.GeoTransform, c.Geo) || !i.PixelIsPoint || i.VerticalUnit != "foot" {
		t.Errorf("%+v", i)
	}
	// What the caller says goes before what the file says.
	s, err = raster.Open(path, raster.Options{Voids: raster.VoidsFill, Spacing: 3, HeightUnit: 0.2})
	if err != nil || s.Spacing != 3 || s.Quantum != 0.2 || s.Samples[0] != -50 {
		t.Errorf("%+v, %v", s, err)
	}
	s, err = raster.Open(path, raster.Options{Range: &[2]float64{0, 65535}})
	if err != nil || s.Quantum != 1 || s.Samples[3] != 3 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestBadCalibration wants a PNG with a text that is damaged or makes no sense to be
// read as if it had none.
func TestBadCalibration(t *testing.T) {
	text := func(s string) []byte {
		body := "tEXt" + raster.CalibrationKeyword + "\x00" + s
		n, sum := len(body)-4, crc32.ChecksumIEEE([]byte(body))
		head := string([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
		return []byte(head + body + string([]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}))
	}
	for _, s := range []string{"", "{", `{"unit_m":0}`, `{"unit_m":-1}`, `{"unit_m":1,"least_units":99999999999}`, `{"unit_m":2,"spacing_m":-1}`, `[]`} {
		r, err := raster.Open(calibrated(t, text(s)), raster.Options{})
		if err != nil || r.Quantum != 1 || r.Samples[3] != 3 {
			t.Errorf("%q: %+v, %v", s, r, err)
		}
	}
	good := text(`{"unit_m":2}`)
	if r, err := raster.Open(calibrated(t, good), raster.Options{}); err != nil || r.Quantum != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	good[len(good)-1]++
	if _, err := raster.Open(calibrated(t, good), raster.Options{}); err == nil {
		t.Error("a wrong checksum is taken")
	}
}
