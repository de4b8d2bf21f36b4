package bake

import (
	"errors"
	"fmt"
	"math"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// worker makes tiles. It is for one goroutine.
type worker struct {
	*baker
	win   *terrain.Window
	steps []float64 // what CoefErrors has found

	// The block that was analysed last, and the coefficients of its tiles and
	// those around.
	r              rect
	sky, curvature []uint8
	coefs          []float32
	cx, cz, cwidth int // of coefs: the first vertex, vertices a row

	horizons horizons
	bends    bends
	verts    []terrain.Vertex
	enc      *chunkfile.Encoder // made when needed
	layer    layerWorker
}

func newWorker(b *baker) *worker {
	layout := b.world.Layout()
	return &worker{
		baker: b, steps: make([]float64, layout.Orders()),
		verts: make([]terrain.Vertex, len(layout.Grid)), layer: newLayerWorker(b),
	}
}

// analyse computes all that tiles x0,y0 to x1,y1 need besides their heights.
func (w *worker) analyse(s *bands, x0, y0, x1, y1 int) {
	w.win = &s.slab.win
	w.r = w.samplesOf(x0, y0, x1, y1)
	w.sky, w.curvature = resized(w.sky, w.r.size()), resized(w.curvature, w.r.size())
	var each func(d direction, slopes []float32)
	if w.layer.has(LayerHorizon) {
		each = w.layer.keepHorizon
	}
	w.horizons.look(w.win, w.far, w.r, w.sky, each)
	w.bends.bend(w.win, w.r, w.curvature)
	w.punch()

	tx0, tz0, tx1, tz1 := max(x0-1, 0), max(y0-1, 0), min(x1+1, w.nx), min(y1+1, w.ny)
	w.cx, w.cz, w.cwidth = tx0*w.cells, tz0*w.cells, (tx1-tx0)*w.cells+1
	w.coefs = resized(w.coefs, w.cwidth*((tz1-tz0)*w.cells+1))
	clear(w.coefs)
	for z := tz0; z < tz1; z++ {
		for x := tx0; x < tx1; x++ {
			terrain.AddCoefErrors(w.coefs[(z-tz0)*w.cells*w.cwidth+(x-tx0)*w.cells:], w.cwidth, s.errs[[2]int{x, z}], w.cells)
		}
	}
	terrain.NestCoefs(w.coefs, tx1-tx0, tz1-tz0, w.cells)
	w.analyseLayers()
}

// punch makes holes of the samples that are.
func (w *worker) punch() {
	if w.win.Void == nil {
		return
	}
	for z := w.r.z0; z < w.r.z1; z++ {
		sky := w.sky[(z-w.r.z0)*w.r.width():][:w.r.width()]
		for x := range sky {
			if w.win.IsVoid(w.r.x0+x, z) {
				sky[x] = 0
			}
		}
	}
}

var errRange = errors.New("heights of a tile span more than 16 bits hold")

// tile makes and codes tile k of the block that was analysed last.
func (w *worker) tile(k terrain.Key) (*chunkfile.Encoded, error) {
	info, err := w.fill(k)
	if err != nil {
		return nil, err
	}
	if w.enc == nil {
		w.enc = chunkfile.NewEncoder(w.world, w.tables)
	}
	return w.enc.EncodeTile(&info, w.verts), nil
}

// fill fills verts with tile k of the block that was analysed last.
func (w *worker) fill(k terrain.Key) (terrain.TileInfo, error) {
	layout := w.world.Layout()
	x0, z0 := int(k.X)*w.cells, int(k.Y)*w.cells
	info := terrain.TileInfo{Key: k, Min: math.MaxInt32, Max: math.MinInt32}
	w.bounds(&info, x0, z0)
	info.Base = info.Min
	if span := int64(info.Max) - int64(info.Min); span > math.MaxUint16 {
		q := w.src.Quantum * math.Ceil(float64(span)/math.MaxUint16)
		return info, fmt.Errorf("tile %v: %w (%d units of %v m, at most 65535): take a height unit of %v m or more, or smaller tiles",
			k, errRange, span, w.src.Quantum, q)
	}
	for id, g := range layout.Grid {
		x, z := x0+int(g.X), z0+int(g.Z)
		px, pz := min(x, w.src.Width-1), min(z, w.src.Height-1)
		at := (pz-w.r.z0)*w.r.width() + px - w.r.x0
		c := w.coefs[(z-w.cz)*w.cwidth+x-w.cx]
		v := terrain.Vertex{
			Height:    uint16(w.win.At(px, pz) - info.Base),
			Coef:      terrain.CoefUp(float64(c) + w.world.MaxError),
			Normal:    w.normal(px, pz),
			SkyView:   w.sky[at],
			Curvature: w.curvature[at],
		}
		info.Holes = info.Holes || v.Hole()
		w.verts[id] = v
	}
	markRoots(layout, w.verts)
	for level := range layout.Levels {
		lo, hi := layout.Range(terrain.Level(level))
		for _, v := range w.verts[lo:hi] {
			if v.Coef != alwaysActive {
				info.Coef[level] = max(info.Coef[level], terrain.CoefMetres(v.Coef))
			}
		}
	}
	return info, nil
}

// bounds fills in the extreme heights of the tile that begins at sample (x0, z0)
// and those of its nodes.
func (w *worker) bounds(info *terrain.TileInfo, x0, z0 int) {
	nodes := w.world.Layout().Nodes()
	side := w.cells / nodes
	info.Nodes = make([]terrain.Bounds, nodes*nodes)
	for i := range info.Nodes {
		// Padding repeats the rim, which is the nearest that is left of a node.
		nx, nz := min(x0+i%nodes*side, w.src.Width-1), min(z0+i/nodes*side, w.src.Height-1)
		b := terrain.Bounds{Min: math.MaxInt32, Max: math.MinInt32}
		for z := nz; z <= min(nz+side, w.src.Height-1); z++ {
			row := w.win.Samples[(z-w.win.Z)*w.win.Columns:]
			for _, h := range row[nx-w.win.X : min(nx+side, w.src.Width-1)-w.win.X+1] {
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
func (w *worker) normal(x, z int) [2]uint8 {
	return chunkfile.SlopeNormal(
		w.rise(x, z, 1, 0, x > 0, x < w.src.Width-1),
		w.rise(x, z, 0, 1, z > 0, z < w.src.Height-1),
		w.src.Quantum, w.src.Spacing)
}

// rise returns how far the ground rises over two samples around (x, z) in
// direction (dx, dz).
func (w *worker) rise(x, z, dx, dz int, before, after bool) int32 {
	h := w.win.At(x, z)
	switch {
	case before && after:
		return w.win.At(x+dx, z+dz) - w.win.At(x-dx, z-dz)
	case after:
		return 2 * (w.win.At(x+dx, z+dz) - h)
	}
	return 2 * (h - w.win.At(x-dx, z-dz))
}
