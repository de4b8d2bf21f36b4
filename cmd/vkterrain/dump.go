package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
)

type dumpCmd struct {
	File  string `arg:"" help:"Raster, world or OGRE terrain."`
	Out   string `short:"o" placeholder:"F" help:"File to write; standard output if absent or -."`
	Level uint8  `placeholder:"L" help:"Every 2^L-th column and row, as level L of a world holds them (0: all)."`
	sourceFlags
}

func (c *dumpCmd) Run(a *app) error {
	if err := a.named(&c.File, nil); err != nil {
		return err
	}
	if err := c.onlyRasters(c.File); err != nil {
		return err
	}
	h, err := c.heights(a, c.File, c.Level)
	if err != nil {
		return err
	}
	defer h.close()
	write := func(w io.Writer) error {
		err := writeRows(w, h)
		if err == nil {
			h.warn()
		}
		return err
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

// writeRows writes all heights as float32.
func writeRows(w io.Writer, h *heights) error {
	heights := make([]float32, h.width)
	row := make([]byte, 0, 4*h.width)
	for z := range h.height {
		if err := h.read(z, heights); err != nil {
			return err
		}
		row = row[:0]
		for _, v := range heights {
			row = binary.LittleEndian.AppendUint32(row, math.Float32bits(v))
		}
		if _, err := w.Write(row); err != nil {
			return outputError(err)
		}
	}
	return nil
}
