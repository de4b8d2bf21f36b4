package vkterrain

import (
	"errors"
	"math"
	"sync/atomic"

	"github.com/vkterrain/vkterrain/lodcpu/props"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
	"github.com/vkterrain/vkterrain/terrain/query"
)

// plotMaker finds out what stands on plots. It belongs to one goroutine.
type plotMaker struct {
	models  []*props.Model
	scatter props.Scatter
	ground  fullGround
	stop    atomic.Bool // nobody wants what is still to be made
}

func newPlotMaker(models []*props.Model, scatter *props.Scatter, src source) *plotMaker {
	m := &plotMaker{models: models, scatter: *scatter}
	m.ground.open(src)
	m.scatter.Ground = m
	return m
}

// errStopped ends the making of a plot.
var errStopped = errors.New("stopped")

// At is that of [props.Ground].
func (m *plotMaker) At(x, z float64) (query.Ground, error) {
	if m.stop.Load() {
		return query.Ground{}, errStopped
	}
	return m.ground.at(x, z), nil
}

// make makes the plot of a job, or nothing where there is a stop.
func (m *plotMaker) make(j *plotJob) {
	if j.source != m.ground.source {
		m.ground.open(j.source)
	}
	a := &j.area
	if m.stop.Load() {
		return
	}
	instances, err := m.scatter.Box(nil, a.west, a.north, a.east, a.south)
	if err != nil {
		return
	}
	for i := range instances {
		p := &instances[i]
		p.Sky = m.ground.sky(p.Position[0], p.Position[2])
	}
	j.group = props.NewGroup(m.models, instances)
}

// fullGround is the ground of a world at full resolution: of the tiles asked for last,
// as plots ask for one place after the other. It serves any source, which a
// [query.Sampler] does not. Where a tile cannot be read there is no ground.
type fullGround struct {
	source  source
	world   *terrain.World
	decoder *chunkfile.Decoder
	loaded  *query.Loaded
	exact   *query.EndlessSampler         // in its place in an endless world
	there   map[terrain.Key]bool          // tiles of the world; not of an endless one
	tiles   map[terrain.Key]*terrain.Tile // kept; nil could not be read
	order   []terrain.Key                 // of those, the oldest first
}

// keptTiles returns how many decoded tiles of a layout a fullGround keeps: 8 MiB of
// them, but four at least.
func keptTiles(l *terrain.Layout) int {
	return min(max((8<<20)/((l.Cells+1)*(l.Cells+1)*terrain.VertexBytes), 4), 512)
}

func (g *fullGround) open(src source) {
	infos := src.Tiles()
	*g = fullGround{source: src, world: src.World(), decoder: g.decoder, there: map[terrain.Key]bool{}, tiles: map[terrain.Key]*terrain.Tile{}}
	if g.decoder == nil {
		g.decoder = chunkfile.NewDecoder()
	}
	if a, ok := src.(query.Atlas); ok && g.world.Endless {
		g.exact = query.NewEndlessSampler(&keptAtlas{g, a})
		return
	}
	g.loaded = query.NewLoaded(g.world, infos)
	for i := range infos {
		g.there[infos[i].Key] = true
	}
}

// keptAtlas is an endless world of which a fullGround keeps tiles.
type keptAtlas struct {
	g *fullGround
	query.Atlas
}

// Info returns what is known of a tile, nil where there is none.
func (a *keptAtlas) Info(k terrain.Key) (*terrain.TileInfo, error) {
	if t := a.g.get(k); t != nil {
		return t.Info, nil
	}
	return nil, nil
}

// ReadTile returns a tile of which there is Info.
func (a *keptAtlas) ReadTile(_ *chunkfile.Decoder, k terrain.Key, _ terrain.Level) (*terrain.Tile, error) {
	return a.g.get(k), nil
}

// has says whether the world has a tile.
func (g *fullGround) has(k terrain.Key) bool {
	if g.exact == nil {
		return g.there[k]
	}
	info, err := g.source.(query.Atlas).Info(k)
	return info != nil && err == nil
}

// tile returns the tile at a place, or nil.
func (g *fullGround) tile(x, z float64) *terrain.Tile {
	k := g.world.TileAt(x, z)
	if !g.world.Endless {
		nx, ny := g.world.Tiles()
		k.X, k.Y = min(k.X, int32(nx)-1), min(k.Y, int32(ny)-1) // the rim belongs to the last ones
	}
	return g.get(k)
}

// get returns a tile, or nil.
func (g *fullGround) get(k terrain.Key) *terrain.Tile {
	if t, ok := g.tiles[k]; ok || !g.has(k) {
		return t
	}
	t, err := g.source.ReadTile(g.decoder, k, 0)
	if err != nil {
		t = nil // streaming tells of it, where it is needed
	}
	if len(g.order) >= keptTiles(g.world.Layout()) {
		g.publish(g.order[0], nil)
		delete(g.tiles, g.order[0])
		g.order = append(g.order[:0], g.order[1:]...)
	}
	g.tiles[k], g.order = t, append(g.order, k)
	g.publish(k, t)
	return t
}

// publish lets a tile be asked for ground, or no more.
func (g *fullGround) publish(k terrain.Key, t *terrain.Tile) {
	if g.loaded != nil {
		g.loaded.Publish(k, t)
	}
}

// at returns the ground at a place.
func (g *fullGround) at(x, z float64) query.Ground {
	if g.tile(x, z) == nil {
		return query.Ground{}
	}
	if g.exact != nil {
		ground, _ := g.exact.At(x, z) // it reads nothing that could fail
		return ground
	}
	return g.loaded.At(x, z)
}

// sky returns the share of the sky that is open at a place.
func (g *fullGround) sky(x, z float64) float32 {
	t := g.tile(x, z)
	if t == nil {
		return 1
	}
	layout := g.world.Layout()
	column := func(v, origin float64, tile int32) int {
		return min(max(int(math.Floor((v-origin)/g.world.Spacing+0.5))-int(tile)*layout.Cells, 0), layout.Cells)
	}
	k := t.Info.Key
	id := layout.ID[column(z, g.world.OriginZ, k.Y)*(layout.Cells+1)+column(x, g.world.OriginX, k.X)]
	return float32(t.Verts[id].SkyView) / 255
}
