package vkterrain

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/vkterrain/vkterrain/lodcpu/props"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/edit"
)

// Props are things that stand on the ground, scattered by [props.Scatter]: rocks,
// trees, whatever there are meshes for. [props.Nature] makes models and layers.
//
// Each is drawn at the coarsest resolution whose error is at most the tolerance of the
// frame, [Stats].Tau, and left out where all of it is smaller than that. Index lists go
// into the same ring as the terrain's and count for [Options].Budget. Where there is no
// room for them, the terrain stays as it is and things are drawn by a larger tolerance,
// [PropStats].Tau, or not at all.
//
// Their feet are on the ground of the full resolution, whatever is drawn of it, so that
// they neither climb nor sink when levels come and go. What is drawn of the ground is at
// most Tau pixels above or below that: the largest gap, or part that is covered, that
// one may see. A layer's Sink hides it, as far as it reaches. While levels are still on
// their way the ground may be farther off: so things appear only when it is as fine as
// the view asked, and stay from then on.
type Props struct {
	Models []*props.Model
	Layers []props.Layer
	Seed   uint64

	// Reach is how far from the eye things stand, in metres: they shrink to nothing
	// before. 0 means 2000. Memory grows with its square. In an endless world it is
	// [Paging].Load at most.
	Reach float64

	// MaxTriangles is the most triangles of things in a frame; 0 means no limit but the
	// budget's.
	MaxTriangles int
}

// defaultReach is where a tree of 8 m is a few pixels high.
const defaultReach = 2000

// PropStats says what of the things on the ground the last frame drew.
type PropStats struct {
	Instances int
	Triangles int // of all instances
	Indices   int // in the ring: a list counts once, however many are drawn from it
	Draws     int // indirect commands

	// Tau is the bound in pixels that holds for all of them, and for what is left out as
	// too small: above Stats.Tau only where there was no room. Dropped is how many in view
	// no tolerance made room for.
	Tau     float64
	Dropped int

	Plots  int           // squares of ground whose things are shown
	Select time.Duration // CPU time to choose what is drawn
}

// mostPlaces is how many places for things there may be within reach.
const mostPlaces = 1 << 24

// Check returns an error that says what is wrong with p for a world.
func (p *Props) Check(w *terrain.World) error {
	for i, m := range p.Models {
		if err := m.Check(); err != nil {
			return fmt.Errorf("props: model %d: %w", i, err)
		}
	}
	scatter := props.Scatter{Layers: p.Layers}
	if err := scatter.Check(len(p.Models)); err != nil {
		return fmt.Errorf("props: %w", err)
	}
	if !(p.Reach >= 0) || math.IsInf(p.Reach, 0) {
		return fmt.Errorf("props: a reach of %v m", p.Reach)
	}
	places, reach := 0.0, cmp.Or(p.Reach, defaultReach)
	wide, high := min(2*reach, float64(w.Width-1)*w.Spacing), min(2*reach, float64(w.Height-1)*w.Spacing)
	if w.Endless {
		wide, high = 2*reach, 2*reach
	}
	for i := range p.Layers {
		spacing := p.Layers[i].Spacing
		places += wide / spacing * (high / spacing)
		if !(places <= mostPlaces) {
			return fmt.Errorf("props: layer %d: a spacing of %v m within a reach of %v m: at most %d places", i, spacing, reach, mostPlaces)
		}
	}
	return nil
}

// SetProps puts other things on the ground from the next frame on, or none. It waits
// for the upload of their models. Call it between frames.
func (t *Terrain) SetProps(p *Props) error {
	_ = t.planting.close() // if it does not end now, it will when its read returns
	t.planting = nil
	if p == nil {
		return t.renderer.SetModels(nil)
	}
	if err := p.Check(t.world); err != nil {
		return err
	}
	scatter := &props.Scatter{World: t.world, Seed: p.Seed, Layers: p.Layers}
	if err := t.renderer.SetModels(p.Models); err != nil {
		return err
	}
	if t.paged.source != nil {
		// Where there are no tiles nothing stands.
		within := *p
		within.Reach = min(cmp.Or(p.Reach, defaultReach), t.paged.load)
		p = &within
	}
	t.planting = newPlanting(p, scatter, t.source)
	t.planting.ready = t.groundReady
	if !t.sync {
		t.planting.start()
	}
	return nil
}

