package pipeline

import (
	"fmt"
	"time"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk"
)

// mesh is what all tiles are drawn as for the views of an anchor: indices that stay
// for many frames.
type mesh struct {
	buffer  vk.Buffer // indices; mapped, never read
	lastUse uint64    // value of the last frame that draws it

	law    lodcpu.Law
	slots  []Slot
	jobs   []lodcpu.Job // as they were when it was made
	runs   []lodcpu.Runs
	spans  []lodcpu.Span
	counts lodcpu.Counts
	spread float64 // see AnchorStats
	ok     bool
	time   time.Duration
	token  any // the caller's
}

// anchors makes meshes in the background, one at a time.
type anchors struct {
	layout  *terrain.Layout
	newTeam func() team
	team    team // of the background; nil until there is one
	start   chan *mesh
	made    chan *mesh
	closed  chan struct{}

	meshes   []*mesh // all there are
	shown    *mesh   // what is drawn, or nil
	building *mesh   // or nil
	discard  bool    // what is being built is out of date
	expect   expectation
	growth   uint64 // indices to have room for beyond what is expected

	stats AnchorStats
}

// AnchorStats is what has been done about anchors so far.
type AnchorStats struct {
	Built  int           // meshes
	Refine time.Duration // time it took to make them, in the background
	Margin float64       // metres, of the mesh shown

	// Of the mesh shown, in view or not: indices and triangles, and the mean over its
	// triangles of 1/distance, 1/m, by tile.
	Indices, Triangles int
	Spread             float64
}

// loop makes meshes until it is told to stop.
func (a *anchors) loop() {
	for m := range a.start {
		start := time.Now()
		m.counts, m.ok = a.team.refine(m.buffer.Bytes(), m.jobs, &m.law, m.spans)
		m.time = time.Since(start)
		m.measure(a.layout)
		a.made <- m
	}
	a.team.Close()
	close(a.closed)
}

// measure finds out how far away the triangles are.
func (m *mesh) measure(layout *terrain.Layout) {
	m.spread = 0
	for i := range m.jobs {
		t := m.jobs[i].Tile.Info
		middle := (m.law.Distance(layout, t) + m.law.Farthest(layout, t)) / 2
		m.spread += float64(m.spans[i].Triangles) / middle / float64(max(m.counts.Triangles, 1))
	}
}

// close waits for what is being made.
func (a *anchors) close() {
	if a.team != nil {
		close(a.start)
		<-a.closed
	}
	for _, m := range a.meshes {
		m.buffer.Destroy()
	}
	a.meshes, a.shown, a.building = nil, nil, nil
}

// Building says whether a mesh for an anchor is being made.
func (r *Renderer) Building() bool { return r.anchors.building != nil }

// AnchorStats returns what has been done about anchors so far.
func (r *Renderer) AnchorStats() AnchorStats { return r.anchors.stats }

// Anchored returns the law of the mesh that PrepareAnchored draws, or nil if there is
// none.
func (r *Renderer) Anchored() *lodcpu.Law {
	if r.anchors.shown == nil {
		return nil
	}
	return &r.anchors.shown.law
}

// Anchor begins to make a mesh of tiles under law in the background, and returns at
// once. It may do so only while none is being made. token is given back by [Renderer.Swap].
// Tile snapshots must not change until then, nor while the mesh is shown.
func (r *Renderer) Anchor(law *lodcpu.Law, tiles []Drawable, token any) error {
	a := &r.anchors
	if a.building != nil {
		panic("pipeline: Anchor while a mesh is being made")
	}
	if a.team == nil {
		a.team = a.newTeam()
		a.start, a.made, a.closed = make(chan *mesh, 1), make(chan *mesh, 1), make(chan struct{})
		go a.loop()
	}
	m, err := r.freeMesh()
	if err != nil {
		return err
	}
	m.law, m.token = *law, token
	m.jobs, m.slots = m.jobs[:0], m.slots[:0]
	for len(m.runs) < len(tiles) {
		m.runs = append(m.runs, lodcpu.Runs{Layout: r.layout, Topology: r.topology})
	}
	for i := range tiles {
		d := &tiles[i]
		m.jobs = append(m.jobs, lodcpu.Job{Tile: d.Tile, Near: *d.Near, Expect: a.expect.of(d.Slot), Runs: &m.runs[i]})
		m.slots = append(m.slots, d.Slot)
	}
	if n := len(m.jobs); cap(m.spans) < n {
		m.spans = make([]lodcpu.Span, n, 2*n)
	}
	m.spans = m.spans[:len(m.jobs)]
	if err := r.roomFor(m, uint64(lodcpu.Room(m.jobs))+max(a.growth, slack)); err != nil {
		return err
	}
	a.building, a.discard = m, false
	a.start <- m
	return nil
}

