package query

import "math"

// hand holds on to one tile at a time, for a query or a batch of them. drop must
// follow.
type hand struct {
	g      *grid
	cache  *cache  // where tiles come from, or
	loaded *Loaded // in which case they stay where they are
	entry  *entry  // of the cache
	view   surface // of what is loaded
}

// surface returns a tile, good until the next call; nil if it is not loaded.
func (h *hand) surface(tile int) (*surface, error) {
	if h.cache == nil {
		if !h.loaded.view(&h.view, tile) {
			return nil, nil
		}
		return &h.view, nil
	}
	if h.entry == nil || h.entry.tile != tile {
		h.drop()
		e, err := h.cache.get(tile)
		if err != nil {
			return nil, err
		}
		h.entry = e
	}
	return &h.entry.surface, nil
}

func (h *hand) drop() {
	if h.entry != nil {
		h.cache.put(h.entry)
		h.entry = nil
	}
}

// find returns the ground at a point and the tile that has it, nil if there is none.
func (h *hand) find(p Point) (*surface, spot, error) {
	at, ok := h.g.locate(p)
	if !ok {
		return nil, spot{}, nil
	}
	s, err := h.surface(at.tile)
	if err != nil {
		return nil, spot{}, err
	}
	if s != nil && s.meets(at) {
		if sp, ok := s.spot(at); ok {
			return s, sp, nil
		}
	}
	// On a seam the triangle of another tile may have it on its border.
	others, n := h.g.others(at)
	for _, tile := range others[:n] {
		s, err := h.surface(tile)
		if err != nil {
			return nil, spot{}, err
		}
		if s == nil || !s.meets(at) {
			continue
		}
		if sp, ok := s.spot(at); ok {
			return s, sp, nil
		}
	}
	return nil, spot{}, nil
}

func (h *hand) height(p Point) (y float64, ok bool, err error) {
	s, sp, err := h.find(p)
	return sp.y, s != nil, err
}

func (h *hand) ground(p Point) (Ground, error) {
	s, sp, err := h.find(p)
	if s == nil {
		return Ground{}, err
	}
	return s.ground(sp), nil
}

func (h *hand) cast(r Ray) (Hit, error) {
	c, ok := newCast(h.g, r)
	if !ok {
		return Hit{}, nil
	}
	if h.g.world.Endless {
		h.loaded.castAround(&c)
		return c.result(), nil
	}
	var m march
	m.start(h.g)
	for {
		tile, ok := m.next(&c)
		if !ok {
			return c.result(), nil
		}
		if h.cache != nil && !h.cache.has(tile) && c.misses(h.cache.r.Tile(h.g.key(tile))) {
			continue
		}
		s, err := h.surface(tile)
		if err != nil {
			return Hit{}, err
		}
		if s == nil {
			continue
		}
		c.surface(s)
		if h.loaded != nil {
			h.loaded.seams(&c, s)
		}
	}
}

func (h *hand) heights(heights []float64, points []Point) error {
	sameLength(len(heights), len(points))
	for i, p := range points {
		y, ok, err := h.height(p)
		if err != nil {
			return err
		}
		if !ok {
			y = math.NaN()
		}
		heights[i] = y
	}
	return nil
}

func (h *hand) grounds(grounds []Ground, points []Point) error {
	sameLength(len(grounds), len(points))
	for i, p := range points {
		g, err := h.ground(p)
		if err != nil {
			return err
		}
		grounds[i] = g
	}
	return nil
}

func (h *hand) castAll(hits []Hit, rays []Ray) error {
	sameLength(len(hits), len(rays))
	for i, r := range rays {
		hit, err := h.cast(r)
		if err != nil {
			return err
		}
		hits[i] = hit
	}
	return nil
}

func sameLength(results, questions int) {
	if results != questions {
		panic("query: a batch has not as many results as questions")
	}
}
