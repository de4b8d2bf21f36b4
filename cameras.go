package vkterrain

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/streaming"
)

// motion follows how a view moves, for strategies that look ahead.
type motion struct {
	last     lodcpu.View
	at       time.Time
	velocity mgl64.Vec3 // metres a second, smoothed
	turn     float64    // radians a second, smoothed
}

// A view that moves faster than fastest, in metres a second, leaps; one that was not seen
// for longer than pause begins anew.
const (
	fastest = 20000
	pause   = time.Second
)

// watch takes a view at a time.
func (o *motion) watch(v *lodcpu.View, now time.Time) {
	seconds := now.Sub(o.at).Seconds()
	moved, turned := v.Eye.Sub(o.last.Eye), math.Remainder(v.Yaw-o.last.Yaw, 2*math.Pi)
	switch {
	case o.at.IsZero() || seconds > pause.Seconds() || moved.Len() > fastest*max(seconds, 0.001):
		o.velocity, o.turn = mgl64.Vec3{}, 0
	case seconds > 0:
		part := min(1, 5*seconds) // what is older than a fifth of a second is nearly forgotten
		o.velocity = o.velocity.Mul(1 - part).Add(moved.Mul(part / seconds))
		o.turn += (turned/seconds - o.turn) * part
	}
	o.last, o.at = *v, now
}

// Streaming is what decides which levels are loaded, for its strategies, for levels by
// hand, and for tracing. It belongs to the goroutine that calls Prepare, which calls
// its methods of a frame itself.
func (t *Terrain) Streaming() *streaming.Manager { return t.stream }

// SetStrategyData changes what the streaming strategy is told from the next Prepare on.
func (t *Terrain) SetStrategyData(data any) { t.strategyData = data }
