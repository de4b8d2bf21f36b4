package chunkfile

import (
	"math"
	"math/bits"

	"github.com/vkterrain/vkterrain/terrain"
)

// checkWorld says what is impossible about w, or nothing.
func checkWorld(w *terrain.World) string {
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	if w.Width < 2 || w.Height < 2 || w.Width > maxSide || w.Height > maxSide {
		return "impossible size in samples"
	}
	if terrain.CheckTileSize(w.TileSize) != nil {
		return "impossible tile size"
	}
	if nx, ny := w.Tiles(); int64(nx)*int64(ny) > maxTiles {
		return "too many tiles"
	}
	if terrain.CheckScale(w.Spacing, w.Quantum) != nil {
		return "impossible spacing or quantum"
	}
	if !finite(w.OriginX) || !finite(w.OriginZ) || !finite(w.MaxError) || w.MaxError < 0 || !finite(w.Mean) {
		return "impossible origin, error or mean"
	}
	if w.Min > w.Max {
		return "least height above the largest"
	}
	if len(w.Layers) > terrain.MaxLayers {
		return "too many layers"
	}
	for _, l := range w.Layers {
		if l.Bytes < 1 || l.Bytes > terrain.MaxLayerBytes {
			return "impossible layer"
		}
	}
	if len(w.Radius) != 2*bits.TrailingZeros(uint(w.TileSize-1)) { // [terrain.Layout.Orders]
		return "not a radius for each order"
	}
	for _, r := range w.Radius {
		if !finite(float64(r)) || r < 0 {
			return "impossible radius"
		}
	}
	return ""
}

// checkTile says what is impossible about a tile of w, or nothing.
func checkTile(w *terrain.World, t *terrain.TileInfo) string {
	if t.Min > t.Max || t.Min < w.Min || t.Max > w.Max {
		return "heights outside those of the world"
	}
	if int64(t.Min) < int64(t.Base) || int64(t.Max) > int64(t.Base)+math.MaxUint16 {
		return "heights outside what 16 bits above the base hold"
	}
	for _, n := range t.Nodes {
		if n.Min < t.Min || n.Max > t.Max || n.Min > n.Max {
			return "impossible bounds of a node"
		}
	}
	for _, c := range t.Coef {
		if math.IsNaN(float64(c)) || c < 0 {
			return "impossible coefficient"
		}
	}
	return ""
}
