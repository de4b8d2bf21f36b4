// Command vkterrain bakes height rasters into worlds and draws them with Vulkan.
//
// What scripts may rely on: results go to stdout, messages to stderr, --json
// prints one object, an error is one line, and the exit codes are those of
// exit.go.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/alecthomas/kong"
)

// commands is the command line.
type commands struct {
	globals

	Demo    demoCmd    `cmd:"" group:"see" help:"Fly a built-in world and keep pictures and a film of it."`
	Fly     flyCmd     `cmd:"" group:"see" help:"Fly over a world in a window."`
	Render  renderCmd  `cmd:"" group:"see" help:"Draw one picture of a world, without a window."`
	Bench   benchCmd   `cmd:"" group:"see" help:"Fly over a world without a window, and say what frames take and how exact they are."`
	Compare compareCmd `cmd:"" group:"see" help:"Draw one view by several algorithms and tolerances side by side; or compare two pictures."`
	Trace   traceCmd   `cmd:"" group:"see" help:"Draw what frames, the GPU and levels did in a flight of bench."`

	Capture captureCmd `cmd:"" group:"see" help:"Capture a frame for RenderDoc, without a window."`

	Bake   bakeCmd   `cmd:"" group:"file" help:"Make a world out of a height raster."`
	Info   infoCmd   `cmd:"" group:"file" help:"Say what a raster or a world holds."`
	Dump   dumpCmd   `cmd:"" group:"file" help:"Write the heights of a raster or a world as float32."`
	Diff   diffCmd   `cmd:"" group:"file" help:"Compare the heights of two rasters, worlds or OGRE terrains."`
	Export exportCmd `cmd:"" group:"file" help:"Write a world as a picture, numbers, a mesh or an OGRE terrain."`
	Repair repairCmd `cmd:"" group:"file" help:"Make a whole world of what is left of a damaged one."`
	Verify verifyCmd `cmd:"" group:"file" help:"Check every byte of a world."`

	GPUs       gpusCmd       `cmd:"" name:"gpus" group:"machine" help:"List the GPUs, best first."`
	Doctor     doctorCmd     `cmd:"" group:"machine" help:"Look at what this program needs on this machine, and say what to install."`
	Cache      cacheCmd      `cmd:"" group:"machine" help:"List or remove the built-in worlds that are kept."`
	Completion completionCmd `cmd:"" group:"machine" help:"Print what makes a shell complete command lines."`
	Man        manCmd        `cmd:"" hidden:"" help:"Print the man page."`
	Version    versionCmd    `cmd:"" group:"machine" help:"Say which version this is."`
}

// globals are the flags of all commands.
type globals struct {
	GPU        string     `name:"gpu" group:"global" placeholder:"N|NAME|UUID" help:"GPU to use: its number in 'vkterrain gpus', a part of its name, or its UUID (gpus --json)."`
	Validation string     `group:"global" enum:"off,on,require" default:"off" help:"Vulkan validation layer: off, on (goes on without one) or require."`
	LogLevel   logLevel   `group:"global" default:"info" help:"Messages on stderr: error, warn, info or debug."`
	Workers    int        `group:"global" placeholder:"N" help:"Threads for work that can be shared; all processors if 0."`
	LogFormat  logFormat  `group:"global" default:"text" placeholder:"text|json" help:"Messages as text, or as a JSON object a line (text)."`
	ShowVer    versionArg `name:"version" group:"global" help:"Say which version this is."`
	settingsFlags
}

func (g *globals) Validate() error {
	if g.Workers < 0 {
		return fmt.Errorf("--workers %d: must be 0 or more", g.Workers)
	}
	if g.Workers > maxWorkers {
		return fmt.Errorf("--workers %d: must be %d or less", g.Workers, maxWorkers)
	}
	return nil
}

// More threads than maxWorkers are a mistake; more loaders than maxLoaders only
// wait for one another.
const (
	maxWorkers = 1024
	maxLoaders = 64
)

// loaders returns how many threads read and decode a world; 0 is the library's
// choice.
func (g *globals) loaders() int { return min(g.Workers, maxLoaders) }

const description = `Draws very large terrains with Vulkan. Without a command it flies over a built-in world.

Examples:

  vkterrain demo --headless               pictures, contact sheet and film of the built-in world
  vkterrain bake alps.png -o alps.vkt --spacing 30
  vkterrain render alps.vkt -o alps.png --tau 1
  vkterrain fly alps.vkt`

