package query

import (
	"math"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// Atlas is where the tiles of an endless world come from; [endless.Source] is one.
//
// [endless.Source]: https://pkg.go.dev/github.com/vkterrain/vkterrain/terrain/endless#Source
type Atlas interface {
	World() *terrain.World
	// Info returns what is known of a tile, nil where there is none.
	Info(k terrain.Key) (*terrain.TileInfo, error)
	// ReadTile returns a tile down to a level. It must not change.
	ReadTile(d *chunkfile.Decoder, k terrain.Key, level terrain.Level) (*terrain.Tile, error)
}

// EndlessSampler answers from the full resolution of an endless world, wherever tiles are
// loaded. It asks for a tile each time a query meets one, so the atlas had better keep
// some. Any goroutine may use it, if the atlas may be used by several.
type EndlessSampler struct {
	g     *grid
	atlas Atlas
}

// NewEndlessSampler returns a sampler of an endless world.
func NewEndlessSampler(a Atlas) *EndlessSampler {
	return &EndlessSampler{g: newTorus(a.World(), 1), atlas: a}
}

// surface returns a tile, nil if there is none.
func (s *EndlessSampler) surface(x, z int64) (*surface, error) {
	k := terrain.Key{X: int32(x), Y: int32(z)}
	if int64(k.X) != x || int64(k.Y) != z {
		return nil, nil
	}
	info, err := s.atlas.Info(k)
	if info == nil || err != nil {
		return nil, err
	}
	t, err := s.atlas.ReadTile(nil, k, 0)
	if err != nil {
		return nil, err
	}
	f := &surface{verts: t.Verts}
	f.place(s.g, t.Info, 0)
	return f, nil
}

// find returns the ground at a point and the tile that has it, nil if there is none.
func (s *EndlessSampler) find(p Point) (*surface, spot, error) {
	at, ok := s.g.locate(p)
	if !ok {
		return nil, spot{}, nil
	}
	cells := int64(s.g.layout.Cells)
	x, z := int64(math.Floor(at.x))>>s.g.layout.Log2, int64(math.Floor(at.z))>>s.g.layout.Log2
	west, north := at.x == float64(x*cells), at.z == float64(z*cells)
	for _, d := range [4][2]bool{{}, {true, false}, {false, true}, {true, true}} {
		if d[0] && !west || d[1] && !north {
			continue // it is on no seam with that tile
		}
		f, err := s.surface(x-int64(one(d[0])), z-int64(one(d[1])))
		if err != nil {
			return nil, spot{}, err
		}
		if f == nil {
			continue
		}
		if sp, ok := f.spot(at); ok {
			return f, sp, nil
		}
	}
	return nil, spot{}, nil
}

// Height returns the height of the ground at world position (x, z); ok is false in a hole
// and where there is no tile.
func (s *EndlessSampler) Height(x, z float64) (y float64, ok bool, err error) {
	f, sp, err := s.find(Point{x, z})
	return sp.y, f != nil, err
}

// At returns what is known of the ground at world position (x, z).
func (s *EndlessSampler) At(x, z float64) (Ground, error) {
	f, sp, err := s.find(Point{x, z})
	if f == nil {
		return Ground{}, err
	}
	return f.ground(sp), nil
}

// Cast returns what a ray hits first, as far as it crosses 4096 columns or rows of tiles.
// It asks for the tiles on its way, as long as it is between the least and the largest
// height that the world has.
func (s *EndlessSampler) Cast(r Ray) (Hit, error) {
	c, ok := newCast(s.g, r)
	if !ok {
		return Hit{}, nil
	}
	w := newStroll(&c)
	for w.next(&c) {
		for z := w.first; z <= w.last; z++ {
			x, row := w.column, z
			if w.major == 2 {
				x, row = z, w.column
			}
			f, err := s.surface(x, row)
			if err != nil {
				return Hit{}, err
			}
			if f != nil {
				c.surface(f)
			}
		}
	}
	return c.result(), nil
}

// mostCrossed is how many columns or rows of tiles a ray crosses at most.
const mostCrossed = 4096

// stroll is the walk of a ray over tiles of an endless world: column after column, or row
// after row, whichever it crosses faster, and of each the one or two tiles that it meets.
type stroll struct {
	major, minor int        // axes: 0 or 2
	cells        float64    // of a tile
	d            [3]float64 // cells a metre
	from, to     float64    // metres
	column       int64      // along the major axis
	first, last  int64      // along the minor axis
	step         int64
	left         int
}

func newStroll(c *cast) stroll {
	w := c.g.world
	s := stroll{minor: 2, cells: float64(c.g.layout.Cells), left: mostCrossed}
	if math.Abs(c.dir[2]) > math.Abs(c.dir[0]) {
		s.major, s.minor = 2, 0
	}
	for i := range s.d {
		s.d[i] = c.dir[i] / w.Spacing
	}
	s.from, s.to = c.boxes.between(1, float64(w.Min)*w.Quantum, float64(w.Max)*w.Quantum, 0, c.max)
	s.step = 1
	if s.d[s.major] < 0 {
		s.step = -1
	}
	// It may be in the tile before by rounding.
	s.column = s.tile(c.boxes.o[s.major]+s.from*s.d[s.major]-float64(s.step)*c.boxes.pad[s.major]) - s.step
	return s
}

// tile returns the column or row of tiles that has a column or row of samples.
func (s *stroll) tile(cells float64) int64 {
	return int64(math.Floor(min(max(cells/s.cells, -1<<40), 1<<40)))
}

// next goes on to the next column or row; it returns false at the end of the ray, or where
// nothing can be nearer than what has been hit.
func (s *stroll) next(c *cast) bool {
	s.column += s.step
	s.left--
	lo := float64(s.column) * s.cells
	from, to := c.boxes.between(s.major, lo, lo+s.cells, s.from, min(s.to, c.max))
	if from > to || s.left < 0 {
		return false
	}
	o, d := c.boxes.o[s.minor], s.d[s.minor]
	a, b := o+from*d, o+to*d
	if c.boxes.parallel[s.minor] || math.IsInf(to, 1) {
		b = a // straight up or down, or along the column
	}
	pad := 2 * c.boxes.pad[s.minor]
	s.first, s.last = s.tile(min(a, b)-pad), s.tile(max(a, b)+pad)
	return true
}

// between returns from where to where a ray is between two values on an axis, within a part
// of it, in metres; from is larger than to if it never is.
func (b *boxRay) between(axis int, lo, hi, from, to float64) (enter, leave float64) {
	l, h := lo-b.pad[axis]-b.o[axis], hi+b.pad[axis]-b.o[axis]
	if b.parallel[axis] {
		if l > 0 || h < 0 {
			return 1, 0
		}
		return from, to
	}
	t0, t1 := l*b.inv[axis], h*b.inv[axis]
	return max(from, min(t0, t1)), min(to, max(t0, t1))
}

// castAround is cast among the tiles of an endless world that are loaded: all are asked,
// for they may lie anywhere.
func (l *Loaded) castAround(c *cast) {
	var s surface
	for tile := range l.tiles {
		if l.view(&s, tile) && c.mayHit(&s, &block{side: int32(c.g.layout.Cells)}, s.info.Min, s.info.Max) {
			c.surface(&s)
			l.seams(c, &s)
		}
	}
}
