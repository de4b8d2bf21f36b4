package raster_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/terrain/raster"
)

// surface writes w×h samples of a function of position in metres, 10 m apart.
func surface(t *testing.T, w, h int, at func(x, z float64) float64) string {
	var b []byte
	for z := range h {
		for x := range w {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(at(10*float64(x), 10*float64(z))))
		}
	}
	return write(t, "a.raw", b)
}

// heightsOf reads all of a raster, the last rows first.
func heightsOf(t *testing.T, r *raster.Reader) []float64 {
	t.Helper()
	w := r.Info.Width
	all := make([]float64, w*r.Info.Height)
	for y := r.Info.Height - 1; y >= 0; y-- {
		row := all[y*w : (y+1)*w]
		if err := r.ReadRows(y, row); err != nil {
			t.Fatal(err)
		}
		for k, v := range row {
			row[k] = r.Info.Offset + r.Info.Unit*v
		}
	}
	return all
}

// TestResample: smooth land keeps its shape at any spacing; a top between samples is no higher than they are.
func TestResample(t *testing.T) {
	hill := func(x, z float64) float64 {
		return 300*math.Exp(-((x-300)*(x-300)+(z-200)*(z-200))/40000) + x/7 - z/5
	}
	path := surface(t, 61, 41, hill)
	for _, c := range []struct {
		spacing float64
		w, h    int
		most    float64 // metres off
	}{
		{10, 61, 41, 0}, {5, 121, 81, 0.16}, {3, 201, 134, 0.16}, {12.5, 49, 33, 0.5}, {20, 31, 21, 1.5}, {35, 18, 12, 4}, {400, 2, 2, 200}, {600, 2, 1, 300},
	} {
		r := openReader(t, path, raster.Options{Raw: "61x41,f64le", Spacing: 10, Resample: c.spacing})
		if r.Info.Width != c.w || r.Info.Height != c.h || r.Info.Spacing != c.spacing {
			t.Errorf("%v m: %+v, want %d×%d", c.spacing, r.Info, c.w, c.h)
			continue
		}
		worst := 0.0
		for k, v := range heightsOf(t, r) {
			x, z := c.spacing*float64(k%c.w), c.spacing*float64(k/c.w)
			worst = max(worst, math.Abs(v-hill(x, z)))
		}
		if !(worst <= c.most) {
			t.Errorf("%v m: %v m off, at most %v wanted", c.spacing, worst, c.most)
		}
	}
}

// TestResampleClamps: no result leaves the range of the samples that it is made of,
// beside cliffs or in noise, nor that of the whole source.
func TestResampleClamps(t *testing.T) {
	const w, h = 40, 30
	rng := rand.New(rand.NewPCG(1, 2))
	noise := make([]float64, w*h)
	for k := range noise {
		noise[k] = math.Floor(rng.Float64() * 3)
		noise[k] *= noise[k] * 250
	}
	path := surface(t, w, h, func(x, z float64) float64 { return noise[int(z/10)*w+int(x/10)] })
	for _, spacing := range []float64{3, 10.5, 17, 40} {
		r := openReader(t, path, raster.Options{Raw: "40x30,f64le", Spacing: 10, Resample: spacing})
		clamped := 0
		for k, v := range heightsOf(t, r) {
			x, z := spacing/10*float64(k%r.Info.Width), spacing/10*float64(k/r.Info.Width)
			reach := 2 * max(1, spacing/10)
			lo, hi := math.Inf(1), math.Inf(-1)
			// Past the rim lies what is on this side of it.
			for j := max(0, int(math.Ceil(z-reach))); j < h && float64(j) <= z+reach; j++ {
				for i := max(0, int(math.Ceil(x-reach))); i < w && float64(i) <= x+reach; i++ {
					lo, hi = min(lo, noise[j*w+i]), max(hi, noise[j*w+i])
				}
			}
			if !(v >= lo && v <= hi) {
				t.Fatalf("%v m: sample %v,%v is %v, of samples from %v to %v", spacing, x, z, v, lo, hi)
			}
			if v == lo || v == hi {
				clamped++
			}
		}
		if spacing == 3 && clamped < 100 {
			t.Errorf("%v m: %d results are an extreme sample", spacing, clamped)
		}
	}
	before := openReader(t, shared.Path(t, "data/dted/n43.dt0"), raster.Options{})
	after := openReader(t, shared.Path(t, "data/dted/n43.dt0"), raster.Options{Resample: 500})
	was, err := before.Stats()
	if err != nil {
		t.Fatal(err)
	}
	if is, err := after.Stats(); err != nil || is.Min < was.Min || is.Max > was.Max {
		t.Errorf("%+v, %v of %+v", is, err, was)
	}
}

