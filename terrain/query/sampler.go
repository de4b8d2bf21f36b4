package query

import "github.com/vkterrain/vkterrain/terrain/chunkfile"

// Options of a sampler. The zero value works.
type Options struct {
	// CacheBytes bounds the memory of decoded tiles; 0 means 64 MiB. Two tiles are
	// kept in any case. What it takes to decode comes on top: 8 bytes a vertex of a
	// tile and more for each goroutine, of those that ever read at the same time.
	CacheBytes int64
}

// Sampler answers from the full resolution of a world file. It reads and decodes
// tiles as queries need them and keeps those that were used last. All its methods
// may be called from any goroutine; one that needs a tile which is not kept waits
// for the file.
//
// If a tile cannot be read, the query returns an error that names it. It is not
// remembered: the next query tries again.
type Sampler struct {
	g     *grid
	cache *cache
}

// NewSampler returns a sampler of r, which must stay open while it is used.
func NewSampler(r *chunkfile.Reader, o Options) *Sampler {
	if o.CacheBytes <= 0 {
		o.CacheBytes = 64 << 20
	}
	g := newGrid(r.World(), r.Tiles())
	return &Sampler{g: g, cache: newCache(r, g, o.CacheBytes)}
}

func (s *Sampler) hand() hand { return hand{g: s.g, cache: s.cache} }

// Height returns the height of the ground at world position (x, z) in metres; ok
// is false outside the world and in a hole.
func (s *Sampler) Height(x, z float64) (y float64, ok bool, err error) {
	h := s.hand()
	y, ok, err = h.height(Point{x, z})
	h.drop()
	return y, ok, err
}

// At returns what is known of the ground at world position (x, z).
func (s *Sampler) At(x, z float64) (Ground, error) {
	h := s.hand()
	g, err := h.ground(Point{x, z})
	h.drop()
	return g, err
}

// Cast returns what a ray hits first.
func (s *Sampler) Cast(r Ray) (Hit, error) {
	h := s.hand()
	hit, err := h.cast(r)
	h.drop()
	return hit, err
}

// Heights fills heights with those of the ground at points, in metres, NaN where
// there is none. A point in the tile of the one before costs less. It stops at the
// first error, and panics if there are not as many heights as points.
func (s *Sampler) Heights(heights []float64, points []Point) error {
	h := s.hand()
	defer h.drop()
	return h.heights(heights, points)
}

// Grounds is At for many points, with the rules of Heights.
func (s *Sampler) Grounds(grounds []Ground, points []Point) error {
	h := s.hand()
	defer h.drop()
	return h.grounds(grounds, points)
}

// CastAll is Cast for many rays, with the rules of Heights.
func (s *Sampler) CastAll(hits []Hit, rays []Ray) error {
	h := s.hand()
	defer h.drop()
	return h.castAll(hits, rays)
}
