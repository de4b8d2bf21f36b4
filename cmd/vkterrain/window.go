//go:build !nowindow

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/go-gl/glfw/v3.3/glfw"
)

func init() {
	// GLFW wants the thread that the process began with. The main goroutine is
	// on it during init only, unless it locks itself there now.
	runtime.LockOSThread()
	openWindow = runWindow
}

// window is the event thread's side of a window: all of GLFW that must be on
// the main thread. It never waits for the render goroutine.
type window struct {
	log   *logger
	win   *glfw.Window
	inbox *inbox
	keys  map[glfw.Key]action

	looking            bool // a button is held, the mouse turns the camera
	lookButton         glfw.MouseButton
	cursorX, cursorY   float64
	noGamepad, gamepad bool
	padBefore          glfw.GamepadState
	before             [4]int // position and size before full screen
}

// patience is how long a frame may keep a window that is to close.
const patience = 5 * time.Second

// runWindow shows a world until the window is closed, ctx is done, or something
// breaks. It must run on the main thread.
func runWindow(ctx context.Context, o *windowOptions) error {
	flags := o.Flags
	if err := flags.environment(); err != nil {
		return err
	}
	if o.Keys == nil {
		o.Keys = defaultBindings()
	}
	w := &window{log: o.log, inbox: newInbox(), keys: glfwKeys(o.Keys)}
	if err := guard(func() error { return w.open(o) }); err != nil {
		return noDisplay(err)
	}
	s, err := newScreen(o, &flags, w)
	if err != nil {
		return errors.Join(err, w.close())
	}
	w.printControls(o.Keys, s.pages())
	if o.Next != "" {
		o.log.infof("%s", o.Next)
	}
	go s.run(ctx)
	if err = w.loop(s); !s.ended.Load() {
		return err // it hangs: let the process end
	}
	<-s.done // at once
	if s.panicked != nil {
		panic(s.panicked)
	}
	if s.frames > 0 {
		o.Left = &s.view
	}
	return errors.Join(s.err, err, w.close())
}

// open makes the window.
func (w *window) open(o *windowOptions) error {
	err := startGLFW()
	if err != nil {
		return err
	}
	catchErrors()
	glfw.WindowHint(glfw.ClientAPI, glfw.NoAPI)
	glfw.WindowHint(glfw.FocusOnShow, glfw.True)
	glfw.WindowHintString(glfw.X11ClassName, "vkterrain")
	glfw.WindowHintString(glfw.X11InstanceName, "vkterrain")
	w.win, err = glfw.CreateWindow(o.View.Width, o.View.Height, "vkterrain: "+worldName(o.World), nil, nil)
	if err != nil {
		return errors.Join(err, w.close())
	}
	watchWindow(w.win)
	w.place(&o.Placement)
	if o.Flags.Fullscreen && w.win.GetMonitor() == nil {
		w.toggleFullscreen()
	}
	w.win.SetKeyCallback(w.onKey)
	w.win.SetMouseButtonCallback(w.onButton)
	w.win.SetCursorPosCallback(w.onCursor)
	w.win.SetScrollCallback(w.onScroll)
	if glfw.RawMouseMotionSupported() {
		w.win.SetInputMode(glfw.RawMouseMotion, glfw.True)
	}
	w.publish()
	return nil
}

// place puts the window where one was, if that is on a screen.
func (w *window) place(p *placement) {
	if p.Width == 0 {
		return
	}
	for _, m := range glfw.GetMonitors() {
		x, y := m.GetPos()
		mode := m.GetVideoMode()
		if p.X < x+mode.Width && p.X+p.Width > x && p.Y >= y && p.Y < y+mode.Height {
			w.win.SetPos(p.X, p.Y)
			break
		}
	}
	if p.Fullscreen {
		w.toggleFullscreen()
	}
}

// placed returns where the window is; in full screen where it was before.
func (w *window) placed() (p placement) {
	if w.win.GetMonitor() != nil {
		return placement{w.before[0], w.before[1], w.before[2], w.before[3], true}
	}
	p.X, p.Y = w.win.GetPos()
	p.Width, p.Height = w.win.GetSize()
	return p
}

// loop handles events until the render goroutine has ended.
func (w *window) loop(s *screen) (err error) {
	var closing time.Time
	for !s.ended.Load() {
		wait := 250 * time.Millisecond // what no event tells, such as a new gamepad
		if w.pollGamepad() {
			wait = 8 * time.Millisecond
		}
		failed := guard(func() error {
			glfw.WaitEventsTimeout(wait.Seconds())
			w.publish()
			if !gone() && w.win.GetAttrib(glfw.Iconified) == glfw.False {
				s.Placement = w.placed()
			}
			if title, ok := s.newTitle(); ok {
				w.win.SetTitle(title)
			}
			return nil
		})
		if failed != nil && err == nil {
			err = withCode(exitNoDisplay, fmt.Errorf("the window broke: %w", failed))
			w.inbox.publish(surroundings{quit: true})
		}
		switch {
		case err == nil && !w.win.ShouldClose():
		case closing.IsZero():
			closing = time.Now()
		case time.Since(closing) > patience:
			return withCode(exitDevice, errors.New("the GPU does not answer"))
		}
	}
	return err
}

// publish tells the render goroutine what became of the window.
func (w *window) publish() {
	now := surroundings{quit: w.win.ShouldClose()}
	now.width, now.height = w.win.GetFramebufferSize()
	x, _ := w.win.GetContentScale()
	now.scale = float64(x)
	now.shown = w.win.GetAttrib(glfw.Visible) == glfw.True && w.win.GetAttrib(glfw.Iconified) == glfw.False
	if gone() {
		w.win.SetShouldClose(true)
		now = surroundings{quit: true}
	}
	w.inbox.publish(now)
}

// toggleFullscreen fills the screen that the window is on, or undoes that.
func (w *window) toggleFullscreen() {
	if w.win.GetMonitor() != nil {
		w.win.SetMonitor(nil, w.before[0], w.before[1], w.before[2], w.before[3], glfw.DontCare)
		return
	}
	x, y := w.win.GetPos()
	width, height := w.win.GetSize()
	best, most := glfw.GetPrimaryMonitor(), 0
	for _, m := range glfw.GetMonitors() {
		mx, my := m.GetPos()
		mode := m.GetVideoMode()
		common := max(0, min(x+width, mx+mode.Width)-max(x, mx)) * max(0, min(y+height, my+mode.Height)-max(y, my))
		if common > most {
			best, most = m, common
		}
	}
	if best == nil {
		w.log.warnf("no monitor to fill")
		return
	}
	w.before = [4]int{x, y, width, height}
	mode := best.GetVideoMode()
	w.win.SetMonitor(best, 0, 0, mode.Width, mode.Height, mode.RefreshRate)
}

// close ends GLFW. The render goroutine must be done with the window.
func (w *window) close() error {
	return guard(func() error {
		if w.win != nil {
			w.win.Destroy()
		}
		glfw.Terminate()
		return nil
	})
}

// guard makes an error of what the binding panics with.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			failed, ok := p.(*glfw.Error)
			if !ok {
				panic(p)
			}
			err = failed
		}
	}()
	return f()
}

// noDisplay says how to go on without a display.
func noDisplay(err error) error {
	display := os.Getenv("DISPLAY")
	if display == "" {
		display = os.Getenv("WAYLAND_DISPLAY")
	}
	return withCode(exitNoDisplay, fmt.Errorf(
		"no window on display %s (%w); without one use vkterrain render WORLD -o F.png or vkterrain demo --headless", display, err))
}
