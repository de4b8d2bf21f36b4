package shaders_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/shaders"
)

// TestSourced wants modules that need no extension to be valid, and to hold their
// sources, lines, and nothing of the debug set.
func TestSourced(t *testing.T) {
	for _, tool := range []string{"spirv-val", "spirv-dis"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s (Debian package spirv-tools)", tool)
		}
	}
	for _, name := range glob(t, "*.vert", "*.frag", "*.comp") {
		path := filepath.Join(t.TempDir(), name+".spv")
		if err := os.WriteFile(path, shaders.Sourced(name), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("spirv-val", "--target-env", "vulkan1.2", path).CombinedOutput(); err != nil {
			t.Errorf("%s: %s", name, out)
		}
		text, err := exec.Command("spirv-dis", "--raw-id", path).Output()
		if err != nil {
			t.Fatal(err)
		}
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(string(source))
		if !strings.Contains(string(text), "OpSource GLSL 450 %1 \""+quoted) {
			t.Errorf("%s: its source is not there", name)
		}
		for _, line := range []string{"OpLine %1 ", "OpEntryPoint "} {
			if !strings.Contains(string(text), line) {
				t.Errorf("%s: no %s", name, line)
			}
		}
		if strings.Contains(string(text), "NonSemantic") || strings.Contains(string(text), "non_semantic") {
			t.Errorf("%s: something of the debug set is left", name)
		}
	}
}
