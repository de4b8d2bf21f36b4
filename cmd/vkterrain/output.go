package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"
)

// releaseVersion is the version of a build that carries none of its own.
const releaseVersion = "0.1.0-dev"

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return releaseVersion
}

// writeFile writes a file in one step: write fills a new one beside path, which
// then takes its place. After an error the place is as it was.
func writeFile(path string, write func(w io.Writer) error) (err error) {
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return outputError(fmt.Errorf("cannot write %s: not a regular file", path))
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.partial")
	if err != nil {
		return outputError(naming(path, err))
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	buf := bufio.NewWriterSize(f, 1<<18)
	if err := write(buf); err != nil {
		return err
	}
	if err := buf.Flush(); err != nil {
		return outputError(naming(path, err))
	}
	if err := f.Chmod(0o666 &^ umask()); err != nil {
		return outputError(naming(path, err))
	}
	if err := f.Close(); err != nil {
		return outputError(naming(path, err))
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return outputError(naming(path, err))
	}
	return nil
}

// naming says the path that was asked for, not that of the file beside it.
func naming(path string, err error) error {
	var cause error = err
	switch e := err.(type) {
	case *os.PathError:
		cause = e.Err
	case *os.LinkError:
		cause = e.Err
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

// printJSON prints the one object of --json.
func (a *app) printJSON(v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic("main: " + err.Error())
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
