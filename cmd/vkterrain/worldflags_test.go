package main_test

import (
	"path/filepath"
	"testing"
)

// TestSourceFlagsOfWorlds wants flags that tell how to read a raster to be refused
// where there is none, whatever the command.
func TestSourceFlagsOfWorlds(t *testing.T) {
	raster, world := small(t)
	for _, flags := range [][]string{
		{"--spacing", "5"}, {"--resample", "100"}, {"--height-unit", "2"}, {"--raw", "4x4,u8"}, {"--min", "0", "--max", "1"},
		{"--encoding", "mapbox"}, {"--hgt", "N44W072"}, {"--voids", "fill"}, {"--nodata", "0"}, {"--tiles-up"},
	} {
		for _, args := range [][]string{{"info", world}, {"dump", world}, {"diff", world, world}} {
			run(t, append(args, flags...)...).fails(t, 2, flags[0]+" is for reading rasters; "+world+" is a world")
		}
	}
	ok(t, "diff", world, raster, "--spacing", "20")
	ok(t, "diff", raster, world, "--spacing", "20")
	run(t, "info", filepath.Join(scratch, "none"), "--spacing", "5").fails(t, 4, "no such file")
}

// TestDumpLevels wants a level that is not there to be refused by what is.
func TestDumpLevels(t *testing.T) {
	raster, world := small(t)
	for _, level := range []string{"4", "9", "255"} {
		run(t, "dump", world, "--level", level).fails(t, 2, "--level "+level+": "+world+" has levels 0 to 3")
	}
	for _, level := range []string{"9", "255"} {
		run(t, "dump", raster, "--level", level).fails(t, 2, "--level "+level+": must be below 9")
	}
	ok(t, "dump", raster, "--level", "8")
}
