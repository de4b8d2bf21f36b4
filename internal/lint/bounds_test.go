package lint_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/vkterrain/vkterrain/internal/shared"
)

// hotLoop is a function that runs for every vertex, block, triangle, index or tile.
type hotLoop struct {
	loops bool   // only its loops count: it is entered once a tile or a tier
	most  int    // bounds checks that may stand in it
	why   string // they may
}

// Why bounds checks stand where they do. Each index is a number that was loaded, and nothing
// but a check keeps a wrong one from reading or writing elsewhere.
const (
	byID    = "vertices are found by their ids"
	byBlock = "marks, rings and numbers are found by the numbers of blocks"
	byPlace = "vertices of a ring or a row are found by their places in it"
	byOrder = "what a tier has in common is found by its number, columns and rows by theirs"
	byTile  = "which tile is the caller's number"
	byEnd   = "whether there is room is asked once a fan, a run or a vertex of a strip"
)

// hotLoops are the functions of each package whose checks count, by receiver and name. On
// AMD64 what SOAR does once a vertex is assembly, and these are its twins and what goes around it.
var hotLoops = map[string]map[string]hotLoop{
	"lodcpu": {
		"Triangles":      {},
		"packGo":         {loops: true},
		"inside":         {},
		"Frustum.place":  {},
		"Frustum.sees":   {},
		"Frustum.look":   {},
		"Cull.Sees":      {},
		"Reach.Eligible": {},
		"TileSet.Look":   {loops: true},
		"TileSet.Sees":   {most: 3, why: byTile},
		"keeper.drawn":   {loops: true},
		"keeper.copy":    {loops: true},
		"keeper.hole":    {most: 1, why: byID},
		"keeper.place":   {most: 1, why: byID},
		"keeper.list":    {loops: true, most: 4, why: byEnd},
	},
	"lodcpu/soar": {
		"found.area":        {},
		"block.quarter":     {},
		"question.seams":    {},
		"question.ask":      {most: 3, why: byOrder},
		"question.seamsAt":  {loops: true},
		"walk.askQuarters":  {loops: true, most: 2, why: byBlock},
		"walk.askRim":       {loops: true, most: 8, why: byOrder},
		"walk.numberGo":     {loops: true, most: 2, why: byBlock},
		"found.fan":         {most: 3, why: byBlock},
		"writing.listFans":  {loops: true, most: 6, why: byBlock},
		"writing.plainFan":  {loops: true, most: 1, why: byPlace},
		"writing.paddedFan": {loops: true, most: 4, why: byPlace},
		"writing.half":      {most: 5, why: byBlock},
		"writing.piece":     {loops: true},
		"writing.append":    {},
		"writing.put":       {},
		"walk.push":         {most: 1, why: byEnd},
		"walk.clamped":      {most: 1, why: byID},
	},
	"lodcpu/quadtree": {
		"rule.asks":        {},
		"walk.active":      {most: 8, why: byOrder},
		"walk.sees":        {most: 2, why: byOrder},
		"walk.askInner":    {loops: true, most: 7, why: byBlock},
		"walk.enter":       {loops: true, most: 2, why: byBlock},
		"walk.force":       {loops: true, most: 3, why: byBlock},
		"walk.centres":     {loops: true, most: 1, why: byBlock},
		"walk.drawSquares": {most: 5, why: byBlock},
		"walk.fill":        {},
		"walk.fan":         {most: 9, why: byEnd},
		"side":             {most: 1, why: byEnd},
		"walk.run":         {loops: true, most: 1, why: byEnd},
		"walk.runStrip":    {loops: true},
		"walk.clamped":     {most: 1, why: byID},
	},
	"lodcpu/billod": {
		"walk.askEdges":    {loops: true, most: 4, why: byBlock},
		"walk.askChildren": {most: 9, why: byBlock},
		"walk.test":        {most: 5, why: byOrder},
		"walk.inside":      {most: 4, why: byOrder},
		"walk.draw":        {loops: true, most: 5, why: byBlock},
		"walk.list":        {loops: true, most: 1, why: byPlace},
		"walk.padded3":     {loops: true, most: 4, why: byPlace},
		"walk.run":         {loops: true, most: 1, why: byPlace},
		"walk.clamped":     {most: 1, why: byID},
	},
}

