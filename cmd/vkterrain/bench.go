package main

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/flight"
	"github.com/vkterrain/vkterrain/internal/watch"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk"
)

type benchCmd struct {
	World    string      `arg:"" optional:"" help:"World file, endless, or a built-in world (coast, islet, relief); coast if absent."`
	Flight   string      `group:"flight" default:"low" placeholder:"NAME" help:"low (200 m/s over the ground), around, dive, endless (of the world of that name, its only one); a flight of a built-in world (coast, islet); or a file that fly --record wrote (low)."`
	Frames   int         `group:"flight" default:"300" placeholder:"N" help:"Frames of a run, a sixtieth of a second each (300)."`
	Checks   int         `group:"flight" default:"6" placeholder:"N" help:"Frames of each run whose error is measured afterwards, with everything loaded (6)."`
	Algo     []algorithm `group:"picture" default:"soar" placeholder:"LIST" help:"Algorithms, with commas between (soar)."`
	Tau      []float64   `group:"picture" default:"2" placeholder:"LIST" help:"Largest screen errors in pixels, with commas between (2)."`
	Topology topology    `group:"picture" default:"strip" placeholder:"strip|list" help:"Triangles as strip or list (strip)."`
	Size     pixels      `group:"picture" default:"1280x720" placeholder:"WxH" help:"Size of the pictures (1280x720)."`
	Headless bool        `group:"picture" help:"Draw without a window, as it always does."`
	MaxGPU   int64       `group:"refinement" name:"max-gpu" placeholder:"MiB" help:"Most vertices on the GPU; the finest levels give way. No limit if 0."`
	MaxCPU   int64       `group:"refinement" name:"max-cpu" placeholder:"MiB" help:"Most vertices in memory, likewise."`
	Pace     bool        `group:"flight" help:"Fly no faster than the flight does, as before a display of 60 pictures a second."`
	Cold     bool        `group:"flight" help:"Begin with nothing loaded."`
	JSON     bool        `name:"json" help:"Print a JSON list of the runs."`
	reportFlags
	traceFlags
	mediumFlags
	refineFlags
	propsFlags
	captureFlags
	Passes bool `group:"picture" help:"Also what the GPU takes for each draw and for uploads, and what its pipelines count."`
}

func (c *benchCmd) Validate() error {
	if c.Frames < 1 || c.Checks < 0 {
		return fmt.Errorf("--frames %d, --checks %d: must be at least 1 and 0", c.Frames, c.Checks)
	}
	for _, tau := range c.Tau {
		if !(tau > 0) {
			return fmt.Errorf("--tau %v: must be above 0", tau)
		}
	}
	if c.MaxGPU < 0 || c.MaxCPU < 0 || c.MaxGPU > 1<<30 || c.MaxCPU > 1<<30 {
		return fmt.Errorf("--max-gpu %d, --max-cpu %d: must be 0 or more MiB", c.MaxGPU, c.MaxCPU)
	}
	if len(c.Algo) == 0 || len(c.Tau) == 0 {
		return errors.New("--algo and --tau must name at least one each")
	}
	if err := c.mediumFlags.check(); err != nil {
		return err
	}
	if err := c.propsFlags.check(); err != nil {
		return err
	}
	if err := c.captureFlags.check(); err != nil {
		return err
	}
	return c.refineFlags.check()
}

