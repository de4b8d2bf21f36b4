package quadtree

import (
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// Refiner refines tiles of one size into one topology. Use one per goroutine.
type Refiner struct {
	layout   *terrain.Layout
	topology lodcpu.Topology
	walk     walk
	dx, dz   []float64
	tiers    []tier
}

// tier is the nodes of one spacing.
type tier struct {
	s     int    // spacing, in cells
	shift int    // of a coordinate, to get a node's column or row
	side  int    // nodes a side
	marks []mark // of all nodes, row by row; 0 where there is none
	nodes []node // whose marks were asked
}

// index returns where the marks of the node at (x, z) are.
func (t *tier) index(x, z int) int { return z>>t.shift*t.side + x>>t.shift }

// node is the grid position of a node's centre: the column, and the row in the
// upper half.
type node uint32

func nodeAt(x, z int) node          { return node(x | z<<16) }
func (n node) position() (x, z int) { return int(n & 0xffff), int(n >> 16) }

// mark says of a node which of its edge midpoints are active: bits 0 to 3, south,
// east, north and west, the order in which a fan meets them. And whether it is split.
type mark uint8

const (
	south mark = 1 << iota
	east
	north
	west
	split
)

// New returns a refiner for tiles of the given layout.
func New(layout *terrain.Layout, topology lodcpu.Topology) *Refiner {
	r := &Refiner{
		layout: layout, topology: topology,
		dx: make([]float64, layout.Size), dz: make([]float64, layout.Size),
		tiers: make([]tier, layout.Log2),
	}
	for i := range r.tiers {
		side := layout.Cells >> (i + 1)
		r.tiers[i] = tier{s: 1 << i, shift: i + 1, side: side, marks: make([]mark, side*side), nodes: make([]node, 0, side*side)}
	}
	return r
}

// MaxIndices returns the most indices a tile loaded to level can need.
func (r *Refiner) MaxIndices(level terrain.Level) int {
	side := r.layout.Cells >> level
	triangles := 2 * side * side
	if r.topology == lodcpu.List {
		return 3 * triangles
	}
	// Two a triangle, one to begin a fan and three to join it to the last one; a
	// fan, or the part of one between two squares, has two triangles at least.
	return 4 * triangles
}

// Refine implements [lodcpu.Refiner].
func (r *Refiner) Refine(dst []uint32, t *terrain.Tile, near *lodcpu.Neighbourhood, law *lodcpu.Law) (c lodcpu.Counts, ok bool) {
	w := r.start(dst, t, near, law)
	top := r.layout.Log2 - 1
	half := r.layout.Cells / 2
	w.tiers[top].nodes = append(w.tiers[top].nodes[:0], nodeAt(half, half))
	bottom := w.ask(top)
	for i := bottom; i < top; i++ {
		w.force(i)
	}
	w.draw(top, half, half)
	c = lodcpu.Counts{Indices: w.n, Triangles: w.triangles}
	if r.topology == lodcpu.List {
		c.Degenerates = w.flat
	} else {
		c.Degenerates = max(w.n-2, 0) - c.Triangles
	}
	return c, !w.full
}

// start sets up the walk over one tile.
func (r *Refiner) start(dst []uint32, t *terrain.Tile, near *lodcpu.Neighbourhood, law *lodcpu.Law) *walk {
	level := min(near.Level(), terrain.Level(r.layout.Levels-1))
	if level < t.Level {
		panic("quadtree: neighbourhood claims a finer level than the tile holds")
	}
	w := &r.walk
	*w = walk{
		dst: dst, verts: t.Verts, ids: r.layout.ID, grid: r.layout.Grid,
		dx: r.dx, dz: r.dz, size: r.layout.Size, cells: r.layout.Cells,
		base: t.Info.Base, quantum: law.Quantum, eyeY: law.Eye[1],
		a: law.A, b: law.B, radius: law.Radius,
		tiers: r.tiers, finest: int(level),
		rimX:  int(law.RimColumn) - int(t.Info.Key.X)*r.layout.Cells,
		rimZ:  int(law.RimLine) - int(t.Info.Key.Y)*r.layout.Cells,
		strip: r.topology == lodcpu.Strip,
		mixed: near.Mixed(), reach: w.reach,
	}
	w.padded = w.rimX < r.layout.Cells || w.rimZ < r.layout.Cells
	w.touched = touch(t.Verts[:min(r.layout.Count(law.Needs(r.layout, t.Info)), len(t.Verts))])
	law.AxisSquares(r.layout, t.Info.Key, 1<<level, r.dx, r.dz)
	if w.mixed {
		for i := w.finest; i < r.layout.Log2; i++ {
			w.reach[i] = near.Reach(1 << i)
		}
	}
	return w
}

// touch reads one vertex of each cache line, in order, so that the hardware
// fetches ahead. It returns what it read lest it be optimised away.
func touch(verts []terrain.Vertex) (sum uint16) {
	for i := 0; i < len(verts); i += 64 / terrain.VertexBytes {
		sum += verts[i].Coef
	}
	return sum
}

// walk is the work on one tile.
type walk struct {
	dst   []uint32
	n     int
	verts []terrain.Vertex
	ids   []uint32 // by grid position, row by row
	grid  []terrain.GridPos

	dx, dz        []float64
	size, cells   int
	base          int32
	quantum, eyeY float64
	a, b          float64
	radius        []float32
	tiers         []tier
	finest        int // tier of the finest level loaded: its nodes cannot be split

	rimX, rimZ int
	padded     bool // part of the tile lies beyond the rim of the source
	mixed      bool // a neighbour is coarser: ask reach
	strip      bool
	full       bool   // dst was too short
	tail       uint32 // strip: the last index
	triangles  int    // of some area
	flat       int    // of none, in the padding
	touched    uint16 // see touch
	reach      [12]lodcpu.Reach
}

// ask marks the nodes from the top on that the law reaches, and returns the
// finest tier that has any. Below that it leaves no marks of tiles before.
func (w *walk) ask(top int) int {
	for i := top; ; i-- {
		t := &w.tiers[i]
		clear(t.marks)
		if len(t.nodes) == 0 {
			return i + 1
		}
		if i == w.finest {
			w.askFinest(t)
			return i
		}
		below := &w.tiers[i-1]
		below.nodes = w.askTier(i, below.nodes[:0])
	}
}

// askTier marks the nodes of tier i, and appends the squares of those that
// are split for their own sake to squares.
func (w *walk) askTier(i int, squares []node) []node {
	t := &w.tiers[i]
	h := t.s / 2
	centres, middles := w.a+float64(w.radius[2*i-1]), w.a+float64(w.radius[2*i])
	for _, n := range t.nodes {
		x, z := n.position()
		rim := w.rim(t, x, z)
		wanted := w.active(x-h, z-h, centres, i-1) || w.active(x+h, z-h, centres, i-1) ||
			w.active(x-h, z+h, centres, i-1) || w.active(x+h, z+h, centres, i-1)
		m := mark(0)
		if !wanted || rim != 0 {
			m = w.middles(t, x, z, middles, i)
		}
		if wanted || m&rim != 0 {
			m |= split
			squares = append(squares, nodeAt(x-h, z-h), nodeAt(x+h, z-h), nodeAt(x-h, z+h), nodeAt(x+h, z+h))
		}
		t.marks[t.index(x, z)] = m
	}
	return squares
}

// askFinest marks the nodes of the finest tier.
func (w *walk) askFinest(t *tier) {
	middles := w.a + float64(w.radius[2*w.finest])
	for _, n := range t.nodes {
		x, z := n.position()
		t.marks[t.index(x, z)] = w.middles(t, x, z, middles, w.finest)
	}
}

// middles says which midpoints of a node are active.
func (w *walk) middles(t *tier, x, z int, reach float64, i int) (m mark) {
	if w.active(x, z+t.s, reach, i) {
		m |= south
	}
	if w.active(x+t.s, z, reach, i) {
		m |= east
	}
	if w.active(x, z-t.s, reach, i) {
		m |= north
	}
	if w.active(x-t.s, z, reach, i) {
		m |= west
	}
	return m
}

// rim says which sides of a node are on the tile's.
func (w *walk) rim(t *tier, x, z int) (m mark) {
	if z+t.s == w.cells {
		m |= south
	}
	if x+t.s == w.cells {
		m |= east
	}
	if z == t.s {
		m |= north
	}
	if x == t.s {
		m |= west
	}
	return m
}

// active says whether the vertex at (x, z) of tier i is active and eligible; reach
// is A and its radius.
func (w *walk) active(x, z int, reach float64, i int) bool {
	v := &w.verts[w.ids[z*w.size+x]]
	dy := float64(w.base+int32(v.Height))*w.quantum - w.eyeY
	reach += w.b * float64(terrain.CoefMetres(v.Coef))
	return w.dx[x]+w.dz[z]+float64(dy*dy) < reach*reach && (!w.mixed || w.reach[i].Eligible(x, z, w.cells))
}

// force splits the nodes of tier i+1 that the split ones of tier i lie beside. All
// of them have been asked.
func (w *walk) force(i int) {
	t, above := &w.tiers[i], &w.tiers[i+1]
	for _, n := range t.nodes {
		x, z := n.position()
		if t.marks[t.index(x, z)]&split == 0 {
			continue
		}
		parent := above.index(x, z)
		if d := outwards(x, t.s, w.cells); d != 0 {
			above.marks[parent+d] |= split
		}
		if d := outwards(z, t.s, w.cells); d != 0 {
			above.marks[parent+d*above.side] |= split
		}
	}
}

// outwards returns 1 if the node of spacing s at x is the later half of its parent
// and has a neighbour in the next, -1 if it is the earlier and has one in the last,
// and 0 if there is none in the tile.
func outwards(x, s, cells int) int {
	later := x&(2*s) != 0
	switch {
	case later && x+s < cells:
		return 1
	case !later && x > s:
		return -1
	}
	return 0
}

// draw writes the fans of what the node of tier i at (x, z) is split into, or
// its own.
func (w *walk) draw(i, x, z int) {
	t := &w.tiers[i]
	if i == w.finest || t.marks[t.index(x, z)]&split == 0 {
		w.fan(t.s, x, z, w.drawnMiddles(i, x, z), 0)
		return
	}
	h, squares := t.s/2, mark(0)
	for k, d := range [4][2]int{{h, h}, {h, -h}, {-h, -h}, {-h, h}} { // in the order of a fan, behind south
		if cx, cz := x+d[0], z+d[1]; !w.mixed || w.reach[i-1].Eligible(cx, cz, w.cells) {
			squares |= 1 << k
			w.draw(i-1, cx, cz)
		}
	}
	if squares != 0b1111 {
		w.fan(t.s, x, z, w.drawnMiddles(i, x, z), squares)
	}
}

// drawnMiddles says which midpoints of a node of tier i are drawn.
func (w *walk) drawnMiddles(i, x, z int) mark {
	t := &w.tiers[i]
	at := t.index(x, z)
	own := t.marks[at] &^ split
	if i == 0 {
		return own
	}
	rim := w.rim(t, x, z)
	more := mark(0)
	if rim != 0 {
		more = rim
		if i+1 < len(w.tiers) {
			above := &w.tiers[i+1]
			more &= above.marks[above.index(x, z)]
		}
	}
	if i > w.finest {
		more |= w.besideSplit(t, at, rim)
	}
	if w.mixed && more != 0 {
		more = w.eligible(t, i, x, z, more)
	}
	return own | more
}

// besideSplit says which sides of a node, but for those on the tile's, have a node
// that is split on either side.
func (w *walk) besideSplit(t *tier, at int, rim mark) (m mark) {
	if t.marks[at]&split != 0 {
		return (south | east | north | west) &^ rim
	}
	if rim&south == 0 && t.marks[at+t.side]&split != 0 {
		m |= south
	}
	if rim&east == 0 && t.marks[at+1]&split != 0 {
		m |= east
	}
	if rim&north == 0 && t.marks[at-t.side]&split != 0 {
		m |= north
	}
	if rim&west == 0 && t.marks[at-1]&split != 0 {
		m |= west
	}
	return m
}

// eligible returns those of the midpoints m of a node that are eligible.
func (w *walk) eligible(t *tier, i, x, z int, m mark) mark {
	reach, s := &w.reach[i], t.s
	if m&south != 0 && !reach.Eligible(x, z+s, w.cells) {
		m &^= south
	}
	if m&east != 0 && !reach.Eligible(x+s, z, w.cells) {
		m &^= east
	}
	if m&north != 0 && !reach.Eligible(x, z-s, w.cells) {
		m &^= north
	}
	if m&west != 0 && !reach.Eligible(x-s, z, w.cells) {
		m &^= west
	}
	return m
}

// fan writes the fan of the node of spacing s at (x, z) with the midpoints given, counter-
// clockwise seen from above, but for the squares that are drawn by themselves.
func (w *walk) fan(s, x, z int, midpoints, squares mark) {
	at := z*w.size + x
	down := s * w.size
	corners := [4]int{at + down + s, at - down + s, at - down - s, at + down - s}
	middles := [4]int{at + down, at + s, at - down, at - s}
	centre := w.ids[at]
	var ring [10]uint32
	n := 0
	if midpoints&1 == 0 {
		ring[0], n = w.ids[corners[3]], 1
	}
	for i := range 4 {
		if midpoints>>i&1 != 0 {
			ring[n] = w.ids[middles[i]]
			n++
		}
		if squares>>i&1 != 0 { // its midpoints are drawn: this run ends, another begins
			w.run(centre, ring[:n])
			n = 0
			continue
		}
		ring[n] = w.ids[corners[i]]
		n++
	}
	if midpoints&1 != 0 {
		ring[n] = w.ids[middles[0]]
		n++
	}
	w.run(centre, ring[:n])
}

// run writes the triangles between the centre and points of the rim.
func (w *walk) run(centre uint32, ring []uint32) {
	if len(ring) < 2 {
		return
	}
	if w.strip {
		w.runStrip(centre, ring)
		return
	}
	if w.padded {
		w.runPadded(centre, ring)
		return
	}
	n := 3 * (len(ring) - 1)
	if w.n+n > len(w.dst) {
		w.full = true
		return
	}
	d := w.dst[w.n : w.n+n]
	for i, b := range ring[1:] {
		t := d[3*i : 3*i+3 : 3*i+3]
		t[0], t[1], t[2] = centre, ring[i], b
	}
	w.n += n
	w.triangles += len(ring) - 1
}

// runPadded is run where triangles may have no area.
func (w *walk) runPadded(centre uint32, ring []uint32) {
	for i, b := range ring[1:] {
		if w.hasNoArea(centre, ring[i], b) {
			w.flat++
			continue
		}
		if w.n+3 > len(w.dst) {
			w.full = true
			return
		}
		d := w.dst[w.n : w.n+3 : w.n+3]
		d[0], d[1], d[2] = centre, ring[i], b
		w.n += 3
		w.triangles++
	}
}

// runStrip appends the triangles to a strip, the last first: the centre between any
// two points of the rim. That makes every other triangle degenerate, and all others
// even.
func (w *walk) runStrip(centre uint32, ring []uint32) {
	n := 2*len(ring) - 1
	if w.n > 0 {
		n += 3
	}
	if w.n+n > len(w.dst) {
		w.full = true
		return
	}
	d := w.dst[w.n : w.n+n]
	if w.n > 0 {
		d[0], d[1], d[2] = w.tail, w.tail, ring[len(ring)-1]
		d = d[3:]
	}
	for i := len(ring) - 1; i > 0; i-- {
		d[0], d[1] = ring[i], centre
		d = d[2:]
		if !w.padded || !w.hasNoArea(centre, ring[i-1], ring[i]) {
			w.triangles++
		}
	}
	w.tail = ring[0]
	d[0] = w.tail
	w.n += n
}

// hasNoArea says whether a triangle collapses when its corners are clamped to
// the rim of the source.
func (w *walk) hasNoArea(a, b, c uint32) bool {
	ax, az := w.clamped(a)
	bx, bz := w.clamped(b)
	cx, cz := w.clamped(c)
	return (bx-ax)*(cz-az) == (cx-ax)*(bz-az)
}

func (w *walk) clamped(id uint32) (x, z int) {
	p := w.grid[id]
	return min(int(p.X), w.rimX), min(int(p.Z), w.rimZ)
}
