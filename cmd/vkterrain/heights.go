package main

import (
	"fmt"
	"math"

	"github.com/vkterrain/vkterrain/export"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// heights is the height field of any file: raster, world or OGRE terrain.
type heights struct {
	kind          string
	width, height int // samples
	spacing       float64
	geo           terrain.Geo
	world         *chunkfile.Reader // nil if it is none

	// read fills dst with row z from the north, metres, voids as NaN. Errors say
	// whose fault they are.
	read  func(z int, dst []float32) error
	warn  func() // says what is odd about the file; it comes after what may fail
	close func() error
}

// void is what dump writes where there is no height.
var void = math.Float32frombits(0x7fc00000)

// heights opens every 2^level-th column and row of the file at path.
func (f *sourceFlags) heights(a *app, path string, level uint8) (*heights, error) {
	world, err := isWorldSource(path)
	if err != nil {
		return nil, err
	}
	if world {
		return worldHeights(a, path, level)
	}
	if level >= terrain.MaxLevels {
		return nil, usageError(fmt.Errorf("--level %d: must be below %d", level, terrain.MaxLevels))
	}
	r, err := f.open(a, path)
	if err != nil {
		return nil, err
	}
	step := 1 << level
	h := &heights{
		kind: kindOf(&r.Info), width: (r.Info.Width-1)/step + 1, height: (r.Info.Height-1)/step + 1,
		spacing: r.Info.Spacing * float64(step), geo: r.Info.Geo(),
		warn: func() { a.warn(path, &r.Info) }, close: r.Close,
	}
	row := make([]float32, r.Info.Width)
	h.read = func(z int, dst []float32) error {
		if err := r.ReadHeights(z*step, row); err != nil {
			return inputError(readable(err))
		}
		for x := range dst {
			dst[x] = row[x*step]
		}
		return nil
	}
	return h, nil
}

func worldHeights(a *app, path string, level uint8) (*heights, error) {
	r, err := openWorld(path)
	if err != nil {
		return nil, err
	}
	w := r.World()
	if levels := w.Layout().Levels; int(level) >= levels {
		r.Close()
		return nil, usageError(fmt.Errorf("--level %d: %s has levels 0 to %d", level, path, levels-1))
	}
	rows := export.NewRows(a.ctx, r, terrain.Level(level), a.Workers)
	h := &heights{
		kind: "world", width: rows.Width, height: rows.Height, spacing: w.Spacing * float64(int(1)<<level),
		geo: w.Geo, world: r, warn: func() {}, close: r.Close,
	}
	quanta, holes := make([]int32, rows.Width), make([]bool, rows.Width)
	h.read = func(z int, dst []float32) error {
		if err := rows.Read(z, quanta, holes); err != nil {
			if a.ctx.Err() != nil {
				return err
			}
			return inputError(fmt.Errorf("%s: %w", path, err))
		}
		for x, q := range quanta {
			if dst[x] = float32(float64(q) * w.Quantum); holes[x] {
				dst[x] = void
			}
		}
		return nil
	}
	return h, nil
}
