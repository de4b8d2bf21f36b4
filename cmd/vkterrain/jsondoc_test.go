package main

import (
	"encoding"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// printed is what is printed as JSON, by the section of docs/json.md that describes it.
// Sections begin with the command's name.
var printed = map[string]any{
	"info of a raster": heightsInfo{}, "info of a world": worldInfo{}, "info of an OGRE terrain": ogreInfo{}, "bake": bakeReport{},
	"verify": verifyReport{}, "repair": repairReport{}, "diff": diffReport{}, "export": exportReport{},
	"render": renderReport{}, "bench": benchRun{}, "compare of a world": comparison{}, "compare of pictures": pictureDifference{}, "demo": demoReport{},
	"gpus": gpusReport{}, "doctor": doctorReport{}, "cache": cacheReport{},
	"Percentiles": percentiles{}, "Cameras": pose{}, "Messages": logLine{}, "Progress": progressLine{},
}

// extends says which sections have all that another one has.
var extends = map[string]string{"info of a world": "info of a raster", "info of an OGRE terrain": "info of a raster", "bake": "info of a world"}

// apart are types with sections of their own.
var apart = []reflect.Type{reflect.TypeFor[percentiles](), reflect.TypeFor[pose]()}

// jsonFields returns the names of what a type is in JSON: a.b for b within a, a[].b within
// each of a list.
func jsonFields(t reflect.Type, in string) (names []string) {
	list := ""
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		if t.Kind() != reflect.Pointer {
			list = "[]"
		}
		t = t.Elem()
	}
	if in != "" {
		in += list + "."
	}
	for _, own := range []reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()} {
		if t.Implements(own) || reflect.PointerTo(t).Implements(own) {
			return nil
		}
	}
	if t.Kind() != reflect.Struct || in != "" && slices.Contains(apart, t) {
		return nil
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			names = append(names, jsonFields(f.Type, strings.TrimSuffix(in, "."))...)
		case f.IsExported() && name != "-":
			names = append(names, in+name)
			names = append(names, jsonFields(f.Type, in+name)...)
		}
	}
	return names
}

// rowOf is a row of a table: a field, its unit and its meaning.
var rowOf = regexp.MustCompile("(?m)^\\| `([^`|]+)` \\| ([^|]+) \\| ([^|]+) \\|$")

// TestJSONIsDocumented: docs/json.md has every field of what is printed as JSON, with unit and
// meaning, and none that is not.
func TestJSONIsDocumented(t *testing.T) {
	b, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, part := range strings.Split(string(b), "\n## ")[1:] {
		title, text, _ := strings.Cut(part, "\n")
		sections[strings.ReplaceAll(title, "`", "")] = text
	}
	for title, v := range printed {
		text, ok := sections[title]
		if !ok {
			t.Errorf("no section %q", title)
		}
		delete(sections, title)
		var told []string
		for _, row := range rowOf.FindAllStringSubmatch(text, -1) {
			if told = append(told, row[1]); strings.TrimSpace(row[2]) == "" || strings.TrimSpace(row[3]) == "" {
				t.Errorf("%s: %s has no unit or no meaning", title, row[1])
			}
		}
		fields := jsonFields(reflect.TypeOf(v), "")
		if of := extends[title]; of != "" {
			above := jsonFields(reflect.TypeOf(printed[of]), "")
			fields = slices.DeleteFunc(fields, func(f string) bool { return slices.Contains(above, f) })
		}
		for _, f := range fields {
			if !slices.Contains(told, f) {
				t.Errorf("%s: nothing of %s", title, f)
			}
		}
		for i, f := range told {
			if !slices.Contains(fields, f) || slices.Contains(told[:i], f) {
				t.Errorf("%s: there is no %s, or twice", title, f)
			}
		}
	}
	for title := range sections {
		t.Errorf("a section of nothing: %s", title)
	}
	for _, n := range newParser(&commands{}, newSettings()).Model.Children {
		prints := slices.ContainsFunc(n.Flags, func(f *kong.Flag) bool { return f.Name == "json" })
		known := false
		for title := range printed {
			command, _, _ := strings.Cut(title, " ")
			known = known || command == n.Name
		}
		if prints && !known {
			t.Errorf("%s --json is none of those that are looked at", n.Name)
		}
	}
}

// TestNotMeasured: what was not measured is null, not 0; so a demo of the endless world has
// moments that are.
func TestNotMeasured(t *testing.T) {
	for _, v := range []any{demoReport{}, benchRun{}} {
		b, err := json.Marshal(v)
		if err != nil || !strings.Contains(string(b), `"measured_error_px":null`) {
			t.Errorf("%s, %v", b, err)
		}
	}
	_, p, err := (&demoCmd{Name: endlessName}).find(nil, nil)
	if err != nil || len(p.Stills) < 2 || p.Stills[len(p.Stills)-1].T >= p.Duration() {
		t.Errorf("%+v, %v", p.Stills, err)
	}
}
