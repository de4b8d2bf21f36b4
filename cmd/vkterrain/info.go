package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/ogre"
	"github.com/vkterrain/vkterrain/terrain/raster"
)

type infoCmd struct {
	File string `arg:"" help:"Raster, world or OGRE terrain."`
	JSON bool   `name:"json" help:"Print one JSON object."`
	sourceFlags
}

func (c *infoCmd) Run(a *app) error {
	if err := a.named(&c.File, nil); err != nil {
		return err
	}
	world, err := isWorldSource(c.File)
	if err != nil {
		return err
	}
	var info interface{ print(w io.Writer) error }
	switch {
	case world:
		if err = c.onlyRasters(c.File); err == nil {
			info, err = describeWorld(c.File)
		}
	case ogreKind(c.File) != ogre.NotOGRE:
		info, err = c.ogre(a)
	default:
		info, err = c.raster(a)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(info)
	}
	return info.print(a.stdout)
}

// number is null in JSON where it is NaN: there is none.
type number float64

// MarshalJSON is how the number is printed.
func (n number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// heightsInfo is what info says of every file.
type heightsInfo struct {
	Kind         string      `json:"kind"`
	Width        int         `json:"width"`
	Height       int         `json:"height"`
	Min          number      `json:"min"`
	Max          number      `json:"max"`
	Mean         number      `json:"mean"`
	Voids        int64       `json:"voids"`
	SpacingM     float64     `json:"spacing_m"`
	CRS          *string     `json:"crs"`
	Geotransform *[6]float64 `json:"geotransform"`
	PixelIsPoint bool        `json:"pixel_is_point"`
	VerticalUnit *string     `json:"vertical_unit"`
}

// place sets where the heights lie.
func (i *heightsInfo) place(g terrain.Geo) {
	i.Geotransform, i.PixelIsPoint = g.Transform, g.PixelIsPoint
	if g.CRS != "" {
		i.CRS = &g.CRS
	}
	if g.VerticalUnit != "" {
		i.VerticalUnit = &g.VerticalUnit
	}
}

// kindOf is the name of a raster's kind here.
func kindOf(i *raster.Info) string {
	switch {
	case i.Encoding == raster.Mapbox:
		return "terrain-rgb"
	case i.Encoding == raster.Terrarium:
		return "terrarium"
	case i.Kind == "png" && i.Type == "u16":
		return "png16"
	case i.Kind == "png":
		return "png8"
	}
	return i.Kind
}

// raster describes the raster whose name was given.
func (c *infoCmd) raster(a *app) (*heightsInfo, error) {
	r, err := c.open(a, c.File)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	s, err := r.Stats()
	if err != nil {
		return nil, inputError(readable(err))
	}
	a.warn(c.File, &r.Info)
	i := &heightsInfo{
		Kind: kindOf(&r.Info), Width: r.Info.Width, Height: r.Info.Height,
		Min: number(s.Min), Max: number(s.Max), Mean: number(s.Mean), Voids: s.Voids,
		SpacingM: r.Info.Spacing,
	}
	i.place(r.Info.Geo())
	return i, nil
}

func (i *heightsInfo) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	i.rows(t)
	return outputError(t.Flush())
}

func (i *heightsInfo) rows(w io.Writer) {
	fmt.Fprintf(w, "kind\t%s\n", i.Kind)
	fmt.Fprintf(w, "size\t%d × %d samples, %s m apart (%s × %s)\n", i.Width, i.Height, short(i.SpacingM),
		distance(float64(i.Width-1)*i.SpacingM), distance(float64(i.Height-1)*i.SpacingM))
	if !math.IsNaN(float64(i.Mean)) {
		fmt.Fprintf(w, "heights\t%s to %s m, mean %s m\n", short(float64(i.Min)), short(float64(i.Max)), mean(float64(i.Mean)))
	}
	if i.Voids > 0 {
		fmt.Fprintf(w, "voids\t%s\n", grouped(i.Voids))
	}
	if i.CRS != nil {
		fmt.Fprintf(w, "crs\t%s\n", oneLine(*i.CRS))
	}
	if g := i.Geotransform; g != nil {
		step := min(math.Hypot(g[1], g[4]), math.Hypot(g[2], g[5]))
		fmt.Fprintf(w, "corner\t%s, %s (x, y of the outer corner of the north-west sample), steps %s, %s\n",
			coordinate(g[0], step), coordinate(g[3], step), short(g[1]), short(g[5]))
	}
	if u := i.VerticalUnit; u != nil && *u != "metre" {
		fmt.Fprintf(w, "unit\t%s in the source, metres here\n", oneLine(*u))
	}
}

