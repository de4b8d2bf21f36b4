package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"sync"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
	"github.com/vkterrain/vkterrain/terrain/raster"
)

type dumpCmd struct {
	File  string `arg:"" help:"Raster, world or OGRE terrain."`
	Out   string `short:"o" placeholder:"F" help:"File to write; standard output if absent or -."`
	Level uint8  `placeholder:"L" help:"Every 2^L-th column and row, as level L of a world holds them (0: all)."`
	sourceFlags
}

func (c *dumpCmd) Run(a *app) error {
	if c.Level >= terrain.MaxLevels {
		return usageError(fmt.Errorf("--level %d: must be below %d", c.Level, terrain.MaxLevels))
	}
	world, err := isWorldSource(c.File)
	if err != nil {
		return err
	}
	var write func(w io.Writer) error
	if world {
		r, err := openWorld(c.File)
		if err != nil {
			return err
		}
		defer r.Close()
		if levels := r.World().Layout().Levels; int(c.Level) >= levels {
			return usageError(fmt.Errorf("--level %d: %s has levels 0 to %d", c.Level, c.File, levels-1))
		}
		write = func(w io.Writer) error { return c.world(a, w, r) }
	} else {
		r, err := c.open(a, c.File)
		if err != nil {
			return err
		}
		defer r.Close()
		write = func(w io.Writer) error {
			err := c.raster(w, r)
			if err == nil {
				a.warn(c.File, &r.Info)
			}
			return err
		}
	}
	if c.Out != "" && c.Out != "-" {
		if err := differentFiles(c.File, c.Out); err != nil {
			return err
		}
		return writeFile(c.Out, write)
	}
	if f, ok := a.stdout.(*os.File); ok && isTerminal(f) {
		return usageError(fmt.Errorf("not writing binary data to a terminal: give -o FILE"))
	}
	return write(a.stdout)
}

// raster writes the rows of a raster.
func (c *dumpCmd) raster(w io.Writer, r *raster.Reader) error {
	step := 1 << c.Level
	heights := make([]float32, r.Info.Width)
	var row []byte
	for z := 0; z < r.Info.Height; z += step {
		if err := r.ReadHeights(z, heights); err != nil {
			return inputError(readable(err))
		}
		row = row[:0]
		for x := 0; x < len(heights); x += step {
			row = binary.LittleEndian.AppendUint32(row, math.Float32bits(heights[x]))
		}
		if _, err := w.Write(row); err != nil {
			return outputError(err)
		}
	}
	return nil
}

// appendHeight appends the float32 that is nearest to a height.
func appendHeight(b []byte, h int32, quantum float64) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(float64(h)*quantum)))
}

// world writes the samples of a world's source, one row of tiles at a time.
func (c *dumpCmd) world(a *app, w io.Writer, r *chunkfile.Reader) error {
	world, layout := r.World(), r.World().Layout()
	step := 1 << c.Level
	nx, ny := world.Tiles()
	columns := (world.Width-1)/step + 1
	lines := layout.Cells/step + 1 // of a tile, the last one shared with the next
	heights := make([]int32, columns*lines)
	var row []byte
	for y := range ny {
		if err := c.readTiles(a, r, y, nx, columns, heights); err != nil {
			return err
		}
		for z := range lines {
			at := y*layout.Cells + z*step
			if z == lines-1 && y < ny-1 || at >= world.Height {
				break
			}
			row = row[:0]
			for _, h := range heights[z*columns : (z+1)*columns] {
				row = appendHeight(row, h, world.Quantum)
			}
			if _, err := w.Write(row); err != nil {
				return outputError(err)
			}
		}
	}
	return nil
}

// readTiles reads row y of the tiles into heights, several tiles at a time.
func (c *dumpCmd) readTiles(a *app, r *chunkfile.Reader, y, nx, columns int, heights []int32) error {
	layout, step := r.World().Layout(), 1<<c.Level
	workers := a.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var wg sync.WaitGroup
	errs := make([]error, nx)
	todo := make(chan int, nx)
	for x := range nx {
		todo <- x
	}
	close(todo)
	for range min(workers, nx) {
		wg.Go(func() {
			d := chunkfile.NewDecoder()
			for x := range todo {
				if errs[x] = a.ctx.Err(); errs[x] != nil {
					return
				}
				t, err := r.ReadTile(d, terrain.Key{X: int32(x), Y: int32(y)}, terrain.Level(c.Level))
				if err != nil {
					errs[x] = inputError(fmt.Errorf("%s: %w", c.File, err))
					return
				}
				for id, v := range t.Verts {
					p := layout.Grid[id]
					// The last column is the next tile's first.
					if int(p.X) == layout.Cells && x < nx-1 {
						continue
					}
					if column := (x*layout.Cells + int(p.X)) / step; column < columns {
						heights[int(p.Z)/step*columns+column] = t.Info.Base + int32(v.Height)
					}
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
