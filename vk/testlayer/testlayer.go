// Package testlayer runs tests on a device that seems to be another than it is. Two
// layers under the validation layer do that. One divides the device's only queue, so
// that ownership transfers and uploads on a queue of their own, and a slow one, are
// tested on a driver with a single family. The other hides features, extensions and
// memory, and lets calls fail.
//
// A layer belongs to a process from its start, so tests run in one of their
// own: the test binary starts itself again. The layers are compiled for that. No
// C compiler, or no Vulkan headers, means the test is skipped, unless
// VKTERRAIN_REQUIRE_GPU=1.
package testlayer

import (
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

//go:embed layer
var sources embed.FS

// The layers, from the one that is closest to the program on.
var layers = []string{"faults", "split_queues"}

const (
	prefix     = "VK_LAYER_VKTERRAIN_"
	validation = "VK_LAYER_KHRONOS_validation"
	shapeVar   = "VKTERRAIN_SHAPE"
	queuesVar  = "VKTERRAIN_QUEUES"
	logVar     = "VKTERRAIN_QUEUES_LOG"
	faultsVar  = "VKTERRAIN_FAULTS"
)

// Shape is what a device seems to be. The zero value is the device as it is, whose
// calls can fail.
type Shape struct {
	Queues  string   // families, such as "gc,t": one for graphics and compute and one for transfer; where any has a p only such present
	Slow    string   // a family and milliseconds that its submissions come late, such as "1,5"
	Without []string // features, such as multiDrawIndirect, extensions, and "timestamps"
	API     string   // the highest version, such as "1.2"
	// Memory is heaps in MiB: of the device, of the host, and of the device where
	// the host sees it, such as "256,512,16". One number is the size of the one heap
	// that there is.
	Memory string
	Fail   string // a call that fails: vkQueueSubmit,30,1,-4 is function, which, how many, result
}

// String says what is not as it is.
func (s Shape) String() string {
	var parts []string
	for _, part := range []struct{ name, value string }{
		{"queues ", s.Queues}, {"slow ", s.Slow}, {"without ", strings.Join(s.Without, ",")}, {"Vulkan ", s.API}, {"memory ", s.Memory}, {"failing ", s.Fail},
	} {
		if part.value != "" {
			parts = append(parts, part.name+part.value)
		}
	}
	if parts == nil {
		return "as it is"
	}
	return strings.Join(parts, ", ")
}

func (s Shape) environ() []string {
	return []string{
		shapeVar + "=" + s.String(), queuesVar + "=" + s.Queues, "VKTERRAIN_QUEUE_DELAY=" + s.Slow,
		"VKTERRAIN_WITHOUT=" + strings.Join(s.Without, ","), "VKTERRAIN_API=" + s.API, "VKTERRAIN_MEMORY=" + s.Memory, "VKTERRAIN_FAIL=" + s.Fail,
	}
}

// Queues says which families this process is shown, such as "gc,t" for one with
// graphics and compute and one with transfer. It is "" where they are as they are.
func Queues() string { return os.Getenv(queuesVar) }

// Current says what this process is shown, in words. It is "" where there is no layer.
func Current() string { return os.Getenv(shapeVar) }

// Layer is the compiled layers, in a folder of data like /usr/share.
type Layer struct{ dir string }

func (l *Layer) manifests() string { return filepath.Join(l.dir, "vulkan", "explicit_layer.d") }

// Environ lets the loader find the layers, and put them below the validation
// layer. That needs two things: some loaders stack layers as VK_INSTANCE_LAYERS
// lists them, the first closest to the program, and others in the order in
// which they find them. VK_ADD_LAYER_PATH is searched first, so it is no use.
//
// A program started with it, other than by Run, runs on a device of that shape.
func (l *Layer) Environ(s Shape) []string {
	names := []string{validation}
	for _, layer := range layers {
		if layer != "split_queues" || s.Queues != "" {
			names = append(names, prefix+layer)
		}
	}
	env := append(os.Environ(), "VK_INSTANCE_LAYERS="+strings.Join(names, ":"))
	env = append(env, s.environ()...)
	if path := os.Getenv("VK_LAYER_PATH"); path != "" {
		return append(env, "VK_LAYER_PATH="+path+":"+l.manifests())
	}
	dirs := os.Getenv("XDG_DATA_DIRS")
	if dirs == "" {
		dirs = "/usr/local/share:/usr/share"
	}
	return append(env, "XDG_DATA_DIRS="+dirs+":"+l.dir)
}

// Build compiles the layers for as long as the test runs.
func Build(t testing.TB) *Layer {
	t.Helper()
	cc := strings.Fields(os.Getenv("CC")) // it may have arguments
	if len(cc) == 0 {
		cc = []string{"cc"}
	}
	compiler := func(args ...string) *exec.Cmd { return exec.Command(cc[0], slices.Concat(cc[1:], args)...) }
	probe := compiler("-E", "-x", "c", "-")
	probe.Stdin = strings.NewReader("#include <vulkan/vk_layer.h>\n")
	if err := probe.Run(); err != nil {
		missing(t, fmt.Sprintf("the layer needs a C compiler and Debian package libvulkan-dev: %v", err))
	}
	l := &Layer{t.TempDir()}
	dir := l.manifests()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	unpack(t, dir)
	for _, layer := range layers {
		out, err := compiler("-shared", "-fPIC", "-O1", "-Wall", "-fvisibility=hidden",
			"-o", filepath.Join(dir, "lib"+layer+".so"), filepath.Join(dir, layer+".c"), "-lpthread").CombinedOutput()
		if err != nil {
			t.Fatalf("cannot compile the layer: %v\n%s", err, out)
		}
	}
	return l
}

// unpack writes the layers' files into a folder.
func unpack(t testing.TB, dir string) {
	t.Helper()
	files, err := sources.ReadDir("layer")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := sources.ReadFile("layer/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name()), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Report is what the layer of queues saw. It is empty where queues are as they are.
type Report struct {
	Devices     int
	Ownership   int   // barriers between two families, all halves together
	Submissions []int // to each family
	Presents    []int // by each family
}

var reportRE = regexp.MustCompile(`(?m)^device (\S+) ownership (\d+) submissions ([\d,]+) presents ([\d,]+)$`)

// Run runs this binary's tests that match pattern on a device of a shape. It fails
// the test if one fails, and skips it if all skip.
func (l *Layer) Run(t testing.TB, shape Shape, pattern string) Report {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	limit := "-test.timeout=5m"
	if os.Getenv("VKTERRAIN_NIGHTLY") == "1" {
		limit = "-test.timeout=30m"
	}
	cmd := exec.Command(os.Args[0], "-test.run="+pattern, "-test.v", limit, fmt.Sprintf("-test.short=%v", testing.Short()))
	cmd.Env = append(l.Environ(shape), logVar+"="+log, faultsVar+"="+filepath.Join(t.TempDir(), "faults"))
	out, err := cmd.CombinedOutput()
	passed := regexp.MustCompile(`(?m)^--- PASS: `).Match(out)
	switch {
	case err != nil:
		t.Fatalf("%v: %v\n%s", shape, err, out)
	case !passed && regexp.MustCompile(`(?m)^--- SKIP: `).Match(out):
		missing(t, fmt.Sprintf("%v:\n%s", shape, out))
	case !passed:
		t.Fatalf("%v: no test matches %s\n%s", shape, pattern, out)
	}
	if shape.Queues == "" {
		return Report{}
	}
	return readReport(t, log, shape.Queues, out)
}

func readReport(t testing.TB, log, queues string, out []byte) (r Report) {
	t.Helper()
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatalf("queues %s: the layer was not loaded: %v\n%s", queues, err, out)
	}
	r.Submissions = make([]int, 1+strings.Count(queues, ","))
	r.Presents = make([]int, len(r.Submissions))
	for _, m := range reportRE.FindAllSubmatch(data, -1) {
		r.Devices++
		r.Ownership += number(t, m[2])
		families, presents := strings.Split(string(m[3]), ","), strings.Split(string(m[4]), ",")
		if string(m[1]) != queues || len(families) != len(r.Submissions) {
			t.Fatalf("queues %s: the layer says %s", queues, m[0])
		}
		for i := range families {
			r.Submissions[i] += number(t, []byte(families[i]))
			r.Presents[i] += number(t, []byte(presents[i]))
		}
	}
	return r
}

func number(t testing.TB, s []byte) int {
	n, err := strconv.Atoi(string(s))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("VKTERRAIN_REQUIRE_GPU") == "1" {
		t.Fatal(why)
	}
	t.Skip(why)
}
