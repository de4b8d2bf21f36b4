package query

import (
	"math"

	"github.com/vkterrain/vkterrain/terrain"
)

// cast is a ray on its way through a world.
type cast struct {
	g        *grid
	origin   [3]float64
	dir      [3]float64 // unit length
	max      float64    // metres to the nearest hit so far, or to the end
	hit      Hit
	slope    [2]float64 // of the hit's triangle, metres a metre
	boxes    boxRay
	triangle triangleRay
}

// newCast prepares a ray; ok is false if it has no direction or is not a number.
func newCast(g *grid, r Ray) (c cast, ok bool) {
	d := r.Direction
	most := max(math.Abs(d[0]), math.Abs(d[1]), math.Abs(d[2]))
	if !(most > 0) || math.IsInf(most, 0) || !finite(r.Origin) || !(r.Max >= 0) {
		return c, false
	}
	for i := range d {
		d[i] /= most // so that no square overflows
	}
	s := 1 / math.Sqrt(d[0]*d[0]+d[1]*d[1]+d[2]*d[2])
	for i := range d {
		d[i] *= s
	}
	c = cast{g: g, origin: r.Origin, dir: d, max: math.Inf(1)}
	if r.Max > 0 {
		c.max = r.Max
	}
	c.boxes = newBoxRay(g, r.Origin, d)
	c.triangle = newTriangleRay(d)
	return c, true
}

func finite(p [3]float64) bool {
	s := math.Abs(p[0]) + math.Abs(p[1]) + math.Abs(p[2])
	return s <= math.MaxFloat64
}

// boxRay is a ray in columns, heights in metres, and rows, for boxes that are made
// a little larger than they are, so that no rounding lets the ray pass between two.
type boxRay struct {
	o, inv   [3]float64
	parallel [3]bool
	pad      [3]float64
}

func newBoxRay(g *grid, origin, dir [3]float64) (b boxRay) {
	w := g.world
	b.o = [3]float64{(origin[0] - w.OriginX) / w.Spacing, origin[1], (origin[2] - w.OriginZ) / w.Spacing}
	scale := [3]float64{1 / w.Spacing, 1, 1 / w.Spacing}
	top := max(math.Abs(float64(w.Min)), math.Abs(float64(w.Max))) * w.Quantum
	extent := [3]float64{float64(w.Width), top, float64(w.Height)}
	if w.Endless {
		extent[0] = float64(g.layout.Cells) * (1 << 31)
		extent[2] = extent[0]
	}
	for i := range b.o {
		d := dir[i] * scale[i]
		// Over any distance that counts, a smaller part moves the ray by nothing.
		b.parallel[i] = math.Abs(dir[i]) < 1e-15
		b.inv[i] = 1 / d
		b.pad[i] = 1e-3 + 1e-14*(math.Abs(b.o[i])+extent[i])
	}
	// Heights are drawn as float32, rounded twice.
	b.pad[1] = 1e-3*w.Quantum + 3e-7*top + 1e-14*math.Abs(origin[1])
	return b
}

// enter returns where the ray enters the box, in metres; ok is false if it does
// not between 0 and most.
func (b *boxRay) enter(lo, hi *[3]float64, most float64) (t float64, ok bool) {
	near, far := 0.0, most
	for i := range lo {
		l, h := lo[i]-b.pad[i]-b.o[i], hi[i]+b.pad[i]-b.o[i]
		if b.parallel[i] {
			if l > 0 || h < 0 {
				return 0, false
			}
			continue
		}
		t0, t1 := l*b.inv[i], h*b.inv[i]
		if t0 > t1 {
			t0, t1 = t1, t0
		}
		near, far = max(near, t0), min(far, t1)
	}
	return near, near <= far
}

// triangleRay is a ray along its longest axis, sheared to run along Z, after Woop,
// Benthin and Wald, "Watertight Ray/Triangle Intersection", JCGT 2(1), 2013. Two
// triangles of an edge compute the same number for it but for the sign, and
// rounding never turns a sign, so that no ray passes between them. Products are
// rounded before they are subtracted, on any processor.
type triangleRay struct {
	kx, ky, kz int
	sx, sy, sz float64
}

func newTriangleRay(d [3]float64) (r triangleRay) {
	for i := range d {
		if math.Abs(d[i]) > math.Abs(d[r.kz]) {
			r.kz = i
		}
	}
	r.kx, r.ky = (r.kz+1)%3, (r.kz+2)%3
	r.sx, r.sy, r.sz = d[r.kx]/d[r.kz], d[r.ky]/d[r.kz], 1/d[r.kz]
	return r
}

// shear returns a point, relative to the origin, as the ray sees it.
func (r *triangleRay) shear(p *[3]float64) [3]float64 {
	z := p[r.kz]
	return [3]float64{p[r.kx] - float64(r.sx*z), p[r.ky] - float64(r.sy*z), r.sz * z}
}

