package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/lodcpu"
)

// settingsKeyword is that of the text which holds what a picture was made with.
const settingsKeyword = "vkterrain-settings"

// recipe is what a picture was made with: enough to make it again, bit for bit, by the
// same driver.
type recipe struct {
	Version string              `json:"version"`
	World   string              `json:"world"` // its file's name, without the folder
	Print   string              `json:"print"` // of its file, see printOf
	Driver  string              `json:"driver"`
	Flags   map[string][]string `json:"flags"` // all that say how the picture looks
	Eye     mgl64.Vec3          `json:"eye"`   // metres
	Yaw     float64             `json:"yaw_rad"`
	Pitch   float64             `json:"pitch_rad"`
	Fov     float64             `json:"fov_rad"`
}

// text returns what the picture remembers.
func (r *recipe) text() text {
	b, err := json.Marshal(r)
	if err != nil {
		panic("main: " + err.Error())
	}
	// The text of a PNG is Latin-1; JSON can say all else in ASCII.
	var ascii strings.Builder
	for _, c := range string(b) {
		switch {
		case c < 0x80:
			ascii.WriteRune(c)
		case c >= 0x10000:
			c -= 0x10000
			fmt.Fprintf(&ascii, `\u%04x\u%04x`, 0xd800+c>>10, 0xdc00+c&0x3ff)
		default:
			fmt.Fprintf(&ascii, `\u%04x`, c)
		}
	}
	return text{settingsKeyword, ascii.String()}
}

// printOf tells worlds apart: the size of the file and a checksum of its end, where the
// directory has those of all chunks.
func printOf(path string) string {
	if isEndless(path) {
		return endlessName
	}
	f, err := openRegular(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return ""
	}
	const end = 1 << 16
	data, err := io.ReadAll(io.NewSectionReader(f, max(0, st.Size()-end), end))
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d-%08x", st.Size(), crc32.ChecksumIEEE(data))
}

// recipeOf returns what a picture of v is made with.
func (a *app) recipeOf(world, driver string, v *lodcpu.View) *recipe {
	return &recipe{
		Version: version(), World: filepath.Base(world), Print: printOf(world), Driver: driver,
		Flags: a.recorded, Eye: v.Eye, Yaw: v.Yaw, Pitch: v.Pitch, Fov: v.FovY,
	}
}

// apply puts the camera of v where it was.
func (r *recipe) apply(v *lodcpu.View) { v.Eye, v.Yaw, v.Pitch, v.FovY = r.Eye, r.Yaw, r.Pitch, r.Fov }

// readRecipe reads what a picture remembers.
func readRecipe(path string) (*recipe, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, len(pngSignature))
	if _, err := io.ReadFull(f, head); err != nil || string(head) != pngSignature {
		return nil, inputError(fmt.Errorf("%s: not a PNG picture", path))
	}
	text, ok := pngText(f, settingsKeyword)
	if !ok {
		return nil, inputError(fmt.Errorf("%s: a picture that remembers no settings; those of render do", path))
	}
	r := &recipe{}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(r); err != nil {
		return nil, inputError(fmt.Errorf("%s: not settings: %s", path, strings.TrimPrefix(err.Error(), "json: ")))
	}
	v := lodcpu.View{Width: 1, Height: 1, Tau: 1}
	if r.apply(&v); v.Check() != nil {
		return nil, inputError(fmt.Errorf("%s: not settings: %w", path, v.Check()))
	}
	return r, nil
}

// find returns the world of a picture that names none: the file of that name in the
// working folder, beside the picture, or in the cache.
func (r *recipe) find(picture string) (string, error) {
	if r.World == endlessName && r.Print == endlessName {
		return endlessName, nil
	}
	name := filepath.Base(r.World)
	places := []string{name, filepath.Join(filepath.Dir(picture), name)}
	if cache, err := cacheFolder(); err == nil { // a built-in world
		places = append(places, filepath.Join(cache, name))
	}
	for _, path := range places {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", inputError(fmt.Errorf("%s is of the world %s, which is neither here, nor beside it, nor built in; name it: vkterrain render WORLD --from %s", picture, name, picture))
}

// differs tells what is not as it was, so that the picture may come out different.
func (r *recipe) differs(a *app, world, driver string) {
	if p := printOf(world); p != r.Print {
		a.log.warnf("%s is not the world that the picture is of", world)
	}
	if driver != r.Driver {
		a.log.warnf("the picture was drawn by %s; this is %s", r.Driver, driver)
	}
	if version() != r.Version {
		a.log.infof("the picture was drawn by vkterrain %s; this is %s", r.Version, version())
	}
}

// recordedFlags returns all flags of a command that say how a picture looks.
func recordedFlags(k *kong.Context, args []string, set *settings) map[string][]string {
	node := k.Selected()
	if node == nil {
		return nil
	}
	said := given(k, args)
	flags := map[string][]string{}
	for _, f := range node.Flags {
		if f.Group == nil || f.Group.Key == "camera" || f.Group.Key == "global" || !remembers(f.Name) {
			continue
		}
		switch texts, ok := said[f.Name]; {
		case ok && f.IsBool():
			flags[f.Name] = []string{"true"}
		case ok:
			flags[f.Name] = texts
		case set.texts[f.Name] != nil:
			flags[f.Name] = set.texts[f.Name]
		case f.HasDefault && f.Default != "":
			flags[f.Name] = []string{f.Default}
		}
	}
	return flags
}

// remembers says whether a flag is about the picture itself.
func remembers(flag string) bool {
	for _, other := range append([]string{"check", "from"}, perCall...) {
		if flag == other {
			return false
		}
	}
	return true
}

// fromRecipe makes a picture's flags stand for the environment and the settings file.
func (s *settings) fromRecipe(k *kong.Context, path string) error {
	r, err := readRecipe(path)
	if err != nil {
		return err
	}
	s.recipe = r
	node := k.Selected()
	for name, texts := range r.Flags {
		ok := false
		for _, f := range node.Flags {
			if f.Name == name && remembers(name) && len(texts) > 0 {
				ok = true
				for _, t := range texts {
					if allows(f, t) != nil {
						ok = false
					}
				}
			}
		}
		if !ok {
			return inputError(fmt.Errorf("%s: not settings that this version has: --%s %s", path, name, strings.Join(texts, " ")))
		}
		s.values[node.Name+"."+name] = value{texts: texts}
	}
	return nil
}

var errNoWorld = errors.New("expected WORLD: a world file, or --from a picture whose world is here")
