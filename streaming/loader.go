package streaming

import (
	"errors"
	"sync/atomic"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// Source is where levels come from; a [chunkfile.Reader] is one.
type Source interface {
	// World describes the terrain. It does not change.
	World() *terrain.World

	// Tiles returns all tiles there are, in a stable order. Others are holes.
	// They do not change.
	Tiles() []terrain.TileInfo

	// ReadLevel reads the level samples of level of tile k into verts, which
	// has exactly room for them after all coarser levels, which are there. It
	// changes nothing else in verts. Any number of loaders call it at a time,
	// each with its own decoder.
	ReadLevel(d *chunkfile.Decoder, verts []terrain.Vertex, k terrain.Key, level terrain.Level) error
}

var errCancelled = errors.New("cancelled")

// job is one level on its way through a loader. It belongs to the render
// goroutine but between the two channels, when all of it except cancel is the
// loader's. There is a fixed number of them, and a tile that waits for a job
// points at it: so no result can reach a tile that has not asked for it.
type job struct {
	src    Source
	tile   *Tile // the loader reads Info only
	level  terrain.Level
	prefix []terrain.Vertex // all coarser levels; stay unchanged meanwhile
	verts  []terrain.Vertex // to be filled; nil to be allocated
	count  int              // vertices in verts
	cancel atomic.Bool      // nobody wants it any more
	swap   *exchange        // the level is read with all coarser ones for this, or nil

	out *terrain.Tile
	err error
}

// do reads the level.
func (j *job) do(d *chunkfile.Decoder) {
	if j.cancel.Load() {
		j.err = errCancelled
		return
	}
	if j.verts == nil {
		j.verts = make([]terrain.Vertex, j.count)
	}
	if j.swap != nil {
		j.doAll(d)
		return
	}
	copy(j.verts, j.prefix)
	if j.err = j.src.ReadLevel(d, j.verts, j.tile.Info.Key, j.level); j.err == nil {
		j.out = &terrain.Tile{Info: j.tile.Info, Level: j.level, Verts: j.verts}
	}
}

// doAll reads the level and all coarser ones.
func (j *job) doAll(d *chunkfile.Decoder) {
	layout, k := j.src.World().Layout(), j.tile.Info.Key
	for l := layout.Levels - 1; l >= int(j.level); l-- {
		level := terrain.Level(l)
		if j.err = j.src.ReadLevel(d, j.verts[:layout.Count(level)], k, level); j.err != nil {
			return
		}
	}
	j.out = &terrain.Tile{Info: j.swap.info, Level: j.level, Verts: j.verts}
}

// loader reads levels until stop is closed. It never waits to deliver one:
// done has room for all jobs.
func loader(stop <-chan struct{}, todo <-chan *job, done chan<- *job) {
	d := chunkfile.NewDecoder()
	for {
		select {
		case <-stop:
			return
		default:
		}
		select {
		case <-stop:
			return
		case j := <-todo:
			j.do(d)
			done <- j
		}
	}
}

// pool keeps vertex buffers for reuse, by the level they are made for. It is
// the render goroutine's.
type pool struct {
	free  [terrain.MaxLevels][][]terrain.Vertex
	bytes int64
}

// maxPooled bounds the memory that waits for reuse, in bytes.
const maxPooled = 16 << 20

// get returns a buffer for a tile prepared to level, or nil.
func (p *pool) get(level terrain.Level) []terrain.Vertex {
	list := p.free[level]
	n := len(list)
	if n == 0 {
		return nil
	}
	verts := list[n-1]
	list[n-1] = nil
	p.free[level] = list[:n-1]
	p.bytes -= int64(len(verts)) * terrain.VertexBytes
	return verts
}

// put takes a buffer that nobody reads any more; nil is none.
func (p *pool) put(level terrain.Level, verts []terrain.Vertex) {
	size := int64(len(verts)) * terrain.VertexBytes
	if size == 0 || p.bytes+size > maxPooled {
		return
	}
	p.free[level] = append(p.free[level], verts)
	p.bytes += size
}

// retired are vertices that readers may still look at.
type retired struct {
	level  terrain.Level
	verts  []terrain.Vertex
	number uint64 // see Readers
	known  bool   // number is
}

// retire takes vertices that nobody but readers looks at any more. Where too many
// wait already they are left to the garbage collector.
func (m *Manager) retire(level terrain.Level, verts []terrain.Vertex) {
	if m.opts.Readers == nil {
		m.pool.put(level, verts)
	} else if len(verts) > 0 && m.retiredBytes < maxPooled {
		m.retired = append(m.retired, retired{level: level, verts: verts})
		m.retiredBytes += int64(len(verts)) * terrain.VertexBytes
	}
}

// reclaim pools what no reader looks at any more. By now the listener has heard of
// all that was retired.
func (m *Manager) reclaim() {
	kept := m.retired[:0]
	for _, r := range m.retired {
		if !r.known {
			r.number, r.known = m.opts.Readers.Now(), true
		}
		if m.opts.Readers.Passed(r.number) {
			m.retiredBytes -= int64(len(r.verts)) * terrain.VertexBytes
			m.pool.put(r.level, r.verts)
		} else {
			kept = append(kept, r)
		}
	}
	clear(m.retired[len(kept):])
	m.retired = kept
}
