//go:build !nowindow

package main

import (
	"math"
	"strings"
	"sync"

	"github.com/go-gl/glfw/v3.3/glfw"
)

// controls is what F1 and the start print.
const controls = `W S A D, Q E      fly forward, back, left, right; down, up
arrow keys        turn
mouse             turn while a button is held
wheel             speed;  Shift faster,  Alt or Ctrl slower
[ ]               finer, coarser (the screen error tau)
Page Up, Down     BilLOD's far threshold;  with Shift the near one
, .               earlier, later: the time of day
F1                these controls
F2, N             figures over the picture, numbers in the title
F3 or X           wireframe
F4                colours of the levels of detail
F5                freeze the levels of detail
F6                two tolerances, two algorithms, both eyes; from above
P                 play or pause the flight
R                 back to the first view
F7                next of all ways to see it
F10               capture a frame (with --renderdoc)
F11, F12          full screen, picture into the working folder
Esc               close
gamepad           sticks move and turn, triggers sink and climb`

// held is a set of things that happen while keys are down.
type held uint16

const (
	goForward held = 1 << iota
	goBack
	goLeft
	goRight
	goUp
	goDown
	turnLeft
	turnRight
	turnUp
	turnDown
	fast
	slow
)

// steering is what takes the camera from a flight.
const steering = goForward | goBack | goLeft | goRight | goUp | goDown | turnLeft | turnRight | turnUp | turnDown

// holds are the actions that go on while a key is down.
var holds = map[action]held{
	"forward": goForward, "back": goBack, "left": goLeft, "right": goRight, "up": goUp, "down": goDown,
	"turn-left": turnLeft, "turn-right": turnRight, "turn-up": turnUp, "turn-down": turnDown,
	"fast": fast, "slow": slow,
}

// command is what a key does once.
type command int

const (
	toggleTitle command = iota
	toggleWireframe
	toggleLOD
	toggleFreeze
	finer
	coarser
	earlier
	later
	playFlight
	resetView
	takePicture
	captureFrame
	toggleHUD
	nextSplit
	nextMode
	fartherFar
	nearerFar
	fartherNear
	nearerNear
)

var commandNames = [...]string{"title", "wireframe", "lod", "freeze", "finer", "coarser", "earlier", "later", "play", "reset", "picture", "capture", "hud", "split", "mode", "far up", "far down", "near up", "near down"}

func (c command) String() string { return commandNames[c] }

// presses are the actions of one press that the render goroutine does.
var presses = map[action]command{
	"title": toggleTitle, "hud": toggleHUD, "wireframe": toggleWireframe, "lod": toggleLOD, "freeze": toggleFreeze,
	"finer": finer, "coarser": coarser, "earlier": earlier, "later": later, "play": playFlight, "reset": resetView, "picture": takePicture,
	"capture": captureFrame, "split": nextSplit, "mode": nextMode,
	"page-up": fartherFar, "page-down": nearerFar,
}

// shifted is what becomes of a command with a shift key down.
func (c command) shifted() command {
	switch c {
	case fartherFar:
		return fartherNear
	case nearerFar:
		return nearerNear
	}
	return c
}

// repeats says whether a key that stays down does c again.
func (c command) repeats() bool { return c >= finer && c <= later || c >= fartherFar }

// input is what the user does.
type input struct {
	held         held
	lookX, lookY float64    // of the mouse since the last frame, window units
	wheel        float64    // notches since the last frame
	move         [3]float64 // of a gamepad: right, up, forward; -1 to 1
	turn         [2]float64 // of a gamepad: right, up; -1 to 1
	commands     []command  // since the last frame
}

// surroundings are what became of the window.
type surroundings struct {
	width, height int     // of the framebuffer, pixels
	scale         float64 // of things on the screen that the window is on
	shown         bool
	quit          bool
}

// steers says whether the user moves the camera.
func (in *input) steers() bool {
	return in.held&steering != 0 || in.lookX != 0 || in.lookY != 0 || in.move != [3]float64{} || in.turn != [2]float64{}
}

// inbox takes input from the event thread to the render goroutine. Both hold
// its lock for a few assignments only.
type inbox struct {
	mu   sync.Mutex
	in   input
	now  surroundings
	wake chan struct{} // holds one when something has changed
}

func newInbox() *inbox { return &inbox{wake: make(chan struct{}, 1)} }

// change lets f change the input.
func (b *inbox) change(f func(in *input)) {
	b.mu.Lock()
	f(&b.in)
	b.mu.Unlock()
}

