package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// flat writes a grid of 3×3 heights that are all h.
func flat(t *testing.T, corner, size, h string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "g.asc")
	text := fmt.Sprintf("ncols 3\nnrows 3\nxllcorner %s\nyllcorner 0\ncellsize %s\n", corner, size) + strings.Repeat(strings.Repeat(h+" ", 3)+"\n", 3)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestInfoNumbers wants measures as people read them: six digits, no exponents, no
// mean of 0 where there is one, and places to a part of a sample.
func TestInfoNumbers(t *testing.T) {
	for _, c := range []struct{ corner, size, height, want string }{
		{"598250.5", "30", "1252438", "heights  1252440 to 1252440 m, mean 1252440 m\n"},
		{"598250.5", "30", "0.00104", "mean 0.00104 m\n"},
		{"598250.5", "30", "0.4", "mean 0.4 m\n"},
		{"598250.5", "30", "1", "corner   598250.5, 90 (x, y of the outer corner of the north-west sample), steps 30, -30\n"},
		{"598250.5", "78.33991361", "1", "3 × 3 samples, 78.3399 m apart"},
		{"6000000000", "30", "1", "corner   6000000000, 90 "},
		{"-0.00001", "0.00083333333", "1", "corner   -0.00001, 0.0025 (x, y of the outer corner of the north-west sample), steps 0.000833333, -0.000833333\n"},
	} {
		if r := ok(t, "info", flat(t, c.corner, c.size, c.height)); !strings.Contains(r.stdout, c.want) {
			t.Errorf("%+v: %s", c, r.stdout)
		}
	}
}

// TestInfoTinyWorld wants what is known of a world of nine samples, which takes more
// than they do, to be said so.
func TestInfoTinyWorld(t *testing.T) {
	world := filepath.Join(t.TempDir(), "w.vkt")
	ok(t, "bake", flat(t, "0", "30", "7"), "-o", world)
	text := ok(t, "info", world).stdout
	for _, want := range []string{`file +\S+ .?i?B, \d{3,} bits a sample`, `\ncoded +.* of that are heights: .*, \d+\.\d % more than height and delta`} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("%s\ndoes not say %s", text, want)
		}
	}
	if n := strings.Count(text, "\nheights "); n != 1 {
		t.Errorf("%d rows are called heights:\n%s", n, text)
	}
}
