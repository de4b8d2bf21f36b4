package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/vk"
)

// captureFlags ask RenderDoc for captures of what is drawn.
type captureFlags struct {
	RenderDoc      bool    `group:"capture" name:"renderdoc" help:"Load RenderDoc, so that F10 captures a frame, and shaders with their source."`
	CaptureFrame   *int    `group:"capture" placeholder:"N" help:"Capture frame N, counted from 0."`
	CaptureOnHitch float64 `group:"capture" placeholder:"MS" help:"Capture the frame after each one of more than MS milliseconds, ten times at most."`
	CapturePath    string  `group:"capture" default:"vkterrain" placeholder:"PATH" help:"What the names of captures begin with (vkterrain, in the working folder)."`
}

func (f *captureFlags) check() error {
	if f.CaptureFrame != nil && *f.CaptureFrame < 0 {
		return fmt.Errorf("--capture-frame %d: must be 0 or more", *f.CaptureFrame)
	}
	if !(f.CaptureOnHitch >= 0) {
		return fmt.Errorf("--capture-on-hitch %v: must be 0 or more milliseconds", f.CaptureOnHitch)
	}
	if f.CapturePath == "" {
		return errors.New("--capture-path: an empty file name")
	}
	return nil
}

// asked says whether any capture may be wanted.
func (f *captureFlags) asked() bool {
	return f.RenderDoc || f.CaptureFrame != nil || f.CaptureOnHitch > 0
}

// idle warns of the flag that does nothing where nothing is captured.
func (f *captureFlags) idle(a *app) {
	if !f.asked() && vk.FindRenderDoc() == nil {
		a.idle("capture-path", "nothing is captured without --renderdoc, --capture-frame or --capture-on-hitch")
	}
}

// mostHitches is how many frames are captured for their lateness.
const mostHitches = 10

// captures decides which frames RenderDoc captures. nil captures none.
type captures struct {
	flags   *captureFlags
	log     *logger
	rd      *vk.RenderDoc
	frame   int    // begun so far
	reason  string // to capture the next frame, or ""
	running bool
	last    time.Time // the last frame's begin; zero if its time says nothing
	hitches int
}

// open loads RenderDoc if it is asked for, and finds it where the program was started
// by it. Call it before there is an instance.
func (f *captureFlags) open(a *app) (*captures, error) {
	var rd *vk.RenderDoc
	if f.asked() {
		var err error
		if rd, err = loadRenderDoc(); err != nil {
			return nil, err
		}
	} else if rd = vk.FindRenderDoc(); rd == nil {
		return nil, nil
	}
	path, err := filepath.Abs(f.CapturePath)
	if err != nil {
		return nil, outputError(err)
	}
	if st, err := os.Stat(filepath.Dir(path)); err != nil || !st.IsDir() {
		return nil, outputError(fmt.Errorf("--capture-path %s: there is no such folder", f.CapturePath))
	}
	rd.SetPath(path)
	return &captures{flags: f, log: a.log, rd: rd}, nil
}

// loadRenderDoc loads RenderDoc, or says how to get it.
func loadRenderDoc() (*vk.RenderDoc, error) {
	rd, err := vk.LoadRenderDoc()
	if err != nil {
		return nil, inputError(fmt.Errorf("%w; Debian: apt install renderdoc", err))
	}
	return rd, nil
}

// ask has the next frame captured, or tells why it is not.
func (c *captures) ask(log *logger) {
	if c == nil {
		log.infof("to capture frames, start with --renderdoc, or from RenderDoc")
		return
	}
	c.reason = "by key"
}

// begin stands before a frame is begun.
func (c *captures) begin(dev *vk.Device) {
	if c == nil {
		return
	}
	now := time.Now()
	took := now.Sub(c.last)
	limit := time.Duration(c.flags.CaptureOnHitch * float64(time.Millisecond))
	if limit > 0 && !c.last.IsZero() && took > limit && c.hitches < mostHitches {
		c.hitches++
		c.reason = fmt.Sprintf("after one of %.1f ms", milliseconds(took))
	}
	if n := c.flags.CaptureFrame; n != nil && *n == c.frame {
		c.reason = "as asked"
	}
	c.last = now
	if c.reason != "" {
		c.running = true
		c.rd.Start(dev)
	}
	c.frame++
}

// end stands behind what was begun, whatever became of it.
func (c *captures) end(dev *vk.Device) {
	if c == nil || !c.running {
		return
	}
	comment := fmt.Sprintf("frame %d, %s", c.frame-1, c.reason)
	c.running, c.reason, c.last = false, "", time.Time{}
	path, err := c.rd.End(dev, comment)
	if err != nil {
		c.log.warnf("%v", err)
		return
	}
	c.log.infof("captured %s: %s", comment, path)
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }

