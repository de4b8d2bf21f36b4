package main

import (
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/flight"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
)

// mode is a demo that shows one thing.
type mode struct {
	world   string // built-in
	flight  string // of a built-in world
	algo    vkterrain.Algorithm
	classic bool              // BilLOD's published tests
	view    pipeline.ViewMode // of the film
	props   []string          // --props, where none are given
	models  bool              // one after another
	several bool              // all algorithms
	says    string
}

// modes are the demos beside those of worlds.
var modes = map[string]mode{
	"soar":     {world: defaultDemo, flight: defaultDemo, algo: vkterrain.SOAR, view: pipeline.Wireframe, says: "SOAR's mesh"},
	"quadtree": {world: defaultDemo, flight: defaultDemo, algo: vkterrain.Quadtree, view: pipeline.Wireframe, says: "the quadtree's mesh"},
	"billod":   {world: reliefName, flight: reliefName, algo: vkterrain.BilLOD, classic: true, says: "a crater, a cone and a skyline by BilLOD's tests"},
	"progmesh": {world: reliefName, flight: "models", props: []string{"on"}, models: true, says: "progressive meshes, generated or of --props, from all their vertices to the least"},
	"compare":  {world: defaultDemo, flight: defaultDemo, view: pipeline.Wireframe, several: true, says: "all algorithms on one flight"},
}

// modelPlace is where on the relief models stand, east and south in metres: on
// the plain.
var modelPlace = [2]float64{5000, 7600}

// modeNames lists them.
func modeNames() string {
	var names []string
	for name := range modes {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// mode returns the mode that is asked for. A file of its name is a world.
func (c *demoCmd) mode() (mode, bool) {
	m, ok := modes[c.Name]
	if _, err := os.Stat(c.Name); err == nil {
		return mode{}, false
	}
	return m, ok
}

// options returns how the world at path is drawn.
func (m *mode) options(path string, w *terrain.World) (o vkterrain.Options, err error) {
	o = vkterrain.Options{Samples: 1, Algorithm: m.algo}
	f := nodeFlags{BilLOD: "bounded"}
	if m.classic {
		f.BilLOD = "classic"
	}
	return o, f.apply(&o, path, w)
}

// fly is the mode in a window.
func (m *mode) fly(c *demoCmd, a *app, path string, p *flight.Path) error {
	var f flyCmd
	if err := kong.ApplyDefaults(&f); err != nil {
		return err
	}
	f.Size, f.Tau, f.propsFlags = c.Size, c.Tau, c.propsFlags
	f.Algo.Algorithm, f.View.ViewMode = m.algo, m.view
	if m.classic {
		f.BilLOD, f.keys = "classic", billodBindings()
	}
	if m.models {
		var err error
		if f.models, err = newMeshShow(c.Props, path, modelPlace[0], modelPlace[1]); err != nil {
			return err
		}
		f.Props, p = nil, nil
	}
	return f.open(a, path, p)
}

// demoRuns is demo.json of several runs.
type demoRuns struct {
	Runs []demoReport `json:"runs"`
}

// mostCompared is how many stills of an algorithm stand side by side.
const mostCompared = 4

// several flies all algorithms, each into a folder of its own, and puts their stills
// on one sheet and what they say into one demo.json.
func (d *demo) several() (files []string, err error) {
	out := d.Out
	undo, err := makeFolder(out)
	if err != nil {
		return nil, err
	}
	d.undo = undo
	var all demoRuns
	var shots []*image.RGBA
	var captions []string
	columns := 0
	w := min(thumbWidth, d.Size.W)
	for _, algo := range vkterrain.Algorithms() {
		c := *d.demoCmd
		c.Out = filepath.Join(out, algo.String())
		one := &demo{demoCmd: &c, app: d.app, path: d.path, flight: d.flight, stage: d.stage, mode: d.mode, undo: func() {}}
		one.mode.algo = algo
		made, err := one.run()
		if closed := d.stage.terrain.Close(); err == nil {
			err = closed
		}
		d.stage.terrain = nil
		if err != nil {
			return nil, err
		}
		files = append(files, made...)
		all.Runs = append(all.Runs, one.report)
		every := (len(one.shots) + mostCompared - 1) / mostCompared // or the sheet is too wide to look at
		columns = 0
		for i := 0; i < len(one.shots); i += every {
			p := one.shots[i]
			columns++
			shots = append(shots, shrink(p, w, max(1, w*d.Size.H/d.Size.W)))
			s := one.report.Stills[i]
			captions = append(captions, fmt.Sprintf("%s: %s tri, %.2f px", algo, grouped(int64(s.Triangles)), s.MeasuredErrorPx))
		}
	}
	if columns > 0 {
		sheet := gridSheet("vkterrain  "+d.flight.Name, columns, shots, captions, []string{all.Runs[0].GPU})
		if err := writePNG(d.in("contact.png"), sheet, png.DefaultCompression); err != nil {
			return nil, err
		}
		files = append(files, d.in("contact.png"))
	}
	d.all = &all
	return append(files, d.in("demo.json")), writeFile(d.in("demo.json"), func(w io.Writer) error {
		a := *d.app
		a.stdout = w
		return a.printJSON(d.all)
	})
}

// reliefName is the built-in world with a crater, a cone and a skyline.
const reliefName = "relief"

// reliefLayers are what it keeps besides: BilLOD's measures.
var reliefLayers = []string{bake.LayerBilLOD}

// relief makes it: a plain with a cone in its west, a crater in its east, and a row of
// peaks along its north. It depends on place alone.
func relief(width, height int, spacing float64) *terrain.Field {
	f := &terrain.Field{Width: width, Height: height, Spacing: spacing, Quantum: 1.0 / 16, Samples: make([]int32, width*height)}
	for y := range height {
		for x := range width {
			h := reliefHeight(float64(x)/float64(width-1), float64(y)/float64(height-1), float64(width-1)*spacing)
			f.Samples[y*width+x] = int32(math.Round(h / f.Quantum))
		}
	}
	return f
}

// reliefHeight returns the height at a place, both from 0 to 1, of a world of that size;
// metres.
func reliefHeight(x, y, size float64) float64 {
	h := 40 + 6*math.Sin(17*x+3*math.Sin(9*y))*math.Cos(13*y-2*math.Sin(11*x)) // hardly rolling
	// The cone: straight flanks, furrowed.
	dx, dy := x-0.3, y-0.55
	r, angle := math.Hypot(dx, dy)/0.16, math.Atan2(dy, dx)
	if r < 1 {
		h += 0.09 * size * (1 - r) * (1 + 0.05*math.Sin(24*angle)*r)
	}
	// The crater: a rim that rises slowly outside and falls fast inside, a flat floor, a
	// small peak.
	dx, dy = x-0.7, y-0.5
	r = math.Hypot(dx, dy) / 0.13 * (1 + 0.03*math.Sin(9*math.Atan2(dy, dx)))
	switch {
	case r < 1:
		h += 0.035 * size * max(-0.45, 1-4.2*(1-r))
		h += 0.012 * size * max(0, 1-r/0.18)
	case r < 2.2:
		h += 0.035 * size * math.Pow((2.2-r)/1.2, 2.5)
	}
	// The skyline: peaks of three sizes, highest along a line.
	ridge := math.Exp(-math.Pow((y-0.1)/0.055, 2))
	peaks := 0.0
	for i, wave := range []float64{7, 19, 43} {
		peaks += math.Pow(2, -float64(i)) * math.Abs(math.Sin(wave*x*math.Pi+float64(i)+2.5*math.Sin(5*y+float64(i))))
	}
	return h + 0.07*size*ridge*peaks
}
