package bake

import (
	"errors"
	"fmt"
	"math"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// Cut makes tiles of samples: it is what a bake and the repair of an edited world
// have in common, so that both make the same bits.
type Cut struct {
	World  *terrain.World
	Window *terrain.Window // the samples of the tile and those next to it

	// Coefs are the nested coefficients in metres, without the world's MaxError, of a
	// rectangle of the padded grid: Columns a row, from (X, Z) on.
	Coefs         []float32
	X, Z, Columns int
}

var errRange = errors.New("heights of a tile span more than 16 bits hold")

// Tile fills in heights, coefficients and normals of tile k, whose vertices come
// with sky view, 0 in a hole, and curvature. It returns what is to be known of the
// tile. Heights that span more than 16 bits hold are an error.
func (c *Cut) Tile(k terrain.Key, verts []terrain.Vertex) (terrain.TileInfo, error) {
	w, layout := c.World, c.World.Layout()
	x0, z0 := int(k.X)*layout.Cells, int(k.Y)*layout.Cells
	info := terrain.TileInfo{Key: k, Min: math.MaxInt32, Max: math.MinInt32}
	c.bounds(&info, x0, z0)
	info.Base = info.Min
	if span := int64(info.Max) - int64(info.Min); span > math.MaxUint16 {
		q := w.Quantum * math.Ceil(float64(span)/math.MaxUint16)
		return info, fmt.Errorf("tile %v: %w (%d units of %v m, at most 65535): take a height unit of %v m or more, or smaller tiles",
			k, errRange, span, w.Quantum, q)
	}
	for id, g := range layout.Grid {
		x, z := x0+int(g.X), z0+int(g.Z)
		px, pz := min(x, w.Width-1), min(z, w.Height-1)
		v := &verts[id]
		v.Height = uint16(c.Window.At(px, pz) - info.Base)
		v.Coef = terrain.CoefUp(float64(c.Coefs[(z-c.Z)*c.Columns+x-c.X]) + w.MaxError)
		v.Normal = normal(c.Window, px, pz)
		info.Holes = info.Holes || v.Hole()
	}
	markRoots(layout, verts)
	for level := range layout.Levels {
		lo, hi := layout.Range(terrain.Level(level))
		for _, v := range verts[lo:hi] {
			if v.Coef != alwaysActive {
				info.Coef[level] = max(info.Coef[level], terrain.CoefMetres(v.Coef))
			}
		}
	}
	return info, nil
}

// bounds fills in the extreme heights of the tile that begins at sample (x0, z0)
// and those of its nodes.
func (c *Cut) bounds(info *terrain.TileInfo, x0, z0 int) {
	nodes := c.World.Layout().Nodes()
	side := (c.World.TileSize - 1) / nodes
	info.Nodes = make([]terrain.Bounds, nodes*nodes)
	for i := range info.Nodes {
		// Padding repeats the rim, which is the nearest that is left of a node.
		nx, nz := min(x0+i%nodes*side, c.World.Width-1), min(z0+i/nodes*side, c.World.Height-1)
		b := terrain.Bounds{Min: math.MaxInt32, Max: math.MinInt32}
		for z := nz; z <= min(nz+side, c.World.Height-1); z++ {
			row := c.Window.Samples[(z-c.Window.Z)*c.Window.Columns:]
			for _, h := range row[nx-c.Window.X : min(nx+side, c.World.Width-1)-c.Window.X+1] {
				b.Min, b.Max = min(b.Min, h), max(b.Max, h)
			}
		}
		info.Nodes[i] = b
		info.Min, info.Max = min(info.Min, b.Min), max(info.Max, b.Max)
	}
}

// alwaysActive is the coefficient of the vertices that start the refinement.
var alwaysActive = terrain.CoefUp(math.Inf(1))

// markRoots makes the corners and the centre of a tile always active.
func markRoots(layout *terrain.Layout, verts []terrain.Vertex) {
	s, c := layout.Size, layout.Cells
	for _, at := range [5]int{0, c, c * s, c*s + c, c/2*s + c/2} {
		verts[layout.ID[at]].Coef = alwaysActive
	}
}

// normal returns the packed normal of source sample (x, z): central
// differences, one-sided at the rim of the source.
func normal(w *terrain.Window, x, z int) [2]uint8 {
	return chunkfile.SlopeNormal(
		rise(w, x, z, 1, 0, x > 0, x < w.Width-1),
		rise(w, x, z, 0, 1, z > 0, z < w.Height-1),
		w.Quantum, w.Spacing)
}

// rise returns how far the ground rises over two samples around (x, z) in
// direction (dx, dz).
func rise(w *terrain.Window, x, z, dx, dz int, before, after bool) int32 {
	h := w.At(x, z)
	switch {
	case before && after:
		return w.At(x+dx, z+dz) - w.At(x-dx, z-dz)
	case after:
		return 2 * (w.At(x+dx, z+dz) - h)
	}
	return 2 * (h - w.At(x-dx, z-dz))
}
