package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
)

// lookFlags say how a picture looks, in a file or a window.
type lookFlags struct {
	Algo     algorithm `group:"picture" default:"soar" placeholder:"NAME" help:"Level of detail by soar, quadtree or billod (soar)."`
	Topology topology  `group:"picture" default:"strip" placeholder:"strip|list" help:"Triangles as strip or list (strip)."`
	View     viewMode  `group:"picture" default:"shaded" placeholder:"MODE" help:"shaded, lines (shaded with triangles), wireframe, lod, tiles, boxes (around tiles), morph, normals, error, pixels (of error), overdraw or unlit (one colour) (shaded). --hud, or F2 in a window, adds what the colours mean."`
	Clear    *colour   `group:"picture" placeholder:"RRGGBB" help:"Colour in place of the sky."`
	Fog      string    `group:"picture" enum:"on,off,blue" default:"on" help:"Air between eye and ground: on, off, or blue, the distance of BilLOD's article."`
	Sight    float64   `name:"visibility" group:"picture" placeholder:"KM" help:"How far one sees through the air, or the blue distance; by the world's size if 0."`
	HazeLOD  string    `name:"haze-lod" group:"picture" enum:"auto,on,off" default:"auto" help:"What the air hides may be coarser: --tau bounds errors as they are seen through it. auto: by --fog blue."`
	Sea      string    `group:"picture" enum:"auto,on,off" default:"auto" help:"A sea at height 0; auto: where ground lies at or below it."`
	Cull     string    `group:"picture" enum:"on,off" default:"on" help:"off draws what is outside the view too."`
	Paint    string    `group:"picture" enum:"on,off" default:"on" help:"Ground by the colours and materials that the world was baked with, if any."`
	Sun      *sunFlag  `group:"picture" placeholder:"HOUR" help:"Sun at an hour of a day in spring, 0 to 24, or AZIMUTH,ELEVATION in degrees (from the north-west)."`
	Quality  string    `group:"picture" enum:"full,low" default:"full" help:"full, or low: no textures and no shadows, for slow machines."`
	Samples  uint32    `group:"picture" default:"1" aliases:"msaa" placeholder:"N" help:"Samples a pixel: 1, 2, 4 ... (1)."`
	nodeFlags
	refineFlags
	propsFlags
}

func (f *lookFlags) Validate() error {
	if f.Samples == 0 || f.Samples&(f.Samples-1) != 0 || f.Samples > 64 {
		return fmt.Errorf("--samples %d: must be 1, 2, 4, 8 ...", f.Samples)
	}
	if !(f.Sight == 0 || f.Sight >= 0.01 && f.Sight <= 10000) {
		return fmt.Errorf("--visibility %g: must be between 0.01 and 10000 km", f.Sight)
	}
	if f.Sight > 0 && f.Fog == "off" {
		return errors.New("--visibility needs air: it goes with --fog on or blue")
	}
	if f.HazeLOD == "on" && f.Fog == "off" {
		return errors.New("--haze-lod on needs air: it goes with --fog on or blue")
	}
	if err := f.refineFlags.check(); err != nil {
		return err
	}
	if err := f.propsFlags.check(); err != nil {
		return err
	}
	return f.nodeFlags.check(f.Algo.Algorithm)
}

// options returns how the world at path is drawn.
func (f *lookFlags) options(g *globals, path string, w *terrain.World) (vkterrain.Options, error) {
	o := vkterrain.Options{Algorithm: f.Algo.Algorithm, Topology: f.Topology.Topology, Samples: f.Samples}
	f.refineFlags.apply(&o, g)
	o.NoShadows = f.Quality == "low"
	var err error
	if o.Props, err = f.propsFlags.read(w); err != nil {
		return o, err
	}
	return o, f.nodeFlags.apply(&o, path, w)
}

// look returns the look of a picture of w.
func (f *lookFlags) look(w *terrain.World) pipeline.Look {
	l := pipeline.Look{View: f.View.ViewMode, Lines: f.View.lines, DrawAll: f.Cull == "off"}
	l.Painted = f.Paint == "on"
	l.Sea = f.Sea == "on" || f.Sea == "auto" && w.Min <= 0 && w.Max > 0
	if f.Sun != nil {
		l.Sun = f.Sun.towards
	}
	if f.Quality == "low" {
		l.Quality = pipeline.Low
	}
	switch {
	case f.Fog == "off":
		l.Haze = -1 // below 0 is no air
	case f.Fog == "blue" && f.Sight == 0:
		l.Blue = pipeline.BlueDistance(w)
	case f.Fog == "blue":
		l.Blue = pipeline.Visibility(1000 * f.Sight)
	case f.Sight > 0:
		l.Haze = pipeline.Visibility(1000 * f.Sight)
	}
	if f.Clear != nil {
		l.Clear = (*[3]uint8)(f.Clear)
	}
	return l
}

// hide lets what the look hides of w be coarser, where that is asked for.
func (f *lookFlags) hide(v *lodcpu.View, l *pipeline.Look, w *terrain.World) {
	v.Haze = 0
	if f.HazeLOD == "on" || f.HazeLOD != "off" && l.Blue > 0 {
		v.Haze = l.Extinction(w, v.Eye[1])
	}
}

// sunFlag is where the sun stands, on the command line.
type sunFlag struct {
	towards mgl64.Vec3
	hour    *float64 // nil if angles were given
}

