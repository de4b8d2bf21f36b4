//go:build !nowindow

package main

import (
	"math"

	"github.com/go-gl/glfw/v3.3/glfw"
)

// padHolds are the buttons of a gamepad that do something while they are down.
var padHolds = map[glfw.GamepadButton]held{
	glfw.ButtonLeftBumper: slow, glfw.ButtonRightBumper: fast,
}

// padPresses are those that do something once. Buttons have the names of an Xbox pad.
var padPresses = map[glfw.GamepadButton]command{
	glfw.ButtonA: playFlight, glfw.ButtonB: toggleFreeze, glfw.ButtonX: toggleWireframe, glfw.ButtonY: nextAlgorithm,
	glfw.ButtonBack: resetView, glfw.ButtonStart: toggleHelp,
	glfw.ButtonDpadUp: finer, glfw.ButtonDpadDown: coarser, glfw.ButtonDpadLeft: earlier, glfw.ButtonDpadRight: later,
}

// readPad returns what a gamepad does: its sticks and triggers, and the buttons that are
// down now and were not before.
func readPad(now, before *glfw.GamepadState) (in input) {
	axis := func(a glfw.GamepadAxis) float64 { return deadZone(float64(now.Axes[a])) }
	trigger := func(a glfw.GamepadAxis) float64 { return deadZone((float64(now.Axes[a]) + 1) / 2) }
	in.move = [3]float64{
		axis(glfw.AxisLeftX), trigger(glfw.AxisRightTrigger) - trigger(glfw.AxisLeftTrigger), -axis(glfw.AxisLeftY),
	}
	in.turn = [2]float64{axis(glfw.AxisRightX), -axis(glfw.AxisRightY)}
	for b := range glfw.GamepadButton(len(now.Buttons)) {
		if now.Buttons[b] != glfw.Press {
			continue
		}
		in.pad |= padHolds[b]
		if c, ok := padPresses[b]; ok && before.Buttons[b] != glfw.Press {
			in.commands = append(in.commands, c)
		}
	}
	return in
}

// deadZone ignores what a stick says at rest, and squares the rest for control.
func deadZone(v float64) float64 {
	const rest = 0.15
	m := max(0, (math.Abs(v)-rest)/(1-rest))
	return math.Copysign(min(1, m*m), v)
}
