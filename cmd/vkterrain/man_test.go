package main

import (
	"strings"
	"testing"
)

// TestManPage: it has every command and every flag that is shown.
func TestManPage(t *testing.T) {
	model := newParser(&commands{}, newSettings()).Model
	var b strings.Builder
	manPage(&b, model)
	page := b.String()
	for _, n := range model.Children {
		if n.Hidden {
			continue
		}
		if !strings.Contains(page, "\n.SS "+n.Name+"\n") {
			t.Errorf("no %s", n.Name)
		}
		for _, f := range n.Flags {
			if !f.Hidden && !strings.Contains(page, roff("--"+f.Name)) {
				t.Errorf("%s: no --%s", n.Name, f.Name)
			}
		}
	}
	for _, line := range defaultBindings().controls(pagesLevels) {
		if !strings.Contains(page, "\n.B "+roff(line[0])+"\n"+roff(line[1])+"\n") {
			t.Errorf("no key %s", line[0])
		}
	}
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "'") {
			t.Errorf("a line that is none of the text: %q", line)
		}
	}
	if strings.Contains(page, "%!") {
		t.Error("a text is missing")
	}
}
