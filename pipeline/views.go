package pipeline

import (
	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/vk"
)

// picture is what the renderer keeps of one view of a frame. Each has a span of the ring
// and descriptor sets of its own; vertices, pipelines and the ring are everybody's.
type picture struct {
	sets    *vk.Sets // of the frame slots
	setPool []int    // pool version the set of each frame slot was written for
	props   pictureProps
	place   Place
	team    int

	direct []vk.DrawIndexedIndirect // the frame's commands, where they are drawn one by one

	want   uint64 // indices to reserve for the next frame, beyond what is expected
	expect expectation
	drawn  []int // drawables in view, indices into the frame's list
	seen   []inView
	ranges []lodcpu.Range
	frame  prepared
}

// pictureProps is what a view needs to draw things.
type pictureProps struct {
	sets    *vk.Sets
	version []int // of the vertices that the set of each frame slot was written for
	frame   preparedProps
	direct  []vk.DrawIndexedIndirect
}

// Place is where a view goes.
type Place struct {
	X, Y int // of its upper left corner, pixels

	// Over says that something has been drawn there before, in the same pass: depth is
	// cleared first.
	Over bool

	// Layered has the view drawn together with another eye's, which shares its mesh, into
	// layers 0 and 1 of a pass whose view mask is 3: both have it.
	Layered bool
}

// Select says which of several views of a frame Prepare, PrepareAnchored, PrepareProps,
// PrepareShared, Draw, Drawn and DrawnJobs are about from here on. The first is 0, which
// it is until this is called. What a view needs is made when it is selected first.
func (r *Renderer) Select(view int) error {
	for len(r.pictures) <= view {
		p := &picture{want: slack}
		var err error
		if p.sets, err = r.dev.NewSets("terrain", r.setLayout, r.dev.FramesInFlight); err != nil {
			return err
		}
		p.setPool = make([]int, r.dev.FramesInFlight)
		for i := range p.setPool {
			p.setPool[i] = -1
		}
		r.pictures = append(r.pictures, p)
	}
	r.picture = r.pictures[view]
	return nil
}

// Choose is Select of a view that was selected before.
func (r *Renderer) Choose(view int) { r.picture = r.pictures[view] }

// Put says where the selected view goes, from the next Prepare on.
func (r *Renderer) Put(p Place) { r.place = p }

// AddRefiner has views refined in another way than [Options].NewRefiner says, of the same
// topology, by as many workers. It returns what [Renderer.Refine] takes; 0 is that of the
// options.
func (r *Renderer) AddRefiner(label string, newRefiner func() lodcpu.Refiner) int {
	r.teams = append(r.teams, labelled{r.newTeam(r.options.Workers, newRefiner), label})
	return len(r.teams) - 1
}

// Refine says by which refiner the selected view is refined.
func (r *Renderer) Refine(refiner int) {
	if r.picture.team != refiner {
		r.picture.team, r.expect = refiner, expectation{}
	}
}

// labelled is a team and what its draws are called in a debugger.
type labelled struct {
	team
	label string
}

// PrepareShared makes the selected view ready to be drawn from what another one, prepared
// before it in the same frame, has refined under the same law: the other eye's. Where both
// are layered, what Draw of the other records draws both, and this one has no Draw.
func (r *Renderer) PrepareShared(f *vk.Frame, from int, v *lodcpu.View, law *lodcpu.Law, look *Look) error {
	o := r.pictures[from]
	if r.place.Layered {
		return r.prepareEyes(f, o, v, law, look)
	}
	offset, err := r.reserve(f, frameConstantsBytes)
	if err != nil {
		return err
	}
	r.drawn = append(r.drawn[:0], o.drawn...)
	r.frame = o.frame
	r.frame.props = false
	if err := r.finish(f, v, law, look, offset); err != nil {
		return err
	}
	r.spans.Submit(f.Value)
	return nil
}

// prepareEyes makes a picture ready to be drawn at once for its own view and for v, which is
// of the selected picture.
func (r *Renderer) prepareEyes(f *vk.Frame, o *picture, v *lodcpu.View, law *lodcpu.Law, look *Look) error {
	offset, err := r.reserve(f, 2*eyeConstantsBytes)
	if err != nil {
		return err
	}
	r.drawn = append(r.drawn[:0], o.drawn...)
	defer func(own *picture) { r.picture = own }(r.picture)
	r.picture = o
	p := &r.frame
	if err := r.writeConstants(f, &p.view, law, &p.look, offset); err != nil {
		return err
	}
	if err := r.writeConstants(f, v, law, look, offset+eyeConstantsBytes); err != nil {
		return err
	}
	p.constants = r.ring.Range(offset, 2*eyeConstantsBytes)
	r.writeSet(f, p.constants, p.tiles)
	r.spans.Submit(f.Value)
	return r.choosePipelines(look)
}

// destroyPictures frees what views have.
func (r *Renderer) destroyPictures() {
	for _, p := range r.pictures {
		p.sets.Destroy()
		if p.props.sets != nil {
			p.props.sets.Destroy()
		}
	}
	r.pictures, r.picture = nil, nil
}

// origin is the eye to whose cell of the world all that shaders see is relative.
type origin = mgl64.Vec3
