package vkterrain

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/lodcpu"
)

// TestMotion flies at 200 m/s and turns through north, leaps, and rests.
func TestMotion(t *testing.T) {
	var o motion
	at := time.Unix(100, 0)
	v := lodcpu.View{Yaw: 2*math.Pi - 0.5}
	for range 120 {
		at = at.Add(time.Second / 60)
		v.Eye[0] += 200.0 / 60
		v.Yaw = math.Mod(v.Yaw+0.5/60, 2*math.Pi)
		o.watch(&v, at)
	}
	if math.Abs(o.velocity[0]-200) > 1 || math.Abs(o.turn-0.5) > 0.01 {
		t.Errorf("%v m/s, %v rad/s", o.velocity, o.turn)
	}
	v.Eye[2] = 1e6
	if o.watch(&v, at.Add(time.Second/60)); o.velocity != (mgl64.Vec3{}) {
		t.Errorf("%v m/s after a leap", o.velocity)
	}
	o.watch(&v, at.Add(time.Second/60)) // no time has passed
	if o.watch(&v, at.Add(time.Minute)); o.velocity != (mgl64.Vec3{}) || o.turn != 0 {
		t.Errorf("%v m/s, %v rad/s at rest", o.velocity, o.turn)
	}
}
