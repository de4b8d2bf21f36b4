package vkterrain

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/billod"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
	"github.com/vkterrain/vkterrain/terrain/query"
	"github.com/vkterrain/vkterrain/vk"
)

// Options of a terrain. Formats must be those of the passes it is drawn in; the
// rest works as it is.
type Options struct {
	ColorFormat, DepthFormat vk.Format
	Samples                  uint32 // 0 means 1
	Algorithm                Algorithm
	Topology                 lodcpu.Topology
	Thresholds               billod.Thresholds // of BilLOD, see [Terrain.SetThresholds]
	Classic                  bool              // BilLOD by the published tests, of a world baked with them; never anchored
	Timed                    bool              // the GPU's time is measured draw by draw, see [Stats].Passes
	ShaderDebug              bool              // shaders with their source, for a debugger

	// PipelineCache is a folder that keeps what the driver compiled, in a file for each
	// device and driver, so that it need not be compiled again; "" keeps nothing. What
	// cannot be read or written there is no error.
	PipelineCache string

	// Warn, if set, is told of what is no error: a file of PipelineCache that is damaged,
	// and so is ignored. It is called by Open and by [Terrain.Recover].
	Warn func(err error)

	// NoShadows has the ground cast none. Else the world's heights and normals are read in
	// the background after Open, coarsely, and take some 30 MB on the GPU for a large world;
	// what light falls on the ground is told by them, whatever levels are drawn. Colours and
	// materials that a world was baked with are read with them, as much again. Worlds without
	// a rim cast none.
	NoShadows bool

	// Anchored has meshes made in the background that each serve all views within a
	// margin, so that a frame need not refine anything: see [lodcpu.Anchor]. The bound
	// holds as it does without; a frame whose view no mesh covers, as after a leap,
	// is refined on its own. Margin is in metres; 0 chooses by the camera's speed.
	Anchored bool
	Margin   float64

	// Morph makes vertices rise from the edge that they split, over Morph times the
	// distance to their parents: 0.5 is a good choice, 0 means that they appear at
	// once. Only SOAR's do, and BilLOD's within the tolerance. See [lodcpu.Morph].
	Morph float64

	// Rise is over how many frames a level that has just been loaded rises from the surface
	// so far, and one that is given up though the view shows it sinks before it is not
	// drawn any more; 0 is at once. Meanwhile the error may be up to what it was, or will be.
	Rise int

	// Budget bounds what frames take. Where the tolerance asked needs more, it is
	// raised, as [Stats].Tau tells. Triangles and Indices are exceeded only where no
	// tolerance leaves less of the view, as the sums in Stats tell; Refine is kept on average.
	Budget lodcpu.Budget

	// Props stand on the ground; nil is none. They count for the budget, and are the first
	// to give way. See also [Terrain.SetProps].
	Props *Props

	Workers     int   // that refine, the caller being one; 0 means 1
	Loaders     int   // goroutines that read and decode; 0 chooses
	WideIndices bool  // indices of 32 bits, also for tiles of at most 129² samples, for which 16 are enough
	UploadBytes int64 // most bytes of vertices uploaded in a frame; 0 means 8 MiB, below 0 no limit
	Sync        bool  // read in Prepare itself, for pictures that must repeat

	// Levels, if set, fixes the level that each tile loads, whatever the view.
	Levels func(k terrain.Key) terrain.Level

	// Strategy names what decides which levels are loaded: "distance" if it is empty, see
	// package streaming and [Terrain.Streaming].
	Strategy string

	// StreamingBudget bounds what is loaded: bytes in CPU memory and on the GPU, and what
	// loading may take of a frame. See package streaming. But with Sync, UploadTime and FreeTime
	// are a quarter of a millisecond each if they are 0; below 0 they are no bound.
	StreamingBudget streaming.Budget

	// Trace, if set, records what becomes of levels, beside the times of Prepare.
	Trace *streaming.Trace

	// Before is called before each read and each decoding, for tests: see package streaming.
	Before func(w streaming.Work, k terrain.Key, level terrain.Level) error

	// Listener is told what streaming does. Its functions must not wait.
	Listener streaming.Listener
}

// shortTime is what uploading and giving up may each take of a frame.
const shortTime = time.Second / 4000

// inFlight returns how many levels may be with the loaders: enough for all that
// is decoded during one slow frame, and in worlds of many small tiles so many
// that the work of a frame is shared by them. Their buffers take 8 MiB at most.
func inFlight(l *terrain.Layout) int {
	return min(max((8<<20)/(l.Count(0)*terrain.VertexBytes), 32), 1024)
}