// TestResamplePlane: a slope stays one, at its rims too.
func TestResamplePlane(t *testing.T) {
	slope := func(x, z float64) float64 { return 100 + x/3 - z/2 }
	path := surface(t, 50, 33, slope)
	for _, spacing := range []float64{1.7, 5, 7.3, 10.5, 20, 30} {
		r := openReader(t, path, raster.Options{Raw: "50x33,f64le", Spacing: 10, Resample: spacing})
		for k, v := range heightsOf(t, r) {
			x, z := spacing*float64(k%r.Info.Width), spacing*float64(k/r.Info.Width)
			if most := 0.02 * spacing; !(math.Abs(v-slope(x, z)) <= most) {
				t.Fatalf("%v m: sample %v,%v is %v, want %v", spacing, x, z, v, slope(x, z))
			}
		}
	}
}

// TestResampleAliases: what is too fine for the new spacing goes, and does not
// come back as waves.
func TestResampleAliases(t *testing.T) {
	path := surface(t, 201, 201, func(x, z float64) float64 { return 50 * math.Cos(math.Pi/10*x) * math.Cos(math.Pi/10*z) })
	r := openReader(t, path, raster.Options{Raw: "201x201,f64le", Spacing: 10, Resample: 42})
	w := r.Info.Width
	for k, v := range heightsOf(t, r) {
		if x, z := k%w, k/w; x > 2 && z > 2 && x < w-3 && z < w-3 && !(math.Abs(v) <= 1) {
			t.Fatalf("sample %d,%d is %v", x, z, v)
		}
	}
}

// TestResampleVoids: voids stay where they are, and no other height has any part
// of them.
func TestResampleVoids(t *testing.T) {
	hole := func(x, z float64) bool { return x > 150 && x < 300 && z > 100 && z < 250 }
	path := surface(t, 60, 40, func(x, z float64) float64 {
		if hole(x, z) {
			return math.NaN()
		}
		return 100 + x
	})
	for _, spacing := range []float64{3, 10.1, 25} {
		r := openReader(t, path, raster.Options{Raw: "60x40,f64le", Spacing: 10, Resample: spacing})
		for k, v := range heightsOf(t, r) {
			x, z := spacing*float64(k%r.Info.Width), spacing*float64(k/r.Info.Width)
			rim := max(spacing, 10)
			inside := hole(x-rim, z-rim) && hole(x+rim, z+rim)
			outside := !hole(x-2*rim, z-2*rim) && !hole(x+2*rim, z+2*rim) && !hole(x-2*rim, z+2*rim) && !hole(x+2*rim, z-2*rim) && !hole(x, z) && !hole(x, z-2*rim) && !hole(x, z+2*rim) && !hole(x-2*rim, z) && !hole(x+2*rim, z)
			if inside && v == v || outside && v != v || v == v && math.Abs(v-100-x) > rim {
				t.Fatalf("%v m: sample %v,%v is %v", spacing, x, z, v)
			}
		}
	}
}

// TestResampleVoidRim: half the weight is enough for a height, less is not.
func TestResampleVoidRim(t *testing.T) {
	path := surface(t, 8, 4, func(x, z float64) float64 {
		if x >= 40 {
			return math.NaN()
		}
		return 7
	})
	for _, c := range []struct {
		spacing float64
		valid   int // samples of a row
	}{{5, 8}, {2.5, 15}, {10.000001, 4}} {
		r := openReader(t, path, raster.Options{Raw: "8x4,f64le", Spacing: 10, Resample: c.spacing})
		for k, v := range heightsOf(t, r) {
			if x := k % r.Info.Width; x < c.valid && !(math.Abs(v-7) <= 1e-9) || x >= c.valid && v == v {
				t.Fatalf("%v m: sample %d of a row is %v, %d are valid", c.spacing, x, v, c.valid)
			}
		}
	}
}

