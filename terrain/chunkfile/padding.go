package chunkfile

import "github.com/vkterrain/vkterrain/terrain"

// Samples beyond the rim of the source are clones of those on the rim: of the
// same row east of it, of the same column south of it. Where a level already has
// a clone of the same sample, another one costs nothing: its residual is 0 in
// class 0, and it becomes a copy.
//
// In a row with corners the last corner is such a clone, in others the first
// centre beyond the rim, and likewise in columns.

// padding is where the source ends in the grid of a level: the first column and
// row beyond, the side of the grid where there is none.
type padding struct{ x, z int }

// paddingOf returns the padding of a level of tile k whose grid has n samples a
// side.
func paddingOf(w *terrain.World, k terrain.Key, of terrain.Level, n int) padding {
	cells := w.TileSize - 1
	first := func(size int, tile int32) int {
		return min(max((size-1-int(tile)*cells)>>of+1, 0), n)
	}
	return padding{first(w.Width, k.X), first(w.Height, k.Y)}
}

// padded says whether some of the grid lies beyond the source.
func (l *level) padded() bool { return l.pad.x < l.n || l.pad.z < l.n }

// clone is a level sample that is a copy: where it is in the order of the level
// and in its plane, and where what it copies is: among the corners or the centres.
type clone struct {
	at, index  int
	fromCorner bool
	x, z       int // of the corner or centre
}

// clones calls do for all clones of a part.
func (l *level) clones(p part, do func(c clone)) {
	if !l.padded() || l.coarsest {
		return
	}
	m := l.m
	cx, cz := l.pad.x/2, l.pad.z/2 // the first centres beyond
	plane := l.heights.of(p.kind)
	for z := range p.height {
		gz := 2*z + 1
		if p.kind == inAcross {
			gz = 2 * z
		}
		first := l.pad.x / 2 // column beyond the rim
		if p.kind == inDown {
			first = (l.pad.x + 1) / 2
		}
		south := gz >= l.pad.z
		x := first
		if south {
			x = 0
		}
		for ; x < p.width; x++ {
			east := x >= first
			c := clone{at: p.at + z*p.width + x, index: plane.index(x, z), fromCorner: true}
			switch {
			case p.kind == inAcross && east, p.kind == inCentres && east && south:
				c.x, c.z = m, m
				if p.kind == inAcross {
					c.z = z
				}
			case p.kind == inDown && south:
				c.x, c.z = x, m
			case east && cx < m && !(p.kind == inCentres && x == cx):
				c.fromCorner, c.x, c.z = false, cx, z
			case south && cz < m && !(p.kind == inCentres && z == cz):
				c.fromCorner, c.x, c.z = false, x, cz
			default:
				continue
			}
			do(c)
		}
	}
}

// ignoreClones puts the clones of a part in class 0, with a residual of 0.
func (l *level) ignoreClones(p part) {
	l.clones(p, func(c clone) { l.guess.class[c.at] = 0 })
}

// copyClones makes clones of what they copy, in one attribute.
func (l *level) copyClones(of *planes, p part) {
	dst := of.of(p.kind).v
	l.clones(p, func(c clone) {
		src := &of.centres
		if c.fromCorner {
			src = &of.corners
		}
		dst[c.index] = src.v[src.index(c.x, c.z)]
	})
}

// cloneNormals does so for normals. verts has the coarser levels.
func (l *level) cloneNormals(verts []terrain.Vertex, packed []uint64) {
	const mask = 0xffff << normalAt
	for _, p := range l.parts() {
		l.clones(p, func(c clone) {
			var n uint64
			if c.fromCorner {
				s := l.n - 1 // grid steps a side of this level
				at := l.layout.Cells / s
				n = packVertex(verts[l.layout.ID[2*c.z*at*l.layout.Size+2*c.x*at]])
			} else {
				n = packed[c.z*l.m+c.x]
			}
			packed[c.at] = packed[c.at]&^uint64(mask) | n&mask
		})
	}
}