// Stats describes the last frame and what the terrain holds. Counts are of all views
// together; what else is of a view is that of the first: see [Terrain.ViewStats].
type Stats struct {
	pipeline.Stats
	Algorithm Algorithm
	// Tau is the bound in pixels that the last frame keeps of what its view needs: above what
	// was asked only for a budget's sake. It says nothing where [Options].Classic has the
	// tests, or Options.Levels or a cap (Streaming.Limited) the levels.
	Tau           float64
	BytesGPU      uint64 // device memory reserved: vertices, rings, tables
	BytesVertices uint64 // of it vertices of loaded levels
	BytesUploaded uint64 // since Open
	BytesMoved    uint64 // since Open: vertices put elsewhere on the device, so that memory becomes free
	BytesRead     uint64 // since Open, as stored in the file
	Streaming     streaming.Stats
	Anchors       pipeline.AnchorStats
	Rising        bool // some level that has been loaded has not risen yet, or one that goes has not sunk
	Late          int  // frames that no anchor covered, though there was one
	Props         PropStats

	// Of the frame that had the slot of the last one before: what the GPU took for passes,
	// those of one name together, for uploads, and what its pipelines did if the host
	// counted that. Passes are valid until the next Prepare. With [Options].Timed they are
	// terrain, lines, props, sky and sea too, inside of the host's own. A GPU that works on
	// several draws at a time gives times that overlap.
	Passes   []vk.PassTime
	Upload   vk.PassTime
	Counters vk.Statistics
}

// Terrain is an open world on a device.
type Terrain struct {
	dev      *vk.Device
	file     *opened // nil in a session and of an endless world
	source   source  // of what is drawn
	editing  editing
	world    *terrain.World
	renderer *pipeline.Renderer
	stream   *streaming.Manager
	algo0    Algorithm // of [Options]
	nodes    *nodes    // of BilLOD, nil for others
	budget   int64
	anchor   anchoring
	morphs   float64
	rise     int
	unseen   bool             // the frame draws nothing
	drawing  pipeline.Options // of the renderer
	compiled pipelineFile
	relief   reliefs
	kept     string        // folder of compiled
	warn     func(error)   // or nil
	morph    *lodcpu.Morph // or nil
	still    *lodcpu.Morph // of algorithms whose vertices do not move, or nil
	loaded   *query.Loaded
	field    *terrain.Field // full resolution, once Check has asked for it
	planting *planting      // what stands on the ground, or nil
	closed   bool
	paged    paged // of an endless world

	// Of the frame being prepared. What is of one of its views is that of the one that is
	// chosen; between calls that is the first.
	*viewing
	views    []*viewing // all there ever were
	many     int        // of them are of the frame
	limits   lodcpu.Budget
	caps     streaming.Budget
	refiners [3]int // numbers of the renderer, by algorithm
	frame    *vk.Frame
	drawable []pipeline.Drawable
	err      error
	one      [1]View // of Prepare
	measured measured
	frozen   lodcpu.View
	scratch  []lodcpu.View

	bySlot         []*streaming.Tile
	users          []any     // slots, as a tile's User
	leaving        []leaving // levels that frames in flight may read
	cameras        []streaming.Camera
	strategyData   any
	sync           bool
	uploaded, read uint64
	arrived        func(pipeline.Slot, terrain.Level)
	evicted        func(*streaming.Tile, terrain.Level)
	upload         func(streaming.Upload) bool
}

// leaving is a level that is not drawn any more, or levels that have become others, and
// what the graphics queue reaches when no frame reads them.
type leaving struct {
	tile   *streaming.Tile
	level  terrain.Level
	levels uint16 // that have become others, or 0
	value  uint64
}

// Open opens a world file and makes what it takes to draw it on dev, which must
// stay alive until Close.
//
// A tile that cannot be read stays at what it has; the Listener hears of it once, and it is
// tried again, later each time. A file that is cut or replaced meanwhile is opened again
// once the same world has its name, and shards that were missing are taken up when they
// are there, but with [Options].Sync.
func Open(path string, dev *vk.Device, o Options) (t *Terrain, err error) {
	file, err := streaming.OpenFile(path)
	if err != nil {
		return nil, err
	}
	t = &Terrain{file: &opened{File: file}}
	if err := t.open(file, dev, o); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if !o.Sync {
		t.file.watch()
	}
	return t, nil
}

