package main

import (
	"bytes"
	"math"
	"testing"

	"github.com/vkterrain/vkterrain/internal/flight"
	"github.com/vkterrain/vkterrain/lodcpu"
)

// TestRecorder: what is recorded flies as it was flown, through north by south too.
func TestRecorder(t *testing.T) {
	at := func(sec float64) *lodcpu.View {
		v := &lodcpu.View{FovY: 1, Yaw: math.Remainder(3+0.5*sec, 2*math.Pi), Pitch: 0.2 * math.Sin(sec)}
		v.Eye = [3]float64{100 * sec, 500 + 30*math.Sin(2*sec), -40 * sec * sec}
		return v
	}
	r := &recorder{}
	const dt = 1.0 / 64
	for i := range 200 {
		r.add(at(float64(i)*dt), dt)
	}
	if n := len(r.keys); n < 25 || n > 32 {
		t.Errorf("%d keys", n)
	}
	var b bytes.Buffer
	if err := r.path("test").Write(&b); err != nil {
		t.Fatal(err)
	}
	p, err := flight.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if d := p.Duration(); math.Abs(d-199*dt) > 1e-9 {
		t.Errorf("%v s, want %v", d, 199*dt)
	}
	for sec := 0.0; sec < 3.1; sec += 0.013 {
		want, got := at(sec), &lodcpu.View{}
		p.At(sec).Apply(got)
		if off := want.Eye.Sub(got.Eye).Len(); off > 0.1 || math.Abs(math.Remainder(want.Yaw-got.Yaw, 2*math.Pi)) > 1e-3 || math.Abs(want.Pitch-got.Pitch) > 1e-3 {
			t.Errorf("at %.3f s %.3f m off, yaw %v want %v", sec, off, got.Yaw, want.Yaw)
			break
		}
	}
	if (&recorder{}).path("none") != nil {
		t.Error("a flight of nothing")
	}
	(*recorder)(nil).add(at(0), dt)
	for _, name := range []string{"coast", "islet"} {
		if _, err := recordedFlight(name); err != nil {
			t.Error(err)
		}
	}
	if _, err := recordedFlight("../coast"); err == nil {
		t.Error("a path became a built-in flight")
	}
}