func main() {
	runtime.LockOSThread() // windows belong to the main thread, Vulkan to one goroutine
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is the program; it returns the exit code.
func run(args []string, stdout, stderr io.Writer) (code int) {
	log := &logger{w: stderr, level: levelInfo}
	if os.Getenv("VKTERRAIN_DEBUG") != "1" {
		defer func() {
			if p := recover(); p != nil {
				log.fail(fmt.Errorf("internal error: %v (VKTERRAIN_DEBUG=1 shows where)", p))
				code = exitInternal
			}
		}()
	}
	ctx, stop := interruptible(log)
	defer stop()

	var c commands
	set := newSettings()
	exited := false
	parser := newParser(&c, set, kong.Writers(stdout, stderr), kong.Exit(func(int) { exited = true; panic(helpShown{}) }))
	defer func() {
		if exited {
			if _, ok := recover().(helpShown); ok {
				code = exitOK
			}
		}
	}()
	if err := missingValue(parser.Model, args); err != nil {
		log.fail(err)
		return exitUsage
	}
	parsed, err := parser.Parse(args)
	noCommand := err != nil && strings.HasPrefix(err.Error(), "expected one of")
	if noCommand {
		parsed, err = parser.Parse(append(slices.Clone(args), "fly"))
	}
	if err == nil {
		err = emptyNames(parsed)
	}
	log.level, log.json = c.LogLevel, c.LogFormat == "json"
	var coded *codeError
	if err != nil {
		log.level = levelInfo
	}
	switch {
	case set.err != nil:
		log.fail(set.err)
		return settingsCode(set.err)
	case errors.As(err, &coded): // not about the command line
		log.fail(coded)
		return coded.code
	case err != nil:
		hint := "vkterrain --help"
		if node := selected(err); node != "" {
			hint = "vkterrain " + node + " --help"
		}
		// An empty value stands for a flag that is absent; who reads need not know.
		text := strings.Replace(err.Error(), `must be one of "",`, "must be one of ", 1)
		log.fail(fmt.Errorf("%s (%s)", set.blame(text), hint))
		return exitUsage
	}
	a := &app{ctx: ctx, globals: &c.globals, log: log, stdout: stdout, noCommand: noCommand, settings: set, given: givenFlags(parsed), recorded: recordedFlags(parsed, args, set)}
	defer func() {
		for _, dir := range a.temporary {
			os.RemoveAll(dir)
		}
	}()
	if c.SaveConfig {
		path, err := set.save(parsed, args)
		if err == nil {
			_, err = fmt.Fprintln(stdout, path)
		}
		return a.finish(outputError(err))
	}
	return a.finish(parsed.Run(a))
}

// givenFlags returns the flags that are not left to their defaults.
func givenFlags(k *kong.Context) map[string]bool {
	names := map[string]bool{}
	for _, p := range k.Path {
		if p.Flag != nil {
			names[p.Flag.Name] = true
		}
	}
	return names
}

// settingsCode returns the exit code of settings that cannot be used.
func settingsCode(err error) int {
	var f *fault
	if errors.As(err, &f) {
		return exitUsage
	}
	return exitCode(err)
}

// newParser returns what reads a command line.
func newParser(c *commands, set *settings, more ...kong.Option) *kong.Kong {
	parser, err := kong.New(c, append(more,
		kong.Name("vkterrain"), kong.Description(description),
		kong.WithHyphenPrefixedParameters(true), kong.Resolvers(set), kong.KindMapper(reflect.String, kong.MapperFunc(rawString)),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.ExplicitGroups([]kong.Group{
			{Key: "see", Title: "See a world:"}, {Key: "file", Title: "Make and check worlds:"},
			{Key: "machine", Title: "This machine and program:"},
			{Key: "heights", Title: "Heights:"}, {Key: "mesh", Title: "Mesh:"},
			{Key: "flight", Title: "Flight:"}, {Key: "camera", Title: "Camera:"}, {Key: "picture", Title: "Picture:"}, {Key: "refinement", Title: "Refinement:"}, {Key: "props", Title: "Things on the ground:"},
			{Key: "source", Title: "What a raster does not say itself:"}, {Key: "capture", Title: "Captures by RenderDoc:"}, {Key: "medium", Title: "A bad medium, for testing:"}, {Key: "report", Title: "Report:"}, {Key: "global", Title: "All commands:"},
		}),
	)...)
	if err != nil {
		panic(err) // a mistake in the tags
	}
	return parser
}

// rawString takes a string as it is. Kong's own way of doing so changes names of
// files that are not UTF-8.
func rawString(k *kong.DecodeContext, target reflect.Value) error {
	t, err := k.Scan.PopValue("string")
	if err != nil {
		return err
	}
	text, ok := t.Value.(string)
	if !ok {
		return fmt.Errorf("want a string, not %v", t.Value)
	}
	target.SetString(text)
	return nil
}

// newSettings returns settings that have not been read.
func newSettings() *settings {
	return &settings{values: map[string]value{}, origin: map[string]string{}, texts: map[string][]string{}}
}

// missingValue finds a flag at the end that has no value. Kong gives some of
// them an empty one.
func missingValue(model *kong.Application, args []string) error {
	takes := map[string]*kong.Flag{}
	hint := "vkterrain --help"
	var collect func(n *kong.Node)
	collect = func(n *kong.Node) {
		for _, f := range n.Flags {
			if f.IsBool() || f.IsCounter() {
				continue
			}
			takes["--"+f.Name] = f
			if f.Short != 0 {
				takes["-"+string(f.Short)] = f
			}
		}
		for _, child := range n.Children {
			collect(child)
			if hint == "vkterrain --help" && slices.Contains(args, child.Name) {
				hint = "vkterrain " + child.Name + " --help"
			}
		}
	}
	collect(model.Node)
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		f := takes[args[i]]
		if f == nil {
			continue
		}
		if i++; i == len(args) { // the next argument is its value, whatever it is
			return fmt.Errorf("%s: its value is missing: %s %s (%s)", args[i-1], args[i-1], f.FormatPlaceHolder(), hint)
		}
	}
	return nil
}

