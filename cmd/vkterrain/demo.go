package main

import (
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/flight"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk"
)

type demoCmd struct {
	Name     string  `arg:"" optional:"" default:"coast" help:"Built-in world (coast, islet, relief, endless), a mode (soar, quadtree, billod, progmesh, compare), or a world file (coast)."`
	Out      string  `placeholder:"DIR" help:"Folder for pictures and film, made if absent (vkterrain-demo)."`
	Frames   int     `placeholder:"N" help:"Frames of the film; what the flight needs at 30 a second if 0."`
	HUD      bool    `name:"hud" help:"Figures of the frames over the film; what they took differs from run to run."`
	Headless bool    `help:"No window even if there is a display."`
	JSON     bool    `name:"json" help:"Print what is in demo.json too, in place of the names of the files; without a window."`
	Loop     bool    `help:"A film that ends as it begins, to be played over and over: along the flight and back."`
	Size     pixels  `group:"picture" default:"1280x720" placeholder:"WxH" help:"Size of pictures and film (1280x720)."`
	Tau      float64 `group:"picture" default:"2" placeholder:"PX" help:"Largest screen error in pixels (2)."`
	propsFlags
}

func (c *demoCmd) Validate() error {
	if c.Frames < 0 {
		return fmt.Errorf("--frames %d: must be 0 or more", c.Frames)
	}
	return c.propsFlags.check()
}

// Defaults of a demo.
const (
	framesPerSecond = 30
	demoFolder      = "vkterrain-demo"
	clearance       = 25.0 // metres that a flight stays above the ground
	supersampling   = 2    // of the stills, in each direction
)

func (c *demoCmd) Run(a *app) error {
	windowed := hasDisplay() && !c.Headless && !c.JSON && c.Out == "" && c.Frames == 0 && !c.Loop
	if !windowed && !c.Headless && !hasDisplay() {
		a.log.infof("no display: drawing into files")
	}
	if c.Out == "" {
		c.Out = demoFolder
	}
	if err := c.known(); err != nil {
		return err
	}
	view := lodcpu.View{Width: c.Size.W, Height: c.Size.H, Tau: c.Tau, FovY: 1}
	if err := view.Check(); err != nil {
		return usageError(err)
	}
	d := &demo{demoCmd: c, app: a, undo: func() {}}
	if d.mode, _ = c.mode(); len(c.Props) == 0 {
		c.Props = d.mode.props
	}
	if !windowed {
		if err := c.checkOut(); err != nil {
			return err
		}
		var err error
		if d.stage, err = a.openStage(c.Size, 1); err != nil {
			return err
		}
	}
	files, err := d.show(windowed)
	if d.stage != nil {
		if closed := d.stage.close(); err == nil {
			err = closed
		}
	}
	if err != nil || windowed {
		d.undo()
		return err
	}
	if c.JSON {
		return a.printJSON(d.all)
	}
	_, err = fmt.Fprintln(a.stdout, strings.Join(files, "\n"))
	return outputError(err)
}

// show makes or finds the world, and shows it in a window or in files.
func (d *demo) show(windowed bool) (files []string, err error) {
	c, a := d.demoCmd, d.app
	var before func() error
	if windowed {
		before = a.checkGPU
	}
	if d.path, d.flight, err = c.find(a, before); err != nil {
		return nil, err
	}
	ground, err := groundOf(d.path)
	if err != nil {
		return nil, err
	}
	d.flight.Resolve(ground, clearance)
	if windowed {
		return nil, d.mode.fly(c, a, d.path, d.flight)
	}
	if d.mode.models {
		if d.models, err = newMeshShow(c.Props, d.path, modelPlace[0], modelPlace[1]); err != nil {
			return nil, err
		}
		d.flight = d.models.flight()
	}
	if d.mode.several {
		return d.several()
	}
	return d.run()
}

