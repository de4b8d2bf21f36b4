//go:build !nowindow

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/vk"
)

// screen is the render goroutine's side of a window: the device, the world and
// the camera. The fields at the end are for the event thread too.
type screen struct {
	*windowOptions
	flags *windowFlags
	win   *glfw.Window // to make a surface for, nothing else
	inbox *inbox
	trace *trace

	tracer *tracer   // or nil
	caps   *captures // or nil

	instance *vk.Instance
	surface  vk.Surface
	dev      *vk.Device
	chain    *vk.Swapchain
	terrain  *vkterrain.Terrain
	format   vk.Format
	depth    vk.Image
	multi    vk.Image
	asked    [2]int      // framebuffer size that the swapchain was made for
	stale    bool        // the swapchain must be made anew
	last     uint64      // value of the last frame
	losses   []time.Time // of the device

	view       lodcpu.View
	look       pipeline.Look // without wireframe
	shown      pipeline.Look // of this frame
	camera     *camera
	input      input
	start      time.Time
	now        time.Time // of the last frame; zero after a pause
	frozen     *lodcpu.View
	split      splitting
	parts      []vkterrain.View // of this frame
	hud        *overlay         // figures over the picture, once they were asked for
	figures    bool             // are shown
	hour       *float64         // of the day; nil: none in particular
	help       bool             // is shown
	helpLines  [][2]string
	autoLabel  string               // the key that leaves levels to the camera
	byHand     bool                 // keys say which levels there are
	before     streaming.StrategyID // what said so before
	algo       vkterrain.Algorithm
	orbit      orbit         // around the model that is shown, if there is one
	modelLine  string        // what it is
	modelStale bool          // another one is to be shown
	taking     *recorder     // of the flight that a key records, or nil
	took       time.Duration // by the frame before, of CPU time
	wireframe  bool
	flying     bool
	flown      float64 // seconds
	over       bool    // a flight that is flown once has ended
	settled    bool
	frames     int // presented

	pictures  []picture
	encoders  sync.WaitGroup
	titled    bool
	counted   int       // frames at the last title
	countedAt time.Time // when that was
	broken    int       // levels that could not be read

	title    atomic.Pointer[string]
	ended    atomic.Bool   // done is about to be closed
	done     chan struct{} // closed when nobody touches the window any more
	err      error         // valid then
	panicked any           // valid then
}

func newScreen(o *windowOptions, flags *windowFlags, w *window) (*screen, error) {
	s := &screen{
		windowOptions: o, flags: flags, win: w.win, inbox: w.inbox, done: make(chan struct{}),
		view: o.View, look: o.Look, wireframe: o.Look.View == pipeline.Wireframe, titled: true, flying: o.Flight != nil && !o.Waits, hour: o.Hour,
		algo: o.Options.Algorithm,
	}
	if o.Show != nil {
		s.orbit, s.modelLine = newOrbit(), strings.ToUpper(o.Show.line())
	}
	s.helpLines = helpOf(o.Keys, s.pages())
	if labels := o.Keys.labels("auto"); len(labels) > 0 {
		s.autoLabel = "(" + strings.ToUpper(labels[0]) + ")"
	}
	if o.Resume != nil {
		s.view = *o.Resume
	}
	if s.look.View == pipeline.Wireframe {
		s.look.View = pipeline.Shaded
	}
	var err error
	s.trace, err = newTrace(flags.Trace)
	return s, err
}

// newTitle returns the title if it has changed since the last call. Any
// goroutine may call it.
func (s *screen) newTitle() (string, bool) {
	if t := s.title.Swap(nil); t != nil {
		return *t, true
	}
	return "", false
}

// run draws until the window is to be closed or something breaks, then frees
// everything and wakes the event thread.
func (s *screen) run(ctx context.Context) {
	defer func() {
		if os.Getenv("VKTERRAIN_DEBUG") != "1" {
			s.panicked = recover()
		}
		// In this order: once done is closed, GLFW may end.
		s.ended.Store(true)
		glfw.PostEmptyEvent()
		close(s.done)
	}()
	err := s.open()
	for err == nil && !s.window().quit && !s.enough() {
		if err = ctx.Err(); err == nil {
			err = s.turn(ctx)
		}
		if errors.Is(err, vk.ErrDeviceLost) || errors.Is(err, vk.ErrSurfaceLost) && !s.closing() {
			err = s.recover(err)
		}
	}
	if errors.Is(err, vk.ErrSurfaceLost) && s.closing() {
		err = nil
	}
	s.trace.write(s, "end", "")
	s.err = errors.Join(broken(err), s.close(), s.traceFlags().write(s.tracer))
}