// TestHotLoopsHaveNoBoundsChecks compiles the hot packages, with assembly and without, and
// asks the compiler where bounds checks stand.
func TestHotLoopsHaveNoBoundsChecks(t *testing.T) {
	for _, folder := range slices.Sorted(maps.Keys(hotLoops)) {
		found := checksByFunction(t, folder)
		for _, name := range slices.Sorted(maps.Keys(hotLoops[folder])) {
			rule := hotLoops[folder][name]
			f, ok := found[name]
			if !ok {
				t.Errorf("%s: no function %s, which is said to be hot", folder, name)
				continue
			}
			at := f.all
			if rule.loops {
				at = f.loops
			}
			if rule.most > 0 && rule.why == "" {
				t.Errorf("%s: %s may have %d bounds checks for no reason", folder, name, rule.most)
			}
			if len(at) > rule.most {
				t.Errorf("%s: %s has %d bounds checks, of which %d may be: %v", folder, name, len(at), rule.most, at)
			}
		}
	}
}

// checked is where bounds checks stand in a function.
type checked struct{ all, loops []string }

// checkFound is a line of what the compiler says.
var checkFound = regexp.MustCompile(`(?m)^(.+\.go):(\d+):(\d+): Found Is(?:Slice)?InBounds$`)

// checksByFunction returns the bounds checks in the functions of a package, each place once.
func checksByFunction(t *testing.T, folder string) map[string]*checked {
	t.Helper()
	places := map[string][]place{} // by file
	seen := map[string]bool{}
	for _, tags := range []string{"", "noasm"} {
		cmd := exec.Command("go", "build", "-tags", tags, "-gcflags=-d=ssa/check_bce/debug=1", "./"+folder)
		cmd.Dir = shared.Root(t)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, stderr.Bytes())
		}
		for _, m := range checkFound.FindAllStringSubmatch(stderr.String(), -1) {
			if !seen[m[0]] {
				seen[m[0]] = true
				line, _ := strconv.Atoi(m[2])
				column, _ := strconv.Atoi(m[3])
				name := filepath.Base(m[1])
				places[name] = append(places[name], place{line, column})
			}
		}
	}
	if len(places) == 0 {
		t.Fatalf("the compiler found no bounds check in all of %s", folder)
	}
	found := map[string]*checked{}
	files, err := filepath.Glob(filepath.Join(shared.Root(t), folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		addChecks(t, file, places[filepath.Base(file)], found)
	}
	return found
}

// place is a line and a column of a file, from 1 on.
type place struct{ line, column int }

// within says whether p is in a node.
func (p place) within(files *token.FileSet, n ast.Node) bool {
	from, to := files.Position(n.Pos()), files.Position(n.End())
	after := p.line > from.Line || p.line == from.Line && p.column >= from.Column
	return after && (p.line < to.Line || p.line == to.Line && p.column < to.Column)
}

// addChecks adds the functions of a file, with those of the places that are in their bodies.
func addChecks(t *testing.T, file string, places []place, found map[string]*checked) {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		c := &checked{}
		if name := functionName(f); found[name] == nil {
			found[name] = c
		} else {
			c = found[name] // a twin
		}
		for _, p := range places {
			if p.within(files, f.Body) {
				c.add(files, f, p, filepath.Base(file))
			}
		}
	}
}

// add adds a place in the body of f.
func (c *checked) add(files *token.FileSet, f *ast.FuncDecl, p place, file string) {
	text := file + ":" + strconv.Itoa(p.line) + ":" + strconv.Itoa(p.column)
	c.all = append(c.all, text)
	inLoop := false
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch l := n.(type) {
		case *ast.ForStmt:
			inLoop = inLoop || p.within(files, l.Body) || l.Post != nil && p.within(files, l.Post)
		case *ast.RangeStmt:
			inLoop = inLoop || p.within(files, l.Body)
		}
		return true
	})
	if inLoop {
		c.loops = append(c.loops, text)
	}
}

// functionName returns the name of a function, after its receiver's type and a dot.
func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	of := f.Recv.List[0].Type
	if p, ok := of.(*ast.StarExpr); ok {
		of = p.X
	}
	if g, ok := of.(*ast.IndexExpr); ok {
		of = g.X
	}
	return of.(*ast.Ident).Name + "." + f.Name.Name
}
