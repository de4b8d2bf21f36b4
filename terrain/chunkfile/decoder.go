package chunkfile

import "github.com/vkterrain/vkterrain/terrain"

// Decoder decodes chunks. It is for one goroutine, works for any number of
// files, and stops allocating once it has met the largest tile. Its zero value is ready to
// use; it must not be copied.
type Decoder struct {
	level
	unpack  unpacker
	chunk   []byte
	stream  [7][]byte
	changes changes

	layer []byte // of Verify

	old oldDecoder // of version 1
}

// NewDecoder returns a decoder.
func NewDecoder() *Decoder {
	return &Decoder{unpack: newUnpacker()}
}

// decode decodes one chunk of a tile of w into the level samples of verts.
// Beyond both sections there must be bitSlack bytes of capacity.
func (d *Decoder) decode(w *terrain.World, t *Tables, verts []terrain.Vertex, k terrain.Key, of terrain.Level, heights, attrs []byte) error {
	d.begin(w, t, k, of)
	own := verts[d.lo:d.hi]
	plain := d.finest && !d.coarsest // without sky view
	if plain {
		if err := d.readChanges(attrs); err != nil {
			return err
		}
		if d.changes.onlyBorder() && !d.padded() {
			return d.decodeSquares(t, verts, heights)
		}
	}
	ok := false
	if d.coarsest {
		ok = d.decodeCoarsest(t, heights, &attrs)
	} else {
		d.load(verts)
		ok = d.decodePlanes(t, heights, &attrs)
	}
	if !ok {
		return errStream
	}
	if !plain {
		if err := d.readChanges(attrs); err != nil {
			return err
		}
	}
	if !d.coarsest {
		for _, p := range d.parts() {
			d.shadePart(p)
		}
		d.pack()
	}
	d.change()
	d.cloneNormals(verts, d.packed)
	d.store(own)
	return nil
}

func (d *Decoder) decodeCoarsest(t *Tables, heights []byte, attrs *[]byte) bool {
	g, n := &d.flat, d.n*d.n
	rest, ok := g.decodeHeights(&d.level, t, heights)
	if !ok || len(rest) != 0 {
		return false
	}
	if *attrs, ok = t.readPass(d.skies[:n], bookSky, d.guess.class[:n], *attrs); !ok {
		return false
	}
	for i := range n {
		g.shades[i] = (g.guessSky(i, d.n)+int32(unzigzag(d.skies[i])))&maxSky | flatCurvature<<16
	}
	g.pack(&d.level)
	return true
}

func (d *Decoder) decodePlanes(t *Tables, heights []byte, attrs *[]byte) bool {
	d.guessCentrePass()
	c := d.centrePass()
	heights, ok := d.heightPass(t, bookCentres, c, heights)
	if !ok {
		return false
	}
	d.applyPart(d.parts()[0])
	d.guessMidpointPass()
	e := d.midpointPass()
	if heights, ok = d.heightPass(t, bookMidpoints, e, heights); !ok || len(heights) != 0 {
		return false
	}
	d.applyPart(d.parts()[1])
	d.applyPart(d.parts()[2])

	for _, p := range [2]pass{c, e} {
		if d.finest {
			break
		}
		if *attrs, ok = t.readPass(d.skies[p.at:p.at+p.n], bookSky, d.guess.class[p.at:p.at+p.n], *attrs); !ok {
			return false
		}
	}
	return true
}

func (d *Decoder) heightPass(t *Tables, book int, p pass, in []byte) ([]byte, bool) {
	return t.readPass(d.residuals[p.at:p.at+p.n], book, d.guess.class[p.at:p.at+p.n], in)
}

// applyPart turns the residuals of a part into heights.
func (d *Decoder) applyPart(p part) {
	d.heights.of(p.kind).applyRows(0, p.height, p.width, d.guess.height[p.at:], d.residuals[p.at:])
	d.copyClones(&d.heights, p)
}

// shadePart turns the residuals of a part into shades.
func (d *Decoder) shadePart(p part) {
	if p.kind == inAcross {
		padShades(&d.shades.centres, &d.shades.corners, d.m)
	}
	plane, heights, residuals := d.shades.of(p.kind), d.heights.of(p.kind), d.skies
	if d.finest {
		residuals = d.nothing
	}
	for z := range p.height {
		at := p.at + z*p.width
		w := around(&d.shades.corners, &d.shades.centres, p.kind, z, d.m)
		shade(plane.row(z)[planePad:planePad+p.width], w[0], w[1], w[2], w[3], heights.row(z)[planePad:],
			d.guess.near[at:at+p.width], residuals[at:at+p.width], &d.shading)
	}
	d.copyClones(&d.shades, p)
}

