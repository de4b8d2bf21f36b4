package main_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs testdata/scripts. Beside the commands of testscript they have:
//
//	run CODE ARGS...         run vkterrain; it must end with that code, without a trace
//	full CODE ARGS...        the same with a standard output on a disk that is full
//	odd CODE FILE ARGS...    run it for copies of FILE of odd names, {} in ARGS being the name
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
			if c == "gpu" {
				return run(t, "gpus").code == 0, nil
			}
			return false, errors.New("no such condition")
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"run": func(ts *testscript.TestScript, _ bool, args []string) { script(ts, args[0], program, args[1:]...) },
			"full": func(ts *testscript.TestScript, _ bool, args []string) {
				script(ts, args[0], "sh", append([]string{"-c", `exec "$0" "$@" >/dev/full`, program}, args[1:]...)...)
			},
			"odd": odd,
		},
	})
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
