package chunkfile

import (
	"math"

	"github.com/vkterrain/vkterrain/terrain"
)

// level is what both directions of the codec share: one level of one tile in
// planes, and what can be said of it before its own samples are known.
type level struct {
	geometry
	layout   *terrain.Layout
	coarsest bool
	finest   bool
	n        int // samples a side of the level's grid
	lo, hi   int // ids of the level samples
	scale    scale
	pad      padding
	shading  shading

	heights, shades, errors planes

	guess     guess    // by pass: centres, then across, then down
	residuals []uint16 // of heights, one pass at a time
	skies     []uint16 // of sky view, likewise
	nothing   []uint16 // in place of skies on the finest level
	packed    []uint64 // vertices in the order of the passes
	flat      flatGrid // for the coarsest level

	size int // tile size of what is below, by level
	geo  [terrain.MaxLevels]geometry
}

// begin prepares l for a level of a tile of w.
func (l *level) begin(w *terrain.World, t *Tables, k terrain.Key, of terrain.Level) {
	if l.size != w.TileSize {
		l.resize(w.Layout())
	}
	l.geometry = l.geo[of]
	l.coarsest = l.m == 0
	l.n = l.layout.Cells>>of + 1
	l.lo, l.hi = l.layout.Range(of)
	l.pad = paddingOf(w, k, of, l.n)
	l.scale = scale{
		half: w.Quantum / 2, maxError: w.MaxError,
		slope: normalScale(w.Quantum, w.Spacing*float64(int(1)<<of)),
	}
	l.finest = of == 0
	l.shading.sky = int32(t.sky[of])
	l.shading.bend = bendOf(w.Quantum, w.Spacing*float64(int(1)<<of))
	for _, p := range []*planes{&l.heights, &l.shades, &l.errors} {
		p.resize(max(l.m, 1))
	}
}

// resize prepares l for tiles of another size.
func (l *level) resize(layout *terrain.Layout) {
	l.size, l.layout = layout.Size, layout
	for of := range layout.Levels {
		l.geo[of] = newGeometry(layout, terrain.Level(of))
	}
	if n := layout.Size * layout.Size; n > len(l.packed) {
		l.guess = guess{make([]int32, n+planeSlop), make([]int32, n+planeSlop), make([]uint8, n+planeSlop)}
		l.residuals, l.skies, l.nothing = make([]uint16, n+planeSlop), make([]uint16, n+planeSlop), make([]uint16, n+planeSlop)
		l.packed = make([]uint64, n+planeSlop)
	}
}

// load fills the corners of heights and shades from the vertices of the coarser
// levels, and what is assumed beyond the tile.
func (l *level) load(verts []terrain.Vertex) {
	n := l.m + 1
	at := l.heights.corners.index(0, 0)
	for z := range n {
		gather(l.heights.corners.v[at:at+n], l.shades.corners.v[at:], verts, l.corners[z*n:])
		at += l.heights.corners.stride
	}
	padCorners(&l.heights.corners, l.m)
}

// normalScale turns the difference of two heights, in quanta, that lie two grid
// steps apart into rise over run.
func normalScale(quantum, spacing float64) float32 { return float32(quantum / (2 * spacing)) }

// SlopeNormal returns the packed normal of a surface that rises dx quanta over
// two grid steps eastwards and dz southwards. Files depend on its arithmetic,
// which rounds the same on every machine.
func SlopeNormal(dx, dz int32, quantum, spacing float64) [2]uint8 {
	u, v := slopeNormal(dx, dz, normalScale(quantum, spacing))
	return [2]uint8{u, v}
}

// pass is a part of a level whose samples are known together.
type pass struct{ at, n int } // in guess and packed

func (l *level) centrePass() pass { return pass{0, len(l.centres)} }

func (l *level) midpointPass() pass {
	return pass{len(l.centres), len(l.across) + len(l.down)}
}

// guessCentrePass predicts the heights of all centres.
func (l *level) guessCentrePass() { l.guessPart(l.parts()[0]) }

// guessMidpointPass predicts the heights of all midpoints.
func (l *level) guessMidpointPass() {
	padCentres(&l.heights.centres, &l.heights.corners, l.m)
	l.guessPart(l.parts()[1])
	l.guessPart(l.parts()[2])
}

func (l *level) guessPart(p part) {
	l.guessRows(p.kind, 0, p.height, l.guess.slice(p.at, p.width*p.height))
	l.ignoreClones(p)
}

// guessRowsGo predicts the heights of rows z to z+rows-1 of a plane.
func (l *level) guessRowsGo(kind, z, rows int, g guess) {
	c, e, m := &l.heights.corners, &l.heights.centres, l.m
	for i := range rows {
		z := z + i
		switch kind {
		case inCentres:
			guessCentres(g.slice(i*m, m), c.row(z-1), c.row(z), c.row(z+1), c.row(z+2), m)
		case inAcross:
			guessAcross(g.slice(i*m, m), c.row(z-1), c.row(z), c.row(z+1), e.row(z-2), e.row(z-1), e.row(z), e.row(z+1), m)
		case inDown:
			guessDown(g.slice(i*(m+1), m+1), c.row(z-1), c.row(z), c.row(z+1), c.row(z+2), e.row(z-1), e.row(z), e.row(z+1), m+1)
		}
	}
}