// source is where tiles come from: a file, or an edited one.
type source interface {
	streaming.Source
	ReadTile(d *chunkfile.Decoder, k terrain.Key, level terrain.Level) (*terrain.Tile, error)
}

// open makes what it takes to draw src.
func (t *Terrain) open(src source, dev *vk.Device, o Options) (err error) {
	if o.Algorithm == BilLOD {
		if src, err = t.openNodes(src, &o); err != nil {
			return err
		}
	}
	t.dev, t.source, t.world, t.budget, t.algo0 = dev, src, src.World(), o.UploadBytes, o.Algorithm
	t.views, t.limits, t.caps = []*viewing{{}}, o.Budget, o.StreamingBudget
	t.viewing = t.views[0]
	if t.budget == 0 {
		t.budget = 8 << 20
	} else if t.budget < 0 {
		t.budget = 0
	}
	t.drawing = pipeline.Options{
		ColorFormat: o.ColorFormat, DepthFormat: o.DepthFormat, Samples: o.Samples,
		NewRefiner: func() lodcpu.Refiner { return t.refiner(o.Algorithm, o.Topology) }, Workers: o.Workers, Moving: o.Morph > 0 || o.Rise > 0, Topology: o.Topology, ShaderDebug: o.ShaderDebug,
		WideIndices: o.WideIndices, Timed: o.Timed,
		Label: "terrain " + o.Algorithm.String(),
	}
	t.kept, t.warn, t.relief.wanted = o.PipelineCache, o.Warn, !o.NoShadows && !t.world.Endless
	if t.renderer, err = t.newRenderer(); err != nil {
		return err
	}
	if t.loaded == nil {
		t.loaded = query.NewLoaded(t.world, src.Tiles())
	}
	so := streaming.Options{
		Loaders: o.Loaders, InFlight: inFlight(t.world.Layout()), Sync: o.Sync, Listener: t.listener(o.Listener), Readers: t.loaded,
		Budget: o.StreamingBudget, Trace: o.Trace, Before: o.Before,
	}
	if b := &so.Budget; !o.Sync {
		b.UploadTime, b.FreeTime = cmp.Or(b.UploadTime, shortTime), cmp.Or(b.FreeTime, shortTime)
	}
	if o.Rise > 0 {
		so.Sinking = streaming.Sinking{Sink: t.sink, Stay: t.stay}
	}
	if o.Levels != nil {
		so.Fixed = func(k terrain.Key) (terrain.Level, bool) { return o.Levels(k), true }
	}
	t.stream = streaming.New(src, so)
	if o.Strategy != "" {
		if err := t.stream.SetStrategyNamed(o.Strategy); err != nil {
			return errors.Join(err, t.stream.Close(), t.abandon())
		}
	}
	t.arrived, t.evicted, t.upload, t.editing.exchange = t.onArrived, t.onEvicted, t.onUpload, t.onExchange
	t.anchor.squeeze, t.anchor.nodes = 1, t.nodes
	t.anchor.on, t.anchor.margin, t.anchor.released = o.Anchored, o.Margin, t.onReleased
	t.morphs, t.rise, t.sync = o.Morph, o.Rise, o.Sync
	t.renderer.SetRise(o.Rise)
	t.leaving, t.anchor.drops = make([]leaving, 0, 256), make([]drop, 0, 256)
	t.setWorld(t.world)
	if t.relief.start(src); o.Sync {
		t.relief.wait()
	}
	if o.Props != nil {
		if err := t.SetProps(o.Props); err != nil {
			return errors.Join(err, t.stream.Close(), t.abandon())
		}
	}
	return nil
}

// newRenderer makes a renderer on the device.
func (t *Terrain) newRenderer() (*pipeline.Renderer, error) {
	compiled, err := openPipelines(t.dev, t.kept, t.warn)
	if err != nil {
		return nil, err
	}
	t.compiled, t.drawing.Cache = compiled, compiled.cache
	r, err := pipeline.New(t.dev, t.world, t.drawing)
	if err != nil {
		t.compiled.close()
	}
	return r, err
}

// abandon is discard of a terrain that did not open.
func (t *Terrain) abandon() error {
	t.relief.close()
	return t.discard()
}

// discard frees what a terrain has on the device, when that is done with it.
func (t *Terrain) discard() error {
	err := t.dev.WaitIdle()
	if t.renderer != nil { // there is none where Recover failed
		t.renderer.Destroy()
	}
	t.compiled.close()
	return err
}

