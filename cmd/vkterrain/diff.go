package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

type diffCmd struct {
	A         string  `arg:"" help:"Raster, world or OGRE terrain."`
	B         string  `arg:"" help:"What it is compared with."`
	Tolerance float64 `placeholder:"M" help:"Metres that a height may differ by (0). Above 0, what worlds keep beside heights does not count."`
	Heights   bool    `help:"Only the heights count, not where they lie, how far apart they are, and what worlds keep beside them."`
	JSON      bool    `name:"json" help:"Print one JSON object."`
	sourceFlags
}

func (c *diffCmd) Validate() error {
	if !(c.Tolerance >= 0) || math.IsInf(c.Tolerance, 0) {
		return fmt.Errorf("--tolerance %v: must be 0 or more", c.Tolerance)
	}
	return c.sourceFlags.Validate()
}

// diffFile is what diff says of each of the two files.
type diffFile struct {
	File         string      `json:"file"`
	Kind         string      `json:"kind"`
	Width        int         `json:"width"`
	Height       int         `json:"height"`
	SpacingM     float64     `json:"spacing_m"`
	CRS          *string     `json:"crs"`
	Geotransform *[6]float64 `json:"geotransform"`
}

func (h *heights) describe(path string) diffFile {
	f := diffFile{File: path, Kind: h.kind, Width: h.width, Height: h.height, SpacingM: h.spacing, Geotransform: h.geo.Transform}
	if h.geo.CRS != "" {
		f.CRS = &h.geo.CRS
	}
	return f
}

// sampleHeights is a sample with its two heights, null for a void.
type sampleHeights struct {
	Column int    `json:"column"`
	Row    int    `json:"row"`
	A      number `json:"a_m"`
	B      number `json:"b_m"`
}

// heightDiff is how much heights differ, over the samples that have one in both.
type heightDiff struct {
	Samples   int64          `json:"samples"`   // of each
	Differing int64          `json:"differing"` // by more than the tolerance, or void in one alone
	Voids     int64          `json:"voids"`     // in one alone
	MaxAbsM   float64        `json:"max_abs_m"`
	MeanAbsM  float64        `json:"mean_abs_m"`
	RMSM      float64        `json:"rms_m"`
	Worst     *sampleHeights `json:"worst"` // null if nothing differs
}

// levelDiff is how many vertices of a level of two worlds differ in what they have
// beside their heights.
type levelDiff struct {
	Level     int   `json:"level"`
	Vertices  int64 `json:"vertices"`
	Coef      int64 `json:"coefficients"`
	Normal    int64 `json:"normals"`
	SkyView   int64 `json:"sky_views"`
	Curvature int64 `json:"curvatures"`
	Layers    int64 `json:"layers"` // of those that both worlds have
}

func (l *levelDiff) any() bool { return l.Coef+l.Normal+l.SkyView+l.Curvature+l.Layers > 0 }

// diffReport is what diff --json prints.
type diffReport struct {
	A          diffFile    `json:"a"`
	B          diffFile    `json:"b"`
	Equal      bool        `json:"equal"`
	Differ     []string    `json:"differ"` // size, spacing, georeference, heights, attributes, tiles, layers: what counts
	ToleranceM float64     `json:"tolerance_m"`
	Heights    *heightDiff `json:"heights"`    // null if the sizes differ
	Attributes []levelDiff `json:"attributes"` // null unless both are worlds with the same tiles
}

func (c *diffCmd) Run(a *app) error {
	for _, name := range []*string{&c.A, &c.B} {
		if err := a.named(name, nil); err != nil {
			return err
		}
	}
	if err := c.onlyRasters(c.A, c.B); err != nil {
		return err
	}
	x, err := c.heights(a, c.A, 0)
	if err != nil {
		return err
	}
	defer x.close()
	y, err := c.heights(a, c.B, 0)
	if err != nil {
		return err
	}
	defer y.close()
	r := &diffReport{A: x.describe(c.A), B: y.describe(c.B), ToleranceM: c.Tolerance, Differ: []string{}}
	if !c.Heights {
		r.place(x, y)
	}
	if x.width != y.width || x.height != y.height {
		r.Differ = append(r.Differ, "size")
	} else if err := r.compare(a, x, y); err != nil {
		return err
	}
	if x.world != nil && y.world != nil && !c.Heights {
		if err := r.attributes(a, x.world, y.world); err != nil {
			return err
		}
	}
	x.warn()
	y.warn()
	r.Equal = len(r.Differ) == 0
	if c.JSON {
		err = a.printJSON(r)
	} else {
		err = r.print(a)
	}
	if err == nil && !r.Equal {
		err = errNo
	}
	return err
}

