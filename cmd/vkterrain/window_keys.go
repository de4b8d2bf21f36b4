//go:build !nowindow

package main

import (
	"strings"

	"github.com/go-gl/glfw/v3.3/glfw"
)

// namedKeys are the keys that are neither letters, digits nor functions.
var namedKeys = map[string]glfw.Key{
	"Left": glfw.KeyLeft, "Right": glfw.KeyRight, "Up": glfw.KeyUp, "Down": glfw.KeyDown,
	"PageUp": glfw.KeyPageUp, "PageDown": glfw.KeyPageDown, "Home": glfw.KeyHome, "End": glfw.KeyEnd,
	"Insert": glfw.KeyInsert, "Delete": glfw.KeyDelete, "Escape": glfw.KeyEscape, "Enter": glfw.KeyEnter, "Tab": glfw.KeyTab,
	"Backspace": glfw.KeyBackspace, "Space": glfw.KeySpace, "LeftShift": glfw.KeyLeftShift, "RightShift": glfw.KeyRightShift,
	"LeftAlt": glfw.KeyLeftAlt, "RightAlt": glfw.KeyRightAlt, "LeftControl": glfw.KeyLeftControl, "RightControl": glfw.KeyRightControl,
	"LeftBracket": glfw.KeyLeftBracket, "RightBracket": glfw.KeyRightBracket, "Minus": glfw.KeyMinus, "Equal": glfw.KeyEqual,
	"Comma": glfw.KeyComma, "Period": glfw.KeyPeriod, "Slash": glfw.KeySlash, "Semicolon": glfw.KeySemicolon,
	"Apostrophe": glfw.KeyApostrophe, "Backslash": glfw.KeyBackslash, "GraveAccent": glfw.KeyGraveAccent,
	"KeypadAdd": glfw.KeyKPAdd, "KeypadSubtract": glfw.KeyKPSubtract, "KeypadEnter": glfw.KeyKPEnter,
	"KeypadMultiply": glfw.KeyKPMultiply, "KeypadDivide": glfw.KeyKPDivide, "Pause": glfw.KeyPause, "PrintScreen": glfw.KeyPrintScreen,
}

// glfwKey returns GLFW's key of one of keyNames.
func glfwKey(name string) glfw.Key {
	if key, ok := namedKeys[name]; ok {
		return key
	}
	if digit, ok := strings.CutPrefix(name, "Keypad"); ok {
		return glfw.KeyKP0 + glfw.Key(digit[0]-'0')
	}
	if len(name) == 1 { // letters and digits have their ASCII codes
		return glfw.Key(name[0])
	}
	n := 0
	for _, c := range name[1:] {
		n = 10*n + int(c-'0')
	}
	return glfw.KeyF1 + glfw.Key(n-1)
}

// glfwKeys returns what GLFW's keys do.
func glfwKeys(b bindings) map[glfw.Key]action {
	keys := map[glfw.Key]action{}
	for name, what := range b {
		keys[glfwKey(name)] = what
	}
	return keys
}