// checkOut finds out early that nothing can be written, and that the world is
// not among what the demo writes over.
func (c *demoCmd) checkOut() error {
	if err := canMakeFolder(c.Out); err != nil {
		return err
	}
	if _, ok := builtIns[c.Name]; ok {
		return nil
	}
	name := filepath.Base(resolved(c.Name))
	still, _ := filepath.Match("still-*.png", name)
	if still || slices.Contains([]string{"contact.png", "demo.json", "demo.mp4"}, name) {
		return distinct([]string{c.Name}, []string{filepath.Join(c.Out, name)})
	}
	return nil
}

// known says early what find would say late.
func (c *demoCmd) known() error {
	if _, ok := builtIns[c.Name]; ok || isEndless(c.Name) {
		return nil
	}
	if _, ok := c.mode(); ok {
		return nil
	}
	if _, err := os.Stat(c.Name); errors.Is(err, os.ErrNotExist) {
		return usageError(fmt.Errorf("%s: neither a built-in world (%s), a mode (%s) nor a file", c.Name, demoNames(), modeNames()))
	}
	_, err := worldOf(c.Name)
	return err
}

// find returns the world and its flight. before runs ahead of making one.
func (c *demoCmd) find(a *app, before func() error) (string, *flight.Path, error) {
	if isEndless(c.Name) {
		return c.Name, endlessFlight(endlessSight, 20), nil
	}
	if m, ok := c.mode(); ok {
		p, err := builtInFlight(m.flight)
		if err != nil {
			return "", nil, err
		}
		path, err := a.builtIn(m.world, before)
		return path, p, err
	}
	if _, ok := builtIns[c.Name]; ok {
		p, err := builtInFlight(c.Name)
		if err != nil {
			return "", nil, err
		}
		path, err := a.builtIn(c.Name, before)
		return path, p, err
	}
	w, err := worldOf(c.Name)
	if err != nil {
		return "", nil, err
	}
	return c.Name, aroundFlight(w), nil
}

// aroundFlight flies once around a world.
func aroundFlight(w *terrain.World) *flight.Path {
	sx, sz := float64(w.Width-1)*w.Spacing, float64(w.Height-1)*w.Spacing
	low, high := float64(w.Min)*w.Quantum, float64(w.Max)*w.Quantum
	r := 0.55 * max(sx, sz)
	return flight.Orbit("around the world", [3]float64{w.OriginX + sx/2, (low + high) / 2, w.OriginZ + sz/2}, r, high+0.25*r, 8)
}

// demo is one run of the demo into files.
type demo struct {
	*demoCmd
	app    *app
	path   string
	flight *flight.Path
	stage  *stage
	look   pipeline.Look
	report demoReport
	all    any // what demo.json has
	mode   mode
	models *meshShow // models in place of what the flight shows; or nil
	shots  []*image.RGBA
	undo   func() // removes the folder, if the demo made it and it is empty
}

// percentiles of a time.
type percentiles struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

// demoReport is demo.json.
type demoReport struct {
	Version         string        `json:"version"`
	GPU             string        `json:"gpu"`
	Driver          string        `json:"driver"`
	World           string        `json:"world"`
	Flight          string        `json:"flight"`
	Algo            string        `json:"algo"`
	Tau             float64       `json:"tau"`
	Width           int           `json:"width"`
	Height          int           `json:"height"`
	Frames          int           `json:"frames"`
	FPS             int           `json:"fps"`
	FrameMs         percentiles   `json:"frame_ms"`
	CPUMs           float64       `json:"cpu_ms"`
	GPUMs           float64       `json:"gpu_ms"`
	RefineUs        float64       `json:"refine_us"`
	Triangles       int           `json:"triangles"`
	Indices         int           `json:"indices"`
	BytesUploaded   uint64        `json:"bytes_uploaded"`
	BytesRead       uint64        `json:"bytes_read"`
	PeakGPUBytes    uint64        `json:"peak_gpu_bytes"`
	PeakCPUBytes    int64         `json:"peak_cpu_bytes"`
	MeasuredErrorPx *float64      `json:"measured_error_px"` // of the stills; nil if there are none
	Cracks          int           `json:"cracks"`
	Seconds         float64       `json:"seconds"`
	Stills          []stillReport `json:"stills"`
	*propsReport
}