// What is compared is equal to a millionth, for files write numbers with fewer digits
// than they are computed with.
const (
	sameNumber = 1e-6
	// The metres of a degree are those at the middle of a raster, which moves a
	// little with its size. Where files have the same place they have the same
	// spacing, unless another was said.
	sameDegrees = 1e-3
)

// place compares where the samples lie. What one of the files does not say differs
// from nothing.
func (r *diffReport) place(x, y *heights) {
	placed, differs := false, x.geo.CRS != "" && y.geo.CRS != "" && x.geo.CRS != y.geo.CRS
	if s, t := x.geo.Transform, y.geo.Transform; s != nil && t != nil {
		placed = true
		step := max(math.Abs(s[1]), math.Abs(s[2]), math.Abs(s[4]), math.Abs(s[5]))
		for i := range s {
			close := sameNumber * step
			if i%3 == 0 { // a corner, as close as steps put the opposite one
				close *= float64(max(x.width, x.height))
			}
			differs = differs || math.Abs(s[i]-t[i]) > close
		}
	}
	close := sameNumber
	if placed && !differs {
		close = sameDegrees
	}
	if math.Abs(x.spacing-y.spacing) > close*max(x.spacing, y.spacing) {
		r.Differ = append(r.Differ, "spacing")
	}
	if differs {
		r.Differ = append(r.Differ, "georeference")
	}
}

// compare compares the heights of two files of one size.
func (r *diffReport) compare(a *app, x, y *heights) error {
	d := &heightDiff{Samples: int64(x.width) * int64(x.height)}
	p, q := make([]float32, x.width), make([]float32, x.width)
	var n int64 // samples with two heights
	var sum, squares, worst float64
	for z := range x.height {
		if err := errors.Join(x.read(z, p), y.read(z, q)); err != nil {
			return err
		}
		if a.ctx.Err() != nil {
			return errInterrupted
		}
		for i := range p {
			u, v := float64(p[i]), float64(q[i])
			e := math.Abs(u - v)
			void := math.IsNaN(e)
			switch {
			case void && math.IsNaN(u) && math.IsNaN(v):
				continue
			case void:
				d.Voids++
				e = math.Inf(1)
			default:
				n++
				sum += e
				squares += e * e
				d.MaxAbsM = max(d.MaxAbsM, e)
			}
			if e > r.ToleranceM {
				d.Differing++
			}
			if e > worst {
				worst = e
				d.Worst = &sampleHeights{i, z, number(u), number(v)}
			}
		}
	}
	if n > 0 {
		d.MeanAbsM, d.RMSM = sum/float64(n), math.Sqrt(squares/float64(n))
	}
	r.Heights = d
	if d.Differing > 0 {
		r.Differ = append(r.Differ, "heights")
	}
	return nil
}

// attributes compares what two worlds keep of their vertices beside heights. Where
// heights may differ, so may what follows from them.
func (r *diffReport) attributes(a *app, x, y *chunkfile.Reader) error {
	v, w := x.World(), y.World()
	if v.TileSize != w.TileSize {
		r.Differ = append(r.Differ, "tiles")
		return nil
	}
	if v.Width != w.Width || v.Height != w.Height {
		return nil
	}
	if !slices.Equal(v.Layers, w.Layers) {
		r.Differ = append(r.Differ, "layers")
	}
	layout := v.Layout()
	r.Attributes = make([]levelDiff, layout.Levels)
	dx, dy := chunkfile.NewDecoder(), chunkfile.NewDecoder()
	for i := range x.Tiles() { // comparing heights has shown that none is missing
		k := x.Tiles()[i].Key
		if a.ctx.Err() != nil {
			return errInterrupted
		}
		s, err := x.ReadTile(dx, k, 0)
		if err != nil {
			return inputError(fmt.Errorf("%s: %w", r.A.File, err))
		}
		t, err := y.ReadTile(dy, k, 0)
		if err != nil {
			return inputError(fmt.Errorf("%s: %w", r.B.File, err))
		}
		for l := range r.Attributes {
			r.Attributes[l].Level = l
			lo, hi := layout.Range(terrain.Level(l))
			r.Attributes[l].count(s.Verts[lo:hi], t.Verts[lo:hi])
		}
		if err := r.layers(x, y, dx, dy, k); err != nil {
			return err
		}
	}
	for i := range r.Attributes {
		if r.Attributes[i].any() && r.ToleranceM == 0 {
			r.Differ = append(r.Differ, "attributes")
			break
		}
	}
	return nil
}

