package vkterrain

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/query"
)

// anchoring makes meshes that serve many frames: see [Options].Anchored.
type anchoring struct {
	on     bool
	margin float64 // metres; 0 chooses by speed
	nodes  *nodes  // of BilLOD, nil for others

	// What the eye does, a frame.
	last     lodcpu.View
	known    bool
	moved    mgl64.Vec3 // metres, in the last frame
	velocity mgl64.Vec3 // metres, smoothed
	rise     float64    // share by which B of frames' laws grows, smoothed
	fall     float64    // and falls
	frameB   float64    // of the last frame
	squeeze  float64    // share of the margin that the budget leaves room for

	next    lodcpu.Law // of the mesh to be made next
	hasNext bool

	spread float64 // see [pipeline.AnchorStats], of the mesh shown
	inView float64 // part of its triangles that is, smoothed; 0 if it is not known

	frame   uint64
	started uint64 // frame in which the mesh that is being made was begun
	latency float64
	begun   uint64 // meshes
	loaded  uint64 // changes of what is loaded, when the newest mesh was begun
	changes uint64 // and when the one shown was

	fineness, loadedFineness, shownFineness float64 // of the mesh planned, begun, and shown
	holds                                   []*hold
	drops                                   []drop
	late                                    int

	released func(token any)
}

// hold is what a mesh keeps in memory: the snapshots of tiles it was made of.
type hold struct {
	held query.Held
	busy bool
}

// drop is a level that is unloaded, but may be drawn until a mesh is shown that was
// begun later.
type drop struct {
	slot  pipeline.Slot
	level terrain.Level
	begun uint64 // meshes until then
}

// An anchor serves that many frames of a flight, as its cost asks.
const (
	fewFrames  = 30
	mostFrames = 600
)

// spared is how many times as long making meshes for single frames takes as making
// those for anchors is to take.
const spared = 30

// A margin m takes up to nearGrowth·m/d times as many triangles at distance d, and may
// take marginShare of all: what is active around the eye covers an area, or a little
// more than that, see docs/refine.md.
const (
	nearGrowth  = 2.3
	marginShare = 0.022
)

// mostMargin, in metres, is all that any view is away from.
const mostMargin = 1e20

// leastMargin is in samples: so that a camera that begins to move finds a mesh ready.
const leastMargin = 4

// How much larger B of an anchor is at least than that of the view for which it is
// made, and when it is so much larger than a view's that the mesh is made anew; more
// where so many frames change it by more.
const (
	leastSlack = 0.003
	wasteful   = 0.015
	turnFrames = 20
)

// tooFine is how many times as fine a mesh may be as the view asks, by picture and
// tolerance, and how many times the margin it may have, before it is made anew.
const tooFine = 1.15

// fineness is what B of a law is proportional to, whatever the view looks at.
func fineness(v *lodcpu.View) float64 { return v.Kappa() / v.Tau }

// watch follows the eye.
func (a *anchoring) watch(v *lodcpu.View) {
	a.frame++
	if a.known {
		moved := v.Eye.Sub(a.last.Eye)
		const memory = 0.85
		a.velocity = a.velocity.Mul(memory).Add(moved.Mul(1 - memory))
		if moved.Len() > 4*a.velocity.Len()+1e-9 && moved.Len() > a.next.A && moved.Sub(a.moved).Len() > moved.Len()/2 {
			a.velocity = mgl64.Vec3{} // not a movement, which would go on like that, but a leap
		}
		a.moved = moved
	}
	a.last, a.known = *v, true
}

// watchLaw follows B of frames, which changes with pitch and, where the eye is outside
// the world's box, with heading.
func (a *anchoring) watchLaw(frame *lodcpu.Law, fineness float64) {
	const memory = 0.9
	a.rise, a.fall = a.rise*memory, a.fall*memory
	if a.frameB > 0 && fineness == a.fineness {
		a.rise, a.fall = max(a.rise, frame.B/a.frameB-1), max(a.fall, 1-frame.B/a.frameB)
	}
	a.frameB = frame.B
}