// publish tells what became of the window, and wakes the render goroutine if it
// waits. What has to quit once has to quit for ever.
func (b *inbox) publish(now surroundings) {
	b.mu.Lock()
	now.quit = now.quit || b.now.quit
	b.now = now
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// look returns what was published last.
func (b *inbox) look() surroundings {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

// take moves the input to dst; what counts since the last frame starts anew.
func (b *inbox) take(dst *input) {
	b.mu.Lock()
	spare := dst.commands[:0]
	*dst = b.in
	b.in.lookX, b.in.lookY, b.in.wheel, b.in.commands = 0, 0, 0, spare
	b.mu.Unlock()
}

// onKey, onButton, onCursor, onScroll run on the event thread.

func (w *window) onKey(_ *glfw.Window, key glfw.Key, _ int, did glfw.Action, mods glfw.ModifierKey) {
	what := w.keys[key]
	if bit, ok := holds[what]; ok {
		w.inbox.change(func(in *input) {
			if did == glfw.Release {
				in.held &^= bit
			} else {
				in.held |= bit
			}
		})
		return
	}
	c, ok := presses[what]
	if mods&glfw.ModShift != 0 {
		c = c.shifted()
	}
	if ok && (did == glfw.Press || did == glfw.Repeat && c.repeats()) {
		w.inbox.change(func(in *input) { in.commands = append(in.commands, c) })
		return
	}
	if did != glfw.Press {
		return
	}
	switch what {
	case "help":
		w.printControls()
	case "fullscreen":
		w.toggleFullscreen()
	case "close":
		w.win.SetShouldClose(true)
	}
}

func (w *window) printControls() {
	for line := range strings.SplitSeq(controls, "\n") {
		w.log.infof("  %s", line)
	}
}

// onButton turns the camera while a button is held; the pointer is then ours.
func (w *window) onButton(_ *glfw.Window, button glfw.MouseButton, action glfw.Action, _ glfw.ModifierKey) {
	switch {
	case action == glfw.Press && !w.looking:
		w.looking, w.lookButton = true, button
		w.win.SetInputMode(glfw.CursorMode, glfw.CursorDisabled)
		w.cursorX, w.cursorY = w.win.GetCursorPos()
	case action == glfw.Release && w.looking && button == w.lookButton:
		w.looking = false
		w.win.SetInputMode(glfw.CursorMode, glfw.CursorNormal)
	}
}

func (w *window) onCursor(_ *glfw.Window, x, y float64) {
	if !w.looking {
		return
	}
	dx, dy := x-w.cursorX, y-w.cursorY
	w.cursorX, w.cursorY = x, y
	w.inbox.change(func(in *input) { in.lookX, in.lookY = in.lookX+dx, in.lookY+dy })
}

func (w *window) onScroll(_ *glfw.Window, _, y float64) {
	w.inbox.change(func(in *input) { in.wheel += y })
}

// pollGamepad reads the first gamepad and says whether there is one. A pad that
// makes the binding panic is not asked again.
func (w *window) pollGamepad() (there bool) {
	if w.noGamepad {
		return false
	}
	defer func() {
		if p := recover(); p != nil {
			w.noGamepad, there = true, false
			w.log.warnf("no gamepad: %v", p)
		}
	}()
	var s *glfw.GamepadState
	if glfw.Joystick1.Present() && glfw.Joystick1.IsGamepad() {
		s = glfw.Joystick1.GetGamepadState()
	}
	if s == nil {
		if w.gamepad {
			w.gamepad = false
			w.inbox.change(func(in *input) { in.move, in.turn = [3]float64{}, [2]float64{} })
		}
		return false
	}
	w.gamepad = true
	axis := func(a glfw.GamepadAxis) float64 { return deadZone(float64(s.Axes[a])) }
	trigger := func(a glfw.GamepadAxis) float64 { return deadZone((float64(s.Axes[a]) + 1) / 2) }
	move := [3]float64{
		axis(glfw.AxisLeftX), trigger(glfw.AxisRightTrigger) - trigger(glfw.AxisLeftTrigger), -axis(glfw.AxisLeftY),
	}
	turn := [2]float64{axis(glfw.AxisRightX), -axis(glfw.AxisRightY)}
	w.inbox.change(func(in *input) { in.move, in.turn = move, turn })
	return true
}

// deadZone ignores what a stick says at rest, and squares the rest for control.
func deadZone(v float64) float64 {
	const rest = 0.15
	m := max(0, (math.Abs(v)-rest)/(1-rest))
	return math.Copysign(min(1, m*m), v)
}
