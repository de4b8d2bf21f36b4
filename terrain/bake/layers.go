package bake

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/vkterrain/vkterrain/terrain"
)

// Names of layers. All are computed of the full-resolution heights.
const (
	// LayerQuadtree is the coefficient of a quadtree whose nodes are fans: for an
	// edge midpoint that of the vertex; for the centre of a node the bound of what
	// is off where the node is not split, whichever of its edge midpoints are drawn.
	// A coefficient as [terrain.CoefUp] codes it, little endian. It is nested like
	// that of the vertex.
	LayerQuadtree = "quadtree"

	// LayerBilLOD is what BilLOD tests: one less the cosine between the normals of a
	// node's centre and its parent's centre, and how far in metres an edge midpoint
	// is from the middle of its edge. Both are coded as coefficients are, the
	// deviation first, and are the maximum over the vertex and all its descendants:
	// so a law that grows with both is closed, and no cascade has to be chased.
	LayerBilLOD = "billod"

	// LayerHorizon is the horizon in eight directions: north, north-east and so on.
	// A byte is 255 times the sine of its elevation: the sun is to be seen where the
	// sine of its own is larger.
	LayerHorizon = "horizon"

	// LayerColour is the colour of the ground, sRGB red, green and blue.
	LayerColour = "colour"

	// LayerMaterial are the weights of four materials, 255 in all: what grows, rock,
	// sediment, snow.
	LayerMaterial = "material"
)

// layerBytes are the sizes of all layers, a vertex.
var layerBytes = map[string]int{LayerQuadtree: 2, LayerBilLOD: 4, LayerHorizon: 8, LayerColour: 3, LayerMaterial: 4}

// Layers returns the names of all layers.
func Layers() []string {
	return []string{LayerQuadtree, LayerBilLOD, LayerHorizon, LayerColour, LayerMaterial}
}

// layersOf returns the layers that o asks for.
func layersOf(o *Options) ([]terrain.Layer, error) {
	var all []terrain.Layer
	for _, name := range o.Layers {
		n, ok := layerBytes[name]
		if !ok {
			return nil, fmt.Errorf("layer %q: none of %v", name, Layers())
		}
		if slices.ContainsFunc(all, func(l terrain.Layer) bool { return l.Name == name }) {
			return nil, fmt.Errorf("layer %q is named twice", name)
		}
		all = append(all, terrain.Layer{Name: name, Bytes: n})
	}
	has := func(name string) bool { return slices.Contains(o.Layers, name) }
	if o.Overlay != nil && !has(LayerColour) {
		return nil, errors.New("a picture of colours without the layer of colours")
	}
	if o.Mask != nil && !has(LayerMaterial) {
		return nil, errors.New("a picture of weights without the layer of materials")
	}
	return all, nil
}

// layerWorker computes the layers of blocks. It is for one goroutine.
type layerWorker struct {
	layers        []terrain.Layer
	overlay, mask *picture

	horizon  []uint8 // eight a sample of the block
	quadtree []float32
	own      [2][]float32 // of BilLOD, see billod
	out      [][]byte     // of a tile, in id order
}

func newLayerWorker(b *baker) layerWorker {
	l := layerWorker{layers: b.world.Layers, overlay: b.overlay, mask: b.mask}
	for _, layer := range l.layers {
		l.out = append(l.out, make([]byte, len(b.world.Layout().Grid)*layer.Bytes))
	}
	return l
}

func (l *layerWorker) has(name string) bool {
	return slices.ContainsFunc(l.layers, func(l terrain.Layer) bool { return l.Name == name })
}

// needsCurvature says whether the ground's look follows from its curvature.
func (w *worker) needsCurvature() bool {
	return w.layer.has(LayerColour) && w.overlay == nil || w.layer.has(LayerMaterial) && w.mask == nil
}

// analyseLayers computes what the layers need of the block that was analysed last.
func (w *worker) analyseLayers() {
	if w.layer.has(LayerQuadtree) {
		w.layer.splitQuads(w.coefs, w.cwidth, w.cells)
	}
	if w.layer.has(LayerBilLOD) {
		w.billod()
	}
}

