package terrain

import (
	"fmt"
	"math"
)

// Key names a tile of a world. X grows east, Y south. Zoom is 0 for the finest
// grid; it leaves room for a pyramid above it.
type Key struct{ Zoom, X, Y int32 }

func (k Key) String() string {
	if k.Zoom == 0 {
		return fmt.Sprintf("%d,%d", k.X, k.Y)
	}
	return fmt.Sprintf("%d/%d,%d", k.Zoom, k.X, k.Y)
}

// World describes a baked terrain: what holds for all its tiles.
type World struct {
	Width, Height    int     // samples of the source, before padding; 0 if it is endless
	TileSize         int     // samples a side of a tile, 2^k+1
	Spacing          float64 // metres between samples
	Quantum          float64 // metres a height unit
	OriginX, OriginZ float64 // world position of the north-west sample, metres
	MaxError         float64 // metres that coding may have changed a height; counted in the coefficients

	// Min, Max are the extreme heights in quanta, Mean their mean in metres.
	Min, Max int32
	Mean     float64

	// Geo places the world on a planet; the zero value says nothing.
	Geo Geo

	// Note says in words what one should know of the world, as that it was repaired;
	// "" is nothing.
	Note string

	// Layers are what is kept of every vertex beside [Vertex], by the names of
	// package bake; most worlds have none.
	Layers []Layer

	// Endless says that there is no rim: tiles may have any column and any row, those
	// below 0 too. Which ones there are, a source says as it is asked.
	Endless bool

	// Holes says that some tile has holes. It follows from the tiles' own word, see
	// [TileInfo.Holes], and is not kept in a file.
	Holes bool

	// Radius is r of the activation law by order: Radius[o] bounds the
	// distance in metres from a vertex of order o to any of its descendants.
	// One table serves the whole world, so both sides of a seam agree.
	Radius []float32
}

// CheckScale says whether spacing and quantum, both in metres, can be those of a
// world: between a nanometre and a million kilometres, so that no position
// leaves the range of its arithmetic.
func CheckScale(spacing, quantum float64) error {
	const least, most = 1e-9, 1e9
	if !(spacing >= least && spacing <= most) {
		return fmt.Errorf("spacing of %v m: must be between %g and %g", spacing, least, most)
	}
	if !(quantum >= least && quantum <= most) {
		return fmt.Errorf("height unit of %v m: must be between %g and %g", quantum, least, most)
	}
	return nil
}

// Layout returns the vertex layout of the world's tiles.
func (w *World) Layout() *Layout { return LayoutFor(w.TileSize) }

// Tiles returns the number of tiles eastwards and southwards.
func (w *World) Tiles() (nx, ny int) {
	c := w.TileSize - 1
	return max(1, (w.Width-2)/c+1), max(1, (w.Height-2)/c+1)
}

// TileAt returns the key of the tile that holds world position (x, z), which
// may lie outside the world (coordinates are floored, never truncated).
func (w *World) TileAt(x, z float64) Key {
	side := w.Spacing * float64(w.TileSize-1)
	return Key{0, tileNumber((x - w.OriginX) / side), tileNumber((z - w.OriginZ) / side)}
}

// tileNumber floors v, to the first or the last tile that there can be.
func tileNumber(v float64) int32 {
	return int32(min(max(math.Floor(v), math.MinInt32), math.MaxInt32))
}

// Rim returns the last column and row of samples. Those beyond are on the rim. No
// tile of an endless world reaches it.
func (w *World) Rim() (column, row int) {
	if w.Endless {
		return math.MaxInt / 2, math.MaxInt / 2
	}
	return w.Width - 1, w.Height - 1
}

// Has says whether the world may have a tile k.
func (w *World) Has(k Key) bool {
	if w.Endless {
		return k.Zoom == 0
	}
	nx, ny := w.Tiles()
	return k.Zoom == 0 && k.X >= 0 && k.Y >= 0 && int(k.X) < nx && int(k.Y) < ny
}

// Geo places a world, or the raster it comes from, on a planet.
type Geo struct {
	// CRS is a coordinate reference system: "EPSG:4326" or the like, or WKT in
	// one line; "" where nothing is known.
	CRS string

	// Transform is GDAL's geotransform: x and y of the outer corner of the
	// north-west sample at 0 and 3, steps of a column at 1 and 4, of a row at 2 and
	// 5; nil where nothing is known.
	Transform *[6]float64

	// PixelIsPoint says that the source placed the centres of its samples. The
	// transform counts from outer corners all the same.
	PixelIsPoint bool

	// VerticalUnit names the unit the source's heights had, as "metre" or "US
	// survey foot"; "" where nothing is known. Heights of a world are metres.
	VerticalUnit string
}

// Layer is an attribute that a world keeps of every vertex.
type Layer struct {
	Name  string
	Bytes int // a vertex, 1 to MaxLayerBytes
}

// Limits of layers.
const (
	MaxLayers     = 16
	MaxLayerBytes = 16
)

// Bounds are the least and the greatest of some heights, in quanta.
type Bounds struct{ Min, Max int32 }

// TileInfo is what is known of a tile before any of its heights is read.
type TileInfo struct {
	Key      Key
	Base     int32 // quanta; a vertex is Base+Vertex.Height high
	Min, Max int32 // extreme heights, quanta

	// Holes says that some vertices are holes, see [Vertex.Hole].
	Holes bool

	// Nodes bounds the full-resolution heights of the cells of the coarsest
	// grid, row by row from the north-west, padding included: nodes×nodes of
	// them, see [Layout.Nodes]. It is nil where a file does not tell.
	Nodes []Bounds

	// Coef[l] is the largest activation coefficient, in metres, among the
	// level samples of l. Nesting makes it grow towards coarser levels.
	Coef [MaxLevels]float32
}

// Tile is the resident part of a tile in CPU memory: an immutable snapshot.
// Loading a finer level makes a new Tile, so any number of goroutines may
// refine one.
type Tile struct {
	Info  *TileInfo
	Level Level    // finest level held
	Verts []Vertex // in id order, Layout.Count(Level) of them
}
