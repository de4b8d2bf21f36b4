package bake

import (
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// flatGround is the curvature of a plane.
const flatGround = 128

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

	// sampling is set where all of a tile's sky view is wanted.
	sampling bool

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
	w.horizons.look(w.win, w.far, w.r, each == nil && w.thin(), w.sky, each)
	if w.needsCurvature() {
		w.bends.bend(w.win, w.r, w.curvature)
	}
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

// thin says whether the file has the sky view of no sample of the block with an odd
// coordinate: it derives that of its finest level. The rim is also the padding, which
// has other coordinates.
func (w *worker) thin() bool {
	odd := w.r.x1 == w.src.Width && w.src.Width&1 == 0 || w.r.z1 == w.src.Height && w.src.Height&1 == 0
	return w.world.Layout().Levels > 1 && !w.sampling && !odd
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

// tile makes and codes tile k of the block that was analysed last.
func (w *worker) tile(k terrain.Key) (*chunkfile.Encoded, error) {
	info, err := w.fill(k)
	if err != nil {
		return nil, err
	}
	if w.enc == nil {
		w.enc = chunkfile.NewEncoder(w.world, w.tables)
	}
	w.fillLayers(int(k.X)*w.cells, int(k.Y)*w.cells)
	return w.enc.EncodeTile(&info, w.verts, w.layer.out...), nil
}

// fill fills verts with tile k of the block that was analysed last.
func (w *worker) fill(k terrain.Key) (terrain.TileInfo, error) {
	x0, z0 := int(k.X)*w.cells, int(k.Y)*w.cells
	for id, g := range w.world.Layout().Grid {
		px, pz := min(x0+int(g.X), w.src.Width-1), min(z0+int(g.Z), w.src.Height-1)
		at := (pz-w.r.z0)*w.r.width() + px - w.r.x0
		w.verts[id] = terrain.Vertex{SkyView: w.sky[at], Curvature: w.curvature[at]}
	}
	c := Cut{World: w.world, Window: w.win, Coefs: w.coefs, X: w.cx, Z: w.cz, Columns: w.cwidth}
	return c.Tile(k, w.verts)
}