// shows is told how many triangles the mesh shown has, and that c of it is in view.
func (a *anchoring) shows(triangles int, c lodcpu.Counts) {
	part := float64(c.Triangles) / float64(max(triangles, 1))
	if a.inView == 0 {
		a.inView = part
	}
	a.inView += (part - a.inView) / 16
}

// reach returns the margin in metres of the next mesh: by the speed of the eye and how
// many frames a mesh is to serve, so that making it costs little a frame; but not so
// much that it would have many more triangles than meshes for single views.
func (a *anchoring) reach(w *terrain.World) float64 {
	if a.margin > 0 {
		return min(a.margin, mostMargin)
	}
	frames := 2.0 * fewFrames
	if a.inView > 0 {
		frames = min(max(spared/a.inView, frames), mostFrames)
	}
	// The eye goes through 0.9 of the ball.
	speed := a.velocity.Len() / 1.8
	margin := max(speed*fewFrames, min(speed*frames, a.most()))
	return max(margin*a.squeeze, a.least(w))
}

// most returns the margin that costs as many triangles as it may.
func (a *anchoring) most() float64 {
	if a.spread <= 0 {
		return math.Inf(1)
	}
	return marginShare / nearGrowth / a.spread
}

// least returns the margin for an eye that does not move.
func (a *anchoring) least(w *terrain.World) float64 { return min(leastMargin*w.Spacing, a.most()) }

// plan makes the law of the next mesh, if the one there is does not suit the view any
// more. Its middle lies ahead, so that the eye crosses most of the ball.
func (a *anchoring) plan(v *lodcpu.View, w *terrain.World, frame *lodcpu.Law) {
	a.watchLaw(frame, fineness(v))
	wait := a.latency + 2
	margin := a.reach(w)
	soon := *frame
	soon.Eye = v.Eye.Add(a.velocity.Mul(2*wait + 2))
	soon.B *= 1 + a.rise*(2*wait+2)
	if a.hasNext && a.next.Covers(frame) && a.next.Covers(&soon) && a.next.A-a.nodes.near() < 4*margin && a.next.B < (1+wasteful+(a.rise+a.fall)*turnFrames)*soon.B && slices.Equal(a.next.Radius, frame.Radius) {
		return
	}
	a.fineness = fineness(v)
	a.next = *frame
	a.next.Eye = v.Eye.Add(a.velocity.Mul(max(0, margin/max(a.velocity.Len(), 1e-9)*0.8)))
	a.next.A += margin
	a.next.B *= 1 + max(a.rise*(2*wait+turnFrames), leastSlack)
	a.hasNext = true
}

// anchorSuits says whether the mesh shown was made by the law that is planned and of all that
// is loaded.
func (t *Terrain) anchorSuits() bool {
	a := &t.anchor
	shown := t.renderer.Anchored()
	return shown != nil && sameAnchor(shown, &a.next) && a.changes == t.stream.Stats().Changes
}

func sameAnchor(a, b *lodcpu.Law) bool {
	return a.Eye == b.Eye && a.A == b.A && a.B == b.B && a.Haze == b.Haze && slices.Equal(a.Radius, b.Radius)
}

// swap shows the mesh that has been made since the last frame, if there is one.
func (t *Terrain) swap() {
	a := &t.anchor
	if !t.renderer.Swap(a.released) {
		return
	}
	a.changes, a.shownFineness = a.loaded, a.loadedFineness
	a.spread = t.renderer.AnchorStats().Spread // the plan of this frame asks for it, so that what suits it suits the next
	a.latency += (float64(a.frame-a.started) - a.latency) / 4
	t.dropBefore(a.begun)
}

// dropBefore gives back the levels that were unloaded before a mesh was begun.
func (t *Terrain) dropBefore(begun uint64) {
	a := &t.anchor
	keep := a.drops[:0]
	for _, d := range a.drops {
		if d.begun < begun {
			t.drop(d.slot, d.level)
		} else {
			keep = append(keep, d)
		}
	}
	a.drops = keep
}

