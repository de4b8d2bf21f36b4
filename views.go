package vkterrain

import (
	"errors"
	"fmt"
	"image"
	"time"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/vk"
)

// View is one of several pictures of a frame: a half of a split screen, a picture in the
// picture, an eye, what a sea reflects, what a light sees.
type View struct {
	lodcpu.View     // camera, size and tolerance
	X, Y        int // of the upper left corner in what is drawn to, pixels
	Look        pipeline.Look

	// LOD is the view that levels of detail are for; nil is this one.
	LOD *lodcpu.View

	// Algorithm is how the view is refined; nil is that of [Options]. BilLOD is that by the
	// tolerance, unless the terrain was opened with it.
	Algorithm *Algorithm

	// Shares has the view drawn from the mesh of the view before it, which is made for both:
	// refined once, it keeps the tolerance in each. For eyes a small way apart, see
	// [lodcpu.View.Stereo]; they must look in one direction, with one field of view, size
	// and tolerance, by one algorithm.
	Shares bool

	// Apart says that the view is drawn in a pass of its own, where no other lies under it. One
	// of depth alone always is.
	Apart bool

	// Layered has the view drawn together with the one before it, whose mesh it shares and
	// whose place and look it has, by the same draws: [Terrain.DrawView] of that one, in a pass
	// with a view mask of 3 and images of two layers, draws both. It needs the device's
	// Multiview, and no things on the terrain. Where it cannot be had, draw both by themselves:
	// the pictures are the same.
	Layered bool
}

func (v *View) rect() image.Rectangle { return image.Rect(v.X, v.Y, v.X+v.Width, v.Y+v.Height) }

// viewing is what a Terrain knows of a view, from frame to frame and of the frame that is
// being prepared.
type viewing struct {
	number   int
	view     lodcpu.View
	within   lodcpu.View // sees all that is drawn from its mesh
	lod      lodcpu.View // what levels of detail are for
	algo     Algorithm
	first    int // the view whose mesh it is drawn from: mostly itself
	sharing  int // views that are drawn from its own, itself too
	law      lodcpu.Law
	rule     lodcpu.Law // by which levels are loaded, of BilLOD
	governor lodcpu.Governor
	motion   motion
	calm     calming // of things
	place    pipeline.Place
	last     pipeline.Stats
	props    PropStats
}

// ViewStats describes a view of the last frame.
type ViewStats struct {
	pipeline.Stats
	Algorithm Algorithm
	Tau       float64 // pixels: the bound that the view keeps
	Shared    bool    // drawn from the mesh of a view before it
	Props     PropStats
}

// PrepareViews is [Terrain.Prepare] for several views of one frame. Each has a part of the
// frame ring of its own; what is loaded, and the budget, they share: of that each has what its
// picture is of all pictures. Things stand around the first view's eye. What a view needs on the
// device stays until Close: call this with as many views as before, in the same order, and a
// frame allocates nothing.
//
// The number of Vulkan calls depends on that of views alone.
func (t *Terrain) PrepareViews(f *vk.Frame, views []View) error {
	if err := t.load(f, views); err != nil {
		return err
	}
	defer t.choose(0)
	for i := range views {
		t.choose(i)
		if err := t.prepareView(&views[i].Look); err != nil {
			return err
		}
	}
	return nil
}

// LoadViews is [Terrain.Load] for several views.
func (t *Terrain) LoadViews(f *vk.Frame, views []View) error {
	t.unseen = true
	err := t.load(f, views)
	t.unseen = false
	t.drawable = t.drawable[:0] // what they show may be replaced
	return err
}

// DrawView records one of the views that PrepareViews made ready, inside a pass of the
// formats of Options whose depth is cleared to 0. Viewport and scissor are set to the view's
// place. A view that lies over one before it must be drawn after it, in the same pass. One
// that is layered has been drawn with the one before it.
func (t *Terrain) DrawView(c *vk.CommandBuffer, i int) {
	if v := t.views[i]; v.place.Layered && v.first != i {
		return
	}
	t.choose(i)
	t.renderer.Draw(c)
	t.choose(0)
}

// ViewStats returns what PrepareViews last did for a view.
func (t *Terrain) ViewStats(i int) ViewStats {
	v := t.views[:t.many][i]
	return ViewStats{
		Stats: v.last, Algorithm: v.algo, Tau: t.views[v.first].governor.Tau(v.lod.Tau), Shared: v.first != i, Props: v.props,
	}
}

// CheckView is [Terrain.Check] of a view.
func (t *Terrain) CheckView(i int) (Check, error) {
	t.choose(i)
	defer t.choose(0)
	return t.Check()
}

