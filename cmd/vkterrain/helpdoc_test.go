package main

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestHelpHasDefaults: the help of each flag says what it is where nobody says: in place of what
// it takes, as kong does by itself, or in brackets.
func TestHelpHasDefaults(t *testing.T) {
	told := map[string]bool{}
	var walk func(n *kong.Node)
	walk = func(n *kong.Node) {
		for _, f := range n.Flags {
			if f.Default != "" && f.PlaceHolder != "" && !strings.Contains(f.Help, "("+f.Default) && !strings.Contains(f.Help, f.Default+")") && !told[f.Name+f.Help] {
				told[f.Name+f.Help] = true
				t.Errorf("%s --%s is %s by default; its help does not say so: %s", n.Name, f.Name, f.Default, f.Help)
			}
		}
		for _, child := range n.Children {
			walk(child)
		}
	}
	walk(newParser(&commands{}, newSettings()).Model.Node)
}