// worldInfo is what info says of a world.
type worldInfo struct {
	heightsInfo
	Tiles        int        `json:"tiles"`
	TileSize     int        `json:"tile_size"`
	Levels       int        `json:"levels"`
	Samples      int64      `json:"samples"`
	BytesTotal   int64      `json:"bytes_total"`
	BytesHeights int64      `json:"bytes_heights"`
	BytesByLevel []int64    `json:"bytes_by_level"`
	RawBytes     int64      `json:"raw_bytes"`
	SavedRatio   float64    `json:"saved_ratio"`
	QuantumM     float64    `json:"quantum_m"`
	MaxErrorM    float64    `json:"max_error_m"`
	OriginM      [2]float64 `json:"origin_m"`
	Version      int        `json:"version"`
	Files        int        `json:"files"`
	BytesLayers  int64      `json:"bytes_layers"`
	Layers       []string   `json:"layers"`
	Note         string     `json:"note,omitempty"`
	Shard        bool       `json:"shard,omitempty"`    // only a part of the world
	Problems     []string   `json:"problems,omitempty"` // shards that cannot be read

	tilesX, tilesY int
}

func describeWorld(path string) (*worldInfo, error) {
	r, err := openWorld(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	w, s := r.World(), r.Stats()
	i := &worldInfo{
		heightsInfo: heightsInfo{
			Kind: "world", Width: w.Width, Height: w.Height,
			Min: number(float64(w.Min) * w.Quantum), Max: number(float64(w.Max) * w.Quantum), Mean: number(w.Mean), SpacingM: w.Spacing,
		},
		Tiles: s.Tiles, TileSize: s.TileSize, Levels: s.Levels, Samples: s.Samples,
		BytesTotal: s.BytesTotal, BytesHeights: s.BytesHeights, BytesByLevel: s.BytesByLevel,
		RawBytes: s.RawBytes, SavedRatio: s.SavedRatio,
		QuantumM: w.Quantum, MaxErrorM: w.MaxError, OriginM: [2]float64{w.OriginX, w.OriginZ},
	}
	i.Version, i.Files, i.BytesLayers, i.Layers = r.Version(), r.Files(), s.BytesLayers, []string{}
	for _, l := range w.Layers {
		i.Layers = append(i.Layers, l.Name)
	}
	i.Note, i.Shard = w.Note, r.Shard()
	for _, p := range r.Problems() {
		i.Problems = append(i.Problems, p.Error())
	}
	i.tilesX, i.tilesY = w.Tiles()
	i.place(w.Geo)
	if i.Voids, err = countHoles(r); err != nil {
		return nil, inputError(fmt.Errorf("%s: %w", path, err))
	}
	return i, nil
}

func (i *worldInfo) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	i.rows(t)
	lossless := "lossless"
	if i.MaxErrorM > 0 {
		lossless = "at most " + short(i.MaxErrorM) + " m off"
	}
	fmt.Fprintf(t, "precision\t%s m a unit, %s\n", short(i.QuantumM), lossless)
	fmt.Fprintf(t, "origin\t%s, %s m (x, z of the north-west sample)\n", coordinate(i.OriginM[0], i.SpacingM), coordinate(i.OriginM[1], i.SpacingM))
	fmt.Fprintf(t, "tiles\t%d (%d × %d) of %d × %d samples, %d levels\n", i.Tiles, i.tilesX, i.tilesY, i.TileSize, i.TileSize, i.Levels)
	if x, z := i.tilesX*(i.TileSize-1)+1, i.tilesY*(i.TileSize-1)+1; x != i.Width || z != i.Height {
		fmt.Fprintf(t, "padding\t%d × %d samples in the tiles; those past the source repeat its rim and are never drawn\n", x, z)
	}
	files := ""
	if i.Files > 1 {
		files = fmt.Sprintf(" in %d shards", i.Files)
	}
	fmt.Fprintf(t, "file\t%s%s, %s bits a sample, version %d\n", size(i.BytesTotal), files, perSample(i.BytesTotal, i.Samples), i.Version)
	if len(i.Layers) > 0 {
		fmt.Fprintf(t, "layers\t%s, %s of that\n", oneLine(strings.Join(i.Layers, ", ")), size(i.BytesLayers))
	}
	if i.Shard {
		fmt.Fprintf(t, "shard\tonly the tiles of this file, not the whole world\n")
	}
	if i.Note != "" {
		fmt.Fprintf(t, "note\t%s\n", oneLine(i.Note))
	}
	for _, p := range i.Problems {
		fmt.Fprintf(t, "problem\t%s\n", oneLine(p))
	}
	fmt.Fprintf(t, "coded\t%s of that are heights: %s of 16 bits a sample, %s than height and delta as float32 (%s)\n",
		size(i.BytesHeights), perSample(i.BytesHeights, i.Samples), saved(i.SavedRatio), size(i.RawBytes))
	if err := t.Flush(); err != nil {
		return outputError(err)
	}
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\nlevel\tspacing\tbytes\tshare\t\n")
	for l, b := range i.BytesByLevel {
		fmt.Fprintf(t, "%d\t%s m\t%s\t%.1f %%\t\n", l, short(i.SpacingM*float64(int(1)<<l)), grouped(b), 100*float64(b)/float64(max(1, i.BytesTotal)))
	}
	return outputError(t.Flush())
}
