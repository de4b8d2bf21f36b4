package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// action is what a key does. Those that go on while a key is down come first.
type action string

// keyRow is an action, the keys that it has unless the settings say otherwise, and what it
// does, for people; without a help it shares the line of the row before.
type keyRow struct {
	action action
	keys   []string
	help   string
}

// keyTable says what each action is called in the settings file. Keys are named as keyNames
// does.
var keyTable = []keyRow{
	{"forward", []string{"W"}, "fly forward, left, back, right"},
	{"left", []string{"A"}, ""},
	{"back", []string{"S"}, ""},
	{"right", []string{"D"}, ""},
	{"down", []string{"Q"}, "down, up"},
	{"up", []string{"E"}, ""},
	{"turn-left", []string{"Left"}, "turn; so does the mouse while a button is held"},
	{"turn-right", []string{"Right"}, ""},
	{"turn-up", []string{"Up"}, ""},
	{"turn-down", []string{"Down"}, ""},
	{"fast", []string{"LeftShift", "RightShift"}, "faster while it is down; the wheel sets the speed"},
	{"slow", []string{"LeftAlt", "RightAlt", "LeftControl", "RightControl"}, "slower while it is down"},
	{"finer", []string{"LeftBracket"}, "finer, coarser: the screen error tau"},
	{"coarser", []string{"RightBracket"}, ""},
	{"page-up", []string{"PageUp"}, ""}, // pageHelp
	{"page-down", []string{"PageDown"}, ""},
	{"more", []string{"Equal", "KeypadAdd"}, "more, fewer vertices of the model"},
	{"fewer", []string{"Minus", "KeypadSubtract"}, ""},
	{"model", []string{"Space"}, "next model"},
	{"auto", []string{"L"}, "levels by themselves again, or by hand"},
	{"algorithm", []string{"F6"}, "next algorithm"},
	{"split", []string{"F8"}, "two tolerances, two algorithms, both eyes; from above"},
	{"wireframe", []string{"F3", "X"}, "wireframe"},
	{"lod", []string{"F4"}, "colours of the levels of detail"},
	{"mode", []string{"F7"}, "next of all ways to see it"},
	{"freeze", []string{"F5"}, "freeze the levels of detail"},
	{"earlier", []string{"Comma"}, "earlier, later in the day"},
	{"later", []string{"Period"}, ""},
	{"play", []string{"P"}, "play or pause the flight"},
	{"reset", []string{"R"}, "back to the first view"},
	{"record", []string{"F9"}, "record the flight, and end that"},
	{"picture", []string{"F12"}, "picture into the working folder"},
	{"capture", []string{"F10"}, "capture a frame for RenderDoc (with --renderdoc)"},
	{"hud", []string{"F2"}, "figures over the picture"},
	{"title", []string{"N"}, "numbers in the title"},
	{"fullscreen", []string{"F11"}, "full screen"},
	{"help", []string{"F1", "Tab"}, "these controls"},
	{"close", []string{"Escape"}, "close"},
}

// pageHelp is what the keys of pages do, which is another thing in each mode.
var pageHelp = map[pageKeys]string{
	pagesLevels:     "finer, coarser levels by hand",
	pagesThresholds: "BilLOD's far threshold; with Shift the near one",
	pagesModel:      "next finer, coarser resolution of the model",
}

// pageKeys is what the keys of pages change.
type pageKeys int

const (
	pagesLevels     pageKeys = iota // as in the sample of the OGRE article
	pagesThresholds                 // as in that of the BilLOD article
	pagesModel                      // as in that of the article on progressive meshes
)

// modelActions are for models that are shown, alone.
var modelActions = []action{"more", "fewer", "model"}

// padHelp is what a gamepad does.
const padHelp = "sticks move and turn, triggers sink and climb, shoulders slower and faster; " +
	"A flight, B freeze, X wireframe, Y algorithm; cross: tau, sun; Back first view, Start these controls"

// controls returns a line for each thing that the user can do: the keys, and what they do.
func (b bindings) controls(pages pageKeys) (lines [][2]string) {
	for i := 0; i < len(keyTable); i++ {
		first := keyTable[i]
		if slices.Contains(modelActions, first.action) && pages != pagesModel {
			continue
		}
		var keys []string
		n := i
		for ; n < len(keyTable) && (n == i || keyTable[n].help == ""); n++ {
			if n > i && keyTable[n].action == "page-up" { // whose help is elsewhere
				break
			}
			keys = append(keys, b.labels(keyTable[n].action)...)
		}
		help := first.help
		if first.action == "page-up" {
			help = pageHelp[pages]
		}
		between := " "
		if n == i+1 {
			between = " or "
		}
		if len(keys) > 0 {
			lines = append(lines, [2]string{strings.Join(keys, between), help})
		}
		i = n - 1
	}
	return lines
}

// labels returns what stands on an action's keys, in the order of their names; keys that
// there are twice on a keyboard once.
func (b bindings) labels(what action) (labels []string) {
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if b[name] != what {
			continue
		}
		label := name
		for _, twice := range []string{"Shift", "Alt", "Control"} {
			if strings.HasSuffix(name, twice) {
				label = twice
			}
		}
		if mark, ok := keyMarks[name]; ok {
			label = mark
		}
		if !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	return labels
}

// keyMarks are what stands on keys whose names are longer.
var keyMarks = map[string]string{
	"LeftBracket": "[", "RightBracket": "]", "Minus": "-", "Equal": "+", "Comma": ",", "Period": ".", "Slash": "/", "Semicolon": ";",
	"Apostrophe": "'", "PageUp": "Page Up", "PageDown": "Page Down", "Escape": "Esc",
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

// billodBindings are those of the sample of the BilLOD article: arrows fly, W is the
// wireframe.
func billodBindings() bindings {
	b := defaultBindings()
	maps.DeleteFunc(b, func(_ string, a action) bool { return strings.HasPrefix(string(a), "turn-") })
	b["W"], b["Up"], b["Down"], b["Left"], b["Right"] = "wireframe", "forward", "back", "left", "right"
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
