package lint_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/internal/shared"
)

// programs are the packages that own the process: they may log, print, exit.
var programs = []string{"cmd/vkterrain", "bench/ogre", "tools/gallery"}

// forbidden are the functions and variables that a library package does not
// use: they belong to whoever owns the process. "*" is a whole package.
var forbidden = map[string][]string{
	"os":  {"Exit", "Stdout", "Stderr"},
	"fmt": {"Print", "Printf", "Println"},
	"log": {"*"},
	"log/slog": {
		"Default", "SetDefault", "Log", "LogAttrs", "Debug", "DebugContext", "Info", "InfoContext",
		"Warn", "WarnContext", "Error", "ErrorContext",
	},
}

// goFiles returns the project's Go files, slash-separated, from the root.
func goFiles(t *testing.T, root string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		base := d.Name()
		switch {
		case d.IsDir() && rel != "." && (base[0] == '.' || base[0] == '_' || base == "testdata" || rel == "bin" || rel == "out"):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(base, ".go"):
			names = append(names, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// checkFile returns one line for each house rule that f, a file of the
// library package in the folder dir, breaks.
func checkFile(fset *token.FileSet, f *ast.File, dir string) []string {
	var bad []string
	report := func(at ast.Node, format string, args ...any) {
		bad = append(bad, fmt.Sprintf("%s: %s", fset.Position(at.Pos()), fmt.Sprintf(format, args...)))
	}
	imported := map[string]string{} // name in this file to path
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the compiler says it better
		}
		name := path.Base(p)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imported[name] = p
		if slices.Contains(forbidden[p], "*") {
			report(spec, "a library package does not import %s", p)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if ok && x.Obj == nil && slices.Contains(forbidden[imported[x.Name]], n.Sel.Name) {
				report(n, "a library package does not use %s.%s", imported[x.Name], n.Sel.Name)
			}
		case *ast.CallExpr:
			fun, ok := n.Fun.(*ast.Ident)
			if !ok || fun.Obj != nil {
				break
			}
			switch fun.Name {
			case "print", "println":
				report(n, "a library package does not use %s", fun.Name)
			case "panic":
				if len(n.Args) == 1 && !hasPrefix(n.Args[0], f.Name.Name, dir) {
					report(n, "a panic starts with its package: panic(%q)", f.Name.Name+": ...")
				}
			}
		}
		return true
	})
	return bad
}

// hasPrefix reports whether e is a text that begins with the package's name or
// folder and a colon, written as a literal, as a format or as a sum of texts.
func hasPrefix(e ast.Expr, name, dir string) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return hasPrefix(e.X, name, dir)
	case *ast.BinaryExpr:
		return e.Op == token.ADD && hasPrefix(e.X, name, dir)
	case *ast.CallExpr: // fmt.Sprintf, fmt.Errorf, errors.New
		_, ok := e.Fun.(*ast.SelectorExpr)
		return ok && len(e.Args) > 0 && hasPrefix(e.Args[0], name, dir)
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return err == nil && (strings.HasPrefix(s, name+": ") || strings.HasPrefix(s, dir+": "))
	}
	return false
}

// commentStart is what a package comment begins with, as godoc wants it.
func commentStart(name, dir string) string {
	if name == "main" {
		return "Command " + path.Base(dir) + " "
	}
	return "Package " + name + " "
}

// TestSources holds what library packages may not do, and that every package
// has one package comment.
func TestSources(t *testing.T) {
	root := shared.Root(t)
	comments := map[string]int{} // by folder
	for _, name := range goFiles(t, root) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(fset, name, src, parser.ParseComments)
		if err != nil {
			t.Error(err)
			continue
		}
		dir := path.Dir(name)
		if _, ok := comments[dir]; !ok {
			comments[dir] = 0
		}
		if text := f.Doc.Text(); strings.HasPrefix(text, "Package ") || strings.HasPrefix(text, "Command ") {
			comments[dir]++
			if want := commentStart(f.Name.Name, dir); !strings.HasPrefix(strings.ReplaceAll(text, "\n", " "), want) {
				t.Errorf("%s: the package comment does not begin with %q", name, want)
			}
		}
		if slices.Contains(programs, dir) {
			continue
		}
		for _, line := range checkFile(fset, f, dir) {
			t.Error(line)
		}
	}
	for dir, n := range comments {
		if n != 1 {
			t.Errorf("%s has %d package comments, want 1", dir, n)
		}
	}
}

// TestSourcesCaught feeds checkFile what it must find and what it must not.
func TestSourcesCaught(t *testing.T) {
	tests := []struct{ name, imports, body, want string }{
		{"exit", `"os"`, `os.Exit(1)`, "does not use os.Exit"},
		{"exit renamed", `sys "os"`, `sys.Exit(1)`, "does not use os.Exit"},
		{"stdout", `"os"`, `os.Stdout.WriteString("")`, "does not use os.Stdout"},
		{"log", `"log"`, `log.Fatal()`, "does not import log"},
		{"slog", `"log/slog"`, `slog.Info("")`, "does not use log/slog.Info"},
		{"print", `"fmt"`, `fmt.Println()`, "does not use fmt.Println"},
		{"builtin", `"os"`, `println(os.Args)`, "does not use println"},
		{"bare panic", `"os"`, `panic(os.Args[0])`, "a panic starts with its package"},
		{"other's panic", `"fmt"`, `panic(fmt.Sprintf("vk: %d", 1))`, "a panic starts with its package"},
		{"panic", `"fmt"`, `panic(fmt.Sprintf("ring: %d", 1))`, ""},
		{"panic sum", `"strconv"`, `panic("vk/ring: " + strconv.Itoa(1))`, ""},
		{"given logger", `"log/slog"`, `var l *slog.Logger; l.Info("")`, ""},
		{"local", `"io"`, `os := struct{ Exit func(int) }{}; os.Exit(1); _ = io.EOF`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fset := token.NewFileSet()
			src := "package ring\nimport " + test.imports + "\nfunc f() { " + test.body + " }\n"
			f, err := parser.ParseFile(fset, "x.go", src, 0)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(checkFile(fset, f, "vk/ring"), "\n")
			if test.want == "" && got != "" || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestGofmt wants every Go file as gofmt -s writes it.
func TestGofmt(t *testing.T) {
	root := shared.Root(t)
	cmd := exec.Command("gofmt", append([]string{"-s", "-l"}, goFiles(t, root)...)...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("gofmt: %v\n%s", err, stderr.Bytes())
	}
	for name := range strings.FieldsSeq(string(out)) {
		t.Errorf("%s: run gofmt -s -w", name)
	}
}
