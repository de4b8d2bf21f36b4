package soar

import (
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// block is a block of a tier: its number, and its column and row. A block with an
// active centre is split.
type block uint64

func (b block) number() int { return int(uint32(b)) }
func (b block) column() int { return int(b >> 32 & 0xffff) }
func (b block) row() int    { return int(b >> 48) }

// quarter returns block 4b+q of the next finer tier.
func (b block) quarter(q int) block {
	return b&0xffffffff<<2 + b>>32<<33 + quarters[q&3]
}

var quarters = [4]block{0, 1 | 1<<32, 2 | 1<<48, 3 | 1<<32 | 1<<48}

// Marks say which vertices of a block are active.
const (
	markNorth  = 1 << iota // the middle of its north edge
	markWest               // that of its west edge
	markCentre             // its centre
)

// found is what has been found of the blocks of a tier.
type found struct {
	side int // blocks a side
	// marks of all blocks, row by row. There is one column more, whose western
	// edges are the tile's east, and one row more.
	marks []uint8

	// Split blocks: those of which nothing but the law need be asked, and others.
	open    []block
	careful []block
	cares   []care
	// kids say, for each of them, which quarters are split.
	openKids, carefulKids []uint8

	numbers []uint8 // of the fans of split blocks, by number; for strips
}

// slack is how many blocks more than there are the kernels may read or write.
const slack = 12

func newFound(t *tier) found {
	n := t.side * t.side
	return found{
		side: t.side, marks: make([]uint8, (t.side+1)*(t.side+1)),
		open: make([]block, 0, n+slack), openKids: make([]uint8, n+slack),
		numbers: make([]uint8, n),
		careful: make([]block, 0, n+slack), cares: make([]care, 0, n+slack), carefulKids: make([]uint8, n+slack),
	}
}

// area is the columns and rows of some blocks, the last ones included.
type area struct{ west, east, north, south int }

// area returns where the quarters of split blocks are. Where these are many it does
// not look.
func (f *found) area() area {
	if len(f.open)+len(f.careful) > 2*f.side {
		return area{0, 2*f.side - 1, 0, 2*f.side - 1}
	}
	a := area{west: f.side, east: -1, north: f.side, south: -1}
	for _, blocks := range [2][]block{f.open, f.careful} {
		for _, b := range blocks {
			x, z := b.column(), b.row()
			a.west, a.east = min(a.west, x), max(a.east, x)
			a.north, a.south = min(a.north, z), max(a.south, z)
		}
	}
	return area{2 * a.west, 2*a.east + 1, 2 * a.north, 2*a.south + 1}
}

// reset forgets what was found before, for blocks in a and those beside it.
func (f *found) reset(a area) {
	clear(f.marks[a.north*(f.side+1) : (a.south+2)*(f.side+1)])
	f.open, f.careful, f.cares = f.open[:0], f.careful[:0], f.cares[:0]
}

// descend finds the active vertices, tier by tier from the coarsest on.
func (w *walk) descend() {
	i := len(w.tiers) - 1
	w.askRoot(i)
	for ; i > w.finest && len(w.tiers[i].open)+len(w.tiers[i].careful) > 0; i-- {
		f, below := &w.tiers[i], &w.tiers[i-1]
		a := f.area()
		below.reset(a)
		w.axes(i-1, a)
		if len(f.open) > 0 {
			w.askOpen(i-1, f, below)
		}
		if len(f.careful) > 0 {
			w.askCareful(i-1, f, below)
		}
		w.askRim(i-1, below, a)
	}
	w.bottom = i
	f := &w.tiers[i]
	clear(f.openKids[:len(f.open)])
	clear(f.carefulKids[:len(f.careful)])
}

// askRoot asks about the middles of the tile's edges; its centre is active.
func (w *walk) askRoot(i int) {
	for j, id := range w.plan.coarse {
		w.coarse[j] = w.verts[id]
	}
	f := &w.tiers[i]
	f.reset(area{})
	w.axes(i, area{})
	if c := w.rootCare(); c == 0 {
		f.open = append(f.open, 0)
	} else {
		f.careful, f.cares = append(f.careful, 0), append(f.cares, c)
	}
	f.marks[0] = markCentre
	r := &w.plan.tiers[i].rings[0]
	if w.askBlack(r[north], 1, 0, i) {
		f.marks[0] |= markNorth
	}
	if w.askBlack(r[west], 0, 1, i) {
		f.marks[0] |= markWest
	}
	w.askRim(i, f, area{})
}

// askBlack says whether a black vertex in a column and a row of tier i is active.
func (w *walk) askBlack(id uint32, column, row, i int) bool {
	_, active := w.ask(&w.verts[id], column, row, 2*i, w.sides)
	return active
}

// askRim asks about the middles of the edges of the blocks in a that are on the
// tile's east and south rims.
func (w *walk) askRim(i int, f *found, a area) {
	n, t := f.side, &w.plan.tiers[i]
	if a.south == n-1 {
		for x := a.west; x <= a.east; x++ {
			if f.marks[(n-1)*(n+1)+x]&markCentre != 0 && w.askBlack(t.south[x], 2*x+1, 2*n, i) {
				f.marks[n*(n+1)+x] = markNorth
			}
		}
	}
	if a.east == n-1 {
		for z := a.north; z <= a.south; z++ {
			if f.marks[z*(n+1)+n-1]&markCentre != 0 && w.askBlack(t.east[z], 2*n, 2*z+1, i) {
				f.marks[z*(n+1)+n] = markWest
			}
		}
	}
}

// vertices returns the vertices of the blocks of tier i, three a block.
func (w *walk) vertices(i int) []terrain.Vertex {
	if i >= w.plan.levels {
		return w.coarse[w.plan.tiers[i].first:]
	}
	return w.verts[w.plan.tiers[i].first:]
}

// askOpenGo asks about the quarters of open blocks, which are blocks of tier i.
func (w *walk) askOpenGo(i int, f, below *found) {
	for j, b := range f.open {
		f.openKids[j] = w.askQuarters(i, below, b, 0)
	}
}

// askCarefulGo asks about the quarters of careful blocks, which are blocks of tier i.
func (w *walk) askCarefulGo(i int, f, below *found) {
	for j, b := range f.careful {
		f.carefulKids[j] = w.askQuarters(i, below, b, f.cares[j])
	}
}

// askQuarters asks about the vertices of the quarters of block b, which are blocks
// of tier i, and returns which of them are split.
func (w *walk) askQuarters(i int, f *found, b block, c care) (kids uint8) {
	sides := lodcpu.Sides(c & careSides)
	verts := w.vertices(i)
	for q := range 4 {
		child := b.quarter(q)
		x, z := 2*child.column(), 2*child.row()
		v := verts[3*child.number() : 3*child.number()+3]
		marks := uint8(0)
		if _, active := w.ask(&v[0], x+1, z, 2*i, sides); active {
			marks |= markNorth
		}
		if _, active := w.ask(&v[1], x, z+1, 2*i, sides); active {
			marks |= markWest
		}
		if cut, active := w.ask(&v[2], x+1, z+1, 2*i+1, sides); active {
			marks |= markCentre
			kids |= 1 << q
			w.keep(i, f, child, care(cut)|c&careSeams)
		}
		f.marks[child.row()*(f.side+1)+child.column()] = marks
	}
	return kids
}

// keep keeps a block of tier i that is split, with what must be asked of its
// descendants.
func (w *walk) keep(i int, f *found, b block, c care) {
	if side := 2 << i; c&careSides != 0 || c != 0 && w.seams(b.column()*side, b.row()*side, side) {
		f.careful, f.cares = append(f.careful, b), append(f.cares, c)
	} else {
		f.open = append(f.open, b)
	}
}
