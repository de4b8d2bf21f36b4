package main

import (
	"bytes"
	"image"
	"image/color"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
)

// TestMix freezes the hash: a picture is known by its seed. The numbers come
// from another implementation of the same formula.
func TestMix(t *testing.T) {
	for _, test := range []struct {
		seed int64
		x, y int32
		want uint64
	}{
		{1, 0, 0, 0xe220a8397b1dcdaf},
		{1, 3, 2, 0x2289c537c8cca08},
		{-7, 0, 5, 0x419ea72637ea36b3},
	} {
		if got := mix(test.seed, terrain.Key{X: test.x, Y: test.y}); got != test.want {
			t.Errorf("seed %d, tile %d,%d: %#x, want %#x", test.seed, test.x, test.y, got, test.want)
		}
	}
}

// TestSunFlag reads hours and angles.
func TestSunFlag(t *testing.T) {
	for text, want := range map[string]mgl64.Vec3{
		"12": pipeline.SunAt(12), "17.5": pipeline.SunAt(17.5), "90,0": {1, 0, 0}, "180,90": {0, 1, 0}, "-90,0": {-1, 0, 0},
	} {
		var s sunFlag
		if err := s.UnmarshalText([]byte(text)); err != nil || s.towards.Sub(want).Len() > 1e-9 {
			t.Errorf("%q: %v, %v, want %v", text, s.towards, err, want)
		}
	}
	for _, text := range []string{"", "25", "-1", "nan", "noon", "10,", "10,91", "400,3", "1,2,3"} {
		if new(sunFlag).UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// TestTimeOfDay turns the hour by keys, past midnight too.
func TestTimeOfDay(t *testing.T) {
	var s *sunFlag
	if s.time() != nil {
		t.Error("an hour though there is no sun")
	}
	s = new(sunFlag)
	if err := s.UnmarshalText([]byte("23.75")); err != nil || s.time() == nil {
		t.Fatalf("hour %v, %v", s.time(), err)
	}
	if h := turnHour(s.time(), true); *h != 0 {
		t.Errorf("a step after 23.75 is %g", *h)
	}
	if h := turnHour(turnHour(s.time(), true), false); *h != 23.75 {
		t.Errorf("a step before midnight is %g", *h)
	}
	if h := turnHour(nil, false); *h != 12 {
		t.Errorf("the first step goes to %g", *h)
	}
	if got := clock(18.5) + clock(23.999); got != "TIME OF DAY 18:30TIME OF DAY 0:00" {
		t.Error(got)
	}
	if err := s.UnmarshalText([]byte("90,10")); err != nil || s.time() != nil {
		t.Errorf("angles have the hour %v, %v", s.time(), err)
	}
}

func TestShrink(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 6, 4))
	for i := range 24 {
		img.SetRGBA(i%6, i/6, color.RGBA{uint8(10 * (i % 6 / 2)), 0, 255, 255})
	}
	// Black and white in equal parts are half the light, not half the number.
	for i := range 4 {
		v := uint8(255 * ((i + i/2) % 2))
		img.SetRGBA(4+i%2, 2+i/2, color.RGBA{v, v, v, 255})
	}
	got := shrink(img, 3, 2)
	for at, want := range map[image.Point]color.RGBA{
		{0, 0}: {0, 0, 255, 255}, {1, 0}: {10, 0, 255, 255}, {2, 0}: {20, 0, 255, 255}, {1, 1}: {10, 0, 255, 255},
		{2, 1}: {188, 188, 188, 255},
	} {
		if c := got.RGBAAt(at.X, at.Y); c != want {
			t.Errorf("pixel %v is %v, want %v", at, c, want)
		}
	}
}

func TestPNGText(t *testing.T) {
	data, err := encodePNG(image.NewRGBA(image.Rect(0, 0, 2, 2)), 0, text{"a", "first"}, text{cameraKeyword, `{"eye": [1,2,3]}`})
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := pngText(bytes.NewReader(data), cameraKeyword); !ok || got != `{"eye": [1,2,3]}` {
		t.Errorf("got %q, %v", got, ok)
	}
	if _, ok := pngText(bytes.NewReader(data), "b"); ok {
		t.Error("found what is not there")
	}
	for n := range data {
		pngText(bytes.NewReader(data[:n]), cameraKeyword) // must not panic
	}
}

// TestFlights reads the flight of every built-in world.
func TestFlights(t *testing.T) {
	for name, o := range builtIns {
		p, err := builtInFlight(name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if n := len(p.Stills); n < 5 || n > 9 {
			t.Errorf("%s has %d stills", name, n)
		}
		side := float64(o.Width-1) * o.Spacing
		for at := 0.0; at <= p.Duration(); at += 0.1 {
			if eye := p.At(at).Eye; eye[0] < 0 || eye[2] < 0 || eye[0] > side || eye[2] > side {
				t.Errorf("%s leaves its world at %.1f s: %v", name, at, eye)
			}
		}
	}
}

func TestGlyphs(t *testing.T) {
	for r, g := range glyphs {
		for _, row := range g {
			if row >= 1<<glyphWidth {
				t.Errorf("%q is wider than its cell", r)
			}
		}
	}
	for _, r := range "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:-+=/%()'_×?" {
		if _, ok := glyphs[r]; !ok {
			t.Errorf("no %q", r)
		}
	}
}