// MeshView is [Terrain.Mesh] of a view.
func (t *Terrain) MeshView(i int) *Mesh {
	t.choose(i)
	defer t.choose(0)
	return t.Mesh()
}

// choose says which of the frame's views all is about from here on.
func (t *Terrain) choose(i int) {
	t.viewing = t.views[:max(t.many, 1)][i]
	if t.renderer != nil {
		t.renderer.Choose(i)
	}
}

// checkViews returns an error that says what is wrong with views.
func (t *Terrain) checkViews(views []View) error {
	if len(views) == 0 {
		return errors.New("no view")
	}
	for i := range views {
		err := t.checkView(views, i)
		if err == nil {
			err = t.checkLayered(views, i)
		}
		switch {
		case err != nil && len(views) == 1:
			return fmt.Errorf("view: %w", err)
		case err != nil:
			return fmt.Errorf("view %d: %w", i, err)
		}
	}
	return nil
}

func (t *Terrain) checkView(views []View, i int) error {
	v := &views[i]
	if err := v.Check(); err != nil {
		return err
	}
	if v.LOD != nil {
		if err := v.LOD.Check(); err != nil {
			return err
		}
	}
	if v.X < 0 || v.Y < 0 {
		return fmt.Errorf("its corner is at %d, %d: must be 0 or more", v.X, v.Y)
	}
	if t.paged.pager != nil && t.algorithmOf(v) == BilLOD {
		return errors.New("an endless world has no BilLOD")
	}
	if !v.Shares {
		return nil
	}
	if i == 0 {
		return errors.New("there is none before it whose mesh it could share")
	}
	o := &views[i-1]
	a, b := v.View, o.View
	b.Eye = a.Eye
	if a != b || t.algorithmOf(v) != t.algorithmOf(o) {
		return errors.New("it shares the mesh of a view of another direction, field of view, size, tolerance or algorithm")
	}
	if o.Layered {
		return errors.New("it shares the mesh of two views that are drawn at once")
	}
	return nil
}

// checkLayered says whether a view can be drawn together with the one before it.
func (t *Terrain) checkLayered(views []View, i int) error {
	v := &views[i]
	if !v.Layered {
		return nil
	}
	switch o := &views[max(i-1, 0)]; {
	case !v.Shares || o.Shares:
		return errors.New("it is to be drawn at once with one whose mesh is not made for these two")
	case v.X != o.X || v.Y != o.Y || !sameLook(v.Look, o.Look):
		return errors.New("it is to be drawn at once with one of another place or look")
	case !t.dev.Features.Multiview:
		return errors.New("the device does not draw into several layers at once")
	case t.planting != nil:
		return errors.New("what stands on the terrain is not drawn into several layers at once")
	}
	return nil
}

func sameLook(a, b pipeline.Look) bool {
	if a.Clear != nil && b.Clear != nil && *a.Clear == *b.Clear {
		a.Clear = b.Clear
	}
	return a == b
}

func (t *Terrain) algorithmOf(v *View) Algorithm {
	if v.Algorithm == nil {
		return t.algo0
	}
	return *v.Algorithm
}

// take takes the views of a frame.
func (t *Terrain) take(views []View) error {
	for i := len(t.views); i < len(views); i++ {
		t.views = append(t.views, &viewing{number: i})
	}
	area := 0
	for i := range views {
		area += views[i].Width * views[i].Height
	}
	t.many = len(views)
	for i := range views {
		v := t.views[i]
		v.take(views, i)
		v.algo = t.algorithmOf(&views[i])
		v.governor.Budget = shareOf(t.limits, views[i].Width*views[i].Height, area)
		if v.first != i {
			v.first = t.views[i-1].first
			t.views[v.first].sharing++
		}
		if err := t.renderer.Select(i); err != nil {
			return err
		}
		t.renderer.Refine(t.refinerNumber(v.algo))
		t.renderer.Put(v.place)
	}
	t.choose(0)
	return nil
}

// take takes what is the view's alone.
func (v *viewing) take(views []View, i int) {
	given := &views[i]
	v.view, v.within, v.lod = given.View, given.View, given.View
	v.first, v.sharing = i, 1
	if given.LOD != nil {
		v.lod = *given.LOD
	}
	if given.Shares {
		v.first = i - 1
	}
	v.place = pipeline.Place{X: given.X, Y: given.Y, Layered: given.Layered || i+1 < len(views) && views[i+1].Layered}
	for k := range views[:i] {
		if given.Apart || given.Look.DepthOnly || views[k].Look.DepthOnly {
			continue
		}
		v.place.Over = v.place.Over || given.rect().Overlaps(views[k].rect())
	}
}

