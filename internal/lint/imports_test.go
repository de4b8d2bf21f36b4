package lint_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/internal/shared"
)

const module = "github.com/vkterrain/vkterrain"

// allButCmd stands for every package of the project outside cmd/.
const allButCmd = "*"

// ours says, for each package of the project, which others it may import.
// Folders are relative to the root, which is ".". A package that is not here
// may not exist; one that is here need not exist.
var ours = map[string][]string{
	"terrain":           nil,
	"terrain/chunkfile": {"terrain"},
	"terrain/raster":    {"terrain"},
	"terrain/bake":      {"terrain", "terrain/chunkfile", "terrain/raster"},
	"terrain/ogre":      {"terrain"},
	"terrain/synth":     {"terrain"},
	"terrain/query":     {"terrain", "terrain/chunkfile"},
	"terrain/edit":      {"terrain", "terrain/chunkfile", "terrain/bake"},
	"terrain/endless":   {"terrain", "terrain/chunkfile", "terrain/bake"},

	"lodcpu":          {"terrain"},
	"lodcpu/soar":     {"terrain", "lodcpu"},
	"lodcpu/quadtree": {"terrain", "lodcpu"},
	"lodcpu/billod":   {"terrain", "lodcpu", "lodcpu/soar"},
	"lodcpu/progmesh": {"terrain", "lodcpu"},

	"lodcpu/progmesh/meshfile": {"lodcpu/progmesh"},

	"lodcpu/props": {"terrain", "terrain/query", "lodcpu", "lodcpu/progmesh"},

	"export": {"terrain", "terrain/chunkfile", "terrain/raster", "lodcpu", "lodcpu/soar", "lodcpu/progmesh"},

	"meshcheck": {"terrain"},

	"streaming": {"terrain", "terrain/chunkfile", "lodcpu"},

	"vk":           {"vk/ring", "vk/suballoc"},
	"vk/ring":      nil,
	"vk/suballoc":  nil,
	"vk/vktest":    {"vk", "vk/ring"},
	"vk/testlayer": nil,
	"shaders":      nil,
	"pipeline":     {"terrain", "lodcpu", "lodcpu/props", "vk", "vk/ring", "shaders"},
	"hud":          {"vk", "shaders"},

	".":                {allButCmd},
	"cmd/vkterrain":    {allButCmd},
	"bench/ogre":       {allButCmd},
	"tools/gallery":    nil,
	"cmd/libvkterrain": {"."},

	"internal/flight":    {"lodcpu"},
	"internal/lint":      nil,
	"internal/shared":    nil,
	"internal/testworld": {"terrain"},
	"internal/watch":     nil,
	"internal/lodtest":   {"terrain", "terrain/raster", "lodcpu", "meshcheck", "internal/shared", "internal/testworld"},
}

// modules says which of our packages may import each module of others. Tests
// may import any of them, and no other.
var modules = map[string][]string{
	"github.com/vulkan-go/vulkan":     {"vk"},
	"github.com/go-gl/glfw":           {"cmd/vkterrain"},
	"github.com/alecthomas/kong":      {"cmd/vkterrain"},
	"gonum.org/v1/plot":               {"cmd/vkterrain"},
	"github.com/BurntSushi/toml":      {"cmd/vkterrain"},
	"github.com/rogpeppe/go-internal": nil, // tests
	"github.com/klauspost/compress":   {"terrain/chunkfile"},
	"github.com/go-gl/mathgl":         {"lodcpu", "lodcpu/soar", "lodcpu/quadtree", "lodcpu/billod", "lodcpu/progmesh", "lodcpu/props", "streaming", "pipeline", ".", "cmd/vkterrain", "cmd/libvkterrain", "internal/flight", "internal/lodtest", "bench/ogre"},
}

// withoutCgo are the folders that servers build where there is no C compiler.
var withoutCgo = []string{"terrain", "lodcpu", "streaming"}

