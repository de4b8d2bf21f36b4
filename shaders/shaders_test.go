package shaders_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const regenerate = "run tools/glslc.sh (make shaders)"

// manifest is shaders/manifest.txt: SHA-256 by file name, and the tools.
type manifest struct {
	tools   []string // whole lines, as glslc.sh --version prints them
	sources map[string]string
	outputs map[string]string
}

func readManifest(t *testing.T) manifest {
	t.Helper()
	data, err := os.ReadFile("manifest.txt")
	if err != nil {
		t.Fatalf("%v: %s", err, regenerate)
	}
	m := manifest{sources: map[string]string{}, outputs: map[string]string{}}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		f := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "#"), len(f) > 0 && f[0] == "options":
		case len(f) > 2 && f[0] == "tool":
			m.tools = append(m.tools, line)
		case len(f) == 3 && f[0] == "source":
			m.sources[f[2]] = f[1]
		case len(f) == 3 && f[0] == "output":
			m.outputs[f[2]] = f[1]
		default:
			t.Fatalf("manifest.txt: what is %q?", line)
		}
	}
	return m
}

// glob returns the sorted files that match any of the patterns.
func glob(t *testing.T, patterns ...string) []string {
	t.Helper()
	var names []string
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	slices.Sort(names)
	return names
}

func sum(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// TestManifest holds the committed SPIR-V to the committed sources, without
// any tool: a source that was edited and not compiled fails.
func TestManifest(t *testing.T) {
	m := readManifest(t)
	shaders := glob(t, "*.vert", "*.frag", "*.comp")
	if len(shaders) == 0 {
		t.Fatal("no shader sources")
	}
	checkSums(t, m.sources, glob(t, "*.vert", "*.frag", "*.comp", "*.glsl"))
	checkSums(t, m.outputs, glob(t, "*.spv", "debug/*.spv"))

	for _, name := range shaders {
		for _, module := range []string{name + ".spv", "debug/" + name + ".spv"} {
			if _, ok := m.outputs[module]; !ok {
				t.Errorf("%s has no %s: %s", name, module, regenerate)
			}
		}
	}
	eyes := 0
	for module := range m.outputs {
		if name, ok := strings.CutPrefix(strings.TrimSuffix(module, ".spv"), "eyes."); ok {
			eyes++
			if !slices.Contains(shaders, name) || m.outputs["debug/"+module] == "" {
				t.Errorf("%s has no %s or no debug/%s: %s", module, name, module, regenerate)
			}
		}
	}
	if want := 2*len(shaders) + 2*eyes; len(m.outputs) != want || eyes == 0 {
		t.Errorf("%d modules for %d shaders, %d of them for eyes too, want %d: %s", len(m.outputs), len(shaders), eyes, want, regenerate)
	}
	if len(m.tools) == 0 {
		t.Error("manifest.txt names no tool")
	}
}

// checkSums fails where the names or the bytes differ from the manifest's.
func checkSums(t *testing.T, want map[string]string, names []string) {
	t.Helper()
	for _, name := range names {
		if got := sum(t, name); got != want[name] {
			t.Errorf("%s is not what manifest.txt says: %s", name, regenerate)
		}
	}
	for name := range want {
		if !slices.Contains(names, name) {
			t.Errorf("manifest.txt names %s, which is not there: %s", name, regenerate)
		}
	}
}

// TestModules reads the header of each module: SPIR-V, little endian, no newer
// than 1.5, which is Vulkan 1.2's.
func TestModules(t *testing.T) {
	const magic, newest = 0x07230203, 0x00010500
	for _, name := range glob(t, "*.spv", "debug/*.spv") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) < 20 || len(data)%4 != 0 || binary.LittleEndian.Uint32(data) != magic {
			t.Errorf("%s is not SPIR-V", name)
			continue
		}
		if version := binary.LittleEndian.Uint32(data[4:]); version > newest {
			t.Errorf("%s is SPIR-V version %#x, newer than %#x", name, version, newest)
		}
		debug := strings.HasPrefix(name, "debug/")
		if got := bytes.Contains(data, []byte("NonSemantic.Shader.DebugInfo.100")); got != debug {
			t.Errorf("%s has debug information: %v", name, got)
		}
	}
}

// TestRegenerate compiles everything again and wants the same bytes. Bytes
// depend on the version of the tools, so it needs those of the manifest.
func TestRegenerate(t *testing.T) {
	skip := t.Skipf
	if os.Getenv("VKTERRAIN_REQUIRE_GPU") == "1" {
		skip = t.Fatalf
	}
	for _, tool := range []string{"bash", "glslc", "glslangValidator", "spirv-val"} {
		if _, err := exec.LookPath(tool); err != nil {
			skip("%v: run tools/setup.sh", err)
		}
	}
	script := filepath.Join("..", "tools", "glslc.sh")
	out, err := exec.Command("bash", script, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	here := strings.Split(strings.TrimSpace(string(out)), "\n")
	if m := readManifest(t); !slices.Equal(here, m.tools) {
		skip("the tools here are not those of manifest.txt:\n%q\n%q", here, m.tools)
	}

	dir := t.TempDir()
	if out, err := exec.Command("bash", script, "--out", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range append(glob(t, "*.spv", "debug/*.spv"), "manifest.txt") {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Errorf("%s is committed, but not made: %v", name, err)
			continue
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("compiled again, %s differs: %s", name, regenerate)
		}
	}
}
