package lint_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/internal/shared"
)

// TestGoMod wants the module's own path and no directive that works for the
// main module only: who depends on this module would build something else.
func TestGoMod(t *testing.T) {
	cmd := exec.Command("go", "mod", "edit", "-json")
	cmd.Dir = shared.Root(t)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var mod struct {
		Module           struct{ Path string }
		Go               string
		Replace, Exclude []any
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatal(err)
	}
	if mod.Module.Path != module {
		t.Errorf("the module is %s, want %s", mod.Module.Path, module)
	}
	if mod.Go == "" {
		t.Error("go.mod has no go line")
	}
	if len(mod.Replace) > 0 {
		t.Error("go.mod has a replace directive")
	}
	if len(mod.Exclude) > 0 {
		t.Error("go.mod has an exclude directive")
	}
}

// tracked returns what git has, or skips where this is no checkout.
func tracked(t *testing.T, root string) []string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		t.Skip("not a git checkout")
	}
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	names := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// read returns a tracked file, or nil where it was removed and not committed.
func read(t *testing.T, root, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return data
}

// machine matches what names the machine that a file was made on. It is in
// pieces, so that it does not match itself.
var machine = regexp.MustCompile(`(^|[^\w./\-])/wo` + `rk/|/tmp/bash` + `_jobs|proxy\.go` + `lang|\.library` + `/`)

// TestNoMachinePaths looks into all files, compiled shaders too.
func TestNoMachinePaths(t *testing.T) {
	root := shared.Root(t)
	for _, name := range tracked(t, root) {
		if found := machine.Find(read(t, root, name)); found != nil {
			t.Errorf("%s holds %q, a name of the machine it was made on", name, found)
		}
	}
	for text, want := range map[string]bool{
		"cd /wo" + "rk/main":      true,
		"\x00/wo" + "rk/a.frag":   true,
		"/tmp/bash" + "_jobs.0":   true,
		"a/wo" + "rk/b":           false,
		"https://a.org/wo" + "rk": false,
		"net" + "work/":           false,
	} {
		if got := machine.MatchString(text); got != want {
			t.Errorf("%q matches: %v, want %v", text, got, want)
		}
	}
}

// TestNoSharedFiles wants nothing committed that is a copy of a file of the
// shared folder: its licences differ, and some forbid it.
func TestNoSharedFiles(t *testing.T) {
	root := shared.Root(t)
	names := tracked(t, root)
	folder := shared.Path(t)

	sizes := map[int64][]string{}
	err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Size() > 0 {
			sizes[info.Size()] = append(sizes[info.Size()], name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(sizes) == 0 {
		t.Fatalf("%s is empty", folder)
	}
	for _, name := range names {
		data := read(t, root, name)
		for _, other := range sizes[int64(len(data))] {
			theirs, err := os.ReadFile(other)
			if err != nil {
				t.Fatal(err)
			}
			if sha256.Sum256(data) == sha256.Sum256(theirs) {
				t.Errorf("%s is a copy of %s", name, other)
			}
		}
	}
}
