package props

import (
	"math"
	"slices"
	"sort"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
)

// Group is instances that lie together, as those of a tile.
type Group struct {
	Instances []Instance
	turns     [][2]float32 // sine and cosine of each yaw
	lo, hi    mgl64.Vec3   // box
	size      float64      // diameter of the largest
}

// NewGroup makes a group of instances, which it keeps.
func NewGroup(models []*Model, instances []Instance) Group {
	inf := math.Inf(1)
	g := Group{Instances: instances, lo: mgl64.Vec3{inf, inf, inf}, hi: mgl64.Vec3{-inf, -inf, -inf}}
	for i := range instances {
		middle, radius := ball(models, &instances[i], float64(instances[i].Scale))
		for k := range 3 {
			g.lo[k], g.hi[k] = min(g.lo[k], middle[k]-radius), max(g.hi[k], middle[k]+radius)
		}
		g.size = max(g.size, 2*radius)
		sin, cos := math.Sincos(float64(instances[i].Yaw))
		g.turns = append(g.turns, [2]float32{float32(sin), float32(cos)})
	}
	return g
}

// ball returns a ball that holds an instance at a scale.
func ball(models []*Model, i *Instance, scale float64) (middle mgl64.Vec3, radius float64) {
	m := models[i.Model]
	return mgl64.Vec3{i.Position[0], i.Position[1] + m.Middle*scale, i.Position[2]}, m.Radius * scale
}

// Options limit what is drawn. The zero value is no limit.
type Options struct {
	MaxTriangles int // with all instances; below 0 nothing is drawn
	MaxIndices   int // of the lists that are drawn from, each counted once; below 0 likewise

	// Reach is how far from the eye things stand, in metres; 0 is no limit. In the last
	// quarter of it they shrink to nothing, so that none is seen to come or go.
	Reach float64

	// Seen is the view that things are drawn in, if not the one that resolutions are
	// chosen for.
	Seen *lodcpu.View
}

// Placed is an instance as a vertex shader takes it: 32 bytes.
type Placed struct {
	Offset   [3]float32 // of its foot from the eye, metres
	Scale    float32
	Sin, Cos float32 // of its yaw
	Sky      float32 // share of the sky that is open
	Level    uint8   // of its model
	Model    uint8   // the last 8 bits of its number
	Normal   [2]uint8
}

// Draw is instances of one model at one resolution.
type Draw struct {
	Model, Level     int
	First, Instances int // in Selection.Placed
}

// Selection is what is drawn for a view.
type Selection struct {
	Draws     []Draw // by model, then from full to least
	Placed    []Placed
	Triangles int
	Indices   int     // of the lists drawn from, each counted once
	Tau       float64 // pixels that holds for all that is drawn and left out as too small
	Dropped   int     // instances that no tolerance made room for
}

// Command is the same as VkDrawIndexedIndirectCommand.
type Command struct {
	IndexCount, InstanceCount, FirstIndex uint32
	VertexOffset                          int32
	FirstInstance                         uint32
}

// Commands appends one command a draw to dst. bases are those of [Pack].
func (s *Selection) Commands(dst []Command, models []*Model, bases []Base) []Command {
	for _, d := range s.Draws {
		l := &models[d.Model].Levels[d.Level]
		dst = append(dst, Command{
			IndexCount: uint32(l.Count), InstanceCount: uint32(d.Instances), FirstIndex: uint32(bases[d.Model].Index + l.First),
			VertexOffset: int32(bases[d.Model].Vertex), FirstInstance: uint32(d.First),
		})
	}
	return dst
}

// Selector chooses instances and resolutions. It allocates nothing once it is warm, and
// belongs to one goroutine at a time.
type Selector struct {
	seen   []seen
	starts []int // by model: its first level among all
	counts []int // instances by level of all models
	result Selection
}

// seen is an instance in view.
type seen struct {
	instance *Instance
	turn     *[2]float32
	near     float64 // metres from the eye to its ball
	size     float64 // its diameter
	scale    float64
	drawn    int // level, once it is known
}