// freeMesh returns a mesh that no frame draws any more, or a new one.
func (r *Renderer) freeMesh() (*mesh, error) {
	done, err := r.dev.Graphics.Completed()
	if err != nil {
		return nil, err
	}
	for _, m := range r.anchors.meshes {
		if m != r.anchors.shown && m.lastUse <= done {
			return m, nil
		}
	}
	m := &mesh{}
	r.anchors.meshes = append(r.anchors.meshes, m)
	return m, nil
}

// roomFor gives m, which nobody uses, a buffer of at least so many indices.
func (r *Renderer) roomFor(m *mesh, indices uint64) error {
	if m.buffer.Size >= r.indexBytes*indices {
		return nil
	}
	if m.buffer.Size > 0 {
		m.buffer.Destroy()
		m.buffer = vk.Buffer{}
	}
	size := r.indexBytes * (indices + indices/2)
	b, err := r.dev.NewBuffer(vk.BufferInfo{Name: "anchor/indices", Size: size, Kind: vk.Upload, Usage: vk.UsageIndex})
	if err != nil {
		return fmt.Errorf("indices of an anchor, %d MiB: %w", size>>20, err)
	}
	m.buffer = b
	return nil
}

// Swap puts the mesh that has been made in the place of the one shown, if it is ready.
// The tokens of both are given to released, as far as they will not be used any more.
func (r *Renderer) Swap(released func(token any)) (swapped bool) {
	a := &r.anchors
	if a.building == nil {
		return false
	}
	select {
	case m := <-a.made:
		a.building = nil
		a.stats.Refine += m.time
		r.learn(m)
		if !m.ok || a.discard {
			released(m.token)
			return false
		}
		if a.shown != nil {
			released(a.shown.token)
		}
		a.shown = m
		a.stats.Built++
		a.stats.Margin, a.stats.Spread = m.law.A, m.spread
		a.stats.Indices, a.stats.Triangles = m.counts.Indices, m.counts.Triangles
		return true
	default:
		return false
	}
}

// learn keeps what tiles needed, and what did not fit.
func (r *Renderer) learn(m *mesh) {
	if !m.ok {
		r.anchors.growth = 2 * max(r.anchors.growth, slack, uint64(lodcpu.Room(m.jobs)))
		return
	}
	r.anchors.growth = slack
	e := &r.anchors.expect
	for i, s := range m.slots {
		e.learn(s, m.spans[i].Indices)
	}
	e.usual = m.counts.Indices / max(len(m.slots), 1)
}

// Unanchor gives up the mesh that is shown, and the one that is being made once it is
// ready: vertices have changed.
func (r *Renderer) Unanchor(released func(token any)) {
	a := &r.anchors
	a.discard = a.building != nil
	if a.shown != nil {
		released(a.shown.token)
		a.shown = nil
	}
}

// inView is a tile of a mesh that is: its ranges are ranges[first:end], or it is
// drawn as a whole if there are none.
type inView struct {
	job        int
	first, end int
}

// InView returns what of the mesh shown the view may see under the frame's law, culled
// piece by piece.
func (r *Renderer) InView(v *lodcpu.View, law *lodcpu.Law, look *Look) (c lodcpu.Counts) {
	start := time.Now()
	m := r.anchors.shown
	r.seen, r.ranges = r.seen[:0], r.ranges[:0]
	sight := v.NewSight()
	rising := r.willRise(m)
	for i := range m.jobs {
		runs := &m.runs[i]
		seen, whole := true, true
		if !look.DrawAll {
			seen, whole = sight.Tile(runs, r.astray(law, runs, rising))
		}
		e := inView{i, len(r.ranges), len(r.ranges)}
		switch {
		case !seen:
			continue
		case whole:
			c.Add(m.spans[i].Counts)
		default:
			r.ranges = runs.Visible(&sight, r.ranges)
			if e.end = len(r.ranges); e.end == e.first {
				continue
			}
			c.Add(runs.Of(r.ranges[e.first:]))
		}
		r.seen = append(r.seen, e)
	}
	r.seenNearFirst(v)
	r.culling = time.Since(start)
	return c
}

