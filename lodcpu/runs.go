package lodcpu

import (
	"math"
	"math/bits"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/terrain"
)

// Runs are the indices of one tile in short pieces, so that frames which share them
// can each leave out what is outside their pictures. A piece knows the box around the
// vertices that it uses: whoever made the indices, in whatever order, a piece whose box
// is out of the picture may go. Refiners put triangles that lie close together close to
// each other, so boxes are small.
//
// Of a strip a piece is a window of an even number of indices and two more, which the
// next one begins with: any window of a strip is a strip.
type Runs struct {
	Layout   *terrain.Layout
	Topology Topology

	// What a frame looks at of every tile stands here, and not where the tile is: that
	// would have to be fetched from memory.
	lo, hi mgl64.Vec3 // the tile's box in world metres
	units  mgl64.Vec3 // metres a cell and a quantum
	base   float64    // metres that heights are counted from

	indices   int
	boxes     []box
	triangles []uint8 // drawn by each
	groups    []group // each groupRuns of them
}

// A piece has so many triangles, or in a strip about so many.
const runTriangles = 32

// groupRuns is how many pieces are looked at together first.
const groupRuns = 16

// group is pieces that follow each other.
type group struct {
	box       box // around all of them
	triangles int
}

// box is the least and the largest column, height and row of some vertices as they are
// drawn at rest, in cells and in quanta above the tile's base. The fourth and the last
// are not used, so that an index may be masked.
type box [8]uint16

// boxMost is how far behind the least the largest are.
const boxMost = 4

// add widens b to hold another.
func (b *box) add(o *box) {
	for i := range boxMost {
		b[i], b[i+boxMost] = min(b[i], o[i]), max(b[i+boxMost], o[i+boxMost])
	}
}

// Range is consecutive indices of a tile that are to be drawn.
type Range struct{ First, Indices, Triangles int }

// step returns how many indices further the next piece begins.
func (r *Runs) step() int {
	if r.Topology == List {
		return 3 * runTriangles
	}
	return runTriangles * 3 / 2
}

// end returns where the indices end that a piece uses which begins at first.
func (r *Runs) end(first int) int {
	n := first + r.step()
	if r.Topology == Strip {
		n += 2
	}
	return min(n, r.indices)
}

// cut describes the indices of t, as law has them, and copies them to dst, which it does
// not read.
func cut[I Index](r *Runs, dst, indices []I, t *terrain.Tile, law *Law) {
	r.indices, r.boxes, r.triangles, r.groups = len(indices), r.boxes[:0], r.triangles[:0], r.groups[:0]
	copy(dst, indices)
	r.lo, r.hi = law.Bounds(r.Layout, t.Info)
	r.units, r.base = mgl64.Vec3{law.Spacing, law.Quantum, law.Spacing}, float64(t.Info.Base)*law.Quantum
	m := measure{
		verts: t.Verts, grid: r.Layout.Grid,
		rimX: law.RimColumn - int(t.Info.Key.X)*r.Layout.Cells,
		rimZ: law.RimLine - int(t.Info.Key.Y)*r.Layout.Cells,
	}
	m.padded = m.rimX < r.Layout.Cells || m.rimZ < r.Layout.Cells
	for first := 0; first < len(indices); first += r.step() {
		piece := indices[first:r.end(first)]
		triangles := len(piece) / 3
		if r.Topology == Strip {
			if len(piece) < 3 {
				break // the window before has it
			}
			triangles = drawn(&m, piece)
		}
		b := boxOf(&m, piece)
		if len(r.boxes)%groupRuns == 0 {
			r.groups = append(r.groups, group{box: b})
		}
		g := &r.groups[len(r.groups)-1]
		g.box.add(&b)
		g.triangles += triangles
		r.boxes, r.triangles = append(r.boxes, b), append(r.triangles, uint8(triangles))
	}
}

// measure looks at pieces of one tile.
type measure struct {
	verts      []terrain.Vertex
	grid       []terrain.GridPos
	rimX, rimZ int
	padded     bool // part of the tile lies beyond the rim of the source
}

// corner is a column, a row and a height, as a tile has them.
type corner struct{ x, z, h, _ uint16 }