// benchRun is one run of bench --json. Times of a frame are from one to the next.
type benchRun struct {
	Algo           string      `json:"algo"`
	Topology       string      `json:"topology"`
	Tau            float64     `json:"tau"`
	Flight         string      `json:"flight"`
	Frames         int         `json:"frames"`
	Anchored       int         `json:"frames_anchored"` // drawn by the mesh of an anchor
	Late           int         `json:"frames_late"`     // that no anchor covered, though there was one
	Anchors        int         `json:"anchors"`
	AnchorUs       float64     `json:"anchor_us"` // to make one, in the background
	FrameMs        percentiles `json:"frame_ms"`
	CPUMs          float64     `json:"cpu_ms"`
	CPUFrameMs     percentiles `json:"cpu_frame_ms"`  // to prepare and record a frame
	CPUThreadMs    percentiles `json:"cpu_thread_ms"` // the same, of processor time of the thread that does it
	GPUMs          float64     `json:"gpu_ms"`
	RefineUs       float64     `json:"refine_us"` // on the frame path
	Triangles      int         `json:"triangles"`
	Indices        int         `json:"indices"`
	IndexBytes     int         `json:"index_bytes"`
	BytesUploaded  uint64      `json:"bytes_uploaded"`
	BytesRead      uint64      `json:"bytes_read"`
	BytesPerMetre  float64     `json:"bytes_per_metre"`  // uploaded, of the way of the eye
	WorldBytes     int64       `json:"world_bytes"`      // of all tiles that there were, at full resolution
	PeakTilesBytes int64       `json:"peak_tiles_bytes"` // vertices on the GPU
	Limited        int         `json:"frames_limited"`   // in which memory did not allow all that the view needs
	OverCap        int         `json:"frames_over_cap"`  // in which there was more than --max-gpu or --max-cpu
	Abrupt         int         `json:"levels_abrupt"`    // that were seen and went before they had sunk, for the room of others
	PeakGPUBytes   uint64      `json:"peak_gpu_bytes"`
	PeakCPUBytes   int64       `json:"peak_cpu_bytes"`
	Hitches        int         `json:"hitches"`      // frames of more than three medians
	Waits          int         `json:"waits"`        // of frames: for reads, decoding, other goroutines or locks
	WaitsGPU       int         `json:"waits_gpu"`    // frames that waited for the GPU
	Stood          int         `json:"thread_stood"` // times that the system had the thread wait while it prepared and recorded, for the driver too
	Waited         string      `json:"waited,omitempty"`
	ReadsFailed    uint64      `json:"reads_failed"`       // by --read-fail, since the world was opened
	OverBudget     int         `json:"frames_over_budget"` // of more than --max-triangles or --max-indices: no tolerance left less
	bound
	Checks          int         `json:"checks"`            // frames whose error was measured
	MeasuredErrorPx *float64    `json:"measured_error_px"` // nil if none was
	Cracks          int         `json:"cracks"`
	AllocsPerFrame  float64     `json:"allocs_per_frame"` // by the goroutine that draws
	Allocated       string      `json:"allocated,omitempty"`
	GarbagePerLevel int         `json:"garbage_per_level"` // bytes allocated by anybody, of a level that was loaded
	VkCallsPerFrame float64     `json:"vk_calls_per_frame"`
	GPUFrameMs      percentiles `json:"gpu_frame_ms"`
	Blocks          benchBlocks `json:"blocks"` // medians of the ten tenths of the run
	benchMachine
	*propsReport
	*passReport

	most  float64      // pixels: the largest bound of its frames
	least string       // why a budget was not kept, of its last such frame
	times *flightTimes // of the frames
}

// bench is what runs of a bench share.
type bench struct {
	*benchCmd
	app    *app
	path   string
	world  *terrain.World
	flight *flight.Path
	stage  *stage
	target *vk.Target
	look   pipeline.Look
	props  *vkterrain.Props
	caps   *captures // or nil
	medium medium
}

func (c *benchCmd) Run(a *app) error {
	b := &bench{benchCmd: c, app: a}
	if err := b.find(); err != nil {
		return err
	}
	if c.Baseline == "" {
		a.idle("noise", "it is that of --baseline")
	}
	c.captureFlags.idle(a)
	err := c.traceFlags.check()
	if err == nil {
		err = c.reportFlags.check(c.JSON)
	}
	if err != nil {
		return err
	}
	if b.caps, err = c.captureFlags.open(a); err != nil {
		return err
	}
	if b.stage, err = a.openStage(c.Size, 1); err != nil {
		return err
	}
	runs, err := b.all()
	if err == nil {
		err = c.traceFlags.write(b.stage.tracer)
	}
	if closed := b.stage.close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return b.tell(runs)
}

// tell prints the runs and writes reports of them.
func (b *bench) tell(runs []*benchRun) (err error) {
	switch {
	case b.JSON:
		err = b.app.printJSON(runs)
	case b.BenchText != "-":
		err = b.print(runs)
	}
	if err == nil {
		err = b.reportFlags.report(b.app, runs)
	}
	if err == nil {
		err = b.judge(b.app, runs)
	}
	return err
}