// begin begins a mesh by the planned law of all that is loaded, if there is none yet.
func (t *Terrain) begin() error {
	a := &t.anchor
	if t.renderer.Building() || t.anchorSuits() {
		return nil
	}
	h := a.freeHold()
	h.held, h.busy = t.loaded.Hold(), true
	a.begun++
	if err := t.renderer.Anchor(&a.next, t.drawable, h); err != nil {
		a.released(h)
		return err
	}
	a.started, a.loaded, a.loadedFineness = a.frame, t.stream.Stats().Changes, a.fineness
	return nil
}

func (a *anchoring) freeHold() *hold {
	for _, h := range a.holds {
		if !h.busy {
			return h
		}
	}
	h := &hold{}
	a.holds = append(a.holds, h)
	return h
}

// onReleased lets go of what a mesh was made of.
func (t *Terrain) onReleased(token any) {
	h := token.(*hold)
	t.loaded.Release(h.held)
	h.busy = false
}

// giveUp ends what is shown, because vertices are about to change under it.
func (t *Terrain) giveUp() {
	if t.anchor.on {
		t.renderer.Unanchor(t.anchor.released)
		t.dropBefore(math.MaxUint64)
	}
}

// planAnchor plans the next mesh for the frame's law.
func (t *Terrain) planAnchor() {
	v := t.lod
	v.Tau = t.governor.Tau(v.Tau)
	t.anchor.plan(&v, t.world, &t.law)
}

// prepareAnchored draws the mesh of an anchor that covers the view. Where none covers
// it, as after a leap, or takes more than the budget, it refines the tiles in view for
// this frame.
func (t *Terrain) prepareAnchored(look *pipeline.Look) (pipeline.Stats, error) {
	shown := t.renderer.Anchored()
	if shown != nil && shown.Covers(&t.law) && slices.Equal(shown.Radius, t.law.Radius) && (t.first == 0 || shown.B <= tooFine*t.law.B) {
		sees := &t.view
		if t.place.Layered {
			sees = &t.within
		}
		c := t.renderer.InView(sees, &t.law, look)
		if t.number == 0 {
			t.anchor.shows(t.renderer.AnchorStats().Triangles, c)
		}
		if t.withinBudget(shown, c) {
			return t.renderer.PrepareAnchored(t.frame, &t.view, &t.law, look)
		}
		t.makeLaw()
	}
	if shown != nil && t.number == 0 {
		t.anchor.late++
	}
	return t.prepareNow(look)
}

// withinBudget says whether the mesh of an anchor may be drawn, of which c is in view.
// If not, the next one will have less margin, or if there is none to spare, the
// tolerance is raised.
func (t *Terrain) withinBudget(shown *lodcpu.Law, c lodcpu.Counts) bool {
	a := &t.anchor
	if t.number > 0 {
		return !t.governor.Exceeds(c)
	}
	if !t.governor.Exceeds(c) {
		t.governor.Judge(c, 0)
		a.squeeze = min(a.squeeze+1.0/512, 1)
		return true
	}
	if a.shownFineness > tooFine*a.fineness || shown.A > tooFine*a.next.A {
		return false // it was made before the last such change, and says nothing of it
	}
	if shown.A > tooFine*a.least(t.world) && a.margin <= 0 {
		a.squeeze = max(a.squeeze/2, 1.0/64)
		a.hasNext = false
		return false
	}
	t.governor.Judge(c, 0)
	return false
}

// prepareNow refines the tiles in view, by a tolerance that the budget allows.
func (t *Terrain) prepareNow(look *pipeline.Look) (pipeline.Stats, error) {
	for {
		if !look.DrawAll {
			t.law.Cull = t.within.Cull(t.law.Eye)
		}
		st, err := t.renderer.Prepare(t.frame, &t.view, &t.within, &t.law, look, t.drawable)
		if err != nil || !t.governor.Judge(st.Counts, st.Refine) {
			return st, err
		}
		t.makeLaw()
	}
}