// TestResampleDegrees: samples farther apart in one direction become squares, and
// the raster stays where it is.
func TestResampleDegrees(t *testing.T) {
	before := openReader(t, shared.Path(t, "data/hgt/N44W072.hgt"), raster.Options{})
	r := openReader(t, shared.Path(t, "data/hgt/N44W072.hgt"), raster.Options{Resample: 90})
	a, b := *before.Info.GeoTransform, *r.Info.GeoTransform
	if r.Info.Spacing != 90 || r.Info.Width != 884 || r.Info.Height != 1235 || r.Info.CRS != "EPSG:4326" {
		t.Errorf("%+v", r.Info)
	}
	if x, z := a[0]+a[1]/2-b[0]-b[1]/2, a[3]+a[5]/2-b[3]-b[5]/2; math.Abs(x) > 1e-9 || math.Abs(z) > 1e-9 {
		t.Errorf("the north-west sample moves by %v, %v", x, z)
	}
	if east := b[0] + b[1]*883.5; east > -71+1e-9 || east < -71.0012 {
		t.Errorf("the last column lies at %v", east)
	}
	if len(r.Info.Warnings) != 1 {
		t.Errorf("warnings %q", r.Info.Warnings)
	}
	warned(t, &r.Info, "become 884×1235 that are 90 m apart")
	was, err := before.Stats()
	if err != nil {
		t.Fatal(err)
	}
	is, err := r.Stats()
	if err != nil || is.Voids != was.Voids || math.Abs(is.Mean-was.Mean) > 1 || math.Abs(is.Max-was.Max) > 30 {
		t.Errorf("%+v, was %+v, %v", is, was, err)
	}
	p, err := r.Plan()
	if err != nil || p.Grid().Spacing != 90 || *p.Grid().Geo.Transform != b {
		t.Errorf("%+v, %v", p, err)
	}
	same := openReader(t, shared.Path(t, "data/hgt/N44W072.hgt"), raster.Options{Spacing: 30, Resample: 30})
	if same.Info.Width != 1201 || !same.Info.Integer || same.Info.Spacing != 30 {
		t.Errorf("%+v", same.Info)
	}
}

func TestResampleRefused(t *testing.T) {
	png := write(t, "a.png", encode(t, ramp(4, 4)))
	_, err := raster.OpenReader(t.Context(), png, raster.Options{Resample: 3})
	refused(t, err, "--resample needs --spacing too")
	_, err = raster.OpenReader(t.Context(), png, raster.Options{Spacing: 1000, Resample: 1e-6})
	refused(t, err, "more than 1048576 on a side")
	if _, err = raster.OpenReader(t.Context(), png, raster.Options{Spacing: 1, Resample: -3}); err == nil {
		t.Error("-3 m is accepted")
	}
}

// TestResampleCalibrated: the spacing that a PNG says is that of its samples.
func TestResampleCalibrated(t *testing.T) {
	chunk, err := (&raster.Calibration{Unit: 1, Spacing: 6}).AppendPNG(nil)
	if err != nil {
		t.Fatal(err)
	}
	path := calibrated(t, chunk)
	r := openReader(t, path, raster.Options{Resample: 2})
	if want := []float64{0, 1. / 3, 2. / 3, 1}; r.Info.Width != 4 || !(math.Abs(heightsOf(t, r)[1]-want[1]) <= 0.05) {
		t.Errorf("%+v: %v", r.Info, heightsOf(t, r))
	}
}

// TestResampleMosaic: the seams of tiles do not show.
func TestResampleMosaic(t *testing.T) {
	dir := tree(t, map[string][]byte{"a_0_0.png": cut(t, 0, 0, 20, 9), "a_1_0.png": cut(t, 19, 0, 20, 9)})
	one := write(t, "one.png", cut(t, 0, 0, 39, 9))
	o := raster.Options{Spacing: 10, Resample: 7}
	a, b := heightsOf(t, openReader(t, dir, o)), heightsOf(t, openReader(t, one, o))
	for k, v := range b {
		if v != a[k] {
			t.Fatalf("sample %d is %v, want %v", k, a[k], v)
		}
	}
}
