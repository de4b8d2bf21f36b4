package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/flight"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
	"github.com/vkterrain/vkterrain/lodcpu/progmesh/meshfile"
	"github.com/vkterrain/vkterrain/lodcpu/props"
	"github.com/vkterrain/vkterrain/terrain/query"
)

// meshShow shows one model after another at any number of vertices, as the sample of the
// article on progressive meshes does. The model stands on a world.
type meshShow struct {
	models []*shownMesh
	at     int // the model that is shown
	count  int // vertices that are asked for

	props *vkterrain.Props // it, for a terrain that is opened
	foot  mgl64.Vec3       // of the model, world metres
}

// shownMesh is a model of a meshShow.
type shownMesh struct {
	name     string
	mesh     *progmesh.Mesh
	vertices []props.Vertex
	height   float64 // metres
}

// showRadius is how large models are shown, in metres: half their largest extent.
const showRadius = 40

// newMeshShow shows models, of files or of the program's own where there are none, on the
// world at path, near a place.
func newMeshShow(files []string, path string, x, z float64) (*meshShow, error) {
	s := &meshShow{}
	for _, text := range files {
		if text == "on" || text == "off" {
			continue
		}
		p, err := parseProp(text)
		if err != nil {
			return nil, usageError(fmt.Errorf("--props %s: %w", text, err))
		}
		source, err := meshfile.Read(p.file)
		if err != nil {
			return nil, inputError(readable(err))
		}
		props.Paint(source, p.colour)
		if err := s.add(strings.TrimSuffix(filepath.Base(p.file), filepath.Ext(p.file)), source); err != nil {
			return nil, unusable(p.file, err)
		}
	}
	for _, m := range ownModels {
		if len(files) > 0 && files[0] != "on" {
			break
		}
		if err := s.add(m.name, m.make()); err != nil {
			return nil, err
		}
	}
	if len(s.models) == 0 {
		return nil, usageError(errors.New("--props off: there is nothing to show"))
	}
	s.count = s.shown().mesh.Vertices()
	return s, s.stand(path, x, z)
}

// add adds a model.
func (s *meshShow) add(name string, source *progmesh.Source) error {
	if err := source.Check(); err != nil {
		return err
	}
	height := enlarge(source)
	mesh, err := progmesh.Build(source, progmesh.Options{})
	if err != nil {
		return err
	}
	if mesh.IndexCount(mesh.Vertices()) == 0 {
		return errors.New("a model without triangles")
	}
	s.models = append(s.models, &shownMesh{name, mesh, props.Vertices(source, mesh), height})
	return nil
}

// enlarge makes a mesh as large as all are shown, its foot at 0, and returns its height.
func enlarge(s *progmesh.Source) (height float64) {
	lo, hi := [3]float32{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32}, [3]float32{-math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32}
	for _, p := range s.Positions {
		for k, v := range p {
			lo[k], hi[k] = min(lo[k], v), max(hi[k], v)
		}
	}
	scale := 2 * showRadius / max(hi[0]-lo[0], hi[1]-lo[1], hi[2]-lo[2], 1e-20)
	for i := range s.Positions {
		p := &s.Positions[i]
		p[0], p[1], p[2] = (p[0]-(lo[0]+hi[0])/2)*scale, (p[1]-lo[1])*scale, (p[2]-(lo[2]+hi[2])/2)*scale
	}
	return float64(scale * (hi[1] - lo[1]))
}

// stand finds a place for the models on the world at path: the one with least wood around it.
func (s *meshShow) stand(path string, x, z float64) error {
	r, err := openWorld(path)
	if err != nil {
		return err
	}
	defer r.Close()
	layer := props.Layer{Models: []int{0}, Spacing: 6 * showRadius}
	ground := query.NewSampler(r, query.Options{})
	scatter := props.Scatter{World: r.World(), Ground: ground, Seed: propsSeed, Layers: []props.Layer{layer}}
	reach := 5 * layer.Spacing
	found, err := scatter.Box(nil, x-reach, z-reach, x+reach, z+reach)
	if err != nil {
		return inputError(err)
	}
	least := math.Inf(1)
	for _, i := range found {
		if wood := woodAround(ground, i.Position); wood < least {
			least, s.foot = wood, i.Position
		}
	}
	if math.IsInf(least, 1) {
		return inputError(fmt.Errorf("%s: no place for a model at %g, %g", path, x, z))
	}
	at := s.foot
	layer.Density = func(x, z float64) float64 {
		if math.Abs(x-at[0])+math.Abs(z-at[2]) < 1 {
			return 1
		}
		return 0
	}
	s.props = &vkterrain.Props{Models: s.model(), Layers: []props.Layer{layer}, Seed: propsSeed}
	return nil
}

