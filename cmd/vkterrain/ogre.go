package main

import (
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"github.com/vkterrain/vkterrain/terrain/ogre"
	"github.com/vkterrain/vkterrain/terrain/raster"
)

// ogreKind says whether the file at path is one of OGRE's. What cannot be read is
// none: whoever opens it next says why.
func ogreKind(path string) ogre.SourceKind {
	f, err := openRegular(path)
	if err != nil {
		return ogre.NotOGRE
	}
	defer f.Close()
	return ogre.KindOf(f)
}

// ogreRows are the rows of an OGRE terrain or group.
type ogreRows struct {
	*ogre.Source
	row []float32
}

// ReadRows implements [raster.Rows].
func (r *ogreRows) ReadRows(y int, dst []float64) error {
	if len(r.row) < len(dst) {
		r.row = make([]float32, len(dst))
	}
	row := r.row[:len(dst)]
	if err := r.ReadHeights(y, row); err != nil {
		return err
	}
	for i, h := range row {
		dst[i] = float64(h)
	}
	return nil
}

// openOGRE opens an OGRE terrain or group as the raster that it holds.
func (f *sourceFlags) openOGRE(a *app, path string) (*raster.Reader, error) {
	if f.Raw != "" || f.Encoding != "" || f.HGT != "" {
		return nil, inputError(fmt.Errorf("%s: is an OGRE terrain; --raw, --encoding and --hgt are for other files", path))
	}
	s, err := ogre.OpenSource(path)
	if err != nil {
		return nil, inputError(readable(err))
	}
	_, _, up := s.Origin()
	info := raster.Info{
		Kind: "ogre", Type: "f32", Width: s.Width, Height: s.Height,
		Unit: 1, Offset: up, Spacing: s.Spacing(),
	}
	r, err := raster.NewReader(a.ctx, path, info, f.options(), &ogreRows{Source: s})
	if err != nil {
		s.Close()
	}
	return r, inputError(readable(err))
}

// ogreLevel is what info says of a level, the finest first.
type ogreLevel struct {
	Samples       int   `json:"samples"`
	BytesStored   int64 `json:"bytes_stored"`
	BytesInflated int64 `json:"bytes_inflated"`
}

// ogreInfo is what info says of an OGRE file.
type ogreInfo struct {
	heightsInfo
	Version    int         `json:"version"` // 0 for a group
	Alignment  string      `json:"alignment"`
	Size       int         `json:"size"` // samples a side of one terrain
	WorldSizeM float64     `json:"world_size_m"`
	PositionM  [3]float64  `json:"position_m"` // in OGRE's world: of the centre, for a group of slot (0, 0)
	OriginM    [2]float64  `json:"origin_m"`
	MaxBatch   int         `json:"max_batch"`
	MinBatch   int         `json:"min_batch"`
	Levels     int         `json:"levels"`
	ByLevel    []ogreLevel `json:"by_level"` // null for version 1 and groups
	Terrains   int         `json:"terrains"`
	Layers     []string    `json:"layers"`
	Maps       []string    `json:"maps"`
}

// ogre describes the OGRE file whose name was given.
func (c *infoCmd) ogre(a *app) (*ogreInfo, error) {
	heights, err := c.raster(a)
	if err != nil {
		return nil, err
	}
	s, err := ogre.OpenSource(c.File)
	if err != nil {
		return nil, inputError(readable(err))
	}
	defer s.Close()
	i := &ogreInfo{
		heightsInfo: *heights, Alignment: s.Align.String(), Size: s.Size, WorldSizeM: float64(s.WorldSize),
		MaxBatch: s.MaxBatch, MinBatch: s.MinBatch, Levels: s.Levels(), Terrains: s.Terrains,
		Layers: []string{}, Maps: []string{},
	}
	for k, v := range s.Pos {
		i.PositionM[k] = float64(v)
	}
	i.OriginM[0], i.OriginM[1], _ = s.Origin()
	var layers []ogre.Layer
	if r := s.Single; r != nil {
		tail, err := r.ReadTail()
		if err != nil {
			return nil, inputError(fmt.Errorf("%s: %w", c.File, err))
		}
		i.Version, layers = r.Version, tail.Layers
		for _, m := range tail.Maps {
			i.Maps = append(i.Maps, m.Name)
		}
		for _, chunk := range r.Chunks {
			i.ByLevel = append(i.ByLevel, ogreLevel{int(chunk.Inflated / 8), chunk.Stored, chunk.Inflated})
		}
	} else {
		layers = s.Group.Layers
	}
	for _, l := range layers {
		name := ""
		if len(l.Textures) > 0 {
			name = l.Textures[0]
		}
		i.Layers = append(i.Layers, name)
	}
	return i, nil
}

func (i *ogreInfo) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	i.rows(t)
	what := fmt.Sprintf("terrain of version %d", i.Version)
	if i.Version == 0 {
		what = fmt.Sprintf("group of %d terrains", i.Terrains)
	}
	fmt.Fprintf(t, "file\t%s, %s, %d × %d samples over %s\n", what, i.Alignment, i.Size, i.Size, distance(i.WorldSizeM))
	fmt.Fprintf(t, "position\t%s, %s, %s m in OGRE's world\n", coordinate(i.PositionM[0], 1), coordinate(i.PositionM[1], 1), coordinate(i.PositionM[2], 1))
	fmt.Fprintf(t, "batches\t%d to %d samples a side, %d levels\n", i.MinBatch, i.MaxBatch, i.Levels)
	for k, l := range i.Layers {
		fmt.Fprintf(t, "layer %d\t%s\n", k, filepath.Base(l))
	}
	if err := t.Flush(); err != nil || len(i.ByLevel) == 0 {
		return outputError(err)
	}
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\nlevel\tsamples\tinflated\tstored\t\n")
	for l, b := range i.ByLevel {
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t\n", l, grouped(int64(b.Samples)), grouped(b.BytesInflated), grouped(b.BytesStored))
	}
	return outputError(t.Flush())
}