// side says on which side of edge a–b the ray passes, times an area.
func side(a, b *[3]float64) float64 { return float64(a[0]*b[1]) - float64(a[1]*b[0]) }

// meet intersects the ray with a triangle of sheared corners: the distance, and
// the weights of the corners.
func meet(a, b, c *[3]float64) (t float64, weight [3]float64, ok bool) {
	u, v, w := side(c, b), side(a, c), side(b, a)
	if (u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0) {
		return 0, weight, false
	}
	det := u + v + w
	if det == 0 {
		return 0, weight, false // seen along its plane
	}
	weight = [3]float64{u / det, v / det, w / det}
	return weight[0]*a[2] + weight[1]*b[2] + weight[2]*c[2], weight, true
}

// surface looks for a nearer hit on one tile.
func (c *cast) surface(s *surface) {
	if s.verts == nil {
		c.blocks(s)
	} else {
		c.quarters(s)
	}
}

// block is a square of a tile that is still to be looked at: its side in cells,
// first column and row in the tile, and the floor of a pyramid it belongs to.
type block struct {
	side, x, z int32
	floor      int32
}

// Blocks that wait are three for each halving of a side, and one.
const (
	tileDepth  = 3*11 + 1
	worldDepth = 3*31 + 1
)

// blocks looks at a tile that has a pyramid.
func (c *cast) blocks(s *surface) {
	var stack [tileDepth]block
	top := len(s.bounds.floors) - 1
	stack[0] = block{side: int32(s.g.layout.Cells), floor: int32(top)}
	for n := 1; n > 0; {
		n--
		b := stack[n]
		h := s.bounds.at(int(b.floor), int(b.x/b.side), int(b.z/b.side))
		if !c.mayHit(s, &b, s.info.Base+int32(h.lo), s.info.Base+int32(h.hi)) {
			continue
		}
		if b.floor == 0 {
			c.squares(s, &b)
			continue
		}
		n += c.push(stack[n:], &b)
	}
}

// quarters looks at a tile that has none: what is known of its heights are the
// bounds of the tile and perhaps of its nodes.
func (c *cast) quarters(s *surface) {
	var stack [tileDepth]block
	cells := int32(s.g.layout.Cells)
	node := cells / int32(s.g.layout.Nodes())
	stack[0] = block{side: cells}
	for n := 1; n > 0; {
		n--
		b := stack[n]
		lo, hi := s.info.Min, s.info.Max
		if b.side <= node && s.info.Nodes != nil {
			v := s.info.Nodes[int(b.z/node)*s.g.layout.Nodes()+int(b.x/node)]
			lo, hi = v.Min, v.Max
		}
		if !c.mayHit(s, &b, lo, hi) {
			continue
		}
		if b.side <= 2*int32(s.step) {
			c.squares(s, &b)
			continue
		}
		n += c.push(stack[n:], &b)
	}
}

// push puts the four quarters of b on a stack, the nearest last, and returns how
// many there are.
func (c *cast) push(stack []block, b *block) int {
	half := b.side / 2
	far := [2]int32{half, half} // offset of the quarter that is looked at last
	if c.dir[0] < 0 {
		far[0] = 0
	}
	if c.dir[2] < 0 {
		far[1] = 0
	}
	for i := range int32(4) {
		dx, dz := far[0], far[1]
		if i&1 == 1 {
			dx = half - dx
		}
		if i&2 == 2 {
			dz = half - dz
		}
		stack[i] = block{half, b.x + dx, b.z + dz, b.floor - 1}
	}
	return 4
}

// mayHit says whether the ray meets the box of a block whose heights are known,
// before the nearest hit so far.
func (c *cast) mayHit(s *surface, b *block, lo, hi int32) bool {
	w := s.g.world
	x, z := s.x0+int(b.x), s.z0+int(b.z)
	if x >= max(s.g.lastX, 1) || z >= max(s.g.lastZ, 1) {
		return false // nothing but padding
	}
	from := [3]float64{float64(x), float64(lo) * w.Quantum, float64(z)}
	to := [3]float64{
		float64(min(x+int(b.side), s.g.lastX)), float64(hi) * w.Quantum, float64(min(z+int(b.side), s.g.lastZ)),
	}
	_, ok := c.boxes.enter(&from, &to, c.max)
	return ok
}

// squares looks at the triangles of a block.
func (c *cast) squares(s *surface, b *block) {
	step := int32(s.step)
	for z := b.z; z < b.z+b.side; z += step {
		for x := b.x; x < b.x+b.side; x += step {
			if s.x0+int(x) < s.g.lastX && s.z0+int(z) < s.g.lastZ {
				c.square(s, int(x), int(z))
			}
		}
	}
}

