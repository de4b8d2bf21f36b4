package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/vkterrain/vkterrain/terrain/chunkfile"
	"github.com/vkterrain/vkterrain/terrain/ogre"
	"github.com/vkterrain/vkterrain/terrain/raster"
)

// sourceFlags are what a raster may not say itself.
type sourceFlags struct {
	Spacing    *float64 `group:"source" placeholder:"M" help:"Metres between samples (what the file says, else 1)."`
	Resample   *float64 `group:"source" placeholder:"M" help:"Metres between samples that the source is resampled to, by Catmull-Rom cubics, antialiased and clamped to the samples around (as they are)."`
	HeightUnit *float64 `group:"source" placeholder:"M" help:"Metres a unit of the file's heights (what the file says, else 1)."`
	Raw        string   `group:"source" placeholder:"SPEC" help:"The file is nothing but numbers: WxH,TYPE[,skip=N], TYPE one of u8, u16le, u16be, i16le, u32le, f32le, ..."`
	Min        *float64 `group:"source" placeholder:"M" help:"Height of the least number of the file's type, with --max."`
	Max        *float64 `group:"source" placeholder:"M" help:"Height of the greatest number of the file's type, with --min."`
	Encoding   string   `group:"source" enum:",mapbox,terrarium,grey" default:"" placeholder:"E" help:"What colours mean: mapbox, terrarium or grey (the first channel)."`
	HGT        string   `group:"source" name:"hgt" placeholder:"NAME" help:"Name of an SRTM tile, as N44W072, where the file has another."`
	Voids      string   `group:"source" enum:"report,fill,hole" default:"report" placeholder:"HOW" help:"What a bake does with voids: report (count them and stop), fill (from what is around them) or hole (keep them: nothing is drawn there) (report)."`
	NoData     *float64 `group:"source" name:"nodata" placeholder:"V" help:"A further value of the file that means that there is none."`
	TilesUp    bool     `group:"source" name:"tiles-up" help:"Rows in the names of tiles count from the south."`
}

func (f *sourceFlags) Validate() error {
	for _, v := range []struct {
		name  string
		value *float64
	}{{"spacing", f.Spacing}, {"resample", f.Resample}, {"height-unit", f.HeightUnit}} {
		if v.value != nil && (!(*v.value > 0) || math.IsInf(*v.value, 0)) {
			return fmt.Errorf("--%s %v: must be above 0", v.name, *v.value)
		}
	}
	if f.Raw != "" && f.Raw != raster.RawAuto {
		if _, err := raster.ParseRaw(f.Raw); err != nil {
			return fmt.Errorf("--raw %w", err)
		}
	}
	switch {
	case (f.Min == nil) != (f.Max == nil):
		return errors.New("--min and --max go together")
	case f.Min != nil && (!(*f.Min < *f.Max) || math.IsInf(*f.Max-*f.Min, 0)):
		return fmt.Errorf("--min %v --max %v: the first must be below the second", *f.Min, *f.Max)
	case f.Min != nil && f.HeightUnit != nil:
		return errors.New("--height-unit says again what --min and --max say")
	}
	return nil
}

// given returns the first flag that was given, "" if none was.
func (f *sourceFlags) given() string {
	for _, flag := range []struct {
		name  string
		given bool
	}{
		{"--spacing", f.Spacing != nil}, {"--resample", f.Resample != nil}, {"--height-unit", f.HeightUnit != nil},
		{"--raw", f.Raw != ""}, {"--min", f.Min != nil}, {"--encoding", f.Encoding != ""}, {"--hgt", f.HGT != ""},
		{"--voids", f.Voids != "report"}, {"--nodata", f.NoData != nil}, {"--tiles-up", f.TilesUp},
	} {
		if flag.given {
			return flag.name
		}
	}
	return ""
}

// onlyRasters refuses flags for reading rasters where all files are worlds, which
// say everything themselves.
func (f *sourceFlags) onlyRasters(paths ...string) error {
	flag := f.given()
	if flag == "" {
		return nil
	}
	for _, path := range paths {
		if world, err := isWorldSource(path); err != nil || !world {
			return err
		}
	}
	return usageError(fmt.Errorf("%s is for reading rasters; %s is a world", flag, paths[0]))
}

func (f *sourceFlags) options() raster.Options {
	o := raster.Options{Raw: f.Raw, Encoding: raster.Encoding(f.Encoding), HGT: f.HGT, NoData: f.NoData, TilesUp: f.TilesUp}
	if f.Spacing != nil {
		o.Spacing = *f.Spacing
	}
	if f.Resample != nil {
		o.Resample = *f.Resample
	}
	if f.HeightUnit != nil {
		o.HeightUnit = *f.HeightUnit
	}
	if f.Min != nil {
		o.Range = &[2]float64{*f.Min, *f.Max}
	}
	if f.Voids != "report" {
		o.Voids = raster.Voids(f.Voids)
	}
	return o
}