// closing says whether the window is to be closed, and gives the event thread
// some time to find out.
func (s *screen) closing() bool {
	for end := time.Now().Add(time.Second); !s.window().quit && time.Now().Before(end); {
		glfw.PostEmptyEvent()
		time.Sleep(10 * time.Millisecond)
	}
	return s.window().quit
}

// window returns what became of the window.
func (s *screen) window() surroundings { return s.inbox.look() }

// enough says whether as many frames are drawn as were asked for.
func (s *screen) enough() bool { return s.over || s.flags.Frames > 0 && s.frames >= s.flags.Frames }

// broken gives errors of a running device their exit code.
func broken(err error) error {
	var e *vk.Error
	if errors.As(err, &e) && exitCode(err) != exitNoGPU {
		return withCode(exitDevice, err)
	}
	return err
}

// turn draws a frame, or waits until there is something to draw on.
func (s *screen) turn(ctx context.Context) error {
	now := s.window()
	if !now.shown || now.width == 0 || now.height == 0 {
		return s.pause(ctx)
	}
	if s.now.IsZero() {
		s.trace.write(s, "shown", "")
	}
	if size := [2]int{now.width, now.height}; s.stale || size != s.asked {
		ready, err := s.resize(size)
		if err != nil {
			return err
		}
		if !ready {
			return s.pause(ctx)
		}
	}
	return s.frame()
}

// pause waits for the event thread while there is nothing to draw on.
func (s *screen) pause(ctx context.Context) error {
	if !s.now.IsZero() {
		s.now = time.Time{}
		s.trace.write(s, "hidden", "")
	}
	select {
	case <-ctx.Done():
	case <-s.inbox.wake:
	case <-time.After(time.Second):
	}
	return nil
}

// open makes all that does not depend on the window's size.
func (s *screen) open() (err error) {
	if s.caps, err = s.flags.captureFlags.open(s.app); err != nil {
		return err
	}
	if err = s.traceFlags().check(); err != nil {
		return err
	}
	extensions := s.win.GetRequiredInstanceExtensions()
	if extensions == nil {
		// Without a loader this error says so better.
		if in, err := s.newInstance(); err != nil {
			return err
		} else {
			in.Destroy()
		}
		return withCode(exitNoGPU, errors.New("this Vulkan cannot draw into windows"))
	}
	if s.instance, err = s.newInstance(extensions...); err != nil {
		return err
	}
	if err := s.makeSurface(); err != nil {
		return err
	}
	s.dev, err = s.newDevice(s.instance, s.surface)
	if s.GPUOptional && errors.Is(err, vk.ErrNoDevice) {
		s.log.warnf("no GPU %q as last time: taking the best one", s.GPU)
		s.GPU = ""
		s.dev, err = s.newDevice(s.instance, s.surface)
	}
	if err != nil {
		return err
	}
	if err := checkPicture(s.dev, pixels{1, 1}, s.Samples); err != nil {
		return err
	}
	if s.dev.GPU.Type == vk.CPU {
		s.log.infof("drawing with %s, a software driver: do not expect it to be smooth", s.dev.GPU.Name)
	}
	if s.wireframe && !s.dev.Features.FillModeNonSolid {
		s.wireframe = false
		s.log.warnf("%s draws no wireframes", s.dev.GPU.Name)
	}
	s.start = time.Now()
	s.countedAt = s.start
	return nil
}

// makeSurface makes what the window's pictures are shown on.
func (s *screen) makeSurface() error {
	address, err := s.win.CreateWindowSurface(s.instance.Handle(), nil)
	if err != nil {
		return withCode(exitNoGPU, err)
	}
	s.surface = s.instance.AdoptSurface(address) // before anything else: see there
	return nil
}

// resize makes the swapchain for a framebuffer of this size, and with it what
// must be as large. It says whether there is anything to draw on.
func (s *screen) resize(size [2]int) (ready bool, err error) {
	s.asked, s.stale = size, true
	w, h := uint32(size[0]), uint32(size[1])
	if s.chain == nil {
		s.chain, err = s.dev.NewSwapchain(vk.SwapchainInfo{Surface: s.surface, Width: w, Height: h, Mode: presentModes[s.flags.PresentMode]})
	} else {
		_, err = s.chain.Resize(w, h)
	}
	if err != nil || s.chain.Width == 0 {
		return false, err
	}
	s.stale = false
	if s.terrain == nil {
		s.format = s.chain.Format
		if err := s.openTerrain(); err != nil {
			return false, err
		}
	}
	if s.chain.Format != s.format {
		return false, withCode(exitDevice, errors.New("the window's pixels have changed their format"))
	}
	s.dev.RetireImage(&s.depth, s.last)
	s.dev.RetireImage(&s.multi, s.last)
	info := vk.ImageInfo{Name: "window depth", Width: s.chain.Width, Height: s.chain.Height, Format: vk.FormatD32,
		Usage: vk.ImageDepth, Samples: s.Samples}
	if s.depth, err = s.dev.NewImage(info); err != nil {
		return false, err
	}
	if s.Samples > 1 {
		info.Name, info.Format, info.Usage = "window samples", s.format, vk.ImageColor
		if s.multi, err = s.dev.NewImage(info); err != nil {
			return false, err
		}
	}
	s.view.Width, s.view.Height = int(s.chain.Width), int(s.chain.Height)
	s.trace.write(s, "size", "")
	return true, nil
}

