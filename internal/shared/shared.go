// Package shared finds test data that is kept beside the project, not in it.
//
// Some of that data carries licences that forbid shipping it, so tests that
// read it skip where it is absent. VKTERRAIN_REQUIRE_SHARED=1 (set by CI where
// the folder exists) turns the skip into a failure.
package shared

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// RequireEnv is the environment variable that makes absent data an error.
const RequireEnv = "VKTERRAIN_REQUIRE_SHARED"

// Path returns the path of a file or folder below the folder "shared" that
// stands beside the project's root. elem are slash-separated, as in
// Path(t, "data/png16/ps_height_1k.png"). It skips t where there is no such
// file, or fails it if VKTERRAIN_REQUIRE_SHARED is 1.
func Path(t testing.TB, elem ...string) string {
	t.Helper()
	path := filepath.Join(filepath.Dir(Root(t)), "shared")
	for _, e := range elem {
		path = filepath.Join(path, filepath.FromSlash(e))
	}
	if _, err := os.Stat(path); err != nil {
		if os.Getenv(RequireEnv) == "1" {
			t.Fatalf("%s=1, but: %v", RequireEnv, err)
		}
		t.Skipf("no shared test data: %v", err)
	}
	return path
}

// Root returns the project's root, the folder of go.mod, found upwards from
// the working directory (go test sets it to the folder of the package).
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		_, err := os.Stat(filepath.Join(dir, "go.mod"))
		if err == nil {
			return dir
		}
		if !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the working directory")
		}
		dir = parent
	}
}
