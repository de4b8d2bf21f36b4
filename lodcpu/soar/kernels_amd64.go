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

// asking is what askAVX2 works on: some blocks, the vertices of whose quarters are
// those from verts on, and lie in the rows and columns of which xx and zz hold the
// squared distances.
type asking struct {
	blocks, end *block
	verts       *terrain.Vertex
	xx, zz      *float64
	kids, marks *uint8
	stride      int
	split       *block // the next of the quarters that are split

	reach            [3][4]float64 // A + r of the twelve vertices
	zero             float64       // 2⁵² - the tile's base
	quantum, eyeY, b float64
	active           int // vertices
}

//go:noescape
func askAVX2(a *asking)

// fanning is what fansAVX2 works on. It ends before a fan that would begin behind
// limit.
type fanning struct {
	blocks, end *block
	kids, marks *uint8
	stride      int
	rings       *ring
	next, limit *uint32
}

//go:noescape
func fansAVX2(f *fanning)

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

// askOpen asks about the quarters of the open blocks of tier i.
func (w *walk) askOpen(i int, f, below *found) {
	if i > w.plan.levels || !fast {
		w.askOpenGo(i, f, below)
		return
	}
	w.square(i - 1)
	black, white := w.reach[2*i-2], w.reach[2*i-1]
	n := len(f.open)
	a := asking{
		blocks: &f.open[0], end: (*block)(unsafe.Add(unsafe.Pointer(&f.open[0]), 8*n)),
		verts: &w.verts[w.plan.tiers[i-1].first],
		xx:    &w.xx[0], zz: &w.zz[0],
		kids: &f.openKids[0], marks: &below.marks[0], stride: below.side + 1,
		split: &below.open[:1][0],
		reach: [3][4]float64{{black, black, white, black}, {black, white, black, black}, {white, black, black, white}},
		zero:  1<<52 - float64(w.base), quantum: w.quantum, eyeY: w.eyeY, b: w.b,
	}
	askAVX2(&a)
	at := uintptr(unsafe.Pointer(a.split)) - uintptr(unsafe.Pointer(&below.open[:1][0]))
	below.open = below.open[:at/8]
	below.splits += 2 * a.active
}

// fastFans writes fans while there is room for the largest and returns how many.
func (w *walk) fastFans(f *found, blocks []block, kids []uint8, rings []ring) int {
	const most = len(fan{}.places)
	if !fast || len(blocks) == 0 || len(w.dst)-w.n < most {
		return 0
	}
	dst := w.dst[w.n:]
	a := fanning{
		blocks: &blocks[0], end: (*block)(unsafe.Add(unsafe.Pointer(&blocks[0]), 8*len(blocks))),
		kids: &kids[0], marks: &f.marks[0], stride: f.side + 1, rings: &rings[0],
		next: &dst[0], limit: &dst[len(dst)-most],
	}
	fansAVX2(&a)
	w.n += int(uintptr(unsafe.Pointer(a.next))-uintptr(unsafe.Pointer(&dst[0]))) / 4
	return int(uintptr(unsafe.Pointer(a.blocks))-uintptr(unsafe.Pointer(&blocks[0]))) / 8
}

// appending is what appendAMD64 works on.
type appending struct {
	list, end          *uint32
	next               *uint32
	tail, head, parity uint32
}

//go:noescape
func appendAMD64(a *appending)

// appendEvents appends vertices to the strip.
func (w *walk) appendEvents(list []uint32) {
	if !fast || len(list) == 0 || len(w.dst)-w.n < 2*len(list) {
		w.appendEventsGo(list)
		return
	}
	dst := w.dst[w.n:]
	a := appending{
		list: &list[0], end: (*uint32)(unsafe.Add(unsafe.Pointer(&list[0]), 4*len(list))), next: &dst[0],
		tail: w.tail, head: w.head, parity: w.parity,
	}
	appendAMD64(&a)
	w.n += int(uintptr(unsafe.Pointer(a.next))-uintptr(unsafe.Pointer(&dst[0]))) / 4
	w.tail, w.head, w.parity = a.tail, a.head, a.parity
}
