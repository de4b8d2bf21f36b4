package main

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
	"github.com/vkterrain/vkterrain/lodcpu/progmesh/meshfile"
	"github.com/vkterrain/vkterrain/lodcpu/props"
	"github.com/vkterrain/vkterrain/terrain"
)

// propsFlags say what stands on the ground.
type propsFlags struct {
	Props          []string `name:"props" group:"props" sep:"none" placeholder:"on|off|FILE[,...]" help:"What stands on the ground: on is generated conifers, where the ground is drawn as wood, and rocks; off forgets those named before, as in settings; FILE is a mesh (OBJ, PLY, glTF; metres, Y up, its foot at 0). Behind a file, with commas: spacing=M (30), density=SHARE or a grey PNG over the whole world, slope=A..B in metres of rise a metre, height=A..B in metres, scale=A..B, sink=M, color=RRGGBB. May be given several times."`
	PropsReach     float64  `group:"props" placeholder:"M" help:"How far from the eye things stand; they shrink to nothing before (2000)."`
	PropsTriangles int      `group:"props" placeholder:"N" help:"Most triangles of things in a frame; where they need more their tolerance is raised. --max-triangles and --max-indices bound them and the ground together."`
}

// propsSeed scatters things; a picture is known by it.
const propsSeed = 1

// check returns what is wrong with the flags.
func (f *propsFlags) check() error {
	if !(f.PropsReach >= 0) || math.IsInf(f.PropsReach, 0) {
		return fmt.Errorf("--props-reach %v: must be 0 or more metres", f.PropsReach)
	}
	if f.PropsTriangles < 0 {
		return fmt.Errorf("--props-triangles %d: must be 0 or more", f.PropsTriangles)
	}
	for _, text := range f.Props {
		if text == "on" || text == "off" {
			continue
		}
		if _, err := parseProp(text); err != nil {
			return fmt.Errorf("--props %s: %w", text, err)
		}
	}
	return nil
}

// files returns what read reads.
func (f *propsFlags) files() (files []string) {
	for _, text := range f.Props {
		if p, err := parseProp(text); err == nil && text != "on" && text != "off" {
			files = append(files, p.file, p.densityFile())
		}
	}
	return slices.DeleteFunc(files, func(f string) bool { return f == "" })
}