// square looks at the two triangles of a square.
func (c *cast) square(s *surface, x, z int) {
	q, g := s.square(x, z), s.g
	from := [3]float64{float64(s.x0 + x), min(q.nw.y, q.ne.y, q.sw.y, q.se.y), float64(s.z0 + z)}
	to := [3]float64{from[0] + float64(s.step), max(q.nw.y, q.ne.y, q.sw.y, q.se.y), from[2] + float64(s.step)}
	if _, ok := c.boxes.enter(&from, &to, c.max); !ok {
		return
	}
	west, east := g.column(s.x0+x), g.column(s.x0+x+s.step)
	north, south := g.row(s.z0+z), g.row(s.z0+z+s.step)
	at := func(x, z float64, k *corner) [3]float64 {
		return c.triangle.shear(&[3]float64{x - c.origin[0], k.y - c.origin[1], z - c.origin[2]})
	}
	nw, ne := at(west, north, &q.nw), at(east, north, &q.ne)
	sw, se := at(west, south, &q.sw), at(east, south, &q.se)
	wide, high := east-west, south-north
	// Slopes are those of the legs.
	if q.falling {
		if !(q.nw.hole || q.se.hole) {
			if !q.ne.hole && c.nearer(s, &nw, &se, &ne) {
				c.slope = [2]float64{(q.ne.y - q.nw.y) / wide, (q.se.y - q.ne.y) / high}
			}
			if !q.sw.hole && c.nearer(s, &nw, &sw, &se) {
				c.slope = [2]float64{(q.se.y - q.sw.y) / wide, (q.sw.y - q.nw.y) / high}
			}
		}
		return
	}
	if !(q.ne.hole || q.sw.hole) {
		if !q.nw.hole && c.nearer(s, &nw, &sw, &ne) {
			c.slope = [2]float64{(q.ne.y - q.nw.y) / wide, (q.sw.y - q.nw.y) / high}
		}
		if !q.se.hole && c.nearer(s, &ne, &sw, &se) {
			c.slope = [2]float64{(q.se.y - q.sw.y) / wide, (q.se.y - q.ne.y) / high}
		}
	}
}

// nearer takes the hit of a triangle of sheared corners, if it is the nearest so
// far.
func (c *cast) nearer(s *surface, a, b, d *[3]float64) bool {
	t, _, ok := meet(a, b, d)
	if !ok || !(t >= 0 && t <= c.max) {
		return false
	}
	c.take(s, t)
	return true
}

func (c *cast) take(s *surface, t float64) {
	c.max = t
	c.hit = Hit{OK: true, Distance: t, Tile: s.info.Key, Level: s.level, Error: s.bound()}
}

// result completes the hit.
func (c *cast) result() Hit {
	if !c.hit.OK {
		return Hit{}
	}
	for i := range c.origin {
		c.hit.Position[i] = c.origin[i] + c.dir[i]*c.hit.Distance
	}
	c.hit.Normal = upward(c.slope[0], c.slope[1])
	return c.hit
}

// march is the walk of a ray over the tiles of its world.
type march struct {
	stack [worldDepth]block
	n     int
}

func (m *march) start(g *grid) {
	top := len(g.bounds.floors) - 1
	m.stack[0], m.n = block{floor: int32(top), side: 1 << top}, 1
}

// next returns the next tile whose box the ray meets before the nearest hit so
// far, about in the order of the ray; ok is false if there is none.
func (m *march) next(c *cast) (tile int, ok bool) {
	for m.n > 0 {
		m.n--
		b := m.stack[m.n]
		x, z := int(b.x), int(b.z)
		if x >= c.g.nx || z >= c.g.nz || !c.meets(&b) {
			continue
		}
		if b.floor == 0 {
			return z*c.g.nx + x, true
		}
		m.n += c.push(m.stack[m.n:], &b)
	}
	return 0, false
}

// meets says whether the ray meets the box of some tiles before the nearest hit so
// far. A block is counted in tiles here.
func (c *cast) meets(b *block) bool {
	w, cells := c.g.world, c.g.layout.Cells
	x, z := int(b.x), int(b.z)
	h := c.g.bounds.at(int(b.floor), x>>b.floor, z>>b.floor)
	from := [3]float64{float64(x * cells), float64(h.lo) * w.Quantum, float64(z * cells)}
	x, z = min((x+int(b.side))*cells, w.Width-1), min((z+int(b.side))*cells, w.Height-1)
	to := [3]float64{float64(x), float64(h.hi) * w.Quantum, float64(z)}
	_, ok := c.boxes.enter(&from, &to, c.max)
	return ok
}

// misses says, by the bounds of a tile's nodes, that a ray need not look at it.
func (c *cast) misses(info *terrain.TileInfo) bool {
	if info.Nodes == nil {
		return false
	}
	s := surface{g: c.g, info: info}
	s.place(c.g, info, 0)
	nodes := c.g.layout.Nodes()
	side := int32(c.g.layout.Cells / nodes)
	for i, v := range info.Nodes {
		b := block{side: side, x: int32(i%nodes) * side, z: int32(i/nodes) * side}
		if c.mayHit(&s, &b, v.Min, v.Max) {
			return false
		}
	}
	return true
}
