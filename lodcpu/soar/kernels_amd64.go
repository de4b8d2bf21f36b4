//go:build !noasm

package soar

import (
	"unsafe"

	"github.com/vkterrain/vkterrain/terrain"
)

// fast says that the processor has AVX2 and POPCNT, and that the system keeps the
// registers. What it takes to ask about open blocks and to write fans then has a
// twin in assembly that does the same.
var fast = func() bool {
	const osxsave, avx, popcnt = 1 << 27, 1 << 28, 1 << 23
	const avx2 = 1 << 5
	if top, _, _, _ := cpuid(0, 0); top < 7 {
		return false
	}
	if _, _, c, _ := cpuid(1, 0); c&(osxsave|avx|popcnt) != osxsave|avx|popcnt || xgetbv()&6 != 6 {
		return false
	}
	_, b, _, _ := cpuid(7, 0)
	return b&avx2 != 0
}()

func cpuid(leaf, sub uint32) (a, b, c, d uint32)
func xgetbv() uint32

//go:noescape
func prefetchLines(from *terrain.Vertex, lines int)

// There are no pointers behind the end of anything below: the garbage collector
// would take them for those of what comes next in memory.

// asking is what askAVX2 works on: some blocks, the vertices of whose quarters are
// those from verts on, and lie in the columns and rows of which xs and zs hold the
// distances.
type asking struct {
	blocks      *block
	many        int
	verts       *terrain.Vertex
	xs, zs      *float64
	kids, marks *uint8
	stride      int
	split       *block // where to put the quarters that are split
	put         int    // how many there are

	reach            [3][4]float64 // A + r of the twelve vertices
	share, far       [4]float64    // see lodcpu.Law.Hazed, four times
	hazed            int           // 1 if there is haze
	zero             float64       // 2⁵² - the tile's base
	quantum, eyeY, b float64
}

//go:noescape
func askAVX2(a *asking)

// culling is what askCullAVX2 works on: blocks that are to be asked about sides of
// the picture, or whose vertices may not be eligible.
type culling struct {
	asking
	cares    *care
	cut      *block // where to put quarters that are split and cut by a side
	cutCares *care
	cutPut   int
	ball     [3][4]float64 // of the twelve vertices, see lodcpu.Law.Ball
	planes   [4][4]float64 // see lodcpu.Cull.Plane
	seams    *uint64       // of each block, see question.seamsAt; all the same if step is 0
	step     int           // 8 or 0
}

//go:noescape
func askCullAVX2(c *culling)

// fanning is what fansAVX2 works on. It ends before a fan for which there may be no
// room, and says how many blocks are done and how many indices put.
type fanning struct {
	blocks      *block
	many, done  int
	kids, marks *uint8
	stride      int
	rings       unsafe.Pointer // *ringOf[I]
	dst         unsafe.Pointer // *I
	room        int            // indices
	put         int
}

//go:noescape
func fansAVX2(f *fanning)

// fansNarrowAVX2 is the same for indices of 16 bits.
//
//go:noescape
func fansNarrowAVX2(f *fanning)

// packed is, for each set of quarters, the halves of those of four words that are
// to be kept.
var packed = func() (all [16][8]uint32) {
	for set := range all {
		n := 0
		for q := range uint32(4) {
			if set>>q&1 != 0 {
				all[set][n], all[set][n+1] = 2*q, 2*q+1
				n += 2
			}
		}
	}
	return all
}()

// packedBytes is the same for bytes.
var packedBytes = func() (all [16][4]uint8) {
	for set := range all {
		n := 0
		for q := range uint8(4) {
			if set>>q&1 != 0 {
				all[set][n] = q
				n++
			}
		}
	}
	return all
}()

// prefetched is the finest level that is fetched before it is asked about.
const prefetched = 2

// prefetch fetches the vertices of a tile's coarse levels, which come first, before
// they are asked about tier by tier.
func (w *walk) prefetch(t *terrain.Tile) {
	const line = 8 // vertices
	vertices := w.plan.layout.Count(terrain.Level(min(max(w.finest, prefetched), w.plan.layout.Levels-1)))
	prefetchLines(&t.Verts[0], (vertices+line-1)/line)
}

// askOpen asks about the quarters of open blocks, which are blocks of tier i.
func (w *walk) askOpen(i int, f, below *found) {
	if !fast {
		w.askOpenGo(i, f, below)
		return
	}
	a := asking{split: &below.open[:1][0]}
	a.start(w, i, f.open, f.openKids, below)
	askAVX2(&a)
	below.open = below.open[:a.put]
}

// twelve puts values of black and white vertices where those of a block's quarters
// are.
func twelve(black, white float64) [3][4]float64 {
	return [3][4]float64{{black, black, white, black}, {black, white, black, black}, {white, black, black, white}}
}

// start sets up to ask about the quarters of blocks, which are blocks of tier i.
func (a *asking) start(w *walk, i int, blocks []block, kids []uint8, below *found) {
	a.blocks, a.many = &blocks[0], len(blocks)
	a.verts, a.xs, a.zs = &w.vertices(i)[0], &w.xs[0], &w.zs[0]
	a.kids, a.marks, a.stride = &kids[0], &below.marks[0], below.side+1
	a.reach = twelve(w.reach[2*i], w.reach[2*i+1])
	for k := range 4 {
		a.share[k], a.far[k] = w.share, w.far
	}
	if w.far > 0 {
		a.hazed = 1
	}
	a.zero, a.quantum, a.eyeY, a.b = 1<<52-float64(w.base), w.law.Quantum, w.law.Eye[1], w.law.B
}

