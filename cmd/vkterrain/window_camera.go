//go:build !nowindow

package main

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

const (
	ease        = 0.15                 // seconds in which most of a change of speed is done
	turnRate    = 60 * math.Pi / 180   // of keys and sticks, radians a second
	mouseRate   = 0.12 * math.Pi / 180 // radians a window unit
	clearGround = 2.0                  // metres between eye and ground
	lowest      = 20.0                 // metres of height that count at least for the speed
)

// camera moves an eye over a world. Motion depends on time, not on frames.
type camera struct {
	velocity mgl64.Vec3 // metres a second
	turning  [2]float64 // of yaw and pitch, radians a second
	gain     float64    // speed, as heights above the ground a second
	lo, hi   mgl64.Vec3 // where the eye may be
	top      float64    // height above the ground that counts at most for the speed

	// ground gives the height of the ground, where it is known.
	ground func(x, z float64) (float64, bool)
}

func newCamera(w *terrain.World, ground func(x, z float64) (float64, bool)) *camera {
	sx, sz := float64(w.Width-1)*w.Spacing, float64(w.Height-1)*w.Spacing
	low, high := float64(w.Min)*w.Quantum, float64(w.Max)*w.Quantum
	size := max(sx, sz)
	away := max(size, 3*(high-low)) // from where all of a tall world is in view
	if w.Endless {
		const high = 30000 // metres
		return &camera{
			gain: 0.5, ground: ground, top: high,
			lo: mgl64.Vec3{math.Inf(-1), low, math.Inf(-1)}, hi: mgl64.Vec3{math.Inf(1), high, math.Inf(1)},
		}
	}
	return &camera{
		gain: 0.5, ground: ground, top: size / 2,
		lo: mgl64.Vec3{w.OriginX - away, low - 0.1*size, w.OriginZ - away},
		hi: mgl64.Vec3{w.OriginX + sx + away, high + 3*size, w.OriginZ + sz + away},
	}
}

// hold lets the eye be at a place, where it begins, and up to there.
func (c *camera) hold(eye mgl64.Vec3) {
	for i, at := range eye {
		c.lo[i], c.hi[i] = min(c.lo[i], at), max(c.hi[i], at)
	}
}

// speed returns metres a second at the eye: the higher, the faster.
func (c *camera) speed(eye mgl64.Vec3, h held) float64 {
	height := eye[1] - c.lo[1]
	if y, ok := c.ground(eye[0], eye[2]); ok {
		height = eye[1] - y
	}
	s := c.gain * min(max(height, lowest), c.top)
	if h&fast != 0 {
		s *= 5
	}
	if h&slow != 0 {
		s /= 5
	}
	return s
}

// step moves v by dt seconds of in.
func (c *camera) step(v *lodcpu.View, in *input, dt float64) {
	c.gain = min(max(c.gain*math.Pow(1.25, in.wheel), 0.005), 20)

	axis := func(plus, minus held) float64 {
		a := 0.0
		if in.held&plus != 0 {
			a++
		}
		if in.held&minus != 0 {
			a--
		}
		return a
	}
	rate := turnRate * min(1, v.FovY)
	yaw := approach(&c.turning[0], rate*(axis(turnRight, turnLeft)+in.turn[0]), dt)
	pitch := approach(&c.turning[1], rate*(axis(turnUp, turnDown)+in.turn[1]), dt)
	v.Yaw = math.Remainder(v.Yaw+yaw+mouseRate*in.lookX*min(1, v.FovY), 2*math.Pi)
	v.Pitch = min(max(v.Pitch+pitch-mouseRate*in.lookY*min(1, v.FovY), -math.Pi/2), math.Pi/2)

	right, _, forward := v.Basis()
	want := right.Mul(axis(goRight, goLeft) + in.move[0]).
		Add(mgl64.Vec3{0, axis(goUp, goDown) + in.move[1], 0}).
		Add(forward.Mul(axis(goForward, goBack) + in.move[2]))
	if n := want.Len(); n > 1 {
		want = want.Mul(1 / n)
	}
	want = want.Mul(c.speed(v.Eye, in.held))
	for i := range v.Eye {
		v.Eye[i] += approach(&c.velocity[i], want[i], dt)
		v.Eye[i] = min(max(v.Eye[i], c.lo[i]), c.hi[i])
	}
	c.land(v)
}

// land keeps the eye above the ground.
func (c *camera) land(v *lodcpu.View) {
	y, ok := c.ground(v.Eye[0], v.Eye[2])
	if !ok || v.Eye[1] >= y+clearGround {
		return
	}
	v.Eye[1] = y + clearGround
	c.velocity[1] = max(c.velocity[1], 0)
}

// halt stops all motion at once.
func (c *camera) halt() { c.velocity, c.turning = mgl64.Vec3{}, [2]float64{} }

// approach moves a rate towards want over dt seconds and returns the way that
// is covered meanwhile. Two half steps are one whole.
func approach(rate *float64, want, dt float64) float64 {
	left := math.Exp(-dt / ease)
	way := want*dt + (*rate-want)*ease*(1-left)
	*rate = want + (*rate-want)*left
	if *rate != want && math.Abs(*rate-want) < 1e-4 {
		*rate = want
	}
	return way
}