type captureCmd struct {
	World string  `arg:"" optional:"" help:"World file, endless, or a built-in world (coast, islet, relief); coast if absent."`
	Out   string  `short:"o" required:"" placeholder:"F.rdc" help:"Capture to write."`
	Size  pixels  `group:"picture" default:"1280x720" placeholder:"WxH" help:"Size of the picture (1280x720)."`
	Tau   float64 `group:"picture" default:"2" placeholder:"PX" help:"Largest screen error in pixels (2)."`
	Frame *int    `group:"capture" placeholder:"N" help:"Capture frame N, counted from 0, with what it uploads; the first with everything loaded if absent."`
	lookFlags
	cameraFlags
}

// Help is what --help adds.
func (captureCmd) Help() string {
	return `Draws a view without a window, and captures a frame of it with RenderDoc, which must be
installed. Objects have names, passes and uploads have labels, and shaders have their source.
The same command line captures the same calls and the same bytes.

Examples:

  vkterrain capture alps.vkt -o alps.rdc
  vkterrain capture alps.vkt -o first.rdc --frame 0`
}

func (c *captureCmd) Validate() error {
	if c.Frame != nil && *c.Frame < 0 {
		return fmt.Errorf("--frame %d: must be 0 or more", *c.Frame)
	}
	return c.lookFlags.Validate()
}

func (c *captureCmd) Run(a *app) error {
	if err := distinct(append(c.propsFlags.files(), c.World, c.Camera), []string{c.Out}); err != nil {
		return err
	}
	if err := writable(c.Out); err != nil {
		return err
	}
	path := c.World
	if path == "" {
		var err error
		if path, err = a.builtIn(defaultDemo, a.checkGPU); err != nil {
			return err
		}
	}
	if err := a.named(&path, a.checkGPU); err != nil {
		return err
	}
	w, err := worldOf(path)
	if err != nil {
		return err
	}
	v := vkterrain.DefaultView(w, c.Size.W, c.Size.H)
	v.Tau = c.Tau
	if err := c.apply(&v); err != nil {
		return err
	}
	look := c.look(w)
	o, err := c.options(a.globals, path, w)
	if err != nil {
		return err
	}
	// Nothing may depend on which thread was faster.
	o.Sync, o.Workers, o.Anchored, o.ShaderDebug = true, 1, false, true
	rd, err := loadRenderDoc()
	if err != nil {
		return err
	}
	s, err := a.openStage(c.Size, c.Samples)
	if err != nil {
		return err
	}
	if err = s.open(path, o); err == nil {
		err = c.capture(s, rd, &v, &look)
	}
	if closed := s.close(); err == nil {
		err = closed
	}
	return err
}

// capture captures the frame and puts its file into place.
func (c *captureCmd) capture(s *stage, rd *vk.RenderDoc, v *lodcpu.View, look *pipeline.Look) error {
	target, err := s.newTarget("picture", c.Size, c.Samples)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(c.Out), ".capture-*")
	if err != nil {
		return outputError(naming(c.Out, err))
	}
	defer os.RemoveAll(dir)
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return outputError(err)
	}
	rd.SetPath(filepath.Join(absolute, "vkterrain"))
	frame, err := c.until(s, target, v, look)
	if err != nil {
		return err
	}
	rd.Start(s.dev)
	if err := c.steady(s, target, v, look); err != nil {
		rd.Discard(s.dev)
		return err
	}
	st := s.terrain.Stats()
	written, err := rd.End(s.dev, fmt.Sprintf("vkterrain %s: %s, frame %d, tau %s, camera %s", version(), worldName(c.World), frame, short(c.Tau), poseJSON(v)))
	if err != nil {
		return outputError(err)
	}
	if err := s.whole(); err != nil {
		return err
	}
	info, err := os.Stat(written)
	if err == nil {
		err = os.Rename(written, c.Out)
	}
	if err != nil {
		return outputError(naming(c.Out, err))
	}
	_, err = fmt.Fprintf(s.app.stdout, "%s: frame %d, %s triangles of %d tiles, %s\n", c.Out, frame, grouped(int64(st.Triangles)), st.Tiles, size(info.Size()))
	return outputError(err)
}

// until draws the frames before the one to capture, and returns that one's number.
func (c *captureCmd) until(s *stage, target *vk.Target, v *lodcpu.View, look *pipeline.Look) (frame int, err error) {
	for c.Frame == nil && !s.terrain.Settled() || c.Frame != nil && frame < *c.Frame {
		if s.app.ctx.Err() != nil {
			return frame, errInterrupted
		}
		if err := c.steady(s, target, v, look); err != nil {
			return frame, err
		}
		frame++
	}
	return frame, nil
}

// steady draws a frame and waits for it: when uploads arrive must not depend on how
// fast anything is.
func (c *captureCmd) steady(s *stage, target *vk.Target, v *lodcpu.View, look *pipeline.Look) error {
	if _, err := s.draw(target, v, look, false); err != nil {
		return err
	}
	return s.dev.WaitIdle()
}
