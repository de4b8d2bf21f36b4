package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/flight"
	"github.com/vkterrain/vkterrain/lodcpu"
)

// pose is a camera as files record it: world metres and degrees.
type pose struct {
	Eye   *mgl64.Vec3 `json:"eye"`
	Yaw   *float64    `json:"yaw"`
	Pitch *float64    `json:"pitch"`
	Fov   *float64    `json:"fov"`
}

func (p *pose) apply(v *lodcpu.View) {
	const rad = math.Pi / 180
	if p.Eye != nil {
		v.Eye = *p.Eye
	}
	if p.Yaw != nil {
		v.Yaw = *p.Yaw * rad
	}
	if p.Pitch != nil {
		v.Pitch = *p.Pitch * rad
	}
	if p.Fov != nil {
		v.FovY = *p.Fov * rad
	}
}

// poseJSON is what pictures remember of their camera; --camera reads it back.
func poseJSON(v *lodcpu.View) string {
	o := flight.PoseOf(v)
	b, err := json.Marshal(pose{&o.Eye, &o.Yaw, &o.Pitch, &o.Fov})
	if err != nil {
		panic("main: " + err.Error())
	}
	return string(b)
}

// eye is X,Y,Z on the command line.
type eye struct {
	mgl64.Vec3
	given bool
}

// UnmarshalText is how the command line reads a position.
func (e *eye) UnmarshalText(b []byte) error {
	v, err := parseNumbers(string(b), 3)
	if err == nil {
		e.Vec3, e.given = mgl64.Vec3{v[0], v[1], v[2]}, true
	}
	return err
}

// cameraFlags say where the camera is. What is not given is that of a good view
// of the whole world.
type cameraFlags struct {
	Eye    eye      `group:"camera" placeholder:"X,Y,Z" help:"Position in world metres: X east, Y up, Z south."`
	Yaw    *float64 `group:"camera" placeholder:"DEG" help:"Heading: 0 looks north, positive turns east."`
	Pitch  *float64 `group:"camera" placeholder:"DEG" help:"Positive looks up."`
	Fov    *float64 `group:"camera" placeholder:"DEG" help:"Vertical field of view."`
	Camera string   `group:"camera" placeholder:"FILE" help:"Pose from a JSON file or a picture that this program wrote."`
}

// apply puts the camera of v where the flags say. A position without a heading
// looks level to the north.
func (f *cameraFlags) apply(v *lodcpu.View) error {
	if f.Camera != "" {
		p, err := readPose(f.Camera)
		if err != nil {
			return err
		}
		p.apply(v)
	}
	p := pose{Yaw: f.Yaw, Pitch: f.Pitch, Fov: f.Fov}
	if f.Eye.given {
		p.Eye = &f.Eye.Vec3
		if f.Camera == "" {
			v.Yaw, v.Pitch = 0, 0
		}
	}
	p.apply(v)
	return usageError(v.Check())
}

// readPose reads a pose from a JSON file or from a picture's camera text.
func readPose(path string) (*pose, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, inputError(readable(err))
	}
	if bytes.HasPrefix(data, []byte(pngSignature)) {
		text, ok := pngText(data, cameraKeyword)
		if !ok {
			return nil, inputError(fmt.Errorf("%s: a picture that remembers no camera", path))
		}
		data = []byte(text)
	}
	p := &pose{}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(p); err != nil {
		return nil, inputError(fmt.Errorf("%s: not a camera pose: %w", path, err))
	}
	if p.Eye == nil {
		return nil, inputError(fmt.Errorf("%s: not a camera pose: it has no eye", path))
	}
	return p, nil
}

// pixels is WxH on the command line.
type pixels struct{ W, H int }

// UnmarshalText is how the command line reads a picture size.
func (p *pixels) UnmarshalText(b []byte) error {
	w, h, ok := strings.Cut(string(b), "x")
	var err1, err2 error
	p.W, err1 = strconv.Atoi(w)
	p.H, err2 = strconv.Atoi(h)
	if err := errors.Join(err1, err2); !ok || err != nil || p.W < 1 || p.H < 1 {
		return fmt.Errorf("%q: want WIDTHxHEIGHT in pixels, as in 1280x720", b)
	}
	return nil
}
