//go:build !nowindow

package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/glfw/v3.3/glfw"
)

// TestPad moves sticks, pulls triggers and presses buttons.
func TestPad(t *testing.T) {
	rest := glfw.GamepadState{}
	rest.Axes[glfw.AxisLeftTrigger], rest.Axes[glfw.AxisRightTrigger] = -1, -1 // as they are when nobody pulls
	if in := readPad(&rest, &rest); in.move != [3]float64{} || in.turn != [2]float64{} || in.pad != 0 || in.commands != nil || in.steers() {
		t.Errorf("at rest: %+v", in)
	}
	with := func(set func(s *glfw.GamepadState)) *glfw.GamepadState {
		s := rest
		set(&s)
		return &s
	}
	for _, c := range []struct {
		axis glfw.GamepadAxis
		at   float32
		move [3]float64
		turn [2]float64
	}{
		{glfw.AxisLeftX, 1, [3]float64{1, 0, 0}, [2]float64{}},
		{glfw.AxisLeftY, -1, [3]float64{0, 0, 1}, [2]float64{}}, // away from one is forward
		{glfw.AxisRightX, -1, [3]float64{}, [2]float64{-1, 0}},
		{glfw.AxisRightY, -1, [3]float64{}, [2]float64{0, 1}},
		{glfw.AxisLeftTrigger, 1, [3]float64{0, -1, 0}, [2]float64{}},
		{glfw.AxisRightTrigger, 1, [3]float64{0, 1, 0}, [2]float64{}},
		{glfw.AxisLeftX, 0.1, [3]float64{}, [2]float64{}}, // hardly off its middle
	} {
		in := readPad(with(func(s *glfw.GamepadState) { s.Axes[c.axis] = c.at }), &rest)
		if in.move != c.move || in.turn != c.turn {
			t.Errorf("axis %d at %g: moves %v, turns %v; want %v, %v", c.axis, c.at, in.move, in.turn, c.move, c.turn)
		}
	}
	down := func(b glfw.GamepadButton) *glfw.GamepadState {
		return with(func(s *glfw.GamepadState) { s.Buttons[b] = glfw.Press })
	}
	for b, c := range padPresses {
		if in := readPad(down(b), &rest); !slices.Equal(in.commands, []command{c}) {
			t.Errorf("button %d does %v, want %v", b, in.commands, c)
		}
		if in := readPad(down(b), down(b)); in.commands != nil {
			t.Errorf("button %d does %v again while it is down", b, in.commands)
		}
	}
	if in := readPad(down(glfw.ButtonRightBumper), down(glfw.ButtonRightBumper)); in.pad != fast || in.steers() {
		t.Errorf("the right shoulder: %+v", in)
	}
	// What a pad holds does not stay when it lets go, and takes nothing from keys.
	b := newInbox()
	var got input
	b.change(func(in *input) { in.held, in.pad = goForward, fast })
	if b.take(&got); got.held != goForward|fast {
		t.Errorf("holds %b", got.held)
	}
	b.change(func(in *input) { in.pad = 0 })
	if b.take(&got); got.held != goForward {
		t.Errorf("holds %b afterwards", got.held)
	}
}

// TestControls: the help has every action, with the keys that it has.
func TestControls(t *testing.T) {
	text := func(b bindings, pages pageKeys) (s string) {
		for _, line := range b.controls(pages) {
			s += line[0] + ": " + line[1] + "\n"
		}
		return s
	}
	all := text(defaultBindings(), pagesModel)
	for _, row := range keyTable {
		for _, label := range defaultBindings().labels(row.action) {
			if !strings.Contains(all, label) {
				t.Errorf("%s: no key %s in\n%s", row.action, label, all)
			}
		}
		if row.help != "" && !strings.Contains(all, ": "+row.help+"\n") {
			t.Errorf("%s is not in\n%s", row.action, all)
		}
	}
	if all = text(defaultBindings(), pagesLevels); strings.Contains(all, "model") {
		t.Errorf("models where there are none:\n%s", all)
	}
	for _, want := range []string{"\nW A S D: ", "\nF3 or X: ", "\nAlt or Control: ", "\n[ ]: ", "\nPage Up Page Down: finer, coarser levels by hand\n"} {
		if !strings.Contains("\n"+all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	b := billodBindings()
	if err := b.bind("help", []string{"H"}); err != nil {
		t.Fatal(err)
	}
	all = text(b, pagesThresholds)
	for want, there := range map[string]bool{
		"\nH: these controls\n": true, "F1 or": false, "\nF3 or W or X: wireframe\n": true, "\nUp A Left Down S D Right: fly ": true,
		"Page Down: BilLOD's far threshold; with Shift the near one\n": true, "turn;": false,
	} {
		if strings.Contains("\n"+all, want) != there {
			t.Errorf("%q: want %v in\n%s", want, there, all)
		}
	}
	for _, line := range helpOf(b, pagesLevels) {
		if len(line[0])+len(line[1]) > 105 {
			t.Errorf("too long for a picture: %q", line)
		}
	}
}