// layers compares the layers of a tile that have one name and size in both worlds.
func (r *diffReport) layers(x, y *chunkfile.Reader, dx, dy *chunkfile.Decoder, k terrain.Key) error {
	layout := x.World().Layout()
	for i, layer := range x.World().Layers {
		j := slices.Index(y.World().Layers, layer)
		if j < 0 {
			continue
		}
		p, q := make([]byte, len(layout.Grid)*layer.Bytes), make([]byte, len(layout.Grid)*layer.Bytes)
		for l := layout.Levels - 1; l >= 0; l-- {
			if err := x.ReadLayer(dx, p, k, terrain.Level(l), i); err != nil {
				return inputError(fmt.Errorf("%s: %w", r.A.File, err))
			}
			if err := y.ReadLayer(dy, q, k, terrain.Level(l), j); err != nil {
				return inputError(fmt.Errorf("%s: %w", r.B.File, err))
			}
			lo, hi := layout.Range(terrain.Level(l))
			for at := lo * layer.Bytes; at < hi*layer.Bytes; at += layer.Bytes {
				if !bytes.Equal(p[at:at+layer.Bytes], q[at:at+layer.Bytes]) {
					r.Attributes[l].Layers++
				}
			}
		}
	}
	return nil
}

// count compares vertices.
func (l *levelDiff) count(s, t []terrain.Vertex) {
	l.Vertices += int64(len(s))
	for i := range s {
		u, v := &s[i], &t[i]
		if *u == *v {
			continue
		}
		for _, c := range []struct {
			n       *int64
			differs bool
		}{
			{&l.Coef, u.Coef != v.Coef}, {&l.Normal, u.Normal != v.Normal},
			{&l.SkyView, u.SkyView != v.SkyView}, {&l.Curvature, u.Curvature != v.Curvature},
		} {
			if c.differs {
				*c.n++
			}
		}
	}
}

// print says for people what differs.
func (r *diffReport) print(a *app) error {
	t := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, f := range []diffFile{r.A, r.B} {
		place := "nothing says where"
		switch {
		case f.CRS != nil:
			place = *f.CRS
		case f.Geotransform != nil:
			place = "placed"
		}
		if len(place) > 40 {
			place = strings.ToValidUTF8(place[:40], "") + "..."
		}
		fmt.Fprintf(t, "%s\t%s\t%d × %d\t%s m\t%s\n", oneLine(f.File), f.Kind, f.Width, f.Height, short(f.SpacingM), place)
	}
	if err := t.Flush(); err != nil {
		return outputError(err)
	}
	answer := "equal"
	if !r.Equal {
		answer = "different: " + strings.Join(r.Differ, ", ")
	}
	lines := []string{answer}
	if h := r.Heights; h != nil && h.Worst != nil {
		lines = append(lines, fmt.Sprintf("heights: %s of %s samples differ by more than %s m; at most %s m, mean %s m, RMS %s m",
			grouped(h.Differing), grouped(h.Samples), short(r.ToleranceM), short(h.MaxAbsM), short(h.MeanAbsM), short(h.RMSM)))
		if h.Voids > 0 {
			lines = append(lines, fmt.Sprintf("voids: %s samples have a height in one file alone", grouped(h.Voids)))
		}
		lines = append(lines, fmt.Sprintf("worst: column %d, row %d: %s and %s m", h.Worst.Column, h.Worst.Row, metres(h.Worst.A), metres(h.Worst.B)))
	}
	said := r.ToleranceM == 0
	for i := range r.Attributes {
		if l := &r.Attributes[i]; l.any() {
			if !said {
				lines = append(lines, "what worlds keep beside heights differs too, which does not count with --tolerance:")
				said = true
			}
			lines = append(lines, fmt.Sprintf("level %d: of %s vertices differ %s coefficients, %s normals, %s sky views, %s curvatures, %s layers",
				l.Level, grouped(l.Vertices), grouped(l.Coef), grouped(l.Normal), grouped(l.SkyView), grouped(l.Curvature), grouped(l.Layers)))
		}
	}
	_, err := fmt.Fprintln(a.stdout, strings.Join(lines, "\n"))
	return outputError(err)
}

// metres writes a height that may be none.
func metres(h number) string {
	if math.IsNaN(float64(h)) {
		return "no"
	}
	return strconv.FormatFloat(float64(h), 'g', -1, 32) // heights are float32 here
}