// woodAround returns how much of the ground around a place is drawn as wood.
func woodAround(ground *query.Sampler, at [3]float64) (wood float64) {
	const steps, step = 3, showRadius
	for dz := -steps; dz <= steps; dz++ {
		for dx := -steps; dx <= steps; dx++ {
			x, z := at[0]+float64(dx)*step, at[2]+float64(dz)*step
			if g, err := ground.At(x, z); err == nil {
				wood += props.Wood(x, z, g)
			}
		}
	}
	return wood
}

// middle returns the middle of the model that is shown.
func (s *meshShow) middle() mgl64.Vec3 { return s.foot.Add(mgl64.Vec3{0, s.shown().height / 2, 0}) }

func (s *meshShow) shown() *shownMesh { return s.models[s.at] }

// model returns the model of the vertices that are asked for. All models have one ball, so
// that they can stand in place of each other.
func (s *meshShow) model() []*props.Model {
	m := s.shown()
	indices := make([]uint32, m.mesh.IndexCount(s.count))
	m.mesh.Indices(indices, s.count)
	if len(indices) == 0 {
		indices = []uint32{0, 0, 0} // a model has a triangle; this one covers nothing
	}
	return []*props.Model{{
		Vertices: m.vertices, Indices: indices, Levels: []props.Level{{Count: len(indices)}}, Middle: showRadius, Radius: 2 * showRadius,
	}}
}

// next goes on to the next model, at full resolution.
func (s *meshShow) next() {
	s.at = (s.at + 1) % len(s.models)
	s.count = s.shown().mesh.Vertices()
}

// resolutions are what the keys of pages go through.
var resolutions = []progmesh.Resolution{progmesh.None, progmesh.Lowest, progmesh.Low, progmesh.Medium, progmesh.High, progmesh.Full}

// page goes to the next finer or coarser of the named resolutions.
func (s *meshShow) page(finer bool) {
	mesh := s.shown().mesh
	to := 0
	if finer {
		to = mesh.Vertices()
	}
	for _, r := range resolutions {
		switch n := mesh.Count(r); {
		case finer && n > s.count:
			to = min(to, n)
		case !finer && n < s.count:
			to = max(to, n)
		}
	}
	s.count = to
}

// step shows a hundredth of the vertices more or fewer.
func (s *meshShow) step(more bool) {
	n := s.shown().mesh.Vertices()
	by := max(1, n/100)
	if !more {
		by = -by
	}
	s.count = min(max(s.count+by, 0), n)
}

// line says what is shown.
func (s *meshShow) line() string {
	m := s.shown()
	n := m.mesh.Reach(s.count)
	text := fmt.Sprintf("%s: %s of %s vertices, %s triangles", m.name, grouped(int64(n)), grouped(int64(m.mesh.Vertices())), grouped(int64(m.mesh.IndexCount(s.count)/3)))
	for _, r := range resolutions {
		if s.count == m.mesh.Count(r) {
			text += ", " + r.String()
		}
	}
	if off := m.mesh.Error(s.count) / (2 * showRadius); n > 0 && off > 0 {
		text += fmt.Sprintf(", within %.2g %% of its size", 100*off)
	}
	return text
}

// Of the film of models: seconds of each, and at its beginning and its end with nothing but the
// camera moving; and how many stills there are of it.
const (
	showSeconds = 6.0
	showRests   = 1.0
	showStills  = 4
)

// flight is as long as the film of all models, with stills of each from full to least.
func (s *meshShow) flight() *flight.Path {
	p := flight.New("progressive meshes", flight.Key{Pitch: -10}, flight.Key{T: showSeconds * float64(len(s.models)), Pitch: -10})
	for i := range s.models {
		for k := range showStills {
			t := showSeconds*float64(i) + showRests + float64(k)*(showSeconds-2*showRests)/(showStills-1)
			s.moment(t)
			m := s.shown()
			caption := fmt.Sprintf("%s, %s of %s vertices", m.name, grouped(int64(m.mesh.Reach(s.count))), grouped(int64(m.mesh.Vertices())))
			p.Stills = append(p.Stills, flight.Still{T: t, Caption: caption})
		}
	}
	s.moment(0)
	return p
}

