package props

import (
	"math"
	"sort"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
)

// Group is instances that lie together, as those of a tile.
type Group struct {
	Instances []Instance
	lo, hi    mgl64.Vec3 // box
	size      float64    // diameter of the largest
}

// NewGroup makes a group of instances, which it keeps.
func NewGroup(models []*Model, instances []Instance) Group {
	inf := math.Inf(1)
	g := Group{Instances: instances, lo: mgl64.Vec3{inf, inf, inf}, hi: mgl64.Vec3{-inf, -inf, -inf}}
	for i := range instances {
		middle, radius := ball(models, &instances[i])
		for k := range 3 {
			g.lo[k], g.hi[k] = min(g.lo[k], middle[k]-radius), max(g.hi[k], middle[k]+radius)
		}
		g.size = max(g.size, 2*radius)
	}
	return g
}

// ball returns a ball that holds an instance.
func ball(models []*Model, i *Instance) (middle mgl64.Vec3, radius float64) {
	m, scale := models[i.Model], float64(i.Scale)
	return mgl64.Vec3{i.Position[0], i.Position[1] + m.Middle*scale, i.Position[2]}, m.Radius * scale
}

// Options limit what is drawn. The zero value is no limit.
type Options struct {
	MaxTriangles int // with all instances
}

// Placed is an instance as a vertex shader takes it: 24 bytes.
type Placed struct {
	Offset   [3]float32 // of its foot from the eye, metres
	Sin, Cos float32    // of its yaw
	Scale    float32
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
	near     float64 // metres from the eye to its ball
	size     float64 // its diameter
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
	s.look(v, models, groups)
	r := &s.result
	*r = Selection{Draws: r.Draws[:0], Placed: r.Placed[:0], Tau: v.Tau}
	if o.MaxTriangles > 0 && s.count(models, reach(v, v.Tau)) > o.MaxTriangles {
		k := sort.Search(maxSteps, func(k int) bool {
			return s.count(models, reach(v, v.Tau*math.Exp2(float64(k+1)/stepsPerOctave))) <= o.MaxTriangles
		})
		r.Tau = v.Tau * math.Exp2(float64(min(k, maxSteps-1)+1)/stepsPerOctave)
	}
	s.emit(v, models, reach(v, r.Tau), o)
	return r
}

// reach returns the error, in metres a metre of distance, that a tolerance in pixels
// allows.
func reach(v *lodcpu.View, tau float64) float64 {
	w := *v
	w.Tau = tau
	return progmesh.MaxError(&w, 1)
}

// look lists the instances in view.
func (s *Selector) look(v *lodcpu.View, models []*Model, groups []Group) {
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
	f, part := v.Frustum(), reach(v, v.Tau)
	for i := range groups {
		g := &groups[i]
		if len(g.Instances) == 0 || !f.Sees(g.lo, g.hi) || g.size <= part*outside(g.lo, g.hi, v.Eye) {
			continue
		}
		for k := range g.Instances {
			instance := &g.Instances[k]
			middle, radius := ball(models, instance)
			half := mgl64.Vec3{radius, radius, radius}
			near := max(middle.Sub(v.Eye).Len()-radius, 0)
			if 2*radius > part*near && f.Sees(middle.Sub(half), middle.Add(half)) {
				s.seen = append(s.seen, seen{instance, near, 2 * radius})
			}
		}
	}
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
	for l > 0 && m.Levels[l].Error*float64(e.instance.Scale) > allowed {
		l--
	}
	return l
}

// count returns how many triangles are drawn.
func (s *Selector) count(models []*Model, part float64) (triangles int) {
	for i := range s.seen {
		m := models[s.seen[i].instance.Model]
		if l := s.seen[i].level(m, part); l >= 0 {
			triangles += m.Levels[l].Triangles()
		}
	}
	return triangles
}

// emit sorts what is drawn by model and level.
func (s *Selector) emit(v *lodcpu.View, models []*Model, part float64, o Options) {
	r := &s.result
	clear(s.counts)
	kept := s.seen[:0]
	for _, e := range s.seen {
		m := models[e.instance.Model]
		l := e.level(m, part)
		if l < 0 {
			continue
		}
		if n := m.Levels[l].Triangles(); o.MaxTriangles > 0 && r.Triangles+n > o.MaxTriangles {
			r.Dropped++
			continue
		} else {
			r.Triangles += n
		}
		s.counts[s.starts[e.instance.Model]+l]++
		kept = append(kept, e)
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
	for len(r.Placed) < at {
		r.Placed = append(r.Placed, Placed{})
	}
	r.Placed = r.Placed[:at]
	for i := range kept {
		e := &kept[i]
		to := &s.counts[s.starts[e.instance.Model]+e.level(models[e.instance.Model], part)]
		r.Placed[*to] = placed(e.instance, v.Eye)
		*to++
	}
}

func placed(i *Instance, eye mgl64.Vec3) Placed {
	sin, cos := math.Sincos(float64(i.Yaw))
	p := Placed{Sin: float32(sin), Cos: float32(cos), Scale: i.Scale}
	for k := range 3 {
		p.Offset[k] = float32(i.Position[k] - eye[k])
	}
	return p
}