// fileFlags name files or folders.
var fileFlags = []string{"out", "mesh", "camera", "capture-path", "trace", "trace-picture", "perfetto"}

// emptyNames refuses names of files that are empty, as those of unset shell
// variables are. All positional arguments name files.
func emptyNames(k *kong.Context) error {
	for _, p := range k.Path {
		var v *kong.Value
		switch {
		case p.Positional != nil:
			v = p.Positional
		case p.Flag != nil && slices.Contains(fileFlags, p.Flag.Name):
			v = p.Flag.Value
		default:
			continue
		}
		given := v.Target
		for given.Kind() == reflect.Pointer && !given.IsNil() {
			given = given.Elem()
		}
		names, _ := given.Interface().([]string)
		if given.Kind() == reflect.String {
			names = []string{given.String()}
		}
		if slices.Contains(names, "") {
			return fmt.Errorf("%s: an empty file name", v.ShortSummary())
		}
	}
	return nil
}

// helpShown leaves kong after it has printed help.
type helpShown struct{}

// selected returns the command that err is about, if it got that far.
func selected(err error) string {
	pe, ok := err.(*kong.ParseError)
	if !ok || pe.Context == nil {
		return ""
	}
	if n := pe.Context.Selected(); n != nil {
		return n.Name
	}
	for _, p := range pe.Context.Path {
		if p.Command != nil {
			return p.Command.Name
		}
	}
	return ""
}

// grace is how long an interrupted command may take to clean up.
const grace = 5 * time.Second

// interruptible returns a context that ends with the first interrupt. The
// second one, or a command that does not end in time, ends the program.
func interruptible(log *logger) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		select {
		case <-signals:
		case <-done:
			return
		}
		cancel()
		select {
		case <-signals:
		case <-time.After(grace):
		case <-done:
			return
		}
		log.fail(errInterrupted)
		os.Exit(exitInterrupted)
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}

// app is what commands run in.
type app struct {
	*globals
	ctx    context.Context
	log    *logger
	stdout io.Writer

	settings *settings
	recorded map[string][]string // flags that pictures remember
	given    map[string]bool     // flags that are set: on the command line, in the environment or in settings

	noCommand bool     // the program was called without a command
	temporary []string // folders that go when the program ends
}

// finish reports err and returns its exit code.
func (a *app) finish(err error) int {
	a.log.clear()
	if a.ctx.Err() != nil { // however late: scripts must hear of it
		err = errInterrupted
	}
	if err == nil {
		return exitOK
	}
	var silent *said
	if errors.As(err, &silent) { // the answer is on stdout
		return silent.code
	}
	code := exitCode(err)
	if code != exitNo { // the answer is on stdout
		a.log.fail(err)
	}
	return code
}

type versionCmd struct{}

func (versionCmd) Run(a *app) error { return printVersion(a.stdout) }

// versionArg is --version: it prints and ends.
type versionArg bool

// BeforeReset runs before the rest of the command line is checked, as for --help.
func (versionArg) BeforeReset(k *kong.Kong) error {
	if err := printVersion(k.Stdout); err != nil {
		return err
	}
	k.Exit(0)
	return nil
}

func printVersion(w io.Writer) error {
	_, err := fmt.Fprintf(w, "vkterrain %s %s/%s %s\n", version(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	return outputError(err)
}

// oneLine makes an error, or a text of a file, one line, whatever is in it: a ? stands
// for what would steer a terminal.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\r' && unicode.IsControl(r) {
			return '?'
		}
		return r
	}, s)
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}
