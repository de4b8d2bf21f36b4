// Package testlayer runs tests on a device that seems to have other queue
// families than it has: a layer under the validation layer divides its one
// queue. That is how ownership transfers and uploads on a queue of their own
// are tested on a driver with a single family.
//
// A layer belongs to a process from its start, so tests run in one of their
// own: the test binary starts itself again. The layer is compiled for that. No
// C compiler, or no Vulkan headers, means the test is skipped, unless
// VKTERRAIN_REQUIRE_GPU=1.
package testlayer

import (
	_ "embed"
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

//go:embed layer/split_queues.c
var source []byte

//go:embed layer/split_queues.json
var manifest []byte

const (
	name       = "VK_LAYER_VKTERRAIN_split_queues"
	validation = "VK_LAYER_KHRONOS_validation"
	queuesVar  = "VKTERRAIN_QUEUES"
	logVar     = "VKTERRAIN_QUEUES_LOG"
)

// Queues says which families this process is shown, such as "gc,t" for one with
// graphics and compute and one with transfer. It is "" where there is no layer.
func Queues() string { return os.Getenv(queuesVar) }

// Layer is the compiled layer, in a folder of data like /usr/share.
type Layer struct{ dir string }

func (l *Layer) manifests() string { return filepath.Join(l.dir, "vulkan", "explicit_layer.d") }

// environ lets the loader find the layer, and put it below the validation
// layer. That needs two things: some loaders stack layers as VK_INSTANCE_LAYERS
// lists them, the first closest to the program, and others in the order in
// which they find them. VK_ADD_LAYER_PATH is searched first, so it is no use.
func (l *Layer) environ() []string {
	env := append(os.Environ(), "VK_INSTANCE_LAYERS="+validation+":"+name)
	if path := os.Getenv("VK_LAYER_PATH"); path != "" {
		return append(env, "VK_LAYER_PATH="+path+":"+l.manifests())
	}
	dirs := os.Getenv("XDG_DATA_DIRS")
	if dirs == "" {
		dirs = "/usr/local/share:/usr/share"
	}
	return append(env, "XDG_DATA_DIRS="+dirs+":"+l.dir)
}

// Build compiles the layer for as long as the test runs.
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
	src := filepath.Join(dir, "split_queues.c")
	for path, data := range map[string][]byte{src: source, filepath.Join(dir, "split_queues.json"): manifest} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := compiler("-shared", "-fPIC", "-O1", "-Wall", "-fvisibility=hidden",
		"-o", filepath.Join(dir, "libsplit_queues.so"), src, "-lpthread").CombinedOutput()
	if err != nil {
		t.Fatalf("cannot compile the layer: %v\n%s", err, out)
	}
	return l
}

// Report is what the layer saw.
type Report struct {
	Devices     int
	Ownership   int   // barriers between two families, all halves together
	Submissions []int // to each family
}

var reportRE = regexp.MustCompile(`(?m)^device (\S+) ownership (\d+) submissions ([\d,]+)$`)

// Run runs this binary's tests that match pattern on a device that shows these
// queues. It fails the test if one fails, and skips it if all skip.
func (l *Layer) Run(t testing.TB, queues, pattern string) Report {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	cmd := exec.Command(os.Args[0], "-test.run="+pattern, "-test.v", "-test.timeout=5m", fmt.Sprintf("-test.short=%v", testing.Short()))
	cmd.Env = append(l.environ(), queuesVar+"="+queues, logVar+"="+log)
	out, err := cmd.CombinedOutput()
	passed := regexp.MustCompile(`(?m)^--- PASS: `).Match(out)
	switch {
	case err != nil:
		t.Fatalf("queues %s: %v\n%s", queues, err, out)
	case !passed && regexp.MustCompile(`(?m)^--- SKIP: `).Match(out):
		missing(t, fmt.Sprintf("queues %s:\n%s", queues, out))
	case !passed:
		t.Fatalf("queues %s: no test matches %s\n%s", queues, pattern, out)
	}
	return readReport(t, log, queues, out)
}

func readReport(t testing.TB, log, queues string, out []byte) (r Report) {
	t.Helper()
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatalf("queues %s: the layer was not loaded: %v\n%s", queues, err, out)
	}
	r.Submissions = make([]int, 1+strings.Count(queues, ","))
	for _, m := range reportRE.FindAllSubmatch(data, -1) {
		r.Devices++
		r.Ownership += number(t, m[2])
		families := strings.Split(string(m[3]), ",")
		if string(m[1]) != queues || len(families) != len(r.Submissions) {
			t.Fatalf("queues %s: the layer says %s", queues, m[0])
		}
		for i, s := range families {
			r.Submissions[i] += number(t, []byte(s))
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
