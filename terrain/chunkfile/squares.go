package chunkfile

import "github.com/vkterrain/vkterrain/terrain"

// On the finest level most tiles have nothing to change inside. Their vertices are made
// square by square: the level samples across, down and in the centre of one
// follow each other in memory, see [terrain.Layout].

// bandRows is how many rows are decoded at a time, so that what is in between stays near the processor.
// It makes a band a multiple of eight samples.
const bandRows = 8

// decodeSquares decodes a finest level without padding, whose changes were read and are
// only on the border.
func (d *Decoder) decodeSquares(t *Tables, verts []terrain.Vertex, heights []byte) error {
	d.load(verts)
	var r passReader
	p := d.parts()
	midpoints, ok := r.open(t, bookCentres, p[1].at, heights)
	if !ok || !d.readPart(&r, p[0]) || !r.done() {
		return errStream
	}
	padCentres(&d.heights.centres, &d.heights.corners, d.m)
	rest, ok := r.open(t, bookMidpoints, d.hi-d.lo-p[1].at, midpoints)
	if !ok || len(rest) != 0 || !d.readPart(&r, p[1]) || !d.readPart(&r, p[2]) || !r.done() {
		return errStream
	}
	d.finish(verts[d.lo:d.hi])
	return nil
}

// fetch asks the memory for the tables of the classes that come often.
func (r *passReader) fetch(class []uint8) {
	var count [classes]int
	for _, c := range class {
		count[c]++
	}
	for c, n := range count {
		if n > len(class)/64 {
			fetchTable(r.book.decode[c])
		}
	}
}

// readPart decodes the heights of a part, and leaves what is near them in guess.
func (d *Decoder) readPart(r *passReader, p part) bool {
	plane := d.heights.of(p.kind)
	for first := 0; first < p.height; first += bandRows {
		rows := min(bandRows, p.height-first)
		for z := range rows {
			g := d.guess.slice(z*p.width, p.width)
			g.near = d.guess.near[p.at+(first+z)*p.width:]
			d.guessRow(p.kind, first+z, g)
		}
		if first == 0 && p.kind != inDown {
			r.fetch(d.guess.class[:rows*p.width])
		}
		if n := rows * p.width; !r.read(d.residuals[:n], d.guess.class[:n]) {
			return false
		}
		for z := range rows {
			at := z * p.width
			apply(plane.row(first + z)[planePad:planePad+p.width], d.guess.height[at:at+p.width], d.residuals[at:at+p.width])
		}
	}
	return true
}

// squareRow is what a row of squares is made of. Its slices begin with the first
// square's, those of centres and their shades with the one west of it.
type squareRow struct {
	corners, south       []int32 // heights of the corners to the north and south
	north, centres       []int32 // of centres, north of the row and in it
	across, below, down  []int32 // of midpoints: those below are across the south
	nearAcross, nearDown []int32 // means of the heights around those across and down

	cornerShades, southShades, northShades, centreShades []int32

	ids   []uint32 // of the samples across
	ahead []uint32 // those of a row that comes soon
	odd   int      // parity of the row, see squaresGo
}

// square returns row z of the squares of a level whose heights are known, and the
// shades of centres.
func (l *level) square(z int) squareRow {
	h, s, m := &l.heights, &l.shades, l.m
	across, down := l.parts()[1].at+z*m, l.parts()[2].at+z*(m+1)
	return squareRow{
		corners: h.corners.row(z)[planePad:], south: h.corners.row(z + 1)[planePad:],
		north: h.centres.row(z - 1)[planePad:], centres: h.centres.row(z)[planePad-1:],
		across: h.across.row(z)[planePad:], below: h.across.row(z + 1)[planePad:], down: h.down.row(z)[planePad:],
		nearAcross: l.guess.near[across:], nearDown: l.guess.near[down:],
		cornerShades: s.corners.row(z)[planePad:], southShades: s.corners.row(z + 1)[planePad:],
		northShades: s.centres.row(z - 1)[planePad:], centreShades: s.centres.row(z)[planePad-1:],
		ids: l.across[z*m : (z+1)*m], ahead: l.across[min(z+2, m)*m:], odd: z & 1,
	}
}

// finishGo makes the vertices of a row of squares.
func finishGo(verts []terrain.Vertex, r *squareRow, s *scale, g *shading) {
	for x, id := range r.ids {
		a, b, c, d := r.corners[x], r.corners[x+1], r.south[x], r.south[x+1]
		centre, across, below, down, next := r.centres[x+1], r.across[x], r.below[x], r.down[x], r.down[x+1]
		ends := a + d
		if (x^r.odd)&1 != 0 {
			ends = b + c
		}
		east := abs(2*next - b - d)
		err := max(abs(2*centre-ends), abs(2*across-a-b), abs(2*below-c-d), abs(2*down-a-c), east)
		verts[id] = r.vertexAcross(x, s, g)
		verts[id+1] = r.vertexDown(x, s, g)
		verts[id+2] = unpackVertex(s.vertex(centre, err, r.centreShades[x+1], next-down, below-across))
	}
}

// vertexAcross makes the vertex of the midpoint between corners x and x+1.
func (r *squareRow) vertexAcross(x int, s *scale, g *shading) terrain.Vertex {
	h, a, b := r.across[x], r.corners[x], r.corners[x+1]
	sky, curvature := guessShade(r.cornerShades[x]+r.cornerShades[x+1]+r.northShades[x]+r.centreShades[x+1], h-r.nearAcross[x], g)
	return unpackVertex(s.vertex(h, abs(2*h-a-b), sky|curvature<<16, b-a, r.centres[x+1]-r.north[x]))
}

// vertexDown makes that of the midpoint between corner x and the one to the south.
func (r *squareRow) vertexDown(x int, s *scale, g *shading) terrain.Vertex {
	h, a, b := r.down[x], r.corners[x], r.south[x]
	sky, curvature := guessShade(r.cornerShades[x]+r.southShades[x]+r.centreShades[x]+r.centreShades[x+1], h-r.nearDown[x], g)
	return unpackVertex(s.vertex(h, abs(2*h-a-b), sky|curvature<<16, r.centres[x+1]-r.centres[x], b-a))
}

// finish makes all vertices of a level without padding and with nothing to change but on the
// border. The heights must be known.
func (d *Decoder) finish(own []terrain.Vertex) {
	m := d.m
	d.mirrorBorders()
	d.shadePart(d.parts()[0])
	padShades(&d.shades.centres, &d.shades.corners, m)
	for z := range m {
		r := d.square(z)
		finish(own, &r, &d.scale, &d.shading)
		own[d.down[z*(m+1)+m]] = r.vertexDown(m, &d.scale, &d.shading)
	}
	last := d.square(m)
	for x, id := range d.across[m*m:] {
		own[id] = last.vertexAcross(x, &d.scale, &d.shading)
	}
	d.changeBorder(own)
}

// changeBorder changes the normals on the border.
func (d *Decoder) changeBorder(own []terrain.Vertex) {
	m := d.m
	for i, edge := range d.changes.edge {
		if edge == nil {
			continue
		}
		for x := range m {
			own[d.across[x]].Normal[i] += edge[2*x]
			own[d.across[m*m+x]].Normal[i] += edge[2*x+1]
		}
		edge = edge[2*m:]
		for z := range m {
			own[d.down[z*(m+1)]].Normal[i] += edge[2*z]
			own[d.down[z*(m+1)+m]].Normal[i] += edge[2*z+1]
		}
	}
}
