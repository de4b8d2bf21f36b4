package main

import (
	"embed"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vkterrain/vkterrain/internal/flight"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
	"github.com/vkterrain/vkterrain/terrain/synth"
)

//go:embed flights/*.json
var flights embed.FS

// worldRevision names what packages synth, bake and chunkfile make of the same
// options. It grows when that changes, so that cached worlds are made again.
const worldRevision = 9

// builtIns are the worlds that the program makes itself. Each has a flight of
// its name.
var builtIns = map[string]synth.Options{
	"coast": {Width: 2049, Height: 2049, Spacing: 30, Seed: 1},
	"islet": {Width: 257, Height: 257, Spacing: 60, Seed: 5}, // quickly made

	reliefName: {Width: 1025, Height: 1025, Spacing: 10}, // of modes.go
}

const defaultDemo = "coast"

// demoNames lists the built-in worlds, the default one first.
func demoNames() string {
	names := []string{defaultDemo}
	for _, name := range slices.Sorted(maps.Keys(builtIns)) {
		if name != defaultDemo {
			names = append(names, name)
		}
	}
	return strings.Join(append(names, endlessName), ", ")
}

// builtInFlight returns the flight of a built-in world.
func builtInFlight(name string) (*flight.Path, error) {
	f, err := flights.Open("flights/" + name + ".json")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return flight.Read(f)
}

// cacheFolder returns where built-in worlds are kept; it may not exist.
func cacheFolder() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "vkterrain"), err
}

// builtIn returns the path of a built-in world, which is made the first time
// and then kept in the user's cache. before, if there is one, runs ahead of that
// work and may refuse it.
func (a *app) builtIn(name string, before func() error) (string, error) {
	o := builtIns[name]
	h := fnv.New32a()
	fmt.Fprint(h, worldRevision, o.Width, o.Height, o.Spacing, o.Quantum, o.Seed)
	file := fmt.Sprintf("%s-%d-%08x.vkt", name, worldRevision, h.Sum32())
	cache, cacheErr := cacheFolder()
	if path := filepath.Join(cache, file); cacheErr == nil && regularFile(path) == nil {
		if r, err := chunkfile.OpenFile(path); err == nil {
			a.log.debugf("found %s", path)
			return path, r.Close()
		}
	}
	if before != nil {
		if err := before(); err != nil {
			return "", err
		}
	}
	growing := "" // a folder in the cache's
	if cacheErr == nil {
		cacheErr = os.MkdirAll(cache, 0o777)
	}
	if cacheErr == nil {
		growing, cacheErr = os.MkdirTemp(cache, ".making-*")
	}
	if cacheErr == nil {
		defer os.RemoveAll(growing)
		path := filepath.Join(cache, file)
		return path, a.makeWorld(name, o, growing, path)
	}
	dir, err := os.MkdirTemp("", "vkterrain-*") // nobody else can have prepared it
	if err != nil {
		return "", outputError(fmt.Errorf("neither a cache folder (%w) nor a temporary one: %w", cacheErr, err))
	}
	a.temporary = append(a.temporary, dir)
	a.log.warnf("no cache folder, the world is not kept: %v", cacheErr)
	path := filepath.Join(dir, file)
	return path, a.makeWorld(name, o, dir, path)
}

// named puts the path of a built-in world in the place of its name, unless a file has that
// name. before is that of [app.builtIn].
func (a *app) named(name *string, before func() error) (err error) {
	if _, ok := builtIns[*name]; !ok {
		return nil
	}
	if _, none := os.Stat(*name); !errors.Is(none, fs.ErrNotExist) {
		return nil
	}
	*name, err = a.builtIn(*name, before)
	return err
}

// makeWorld generates and bakes a world. It grows in a folder of its own, so
// that two programs may do so at the same time.
func (a *app) makeWorld(name string, o synth.Options, growing, path string) error {
	p := newProgress(a.log, "auto", fmt.Sprintf("making the world %q, once", name))
	const share = 0.6 // of the time, for making it; the rest is for baking
	o.Progress = func(done float64) { p.at(share * done) }
	var f *terrain.Field
	var layers []string
	var err error
	if name == reliefName {
		f, layers = relief(o.Width, o.Height, o.Spacing), reliefLayers
	} else if f, err = synth.Generate(a.ctx, o); err != nil {
		return err
	}
	grown := filepath.Join(growing, name+".vkt")
	err = a.bake(f, bake.Options{Workers: a.Workers, Progress: p.bake(share), Layers: layers}, name, grown)
	if err != nil {
		return err
	}
	if err := os.Rename(grown, path); err != nil {
		return outputError(naming(path, err))
	}
	return nil
}

// groundSamples is about how many samples groundOf reads.
const groundSamples = 1 << 19

// groundOf returns a function that gives about the height of the ground of a
// world: the highest of the coarse samples around. Outside it is the rim's.
func groundOf(path string) (func(x, z float64) float64, error) {
	if isEndless(path) {
		return endlessHeight, nil
	}
	r, err := openWorld(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	w, layout := r.World(), r.World().Layout()
	level := 0
	for level < layout.Levels-1 && (w.Width>>level)*(w.Height>>level) > groundSamples {
		level++
	}
	step := 1 << level
	columns, lines := (w.Width-1)/step+1, (w.Height-1)/step+1
	heights := make([]float32, columns*lines)
	d := chunkfile.NewDecoder()
	for _, info := range r.Tiles() {
		t, err := r.ReadTile(d, info.Key, terrain.Level(level))
		if err != nil {
			return nil, inputError(fmt.Errorf("%s: %w", path, err))
		}
		for id, v := range t.Verts {
			p := layout.Grid[id]
			x, z := (int(info.Key.X)*layout.Cells+int(p.X))/step, (int(info.Key.Y)*layout.Cells+int(p.Z))/step
			if x < columns && z < lines {
				heights[z*columns+x] = float32(t.Info.Base+int32(v.Height)) * float32(w.Quantum)
			}
		}
	}
	spacing := w.Spacing * float64(step)
	return func(x, z float64) float64 {
		fx := min(max((x-w.OriginX)/spacing, 0), float64(columns-1))
		fz := min(max((z-w.OriginZ)/spacing, 0), float64(lines-1))
		x0, z0 := int(fx), int(fz)
		x1, z1 := min(x0+1, columns-1), min(z0+1, lines-1)
		return float64(max(heights[z0*columns+x0], heights[z0*columns+x1], heights[z1*columns+x0], heights[z1*columns+x1]))
	}, nil
}
