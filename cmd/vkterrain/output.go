package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"

	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// releaseVersion is the version of a build that carries none of its own.
// tools/release.sh sets it.
var releaseVersion = developed

const developed = "0.1.0-dev"

func version() string {
	if releaseVersion != developed {
		return releaseVersion
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return releaseVersion
}

// writeFile writes a file in one step: write fills a new one beside path, which
// then takes its place. After an error the place is as it was.
func writeFile(path string, write func(w io.Writer) error) error {
	name, err := writeBeside(path, write)
	if err != nil {
		return err
	}
	if err := os.Rename(name, path); err != nil {
		os.Remove(name)
		return outputError(naming(path, err))
	}
	return nil
}

// writeBeside fills a new file that is to take the place of path, and returns its
// name. After an error there is none.
func writeBeside(path string, write func(w io.Writer) error) (name string, err error) {
	f, err := createBeside(path)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	buf := bufio.NewWriterSize(&namedWriter{f, path}, 1<<18)
	if err := write(buf); err != nil {
		return "", err
	}
	if err := buf.Flush(); err != nil {
		return "", err
	}
	if err := f.Chmod(0o666 &^ umask()); err != nil {
		return "", outputError(naming(path, err))
	}
	if err := f.Close(); err != nil {
		return "", outputError(naming(path, err))
	}
	return f.Name(), nil
}

// fileSet is files that take their places together, once all of them are whole.
type fileSet struct{ names, paths []string }

// write fills one of them.
func (s *fileSet) write(path string, write func(w io.Writer) error) error {
	name, err := writeBeside(path, write)
	if err == nil {
		s.names, s.paths = append(s.names, name), append(s.paths, path)
	}
	return err
}

// place puts them in their places, in the order in which they were written.
func (s *fileSet) place() error {
	for len(s.names) > 0 {
		if err := os.Rename(s.names[0], s.paths[0]); err != nil {
			return outputError(naming(s.paths[0], err))
		}
		s.names, s.paths = s.names[1:], s.paths[1:]
	}
	return nil
}

// drop removes those that have not been placed.
func (s *fileSet) drop() {
	for _, name := range s.names {
		os.Remove(name)
	}
}

// createBeside makes the new file that is to take the place of path.
func createBeside(path string) (*os.File, error) {
	st, err := os.Stat(path)
	switch {
	case err == nil && !st.Mode().IsRegular():
		return nil, outputError(fmt.Errorf("cannot write %s: not a regular file", path))
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return nil, outputError(naming(path, err)) // a name too long, a loop of links
	}
	base := filepath.Base(path)
	if len(base) > longestPrefix {
		base = strings.ToValidUTF8(base[:longestPrefix], "")
	}
	removeAbandoned(filepath.Dir(path), base)
	f, err := os.CreateTemp(filepath.Dir(path), fmt.Sprintf(".%s.%d-*.partial", base, os.Getpid()))
	if err != nil {
		return nil, outputError(naming(path, err))
	}
	return f, nil
}

// removeAbandoned removes the files beside base whose processes are gone: a program
// that was killed could not.
func removeAbandoned(dir, base string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), "."+base+".")
		rest, partial := strings.CutSuffix(rest, ".partial")
		number, _, _ := strings.Cut(rest, "-")
		pid, err := strconv.Atoi(number)
		if ours && partial && err == nil && pid > 0 && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// longestPrefix is how much of a name the file beside it bears: file systems
// allow 255 bytes.
const longestPrefix = 200

// namedWriter writes into f, the file beside path; its errors say path.
type namedWriter struct {
	f    *os.File
	path string
}

func (w *namedWriter) Write(b []byte) (int, error) {
	n, err := w.f.Write(b)
	if err != nil {
		err = outputError(naming(w.path, err))
	}
	return n, err
}