// Steps of the tolerance under a limit: so many to twice as much, and so many at most.
const (
	stepsPerOctave = 4
	maxSteps       = 64
)

// Select chooses what is drawn for a view. The result is valid until the next call.
// It depends on nothing but what is given, and on the groups' order only where
// instances are dropped.
func (s *Selector) Select(v *lodcpu.View, models []*Model, groups []Group, o Options) *Selection {
	s.look(v, models, groups, &o)
	r := &s.result
	*r = Selection{Draws: r.Draws[:0], Placed: r.Placed[:0], Tau: v.Tau}
	if o.MaxTriangles >= 0 && o.MaxIndices >= 0 && o.MaxTriangles+o.MaxIndices > 0 { // below 0 no tolerance helps
		r.Tau = s.raised(v, models, &o)
	}
	s.emit(v, models, reach(v, r.Tau), &o)
	return r
}

// raised returns the least tolerance that is within the limits.
func (s *Selector) raised(v *lodcpu.View, models []*Model, o *Options) float64 {
	tau := func(k int) float64 { return v.Tau * math.Exp2(float64(k)/stepsPerOctave) }
	k := 0
	if o.MaxTriangles > 0 { // triangles get fewer with every step
		k = sort.Search(maxSteps, func(k int) bool {
			triangles, _ := s.count(models, reach(v, tau(k)))
			return triangles <= o.MaxTriangles
		})
	}
	for ; k < maxSteps && o.MaxIndices != 0; k++ { // indices need not
		if _, indices := s.count(models, reach(v, tau(k))); indices <= o.MaxIndices {
			break
		}
	}
	return tau(k)
}

// reach returns the error, in metres a metre of distance, that a tolerance in pixels
// allows.
func reach(v *lodcpu.View, tau float64) float64 {
	w := *v
	w.Tau = tau
	return progmesh.MaxError(&w, 1)
}

// look lists the instances in view.
func (s *Selector) look(v *lodcpu.View, models []*Model, groups []Group, o *Options) {
	s.seen, s.starts = s.seen[:0], s.starts[:0]
	levels := 0
	for _, m := range models {
		s.starts = append(s.starts, levels)
		levels += len(m.Levels)
	}
	for len(s.counts) < levels {
		s.counts = append(s.counts, 0)
	}
	s.counts = s.counts[:levels]
	seen := v
	if o.Seen != nil {
		seen = o.Seen
	}
	f, cull, part := seen.Frustum(), seen.Cull(v.Eye), reach(v, v.Tau)
	far := math.Inf(1)
	if o.Reach > 0 {
		far = o.Reach
	}
	for i := range groups {
		g := &groups[i]
		if len(g.Instances) == 0 || !f.Sees(g.lo, g.hi) {
			continue
		}
		if d := outside(g.lo, g.hi, v.Eye); d > far || g.size <= part*d {
			continue
		}
		s.lookAt(g, models, v.Eye, &cull, part, far)
	}
}

// lookAt lists the instances of a group in view.
func (s *Selector) lookAt(g *Group, models []*Model, eye mgl64.Vec3, cull *lodcpu.Cull, part, far float64) {
	middle, half := g.lo.Add(g.hi).Mul(0.5).Sub(eye), g.hi.Sub(g.lo).Mul(0.5).Len()
	ask, visible := cull.Sees(cull.Sides(), middle[0], middle[1], middle[2], half)
	if !visible {
		return
	}
	whole := middle.Len()+half <= (1-shrinking)*far // none of it shrinks
	for k := range g.Instances {
		instance := &g.Instances[k]
		m, scale := models[instance.Model], float64(instance.Scale)
		x, y, z := instance.Position[0]-eye[0], instance.Position[1]-eye[1], instance.Position[2]-eye[2]
		if !whole {
			scale *= shrunk(math.Sqrt(x*x+y*y+z*z), far)
		}
		y += m.Middle * scale
		radius := m.Radius * scale
		near := max(math.Sqrt(x*x+y*y+z*z)-radius, 0)
		if 2*radius <= part*near {
			continue
		}
		if _, visible := cull.Sees(ask, x, y, z, radius); visible {
			s.seen = append(s.seen, seen{instance, &g.turns[k], near, 2 * radius, scale, 0})
		}
	}
}