// stillReport is one still of demo.json.
type stillReport struct {
	File            string  `json:"file"`
	Caption         string  `json:"caption"`
	T               float64 `json:"t"`
	Camera          pose    `json:"camera"`
	Triangles       int     `json:"triangles"`
	MeasuredErrorPx float64 `json:"measured_error_px"`
	Cracks          int     `json:"cracks"`
	CheckedSamples  int     `json:"checked_samples"`
}

// run flies and writes everything; it returns the files.
func (d *demo) run() (files []string, err error) {
	start := time.Now()
	w, err := worldOf(d.path)
	if err != nil {
		return nil, err
	}
	d.look = (&lookFlags{Fog: "on", Sea: "auto"}).look(w)
	var things *vkterrain.Props
	if d.models != nil {
		things, d.look.Lines = d.models.props, true
	} else if things, err = d.propsFlags.read(w); err != nil {
		return nil, err
	}
	o, err := d.mode.options(d.path, w)
	if err != nil {
		return nil, err
	}
	if d.mode.view == pipeline.Wireframe && d.stage.dev.Features.FillModeNonSolid {
		d.look.View = pipeline.Wireframe
	}
	o.Props = things
	d.propsFlags.idle(d.app, &o)
	if err := d.stage.open(d.path, o); err != nil {
		return nil, err
	}
	view, err := d.viewAt(0)
	if err != nil {
		return nil, err
	}
	if err := view.Check(); err != nil {
		return nil, usageError(err)
	}
	d.describe()
	filmed, err := d.fly()
	if err != nil {
		return nil, err
	}
	shots, err := d.stills()
	if err != nil {
		return nil, err
	}
	d.shots = shots
	if err := d.stage.whole(); err != nil {
		return nil, err
	}
	d.removeOld()
	d.report.PeakCPUBytes = peakRSS()
	d.report.Seconds = roundTo(time.Since(start).Seconds(), 3)
	for _, s := range d.report.Stills {
		files = append(files, filepath.Join(d.Out, s.File))
	}
	if len(shots) > 0 {
		if err := writePNG(d.in("contact.png"), d.sheet(shots), png.DefaultCompression); err != nil {
			return nil, err
		}
		files = append(files, d.in("contact.png"))
	}
	if filmed != "" {
		files = append(files, filmed)
	}
	d.all = &d.report
	return append(files, d.in("demo.json")), writeFile(d.in("demo.json"), func(w io.Writer) error {
		a := *d.app
		a.stdout = w
		return a.printJSON(d.all)
	})
}

// removeOld removes what an earlier demo with more stills left.
func (d *demo) removeOld() {
	for i := len(d.report.Stills) + 1; os.Remove(d.in(stillName(i))) == nil; i++ {
	}
}

func stillName(n int) string { return fmt.Sprintf("still-%02d.png", n) }

func (d *demo) in(name string) string { return filepath.Join(d.Out, name) }

func (d *demo) describe() {
	r := &d.report
	r.Version, r.GPU = version(), d.stage.dev.GPU.Name
	r.Driver = strings.TrimSpace(d.stage.dev.GPU.Driver + " " + d.stage.dev.GPU.DriverInfo)
	r.World, r.Flight, r.Algo, r.Tau = d.Name, d.flight.Name, d.mode.algo.String(), d.Tau
	r.Width, r.Height, r.FPS = d.Size.W, d.Size.H, framesPerSecond
	r.Frames = d.Frames
	if r.Frames == 0 {
		r.Frames = max(1, int(d.flight.Duration()*framesPerSecond))
		if d.Loop {
			r.Frames *= 2
		}
	}
}

// viewAt returns the view at t seconds of the flight, and has the model of that moment stand
// there. Call it between frames.
func (d *demo) viewAt(t float64) (lodcpu.View, error) {
	v := lodcpu.View{Width: d.Size.W, Height: d.Size.H, Tau: d.Tau}
	d.flight.At(t).Apply(&v)
	if d.models == nil {
		return v, nil
	}
	o := d.models.moment(t)
	o.look(&v, d.models.middle())
	return v, d.stage.terrain.SetModels(d.models.model())
}