// boxOf returns the box around some vertices, at least one.
func boxOf[I Index](m *measure, indices []I) box {
	least, most := corners(m, indices)
	column := func(x uint16) uint16 { return uint16(min(int(x), m.rimX)) }
	row := func(z uint16) uint16 { return uint16(min(int(z), m.rimZ)) }
	return box{column(least.x), least.h, row(least.z), 0, column(most.x), most.h, row(most.z)}
}

// cornersGo is corners in Go.
func cornersGo[I Index](m *measure, indices []I) (least, most corner) {
	least = corner{x: math.MaxUint16, z: math.MaxUint16, h: math.MaxUint16}
	for _, id := range indices {
		p, h := m.grid[id], m.verts[id].Height
		least.x, most.x = min(least.x, p.X), max(most.x, p.X)
		least.z, most.z = min(least.z, p.Z), max(most.z, p.Z)
		least.h, most.h = min(least.h, h), max(most.h, h)
	}
	return least, most
}

// drawn returns the number of triangles of some area in a piece of a strip.
func drawn[I Index](m *measure, indices []I) (n int) {
	for i := 2; i < len(indices); i++ {
		a, b, c := indices[i-2], indices[i-1], indices[i]
		if a == b || b == c || c == a || m.padded && m.flat(uint32(a), uint32(b), uint32(c)) {
			continue
		}
		n++
	}
	return n
}

// flat says whether a triangle collapses when its corners are clamped to the rim.
func (m *measure) flat(a, b, c uint32) bool {
	ax, az := m.clamped(a)
	bx, bz := m.clamped(b)
	cx, cz := m.clamped(c)
	return (bx-ax)*(cz-az) == (cx-ax)*(bz-az)
}

func (m *measure) clamped(id uint32) (x, z int) {
	p := m.grid[id]
	return min(int(p.X), m.rimX), min(int(p.Z), m.rimZ)
}

// Sight is what a frame may see of a tile: it decides which of its runs are drawn.
type Sight struct {
	frustum Frustum
	units   [4]mgl64.Vec3 // the frustum's sides, of unit length
	planes  [4]plane
	many    int // planes that cut the tile
}

// plane is a side of the picture in the units of a box: inside is where the sum of the
// products with a corner and at is above 0.
type plane struct {
	by          [3]float32
	at          float32
	most, least [3]uint8 // places in a box of the corners that are farthest inside and outside
}

// at returns how far inside the corner of a box is whose places are given.
func (p *plane) corner(b *box, places *[3]uint8) float32 {
	return p.by[0]*float32(b[places[0]&7]) + p.by[1]*float32(b[places[1]&7]) + p.by[2]*float32(b[places[2]&7]) + p.at
}

// NewSight returns that of a view.
func (v *View) NewSight() (s Sight) {
	s.frustum = v.Frustum()
	for i := range s.units {
		s.units[i] = s.frustum.planes[i].Normalize()
	}
	return s
}

// Tile looks at a tile whose indices were cut. seen is whether the view may see
// anything of it, and whole whether all of it is inside the picture.
//
// Vertices are drawn up to astray metres higher or lower than they are at rest, but not
// higher than the highest or lower than the lowest of the tile.
func (s *Sight) Tile(r *Runs, astray float64) (seen, whole bool) {
	if !s.frustum.Sees(r.lo, r.hi) {
		return false, false
	}
	s.many = 0
	for i := range s.units {
		s.add(&s.units[i], r, astray)
	}
	return true, s.many == 0
}

// add adds a side with inward normal n, if it cuts the box of a tile.
func (s *Sight) add(n *mgl64.Vec3, r *Runs, astray float64) {
	p := &s.planes[s.many]
	least, extent := 0.0, 0.0
	at := 0.0 // of the tile's first vertex, at its lowest
	for i := range n {
		near, far := n[i]*(r.lo[i]-s.frustum.eye[i]), n[i]*(r.hi[i]-s.frustum.eye[i])
		least += min(near, far)
		extent += math.Abs(far - near)
		at += near
		p.by[i] = float32(n[i] * r.units[i])
		p.most[i], p.least[i] = uint8(i), uint8(i+boxMost)
		if n[i] > 0 {
			p.most[i], p.least[i] = p.least[i], p.most[i]
		}
	}
	if least >= 0 {
		return
	}
	at += n[1] * (r.base - r.lo[1])
	// More than rounding takes away.
	p.at = float32(at + math.Abs(n[1])*astray + 1e-5*extent)
	s.many++
}

