package streaming

import "github.com/vkterrain/vkterrain/terrain"

// pool keeps tiles that nobody looks at any more for reuse, by the level that they have
// room for. It is the render goroutine's.
type pool struct {
	free  [terrain.MaxLevels][]*terrain.Tile
	kept  [terrain.MaxLevels]int // that reads leave alone
	bytes int64
}

// copyBytes is about how much memory of each level is for copies.
const copyBytes = 128 << 10

// fill makes some buffers for what stays of tiles of which finer levels are given up: of
// all levels that may stay. So giving up allocates nothing. Reads leave them alone.
func (p *pool) fill(layout *terrain.Layout) {
	const usual, few, many = 256, 2, 32
	for level := range terrain.Level(layout.Levels) {
		p.free[level] = make([]*terrain.Tile, 0, usual)
		n := layout.Count(level)
		size := n * terrain.VertexBytes
		if level == 0 || size > 4*copyBytes {
			continue
		}
		p.kept[level] = min(max(copyBytes/size, few), many)
		for range p.kept[level] {
			p.put(level, &terrain.Tile{Verts: make([]terrain.Vertex, n)})
		}
	}
}

// forRead says whether there is a buffer down to a level that a read may have.
func (p *pool) forRead(level terrain.Level) bool { return len(p.free[level]) > p.kept[level] }

// maxPooled bounds the memory that waits for reuse, in bytes.
const maxPooled = 16 << 20

// bytesOf returns the bytes of a tile's vertices.
func bytesOf(t *terrain.Tile) int64 { return int64(len(t.Verts)) * terrain.VertexBytes }

// get returns a tile with room down to level, or nil.
func (p *pool) get(level terrain.Level) *terrain.Tile {
	list := p.free[level]
	n := len(list)
	if n == 0 {
		return nil
	}
	t := list[n-1]
	list[n-1] = nil
	p.free[level] = list[:n-1]
	p.bytes -= bytesOf(t)
	return t
}

// put takes a tile with room down to level that nobody looks at any more; nil is none.
func (p *pool) put(level terrain.Level, t *terrain.Tile) {
	if t == nil || p.bytes+bytesOf(t) > maxPooled {
		return
	}
	t.Info = nil
	p.free[level] = append(p.free[level], t)
	p.bytes += bytesOf(t)
}

// trim gives up buffers of least bytes together, if there are so many, and returns of how
// many.
func (p *pool) trim(least int64) (freed int64) {
	for level := range p.free {
		for len(p.free[level]) > 0 && freed < least {
			n := len(p.free[level]) - 1
			size := bytesOf(p.free[level][n])
			p.free[level][n] = nil
			p.free[level] = p.free[level][:n]
			p.bytes -= size
			freed += size
		}
	}
	return freed
}

// retired is a tile that readers may still look at.
type retired struct {
	tile   *terrain.Tile
	number uint64 // see Readers
	known  bool   // number is
}

// retire takes a tile that nobody but readers looks at any more.
func (m *Manager) retire(t *terrain.Tile) {
	if m.opts.Readers == nil {
		m.pool.put(t.Level, t)
		return
	}
	m.retired = append(m.retired, retired{tile: t})
	m.retiredBytes += bytesOf(t)
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
			m.retiredBytes -= bytesOf(r.tile)
			m.pool.put(r.tile.Level, r.tile)
		} else {
			kept = append(kept, r)
		}
	}
	clear(m.retired[len(kept):])
	m.retired = kept
}