// moment returns the time in the flight of frame i of the film. A loop goes along it and
// back, and is slow where it turns.
func (d *demo) moment(i int) float64 {
	share := float64(i) / float64(d.report.Frames)
	if d.Loop {
		share = (1 - math.Cos(2*math.Pi*share)) / 2
	}
	return share * d.flight.Duration()
}

// fly flies the path while levels stream in, and films it.
func (d *demo) fly() (filmed string, err error) {
	s := d.stage
	targets := make([]*vk.Target, s.dev.FramesInFlight)
	for i := range targets {
		if targets[i], err = s.newTarget(fmt.Sprintf("film %d", i), d.Size, 1); err != nil {
			return "", err
		}
	}
	if d.HUD {
		if s.hud, err = newOverlay(s.dev, vk.FormatRGBA8, 1); err != nil {
			return "", err
		}
		defer func() { s.hud.hidden = true }()
	}
	first, err := d.viewAt(0)
	if err != nil {
		return "", err
	}
	// The first frame that draws also compiles; it is none of the film's.
	if _, err := s.picture(targets[0], &first, &d.look); err != nil {
		return "", err
	}
	if d.undo, err = makeFolder(d.Out); err != nil { // there is something to write now
		return "", err
	}
	video := newFilm(d.app.ctx, d.app.log, d.in("demo.mp4"), d.Size, framesPerSecond)
	defer func() {
		finished := video.finish(err == nil)
		if err == nil && finished != nil {
			d.app.log.warnf("no film: %v", finished) // the rest is worth having
		}
		if video != nil && err == nil && finished == nil {
			filmed = video.path
		}
	}()
	p := newProgress(d.app.log, "auto", fmt.Sprintf("flying %d frames", d.report.Frames))
	var m flightTimes
	pending := make([]bool, len(targets))
	before := time.Now()
	for i := range d.report.Frames + len(targets) {
		if d.app.ctx.Err() != nil {
			return "", errInterrupted
		}
		var v lodcpu.View
		if i < d.report.Frames {
			if v, err = d.viewAt(d.moment(i)); err != nil {
				return "", err
			}
		}
		f, err := s.dev.BeginFrame()
		if err != nil {
			return "", err
		}
		// The slot's last frame is done: it may go to the film.
		if pending[f.Slot] {
			video.add(targets[f.Slot].Picture())
			pending[f.Slot] = false
			m.gpu = append(m.gpu, gpuMs(f))
		}
		if i >= d.report.Frames {
			if err := f.Submit(); err != nil {
				return "", err
			}
			continue
		}
		d.look.Time = float64(i) / framesPerSecond
		if d.Loop {
			d.look.Time = d.moment(i)
		}
		t, err := s.record(f, targets[f.Slot], &v, &d.look, true)
		if err != nil {
			return "", err
		}
		pending[f.Slot] = true
		now := time.Now()
		m.add(s, now.Sub(before), t)
		before = now
		p.at(float64(i+1) / float64(d.report.Frames))
	}
	m.report(&d.report, s)
	return "", nil
}

// gpuMs returns the GPU time of the frame that had f's slot before.
func gpuMs(f *vk.Frame) float64 {
	return microseconds(gpuTime(f)) / 1000
}

// flightTimes is what the frames of a flight took, in milliseconds.
type flightTimes struct {
	frame, cpu, gpu, refine []float64
	thread                  []float64 // see bench
	triangles, indices      int
	each                    []int // triangles
	indexBytes              int
	peak                    uint64
	props                   propsTimes
}

func (m *flightTimes) add(s *stage, frame time.Duration, t frameTimes) {
	st := s.terrain.Stats()
	m.props.add(&st.Props)
	m.frame = append(m.frame, microseconds(frame)/1000)
	m.cpu = append(m.cpu, microseconds(t.cpu)/1000)
	m.refine = append(m.refine, microseconds(st.Refine))
	m.triangles += st.Triangles
	m.each = append(m.each, st.Triangles)
	m.indices += st.Indices
	m.indexBytes += st.IndexBytes
	m.peak = max(m.peak, s.dev.MemoryStats().Reserved)
}