// listed is what the checks need of go list -json.
type listed struct {
	ImportPath     string
	Name           string
	Dir            string
	Standard       bool
	CgoFiles       []string
	IgnoredGoFiles []string
	Imports        []string
	TestImports    []string
	XTestImports   []string
	Module         *struct{ Main bool }
}

func (p listed) ours() bool { return p.Module != nil && p.Module.Main }

// folder turns an import path of the project into a key of ours.
func folder(importPath string) (string, bool) {
	if importPath == module {
		return ".", true
	}
	return strings.CutPrefix(importPath, module+"/")
}

// goList lists the project's packages and all that they depend on. Files that
// the platform or the build tags leave out are read too.
func goList(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-deps", "-test=false",
		"-json=ImportPath,Name,Dir,Standard,CgoFiles,IgnoredGoFiles,Imports,TestImports,XTestImports,Module", "./...")
	cmd.Dir = shared.Root(t)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var pkgs []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.ours() {
			p.Imports = append(p.Imports, ignoredImports(t, p)...)
		}
		pkgs = append(pkgs, p)
	}
	return pkgs
}

// ignoredImports returns what p's files under other build constraints import.
// Programs that only share the folder (//go:build ignore) are not p's.
func ignoredImports(t *testing.T, p listed) []string {
	t.Helper()
	var paths []string
	for _, name := range p.IgnoredGoFiles {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name.Name != p.Name {
			continue
		}
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
		}
	}
	return paths
}

// checkImports returns one line for each edge that the tables do not allow.
func checkImports(pkgs []listed) []string {
	var bad []string
	report := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }

	for _, p := range pkgs {
		if !p.ours() {
			continue
		}
		from, ok := folder(p.ImportPath)
		if !ok {
			report("%s is outside the module %s", p.ImportPath, module)
			continue
		}
		may, ok := ours[from]
		if !ok {
			report("%s is not in the import table", from)
			continue
		}
		for _, path := range p.Imports {
			if to, ok := folder(path); ok {
				if !slices.Contains(may, to) && (!slices.Contains(may, allButCmd) || strings.HasPrefix(to, "cmd/")) {
					report("%s may not import %s", from, to)
				}
			} else if !standard(path) {
				if m := moduleOf(path); !slices.Contains(modules[m], from) {
					report("%s may not import %s", from, path)
				}
			}
		}
		for _, path := range slices.Concat(p.TestImports, p.XTestImports) {
			if _, ok := folder(path); !ok && !standard(path) && moduleOf(path) == "" {
				report("the tests of %s import %s, which is in no table", from, path)
			}
		}
	}
	return bad
}

// checkCgo returns one line for each package that withoutCgo's need and that
// is partly C.
func checkCgo(pkgs []listed) []string {
	byPath := map[string]listed{}
	for _, p := range pkgs {
		byPath[p.ImportPath] = p
	}
	var bad []string
	for _, dir := range withoutCgo {
		seen := map[string]bool{}
		var visit func(path string)
		visit = func(path string) {
			p := byPath[path]
			if seen[path] || p.Standard {
				return
			}
			seen[path] = true
			if len(p.CgoFiles) > 0 {
				bad = append(bad, fmt.Sprintf("%s/... needs %s, which uses cgo", dir, path))
			}
			for _, i := range p.Imports {
				visit(i)
			}
		}
		for _, p := range pkgs {
			if from, ok := folder(p.ImportPath); ok && (from == dir || strings.HasPrefix(from, dir+"/")) {
				visit(p.ImportPath)
			}
		}
	}
	return bad
}

// standard reports whether path is the standard library's: no dot before the
// first slash.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// moduleOf returns the key of modules that path belongs to, or "".
func moduleOf(path string) string {
	for m := range modules {
		if path == m || strings.HasPrefix(path, m+"/") {
			return m
		}
	}
	return ""
}

