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
	"github.com/vkterrain/vkterrain/terrain/raster"
)

// sourceFlags are what a raster may not say itself.
type sourceFlags struct {
	Spacing    float64 `group:"source" default:"1" placeholder:"M" help:"Metres between samples (1)."`
	HeightUnit float64 `group:"source" default:"1" placeholder:"M" help:"Metres a unit of the file's heights (1)."`
}

func (f *sourceFlags) Validate() error {
	for _, v := range []struct {
		name  string
		value float64
	}{{"spacing", f.Spacing}, {"height-unit", f.HeightUnit}} {
		if !(v.value > 0) || math.IsInf(v.value, 0) {
			return fmt.Errorf("--%s %v: must be above 0", v.name, v.value)
		}
	}
	return nil
}

func (f *sourceFlags) read(path string) (*raster.Source, error) {
	s, err := raster.Open(path, raster.Options{Spacing: f.Spacing, HeightUnit: f.HeightUnit})
	return s, inputError(readable(err))
}

// readable makes "open x: no such file" of an error that begins with the path.
func readable(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return fmt.Errorf("cannot read %s: %w", pe.Path, pe.Err)
	}
	return err
}

// worldMagic begins a world file; four bytes tell one that is cut.
const worldMagic = "\x89VKT"

// isWorld says whether the file at path begins like a world.
func isWorld(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, inputError(readable(err))
	}
	defer f.Close()
	head := make([]byte, len(worldMagic))
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, inputError(readable(err))
	}
	return string(head[:n]) == worldMagic, nil
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
