package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// save writes the flags of the command line into the settings file. The rest of
// the file stays as it is, comments and all.
func (s *settings) save(k *kong.Context, args []string) (path string, err error) {
	if path = s.file; path == "" {
		path = settingsPath()
	}
	if path == "" {
		return "", outputError(fmt.Errorf("settings have no place: neither XDG_CONFIG_HOME nor HOME is set; use --settings FILE"))
	}
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return "", inputError(readable(err))
	}
	text, command, said := string(data), "", given(k, args)
	for _, p := range k.Path {
		if p.Command != nil {
			command = p.Command.Name
		}
		if p.Flag == nil || p.Resolved || slices.Contains(perCall, p.Flag.Name) {
			continue
		}
		table := command
		if slices.Contains(k.Model.Node.Flags, p.Flag) {
			table = ""
		}
		text = setLine(text, table, p.Flag.Name, asTOML(p.Flag, said[p.Flag.Name]))
	}
	// What was written must be what is read.
	again := newSettings()
	again.file = path
	if err := again.parse(k.Model, text); err != nil {
		return "", inputError(fmt.Errorf("cannot save: %w", err))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return "", outputError(naming(path, err))
	}
	return path, writeFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// asTOML returns what the command line says of a flag as the settings file holds it.
func asTOML(f *kong.Flag, texts []string) string {
	t := f.Target.Type()
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	scalar := func(text string) string {
		number, err := strconv.ParseFloat(text, 64)
		if t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64 && !readsText(t) && err == nil {
			return strconv.FormatFloat(number, 'f', -1, 64)
		}
		return tomlString(text)
	}
	switch {
	case f.IsBool():
		return "true"
	case f.IsSlice():
		var parts []string
		for _, text := range texts {
			if f.Tag.Sep == ',' {
				for part := range strings.SplitSeq(text, ",") {
					parts = append(parts, scalar(part))
				}
			} else {
				parts = append(parts, scalar(text))
			}
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return scalar(texts[len(texts)-1])
}

// given returns what args say of the flags of k, by their names.
func given(k *kong.Context, args []string) map[string][]string {
	said := map[string][]string{}
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		name, text, joined := strings.Cut(args[i], "=")
		at := slices.IndexFunc(k.Flags(), func(f *kong.Flag) bool {
			return name == "--"+f.Name || f.Short != 0 && name == "-"+string(f.Short)
		})
		if at < 0 {
			continue
		}
		f := k.Flags()[at]
		if !f.IsBool() && !joined && i+1 < len(args) {
			i++
			text = args[i]
		}
		said[f.Name] = append(said[f.Name], text)
	}
	return said
}

// tomlString quotes a string.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c < 0x20 || c == 0x7f:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// setLine returns a settings file with name = value in a table, "" being its top: in
// place of the line that has it, or as the first of the table, which may be new.
func setLine(text, table, name, value string) string {
	line := name + " = " + value
	var lines []string
	if text != "" {
		lines = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	}
	in, head := "", -1
	if table == "" {
		head = 0
	}
	for i, l := range lines {
		l = strings.TrimSpace(l)
		if h, ok := strings.CutPrefix(l, "["); ok {
			in = strings.TrimSpace(strings.TrimRight(strings.SplitN(h, "]", 2)[0], "]"))
			if in == table {
				head = i + 1
			}
			continue
		}
		key, _, ok := strings.Cut(l, "=")
		if ok && in == table && strings.Trim(strings.TrimSpace(key), `"'`) == name {
			lines[i] = line
			return strings.Join(lines, "\n") + "\n"
		}
	}
	if head < 0 {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, "["+table+"]", line)
	} else {
		lines = slices.Insert(lines, head, line)
		if next := head + 1; next < len(lines) && strings.HasPrefix(lines[next], "[") {
			lines = slices.Insert(lines, next, "")
		}
	}
	return strings.Join(lines, "\n") + "\n"
}