func (s *screen) openTerrain() (err error) {
	o := s.Options
	s.Tune(&o, s.dev.GPU.Type)
	o.ColorFormat, o.DepthFormat, o.Loaders = s.format, vk.FormatD32, s.Workers
	o.ShaderDebug = s.caps != nil
	if s.traceFlags().on() {
		s.tracer = newTracer(s.dev)
	}
	o.Trace = s.tracer.streaming()
	o.Listener.LevelFailed = func(_ *streaming.Tile, _ terrain.Level, err error) {
		if s.broken++; s.broken == 1 { // the rest of the world is worth seeing
			s.log.warnf("%v", err) // it names tile and level
		}
	}
	if s.terrain, err = s.app.openWorld(s.World, s.dev, o, func(_ terrain.Key, err error) { s.log.warnf("%v", err) }); err != nil {
		return inputError(err)
	}
	s.log.problems(s.World, s.terrain.Reader())
	s.camera = newCamera(s.terrain.World(), func(x, z float64) (float64, bool) {
		y, ok := s.terrain.GroundHeight(x, z)
		if s.look.Sea {
			return max(y, 0), true
		}
		return y, ok
	})
	s.camera.hold(s.View.Eye)
	return nil
}

// close frees everything; what of it exists.
func (s *screen) close() error {
	var err error
	if s.terrain != nil {
		err = s.terrain.Close()
	} else if s.dev != nil {
		err = s.dev.WaitIdle()
	}
	if s.dev != nil {
		if err == nil {
			s.keepPictures()
		}
		s.freeDevice()
	}
	if s.surface.Handle != nil {
		s.instance.DestroySurface(&s.surface)
	}
	if s.instance != nil {
		s.instance.Destroy()
	}
	s.endRecording()
	s.encoders.Wait()
	return errors.Join(err, s.trace.close())
}

// frame draws and shows one frame.
func (s *screen) frame() error {
	s.caps.begin(s.dev)
	defer s.caps.end(s.dev)
	if err := s.showModel(); err != nil {
		return err
	}
	waiting := time.Now()
	f, err := s.dev.BeginFrame()
	if err != nil {
		return err
	}
	s.tracer.measured(f)
	image, status, err := s.chain.Acquire(f)
	if err != nil {
		return err
	}
	if status == vk.Ready {
		// What waits is behind us: the newest input makes the picture.
		s.tracer.did("wait", waiting)
		s.advance()
		began := time.Now()
		s.hud.took(f, s.took)
		if err := s.draw(f, image); err != nil {
			return err
		}
		s.took = time.Since(began)
	}
	submitting := time.Now()
	if err := f.Submit(); err != nil {
		return err
	}
	s.tracer.did("submit", submitting)
	s.last = f.Value
	if status == vk.Ready {
		if status, err = s.chain.Present(f); err != nil {
			return err
		}
		s.frames++
		s.report()
	}
	s.stale = status != vk.Ready
	s.keepPictures()
	return nil
}

// draw records the frame into a swapchain image.
func (s *screen) draw(f *vk.Frame, image *vk.Image) (err error) {
	s.shown = s.shownLook()
	if err := s.showFigures(); err != nil {
		return err
	}
	s.arrange()
	preparing := time.Now()
	if err := s.terrain.PrepareViews(f, s.parts); err != nil {
		return err
	}
	s.tracer.did("prepare", preparing)
	recording := time.Now()
	defer func() { s.tracer.did("record", recording) }()
	f.Cmd.BeginPass("window")
	s.pass(f.Cmd, image, f)
	f.Cmd.ImageBarrier(vk.ImageBarrier{Image: image, Old: vk.LayoutColor, New: vk.LayoutPresent,
		Src: vk.Sync{Stage: vk.StageColorOutput, Access: vk.AccessColorWrite}, Dst: vk.Sync{Stage: vk.StageBottom}})
	f.Cmd.EndPass()
	for i := range s.pictures {
		if err := s.recordPicture(f, &s.pictures[i]); err != nil {
			return err
		}
	}
	return nil
}

// traceFlags says where what happened is to go.
func (s *screen) traceFlags() *traceFlags { return &traceFlags{Trace: s.flags.Perfetto} }

