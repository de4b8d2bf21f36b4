package query

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// entry is one decoded tile of a cache.
type entry struct {
	surface

	// users counts the queries that look at it; below 0 it is free, or being
	// filled, and belongs to who took it.
	users atomic.Int32
	tile  int         // changes only while users is below 0
	used  atomic.Bool // since the clock's hand passed last
}

// free is the value of users of an entry that nobody may look at.
const free = -1

// pin keeps e from being given to another tile, if it is tile's.
func (e *entry) pin(tile int) bool {
	for {
		n := e.users.Load()
		if n < 0 {
			return false
		}
		if e.users.CompareAndSwap(n, n+1) {
			break
		}
	}
	if e.tile == tile {
		return true
	}
	e.users.Add(-1)
	return false
}

// cache holds full-resolution tiles, as many as there is room for. A query looks
// at one tile at a time, so that few entries serve any number of goroutines; one
// that needs a tile while all entries are looked at waits for a query to end.
type cache struct {
	r     *chunkfile.Reader
	g     *grid
	table []atomic.Pointer[entry] // by tile; nil if it is not here

	mu      sync.Mutex
	changed sync.Cond    // an entry has been filled, or freed while someone waits
	waiting atomic.Int32 // for that
	entries []*entry     // made so far
	most    int
	hand    int // of the clock that chooses what goes
	idle    []*decoding
}

// decoding is what it takes to read a tile.
type decoding struct {
	decoder *chunkfile.Decoder
	verts   []terrain.Vertex
}

func newCache(r *chunkfile.Reader, g *grid, bytes int64) *cache {
	c := &cache{r: r, g: g, table: make([]atomic.Pointer[entry], g.nx*g.nz)}
	c.changed.L = &c.mu
	c.most = int(min(max(bytes/entryBytes(g.layout), 2), int64(len(c.table))))
	return c
}

// entryBytes is the memory of one tile: its heights, bits for holes, and a pyramid
// of a third more blocks than it has at its foot.
func entryBytes(l *terrain.Layout) int64 {
	samples := int64(l.Size) * int64(l.Size)
	blocks := int64(l.Cells/2) * int64(l.Cells/2)
	return samples*2 + samples/8 + blocks*4*4/3
}

// get returns a tile, pinned: put must follow.
func (c *cache) get(tile int) (*entry, error) {
	if e := c.table[tile].Load(); e != nil && e.pin(tile) {
		if !e.used.Load() {
			e.used.Store(true)
		}
		return e, nil
	}
	return c.read(tile)
}

// has says whether a tile is here, for now.
func (c *cache) has(tile int) bool { return c.table[tile].Load() != nil }

// put ends the use of a tile.
func (c *cache) put(e *entry) {
	if e.users.Add(-1) == 0 && c.waiting.Load() > 0 {
		c.mu.Lock()
		c.changed.Broadcast()
		c.mu.Unlock()
	}
}

// read is get for a tile that is not here.
func (c *cache) read(tile int) (*entry, error) {
	e, d := c.claim(tile)
	if d == nil {
		return e, nil // somebody else has read it
	}
	err := c.fill(e, d, tile)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = append(c.idle, d)
	if err != nil {
		c.table[tile].Store(nil)
		e.tile = -1
	} else {
		e.used.Store(true)
		e.users.Store(1)
	}
	c.changed.Broadcast()
	if err != nil {
		return nil, fmt.Errorf("tile %v: %w", c.g.key(tile), err)
	}
	return e, nil
}

// claim returns an entry to be filled with a tile and what that takes; or the
// tile's own, pinned, and nil. It waits while another goroutine fills it, or all
// entries are looked at.
func (c *cache) claim(tile int) (*entry, *decoding) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting.Add(1) // before looking: who puts an entry back looks here afterwards
	defer c.waiting.Add(-1)
	for {
		e := c.table[tile].Load()
		switch {
		case e == nil:
			if e = c.victim(); e != nil {
				e.tile = tile
				c.table[tile].Store(e)
				return e, c.decoding()
			}
		case e.pin(tile):
			return e, nil
		}
		c.changed.Wait()
	}
}

// victim returns an entry that is free now, or nil.
func (c *cache) victim() *entry {
	if len(c.entries) < c.most {
		e := &entry{tile: -1}
		e.users.Store(free)
		c.entries = append(c.entries, e)
		return e
	}
	// The first round takes the marks away.
	for range 2*len(c.entries) + 1 {
		e := c.entries[c.hand]
		c.hand = (c.hand + 1) % len(c.entries)
		if e.users.Load() == free && e.tile < 0 {
			return e // its last tile could not be read
		}
		if e.used.Swap(false) || !e.users.CompareAndSwap(0, free) {
			continue
		}
		c.table[e.tile].Store(nil)
		return e
	}
	return nil
}

func (c *cache) decoding() *decoding {
	if n := len(c.idle); n > 0 {
		d := c.idle[n-1]
		c.idle = c.idle[:n-1]
		return d
	}
	return &decoding{chunkfile.NewDecoder(), make([]terrain.Vertex, len(c.g.layout.Grid))}
}

// fill reads a tile into an entry that is the caller's alone.
func (c *cache) fill(e *entry, d *decoding, tile int) error {
	l, k := c.g.layout, c.g.key(tile)
	for level := l.Levels - 1; level >= 0; level-- {
		if err := c.r.ReadLevel(d.decoder, d.verts, k, terrain.Level(level)); err != nil {
			return err
		}
	}
	if e.heights == nil {
		e.heights = make([]uint16, len(l.Grid))
		e.hole = make([]uint64, (len(l.Grid)+63)/64)
		e.bounds = newPyramid[uint16](l.Cells/2, l.Cells/2)
	}
	e.place(c.g, c.r.Tile(k), 0)
	clear(e.hole)
	for id, p := range l.Grid {
		i := int(p.Z)*l.Size + int(p.X)
		v := &d.verts[id]
		e.heights[i] = v.Height
		if e.info.Holes && v.Hole() {
			e.hole[i/64] |= 1 << (i % 64)
		}
	}
	e.bound2x2()
	return nil
}

// bound2x2 makes the pyramid of a surface from its heights.
func (s *surface) bound2x2() {
	size := s.g.layout.Size
	for z := 0; z < size-1; z += 2 {
		for x := 0; x < size-1; x += 2 {
			b := span[uint16]{lo: s.heights[z*size+x], hi: s.heights[z*size+x]}
			for i := range 3 {
				for _, h := range s.heights[(z+i)*size+x:][:3] {
					b.lo, b.hi = min(b.lo, h), max(b.hi, h)
				}
			}
			s.bounds.set(x/2, z/2, b)
		}
	}
	s.bounds.build()
}
