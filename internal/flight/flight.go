// Package flight moves a camera along a recorded path.
//
// A path is a JSON file of poses with their times, in seconds from the first:
//
//	{
//	  "name": "along the coast",
//	  "fov": 50,
//	  "keys": [
//	    {"t": 0, "eye": [1000, 400, -200], "yaw": 90, "pitch": -5},
//	    {"t": 4, "eye": [3000, 80, -900], "above": true, "yaw": 120, "pitch": -12, "fov": 40}
//	  ],
//	  "stills": [{"t": 1.5, "caption": "the bay"}]
//	}
//
// Angles are degrees as the command line takes them: yaw 0 looks north and
// positive turns east, pitch positive looks up, fov is vertical. Metres are
// those of the world, Y up; "above" counts the height of the eye from the
// ground instead. Between keys the camera follows a cubic spline through them
// (Catmull-Rom with the times as knots), and turns the short way round.
package flight

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/lodcpu"
)

// DefaultFov is the vertical field of view where a path names none, degrees.
const DefaultFov = 50

// Key is a pose at a time. Angles are degrees.
type Key struct {
	T     float64    `json:"t"` // seconds
	Eye   mgl64.Vec3 `json:"eye"`
	Above bool       `json:"above,omitempty"` // Eye[1] counts from the ground
	Yaw   float64    `json:"yaw"`
	Pitch float64    `json:"pitch"`
	Fov   float64    `json:"fov,omitempty"` // 0: that of the path
}

// Still is a moment worth a picture.
type Still struct {
	T       float64 `json:"t"`
	Caption string  `json:"caption,omitempty"`
}

// Path is a recorded flight. Read and [Path.Resolve] make it ready for At.
type Path struct {
	Name   string  `json:"name"`
	Fov    float64 `json:"fov,omitempty"`
	Keys   []Key   `json:"keys"`
	Stills []Still `json:"stills,omitempty"`

	lift []float64 // metres to add to the eye's height, each 1/liftRate seconds
}

// Read reads a path. Its errors are one line.
func Read(r io.Reader) (*Path, error) {
	data, err := io.ReadAll(io.LimitReader(r, 1<<24))
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	p := &Path{}
	if err := d.Decode(p); err != nil {
		return nil, fmt.Errorf("not a flight: %w", err)
	}
	return p, p.prepare()
}

// prepare checks a path and makes its angles continuous.
func (p *Path) prepare() error {
	if len(p.Keys) == 0 {
		return errors.New("not a flight: no keys")
	}
	if p.Fov == 0 {
		p.Fov = DefaultFov
	}
	for i := range p.Keys {
		k := &p.Keys[i]
		if k.Fov == 0 {
			k.Fov = p.Fov
		}
		for _, v := range []float64{k.T, k.Eye[0], k.Eye[1], k.Eye[2], k.Yaw, k.Pitch} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("key %d is not finite", i)
			}
		}
		switch {
		case !(k.Fov >= 1 && k.Fov <= 150):
			return fmt.Errorf("key %d: field of view of %g degrees", i, k.Fov)
		case math.Abs(k.Pitch) > 90:
			return fmt.Errorf("key %d: pitch of %g degrees", i, k.Pitch)
		case i == 0 && k.T != 0:
			return fmt.Errorf("key 0 is at %g s, not 0", k.T)
		case i > 0 && k.T <= p.Keys[i-1].T:
			return fmt.Errorf("key %d is not later than the one before it", i)
		case i > 0:
			before := p.Keys[i-1].Yaw
			k.Yaw = before + math.Remainder(k.Yaw-before, 360)
		}
	}
	return nil
}

// Write writes p as Read reads it.
func (p *Path) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(p)
}

// Duration is the time of the last key in seconds.
func (p *Path) Duration() float64 { return p.Keys[len(p.Keys)-1].T }

// Pose is where the camera is. Angles are degrees.
type Pose struct {
	Eye             mgl64.Vec3
	Yaw, Pitch, Fov float64
}

// Apply puts the camera of v there.
func (o Pose) Apply(v *lodcpu.View) {
	const rad = math.Pi / 180
	v.Eye, v.Yaw, v.Pitch, v.FovY = o.Eye, o.Yaw*rad, o.Pitch*rad, o.Fov*rad
}

// PoseOf returns the pose of a view.
func PoseOf(v *lodcpu.View) Pose {
	const deg = 180 / math.Pi
	return Pose{v.Eye, v.Yaw * deg, v.Pitch * deg, v.FovY * deg}
}

// At returns the pose at t seconds; before the first and after the last key the
// camera stands still.
func (p *Path) At(t float64) Pose {
	o := p.spline(t)
	o.Pitch = max(-90, min(90, o.Pitch))
	o.Eye[1] += p.liftAt(t)
	return o
}

func (k *Key) channels() [6]float64 {
	return [6]float64{k.Eye[0], k.Eye[1], k.Eye[2], k.Yaw, k.Pitch, k.Fov}
}

func (p *Path) spline(t float64) Pose {
	n := len(p.Keys)
	i, _ := slices.BinarySearchFunc(p.Keys, t, func(k Key, t float64) int {
		if k.T <= t {
			return -1
		}
		return 1
	})
	var c [6]float64
	switch {
	case i == 0:
		c = p.Keys[0].channels()
	case i == n:
		c = p.Keys[n-1].channels()
	default:
		a, b := &p.Keys[i-1], &p.Keys[i]
		u, h := (t-a.T)/(b.T-a.T), b.T-a.T
		va, vb := a.channels(), b.channels()
		ta, tb := p.tangent(i-1), p.tangent(i)
		u2, u3 := u*u, u*u*u
		for j := range c {
			c[j] = (2*u3-3*u2+1)*va[j] + (u3-2*u2+u)*h*ta[j] + (3*u2-2*u3)*vb[j] + (u3-u2)*h*tb[j]
		}
	}
	return Pose{mgl64.Vec3{c[0], c[1], c[2]}, c[3], c[4], c[5]}
}

// tangent returns the change a second at key i. The camera starts and ends at
// the speed of the outermost segments.
func (p *Path) tangent(i int) (c [6]float64) {
	lo, hi := max(0, i-1), min(len(p.Keys)-1, i+1)
	a, k, b := &p.Keys[lo], &p.Keys[i], &p.Keys[hi]
	va, vk, vb := a.channels(), k.channels(), b.channels()
	for j := range c {
		switch {
		case lo == i:
			c[j] = (vb[j] - vk[j]) / (b.T - k.T)
		case hi == i:
			c[j] = (vk[j] - va[j]) / (k.T - a.T)
		default:
			// The derivative of the parabola through the three keys.
			h0, h1 := k.T-a.T, b.T-k.T
			c[j] = ((vk[j]-va[j])/h0*h1 + (vb[j]-vk[j])/h1*h0) / (h0 + h1)
		}
	}
	return c
}
