package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	b, err := json.Marshal(poseOf(v))
	if err != nil {
		panic("main: " + err.Error())
	}
	return string(b)
}

// poseOf returns the camera of a view.
func poseOf(v *lodcpu.View) pose {
	o := flight.PoseOf(v)
	return pose{&o.Eye, &o.Yaw, &o.Pitch, &o.Fov}
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
	Camera string   `group:"camera" placeholder:"FILE" help:"Pose from a JSON file or a picture that this program wrote; other camera flags change it."`

	aimed bool // the view is a picture's: a position alone keeps its heading
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
		probe := *v
		probe.Width, probe.Height, probe.Tau = 1, 1, 1 // these are not the file's
		if err := probe.Check(); err != nil {
			return inputError(fmt.Errorf("%s: %w", f.Camera, err))
		}
	}
	p := pose{Yaw: f.Yaw, Pitch: f.Pitch, Fov: f.Fov}
	if f.Eye.given {
		p.Eye = &f.Eye.Vec3
		if f.Camera == "" && !f.aimed {
			v.Yaw, v.Pitch = 0, 0
		}
	}
	p.apply(v)
	return usageError(v.Check())
}

// regularFile refuses, before it is opened, what may never end or never begin:
// devices, pipes and folders.
func regularFile(path string) error {
	if err := checkFileName(path); err != nil {
		return err
	}
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return inputError(readable(err))
	case st.IsDir():
		return inputError(fmt.Errorf("%s: is a directory, not a regular file", path))
	case !st.Mode().IsRegular():
		return inputError(fmt.Errorf("%s: not a regular file", path))
	}
	return nil
}

// openRegular opens an input that must be a regular file.
func openRegular(path string) (*os.File, error) {
	if err := regularFile(path); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	return f, inputError(readable(err))
}

// longestPose is the most bytes of a pose.
const longestPose = 1 << 20

// readPose reads a pose from a JSON file or from a picture's camera text.
func readPose(path string) (*pose, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, longestPose+1))
	if err != nil {
		return nil, inputError(readable(err))
	}
	if bytes.HasPrefix(data, []byte(pngSignature)) {
		text, ok := pngText(f, cameraKeyword)
		if !ok {
			return nil, inputError(fmt.Errorf("%s: a picture that remembers no camera", path))
		}
		data = []byte(text)
	}
	if len(data) > longestPose {
		return nil, inputError(fmt.Errorf("%s: not a camera pose: longer than %d bytes", path, longestPose))
	}
	p, err := parsePose(data)
	if err != nil {
		return nil, inputError(fmt.Errorf("%s: not a camera pose: %w", path, err))
	}
	return p, nil
}

// parsePose reads a pose and nothing else.
func parsePose(data []byte) (*pose, error) {
	var in struct {
		Eye             []*float64
		Yaw, Pitch, Fov *float64
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		var kind *json.UnmarshalTypeError
		switch {
		case errors.Is(err, io.EOF):
			return nil, errors.New("it is empty")
		case errors.As(err, &kind) && kind.Field != "":
			return nil, fmt.Errorf("%s is wrong: a %s", strings.ToLower(kind.Field), kind.Value)
		case errors.As(err, &kind):
			return nil, fmt.Errorf("want an object, not a %s", kind.Value)
		}
		return nil, errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the pose")
	}
	p := &pose{Yaw: in.Yaw, Pitch: in.Pitch, Fov: in.Fov}
	if in.Eye == nil {
		return nil, errors.New("it has no eye")
	}
	if len(in.Eye) != 3 {
		return nil, fmt.Errorf("eye has %d numbers, want 3", len(in.Eye))
	}
	p.Eye = &mgl64.Vec3{}
	for i, c := range in.Eye {
		if c == nil {
			return nil, errors.New("eye is wrong: a null")
		}
		p.Eye[i] = *c
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