// shareOf returns what part of a budget a view has.
func shareOf(b lodcpu.Budget, area, all int) lodcpu.Budget {
	part := func(n int64) int64 {
		if n <= 0 || area == all {
			return n
		}
		return max(1, int64(float64(n)*float64(area)/float64(all)))
	}
	return lodcpu.Budget{Triangles: int(part(int64(b.Triangles))), Indices: int(part(int64(b.Indices))), Refine: time.Duration(part(int64(b.Refine)))}
}

// refinerNumber returns the renderer's number of an algorithm, which it may hear of first
// here.
func (t *Terrain) refinerNumber(a Algorithm) int {
	if a == t.algo0 {
		return 0
	}
	if t.refiners[a] == 0 {
		t.refiners[a] = t.renderer.AddRefiner("terrain "+a.String(), func() lodcpu.Refiner { return t.refiner(a, t.drawing.Topology) })
	}
	return t.refiners[a]
}

// mates returns the cameras that levels of detail are for of all views drawn from the
// chosen view's mesh, and a view that sees what they see.
func (t *Terrain) mates() (lods []lodcpu.View, within lodcpu.View) {
	t.scratch = t.scratch[:0]
	for _, v := range t.views[t.number : t.number+t.sharing] {
		t.scratch = append(t.scratch, v.view)
	}
	within = lodcpu.EyesView(t.scratch)
	for i, v := range t.views[t.number : t.number+t.sharing] {
		t.scratch[i] = v.lod
	}
	return t.scratch, within
}

// makeLaws makes the law of each mesh.
func (t *Terrain) makeLaws() {
	for i, v := range t.views[:t.many] {
		if t.choose(i); v.first == i {
			t.makeLaw()
		}
	}
	t.choose(0)
}

// aim lists what views need loaded, by their own laws: those from the given number on.
func (t *Terrain) aim(from int) {
	for i := from; i < t.many; i++ {
		if v := t.views[i]; v.first == i && !t.seenBefore(i) {
			t.choose(i)
			t.cameras = append(t.cameras, t.cameraOf(v, t.needed()))
		}
	}
	t.choose(0)
}

// seenBefore says whether a view needs what one before it needs.
func (t *Terrain) seenBefore(i int) bool {
	v := t.views[i]
	for _, o := range t.views[:i] {
		if o.lod == v.lod && o.algo == v.algo && o.first == o.number && v.sharing <= 1 {
			return true
		}
	}
	return false
}

func (t *Terrain) cameraOf(v *viewing, law *lodcpu.Law) streaming.Camera {
	return streaming.Camera{Law: law, View: &v.lod, Velocity: v.motion.velocity, Turn: v.motion.turn}
}

// prepareView makes the chosen view ready.
func (t *Terrain) prepareView(look *pipeline.Look) (err error) {
	t.renderer.SetMorph(t.mover())
	if t.last, err = t.refineView(look); err != nil {
		return err
	}
	return t.prepareProps()
}

// refineView refines the chosen view, or takes what has been refined for it.
func (t *Terrain) refineView(look *pipeline.Look) (pipeline.Stats, error) {
	if first := t.views[t.first]; first != t.viewing {
		t.law = first.law
		if first.last.Anchored && !t.place.Layered {
			return t.prepareAnchored(look)
		}
		st := first.last
		st.Refine, st.Redone, st.IndexBytes = 0, 0, 0
		return st, t.renderer.PrepareShared(t.frame, first.number, &t.view, &t.law, look)
	}
	t.scaleNodes()
	if t.anchor.on && t.algo == t.algo0 {
		return t.prepareAnchored(look)
	}
	return t.prepareNow(look)
}

// total sums up what views took.
func (t *Terrain) total() (st pipeline.Stats, things PropStats) {
	for i, v := range t.views[:max(t.many, 1)] {
		if i == 0 {
			st, things = v.last, v.props
			continue
		}
		st.Counts.Add(v.last.Counts)
		st.Tiles, st.Draws, st.Refine = st.Tiles+v.last.Tiles, st.Draws+v.last.Draws, st.Refine+v.last.Refine
		st.Redone, st.IndexBytes = st.Redone+v.last.Redone, st.IndexBytes+v.last.IndexBytes
		things.add(&v.props)
	}
	return st, things
}

// add adds what another view took. Bounds are those of all.
func (s *PropStats) add(o *PropStats) {
	s.Instances, s.Triangles, s.Indices, s.Draws = s.Instances+o.Instances, s.Triangles+o.Triangles, s.Indices+o.Indices, s.Draws+o.Draws
	s.Tau, s.Dropped, s.Select = max(s.Tau, o.Tau), s.Dropped+o.Dropped, s.Select+o.Select
}
