package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
)

type bakeCmd struct {
	Source   []string `arg:"" name:"src" help:"Height raster: PNG, SRTM tile, ESRI ASCII grid, numbers that --raw describes, OGRE terrain, and with GDAL GeoTIFF and more. Several, or a folder, that lie side by side are one."`
	Out      string   `short:"o" required:"" placeholder:"WORLD" help:"World file to write."`
	Tile     int      `default:"129" placeholder:"N" help:"Samples a side of a tile: 2^k+1, 3 to 2049 (129)."`
	Origin   position `placeholder:"X,Z" help:"World position in metres of the north-west sample (0,0)."`
	Shards   int      `name:"shard-rows" placeholder:"N" help:"Split the world into files of so many rows of tiles, beside the one that is written (0: one file)."`
	MaxMem   byteSize `name:"max-mem" default:"1GiB" placeholder:"SIZE" help:"Memory to take at most, about, as 512MiB (1GiB)."`
	MaxError float64  `placeholder:"M" help:"Metres that a height may be off, for a smaller file (0: none but what the source needs)."`
	Progress string   `enum:"auto,plain,json,none" default:"auto" help:"Progress on stderr: auto, plain, json (one object a line) or none."`
	JSON     bool     `name:"json" help:"Print what info --json prints, and what it took."`
	layerFlags
	sourceFlags
}

func (c *bakeCmd) Validate() error {
	if err := terrain.CheckTileSize(c.Tile); err != nil {
		return fmt.Errorf("--tile: %w", err)
	}
	if !(c.MaxError >= 0) || math.IsInf(c.MaxError, 0) {
		return fmt.Errorf("--max-error %v: must be 0 or more", c.MaxError)
	}
	if _, err := c.names(); err != nil {
		return err
	}
	if c.Shards < 0 {
		return fmt.Errorf("--shard-rows %d: must be 0 or more", c.Shards)
	}
	return c.sourceFlags.Validate()
}

// bakeReport is what bake --json prints.
type bakeReport struct {
	*worldInfo
	Seconds      float64 `json:"seconds"`
	PeakRSSBytes int64   `json:"peak_rss_bytes"`
}

func (c *bakeCmd) Run(a *app) error {
	start := time.Now()
	if err := c.check(); err != nil {
		return err
	}
	p := newProgress(a.log, c.Progress, "baking "+c.Out)
	o := bake.Options{
		TileSize: c.Tile, ShardRows: c.Shards, OriginX: c.Origin.X, OriginZ: c.Origin.Z, Workers: a.Workers,
		MaxMem: int64(c.MaxMem), MaxError: c.MaxError, Progress: p.bake(0),
	}
	if err := c.layers(a, &o); err != nil {
		return err
	}
	p.phase("read", 0)
	debug.SetMemoryLimit(int64(c.MaxMem) / 16 * 15) // garbage goes sooner rather than pass the cap
	src, r, err := c.plan(a, c.Source...)
	if err != nil {
		return err
	}
	defer r.Close()
	o.MaxMem = max(1, o.MaxMem-src.Memory())
	if err := a.bake(src, o, c.Source[0], c.Out); err != nil {
		if me := (*bake.MemoryError)(nil); errors.As(err, &me) {
			me.Need += src.Memory() // the cap is for both
		}
		return err
	}
	info, err := describeWorld(c.Out)
	if err != nil {
		return err
	}
	seconds := time.Since(start).Seconds()
	if c.JSON {
		return a.printJSON(bakeReport{info, roundTo(seconds, 3), peakRSS()})
	}
	a.log.infof("baked %s in %.1f s", c.Out, seconds)
	return info.print(a.stdout)
}

// layers adds what layerFlags say to o.
func (c *bakeCmd) layers(a *app, o *bake.Options) (err error) {
	if o.Layers, err = c.names(); err != nil {
		return err
	}
	if o.Overlay, err = a.picture(c.Overlay, o.MaxMem); err != nil {
		return err
	}
	o.Mask, err = a.picture(c.Mask, o.MaxMem)
	return err
}

// check refuses what can be no source or no result before any work.
func (c *bakeCmd) check() error {
	for _, source := range c.Source {
		if err := differentFiles(source, c.Out); err != nil {
			return err
		}
	}
	if err := writable(c.Out); err != nil {
		return err
	}
	for _, source := range c.Source {
		world, err := isWorldSource(source)
		if err != nil {
			return err
		}
		if world {
			return inputError(fmt.Errorf("%s: is a world already", source))
		}
	}
	return nil
}

// bakeShares are the shares of the phases of a bake, of its time.
var bakeShares = []struct {
	phase string
	share float64
}{{bake.PhaseScan, 0.05}, {bake.PhaseSample, 0.05}, {bake.PhaseBake, 0.9}}

// bake returns what tells of a bake that begins at share before of the work.
func (p *progress) bake(before float64) func(phase string, done, total int) {
	return func(phase string, done, total int) {
		at := 0.0
		for _, s := range bakeShares {
			if s.phase == phase {
				p.phase(phase, before+(1-before)*(at+s.share*float64(done)/float64(total)))
				return
			}
			at += s.share
		}
	}
}

// byteSize is a number of bytes, as 512MiB, 2GB or 1048576.
type byteSize int64

// byteUnits are the units of a byteSize, longer ones first.
var byteUnits = []struct {
	name  string
	bytes float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}, {"", 1},
}

// UnmarshalText is how the command line reads a size.
func (b *byteSize) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	for _, u := range byteUnits {
		number, ok := strings.CutSuffix(s, u.name)
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !(v*u.bytes >= 1) || v*u.bytes > 1<<62 {
			break
		}
		*b = byteSize(v * u.bytes)
		return nil
	}
	return fmt.Errorf("%q is no size, as 512MiB, 2GB or 1048576", s)
}

// bake bakes f and says which file an error is about.
func (a *app) bake(f terrain.RowReader, o bake.Options, source, path string) error {
	_, err := bake.Bake(a.ctx, f, o, path)
	var pe *os.PathError
	var le *os.LinkError
	switch {
	case err == nil || a.ctx.Err() != nil:
		return err
	case errors.As(err, &pe):
		return outputError(naming(path, pe))
	case errors.As(err, &le):
		return outputError(naming(path, le))
	case exitCode(err) == exitOutput || errors.Is(err, os.ErrExist):
		return outputError(err)
	}
	return inputError(fmt.Errorf("%s: %w", source, err))
}

// differentFiles refuses to write a result over what it is made of.
func differentFiles(source, out string) error {
	a, err := os.Stat(source)
	if err != nil {
		return inputError(readable(err))
	}
	if b, err := os.Stat(out); err == nil && os.SameFile(a, b) {
		return usageError(fmt.Errorf("%s: is both source and result", out))
	}
	return nil
}