// find finds the world and the flight.
func (b *bench) find() (err error) {
	b.path = b.World
	if b.path == "" && b.Flight == endlessName {
		b.path = endlessName
	}
	if b.path == "" {
		if b.path, err = b.app.builtIn(defaultDemo, b.app.checkGPU); err != nil {
			return err
		}
	}
	if err = b.app.named(&b.path, b.app.checkGPU); err != nil {
		return err
	}
	if b.world, err = worldOf(b.path); err != nil {
		return err
	}
	if b.props, err = b.propsFlags.read(b.world); err != nil {
		return err
	}
	if b.world.Endless && b.Flight == "low" {
		b.Flight = endlessName
	}
	if b.flight, err = benchFlight(b.Flight, b.world, float64(b.Frames+warmUp)/benchRate); err != nil {
		return err
	}
	ground, err := groundOf(b.path)
	if err != nil {
		return err
	}
	b.flight.Resolve(ground, clearance)
	b.look = (&lookFlags{Fog: "on", Sea: "auto"}).look(b.world)
	return nil
}

// benchFlight returns a flight over w by its name, or from a file. Endless ones last so
// many seconds.
func benchFlight(name string, w *terrain.World, seconds float64) (*flight.Path, error) {
	if w.Endless {
		if name != endlessName {
			return nil, usageError(fmt.Errorf("--flight %s: the endless world has only %s", name, endlessName))
		}
		return endlessFlight([2]float64{}, seconds), nil
	}
	sx, sz := float64(w.Width-1)*w.Spacing, float64(w.Height-1)*w.Spacing
	high := float64(w.Max) * w.Quantum
	at := func(x, z float64) [3]float64 { return [3]float64{w.OriginX + x*sx, 0, w.OriginZ + z*sz} }
	switch name {
	case "around":
		return aroundFlight(w), nil
	case "low":
		// Across the middle, with turns, at 200 m/s or the world's width in a minute.
		speed := min(200, sz/60)
		const seconds = 60
		half := min(speed*seconds/sz, 0.8) / 2
		var keys []flight.Key
		for i := range 13 {
			f := float64(i) / 12
			e := at(0.5+0.3*half*(f*(1-f)*4-0.5), 0.5+half-2*half*f)
			e[1] = 8 * w.Spacing
			keys = append(keys, flight.Key{T: seconds * f, Eye: e, Above: true, Yaw: 25 * (0.5 - f), Pitch: -10})
		}
		return flight.New(name, keys...), nil
	case "dive":
		from, to := at(0.5, 0.95), at(0.5, 0.45)
		from[1], to[1] = high+0.35*max(sx, sz), 4*w.Spacing
		return flight.New(name, flight.Key{Eye: from, Pitch: -40}, flight.Key{T: 5, Eye: to, Above: true, Pitch: -8}), nil
	}
	p, err := recordedFlight(name)
	if err != nil && exitCode(err) == exitUsage {
		err = usageError(fmt.Errorf("--flight %w; there are low, around and dive over any world", err))
	}
	return p, err
}

// all makes every run.
func (b *bench) all() (runs []*benchRun, err error) {
	if b.target, err = b.stage.newTarget("bench", b.Size, 1); err != nil {
		return nil, err
	}
	for _, algo := range b.Algo {
		for _, tau := range b.Tau {
			r, err := b.run(algo.Algorithm, tau)
			if err != nil {
				return nil, err
			}
			runs = append(runs, r)
		}
	}
	return runs, nil
}

// viewAt returns the view of frame i.
func (b *bench) viewAt(i int, tau float64) lodcpu.View {
	v := lodcpu.View{Width: b.Size.W, Height: b.Size.H, Tau: tau}
	b.flight.At(min(float64(max(i, 0))/benchRate, b.flight.Duration())).Apply(&v)
	return v
}

