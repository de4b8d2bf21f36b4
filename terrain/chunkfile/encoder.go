package chunkfile

import (
	"math"

	"github.com/vkterrain/vkterrain/terrain"
)

// Encoder codes tiles of one world. It is for one goroutine; its parts are
// built once and reused.
type Encoder struct {
	world  *terrain.World
	tables *Tables
	level
	normals [2][]byte
	coefs   [2][]byte
	coder   packer
	passer  passWriter
}

// NewEncoder returns an encoder for the tiles of w. The tables must be those
// that the file is created with; nil means [DefaultTables].
func NewEncoder(w *terrain.World, t *Tables) *Encoder {
	if t == nil {
		t = DefaultTables()
	}
	return &Encoder{world: w, tables: t, coder: newPacker()}
}

// Encoded is a tile ready to be written.
type Encoded struct {
	Info   terrain.TileInfo
	data   []byte
	chunks []entry // by level
	layers []entry // by level, then layer
}

// Bytes returns the size of the tile's chunks.
func (e *Encoded) Bytes() int { return len(e.data) }

// gather fills the planes with a level of verts, and guess.
func (e *Encoder) gather(k terrain.Key, verts []terrain.Vertex, of terrain.Level) {
	e.begin(e.world, e.tables, k, of)
	if e.coarsest {
		e.measureCoarsest(verts)
		return
	}
	e.load(verts)
	own := verts[e.lo:e.hi]
	ids := e.ids()
	for i, p := range e.parts() {
		h, s := e.heights.of(p.kind), e.shades.of(p.kind)
		for z := range p.height {
			for x := range p.width {
				v := &own[ids[i][z*p.width+x]]
				at := h.index(x, z)
				h.v[at], s.v[at] = int32(v.Height), skyTable[v.SkyView]
			}
		}
	}
	e.guessCentrePass()
	e.guessMidpointPass()
}

// measure fills residuals and skies for the level that was gathered, and packed
// with what is predicted of the rest.
func (e *Encoder) measure() {
	if e.coarsest {
		return
	}
	for _, p := range e.parts() {
		plane := e.heights.of(p.kind)
		for z := range p.height {
			at := p.at + z*p.width
			for x, h := range plane.row(z)[planePad : planePad+p.width] {
				e.residuals[at+x] = zigzag(int16(h - e.guess.height[at+x]))
			}
		}
		e.clones(p, func(c clone) { e.residuals[c.at] = 0 })
	}
	e.measureShades()
	e.pack()
}

// measureShades fills skies with residuals, and the curvature of shades.
func (e *Encoder) measureShades() {
	e.eachShade(func(at int, shade *int32, sum, bump int32) {
		sky, curvature := guessShade(sum, bump, &e.shading)
		*shade &= 0xffff
		if e.finest { // it is what it is expected to be, as the decoder will have it
			*shade = sky
		}
		e.skies[at] = zigzag(int16(*shade - sky))
		*shade |= curvature << 16
	})
	for _, p := range e.parts() {
		e.clones(p, func(c clone) { e.skies[c.at] = 0 })
	}
}

func (e *Encoder) measureCoarsest(verts []terrain.Vertex) {
	g := &e.flat
	for i, id := range e.centres {
		v := &verts[id]
		g.heights[i], g.shades[i] = int32(v.Height), skyTable[v.SkyView]
	}
	g.measureHeights(&e.level)
	for i := range e.n * e.n {
		e.skies[i] = zigzag(int16(g.shades[i] - g.guessSky(i, e.n)))
		g.shades[i] |= flatCurvature << 16
	}
	g.pack(&e.level)
}

// eachShade calls do for all level samples with what predicts their shades.
func (e *Encoder) eachShade(do func(at int, shade *int32, sum, bump int32)) {
	for _, p := range e.parts() {
		if p.kind == inAcross {
			padShades(&e.shades.centres, &e.shades.corners, e.m)
		}
		plane, heights := e.shades.of(p.kind), e.heights.of(p.kind)
		for z := range p.height {
			w := around(&e.shades.corners, &e.shades.centres, p.kind, z, e.m)
			s, h := plane.row(z)[planePad:], heights.row(z)[planePad:]
			for x := range p.width {
				at := p.at + z*p.width + x
				do(at, &s[x], w[0][x]+w[1][x]+w[2][x]+w[3][x], h[x]-e.guess.near[at])
			}
		}
		e.copyClones(&e.shades, p)
	}
}

// fit finds the factor from x to y. No product is fused with a sum.
type fit struct{ xy, xx float64 }

func (f *fit) add(x, y float64) {
	f.xy += float64(x * y)
	f.xx += float64(x * x)
}

func (f *fit) gain() int32 {
	if f.xx == 0 {
		return 0
	}
	return int32(min(max(math.Round(f.xy/f.xx*(1<<skyShift)), math.MinInt16), math.MaxInt16))
}

// passes are the parts of the order of a level that are coded by themselves.
func (l *level) passes() []pass {
	if l.coarsest {
		return []pass{{0, l.hi}}
	}
	return []pass{l.centrePass(), l.midpointPass()}
}

