package streaming

import "github.com/vkterrain/vkterrain/terrain"

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

// trim gives up buffers of least bytes together, if there are so many, and returns of how
// many.
func (p *pool) trim(least int64) (freed int64) {
	for level := range p.free {
		for len(p.free[level]) > 0 && freed < least {
			n := len(p.free[level]) - 1
			size := int64(len(p.free[level][n])) * terrain.VertexBytes
			p.free[level][n] = nil
			p.free[level] = p.free[level][:n]
			p.bytes -= size
			freed += size
		}
	}
	return freed
}

// retired are vertices that readers may still look at.
type retired struct {
	level  terrain.Level
	verts  []terrain.Vertex
	number uint64 // see Readers
	known  bool   // number is
}

// retire takes vertices that nobody but readers looks at any more.
func (m *Manager) retire(level terrain.Level, verts []terrain.Vertex) {
	if m.opts.Readers == nil {
		m.pool.put(level, verts)
	} else if len(verts) > 0 {
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