// percentiles returns those of the frames' times, and how many took more than three
// medians.
func (m *flightTimes) percentiles() (p percentiles, hitches int) {
	middle := median(m.frame)
	for _, f := range m.frame {
		if f > 3*middle {
			hitches++
		}
	}
	return percentilesOf(m.frame), hitches
}

func percentilesOf(times []float64) percentiles {
	times = slices.Sorted(slices.Values(times))
	at := func(p float64) float64 { return roundTo(times[int(p*float64(len(times)-1)+0.5)], 3) }
	return percentiles{at(0.5), at(0.95), at(0.99), at(1)}
}

func (m *flightTimes) report(r *demoReport, s *stage) {
	r.FrameMs, _ = m.percentiles()
	r.CPUMs, r.GPUMs, r.RefineUs = roundTo(median(m.cpu), 3), roundTo(median(m.gpu), 3), roundTo(median(m.refine), 1)
	r.Triangles, r.Indices = m.triangles/len(m.frame), m.indices/len(m.frame)
	r.propsReport = m.props.report()
	st := s.terrain.Stats()
	r.BytesUploaded, r.BytesRead, r.PeakGPUBytes = st.BytesUploaded, st.BytesRead, m.peak
}

// stills draws the moments of the flight with care: everything loaded, checked
// against the full resolution, and several samples a pixel.
func (d *demo) stills() ([]*image.RGBA, error) {
	size := pixels{supersampling * d.Size.W, supersampling * d.Size.H}
	if checkPicture(d.stage.dev, size, 1) != nil {
		size = d.Size
	}
	target, err := d.stage.newTarget("still", size, 1)
	if err != nil {
		return nil, err
	}
	p := newProgress(d.app.log, "auto", fmt.Sprintf("drawing %d stills", len(d.flight.Stills)))
	pictures := make([]*image.RGBA, len(d.flight.Stills))
	written := make(chan error, len(pictures))
	started := 0
	for i, still := range d.flight.Stills {
		if err = d.check(i, still); err != nil {
			break
		}
		var v lodcpu.View
		if v, err = d.viewAt(still.T); err != nil {
			break
		}
		v.Width, v.Height = size.W, size.H
		d.look.Time = still.T
		var img *image.RGBA
		if img, err = d.stage.picture(target, &v, &d.look); err != nil {
			break
		}
		d.report.Stills[i].Triangles = d.stage.terrain.Stats().Triangles
		started++
		go func() {
			pictures[i] = shrink(img, d.Size.W, d.Size.H)
			written <- writePNG(d.in(d.report.Stills[i].File), pictures[i], png.DefaultCompression, text{cameraKeyword, poseJSON(&v)})
		}()
		p.at(float64(i+1) / float64(len(pictures)))
	}
	for range started {
		if e := <-written; err == nil { // the others fail for the same reason
			err = e
		}
	}
	return pictures, err
}

// check measures still i as the flight would show it once all is loaded.
func (d *demo) check(i int, still flight.Still) error {
	v, err := d.viewAt(still.T)
	if err != nil {
		return err
	}
	if err := d.stage.settle(&v); err != nil {
		return err
	}
	if err := d.stage.without(func(f *vk.Frame) error { return d.stage.terrain.Prepare(f, &v, &d.look) }); err != nil {
		return err
	}
	k, err := d.stage.terrain.Check()
	if err != nil {
		return inputError(fmt.Errorf("%s: %w", d.path, err))
	}
	caption := still.Caption
	if caption == "" {
		caption = fmt.Sprintf("%.1f s", still.T)
	}
	o := flight.PoseOf(&v)
	d.report.Stills = append(d.report.Stills, stillReport{
		File: stillName(i + 1), Caption: caption, T: still.T,
		Camera:          pose{&o.Eye, &o.Yaw, &o.Pitch, &o.Fov},
		MeasuredErrorPx: roundTo(k.MeasuredErrorPx, 4), Cracks: k.Cracks, CheckedSamples: k.CheckedSamples,
	})
	if d.report.MeasuredErrorPx == nil {
		d.report.MeasuredErrorPx = new(float64)
	}
	*d.report.MeasuredErrorPx = max(*d.report.MeasuredErrorPx, roundTo(k.MeasuredErrorPx, 4))
	d.report.Cracks += k.Cracks
	return nil
}

