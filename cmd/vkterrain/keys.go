package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// action is what a key does. Those that go on while a key is down come first.
type action string

// keyRow is an action, its keys and what it does, for people.
type keyRow struct {
	action action
	keys   []string
	help   string
}

// keyTable says what each action is called in the settings file, the keys that it
// has unless the settings say otherwise, and what it does, for people. Keys are
// named as keyNames does.
var keyTable = []keyRow{
	{"forward", []string{"W"}, "fly forward"},
	{"back", []string{"S"}, "fly back"},
	{"left", []string{"A"}, "fly left"},
	{"right", []string{"D"}, "fly right"},
	{"up", []string{"E"}, "fly up"},
	{"down", []string{"Q"}, "fly down"},
	{"turn-left", []string{"Left"}, "turn left"},
	{"turn-right", []string{"Right"}, "turn right"},
	{"turn-up", []string{"Up"}, "look up"},
	{"turn-down", []string{"Down"}, "look down"},
	{"fast", []string{"LeftShift", "RightShift"}, "faster while it is down"},
	{"slow", []string{"LeftAlt", "RightAlt", "LeftControl", "RightControl"}, "slower while it is down"},
	{"help", []string{"F1"}, "these controls"},
	{"hud", []string{"F2"}, "figures over the picture"},
	{"title", []string{"N"}, "numbers in the title"},
	{"wireframe", []string{"F3", "X"}, "wireframe"},
	{"lod", []string{"F4"}, "colours of the levels of detail"},
	{"freeze", []string{"F5"}, "freeze the levels of detail"},
	{"split", []string{"F6"}, "two tolerances, two algorithms, both eyes; from above"},
	{"mode", []string{"F7"}, "next of all ways to see it"},
	{"finer", []string{"LeftBracket"}, "smaller screen error"},
	{"coarser", []string{"RightBracket"}, "larger screen error"},
	{"earlier", []string{"Comma"}, "earlier in the day"},
	{"later", []string{"Period"}, "later in the day"},
	{"play", []string{"P"}, "play or pause the flight"},
	{"reset", []string{"R"}, "back to the first view"},
	{"capture", []string{"F10"}, "capture a frame for RenderDoc (with --renderdoc)"},
	{"fullscreen", []string{"F11"}, "full screen"},
	{"picture", []string{"F12"}, "picture into the working folder"},
	{"page-up", []string{"PageUp"}, "BilLOD's far threshold up; with Shift the near one"},
	{"page-down", []string{"PageDown"}, "the same down"},
	{"close", []string{"Escape"}, "close"},
}

// keyNames are the names that keys have in the settings file.
var keyNames = func() []string {
	names := []string{
		"Left", "Right", "Up", "Down", "PageUp", "PageDown", "Home", "End", "Insert", "Delete", "Escape", "Enter", "Tab", "Backspace", "Space",
		"LeftShift", "RightShift", "LeftAlt", "RightAlt", "LeftControl", "RightControl", "LeftBracket", "RightBracket",
		"Minus", "Equal", "Comma", "Period", "Slash", "Semicolon", "Apostrophe", "Backslash", "GraveAccent",
		"KeypadAdd", "KeypadSubtract", "KeypadEnter", "KeypadMultiply", "KeypadDivide", "Pause", "PrintScreen",
	}
	for c := 'A'; c <= 'Z'; c++ {
		names = append(names, string(c))
	}
	for c := '0'; c <= '9'; c++ {
		names = append(names, string(c), "Keypad"+string(c))
	}
	for i := 1; i <= 12; i++ {
		names = append(names, fmt.Sprintf("F%d", i))
	}
	slices.Sort(names)
	return names
}()

// bindings are what keys do, by their names.
type bindings map[string]action

// defaultBindings are those of keyTable.
func defaultBindings() bindings {
	b := bindings{}
	for _, row := range keyTable {
		for _, key := range row.keys {
			b[key] = row.action
		}
	}
	return b
}

// bind gives an action these keys in place of those it has; none is allowed. A key
// that did something else does not any more.
func (b bindings) bind(name string, keys []string) error {
	known := slices.ContainsFunc(keyTable, func(row keyRow) bool { return string(row.action) == name })
	if !known {
		return fmt.Errorf("%q is no action; there are %s", name, strings.Join(actionNames(), ", "))
	}
	maps.DeleteFunc(b, func(_ string, a action) bool { return string(a) == name })
	for _, key := range keys {
		i := slices.IndexFunc(keyNames, func(n string) bool { return strings.EqualFold(n, key) })
		if i < 0 {
			return fmt.Errorf("%q is no key; keys are letters, digits, F1 to F12, and names such as %s", key, "PageUp, Space, LeftBracket, KeypadAdd")
		}
		b[keyNames[i]] = action(name)
	}
	return nil
}

func actionNames() []string {
	var names []string
	for _, row := range keyTable {
		names = append(names, string(row.action))
	}
	return names
}