// writable finds out early that results cannot be written, by making the first
// file of each and removing it.
func writable(paths ...string) error {
	for i, p := range paths {
		switch p {
		case "":
			return usageError(errors.New("an empty file name"))
		case "-":
			return usageError(errors.New("-: this does not go to standard output (a file called - is ./-)"))
		}
		for _, q := range paths[:i] {
			if sameFile(p, q) {
				return usageError(fmt.Errorf("%s: two results in one file", p))
			}
		}
		if chunkfile.IsShard(p) {
			return usageError(fmt.Errorf("%s: is a shard, a part of a world, and is not written over", p))
		}
		dir := filepath.Dir(p)
		if st, err := os.Stat(dir); err == nil && !st.IsDir() {
			return outputError(fmt.Errorf("cannot write %s: %s is not a folder", p, dir))
		}
		f, err := createBeside(p)
		if err != nil {
			return err
		}
		f.Close()
		if err := os.Remove(f.Name()); err != nil {
			return outputError(naming(p, err))
		}
	}
	return nil
}

// distinct refuses to write a result over what it is made of. Names that are
// empty or - are no files.
func distinct(sources, results []string) error {
	for _, out := range results {
		for _, in := range sources {
			if in != "" && out != "" && out != "-" && sameFile(in, out) {
				return usageError(fmt.Errorf("%s: is both source and result", out))
			}
		}
	}
	return nil
}

// sameFile says whether two names, of files that may not exist, mean one file.
func sameFile(a, b string) bool {
	if st, err := os.Stat(a); err == nil {
		if other, err := os.Stat(b); err == nil && os.SameFile(st, other) {
			return true
		}
	}
	return resolved(a) == resolved(b)
}

// resolved returns the absolute path of a file whose folder exists, without
// links in the folder's.
func resolved(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	return filepath.Clean(path)
}

// canMakeFolder finds out early that nothing can be written into a folder that
// may not exist.
func canMakeFolder(path string) error {
	if err := checkFileName(path); err != nil {
		return err
	}
	dir := filepath.Clean(path)
	for {
		st, err := os.Stat(dir)
		if err == nil && !st.IsDir() {
			return outputError(fmt.Errorf("cannot write %s: %s is not a folder", path, dir))
		}
		if err == nil {
			break
		}
		if !errors.Is(err, os.ErrNotExist) || filepath.Dir(dir) == dir {
			return outputError(naming(path, err))
		}
		dir = filepath.Dir(dir)
	}
	f, err := os.CreateTemp(dir, ".vkterrain-*.partial")
	if err != nil {
		return outputError(naming(path, err))
	}
	f.Close()
	return outputError(os.Remove(f.Name()))
}

// makeFolder makes a folder and those above it. undo removes what it made and
// is still empty.
func makeFolder(path string) (undo func(), err error) {
	var made []string // the inner ones first
	for dir := filepath.Clean(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); err == nil || filepath.Dir(dir) == dir {
			break
		}
		made = append(made, dir)
	}
	undo = func() {
		for _, dir := range made {
			os.Remove(dir)
		}
	}
	if err := os.MkdirAll(path, 0o777); err != nil {
		undo()
		return func() {}, outputError(naming(path, err))
	}
	return undo, nil
}

// checkFileName refuses names that cannot be a file's.
func checkFileName(path string) error {
	if path == "" {
		return usageError(errors.New("an empty file name"))
	}
	return nil
}

// naming says the path that was asked for, not that of the file beside it.
func naming(path string, err error) error {
	cause := err
	var pe *os.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		cause = pe.Err
	case errors.As(err, &le):
		cause = le.Err
	}
	return fmt.Errorf("cannot write %s: %w", path, cause)
}

var processUmask = func() os.FileMode {
	m := syscall.Umask(0)
	syscall.Umask(m)
	return os.FileMode(m)
}()

// umask is what new files are not allowed; CreateTemp allows only the owner.
func umask() os.FileMode { return processUmask }

// printJSON prints the one object of --json. What cannot be JSON is a number
// that the input drove to infinity.
func (a *app) printJSON(v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	var number *json.UnsupportedValueError
	if errors.As(err, &number) {
		return inputError(fmt.Errorf("a result is %s, which JSON cannot hold: the input's numbers are too large", number.Str))
	}
	if err != nil {
		return withCode(exitInternal, err)
	}
	_, err = fmt.Fprintf(a.stdout, "%s\n", b)
	return outputError(err)
}

// peakRSS returns the most memory this process has had, bytes.
func peakRSS() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Maxrss * 1024 // kilobytes on Linux
}
