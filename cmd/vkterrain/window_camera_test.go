//go:build !nowindow

package main

import (
	"math"
	"testing"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// testCamera is over a slope that rises to the east.
func testCamera() (*camera, lodcpu.View) {
	w := &terrain.World{Width: 1001, Height: 1001, Spacing: 10, Quantum: 1, Min: 0, Max: 1000}
	c := newCamera(w, func(x, z float64) (float64, bool) { return x / 10, x >= 0 && x <= 10000 })
	v := lodcpu.View{FovY: 0.7, Width: 4, Height: 3, Tau: 1}
	v.Eye = [3]float64{5000, 900, 5000}
	return c, v
}

// TestCameraIgnoresFrames moves, then turns, with few frames and with many.
func TestCameraIgnoresFrames(t *testing.T) {
	end := func(n int) lodcpu.View {
		c, v := testCamera()
		c.top = lowest // the same speed at all heights
		for _, h := range []held{goForward | goRight, turnLeft | turnUp} {
			for range n {
				c.step(&v, &input{held: h}, 1/float64(n))
			}
			c.halt()
		}
		return v
	}
	few, many := end(2), end(500)
	if few.Eye[0] <= 5000 || few.Eye[2] >= 5000 || few.Yaw >= 0 || few.Pitch <= 0 {
		t.Errorf("moved to %+v", few)
	}
	if few.Eye.Sub(many.Eye).Len() > 1e-6 || math.Abs(few.Yaw-many.Yaw) > 1e-9 || math.Abs(few.Pitch-many.Pitch) > 1e-9 {
		t.Errorf("%+v in 2 steps, %+v in 500", few, many)
	}
}

func TestApproach(t *testing.T) {
	whole, halves := 3.0, 3.0
	a := approach(&whole, 10, 0.4)
	b := approach(&halves, 10, 0.2)
	b += approach(&halves, 10, 0.2)
	if math.Abs(a-b) > 1e-12 || math.Abs(whole-halves) > 1e-12 || a <= 3*0.4 || a >= 10*0.4 {
		t.Errorf("%g and %g on the way to %g and %g", a, b, whole, halves)
	}
	if approach(&whole, 0, 60); whole != 0 {
		t.Errorf("never stands still: %g", whole)
	}
}

// TestCameraStaysAboveGround flies into a slope, and down onto it.
func TestCameraStaysAboveGround(t *testing.T) {
	c, v := testCamera()
	v.Yaw, v.Pitch = math.Pi/2, -0.3
	in := &input{held: goForward | goDown | fast}
	for i := range 2000 {
		in.wheel = float64(i % 2)
		c.step(&v, in, 0.05)
		if y, ok := c.ground(v.Eye[0], v.Eye[2]); ok && v.Eye[1] < y+clearGround-1e-9 {
			t.Fatalf("%g m above the ground at %v", v.Eye[1]-y, v.Eye)
		}
	}
	if v.Eye[0] < 10000 {
		t.Errorf("it came to %v only", v.Eye)
	}
	if v.Eye[0] > c.hi[0] || v.Eye[1] < c.lo[1] {
		t.Errorf("it left the world's surroundings: %v", v.Eye)
	}
}

func TestCameraSpeed(t *testing.T) {
	c, v := testCamera()
	low, high := v.Eye, v.Eye
	low[1] = 510
	if a, b := c.speed(low, 0), c.speed(high, 0); a >= b || a <= 0 {
		t.Errorf("%g m/s near the ground, %g above", a, b)
	}
	if n, f, s := c.speed(high, 0), c.speed(high, fast), c.speed(high, slow); f != 5*n || s != n/5 {
		t.Errorf("%g m/s, %g fast, %g slow", n, f, s)
	}
	before := c.speed(high, 0)
	if c.step(&v, &input{wheel: 1}, 0); math.Abs(c.speed(high, 0)/before-1.25) > 1e-9 {
		t.Errorf("a notch makes %g of %g m/s", c.speed(high, 0), before)
	}
}

// TestCameraLooks wants the mouse to turn at once, and the pitch to end at the
// zenith.
func TestCameraLooks(t *testing.T) {
	c, v := testCamera()
	c.step(&v, &input{lookX: 100, lookY: -50}, 0.01)
	if v.Yaw <= 0 || v.Pitch <= 0 || v.Yaw != 2*v.Pitch {
		t.Errorf("turned to %g, %g", v.Yaw, v.Pitch)
	}
	c.step(&v, &input{lookY: -1e6, lookX: 1e6}, 0.01)
	if v.Pitch != math.Pi/2 || math.Abs(v.Yaw) > math.Pi {
		t.Errorf("turned to %g, %g", v.Yaw, v.Pitch)
	}
	if err := v.Check(); err != nil {
		t.Error(err)
	}
}

func TestInbox(t *testing.T) {
	b := newInbox()
	var in input
	for i := range 3 {
		b.change(func(in *input) {
			in.held |= goUp
			in.lookX += 2
			in.commands = append(in.commands, command(i), finer)
		})
		b.take(&in)
		if in.held != goUp || in.lookX != 2 || len(in.commands) != 2 || in.commands[0] != command(i) {
			t.Fatalf("took %+v", in)
		}
		b.take(&in)
		if in.held != goUp || in.lookX != 0 || len(in.commands) != 0 {
			t.Fatalf("took %+v the second time", in)
		}
	}
	b.publish(surroundings{width: 3, quit: true})
	b.publish(surroundings{width: 4})
	if got := b.look(); got.width != 4 || !got.quit {
		t.Errorf("published %+v", got)
	}
	select {
	case <-b.wake:
	default:
		t.Error("nobody was woken")
	}
}

func TestDeadZone(t *testing.T) {
	for v, want := range map[float64]float64{0: 0, 0.1: 0, -0.15: 0, 1: 1, -1: -1, 1.2: 1} {
		if got := deadZone(v); math.Abs(got-want) > 1e-12 {
			t.Errorf("%g at %g, want %g", got, v, want)
		}
	}
}

// TestCameraHolds: where a flight begins the eye stays, however far outside that is; and
// comes back to, but goes no farther.
func TestCameraHolds(t *testing.T) {
	c, v := testCamera()
	v.Eye[2] = 60000
	begin := v.Eye
	c.hold(v.Eye)
	c.step(&v, &input{}, 0.1)
	if v.Eye != begin {
		t.Errorf("begins at %v, is at %v", begin, v.Eye)
	}
	for range 100 {
		c.step(&v, &input{held: goBack}, 1)
	}
	if v.Eye[2] != begin[2] {
		t.Errorf("went back to %v", v.Eye)
	}
}