// splitQuads makes the coefficients of nodes of those of vertices: a node that is
// not split is off as much as the worst of its four edge midpoints left out, or a
// child's square beside one that is drawn, which is below it.
func (l *layerWorker) splitQuads(coefs []float32, width, cells int) {
	l.quadtree = append(l.quadtree[:0], coefs...)
	height := len(coefs) / width
	for step := 1; step < cells; step *= 2 {
		for z := step; z < height; z += 2 * step {
			for i := z*width + step; i < (z+1)*width; i += 2 * step {
				l.quadtree[i] = max(coefs[i-step], coefs[i+step], coefs[i-step*width], coefs[i+step*width])
			}
		}
	}
}

// keepHorizon keeps the horizon of a direction, where it is one of the eight.
func (l *layerWorker) keepHorizon(d direction, slopes []float32) {
	if max(abs(d.dx), abs(d.dz)) > 1 {
		return
	}
	// What is seen is behind the walker. North is -Z.
	k := slices.Index([]direction{{dz: 1}, {dx: -1, dz: 1}, {dx: -1}, {dx: -1, dz: -1}, {dz: -1}, {dx: 1, dz: -1}, {dx: 1}, {dx: 1, dz: 1}},
		direction{dx: d.dx, dz: d.dz})
	l.horizon = resized(l.horizon, 8*len(slopes))
	for i, s := range slopes {
		t := float64(max(0, s))
		l.horizon[8*i+k] = uint8(float64(255*(t/math.Sqrt(1+float64(t*t)))) + 0.5)
	}
}

// fillLayers fills the layers of the tile at sample (x0, z0).
func (w *worker) fillLayers(x0, z0 int) {
	layout := w.world.Layout()
	for n, layer := range w.layer.layers {
		out := w.layer.out[n]
		for id, g := range layout.Grid {
			v := out[id*layer.Bytes:][:layer.Bytes]
			x, z := x0+int(g.X), z0+int(g.Z)
			px, pz := min(x, w.src.Width-1), min(z, w.src.Height-1)
			at := (pz-w.r.z0)*w.r.width() + px - w.r.x0
			coef := (z-w.cz)*w.cwidth + x - w.cx
			switch layer.Name {
			case LayerQuadtree:
				putCoef(v, float64(w.layer.quadtree[coef])+w.world.MaxError)
			case LayerBilLOD:
				putCoef(v, float64(w.layer.own[0][coef]))
				putCoef(v[2:], float64(w.layer.own[1][coef]))
			case LayerHorizon:
				copy(v, w.layer.horizon[8*at:])
			case LayerColour:
				w.colour(v, px, pz, at)
			case LayerMaterial:
				weights := w.material(px, pz, at)
				copy(v, weights[:])
			}
		}
	}
}

// putCoef codes a coefficient.
func putCoef(v []byte, c float64) {
	u := terrain.CoefUp(c)
	v[0], v[1] = byte(u), byte(u>>8)
}

// billod fills own with deviations and deltas, nested, of the vertices that coefs
// has.
func (w *worker) billod() {
	height := len(w.coefs) / w.cwidth
	for k := range w.layer.own {
		w.layer.own[k] = resized(w.layer.own[k], len(w.coefs))
		clear(w.layer.own[k])
	}
	deviation, delta := w.layer.own[0], w.layer.own[1]
	for step := 1; step < w.cells; step *= 2 {
		for z := 0; z < height; z += step {
			first, stride := 0, 2*step
			white := z/step%2 == 1
			if !white {
				first = step
			}
			for x := first; x < w.cwidth; x += stride { // black
				dx, dz := 0, step
				if !white {
					dx, dz = step, 0
				}
				delta[z*w.cwidth+x] = w.middle(w.cx+x, w.cz+z, dx, dz)
			}
			for x := step; white && 2*step < w.cells && x < w.cwidth; x += stride {
				deviation[z*w.cwidth+x] = w.deviation(w.cx+x, w.cz+z, step)
			}
		}
	}
	for _, c := range w.layer.own {
		terrain.NestCoefs(c, (w.cwidth-1)/w.cells, (height-1)/w.cells, w.cells)
	}
}

// middle returns how far sample (x, z) is from the middle of the edge between those
// at ±(dx, dz), metres, rounded up.
func (w *worker) middle(x, z, dx, dz int) float32 {
	off := 2*int64(w.win.At(x, z)) - int64(w.win.At(x-dx, z-dz)) - int64(w.win.At(x+dx, z+dz))
	return up(float64(max(off, -off)) / 2 * w.src.Quantum)
}

