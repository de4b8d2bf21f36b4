package main

import (
	"io"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// example returns the arguments of a line of help; nil if it is none.
func example(line string) []string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "vkterrain ")
	if !ok {
		return nil
	}
	rest, _, _ = strings.Cut(rest, "   ") // what it does
	rest, _, _ = strings.Cut(rest, " | ")
	rest, _, _ = strings.Cut(rest, " > ")
	return strings.Fields(rest)
}

// TestExamples: every command has some, and all of them are right.
func TestExamples(t *testing.T) {
	t.Setenv("VKTERRAIN_NO_SETTINGS", "1")
	parse := func(args []string) (string, error) {
		set := newSettings()
		set.read = true // files of examples are not there
		k, err := newParser(&commands{}, set, kong.Writers(io.Discard, io.Discard)).Parse(args)
		if err != nil {
			return "", err
		}
		return k.Command(), emptyNames(k)
	}
	model := newParser(&commands{}, newSettings()).Model
	for _, n := range model.Children {
		if n.Hidden {
			continue
		}
		own := 0
		for line := range strings.Lines(n.Detail) {
			args := example(line)
			if args == nil {
				continue
			}
			if command, err := parse(args); err != nil {
				t.Errorf("%s: %v", strings.TrimSpace(line), err)
			} else if strings.HasPrefix(command, n.Name) {
				own++
			}
		}
		if own == 0 {
			t.Errorf("%s has no examples", n.Name)
		}
	}
	for line := range strings.Lines(description) {
		if args := example(line); args != nil {
			if _, err := parse(args); err != nil {
				t.Errorf("%s: %v", strings.TrimSpace(line), err)
			}
		}
	}
}
