package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"slices"

	"github.com/vkterrain/vkterrain/export"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

type repairCmd struct {
	World    string   `arg:"" help:"Damaged world file."`
	Out      string   `short:"o" required:"" placeholder:"WORLD" help:"World file to write."`
	MaxMem   byteSize `name:"max-mem" default:"1GiB" placeholder:"SIZE" help:"Memory to take at most, about, as 512MiB (1GiB)."`
	Progress string   `enum:"auto,plain,json,none" default:"auto" help:"Progress on stderr: auto, plain, json (one object a line) or none."`
	JSON     bool     `name:"json" help:"Print one JSON object of what was lost."`
}

// loss is what repair says of a damaged tile.
type loss struct {
	Tile      [2]int32 `json:"tile"`
	Levels    int      `json:"levels"` // lost, the finest ones
	Nothing   bool     `json:"nothing_left"`
	MaxErrorM float64  `json:"max_error_m"`
}

// repairReport is what repair --json prints.
type repairReport struct {
	File      string  `json:"file"`
	Out       string  `json:"out"`
	Whole     bool    `json:"whole"` // nothing was damaged
	Cut       bool    `json:"cut"`   // the file was shorter than it says
	Tiles     int     `json:"tiles"`
	Lost      []loss  `json:"lost"`
	MaxErrorM float64 `json:"max_error_m"` // of what stands for the lost samples
}

func (c *repairCmd) Run(a *app) error {
	if err := distinct([]string{c.World}, []string{c.Out}); err != nil {
		return err
	}
	if err := writable(c.Out); err != nil {
		return err
	}
	r, f, cut, err := openDamaged(c.World)
	if err != nil {
		return err
	}
	defer f.Close()
	defer r.Close()
	if r.Shard() {
		return usageError(fmt.Errorf("%s: is a shard, a part of a world; repair takes the file that names all shards", c.World))
	}
	p := newProgress(a.log, c.Progress, "repairing "+c.Out)
	const reading = 0.3 // of the time
	s, err := export.Salvage(a.ctx, r, func(done, total int) { p.at(reading * float64(done) / float64(total)) })
	if err != nil {
		return c.failed(a, err)
	}
	report := &repairReport{File: c.World, Out: c.Out, Whole: len(s.Losses) == 0 && !cut, Cut: cut, Tiles: r.Stats().Tiles, Lost: []loss{}, MaxErrorM: s.MaxError()}
	for _, l := range s.Losses {
		report.Lost = append(report.Lost, loss{[2]int32{l.Key.X, l.Key.Y}, int(l.Level) + 1, l.Whole, l.MaxError})
	}
	if st, e := f.Stat(); report.Whole && e == nil && st.Size() == r.Stats().BytesTotal { // all in one file
		err = writeFile(c.Out, func(w io.Writer) error {
			_, err := io.Copy(w, io.NewSectionReader(f, 0, 1<<62))
			return err
		})
	} else {
		w := r.World()
		o := bake.Options{
			TileSize: w.TileSize, OriginX: w.OriginX, OriginZ: w.OriginZ, Workers: a.Workers,
			MaxMem: int64(c.MaxMem), Progress: p.bake(reading), Note: report.note(),
		}
		if err = c.layers(a, s, w, &o); err == nil {
			err = a.bake(s, o, c.World, c.Out)
		}
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(report)
	}
	return report.print(a)
}

// note is what a repaired world says of itself.
func (r *repairReport) note() string {
	note := fmt.Sprintf("repaired: %d of %d tiles were damaged, and heights there are up to %s m off", len(r.Lost), r.Tiles, short(r.MaxErrorM))
	if len(r.Lost) == 0 {
		note = "repaired: nothing of the terrain was damaged"
	}
	return note
}

// layers makes a bake keep the layers of w: colours and materials as they were, the
// others follow from the heights.
func (c *repairCmd) layers(a *app, s *export.Salvaged, w *terrain.World, o *bake.Options) error {
	for i, l := range w.Layers {
		if !slices.Contains(bake.Layers(), l.Name) {
			a.log.warnf("%s: what it has as %q is not known here and is left out", c.World, l.Name)
			continue
		}
		o.Layers = append(o.Layers, l.Name)
		picture := map[string]*image.Image{bake.LayerColour: &o.Overlay, bake.LayerMaterial: &o.Mask}[l.Name]
		if picture == nil {
			continue
		}
		const share = 4 // of the memory
		if need := 4 * int64(w.Width) * int64(w.Height); need > int64(c.MaxMem)/share {
			a.log.warnf("%s: its layer %s would take %s of memory (--max-mem): it is made anew of the heights", c.World, l.Name, size(need))
			continue
		}
		m, err := s.Layer(i)
		if err != nil {
			return c.failed(a, err)
		}
		*picture = m
	}
	return nil
}

func (c *repairCmd) failed(a *app, err error) error {
	if a.ctx.Err() != nil {
		return errInterrupted
	}
	return inputError(fmt.Errorf("%s: %w", c.World, readable(err)))
}

// openDamaged opens a world file whose chunks may be damaged or cut off, or a
// manifest whose shards may be. Without header and directory nothing can be said of
// a file; version 1 has its directory before what may be cut off.
func openDamaged(path string) (r *chunkfile.Reader, f *os.File, cut bool, err error) {
	world, err := isWorld(path)
	if err != nil {
		return nil, nil, false, err
	}
	if !world {
		_, err := openWorld(path) // says what it is
		return nil, nil, false, err
	}
	if f, err = openRegular(path); err != nil {
		return nil, nil, false, err
	}
	r, err = chunkfile.OpenFile(path)
	if st, e := f.Stat(); err != nil && errors.Is(err, chunkfile.ErrCorrupt) && e == nil && statedSize(f) > st.Size() {
		if again, e := chunkfile.Open(export.CutFile{R: f, Size: st.Size()}, statedSize(f)); e == nil {
			r, err, cut = again, nil, true
		}
	}
	if err != nil {
		f.Close()
		return nil, nil, false, inputError(readable(err))
	}
	return r, f, cut, nil
}

// statedSize returns what the header of a world file says its size is, 0 if that
// cannot be.
func statedSize(f io.ReaderAt) int64 {
	const at, most = 16, 1 << 46 // see the format of package chunkfile
	var b [8]byte
	if _, err := f.ReadAt(b[:], at); err != nil {
		return 0
	}
	if n := binary.LittleEndian.Uint64(b[:]); n <= most {
		return int64(n)
	}
	return 0
}

// print says for people what was lost.
func (r *repairReport) print(a *app) error {
	line := fmt.Sprintf("%s: nothing is damaged; %s is a copy", r.File, r.Out)
	if !r.Whole {
		what := "damaged"
		if r.Cut {
			what = "damaged or cut off"
		}
		line = fmt.Sprintf("%s: %d of %d tiles were %s; in their place heights are at most %s m off in %s",
			r.File, len(r.Lost), r.Tiles, what, short(r.MaxErrorM), r.Out)
	}
	_, err := fmt.Fprintln(a.stdout, oneLine(line))
	for _, l := range r.Lost {
		left := fmt.Sprintf("its %d finest levels are lost", l.Levels)
		switch {
		case l.Nothing:
			left = "nothing of it is left"
		case l.Levels == 1:
			left = "its finest level is lost"
		}
		_, e := fmt.Fprintf(a.stdout, "  tile %d,%d: %s; at most %s m off\n", l.Tile[0], l.Tile[1], left, short(l.MaxErrorM))
		err = errors.Join(err, e)
	}
	return outputError(err)
}
