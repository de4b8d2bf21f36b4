package edit

import (
	"fmt"
	"slices"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// Snapshot is the world as it is after an edit. It does not change; its methods may
// be called from any goroutine until the session is closed.
type Snapshot struct {
	version uint64
	world   *terrain.World
	file    *chunkfile.Reader
	tables  *chunkfile.Tables // of the tiles in memory
	edited  map[terrain.Key]*edited
}

// edited is a tile that an edit has changed.
type edited struct {
	info    terrain.TileInfo
	code    *chunkfile.Encoded        // nil if the file has it
	at      uint64                    // version of the snapshot that changed it last
	changed [terrain.MaxLevels]uint64 // the same of each level
}

// Levels is a set of levels.
type Levels uint16

// Has says whether level is in the set.
func (l Levels) Has(level terrain.Level) bool { return l>>level&1 == 1 }

// TileChange is a tile that has changed, and the levels of which vertices have. It
// may be none of them, if all of the tile was raised.
type TileChange struct {
	Info   *terrain.TileInfo
	Levels Levels
}

// World describes the terrain.
func (s *Snapshot) World() *terrain.World { return s.world }

// Tiles returns all tiles there are, in row-major order.
func (s *Snapshot) Tiles() []terrain.TileInfo {
	tiles := slices.Clone(s.file.Tiles())
	for i := range tiles {
		if e := s.edited[tiles[i].Key]; e != nil {
			tiles[i] = e.info
		}
	}
	return tiles
}

// Tile returns what is known of tile k, or nil if there is no such tile.
func (s *Snapshot) Tile(k terrain.Key) *terrain.TileInfo {
	if e := s.edited[k]; e != nil {
		return &e.info
	}
	return s.file.Tile(k)
}

// ReadLevel is [chunkfile.Reader.ReadLevel] of the edited world.
func (s *Snapshot) ReadLevel(d *chunkfile.Decoder, verts []terrain.Vertex, k terrain.Key, level terrain.Level) error {
	if e := s.edited[k]; e != nil && e.code != nil {
		return e.code.ReadLevel(d, s.world, s.tables, verts, level)
	}
	return s.file.ReadLevel(d, verts, k, level)
}

// LevelBytes returns the size of a chunk, in the file or in memory; 0 if there is no
// such chunk.
func (s *Snapshot) LevelBytes(k terrain.Key, level terrain.Level) int64 {
	if e := s.edited[k]; e != nil && e.code != nil {
		return e.code.LevelBytes(level)
	}
	stored, _ := s.file.LevelBytes(k, level)
	return stored
}

// ReadTile reads tile k down to level, or to the finest level there is. It panics if
// there is no such tile or level.
func (s *Snapshot) ReadTile(d *chunkfile.Decoder, k terrain.Key, level terrain.Level) (*terrain.Tile, error) {
	info, layout := s.Tile(k), s.world.Layout()
	if info == nil || int(level) >= layout.Levels {
		panic(fmt.Sprintf("edit: ReadTile of tile %v level %d, which does not exist", k, level))
	}
	level = max(level, s.file.Finest(k))
	t := &terrain.Tile{Info: info, Level: level, Verts: make([]terrain.Vertex, layout.Count(level))}
	for l := layout.Levels - 1; l >= int(level); l-- {
		if err := s.ReadLevel(d, t.Verts, k, terrain.Level(l)); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Since lists what has changed since old, an earlier snapshot of the same session, in
// row-major order.
func (s *Snapshot) Since(old *Snapshot) []TileChange {
	var all []TileChange
	for _, e := range s.edited {
		if e.at <= old.version {
			continue
		}
		c := TileChange{Info: &e.info}
		for l, at := range e.changed {
			if at > old.version {
				c.Levels |= 1 << l
			}
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b TileChange) int { return compareKeys(a.Info.Key, b.Info.Key) })
	return all
}

// compareKeys orders tiles row by row.
func compareKeys(a, b terrain.Key) int {
	if a.Y != b.Y {
		return int(a.Y - b.Y)
	}
	return int(a.X - b.X)
}

// MemoryBytes returns the size of the tiles that are in memory because no file has
// them.
func (s *Snapshot) MemoryBytes() (n int64) {
	for _, e := range s.edited {
		if e.code != nil {
			n += int64(e.code.Bytes())
		}
	}
	return n
}

// rect is a rectangle of samples.
type rect struct{ x, z, width, height int }

func (r rect) size() int { return r.width * r.height }

func (r rect) String() string {
	return fmt.Sprintf("%d×%d samples at %d, %d", r.width, r.height, r.x, r.z)
}

// and returns what r and o share, the zero rectangle if that is nothing.
func (r rect) and(o rect) rect {
	x, z := max(r.x, o.x), max(r.z, o.z)
	both := rect{x, z, min(r.x+r.width, o.x+o.width) - x, min(r.z+r.height, o.z+o.height) - z}
	if both.width <= 0 || both.height <= 0 {
		return rect{}
	}
	return both
}

// or returns what holds both.
func (r rect) or(o rect) rect {
	if r.size() == 0 {
		return o
	}
	x, z := min(r.x, o.x), min(r.z, o.z)
	return rect{x, z, max(r.x+r.width, o.x+o.width) - x, max(r.z+r.height, o.z+o.height) - z}
}

// patch gives the samples of a rectangle, row by row, as the journal has them: twice
// the height in quanta, and 1 more in a hole.
type patch struct {
	rect
	samples []int32
}

// row returns the samples of row z of the world that o and p share.
func (p *patch) row(o rect, z int) []int32 {
	return p.samples[(z-p.z)*p.width+o.x-p.x:][:o.width]
}

// copyFrom copies what both have from o to p.
func (p *patch) copyFrom(o *patch) {
	both := p.and(o.rect)
	for z := both.z; z < both.z+both.height; z++ {
		copy(p.row(both, z), o.row(both, z))
	}
}

// samplesOf returns the samples of tile k, without padding.
func (s *Snapshot) samplesOf(k terrain.Key) rect {
	c := s.world.TileSize - 1
	x, z := int(k.X)*c, int(k.Y)*c
	return rect{x, z, min(c+1, s.world.Width-x), min(c+1, s.world.Height-z)}
}

// tilesAt returns the range of tiles that hold any of the samples from lo to hi on one
// axis, of n.
func tilesAt(lo, hi, cells, n int) (first, end int) {
	return max((lo+cells-1)/cells-1, 0), min(hi/cells+1, n)
}

// read fills p with the samples of its rectangle.
func (s *Snapshot) read(p *patch) error {
	p.samples = make([]int32, p.size())
	c := s.world.TileSize - 1
	nx, nz := s.world.Tiles()
	x0, x1 := tilesAt(p.x, p.x+p.width-1, c, nx)
	z0, z1 := tilesAt(p.z, p.z+p.height-1, c, nz)
	d := chunkfile.NewDecoder()
	for z := z0; z < z1; z++ {
		for x := x0; x < x1; x++ {
			t, err := s.whole(d, terrain.Key{X: int32(x), Y: int32(z)})
			if err != nil {
				return err
			}
			s.samples(t, func(at, id int, x, z int) {
				if p.and(rect{x, z, 1, 1}).size() == 1 {
					p.samples[(z-p.z)*p.width+x-p.x] = sampleOf(t, id)
				}
			})
		}
	}
	return nil
}

// whole reads tile k at full resolution.
func (s *Snapshot) whole(d *chunkfile.Decoder, k terrain.Key) (*terrain.Tile, error) {
	if s.Tile(k) == nil {
		return nil, fmt.Errorf("tile %v: the file lacks it", k)
	}
	if f := s.file.Finest(k); f > 0 {
		return nil, fmt.Errorf("tile %v: %w: there is none finer than %d", k, chunkfile.ErrMissing, f)
	}
	t, err := s.ReadTile(d, k, 0)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// samples calls do with every sample of a tile: its place in samplesOf, its id and
// where it is in the world.
func (s *Snapshot) samples(t *terrain.Tile, do func(at, id, x, z int)) {
	r, layout := s.samplesOf(t.Info.Key), s.world.Layout()
	for z := range r.height {
		for x := range r.width {
			do(z*r.width+x, int(layout.ID[z*layout.Size+x]), r.x+x, r.z+z)
		}
	}
}

// sampleOf returns a vertex of t as the journal has it.
func sampleOf(t *terrain.Tile, id int) int32 {
	v := 2 * (t.Info.Base + int32(t.Verts[id].Height))
	if t.Verts[id].Hole() {
		v++
	}
	return v
}