// changes are what coefficients and normals differ from their predictions by, one
// byte a level sample or border sample, and 1 where there are holes; nil stands for
// zeros. On the finest level most of it is nothing at all.
type changes struct {
	low, high []byte // of coefficients
	normal    [2][]byte
	edge      [2][]byte // of normals on the border
	holes     []byte
}

// onlyBorder says whether nothing inside the tile changes.
func (c *changes) onlyBorder() bool {
	return c.low == nil && c.high == nil && c.normal[0] == nil && c.normal[1] == nil && c.holes == nil
}

// border changes the normals of row z of a part.
func (c *changes) border(p part, z, m int, packed []uint64) {
	for i, edge := range c.edge {
		if edge == nil {
			continue
		}
		shift := uint(normalAt + 8*i)
		switch {
		case p.kind == inAcross && (z == 0 || z == m):
			for x := range packed {
				packed[x] = addByte(packed[x], edge[2*x+min(z, 1)], shift)
			}
		case p.kind == inDown:
			packed[0] = addByte(packed[0], edge[2*m+2*z], shift)
			packed[m] = addByte(packed[m], edge[2*m+2*z+1], shift)
		}
	}
}

// readChanges reads the streams that end a chunk.
func (d *Decoder) readChanges(in []byte) (err error) {
	c, count := &d.changes, d.hi-d.lo
	*c = changes{}
	read := func(dst *[]byte, buffer, n int) {
		if err == nil {
			*dst, in, err = d.sparse(buffer, n, in)
		}
	}
	read(&c.low, 0, count)
	read(&c.high, 1, count)
	for i := range c.normal {
		read(&c.normal[i], 2+2*i, count)
		read(&c.edge[i], 3+2*i, d.borderLen())
	}
	if d.finest {
		read(&c.holes, 6, count)
	}
	if err == nil && len(in) != 0 {
		return errStream
	}
	return err
}

// change changes packed.
func (d *Decoder) change() {
	c, packed := &d.changes, d.packed[:d.hi-d.lo]
	if c.low != nil || c.high != nil {
		addCoefs(packed, c.low, c.high)
	}
	for i := range c.normal {
		for k, v := range c.normal[i] {
			packed[k] = addByte(packed[k], v, uint(normalAt+8*i))
		}
	}
	if !d.coarsest {
		for _, p := range d.parts() {
			for z := range p.height {
				at := p.at + z*p.width
				c.border(p, z, d.m, packed[at:at+p.width])
			}
		}
	}
	for i, v := range c.holes {
		if v != 0 {
			packed[i] &^= 0xff << skyAt
		}
	}
}

// sparse reads a stream of n bytes into one of the buffers; nil stands for zeros.
func (d *Decoder) sparse(buffer, n int, in []byte) (out, rest []byte, err error) {
	if rest, ok := zeros(n, in); ok {
		return nil, rest, nil
	}
	b := &d.stream[buffer]
	if cap(*b) < n {
		*b = make([]byte, len(d.packed))
	}
	out = (*b)[:n]
	rest, err = d.unpack.read(out, in)
	return out, rest, err
}

// Bits of a packed vertex.
const (
	coefAt   = 16
	normalAt = 32
	skyAt    = 48
)

// addCoefs adds residuals to the coefficients; nil stands for zeros.
func addCoefs(packed []uint64, low, high []byte) {
	for i, p := range packed {
		var r uint16
		if low != nil {
			r = uint16(low[i])
		}
		if high != nil {
			r |= uint16(high[i]) << 8
		}
		coef := uint16(p>>coefAt) + uint16(unzigzag(r))
		packed[i] = p&^(0xffff<<coefAt) | uint64(coef)<<coefAt
	}
}

// addByte adds v to the byte of p at shift.
func addByte(p uint64, v byte, shift uint) uint64 {
	return p&^(0xff<<shift) | uint64(byte(p>>shift)+v)<<shift
}

// store writes the level samples.
func (d *Decoder) store(verts []terrain.Vertex) {
	packed := d.packed
	for _, ids := range d.ids() {
		scatter(verts, ids, packed)
		packed = packed[len(ids):]
	}
}