// SetModels draws other models in place of those of [Terrain.SetProps], from the next frame on:
// as many, none of which may reach out of the ball, [props.Model].Middle and Radius, of the one
// that it is drawn in place of. All things stay where they stand. It waits for the upload. Call
// it between frames.
func (t *Terrain) SetModels(models []*props.Model) error {
	p := t.planting
	switch {
	case p == nil:
		return errors.New("vkterrain: SetModels of a terrain that nothing stands on")
	case len(models) != len(p.spec.Models):
		return fmt.Errorf("vkterrain: SetModels: %d models in place of %d", len(models), len(p.spec.Models))
	}
	spec := *p.spec
	spec.Models = models
	if err := spec.Check(t.world); err != nil {
		return err
	}
	for i, m := range models {
		if old := p.spec.Models[i]; math.Abs(m.Middle-old.Middle)+m.Radius > old.Radius {
			return fmt.Errorf("vkterrain: SetModels: model %d reaches farther than the one before", i)
		}
	}
	p.spec = &spec
	return t.renderer.SetModels(models)
}

// followProps brings the plots up to date with what the frame sees.
func (t *Terrain) followProps() {
	if p := t.planting; p != nil {
		p.follow(t.lod.Eye, t.source)
		p.show(t.stream.Settled())
	}
}

// groundReady says whether the tiles under a rectangle are there and as fine as the view
// asked; where all is settled, finer levels could not be read. Nothing stands where a tile is
// absent, as by the strategy "none".
func (t *Terrain) groundReady(a *area, settled bool) bool {
	first, last := t.world.TileAt(a.west, a.north), t.world.TileAt(a.east, a.south)
	for y := int64(first.Y); y <= int64(last.Y); y++ {
		for x := int64(first.X); x <= int64(last.X); x++ {
			tile := t.stream.Tile(terrain.Key{X: int32(x), Y: int32(y)})
			switch {
			case tile == nil && t.paged.source == nil:
			case tile == nil && !t.paged.pager.Hole(terrain.Key{X: int32(x), Y: int32(y)}):
				return false // it is on its way
			case tile != nil && (tile.Loaded == streaming.None || tile.Loaded > tile.Target && !settled):
				return false
			}
		}
	}
	return true
}

// replant makes anew what stands on tiles that have changed.
func (t *Terrain) replant(changes []edit.TileChange) {
	p := t.planting
	if p == nil {
		return
	}
	p.drain()
	for _, c := range changes {
		a := t.tileArea(c.Info.Key)
		p.remake(&a)
	}
}

// tileArea returns the ground that a tile is of.
func (t *Terrain) tileArea(k terrain.Key) area {
	side := t.world.Spacing * float64(t.world.TileSize-1)
	west, north := t.world.OriginX+float64(k.X)*side, t.world.OriginZ+float64(k.Y)*side
	return area{west, north, west + side, north + side}
}

// prepareProps chooses what of the things is drawn, within what the terrain has left
// of the budget.
func (t *Terrain) prepareProps() error {
	p := t.planting
	if t.props = (PropStats{}); p == nil {
		return nil
	}
	start := time.Now()
	lod, b := t.lod, &t.governor.Budget
	asked := t.governor.Tau(lod.Tau)
	lod.Tau = t.calm.tau(asked)
	selected := p.selector.Select(&lod, p.spec.Models, p.groups, props.Options{
		MaxTriangles: least(left(b.Triangles, t.last.Triangles), p.spec.MaxTriangles), MaxIndices: left(b.Indices, t.last.Indices),
		Reach: p.reach, Seen: &t.view,
	})
	t.calm.judge(asked, selected.Tau)
	err := t.renderer.PrepareProps(t.frame, selected)
	t.props = PropStats{
		Instances: len(selected.Placed), Triangles: selected.Triangles, Indices: selected.Indices, Draws: len(selected.Draws),
		Tau: selected.Tau, Dropped: selected.Dropped, Plots: len(p.groups), Select: time.Since(start),
	}
	return err
}

// left returns what is left of a bound: 0 if there is none, below 0 if all is used.
func left(bound, used int) int {
	switch {
	case bound <= 0:
		return 0
	case used >= bound:
		return -1
	}
	return bound - used
}

// least returns the tighter of two bounds, of which 0 is none.
func least(a, b int) int {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// calming keeps the tolerance of things from wavering: it comes down a step at a time,
// when that has been possible for some frames.
type calming struct {
	step   int // quarters of an octave
	frames int
}

const (
	calmSteps  = 4 // an octave
	calmFrames = 30
)

func (c *calming) tau(asked float64) float64 { return asked * math.Exp2(float64(c.step)/calmSteps) }

// judge is told what tolerance a frame took.
func (c *calming) judge(asked, took float64) {
	step := int(math.Round(calmSteps * math.Log2(took/asked)))
	switch {
	case step > c.step:
		c.step, c.frames = step, 0
	case c.step > 0:
		if c.frames++; c.frames >= calmFrames {
			c.step, c.frames = c.step-1, 0
		}
	}
}