// deviation returns one less the cosine between the normals of sample (x, z), the
// centre of a node, and of its parent's centre, rounded up.
func (w *worker) deviation(x, z, step int) float32 {
	px, pz := x+step, z+step
	if px/(2*step)%2 == 0 {
		px = x - step
	}
	if pz/(2*step)%2 == 0 {
		pz = z - step
	}
	ax, az := w.slopes(x, z)
	bx, bz := w.slopes(px, pz)
	dot := 1 + float64(ax*bx) + float64(az*bz)
	a, b := 1+float64(ax*ax)+float64(az*az), 1+float64(bx*bx)+float64(bz*bz)
	return up(max(0, 1-dot/math.Sqrt(float64(a*b))))
}

// slopes returns the rise over run of the ground at a sample, clamped to the field.
func (w *worker) slopes(x, z int) (dx, dz float64) {
	x, z = min(x, w.src.Width-1), min(z, w.src.Height-1)
	scale := w.src.Quantum / (2 * w.src.Spacing)
	return float64(rise(w.win, x, z, 1, 0, x > 0, x < w.src.Width-1)) * scale,
		float64(rise(w.win, x, z, 0, 1, z > 0, z < w.src.Height-1)) * scale
}

// up rounds up.
func up(v float64) float32 {
	f := float32(v)
	if float64(f) < v {
		f = math.Nextafter32(f, float32(math.Inf(1)))
	}
	return f
}

// palette are the colours of the four materials.
var palette = [4][3]float64{{86, 104, 58}, {118, 110, 102}, {172, 158, 124}, {240, 243, 248}}

// material returns the weights of the materials at a sample. Rock is where it is
// steep or a ridge, snow where it is high and not too steep, sediment where it is
// low, flat and hollow.
func (w *worker) material(x, z, at int) [4]uint8 {
	if w.layer.mask != nil {
		return weights(w.layer.mask.at(x, z))
	}
	dx, dz := w.slopes(x, z)
	steep := math.Sqrt(float64(dx*dx) + float64(dz*dz))
	bend := (float64(w.curvature[at]) - 128) / 127
	high := float64(w.win.At(x, z)-w.src.Min) / float64(max(1, w.src.Max-w.src.Min))
	rock := ramp(0.55, 1.1, steep+float64(0.3*max(0, bend)))
	snow := (1 - rock) * ramp(0.7, 0.85, high-float64(0.1*bend))
	sediment := (1 - rock - snow) * ramp(0.45, 0.15, steep) * ramp(0.02, -0.25, bend) * ramp(0.35, 0.1, high)
	return weights([4]float64{1 - rock - snow - sediment, rock, sediment, snow})
}

// ramp rises smoothly from 0 at a to 1 at b.
func ramp(a, b, v float64) float64 {
	t := min(1, max(0, (v-a)/(b-a)))
	return float64(t*t) * (3 - float64(2*t))
}

// weights returns shares as bytes of 255 in all.
func weights(share [4]float64) (w [4]uint8) {
	sum := 0.0
	for _, s := range share {
		sum += max(0, s)
	}
	if sum == 0 {
		return [4]uint8{255}
	}
	// Rounding the running sums leaves nothing over.
	before, running := 0, 0.0
	for i, s := range share {
		running += max(0, s)
		to := int(float64(255*min(1, running/sum)) + 0.5)
		w[i] = uint8(to - before)
		before = to
	}
	return w
}

// colour puts the colour of the ground at a sample into v.
func (w *worker) colour(v []byte, x, z, at int) {
	if w.layer.overlay != nil {
		c := w.layer.overlay.at(x, z)
		for i := range v {
			v[i] = uint8(c[i] + 0.5)
		}
		return
	}
	m := w.material(x, z, at)
	// Ridges are paler, hollows darker.
	shade := 1 + 0.12*(float64(w.curvature[at])-128)/127
	for i := range v {
		c := 0.0
		for k, weight := range m {
			c += float64(float64(weight) / 255 * palette[k][i])
		}
		v[i] = uint8(min(255, float64(c*shade)) + 0.5)
	}
}