// open opens the raster at paths: one, or several that lie side by side.
func (f *sourceFlags) open(a *app, paths ...string) (*raster.Reader, error) {
	for _, path := range paths {
		switch {
		case ogreKind(path) == ogre.NotOGRE:
		case len(paths) == 1:
			return f.openOGRE(a, path)
		default:
			return nil, inputError(fmt.Errorf("%s: is an OGRE terrain, which is a source of its own; the definition of a group names several", path))
		}
	}
	r, err := raster.OpenMosaic(a.ctx, paths, f.options())
	return r, inputError(readable(err))
}

// warn says what is odd about a raster. It comes after what may fail: an error
// stands alone.
func (a *app) warn(path string, i *raster.Info) {
	for _, w := range i.Warnings {
		a.log.warnf("%s: %s", path, w)
	}
}

// plan opens the raster at paths to be read a few rows at a time. The caller
// closes the reader.
func (f *sourceFlags) plan(a *app, paths ...string) (*raster.Plan, *raster.Reader, error) {
	path := paths[0]
	r, err := f.open(a, paths...)
	if err != nil {
		return nil, nil, err
	}
	p, err := r.Plan()
	if err != nil {
		r.Close()
		return nil, nil, inputError(readable(err))
	}
	a.warn(path, &r.Info)
	if p.Filled > 0 {
		a.log.warnf("%s: %d voids are filled from what is around them", path, p.Filled)
	}
	if g := p.Grid(); g.MaxError > 0 {
		a.log.warnf("%s: heights become whole steps of %s m, at most %s m off", path, short(g.Quantum), short(g.MaxError))
	}
	return p, r, nil
}

// readable makes "open x: no such file" of an error that begins with the path.
func readable(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return fmt.Errorf("cannot read %s: %w", pe.Path, pe.Err)
	}
	return err
}

// unusable names the input in an error of one that was open.
func unusable(path string, err error) error {
	var pe *os.PathError
	if err == nil || errors.As(err, &pe) {
		return inputError(readable(err))
	}
	return inputError(fmt.Errorf("%s: %w", path, err))
}

// worldMagic begins a world file; four bytes tell one that is cut.
const worldMagic = "\x89VKT"

// builtInHint adds to the error of a file that is not there what else the name stands for.
func builtInHint(path string, err error) error {
	if path == endlessName {
		return inputError(fmt.Errorf("%s: this world without a rim is made as one flies and has no file; fly, render, bench, compare and demo draw it", path))
	}
	if _, ok := builtIns[path]; ok {
		return inputError(fmt.Errorf("%w (demo %s makes this built-in world; vkterrain cache lists its file)", err, path))
	}
	return err
}

// isWorld says whether the file at path begins like a world.
func isWorld(path string) (bool, error) {
	f, err := openRegular(path)
	if errors.Is(err, os.ErrNotExist) {
		err = builtInHint(path, err)
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	head := make([]byte, len(worldMagic))
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, inputError(readable(err))
	}
	return string(head[:n]) == worldMagic, nil
}

// isWorldSource says the same of what may be a folder too, which is none.
func isWorldSource(path string) (bool, error) {
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return false, nil
	}
	return isWorld(path)
}

// openWorld opens a world file.
func openWorld(path string) (*chunkfile.Reader, error) {
	world, err := isWorld(path)
	if err != nil {
		return nil, err
	}
	if !world {
		if st, err := os.Stat(path); err == nil && st.Size() == 0 {
			return nil, inputError(fmt.Errorf("%s: the file is empty", path))
		}
		return nil, inputError(fmt.Errorf("%s: not a world file (vkterrain bake makes one)", path))
	}
	r, err := chunkfile.OpenFile(path)
	return r, inputError(readable(err))
}

// vector is n numbers with commas between them.
func parseNumbers(s string, n int) ([]float64, error) {
	parts := strings.Split(s, ",")
	if len(parts) != n {
		return nil, fmt.Errorf("%q: want %d numbers with commas between them", s, n)
	}
	out := make([]float64, n)
	for i, p := range parts {
		v, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%q: %q is not a number", s, p)
		}
		out[i] = v
	}
	return out, nil
}

// position is X,Z in metres.
type position struct{ X, Z float64 }

// UnmarshalText is how the command line reads a position.
func (p *position) UnmarshalText(b []byte) error {
	v, err := parseNumbers(string(b), 2)
	if err == nil {
		p.X, p.Z = v[0], v[1]
	}
	return err
}

// problems warns of what a world lacks.
func (l *logger) problems(path string, r *chunkfile.Reader) {
	if r == nil {
		return // it comes from no file
	}
	for _, p := range r.Problems() {
		l.warnf("%s: %s", path, oneLine(p.Error()))
	}
}