// moment shows what the film shows at t seconds, and returns the camera.
func (s *meshShow) moment(t float64) orbit {
	s.at = min(int(t/showSeconds), len(s.models)-1)
	mesh := s.shown().mesh
	t -= showSeconds * float64(s.at)
	gone := min(max((t-showRests)/(showSeconds-2*showRests), 0), 1)
	least, all := float64(max(mesh.Least(), 1)), float64(mesh.Vertices())
	s.count = int(math.Round(all * math.Pow(least/all, gone)))
	o := newOrbit()
	o.turn(0.15*t, 0, 0)
	return o
}

// orbit is a camera around a point.
type orbit struct {
	yaw, pitch, distance float64
}

// Of an orbit: the distance at first and the steepest view from above and below.
const (
	firstDistance = 2.6 * showRadius
	steepest      = 1.5
)

// newOrbit looks at the side that the sun of a picture without one shines on.
func newOrbit() orbit { return orbit{yaw: 2.6, pitch: -0.35, distance: firstDistance} }

// turn turns by radians and comes nearer by a share of the way.
func (o *orbit) turn(yaw, pitch, nearer float64) {
	o.yaw = math.Remainder(o.yaw+yaw, 2*math.Pi)
	o.pitch = min(max(o.pitch+pitch, -steepest), 0.2)
	o.distance = min(max(o.distance*math.Exp(-nearer), 1.2*showRadius), 20*showRadius)
}

// look puts a view on the orbit around a point.
func (o *orbit) look(v *lodcpu.View, middle mgl64.Vec3) {
	v.Yaw, v.Pitch = o.yaw, o.pitch
	_, _, forward := v.Basis()
	v.Eye = middle.Sub(forward.Mul(o.distance))
}

// ownModels are shown where nobody names others.
var ownModels = []struct {
	name string
	make func() *progmesh.Source
}{
	{"knot", knot},
	{"conifer", func() *progmesh.Source { return props.Conifer(propsSeed) }},
	{"rock", func() *progmesh.Source { return props.Rock(propsSeed, 4) }},
	{"terrain", hillock},
}

// knot is a tube along a trefoil.
func knot() *progmesh.Source {
	const along, around = 240, 16
	at := func(i int) mgl64.Vec3 {
		t := 2 * math.Pi * float64(i) / along
		return mgl64.Vec3{math.Sin(t) + 2*math.Sin(2*t), math.Cos(t) - 2*math.Cos(2*t), -math.Sin(3 * t)}
	}
	s := &progmesh.Source{}
	for i := range along {
		tangent := at(i + 1).Sub(at(i - 1)).Normalize()
		side := tangent.Cross(mgl64.Vec3{0, 0, 1}).Normalize()
		up := side.Cross(tangent)
		for k := range around {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / around)
			p := at(i).Add(side.Mul(0.55 * cos)).Add(up.Mul(0.55 * sin))
			s.Positions = append(s.Positions, [3]float32{float32(p[0]), float32(p[1]), float32(p[2])})
			next, k1 := (i+1)%along*around, (k+1)%around
			a, b, c, d := uint32(i*around+k), uint32(i*around+k1), uint32(next+k), uint32(next+k1)
			s.Triangles = append(s.Triangles, [3]uint32{a, b, c}, [3]uint32{b, d, c})
		}
	}
	props.Paint(s, [3]uint8{0xc8, 0x8a, 0x3c})
	return s
}

// hillock is a piece of the land with a crater. Weights keep its border where it is: without
// them it would become round.
func hillock() *progmesh.Source {
	const side = 49
	s := &progmesh.Source{Weights: make([]float64, side*side)}
	for z := range side {
		for x := range side {
			u, v := float64(x)/(side-1), float64(z)/(side-1)
			rolling := reliefHeight(0.5+0.4*u, 0.3+0.4*v, 0) // around 40 m
			crater := reliefHeight(0.5+0.4*u, 0.3+0.4*v, 1) - rolling
			s.Positions = append(s.Positions, [3]float32{float32(u), float32(0.002*(rolling-40) + 5*crater), float32(v)})
			if x%(side-1) == 0 || z%(side-1) == 0 {
				s.Weights[z*side+x] = 4
			}
			if x > 0 && z > 0 {
				d := uint32(z*side + x)
				a, b, c := d-side-1, d-side, d-1
				s.Triangles = append(s.Triangles, [3]uint32{a, c, b}, [3]uint32{b, c, d})
			}
		}
	}
	props.Paint(s, [3]uint8{0x7c, 0x8a, 0x4e})
	return s
}
