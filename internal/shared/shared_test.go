package shared_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/vkterrain/vkterrain/internal/shared"
)

// spy records how Path ends a test, in place of ending this one.
type spy struct {
	testing.TB
	skipped, failed bool
}

func (s *spy) Helper()               {}
func (s *spy) Skipf(string, ...any)  { s.skipped = true; runtime.Goexit() }
func (s *spy) Fatalf(string, ...any) { s.failed = true; runtime.Goexit() }

// ask calls Path from a project with one shared file, and says how it ended.
func ask(t *testing.T, elem string) (path string, s *spy) {
	t.Helper()
	s = &spy{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		path = shared.Path(s, elem)
	}()
	<-done
	return path, s
}

func TestPath(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{"project/a/b", "shared/data"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	want := filepath.Join(top, "shared", "data", "f.png")
	for _, file := range []string{filepath.Join(top, "project", "go.mod"), want} {
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Join(top, "project", "a", "b"))

	for _, require := range []string{"", "1"} {
		t.Setenv(shared.RequireEnv, require)
		got, s := ask(t, "data/f.png")
		if s.skipped || s.failed || !sameFile(t, got, want) {
			t.Errorf("%s=%q: Path = %q, skipped %v, failed %v; want %q", shared.RequireEnv, require, got, s.skipped, s.failed, want)
		}
		_, s = ask(t, "data/absent.png")
		if s.failed != (require == "1") || s.skipped != (require != "1") {
			t.Errorf("%s=%q, absent file: skipped %v, failed %v", shared.RequireEnv, require, s.skipped, s.failed)
		}
	}
}

func sameFile(t *testing.T, a, b string) bool {
	t.Helper()
	ia, err := os.Stat(a)
	if err != nil {
		return false
	}
	ib, err := os.Stat(b)
	if err != nil {
		t.Fatal(err)
	}
	return os.SameFile(ia, ib)
}