// run flies once.
func (b *bench) run(algo vkterrain.Algorithm, tau float64) (*benchRun, error) {
	o := vkterrain.Options{
		Algorithm: algo, Topology: b.Topology.Topology, Props: b.props,
		StreamingBudget: streaming.Budget{GPUBytes: b.MaxGPU << 20, CPUBytes: b.MaxCPU << 20},
		Before:          b.medium.before, Loaders: b.mediumFlags.loaders(),
	}
	b.medium.mediumFlags = b.mediumFlags
	b.medium.calm.Store(false)
	b.medium.failed.Store(0)
	b.refineFlags.apply(&o, b.app.globals)
	b.refineFlags.fly(&o, b.stage.dev.GPU.Type)
	o.ShaderDebug, o.Timed = b.caps != nil, b.Passes
	if b.traceFlags.on() {
		b.stage.tracer = newTracer(b.stage.dev)
	}
	o.Trace = b.stage.tracer.streaming()
	b.refineFlags.idle(b.app, &o)
	b.propsFlags.idle(b.app, &o)
	if err := b.stage.open(b.path, o); err != nil {
		return nil, err
	}
	defer func() { b.stage.terrain = nil }()
	r, err := b.fly(algo, tau)
	b.medium.calm.Store(true)
	if err == nil && b.ReadFail > 0 { // levels that were given up are not waited for
		if err := b.stage.terrain.Close(); err != nil {
			return nil, err
		}
		if err := b.stage.open(b.path, o); err != nil {
			return nil, err
		}
	}
	if err == nil {
		err = b.measure(r)
	}
	if err == nil {
		err = b.stage.whole()
	}
	if closed := b.stage.terrain.Close(); err == nil {
		err = closed
	}
	return r, err
}

// benchRate is how many frames a second of a flight has.
const benchRate = 60

// warmUp is how many frames are flown before any is counted.
const warmUp = 20

// still is how many frames are drawn before that, of where the flight begins, if that is
// loaded: pipelines are compiled meanwhile.
const still = 100

// fly flies all frames and counts what they take.
func (b *bench) fly(algo vkterrain.Algorithm, tau float64) (*benchRun, error) {
	s := b.stage
	v := b.viewAt(0, tau)
	if err := v.Check(); err != nil {
		return nil, usageError(err)
	}
	if !b.Cold {
		if err := s.settle(&v); err != nil {
			return nil, err
		}
	}
	// A goroutine that comes back from a call of C needs one of Go's processors, which
	// loaders have for milliseconds. With some more the system shares the real ones.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + spareProcessors))
	r := &benchRun{Algo: algo.String(), Topology: b.Topology.String(), Tau: tau, Flight: b.flight.Name, Frames: b.Frames}
	p := newProgress(b.app.log, "auto", fmt.Sprintf("%s, tau %s", algo, short(tau)))
	m := flightTimes{frame: make([]float64, 0, b.Frames), cpu: make([]float64, 0, b.Frames), thread: make([]float64, 0, b.Frames),
		gpu: make([]float64, 0, b.Frames), refine: make([]float64, 0, b.Frames)}
	w := b.watch()
	s.count = b.Passes && s.dev.Features.PipelineStatistics
	var passes passTimes
	last := time.Now()
	first := -warmUp
	if !b.Cold {
		first -= still
	}
	for i := first; i < b.Frames; i++ {
		if b.app.ctx.Err() != nil {
			return nil, errInterrupted
		}
		if i == 0 {
			w.begin()
			last = time.Now()
		}
		if b.Pace && i >= 0 {
			time.Sleep(time.Until(w.began.Add(time.Duration(i) * time.Second / benchRate)))
		}
		if i >= 0 {
			b.caps.begin(s.dev)
		}
		t, err := b.frame(i, tau)
		b.caps.end(s.dev)
		if err != nil {
			return nil, err
		}
		if i < 0 {
			continue
		}
		now := time.Now()
		m.add(s, now.Sub(last), t.frameTimes)
		m.gpu, m.thread = append(m.gpu, t.gpuMs), append(m.thread, microseconds(t.thread)/1000)
		last = now
		if b.Passes {
			passes.add(s.terrain)
		}
		w.calls += t.calls
		r.Stood += t.stood
		b.count(r, t.waited)
		p.at(float64(i+1) / float64(b.Frames))
	}
	w.end(r)
	r.passReport = passes.report()
	b.report(r, &m, &w.start)
	if r.OverBudget > 0 {
		b.app.log.warnf("in %d of %d frames %s", r.OverBudget, r.Frames, r.least)
	}
	if r.Limited > 0 {
		b.app.log.warnf("in %d of %d frames --max-gpu or --max-cpu did not allow all that the view needs", r.Limited, r.Frames)
	}
	return r, nil
}

