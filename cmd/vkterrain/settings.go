package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/alecthomas/kong"
)

// What a flag is, is decided here alone: the command line comes first, then the
// environment (VKTERRAIN_TAU is --tau), then the settings file, then the default.
//
// The settings file is TOML. At its top stand flags of all commands, in a table
// of a command's name those of that command, and in [keys] what keys do:
//
//	log-level = "warn"
//	[fly]
//	tau = 1.5
//	[keys]
//	forward = ["W", "Up"]
//
// Nothing is guessed: what is unknown or of another type is an error that names
// file and line.

// settingsFlags are the flags about flags.
type settingsFlags struct {
	Settings   string `group:"global" placeholder:"FILE" aliases:"config" help:"Settings in place of those in the user's folder (vkterrain/settings.toml)."`
	NoSettings bool   `name:"no-settings" group:"global" aliases:"no-config" help:"Read no settings file, and neither read nor write what was last."`
	SaveConfig bool   `name:"save-config" group:"global" help:"Write the flags of this call into the settings file, and end."`
}

// perCall are flags that say what one call is to do, not how. They come from the
// command line alone.
var perCall = []string{"help", "version", "settings", "no-settings", "save-config", "out", "mesh", "camera", "json", "trace", "record", "replay", "from", "baseline", "html", "charts", "bench-text"}

// environmentOf returns the variable that stands for a flag.
func environmentOf(flag string) string {
	return "VKTERRAIN_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// settings are what the environment and the settings file say.
type settings struct {
	file   string              // "" where there is none
	values map[string]value    // by "command.flag", or "flag" for all commands
	recipe *recipe             // of the picture of render --from
	texts  map[string][]string // of flags that were resolved
	keys   bindings            // nil where the file says nothing about keys
	origin map[string]string   // of flags that were resolved, by their names: variable, or file and line
	read   bool
	err    error
}

// value is one of a settings file.
type value struct {
	texts []string // several for a list
	line  int
}

// of returns what kong takes for a flag.
func (v value) of(f *kong.Flag) any {
	const whole = -1 // elements may hold commas
	if len(v.texts) == 1 || !f.IsSlice() || f.Tag.Sep != whole {
		return strings.Join(v.texts, ",")
	}
	var list []any
	for _, t := range v.texts {
		list = append(list, t)
	}
	return list
}

// fault is a mistake in settings.
type fault struct {
	file string
	line int
	text string
}

func (f *fault) Error() string {
	if f.line == 0 {
		return f.file + ": " + f.text
	}
	return fmt.Sprintf("%s:%d: %s", f.file, f.line, f.text)
}

// Validate has nothing to do: reading has checked all.
func (*settings) Validate(*kong.Application) error { return nil }

// Resolve returns the value of a flag that the command line lacks. The settings
// file is read when it is first asked for, so that --help works without.
func (s *settings) Resolve(k *kong.Context, parent *kong.Path, flag *kong.Flag) (any, error) {
	if slices.Contains(perCall, flag.Name) {
		return nil, nil
	}
	if !s.read {
		s.read = true
		s.err = s.load(k)
	}
	if s.err != nil {
		return nil, s.err
	}
	recipe := s.recipe != nil && parent.Command != nil
	name := environmentOf(flag.Name)
	if text := os.Getenv(name); text != "" && !recipe && !keepsFromEnvironment(parent, flag) {
		s.origin[flag.Name], s.texts[flag.Name] = name, []string{text}
		return text, allows(flag, text)
	}
	command := ""
	if parent.Command != nil {
		command = parent.Command.Name + "."
	}
	v, ok := s.values[command+flag.Name]
	if !ok {
		return nil, nil
	}
	if s.texts[flag.Name] = v.texts; !recipe {
		s.origin[flag.Name] = fmt.Sprintf("%s:%d", s.file, v.line)
	}
	return v.of(flag), nil
}

// keepsFromEnvironment says that a flag's variable means a flag of that name of
// another command: VKTERRAIN_FRAMES closes windows, also a demo's.
func keepsFromEnvironment(parent *kong.Path, flag *kong.Flag) bool {
	return flag.Name == "frames" && parent.Command != nil && parent.Command.Name == "demo"
}

// load finds and reads the settings file.
func (s *settings) load(k *kong.Context) error {
	file, picture, off, saves := "", "", os.Getenv("VKTERRAIN_NO_SETTINGS") != "", false
	for _, p := range k.Path {
		switch {
		case p.Flag == nil:
		case p.Flag.Name == "settings":
			file, _ = k.FlagValue(p.Flag).(string)
		case p.Flag.Name == "no-settings":
			off = true
		case p.Flag.Name == "save-config":
			saves = true
		case p.Flag.Name == "from":
			picture, _ = k.FlagValue(p.Flag).(string)
		}
	}
	err := s.loadFile(k.Model, file, off, saves)
	if err == nil && picture != "" {
		for name := range s.values {
			if strings.Contains(name, ".") {
				delete(s.values, name) // those of all commands stay
			}
		}
		err = s.fromRecipe(k, picture)
	}
	return err
}

// loadFile reads the settings file that was asked for, or the user's.
func (s *settings) loadFile(model *kong.Application, file string, off, saves bool) error {
	asked := file
	if file == "" {
		if asked = os.Getenv("VKTERRAIN_SETTINGS"); asked == "" && !off {
			asked = settingsPath()
		}
		if file = asked; off || file == "" {
			return nil
		}
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) && (saves || file == settingsPath()) {
		s.file = file
		return nil
	}
	if err != nil {
		return inputError(readable(err))
	}
	s.file = file
	return s.parse(model, string(data))
}

// settingsPath is the user's settings file, whether there is one or not; "" if it
// can have no place.
func settingsPath() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "vkterrain", "settings.toml")
}

