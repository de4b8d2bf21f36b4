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

// fetch asks the memory for the tables of the classes that come.
func (r *passReader) fetch(class []uint8) {
	const step = 4
	var count [classes]int
	for i := 0; i < len(class); i += step {
		count[class[i]]++
	}
	for c, n := range count {
		if n > 0 {
			fetchTable(r.book.decode[c])
		}
	}
}

// readPart decodes the heights of a part, and leaves what is near them in guess.
func (d *Decoder) readPart(r *passReader, p part) bool {
	plane := d.heights.of(p.kind)
	for z := 0; z < p.height; z += bandRows {
		rows := min(bandRows, p.height-z)
		n := rows * p.width
		g := d.guess.slice(0, n)
		g.near = d.guess.near[p.at+z*p.width:]
		d.guessRows(p.kind, z, rows, g)
		if z == 0 && p.kind != inDown {
			r.fetch(g.class)
		}
		if !r.read(d.residuals[:n], g.class) {
			return false
		}
		plane.applyRows(z, rows, p.width, g.height, d.residuals)
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
	h, s, m, stride := &l.heights, &l.shades, l.m, l.heights.corners.stride
	at := h.corners.index(0, z) // planes are alike
	return squareRow{
		corners: h.corners.v[at:], south: h.corners.v[at+stride:],
		north: h.centres.v[at-stride:], centres: h.centres.v[at-1:],
		across: h.across.v[at:], below: h.across.v[at+stride:], down: h.down.v[at:],
		nearAcross: l.guess.near[m*m+z*m:], nearDown: l.guess.near[m*m+(m+1)*m+z*(m+1):],
		cornerShades: s.corners.v[at:], southShades: s.corners.v[at+stride:],
		northShades: s.centres.v[at-stride:], centreShades: s.centres.v[at-1:],
		ids: l.across[z*m : (z+1)*m], ahead: l.across[min(z+2, m)*m:], odd: z & 1,
	}
}

// shadeCentres makes the shades of a row of centres of a finest level, and of those beyond the
// border beside it.
func (l *level) shadeCentres(z int) {
	s, m, stride := &l.shades, l.m, l.shades.corners.stride
	at := s.corners.index(0, z)
	north, south := s.corners.v[at:], s.corners.v[at+stride:]
	shade(s.centres.v[at:at+m], north, north[1:], south, south[1:], l.heights.centres.v[at:], l.guess.near[z*m:], l.nothing, &l.shading)
	padShadesRow(&s.centres, &s.corners, z, m)
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
	for z := range m {
		d.shadeCentres(z)
		r := d.square(z)
		finish(own, &r, &d.scale, &d.shading)
		own[d.down[z*(m+1)+m]] = r.vertexDown(m, &d.scale, &d.shading)
	}
	d.finishSouth(own)
	d.changeBorder(own)
}

// finishSouth makes the vertices on the south border, which is no row of squares.
func (d *Decoder) finishSouth(own []terrain.Vertex) {
	r, m := d.square(d.m), d.m
	errors, shades := d.errors.across.row(m)[planePad:], d.shades.across.row(m)[planePad:]
	edges(errors[:m], r.across, r.corners, r.corners[1:])
	shade(shades[:m], r.cornerShades, r.cornerShades[1:], r.northShades, r.centreShades[1:], r.across, r.nearAcross, d.nothing, &d.shading)
	pack(d.packed[:m], r.across, errors, shades, r.corners, r.corners[1:], r.north, r.centres[1:], &d.scale)
	scatter(own, r.ids, d.packed)
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