// showFigures makes what it takes to write over the picture, and shows figures or not.
func (s *screen) showFigures() (err error) {
	if s.hud == nil && (s.figures || s.help || s.Show != nil || s.boxShown()) {
		if s.hud, err = newOverlay(s.dev, s.format, s.Samples); err != nil {
			return err
		}
		s.hud.gauge = newGauge(s.World, s.terrain.World())
		s.hud.over = s.drawOver
	}
	if s.hud != nil {
		s.hud.hidden, s.hud.hour = !s.figures, s.hour
	}
	return err
}

// pass records the barriers and draws into image, which is left in LayoutColor.
// What was in it and in the depth image is lost. With a frame, figures are drawn over it.
func (s *screen) pass(c *vk.CommandBuffer, image *vk.Image, frame *vk.Frame) {
	colorWrite := vk.Sync{Stage: vk.StageColorOutput, Access: vk.AccessColorWrite}
	depth := vk.StageEarlyDepth | vk.StageLateDepth
	c.ImageBarrier(vk.ImageBarrier{Image: image, New: vk.LayoutColor, Src: vk.Sync{Stage: vk.StageColorOutput}, Dst: colorWrite})
	c.ImageBarrier(vk.ImageBarrier{Image: &s.depth, New: vk.LayoutDepth, Src: vk.Sync{Stage: depth, Access: vk.AccessDepthWrite},
		Dst: vk.Sync{Stage: depth, Access: vk.AccessDepthRead | vk.AccessDepthWrite}})
	r := vk.Rendering{Width: image.Width, Height: image.Height,
		Color: vk.Attachment{Image: image}, Depth: vk.Attachment{Image: &s.depth, Store: vk.StoreDiscard}}
	if s.multi.Handle != nil {
		c.ImageBarrier(vk.ImageBarrier{Image: &s.multi, New: vk.LayoutColor, Src: colorWrite, Dst: colorWrite})
		r.Color = vk.Attachment{Image: &s.multi, Resolve: image, Store: vk.StoreDiscard}
	}
	c.BeginRendering(&r)
	s.terrain.Draw(c)
	if frame != nil {
		s.hud.draw(frame, s.terrain, int(image.Width), int(image.Height), s.window().scale, &s.shown)
	}
	c.EndRendering()
}

// report tells now and then how it goes.
func (s *screen) report() {
	if settled := s.terrain.Settled(); settled != s.settled {
		s.settled = settled
		if settled {
			s.trace.write(s, "settled", "")
		}
	}
	if s.frames == 1 {
		s.trace.write(s, "start", "")
	}
	s.trace.tick(s)
	if since := s.now.Sub(s.countedAt); since >= 500*time.Millisecond {
		if s.titled {
			s.setTitle(s.numbers(float64(s.frames-s.counted) / since.Seconds()))
		}
		s.counted, s.countedAt = s.frames, s.now
	}
}

// numbers is the title with what is known of the last frames.
func (s *screen) numbers(rate float64) string {
	st := s.terrain.Stats()
	frozen := ""
	if s.frozen != nil {
		frozen = ", frozen"
	}
	things := ""
	if st.Props.Instances > 0 {
		things = fmt.Sprintf(" and %s of %s things", grouped(int64(st.Props.Triangles)), grouped(int64(st.Props.Instances)))
	}
	if s.split != whole {
		frozen += ", " + s.split.String()
	}
	if s.byHand {
		frozen += ", levels by hand"
	}
	return fmt.Sprintf("vkterrain: %s | %.0f fps, %s, %s triangles%s, %d tiles, %s%s, %s, %.0f m/s",
		worldName(s.World), rate, s.algo, grouped(int64(st.Triangles)), things, st.Tiles, s.accuracy(), frozen, size(int64(st.BytesGPU)), s.camera.velocity.Len())
}

// accuracy says what decides how fine the ground is drawn.
func (s *screen) accuracy() string {
	th, tau := s.terrain.Thresholds(), fmt.Sprintf("tau %.3g px", s.view.Tau)
	if s.pages() == pagesLevels {
		return tau
	}
	if s.Options.Classic {
		tau = fmt.Sprintf("detail %s", short(roundTo(th.Detail, 1)))
	}
	if th.Near == 0 && th.Far == 0 {
		return tau
	}
	return fmt.Sprintf("%s, near %s m, far %s m", tau, short(roundTo(th.Near, 0)), short(roundTo(th.Far, 0)))
}

// setTitle hands the event thread a title.
func (s *screen) setTitle(t string) {
	s.title.Store(&t)
	glfw.PostEmptyEvent()
}

// presentModes are the values of --present-mode; "" is fifo.
var presentModes = map[string]vk.PresentMode{"relaxed": vk.FIFORelaxed, "mailbox": vk.Mailbox, "immediate": vk.Immediate}