// neighbours are the four rows of the nearest samples of a row of one of the
// planes: west, east, north and south of each, or for shades of centres the four
// corners.
type neighbours [4][]int32

func around(c, e *plane, kind, z, m int) neighbours {
	switch kind {
	case inCentres:
		a, b := c.row(z)[planePad:], c.row(z + 1)[planePad:]
		return neighbours{a, a[1:], b, b[1:]}
	case inAcross:
		a := c.row(z)[planePad:]
		return neighbours{a, a[1:], e.row(z - 1)[planePad:], e.row(z)[planePad:]}
	}
	b := e.row(z)
	return neighbours{b[planePad-1:], b[planePad:], c.row(z)[planePad:], c.row(z + 1)[planePad:]}
}

// Kinds of planes with level samples.
const (
	inCentres = iota
	inAcross
	inDown
)

// part is one plane of level samples.
type part struct {
	kind, at, width, height int
}

func (l *level) parts() [3]part {
	m := l.m
	return [3]part{
		{inCentres, 0, m, m},
		{inAcross, len(l.centres), m, m + 1},
		{inDown, len(l.centres) + len(l.across), m + 1, m},
	}
}

func (p *planes) of(kind int) *plane {
	switch kind {
	case inCentres:
		return &p.centres
	case inAcross:
		return &p.across
	}
	return &p.down
}

// setErrors computes how far each level sample stands from the surface without
// it, as far as this level shows it.
func (l *level) setErrors() {
	h, e, m := &l.heights, &l.errors, l.m
	for z := range m + 1 {
		c := h.corners.row(z)[planePad:]
		edges(e.across.row(z)[planePad:planePad+m], h.across.row(z)[planePad:], c, c[1:])
	}
	for z := range m {
		edges(e.down.row(z)[planePad:planePad+m+1], h.down.row(z)[planePad:], h.corners.row(z)[planePad:], h.corners.row(z + 1)[planePad:])
	}
	for z := range m {
		squares(e.centres.row(z)[planePad:planePad+m], h.centres.row(z)[planePad:],
			h.corners.row(z)[planePad:], h.corners.row(z + 1)[planePad:],
			e.across.row(z)[planePad:], e.across.row(z + 1)[planePad:], e.down.row(z)[planePad:], z&1)
	}
}

// pack fills packed with the vertices of the level, but for what their residuals
// change.
func (l *level) pack() {
	l.setErrors()
	l.mirrorBorders()
	h, m := &l.heights, l.m
	for _, p := range l.parts() {
		plane, errors, shades := h.of(p.kind), l.errors.of(p.kind), l.shades.of(p.kind)
		for z := range p.height {
			var w neighbours
			switch p.kind {
			case inCentres:
				d := h.down.row(z)[planePad:]
				w = neighbours{d, d[1:], h.across.row(z)[planePad:], h.across.row(z + 1)[planePad:]}
			default:
				w = around(&h.corners, &h.centres, p.kind, z, m)
			}
			at := p.at + z*p.width
			pack(l.packed[at:at+p.width], plane.row(z)[planePad:], errors.row(z)[planePad:], shades.row(z)[planePad:],
				w[0], w[1], w[2], w[3], &l.scale)
		}
	}
}

// mirrorBorders fills the centres beyond the borders such that the slope goes on as
// it is inside.
func (l *level) mirrorBorders() {
	h, m := &l.heights, l.m
	for z := range m {
		r := h.centres.row(z)
		d := h.down.row(z)
		r[planePad-1] = 2*d[planePad] - r[planePad]
		r[planePad+m] = 2*d[planePad+m] - r[planePad+m-1]
	}
	mirror(h.centres.row(-1), h.across.row(0), h.centres.row(0), m)
	mirror(h.centres.row(m), h.across.row(m), h.centres.row(m-1), m)
}

// mirror fills a row outside a border such that the border lies in the middle.
func mirror(dst, border, inside []int32, m int) {
	for i := planePad; i < planePad+m; i++ {
		dst[i] = 2*border[i] - inside[i]
	}
}

// onBorder calls do with the places in the order of the level of the samples on
// the border of the tile. Their normals need the tile beyond.
func (l *level) onBorder(do func(at int)) {
	p := l.parts()
	for x := range l.m {
		do(p[1].at + x)
		do(p[1].at + l.m*l.m + x)
	}
	for z := range l.m {
		do(p[2].at + z*(l.m+1))
		do(p[2].at + z*(l.m+1) + l.m)
	}
}

// borderLen is the number of samples that onBorder finds.
func (l *level) borderLen() int { return 4 * l.m }

// ids returns the ids, less that of the first level sample, of all parts.
func (l *level) ids() [3][]uint32 { return [3][]uint32{l.centres, l.across, l.down} }

// skyTable holds skyOf.
var skyTable = func() (t [256]int32) {
	for i := range t {
		t[i] = skyOf(uint8(i))
	}
	return t
}()

// coefUp is terrain.CoefUp for finite positive c.
func coefUp(c float64) uint16 {
	f := float32(c)
	b := math.Float32bits(f)
	if float64(f) < c {
		b++
	}
	return uint16((b + 0xffff) >> 16)
}