// seenNearFirst orders what is in view.
func (r *Renderer) seenNearFirst(v *lodcpu.View) {
	r.order.begin(cap(r.seen))
	for i, e := range r.seen {
		r.order.add(r.world, v, r.anchors.shown.jobs[e.job].Tile.Info.Key, i)
	}
	r.unordered = append(r.unordered[:0], r.seen...)
	for i, d := range r.order.sorted() {
		r.seen[i] = r.unordered[d.index]
	}
}

// astray returns how far in metres vertices of a tile may be drawn above or below their
// heights under the frame's law. A vertex that moves, or is held in store, is where a
// mesh has it that keeps the law's bound: off by at most what could be seen.
func (r *Renderer) astray(law *lodcpu.Law, tile *lodcpu.Runs, rising bool) float64 {
	switch {
	case r.morph == nil:
		return 0
	case rising:
		return tile.Height()
	case !r.morph.Moves():
		return 0
	}
	return law.Hidden(tile.Farthest(law.Eye))
}

// willRise says whether some level rises, or sinks, in a frame that draws m.
func (r *Renderer) willRise(m *mesh) bool {
	rising := r.rise.moving()
	for i := 0; i < len(m.jobs) && r.rise.frames > 0 && !rising; i++ {
		rising = r.rise.isNew(m.slots[i], m.jobs[i].Near.Level())
	}
	return rising
}

// PrepareAnchored makes a frame of the mesh shown ready: it writes constants and
// commands only. law is that of the frame, for what moves. Call InView before.
func (r *Renderer) PrepareAnchored(f *vk.Frame, v *lodcpu.View, law *lodcpu.Law, look *Look) (st Stats, err error) {
	if err := r.release(); err != nil {
		return st, err
	}
	m := r.anchors.shown
	r.rise.tick(f.Value)
	for i := range m.jobs {
		r.rise.show(m.slots[i], m.jobs[i].Tile.Info.Key, m.jobs[i].Near.Level())
	}
	start := time.Now()
	draws := 0
	for _, e := range r.seen {
		draws += max(e.end-e.first, 1)
	}
	s, err := r.reserveSpan(f, len(r.seen), draws, 0)
	if err != nil {
		return st, err
	}
	cx, cz, _, _ := cell(r.world, v.Eye, v.Eye)
	next := 0
	for i, e := range r.seen {
		done := &m.spans[e.job]
		r.writeTile(&s, i, m.slots[e.job], cx, cz)
		if e.first == e.end {
			s.writeCommand(next, i, uint64(done.First), done.Indices)
			next++
			st.Add(done.Counts)
			continue
		}
		for _, p := range r.ranges[e.first:e.end] {
			s.writeCommand(next, i, uint64(done.First+p.First), p.Indices)
			next++
		}
		st.Add(m.runs[e.job].Of(r.ranges[e.first:e.end]))
	}
	st.Tiles, st.Draws, st.Anchored, st.IndexBytes = len(r.seen), draws, true, st.Indices*int(r.indexBytes)
	if err := r.fill(f, v, law, look, &s, m.buffer); err != nil {
		return st, err
	}
	m.lastUse = f.Value
	st.Refine, st.Compiling = time.Since(start)+r.culling, r.variants.pending
	r.spans.Submit(f.Value)
	return st, nil
}

// DrawnJobs calls yield with each tile that the last PrepareAnchored drew, as it was
// when its mesh was made, and with what of its indices it drew.
func (r *Renderer) DrawnJobs(yield func(j *lodcpu.Job, drawn []lodcpu.Range)) {
	m := r.anchors.shown
	for _, e := range r.seen {
		drawn := r.ranges[e.first:e.end]
		if len(drawn) == 0 {
			c := m.spans[e.job].Counts
			drawn = []lodcpu.Range{{Indices: c.Indices, Triangles: c.Triangles}}
		}
		yield(&m.jobs[e.job], drawn)
	}
}
