package query

import (
	"math/rand/v2"
	"sync/atomic"

	"github.com/vkterrain/vkterrain/terrain"
)

// Loaded answers from the levels of tiles that are in memory. Each tile is an
// immutable snapshot: a finer level makes a new one, and a query that has begun
// goes on with the one it found. So no query ever waits, for a frame or anything
// else. All methods but Publish, Now and Passed may be called from any goroutine;
// those are for the one that loads.
//
// Where no level of a tile is loaded there is no ground, and a ray passes. Where
// the levels of neighbours differ, the surface has a step along their seam; a ray
// that meets it hits it.
type Loaded struct {
	g     atomic.Pointer[grid]
	tiles []atomic.Pointer[terrain.Tile]

	// Queries that began in an even and in an odd era; see Now.
	era   atomic.Uint64
	_     [cacheLine]byte
	users [2]counter
}

const cacheLine = 64

// counter is a count in parts, so that goroutines rarely write to one cache line.
type counter [8]struct {
	n atomic.Int64
	_ [cacheLine - 8]byte
}

// none says whether nothing is counted, if nothing begins to be.
func (c *counter) none() bool {
	for i := range c {
		if c[i].n.Load() != 0 {
			return false
		}
	}
	return true
}

// visit is how a query is counted.
type visit struct {
	era  uint64
	part uint32
}

// NewLoaded returns a Loaded of the tiles of a world, with nothing in it.
func NewLoaded(w *terrain.World, tiles []terrain.TileInfo) *Loaded {
	g := newGrid(w, tiles)
	l := &Loaded{tiles: make([]atomic.Pointer[terrain.Tile], g.nx*g.nz)}
	l.g.Store(g)
	return l
}

// NewEndless returns a Loaded of an endless world, with nothing in it. It has room for
// at least side×side tiles: of two that lie a multiple of that apart, it knows the one that
// was published last. A ray asks all of them.
func NewEndless(w *terrain.World, side int) *Loaded {
	g := newTorus(w, side)
	l := &Loaded{tiles: make([]atomic.Pointer[terrain.Tile], g.nx*g.nz)}
	l.g.Store(g)
	return l
}

// Widen makes room for tiles that are to take the place of others: rays look for their
// heights too, from the next query on. Call it before they are published.
func (l *Loaded) Widen(tiles ...*terrain.TileInfo) { l.g.Store(l.g.Load().widened(tiles)) }

// Publish says what is loaded of tile k, nil for nothing. Its vertices must not
// change as long as any query may look at them, see Now.
func (l *Loaded) Publish(k terrain.Key, t *terrain.Tile) {
	at := &l.tiles[l.g.Load().index(k)]
	if old := at.Load(); t == nil && old != nil && old.Info.Key != k {
		return // another one is in its place
	}
	at.Store(t)
}

// Now returns a number for what has been replaced so far: once Passed says so of
// it, no query looks at that any more, and its memory may be used again. What
// nobody uses again needs no such care.
func (l *Loaded) Now() uint64 { return l.era.Load() }

// Passed says whether all queries have ended that began before Now returned the
// number, and a few later ones. It never waits.
//
// Eras end only when no query of the one before is left. So the queries of two of
// them are counted at a time, and new ones do not keep an old era from ending.
func (l *Loaded) Passed(era uint64) bool {
	now := l.era.Load()
	if now == era {
		if !l.users[(era+1)&1].none() {
			return false
		}
		now++
		l.era.Store(now)
	}
	return now > era+1 || l.users[era&1].none()
}

// enter counts a query, so that nothing it finds from here on is used again before
// it leaves.
func (l *Loaded) enter() visit {
	part := rand.Uint32() % uint32(len(counter{}))
	for {
		era := l.era.Load()
		n := &l.users[era&1][part].n
		n.Add(1)
		if l.era.Load() == era {
			return visit{era, part}
		}
		n.Add(-1) // the era had ended before this was counted
	}
}

func (l *Loaded) leave(v visit) { l.users[v.era&1][v.part].n.Add(-1) }

// Held is what [Loaded.Hold] keeps.
type Held struct{ v visit }

// Hold keeps what is loaded now, for a goroutine that looks at tiles itself: their
// memory is not used again before Release. Hold it briefly, for that of all other
// tiles is not either.
func (l *Loaded) Hold() Held { return Held{l.enter()} }

// Release ends what Hold began.
func (l *Loaded) Release(h Held) { l.leave(h.v) }