// EncodeTile codes a tile. layers are those of the world, each with its bytes of
// every vertex in the order of ids. A tile that was damaged may be coded down to
// some level only: verts and layers are then shorter.
//
// Vertices beyond the rim of the source must be clones of those on the rim, but for
// their coefficients. Sky view is kept in 6 bits, and on the finest level only
// whether it is 0: there it is derived, as curvature is everywhere. It panics if
// the lengths of verts and layers do not fit.
func (e *Encoder) EncodeTile(info *terrain.TileInfo, verts []terrain.Vertex, layers ...[]byte) *Encoded {
	layout, kinds := e.world.Layout(), e.world.Layers
	finest := 0
	for finest < layout.Levels && layout.Count(terrain.Level(finest)) != len(verts) {
		finest++
	}
	if finest == layout.Levels || len(layers) != len(kinds) {
		panic("chunkfile: EncodeTile of a tile that is not whole")
	}
	out := &Encoded{Info: *info, chunks: make([]entry, layout.Levels), layers: make([]entry, layout.Levels*len(kinds))}
	for of := layout.Levels - 1; of >= finest; of-- {
		start := len(out.data)
		e.gather(info.Key, verts, terrain.Level(of))
		e.measure()
		for b, p := range e.passes() {
			out.data = e.passer.append(out.data, e.tables, bookCentres+b, e.guess.class[p.at:], e.residuals[p.at:p.at+p.n])
		}
		heights := len(out.data) - start
		out.data = e.attributes(out.data, verts)
		out.chunks[of] = entryOf(out.data[start:], heights)
		for i, l := range kinds {
			if len(layers[i]) != l.Bytes*len(verts) {
				panic("chunkfile: EncodeTile of a layer that is not whole")
			}
			start := len(out.data)
			out.data = e.layer(out.data, layers[i], l.Bytes)
			out.layers[of*len(kinds)+i] = entryOf(out.data[start:], 0)
		}
	}
	return out
}

// entryOf describes a chunk, but for its place.
func entryOf(chunk []byte, heights int) entry {
	return entry{stored: uint32(len(chunk)), heights: uint32(heights), crc: checksum(chunk)}
}

// attributes appends the attribute section.
func (e *Encoder) attributes(dst []byte, verts []terrain.Vertex) []byte {
	for _, p := range e.passes() {
		if e.finest && !e.coarsest {
			break
		}
		dst = e.passer.append(dst, e.tables, bookSky, e.guess.class[p.at:], e.skies[p.at:p.at+p.n])
	}
	count := e.hi - e.lo
	for _, b := range []*[2][]byte{&e.normals, &e.coefs} {
		for i := range b {
			if cap(b[i]) < count {
				b[i] = make([]byte, len(e.packed))
			}
			b[i] = b[i][:count]
		}
	}
	at := 0
	for _, ids := range e.ids() {
		for _, id := range ids {
			v, p := &verts[e.lo+int(id)], unpackVertex(e.packed[at])
			c := zigzag(int16(v.Coef - p.Coef))
			e.coefs[0][at], e.coefs[1][at] = byte(c), byte(c>>8)
			e.normals[0][at], e.normals[1][at] = v.Normal[0]-p.Normal[0], v.Normal[1]-p.Normal[1]
			at++
		}
	}
	for _, p := range e.parts() {
		e.clones(p, func(c clone) { e.normals[0][c.at], e.normals[1][c.at] = 0, 0 })
	}
	dst = e.coder.append(dst, e.coefs[0])
	dst = e.coder.append(dst, e.coefs[1])
	for _, n := range e.normals {
		var border []byte
		e.onBorder(func(at int) {
			border = append(border, n[at])
			n[at] = 0
		})
		dst = e.coder.append(dst, n)
		dst = e.coder.append(dst, border)
	}
	if e.finest {
		flags := e.normals[0]
		at := 0
		for _, ids := range e.ids() {
			for _, id := range ids {
				flags[at] = 0
				if verts[e.lo+int(id)].Hole() {
					flags[at] = 1
				}
				at++
			}
		}
		dst = e.coder.append(dst, flags)
	}
	return dst
}

// Trainer makes the tables of a world from some of its tiles.
type Trainer struct {
	enc   *Encoder
	count frequencies
	sky   [terrain.MaxLevels]fit
}

// NewTrainer returns a trainer for w.
func NewTrainer(w *terrain.World) *Trainer { return &Trainer{enc: NewEncoder(w, nil)} }

// Add takes tile k into account. verts must be a whole tile.
func (t *Trainer) Add(k terrain.Key, verts []terrain.Vertex) {
	e := t.enc
	for of := e.world.Layout().Levels - 1; of >= 0; of-- {
		e.gather(k, verts, terrain.Level(of))
		t.addShades(terrain.Level(of))
		e.measure()
		for b, p := range e.passes() {
			for i := p.at; i < p.at+p.n; i++ {
				t.add(bookCentres+b, e.guess.class[i], e.residuals[i])
				if !e.finest || e.coarsest {
					t.add(bookSky, e.guess.class[i], e.skies[i])
				}
			}
		}
	}
}

func (t *Trainer) add(book int, class uint8, u uint16) {
	k := t.enc.tables.book[book].table[class]
	n := u >> k.low
	if n >= tokens {
		n = uint16(k.escape)
	}
	t.count[book][class][n]++
}

// addShades fits how much sky view follows bumps.
func (t *Trainer) addShades(of terrain.Level) {
	e := t.enc
	if e.coarsest {
		return
	}
	e.eachShade(func(at int, shade *int32, sum, bump int32) {
		s, _ := guessShade(sum, 0, &e.shading)
		t.sky[of].add(float64(min(max(bump, -maxBump), maxBump-1)), float64(*shade&0xffff-s))
	})
}

// Tables returns the tables for what was added.
func (t *Trainer) Tables() *Tables {
	out := newTables(&t.count)
	for l := range t.sky {
		out.sky[l] = int16(t.sky[l].gain())
	}
	return out
}