// spareProcessors is how many more threads may run Go than there are processors: those
// that load, and one that makes a mesh.
const spareProcessors = 3

// benchTimes is what a frame of a bench took.
type benchTimes struct {
	frameTimes
	waited time.Duration // for the GPU
	thread time.Duration // processor time for the rest
	stood  int           // times that the thread had to wait meanwhile, the driver's too
	gpuMs  float64       // of the frame that had the slot before
	calls  int           // of Vulkan
}

// frame flies frame i.
func (b *bench) frame(i int, tau float64) (t benchTimes, err error) {
	began := time.Now()
	f, err := b.stage.dev.BeginFrame()
	if err != nil {
		return t, err
	}
	t.waited = time.Since(began)
	b.stage.tracer.did("wait", began)
	v := b.viewAt(i+warmUp, tau)
	b.look.Time = float64(i) / benchRate
	stood, worked := watch.Switches(), watch.ThreadTime()
	if t.frameTimes, err = b.stage.record(f, b.target, &v, &b.look, false); err != nil {
		return t, err
	}
	t.thread, t.stood = watch.ThreadTime()-worked, watch.Switches()-stood
	t.calls, t.gpuMs = f.Calls(), gpuMs(f)
	return t, nil
}

// benchWatch looks at what frames must not do.
type benchWatch struct {
	b         *bench
	watch     *watch.Watch
	began     time.Time
	start     vkterrain.Stats
	allocated runtime.MemStats
	reads     int // from files, by the thread
	calls     int // of Vulkan
}

// watch begins to look.
func (b *bench) watch() *benchWatch { return &benchWatch{b: b, watch: watch.New("(*bench).frame")} }

// begin counts from here on.
func (w *benchWatch) begin() {
	w.b.medium.thread.Store(int64(watch.ThreadID()))
	w.b.medium.own.Store(0)
	w.start = w.b.stage.terrain.Stats()
	w.watch.Start()
	runtime.ReadMemStats(&w.allocated)
	w.reads = -watch.FileReads()
	w.reads += 2 * watch.FileReads() // with what asking takes
	w.began = time.Now()
}

// end fills r with what was seen.
func (w *benchWatch) end(r *benchRun) {
	reads := watch.FileReads() - w.reads
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	seen := w.watch.Stop()
	st := w.b.stage.terrain.Stats()
	r.Waits = reads + int(seen.Waits+w.b.medium.own.Swap(0)+int64(st.Streaming.Waits-w.start.Streaming.Waits))
	r.Waited, r.Allocated = seen.Waited, seen.Allocated
	r.ReadsFailed = w.b.medium.failed.Load()
	w.b.medium.thread.Store(0)
	frames := float64(w.b.Frames)
	r.AllocsPerFrame = roundTo(float64(seen.Allocations)/frames, 4)
	r.GarbagePerLevel = int(m.TotalAlloc-w.allocated.TotalAlloc) / max(int(st.Streaming.Reads-w.start.Streaming.Reads), 1)
	r.VkCallsPerFrame = roundTo(float64(w.calls)/frames, 1)
}

// count adds the frame that was just made.
func (b *bench) count(r *benchRun, waited time.Duration) {
	t := b.stage.terrain.Stats()
	st := &t.Streaming
	if t.Anchored {
		r.Anchored++
	}
	if waited > 100*time.Microsecond {
		r.WaitsGPU++
	}
	if st.Limited > 0 {
		r.Limited++
	}
	gpu, cpu := max(st.GPUBytes, int64(t.BytesVertices)), st.CPUTotal()
	if b.MaxGPU > 0 && gpu > b.MaxGPU<<20 || b.MaxCPU > 0 && cpu > b.MaxCPU<<20 {
		r.OverCap++
	}
	r.PeakTilesBytes, r.PeakCPUBytes = max(r.PeakTilesBytes, gpu), max(r.PeakCPUBytes, cpu)
	r.most = max(r.most, roundTo(t.Tau, 3))
	if over := b.overBudget(lodcpu.Counts{Triangles: t.Triangles + t.Props.Triangles, Indices: t.Indices + t.Props.Indices}); over != "" {
		r.OverBudget++
		r.least = over
	}
	layout := b.world.Layout()
	r.WorldBytes = int64(st.Added) * int64(layout.Count(0)) * terrain.VertexBytes
}

