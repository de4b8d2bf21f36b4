package shaders_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// flying is a question of nothing but a uniform that changes as the camera flies.
var flying = regexp.MustCompile(`(?:\(|&&|\|\|)\s*frame\.(?:eye|lod_eye|clip|right|up|forward|ground|time|pixels)\b(?:\.[xyzwrgba])?\s*(?:[<>]|==|!=)`)

// TestNoBranchOnTheFlight: lavapipe would make a shader anew for every place of the eye.
func TestNoBranchOnTheFlight(t *testing.T) {
	if !flying.MatchString("if (frame.sea > 0.0 && frame.eye.y > 0.0) {") {
		t.Fatal("the expression does not see what it is for")
	}
	files, err := filepath.Glob("*.[vfg][erl]*")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d shaders, %v", len(files), err)
	}
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if m := flying.Find(source); m != nil {
			t.Errorf("%s: %q asks for what changes as the camera flies, alone", name, m)
		}
	}
}