// read makes what stands on the world w: nil is nothing.
func (f *propsFlags) read(w *terrain.World) (*vkterrain.Props, error) {
	p := &vkterrain.Props{Seed: propsSeed, Reach: f.PropsReach, MaxTriangles: f.PropsTriangles}
	for _, text := range f.Props {
		var err error
		switch text {
		case "off":
			p.Models, p.Layers = nil, nil
		case "on":
			err = addNature(p)
		default:
			err = addProp(p, text, w)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(p.Layers) == 0 {
		return nil, nil
	}
	return p, usageError(p.Check(w))
}

func addNature(p *vkterrain.Props) error {
	models, layers, err := props.Nature(propsSeed)
	if err != nil {
		return err
	}
	first := len(p.Models)
	for i := range layers {
		for k := range layers[i].Models {
			layers[i].Models[k] += first
		}
	}
	p.Models, p.Layers = append(p.Models, models...), append(p.Layers, layers...)
	return nil
}

// prop is a mesh of the user's on the command line.
type prop struct {
	file   string
	layer  props.Layer
	chance string // a share or a file; "" is 1
	colour colour
}

// parseProp reads FILE[,KEY=VALUE...].
func parseProp(text string) (*prop, error) {
	p := &prop{layer: props.Layer{Spacing: 30}, colour: colour{0x9a, 0x92, 0x86}}
	parts := strings.Split(text, ",")
	n := 1
	for n < len(parts) && !strings.Contains(parts[n], "=") {
		n++ // a comma in the name
	}
	p.file = strings.Join(parts[:n], ",")
	if p.file == "" {
		return nil, errors.New("names no file")
	}
	if (p.file == "on" || p.file == "off") && len(parts) > n {
		return nil, fmt.Errorf("%q goes with a file, not behind %s", parts[n], p.file)
	}
	for _, part := range parts[n:] {
		key, value, _ := strings.Cut(part, "=")
		if err := p.set(key, value); err != nil {
			return nil, err
		}
	}
	check := props.Scatter{Layers: []props.Layer{p.layer}}
	check.Layers[0].Models = []int{0}
	return p, check.Check(1)
}

func (p *prop) set(key, value string) (err error) {
	l := &p.layer
	switch key {
	case "spacing":
		l.Spacing, err = finiteNumber(value)
	case "sink":
		l.Sink, err = finiteNumber(value)
	case "slope":
		l.MinSlope, l.MaxSlope, err = numbers(value)
		l.MaxSlope = limited(l.MaxSlope)
	case "height":
		l.MinHeight, l.MaxHeight, err = numbers(value)
		l.MaxHeight = limited(l.MaxHeight)
	case "scale":
		if l.MinScale, l.MaxScale, err = numbers(value); err == nil && l.MaxScale == 0 {
			err = errors.New("must be above 0")
		}
	case "color", "colour":
		err = p.colour.UnmarshalText([]byte(value))
	case "density":
		if p.chance = value; value == "" {
			err = errors.New("must be a share or a picture")
		}
		if share, wrong := strconv.ParseFloat(value, 64); wrong == nil && !(share >= 0 && share <= 1) {
			err = errors.New("must be between 0 and 1")
		}
	default:
		return fmt.Errorf("%q is none of spacing, density, slope, height, scale, sink, color", key)
	}
	if err != nil {
		return fmt.Errorf("%s=%s: %w", key, value, err)
	}
	return nil
}

// limited returns a limit that a Layer does not take for none: the least above 0 for 0.
func limited(limit float64) float64 { return cmp.Or(limit, math.SmallestNonzeroFloat64) }

// densityFile returns the name of the density map, "" if there is none.
func (p *prop) densityFile() string {
	if _, err := strconv.ParseFloat(p.chance, 64); err == nil {
		return ""
	}
	return p.chance
}

func finiteNumber(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, errors.New("must be a number")
	}
	return v, nil
}

// numbers reads A..B, or a number that is both.
func numbers(s string) (a, b float64, err error) {
	from, to, ok := strings.Cut(s, "..")
	if !ok {
		to = from
	}
	if a, err = finiteNumber(from); err == nil {
		b, err = finiteNumber(to)
	}
	if err != nil || a > b {
		return 0, 0, errors.New("must be A..B, A at most B")
	}
	return a, b, nil
}

// addProp reads the mesh and the density map that text names.
func addProp(p *vkterrain.Props, text string, w *terrain.World) error {
	one, err := parseProp(text)
	if err != nil {
		return usageError(fmt.Errorf("--props %s: %w", text, err))
	}
	source, err := meshfile.Read(one.file)
	if err != nil {
		return inputError(readable(err))
	}
	props.Paint(source, one.colour)
	model, err := props.NewModel(source, progmesh.Options{})
	if err != nil {
		return unusable(one.file, err)
	}
	if file := one.densityFile(); file != "" {
		if w.Endless {
			return usageError(fmt.Errorf("--props %s: a world without a rim has no sides for a picture to lie between", text))
		}
		if one.layer.Density, err = densityMap(file, w); err != nil {
			return err
		}
	} else if share, err := strconv.ParseFloat(one.chance, 64); err == nil {
		one.layer.Density = func(_, _ float64) float64 { return share }
	}
	one.layer.Models = []int{len(p.Models)}
	p.Models, p.Layers = append(p.Models, model), append(p.Layers, one.layer)
	return nil
}

// densityMap reads a grey picture that lies over the whole of w: white is 1.
func densityMap(file string, w *terrain.World) (func(x, z float64) float64, error) {
	f, err := openRegular(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	picture, err := readGrey(f)
	if err != nil {
		return nil, unusable(file, err)
	}
	b := picture.Bounds()
	m := &props.Map{
		Width: b.Dx(), Height: b.Dy(), Values: make([]float32, b.Dx()*b.Dy()), West: w.OriginX, North: w.OriginZ,
		East: w.OriginX + float64(w.Width-1)*w.Spacing, South: w.OriginZ + float64(w.Height-1)*w.Spacing,
	}
	for i := range m.Values {
		g := color.Gray16Model.Convert(picture.At(b.Min.X+i%b.Dx(), b.Min.Y+i/b.Dx())).(color.Gray16)
		m.Values[i] = float32(g.Y) / 0xffff
	}
	return m.At, nil
}

// mostMapPixels bounds a density map, against files that claim to be huge.
const mostMapPixels = 1 << 26

func readGrey(f *os.File) (image.Image, error) {
	c, err := png.DecodeConfig(f)
	if err == nil && c.Width*c.Height > mostMapPixels {
		err = fmt.Errorf("a density map of %d×%d pixels: at most %d", c.Width, c.Height, mostMapPixels)
	}
	if err == nil {
		_, err = f.Seek(0, 0)
	}
	if err != nil {
		return nil, err
	}
	return png.Decode(f)
}

// propsReport is what a report says of things on the ground.
type propsReport struct {
	Instances int     `json:"props_instances"`
	Triangles int     `json:"props_triangles"`
	Indices   int     `json:"props_indices"`
	Draws     int     `json:"props_draws"`
	BoundPx   float64 `json:"props_bound_px"`
	Dropped   int     `json:"props_dropped"`
	SelectUs  float64 `json:"props_us"`

	plots int // squares of ground within reach
}

// line says it for people.
func (p *propsReport) line(f *propsFlags) string {
	within := fmt.Sprintf("within %s m of the eye (--props-reach)", short(cmp.Or(f.PropsReach, defaultPropsReach)))
	switch {
	case p.Instances == 0 && p.Dropped == 0 && p.plots == 0:
		return "nothing stands on the ground in the picture: there is no ground " + within
	case p.Instances == 0 && p.Dropped == 0:
		return fmt.Sprintf("nothing stands on the ground in the picture: what stands %s is out of view or smaller than %s px", within, short(p.BoundPx))
	}
	line := fmt.Sprintf("%s things on the ground of %s triangles, within %s px", grouped(int64(p.Instances)), grouped(int64(p.Triangles)), short(p.BoundPx))
	if p.Dropped > 0 {
		line += fmt.Sprintf("; %s more were left out to keep the most triangles allowed", grouped(int64(p.Dropped)))
	}
	return line
}

// defaultPropsReach is how far from the eye things stand where nobody says, metres.
const defaultPropsReach = 2000

// reportProps says what was drawn of things, nil if there are none.
func reportProps(t *vkterrain.Terrain) *propsReport {
	st := t.Stats().Props
	if st.Tau == 0 {
		return nil
	}
	return &propsReport{st.Instances, st.Triangles, st.Indices, st.Draws, roundTo(st.Tau, 4), st.Dropped, roundTo(microseconds(st.Select), 1), st.Plots}
}

// propsTimes sums up what the frames of a flight drew of things.
type propsTimes struct {
	sum    vkterrain.PropStats
	bound  float64
	us     []float64
	frames int
}

func (m *propsTimes) add(st *vkterrain.PropStats) {
	if st.Tau == 0 {
		return
	}
	m.frames++
	m.sum.Instances += st.Instances
	m.sum.Triangles += st.Triangles
	m.sum.Indices += st.Indices
	m.sum.Draws += st.Draws
	m.sum.Dropped = max(m.sum.Dropped, st.Dropped)
	m.sum.Plots = max(m.sum.Plots, st.Plots)
	m.bound = max(m.bound, st.Tau)
	m.us = append(m.us, microseconds(st.Select))
}

// report returns the means, the largest bound and the median time, nil if there was
// nothing.
func (m *propsTimes) report() *propsReport {
	n := m.frames
	if n == 0 {
		return nil
	}
	return &propsReport{
		m.sum.Instances / n, m.sum.Triangles / n, m.sum.Indices / n, m.sum.Draws / n, roundTo(m.bound, 4), m.sum.Dropped, roundTo(median(m.us), 1), m.sum.Plots,
	}
}
