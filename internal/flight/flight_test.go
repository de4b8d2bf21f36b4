package flight_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/flight"
	"github.com/vkterrain/vkterrain/lodcpu"
)

const path = `{"name": "test", "fov": 40, "keys": [
	{"t": 0, "eye": [0, 100, 0], "yaw": 350, "pitch": 0},
	{"t": 2, "eye": [100, 50, -200], "above": true, "yaw": 10, "pitch": -10},
	{"t": 3, "eye": [300, 100, -300], "yaw": 30, "pitch": -90, "fov": 60}
], "stills": [{"t": 1, "caption": "one"}]}`

func read(t *testing.T, text string) *flight.Path {
	t.Helper()
	p, err := flight.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// flat is ground of one height.
func flat(h float64) func(x, z float64) float64 { return func(float64, float64) float64 { return h } }

func TestAtKeys(t *testing.T) {
	p := read(t, path)
	p.Resolve(flat(20), 1)
	if p.Duration() != 3 || p.Stills[0].Caption != "one" {
		t.Errorf("got %g s and stills %v", p.Duration(), p.Stills)
	}
	for _, test := range []struct {
		t    float64
		want flight.Pose
	}{
		{-1, flight.Pose{Eye: mgl64.Vec3{0, 100, 0}, Yaw: 350, Fov: 40}},
		{0, flight.Pose{Eye: mgl64.Vec3{0, 100, 0}, Yaw: 350, Fov: 40}},
		{2, flight.Pose{Eye: mgl64.Vec3{100, 70, -200}, Yaw: 370, Pitch: -10, Fov: 40}},
		{3, flight.Pose{Eye: mgl64.Vec3{300, 100, -300}, Yaw: 390, Pitch: -90, Fov: 60}},
		{9, flight.Pose{Eye: mgl64.Vec3{300, 100, -300}, Yaw: 390, Pitch: -90, Fov: 60}},
	} {
		if got := p.At(test.t); got != test.want {
			t.Errorf("at %g s: got %v, want %v", test.t, got, test.want)
		}
	}
}

// TestSmooth wants no jump in position or speed.
func TestSmooth(t *testing.T) {
	p := read(t, path)
	p.Resolve(func(x, z float64) float64 { return 80 + 30*math.Sin(x/20) }, 25)
	const dt = 1e-3
	var before mgl64.Vec3
	for at := dt; at < 3; at += dt {
		v := p.At(at).Eye.Sub(p.At(at - dt).Eye).Mul(1 / dt)
		if at > dt && v.Sub(before).Len() > 60 {
			t.Fatalf("speed jumps from %v to %v at %g s", before, v, at)
		}
		before = v
	}
}

func TestClearance(t *testing.T) {
	ridge := func(x, z float64) float64 { return 400 * math.Exp(-(x-150)*(x-150)/2000) }
	p := read(t, path)
	p.Resolve(ridge, 10)
	for at := 0.0; at <= 3; at += 1.0 / 30 {
		if eye := p.At(at).Eye; eye[1] < ridge(eye[0], eye[2])+10-1e-6 {
			t.Fatalf("at %g s the eye is %g m above the ground", at, eye[1]-ridge(eye[0], eye[2]))
		}
	}
}

func TestWriteRead(t *testing.T) {
	p := read(t, path)
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	q := read(t, b.String())
	for at := 0.0; at < 3; at += 0.1 {
		if p.At(at) != q.At(at) {
			t.Fatalf("at %g s: %v, read back %v", at, p.At(at), q.At(at))
		}
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`{`, "not a flight"},
		{`{"keys": []}`, "no keys"},
		{`{"keys": [{"t": 1, "eye": [0,0,0]}]}`, "key 0 is at 1 s"},
		{`{"keys": [{"t": 0}, {"t": 0}]}`, "key 1 is not later"},
		{`{"keys": [{"t": 0, "pitch": 91}]}`, "pitch of 91"},
		{`{"keys": [{"t": 0, "fov": 0.5}]}`, "field of view of 0.5"},
		{`{"keys": [{"t": 0}], "colour": 1}`, "colour"},
	} {
		_, err := flight.Read(strings.NewReader(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want one line with %q", test.text, err, test.want)
		}
	}
}

func TestApply(t *testing.T) {
	var v lodcpu.View
	want := flight.Pose{Eye: mgl64.Vec3{1, 2, 3}, Yaw: 90, Pitch: -45, Fov: 60}
	want.Apply(&v)
	_, _, forward := v.Basis()
	if forward.Sub(mgl64.Vec3{math.Sqrt2 / 2, -math.Sqrt2 / 2, 0}).Len() > 1e-12 {
		t.Errorf("looks along %v", forward)
	}
	if got := flight.PoseOf(&v); got.Eye != want.Eye || math.Abs(got.Yaw-want.Yaw)+math.Abs(got.Pitch-want.Pitch)+math.Abs(got.Fov-want.Fov) > 1e-9 {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestOrbit(t *testing.T) {
	p := flight.Orbit("around", [3]float64{1000, 50, 2000}, 500, 300, 8)
	p.Resolve(flat(0), 10)
	for at := 0.0; at <= 8; at += 0.25 {
		var v lodcpu.View
		o := p.At(at)
		o.Apply(&v)
		_, _, forward := v.Basis()
		to := mgl64.Vec3{1000, 50, 2000}.Sub(o.Eye).Normalize()
		if d := forward.Dot(to); d < 0.995 {
			t.Errorf("at %g s the camera looks %g degrees past the point", at, math.Acos(d)*180/math.Pi)
		}
	}
}
