package vktest

import (
	"errors"
	"flag"
	"image"
	"image/draw"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var update = flag.Bool("update", false, "write golden pictures instead of comparing with them")

// Tolerance is how far a picture may be from its golden one, in steps of 0 to
// 255 of the channel that differs most, per pixel.
type Tolerance struct {
	Mean float64 // over all pixels
	P99  int     // of 99 pixels in 100
}

// DefaultTolerance forgives rounding and a few rim pixels.
var DefaultTolerance = Tolerance{Mean: 0.5, P99: 4}

// Golden compares img with the PNG at path (below testdata/golden), and writes
// it with -update. On failure the picture and the difference, four times
// amplified, are kept in t.ArtifactDir.
func Golden(t *testing.T, img *image.RGBA, path string) {
	t.Helper()
	GoldenTolerance(t, img, path, DefaultTolerance)
}

// GoldenTolerance is Golden with a tolerance of the test's own.
func GoldenTolerance(t *testing.T, img *image.RGBA, path string, tol Tolerance) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := writePNG(path, img); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := readPNG(path)
	if errors.Is(err, fs.ErrNotExist) {
		keep(t, path, "actual", img)
		t.Errorf("no golden picture %s; write it with -update", path)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if want.Bounds() != img.Bounds() {
		keep(t, path, "actual", img)
		t.Errorf("%s is %v, the picture %v", path, want.Bounds(), img.Bounds())
		return
	}
	mean, p99, diff := Compare(img, want)
	if mean > tol.Mean || p99 > tol.P99 {
		keep(t, path, "actual", img)
		keep(t, path, "difference", diff)
		t.Errorf("%s: mean difference %.3f (at most %.3f), 99th percentile %d (at most %d)", path, mean, tol.Mean, p99, tol.P99)
	}
}

// Compare measures the difference of two pictures of one size, and draws it
// four times amplified.
func Compare(a, b *image.RGBA) (mean float64, p99 int, diff *image.RGBA) {
	diff = image.NewRGBA(a.Bounds())
	var worst []int
	sum := 0
	for i := 0; i+3 < len(a.Pix); i += 4 {
		d := 0
		for c := range 4 {
			e := int(a.Pix[i+c]) - int(b.Pix[i+c])
			d = max(d, e, -e)
			if c < 3 {
				diff.Pix[i+c] = uint8(min(255, 4*max(e, -e)))
			}
		}
		diff.Pix[i+3] = 255
		sum += d
		worst = append(worst, d)
	}
	if len(worst) == 0 {
		return 0, 0, diff
	}
	slices.Sort(worst)
	return float64(sum) / float64(len(worst)), worst[min(len(worst)-1, len(worst)*99/100)], diff
}

func keep(t *testing.T, path, what string, img image.Image) {
	t.Helper()
	base := filepath.Base(path)
	out := filepath.Join(t.ArtifactDir(), base[:len(base)-len(filepath.Ext(base))]+"-"+what+".png")
	if err := writePNG(out, img); err != nil {
		t.Error(err)
		return
	}
	t.Logf("kept %s (go test -artifacts keeps it after the run)", out)
}

func writePNG(path string, img image.Image) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if r, ok := img.(*image.RGBA); ok {
		// Alpha is data here: keep the encoder from dividing by it.
		img = &image.NRGBA{Pix: r.Pix, Stride: r.Stride, Rect: r.Rect}
	}
	return errors.Join(png.Encode(f, img), f.Close())
}

func readPNG(path string) (*image.RGBA, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		return nil, err
	}
	// The pictures may have alpha that is not premultiplied; so has ours.
	if n, ok := img.(*image.NRGBA); ok {
		return &image.RGBA{Pix: n.Pix, Stride: n.Stride, Rect: n.Rect}, nil
	}
	out := image.NewRGBA(img.Bounds())
	draw.Draw(out, out.Bounds(), img, img.Bounds().Min, draw.Src)
	return out, nil
}