// Height returns how high the tile's box is, in metres.
func (r *Runs) Height() float64 { return r.hi[1] - r.lo[1] }

// Farthest returns the distance from a point to the farthest place in the tile's box, in
// metres.
func (r *Runs) Farthest(p mgl64.Vec3) float64 {
	return mgl64.Vec3{
		max(math.Abs(r.lo[0]-p[0]), math.Abs(r.hi[0]-p[0])),
		max(math.Abs(r.lo[1]-p[1]), math.Abs(r.hi[1]-p[1])),
		max(math.Abs(r.lo[2]-p[2]), math.Abs(r.hi[2]-p[2])),
	}.Len()
}

// sees says whether anything of a box may be inside the sides asked, and which of them
// may cut it.
func (s *Sight) sees(b *box, ask Sides) (cut Sides, seen bool) {
	for i := range s.many {
		if ask>>i&1 == 0 {
			continue
		}
		p := &s.planes[i]
		if p.corner(b, &p.most) < 0 {
			return 0, false
		}
		if p.corner(b, &p.least) < 0 {
			cut |= 1 << i
		}
	}
	return cut, true
}

// Visible appends what may be in the picture to ranges, those of the tile that s looked
// at last. Neighbours become one range.
func (r *Runs) Visible(s *Sight, ranges []Range) []Range {
	v := visible{Runs: r, ranges: ranges, end: -1}
	for i := range r.groups {
		g, first := &r.groups[i], i*groupRuns
		last := min(first+groupRuns, len(r.boxes))
		cut, seen := s.sees(&g.box, 1<<s.many-1)
		switch {
		case !seen:
		case cut == 0:
			v.add(first, last, g.triangles)
		default:
			v.addSome(first, s.meets(r.boxes[first:last], cut))
		}
	}
	return v.ranges
}

// visible collects the ranges of a tile.
type visible struct {
	*Runs
	ranges []Range
	end    int // of the last, in pieces
}

// add adds some pieces.
func (v *visible) add(first, last, triangles int) {
	if first != v.end {
		v.ranges = append(v.ranges, Range{First: first * v.step()})
	}
	v.end = last
	e := &v.ranges[len(v.ranges)-1]
	e.Indices = v.Runs.end((last-1)*v.step()) - e.First
	e.Triangles += triangles
}

// addSome adds those of a group that begins with first whose bit is set.
func (v *visible) addSome(first int, some uint32) {
	for some != 0 {
		skip := bits.TrailingZeros32(some)
		n := bits.TrailingZeros32(^(some >> skip))
		triangles := 0
		for _, t := range v.triangles[first+skip : first+skip+n] {
			triangles += int(t)
		}
		v.add(first+skip, first+skip+n, triangles)
		some &^= (1<<n - 1) << skip
	}
}

// meets says of each of at most 32 boxes whether anything of it may be inside the sides
// asked.
func (s *Sight) meets(boxes []box, ask Sides) (some uint32) {
	out := uint32(0)
	for i := range s.many {
		if ask>>i&1 != 0 {
			out |= s.planes[i].leavesOut(boxes)
		}
	}
	return ^out & (1<<len(boxes) - 1)
}

// leavesOut says of each box whether all of it is outside.
func (p *plane) leavesOut(boxes []box) (out uint32) {
	x, y, z := p.most[0]&7, p.most[1]&7, p.most[2]&7
	bx, by, bz, at := p.by[0], p.by[1], p.by[2], p.at
	for i := range boxes {
		b := &boxes[i]
		inside := bx*float32(b[x]) + by*float32(b[y]) + bz*float32(b[z]) + at
		out |= math.Float32bits(inside) >> 31 << i
	}
	return out
}

// Of returns what c has of a topology, of ranges of one tile that has all of it.
func (r *Runs) Of(ranges []Range) (c Counts) {
	for _, e := range ranges {
		c.Indices += e.Indices
		c.Triangles += e.Triangles
		if r.Topology == Strip {
			c.Degenerates += e.Indices - 2 - e.Triangles
		}
	}
	return c
}
