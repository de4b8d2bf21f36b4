package main_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs testdata/scripts. Beside the commands of testscript they have:
//
//	run CODE ARGS...         run vkterrain; it must end with that code, without a trace
//	full CODE ARGS...        the same with a standard output on a disk that is full
//	odd CODE FILE ARGS...    run it for copies of FILE of odd names, {} in ARGS being the name
//	disk DIR SIZE            a disk of that size, empty; where [mount] holds
//	readonly DIR             from here on nothing is written on that disk
//	left DIR NAMES...        no more is in DIR than that
//
// and a raster, $RASTER, and a world, $WORLD, of their own to read.
func TestScripts(t *testing.T) {
	raster, world := small(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/scripts", RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			for _, v := range []string{"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_LAYER_PATH"} {
				if value, ok := os.LookupEnv(v); ok {
					e.Setenv(v, value)
				}
			}
			for name, value := range map[string]string{
				"RASTER": raster, "WORLD": world, "PROGRAM": program, "HOME": e.WorkDir, "XDG_CACHE_HOME": filepath.Join(e.WorkDir, "cache"),
				"PATH": filepath.Dir(program) + string(os.PathListSeparator) + os.Getenv("PATH"), "LANG": "C.UTF-8",
			} {
				e.Setenv(name, value)
			}
			return nil
		},
		Condition: func(c string) (bool, error) {
			switch c {
			case "gpu":
				return run(t, "gpus").code == 0, nil
			case "mount":
				return canMount(t), nil
			}
			return false, errors.New("no such condition")
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"run": func(ts *testscript.TestScript, _ bool, args []string) { script(ts, args[0], program, args[1:]...) },
			"full": func(ts *testscript.TestScript, _ bool, args []string) {
				script(ts, args[0], "sh", append([]string{"-c", `exec "$0" "$@" >/dev/full`, program}, args[1:]...)...)
			},
			"odd": odd, "disk": disk, "readonly": readonly, "left": leftIn,
		},
	})
}

// canMount says whether the tests may mount disks.
func canMount(t *testing.T) bool {
	dir := t.TempDir()
	if syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4k") != nil {
		return false
	}
	return syscall.Unmount(dir, syscall.MNT_DETACH) == nil
}

func disk(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o777))
	ts.Check(syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+args[1]))
	ts.Defer(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
}

func readonly(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(syscall.Mount("", ts.MkAbs(args[0]), "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
}

func leftIn(ts *testscript.TestScript, _ bool, args []string) {
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	for _, e := range entries {
		if !slices.Contains(args[1:], e.Name()) {
			ts.Fatalf("%s is left in %s", e.Name(), args[0])
		}
	}
}

// script runs a program and wants an exit code.
func script(ts *testscript.TestScript, code, name string, args ...string) {
	want, err := strconv.Atoi(code)
	ts.Check(err)
	got := 0
	if err := ts.Exec(name, args...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
	if stderr := ts.ReadFile("stderr"); strings.Contains(stderr, "goroutine ") || strings.Contains(stderr, "panic") {
		ts.Fatalf("a trace")
	}
}

// oddNames are names that a file may have.
var oddNames = []string{
	"a b", "-o", "--help", "ü", "\xff\xfe", "new\nline", "tab\t", "quote'\"", "$HOME", "*", "%s%d", "\x1b[31m", ".", strings.Repeat("n", 230),
}

func odd(ts *testscript.TestScript, _ bool, args []string) {
	data := ts.ReadFile(args[1])
	for _, name := range oddNames {
		dir := ts.MkAbs("odd")
		ts.Check(os.MkdirAll(dir, 0o777))
		path := filepath.Join(dir, name+filepath.Ext(args[1]))
		ts.Check(os.WriteFile(path, []byte(data), 0o666))
		var line []string
		for _, a := range args[2:] {
			line = append(line, strings.ReplaceAll(a, "{}", path))
		}
		ts.Logf("%.40q", name)
		script(ts, args[0], program, line...)
		for _, out := range []string{ts.ReadFile("stdout"), ts.ReadFile("stderr")} {
			if strings.ContainsAny(out, "\x1b") {
				ts.Fatalf("%q steers the terminal: %q", name, out)
			}
		}
		ts.Check(os.RemoveAll(dir))
	}
}