// thumbWidth is the width of a picture on the contact sheet.
const thumbWidth = 640

// accuracy says how exact the stills are, of which there are some.
func (d *demo) accuracy() string {
	if d.mode.classic {
		return fmt.Sprintf("error      %.2f px, these tests bound none, %d cracks", *d.report.MeasuredErrorPx, d.report.Cracks)
	}
	return fmt.Sprintf("error      %.2f px of %s allowed, %d cracks", *d.report.MeasuredErrorPx, short(d.report.Tau), d.report.Cracks)
}

// sheet makes the contact sheet.
func (d *demo) sheet(pictures []*image.RGBA) *image.RGBA {
	r := &d.report
	w := min(thumbWidth, d.Size.W)
	h := max(1, w*d.Size.H/d.Size.W)
	thumbs, captions := make([]*image.RGBA, len(pictures)), make([]string, len(pictures))
	for i, p := range pictures {
		thumbs[i] = shrink(p, w, h)
		captions[i] = fmt.Sprintf("%d  %s", i+1, r.Stills[i].Caption)
	}
	columns := min(sheetColumns, len(pictures))
	if d.models != nil {
		columns = showStills // a line for each model
	}
	return gridSheet("vkterrain  "+d.flight.Name, columns, thumbs, captions, []string{
		r.GPU,
		fmt.Sprintf("%d frames of %d×%d pixels", r.Frames, r.Width, r.Height),
		fmt.Sprintf("frame      p50 %.1f ms, p99 %.1f ms", r.FrameMs.P50, r.FrameMs.P99),
		fmt.Sprintf("gpu        %.1f ms", r.GPUMs),
		fmt.Sprintf("cpu        %.1f ms, of it refinement %.1f ms", r.CPUMs, r.RefineUs/1000),
		fmt.Sprintf("triangles  %s a frame", grouped(int64(r.Triangles))),
		d.accuracy(),
		fmt.Sprintf("read       %s, uploaded %s", size(int64(r.BytesRead)), size(int64(r.BytesUploaded))),
		fmt.Sprintf("on the gpu %s at most", size(int64(r.PeakGPUBytes))),
	})
}

// withoutDisplay is what the bare command does where there is no display: one
// picture of the built-in world, and what to do next.
func withoutDisplay(a *app) error {
	const out = "vkterrain.png"
	a.log.infof("no display: drawing one picture into %s", out)
	if err := writable(out); err != nil {
		return err
	}
	path, err := a.builtIn(defaultDemo, a.checkGPU)
	if err != nil {
		return err
	}
	p, err := tourOf(path, defaultDemo)
	if err != nil {
		return err
	}
	d := &demo{demoCmd: &demoCmd{Size: pixels{1280, 720}, Tau: 1}, app: a, path: path, flight: p}
	if err := d.single(out, p.Stills[0].T); err != nil {
		return err
	}
	a.log.infof("next: vkterrain demo --headless (pictures and a film), vkterrain render --help")
	_, err = fmt.Fprintln(a.stdout, out)
	return outputError(err)
}

// single writes the picture at t seconds of the flight.
func (d *demo) single(out string, t float64) (err error) {
	w, err := worldOf(d.path)
	if err != nil {
		return err
	}
	d.look = (&lookFlags{Fog: "on", Sea: "auto"}).look(w)
	if d.stage, err = d.app.openStage(d.Size, 1); err != nil {
		return err
	}
	defer func() {
		if closed := d.stage.close(); err == nil {
			err = closed
		}
	}()
	if err := d.stage.open(d.path, vkterrain.Options{Samples: 1}); err != nil {
		return err
	}
	target, err := d.stage.newTarget("picture", d.Size, 1)
	if err != nil {
		return err
	}
	v, err := d.viewAt(t)
	if err != nil {
		return err
	}
	img, err := d.stage.picture(target, &v, &d.look)
	if err != nil {
		return err
	}
	return writePNG(out, img, png.DefaultCompression, text{cameraKeyword, poseJSON(&v)})
}
