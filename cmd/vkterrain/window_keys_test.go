//go:build !nowindow

package main

import (
	"testing"

	"github.com/go-gl/glfw/v3.3/glfw"
)

// TestKeyTable: every action does something, and every key has a name of its own.
func TestKeyTable(t *testing.T) {
	onEventThread := map[action]bool{"fullscreen": true, "close": true}
	for _, row := range keyTable {
		_, held := holds[row.action]
		_, pressed := presses[row.action]
		if n := len(row.keys); n == 0 || held == pressed && !onEventThread[row.action] {
			t.Errorf("%s: %d keys, held %v, pressed %v", row.action, n, held, pressed)
		}
	}
	for what := range presses {
		if err := (bindings{}).bind(string(what), nil); err != nil {
			t.Error(err)
		}
	}
	seen := map[glfw.Key]string{}
	for _, name := range keyNames {
		key := glfwKey(name)
		if other, ok := seen[key]; ok || key <= 0 || key > glfw.KeyLast {
			t.Errorf("%s is key %d, as %q is", name, key, other)
		}
		seen[key] = name
	}
	for name, want := range map[string]glfw.Key{"W": glfw.KeyW, "7": glfw.Key7, "F12": glfw.KeyF12, "Keypad3": glfw.KeyKP3, "PageUp": glfw.KeyPageUp} {
		if got := glfwKey(name); got != want {
			t.Errorf("%s: key %d, want %d", name, got, want)
		}
	}
}

func TestBind(t *testing.T) {
	b := defaultBindings()
	if err := b.bind("forward", []string{"up", "KeypadAdd"}); err != nil {
		t.Fatal(err)
	}
	if b["Up"] != "forward" || b["KeypadAdd"] != "forward" || b["W"] != "" || b["S"] != "back" {
		t.Errorf("%v", b)
	}
	if b.bind("hover", []string{"H"}) == nil || b.bind("back", []string{"AnyKey"}) == nil {
		t.Error("took an action and a key that there are not")
	}
}