func TestImports(t *testing.T) {
	pkgs := goList(t)
	n := 0
	for _, p := range pkgs {
		if p.ours() {
			n++
		}
	}
	if n == 0 {
		t.Fatal("go list shows no package of the project")
	}
	for _, line := range checkImports(pkgs) {
		t.Errorf("%s (the table is in internal/lint/imports_test.go)", line)
	}
	for _, line := range checkCgo(pkgs) {
		t.Error(line)
	}
}

// TestImportTable wants the tables to speak of packages that they list.
func TestImportTable(t *testing.T) {
	known := func(dir string) bool {
		_, ok := ours[dir]
		return ok || dir == allButCmd
	}
	for from, tos := range ours {
		for _, to := range tos {
			if !known(to) {
				t.Errorf("%s may import %s, which is not listed", from, to)
			}
		}
	}
	for m, froms := range modules {
		for _, from := range froms {
			if !known(from) {
				t.Errorf("%s may be imported by %s, which is not listed", m, from)
			}
		}
	}
}

// TestImportsCaught feeds the checks edges that they must find.
func TestImportsCaught(t *testing.T) {
	const vulkan = "github.com/vulkan-go/vulkan"
	pkg := func(dir string, imports ...string) listed {
		path := module
		if dir != "." {
			path += "/" + dir
		}
		for i, to := range imports {
			if _, ok := ours[to]; ok {
				imports[i] = module + "/" + to
			}
			if to == "." {
				imports[i] = module
			}
		}
		return listed{ImportPath: path, Imports: imports, Module: &struct{ Main bool }{true}}
	}
	tests := []struct {
		name string
		pkg  listed
		want string // "" is allowed
	}{
		{"down", pkg("lodcpu/soar", "terrain", "lodcpu", "math", "C", "unsafe"), ""},
		{"root sees all", pkg(".", "terrain", "pipeline", "vk", "meshcheck"), ""},
		{"program sees root", pkg("cmd/vkterrain", ".", "pipeline", "github.com/go-gl/glfw/v3.3/glfw"), ""},
		{"binding in vk", pkg("vk", vulkan), ""},
		{"up", pkg("terrain", "lodcpu"), "terrain may not import lodcpu"},
		{"sideways", pkg("lodcpu/soar", "lodcpu/billod"), "lodcpu/soar may not import lodcpu/billod"},
		{"streaming draws", pkg("streaming", "vk"), "streaming may not import vk"},
		{"program imported", pkg(".", "cmd/vkterrain"), ". may not import cmd/vkterrain"},
		{"test helper in a product", pkg("pipeline", "internal/shared"), "pipeline may not import internal/shared"},
		{"unlisted package", pkg("terrain/extra"), "terrain/extra is not in the import table"},
		{"binding above vk", pkg("pipeline", vulkan), "pipeline may not import " + vulkan},
		{"window in the facade", pkg(".", "github.com/go-gl/glfw/v3.3/glfw"), ". may not import github.com/go-gl/glfw/v3.3/glfw"},
		{"unknown module", pkg("terrain", "example.com/x"), "terrain may not import example.com/x"},
		{"prefix is not a module", pkg("vk", vulkan+"ish"), "vk may not import " + vulkan + "ish"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := strings.Join(checkImports([]listed{test.pkg}), "\n"); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	t.Run("module in tests", func(t *testing.T) {
		p := pkg("terrain")
		p.TestImports = []string{"testing", "github.com/klauspost/compress/zstd"}
		p.XTestImports = []string{"example.com/assert"}
		want := "the tests of terrain import example.com/assert, which is in no table"
		if got := strings.Join(checkImports([]listed{p}), "\n"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("cgo below", func(t *testing.T) {
		pkgs := []listed{
			pkg("streaming", "terrain/chunkfile"),
			pkg("terrain/chunkfile", "example.com/c", "net"),
			{ImportPath: "example.com/c", CgoFiles: []string{"c.go"}},
			{ImportPath: "net", Standard: true, CgoFiles: []string{"cgo.go"}},
		}
		got := checkCgo(pkgs)
		want := []string{
			"terrain/... needs example.com/c, which uses cgo",
			"streaming/... needs example.com/c, which uses cgo",
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