// listener returns told with what the terrain itself must hear of.
func (t *Terrain) listener(told streaming.Listener) streaming.Listener {
	prepared, evicted, replaced := told.LevelPrepared, told.LevelEvicted, told.TileReplaced
	told.LevelPrepared = func(tile *streaming.Tile, level terrain.Level) {
		t.read += t.storedBytes(tile.Info.Key, level)
		t.loaded.Publish(tile.Info.Key, tile.CPU)
		if prepared != nil {
			prepared(tile, level)
		}
	}
	told.LevelEvicted = func(tile *streaming.Tile, level terrain.Level) {
		t.forget(tile)
		t.loaded.Publish(tile.Info.Key, tile.CPU)
		if evicted != nil {
			evicted(tile, level)
		}
	}
	removed := told.TileRemoved
	told.TileRemoved = func(tile *streaming.Tile) {
		t.onRemoved(tile)
		if removed != nil {
			removed(tile)
		}
	}
	told.TileReplaced = func(tile *streaming.Tile) {
		t.loaded.Publish(tile.Info.Key, tile.CPU)
		if replaced != nil {
			replaced(tile)
		}
	}
	return told
}

// World describes the open world, as it is drawn.
func (t *Terrain) World() *terrain.World { return t.world }

// Reader is the world file as it is open now, nil for a world that is being edited or has
// no rim. It stays open until Close.
func (t *Terrain) Reader() *chunkfile.Reader {
	if t.file == nil {
		return nil
	}
	return t.file.Reader()
}

// Close stops loading and frees everything. It waits for the device to be done
// with the frames that were submitted. Closing twice is fine; nothing else may be called
// after it.
func (t *Terrain) Close() error {
	if t.closed {
		return nil
	}
	t.closed = true
	t.planting.leave()
	t.paged.close()
	t.relief.close()
	err := errors.Join(t.stream.Close(), t.planting.close(), t.discard())
	return errors.Join(err, t.file.close())
}

// Prepare makes a frame ready: it takes what has been loaded, asks for what the
// view needs, records uploads into the frame and refines the tiles in view.
// Call it once between BeginFrame and Draw. It never waits for an upload, nor for
// a disk but with [Options].Sync, and allocates nothing once the flight's buffers
// have grown.
//
// An error is that of the device, or says what is wrong with the view; what could
// not be read is the Listener's.
func (t *Terrain) Prepare(f *vk.Frame, v *lodcpu.View, look *pipeline.Look) error {
	return t.PrepareFrozen(f, v, v, look)
}

// PrepareFrozen is Prepare, but for the levels of detail: those are what the
// view lod needs, so that one can look at them from elsewhere.
func (t *Terrain) PrepareFrozen(f *vk.Frame, v, lod *lodcpu.View, look *pipeline.Look) error {
	t.one[0] = View{View: *v, Look: *look}
	if lod != v {
		t.frozen = *lod
		t.one[0].LOD = &t.frozen
	}
	return t.PrepareViews(f, t.one[:])
}

// Load is the part of Prepare that loads: for frames that draw nothing and wait
// until the view is [Terrain.Settled]. Until the next Prepare there is nothing to
// draw, and Mesh is empty.
func (t *Terrain) Load(f *vk.Frame, v *lodcpu.View) error {
	t.one[0] = View{View: *v}
	return t.LoadViews(f, t.one[:])
}

// load takes up a frame of views with the levels of detail that they need.
func (t *Terrain) load(f *vk.Frame, views []View) error {
	if err := t.checkViews(views); err != nil {
		return err
	}
	t.frame = f
	t.measured.take(f)
	t.follow()
	if err := t.followRelief(); err != nil {
		return err
	}
	t.takeShards()
	if err := t.take(views); err != nil {
		return err
	}
	for i := 0; i < len(views) && !t.sync; i++ {
		t.views[i].motion.watch(&t.views[i].lod, time.Now())
	}
	t.page()
	t.makeLaws()
	defer t.followProps()
	t.cameras = t.cameras[:0]
	if !t.anchor.on {
		t.aim(0)
		err := t.move(f)
		t.collect()
		return err
	}
	t.swap()
	t.anchor.watch(&t.lod)
	t.planAnchor()
	shown := t.renderer.Anchored()
	if shown == nil || !shown.Covers(&t.law) {
		shown = &t.law
	}
	t.cameras = append(t.cameras, t.cameraOf(t.viewing, shown), t.cameraOf(t.viewing, &t.anchor.next))
	t.aim(1)
	if err := t.move(f); err != nil {
		return err
	}
	t.collect()
	return t.begin()
}

