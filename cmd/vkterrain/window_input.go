//go:build !nowindow

package main

import (
	"image"
	"sync"

	"github.com/go-gl/glfw/v3.3/glfw"
)

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
	playFlight
	resetView
	takePicture
	captureFrame
	toggleHUD
	toggleHelp
	toggleAuto
	toggleRecord
	nextSplit
	nextMode
	nextAlgorithm
	nextModel
	moreVertices // from here on a key that stays down does it again
	fewerVertices
	finer
	coarser
	earlier
	later
	pageUp
	pageDown
	shiftPageUp
	shiftPageDown
)

var commandNames = [...]string{
	"title", "wireframe", "lod", "freeze", "play", "reset", "picture", "capture", "hud", "help", "auto", "record", "split", "mode", "algorithm", "model",
	"more", "fewer", "finer", "coarser", "earlier", "later", "page up", "page down", "shift page up", "shift page down",
}

func (c command) String() string { return commandNames[c] }

// presses are the actions of one press that the render goroutine does.
var presses = map[action]command{
	"title": toggleTitle, "hud": toggleHUD, "wireframe": toggleWireframe, "lod": toggleLOD, "freeze": toggleFreeze,
	"finer": finer, "coarser": coarser, "play": playFlight, "reset": resetView, "picture": takePicture,
	"capture": captureFrame, "split": nextSplit, "mode": nextMode, "help": toggleHelp, "auto": toggleAuto, "record": toggleRecord,
	"algorithm": nextAlgorithm, "model": nextModel, "more": moreVertices, "fewer": fewerVertices, "earlier": earlier, "later": later,
	"page-up": pageUp, "page-down": pageDown,
}

// shifted is what becomes of a command with a shift key down.
func (c command) shifted() command {
	switch c {
	case pageUp:
		return shiftPageUp
	case pageDown:
		return shiftPageDown
	}
	return c
}

// repeats says whether a key that stays down does c again.
func (c command) repeats() bool { return c >= moreVertices }

// input is what the user does.
type input struct {
	held         held
	lookX, lookY float64    // of the mouse since the last frame, window units
	wheel        float64    // notches since the last frame
	move         [3]float64 // of a gamepad: right, up, forward; -1 to 1
	turn         [2]float64 // of a gamepad: right, up; -1 to 1
	pad          held       // of a gamepad
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
	box  image.Rectangle // where a click is for the box of the levels, pixels; empty if there is none
	wake chan struct{}   // holds one when something has changed
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

// setBox says where the box of the levels is.
func (b *inbox) setBox(r image.Rectangle) {
	b.mu.Lock()
	b.box = r
	b.mu.Unlock()
}

// inBox says whether a place in the picture is in the box of the levels.
func (b *inbox) inBox(p image.Point) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return p.In(b.box)
}

// take moves the input to dst; what counts since the last frame starts anew.
func (b *inbox) take(dst *input) {
	b.mu.Lock()
	spare := dst.commands[:0]
	*dst = b.in
	dst.held |= dst.pad
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
	case "fullscreen":
		w.toggleFullscreen()
	case "close":
		w.win.SetShouldClose(true)
	}
}

// printControls tells what keys and a gamepad do.
func (w *window) printControls(b bindings, pages pageKeys) {
	for _, line := range b.controls(pages) {
		w.log.infof("  %-20s %s", line[0], line[1])
	}
	w.log.infof("  %-20s %s", "gamepad", padHelp)
}

// onButton turns the camera while a button is held; the pointer is then ours.
func (w *window) onButton(_ *glfw.Window, button glfw.MouseButton, action glfw.Action, _ glfw.ModifierKey) {
	switch {
	case action == glfw.Press && button == glfw.MouseButtonLeft && w.inbox.inBox(w.pointer()):
		w.inbox.change(func(in *input) { in.commands = append(in.commands, toggleAuto) })
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

// pointer returns where the pointer is in the picture.
func (w *window) pointer() image.Point {
	x, y := w.win.GetCursorPos()
	width, height := w.win.GetSize()
	pw, ph := w.win.GetFramebufferSize()
	return image.Pt(int(x*float64(pw)/float64(max(width, 1))), int(y*float64(ph)/float64(max(height, 1))))
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
			w.gamepad, w.padBefore = false, glfw.GamepadState{}
			w.inbox.change(func(in *input) { in.move, in.turn, in.pad = [3]float64{}, [2]float64{}, 0 })
		}
		return false
	}
	w.gamepad = true
	did := readPad(s, &w.padBefore)
	w.padBefore = *s
	w.inbox.change(func(in *input) {
		in.move, in.turn, in.pad = did.move, did.turn, did.pad
		in.commands = append(in.commands, did.commands...)
	})
	return true
}
