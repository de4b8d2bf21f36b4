package main

import (
	"fmt"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"strings"

	"github.com/vkterrain/vkterrain/export"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
	"github.com/vkterrain/vkterrain/terrain/ogre"
)

// ogrePage is the size above which a world becomes a group, unless --page says so.
const ogrePage = 2049

// ogreExport is what export says of OGRE files.
type ogreExport struct {
	Terrains   int        `json:"terrains"`
	Size       int        `json:"size"` // samples a side of one
	WorldSizeM float64    `json:"world_size_m"`
	PositionM  [3]float64 `json:"position_m"` // of the centre, for a group of slot (0, 0)
	Columns    int        `json:"columns"`    // of slots
	Rows       int        `json:"rows"`
	Padding    [2]int     `json:"padding"` // columns in the east and rows in the south that continue the last one

	files []string
}

func (o *ogreExport) lines() []string {
	line := fmt.Sprintf("one terrain of %d×%d samples", o.Size, o.Size)
	if o.Columns*o.Rows > 1 {
		line = fmt.Sprintf("the definition of a group of %d×%d terrains of %d×%d samples, which lie beside it", o.Columns, o.Rows, o.Size, o.Size)
	}
	lines := []string{line}
	if o.Padding != [2]int{} {
		lines = append(lines, fmt.Sprintf("its last %d columns and %d rows continue the last ones of the world: OGRE's terrains have 2^k+1 samples a side", o.Padding[0], o.Padding[1]))
	}
	return lines
}

// writeOGRE writes a world as one terrain, or as the terrains of a group and then
// its definition. Slot (0, 0) is the middle one, or the one north-east of the
// middle.
func (c *exportCmd) writeOGRE(a *app, r *chunkfile.Reader) (*ogreExport, error) {
	w := r.World()
	side := max(w.Width, w.Height, 3)
	size := 1<<bits.Len(uint(side-2)) + 1
	if size = min(size, ogrePage); c.Page != 0 {
		size = c.Page
	}
	cells := size - 1
	o := &ogreExport{Size: size, Columns: max(1, (w.Width-2)/cells+1), Rows: max(1, (w.Height-2)/cells+1)}
	o.Terrains = o.Columns * o.Rows
	o.Padding = [2]int{o.Columns*cells + 1 - w.Width, o.Rows*cells + 1 - w.Height}
	const mostSlots = 1 << 15
	if o.Columns > mostSlots || o.Rows > mostSlots {
		return nil, usageError(fmt.Errorf("--page %d: %d×%d terrains; OGRE has %d a side", size, o.Columns, o.Rows, mostSlots))
	}
	g := c.group(w, o)
	o.WorldSizeM = float64(g.WorldSize)
	for k, v := range g.Pos {
		o.PositionM[k] = float64(v)
	}
	if w.Holes {
		a.log.warnf("%s: OGRE's terrains have no holes; theirs get the heights around them", c.World)
	}
	if err := c.onlySlots(g, o); err != nil {
		return nil, err
	}
	var files fileSet
	defer files.drop()
	p := newProgress(a.log, c.Progress, "exporting "+c.Out)
	rows := export.NewRows(a.ctx, r, 0, a.Workers)
	band := make([]int32, min(size, w.Height)*w.Width)
	for y := range o.Rows {
		z0 := y * cells
		n := min(size, w.Height-z0)
		if err := rows.Read(z0, band[:n*w.Width], nil); err != nil {
			return nil, c.failed(err)
		}
		for x := range o.Columns {
			if a.ctx.Err() != nil {
				return nil, errInterrupted
			}
			f := page(w, band[:n*w.Width], x*cells, size)
			slotX, slotY := int16(x-o.Columns/2), int16(o.Rows-1-y-o.Rows/2)
			path := c.Out
			if o.Terrains > 1 {
				path = filepath.Join(filepath.Dir(c.Out), g.SlotFile(slotX, slotY))
				o.files = append(o.files, path)
			}
			if err := writeTerrain(&files, path, f, g, g.SlotPos(slotX, slotY)); err != nil {
				return nil, err
			}
			p.at(float64(y*o.Columns+x+1) / float64(o.Terrains))
		}
	}
	if o.Terrains > 1 {
		if err := files.write(c.Out, func(out io.Writer) error { return outputError(ogre.WriteGroup(out, g)) }); err != nil {
			return nil, err
		}
	}
	return o, files.place()
}

// onlySlots refuses to make a group where other terrains lie that would belong to
// it.
func (c *exportCmd) onlySlots(g *ogre.Group, o *ogreExport) error {
	entries, err := os.ReadDir(filepath.Dir(c.Out))
	if err != nil {
		return outputError(naming(c.Out, err))
	}
	for _, e := range entries {
		if x, y, ok := g.ParseSlotFile(e.Name()); o.Terrains > 1 && ok && !o.has(x, y) {
			return outputError(fmt.Errorf("cannot write %s: %s lies beside it and would be a terrain of the group; remove it", c.Out, e.Name()))
		}
	}
	return nil
}

// has says whether slot (x, y) is one of the group.
func (o *ogreExport) has(x, y int16) bool {
	column, row := int(x)+o.Columns/2, int(y)+o.Rows/2
	return column >= 0 && column < o.Columns && row >= 0 && row < o.Rows
}

// group describes what all terrains have in common: OGRE's own batch sizes, no
// layers.
func (c *exportCmd) group(w *terrain.World, o *ogreExport) *ogre.Group {
	base := filepath.Base(c.Out)
	g := &ogre.Group{
		Info: ogre.Info{
			Size: o.Size, WorldSize: float32(w.Spacing * float64(o.Size-1)),
			MaxBatch: min(65, o.Size), MinBatch: min(17, o.Size),
		},
		Prefix: strings.TrimSuffix(base, filepath.Ext(base)), Extension: "dat", ResourceGroup: "General",
		InputScale: 1, Declaration: ogre.DefaultDeclaration(),
	}
	cells := o.Size - 1
	west, north := float64(o.Columns/2*cells)*w.Spacing, float64((o.Rows-1-o.Rows/2)*cells)*w.Spacing
	g.SetOrigin(w.OriginX+west, w.OriginZ+north, 0)
	return g
}

// page cuts the columns from x0 on out of a band of rows of w. Its rim continues
// to the size of the page.
func page(w *terrain.World, band []int32, x0, size int) *terrain.Field {
	columns, rows := min(size, w.Width-x0), len(band)/w.Width
	f := &terrain.Field{Width: size, Height: size, Spacing: w.Spacing, Quantum: w.Quantum, Samples: make([]int32, size*size)}
	for z := range size {
		from := band[min(z, rows-1)*w.Width+x0:][:columns]
		to := f.Samples[z*size : (z+1)*size]
		for x := copy(to, from); x < size; x++ {
			to[x] = from[columns-1]
		}
	}
	return f
}

func writeTerrain(files *fileSet, path string, f *terrain.Field, g *ogre.Group, pos [3]float32) error {
	t, err := ogre.FromField(f, ogre.Options{Pos: pos, MaxBatch: g.MaxBatch, MinBatch: g.MinBatch})
	if err != nil {
		return inputError(err)
	}
	return files.write(path, func(out io.Writer) error { return outputError(ogre.Write(out, t)) })
}