// makeLaw makes the law of the chosen view's mesh, by the tolerance that the budget allows.
func (t *Terrain) makeLaw() {
	lods, within := t.mates()
	for i := range lods {
		lods[i].Tau = t.governor.Tau(lods[i].Tau)
	}
	t.within, t.law = within, lodcpu.EyesLaw(t.world, lods)
	if m := t.mover(); m != nil {
		t.law.Radius = m.Radius
	}
	if t.hasNodes() {
		t.scaleNodes()
		t.law = t.nodes.law(t.law)
	}
}

// setWorld makes what depends on the world.
func (t *Terrain) setWorld(w *terrain.World) {
	t.world = w
	if t.rise > 0 {
		t.still = lodcpu.Still(w)
	}
	if t.morph = t.still; t.morphs > 0 {
		t.morph = lodcpu.NewMorph(w, t.morphs)
	}
}

// mover returns how vertices of the chosen view move, nil if they do not: only of what
// SOAR draws all is active, and of what BilLOD draws within the tolerance.
func (t *Terrain) mover() *lodcpu.Morph {
	if t.algo == Quadtree || t.algo == BilLOD && t.nodes != nil && t.nodes.rule.Classic() {
		return t.still
	}
	return t.morph
}

// move takes what has been loaded, asks for what the cameras need and records
// uploads.
func (t *Terrain) move(f *vk.Frame) error {
	t.err = nil
	t.leave()
	t.stream.AutoUpdate(t.strategyData, t.cameras...)
	if !t.anchor.on || !t.renderer.Building() {
		t.stream.Evictions(t.evicted)
	}
	if err := t.renderer.Arrived(f, t.arrived); err != nil {
		return err
	}
	t.exchange()
	t.stream.Uploads(t.budget, t.upload)
	return t.err
}

// Draw records what Prepare made ready, inside a pass of the formats of Options
// whose depth is cleared to 0: all views, one after the other. Viewport and scissor are
// set to a view's place.
func (t *Terrain) Draw(c *vk.CommandBuffer) {
	for i := range t.many {
		t.DrawView(c, i)
	}
}

// collect lists the tiles with anything loaded.
func (t *Terrain) collect() {
	t.drawable = t.drawable[:0]
	for _, tile := range t.stream.Tiles() {
		t.drawable = append(t.drawable, pipeline.Drawable{Slot: tile.User.(pipeline.Slot), Tile: tile.CPU, Near: &tile.Near})
	}
}

func (t *Terrain) onUpload(u streaming.Upload) bool {
	slot, ok := u.Tile.User.(pipeline.Slot)
	if u.Info != nil {
		slot = t.nextSlot(u.Tile, u.Info)
	} else if !ok {
		slot = t.addSlot(u.Tile, u.Tile.Info)
		u.Tile.User = t.users[slot]
	}
	ok, err := t.renderer.Upload(t.frame, slot, u.Level, u.Verts)
	if err != nil {
		t.err = fmt.Errorf("tile %v level %d: %w", u.Tile.Info.Key, u.Level, err)
		return false
	}
	if ok {
		t.uploaded += uint64(len(u.Verts)) * terrain.VertexBytes
	}
	return ok
}

// addSlot makes room on the GPU for a tile.
func (t *Terrain) addSlot(tile *streaming.Tile, info *terrain.TileInfo) pipeline.Slot {
	slot := t.renderer.AddTile(info)
	for len(t.bySlot) <= int(slot) {
		if len(t.users) == len(t.bySlot) {
			t.users = append(t.users, pipeline.Slot(len(t.users)))
		}
		t.bySlot = append(t.bySlot, nil)
	}
	t.bySlot[slot] = tile
	return slot
}

func (t *Terrain) onArrived(s pipeline.Slot, level terrain.Level) {
	tile := t.bySlot[s]
	if tile.User != s {
		t.stream.Replaced(tile, level)
		return
	}
	t.stream.Loaded(tile, level)
}

func (t *Terrain) onEvicted(tile *streaming.Tile, level terrain.Level) {
	slot := tile.User.(pipeline.Slot)
	if t.anchor.on && t.renderer.Anchored() != nil {
		t.anchor.drops = append(t.anchor.drops, drop{slot, level, t.anchor.begun})
		return
	}
	t.drop(slot, level)
}