// view sets s to what is loaded of a tile; ok is false if nothing is.
func (l *Loaded) view(s *surface, tile int) (ok bool) {
	t := l.tiles[tile].Load()
	if t == nil {
		return false
	}
	s.verts = t.Verts
	s.place(l.g.Load(), t.Info, t.Level)
	return true
}

func (l *Loaded) hand() hand { return hand{g: l.g.Load(), loaded: l} }

// Height returns the height of the ground at world position (x, z) in metres; ok
// is false outside the world, in a hole, and where nothing is loaded.
func (l *Loaded) Height(x, z float64) (y float64, ok bool) {
	h, v := l.hand(), l.enter()
	y, ok, _ = h.height(Point{x, z})
	l.leave(v)
	return y, ok
}

// At returns what is known of the ground at world position (x, z).
func (l *Loaded) At(x, z float64) Ground {
	h, v := l.hand(), l.enter()
	g, _ := h.ground(Point{x, z})
	l.leave(v)
	return g
}

// Cast returns what a ray hits first.
func (l *Loaded) Cast(r Ray) Hit {
	h, v := l.hand(), l.enter()
	hit, _ := h.cast(r)
	l.leave(v)
	return hit
}

// Heights fills heights with those of the ground at points, in metres, NaN where
// there is none. It panics if there are not as many heights as points.
func (l *Loaded) Heights(heights []float64, points []Point) {
	h, v := l.hand(), l.enter()
	defer l.leave(v)
	_ = h.heights(heights, points) // nothing is read that could fail
}

// Grounds is At for many points.
func (l *Loaded) Grounds(grounds []Ground, points []Point) {
	h, v := l.hand(), l.enter()
	defer l.leave(v)
	_ = h.grounds(grounds, points)
}

// CastAll is Cast for many rays.
func (l *Loaded) CastAll(hits []Hit, rays []Ray) {
	h, v := l.hand(), l.enter()
	defer l.leave(v)
	_ = h.castAll(hits, rays)
}

// seams looks at the steps along the seams of a tile with coarser neighbours.
func (l *Loaded) seams(c *cast, s *surface) {
	g := l.g.Load()
	for i, d := range [4][2]int32{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
		k := s.info.Key
		x, z := int64(k.X)+int64(d[0]), int64(k.Y)+int64(d[1])
		k.X, k.Y = int32(x), int32(z)
		if int64(k.X) != x || int64(k.Y) != z || !g.world.Has(k) {
			continue
		}
		var next surface
		if l.view(&next, g.index(k)) && next.info.Key == k && next.level > s.level {
			cells := g.layout.Cells
			c.step(s, &next, i/2, s.x0+int(max(d[0], 0))*cells, s.z0+int(max(d[1], 0))*cells)
		}
	}
}

// step looks for a hit on the step between two tiles on the seam at a column
// (axis 0) or a row (axis 1) of the world.
func (c *cast) step(s, next *surface, axis, column, row int) {
	w, d := c.g.world, c.dir[2*axis]
	if d == 0 {
		return // in the plane of the seam it meets triangles of both
	}
	seam := c.g.column(column)
	if axis == 1 {
		seam = c.g.row(row)
	}
	t := (seam - c.origin[2*axis]) / d
	if !(t >= 0 && t <= c.max) {
		return
	}
	at := place{
		x: (c.origin[0] + t*c.dir[0] - w.OriginX) / w.Spacing,
		z: (c.origin[2] + t*c.dir[2] - w.OriginZ) / w.Spacing,
	}
	if axis == 0 {
		at.x = float64(column)
	} else {
		at.z = float64(row)
	}
	if !s.has(at) {
		return
	}
	a, ok := s.spot(at)
	b, both := next.spot(at)
	if y := c.origin[1] + t*c.dir[1]; ok && both && y >= min(a.y, b.y) && y <= max(a.y, b.y) {
		c.take(s, t)
		c.hit.Error = max(c.hit.Error, next.bound())
		c.slope = [2]float64{a.dx, a.dz}
	}
}

// has says whether a place is in the tile, its border included.
func (s *surface) has(at place) bool {
	cells := s.g.layout.Cells
	return at.x >= float64(s.x0) && at.x <= float64(min(s.x0+cells, s.g.lastX)) &&
		at.z >= float64(s.z0) && at.z <= float64(min(s.z0+cells, s.g.lastZ))
}