// askCareful asks about the quarters of careful blocks, which are blocks of tier i.
func (w *walk) askCareful(i int, f, below *found) {
	if !fast {
		w.askCarefulGo(i, f, below)
		return
	}
	w.seamsOf[0] = anywhere
	step := 0
	if w.mixed {
		step = 8
		for j, b := range f.careful {
			if w.seamsOf[j] = anywhere; f.cares[j]&careSeams != 0 {
				w.seamsOf[j] = w.seamsAt(i, b)
			}
		}
	}
	open := len(below.open)
	c := culling{
		cares: &f.cares[0],
		cut:   &below.careful[:1][0], cutCares: &below.cares[:1][0],
		ball: twelve(w.ball[2*i], w.ball[2*i+1]), planes: w.planes,
		seams: &w.seamsOf[0], step: step,
	}
	c.start(w, i, f.careful, f.carefulKids, below)
	c.split = &below.open[:open+1][open]
	askCullAVX2(&c)
	below.open = below.open[:open+c.put]
	below.careful, below.cares = below.careful[:c.cutPut], below.cares[:c.cutPut]
}

// fastFans writes fans while there is room for the largest and returns how many.
func (w *writing[I]) fastFans(f *found, blocks []block, kids []uint8, rings []ringOf[I]) int {
	const most = len(fan{}.places)
	if !fast || len(blocks) == 0 || len(w.dst)-w.n < most {
		return 0
	}
	a := fanning{
		blocks: &blocks[0], many: len(blocks),
		kids: &kids[0], marks: &f.marks[0], stride: f.side + 1, rings: unsafe.Pointer(&rings[0]),
		dst: unsafe.Pointer(&w.dst[w.n]), room: len(w.dst) - w.n,
	}
	if unsafe.Sizeof(I(0)) == 2 {
		fansNarrowAVX2(&a)
	} else {
		fansAVX2(&a)
	}
	w.n += a.put
	return a.done
}

// numbering is what numbersAMD64 works on: the numbers of the fans of blocks. It
// counts their indices.
type numbering struct {
	blocks      *block
	many        int
	kids, marks *uint8
	stride      int
	numbers     *uint8
	indices     int
}

//go:noescape
func numbersAMD64(n *numbering)

func (w *walk) number(f *found, blocks []block, kids []uint8) (triangles int) {
	if !fast || len(blocks) == 0 {
		return w.numberGo(f, blocks, kids)
	}
	n := numbering{
		blocks: &blocks[0], many: len(blocks), kids: &kids[0],
		marks: &f.marks[0], stride: f.side + 1, numbers: &f.numbers[0],
	}
	numbersAMD64(&n)
	return n.indices / 3
}

// stripping is what stripAVX2 works on. It ends where there may be no room for what
// half a block adds to the strip, and says how many items are left and how many
// indices put.
type stripping struct {
	tiers              *stripTier
	items              *item
	many               int
	dst                unsafe.Pointer // *I
	room, put          int
	tail, head, parity uint32
}

type stripTier struct {
	numbers *uint8
	rings   *ring
}

//go:noescape
func stripAVX2(s *stripping)

// stripNarrowAVX2 is the same for indices of 16 bits.
//
//go:noescape
func stripNarrowAVX2(s *stripping)

// turn is what depends on the corner of a half.
type turn struct {
	places [8]uint32 // in the ring, by role; of the centre and the tail they mean nothing
	items  [4]item   // the halves of quarters that it is made of, in order, but for tier and block

	// Of the numbers of the quarters' fans, a byte each, what must be what for all
	// halves but the first to be known: no quarter of quarters is split, and all
	// middles are active.
	mask, want uint32
	inner      [2]uint32 // places in the corner's quarter of the middles towards the centre: third and fifth
}

var turns = func() (all [4]turn) {
	for i := range all {
		corner, before, after := 2*i, (2*i+2)&7, (2*i+6)&7
		t := &all[i]
		t.places = [8]uint32{
			roleFirst: uint32(corner+1) & 7, roleCorner: uint32(corner), roleLast: uint32(corner+7) & 7, roleEnd: uint32(after),
		}
		for j, q := range [4][2]int{{before, corner}, {corner, before}, {corner, after}, {after, corner}} {
			t.items[j] = item(q[1])<<itemCorner | item(quarterAt[q[0]])
		}
		t.mask = 0xf0<<(8*quarterAt[before]) | 0xff<<(8*quarterAt[corner]) | 0xff<<(8*quarterAt[after])
		t.want = 15<<(8*quarterAt[corner]) | 15<<(8*quarterAt[after])
		t.inner = [2]uint32{uint32(corner+3) & 7, uint32(corner+5) & 7}
	}
	return all
}()

// fastStrip appends items while there is room.
func (w *writing[I]) fastStrip() {
	const most = 24
	if !fast || len(w.dst)-w.n < most {
		return
	}
	for i := w.bottom; i < len(w.tiers); i++ {
		w.stripTiers[i] = stripTier{&w.tiers[i].numbers[0], &w.plan.tiers[i].rings[0]}
	}
	s := stripping{
		tiers: &w.stripTiers[0], items: &w.items[0], many: w.many,
		dst: unsafe.Pointer(&w.dst[w.n]), room: len(w.dst) - w.n,
		tail: w.tail, head: w.head, parity: w.parity,
	}
	if unsafe.Sizeof(I(0)) == 2 {
		stripNarrowAVX2(&s)
	} else {
		stripAVX2(&s)
	}
	w.n += s.put
	w.many, w.tail, w.head, w.parity = s.many, s.tail, s.head, s.parity
}