// drop takes a level away from the renderer.
func (t *Terrain) drop(slot pipeline.Slot, level terrain.Level) {
	t.renderer.Drop(t.frame, slot, level)
	tile := t.bySlot[slot]
	t.leaving = append(t.leaving, leaving{tile: tile, level: level, value: t.frame.Value})
	if p := t.planting; p != nil && int(level) == t.world.Layout().Levels-1 { // all of it is gone
		a := t.tileArea(tile.Info.Key)
		p.hide(&a)
	}
}

// leave tells streaming which levels no frame reads any more.
func (t *Terrain) leave() {
	keep := t.leaving[:0]
	for _, l := range t.leaving {
		switch {
		case !t.dev.Graphics.Reached(l.value):
			keep = append(keep, l)
		case l.levels != 0:
			t.stream.Superseded(l.levels)
		default:
			t.stream.Unloaded(l.tile, l.level)
		}
	}
	t.leaving = keep
}

// Settled says whether everything the last view needs is loaded, or has failed
// for good: set Options.Listener to hear of that. Levels take a frame or two to
// arrive even with Options.Sync, so draw until it is true.
func (t *Terrain) Settled() bool {
	return t.stream.Settled() && !t.paged.paging() && (!t.anchor.on || t.anchorSuits()) && t.planting.settled() && !t.relief.reading
}

// Stats returns what the last Prepare did and what the terrain holds.
func (t *Terrain) Stats() Stats {
	reserved, used, other := t.renderer.Bytes()
	total, things := t.total()
	return Stats{
		Stats: total, Algorithm: t.algo0, Tau: t.governor.Tau(t.lod.Tau), BytesGPU: reserved + other, BytesVertices: used,
		BytesUploaded: t.uploaded, BytesMoved: t.renderer.Moved(), BytesRead: t.read, Streaming: t.stream.Stats(),
		Anchors: t.renderer.AnchorStats(), Rising: t.renderer.Rising(), Late: t.anchor.late, Props: things,
		Passes: t.measured.passes, Upload: t.measured.upload, Counters: t.measured.counters,
	}
}

// DefaultView looks over the whole world from its south: no peak is cut by the upper side of the
// picture, and of a world whose relief is more than a quarter of its sides all is in it.
func DefaultView(w *terrain.World, width, height int) lodcpu.View {
	if w.Endless {
		high := float64(w.Max) * w.Quantum / 2
		return lodcpu.View{Eye: mgl64.Vec3{w.OriginX, high, w.OriginZ}, Pitch: -12 * math.Pi / 180, FovY: math.Pi / 4, Width: width, Height: height, Tau: 2}
	}
	sx, sz := float64(w.Width-1)*w.Spacing, float64(w.Height-1)*w.Spacing
	lo, hi := float64(w.Min)*w.Quantum, float64(w.Max)*w.Quantum
	size := math.Max(sx, sz)
	eye := mgl64.Vec3{w.OriginX + sx/2, hi + 0.09*size, w.OriginZ + sz + 0.12*size}
	aim := mgl64.Vec3{w.OriginX + sx/2, lo, w.OriginZ + sz*0.5}
	const fovY = 40 * math.Pi / 180
	const tall = 0.25
	if hi-lo > tall*size { // all of its box, from a distance
		aim[1] = (lo + hi) / 2
		sin, cos := math.Sincos(20 * math.Pi / 180)
		back := mgl64.Vec3{0, sin, cos}
		const share = 0.85 // of the picture
		tan := share * math.Tan(fovY/2)
		far := 0.0
		for i := range 8 { // corners
			corner := mgl64.Vec3{sx / 2, (hi - lo) / 2, sz / 2}
			for k := range corner {
				corner[k] *= float64(i>>k&1*2 - 1)
			}
			across, along := corner[0]*float64(height)/float64(max(width, 1)), corner.Dot(mgl64.Vec3{0, cos, -sin})
			far = max(far, max(math.Abs(across), math.Abs(along))/tan+corner.Dot(back))
		}
		eye = aim.Add(back.Mul(far))
	}
	d := aim.Sub(eye)
	pitch := math.Atan2(d[1], math.Hypot(d[0], d[2]))
	// A peak may stand at the far rim. It is in the picture, with some sky above.
	const sky = fovY / 12
	if top := math.Atan2(hi-eye[1], eye[2]-w.OriginZ); hi-lo <= tall*size && pitch+fovY/2 < top+sky {
		pitch = top + sky - fovY/2
	}
	return lodcpu.View{
		Eye: eye, Pitch: pitch,
		FovY: fovY, Width: width, Height: height, Tau: 2,
	}
}
