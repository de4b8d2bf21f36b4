package chunkfile

import "github.com/vkterrain/vkterrain/terrain"

// A layer's byte of a sample is predicted as the mean of the four nearest samples
// that are known, on the coarsest level as that of the sample before. Padding is
// kept as all else: what a layer has of a vertex need not be what it has of the sample.
// The differences are a stream for each byte of a vertex.

// bytesOf fills the corners of shades with one byte of the known vertices.
func (l *level) bytesOf(layer []byte, size, byteAt int) {
	n := l.m + 1
	for z := range n {
		row := l.shades.corners.row(z)[planePad:]
		for x, id := range l.corners[z*n : (z+1)*n] {
			row[x] = int32(layer[int(id)*size+byteAt])
		}
	}
}

// eachByte calls do for the level samples in the order of the level, with the byte
// that is expected of each and where it goes. It needs the corners of shades.
func (l *level) eachByte(do func(at int, expected int32, value *int32)) {
	s := &l.shades
	for _, p := range l.parts() {
		if p.kind == inAcross {
			padShades(&s.centres, &s.corners, l.m)
		}
		plane := s.of(p.kind)
		for z := range p.height {
			w := around(&s.corners, &s.centres, p.kind, z, l.m)
			row := plane.row(z)[planePad:]
			for x := range p.width {
				do(p.at+z*p.width+x, (w[0][x]+w[1][x]+w[2][x]+w[3][x]+2)>>2&0xff, &row[x])
			}
		}
	}
}

// layer appends the streams of a layer of size bytes a vertex, for the level that
// was measured last.
func (e *Encoder) layer(dst, layer []byte, size int) []byte {
	out := e.coefs[0][:e.hi-e.lo]
	own := layer[e.lo*size:]
	for b := range size {
		if e.coarsest {
			before := byte(0)
			for i, id := range e.centres {
				v := own[int(id)*size+b]
				out[i] = v - before
				before = v
			}
		} else {
			e.bytesOf(layer, size, b)
			ids := e.ids()
			order := 0
			at := func() uint32 { // ids of the parts, one after the other
				for len(ids[order]) == 0 {
					order++
				}
				id := ids[order][0]
				ids[order] = ids[order][1:]
				return id
			}
			e.eachByte(func(i int, expected int32, value *int32) {
				*value = int32(own[int(at())*size+b])
				out[i] = byte(*value - expected)
			})
		}
		dst = e.coder.append(dst, out)
	}
	return dst
}

// decodeLayer reads a layer's streams of one level into dst.
func (d *Decoder) decodeLayer(w *terrain.World, t *Tables, dst []byte, size int, k terrain.Key, of terrain.Level, in []byte) (err error) {
	d.begin(w, t, k, of)
	count := d.hi - d.lo
	if cap(d.stream[0]) < count {
		d.stream[0] = make([]byte, len(d.packed))
	}
	out, own := d.stream[0][:count], dst[d.lo*size:]
	for b := range size {
		if in, err = d.unpack.read(out, in); err != nil {
			return err
		}
		if d.coarsest {
			before := byte(0)
			for i, id := range d.centres {
				before += out[i]
				own[int(id)*size+b] = before
			}
			continue
		}
		d.bytesOf(dst, size, b)
		d.eachByte(func(i int, expected int32, value *int32) {
			*value = (expected + int32(out[i])) & 0xff
		})
		for i, p := range d.parts() {
			plane := d.shades.of(p.kind)
			for k, id := range d.ids()[i] {
				own[int(id)*size+b] = byte(plane.v[plane.index(k%p.width, k/p.width)])
			}
		}
	}
	if len(in) != 0 {
		return errStream
	}
	return nil
}
