package shaders_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// asking is a question of nothing but a uniform.
var asking = regexp.MustCompile(`(?m)^.*(?:\(|&&|\|\||return)\s*frame\.\w+(?:\.[xyzwrgba])?\s*(?:[<>?]|==|!=).*$|^.*switch \(frame.*$`)

// TestNoBranchOnUniforms: lavapipe would make a shader anew for their values, in each
// frame. What they could ask is a constant of the pipeline; frame.glsl asks where it is
// not known, in the functions that are there for that.
func TestNoBranchOnUniforms(t *testing.T) {
	if !asking.MatchString("if (frame.sea > 0.0 && frame.eye.y > 0.0) {") {
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
		for _, m := range asking.FindAll(source, -1) {
			if name != "frame.glsl" || !bytes.Contains(m, []byte(" known_")) {
				t.Errorf("%s: %q branches on a uniform", name, m)
			}
		}
	}
}
