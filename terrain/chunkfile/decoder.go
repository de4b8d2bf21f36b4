package chunkfile

import "github.com/vkterrain/vkterrain/terrain"

// Decoder decodes chunks. It is for one goroutine, works for any number of
// files, and stops allocating once it has met the largest tile.
type Decoder struct {
	level
	unpack unpacker
	chunk  []byte
	stream [2][]byte

	old oldDecoder // of version 1
}

// NewDecoder returns a decoder.
func NewDecoder() *Decoder {
	d := &Decoder{unpack: newUnpacker()}
	d.old.unpack = &d.unpack
	return d
}

// decode decodes one chunk of a tile of w into the level samples of verts.
// Beyond both sections there must be bitSlack bytes of capacity.
func (d *Decoder) decode(w *terrain.World, t *Tables, verts []terrain.Vertex, k terrain.Key, of terrain.Level, heights, attrs []byte) error {
	d.begin(w, t, k, of)
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
	if err := d.residualStreams(attrs); err != nil {
		return err
	}
	d.cloneNormals(verts, d.packed)
	d.store(verts[d.lo:d.hi])
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
	for _, p := range d.parts() {
		d.shadePart(p)
	}
	d.pack()
	return true
}

func (d *Decoder) heightPass(t *Tables, book int, p pass, in []byte) ([]byte, bool) {
	return t.readPass(d.residuals[p.at:p.at+p.n], book, d.guess.class[p.at:p.at+p.n], in)
}

// applyPart turns the residuals of a part into heights.
func (d *Decoder) applyPart(p part) {
	plane := d.heights.of(p.kind)
	for z := range p.height {
		at := p.at + z*p.width
		apply(plane.row(z)[planePad:planePad+p.width], d.guess.height[at:at+p.width], d.residuals[at:at+p.width])
	}
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

// residualStreams reads what coefficients and normals differ from their
// predictions by, and changes packed accordingly. On the finest level most of it
// is nothing at all.
func (d *Decoder) residualStreams(in []byte) error {
	packed := d.packed[:d.hi-d.lo]
	low, in, err := d.sparse(0, len(packed), in)
	if err != nil {
		return err
	}
	high, in, err := d.sparse(1, len(packed), in)
	if err != nil {
		return err
	}
	if low != nil || high != nil {
		addCoefs(packed, low, high)
	}
	for _, shift := range [2]uint{normalAt, normalAt + 8} {
		var r []byte
		if r, in, err = d.sparse(0, len(packed), in); err != nil {
			return err
		}
		for i, v := range r {
			packed[i] = addByte(packed[i], v, shift)
		}
		border := d.borderLen()
		if r, in, err = d.sparse(0, border, in); err != nil {
			return err
		}
		if r != nil {
			k := 0
			d.onBorder(func(at int) {
				packed[at] = addByte(packed[at], r[k], shift)
				k++
			})
		}
	}
	if d.finest {
		var holes []byte
		if holes, in, err = d.sparse(0, len(packed), in); err != nil {
			return err
		}
		for i, v := range holes {
			if v != 0 {
				packed[i] &^= 0xff << skyAt
			}
		}
	}
	if len(in) != 0 {
		return errStream
	}
	return nil
}

// sparse reads a stream of n bytes into one of two buffers; nil stands for zeros.
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