// report fills r.
func (b *bench) report(r *benchRun, m *flightTimes, start *vkterrain.Stats) {
	b.describe(r, m)
	r.FrameMs, r.Hitches = m.percentiles()
	r.CPUFrameMs, r.CPUThreadMs = percentilesOf(m.cpu), percentilesOf(m.thread)
	r.CPUMs, r.GPUMs, r.RefineUs = roundTo(median(m.cpu), 3), roundTo(median(m.gpu), 3), roundTo(median(m.refine), 1)
	r.Triangles, r.Indices, r.IndexBytes = m.triangles/len(m.frame), m.indices/len(m.frame), m.indexBytes/len(m.frame)
	r.propsReport = m.props.report()
	st := b.stage.terrain.Stats()
	r.BytesUploaded, r.BytesRead, r.PeakGPUBytes = st.BytesUploaded-start.BytesUploaded, st.BytesRead-start.BytesRead, m.peak
	way := 0.0
	for i := range b.Frames {
		from, to := b.viewAt(i+warmUp, r.Tau), b.viewAt(i+warmUp+1, r.Tau)
		way += to.Eye.Sub(from.Eye).Len()
	}
	if way > 0 {
		r.BytesPerMetre = roundTo(float64(r.BytesUploaded)/way, 1)
	}
	r.Abrupt = int(st.Streaming.Abrupt - start.Streaming.Abrupt)
	r.Late, r.Anchors = st.Late-start.Late, st.Anchors.Built-start.Anchors.Built
	if r.Anchors > 0 {
		r.AnchorUs = roundTo(microseconds(st.Anchors.Refine-start.Anchors.Refine)/float64(r.Anchors), 1)
	}
}

// measure flies some frames again with everything loaded, and measures their errors.
func (b *bench) measure(r *benchRun) error {
	r.Checks = b.Checks
	if b.Checks > 0 {
		r.MeasuredErrorPx = new(float64)
	}
	for i := range b.Checks {
		v := b.viewAt(warmUp+i*b.Frames/b.Checks, r.Tau)
		if err := b.stage.settle(&v); err != nil {
			return err
		}
		for again := true; again; again = b.stage.terrain.Stats().Rising {
			if err := b.stage.without(func(f *vk.Frame) error { return b.stage.terrain.Prepare(f, &v, &b.look) }); err != nil {
				return err
			}
		}
		k, err := b.stage.terrain.Check()
		if err != nil {
			return unusable(b.path, err)
		}
		*r.MeasuredErrorPx = max(*r.MeasuredErrorPx, roundTo(k.MeasuredErrorPx, 4))
		r.Cracks += k.Cracks
	}
	r.bound = kept(r.most, r.Tau, r.Frames, b.budgetFlags())
	if r.Limited > 0 {
		r.bound = unbounded(whyCaps)
	}
	return nil
}

// measured says the error that was measured.
func (r *benchRun) measured() string {
	if r.MeasuredErrorPx == nil {
		return "not measured"
	}
	return fmt.Sprintf("%.3f", *r.MeasuredErrorPx)
}

// print prints a table of the runs.
func (b *bench) print(runs []*benchRun) error {
	var s strings.Builder
	var notes []string
	t := tabwriter.NewWriter(&s, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "algo\ttau px\tbound px\terror px\ttriangles\tframe ms p50\tp99\tmax\tCPU ms\tGPU ms\trefine us\tanchors\tlate\thitches\t")
	for _, r := range runs {
		promised := "none"
		if r.Px != nil {
			promised = short(*r.Px)
		}
		if r.Note != "" {
			notes = append(notes, fmt.Sprintf("%s, tau %s: %s\n", r.Algo, short(r.Tau), r.Note))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%.2f\t%.2f\t%.2f\t%.3f\t%.2f\t%.0f\t%d\t%d\t%d\t\n", r.Algo, short(r.Tau), promised, r.measured(), r.Triangles,
			r.FrameMs.P50, r.FrameMs.P99, r.FrameMs.Max, r.CPUMs, r.GPUMs, r.RefineUs, r.Anchors, r.Late, r.Hitches)
	}
	t.Flush()
	_, err := fmt.Fprint(b.app.stdout, s.String()+strings.Join(notes, ""))
	return outputError(err)
}