// shrinking is the last share of the reach, in which things shrink.
const shrinking = 0.25

// shrunk returns what is left of the size of things at a distance, if none are farther
// than far.
func shrunk(distance, far float64) float64 {
	if distance <= (1-shrinking)*far {
		return 1
	}
	return max(far-distance, 0) / (shrinking * far)
}

// outside returns how far a point is from a box.
func outside(lo, hi, p mgl64.Vec3) float64 {
	var d mgl64.Vec3
	for k := range 3 {
		d[k] = max(lo[k]-p[k], p[k]-hi[k], 0)
	}
	return d.Len()
}

// level returns the coarsest level of a model within an error; −1 is nothing.
func (e *seen) level(m *Model, part float64) int {
	allowed := part * e.near
	if e.size <= allowed {
		return -1
	}
	l := len(m.Levels) - 1
	for l > 0 && m.Levels[l].Error*e.scale > allowed {
		l--
	}
	return l
}

// count returns how many triangles are drawn, and how many indices they are drawn from.
func (s *Selector) count(models []*Model, part float64) (triangles, indices int) {
	clear(s.counts)
	for i := range s.seen {
		model := s.seen[i].instance.Model
		m := models[model]
		l := s.seen[i].level(m, part)
		if l < 0 {
			continue
		}
		triangles += m.Levels[l].Triangles()
		if n := &s.counts[s.starts[model]+l]; *n == 0 {
			*n = 1
			indices += m.Levels[l].Count
		}
	}
	return triangles, indices
}

// take says whether an instance of a level fits the limits, and counts it if so.
func (s *Selector) take(l *Level, place int, o *Options) bool {
	r := &s.result
	indices := r.Indices
	if s.counts[place] == 0 {
		indices += l.Count
	}
	triangles := r.Triangles + l.Triangles()
	if o.MaxTriangles != 0 && triangles > o.MaxTriangles || o.MaxIndices != 0 && indices > o.MaxIndices {
		r.Dropped++
		return false
	}
	r.Triangles, r.Indices = triangles, indices
	s.counts[place]++
	return true
}

// emit sorts what is drawn by model and level.
func (s *Selector) emit(v *lodcpu.View, models []*Model, part float64, o *Options) {
	r := &s.result
	clear(s.counts)
	kept := s.seen[:0]
	for _, e := range s.seen {
		m := models[e.instance.Model]
		if l := e.level(m, part); l >= 0 && s.take(&m.Levels[l], s.starts[e.instance.Model]+l, o) {
			e.drawn = l
			kept = append(kept, e)
		}
	}
	at := 0
	for m := range models {
		for l := range models[m].Levels {
			n := &s.counts[s.starts[m]+l]
			if *n > 0 {
				r.Draws = append(r.Draws, Draw{m, l, at, *n})
			}
			at, *n = at+*n, at
		}
	}
	r.Placed = slices.Grow(r.Placed, at)[:at]
	eye := v.Eye
	if o.Seen != nil {
		eye = o.Seen.Eye
	}
	for i := range kept {
		e := &kept[i]
		to := &s.counts[s.starts[e.instance.Model]+e.drawn]
		r.Placed[*to] = e.placed(eye)
		*to++
	}
}

func (e *seen) placed(eye mgl64.Vec3) Placed {
	i := e.instance
	p := Placed{Sin: e.turn[0], Cos: e.turn[1], Scale: float32(e.scale), Sky: i.Sky, Level: uint8(e.drawn), Model: uint8(i.Model), Normal: i.Normal}
	for k := range 3 {
		p.Offset[k] = float32(i.Position[k] - eye[k])
	}
	return p
}