// UnmarshalText is how the command line reads a sun.
func (s *sunFlag) UnmarshalText(b []byte) error {
	first, second, angles := strings.Cut(string(b), ",")
	a, err := strconv.ParseFloat(first, 64)
	if !angles {
		if err != nil || !(a >= 0 && a <= 24) {
			return fmt.Errorf("%q: want an hour of 0 to 24, or azimuth and elevation in degrees", b)
		}
		s.towards, s.hour = pipeline.SunAt(a), &a
		return nil
	}
	e, err2 := strconv.ParseFloat(second, 64)
	if err != nil || err2 != nil || !(math.Abs(a) <= 360) || !(math.Abs(e) <= 90) {
		return fmt.Errorf("%q: azimuth and elevation are degrees, as in 300,12", b)
	}
	s.towards, s.hour = pipeline.SunFrom(a*math.Pi/180, e*math.Pi/180), nil
	return nil
}

// time returns the hour of the day that is shown; nil if none was given.
func (s *sunFlag) time() *float64 {
	if s == nil {
		return nil
	}
	return s.hour
}

// stepHour is how far one press of a key turns the time of day.
const stepHour = 0.25

// turnHour returns the hour after one press; the first one goes to noon.
func turnHour(hour *float64, later bool) *float64 {
	h := 12.0
	switch {
	case hour == nil:
	case later:
		h = math.Mod(*hour+stepHour, 24)
	default:
		h = math.Mod(*hour-stepHour+24, 24)
	}
	return &h
}

// algorithm is a refinement on the command line.
type algorithm struct{ vkterrain.Algorithm }

// UnmarshalText is how the command line reads an algorithm.
func (a *algorithm) UnmarshalText(b []byte) error {
	for _, known := range vkterrain.Algorithms() {
		if string(b) == known.String() {
			a.Algorithm = known
			return nil
		}
	}
	return fmt.Errorf("%q is none of soar, quadtree, billod", b)
}

// topology is strip or list on the command line.
type topology struct{ lodcpu.Topology }

// UnmarshalText is how the command line reads a topology.
func (t *topology) UnmarshalText(b []byte) error {
	for _, known := range []lodcpu.Topology{lodcpu.Strip, lodcpu.List} {
		if string(b) == known.String() {
			t.Topology = known
			return nil
		}
	}
	return fmt.Errorf("%q is neither strip nor list", b)
}

// viewMode is what a picture shows, on the command line.
type viewMode struct {
	pipeline.ViewMode
	lines bool // over it
}

// viewNames are the modes by what the command line calls them, in the order in which a key
// goes through them.
var viewNames = []struct {
	name string
	mode viewMode
}{
	{"shaded", viewMode{}}, {"lines", viewMode{lines: true}}, {"wireframe", viewMode{ViewMode: pipeline.Wireframe}},
	{"lod", viewMode{ViewMode: pipeline.LOD}}, {"tiles", viewMode{ViewMode: pipeline.Tiles}}, {"boxes", viewMode{ViewMode: pipeline.Boxes}}, {"morph", viewMode{ViewMode: pipeline.Morph}},
	{"normals", viewMode{ViewMode: pipeline.Normals}}, {"error", viewMode{ViewMode: pipeline.Error}},
	{"pixels", viewMode{ViewMode: pipeline.Pixels}}, {"overdraw", viewMode{ViewMode: pipeline.Overdraw}},
	{"unlit", viewMode{ViewMode: pipeline.Unlit}},
}

// UnmarshalText is how the command line reads a view mode.
func (v *viewMode) UnmarshalText(b []byte) error {
	names := make([]string, len(viewNames))
	for i, known := range viewNames {
		if names[i] = known.name; string(b) == known.name {
			*v = known.mode
			return nil
		}
	}
	return fmt.Errorf("%q is none of %s", b, strings.Join(names, ", "))
}

// colour is RRGGBB on the command line, sRGB.
type colour [3]uint8

// UnmarshalText is how the command line reads a colour.
func (c *colour) UnmarshalText(b []byte) error {
	s := strings.TrimPrefix(string(b), "#")
	if n, err := hex.Decode(c[:], []byte(s[:min(len(s), 6)])); err != nil || n != 3 || len(s) != 6 {
		return fmt.Errorf("%q: want six hexadecimal digits, as in 336699", b)
	}
	return nil
}

// levels is full or a seed on the command line: which levels are loaded in
// place of those that the view needs.
type levels struct {
	given, full bool
	seed        int64
}

// UnmarshalText is how the command line reads levels.
func (l *levels) UnmarshalText(b []byte) error {
	l.given = true
	if l.full = string(b) == "full"; l.full {
		return nil
	}
	seed, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return fmt.Errorf("%q is neither full nor an integer", b)
	}
	l.seed = seed
	return nil
}

// of returns the level of each tile, or nil if the view decides.
func (l *levels) of(w *terrain.World) func(terrain.Key) terrain.Level {
	if !l.given {
		return nil
	}
	if l.full {
		return func(terrain.Key) terrain.Level { return 0 }
	}
	n := uint64(w.Layout().Levels)
	return func(k terrain.Key) terrain.Level { return terrain.Level(mix(l.seed, k) % n) }
}

// mix hashes a seed and a tile. A picture is known by its seed, so this never
// changes: it is the output function of SplitMix64 (Steele, Lea and Flood, "Fast
// Splittable Pseudorandom Number Generators", 2014) over
// seed·0x9e3779b97f4a7c15 + X·0xbf58476d1ce4e5b9 + Y·0x94d049bb133111eb, X and
// Y being the tile's key, everything modulo 2^64.
func mix(seed int64, k terrain.Key) uint64 {
	h := uint64(seed)*0x9e3779b97f4a7c15 + uint64(int64(k.X))*0xbf58476d1ce4e5b9 + uint64(int64(k.Y))*0x94d049bb133111eb
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