// parse reads a settings file.
func (s *settings) parse(model *kong.Application, text string) error {
	var top map[string]toml.Primitive
	meta, err := toml.Decode(text, &top)
	if err != nil {
		return s.broken(err)
	}
	r := &settingsReader{settings: s, model: model, meta: &meta}
	for _, name := range inOrder(&meta, nil) {
		p := top[name]
		command := slices.IndexFunc(model.Children, func(n *kong.Node) bool { return n.Name == name })
		switch {
		case name == "keys":
			err = r.bindKeys(p)
		case command >= 0:
			err = r.table(name, model.Children[command], p)
		default:
			err = r.value("", name, model.Node, p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// broken makes a fault of what the TOML package says.
func (s *settings) broken(err error) error {
	f := &fault{file: s.file, text: err.Error()}
	var parse toml.ParseError
	if errors.As(err, &parse) {
		f.line, f.text = parse.Position.Line, parse.Message
	}
	return f
}

// inOrder returns the keys of a table as they stand in the file.
func inOrder(meta *toml.MetaData, table toml.Key) (names []string) {
	for _, k := range meta.Keys() {
		if len(k) > len(table) && slices.Equal(k[:len(table)], table) && !slices.Contains(names, k[len(table)]) {
			names = append(names, k[len(table)])
		}
	}
	return names
}

// settingsReader reads one settings file.
type settingsReader struct {
	*settings
	model *kong.Application
	meta  *toml.MetaData
}

// nowhere is a value that cannot be read: the error says where it is.
type nowhere struct{}

func (nowhere) UnmarshalTOML(any) error { return errors.New("nowhere") }

// line returns where a value stands.
func (r *settingsReader) line(p toml.Primitive) int {
	var parse toml.ParseError
	if errors.As(r.meta.PrimitiveDecode(p, &nowhere{}), &parse) {
		return parse.Position.Line
	}
	return 0
}

func (r *settingsReader) fault(p toml.Primitive, format string, args ...any) error {
	return &fault{r.file, r.line(p), fmt.Sprintf(format, args...)}
}

// entries reads a table.
func (r *settingsReader) entries(name string, p toml.Primitive) (map[string]toml.Primitive, error) {
	var what any
	if err := r.meta.PrimitiveDecode(p, &what); err != nil {
		return nil, r.broken(err)
	}
	var t map[string]toml.Primitive
	if _, ok := what.(map[string]any); !ok || r.meta.PrimitiveDecode(p, &t) != nil {
		return nil, r.fault(p, "%s: want a table, as in [%s]", name, name)
	}
	return t, nil
}

// table reads the flags of a command.
func (r *settingsReader) table(name string, n *kong.Node, p toml.Primitive) error {
	entries, err := r.entries(name, p)
	if err != nil {
		return err
	}
	for _, flag := range inOrder(r.meta, toml.Key{name}) {
		if err := r.value(name+".", flag, n, entries[flag]); err != nil {
			return err
		}
	}
	return nil
}

// value reads a flag of a command, or of all of them.
func (r *settingsReader) value(command, name string, n *kong.Node, p toml.Primitive) error {
	i := slices.IndexFunc(n.Flags, func(f *kong.Flag) bool { return f.Name == name })
	if i < 0 {
		return r.unknown(command, name, p)
	}
	if slices.Contains(perCall, name) {
		return r.fault(p, "%s%s: this is for the command line alone", command, name)
	}
	var v any
	if err := r.meta.PrimitiveDecode(p, &v); err != nil {
		return r.broken(err)
	}
	texts, err := asTexts(n.Flags[i], v)
	for at := 0; at < len(texts) && err == nil; at++ {
		err = allows(n.Flags[i], texts[at])
	}
	if err != nil {
		return r.fault(p, "%s%s: %v", command, name, err)
	}
	r.values[command+name] = value{texts, r.line(p)}
	return nil
}

// unknown says that there is no such flag, and what may have been meant.
func (r *settingsReader) unknown(command, name string, p toml.Primitive) error {
	if command != "" {
		return r.fault(p, "%s%s: unknown; see vkterrain %s --help", command, name, strings.TrimSuffix(command, "."))
	}
	var has []string
	for _, n := range r.model.Children {
		if slices.ContainsFunc(n.Flags, func(f *kong.Flag) bool { return f.Name == name }) {
			has = append(has, "["+n.Name+"]")
		}
	}
	if has != nil {
		return r.fault(p, "%s: not a flag of all commands; put it below %s", name, strings.Join(has, " or "))
	}
	return r.fault(p, "%s: unknown; see vkterrain --help", name)
}

// bindKeys reads what keys do.
func (r *settingsReader) bindKeys(p toml.Primitive) error {
	entries, err := r.entries("keys", p)
	if err != nil {
		return err
	}
	r.keys = defaultBindings()
	for _, name := range inOrder(r.meta, toml.Key{"keys"}) {
		e := entries[name]
		var several []string
		if r.meta.PrimitiveDecode(e, &several) != nil {
			var one string
			if r.meta.PrimitiveDecode(e, &one) != nil {
				return r.fault(e, "keys.%s: want the name of a key, or a list of them", name)
			}
			several = []string{one}
		}
		if err := r.keys.bind(name, several); err != nil {
			return r.fault(e, "keys.%s: %v", name, err)
		}
	}
	return nil
}

// asTexts makes of a TOML value what the command line would say; it must be of the
// flag's type.
func asTexts(f *kong.Flag, v any) ([]string, error) {
	list, ok := v.([]any)
	switch {
	case !ok:
		list = []any{v}
	case !f.IsSlice():
		return nil, errors.New("want one value, not a list")
	case len(list) == 0:
		return nil, errors.New("want a list of something")
	}
	var texts []string
	for _, e := range list {
		text, err := asText(f, e)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// asText is asTexts of one value.
func asText(f *kong.Flag, v any) (string, error) {
	t := f.Target.Type()
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	want, ok := "a string", false
	switch kind := t.Kind(); {
	case f.IsBool():
		want = "true or false"
		_, ok = v.(bool)
	case kind >= reflect.Int && kind <= reflect.Uint64 && !readsText(t):
		want = "a whole number"
		_, ok = v.(int64)
	case kind == reflect.Float64:
		want = "a number"
		_, whole := v.(int64)
		_, ok = v.(float64)
		ok = ok || whole
	default:
		_, text := v.(string)
		_, whole := v.(int64)
		ok = text || whole && t.Kind() != reflect.String
	}
	if !ok {
		return "", fmt.Errorf("want %s, not %v", want, v)
	}
	return fmt.Sprint(v), nil
}

// readsText says whether values of a type are read by a method of their own.
func readsText(t reflect.Type) bool {
	_, ok := reflect.PointerTo(t).MethodByName("UnmarshalText")
	return ok
}

// allows says what is wrong with a flag's value, as far as it can be known without
// the others.
func allows(f *kong.Flag, text string) error {
	if f.Enum != "" && !slices.Contains(choices(f.Value), text) {
		return fmt.Errorf("%q is none of %s", text, strings.Join(choices(f.Value), ", "))
	}
	scratch := reflect.New(f.Target.Type()).Elem()
	if err := f.Parse(kong.Scan().PushTyped(text, kong.FlagValueToken), scratch); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "--"+f.Name+": "))
	}
	return nil
}

var flagInText = regexp.MustCompile(`--[a-z][a-z-]*`)

// blame adds to a text where the flags that it names were set, if not on the
// command line.
func (s *settings) blame(text string) string {
	var from []string
	for _, name := range flagInText.FindAllString(text, -1) {
		if o := s.origin[name[2:]]; o != "" && !slices.Contains(from, o) && !strings.Contains(text, o) {
			from = append(from, o)
		}
	}
	if from == nil {
		return text
	}
	return text + ", from " + strings.Join(from, " and ")
}
