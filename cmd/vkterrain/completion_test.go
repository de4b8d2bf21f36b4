package main_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestCompletion lets bash complete lines.
func TestCompletion(t *testing.T) {
	script := ok(t, "completion", "bash").stdout
	for _, c := range []struct {
		words []string // the last one is completed
		want  string   // one of the answers
		not   string
	}{
		{[]string{"vkterrain", "ex"}, "export", "bake"},
		{[]string{"vkterrain", "export", "--fo"}, "--format", "--tile"},
		{[]string{"vkterrain", "export", "w.vkt", "--format", ""}, "geotiff", "export"},
		{[]string{"vkterrain", "bake", "--vo"}, "--voids", "--format"},
		{[]string{"vkterrain", "--workers", "3", "bake", "--progress", "pl"}, "plain", "json"},
		{[]string{"vkterrain", "completion", ""}, "fish", "bake"},
	} {
		quoted := make([]string, len(c.words))
		for i, w := range c.words {
			quoted[i] = "'" + w + "'"
		}
		cmd := exec.Command("bash", "-uc", script+"\nCOMP_WORDS=("+strings.Join(quoted, " ")+"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _vkterrain; printf '%s\\n' \"${COMPREPLY[@]}\"")
		out, err := cmd.CombinedOutput()
		got := strings.Fields(string(out))
		if err != nil || !slices.Contains(got, c.want) || slices.Contains(got, c.not) {
			t.Errorf("%q completes to %q, %v; want %s and not %s", c.words, got, err, c.want, c.not)
		}
	}
	if z := ok(t, "completion", "zsh").stdout; !strings.HasSuffix(z, script) || !strings.Contains(z, "bashcompinit") {
		t.Error("zsh does not get bash's completion")
	}
	fish := ok(t, "completion", "fish").stdout
	for _, want := range []string{"-a export", "-l format -d", "-xa 'png16 raw geotiff obj stl gltf ply ogre'"} {
		if !strings.Contains(fish, want) {
			t.Errorf("fish has no %q", want)
		}
	}
	run(t, "completion", "ksh").fails(t, 2, "bash")
}
