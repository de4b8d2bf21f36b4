package vk_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const binding = "github.com/vulkan-go/vulkan"

// measured is where the binding's own calls are timed.
const measured = "vk/binding_test.go"

// forbidden are calls of vulkan-go that free their arguments while they are
// read, leak, or store Go pointers: all that take structs. In this repository
// the shim makes every Vulkan call, so the rule is simple.
var forbidden = regexp.MustCompile(`\bvulkan\.(Cmd|Create|Destroy|Queue|Allocate|Free|Update|Begin|End|Reset|Enumerate|Get|Flush|Invalidate|Map|Unmap|Bind|Wait|Acquire|Init|SetGet|SetDefault)\w*\(`)

// TestBinding holds the rules on vulkan-go: only package vk imports it, and
// only for types and constants.
func TestBinding(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && (strings.HasPrefix(name, ".") && name != "." || name == "testdata" || name == "shared") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ImportsOnly)
		if err != nil {
			return nil // the compiler will say so
		}
		for _, spec := range file.Imports {
			if p, _ := strconv.Unquote(spec.Path.Value); p != binding && !strings.HasPrefix(p, binding+"/") {
				continue
			}
			rel, _ := filepath.Rel(root, path)
			if filepath.Dir(rel) != "vk" {
				t.Errorf("%s imports %s; only vk/ may", rel, binding)
			}
			if spec.Name != nil {
				t.Errorf("%s renames %s, which hides it from this test", rel, binding)
			}
			if call := forbidden.Find(src); call != nil && filepath.ToSlash(rel) != measured {
				t.Errorf("%s calls %s...): use the shim", rel, call)
			}
			seen++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Error("found no import of the binding; is this test looking in the right place?")
	}
}
